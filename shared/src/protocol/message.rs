//! The messages that the server sends: replies, refusals, events and news.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::{
    ChatLine, ChatText, CommandId, GameId, Identity, MemberId, Name, NumberedEvent, OpenSeek,
    Player, Pool, Refusal, RoomCode, SanctionKind, SeekEnd, SeekId, Visibility, WhyCasual,
    claim_after_ms, is_claim_after_ms, is_false, is_true, yes,
};
use crate::{
    analysis::{Line, Weight},
    bot_spec::BotSpec,
    clock::{Clock, TimeControl},
    opening::{Ask, MadeAct, OpeningKind},
    rules::{Outcome, Point, Rules},
    seat::{BySeat, Seat},
};

/// One message from the server.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    /// The reply to `hello`.
    Welcome {
        /// The command's id.
        id: CommandId,
        /// The protocol version of this session.
        protocol: u32,
        /// The server's name and version.
        server: String,
        /// The client's public id.
        you: MemberId,
        /// The client's name: as requested, or a guest's name.
        name: Name,
        /// The new identity, if `hello` sent none. Keep it, and keep it secret.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        identity: Option<Identity>,
        /// Whether the client is signed in to an account, by the cookie of the handshake.
        #[serde(default, skip_serializing_if = "is_false")]
        account: bool,
        /// Whether that is the account of a bot.
        #[serde(default, skip_serializing_if = "is_false")]
        bot: bool,
        /// Whether people may chat on this server.
        #[serde(default = "yes", skip_serializing_if = "is_true")]
        chat: bool,
    },
    /// The command was done.
    Done {
        /// The command's id.
        id: CommandId,
        /// The number of the last event that it caused in its room, if it caused one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<u64>,
    },
    /// The command was not done, and nothing has changed.
    Refused {
        /// The command's id, if one could be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<CommandId>,
        /// The reason.
        #[serde(flatten)]
        refusal: Refusal,
    },
    /// The reply to `rooms`.
    Rooms {
        /// The command's id.
        id: CommandId,
        /// The public rooms, those with an open seat first; at most 100.
        rooms: Vec<RoomSummary>,
        /// How many public rooms there are.
        total: usize,
    },
    /// The reply to `own_rooms`.
    OwnRooms {
        /// The command's id.
        id: CommandId,
        /// The rooms: first those where it is the member's turn, then those with another running
        /// game, then those that wait for a player, then the rest; the newest first among equals.
        /// At most 100.
        rooms: Vec<OwnRoom>,
    },
    /// The reply to `create` and `join`: the room's events follow from here on.
    Joined {
        /// The command's id.
        id: CommandId,
        /// The room.
        room: RoomCode,
        /// The server's time, in milliseconds since the Unix epoch.
        #[serde(default)]
        now: u64,
        /// The spectators.
        spectators: Spectators,
        /// The players who are away.
        #[serde(default, skip_serializing_if = "Absent::is_nobody")]
        away: Absent,
        /// How long a player may be away on their turn before the opponent may claim the win, in
        /// milliseconds; absent for a minute.
        #[serde(default = "claim_after_ms", skip_serializing_if = "is_claim_after_ms")]
        claim_after_ms: u64,
        /// The ratings of the players, if the game is rated and they are known; `ratings` follows if
        /// they are not yet.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ratings: Option<GameRatings>,
        /// The data that brings the client up to date.
        #[serde(flatten)]
        catch_up: CatchUp,
    },
    /// The reply to `weights`.
    Weights {
        /// The command's id.
        id: CommandId,
        /// The room.
        room: RoomCode,
        /// The number of moves on the board that was weighed.
        ply: usize,
        /// The bot that weighed.
        bot: BotSpec,
        /// The candidates, the best first; at most 400.
        weights: Vec<Weight>,
    },
    /// The reply to `chat`: the last lines, the oldest first.
    Chat {
        /// The command's id.
        id: CommandId,
        /// The room.
        room: RoomCode,
        /// The players' lines.
        players: Vec<ChatLine>,
        /// The spectators' lines; absent for players during a game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spectators: Option<Vec<ChatLine>>,
    },
    /// The reply to `ping`.
    Pong {
        /// The command's id.
        id: CommandId,
        /// The server's time, in milliseconds since the Unix epoch.
        #[serde(default)]
        now: u64,
    },
    /// Something happened in a room.
    Event {
        /// The room.
        room: RoomCode,
        /// The event, with its number and time.
        #[serde(flatten)]
        event: NumberedEvent,
    },
    /// The full state of a room, sent unasked: it replaces everything that the client knew of it.
    Snapshot {
        /// The room.
        room: RoomCode,
        /// The room's state.
        snapshot: Box<Snapshot>,
    },
    /// The spectators of a room have changed. This is news, not an event: it has no number.
    Spectators {
        /// The room.
        room: RoomCode,
        /// The spectators now.
        spectators: Spectators,
    },
    /// A player has left or come back, or it is the turn of an absent player. This is news, as
    /// `spectators` is.
    Presence {
        /// The room.
        room: RoomCode,
        /// The players who are away now.
        away: Absent,
    },
    /// How strong the players of the room's rated game are, at its beginning and after its end. This is
    /// news, as `spectators` is.
    Ratings {
        /// The room.
        room: RoomCode,
        /// The ratings.
        #[serde(flatten)]
        ratings: GameRatings,
    },
    /// A chat line from a player, for everybody in the room.
    PlayerSaid {
        /// The room.
        room: RoomCode,
        /// The line, with its speaker.
        line: ChatLine,
    },
    /// A chat line from a spectator; players never get it during a game.
    SpectatorSaid {
        /// The room.
        room: RoomCode,
        /// The line, with its speaker.
        line: ChatLine,
    },
    /// The engine's result so far; only for the session that sent `analyse`.
    Analysis {
        /// The room.
        room: RoomCode,
        /// The id of the command that asked.
        of: CommandId,
        /// The number of moves on the analysed board.
        ply: usize,
        /// How many plies deep the search was.
        depth: u16,
        /// How many positions were searched.
        nodes: u64,
        /// How many positions were searched per second.
        nodes_per_second: u64,
        /// The best moves with their continuations, the best first.
        lines: Vec<Line>,
    },
    /// The analysis has ended.
    AnalysisOver {
        /// The room.
        room: RoomCode,
        /// The id of the command that asked.
        of: CommandId,
        /// The reason.
        why: AnalysisEnd,
    },
    /// The room is closed, and its code is no longer valid.
    Closed {
        /// The room.
        room: RoomCode,
        /// The reason.
        text: String,
        /// What an operator says, if an operator has closed it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<ChatText>,
    },
    /// The reply to `seek` and `challenge`: it stands.
    Seeking {
        /// The command's id.
        id: CommandId,
        /// Names it in commands.
        seek: SeekId,
        /// How long it has waited, in milliseconds.
        waited_ms: u64,
    },
    /// A seek or a challenge has found its game, in which the member has a seat. It is stored.
    Paired {
        /// The seek or the challenge. Absent if the game was found by another session, or before a
        /// restart of the server.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seek: Option<SeekId>,
        /// The room to join.
        room: RoomCode,
        /// The member's seat there.
        seat: Seat,
        /// Whether the game is rated. Absent if it was found before: the room says it then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rated: Option<bool>,
    },
    /// A seek or a challenge is over without a game.
    SeekOver {
        /// The seek or the challenge.
        seek: SeekId,
        /// The reason.
        why: SeekEnd,
    },
    /// Somebody challenges the member.
    Challenged {
        /// The challenge.
        #[serde(flatten)]
        challenge: OpenSeek,
        /// How long it stands from now, in milliseconds.
        for_ms: u64,
    },
    /// Something has changed in the member's account; for all sessions of the account.
    AccountChanged {
        /// What has changed.
        change: AccountNews,
        /// The name of the key, the device or the other person.
        label: String,
        /// With `friend_challenges`: when the friend made the challenge, in milliseconds since the Unix epoch. The same
        /// name and time is the same challenge.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<u64>,
    },
    /// The reply to `watch_lobby`.
    Lobby {
        /// The command's id.
        id: CommandId,
        /// All pools.
        pools: Vec<Pool>,
        /// The open seeks outside of pools, the oldest first; at most 100.
        seeks: Vec<OpenSeek>,
    },
    /// The pools or the open seeks have changed; at most one a second.
    LobbyChanged {
        /// The pools that have changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pools: Vec<Pool>,
        /// The new open seeks.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        added: Vec<OpenSeek>,
        /// The seeks that are no longer open.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        removed: Vec<SeekId>,
    },
    /// An operator has done something about the member. It comes after `welcome` while it holds.
    Sanction {
        /// Names it in an appeal, `POST /api/appeals`.
        sanction: String,
        /// What.
        kind: SanctionKind,
        /// Until when, in milliseconds since the Unix epoch; absent if there is no end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<u64>,
        /// Why, as the operator says.
        reason: String,
        /// Whether the member has appealed.
        #[serde(default, skip_serializing_if = "is_false")]
        appealed: bool,
    },
    /// An operator tells everybody something. It comes after `welcome`, too, until it ends.
    Announcement {
        /// One line; absent when the operator has taken it back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<ChatText>,
        /// When it ends, in milliseconds since the Unix epoch; absent without a text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<u64>,
    },
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// When the text is not a message of this protocol, or one that a later version added: a client
    /// ignores those.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The id of the command that this answers; none for events and news.
    pub const fn answers(&self) -> Option<&CommandId> {
        match self {
            Self::Welcome { id, .. }
            | Self::Done { id, .. }
            | Self::Rooms { id, .. }
            | Self::OwnRooms { id, .. }
            | Self::Joined { id, .. }
            | Self::Weights { id, .. }
            | Self::Chat { id, .. }
            | Self::Seeking { id, .. }
            | Self::Lobby { id, .. }
            | Self::Pong { id, .. } => Some(id),
            Self::Refused { id, .. } => id.as_ref(),
            Self::Event { .. }
            | Self::Snapshot { .. }
            | Self::Spectators { .. }
            | Self::Presence { .. }
            | Self::Ratings { .. }
            | Self::PlayerSaid { .. }
            | Self::SpectatorSaid { .. }
            | Self::Analysis { .. }
            | Self::AnalysisOver { .. }
            | Self::Closed { .. }
            | Self::Paired { .. }
            | Self::SeekOver { .. }
            | Self::Challenged { .. }
            | Self::AccountChanged { .. }
            | Self::LobbyChanged { .. }
            | Self::Sanction { .. }
            | Self::Announcement { .. } => None,
        }
    }

    /// Writes a message.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("every message has string keys and finite numbers")
    }
}

/// What has changed in an account: its keys and its friends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AccountNews {
    /// A passkey was added.
    PasskeyAdded,
    /// A passkey was removed.
    PasskeyRemoved,
    /// A token was made.
    TokenAdded,
    /// Another device was allowed to sign in.
    DeviceAdded,
    /// The games of a guest were taken along.
    GuestAdded,
    /// Another site opens the account from now on.
    OidcAdded,
    /// Another site opens the account no more.
    OidcRemoved,
    /// Somebody asks the member to be friends.
    FriendAsks,
    /// Somebody has accepted the member's request.
    FriendAdded,
    /// A challenge by a friend waits for an answer.
    FriendChallenges,
    /// A friend has accepted the member's challenge, and their game has begun.
    ChallengeAccepted,
}

/// The data that a joining client needs to be up to date.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CatchUp {
    /// The room's full state.
    Snapshot(Box<Snapshot>),
    /// Exactly the events that the client does not have, in order.
    Events(Vec<NumberedEvent>),
}

/// The whole state of a room after its event number `seq`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Snapshot {
    /// The number of the last event.
    pub seq: u64,
    /// The variant and the board.
    pub rules: Rules,
    /// Whether the room is listed.
    pub visibility: Visibility,
    /// Whether players may get help from a bot against people.
    pub assistance: bool,
    /// The creator.
    pub host: MemberId,
    /// How much time the players have in each game.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// How each game opens.
    #[serde(default, skip_serializing_if = "OpeningKind::is_free")]
    pub opening: OpeningKind,
    /// Whether people may chat in it.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub chat: bool,
    /// Whether the server has paired the players.
    #[serde(default, skip_serializing_if = "is_false")]
    pub paired: bool,
    /// The seat that begins with Black in the first game.
    pub black: Seat,
    /// The players by seat.
    pub seats: Seats,
    /// The game, running or ended; absent before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameSnapshot>,
}

/// Why an analysis has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AnalysisEnd {
    /// It used up its time, or there is nothing left to find.
    Finished,
    /// The session has stopped it, or started another one.
    Stopped,
    /// The position no longer exists: a game began, or moves were taken back.
    Moot,
    /// The engine's queue is full; try again in a moment.
    Busy,
    /// The sender's address has reached its limit of analyses; end one of them, or wait for its
    /// end.
    TooMany,
}

/// The players in the two seats of a room.
pub type Seats = BySeat<Option<Player>>;

impl Seats {
    /// The player in this seat.
    pub fn get(&self, seat: Seat) -> Option<&Player> {
        self[seat].as_ref()
    }

    /// A member's seat.
    pub fn of_member(&self, member: &MemberId) -> Option<Seat> {
        let is_theirs = |seat| self.get(seat).is_some_and(|player| player.is_member(member));
        Seat::BOTH.into_iter().find(|&seat| is_theirs(seat))
    }

    /// A vacant seat, the first one first.
    pub fn vacant(&self) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|&seat| self.get(seat).is_none())
    }
}

/// A game in a snapshot.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct GameSnapshot {
    /// 1 for the first game in this room.
    pub number: u32,
    /// The id under which the ended game is found.
    pub id: GameId,
    /// Its players: those in the seats while it runs. After its end, others may take the seats.
    pub players: BySeat<Player>,
    /// The seat that plays Black at this moment.
    pub black: Seat,
    /// Whether it is rated, as in `started`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rated: bool,
    /// Why it is not, as in `started`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub casual: Option<WhyCasual>,
    /// What a rated game counts, as in `started`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<NonZeroU32>,
    /// The game's opening, unless it is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<OpeningSnapshot>,
    /// The moves, Black's first.
    pub moves: Vec<Point>,
    /// The seat that offers a draw, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw_offer: Option<Seat>,
    /// The seat that asks for a takeback, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takeback_ask: Option<Seat>,
    /// The seat that wants another game, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_ask: Option<Seat>,
    /// The game's clock, if there is a time control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// The first act for which the game waits; only in daily games and the first game of a paired room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_act: Option<FirstAct>,
    /// The nudge that the seat to act has not answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nudge: Option<Nudge>,
    /// How the game ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome<Seat>>,
}

/// A player of a daily game or a paired room must act for the first time. Until both have acted, either of them may
/// abort the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct FirstAct {
    /// Their seat.
    pub seat: Seat,
    /// When the game is aborted, in milliseconds since the Unix epoch.
    pub until: u64,
}

/// A player asks whether their opponent is still there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Nudge {
    /// The seat of the player who asks.
    pub by: Seat,
    /// When they may claim the game, in milliseconds since the Unix epoch.
    pub until: u64,
}

/// An opening in a snapshot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct OpeningSnapshot {
    /// The protocol.
    pub kind: OpeningKind,
    /// The seat that began to put stones.
    pub first: Seat,
    /// What the seat to act may do; absent once the opening or the game is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Ask>,
    /// How many fifth stones are to be offered, once that is declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<u8>,
    /// The offered fifth stones, until one is selected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<Point>,
    /// All acts so far. Their stones are among the moves, too.
    pub acts: Vec<MadeAct>,
}

/// The spectators of a room.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Spectators {
    /// How many.
    pub count: usize,
    /// The names of some of them: at most 20.
    pub names: Vec<Name>,
    /// Which of these names belong to bots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bots: Vec<Name>,
}

/// The players who are away: seated members without any session in the room. Bots are always
/// present.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Absent {
    /// The player in the first seat, if they are away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Away>,
    /// The player in the second seat, if they are away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<Away>,
}

impl Absent {
    /// Since when a player is away, if they are.
    pub const fn get(&self, seat: Seat) -> Option<Away> {
        match seat {
            Seat::First => self.first,
            Seat::Second => self.second,
        }
    }

    /// Whether all players are present.
    pub const fn is_nobody(&self) -> bool {
        self.first.is_none() && self.second.is_none()
    }
}

/// How strong the players of a rated game are in its pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct GameRatings {
    /// The number of the game in its room.
    pub game: u32,
    /// The ratings by seat.
    #[serde(flatten)]
    pub players: BySeat<PlayerRating>,
}

/// A player's rating in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct PlayerRating {
    /// In points, from 400; 1500 for a newcomer. After a game that counts it includes the change.
    pub rating: i32,
    /// Whether too little is known about the player.
    #[serde(default, skip_serializing_if = "is_false")]
    pub provisional: bool,
    /// The points that the game has changed; absent while it runs, and if it does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<i32>,
}

/// A player who is away.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Away {
    /// Since when, in milliseconds since the Unix epoch.
    pub since: u64,
    /// When the opponent may claim the win or a draw: only while it is the absent player's turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_at: Option<u64>,
}

/// A public room in the list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct RoomSummary {
    /// Its code.
    pub room: RoomCode,
    /// The variant and the board.
    pub rules: Rules,
    /// Whether players may get help from a bot against people.
    pub assistance: bool,
    /// How much time the players have in each game.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// How each game opens.
    #[serde(default, skip_serializing_if = "OpeningKind::is_free")]
    pub opening: OpeningKind,
    /// The players by seat.
    pub seats: Seats,
    /// Who played the last game, if it has ended and they are not those in the seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<Box<BySeat<Player>>>,
    /// The seat that plays Black: in the game, or in the first one before it begins.
    pub black: Seat,
    /// The seat that must act, while a game is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_act: Option<Seat>,
    /// In a running daily game: when the time of that seat is over if it does not act, in milliseconds since the Unix
    /// epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<u64>,
    /// In a running daily game: a number that no other turn in the room has. Absent for a room that has slept since an
    /// earlier version of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// How far it has come.
    pub phase: Phase,
    /// Moves made in the game.
    pub ply: usize,
    /// How many spectators there are.
    pub spectators: usize,
}

/// A room that the receiver has made or has a seat in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct OwnRoom {
    /// The room as others see it in the list.
    #[serde(flatten)]
    pub summary: RoomSummary,
    /// Whether the room is listed.
    pub visibility: Visibility,
    /// The receiver's seat, if they have one.
    pub seat: Option<Seat>,
    /// Whether it is the receiver's turn in a running game.
    pub your_turn: bool,
    /// Whether the receiver has made the room, and so may close it.
    pub host: bool,
}

/// How far a room has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// No game is running, and at least one seat is vacant.
    Waiting,
    /// A game is running.
    Running,
    /// A game has ended, and both players are still seated.
    Finished,
}
