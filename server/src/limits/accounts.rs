//! The limits of accounts: their names, passwords, sessions, and how often each thing may be tried.

use std::time::Duration;

use fivefold_shared::conditional_moves::CONDITIONAL_MOVES_WRITTEN_MAX;
use fivefold_storage::limits::{DAY, OLD_NAME_KEPT};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Shortest password, in characters.
pub const PASSWORD_MIN: usize = 10;
/// Longest password, in characters.
pub const PASSWORD_MAX: usize = 128;
/// Passwords that are hashed at once in each of two queues, each on a thread of its own.
pub const HASHES_MAX: usize = 1;
/// Most passwords in the queue of those who are signed in, or sign in where their account was used before.
/// Further ones are refused.
pub const HASH_QUEUE_MAX: usize = 16;
/// Most of them at one address.
pub const HASHES_PER_ADDRESS_MAX: usize = 8;
/// As [`HASH_QUEUE_MAX`], in the queue of everybody else.
pub const STRANGERS_HASH_QUEUE_MAX: usize = 48;
/// Places beside them for guests who have taken a seat before.
pub const GUESTS_HASH_QUEUE_MAX: usize = 16;
/// Passwords of that queue that are hashed for one address without a pause.
pub const ADDRESS_HASHES_AT_ONCE: u32 = 10;
/// The time between two hashes for one address after that.
pub const ADDRESS_HASH_INTERVAL: Duration = Duration::from_secs(1);
/// Passwords of that queue that are hashed without a pause.
pub const STRANGERS_HASHES_AT_ONCE: u32 = 40;
/// How many are hashed a second after that: with about 12 ms each, a sixteenth of a processor.
pub const STRANGERS_HASHES_PER_SECOND: f64 = 5.0;
/// Answers of passkeys that are checked at once, on threads of their own.
pub const PASSKEY_CHECKS_MAX: usize = 2;
/// Most answers of passkeys that are checked or wait for that. Further ones are refused.
pub const PASSKEY_CHECK_QUEUE_MAX: usize = 64;
/// Most of them for one address.
pub const PASSKEY_CHECKS_PER_ADDRESS_MAX: usize = 8;
/// A password is hashed only when nobody else needs the processor. Where that does not end in this time, it is
/// hashed again at the bots' priority.
pub const HASH_RESCUED_AFTER: Duration = Duration::from_millis(250);
/// Memory that hashing a password takes, in KiB.
pub const HASH_MEMORY_KIB: u32 = 19 * 1024;
/// How often the hash goes over its memory.
pub const HASH_PASSES: u32 = 2;
/// Recovery codes of an account.
pub const RECOVERY_CODES: usize = 8;
/// Letters of a recovery code: about 79 bits.
pub const RECOVERY_CODE_LENGTH: usize = 16;
/// Longest body of a request about accounts, in bytes.
pub const ACCOUNT_BODY_MAX: usize = 8 * 1024;
/// Longest body of a request that plans conditional moves, in bytes: enough for the most moves, with the longest
/// coordinates, in as many lines as possible. Each line repeats the moves that it shares with others, so a plan is
/// longer than other requests about accounts.
pub const CONDITIONAL_MOVES_BODY_MAX: usize = 44 * 1024;
/// Longest label of a session, a passkey or a token, in characters.
pub const SESSION_LABEL_MAX: usize = 80;
/// Batches of games for collections that are checked and stored at once. With more, moves would wait longer.
pub const COLLECTED_BATCHES_MAX: usize = 1;
/// Most such batches that are being stored or wait. Further ones are refused.
pub const COLLECTED_BATCH_QUEUE_MAX: usize = 32;
/// Most of them for one address.
pub const COLLECTED_BATCHES_PER_ADDRESS_MAX: usize = 4;
/// Longest name of a player that somebody may search a collection for, in characters.
pub const SEARCHED_PLAYER_MAX: usize = 100;
/// Longest note about a game, in characters.
pub const NOTE_LENGTH_MAX: usize = 1_000;
/// Longest id that a device may give a passkey, in bytes.
pub const PASSKEY_ID_MAX: usize = 1_023;
/// How long a token is valid if its member does not say.
pub const TOKEN_KEPT: Duration = DAY.saturating_mul(365);
/// The longest that a token may be valid.
pub const TOKEN_KEPT_MAX: Duration = DAY.saturating_mul(5 * 365);
/// What changes the keys of an account asks for a key that was used within this time.
pub const PROVED_WITHIN: Duration = MINUTE.saturating_mul(10);
/// Accounts that people for whom the OpenID provider vouches may make at one address in [`SIGN_UPS_WITHIN`]:
/// an evening of a club.
pub const VOUCHED_SIGN_UPS_MAX: u32 = 50;
/// People who may sign in through the OpenID provider at once.
pub const OIDC_CALLS_MAX: usize = 16;
/// Most of them at one address.
pub const OIDC_CALLS_PER_ADDRESS_MAX: usize = 4;
/// How long a request to the provider may take.
pub const OIDC_CALL_WITHIN: Duration = Duration::from_secs(10);
/// Longest answer of the provider, in bytes.
pub const OIDC_ANSWER_MAX: usize = 256 * 1024;
/// How long it is kept what the provider says about itself.
pub const OIDC_METADATA_KEPT: Duration = HOUR;
/// Longest subject, in bytes (OpenID Connect Core 1.0, section 2).
pub const OIDC_SUBJECT_MAX: usize = 255;
/// Times that one address may go to the provider in [`OIDC_STARTS_WITHIN`].
pub const OIDC_STARTS_MAX: u32 = 20;
/// See [`OIDC_STARTS_MAX`].
pub const OIDC_STARTS_WITHIN: Duration = MINUTE.saturating_mul(10);
/// How long a challenge for a passkey is valid, and how long a browser may be at the provider.
pub const CHALLENGE_KEPT: Duration = MINUTE.saturating_mul(5);
/// How long the code of another device is valid that wants to sign in.
pub const DEVICE_CODE_KEPT: Duration = MINUTE.saturating_mul(10);
/// How often a device may ask whether its code was allowed.
pub const DEVICE_POLL_AFTER: Duration = Duration::from_secs(5);
/// Wrong tries of one address at codes of devices in [`DEVICE_CODE_KEPT`].
pub const DEVICE_TRIES_MAX: u32 = 5;
/// Questions that a device may ask at once after a pause.
pub const DEVICE_POLLS_MAX: u32 = 3;
/// Codes that one address gets for devices in [`DEVICE_CODES_WITHIN`].
pub const DEVICE_CODES_MAX: u32 = 10;
/// See [`DEVICE_CODES_MAX`].
pub const DEVICE_CODES_WITHIN: Duration = HOUR;
/// Letters of the code of a device, which somebody types.
pub const DEVICE_CODE_LENGTH: usize = 8;
/// How long a link that signs in another device is valid.
pub const LINK_KEPT: Duration = MINUTE.saturating_mul(2);
/// Most challenges, codes of devices and links that wait at one node: the latest.
pub const SHORT_LIVED_MAX: usize = 10_000;
/// Most of them for one address: the latest.
pub const SHORT_LIVED_PER_ADDRESS_MAX: usize = 100;
/// A session ends when it was not used for this time.
pub const SESSION_KEPT: Duration = DAY.saturating_mul(90);
/// It ends after this time in any case.
pub const SESSION_AGE_MAX: Duration = DAY.saturating_mul(365);
/// The use of a session is stored at most this often.
pub const SESSION_SEEN_AGAIN_AFTER: Duration = DAY;
/// The name of an account may change once in this time.
pub const RENAMED_AGAIN_AFTER: Duration = DAY.saturating_mul(30);
/// How often an account may begin time off in a day, as many times at once after a pause, at each node. A restart
/// forgets it.
pub const TIMES_OFF_BEGUN_MAX: u32 = 10;
/// A member gets one push in this time about challenges from the same friend; another one if they have accepted a
/// challenge.
pub const CHALLENGE_PUSHED_AGAIN_AFTER: Duration = HOUR.saturating_mul(6);
/// In that time, a member gets this many notices about such challenges on an open page.
pub const CHALLENGE_NOTICES_MAX: u32 = 5;
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
/// Most e-mails that one network asks for in [`MAILS_WITHIN`].
pub const MAILS_MAX: u32 = 10;
/// Most links that confirm an address in a day to one mailbox, and most mailed codes in a day for one account.
pub const MAILS_TO_MAX: u32 = 3;
/// Most e-mail addresses that an account names in a day.
pub const ADDRESSES_NAMED_MAX: u32 = 5;
/// See [`MAILS_MAX`].
pub const MAILS_WITHIN: Duration = HOUR;
/// Times that one address, and all addresses for one name, try a recovery code in
/// [`RECOVERIES_WITHIN`].
pub const RECOVERIES_MAX: u32 = 5;
/// See [`RECOVERIES_MAX`].
pub const RECOVERIES_WITHIN: Duration = HOUR;
/// Most addresses where an account is known: the latest.
pub const KNOWN_ADDRESSES_MAX: usize = 16;
/// Most addresses and names of each kind whose tries are counted: the latest. Names of accounts count apart from
/// made-up ones, and those with no try left are kept longest.
pub const TRIES_KEPT: usize = 10_000;

const _: () = assert!(PASSWORD_MIN < PASSWORD_MAX && 4 * PASSWORD_MAX * 2 < ACCOUNT_BODY_MAX);
const _: () = assert!(HASHES_MAX <= HASH_QUEUE_MAX && HASHES_MAX <= STRANGERS_HASH_QUEUE_MAX);
const _: () = assert!(ACCOUNT_BODY_MAX <= super::HTTP_BODY_MAX);
const _: () = assert!(4 * NOTE_LENGTH_MAX * 2 < ACCOUNT_BODY_MAX);
const _: () = assert!(
    CONDITIONAL_MOVES_WRITTEN_MAX * "[-1000000,-1000000],".len()
        + CONDITIONAL_MOVES_WRITTEN_MAX / 2 * "[],".len()
        + 1024
        <= CONDITIONAL_MOVES_BODY_MAX
        && CONDITIONAL_MOVES_BODY_MAX <= super::HTTP_BODY_MAX,
    "a body has room for every plan"
);
const _: () = assert!(
    RENAMED_AGAIN_AFTER.as_secs() * 13 > OLD_NAME_KEPT.as_secs(),
    "an account has at most a dozen old names"
);
const _: () = assert!(
    2 * HASHES_PER_ADDRESS_MAX <= HASH_QUEUE_MAX
        && ADDRESS_HASHES_AT_ONCE * 4 <= STRANGERS_HASHES_AT_ONCE
        && 2 * PASSKEY_CHECKS_PER_ADDRESS_MAX <= PASSKEY_CHECK_QUEUE_MAX
        && 2 * COLLECTED_BATCHES_PER_ADDRESS_MAX <= COLLECTED_BATCH_QUEUE_MAX
        && 2 * OIDC_CALLS_PER_ADDRESS_MAX <= OIDC_CALLS_MAX
        && 2 * SHORT_LIVED_PER_ADDRESS_MAX <= SHORT_LIVED_MAX,
    "nobody alone takes the place of everybody else"
);
const _: () = assert!(PASSKEY_CHECKS_MAX <= PASSKEY_CHECK_QUEUE_MAX);
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
