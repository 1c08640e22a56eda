//! What people do against people who spoil it, as it is stored: blocks, reports, sanctions, and who is
//! an operator. Nothing here knows what a sanction forbids.

use std::fmt;

use fivefold_shared::{
    clock::millis,
    protocol::{ChatText, GameId, MemberId, Name, RoomCode},
    seat::BySeat,
};
use serde::{Deserialize, Serialize};

use super::{ExaminationClaim, GameMark, PlayerFacts, StorageError, contradiction::Contradiction};
use crate::limits::{CLOSED_REPORT_KEPT, SANCTION_TEXT_KEPT, UNKNOWN_BLOCKS_KEPT};

/// Length of the id of a report or a sanction, in letters.
pub const CASE_ID_LENGTH: usize = 12;

/// Names a report or a sanction: [`CASE_ID_LENGTH`] lower-case letters and digits, which the server
/// chooses at random.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(extend("pattern" = "^[a-z0-9]{12}$")))]
#[serde(try_from = "String", into = "String")]
pub struct CaseId(String);

impl CaseId {
    /// The id itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text that names no report and no sanction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an id has {CASE_ID_LENGTH} lower-case letters and digits")]
pub struct CaseIdError;

impl TryFrom<String> for CaseId {
    type Error = CaseIdError;

    fn try_from(text: String) -> Result<Self, CaseIdError> {
        let fits = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        let is_id = text.len() == CASE_ID_LENGTH && text.bytes().all(fits);
        if is_id { Ok(Self(text)) } else { Err(CaseIdError) }
    }
}

impl From<CaseId> for String {
    fn from(id: CaseId) -> Self {
        id.0
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Declares a kind that is stored, and sent, as a word.
macro_rules! words {
    ($(#[$about:meta])* $kind:ident { $($(#[$what:meta])* $variant:ident = $word:literal,)+ }) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
        $(#[$about])*
        pub enum $kind { $($(#[$what])* #[serde(rename = $word)] $variant,)+ }

        impl $kind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl TryFrom<String> for $kind {
            type Error = StorageError;

            fn try_from(text: String) -> Result<Self, StorageError> {
                let kind = Self::ALL.iter().find(|kind| kind.as_str() == text);
                kind.copied().ok_or_else(|| StorageError::Damaged(format!("{text} is no kind")))
            }
        }
    };
}

pub(super) use words;

words! {
    /// What a member wants of another one.
    BlockKind {
        /// No games together, and nothing seen of each other.
        Block = "block",
        /// No chat of theirs.
        Mute = "mute",
    }
}

words! {
    /// What somebody is reported for.
    ReportKind {
        /// Insults, threats, spam.
        Chat = "chat",
        /// Moves that an engine or another person found.
        Cheating = "cheating",
        /// Letting people wait, or leaving games.
        Stalling = "stalling",
        /// Losing or winning on purpose.
        Sandbagging = "sandbagging",
        /// An offensive or a misleading name.
        Name = "name",
        /// Anything else.
        Other = "other",
    }
}

words! {
    /// What became of a report.
    ReportState {
        /// Nobody has decided.
        Open = "open",
        /// An operator did something about it.
        Acted = "acted",
        /// An operator saw nothing to do.
        Dismissed = "dismissed",
    }
}

words! {
    /// What an operator does about a member.
    #[cfg_attr(feature = "testing", schemars(rename = "DecisionKind"))]
    SanctionKind {
        /// A note for operators; the member does not learn of it.
        Note = "note",
        /// A warning, which the member reads.
        Warn = "warn",
        /// The member may not chat.
        Mute = "mute",
        /// The member plays no rated games.
        Unrated = "unrated",
        /// Nobody signs in to the account.
        Close = "close",
    }
}

/// One entry of a member's list of people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockEntry {
    /// The other person.
    pub other: MemberId,
    /// Their name then.
    pub name: Name,
    /// What the member wants.
    pub kind: BlockKind,
    /// Since when, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// The people that one member has blocked or muted, and those who have blocked them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockLists {
    /// The member's own list, the newest first.
    pub own: Vec<BlockEntry>,
    /// Those who have blocked the member, or a guest that belongs to the account: the newest, at most
    /// [`BLOCKED_BY_MAX`](crate::limits::BLOCKED_BY_MAX).
    pub blocked_by: Vec<MemberId>,
}

/// A report. Times are in milliseconds since the Unix epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Its id.
    pub id: CaseId,
    /// Who reports.
    pub reporter: MemberId,
    /// About which member.
    pub about: MemberId,
    /// Their name then.
    pub about_name: Name,
    /// For what.
    pub kind: ReportKind,
    /// The game that it is about.
    pub game: Option<GameId>,
    /// The line of chat that it is about.
    pub line: Option<ReportedLine>,
    /// What the reporter says.
    pub text: String,
    /// When.
    pub at: u64,
    /// What became of it.
    pub state: ReportState,
    /// When an operator decided.
    pub closed_at: Option<u64>,
    /// Who decided; absent where an older server stored it.
    pub closed_by: Option<String>,
}

/// A report that nobody has decided, with what is known of its reporter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenReport {
    /// The report.
    pub report: Report,
    /// The reporter's.
    pub standing: Standing,
}

/// How well the server knows somebody who reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// When they signed up; absent for guests and deleted accounts.
    pub account_since: Option<u64>,
    /// How many games they have finished, at most
    /// [`STANDING_GAMES_MAX`](crate::limits::STANDING_GAMES_MAX).
    pub games: usize,
}

/// How much waits for a decision of operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Waiting {
    /// Open reports by accounts.
    pub by_accounts: usize,
    /// Open reports by guests.
    pub by_guests: usize,
    /// When the oldest open report was made.
    pub oldest_report_at: Option<u64>,
    /// Appeals that nobody has answered.
    pub appeals: usize,
    /// When the oldest of these was made.
    pub oldest_appeal_at: Option<u64>,
}

/// A line of chat in a report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ReportedLine {
    /// The room.
    #[cfg_attr(feature = "testing", schemars(with = "String"))]
    pub room: RoomCode,
    /// The text.
    #[cfg_attr(feature = "testing", schemars(with = "String"))]
    pub text: ChatText,
    /// Whether the server has sent this line; otherwise it is as the reporter quotes it.
    pub verified: bool,
}

/// Something that an operator did about a member. Times are in milliseconds since the Unix epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sanction {
    /// Its id.
    pub id: CaseId,
    /// The member.
    pub member: MemberId,
    /// Their name then.
    pub name: Name,
    /// What.
    pub kind: SanctionKind,
    /// Since when.
    pub from_at: u64,
    /// Until when; absent for a note, a warning, and one without an end.
    pub until_at: Option<u64>,
    /// Why; the member reads it, except in a note.
    pub reason: String,
    /// Who: the name of an account, or that of the command line.
    pub operator: String,
    /// When the member has read a warning.
    pub seen_at: Option<u64>,
    /// What the member says against it, once.
    pub appeal: Option<String>,
    /// When the member has appealed; absent where an older server stored it.
    pub appealed_at: Option<u64>,
    /// When an operator has answered that.
    pub answered_at: Option<u64>,
    /// Who has answered; absent where an older server stored it.
    pub answered_by: Option<String>,
    /// When an operator took it back.
    pub undone_at: Option<u64>,
    /// Who took it back; absent where an older server stored it.
    pub undone_by: Option<String>,
}

impl Sanction {
    /// Since when an appeal waits for an answer; absent if none does.
    pub fn appeal_waits_since(&self) -> Option<u64> {
        let is_open = self.appeal.is_some() && self.answered_at.is_none();
        is_open.then(|| self.appealed_at.unwrap_or(self.from_at))
    }

    /// Takes away what says something about the member, at a time: from then on the sanction does not hold. The
    /// databases do it by a statement.
    #[cfg(feature = "testing")]
    pub(super) fn forget_texts(&mut self, now: u64) {
        self.name = Name::new(crate::accounts::DELETED_NAME).expect("it is a name");
        self.reason.clear();
        if let Some(appeal) = &mut self.appeal {
            appeal.clear();
            self.answered_at.get_or_insert(now);
        }
        let is_over = self.undone_at.is_some() || self.until_at.is_some_and(|until| until <= now);
        if self.kind != SanctionKind::Note && !is_over {
            self.until_at = Some(now.max(self.from_at + 1));
        }
    }

    /// Whether it holds at a time. A warning holds until it is read.
    pub fn is_active(&self, now: u64) -> bool {
        let is_over = self.until_at.is_some_and(|until| until <= now);
        self.undone_at.is_none()
            && !is_over
            && match self.kind {
                SanctionKind::Note => false,
                SanctionKind::Warn => self.seen_at.is_none(),
                SanctionKind::Mute | SanctionKind::Unrated | SanctionKind::Close => true,
            }
    }
}

/// A change of what is stored here. The same one again does no harm.
#[derive(Clone, PartialEq, Debug)]
pub enum ModerationChange {
    /// A member blocks or mutes somebody. [`ModerationChanged::Full`] if their list has
    /// [`BLOCKS_MAX`](crate::limits::BLOCKS_MAX) others.
    Block(MemberId, BlockEntry),
    /// A member takes somebody from their list.
    Unblock {
        /// The member.
        member: MemberId,
        /// The other person.
        other: MemberId,
    },
    /// A report. [`ModerationChanged::AlreadyOpen`] if the reporter has an open one about the same
    /// member, [`ModerationChanged::Full`] if they have made
    /// [`REPORTS_MAX`](crate::limits::REPORTS_MAX) in the day before, and
    /// [`ModerationChanged::QueueFull`] if [`QUEUE_MAX`](crate::limits::QUEUE_MAX) reports
    /// wait: by accounts for an account, by guests for a guest.
    Report(Box<Report>),
    /// An operator decides about open reports.
    CloseReports {
        /// Which.
        which: OpenReports,
        /// What became of them.
        state: ReportState,
        /// When.
        at: u64,
        /// Who decides.
        by: String,
    },
    /// An operator does something about a member. Closing an account ends its sessions.
    /// [`ModerationChanged::Full`] if [`SANCTIONS_MAX`](crate::limits::SANCTIONS_MAX)
    /// hold.
    Sanction(Box<Sanction>),
    /// An operator takes a sanction back.
    Undo {
        /// The sanction.
        id: CaseId,
        /// When.
        at: u64,
        /// Who.
        by: String,
    },
    /// The member has read a warning.
    Seen {
        /// The warning.
        id: CaseId,
        /// The member.
        member: MemberId,
        /// When.
        at: u64,
    },
    /// The member says something against a sanction, once.
    Appeal {
        /// The sanction.
        id: CaseId,
        /// The member.
        member: MemberId,
        /// What.
        text: String,
        /// When.
        at: u64,
    },
    /// An operator has answered an appeal.
    Answer {
        /// The sanction.
        id: CaseId,
        /// When.
        at: u64,
        /// Who.
        by: String,
    },
    /// A member becomes an operator, or is one no more.
    Operator {
        /// The member.
        member: MemberId,
        /// Since when; absent for one no more.
        since: Option<u64>,
    },
    /// A member becomes an operator, unless somebody else is one: then it is [`ModerationChanged::Gone`].
    FirstOperator {
        /// The member.
        member: MemberId,
        /// Since when.
        since: u64,
    },
    /// Something is noted about the players of a game.
    Mark(Vec<GameMark>),
    /// A node begins to examine a game. [`ModerationChanged::Gone`] if another one has, or nobody need.
    ClaimExamination(ExaminationClaim),
    /// A game that was claimed is examined: what it shows, or nothing if it cannot be read.
    Examined {
        /// The game.
        game: GameId,
        /// What it shows.
        facts: Option<Box<BySeat<PlayerFacts>>>,
    },
}

/// Open reports that an operator decides about at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpenReports {
    /// All about a member.
    About(MemberId),
    /// All by guests.
    ByGuests,
}

/// What became of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModerationChanged {
    /// It is stored.
    Done,
    /// There is nothing to change.
    Gone,
    /// The limit is reached; nothing has changed.
    Full,
    /// Too many reports wait for a decision; nothing has changed.
    QueueFull,
    /// The reporter has an open report about the same member; nothing has changed.
    AlreadyOpen,
}

/// A query for reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReportQuery {
    /// All about a member, the newest first.
    About(MemberId),
    /// All by a member, the newest first.
    By(MemberId),
    /// Those decided after the first of these two times, up to the second, by members who have subscribed a browser, or by
    /// guests who belong to them: the one decided first comes first.
    Decided(u64, u64),
}

/// Reads what is stored here. Calls may block.
pub trait ModerationReader {
    /// The lists around a member.
    ///
    /// # Errors
    /// When they cannot be read.
    fn block_lists(&mut self, member: &MemberId) -> Result<BlockLists, StorageError>;

    /// A number that grows with each change of a sanction.
    ///
    /// # Errors
    /// When it cannot be read.
    fn sanctions_revision(&mut self) -> Result<u64, StorageError>;

    /// The sanctions that hold at a time.
    ///
    /// # Errors
    /// When they cannot be read.
    fn active_sanctions(&mut self, now: u64) -> Result<Vec<Sanction>, StorageError>;

    /// The bots of members with a sanction that holds at a time, each with its owner.
    ///
    /// # Errors
    /// When they cannot be read.
    fn bots_of_sanctioned(&mut self, now: u64) -> Result<Vec<(MemberId, MemberId)>, StorageError>;

    /// The sanctions of a member, the newest first: at most
    /// [`CASE_ROWS_MAX`](crate::limits::CASE_ROWS_MAX).
    ///
    /// # Errors
    /// When they cannot be read.
    fn sanctions_of(&mut self, member: &MemberId) -> Result<Vec<Sanction>, StorageError>;

    /// The newest sanctions of all members, at most [`CASE_ROWS_MAX`](crate::limits::CASE_ROWS_MAX), the newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn latest_sanctions(&mut self) -> Result<Vec<Sanction>, StorageError>;

    /// The sanctions with an appeal that nobody has answered, at most
    /// [`QUEUE_MAX`](crate::limits::QUEUE_MAX).
    ///
    /// # Errors
    /// When they cannot be read.
    fn appeals(&mut self) -> Result<Vec<Sanction>, StorageError>;

    /// A sanction.
    ///
    /// # Errors
    /// When it cannot be read.
    fn sanction(&mut self, id: &CaseId) -> Result<Option<Sanction>, StorageError>;

    /// The open reports, the oldest first: of those by accounts and of those by guests at most
    /// [`QUEUE_MAX`](crate::limits::QUEUE_MAX) each.
    ///
    /// # Errors
    /// When they cannot be read.
    fn open_reports(&mut self) -> Result<Vec<OpenReport>, StorageError>;

    /// How much waits for a decision.
    ///
    /// # Errors
    /// When it cannot be read.
    fn waiting(&mut self) -> Result<Waiting, StorageError>;

    /// Reports, at most [`CASE_ROWS_MAX`](crate::limits::CASE_ROWS_MAX).
    ///
    /// # Errors
    /// When they cannot be read.
    fn reports(&mut self, query: &ReportQuery) -> Result<Vec<Report>, StorageError>;

    /// Whether a member is an operator.
    ///
    /// # Errors
    /// When it cannot be read.
    fn is_operator(&mut self, member: &MemberId) -> Result<bool, StorageError>;

    /// Whether there is an operator.
    ///
    /// # Errors
    /// When it cannot be read.
    fn has_operator(&mut self) -> Result<bool, StorageError>;
}

/// Rows that contradict themselves.
pub(super) const CONTRADICTIONS: [Contradiction; 5] = [
    Contradiction {
        since: "block",
        table: "block",
        rows: "member = other",
        problem: "lists have their own member on them",
        sets: None,
    },
    Contradiction {
        since: "game_mark",
        table: "game_mark",
        rows: "member = opponent",
        problem: "marks of games have one player twice",
        sets: None,
    },
    Contradiction {
        since: "examined_game",
        table: "examined_game",
        rows: "facts = ''",
        problem: "examined games have an empty result",
        sets: None,
    },
    Contradiction {
        since: "report",
        table: "report",
        rows: "(state = 'open') <> (closed_at IS NULL)",
        problem: "reports are open and closed",
        sets: None,
    },
    Contradiction {
        since: "sanction",
        table: "sanction",
        rows: "until_at <= from_at OR changes < 1
             OR (answered_at IS NOT NULL AND appeal IS NULL AND undone_at IS NULL)",
        problem: "sanctions end before they begin, or have an answer to no appeal",
        sets: None,
    },
];

/// Lists of members who are stored nowhere are forgotten if they are not newer than this.
pub(super) fn blocks_before(now: u64) -> u64 {
    now.saturating_sub(millis(UNKNOWN_BLOCKS_KEPT))
}

/// The texts of sanctions that were over at this time are forgotten.
pub(super) fn texts_before(now: u64) -> u64 {
    now.saturating_sub(millis(SANCTION_TEXT_KEPT))
}

/// Reports that were closed up to this time are forgotten.
pub(super) fn reports_before(now: u64) -> u64 {
    now.saturating_sub(millis(CLOSED_REPORT_KEPT))
}
