//! Defines the command line. [`crate::command`] runs the commands.

mod collections;
mod finding;
mod friends;
mod keys;
mod notes;
mod options;
mod plan;
mod players;
mod suggested;
mod time_off;

use std::{num::NonZero, path::PathBuf};

use clap::{Args, Parser, Subcommand};
use fivefold_command_line::{Shell, VERSION};
use fivefold_shared::{
    bot_spec::BotSpec,
    clock::TimeControl,
    protocol::{Name, PoolName},
    search_budget::THREADS_MAX,
};

use self::options::{OptionError, seconds, time};
pub use self::{
    collections::{
        ChangeArgs, CollectionsArgs, CollectionsCommand, DeleteArgs, ExportArgs, ImportArgs,
        ShowArgs,
    },
    finding::{ChallengeArgs, ChallengesArgs, GamesArgs, OfferArgs, OfferError, SeekArgs},
    friends::{AnswerArgs, FriendArgs, FriendsArgs},
    keys::{BotCommand, TokenCommand},
    notes::NotesArgs,
    options::{
        ColorChoice, ColourChoice, GameArgs, GlyphsChoice, OpeningArgs, ServerArgs, VariantChoice,
        ViewArgs, VisitArgs,
    },
    plan::PlanArgs,
    players::{LeaderboardArgs, PlayerArgs},
    time_off::TimeOffArgs,
};
#[cfg(target_os = "linux")]
use crate::engines::engine_sandbox::RunEngineArgs;
use crate::{
    engines::{
        arena::{Contestant, Sprt},
        engine_player::OpeningChooser,
    },
    game_files::Format,
    server::room_link::{Link, RoomLink},
};

/// Five in a row with friends and bots, in the terminal or by script.
#[derive(Parser, Debug)]
#[command(name = "fivefold", version = VERSION, propagate_version = true, after_help = AFTER_HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  fivefold play                             make a room and show the link for a friend
  fivefold join http://127.0.0.1:8080/r/k7m2qpxw9abc
  fivefold seek                             find somebody to play
  fivefold challenge Ann --variant renju    offer a game to somebody who is online
  fivefold play --bot                       play a bot that newcomers can beat, engine:3
  fivefold play --bot attack --size unbounded
  fivefold play --variant tic-tac-toe --bot minimax --as black
  fivefold watch --bots attack,pattern      let two bots play, for all to watch
  fivefold local                            two people at one keyboard, no server
  fivefold analyse game.sgf --multi 5       the best moves, ever deeper, until Ctrl-C
  fivefold convert game.psq game.sgf
  fivefold collections import Cup cup.sgf   keep all games of a file on the server
  fivefold play --bot attack --json         one JSON object a line, for scripts
  fivefold arena engine:5 engine:4          a match: which is stronger, and by how much?

Several addresses that lead to one server, such as the nodes of a cluster, are tried in turn, and
the identity is the same at all: --server https://a.example.org,https://b.example.org

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted (Ctrl-C).
Settings (server, name, identities, sessions) are kept in the platform's configuration folder, or in
FIVEFOLD_CONFIG_DIR. With a token of an account in FIVEFOLD_TOKEN, the program speaks for that account.";

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Make a room and play in it, against anybody who has its link or against a bot.
    Play(PlayArgs),
    /// Enter a room: take a seat before its first game, or watch.
    Join(JoinArgs),
    /// Watch a room, or let two bots play and watch them.
    Watch(WatchArgs),
    /// Find somebody to play: in a pool, by an offer of your own, or by accepting one.
    Seek(SeekArgs),
    /// Offer a game to one person, and wait for their answer.
    Challenge(ChallengeArgs),
    /// Show or set who may challenge you.
    Challenges(ChallengesArgs),
    /// List your games, those where it is your turn first, and the commands that open them.
    Games(GamesArgs),
    /// Show an account's ratings and last games, and your results against it.
    Player(PlayerArgs),
    /// List the best players of a pool of ratings.
    Leaderboard(LeaderboardArgs),
    /// List your open rooms, those where it is your turn first, and the public ones.
    Rooms(RoomsArgs),
    /// Close a room that you made.
    Close(CloseArgs),
    /// Show who you are on a server, or replace the secret that proves it.
    Identity(IdentityArgs),
    /// Sign in to your account, and play as it from here on. The page makes accounts.
    Login(LoginArgs),
    /// Sign out, and go on as a guest.
    Logout(LogoutArgs),
    /// Show which account is signed in.
    Whoami(LogoutArgs),
    /// List your friends, who of them is online, and the requests that wait.
    Friends(FriendsArgs),
    /// Ask somebody to be friends, or accept their request. Both need an account.
    Friend(FriendArgs),
    /// End a friendship, decline a request, or take yours back.
    Unfriend(FriendArgs),
    /// Accept the challenge of a friend that waits, decline it, or take yours back.
    Answer(AnswerArgs),
    /// Note something about a game for yourself, or show your notes. Nobody else sees them.
    Notes(NotesArgs),
    /// Import, list, show, export and delete your collections of games.
    Collections(CollectionsArgs),
    /// Plan replies in a daily game: each is played as soon as your opponent makes the move that you expect.
    Plan(PlanArgs),
    /// Take days off: your clocks stand still in all daily games. You have 30 days a year.
    TimeOff(TimeOffArgs),
    /// Block somebody: you are not paired, do not challenge each other, and hear no chat of each other.
    /// They do not learn of it.
    Block(BlockArgs),
    /// Unblock or unmute somebody.
    Unblock(UnblockArgs),
    /// List the people you have blocked or muted.
    Blocks(LogoutArgs),
    /// Make, list, rename and delete your bots: accounts for programs that play rated games.
    #[command(subcommand)]
    Bot(BotCommand),
    /// Make, list and end tokens: with one in FIVEFOLD_TOKEN, a program plays as your account.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Play without a server: two people at one keyboard, or against a bot.
    Local(LocalArgs),
    /// Seat a program that speaks Gomocup's protocol in a room, or let it seek opponents.
    Seat(SeatArgs),
    /// Let two bots or programs play a match, and say which is stronger, and how sure that is.
    Arena(ArenaArgs),
    /// Speak Gomocup's protocol on standard input and output: our bots for any manager of games.
    Brain(BrainArgs),
    /// Analyse a position, or review every move of a finished game.
    Analyse(AnalyseArgs),
    /// Read a game in one format and write it in another: SGF, PSQ, JSON, or a list of moves; also
    /// from RenLib's libraries.
    Convert(ConvertArgs),
    /// Run an engine with limits, for seat and arena.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    RunEngine(RunEngineArgs),
    /// Print the completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page: fivefold man > fivefold.1, or fivefold man | man -l -
    Man,
}

/// `fivefold play`
#[derive(Args, Debug)]
pub struct PlayArgs {
    /// A room given by mistake: `fivefold join` is the command for it.
    #[arg(hide = true)]
    pub room: Option<String>,
    /// The rules of the game.
    #[command(flatten)]
    pub game: GameArgs,
    /// Play against a bot of the server: engine:1 (the weakest) to engine:10 (as engine alone), attack,
    /// pattern (called "Patterns") or minimax (called "Perfect") [without a name: engine:3].
    #[arg(long, value_name = "KIND[:LEVEL]", num_args = 0..=1, default_missing_value = suggested::GENTLE,
          value_parser = suggested::bot(), hide_possible_values = true)]
    pub bot: Option<BotSpec>,
    /// Your colour; Black begins.
    #[arg(long = "as", value_name = "COLOUR", default_value = "random")]
    pub colour: ColourChoice,
    /// Who puts the first stones, and who picks a side.
    #[command(flatten)]
    pub opening: OpeningArgs,
    /// Time for each player: 10 or 10m (10 minutes for the game), 5+3 (5 minutes, and 3 seconds more
    /// after each move), byo 10+3x30 (then 3 periods of 30 seconds), move 30 (30 seconds for
    /// each move), 3d (3 days for each move; also 1, 2, 5, 7 and 14), or 7d+12h (7 days, and 12 hours
    /// more after each move). d, h, m and s after a number name another unit.
    #[arg(long, value_name = "TIME", default_value = "none", value_parser = time)]
    pub time: TimeControl,
    /// List the room for everybody.
    #[arg(long)]
    pub public: bool,
    /// Let the players ask a bot for help, even against each other.
    #[arg(long)]
    pub assistance: bool,
    /// The server, and who you are there.
    #[command(flatten)]
    pub visit: VisitArgs,
    /// How the game is shown.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// `fivefold join`
#[derive(Args, Debug)]
pub struct JoinArgs {
    /// The room's code, or its link.
    #[arg(value_name = "CODE|URL")]
    pub room: RoomLink,
    /// The server, and who you are there.
    #[command(flatten)]
    pub visit: VisitArgs,
    /// How the game is shown.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// `fivefold watch`
#[derive(Args, Debug)]
pub struct WatchArgs {
    /// The room's code or its link, or the id or the link of a finished game.
    #[arg(value_name = "CODE|ID|URL", required_unless_present = "bots")]
    pub room: Option<Link>,
    /// Make a public room where these two play, Black first.
    #[arg(long, value_name = "KIND,KIND", value_parser = two_bots, conflicts_with = "room")]
    pub bots: Option<TwoBots>,
    /// What the bots play.
    #[command(flatten)]
    pub game: GameArgs,
    /// Who puts the first stones, and who picks a side.
    #[command(flatten)]
    pub opening: OpeningArgs,
    /// Time for each bot: 10 or 10m (10 minutes for the game), 5+3 (5 minutes, and 3 seconds more
    /// after each move), byo 10+3x30 (then 3 periods of 30 seconds), or move 30 (30 seconds for
    /// each move). h, m and s after a number name another unit.
    #[arg(long, value_name = "TIME", default_value = "none", value_parser = time)]
    pub time: TimeControl,
    /// The server, and who you are there.
    #[command(flatten)]
    pub visit: VisitArgs,
    /// How the game is shown.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// `fivefold close`
#[derive(Args, Debug)]
pub struct CloseArgs {
    /// The room's code, or its link.
    #[arg(value_name = "CODE|URL")]
    pub room: RoomLink,
    /// The server, and who you are there.
    #[command(flatten)]
    pub visit: VisitArgs,
}

/// `fivefold rooms`
#[derive(Args, Debug)]
pub struct RoomsArgs {
    /// List only your own rooms.
    #[arg(long)]
    pub mine: bool,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// The server, and who you are there.
    #[command(flatten)]
    pub visit: VisitArgs,
}

/// `fivefold identity`
#[derive(Args, Debug)]
pub struct IdentityArgs {
    /// Replace the secret, because somebody else may have seen it. Your seats, games and name stay;
    /// the old secret opens nothing any more, on any device.
    #[arg(long)]
    pub replace: bool,
    /// Delete the guest for good: name, lists, and what the server keeps about you. Your games stay, without
    /// your name.
    #[arg(long, conflicts_with = "replace")]
    pub delete: bool,
    /// Do not ask before the deletion.
    #[arg(long, requires = "delete")]
    pub yes: bool,
    /// The server, and who you are there.
    #[command(flatten)]
    pub visit: VisitArgs,
}

/// `fivefold login`
#[derive(Args, Debug)]
pub struct LoginArgs {
    /// The account's name, to sign in by its password. Where there is no terminal, the password is the
    /// next line of standard input. Without a name you get a code, which you type on a page that is
    /// signed in.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold logout`, `fivefold whoami` and `fivefold blocks`
#[derive(Args, Debug)]
pub struct LogoutArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold block`
#[derive(Args, Debug)]
pub struct BlockArgs {
    /// The name of their account, or of a guest who is online.
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Hear no chat of theirs, and nothing more.
    #[arg(long)]
    pub mute: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold unblock`
#[derive(Args, Debug)]
pub struct UnblockArgs {
    /// Their name on the list, or their id.
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold local`
#[derive(Args, Debug)]
pub struct LocalArgs {
    /// The rules of the game.
    #[command(flatten)]
    pub game: GameArgs,
    /// Play against a bot, engine:3 unless you name another; without this, two people play in turn.
    #[arg(long, value_name = "KIND[:LEVEL]", num_args = 0..=1, default_missing_value = suggested::GENTLE,
          value_parser = suggested::bot(), hide_possible_values = true)]
    pub bot: Option<BotSpec>,
    /// Your colour against the bot; Black begins.
    #[arg(long = "as", value_name = "COLOUR", default_value = "random")]
    pub colour: ColourChoice,
    /// Who puts the first stones, and who picks a side.
    #[command(flatten)]
    pub opening: OpeningArgs,
    /// How the game is shown.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// `fivefold seat`
#[derive(Args, Debug)]
pub struct SeatArgs {
    /// The room's code, or its link.
    #[arg(value_name = "CODE|URL", required_unless_present_any = ["seek", "accept_challenges"])]
    pub room: Option<RoomLink>,
    /// Instead of a room: seek opponents in this pool, one game after another.
    #[arg(long, value_name = "POOL", value_parser = suggested::pool(), hide_possible_values = true, conflicts_with = "room")]
    pub seek: Option<PoolName>,
    /// Accept challenges between the games; without --seek, play only those.
    #[arg(long, conflicts_with = "room")]
    pub accept_challenges: bool,
    /// Seconds to stay after each of these games, for a rematch.
    #[arg(long, value_name = "SECONDS", default_value_t = 5, conflicts_with = "room", value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub pause: u64,
    /// The program, and its arguments, as for a shell.
    #[arg(long, value_name = "COMMAND")]
    pub engine: String,
    /// The program's name as others see it [default: its own].
    #[arg(long, value_name = "NAME", value_parser = Name::new)]
    pub name: Option<Name>,
    /// The most milliseconds for a move; the room's clock may leave less.
    #[arg(long, value_name = "MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub time: u64,
    /// Memory for the program, in MiB; the system keeps the limit on Linux.
    #[arg(long, value_name = "MIB", default_value_t = 1_024, value_parser = clap::value_parser!(u32).range(1..))]
    pub memory: u32,
    /// The most seconds that the program may take to get ready.
    #[arg(long, value_name = "SECONDS", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub start: u64,
    /// Give the program your environment, your files and the network; its limits stay.
    #[arg(long)]
    pub trust: bool,
    /// Run the program even as root, for whom the system bounds no number of processes.
    #[arg(long)]
    pub allow_root: bool,
    /// Restart the program this many times when it fails; after that, or without this, it resigns
    /// the game.
    #[arg(long, value_name = "N", default_value_t = 0, num_args = 0..=1, default_missing_value = "1")]
    pub retry: u32,
    /// Leave after this many games.
    #[arg(long, value_name = "N")]
    pub games: Option<u32>,
    /// Who chooses in the room's opening for the program [default: the program by swap2 where it
    /// answers SWAP2BOARD, else ours].
    #[arg(long, value_name = "ours|engine", hide_possible_values = true)]
    pub openings: Option<OpeningChooser>,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold arena`
#[derive(Args, Debug)]
pub struct ArenaArgs {
    /// A bot, such as engine:5, or the command of a program that speaks Gomocup's protocol.
    #[arg(value_name = "A")]
    pub a: Contestant,
    /// The same.
    #[arg(value_name = "B")]
    pub b: Contestant,
    /// The most games; each opening is played twice, with both colours.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub games: usize,
    /// The rules of the game.
    #[command(flatten)]
    pub game: GameArgs,
    /// Milliseconds for each move [default: 200, where nothing else is limited].
    #[arg(long, value_name = "MS")]
    pub time: Option<u64>,
    /// Milliseconds for each player's whole game.
    #[arg(long, value_name = "MS")]
    pub game_time: Option<u64>,
    /// Positions for each move, for players that can count them.
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Milliseconds by which a move may be late.
    #[arg(long, value_name = "MS", default_value_t = 1_000)]
    pub grace: u64,
    /// Memory for each program, in MiB [default: not limited].
    #[arg(long, value_name = "MIB")]
    pub memory: Option<u32>,
    /// The most seconds that a program may take to get ready.
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub start: u64,
    /// Give the programs your environment, your files and the network; their limits stay.
    #[arg(long)]
    pub trust: bool,
    /// Run programs even as root, for whom the system bounds no number of processes.
    #[arg(long)]
    pub allow_root: bool,
    /// Openings, one a line: names of points (h8i9g7), or steps from the middle (0,0 1,1 -2,1)
    /// [default: those of the book, then random even ones]. Not with --opening.
    #[arg(long, value_name = "FILE", conflicts_with = "opening")]
    pub openings: Option<PathBuf>,
    /// The players put the first stones and pick sides; programs only by swap2.
    #[command(flatten)]
    pub opening: OpeningArgs,
    /// Seed for the random openings and for the bots.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Games at once; more games than processors make all of them slower.
    #[arg(long, value_name = "N", default_value = "1")]
    pub threads: NonZero<usize>,
    /// A game of this many moves is a draw [default: 400 on the unbounded board].
    #[arg(long, value_name = "N")]
    pub plies: Option<usize>,
    /// Stop as soon as it is clear, with 5 % of error, whether A is stronger by ELO1 or only by
    /// ELO0, such as 0,10.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    pub sprt: Option<Sprt>,
    /// Add each game to this file, as a line of JSON.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// The result as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `fivefold brain`
#[derive(Args, Debug)]
pub struct BrainArgs {
    /// Which bot plays.
    #[arg(long, value_name = "KIND[:LEVEL]", num_args = 0..=1, default_missing_value = "engine",
          default_value = "engine", value_parser = suggested::bot(), hide_possible_values = true)]
    pub bot: BotSpec,
    /// Memory for remembered positions, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=16_384))]
    pub hash: u16,
    /// Seed for random choices; with the same seed, and nodes as the only limit, the moves are the
    /// same [default: random].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Think on the opponent's time, as after INFO pondering 1.
    #[arg(long)]
    pub ponder: bool,
}

/// `fivefold analyse`
#[derive(Args, Debug)]
pub struct AnalyseArgs {
    /// A game's file (sgf, psq, json, txt, lib; - for standard input), the id or the link of a finished
    /// game, or the moves: h8 i9 j10.
    #[arg(value_name = "FILE|ID|URL|MOVES", required = true)]
    pub what: Vec<String>,
    /// The rules, where the file does not name them.
    #[command(flatten)]
    pub game: GameArgs,
    /// Which game of a file with several.
    #[arg(long = "game", value_name = "N", default_value_t = 1)]
    pub number: usize,
    /// Review every move of the game and show where it was decided; the default for finished
    /// games.
    #[arg(long, conflicts_with_all = ["ply", "multi", "time", "depth", "nodes"])]
    pub review: bool,
    /// Analyse the position after this many moves.
    #[arg(long, value_name = "N")]
    pub ply: Option<usize>,
    /// Show this many best moves.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=50))]
    pub multi: u8,
    /// Stop after this many seconds [default: at Ctrl-C].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<f64>,
    /// Stop at this search depth, in plies.
    #[arg(long, value_name = "PLIES")]
    pub depth: Option<u16>,
    /// Stop after this many positions.
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Memory for remembered positions, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64,
          value_parser = clap::value_parser!(u16).range(1..=16_384))]
    pub hash: u16,
    /// Search threads; more threads than processors make it slower.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "review",
          value_parser = clap::value_parser!(u8).range(1..=THREADS_MAX as i64))]
    pub threads: u8,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// The server of a finished game.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `fivefold convert`
#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// The game's file, or the id or the link of a finished game; - for standard input, which is also the
    /// default.
    #[arg(value_name = "FROM")]
    pub input: Option<PathBuf>,
    /// The file to write; - for standard output, which is also the default.
    #[arg(value_name = "TO")]
    pub output: Option<PathBuf>,
    /// The format to read [default: by the file's name, or its first letters].
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,
    /// The format to write [default: by the file's name].
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<Format>,
    /// Which game of a file with several.
    #[arg(long = "game", value_name = "N", default_value_t = 1)]
    pub number: usize,
    /// Replace the file to write if it exists.
    #[arg(long)]
    pub force: bool,
    /// The rules, where the file does not name them.
    #[command(flatten)]
    pub game: GameArgs,
    /// The server of a finished game.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// The bots for both seats, Black first.
pub type TwoBots = [BotSpec; 2];

fn two_bots(text: &str) -> Result<TwoBots, OptionError> {
    let (black, white) = text.split_once(',').ok_or(OptionError::TwoBots)?;
    Ok([black.trim().parse()?, white.trim().parse()?])
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use fivefold_shared::rules::RulesError;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_texts() {
        let mut command = Cli::command().term_width(100);
        command.build();
        insta::assert_snapshot!("help", command.render_help());
        let names = ["play", "join", "watch", "rooms", "local", "seat", "arena", "brain"];
        let others = ["analyse", "convert", "close", "seek", "challenge", "games"];
        for name in names.into_iter().chain(others) {
            let command = command.find_subcommand_mut(name).expect("it is a command");
            insta::assert_snapshot!(format!("help_{name}"), command.render_help());
        }
    }

    #[test]
    fn variants_and_sizes_make_rules() {
        let cases = [
            ("", Ok("freestyle 15x15")),
            ("--variant gomoku --size 19", Ok("freestyle 19x19")),
            ("--size unbounded", Ok("freestyle unbounded")),
            ("--variant caro-overline --size 20x15", Ok("caro_overline 20x15")),
            ("--variant tic-tac-toe", Ok("tic-tac-toe")),
            ("--variant tic-tac-toe --k 3", Ok("tic-tac-toe")),
            ("--variant tic-tac-toe --k 4", Err(RulesError::KUnexpected)),
            ("--variant mnk --k 4 --size 7x6", Ok("mnk 4 7x6")),
            ("--variant mnk", Err(RulesError::KMissing)),
            ("--k 5", Err(RulesError::KUnexpected)),
            ("--variant renju --size 19", Err(RulesError::RenjuSize)),
            ("--size 2", Err(RulesError::Size)),
        ];
        for (text, expected) in cases {
            let words = ["fivefold", "play"].into_iter().chain(text.split_whitespace());
            let cli = Cli::try_parse_from(words).expect("the options are known");
            let Command::Play(play) = cli.command else { panic!("play was asked for") };
            let rules = play.game.rules().map(|rules| rules.to_string());
            assert_eq!(rules, expected.map(str::to_owned), "{text:?}");
        }
    }

    #[test]
    fn a_bot_is_a_gentle_engine_unless_it_is_named() {
        let cases = [
            ("play", None, false),
            ("play --bot", Some("engine:3"), false),
            ("play --bot --json", Some("engine:3"), true),
            ("play --json --bot", Some("engine:3"), true),
            ("play --bot engine:3 --json", Some("engine:3"), true),
            ("play --bot=attack", Some("attack"), false),
            ("local --bot", Some("engine:3"), false),
            ("local --bot pattern --json", Some("pattern"), true),
            ("brain --bot", Some("engine"), false),
            ("brain --bot engine:2", Some("engine:2"), false),
            ("brain", Some("engine"), false),
        ];
        for (text, expected, json) in cases {
            let words = ["fivefold"].into_iter().chain(text.split(' '));
            let (bot, view) = match Cli::try_parse_from(words).expect(text).command {
                Command::Play(args) => (args.bot, Some(args.view)),
                Command::Local(args) => (args.bot, Some(args.view)),
                Command::Brain(args) => (Some(args.bot), None),
                other => panic!("{other:?}"),
            };
            assert_eq!(bot.map(|bot| bot.to_string()), expected.map(str::to_owned), "{text}");
            assert_eq!(view.is_some_and(|view| view.json), json, "{text}");
        }
    }

    #[test]
    fn a_finished_game_is_known_where_a_room_is_wanted() {
        for game in ["http://127.0.0.1:8080/game/k7m2qpxw9abcdefg", "k7m2qpxw9abcdefg"] {
            for command in ["join", "close", "seat --engine x"] {
                let words = ["fivefold"].into_iter().chain(command.split(' ')).chain([game]);
                let error = Cli::try_parse_from(words).expect_err(command).to_string();
                assert!(error.contains("fivefold watch") && error.contains("analyse"), "{error}");
            }
            assert!(Cli::try_parse_from(["fivefold", "watch", game]).is_ok());
        }
    }

    #[test]
    fn wrong_usage_is_refused() {
        for text in [
            "play --bot oracle",
            "play --plain --json",
            "play --name \u{7}",
            "join",
            "join notacode",
            "close",
            "challenge",
            "challenge Ann --time 4d",
            "seat --engine x",
            "seat k7m2qpxw9abc --engine x --seek free",
            "watch",
            "watch k7m2qpxw9abc --bots attack,attack",
            "watch --bots attack",
            "play --time 3w",
            "play --time 25h",
            "play --time 15d+1h",
            "play --time 1441",
            "play --time move 0",
            "rooms --server ftp://example.org",
            "rooms --server http://a,ftp://b",
            "rooms --server http://a http://b",
        ] {
            let words = ["fivefold"].into_iter().chain(text.split(' '));
            let error = Cli::try_parse_from(words).expect_err(text);
            assert_eq!(error.exit_code(), 2, "{text}");
        }
    }
}
