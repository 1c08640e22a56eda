//! Events in a room, numbered from 1 without gaps. They define the room's state: see
//! [`Room`](crate::room::Room).

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::{GameId, MemberId, Name, Visibility, WhyCasual, is_false, is_true, yes};
use crate::{
    bot_spec::BotSpec,
    clock::{SideTime, TimeControl, TimeOff},
    opening::{Ask, OpeningKind},
    rules::{Outcome, Point, Rules},
    seat::Seat,
};

/// An event with its place in the room's log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct NumberedEvent {
    /// Its number: 1 for the first event of a room, and one more for each that follows.
    pub seq: u64,
    /// When it happened, in milliseconds since the Unix epoch, by the server's clock.
    pub at: u64,
    /// The event itself.
    pub event: Event,
}

/// Something that happened in a room.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The room was made; always and only the first event of a room.
    Created {
        /// The variant and the board of all its games.
        rules: Rules,
        /// Whether it is listed.
        visibility: Visibility,
        /// Whether players may get help from a bot against people.
        assistance: bool,
        /// The creator.
        host: MemberId,
        /// How much time the players have in each game.
        #[serde(default, skip_serializing_if = "TimeControl::is_none")]
        time: TimeControl,
        /// How each game opens.
        #[serde(default, skip_serializing_if = "OpeningKind::is_free")]
        opening: OpeningKind,
        /// Whether people may chat in it.
        #[serde(default = "yes", skip_serializing_if = "is_true")]
        chat: bool,
        /// Whether the server has paired the players: they did not know each other before.
        #[serde(default, skip_serializing_if = "is_false")]
        paired: bool,
        /// The seat that begins with Black in the first game. Later games alternate.
        black: Seat,
    },
    /// Somebody took a seat.
    Sat {
        /// The seat.
        seat: Seat,
        /// The player who sits there now.
        player: Player,
    },
    /// A seat became vacant.
    Stood {
        /// The seat.
        seat: Seat,
    },
    /// A player changed their name.
    Renamed {
        /// Their seat.
        seat: Seat,
        /// The new name.
        name: Name,
    },
    /// A game began.
    Started {
        /// 1 for the first game in this room, and one more for each that follows.
        game: u32,
        /// The seat that begins, and plays Black unless the opening swaps the colours.
        black: Seat,
        /// The id under which the ended game is found.
        id: GameId,
        /// Whether it counts for the players' ratings, unless it ends too early.
        #[serde(default, skip_serializing_if = "is_false")]
        rated: bool,
        /// Why it is not, though both players may play rated games.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        casual: Option<WhyCasual>,
        /// A rated game that is not the first of these two on this day counts a half, a third and so on.
        /// This is the divisor; absent if it counts whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<NonZeroU32>,
    },
    /// The opening asks a seat for an act. This follows `started` and each act, until the opening is
    /// over.
    Asked {
        /// The seat, and what it may do.
        ask: Ask,
    },
    /// A stone was put on the board.
    Played {
        /// The number of moves before this one.
        ply: usize,
        /// The point.
        point: Point,
        /// Whether a bot chose it on behalf of a person.
        #[serde(default, skip_serializing_if = "is_false")]
        assisted: bool,
        /// The mover's remaining time, if their clock ran. The opponent's time runs from here. In an
        /// act of an opening that consists of several events, the last of them has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<SideTime>,
    },
    /// In an opening, a seat kept its colour.
    Stayed {
        /// The seat.
        by: Seat,
        /// As in `played`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<SideTime>,
    },
    /// In an opening, a seat took the other colour: the seats have swapped.
    Swapped {
        /// The seat that decided it.
        by: Seat,
        /// As in `played`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<SideTime>,
    },
    /// In an opening, a seat declared how many fifth stones will be offered.
    Declared {
        /// The seat.
        by: Seat,
        /// The number.
        count: u8,
        /// As in `played`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<SideTime>,
    },
    /// In an opening, a seat offered fifth stones. They are not on the board; the opponent's next
    /// `played` is the one that they select.
    Offered {
        /// The seat.
        by: Seat,
        /// The points.
        points: Vec<Point>,
        /// As in `played`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<SideTime>,
    },
    /// The opening is over: each seat plays its colour from here on.
    OpeningOver {},
    /// A player offered a draw.
    DrawOffered {
        /// Their seat.
        by: Seat,
    },
    /// A player turned the offer down.
    DrawDeclined {
        /// Their seat.
        by: Seat,
    },
    /// A player asked to take back their last move.
    TakebackAsked {
        /// Their seat.
        by: Seat,
    },
    /// A player refused the takeback.
    TakebackRefused {
        /// Their seat.
        by: Seat,
    },
    /// Moves were taken back. Both players keep the time that they had just before, and the time of
    /// the seat to act runs from here.
    TakenBack {
        /// How many moves are left on the board.
        ply: usize,
    },
    /// The server was away. The player to act gets back the time that they had at the start of
    /// their turn.
    Resumed {
        /// When their time starts to run, in milliseconds since the Unix epoch: a little later than
        /// this event, so that they can come back.
        from: u64,
    },
    /// In a daily game, or the first game of a paired room, a player who has not acted yet must do so
    /// now, or the game is aborted. It follows `started`, the first act, and a takeback or an outage of the
    /// server, which give the whole time again; and `time_off`, which puts the end off.
    FirstActDue {
        /// Their seat.
        seat: Seat,
        /// When the game is aborted, in milliseconds since the Unix epoch.
        until: u64,
    },
    /// In a daily game, a player has time off or will have it: their time stands still in that period. It comes
    /// again with the same `from` when the period ends early, and with an equal `until` when it is taken back.
    TimeOff {
        /// Their seat.
        seat: Seat,
        /// The period.
        #[serde(flatten)]
        off: TimeOff,
    },
    /// A player asked whether their opponent is still there. From `until` on they may claim the win
    /// or a draw, unless the opponent acts before. After an outage of the server it comes again,
    /// with a later `until`.
    Nudged {
        /// The seat of the player who asked.
        by: Seat,
        /// In milliseconds since the Unix epoch.
        until: u64,
    },
    /// The game ended.
    Ended {
        /// How it ended, and for which seat.
        outcome: Outcome<Seat>,
        /// Whether it counts for the players' ratings.
        #[serde(default, skip_serializing_if = "is_false")]
        rated: bool,
    },
    /// A player wants another game; it starts when the other player wants it, too.
    RematchAsked {
        /// Their seat.
        by: Seat,
    },
    /// A player declined the rematch that the other one asked for, or withdrew their own request.
    RematchDeclined {
        /// Their seat.
        by: Seat,
    },
    /// The host turned chat on or off.
    ChatSet {
        /// Whether people may chat.
        on: bool,
    },
}

/// The occupant of a seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(untagged)]
pub enum Player {
    /// A member of the room. On the wire: `{"member": "...", "name": "..."}`, and with
    /// `"engine": true` if it is a program that plays.
    Member {
        /// The member's id.
        member: MemberId,
        /// Their name.
        name: Name,
        /// Whether it is a program that plays, by its own declaration.
        #[serde(default, skip_serializing_if = "is_false")]
        engine: bool,
    },
    /// A bot of the server. On the wire: `{"bot": {"kind": "attack"}}`.
    Bot {
        /// The bot.
        bot: BotSpec,
    },
}

impl Player {
    /// Whether this is the given member.
    pub fn is_member(&self, id: &MemberId) -> bool {
        match self {
            Self::Member { member, .. } => member == id,
            Self::Bot { .. } => false,
        }
    }

    /// Whether both are the same person, whatever they are called, or the same bot.
    pub fn is_same(&self, other: &Self) -> bool {
        match self {
            Self::Member { member, .. } => other.is_member(member),
            Self::Bot { .. } => self == other,
        }
    }

    /// The bot, if this is one.
    pub const fn bot(&self) -> Option<BotSpec> {
        match self {
            Self::Member { .. } => None,
            Self::Bot { bot } => Some(*bot),
        }
    }

    /// The name to show.
    pub fn name(&self) -> String {
        match self {
            Self::Member { name, engine: true, .. } => format!("bot {name}"),
            Self::Member { name, .. } => name.to_string(),
            Self::Bot { bot } => format!("bot {bot}"),
        }
    }
}
