//! How limits relate to each other: the build fails if they do not fit together.

use fivefold_shared::{
    clock::TIME_MIN_MS,
    collection::{BATCH_BYTES_MAX, COLLECTED_MOVES_BYTES_MAX},
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
use fivefold_storage::limits::{
    DATABASE_ANSWER_WITHIN, DATABASE_CONNECT_WITHIN, DATABASE_HEARTBEAT_WITHIN,
    DATABASE_READ_WITHIN, DATABASE_RECONNECT_REST, SOLE_NODE_HEARTBEAT, SOLE_NODE_WATCHES,
};

use super::{
    ABORTS_MAX, ABORTS_OF, ADDRESS_PART, ADDRESS_USE_INTERVAL, ADDRESS_USE_KEPT,
    ADDRESSES_REPORTED_MAX, ANSWER_AWAITED, ANSWERED_WITHIN, BACKGROUND_JOBS_MAX,
    BACKGROUND_JOBS_PER_ADDRESS_MAX, BLIND_BEATS_MAX, BUS_MESSAGE_MAX, CHALLENGE_STANDS,
    CHALLENGES_PER_HOUR, CHALLENGES_REPEATED_MAX, CLOCK_DRIFT_MAX, CLOCK_DRIFT_WARNED,
    CLOSE_LINGER, CONNECTIONS_MIN, HEARTBEAT_ANSWERED_WITHIN, HEARTBEAT_INTERVAL, HTTP_BODY_MAX,
    HTTP_BYTES_PER_TOKEN, HTTP_HEAD_MAX, HTTP_JOB_QUEUE_MAX, HTTP_JOBS_MAX,
    HTTP_JOBS_PER_ADDRESS_MAX, HTTP_STUDY_TOKENS, JOINED_ROOMS_MAX, LEADER_SETTLES_IN,
    LINK_BATCH_BYTES, LINK_ECHOES_MISSED_MAX, LINK_FORGOTTEN_TICKS, LINK_FRAME_MAX,
    LINK_HEARTBEAT_TICKS, LINK_PEERS_MAX, LINK_QUEUE_BYTES_MAX, LINK_QUEUE_FRAMES_MAX,
    LINK_SILENT_TICKS, LINK_TAIL_TICKS, LINK_TICK, LISTED_MOVES_MAX, LISTS_WANTED_FOR,
    LOBBY_SEEKS_MAX, Limits, MONITOR_CONNECTIONS_MAX, NODE_DEAD_AFTER, OTHER_FILES,
    OUTBOX_BYTES_MAX, OUTBOX_MESSAGES_MAX, PAIR_MADE_WITHIN, PAIRING_INTERVAL, PAUSE, PAUSE_MAX,
    PEER_LIST_INTERVAL, PEER_LIST_KEPT, POOLS_MAX, READ_BUFFER, REBUILD_RETRY,
    REFUSED_COMMANDS_KEPT, REPORT_INTERVAL, SEEK_KEPT, SEEK_REPEAT_INTERVAL, SEEK_REPEATED_WITHIN,
    SEEKS_IN_MESSAGE_MAX, SEEKS_MAX, SEEKS_PER_MEMBER_MAX, SEEN_AGAIN_AFTER, STALE_AFTER,
    STOP_REST_WITHIN, STOP_SESSIONS_SPREAD, STOP_SESSIONS_WITHIN, THINKING_QUEUE_MAX,
    THINKING_TIME_MAX, THINKING_TIME_MIN, UNANSWERED_COMMANDS_MAX, WAITS_KEPT, WRITE_BUFFER,
    WRITE_BUFFER_MAX,
};

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
    "chat keeps all lines that count as a crowd, and cannot fill an outbox alone"
);
const _: () = assert!(
    LISTED_MOVES_MAX * "-10000,-10000+".len() < HTTP_HEAD_MAX,
    "the address of a picture fits into a request"
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
    "one member can have all their sessions at one address"
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
    BATCH_BYTES_MAX / HTTP_BYTES_PER_TOKEN < Limits::DEFAULT.http_tokens_burst as usize
        && COLLECTED_MOVES_BYTES_MAX * 4 < BATCH_BYTES_MAX,
    "the longest batch of games can be sent after a rest, and has room for several of the longest games"
);
const _: () = assert!(
    PLIES_MAX * "[63,63],".len() <= HTTP_BODY_MAX
        && UNBOUNDED_PLIES_MAX * "[-1000000,-1000000],".len() <= HTTP_BODY_MAX,
    "a body has room for the moves of the longest game"
);
const _: () = assert!(HTTP_JOBS_MAX <= HTTP_JOB_QUEUE_MAX);
const _: () = assert!(
    2 * HTTP_JOBS_PER_ADDRESS_MAX <= HTTP_JOB_QUEUE_MAX,
    "nobody alone takes the place of everybody else's jobs"
);
const _: () = assert!(
    DATABASE_RECONNECT_REST.as_millis() < REBUILD_RETRY.as_millis(),
    "a room that asks again finds that somebody tries to connect"
);
const _: () = assert!(
    SOLE_NODE_HEARTBEAT.as_millis() + DATABASE_HEARTBEAT_WITHIN.as_millis()
        < SOLE_NODE_WATCHES.as_millis(),
    "a server that lives has a heartbeat in that time"
);
const _: () = assert!(
    DATABASE_ANSWER_WITHIN.as_millis() < ANSWERED_WITHIN.as_millis()
        && REBUILD_RETRY.as_millis() < ANSWERED_WITHIN.as_millis(),
    "a room asks again before it ends sessions"
);
const _: () = assert!(
    DATABASE_CONNECT_WITHIN.as_millis() < DATABASE_ANSWER_WITHIN.as_millis()
        && DATABASE_ANSWER_WITHIN.as_millis() < DATABASE_READ_WITHIN.as_millis()
);
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
        && STOP_SESSIONS_SPREAD.as_millis() + CLOSE_LINGER.as_millis()
            < STOP_SESSIONS_WITHIN.as_millis(),
    "the server ends within five seconds, with time to send close frames"
);
const _: () = assert!(
    WRITE_BUFFER + (POOLS_MAX + 2 * LOBBY_SEEKS_MAX) * 512 <= WRITE_BUFFER_MAX,
    "a lobby, and any change of it, has room in an empty write buffer"
);
const _: () = assert!(
    PAIRING_INTERVAL.as_millis() <= SEEK_REPEAT_INTERVAL.as_millis()
        && 2 * SEEK_REPEAT_INTERVAL.as_millis() < SEEK_REPEATED_WITHIN.as_millis(),
    "a seek whose repetition is late once is not dropped"
);
const _: () = assert!(
    SEEK_REPEAT_INTERVAL.as_millis() < LEADER_SETTLES_IN.as_millis()
        && 2 * HEARTBEAT_INTERVAL.as_millis() < LEADER_SETTLES_IN.as_millis(),
    "all nodes notice a new leader in that time"
);
const _: () = assert!(
    4 * CHALLENGES_REPEATED_MAX <= LINK_QUEUE_FRAMES_MAX
        && CHALLENGES_REPEATED_MAX * 4 * 1024 <= LINK_QUEUE_BYTES_MAX,
    "repeated challenges do not fill a link"
);
const _: () = assert!(
    DATABASE_ANSWER_WITHIN.as_millis() < PAIR_MADE_WITHIN.as_millis()
        && PAIR_MADE_WITHIN.as_millis() < ANSWERED_WITHIN.as_millis(),
    "a node that makes a room answers in time, and so does the leader that waits for it"
);
const _: () = assert!(
    SEEKS_IN_MESSAGE_MAX * 1024 + 1024 <= LINK_FRAME_MAX
        && (POOLS_MAX + LOBBY_SEEKS_MAX) * 512 + 1024 <= LINK_FRAME_MAX,
    "seeks and a lobby fit into a frame between nodes"
);
const _: () = assert!(
    SEEK_KEPT.as_millis() < CHALLENGE_STANDS.as_millis()
        && CHALLENGE_STANDS.as_millis() < WAITS_KEPT.as_millis()
);
const _: () = assert!(
    SEEKS_PER_MEMBER_MAX * 1_000 <= SEEKS_MAX
        && SEEKS_PER_MEMBER_MAX <= CHALLENGES_PER_HOUR as usize,
    "it takes a thousand members to take the place of everybody else's seeks"
);
const _: () = assert!(
    0 < ABORTS_MAX && ABORTS_MAX <= ABORTS_OF && PAUSE.as_millis() <= PAUSE_MAX.as_millis()
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
const _: () = assert!(
    2 * LINK_FRAME_MAX <= BUS_MESSAGE_MAX && 2 * LINK_BATCH_BYTES <= BUS_MESSAGE_MAX,
    "a batch and its header fit into a message of the bus"
);
const _: () = assert!(
    LINK_PEERS_MAX * 32 <= BUS_MESSAGE_MAX,
    "a heartbeat that counts the frames of all links fits into a message of the bus"
);
const _: () = assert!(
    4 * LINK_FRAME_MAX <= LINK_QUEUE_BYTES_MAX && LINK_BATCH_BYTES <= LINK_QUEUE_BYTES_MAX,
    "a few of the longest frames may wait for a node"
);
const _: () = assert!(
    (LINK_HEARTBEAT_TICKS + LINK_TAIL_TICKS) as u128 * LINK_TICK.as_millis() < 500,
    "lost frames are found within half a second"
);
const _: () = assert!(
    LINK_ECHOES_MISSED_MAX as u128 * LINK_HEARTBEAT_TICKS as u128 * LINK_TICK.as_millis() == 1_000
        && LINK_SILENT_TICKS as u128 * LINK_TICK.as_millis() == 2_000
        && LINK_SILENT_TICKS < LINK_FORGOTTEN_TICKS,
    "a node that is cut off notices before the others disconnect its sessions"
);
const _: () = assert!(
    BLIND_BEATS_MAX as u128 * HEARTBEAT_INTERVAL.as_millis()
        >= LINK_ECHOES_MISSED_MAX as u128 * LINK_HEARTBEAT_TICKS as u128 * LINK_TICK.as_millis()
            + 4 * HEARTBEAT_INTERVAL.as_millis(),
    "the bus may be gone for all, although others report that they have just seen it"
);
const _: () = assert!(
    HEARTBEAT_ANSWERED_WITHIN.as_millis() <= CLOCK_DRIFT_WARNED.as_millis()
        && CLOCK_DRIFT_WARNED.as_millis() < CLOCK_DRIFT_MAX.as_millis(),
    "the time that an answer takes is no drift"
);
const _: () = assert!(
    STALE_AFTER.as_millis() < NODE_DEAD_AFTER.as_millis(),
    "a node that others are about to declare dead lets nobody into its rooms"
);
const _: () = assert!(
    2 * HEARTBEAT_INTERVAL.as_millis() <= STALE_AFTER.as_millis()
        && HEARTBEAT_ANSWERED_WITHIN.as_millis() <= HEARTBEAT_INTERVAL.as_millis(),
    "one slow heartbeat makes no node stale"
);
const _: () = assert!(
    2 * PEER_LIST_INTERVAL.as_millis() < PEER_LIST_KEPT.as_millis()
        && PEER_LIST_KEPT.as_millis() < LISTS_WANTED_FOR.as_millis(),
    "one list that is lost removes no rooms"
);
const _: () = assert!(
    ADDRESSES_REPORTED_MAX * (74 + 5 * 31) + 128 <= LINK_FRAME_MAX,
    "a report of addresses fits into a message to all nodes: at most 74 bytes for one with rates, and \
     five times 31 for networks"
);
const _: () = assert!(
    2 * ADDRESS_USE_INTERVAL.as_millis() < ADDRESS_USE_KEPT.as_millis(),
    "one report that is lost frees nobody"
);
const _: () = assert!(
    ROOMS_MAX * 1024 + 1024 <= LINK_FRAME_MAX,
    "a list of rooms fits into a message to all nodes"
);
const _: () = assert!(
    2 * NODE_DEAD_AFTER.as_millis() < ANSWER_AWAITED.as_millis()
        && ANSWER_AWAITED.as_millis() < ANSWERED_WITHIN.as_millis(),
    "clients that come to another node when theirs dies keep their sockets there"
);
const _: () = assert!(
    UNANSWERED_COMMANDS_MAX <= REFUSED_COMMANDS_KEPT,
    "what a session has sent twice is remembered if all of it is refused"
);
const _: () = assert!(
    MEMBER_SESSIONS_MAX * UNANSWERED_COMMANDS_MAX <= ANSWERS_MAX,
    "a room remembers the answers of all commands that a relay may send again"
);
