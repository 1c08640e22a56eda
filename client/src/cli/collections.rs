//! The arguments of the commands about collections of games.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{GameArgs, ServerArgs};

/// `fivefold collections`
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CollectionsArgs {
    /// What to do; without a command, lists your collections.
    #[command(subcommand)]
    pub command: Option<CollectionsCommand>,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// The commands about one collection.
#[derive(Subcommand, Debug)]
pub enum CollectionsCommand {
    /// Add the games in files to a collection. Games that it already has, even rotated or mirrored,
    /// are skipped. Exit code 1 if a game could not be read or added.
    Import(ImportArgs),
    /// Write all games of a collection to one SGF file.
    Export(ExportArgs),
    /// List the games of a collection: number, players, date, result and moves.
    Show(ShowArgs),
    /// Rename a collection, share it or make it private.
    Change(ChangeArgs),
    /// Delete a collection, or some of its games.
    Delete(DeleteArgs),
}

/// `fivefold collections import`
#[derive(Args, Debug)]
pub struct ImportArgs {
    /// The collection, by its name or id. If you have none with this name, one is made.
    #[arg(value_name = "COLLECTION")]
    pub collection: String,
    /// The files: SGF with any number of games, lists of moves with one game per line, PSQ, JSON,
    /// or RenLib libraries, in which each complete line of moves is a game; - for standard input.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// If a new collection is made, let everyone with the link see it.
    #[arg(long)]
    pub shared: bool,
    /// The rules, for files that do not name them.
    #[command(flatten)]
    pub game: GameArgs,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold collections export`
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// The collection, by its name, id or link.
    #[arg(value_name = "COLLECTION")]
    pub collection: String,
    /// The file to write; - for standard output, which is also the default.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Only games in which a player's name contains this text.
    #[arg(long, value_name = "TEXT")]
    pub player: Option<String>,
    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold collections show`
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// The collection, by its name, id or link.
    #[arg(value_name = "COLLECTION")]
    pub collection: String,
    /// Only games in which a player's name contains this text.
    #[arg(long, value_name = "TEXT")]
    pub player: Option<String>,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold collections change`
#[derive(Args, Debug)]
pub struct ChangeArgs {
    /// The collection, by its name or id.
    #[arg(value_name = "COLLECTION")]
    pub collection: String,
    /// Its new name.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Let everyone with the link see it.
    #[arg(long)]
    pub shared: bool,
    /// Make it visible only to you.
    #[arg(long, conflicts_with = "shared")]
    pub private: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold collections delete`
#[derive(Args, Debug)]
pub struct DeleteArgs {
    /// The collection, by its name or id.
    #[arg(value_name = "COLLECTION")]
    pub collection: String,
    /// Delete only these games, by their numbers.
    #[arg(value_name = "NUMBER")]
    pub games: Vec<u64>,
    /// Delete the collection without asking.
    #[arg(long)]
    pub yes: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}
