//! What operators do about members, as this node knows it, and what members report.
//!
//! Sanctions that hold are in memory, on all nodes (`sanctions.rs`). They are read from the storage again
//! when they have changed: at once after a change by a node, and each second for those by the command
//! line. It does not know what it is asked for: sessions, accounts and the pairing ask it before they act.

pub(crate) mod blocks;
pub mod cases;
pub mod dealings;
pub mod decisions;
pub(crate) mod examination;
mod own_changes;
pub(crate) mod sanctions;

use std::{
    convert::Infallible,
    iter,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::{
    clock::millis,
    protocol::{self, MemberId, Message, Reason, Refusal},
};
use fivefold_storage::{
    CaseId, LogWriter, ModerationChange, ModerationChanged, Reader, Sanction, SanctionKind,
    Sessions, StorageError, Waiting,
    limits::{REPORTS_MAX, REPORTS_WITHIN},
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};

use crate::{
    cluster::{Cluster, frame::News},
    limits::moderation::{DELETED_LOOK_BACK, QUEUE_LOOK_INTERVAL, SANCTIONS_LOOK_INTERVAL},
    moderation::{own_changes::OwnChanges, sanctions::Sanctions},
    net::{
        network::{Network, networks, shares},
        token_buckets::TokenBuckets,
    },
    online::{
        logins::{Ended, Logins},
        outbox::encode,
    },
    process::{clock::Clock, operation::Operation, read_pool::ReadPool},
};

/// What [`Moderation`] works with.
pub(crate) struct ModerationContext {
    pub(crate) read_pool: Arc<ReadPool>,
    pub(crate) log_writer: LogWriter,
    pub(crate) clock: Clock,
    pub(crate) logins: Arc<Logins>,
    pub(crate) sanctions: Arc<Sanctions>,
    pub(crate) operation: Arc<Operation>,
    pub(crate) cluster: Option<Arc<Cluster>>,
}

/// The sanctions that hold, and the way to change them.
#[derive(Debug)]
pub(crate) struct Moderation {
    read_pool: Arc<ReadPool>,
    log_writer: LogWriter,
    clock: Clock,
    logins: Arc<Logins>,
    cluster: Option<Arc<Cluster>>,
    sanctions: Arc<Sanctions>,
    operation: Arc<Operation>,
    /// Wakes [`follow`](Self::follow).
    changed: Notify,
    /// Held while the sanctions are read, so that older ones never replace newer ones.
    refreshing: tokio::sync::Mutex<()>,
    /// Locked only to count one try.
    tries: Mutex<Tries>,
    /// What waits for operators, at the last look. Locked only to read or replace it.
    waiting: Mutex<Waiting>,
}

#[derive(Debug)]
struct Tries {
    /// For the networks of an address, the narrowest first.
    reports: Vec<TokenBuckets<Network>>,
    changes: OwnChanges,
}

impl Moderation {
    pub(crate) fn new(context: ModerationContext) -> Self {
        let ModerationContext { read_pool, log_writer, clock, logins, .. } = context;
        let reports = shares().map(|share| TokenBuckets::new(REPORTS_MAX * share, REPORTS_WITHIN));
        let tries = Tries { reports: reports.collect(), changes: OwnChanges::new() };
        Self {
            read_pool,
            log_writer,
            clock,
            logins,
            cluster: context.cluster,
            sanctions: context.sanctions,
            operation: context.operation,
            changed: Notify::new(),
            refreshing: tokio::sync::Mutex::default(),
            tries: Mutex::new(tries),
            waiting: Mutex::default(),
        }
    }

    /// Whether a member may chat.
    ///
    /// # Errors
    /// If an operator has muted them: with the end and the reason.
    pub(crate) fn may_chat(&self, member: &MemberId) -> Result<(), Refusal> {
        self.check(member, SanctionKind::Mute, Reason::Muted)
    }

    /// Whether a member may play rated games.
    ///
    /// # Errors
    /// If an operator does not let them: with the end and the reason.
    pub(crate) fn may_play_rated(&self, member: &MemberId) -> Result<(), Refusal> {
        self.sanctions.may_play_rated(member, self.clock.now())
    }

    /// Whether a member may sign in. Ask only after the password was right.
    ///
    /// # Errors
    /// If an operator has closed the account: with the end and the reason.
    pub(crate) fn may_sign_in(&self, member: &MemberId) -> Result<(), Refusal> {
        self.check(member, SanctionKind::Close, Reason::AccountClosed)
    }

    fn check(&self, member: &MemberId, kind: SanctionKind, reason: Reason) -> Result<(), Refusal> {
        self.sanctions.check(member, kind, reason, self.clock.now())
    }

    /// The sanctions that hold for a member, apart from a closed account: what its sessions show.
    pub(crate) fn notices(&self, member: &MemberId) -> Vec<Message> {
        let held = self.sanctions.of(member, self.clock.now());
        held.iter().filter_map(notice).collect()
    }

    /// The sanction that closes an account, if one does.
    pub(crate) fn closing(&self, member: &MemberId) -> Option<CaseId> {
        self.sanctions.closing(member, self.clock.now())
    }

    /// Counts a report from an address.
    ///
    /// # Errors
    /// If there were too many.
    pub(crate) fn take_report(&self, address: IpAddr) -> Result<(), Refusal> {
        let (mut tries, now) = (lock(&self.tries), Instant::now());
        // A network that is over its own limit takes nothing from the wider ones.
        let mut shares = networks(address).zip(&mut tries.reports);
        let taken = shares.try_for_each(|(network, buckets)| buckets.take(network, now));
        taken.map_err(|_| Refusal::new(Reason::TooManyReports))
    }

    /// Counts a change by an account, or by a guest at this address.
    ///
    /// # Errors
    /// If there were too many.
    pub(crate) fn take_change(
        &self,
        account: Option<&MemberId>,
        address: IpAddr,
    ) -> Result<(), Refusal> {
        lock(&self.tries).changes.take(account, address, Instant::now())
    }

    /// Changes something. At this node it holds at once; other nodes look at it.
    ///
    /// # Errors
    /// If a limit is reached, there is nothing to change, or it cannot be stored.
    pub(crate) async fn change(
        &self,
        change: ModerationChange,
        full: Reason,
    ) -> Result<(), Refusal> {
        let changed = self.log_writer.settle(|permit| permit.moderate(change.clone())).await;
        match changed {
            Ok(ModerationChanged::Done) => {}
            Ok(ModerationChanged::Gone) => return Err(Refusal::new(Reason::NoSuchCase)),
            Ok(ModerationChanged::Full) => return Err(Refusal::new(full)),
            Ok(ModerationChanged::QueueFull) => return Err(Refusal::new(Reason::ReportsFull)),
            Ok(ModerationChanged::AlreadyOpen) => {
                return Err(Refusal::new(Reason::AlreadyReported));
            }
            Err(error) => {
                tracing::warn!(%error, "a decision of an operator, or a report, is not stored");
                return Err(Refusal::new(Reason::Unavailable));
            }
        }
        self.refresh().await;
        self.count_waiting().await;
        if let Some(cluster) = &self.cluster {
            cluster.broadcast(&News::Moderated);
        }
        Ok(())
    }

    /// Reads something.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut Reader) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, Refusal> {
        Ok(self.read_pool.try_read(read).await?)
    }

    /// Has [`follow`](Self::follow) look at the storage at once.
    pub(crate) fn look(&self) {
        self.changed.notify_one();
    }

    /// What waits for operators, at the last look.
    pub(crate) fn waiting(&self) -> Waiting {
        *lock(&self.waiting)
    }

    /// Follows the sanctions in the storage, and what waits for operators; never returns.
    pub(crate) async fn follow(&self) -> Infallible {
        let mut look_at = Instant::now();
        loop {
            self.refresh().await;
            self.end_deleted().await;
            if Instant::now() >= look_at {
                self.count_waiting().await;
                look_at = Instant::now() + QUEUE_LOOK_INTERVAL;
            }
            tokio::select! {
                () = sleep(SANCTIONS_LOOK_INTERVAL) => {}
                () = self.changed.notified() => {}
            }
        }
    }

    /// What operators do about this node.
    pub(crate) fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Reads the sanctions that hold, if they have changed, and acts on those that are new. Takes back the link that
    /// makes the first operator when there is one.
    pub(crate) async fn refresh(&self) {
        let _held = self.refreshing.lock().await;
        let (known, now) = (self.sanctions.revision(), self.clock.now());
        let has_link = self.operation.link.is_offered();
        let read = move |reader: &mut Reader| {
            let has_operator = has_link && reader.has_operator()?;
            let revision = reader.sanctions_revision()?;
            if known == Some(revision) {
                return Ok((has_operator, None));
            }
            let held = (reader.active_sanctions(now)?, reader.bots_of_sanctioned(now)?);
            Ok((has_operator, Some((revision, held))))
        };
        match self.read_pool.read(read).await {
            Ok((has_operator, changed)) => {
                if has_operator {
                    self.operation.link.withdraw();
                }
                if let Some((revision, (sanctions, bots))) = changed {
                    self.take(revision, sanctions, bots);
                }
            }
            Err(error) => tracing::warn!(%error, "cannot read what operators have decided"),
        }
    }

    /// Ends the sockets of accounts that the command line has deleted: they have no sessions any more.
    async fn end_deleted(&self) {
        let since = self.clock.now().saturating_sub(millis(DELETED_LOOK_BACK));
        match self.read_pool.read(move |reader| reader.deleted_since(since)).await {
            Ok(members) => {
                let online = members.iter().filter(|member| !self.logins.of(member).is_empty());
                online.for_each(|member| self.logins.end(member, Ended::Sessions(Sessions::All)));
            }
            Err(error) => tracing::warn!(%error, "cannot read which accounts are deleted"),
        }
    }

    async fn count_waiting(&self) {
        match self.read_pool.read(|reader| reader.waiting()).await {
            Ok(waiting) => *lock(&self.waiting) = waiting,
            Err(error) => tracing::warn!(%error, "cannot count reports and appeals"),
        }
    }

    fn take(&self, revision: u64, sanctions: Vec<Sanction>, bots: Vec<(MemberId, MemberId)>) {
        for sanction in self.sanctions.replace(revision, sanctions, bots) {
            if sanction.kind == SanctionKind::Close {
                let bots = self.sanctions.bots_of(&sanction.member);
                for member in iter::once(&sanction.member).chain(&bots) {
                    self.logins.end(member, Ended::Sessions(Sessions::All));
                }
            } else if let Some(notice) = notice(&sanction) {
                let text = encode(&notice);
                for login in self.logins.of(&sanction.member) {
                    login.outbox.post(text.clone());
                }
            }
        }
    }
}

/// What a member's sessions show of a sanction; nothing of notes and closed accounts.
fn notice(sanction: &Sanction) -> Option<Message> {
    let kind = match sanction.kind {
        SanctionKind::Warn => protocol::SanctionKind::Warn,
        SanctionKind::Mute => protocol::SanctionKind::Mute,
        SanctionKind::Unrated => protocol::SanctionKind::Unrated,
        SanctionKind::Note | SanctionKind::Close => return None,
    };
    Some(Message::Sanction {
        sanction: sanction.id.to_string(),
        kind,
        until: sanction.until_at,
        reason: sanction.reason.clone(),
        appealed: sanction.appeal.is_some(),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics between two changes that belong together.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
