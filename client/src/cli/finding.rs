//! The arguments of the commands that find somebody to play.

use clap::{Args, ValueEnum};
use fivefold_shared::{
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{
        Addressee, ChallengesFrom, GameSettings, MemberId, Name, NameError, PoolName, SeekId,
    },
    rules::{RulesError, Size},
};

use super::{
    options::{GameArgs, ServerArgs, VariantChoice, ViewArgs, VisitArgs, time},
    suggested,
};

/// `fivefold seek`
#[derive(Args, Debug)]
pub struct SeekArgs {
    /// The pool: people who seek in it play each other. Without it, choose from the list.
    #[arg(value_name = "POOL", value_parser = suggested::pool(), hide_possible_values = true, conflicts_with = "offer")]
    pub pool: Option<PoolName>,
    /// Offer a game of your own to everybody instead.
    #[command(flatten)]
    pub offer: OfferArgs,
    /// Accept the game with this id, which --list shows.
    #[arg(long, value_name = "ID", value_parser = seek, conflicts_with_all = ["pool", "offer"])]
    pub accept: Option<SeekId>,
    /// List the pools and the games on offer, and end.
    #[arg(long, conflicts_with_all = ["pool", "accept", "offer"])]
    pub list: bool,
    /// The server, and who you are there.
    #[command(flatten)]
    pub visit: VisitArgs,
    /// How the lobby and the game are shown.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// `fivefold challenge`
#[derive(Args, Debug)]
pub struct ChallengeArgs {
    /// The person: their name, or their id (16 hexadecimal digits). They must be online, except for a daily
    /// game with a friend: that challenge waits for up to 14 days.
    #[arg(value_name = "NAME|ID", value_parser = addressee)]
    pub to: Addressee,
    /// The game.
    #[command(flatten)]
    pub offer: OfferArgs,
    /// The server, and who you are there.
    #[command(flatten)]
    pub visit: VisitArgs,
    /// How the game is shown.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// `fivefold challenges`
#[derive(Args, Debug)]
pub struct ChallengesArgs {
    /// Whose challenges you take from now on. Leave it out to show the setting.
    #[arg(value_name = "FROM")]
    pub from: Option<ChallengesChoice>,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// From whom somebody takes challenges.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChallengesChoice {
    /// From everybody.
    Everybody,
    /// From people with an account, and bots.
    Accounts,
    /// From nobody.
    Nobody,
}

impl From<ChallengesChoice> for ChallengesFrom {
    fn from(choice: ChallengesChoice) -> Self {
        match choice {
            ChallengesChoice::Everybody => Self::Everybody,
            ChallengesChoice::Accounts => Self::Accounts,
            ChallengesChoice::Nobody => Self::Nobody,
        }
    }
}

/// `fivefold games`
#[derive(Args, Debug)]
pub struct GamesArgs {
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// The server, and who you are there.
    #[command(flatten)]
    pub visit: VisitArgs,
}

/// The game that somebody offers to others.
#[derive(Args, Debug)]
#[group(id = "offer", multiple = true)]
pub struct OfferArgs {
    /// The rules [default: freestyle].
    #[arg(long, value_name = "VARIANT")]
    pub variant: Option<VariantChoice>,
    /// The board: one side of a square, WIDTHxHEIGHT, or unbounded [default: 15; 3 where k is 3].
    #[arg(long, value_name = "N|WxH|unbounded")]
    pub size: Option<Size>,
    /// Stones in a row that win, from 3 to 10; for mnk alone.
    #[arg(long, value_name = "N")]
    pub k: Option<u8>,
    /// Time for each player, as for `fivefold play` [default: 5+3].
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub time: Option<TimeControl>,
    /// Who puts the first stones, and who picks a side, as for `fivefold play` [default: swap2 on a
    /// board of 15x15, else free].
    #[arg(long, value_name = "KIND", value_parser = suggested::opening(), hide_possible_values = true)]
    pub opening: Option<OpeningKind>,
    /// The game counts for the ratings of both. It needs an account, and a clock, a usual board and an
    /// opening that is not free.
    #[arg(long)]
    pub rated: bool,
}

/// Time for each player, unless an option sets another.
const TIME: TimeControl = TimeControl::Fischer { main_ms: 300_000, increment_ms: 3_000 };

/// Why no game can be offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OfferError {
    /// There are no such rules.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// They are not played with this opening.
    #[error(transparent)]
    Opening(#[from] fivefold_shared::opening::OpeningError),
    /// Such games cannot be rated.
    #[error(transparent)]
    Unrated(#[from] fivefold_shared::protocol::Unrated),
}

impl OfferArgs {
    /// Whether no option was given.
    pub const fn is_empty(&self) -> bool {
        let Self { variant, size, k, time, opening, rated } = self;
        variant.is_none()
            && size.is_none()
            && k.is_none()
            && time.is_none()
            && opening.is_none()
            && !*rated
    }

    /// The game that the options name.
    ///
    /// # Errors
    /// When there are no such rules, or no such opening by them.
    pub fn settings(&self) -> Result<GameSettings, OfferError> {
        let variant = self.variant.unwrap_or(VariantChoice::Freestyle);
        let rules = GameArgs { variant, size: self.size, k: self.k }.rules()?;
        let is_fair = rules.size() == Size::square(15) && OpeningKind::Swap2.offered(rules).is_ok();
        let usual = if is_fair { OpeningKind::Swap2 } else { OpeningKind::Free };
        let opening = self.opening.unwrap_or(usual);
        opening.offered(rules)?;
        let time = self.time.unwrap_or(TIME);
        let settings = GameSettings { rules, time, opening, rated: self.rated };
        if self.rated {
            settings.rating_pool()?;
        }
        Ok(settings)
    }
}

fn seek(text: &str) -> Result<SeekId, NameError> {
    SeekId::try_from(text.to_ascii_lowercase())
}

fn addressee(text: &str) -> Result<Addressee, NameError> {
    match MemberId::try_from(text) {
        Ok(id) => Ok(Addressee::Member(id)),
        Err(_) => Name::new(text).map(Addressee::Name),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn args(text: &str) -> Result<SeekArgs, clap::Error> {
        let words = ["fivefold", "seek"].into_iter().chain(text.split_whitespace());
        let Command::Seek(args) = Cli::try_parse_from(words)?.command else {
            panic!("seek was asked for")
        };
        Ok(args)
    }

    #[test]
    fn options_make_an_offer() {
        let cases = [
            ("", "freestyle 15x15, 5+3, swap2"),
            ("--size 19", "freestyle 19x19, 5+3"),
            ("--variant renju --time none", "renju 15x15, no clock, swap2"),
            ("--variant tic-tac-toe --time move 30", "tic-tac-toe, move 30s"),
            ("--time 3d", "freestyle 15x15, 3d, swap2"),
            ("--time 7d+12h", "freestyle 15x15, 7d+12h, swap2"),
            ("--opening free", "freestyle 15x15, 5+3"),
        ];
        for (text, expected) in cases {
            let words = text.replace("move 30", "move_30");
            let words: Vec<String> =
                words.split_whitespace().map(|word| word.replace('_', " ")).collect();
            let words = ["fivefold", "seek"].map(ToOwned::to_owned).into_iter().chain(words);
            let Command::Seek(args) = Cli::try_parse_from(words).unwrap().command else {
                panic!("seek was asked for")
            };
            assert_eq!(args.offer.is_empty(), text.is_empty());
            let settings = args.offer.settings().unwrap();
            assert_eq!(crate::words::lobby_sentences::settings(&settings), expected, "{text}");
        }
        assert!(args("--variant renju --size 19").unwrap().offer.settings().is_err());
        assert!(args("--opening rif").unwrap().offer.settings().is_err());
    }

    #[test]
    fn a_seek_is_for_one_thing() {
        for text in [
            "gomoku-5-3 --size 19",
            "gomoku-5-3 --list",
            "gomoku-5-3 --accept 222222222222",
            "--list --accept 222222222222",
            "--list --time 5",
            "--accept nothing",
            "Gomoku!",
        ] {
            let error = args(text).expect_err(text);
            assert_eq!(error.exit_code(), 2, "{text}");
        }
        assert!(args("gomoku-5-3").unwrap().pool.is_some());
        assert!(args("--accept 22222222222A").unwrap().accept.is_some());
    }

    #[test]
    fn a_person_is_named_by_name_or_id() {
        let id = MemberId::try_from("5d41402abc4b2a76").unwrap();
        assert_eq!(addressee("5d41402abc4b2a76"), Ok(Addressee::Member(id)));
        let name = Name::new("5D41402ABC4B2A76").unwrap();
        assert_eq!(addressee("5D41402ABC4B2A76"), Ok(Addressee::Name(name)));
        assert_eq!(addressee(" "), Err(NameError::Name));
    }
}
