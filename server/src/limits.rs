//! All limits of the server in one place: everything that a client can make grow has one. Operators
//! can change the ones in [`Limits`]; the rest are constants. The assertions in `relations.rs` relate
//! the limits to each other.

pub mod accounts;
pub mod challenges;
pub mod embeds;
pub mod moderation;
pub mod operators;
pub mod pushes;
pub mod puzzles;
pub mod ratings;
mod relations;
pub mod signals;

use std::{ops::RangeInclusive, time::Duration};

use fivefold_shared::room::RoomLimits;
use fivefold_storage::limits::DAY;

/// Read buffer of a socket, in bytes. Most messages are far shorter than the longest.
pub const READ_BUFFER: usize = 512;
/// A socket collects messages up to this many bytes before it writes them.
pub const WRITE_BUFFER: usize = 4 * 1024;
/// Most bytes in a socket's write buffer: room for the longest message.
pub const WRITE_BUFFER_MAX: usize = 256 * 1024;
/// Longest head of an HTTP request, in bytes.
pub const HTTP_HEAD_MAX: usize = 16 * 1024;
/// Longest body of an HTTP request, in bytes: enough for the longest game and for game files.
pub const HTTP_BODY_MAX: usize = 96 * 1024;
/// Most header lines of an HTTP request.
pub const HTTP_HEADERS_MAX: usize = 64;
/// An HTTP request costs one token, and one more for each of this many bytes of its body.
pub const HTTP_BYTES_PER_TOKEN: usize = 4 * 1024;
/// Additional cost of an HTTP request that starts an analysis or a review, or for which a picture is
/// drawn.
pub const HTTP_STUDY_TOKENS: u32 = 10;
/// HTTP jobs that run at once, on threads of their own.
pub const HTTP_JOBS_MAX: usize = 2;
/// Most HTTP jobs that run or wait.
pub const HTTP_JOB_QUEUE_MAX: usize = 32;
/// Most of them for one address.
pub const HTTP_JOBS_PER_ADDRESS_MAX: usize = 8;
/// Most networks whose turns in a queue are remembered.
pub const FAIR_NETWORKS_MAX: usize = 4_096;
/// Most bytes of pictures that are kept: the ones asked for last.
pub const PICTURE_CACHE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Longest game of a public room that the preview of its link shows, in moves: a full board of 20x20.
pub const LISTED_MOVES_MAX: usize = 400;
/// Slowest rate at which a client may read a response while its connection is blocked. Slower ones
/// are disconnected.
pub const ANSWER_BYTES_PER_SECOND_MIN: u32 = 1_024;
/// Files that the server keeps open besides its connections.
pub const OTHER_FILES: usize = 64;
/// The server does not start if it can have fewer connections than this.
pub const CONNECTIONS_MIN: usize = 16;
/// If the system allows few open files, one address may use one part in this many of the
/// connections.
pub const ADDRESS_PART: usize = 4;
/// Most connections on the operator's port.
pub const MONITOR_CONNECTIONS_MAX: usize = 16;
/// Most messages waiting for one session. A session that reads slower is ended.
pub const OUTBOX_MESSAGES_MAX: usize = 64;
/// An empty outbox keeps memory for this many messages: a move causes two.
pub const OUTBOX_MESSAGES_KEPT: usize = 4;
/// Most bytes waiting for one session.
pub const OUTBOX_BYTES_MAX: usize = 1024 * 1024;
/// Frames that a session may send per allowed command: a command may come in fragments, and the
/// client answers pings.
pub const FRAMES_PER_COMMAND: u32 = 2;
/// Most inputs waiting for one room. Further inputs are refused.
pub const MAILBOX_INPUTS_MAX: usize = 128;
/// Most effects of one room that wait for a commit. Above this the room takes no input until the
/// commit ends.
pub const PENDING_EFFECTS_MAX: usize = 1_024;
/// The server gives up starting after this many claims in doubt.
pub const CLAIM_DOUBTS_MAX: usize = 4;
/// Most finished games in one response.
pub const GAMES_PAGE_MAX: usize = 50;
/// Most reads for clients that wait for the database or run.
pub const READ_QUEUE_MAX: usize = 64;
/// Of these, those of one address.
pub const READS_PER_ADDRESS_MAX: usize = 16;
/// The stored time at which a member was last seen is updated after this interval.
pub const SEEN_AGAIN_AFTER: Duration = DAY;
/// Nice value of the bots' threads on Linux; all other threads have 0.
pub const BOT_THREADS_NICE: i32 = 10;
/// Most jobs waiting for the bots' threads.
pub const THINKING_QUEUE_MAX: usize = 4_096;
/// Longest thinking time of a bot, when no other job waits.
pub const THINKING_TIME_MAX: Duration = Duration::from_secs(1);
/// Shortest thinking time of a bot, however many jobs wait.
pub const THINKING_TIME_MIN: Duration = Duration::from_millis(10);
/// Most analyses and reviews waiting for the bots' threads. In addition, one per thread may have
/// begun.
pub const BACKGROUND_JOBS_MAX: usize = 64;
/// Most of these for one address (IPv6: one /64 network), waiting or running.
pub const BACKGROUND_JOBS_PER_ADDRESS_MAX: usize = 4;
/// Longest time of an analysis, when no other waits.
pub const ANALYSIS_TIME_MAX: Duration = Duration::from_secs(30);
/// Longest time of a review. Its number of positions normally ends it much earlier.
pub const REVIEW_TIME_MAX: Duration = Duration::from_secs(180);
/// Shortest time between two reports of an analysis.
pub const REPORT_INTERVAL: Duration = Duration::from_millis(200);
/// Most reviews that are remembered: the last requested ones.
pub const REVIEWS_MAX: usize = 256;
/// Most rooms that one session can be in at once.
pub const JOINED_ROOMS_MAX: usize = 64;
/// Most addresses without sessions whose rate limits are remembered.
pub const IDLE_ADDRESSES_MAX: usize = 10_000;
/// Those that have all their allowances again are forgotten at these intervals.
pub const ADDRESSES_TIDIED_EVERY: Duration = Duration::from_secs(60);
/// A session is ended after this many room codes refused because its address had too many failed
/// lookups.
pub const CODE_REFUSALS_MAX: u32 = 10;
/// A session is ended after this many consecutive commands refused as too fast.
pub const TOO_FAST_REFUSALS_MAX: u32 = 100;
/// The room list is reused for this many times as long as building it took. So building it takes at
/// most this fraction of a processor's time.
pub const LISTING_REST: u32 = 100;
/// Longest time that a room list is reused.
pub const LISTING_AGE_MAX: Duration = Duration::from_secs(1);
/// The list of a member's own rooms covers at most this many, the newest ones.
pub const OWN_ROOMS_SEEN_MAX: usize = 1_000;
/// How often a login looks up an identity again, if others are replaced at the same time.
pub const LOGIN_TRIES_MAX: u32 = 3;
/// Most demo games open at once: the running one, and finished ones that still have spectators.
pub const DEMO_ROOMS_MAX: usize = 4;
/// Most daily games, open or running, in which one account has a place.
pub const DAILY_GAMES_MAX: usize = 50;
/// The same for a guest.
pub const DAILY_GAMES_OF_GUEST_MAX: usize = 5;
/// Places in daily games with news for their rooms that a sweep looks at.
pub const DAILY_NEWS_MAX: usize = 1_000;
/// Most rooms named in a refusal.
pub const ROOMS_NAMED_MAX: usize = 3;
/// How long a closed socket stays open, so that its peer can read the reason.
pub const CLOSE_LINGER: Duration = Duration::from_secs(1);
/// Most bytes read from the socket in that time: enough for data in transit, but not for a flood.
pub const CLOSE_LINGER_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of them read at a time: few, because all sessions may close at once.
pub const CLOSE_LINGER_BUFFER_MIN: usize = 512;
/// The same once a client has sent that many: more, because reading a flood in small parts is dear.
pub const CLOSE_LINGER_BUFFER_MAX: usize = 64 * 1024;
/// How many seconds the server may go on after it was asked to stop.
pub const DRAIN_SECONDS: RangeInclusive<u32> = 0..=3_600;
/// How long an operator may let messages from clients be.
pub const MESSAGE_BYTES: RangeInclusive<u32> = 4_096..=1 << 20;
/// On shutdown: how long sessions have to end before they are dropped.
pub const STOP_SESSIONS_WITHIN: Duration = Duration::from_secs(3);
/// On shutdown of one node of several: the longest time over which its sessions are closed, so that
/// their clients do not all reach the other nodes at once.
pub const STOP_SESSIONS_SPREAD: Duration = Duration::from_secs(1);
/// The same for each session: a few of them are closed at once.
pub const STOP_SESSION_APART: Duration = Duration::from_millis(1);
/// On shutdown: how long rooms have to end before they are dropped, and then threads.
pub const STOP_REST_WITHIN: Duration = Duration::from_millis(900);
/// Retry interval when a room cannot be read from the storage.
pub const REBUILD_RETRY: Duration = Duration::from_secs(1);
/// A room that panics is rebuilt from its log, up to this many times within [`FAULTS_WITHIN`];
/// after one more panic it is closed.
pub const FAULTS_MAX: usize = 3;
/// The window for [`FAULTS_MAX`].
pub const FAULTS_WITHIN: Duration = Duration::from_secs(60);
/// The creator's `Enter` normally follows at once. After this time the room is stored without it.
pub const MAKER_ENTERS_WITHIN: Duration = Duration::from_secs(1);
/// An address may send this many times as many chat messages and bot requests as one session.
pub const ADDRESS_SHARES: u32 = 10;
/// How often the server prunes the logs of rooms that closed long ago.
pub const PRUNE_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// How often the writer gets a moment for what can wait until nobody waits.
pub const REST_INTERVAL: Duration = Duration::from_secs(10);
/// Most log lines waiting to be written. Further lines are lost.
pub const LOG_LINES_MAX: usize = 8_192;
/// How often the free disk space is measured.
pub const DISK_CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// Most pools.
pub const POOLS_MAX: usize = 32;
/// Most seeks and challenges on the server.
pub const SEEKS_MAX: usize = 20_000;
/// Most seeks and challenges of one member.
pub const SEEKS_PER_MEMBER_MAX: usize = 3;
/// A seek whose session has ended is kept for this time, in case that its member comes back.
pub const SEEK_KEPT: Duration = Duration::from_secs(5);
/// A challenge stands for this time.
pub const CHALLENGE_STANDS: Duration = Duration::from_secs(60);
/// Challenges allowed per member and per address in an hour; as many at once after a pause.
pub const CHALLENGES_PER_HOUR: u32 = 20;
/// Most members whose challenges are counted. The ones who may challenge again are forgotten first.
pub const CHALLENGERS_MAX: usize = 10_000;
/// Most commands and other inputs waiting for the pairing. Further ones are refused.
pub const PAIRING_INPUTS_MAX: usize = 4_096;
/// Most challenges that a node gets again when it is new, or has missed messages: the newest.
pub const CHALLENGES_REPEATED_MAX: usize = 1_000;
/// Interval between the rounds of the pairing, and between two changes of the lobby.
pub const PAIRING_INTERVAL: Duration = Duration::from_secs(1);
/// Each node repeats the seeks of its sessions to the leader of the pairing at this interval.
pub const SEEK_REPEAT_INTERVAL: Duration = Duration::from_secs(2);
/// The leader drops a seek of another node that is not repeated within this time.
pub const SEEK_REPEATED_WITHIN: Duration = Duration::from_secs(6);
/// Most seeks in one message between nodes. More go in several messages.
pub const SEEKS_IN_MESSAGE_MAX: usize = 128;
/// A new leader of the pairing gets the seeks of all nodes within this time. Until then it refuses no
/// command because a seek is not known.
pub const LEADER_SETTLES_IN: Duration = Duration::from_secs(3);
/// How long another node has to make the room of a pair. Then the players go on seeking.
pub const PAIR_MADE_WITHIN: Duration = Duration::from_secs(8);
/// Most running games that the pairing remembers. Then it forgets the older half, whose ends it may
/// have missed.
pub const PAIRED_GAMES_KEPT: usize = 100_000;
/// Most open seeks in the lobby.
pub const LOBBY_SEEKS_MAX: usize = 100;
/// Most seeks that are remembered after their opponents left before the game began.
pub const WAITS_MAX: usize = 10_000;
/// How long they are remembered.
pub const WAITS_KEPT: Duration = Duration::from_secs(10 * 60);
/// The waiting times that a pool's median is of: the latest.
pub const POOL_WAITS_KEPT: usize = 200;
/// They count for this time.
pub const POOL_WAITS_OF: Duration = Duration::from_secs(60 * 60);
/// Pairing remembers seats, opponents and aborted games of this many members at most. Then it forgets
/// the half that was paired longest ago.
pub const HISTORIES_MAX: usize = 50_000;
/// How many of their last seats are remembered.
pub const SEATS_KEPT: usize = 10;
/// How many of their last opponents are remembered.
pub const OPPONENTS_KEPT: usize = 3;
/// Pairing pauses for a member who has left this many of their last games before those began.
pub const ABORTS_MAX: usize = 3;
/// How many of the last games that looks at.
pub const ABORTS_OF: usize = 10;
/// An aborted game counts for this time.
pub const MARK_FADES: Duration = DAY;
/// How long the first pause is.
pub const PAUSE: Duration = Duration::from_secs(5 * 60);
/// Each further one is so many times as long.
pub const PAUSE_FACTOR: u64 = 3;
/// The longest pause.
pub const PAUSE_MAX: Duration = DAY;

/// Longest frame between two nodes, in bytes: the longest message to a session, and its address.
pub const LINK_FRAME_MAX: usize = WRITE_BUFFER_MAX + 4 * 1024;
/// Frames that wait are sent together, up to this many bytes. A longer frame goes alone.
pub const LINK_BATCH_BYTES: usize = 64 * 1024;
/// Most frames waiting for one node. One more resets the link.
pub const LINK_QUEUE_FRAMES_MAX: usize = 4_096;
/// Most bytes of frames waiting for one node. One more resets the link.
pub const LINK_QUEUE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most nodes that a node has links to, dead ones included until they are forgotten.
pub const LINK_PEERS_MAX: usize = 1_024;
/// How often links look for lost frames and silent nodes.
pub const LINK_TICK: Duration = Duration::from_millis(50);
/// A node broadcasts after this many ticks.
pub const LINK_HEARTBEAT_TICKS: u32 = 5;
/// Frames that do not come within so many ticks after a heartbeat has counted them are lost.
pub const LINK_TAIL_TICKS: u32 = 3;
/// A node is silent after so many ticks without a message from it.
pub const LINK_SILENT_TICKS: u32 = 40;
/// A silent node's link is forgotten after so many ticks.
pub const LINK_FORGOTTEN_TICKS: u32 = 1_200;
/// A node whose last so many heartbeats did not come back to it is cut off from the bus.
pub const LINK_ECHOES_MISSED_MAX: u64 = 4;
/// A full bus is tried again after this time.
pub const BUS_RETRY: Duration = Duration::from_millis(2);
/// Most messages to single nodes waiting to be written to the bus.
pub const BUS_OUTBOX_MAX: usize = 64;
/// Most broadcasts waiting besides, when there are as many of the others.
pub const BUS_BROADCASTS_MAX: usize = 16;
/// Most messages from the bus waiting for the links. Further ones are lost.
pub const BUS_INBOX_MAX: usize = 1_024;
/// Most addresses of servers of the bus.
pub const BUS_SERVERS_MAX: usize = 16;
/// Longest name of a cluster, in bytes.
pub const CLUSTER_NAME_MAX: usize = 32;
/// Interval between pings to the bus. After three without an answer the connection is replaced.
pub const BUS_PING_INTERVAL: Duration = Duration::from_secs(1);
/// Longest time to connect to one server of the bus.
pub const BUS_CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest time between two attempts to connect to the bus.
pub const BUS_RECONNECT_DELAY_MAX: Duration = Duration::from_millis(200);
/// Time between two attempts when a server of the bus refuses the node.
pub const BUS_REFUSED_DELAY: Duration = Duration::from_secs(1);
/// Longest time to write the last messages when the node leaves.
pub const BUS_FLUSH_TIMEOUT: Duration = Duration::from_millis(200);
/// Longest message on the bus, in bytes: what a NATS server allows if it is not configured.
pub const BUS_MESSAGE_MAX: usize = 1024 * 1024;
/// Most frames and changes of links waiting for the node. While there are more, it reads nothing
/// from the bus.
pub const FROM_PEERS_MAX: usize = 1_024;
/// Interval between the heartbeats of a node of a cluster.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_millis(250);
/// Other nodes are judged only while the own heartbeats are answered within this time.
pub const HEARTBEAT_ANSWERED_WITHIN: Duration = Duration::from_millis(250);
/// A node whose heartbeat stands still for this long is declared dead.
pub const NODE_DEAD_AFTER: Duration = Duration::from_millis(1_500);
/// A node ends after so many heartbeats in which it alone missed its own broadcasts on the bus.
pub const BLIND_BEATS_MAX: u32 = 8;
/// A clock that differs from the registry's by more than this is reported in the log.
pub const CLOCK_DRIFT_WARNED: Duration = Duration::from_millis(250);
/// A node whose clock differs by more than this ends, and joins again with the registry's time.
pub const CLOCK_DRIFT_MAX: Duration = Duration::from_secs(2);
/// It does so after as many heartbeats.
pub const WRONG_CLOCKS_MAX: u32 = 4;
/// After this time without an answered heartbeat, a node lets nobody into its rooms: they may have
/// another owner.
pub const STALE_AFTER: Duration = Duration::from_millis(1_200);
/// After this time without an answered heartbeat, a node that is cut off from the bus, too, ends.
pub const CUT_OFF_AFTER: Duration = Duration::from_secs(10);
/// A node that owns more than this part of the mean of rooms claims others only if nobody else
/// does.
pub const ROOMS_OVER_MEAN_PERCENT: usize = 130;
/// How long an emptier node has to claim a room that was offered to it.
pub const TAKE_WITHIN: Duration = Duration::from_millis(200);
/// How often a node of a cluster looks for rooms that nobody attends to: their owner is dead, or they sleep and are
/// due.
pub const SWEEP_INTERVAL: Duration = Duration::from_secs(1);
/// How often a server that is alone looks for sleeping rooms that are due. For news about players of daily
/// games it looks every [`SWEEP_INTERVAL`].
pub const SWEEP_ALONE_INTERVAL: Duration = Duration::from_secs(30);
/// Sleeping rooms are woken this long, in milliseconds, before they are due.
pub const WOKEN_BEFORE_DUE: u64 = 2 * 60 * 1_000;
/// A room does not fall asleep if something is due within this time, in milliseconds.
pub const DUE_SOON: u64 = 5 * 60 * 1_000;
/// Most commands of one session that wait for the answer of a room on another node. Further ones
/// are refused.
pub const UNANSWERED_COMMANDS_MAX: usize = 4;
/// How many refused commands of one session a relay remembers, for the next owner of the room.
pub const REFUSED_COMMANDS_KEPT: usize = 8;
/// How many refused commands of a room its owner and its relays remember, for the next owner.
pub const REFUSED_IN_ROOM_KEPT: usize = 64;
/// Most inputs that wait in one relay. Further ones wait in its mailbox.
pub const RELAY_UNANSWERED_MAX: usize = 1_024;
/// A command is answered within this time, or its socket is closed: the client then sends the
/// command again, with the same id.
pub const ANSWERED_WITHIN: Duration = Duration::from_secs(10);
/// Clients do not leave a socket sooner than after this time without an answer.
pub const ANSWER_AWAITED: Duration = Duration::from_secs(5);
/// Most sessions in one frame between nodes. More go in several frames.
pub const RESUMED_SESSIONS_MAX: usize = 256;
/// Most messages from a room's owner that wait for the relay here. One more starts over.
pub const FROM_OWNER_MAX: usize = 1_024;
/// A relay starts over if the owner does not confirm within this time that it may.
pub const RESUMED_WITHIN: Duration = Duration::from_secs(1);
/// First wait of a relay before it starts over; doubled each time, up to [`RESUMED_WITHIN`].
pub const RELAY_RETRY: Duration = Duration::from_millis(50);
/// How long a relay without sessions stays.
pub const RELAY_IDLE: Duration = Duration::from_secs(5);
/// How often a relay asks the storage who owns its room while the owner is silent.
pub const SILENT_OWNER_ASKED: Duration = Duration::from_secs(5);
/// The clock of a player on turn stops for at most this long because their node is silent.
pub const CLOCK_PAUSE_MAX: Duration = Duration::from_secs(30);

/// The nodes list their public rooms for each other for this long after somebody asked one of them.
pub const LISTS_WANTED_FOR: Duration = Duration::from_secs(10);
/// How often they do.
pub const PEER_LIST_INTERVAL: Duration = Duration::from_secs(1);
/// The list of another node is dropped after this time without a newer one.
pub const PEER_LIST_KEPT: Duration = Duration::from_secs(3);
/// A node that does not answer a question of another one within this time is left out.
pub const PEER_ANSWERS_WITHIN: Duration = Duration::from_millis(500);

/// How often a node reports the addresses that use much of what they are allowed.
pub const ADDRESS_USE_INTERVAL: Duration = Duration::from_secs(1);
/// What a node has reported counts for this time, if no newer report comes.
pub const ADDRESS_USE_KEPT: Duration = Duration::from_secs(3);
/// Most addresses in one report, of each kind: the busiest.
pub const ADDRESSES_REPORTED_MAX: usize = 1_000;

/// Limits that an operator may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The limits of each room.
    pub room: RoomLimits,
    /// Most sessions on the server.
    pub sessions_max: usize,
    /// Most sessions from one address (IPv6: from one network of 64 bits).
    pub sessions_per_address_max: usize,
    /// Most connections on the server in addition to the sessions, for pages and handshakes.
    pub connections_spare: usize,
    /// The same for one address.
    pub connections_spare_per_address: usize,
    /// New connections allowed per address per second. After a pause, as many at once as the address
    /// may have open.
    pub connections_per_second: u32,
    /// Longest message from a client, in bytes, however it is fragmented.
    pub message_max: usize,
    /// Most rooms on the server.
    pub rooms_max: usize,
    /// Most open rooms created by one identity.
    pub rooms_per_identity_max: usize,
    /// Most open rooms created from one address (IPv6: one /64 network; four times as many from a
    /// /56, sixteen times as many from a /48). Rooms found open after a restart count for no
    /// address.
    pub rooms_per_address_max: usize,
    /// How long nobody must have needed a daily game's room before it falls asleep.
    pub room_sleeps_after: Duration,
    /// Daily games that guests at one address may begin in a day, as many at once after a pause (IPv6: as above). A
    /// restart forgets those of the day.
    pub daily_games_of_guests: u32,
    /// A node looks for pushes that are due in this interval.
    pub push_sweep_interval: Duration,
    /// A page that shows a player their turn says so within this time; then they are not told. Nobody waits for that if
    /// no session of the player is in the room.
    pub push_seen_within: Duration,
    /// Room requests allowed per address per minute; as many at once after a pause.
    pub rooms_per_minute: u32,
    /// Most rooms in which both seats belong to bots.
    pub bot_rooms_max: usize,
    /// The same for rooms created from one address.
    pub bot_rooms_per_address_max: usize,
    /// Commands allowed per session per second.
    pub commands_per_second: u32,
    /// Commands that a session may send at once after a pause.
    pub commands_burst: u32,
    /// Commands allowed per second for all sessions of one address together.
    pub address_commands_per_second: u32,
    /// The same at once after a pause.
    pub address_commands_burst: u32,
    /// HTTP tokens per address per second.
    pub http_tokens_per_second: u32,
    /// The same at once after a pause.
    pub http_tokens_burst: u32,
    /// Chat messages allowed per session per minute.
    pub lines_per_minute: u32,
    /// Chat messages that a session may send at once after a pause.
    pub lines_burst: u32,
    /// Bot and engine requests (hints, weights, analyses) allowed per session per minute.
    pub help_per_minute: u32,
    /// The same at once after a pause.
    pub help_burst: u32,
    /// Failed room-code lookups allowed per address per minute. Above this, all lookups from the
    /// address are refused for a while.
    pub unknown_codes_per_minute: u32,
    /// Longest time for the head of an HTTP request, and so for a handshake.
    pub handshake_timeout: Duration,
    /// Longest time for the body of an HTTP request.
    pub body_timeout: Duration,
    /// Longest time from the handshake to the client's `hello`.
    pub hello_timeout: Duration,
    /// Interval between pings to a session.
    pub ping_interval: Duration,
    /// A session is ended after this long without any data from the client.
    pub idle_timeout: Duration,
    /// Longest time that a write to a socket may take, and that an HTTP response may be blocked.
    pub write_timeout: Duration,
    /// The log of a closed room is kept this long after its last event; a member without a finished
    /// game is kept this long after they were last seen.
    pub closed_rooms_kept: Duration,
    /// How long to wait for a rated game to examine.
    pub examination_interval: Duration,
    /// New rooms are refused while less than this many bytes of disk are free.
    pub disk_reserve: u64,
    /// Most games of one account in all its collections.
    pub collected_games_max: u64,
}

impl Limits {
    /// Defaults, used unless the operator sets something else.
    pub const DEFAULT: Self = Self {
        room: RoomLimits::DEFAULT,
        sessions_max: 50_000,
        sessions_per_address_max: 64,
        connections_spare: 1_000,
        connections_spare_per_address: 64,
        connections_per_second: 20,
        message_max: 4 * 1024,
        rooms_max: 100_000,
        rooms_per_identity_max: 20,
        rooms_per_address_max: 64,
        room_sleeps_after: Duration::from_secs(30),
        daily_games_of_guests: 20,
        push_sweep_interval: Duration::from_secs(15),
        push_seen_within: Duration::from_secs(10),
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
        closed_rooms_kept: DAY.saturating_mul(30),
        examination_interval: Duration::from_secs(30),
        disk_reserve: 64 << 20,
        collected_games_max: 200_000,
    };
}

impl Limits {
    /// Most connections: sessions, those who only watch, and others for pages and handshakes.
    pub const fn connections_max(&self) -> usize {
        let sessions = self.sessions_max.saturating_add(self.watchers_max());
        sessions.saturating_add(self.connections_spare)
    }

    /// Most connections of one address: its sessions, and others for pages, handshakes and those who only watch.
    pub const fn connections_per_address_max(&self) -> usize {
        self.sessions_per_address_max.saturating_add(self.connections_spare_per_address)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
