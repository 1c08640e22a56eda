//! The limits of accounts: their names, passwords, sessions, and how often each thing may be tried.

use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Shortest password, in characters.
pub const PASSWORD_MIN: usize = 10;
/// Longest password, in characters.
pub const PASSWORD_MAX: usize = 128;
/// Passwords that are hashed at once, on threads of their own.
pub const HASHES_MAX: usize = 2;
/// Most passwords that wait for that. Further ones are refused.
pub const HASH_QUEUE_MAX: usize = 64;
/// Memory that hashing a password takes, in KiB.
pub const HASH_MEMORY_KIB: u32 = 19 * 1024;
/// How often the hash goes over its memory.
pub const HASH_PASSES: u32 = 2;
/// Recovery codes of an account.
pub const RECOVERY_CODES: usize = 8;
/// Letters of a recovery code: about 79 bits.
pub const RECOVERY_CODE_LENGTH: usize = 16;
/// Longest body of a request about accounts, in bytes.
pub const ACCOUNT_BODY_MAX: usize = 4 * 1024;
/// Most sessions of one account. A new one takes the place of the one seen least recently.
pub const ACCOUNT_SESSIONS_MAX: usize = 50;
/// Longest label of a session, in characters.
pub const SESSION_LABEL_MAX: usize = 80;
/// A session ends when it was not used for this time.
pub const SESSION_KEPT: Duration = DAY.saturating_mul(90);
/// It ends after this time in any case.
pub const SESSION_AGE_MAX: Duration = DAY.saturating_mul(365);
/// The use of a session is stored at most this often.
pub const SESSION_SEEN_AGAIN_AFTER: Duration = DAY;
/// The name of an account may change once in this time.
pub const RENAMED_AGAIN_AFTER: Duration = DAY.saturating_mul(30);
/// How long a member can take back the deletion of their account.
pub const DELETED_ACCOUNT_KEPT: Duration = DAY.saturating_mul(14);
/// After that, nobody else may take the name for this time.
pub const DELETED_NAME_KEPT: Duration = DAY.saturating_mul(365);
/// Most sessions and accounts deleted in one commit.
pub const PRUNED_ACCOUNTS_MAX: usize = 100;
/// Most games in the export of an account: the newest.
pub const EXPORTED_GAMES_MAX: usize = 10_000;

/// Accounts made at one address in [`SIGN_UPS_WITHIN`].
pub const SIGN_UPS_MAX: u32 = 5;
/// See [`SIGN_UPS_MAX`].
pub const SIGN_UPS_WITHIN: Duration = HOUR;
/// Times that one address tries to sign in by one name in [`SIGN_INS_WITHIN`].
pub const SIGN_INS_MAX: u32 = 10;
/// See [`SIGN_INS_MAX`].
pub const SIGN_INS_WITHIN: Duration = MINUTE.saturating_mul(10);
/// Times that all addresses together, except for those where the account was used before, try to sign
/// in by one name in [`NAME_SIGN_INS_WITHIN`].
pub const NAME_SIGN_INS_MAX: u32 = 100;
/// See [`NAME_SIGN_INS_MAX`].
pub const NAME_SIGN_INS_WITHIN: Duration = HOUR;
/// Times that one address, and all addresses for one name, try a recovery code in
/// [`RECOVERIES_WITHIN`].
pub const RECOVERIES_MAX: u32 = 5;
/// See [`RECOVERIES_MAX`].
pub const RECOVERIES_WITHIN: Duration = HOUR;
/// Most addresses and names of each kind whose tries are counted: the latest.
pub const TRIES_KEPT: usize = 10_000;

const _: () = assert!(PASSWORD_MIN < PASSWORD_MAX && 4 * PASSWORD_MAX * 2 < ACCOUNT_BODY_MAX);
const _: () = assert!(HASHES_MAX <= HASH_QUEUE_MAX && ACCOUNT_BODY_MAX <= super::HTTP_BODY_MAX);
const _: () = assert!(
    SESSION_SEEN_AGAIN_AFTER.as_secs() < SESSION_KEPT.as_secs()
        && SESSION_KEPT.as_secs() < SESSION_AGE_MAX.as_secs(),
    "a session that is used every day does not end before its greatest age"
);
const _: () = assert!(
    SIGN_INS_MAX as u64 * NAME_SIGN_INS_WITHIN.as_secs() / SIGN_INS_WITHIN.as_secs()
        <= NAME_SIGN_INS_MAX as u64,
    "one address alone does not use up what a name allows"
);
