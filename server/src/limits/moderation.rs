//! The limits of blocks, reports, sanctions, and of what is refused during rated games.

use std::time::Duration;

use super::DAY;

const HOUR: Duration = Duration::from_secs(60 * 60);

/// Most people on one member's list of those they have blocked or muted.
pub const BLOCKS_MAX: usize = 100;
/// Of the people who have blocked a member, so many newest are known to the member's sessions. Those
/// beyond still see nothing of the member.
pub const BLOCKED_BY_MAX: usize = 1_000;
/// Changes of such lists from one address in [`BLOCKS_WITHIN`].
pub const BLOCK_CHANGES_MAX: u32 = 120;
/// See [`BLOCK_CHANGES_MAX`].
pub const BLOCKS_WITHIN: Duration = HOUR;
/// How long the lists of members are kept who never took a seat.
pub const UNKNOWN_BLOCKS_KEPT: Duration = DAY.saturating_mul(30);
/// Reports by one member, and from one address (IPv6: one /64 network; four times as many from a /56,
/// sixteen times as many from a /48), in [`REPORTS_WITHIN`].
pub const REPORTS_MAX: u32 = 10;
/// See [`REPORTS_MAX`].
pub const REPORTS_WITHIN: Duration = DAY;
/// Longest text of a report, an appeal or a reason, in characters.
pub const CASE_TEXT_MAX: usize = 280;
/// Reports that are decided are kept for this time.
pub const CLOSED_REPORT_KEPT: Duration = DAY.saturating_mul(365);
/// The names, reasons and appeals of sanctions against people without an account are kept for this time
/// after the sanction is over; those of accounts for as long as the account.
pub const SANCTION_TEXT_KEPT: Duration = DAY.saturating_mul(365);
/// Nodes end the sockets of accounts that the command line has deleted within this time.
pub const DELETED_LOOK_BACK: Duration = Duration::from_secs(10 * 60);
/// Most sanctions that hold at once: all nodes have them in memory.
pub const SANCTIONS_MAX: usize = 10_000;
/// Longest time of a sanction with an end, in days.
pub const SANCTION_DAYS_MAX: u32 = 3_650;
/// How often a node looks for sanctions that others have made.
pub const SANCTIONS_LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Most open reports by accounts, most by guests, and most open appeals in the operator's queue.
pub const QUEUE_MAX: usize = 500;
/// The steps of a reporter's standing by the age of the account.
pub const STANDING_AGES: [Duration; 3] = [DAY, DAY.saturating_mul(7), DAY.saturating_mul(30)];
/// And by the number of finished games.
pub const STANDING_GAMES: [usize; 3] = [1, 10, 50];
/// Finished games of a reporter are counted up to this number.
pub const STANDING_GAMES_MAX: usize = STANDING_GAMES[2];
/// How often a node counts what waits for operators, for its metrics.
pub const QUEUE_LOOK_INTERVAL: Duration = Duration::from_secs(10);
/// Most reports about one person, and most sanctions, that an operator sees.
pub const CASE_ROWS_MAX: usize = 100;
/// Of the last lines of chat, so many can be reported as the server has sent them.
pub const CHAT_LINES_KEPT: usize = 5_000;
/// Most rows deleted in one commit.
pub const PRUNED_MODERATION_MAX: usize = 100;
/// Last games of a person that the signals for operators are computed from.
pub const SIGNAL_GAMES_MAX: usize = 300;
/// How long the server keeps what it has noted about rated games for operators: whether both players
/// came from one network, who left before the beginning, and what an examination has shown.
pub const EXAMINED_KEPT: Duration = DAY.saturating_mul(90);
/// Most examined games, the newest, that an operator's queue is made from.
pub const EXAMINED_MAX: usize = 10_000;
/// Most marks, the newest, that an operator's queue is made from, and that the export of an account has.
pub const MARKS_MAX: usize = 10_000;
/// Rated games that ended longer ago are not examined any more.
pub const EXAMINED_WITHIN: Duration = DAY.saturating_mul(3);
/// A server that has begun to examine a game and not finished by then has failed.
pub const EXAMINATION_STALE: Duration = HOUR;
/// How long the engine may think about one game.
pub const EXAMINATION_TIME_MAX: Duration = Duration::from_secs(10 * 60);
/// Games that the engine looks at in a day, on all nodes together. Others are examined without it.
pub const ENGINE_GAMES_A_DAY: usize = 2_000;

/// Positions of running rated games that are known at once, by their layouts.
pub const RATED_ROOMS_MAX: usize = 20_000;
/// How often a node tells the others the positions of its rated games, if they have changed.
pub const RATED_REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// And how often in any case.
pub const RATED_REPEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Positions of so many stones are known to everybody: help with them is never refused.
pub const FREE_STONES_MAX: usize = 6;

const _: () = assert!(
    EXAMINED_WITHIN.as_secs() < EXAMINED_KEPT.as_secs()
        && EXAMINATION_TIME_MAX.as_secs() < EXAMINATION_STALE.as_secs(),
    "no game is examined twice"
);
const _: () = assert!(BLOCKS_MAX <= BLOCKED_BY_MAX && CASE_ROWS_MAX <= QUEUE_MAX);
const _: () = assert!(
    4 * CASE_TEXT_MAX * 2 < super::accounts::ACCOUNT_BODY_MAX,
    "a report with its line of chat fits into a request"
);
