//! What both programs say about themselves: their version, their manual page and their completions.
//!
//! Only the programs depend on this package, because it is built again for each commit.

mod manual_page;

use clap::Command;
pub use clap_complete::Shell;

pub use self::manual_page::manual_page;

/// What `--version` prints after the program's name: version, commit, its day and the target.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("BUILD"), ")");

/// The commit that was built, or `unknown`.
pub const COMMIT: &str = env!("BUILD_COMMIT");

/// The completions of a program for a shell. Generates them first, because [`clap_complete::generate`] would panic on
/// a closed pipe.
pub fn completions(shell: Shell, mut program: Command) -> Vec<u8> {
    let (name, mut text) = (program.get_name().to_owned(), Vec::new());
    clap_complete::generate(shell, &mut program, name, &mut text);
    text
}

#[cfg(test)]
#[path = "../build.rs"]
#[expect(dead_code, reason = "only some functions of the build script are tested")]
mod build;

#[cfg(test)]
mod tests {
    use super::{COMMIT, VERSION, build};

    #[test]
    fn a_version_names_its_build() {
        let build = VERSION.strip_prefix(concat!(env!("CARGO_PKG_VERSION"), " ("));
        let build = build.and_then(|rest| rest.strip_suffix(')')).expect(VERSION);
        let target = build.rsplit(", ").next().unwrap();
        assert!(target.contains('-') && !target.contains(' '), "{VERSION}");
        assert!(COMMIT == "unknown" || build.starts_with(COMMIT), "{VERSION}");
    }

    #[test]
    fn a_time_has_a_day() {
        for (seconds, day) in [
            ("0", "1970-01-01"),
            ("951868799", "2000-02-29"),
            ("951868800", "2000-03-01"),
            ("1709164800", "2024-02-29"),
            ("1735689599", "2024-12-31"),
            ("4107542399", "2100-02-28"),
            ("4107542400", "2100-03-01"),
            ("4294967295", "2106-02-07"),
        ] {
            assert_eq!(build::day(seconds), day, "{seconds}");
        }
    }

    #[test]
    fn a_commit_is_shown_by_eight_digits() {
        assert_eq!(build::digits("05F9E1C6"), "05f9e1c6");
        assert_eq!(build::digits("05f9e1c6c11d2d7ea1ac80e66ea9a1f3c2a31d5c"), "05f9e1c6");
    }

    #[test]
    #[should_panic(expected = "at least 8 digits")]
    fn a_word_is_no_commit() {
        build::digits("05f9e1c");
    }
}
