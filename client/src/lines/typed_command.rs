//! Parses the commands that a person or a script types, one a line.

use fivefold_shared::{
    bot_spec::{BotError, BotKind, BotSpec},
    notation::coordinates::{self, CoordinateError},
    opening::{Act, Ask},
    protocol::{ChatText, LobbyRequest, NameError, RoomRequest},
    rules::{Point, Size, Stone},
    seat::Seat,
};

use crate::{
    play::{
        challenges::ChallengeError,
        person_requests::{AboutError, AboutPerson, PersonRequest},
        table::Table,
    },
    words::opening_choices,
};

/// The help text, one command a line.
pub const HELP: &str = "\
h8 or 7,7          put a stone there
h8 i9 j10          in an opening: put as many stones as it asks for
... declare N      and say how many fifth stones Black will offer
black, white       in an opening: take this colour
offer POINTS       in an opening: offer these fifth stones
takeback           ask to take back your last move
grant, refuse      let the opponent take back, or not
draw               offer a draw
accept, decline    answer such an offer
resign             give up the game
abort              end a game with somebody found for you, before both have acted
nudge              ask an opponent who does not act whether they are still there
claim [draw]       claim the win, or a draw, when your opponent has gone away
rematch            another game with colours swapped; `decline` refuses one, or withdraws yours
weights [BOT]      what a bot thinks of the points
bot [BOT]          let a bot move for you
sit [COLOUR]       take an open seat
stand              give up your seat
seat BOT           put a bot into the open seat
unseat             remove the bot
say TEXT           say something to those in the room
/accept [NAME]     accept a challenge, and go to its game
/decline [NAME]    decline a challenge
/block NAME        meet this person no more
/mute NAME         hear no chat of theirs
/report NAME WHAT [TEXT]  report a player: chat, cheating, stalling, sandbagging, name, other
next               go to the next daily game that waits for your move
board              show the board again
help               this list
leave              leave the room";

/// A parsed line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypedCommand {
    /// Put a stone there.
    Play(Point),
    /// In an opening: put these stones, and declare how many fifth stones Black will offer.
    Stones(Vec<Point>, Option<u8>),
    /// In an opening: take this colour.
    Take(Stone),
    /// In an opening: offer these fifth stones.
    Offer(Vec<Point>),
    /// Give up the game.
    Resign,
    /// End a paired game before both have acted.
    Abort,
    /// Ask the opponent whether they are still there.
    Nudge,
    /// Offer a draw.
    Draw,
    /// Accept the opponent's offer.
    Accept,
    /// Decline it.
    Decline,
    /// Ask for a takeback.
    Takeback,
    /// Grant a takeback.
    Grant,
    /// Refuse a takeback.
    Refuse,
    /// Claim the win because the opponent is away, or does not answer a nudge.
    ClaimWin,
    /// Claim only a draw.
    ClaimDraw,
    /// Ask for another game.
    Rematch,
    /// Ask a bot for its weights.
    Weights(Option<BotKind>),
    /// Let a bot move.
    Bot(Option<BotKind>),
    /// Take an open seat: the one with this stone, or any.
    Sit(Option<Stone>),
    /// Give up the seat.
    Stand,
    /// Put a bot into the open seat.
    Seat(BotSpec),
    /// Send the bot away.
    Unseat,
    /// Send a chat line.
    Say(ChatText),
    /// Accept the challenge of somebody with this name, or the only one.
    AcceptChallenge(Option<String>),
    /// Decline it.
    DeclineChallenge(Option<String>),
    /// Block, mute or report somebody.
    About(AboutPerson),
    /// Go to the next daily game that waits for this person.
    NextGame,
    /// Show the state again.
    Board,
    /// Show the list of commands.
    Help,
    /// Leave the room.
    Leave,
}

/// The action of a line at a given table.
#[derive(Clone, PartialEq, Debug)]
pub enum LineAction {
    /// Send a request to the room.
    Request(RoomRequest),
    /// Answer a challenge, or ask for the games that wait.
    ToServer(LobbyRequest),
    /// Block, mute or report somebody.
    About(PersonRequest),
    /// Show the state again.
    Board,
    /// Show the help.
    Help,
    /// Leave.
    Leave,
}

/// Why a line is no valid command.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TypedError {
    /// Neither a command nor a point.
    #[error("{0}; `help` lists the commands")]
    Point(#[from] CoordinateError),
    /// Not a bot.
    #[error(transparent)]
    Bot(#[from] BotError),
    /// Not a colour.
    #[error("a seat is black or white")]
    Colour,
    /// A claim of something other than a draw.
    #[error("claim, or claim draw")]
    Claim,
    /// `seat` without a bot.
    #[error("which bot? For example: seat attack")]
    BotMissing,
    /// `declare` without a number.
    #[error("declare how many? For example: h8 i9 j10 declare 3")]
    Declare,
    /// `say` without a valid text, or with a too long one.
    #[error("say what? {0}")]
    Say(#[from] NameError),
    /// Extra text after a command without arguments.
    #[error("nothing can follow `{0}`")]
    TooMuch(&'static str),
    /// Nobody to block, mute or report.
    #[error(transparent)]
    About(#[from] AboutError),
    /// No challenge to answer.
    #[error(transparent)]
    Challenge(#[from] ChallengeError),
    /// The command is impossible now.
    #[error("{0}")]
    NotNow(&'static str),
}

/// Commands of one word.
const PLAIN: [(&str, TypedCommand); 18] = [
    ("black", TypedCommand::Take(Stone::Black)),
    ("white", TypedCommand::Take(Stone::White)),
    ("resign", TypedCommand::Resign),
    ("abort", TypedCommand::Abort),
    ("nudge", TypedCommand::Nudge),
    ("draw", TypedCommand::Draw),
    ("accept", TypedCommand::Accept),
    ("decline", TypedCommand::Decline),
    ("takeback", TypedCommand::Takeback),
    ("grant", TypedCommand::Grant),
    ("refuse", TypedCommand::Refuse),
    ("rematch", TypedCommand::Rematch),
    ("stand", TypedCommand::Stand),
    ("unseat", TypedCommand::Unseat),
    ("next", TypedCommand::NextGame),
    ("board", TypedCommand::Board),
    ("help", TypedCommand::Help),
    ("leave", TypedCommand::Leave),
];

impl TypedCommand {
    /// Reads a line; `None` if it is empty.
    ///
    /// # Errors
    /// When the line is no command, and no point of a board of this size.
    pub fn parse(line: &str, size: Size) -> Result<Option<Self>, TypedError> {
        let typed = line.trim();
        let line = typed.to_ascii_lowercase();
        if line.is_empty() {
            return Ok(None);
        }
        if let Some(about) = AboutPerson::parse(typed) {
            return Ok(Some(Self::About(about?)));
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        let rest = Some(rest.trim()).filter(|rest| !rest.is_empty());
        if let Some((name, typed)) = PLAIN.into_iter().find(|(name, _)| *name == word) {
            return if rest.is_some() { Err(TypedError::TooMuch(name)) } else { Ok(Some(typed)) };
        }
        Ok(Some(match word {
            // Chat keeps its capitals.
            "say" => Self::Say(ChatText::new(typed.get(word.len()..).unwrap_or_default())?),
            "/accept" => Self::AcceptChallenge(rest.map(ToOwned::to_owned)),
            "/decline" => Self::DeclineChallenge(rest.map(ToOwned::to_owned)),
            "weights" => Self::Weights(rest.map(str::parse).transpose()?),
            "bot" => Self::Bot(rest.map(str::parse).transpose()?),
            "seat" => Self::Seat(rest.ok_or(TypedError::BotMissing)?.parse()?),
            "claim" => match rest {
                None => Self::ClaimWin,
                Some("draw") => Self::ClaimDraw,
                Some(_) => return Err(TypedError::Claim),
            },
            "sit" => Self::Sit(match rest {
                None => None,
                Some("black") => Some(Stone::Black),
                Some("white") => Some(Stone::White),
                Some(_) => return Err(TypedError::Colour),
            }),
            "offer" => Self::Offer(points(rest.unwrap_or_default(), size)?),
            _ => stones(&line, size)?,
        }))
    }

    /// The action for this command.
    ///
    /// # Errors
    /// When the table's state does not allow it.
    pub fn action(self, table: &Table) -> Result<LineAction, TypedError> {
        let room = table.room();
        let ply = || room.game.as_ref().map_or(0, |game| game.position.ply());
        let ask = opening_choices::ask(room);
        let choose = |act| RoomRequest::Choose { ply: ply(), act };
        Ok(LineAction::Request(match self {
            Self::Play(point) => match ask {
                Some(ask) => choose(act(&ask, vec![point], None)?),
                None => RoomRequest::Play { ply: ply(), point },
            },
            Self::Stones(points, declare) => {
                let ask = ask.ok_or(TypedError::NotNow("one stone at a time"))?;
                choose(act(&ask, points, declare)?)
            }
            Self::Take(stone) => choose(Act::Take(stone)),
            Self::Offer(points) => choose(Act::Offer(points)),
            Self::Resign => RoomRequest::Resign,
            Self::Abort => RoomRequest::Abort,
            Self::Nudge => RoomRequest::Nudge,
            Self::Draw => RoomRequest::OfferDraw,
            Self::Accept => RoomRequest::AcceptDraw,
            Self::Decline if room.running().is_none() => RoomRequest::DeclineRematch,
            Self::Decline => RoomRequest::DeclineDraw,
            Self::Takeback => RoomRequest::AskTakeback,
            Self::Grant => RoomRequest::GrantTakeback,
            Self::Refuse => RoomRequest::RefuseTakeback,
            Self::ClaimWin => RoomRequest::ClaimWin,
            Self::ClaimDraw => RoomRequest::ClaimDraw,
            Self::Rematch => RoomRequest::Rematch,
            Self::Weights(bot) => RoomRequest::Weights { bot, ply: None },
            Self::Bot(bot) => RoomRequest::BotMove { ply: ply(), bot },
            Self::Sit(stone) => RoomRequest::Sit { seat: stone.map(|stone| room.seat_of(stone)) },
            Self::Stand => RoomRequest::Stand,
            Self::Say(text) => RoomRequest::Say { text },
            Self::Seat(bot) => {
                let seat = room.seats.vacant().ok_or(TypedError::NotNow("no seat is open"))?;
                RoomRequest::SeatBot { seat, bot }
            }
            Self::Unseat => {
                let has_bot =
                    |&seat: &Seat| room.seats.get(seat).is_some_and(|p| p.bot().is_some());
                let seat = Seat::BOTH.into_iter().find(has_bot);
                RoomRequest::RemoveBot { seat: seat.ok_or(TypedError::NotNow("no bot is here"))? }
            }
            Self::AcceptChallenge(who) => {
                let accept = table.answer_to_challenge(who.as_deref(), true)?;
                return Ok(LineAction::ToServer(accept));
            }
            Self::DeclineChallenge(who) => {
                let decline = table.answer_to_challenge(who.as_deref(), false)?;
                return Ok(LineAction::ToServer(decline));
            }
            Self::About(about) => {
                table.code().ok_or(AboutError::Alone)?;
                return Ok(LineAction::About(about.request(room)?));
            }
            Self::NextGame => {
                table.code().ok_or(TypedError::NotNow("this game is alone on your computer"))?;
                return Ok(LineAction::ToServer(LobbyRequest::OwnRooms));
            }
            Self::Board => return Ok(LineAction::Board),
            Self::Help => return Ok(LineAction::Help),
            Self::Leave => return Ok(LineAction::Leave),
        }))
    }
}

/// The act that points mean as an answer: the stones to put, to offer, or the one to select.
///
/// # Errors
/// When the ask has no place for so many points.
fn act(ask: &Ask, points: Vec<Point>, declare: Option<u8>) -> Result<Act, TypedError> {
    match points.as_slice() {
        [point] if !ask.select.is_empty() => Ok(Act::Select(*point)),
        points_given if points_given.len() == ask.put.len() => Ok(Act::Put { points, declare }),
        points_given if ask.offer.map(usize::from) == Some(points_given.len()) => {
            Ok(Act::Offer(points))
        }
        _ => Err(TypedError::NotNow(match (ask.put.len(), ask.offer) {
            (1, _) => "the opening asks for one stone",
            (2, _) => "the opening asks for two stones in one line",
            (3, _) => "the opening asks for three stones in one line",
            (_, Some(_)) => "the opening asks for another number of fifth stones",
            (_, None) => "the opening asks for something else now; `board` shows it",
        })),
    }
}

/// Reads one point, or the stones of an opening: points in a row, and perhaps `declare N`.
fn stones(line: &str, size: Size) -> Result<TypedCommand, TypedError> {
    let (line, declare) = match line.split_once("declare") {
        Some((line, count)) => (line, Some(count.trim().parse().map_err(|_| TypedError::Declare)?)),
        None => (line, None),
    };
    // A point may have a space in it: 7, 7.
    match (coordinates::parse(line.trim(), size), declare) {
        (Ok(point), None) => Ok(TypedCommand::Play(point)),
        (Err(error), None) if !line.trim().contains(' ') => Err(error.into()),
        (_, declare) => Ok(TypedCommand::Stones(points(line, size)?, declare)),
    }
}

fn points(text: &str, size: Size) -> Result<Vec<Point>, TypedError> {
    let points = text.split_whitespace().map(|name| coordinates::parse(name, size));
    Ok(points.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let cases = [
            ("", Ok(None)),
            ("  ", Ok(None)),
            ("h8", Ok(Some(TypedCommand::Play(Point::new(7, 7))))),
            (" H8\r", Ok(Some(TypedCommand::Play(Point::new(7, 7))))),
            ("0, 14", Ok(Some(TypedCommand::Play(Point::new(0, 14))))),
            ("Resign", Ok(Some(TypedCommand::Resign))),
            ("abort", Ok(Some(TypedCommand::Abort))),
            ("next", Ok(Some(TypedCommand::NextGame))),
            ("nudge", Ok(Some(TypedCommand::Nudge))),
            ("nudge Bob", Err(TypedError::TooMuch("nudge"))),
            ("weights", Ok(Some(TypedCommand::Weights(None)))),
            ("weights pattern", Ok(Some(TypedCommand::Weights(Some(BotKind::Pattern))))),
            ("bot attack", Ok(Some(TypedCommand::Bot(Some(BotKind::Attack))))),
            ("claim", Ok(Some(TypedCommand::ClaimWin))),
            ("claim draw", Ok(Some(TypedCommand::ClaimDraw))),
            ("claim all", Err(TypedError::Claim)),
            ("sit", Ok(Some(TypedCommand::Sit(None)))),
            ("sit white", Ok(Some(TypedCommand::Sit(Some(Stone::White))))),
            ("seat attack", Ok(Some(TypedCommand::Seat(BotKind::Attack.into())))),
            ("seat", Err(TypedError::BotMissing)),
            ("sit red", Err(TypedError::Colour)),
            ("bot oracle", Err(TypedError::Bot(BotError::KindUnknown))),
            ("say Good luck!", Ok(Some(TypedCommand::Say(ChatText::new("Good luck!").unwrap())))),
            ("say", Err(TypedError::Say(NameError::ChatText))),
            ("/accept", Ok(Some(TypedCommand::AcceptChallenge(None)))),
            ("/decline Ann B", Ok(Some(TypedCommand::DeclineChallenge(Some("ann b".into()))))),
            ("resign now", Err(TypedError::TooMuch("resign"))),
            (
                "h8 i9 j10",
                Ok(Some(TypedCommand::Stones(
                    [(7, 7), (8, 6), (9, 5)].map(Point::from).into(),
                    None,
                ))),
            ),
            (
                "7,7 h9 declare 3",
                Ok(Some(TypedCommand::Stones([(7, 7), (7, 6)].map(Point::from).into(), Some(3)))),
            ),
            ("h8 declare 1", Ok(Some(TypedCommand::Stones(vec![Point::new(7, 7)], Some(1))))),
            ("h8 declare", Err(TypedError::Declare)),
            ("h8 declare 300", Err(TypedError::Declare)),
            ("White", Ok(Some(TypedCommand::Take(Stone::White)))),
            ("black h8", Err(TypedError::TooMuch("black"))),
            (
                "offer h8 h9",
                Ok(Some(TypedCommand::Offer([(7, 7), (7, 6)].map(Point::from).into()))),
            ),
            ("h8 nowhere", Err(TypedError::Point(CoordinateError::Form(Size::square(15))))),
            ("z99", Err(TypedError::Point(CoordinateError::Outside(Size::square(15))))),
            ("hello", Err(TypedError::Point(CoordinateError::Form(Size::square(15))))),
        ];
        for (line, expected) in cases {
            assert_eq!(TypedCommand::parse(line, Size::square(15)), expected, "{line:?}");
        }
    }

    #[test]
    fn every_command_is_in_the_help() {
        let others =
            ["weights", "bot", "seat", "sit", "claim", "say", "offer", "declare", "/accept"];
        let others = others.into_iter().chain(["/decline"]);
        for name in PLAIN.into_iter().map(|(name, _)| name).chain(others) {
            let listed =
                HELP.lines().any(|line| line[..18].split([',', ' ']).any(|word| word == name));
            assert!(listed, "{name}");
        }
    }
}
