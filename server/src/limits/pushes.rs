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
/// A node that may not push looks in this interval whether that has changed.
pub const PUSH_LOOK_INTERVAL: Duration = Duration::from_secs(30);
/// A push service keeps a push for this time at most.
pub const PUSH_KEPT_MAX: Duration = DAY.saturating_mul(7);
/// A push that is of no use later is kept for this time.
pub const PUSH_KEPT_SHORT: Duration = DAY;

const _: () = assert!(
    PUSHES_OF_ACCOUNT_MAX >= PUSH_SUBSCRIPTIONS_MAX
        && PUSHES_WAITING_MAX >= 30 * PUSHES_OF_ACCOUNT_MAX
        && PUSHES_RUNNING_MAX < PUSHES_WAITING_MAX,
    "one event reaches all browsers of an account, and no account takes all places"
);
