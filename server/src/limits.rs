//! Every limit of the server, in one place, so that nothing a client can make grow grows without
//! one. What an operator may change is in [`Limits`]; the rest is constant. The assertions at the
//! end say how the limits depend on each other.

use std::time::Duration;

use fivefold_shared::{
    clock::TIME_MIN_MS,
    protocol::{CHAT_LINES_MAX, CHAT_TEXT_MAX, ROOMS_MAX, WEIGHTS_MAX},
    room::{
        RoomLimits,
        limits::{
            ANSWERS_MAX, BOT_SPARE_MS, BOT_WAIT_MAX_MS, HISTORY_EVENTS_MAX, MEMBER_SESSIONS_MAX,
            RESUME_GRACE_MS, SPECTATOR_LINES_MAX,
        },
    },
    rules::{PLIES_MAX, UNBOUNDED_PLIES_MAX},
};

/// Read buffer of a socket, in bytes. Most messages are far shorter than the longest.
pub const READ_BUFFER: usize = 512;
/// A socket's messages are gathered up to this many bytes before they are written.
pub const WRITE_BUFFER: usize = 4 * 1024;
/// Most bytes that wait in a socket's write buffer: room for the longest message.
pub const WRITE_BUFFER_MAX: usize = 256 * 1024;
/// Longest head of an HTTP request, in bytes.
pub const HTTP_HEAD_MAX: usize = 16 * 1024;
/// Longest body of an HTTP request, in bytes: room for the moves of the longest game, and for files.
pub const HTTP_BODY_MAX: usize = 96 * 1024;
/// Most header lines of an HTTP request.
pub const HTTP_HEADERS_MAX: usize = 64;
/// A question over HTTP costs one token, and one more for each so many bytes of its body.
pub const HTTP_BYTES_PER_TOKEN: usize = 4 * 1024;
/// What it costs besides to have the engine begin an analysis or a review.
pub const HTTP_STUDY_TOKENS: u32 = 10;
/// Answers over HTTP that are worked out at once, on threads of their own.
pub const HTTP_JOBS_MAX: usize = 2;
/// Most answers that are worked out or wait for it.
pub const HTTP_JOB_QUEUE_MAX: usize = 32;
/// A client that reads its answer slower than this, over the time that its connection is blocked,
/// is cut off.
pub const ANSWER_BYTES_PER_SECOND_MIN: u32 = 1_024;
/// Files that the server needs open besides its connections.
pub const OTHER_FILES: usize = 64;
/// With files for fewer connections than this the server does not start.
pub const CONNECTIONS_MIN: usize = 16;
/// Where the system lets few files be open, one address may have this part of the connections.
pub const ADDRESS_PART: usize = 4;
/// Most connections of the operator's monitoring.
pub const MONITOR_CONNECTIONS_MAX: usize = 16;
/// Most messages that wait for one session. One that reads slower is ended.
pub const OUTBOX_MESSAGES_MAX: usize = 64;
/// An empty outbox keeps memory for so many messages: a move brings two.
pub const OUTBOX_MESSAGES_KEPT: usize = 4;
/// Most bytes that wait for one session.
pub const OUTBOX_BYTES_MAX: usize = 1024 * 1024;
/// Frames that a session may send for each command that it may send: a command may come in parts,
/// and pings are answered.
pub const FRAMES_PER_COMMAND: u32 = 2;
/// Most inputs that wait for one room. What comes beyond is refused.
pub const MAILBOX_INPUTS_MAX: usize = 128;
/// Most effects of one room that wait for events to be stored. Beyond it the room takes no more
/// inputs until they are.
pub const PENDING_EFFECTS_MAX: usize = 1_024;
/// Most requests that wait for the writer of the store.
pub const WRITER_QUEUE_MAX: usize = 1_024;
/// Most rooms that are claimed in one commit when the server starts.
pub const CLAIMED_ROOMS_MAX: usize = 64;
/// How often a claim at the start may end in doubt before the server gives up.
pub const CLAIM_DOUBTS_MAX: usize = 4;
/// Most finished games in one answer.
pub const GAMES_PAGE_MAX: usize = 50;
/// Most requests over HTTP for finished games that wait for the disk; one is served at a time.
pub const READ_QUEUE_MAX: usize = 32;
/// Most finished games that a server without a disk remembers: the last ones.
pub const MEMORY_GAMES_MAX: usize = 1_000;
/// Most members that a server without a disk remembers: the first ones who took a seat.
pub const MEMORY_MEMBERS_MAX: usize = 100_000;
/// When a member was last seen is stored again after this time.
pub const SEEN_AGAIN_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
/// The nice value of the bots' threads on Linux, which is 0 for all others.
pub const BOT_THREADS_NICE: i32 = 10;
/// Most jobs that wait for the bots' threads.
pub const THINKING_QUEUE_MAX: usize = 4_096;
/// The longest that a bot thinks, when no other job waits.
pub const THINKING_TIME_MAX: Duration = Duration::from_secs(1);
/// The shortest time that a bot is given, however many jobs wait.
pub const THINKING_TIME_MIN: Duration = Duration::from_millis(10);
/// Most analyses and reviews of games that wait for the bots' threads. As many more are under way
/// as there are threads.
pub const BACKGROUND_JOBS_MAX: usize = 64;
/// Most of these at once, waiting or under way, for one address (IPv6: one network of 64 bits).
pub const BACKGROUND_JOBS_PER_ADDRESS_MAX: usize = 4;
/// The longest that an analysis thinks, when no other waits.
pub const ANALYSIS_TIME_MAX: Duration = Duration::from_secs(30);
/// The longest that a review of a game thinks; its positions bound it long before.
pub const REVIEW_TIME_MAX: Duration = Duration::from_secs(180);
/// Shortest time between two reports of an analysis.
pub const REPORT_INTERVAL: Duration = Duration::from_millis(200);
/// Most reviews of games that are remembered: the last ones that were asked for.
pub const REVIEWS_MAX: usize = 256;
/// Most rooms that one session is in at once.
pub const JOINED_ROOMS_MAX: usize = 64;
/// Most addresses without sessions whose rates are remembered.
pub const IDLE_ADDRESSES_MAX: usize = 10_000;
/// Codes refused to a session because its address has tried too many that no room has, before the
/// session is ended.
pub const CODE_REFUSALS_MAX: u32 = 10;
/// Commands refused as too fast, one after the other, before the session is ended.
pub const TOO_FAST_REFUSALS_MAX: u32 = 100;
/// The list of rooms is reused for this many times as long as it took to make, so that making it
/// takes at most this part of a processor's time.
pub const LISTING_REST: u32 = 100;
/// The longest that a list of rooms is reused.
pub const LISTING_AGE_MAX: Duration = Duration::from_secs(1);
/// The list of somebody's own rooms is made from the newest of them, at most so many.
pub const OWN_ROOMS_SEEN_MAX: usize = 1_000;
/// How often an identity is looked up while others are replaced at the same time.
pub const LOGIN_TRIES_MAX: u32 = 3;
/// Most demo games that are open at once: one that is running, and those that are over and still
/// have spectators.
pub const DEMO_ROOMS_MAX: usize = 4;
/// Most rooms that are named in a refusal.
pub const ROOMS_NAMED_MAX: usize = 3;
/// How long a closed socket is kept for its peer to read why it was closed.
pub const CLOSE_LINGER: Duration = Duration::from_secs(1);
/// Most bytes that are read from it in that time: what was under way, but no flood.
pub const CLOSE_LINGER_BYTES: usize = 4 * 1024 * 1024;
/// When the server stops: how long sessions have to end before they are dropped.
pub const STOP_SESSIONS_WITHIN: Duration = Duration::from_secs(3);
/// The same for rooms, and for threads after them.
pub const STOP_REST_WITHIN: Duration = Duration::from_millis(900);
/// When reading a room back from the store fails, it is tried again after this time.
pub const REBUILD_RETRY: Duration = Duration::from_secs(1);
/// How often a room that panics is built anew from its log within [`FAULTS_WITHIN`]; after that it
/// is closed.
pub const FAULTS_MAX: usize = 3;
/// See [`FAULTS_MAX`].
pub const FAULTS_WITHIN: Duration = Duration::from_secs(60);
/// The maker of a room enters it at once. After this time it is stored without that.
pub const MAKER_ENTERS_WITHIN: Duration = Duration::from_secs(1);
/// An address may say so many times as many lines as a session, and ask the engine so many times
/// as often.
pub const ADDRESS_SHARES: u32 = 10;
/// How often the logs of rooms that were closed long ago are forgotten.
pub const PRUNE_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Most rooms whose logs are forgotten in one commit.
pub const PRUNED_LOGS_MAX: usize = 32;
/// Most members who are deleted in one commit.
pub const PRUNED_MEMBERS_MAX: usize = 1_000;
/// Most lines of the log that wait to be written. Beyond it lines are lost.
pub const LOG_LINES_MAX: usize = 8_192;
/// How often the space on the disk is measured.
pub const DISK_CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// The limits that an operator may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The limits of each room.
    pub room: RoomLimits,
    /// Most sessions on the server.
    pub sessions_max: usize,
    /// Most sessions from one address (IPv6: from one network of 64 bits).
    pub sessions_per_address_max: usize,
    /// Most connections beyond the sessions, for pages and handshakes, on the whole server.
    pub connections_spare: usize,
    /// The same for one address.
    pub connections_spare_per_address: usize,
    /// Longest message from a client, in bytes, however it is fragmented.
    pub message_max: usize,
    /// Most rooms on the server.
    pub rooms_max: usize,
    /// Most open rooms made by one identity.
    pub rooms_per_identity_max: usize,
    /// Most open rooms made from one address (IPv6: from one network of 64 bits; four times as many
    /// from one of 56 and sixteen times as many from one of 48). What a restart finds open counts
    /// for no address.
    pub rooms_per_address_max: usize,
    /// Rooms that may be asked for from one address in a minute, for long and at once after a rest.
    pub rooms_per_minute: u32,
    /// Most rooms on the server in which both seats belong to bots.
    pub bot_rooms_max: usize,
    /// The same of those made from one address.
    pub bot_rooms_per_address_max: usize,
    /// Commands that a session may send in a second, for long.
    pub commands_per_second: u32,
    /// Commands that a session may send at once after a rest.
    pub commands_burst: u32,
    /// Commands that all sessions from one address together may send in a second, for long.
    pub address_commands_per_second: u32,
    /// The same at once after a rest.
    pub address_commands_burst: u32,
    /// What one address may ask over HTTP in a second, for long, in tokens.
    pub http_tokens_per_second: u32,
    /// The same at once after a rest.
    pub http_tokens_burst: u32,
    /// Lines of chat that a session may say in a minute, for long.
    pub lines_per_minute: u32,
    /// Lines of chat that a session may say at once after a rest.
    pub lines_burst: u32,
    /// Questions to bots and to the engine, for weights and analyses, that a session may ask in a
    /// minute, for long.
    pub help_per_minute: u32,
    /// The same at once after a rest.
    pub help_burst: u32,
    /// Codes that no room has which may be tried from one address in a minute. After that no code
    /// is taken from there for a while.
    pub unknown_codes_per_minute: u32,
    /// The longest that the head of an HTTP request, and so a handshake, may take.
    pub handshake_timeout: Duration,
    /// The longest that the body of an HTTP request may take.
    pub body_timeout: Duration,
    /// The longest that a session may take to say hello.
    pub hello_timeout: Duration,
    /// A session is pinged this often.
    pub ping_interval: Duration,
    /// A session from which nothing was heard for this long is ended.
    pub idle_timeout: Duration,
    /// The longest that one write to a socket may take, and that an answer over HTTP may be blocked.
    pub write_timeout: Duration,
    /// The log of a closed room is kept this long after its last event, and a member who has
    /// finished no game this long after they were last seen.
    pub closed_rooms_kept: Duration,
    /// When less than so many bytes of the disk are free, no rooms are made.
    pub disk_reserve: u64,
}

impl Limits {
    /// What holds where the operator says nothing.
    pub const DEFAULT: Self = Self {
        room: RoomLimits::DEFAULT,
        sessions_max: 50_000,
        sessions_per_address_max: 64,
        connections_spare: 1_000,
        connections_spare_per_address: 64,
        message_max: 4 * 1024,
        rooms_max: 100_000,
        rooms_per_identity_max: 20,
        rooms_per_address_max: 64,
        rooms_per_minute: 30,
        bot_rooms_max: 200,
        bot_rooms_per_address_max: 4,
        commands_per_second: 20,
        commands_burst: 60,
        address_commands_per_second: 200,
        address_commands_burst: 600,
        http_tokens_per_second: 50,
        http_tokens_burst: 200,
        lines_per_minute: 30,
        lines_burst: 6,
        help_per_minute: 120,
        help_burst: 30,
        unknown_codes_per_minute: 30,
        handshake_timeout: Duration::from_secs(5),
        body_timeout: Duration::from_secs(10),
        hello_timeout: Duration::from_secs(10),
        ping_interval: Duration::from_secs(15),
        idle_timeout: Duration::from_secs(45),
        write_timeout: Duration::from_secs(10),
        closed_rooms_kept: Duration::from_secs(30 * 24 * 60 * 60),
        disk_reserve: 64 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

const _: () = assert!(
    RoomLimits::DEFAULT.bot_answer_min.as_millis() <= RoomLimits::DEFAULT.bot_pace.as_millis()
);
const _: () = assert!(
    RoomLimits::DEFAULT.empty_room_close.as_millis()
        <= RoomLimits::DEFAULT.abandoned_room_close.as_millis(),
    "a room with a game is kept at least as long as one without"
);
const _: () = assert!(
    Limits::DEFAULT.commands_per_second <= Limits::DEFAULT.address_commands_per_second
        && Limits::DEFAULT.commands_burst <= Limits::DEFAULT.address_commands_burst,
    "a session alone at its address is held back by its own rate"
);
const _: () = assert!(
    (RESUME_GRACE_MS as u128) < RoomLimits::DEFAULT.claim_after.as_millis()
        && RoomLimits::DEFAULT.claim_after.as_millis()
            < RoomLimits::DEFAULT.abandoned_game.as_millis()
        && RoomLimits::DEFAULT.abandoned_game.as_millis()
            <= RoomLimits::DEFAULT.abandoned_room_close.as_millis(),
    "who is gone can come back before the game is claimed, and it ends before its room is closed"
);
const _: () = assert!(
    SPECTATOR_LINES_MAX <= CHAT_LINES_MAX && SPECTATOR_LINES_MAX * 2 < OUTBOX_MESSAGES_MAX,
    "the lines by which a crowd is told are kept, and chat alone fills nobody's outbox"
);
const _: () = assert!(
    ANSWERS_MAX <= HISTORY_EVENTS_MAX,
    "who repeats a remembered command can usually be given the events it caused"
);
const _: () = assert!(
    Limits::DEFAULT.idle_timeout.as_millis() >= 2 * Limits::DEFAULT.ping_interval.as_millis(),
    "a session may miss a ping before it is taken for idle"
);
const _: () = assert!(
    Limits::DEFAULT.write_timeout.as_millis() <= Limits::DEFAULT.idle_timeout.as_millis(),
    "a blocked write is noticed before the silence that it causes"
);
const _: () = assert!(
    Limits::DEFAULT.rooms_per_identity_max <= JOINED_ROOMS_MAX,
    "one session can be in all rooms that its identity may make"
);
const _: () = assert!(
    Limits::DEFAULT.rooms_per_identity_max <= Limits::DEFAULT.rooms_per_address_max
        && Limits::DEFAULT.rooms_per_identity_max <= Limits::DEFAULT.rooms_per_minute as usize,
    "somebody alone at an address may make as many rooms as one identity may have"
);
const _: () = assert!(
    Limits::DEFAULT.rooms_per_address_max * 1_000 <= Limits::DEFAULT.rooms_max,
    "it takes a thousand addresses to fill the server with rooms"
);
const _: () = assert!(
    Limits::DEFAULT.bot_rooms_per_address_max * 50 <= Limits::DEFAULT.bot_rooms_max
        && Limits::DEFAULT.bot_rooms_max < Limits::DEFAULT.rooms_max,
    "it takes many addresses to use up the rooms in which bots play each other"
);
const _: () = assert!(
    RoomLimits::DEFAULT.bots_room_close.as_millis()
        <= RoomLimits::DEFAULT.finished_room_close.as_millis()
        && RoomLimits::DEFAULT.finished_room_close.as_millis()
            <= RoomLimits::DEFAULT.unplayed_room_close.as_millis()
        && RoomLimits::DEFAULT.unplayed_room_close.as_millis()
            <= RoomLimits::DEFAULT.empty_room_close.as_millis(),
    "an empty room is kept longer where more would be lost, or somebody may still come"
);
const _: () = assert!(
    MEMBER_SESSIONS_MAX <= Limits::DEFAULT.sessions_per_address_max,
    "one member can use his sessions from one address"
);
const _: () = assert!(
    WRITE_BUFFER + WEIGHTS_MAX * 128 <= WRITE_BUFFER_MAX
        && WRITE_BUFFER + ROOMS_MAX * 1024 <= WRITE_BUFFER_MAX
        && WRITE_BUFFER + HISTORY_EVENTS_MAX * 512 <= WRITE_BUFFER_MAX
        && WRITE_BUFFER + 2 * CHAT_LINES_MAX * (4 * CHAT_TEXT_MAX + 256) <= WRITE_BUFFER_MAX
        && WRITE_BUFFER + UNBOUNDED_PLIES_MAX * "[-2147483648,-2147483648],".len() + 4096
            <= WRITE_BUFFER_MAX,
    "every message has room in an empty write buffer"
);
const _: () = assert!(
    4 * WRITE_BUFFER_MAX <= OUTBOX_BYTES_MAX,
    "a few of the longest messages may wait for a session"
);
const _: () = assert!(
    1 + HTTP_BODY_MAX / HTTP_BYTES_PER_TOKEN + HTTP_STUDY_TOKENS as usize
        <= Limits::DEFAULT.http_tokens_burst as usize,
    "the dearest question can be asked after a rest"
);
const _: () = assert!(
    PLIES_MAX * "[63,63],".len() <= HTTP_BODY_MAX
        && UNBOUNDED_PLIES_MAX * "[-1000000,-1000000],".len() <= HTTP_BODY_MAX,
    "a body has room for the moves of the longest game"
);
const _: () = assert!(HTTP_JOBS_MAX <= HTTP_JOB_QUEUE_MAX);
const _: () = assert!(
    CONNECTIONS_MIN / ADDRESS_PART >= 2,
    "an address that may have anything may have a session and a connection besides"
);
const _: () = assert!(
    MONITOR_CONNECTIONS_MAX * 2 <= OTHER_FILES,
    "monitoring takes no files from the database"
);
const _: () = assert!(READ_BUFFER <= Limits::DEFAULT.message_max);
const _: () = assert!(
    SEEN_AGAIN_AFTER.as_secs() < Limits::DEFAULT.closed_rooms_kept.as_secs(),
    "members who come back every day are not pruned"
);
const _: () = assert!(
    STOP_SESSIONS_WITHIN.as_millis() + 2 * STOP_REST_WITHIN.as_millis() < 5_000
        && CLOSE_LINGER.as_millis() < STOP_SESSIONS_WITHIN.as_millis(),
    "the server ends within five seconds, and sessions can be told why"
);
const _: () = assert!(
    JOINED_ROOMS_MAX * 1_000 / REPORT_INTERVAL.as_millis() as usize <= 512,
    "a session that has an analysis in each of its rooms can still be written to"
);
const _: () = assert!(
    2 * BACKGROUND_JOBS_PER_ADDRESS_MAX <= BACKGROUND_JOBS_MAX,
    "nobody alone takes the place of everybody else's analyses"
);
const _: () = assert!(
    BOT_SPARE_MS < TIME_MIN_MS,
    "a bot that is moved for in the last moment has had time to think"
);
const _: () = assert!(THINKING_TIME_MIN.as_millis() <= THINKING_TIME_MAX.as_millis());
const _: () = assert!(
    THINKING_QUEUE_MAX as u128 * THINKING_TIME_MIN.as_millis() + THINKING_TIME_MAX.as_millis()
        <= BOT_WAIT_MAX_MS as u128,
    "one thread alone works off a full queue before rooms give up waiting"
);
