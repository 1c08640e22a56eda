//! Pushes as they are stored: the key that the server signs with, the browsers that accounts have subscribed, what
//! their members want to be told, and the games that wait for them. Nothing here sends anything.

use std::fmt;

use fivefold_shared::{
    clock::TimeOff,
    protocol::{MemberId, Name, RoomCode},
};
use serde::{Deserialize, Serialize};

use crate::{
    DailyTurn, Email, KeyHash, StorageError, contradiction::Contradiction, moderation::words,
};

/// What a server pushes with.
#[derive(Clone, PartialEq, Eq)]
pub struct PushServer {
    /// The secret key that signs its pushes, as PKCS #8. Browsers subscribe for this key: another one ends all
    /// subscriptions.
    pub key: Vec<u8>,
    /// The database in which an operator, or the first start, has allowed pushes: see [`PushReader::push_place`]. Empty
    /// in a backup.
    pub place: String,
    /// Reporters have been told of the reports that were decided up to this time, in milliseconds since the Unix epoch.
    pub reports_told: u64,
}

impl fmt::Debug for PushServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushServer").field("place", &self.place).finish_non_exhaustive()
    }
}

/// A browser that an account has subscribed. It ends with the session that subscribed it.
#[derive(Clone, PartialEq, Eq)]
pub struct PushSubscription {
    /// The address at the browser maker's push service. Whoever knows it can fill the service's queue.
    pub endpoint: String,
    /// The browser's public key, an uncompressed point of P-256.
    pub p256dh: Vec<u8>,
    /// The secret that the browser shares with the server.
    pub auth: Vec<u8>,
    /// The language of its texts, as the page calls it.
    pub language: String,
    /// The session in which it was made.
    pub session: KeyHash,
    /// When, in milliseconds since the Unix epoch.
    pub made_at: u64,
}

impl fmt::Debug for PushSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushSubscription")
            .field("language", &self.language)
            .field("made_at", &self.made_at)
            .finish_non_exhaustive()
    }
}

/// When a member is told that it is their turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MovePushes {
    /// After each move of an opponent.
    #[default]
    Each,
    /// Once a day.
    Digest,
    /// Never.
    Never,
}

/// A part of the day in which a member is told nothing, in minutes after midnight where they live. It may go over
/// midnight.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct QuietHours {
    /// Its first minute.
    pub from: u16,
    /// The first minute after it.
    pub to: u16,
}

/// What a member wants to be told.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct PushSettings {
    /// When it is their turn in a daily game.
    pub moves: MovePushes,
    /// The hour of the digest, where they live.
    pub digest_hour: u8,
    /// Whether they are told of challenges.
    pub challenges: bool,
    /// Whether they are told that a daily game has ended by time, or because an operator has closed its room.
    pub ends: bool,
    /// Whether they are told that an opponent was found.
    #[serde(default = "yes")]
    pub found: bool,
    /// Whether they are told what became of their reports.
    #[serde(default = "yes")]
    pub reports: bool,
    /// How many hours before the end of their time they are reminded.
    pub reminders: Vec<u8>,
    /// When they are told nothing.
    pub quiet: Option<QuietHours>,
    /// How many minutes their clock is ahead of UTC.
    pub utc_offset: i16,
}

/// The default of settings that older clients and rows lack.
const fn yes() -> bool {
    true
}

impl PushSettings {
    /// The hours before the end of their time at which a member can be reminded.
    pub const REMINDERS: [u8; 3] = [8, 4, 1];
}

impl Default for PushSettings {
    fn default() -> Self {
        Self {
            moves: MovePushes::default(),
            digest_hour: 18,
            challenges: true,
            ends: true,
            found: true,
            reports: true,
            reminders: Self::REMINDERS.to_vec(),
            quiet: None,
            utc_offset: 0,
        }
    }
}

words! {
    /// What a member knows of a game that waits for them.
    PushState {
        /// They will be told.
        Waiting = "waiting",
        /// They were told, and have not looked yet.
        Told = "told",
        /// They have looked, or want no news.
        Seen = "seen",
    }
}

/// A turn in a daily game that waits for a member who has subscribed a browser or confirmed an address. Times are in
/// milliseconds since the Unix epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PushGame {
    /// The member. They may play as a guest who belongs to their account.
    pub member: MemberId,
    /// The room of the game.
    pub room: RoomCode,
    /// The opponent; absent if it is a bot of the server.
    pub opponent: Option<Name>,
    /// What the member knows.
    pub state: PushState,
    /// Since when the game waits.
    pub since: u64,
    /// The turn, with the end that it has now.
    pub turn: DailyTurn,
    /// When they are told next.
    pub due: Option<u64>,
}

/// News that is not about a turn, and that waits until the member's quiet hours are over. Times are in milliseconds
/// since the Unix epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitingNews {
    /// The member.
    pub member: MemberId,
    /// What it is about: it replaces older news about the same subject.
    pub subject: String,
    /// The news. The storage does not know what it means.
    pub news: String,
    /// When the member is told.
    pub due: u64,
    /// From this time on it is of no use.
    pub until: u64,
}

/// A change of what is stored about pushes. Each may be repeated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PushChange {
    /// Stores what the server pushes with, unless there is something already.
    MakeServer(PushServer),
    /// Allows pushes from this database.
    Confirm(String),
    /// Reporters are told about the reports that were decided after the first time and up to the second.
    /// [`PushChanged::Gone`] if another node tells them.
    TellReports(u64, u64),
    /// Subscribes a browser for an account. It takes the place of the oldest one if there are
    /// [`PUSH_SUBSCRIPTIONS_MAX`](crate::limits::PUSH_SUBSCRIPTIONS_MAX), and of the same browser.
    /// [`PushChanged::Gone`] if the session is not the account's.
    Subscribe(MemberId, PushSubscription),
    /// Ends a subscription of an account, by its endpoint.
    Unsubscribe(MemberId, String),
    /// Forgets an endpoint that is gone.
    Forget(String),
    /// Sets what a member wants to be told. [`PushChanged::Gone`] if they have no account.
    Set(MemberId, PushSettings),
    /// A turn begins to wait for a member. [`PushChanged::Gone`] if it waits already, or is not their turn: so each turn
    /// begins to wait once, whichever node does it.
    Wait(PushGame),
    /// Changes what a member knows of a turn, and when they are told next. It was to be told at this time.
    /// [`PushChanged::Gone`] if that has changed, or the turn is over: so each time is taken once, whichever node does it.
    Take(PushGame, Option<u64>),
    /// News begins to wait for a member. [`PushChanged::Gone`] if they have no account.
    Keep(WaitingNews),
    /// News that was to be told at its time waits until this one. [`PushChanged::Gone`] if that has changed, or it does not
    /// wait any more. Newer news about the same stays.
    Move(WaitingNews, u64),
    /// The member is told news that has waited until this time. [`PushChanged::Gone`] if it does not: so it is told once,
    /// whichever node does it.
    Tell(WaitingNews),
}

/// What became of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PushChanged {
    /// It is stored.
    Done,
    /// There is nothing to change, or no such account.
    Gone,
}

/// What a member's pushes and e-mail depend on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PushMember {
    /// The browsers, the oldest first; none of an account that is deleted.
    pub subscriptions: Vec<PushSubscription>,
    /// The e-mail address; absent for an account that is deleted.
    pub email: Option<Email>,
    /// What the member wants to be told.
    pub settings: PushSettings,
    /// The time off that they have, will have or had last.
    pub off: TimeOff,
    /// The turns that wait, those that began to wait first. What has ended since does not count.
    pub games: Vec<PushGame>,
    /// Other news that waits, sorted by what it is about.
    pub news: Vec<WaitingNews>,
}

impl PushMember {
    /// The confirmed e-mail address.
    pub fn address(&self) -> Option<&String> {
        self.email.as_ref()?.confirmed.as_ref()
    }

    /// Whether news can reach them at all.
    pub fn can_be_told(&self) -> bool {
        !self.subscriptions.is_empty() || self.address().is_some()
    }
}

/// Reads what is stored about pushes. Calls may block.
pub trait PushReader {
    /// What the server pushes with, if it has made that.
    ///
    /// # Errors
    /// If it cannot be read.
    fn push_server(&mut self) -> Result<Option<PushServer>, StorageError>;

    /// Names this database: a copy of it has another name.
    ///
    /// # Errors
    /// If it cannot be read.
    fn push_place(&mut self) -> Result<String, StorageError>;

    /// What the pushes of a member depend on.
    ///
    /// # Errors
    /// If it cannot be read.
    fn push_member(&mut self, member: &MemberId) -> Result<PushMember, StorageError>;

    /// At most so many turns whose members are told at this time or before, the earliest first.
    ///
    /// # Errors
    /// If they cannot be read.
    fn pushes_due(&mut self, now: u64, games_max: usize) -> Result<Vec<PushGame>, StorageError>;

    /// Other news that is due at this time or before, at most so much, the earliest first.
    ///
    /// # Errors
    /// If it cannot be read.
    fn news_due(&mut self, now: u64, news_max: usize) -> Result<Vec<WaitingNews>, StorageError>;

    /// Turns of this account, or of all accounts, for which no push is stored although one can reach the member; at
    /// most so many. Returned as games that wait and have no `due`, sorted by when their time ends.
    ///
    /// # Errors
    /// If they cannot be read.
    fn untold_turns(
        &mut self,
        of: Option<&MemberId>,
        turns_max: usize,
    ) -> Result<Vec<PushGame>, StorageError>;
}

/// Rows that contradict others.
pub(crate) const CONTRADICTIONS: [Contradiction; 4] = [
    Contradiction {
        since: "push_subscription",
        table: "push_subscription",
        rows: "member <> (SELECT member FROM session WHERE session.hash = push_subscription.session)",
        problem: "subscriptions for pushes belong to another account than their sessions",
        sets: None,
    },
    Contradiction {
        since: "push_subscription",
        table: "push_setting",
        rows: "member NOT IN (SELECT member FROM account)",
        problem: "settings of pushes belong to no account",
        sets: None,
    },
    Contradiction {
        since: "push_subscription",
        table: "push_game",
        rows: "member NOT IN (SELECT member FROM account)",
        problem: "games wait for no account",
        sets: None,
    },
    Contradiction {
        since: "push_subscription",
        table: "push_news",
        rows: "member NOT IN (SELECT member FROM account)",
        problem: "news waits for no account",
        sets: None,
    },
];
