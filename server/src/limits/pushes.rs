//! The limits of pushes.

use std::time::Duration;

use fivefold_storage::limits::{DAY, PUSH_SUBSCRIPTIONS_MAX};

/// Most pushes of a node that wait, or are on their way.
pub const PUSHES_WAITING_MAX: usize = 1_000;
/// Most of them for one account: a few for each of its browsers.
pub const PUSHES_OF_ACCOUNT_MAX: usize = 30;
/// Most pushes on their way at once. One account has one of them, so that slow endpoints of a few take no others' turns.
pub const PUSHES_RUNNING_MAX: usize = 16;
/// Most events that wait for the task that decides who gets a push.
pub const PUSH_NEWS_MAX: usize = 1_000;
/// A push that did not reach its service, or that the service wants later, is sent so often at most.
pub const PUSH_TRIES_MAX: u8 = 3;
/// A push is sent again after this time if its service did not say when.
pub const PUSH_AGAIN_AFTER: Duration = Duration::from_secs(60);
/// Most games whose members are told in one sweep; more wait for the next one.
pub const PUSHES_DUE_MAX: usize = 200;
/// How often a node looks for turns that were not reported to it.
pub const PUSH_TURNS_INTERVAL: Duration = Duration::from_secs(15 * 60);
/// If a node finds a turn later than this, the member is no longer told that it is their turn.
pub const PUSH_TURN_LATE: Duration = Duration::from_secs(30 * 60);
/// A node that may not push looks in this interval whether that has changed.
pub const PUSH_LOOK_INTERVAL: Duration = Duration::from_secs(30);
/// A push service keeps a push for this time at most.
pub const PUSH_KEPT_MAX: Duration = DAY.saturating_mul(7);
/// A push that is of no use later is kept for this time.
pub const PUSH_KEPT_SHORT: Duration = DAY;
/// A push about a game that has begun is kept for this time: by then the opponent has won it or left.
pub const PUSH_KEPT_LIVE: Duration = Duration::from_secs(2 * 60);
/// Most e-mails on their way at once: SMTP servers take few connections from one address.
pub const MAILS_RUNNING_MAX: usize = 3;
/// An e-mail is tried so often at most.
pub const MAIL_TRIES_MAX: u8 = 8;
/// It is tried again after these times, if the SMTP server cannot be reached or wants it later; after the last one more
/// than once.
pub const MAIL_AGAIN_AFTER: [Duration; 4] = [
    Duration::from_secs(60),
    Duration::from_secs(5 * 60),
    Duration::from_secs(15 * 60),
    Duration::from_secs(60 * 60),
];
/// A decision is told this long after it was made, so that its commit is done even if clocks differ a little.
pub const REPORTS_TOLD_AFTER: Duration = Duration::from_secs(2);
/// A message that a member has asked for is sent within this time, or not at all.
pub const LETTER_KEPT: Duration = DAY;
/// A recovery code that was sent by e-mail is valid for this time.
pub const MAILED_CODE_KEPT: Duration = Duration::from_secs(60 * 60);

const _: () = assert!(
    PUSHES_OF_ACCOUNT_MAX >= PUSH_SUBSCRIPTIONS_MAX
        && PUSHES_WAITING_MAX >= 30 * PUSHES_OF_ACCOUNT_MAX
        && PUSHES_RUNNING_MAX < PUSHES_WAITING_MAX,
    "one event reaches all browsers of an account, and no account takes all places"
);
