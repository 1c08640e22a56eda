//! Builds the programs under test with cargo, with the profile and the target folder of the running
//! test: once in a run of nextest, otherwise once in each process.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// The path of a program of this workspace, freshly built.
///
/// Cargo does not build other packages' programs for a test, so this asks for them. If they are up
/// to date this takes a moment; concurrent tests wait for each other.
///
/// # Panics
/// When the programs cannot be built.
pub fn program(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(build).join(name).with_extension(env::consts::EXE_EXTENSION)
}

/// Builds the programs and returns their folder.
fn build() -> PathBuf {
    let test = env::current_exe().expect("this program has a path");
    // target/debug/deps/e2e-0123456789abcdef
    let folder =
        test.ancestors().nth(2).expect("a test lies two folders deep in the target folder");
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") => "dev",
        Some(profile) => profile,
        None => panic!("{} is in no target folder", test.display()),
    };
    let target = folder.parent().expect("the target folder");
    // nextest runs each test in a process of its own, and asking Cargo takes a second.
    let run = env::var("NEXTEST_RUN_ID").ok();
    let built = target.join("tmp").join(format!("built-{profile}"));
    if run.is_some() && fs::read_to_string(&built).ok() == run {
        return folder.to_owned();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What cargo tells a test about its package makes build scripts run again (`ring`'s reads it).
    for (name, _) in env::vars_os().filter(|(name, _)| tells_of_a_package(name)) {
        cargo.env_remove(name);
    }
    let status = cargo
        .args(["build", "--quiet", "--locked", "--workspace", "--bins", "--profile", profile])
        .arg("--target-dir")
        .arg(target)
        .current_dir(root)
        .status()
        .expect("cargo runs");
    assert!(status.success(), "the programs cannot be built");
    if let Some(run) = run {
        fs::write(built, run).expect("Cargo has made the folder of tests");
    }
    folder.to_owned()
}

fn tells_of_a_package(variable: &OsStr) -> bool {
    let name = variable.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}
