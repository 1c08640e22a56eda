//! Names the commit that is built, its day and the target.
//!
//! Packagers who build without git set `FIVEFOLD_COMMIT` (the id of the commit) and `SOURCE_DATE_EPOCH` (its time in
//! seconds). What neither they nor git say is left out.

use std::{env, path::Path, process::Command};

/// The folder of this package in the repository.
const FOLDER: &str = "shared/command-line/";

/// How many digits of the commit's id are shown.
const DIGITS: usize = 8;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FIVEFOLD_COMMIT");
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    // An archive of the source may lie inside of somebody else's repository.
    let is_ours = git(&["rev-parse", "--show-prefix"]).is_some_and(|folder| folder == FOLDER);
    // Builds for debugging are not begun again for each commit, so theirs may be an earlier one.
    if is_ours
        && env::var("PROFILE").is_ok_and(|profile| profile != "debug")
        && let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
    }
    let or_git = |variable, arguments: &[&str]| {
        let given = env::var(variable).ok().filter(|text| !text.is_empty());
        given.or_else(|| git(arguments).filter(|_| is_ours))
    };
    let commit = or_git("FIVEFOLD_COMMIT", &["rev-parse", "HEAD"]).map(|id| digits(&id));
    let time = or_git("SOURCE_DATE_EPOCH", &["log", "-1", "--format=%ct"]);
    let day = time.map(|seconds| day(&seconds));
    let source: Vec<_> = [commit.clone(), day].into_iter().flatten().collect();
    let target = env::var("TARGET").expect("cargo sets it");
    let parts: Vec<_> =
        [source.join(" "), target].into_iter().filter(|it| !it.is_empty()).collect();
    println!("cargo::rustc-env=BUILD={}", parts.join(", "));
    println!("cargo::rustc-env=BUILD_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}

/// What git says; nothing without git or outside of a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// The first digits of a commit's id.
pub(crate) fn digits(id: &str) -> String {
    let is_id = id.len() >= DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(
        is_id,
        "FIVEFOLD_COMMIT must be the id of a commit, with at least {DIGITS} digits, and not {id:?}"
    );
    id[..DIGITS].to_ascii_lowercase()
}

/// The day of a time in seconds since 1970, in UTC, as 2026-11-30.
pub(crate) fn day(seconds: &str) -> String {
    let seconds: u32 = seconds.parse().unwrap_or_else(|_| {
        panic!("SOURCE_DATE_EPOCH must be a time in seconds, before 2106, and not {seconds:?}")
    });
    let is_leap = |year: u32| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut days, mut year) = (seconds / 86_400, 1970);
    while days >= 365 + u32::from(is_leap(year)) {
        days -= 365 + u32::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u32::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}
