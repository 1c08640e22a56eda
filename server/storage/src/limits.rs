//! Limits of what is stored, read and kept.

use std::time::Duration;

/// A day, in which many limits count.
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest time for PostgreSQL to answer a commit. The connection is then dropped, and the commit is
/// in doubt.
pub const DATABASE_ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// The same for reading, such as the logs of [`CLAIMED_ROOMS_MAX`] rooms.
pub const DATABASE_READ_WITHIN: Duration = Duration::from_secs(20);
/// The same for creating tables, checking and copying a database.
pub const DATABASE_MAINTENANCE_WITHIN: Duration = DAY;
/// Longest time to connect to one host of a PostgreSQL database.
pub const DATABASE_CONNECT_WITHIN: Duration = Duration::from_secs(2);
/// After a failed connection, requests fail at once for this time.
pub const DATABASE_RECONNECT_REST: Duration = Duration::from_millis(100);
/// The same for a heartbeat.
pub const DATABASE_HEARTBEAT_WITHIN: Duration = Duration::from_secs(1);
/// Transactions of one connection that should run in the same session of the database.
pub const DATABASE_POOLER_LOOKS: u32 = 3;
/// A standby that does not answer a reader in this time is not asked; the primary is.
pub const REPLICA_ANSWER_WITHIN: Duration = Duration::from_millis(500);
/// A standby that is further behind is not asked.
pub const REPLICA_LAG_MAX: Duration = Duration::from_secs(1);
/// How often a standby is looked at.
pub const REPLICA_LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// Positions in the primary's log that are kept while the standby lacks them.
pub const REPLICA_POSITIONS_MAX: usize = 1_000;
/// Time between the heartbeats of a server that has a PostgreSQL database for itself.
pub const SOLE_NODE_HEARTBEAT: Duration = Duration::from_millis(250);
/// A server that finds the node of another one starts if it has no heartbeat for this time.
pub const SOLE_NODE_WATCHES: Duration = Duration::from_secs(2);
/// Connections to PostgreSQL that read finished games and members.
pub const DATABASE_READERS: usize = 4;
/// Connections to PostgreSQL by which a node of a cluster finds rooms of others.
pub const ROOM_READERS: usize = 2;
/// Rooms whose events share one partition in PostgreSQL.
pub const EVENT_PARTITION_ROOMS: i64 = 1 << 20;
/// Partitions that are made before their first room.
pub const EVENT_PARTITIONS_AHEAD: i64 = 2;
/// Most requests waiting for the log writer.
pub const WRITER_QUEUE_MAX: usize = 1_024;
/// Most rooms claimed in one commit, when the server starts or another node is dead.
pub const CLAIMED_ROOMS_MAX: usize = 64;
/// Most room logs deleted in one commit.
pub const PRUNED_LOGS_MAX: usize = 32;
/// Most members deleted in one commit.
pub const PRUNED_MEMBERS_MAX: usize = 1_000;

/// Most sessions of one account. A new one takes the place of the one seen least recently.
pub const ACCOUNT_SESSIONS_MAX: usize = 50;
/// Most passkeys of one account.
pub const PASSKEYS_MAX: usize = 16;
/// Most tokens of one account.
pub const TOKENS_MAX: usize = 16;
/// Most bots of one account.
pub const BOTS_MAX: usize = 8;
/// Most guests that belong to one account.
pub const ALIASES_MAX: usize = 16;
/// For this time a name that an account had before leads to it, and nobody else may take it.
pub const OLD_NAME_KEPT: Duration = DAY.saturating_mul(365);
/// How long a member can take back the deletion of their account.
pub const DELETED_ACCOUNT_KEPT: Duration = DAY.saturating_mul(14);
/// After that, nobody else may take the name for this time.
pub const DELETED_NAME_KEPT: Duration = DAY.saturating_mul(365);
/// Most sessions and accounts deleted in one commit.
pub const PRUNED_ACCOUNTS_MAX: usize = 100;

/// Most friends of one member.
pub const FRIENDS_MAX: usize = 200;
/// Most requests for friends by one member that wait for an answer, and most that wait for one member.
pub const FRIEND_REQUESTS_MAX: usize = 50;
/// Somebody whose request was declined may ask the same person again after this time.
pub const FRIEND_DECLINED_PAUSE: Duration = DAY.saturating_mul(7);
/// A challenge to a friend waits so long for an answer.
pub const FRIEND_CHALLENGE_KEPT: Duration = DAY.saturating_mul(14);
/// While such a challenge is being accepted, no other attempt can accept it for this time. After that, the server that
/// was accepting it must have failed.
pub const FRIEND_CHALLENGE_TAKEN: Duration = Duration::from_secs(60);
/// Most such challenges by one member, and most to one member.
pub const FRIEND_CHALLENGES_MAX: usize = 10;

/// Most collections of one account.
pub const COLLECTIONS_MAX: usize = 32;
/// Most games of a collection that one search looks at.
pub const COLLECTED_GAMES_SEARCHED_MAX: usize = 5_000;
/// Most games of deleted collections that are deleted in one commit.
pub const PRUNED_COLLECTED_GAMES_MAX: usize = 500;
/// Most deleted collections that one commit looks at: each takes some statements, and a move waits for all of them.
pub const PRUNED_COLLECTIONS_MAX: usize = 16;

/// Most notes of one account.
pub const NOTES_MAX: usize = 500;
/// Most decided reports that are read at once: more than are ever decided at the same time.
pub const DECIDED_ROWS_MAX: usize = 3 * QUEUE_MAX;
/// The secret that confirms an e-mail address is valid for this time.
pub const EMAIL_NAMED_KEPT: Duration = DAY;
/// Most browsers that an account subscribes for pushes. One more takes the place of the oldest.
pub const PUSH_SUBSCRIPTIONS_MAX: usize = 10;
/// A game that waits for a member is forgotten after this time: longer than any time for a move.
pub const PUSH_GAME_KEPT: Duration = DAY.saturating_mul(120);

/// Most people on one member's list of those they have blocked or muted.
pub const BLOCKS_MAX: usize = 100;
/// Of the people who have blocked a member, so many newest are known to the member's sessions. Those
/// beyond still see nothing of the member.
pub const BLOCKED_BY_MAX: usize = 1_000;
/// How long the lists of members are kept who never took a seat.
pub const UNKNOWN_BLOCKS_KEPT: Duration = DAY.saturating_mul(30);
/// Reports by one member, and from one address (IPv6: one /64 network; four times as many from a /56,
/// sixteen times as many from a /48), in [`REPORTS_WITHIN`].
pub const REPORTS_MAX: u32 = 10;
/// See [`REPORTS_MAX`].
pub const REPORTS_WITHIN: Duration = DAY;
/// Reports that are decided are kept for this time.
pub const CLOSED_REPORT_KEPT: Duration = DAY.saturating_mul(365);
/// The names, reasons and appeals of sanctions against people without an account are kept for this time
/// after the sanction is over; those of accounts for as long as the account.
pub const SANCTION_TEXT_KEPT: Duration = DAY.saturating_mul(365);
/// Most sanctions that hold at once: all nodes have them in memory.
pub const SANCTIONS_MAX: usize = 10_000;
/// Most open reports by accounts, most by guests, and most open appeals in the operator's queue.
pub const QUEUE_MAX: usize = 500;
/// Finished games of a reporter are counted up to this number.
pub const STANDING_GAMES_MAX: usize = 50;
/// Most reports about one person, and most sanctions, that an operator sees.
pub const CASE_ROWS_MAX: usize = 100;
/// Most rows deleted in one commit.
pub const PRUNED_MODERATION_MAX: usize = 100;
/// How long the server keeps what it has noted about rated games for operators: whether both players
/// came from one network, who left before the beginning, and what an examination has shown.
pub const EXAMINED_KEPT: Duration = DAY.saturating_mul(90);
/// Most examined games, the newest, that an operator's queue is made from.
pub const EXAMINED_MAX: usize = 10_000;
/// Most marks, the newest, that an operator's queue is made from, and that the export of an account has.
pub const MARKS_MAX: usize = 10_000;

/// Most tries of a member that count in [`PUZZLE_TRIES_WITHIN`].
pub const PUZZLE_TRIES_MAX: u64 = 20;
/// The time for so many tries.
pub const PUZZLE_TRIES_WITHIN: Duration = Duration::from_secs(60);
/// Most tries in the history of somebody's puzzle rating: the latest. The next puzzles are those that are not
/// in it, so there are no more puzzles than this.
pub const PUZZLE_HISTORY_MAX: usize = 2_000;

/// An address at which an account was used matters for its rated games for so long.
pub const TRACED_ADDRESS_KEPT: Duration = Duration::from_secs(60 * 60);
/// The same for a device.
pub const TRACED_DEVICE_KEPT: Duration = DAY.saturating_mul(90);
/// Most addresses, and most devices, that are kept of an account: the last ones.
pub const TRACES_MAX: usize = 32;
/// Most games in each pool that decide how a player's next game counts: the last ones of the day.
pub const MEETINGS_MAX: usize = 100;
/// Most places in a leaderboard.
pub const LEADERBOARD_PLACES_MAX: usize = 100;
/// The greatest deviation with a place in a leaderboard, in points.
pub const LEADERBOARD_DEVIATION_MAX: f64 = 75.0;
/// The least rated games in a pool with a place in its leaderboard.
pub const LEADERBOARD_GAMES_MIN: u64 = 20;
/// Players have a place in a leaderboard so long after their last rated game in the pool.
pub const LEADERBOARD_PLAYED_WITHIN: Duration = DAY.saturating_mul(30);
/// Games with bots of the server that give a first rating in a pool.
pub const PLACEMENT_GAMES: u64 = 3;
/// Stones of both sides in such a game, unless five decide it.
pub const PLACEMENT_PLIES_MIN: usize = 4;
/// Most changes in the history of a rating: the latest.
pub const RATING_HISTORY_MAX: usize = 10_000;
/// Members whose ratings a server remembers after their games.
pub const KNOWN_RATINGS_MAX: usize = 10_000;
/// Games of two players against each other are looked for among so many of each: the last ones.
pub const AGAINST_LOOKED_AT_MAX: usize = 10_000;

/// How many points of rating a band of similar players has.
pub const BAND_POINTS: f64 = 200.0;
