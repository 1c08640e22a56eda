//! Every limit of the server, in one place, so that nothing a client can make grow grows without
//! one. What an operator may change is in [`Limits`]; the rest is constant. The assertions at the
//! end say how the limits depend on each other.

/// Most events that a room keeps in memory for members who come back; who lacks more gets a
/// snapshot.
pub const HISTORY_EVENTS_MAX: usize = 256;
/// Most answers that a room remembers for one member, so that a repeated command is done once.
pub const ANSWERS_MAX: usize = 64;
/// Most members whose answers a room remembers, players and the host not counted: they are never
/// forgotten for others.
pub const ANSWERED_MEMBERS_MAX: usize = 256;
/// Most sessions of one member in one room.
pub const MEMBER_SESSIONS_MAX: usize = 16;
/// Most requests for help from bots that one room has under way at once.
pub const HELP_JOBS_MAX: usize = 64;
/// Longest time in milliseconds that a room waits for any bot. What bots are asked to keep to is
/// much shorter.
pub const THINKING_MAX_MS: u64 = 60_000;
/// Most events in a room's log. Beyond it nothing but leaving and resigning is possible, and bots
/// finish their game.
pub const ROOM_EVENTS_MAX: u64 = 100_000;
/// Shortest time between two lists of spectators sent by one room.
pub const SPECTATOR_NEWS_INTERVAL_MS: u64 = 1_000;

/// The limits that an operator may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Most spectators in one room.
    pub spectators_max: usize,
    /// A bot does not answer a person earlier than this after it is its turn.
    pub bot_answer_min_ms: u64,
    /// A bot does not answer another bot earlier than this, so that people can follow.
    pub bot_pace_ms: u64,
    /// A room in which nobody is present is closed after this time.
    pub empty_room_close_ms: u64,
    /// The same while a game between two people is running there.
    pub abandoned_room_close_ms: u64,
}

impl Limits {
    /// What holds where the operator says nothing.
    pub const DEFAULT: Self = Self {
        spectators_max: 10_000,
        bot_answer_min_ms: 150,
        bot_pace_ms: 500,
        empty_room_close_ms: 60 * 60 * 1_000,
        abandoned_room_close_ms: 24 * 60 * 60 * 1_000,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

const _: () = assert!(Limits::DEFAULT.bot_answer_min_ms <= Limits::DEFAULT.bot_pace_ms);
const _: () = assert!(
    Limits::DEFAULT.empty_room_close_ms <= Limits::DEFAULT.abandoned_room_close_ms,
    "a room with a game is kept at least as long as one without"
);
const _: () = assert!(
    ANSWERS_MAX <= HISTORY_EVENTS_MAX,
    "who repeats a remembered command can usually be given the events it caused"
);
