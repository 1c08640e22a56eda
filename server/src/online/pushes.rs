//! Pushes and e-mail: tells members whose page is closed what waits for them, through the push services of their
//! browsers, and through the operator's SMTP server.
//!
//! Rooms and accounts report news to [`Pushes`]; for a room, only the node that owns it does so, after the commit.
//! One task on each node decides who is told and when, and sends the pushes. The storage records what a member was
//! told about a turn, so that only one node tells them. The record counts only while that turn lasts. A push may be
//! lost. Reminders and digests are not: the task also looks in the storage for turns that were not reported to it.

mod delivery;
mod due_times;
mod email_texts;
mod found_turns;
mod line;
mod push_texts;
mod sending;
mod waiting_news;
mod ways;

use std::{
    convert::Infallible,
    slice,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use fivefold_mail::{MailSender, Mailer, SmtpServer};
use fivefold_push::{Peers, Pushed, Pusher, ServerKey};
use fivefold_shared::{
    clock::millis,
    protocol::{ChatText, MemberId, Name, RoomCode},
};
use fivefold_storage::{
    AccountChange, AccountChanged, AccountStep, DailyTurn, EmailStep, LogWriter, MovePushes,
    PushChange, PushChanged, PushGame, PushMember, PushServer, PushState, PushSubscription, Reader,
    Report, ReportQuery, ReportState, StorageError,
};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};

use self::{
    delivery::{About, Delivery, LastingNews, Recipient},
    due_times::{Plan, after_quiet, at_turn, is_wanted},
    line::Line,
    sending::{Outcome, Sender, Sent},
    ways::{MailWay, Ways},
};
pub(crate) use self::{due_times::next_reminder, email_texts::Letter};
use crate::{
    limits::pushes::{
        LETTER_KEPT, MAIL_AGAIN_AFTER, MAIL_TRIES_MAX, MAILED_CODE_KEPT, MAILS_RUNNING_MAX,
        PUSH_AGAIN_AFTER, PUSH_KEPT_LIVE, PUSH_KEPT_MAX, PUSH_KEPT_SHORT, PUSH_LOOK_INTERVAL,
        PUSH_NEWS_MAX, PUSH_TRIES_MAX, PUSH_TURNS_INTERVAL, PUSHES_DUE_MAX, PUSHES_RUNNING_MAX,
        REPORTS_TOLD_AFTER,
    },
    metrics::{Metrics, PushResult},
    net::public_url::PublicUrl,
    process::{
        clock::Clock,
        ids,
        read_pool::{ReadError, ReadPool},
    },
};

/// Something that members may be told, or that changes what they are told.
#[derive(Debug)]
pub(crate) enum PushNews {
    /// It has become somebody's turn in a daily game.
    Turn(Box<Turn>),
    /// A daily game has ended because a time has run out, while this player was away.
    TimeUp { room: RoomCode, member: MemberId, opponent: Option<Name>, won: bool },
    /// An operator has closed the room of a daily game that ran, while this player was away.
    Closed { room: RoomCode, member: MemberId, opponent: Option<Name>, why: ChatText },
    /// A game of paired players has begun, and this player has not come to its room; `is_turn` if it is daily and they
    /// move first.
    Found { room: RoomCode, member: MemberId, opponent: Name, is_daily: bool, is_turn: bool },
    /// A friend has left a challenge for a member.
    Challenge { member: MemberId, from: MemberId, by: Name },
    /// A member gets a message about their address or account.
    Letter { member: MemberId, name: Name, letter: Letter },
    /// Somebody says that they are this member and have lost the password: they get a code, if they have an address.
    RecoveryCode { member: MemberId, name: Name },
    /// A member's settings, their time off or the end of a turn has changed, or they have added a browser, an address
    /// or a guest's games: their pushes are planned again.
    Times { member: MemberId },
}

/// A player's turn in a daily game.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) room: RoomCode,
    pub(crate) member: MemberId,
    /// Absent if it is a bot of the server.
    pub(crate) opponent: Option<Name>,
    /// Whether the player has a session in the room. Its tab may be hidden; a page that is visible sends `seen`.
    pub(crate) may_see: bool,
    pub(crate) turn: DailyTurn,
}

/// Takes the news; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Pushes {
    news: mpsc::Sender<PushNews>,
    /// Empty until this server may push.
    ways: Arc<OnceLock<Ways>>,
    /// Whether there may be turns that were not reported to the task.
    missed: Arc<AtomicBool>,
    metrics: Arc<Metrics>,
}

impl Pushes {
    /// Returns a handle that takes news, and the receiver from which the task reads it.
    pub(crate) fn new(metrics: Arc<Metrics>) -> (Self, mpsc::Receiver<PushNews>) {
        let (news, waiting) = mpsc::channel(PUSH_NEWS_MAX);
        let missed = Arc::new(AtomicBool::new(true));
        (Self { news, ways: Arc::default(), missed, metrics }, waiting)
    }

    /// Whether anybody can be told.
    pub(crate) fn is_on(&self) -> bool {
        self.ways.get().is_some()
    }

    /// Whether e-mail is sent.
    pub(crate) fn sends_mail(&self) -> bool {
        self.ways.get().is_some_and(|ways| ways.mail.is_some())
    }

    /// Notes news. It is lost if too much waits; a lost turn is found later.
    pub(crate) fn note(&self, news: PushNews) {
        if self.is_on() && self.news.try_send(news).is_err() {
            self.lose();
        }
    }

    /// News is lost: the next sweep looks for turns.
    fn lose(&self) {
        self.metrics.pushes.note(PushResult::Dropped);
        self.missed.store(true, Ordering::Relaxed);
    }

    /// The key for which browsers subscribe; absent while this server does not push.
    pub(crate) fn public_key(&self) -> Option<String> {
        self.ways.get()?.pusher.as_ref().map(Pusher::public_key)
    }
}

/// Decides who is told, and sends.
#[derive(Debug)]
pub(crate) struct PushTask {
    pub(crate) pushes: Pushes,
    pub(crate) waiting: mpsc::Receiver<PushNews>,
    pub(crate) read_pool: Arc<ReadPool>,
    pub(crate) log_writer: LogWriter,
    pub(crate) clock: Clock,
    /// Where people find the server: push services want to know whom to ask.
    pub(crate) public_url: Option<PublicUrl>,
    pub(crate) peers: Peers,
    /// The operator's SMTP server and the sender.
    pub(crate) smtp: Option<(SmtpServer, MailSender)>,
    pub(crate) sweep_interval: Duration,
    /// See [`Limits::push_seen_within`](crate::limits::Limits::push_seen_within).
    pub(crate) seen_within: Duration,
}

/// What waits to be sent. An SMTP server that is slow takes no turns of pushes.
#[derive(Debug)]
struct Lines {
    pushes: Line<Delivery>,
    mails: Line<Delivery>,
}

impl Lines {
    fn new() -> Self {
        Self { pushes: Line::new(PUSHES_RUNNING_MAX), mails: Line::new(MAILS_RUNNING_MAX) }
    }

    const fn of(&mut self, to: &Recipient) -> &mut Line<Delivery> {
        match to {
            Recipient::Browser(_) => &mut self.pushes,
            Recipient::Email(_) => &mut self.mails,
        }
    }

    /// As [`Line::push`].
    fn push(&mut self, member: &MemberId, from: Instant, delivery: Delivery) -> Option<Delivery> {
        self.of(&delivery.to).push(member, from, delivery)
    }

    /// As [`Line::next`].
    fn next(&mut self, now: Instant) -> Option<(MemberId, Delivery)> {
        self.pushes.next(now).or_else(|| self.mails.next(now))
    }

    /// As [`Line::ready_at`].
    fn ready_at(&self, now: Instant) -> Option<Instant> {
        [&self.pushes, &self.mails].into_iter().filter_map(|line| line.ready_at(now)).min()
    }
}

/// Why this server does not push now.
#[derive(Debug, thiserror::Error)]
enum NotNow {
    #[error("the database is a copy: `fivefold-server push` allows it to push")]
    Copy,
    #[error("{0}")]
    Fault(String),
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl PushTask {
    /// Pushes for as long as the server runs.
    pub(crate) async fn run(mut self) -> Infallible {
        let is_encrypted = |url: &&PublicUrl| url.origin().is_encrypted();
        if self.smtp.is_none() && self.public_url.as_ref().filter(is_encrypted).is_none() {
            tracing::debug!("no news is sent: there is neither --public-url with https nor --smtp");
            // Nobody notes news then.
            return std::future::pending().await;
        }
        self.begin().await;
        let mut lines = Lines::new();
        let mut running = JoinSet::new();
        let mut sweep_at = Instant::now();
        let mut look_at = sweep_at + PUSH_TURNS_INTERVAL;
        let sender = Sender {
            ways: Arc::clone(&self.pushes.ways),
            read_pool: Arc::clone(&self.read_pool),
            clock: self.clock,
        };
        loop {
            while let Some((member, delivery)) = lines.next(Instant::now()) {
                running.spawn(sender.clone().send(member, delivery));
            }
            let now = Instant::now();
            // A turn that is ready waits for one to be done.
            let ready_at = lines.ready_at(now);
            let wake_at = ready_at.map_or(sweep_at, |ready_at| ready_at.min(sweep_at));
            tokio::select! {
                Some(done) = running.join_next(), if !running.is_empty() => {
                    // A panic is logged where it happens.
                    if let Ok(sent) = done {
                        lines.of(&sent.delivery.to).done(&sent.member);
                        self.settle(sent, &mut lines).await;
                    }
                }
                Some(news) = self.waiting.recv() => {
                    if let Err(error) = self.tell(news, &mut lines).await {
                        tracing::debug!(%error, "news is lost");
                        self.pushes.lose();
                    }
                }
                () = sleep_until(wake_at) => {
                    if Instant::now() >= sweep_at {
                        sweep_at = Instant::now() + self.sweep_interval;
                        // Another node may have stopped before it reported a turn.
                        if Instant::now() >= look_at {
                            look_at = Instant::now() + PUSH_TURNS_INTERVAL;
                            self.pushes.missed.store(true, Ordering::Relaxed);
                        }
                        if let Err(error) = self.sweep(&mut lines).await {
                            tracing::warn!(%error, "cannot look for pushes that are due");
                        }
                    }
                }
            }
        }
    }

    /// Waits until this server may push, and says so to the others.
    async fn begin(&self) {
        let mut said = String::new();
        loop {
            match self.ways().await {
                Ok(ways) => {
                    // Nobody else sets it.
                    drop(self.pushes.ways.set(ways));
                    let ways = Arc::clone(&self.pushes.ways);
                    tokio::spawn(async move {
                        let mail = ways.get().and_then(|ways| ways.mail.as_ref());
                        if let Some(MailWay { mailer, .. }) = mail
                            && let Err(error) = mailer.check().await
                        {
                            tracing::warn!(error, "cannot sign in to the SMTP server");
                        }
                    });
                    return;
                }
                Err(why) => {
                    let why = why.to_string();
                    if said != why {
                        tracing::warn!("no pushes are sent: {why}");
                        said = why;
                    }
                }
            }
            sleep(PUSH_LOOK_INTERVAL).await;
        }
    }

    async fn ways(&self) -> Result<Ways, NotNow> {
        let read =
            || self.read_pool.try_read(|reader| Ok((reader.push_place()?, reader.push_server()?)));
        let (place, server) = read().await?;
        let server = match server {
            Some(server) => server,
            None => {
                let key = ServerKey::make().map_err(|error| NotNow::Fault(error.to_string()))?;
                let reports_told = self.clock.now();
                let made = PushServer { key, place: place.clone(), reports_told };
                self.change(PushChange::MakeServer(made)).await?;
                // Another node may have been first.
                let (_, server) = read().await?;
                server.ok_or_else(|| NotNow::Fault("there is no key".to_owned()))?
            }
        };
        if server.place != place {
            return Err(NotNow::Copy);
        }
        let Some(site) = self.public_url.clone() else {
            return Ok(Ways { pusher: None, mail: None });
        };
        let key = ServerKey::read(&server.key).map_err(|error| NotNow::Fault(error.to_string()))?;
        let pusher = site
            .origin()
            .is_encrypted()
            .then(|| Pusher::new(key, site.to_string(), self.peers.clone()))
            .transpose()
            .map_err(NotNow::Fault)?;
        let mail = self.smtp.as_ref().and_then(|(server, sender)| {
            let mailer = Mailer::new(server, sender, site.origin().host());
            mailer
                .inspect_err(|error| tracing::warn!(error, "no e-mail is sent"))
                .map(|mailer| MailWay { mailer, site })
                .ok()
        });
        Ok(Ways { pusher, mail })
    }

    async fn change(&self, change: PushChange) -> Result<PushChanged, StorageError> {
        self.log_writer.settle(|permit| permit.change_pushes(change.clone())).await
    }

    /// What the pushes of an account depend on.
    async fn known(&self, account: &MemberId) -> Result<PushMember, ReadError> {
        let account = account.clone();
        self.read_pool.try_read(move |reader| reader.push_member(&account)).await
    }

    /// What the pushes of a member depend on. For a guest who belongs to an account, this is the account's. Also
    /// returns whose it is.
    async fn member(&self, member: &MemberId) -> Result<(MemberId, PushMember), ReadError> {
        let member = member.clone();
        let read = move |reader: &mut Reader| -> Result<_, StorageError> {
            let guests = reader.guests_around(slice::from_ref(&member))?;
            let own = guests.into_iter().find(|(guest, _)| *guest == member);
            let person = own.map_or_else(|| member.clone(), |(_, account)| account);
            let known = reader.push_member(&person)?;
            Ok((person, known))
        };
        self.read_pool.try_read(read).await
    }

    async fn tell(&self, news: PushNews, lines: &mut Lines) -> Result<(), NotNow> {
        match news {
            PushNews::Turn(turn) => self.tell_turn(*turn, lines).await,
            PushNews::Times { member } => self.plan_again(&member).await,
            PushNews::TimeUp { room, member, opponent, won } => {
                let news = LastingNews::TimeUp { room, opponent, won };
                self.tell_once(&member, &About::Lasting(news), PUSH_KEPT_SHORT, lines).await
            }
            PushNews::Closed { room, member, opponent, why } => {
                let news = LastingNews::Closed { room, opponent, why };
                self.tell_once(&member, &About::Lasting(news), PUSH_KEPT_SHORT, lines).await
            }
            PushNews::Found { room, member, opponent, is_daily, is_turn } => {
                let about = About::Found { room, opponent, is_turn };
                let kept = if is_daily { PUSH_KEPT_SHORT } else { PUSH_KEPT_LIVE };
                self.tell_once(&member, &about, kept, lines).await
            }
            PushNews::Letter { member, name, letter } => {
                self.queue_letter(&member, name, letter, LETTER_KEPT, lines);
                Ok(())
            }
            PushNews::RecoveryCode { member, name } => self.send_code(member, name, lines).await,
            PushNews::Challenge { member, from, by } => {
                let news = LastingNews::Challenge { from, by };
                self.tell_once(&member, &About::Lasting(news), PUSH_KEPT_MAX, lines).await
            }
        }
    }

    /// Sends a recovery code to the member, if they have an address.
    async fn send_code(
        &self,
        member: MemberId,
        name: Name,
        lines: &mut Lines,
    ) -> Result<(), NotNow> {
        let account = member.clone();
        let email = self.read_pool.try_read(move |reader| reader.email(&account)).await?;
        if email.is_none_or(|email| email.confirmed.is_none()) {
            return Ok(());
        }
        let (code, now) = (ids::recovery_code(), self.clock.now());
        let step = EmailStep::AddCode(ids::recovery_hash(&code), now + millis(MAILED_CODE_KEPT));
        let change =
            AccountChange { member: member.clone(), at: now, step: AccountStep::Email(step) };
        let changed = self.log_writer.settle(|permit| permit.change_account(change.clone()));
        if changed.await? == AccountChanged::Done {
            self.queue_letter(&member, name, Letter::Code(code), MAILED_CODE_KEPT, lines);
        }
        Ok(())
    }

    fn queue_letter(
        &self,
        member: &MemberId,
        name: Name,
        letter: Letter,
        kept: Duration,
        lines: &mut Lines,
    ) {
        let until = self.clock.now() + millis(kept);
        self.queue_mail(member, &About::Letter { name, letter }, until, lines);
    }

    async fn tell_turn(&self, turn: Turn, lines: &mut Lines) -> Result<(), NotNow> {
        let Turn { room, member, opponent, may_see, turn } = turn;
        let (member, known) = self.member(&member).await?;
        if !known.can_be_told() {
            return Ok(());
        }
        let now = self.clock.now();
        let earliest = if may_see { now + millis(self.seen_within) } else { now };
        let Plan { state, due } = at_turn(&known, now, now, earliest, turn.flag_at);
        let game = PushGame { member, room, opponent, state, since: now, turn, due };
        let waits = self.change(PushChange::Wait(game.clone())).await?;
        // Another node may have been first, the turn may be over, and an account that is deleted has none.
        if waits == PushChanged::Done && state == PushState::Told {
            self.queue_turn(&game, &known, lines);
        }
        Ok(())
    }

    /// Tells members of games for which they are due: after quiet hours, by their digest, or to remind them. Also tells
    /// members other news that has waited for the end of quiet hours, and tells reporters what was decided.
    async fn sweep(&self, lines: &mut Lines) -> Result<(), NotNow> {
        if self.pushes.missed.swap(false, Ordering::Relaxed)
            && let Err(error) = self.look_for_turns().await
        {
            tracing::warn!(%error, "cannot look for turns that wait");
            self.pushes.missed.store(true, Ordering::Relaxed);
        }
        let now = self.clock.now();
        let read = move |reader: &mut Reader| reader.pushes_due(now, PUSHES_DUE_MAX);
        let mut due = self.read_pool.try_read(read).await?;
        due.sort_by(|one, other| one.member.cmp(&other.member));
        for games in due.chunk_by(|one, other| one.member == other.member) {
            self.tell_due(&games[0].member, games, now, lines).await?;
        }
        self.tell_waiting(now, lines).await?;
        self.tell_reporters(now, lines).await
    }

    /// Tells reporters what became of their reports. Operators may decide in another process, so this looks a moment back.
    async fn tell_reporters(&self, now: u64, lines: &mut Lines) -> Result<(), NotNow> {
        let until = now.saturating_sub(millis(REPORTS_TOLD_AFTER));
        let read = move |reader: &mut Reader| -> Result<_, StorageError> {
            let told = reader.push_server()?.map_or(until, |server| server.reports_told);
            // Nobody wants to know what was decided long ago.
            let after = told.max(now.saturating_sub(millis(PUSH_KEPT_MAX)));
            Ok((told, reader.reports(&ReportQuery::Decided(after, until))?))
        };
        let (told, decided) = self.read_pool.try_read(read).await?;
        let Some(last) = decided.last().and_then(|report| report.closed_at) else { return Ok(()) };
        // The others come in the next sweep.
        if self.change(PushChange::TellReports(told, last)).await? != PushChanged::Done {
            return Ok(());
        }
        for Report { reporter, about: of, about_name, state, .. } in decided {
            let acted = state == ReportState::Acted;
            let about = About::Lasting(LastingNews::Report { of, about: about_name, acted });
            if let Err(error) = self.tell_once(&reporter, &about, PUSH_KEPT_MAX, lines).await {
                tracing::debug!(%error, "a reporter is not told");
            }
        }
        Ok(())
    }

    async fn tell_due(
        &self,
        member: &MemberId,
        games: &[PushGame],
        now: u64,
        lines: &mut Lines,
    ) -> Result<(), NotNow> {
        let known = self.known(member).await?;
        let mut begun = None;
        for game in games {
            let Some(due) = game.due else { continue };
            let what = what_is_due(&known, game, due, now);
            let Plan { state, due: next } = what.plan;
            let taken = PushGame { state, due: next, ..game.clone() };
            let is_taken =
                self.change(PushChange::Take(taken, game.due)).await? == PushChanged::Done;
            match what.told {
                Some(Told::Turn) if is_taken => begun = Some(game),
                Some(Told::Reminder) if is_taken => {
                    let about = About::Reminder { room: game.room.clone(), due };
                    self.queue(member, &known, &about, game.turn.flag_at, lines);
                }
                Some(Told::Turn | Told::Reminder) | None => {}
            }
        }
        // One push says how many.
        if let Some(game) = begun {
            self.queue_turn(game, &known, lines);
        }
        Ok(())
    }

    fn queue_turn(&self, game: &PushGame, known: &PushMember, lines: &mut Lines) {
        let about = About::Turn { room: game.room.clone(), number: game.turn.number };
        self.queue(&game.member, known, &about, game.turn.flag_at, lines);
    }

    /// Queues news for all browsers of a member, and for their address. It is of no use after this time.
    fn queue(
        &self,
        member: &MemberId,
        known: &PushMember,
        about: &About,
        until: u64,
        lines: &mut Lines,
    ) {
        for PushSubscription { endpoint, .. } in &known.subscriptions {
            self.queue_one(member, Recipient::Browser(endpoint.clone()), about, until, lines);
        }
        if known.address().is_some() && about.is_mailed(&known.settings) {
            self.queue_mail(member, about, until, lines);
        }
    }

    fn queue_mail(&self, member: &MemberId, about: &About, until: u64, lines: &mut Lines) {
        if self.pushes.sends_mail() {
            self.queue_one(member, Recipient::Email(ids::mail_id()), about, until, lines);
        }
    }

    fn queue_one(
        &self,
        member: &MemberId,
        to: Recipient,
        about: &About,
        until: u64,
        lines: &mut Lines,
    ) {
        let delivery = Delivery { to, about: about.clone(), until, tries: 0 };
        if let Some(dropped) = lines.push(member, Instant::now(), delivery) {
            self.note_result(&dropped.to, PushResult::Dropped);
        }
    }

    fn note_result(&self, to: &Recipient, result: PushResult) {
        let metrics = &self.pushes.metrics;
        match to {
            Recipient::Browser(_) => metrics.pushes.note(result),
            Recipient::Email(_) => metrics.mails.note(result),
        }
    }

    /// Lets a turn that was about to be told wait until the member's time off is over.
    async fn tell_after_time_off(&self, member: &MemberId, about: &About) -> Result<(), NotNow> {
        let About::Turn { room, number } = about else { return Ok(()) };
        let known = self.known(member).await?;
        let is_it = |game: &&PushGame| {
            (&game.room, game.turn.number, game.state) == (room, *number, PushState::Told)
        };
        if let Some(game) = known.games.iter().find(is_it) {
            let due = Some(after_quiet(&known, self.clock.now()));
            let waits = PushGame { state: PushState::Waiting, due, ..game.clone() };
            self.change(PushChange::Take(waits, game.due)).await?;
        }
        Ok(())
    }

    /// Does what the answer of a push service or an SMTP server demands.
    async fn settle(&self, sent: Sent, lines: &mut Lines) {
        let Sent { member, delivery, outcome } = sent;
        let (result, again_after) = result_of(outcome);
        let (again_after, tries_max) = match delivery.to {
            Recipient::Browser(_) => (again_after, PUSH_TRIES_MAX),
            Recipient::Email(_) => {
                let is_down = outcome == Outcome::Pushed(Pushed::Unreached);
                let after =
                    if is_down { Some(mail_again_after(delivery.tries)) } else { again_after };
                (after, MAIL_TRIES_MAX)
            }
        };
        if let Some(result) = result {
            self.note_result(&delivery.to, result);
        }
        if let (Outcome::Pushed(Pushed::Gone), Recipient::Browser(endpoint)) =
            (outcome, &delivery.to)
        {
            let forgotten = self.change(PushChange::Forget(endpoint.clone())).await;
            if let Err(error) = forgotten {
                tracing::warn!(%error, "cannot forget a subscription that is gone");
            }
            return;
        }
        if outcome == Outcome::TimeOff
            && let Err(error) = self.tell_after_time_off(&member, &delivery.about).await
        {
            tracing::debug!(%error, "a turn is not told");
        }
        let tries = delivery.tries + 1;
        let Some(after) = again_after else { return };
        let is_late = self.clock.now() + millis(after) >= delivery.until;
        let again = Delivery { tries, ..delivery };
        let dropped = if tries >= tries_max || is_late {
            Some(again)
        } else {
            lines.push(&member, Instant::now() + after, again)
        };
        if let Some(dropped) = dropped {
            self.note_result(&dropped.to, PushResult::Dropped);
        }
    }
}

/// What is counted for an outcome, and after which time it is tried again.
fn result_of(outcome: Outcome) -> (Option<PushResult>, Option<Duration>) {
    match outcome {
        Outcome::Pushed(Pushed::Accepted) => (Some(PushResult::Sent), None),
        Outcome::Pushed(Pushed::Gone) => (Some(PushResult::Gone), None),
        Outcome::Pushed(Pushed::Later(after)) => (Some(PushResult::Later), Some(after)),
        Outcome::Pushed(Pushed::Unreached) => (Some(PushResult::Failed), Some(PUSH_AGAIN_AFTER)),
        // The push service may have it.
        Outcome::Pushed(Pushed::Failed) => (Some(PushResult::Failed), None),
        Outcome::Pushed(Pushed::Refused) => (Some(PushResult::Refused), None),
        Outcome::Outdated => (Some(PushResult::Outdated), None),
        Outcome::Quiet(left) => (None, Some(left)),
        Outcome::TimeOff => (None, None),
    }
}

/// How long an e-mail that was tried so often before waits for its next try.
fn mail_again_after(tries: u8) -> Duration {
    MAIL_AGAIN_AFTER[usize::from(tries).min(MAIL_AGAIN_AFTER.len() - 1)]
}

/// Of what a member is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Told {
    Turn,
    Reminder,
}

/// What happens with a turn that is due.
struct WhatIsDue {
    plan: Plan,
    /// Nothing if the member does not want it any more, or only later.
    told: Option<Told>,
}

fn what_is_due(known: &PushMember, game: &PushGame, due: u64, now: u64) -> WhatIsDue {
    let PushGame { since, turn: DailyTurn { flag_at, .. }, state, .. } = *game;
    let reminder = next_reminder(known, since, now, flag_at);
    let quiet_until = after_quiet(known, now);
    match state {
        PushState::Waiting if known.settings.moves == MovePushes::Never => {
            WhatIsDue { plan: Plan { state: PushState::Seen, due: reminder }, told: None }
        }
        PushState::Waiting if quiet_until > now => {
            WhatIsDue { plan: Plan { state, due: Some(quiet_until) }, told: None }
        }
        PushState::Waiting => WhatIsDue {
            plan: Plan { state: PushState::Told, due: reminder },
            told: Some(Told::Turn),
        },
        PushState::Told | PushState::Seen => {
            let is_wanted = quiet_until == now && is_wanted(known, since, due, flag_at);
            let told = is_wanted.then_some(Told::Reminder);
            WhatIsDue { plan: Plan { state, due: reminder }, told }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_push_service_has_is_sent_again() {
        let after = |outcome| result_of(outcome).1;
        let minute = Duration::from_secs(60);
        assert_eq!(after(Outcome::Pushed(Pushed::Unreached)), Some(PUSH_AGAIN_AFTER));
        assert_eq!(after(Outcome::Pushed(Pushed::Later(minute))), Some(minute));
        assert_eq!(after(Outcome::Quiet(minute)), Some(minute));
        for pushed in [Pushed::Accepted, Pushed::Gone, Pushed::Failed, Pushed::Refused] {
            assert_eq!(after(Outcome::Pushed(pushed)), None, "{pushed:?}");
        }
        assert_eq!(after(Outcome::Outdated), None);
        assert_eq!(after(Outcome::TimeOff), None);
    }

    #[test]
    fn an_email_waits_longer_each_time() {
        let minutes = |tries| mail_again_after(tries).as_secs() / 60;
        assert_eq!([0, 1, 2, 3, 4, 7].map(minutes), [1, 5, 15, 60, 60, 60]);
    }
}
