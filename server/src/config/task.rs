//! The commands that do something else than serve: most work on a database.

use std::path::PathBuf;

use fivefold_command_line::{Shell, VERSION};
use fivefold_shared::protocol::Name;

use crate::net::public_url::PublicUrl;

/// The Fivefold server: five in a row, online. Serves if no command is given.
#[derive(clap::Parser)]
#[command(name = "fivefold-server", version = VERSION)]
pub(super) struct Words {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// What to do instead of serving.
#[derive(Clone, PartialEq, Eq, Debug, clap::Subcommand)]
pub enum Command {
    #[command(flatten)]
    Database(Task),
    /// Check the settings, or show them.
    Config {
        /// What to do.
        #[command(subcommand)]
        task: ConfigTask,
    },
    /// Ask the running server for its state. Prints one line, and exits with 0 if the server is ready. Each state and
    /// warning has its own exit code; 3 means that nobody answers.
    Health(HealthOptions),
    /// Print the completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page: fivefold-server man > fivefold-server.1, or fivefold-server man | man -l -
    Man,
}

/// Which server to ask for its state, and what counts as good.
#[derive(Clone, PartialEq, Eq, Debug, clap::Args)]
pub struct HealthOptions {
    /// The address of the server, with http: or https: [default: from metrics-listen or listen].
    #[arg(long)]
    pub url: Option<PublicUrl>,
    /// Exit with 0 if the server is ready, even if there are warnings.
    #[arg(long)]
    pub ignore_warnings: bool,
    /// Exit with 0 if the server answers, whatever its state is. For a program that restarts a server that hangs.
    #[arg(long, conflicts_with = "ignore_warnings")]
    pub alive: bool,
}

/// What an operator does with the settings. Nothing is connected, and no database is opened.
#[derive(Clone, PartialEq, Eq, Debug, clap::Subcommand)]
pub enum ConfigTask {
    /// Read everything that the server reads when it starts (flags, variables, the settings file, and the files that
    /// they name), and list all faults.
    Check {
        /// The settings file, instead of the one that --config or FIVEFOLD_CONFIG names.
        file: Option<String>,
    },
    /// Print each setting, its value and where it comes from, as a settings file. Secrets are not shown.
    Show,
}

/// Maintenance of a database, also while a server uses it.
#[derive(Clone, PartialEq, Eq, Debug, clap::Subcommand)]
pub enum Task {
    /// Check the database file and every game in it.
    Check {
        /// Export damaged rooms into files beside the database, and close them. Stop the server
        /// first.
        #[arg(long)]
        repair: bool,
    },
    /// Copy the database into a new file.
    Backup {
        /// Path of the copy; the file must not exist yet.
        file: PathBuf,
    },
    /// Replace the database with a copy of a backup, and keep the old one under another name. Stop the server first.
    Restore {
        /// The backup. It stays as it is.
        file: PathBuf,
    },
    /// Print a new recovery code for the account with this name, whose member has lost the password
    /// and all codes. The server may run.
    Recover {
        /// The account's name.
        name: String,
    },
    /// Work through reports and appeals: without more, list the people who wait for a decision. The
    /// server may run, and acts within a second.
    Moderate {
        /// Who decides: the name that stands beside the decision [default: command line].
        #[arg(long = "as", value_name = "NAME", global = true, value_parser = operator_name)]
        operator: Option<Name>,
        /// What to do.
        #[command(subcommand)]
        task: Option<Moderate>,
    },
    /// Export or delete an account for its member, also one that is closed. The server may run.
    Account {
        /// What to do.
        #[command(subcommand)]
        task: AccountTask,
    },
    /// Make the account with this name an operator, who can open /moderation and /admin. The server may run.
    Operator {
        /// The account's name.
        name: String,
        /// Take it back instead.
        #[arg(long)]
        remove: bool,
    },
    /// Turn notifications and e-mail on for a database that was restored from a backup or copied. They are off in a
    /// copy, so that two servers never notify the same people. The server may run, and begins within a minute.
    Push,
    /// Take back what a game has changed in the ratings of its players: they get as many points back, or
    /// lose them. The server may run.
    Undo {
        /// The game's id, as in its address.
        game: String,
    },
    /// Copy everything from a database file into an empty PostgreSQL database (--database), or from
    /// that into a new file. Stop the server first.
    Migrate {
        /// The file to copy into the database, such as fivefold.sqlite3. It stays as it is.
        #[arg(long, value_name = "FILE", required_unless_present = "to", conflicts_with = "to")]
        from: Option<PathBuf>,
        /// The file to copy the database into, which must not exist yet. The database stays as it is.
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
}

/// What an operator does. People are named by the name of their account, or by their id.
#[derive(Clone, PartialEq, Eq, Debug, clap::Subcommand)]
pub enum Moderate {
    /// List the people with open reports or appeals: first those with an appeal, then by the standing of
    /// their reporters (account, its age, games), and then those who wait longest.
    List,
    /// Show all that is known about a person: reports, sanctions, and what their games show.
    Show {
        /// The person.
        who: String,
    },
    /// Write a note for operators. The person does not learn of it.
    Note {
        /// The person.
        who: String,
        /// The note, up to 280 characters.
        #[arg(long)]
        reason: String,
    },
    /// Warn a person. They read it when they come next.
    Warn {
        /// The person.
        who: String,
        /// What they read, up to 280 characters.
        #[arg(long)]
        reason: String,
    },
    /// Let a person chat no more.
    Mute {
        /// The person.
        who: String,
        /// What they read, up to 280 characters.
        #[arg(long)]
        reason: String,
        /// For so many days [default: without an end].
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
    },
    /// Let a person play no more rated games.
    Unrated {
        /// The person.
        who: String,
        /// What they read, up to 280 characters.
        #[arg(long)]
        reason: String,
        /// For so many days [default: without an end].
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
    },
    /// Close an account: its sessions end, and signing in is refused.
    Close {
        /// The person.
        who: String,
        /// What they read, up to 280 characters.
        #[arg(long)]
        reason: String,
        /// For so many days [default: without an end].
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
    },
    /// Close all open reports about a person.
    Reports {
        /// The person.
        who: String,
        /// What their reporters read.
        outcome: Closed,
    },
    /// Close all open reports by guests, for example after a flood of them.
    GuestReports {
        /// What their reporters read.
        outcome: Closed,
    },
    /// Take a sanction back.
    Undo {
        /// Its id, as `show` prints it.
        sanction: String,
    },
    /// Note that an appeal is answered, and take it from the list. The sanction stays.
    Answer {
        /// The id of the sanction.
        sanction: String,
    },
}

/// What an operator does with an account. It is named by its name or its id.
#[derive(Clone, PartialEq, Eq, Debug, clap::Subcommand)]
pub enum AccountTask {
    /// Print all that the server keeps of an account as JSON, without secrets. It has the operators' notes,
    /// which the member's own export lacks.
    Export {
        /// The account's name or id.
        who: String,
    },
    /// Delete an account: its sessions end, and all that is stored about the person is removed after 14 days.
    Delete {
        /// The account's name or id.
        who: String,
    },
}

/// What becomes of reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Closed {
    /// Something was done.
    Acted,
    /// There was nothing to do.
    Dismissed,
}

/// The name of an operator on the command line.
fn operator_name(text: &str) -> Result<Name, String> {
    Name::new(text).map_err(|error| error.to_string())
}
