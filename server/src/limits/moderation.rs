//! The limits of blocks, reports, sanctions, and of what is refused during rated games.

use std::time::Duration;

use fivefold_storage::limits::{
    BLOCKED_BY_MAX, BLOCKS_MAX, CASE_ROWS_MAX, DAY, EXAMINED_KEPT, QUEUE_MAX, STANDING_GAMES_MAX,
};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// How many changes an account may make in [`CHANGES_WITHIN`] to what the server keeps for it: friends, blocks, notes,
/// plans and settings. All guests at one address together may make as many.
pub const CHANGES_MAX: u32 = 120;
/// Such changes of all accounts at one address.
pub const ACCOUNT_CHANGES_AT_ADDRESS_MAX: u32 = 10 * CHANGES_MAX;
/// See [`CHANGES_MAX`].
pub const CHANGES_WITHIN: Duration = HOUR;
/// Longest text of a report, an appeal or a reason, in characters.
pub const CASE_TEXT_MAX: usize = 280;
/// Nodes end the sockets of accounts that the command line has deleted within this time.
pub const DELETED_LOOK_BACK: Duration = Duration::from_secs(10 * 60);
/// Longest time of a sanction with an end, in days.
pub const SANCTION_DAYS_MAX: u32 = 3_650;
/// How often a node looks for sanctions that others have made.
pub const SANCTIONS_LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// The steps of a reporter's standing by the age of the account.
pub const STANDING_AGES: [Duration; 3] = [DAY, DAY.saturating_mul(7), DAY.saturating_mul(30)];
/// And by the number of finished games.
pub const STANDING_GAMES: [usize; 3] = [1, 10, STANDING_GAMES_MAX];
/// How often a node counts what waits for operators, for its metrics.
pub const QUEUE_LOOK_INTERVAL: Duration = Duration::from_secs(10);
/// Of the last lines of chat, so many can be reported as the server has sent them.
pub const CHAT_LINES_KEPT: usize = 5_000;
/// Most lines of chat kept for sleeping rooms; about 250 bytes each.
pub const SLEEPING_CHAT_LINES_MAX: usize = 100_000;
/// Last games of a person that the signals for operators are computed from.
pub const SIGNAL_GAMES_MAX: usize = 300;
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
