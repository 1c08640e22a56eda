//! The wire protocol, version 1: the messages between clients and the server.
//!
//! The guide for people who write a client is [`protocol_guide`](crate::protocol_guide)
//! (`docs/protocol`); its examples are tests.

mod account_name;
mod chat;
mod clean_line;
pub mod close;
mod command;
mod event;
mod judged;
mod message;
mod names;
mod needed_scope;
mod reason;
mod refusal;
mod sanction;
mod seek;
mod sent_code;
mod token;

pub use self::{
    account_name::{ACCOUNT_NAME_MAX, ACCOUNT_NAME_MIN, AccountName, AccountNameError},
    chat::{CHAT_LINES_MAX, CHAT_TEXT_MAX, ChatLine, ChatText},
    clean_line::{COLLECTION_NAME_MAX, CollectionName, clean_line},
    command::{
        ANALYSIS_LINES_MAX, Colour, Command, Create, LineCount, LobbyRequest, Request, RoomRequest,
        SeatRequest, Visibility,
    },
    event::{Event, NumberedEvent, Player},
    judged::Judged,
    message::{
        Absent, AccountNews, AnalysisEnd, Away, CatchUp, FirstAct, GameRatings, GameSnapshot,
        Message, Nudge, OpeningSnapshot, OwnRoom, Phase, PlayerRating, RoomSummary, Seats,
        Snapshot, Spectators,
    },
    names::{
        COLLECTION_ID_LENGTH, COMMAND_ID_MAX, CollectionId, CommandId, GAME_ID_LENGTH, GameId,
        IDENTITY_LENGTH, Identity, Likeness, MEMBER_ID_LENGTH, MemberId, NAME_MARKS_MAX, NAME_MAX,
        Name, NameError, POOL_NAME_MAX, PoolName, ROOM_CODE_ALPHABET, ROOM_CODE_LENGTH, RoomCode,
        SEEK_ID_LENGTH, SeekId, letters,
    },
    needed_scope::Needed,
    reason::{Reason, ReasonClass},
    refusal::{Refusal, RefusalValues},
    sanction::SanctionKind,
    seek::{
        Addressee, ChallengesFrom, GameSettings, OpenSeek, Pool, SeekEnd, Unrated, Wanted,
        WhyCasual,
    },
    sent_code::{sent_code, visible},
    token::{ApiToken, NoApiToken, Scope, TOKEN_LENGTH},
};

/// The protocol version that this code implements.
pub const VERSION: u32 = 1;
/// Most candidates in a `weights` message.
pub const WEIGHTS_MAX: usize = 400;
/// Most rooms in a `rooms` or `own_rooms` message.
pub const ROOMS_MAX: usize = 100;
/// Most names in a list of spectators.
pub const SPECTATOR_NAMES_MAX: usize = 20;

/// Most commands of one member that a room remembers. A repeated command gets its first reply while
/// it is among the last so many.
pub const ANSWERS_MAX: usize = 64;
/// Most members, besides the host and the players, whose commands a room remembers: those with the
/// latest replies.
pub const ANSWERED_MEMBERS_MAX: usize = 256;

/// The default of switches that are on unless set.
const fn yes() -> bool {
    true
}

const fn is_true(value: &bool) -> bool {
    *value
}

/// The time in milliseconds after which the opponent of an absent player may claim the win, unless the server is set
/// to another.
pub const CLAIM_AFTER_MS: u64 = 60_000;

const fn claim_after_ms() -> u64 {
    CLAIM_AFTER_MS
}

const fn is_claim_after_ms(ms: &u64) -> bool {
    *ms == CLAIM_AFTER_MS
}

const fn is_false(value: &bool) -> bool {
    !*value
}
