//! Accounts as they are stored: members who have signed up, what opens their accounts, and their
//! sessions. Nothing here knows how secrets are made or checked.

pub(super) mod collections;
pub(super) mod daily_seats;
pub(super) mod email;
pub(super) mod friends;
pub(super) mod notes;
pub(super) mod pushes;
pub(super) mod time_off;

use std::fmt;

use fivefold_shared::{
    clock::{NoTimeOff, millis},
    protocol::{ChallengesFrom, MemberId, Name, RoomCode},
};

use self::{
    daily_seats::ConditionalMovesStep,
    email::EmailStep,
    friends::{FriendRefused, FriendStep},
    time_off::TimeOffStep,
};
use super::{
    account_session::{AccountSession, Sessions},
    contradiction::Contradiction,
    dealings::Trace,
    hashes::{IdentityHash, KeyHash},
    keys::{ApiToken, KeyStep, Passkey},
};
use crate::limits::{DELETED_ACCOUNT_KEPT, DELETED_NAME_KEPT, OLD_NAME_KEPT};

/// A member who has signed up. Nobody else has a name that looks the same. Times are in milliseconds
/// since the Unix epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Account {
    /// The member.
    pub member: MemberId,
    /// The hash in the member's row, which belongs to no identity.
    pub hash: IdentityHash,
    /// The member's name.
    pub name: Name,
    /// When the member signed up.
    pub made_at: u64,
    /// When the name was changed last.
    pub renamed_at: Option<u64>,
    /// When the member asked for the deletion; absent if they have signed in since.
    pub deleted_at: Option<u64>,
    /// Whose bot it is; absent for people, and for a bot that is deleted for good.
    pub owner: Option<MemberId>,
}

/// A name that an account had before, which leads to the account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OldName {
    /// The name.
    pub name: Name,
    /// When the account got another one, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// The hash of a password, as a PHC string. `Debug` hides it, because it can be guessed.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(pub String);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(hidden)")
    }
}

/// What opens an account.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AccountKeys {
    /// The hash of the password; absent when there is none, or the account is deleted for good.
    pub password: Option<PasswordHash>,
    /// Number of recovery codes that are not used.
    pub codes_left: usize,
    /// The sessions, the one seen last first.
    pub sessions: Vec<AccountSession>,
    /// The passkeys, the oldest first.
    pub passkeys: Vec<Passkey>,
    /// The tokens, the oldest first.
    pub tokens: Vec<ApiToken>,
    /// The guests that belong to the account, the oldest first.
    pub aliases: Vec<MemberId>,
}

/// A change of one account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccountChange {
    /// The member.
    pub member: MemberId,
    /// The time, in milliseconds since the Unix epoch.
    pub at: u64,
    /// What changes.
    pub step: AccountStep,
}

/// What changes in an account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccountStep {
    /// Signs up a member.
    Make(Box<NewAccount>),
    /// Makes a bot of another account. Only tokens open it.
    MakeBot(Box<NewBot>),
    /// Begins a session by the password, and takes back a deletion.
    SignIn {
        /// The session. It takes the place of the one seen least recently if there are too many.
        session: AccountSession,
        /// The same password, hashed by newer parameters.
        rehashed: Option<PasswordHash>,
    },
    /// Begins a session by a recovery code, which is then used up, and a new password. Ends the other
    /// sessions, all passkeys and all tokens, also those of its bots, and takes back a deletion. Forgets the e-mail
    /// address; if the code was sent there, it ends all other recovery codes instead. Ends what was sent by e-mail.
    Recover {
        /// The code.
        code: KeyHash,
        /// The new password.
        password: PasswordHash,
        /// The session.
        session: AccountSession,
    },
    /// Notes that a session is used.
    Seen {
        /// The session.
        session: KeyHash,
        /// When it ends from now on.
        expires_at: u64,
    },
    /// Sets another password, and ends the other sessions and what was sent by e-mail.
    SetPassword {
        /// The new password.
        password: PasswordHash,
        /// The session that goes on.
        keep: KeyHash,
    },
    /// Replaces all recovery codes.
    SetCodes(Vec<KeyHash>),
    /// Adds a recovery code.
    AddCode(KeyHash),
    /// Changes the name. The old one leads to the account for a while, and is nobody else's.
    Rename {
        /// The new name.
        name: Name,
        /// Its likeness.
        likeness: String,
    },
    /// Ends sessions.
    End(Sessions),
    /// Ends all sessions and tokens, also those of its bots. The account is deleted after a while, with its
    /// bots, unless the member signs in.
    Delete,
    /// Deletes a guest for good, who has no account: their name, their lists, and what is stored about them.
    /// The identity belongs to nobody from then on.
    DeleteGuest {
        /// The hash of the guest's identity.
        hash: IdentityHash,
        /// Takes its place: random, so that it belongs to no identity.
        locked: IdentityHash,
    },
    /// Sets from whom the member takes challenges: with an account, or a guest who is stored.
    SetChallenges(ChallengesFrom),
    /// Changes what else opens the account.
    Key(KeyStep),
    /// Notes where the account is used. The oldest are forgotten: see
    /// [`TRACES_MAX`](crate::limits::TRACES_MAX).
    Trace(Vec<Trace>),
    /// Changes the e-mail address.
    Email(EmailStep),
    /// Changes the list of friends.
    Friend(FriendStep),
    /// Changes what the member has planned in a daily game.
    ConditionalMoves(ConditionalMovesStep),
    /// Writes the member's note about a room, of at most [`NOTES_MAX`](crate::limits::NOTES_MAX), in place of
    /// the one before.
    Note {
        /// The room.
        room: RoomCode,
        /// The note; empty to delete it.
        text: String,
    },
    /// Changes the member's time off from daily games.
    TimeOff(TimeOffStep),
}

/// A member who signs up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewAccount {
    /// The hash of the guest's identity, which ends with this; absent for somebody new.
    pub guest: Option<IdentityHash>,
    /// Takes its place: random, so that it belongs to no identity.
    pub locked: IdentityHash,
    /// The name.
    pub name: Name,
    /// Its likeness.
    pub likeness: String,
    /// The password, unless a passkey stands for it.
    pub password: Option<PasswordHash>,
    /// The first passkey.
    pub passkey: Option<Passkey>,
    /// The recovery codes.
    pub codes: Vec<KeyHash>,
    /// The first session.
    pub session: AccountSession,
}

/// A new bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewBot {
    /// The account of its owner.
    pub owner: MemberId,
    /// Random, so that it belongs to no identity.
    pub locked: IdentityHash,
    /// The name.
    pub name: Name,
    /// Its likeness.
    pub likeness: String,
}

/// What became of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccountChanged {
    /// It is stored.
    Done,
    /// Another account has a name that looks the same, or had it a while ago; nothing has changed.
    NameTaken,
    /// There is no such account, guest, code, session or key any more; nothing has changed.
    Gone,
    /// The account has as many of these as it may have; nothing has changed.
    Full,
    /// The two do not become friends; nothing has changed.
    NoFriend(FriendRefused),
    /// The member cannot have this time off; nothing has changed.
    NoTimeOff(NoTimeOff),
}

/// The name of members whose account is deleted.
pub const DELETED_NAME: &str = "Deleted player";

/// What contradicts itself in accounts, since there are bots.
pub(super) const CONTRADICTIONS: [Contradiction; 2] = [
    Contradiction {
        since: "account_owner",
        table: "account",
        rows: "owner IS NOT NULL AND NOT EXISTS (SELECT 1 FROM account AS own
             WHERE own.member = account.owner AND own.owner IS NULL)",
        problem: "bots belong to nobody, or to another bot",
        sets: Some("owner = NULL"),
    },
    Contradiction {
        since: "account_owner",
        table: "account",
        rows: "owner IS NOT NULL
             AND (member IN (SELECT member FROM key) OR member IN (SELECT member FROM passkey)
                 OR member IN (SELECT member FROM session))",
        problem: "bots are opened by more than tokens",
        sets: Some("owner = NULL"),
    },
];

/// Accounts that were deleted up to this time are removed for good.
pub(super) fn removed_before(now: u64) -> u64 {
    now.saturating_sub(millis(DELETED_ACCOUNT_KEPT))
}

/// Others may take the names of accounts that were deleted up to this time.
pub(super) fn forgotten_before(now: u64) -> u64 {
    now.saturating_sub(millis(DELETED_ACCOUNT_KEPT) + millis(DELETED_NAME_KEPT))
}

/// Others may take the names that accounts had up to this time.
pub(super) fn old_before(now: u64) -> u64 {
    now.saturating_sub(millis(OLD_NAME_KEPT))
}
