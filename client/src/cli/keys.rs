//! The arguments of commands about tokens and bots.

use clap::Subcommand;
use fivefold_shared::protocol::Scope;

use super::ServerArgs;

/// `fivefold bot`
#[derive(Subcommand, Debug)]
pub enum BotCommand {
    /// Make a bot of your account. Its program needs a token: fivefold token new --bot NAME --scope play
    New {
        /// The bot's name: 2 to 20 letters, digits, - and _.
        #[arg(value_name = "NAME")]
        name: String,
        /// The server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// List your bots.
    List {
        /// The server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Give a bot another name, once in 30 days. Its tokens stay, and its old name leads to it.
    Rename {
        /// The bot's name.
        #[arg(value_name = "NAME")]
        name: String,
        /// Its new name: 2 to 20 letters, digits, - and _.
        #[arg(value_name = "NEW")]
        new: String,
        /// The server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Delete a bot, and end its tokens. Its games stay, and nobody gets its name for a year.
    Delete {
        /// The bot's name.
        #[arg(value_name = "NAME")]
        name: String,
        /// The server.
        #[command(flatten)]
        server: ServerArgs,
    },
}

/// `fivefold token`
#[derive(Subcommand, Debug)]
pub enum TokenCommand {
    /// Make a token for a program, and print it. It is shown once.
    New {
        /// What the program may do: play, watch, challenge, games:read, account:read; repeatable.
        #[arg(long = "scope", value_name = "SCOPE", required = true, value_parser = scope)]
        scopes: Vec<Scope>,
        /// A name for it, to find it in the list.
        #[arg(long, value_name = "TEXT")]
        label: Option<String>,
        /// How many days it is valid.
        #[arg(long, value_name = "DAYS", default_value_t = 365,
              value_parser = clap::value_parser!(u32).range(1..=1825))]
        days: u32,
        /// Of this bot of yours instead of your own account.
        #[arg(long, value_name = "NAME")]
        bot: Option<String>,
        /// The server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// List the tokens of your account, or of a bot.
    List {
        /// Of this bot of yours instead of your own account.
        #[arg(long, value_name = "NAME")]
        bot: Option<String>,
        /// The server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// End a token at once.
    End {
        /// The token's id, from the list.
        #[arg(value_name = "ID")]
        id: String,
        /// Of this bot of yours instead of your own account.
        #[arg(long, value_name = "NAME")]
        bot: Option<String>,
        /// The server.
        #[command(flatten)]
        server: ServerArgs,
    },
}

fn scope(text: &str) -> Result<Scope, String> {
    let names = Scope::ALL.map(Scope::name).join(", ");
    Scope::named(text).ok_or_else(|| format!("a scope is one of {names}"))
}
