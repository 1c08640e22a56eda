//! The arguments with which this program runs itself as `fivefold run-engine`.

use std::{ffi::OsString, path::PathBuf};

use clap::Args;

use super::namespaces::Owner;

/// `fivefold run-engine`: the limits of the engine and of each process that it starts.
#[derive(Args, Debug)]
pub struct RunEngineArgs {
    /// The most memory, in bytes.
    #[arg(long, value_name = "N")]
    pub memory: Option<u64>,
    /// The most processor time, in seconds.
    #[arg(long, value_name = "N")]
    pub processor_seconds: Option<u64>,
    /// The largest file that it may write, in bytes.
    #[arg(long, value_name = "N")]
    pub file_bytes: Option<u64>,
    /// The most processes and threads in addition to those that the user already runs.
    #[arg(long, value_name = "N")]
    pub processes: Option<u64>,
    /// A folder that stays unreadable wherever it is.
    #[arg(long, value_name = "FOLDER")]
    pub hide: Option<PathBuf>,
    /// Keep our environment, our files and the network.
    #[arg(long)]
    pub trust: bool,
    /// Run the engine in namespaces of its own.
    #[arg(long, conflicts_with_all = ["trust", "confine", "inside"])]
    pub apart: bool,
    /// This process is in the engine's namespaces; the user and the group outside.
    #[arg(long, value_name = "USER:GROUP", requires = "scratch")]
    pub inside: Option<Owner>,
    /// Become the engine.
    #[arg(long)]
    pub confine: bool,
    /// The folder that the engine may write to.
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
    /// The engine, and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub words: Vec<OsString>,
}
