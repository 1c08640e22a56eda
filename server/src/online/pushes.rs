//! Pushes: tells members whose page is closed what waits for them, through the push services of their browsers.
//!
//! Rooms and accounts report news to [`Pushes`]; for a room, only the node that owns it does so, after the commit.
//! One task on each node decides who is told and when, and sends the pushes. The storage records what a member was
//! told about a turn, so that only one node tells them. The record counts only while that turn lasts. A push may be
//! lost.

mod line;
mod sending;
mod texts;
mod times;

use std::{
    convert::Infallible,
    sync::{Arc, OnceLock},
    time::Duration,
};

use fivefold_push::{Peers, Pushed, Pusher, ServerKey};
use fivefold_shared::{
    clock::millis,
    protocol::{MemberId, Name, RoomCode},
};
use fivefold_storage::{
    DailyTurn, LogWriter, MovePushes, PushChange, PushChanged, PushGame, PushMember, PushServer,
    PushState, PushSubscription, StorageError,
};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};

pub(crate) use self::times::next_reminder;
use self::{
    line::Line,
    sending::{About, Delivery, Outcome, Sender, Sent},
    times::{Plan, after_quiet, at_turn, is_wanted},
};
use crate::{
    limits::pushes::{
        PUSH_AGAIN_AFTER, PUSH_KEPT_MAX, PUSH_KEPT_SHORT, PUSH_LOOK_INTERVAL, PUSH_NEWS_MAX,
        PUSH_TRIES_MAX, PUSHES_DUE_MAX, PUSHES_RUNNING_MAX,
    },
    metrics::{Metrics, PushResult},
    net::public_url::PublicUrl,
    process::{
        clock::Clock,
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
    /// A friend has left a challenge for a member.
    Challenge { member: MemberId, from: MemberId, by: Name },
    /// A member's settings, their time off or the end of a turn has changed: their pushes are planned again.
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
    /// Sends the pushes. Empty until this server may push.
    pusher: Arc<OnceLock<Pusher>>,
    metrics: Arc<Metrics>,
}

impl Pushes {
    /// Returns a handle that takes news, and the receiver from which the task reads it.
    pub(crate) fn new(metrics: Arc<Metrics>) -> (Self, mpsc::Receiver<PushNews>) {
        let (news, waiting) = mpsc::channel(PUSH_NEWS_MAX);
        (Self { news, pusher: Arc::default(), metrics }, waiting)
    }

    /// Whether anybody can be told.
    pub(crate) fn is_on(&self) -> bool {
        self.pusher.get().is_some()
    }

    /// Notes news. They are lost if too many wait.
    pub(crate) fn note(&self, news: PushNews) {
        if self.is_on() && self.news.try_send(news).is_err() {
            self.metrics.pushes.note(PushResult::Dropped);
        }
    }

    /// The key for which browsers subscribe; absent while this server does not push.
    pub(crate) fn public_key(&self) -> Option<String> {
        self.pusher.get().map(Pusher::public_key)
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
    pub(crate) sweep_interval: Duration,
    /// See [`Limits::push_seen_within`](crate::limits::Limits::push_seen_within).
    pub(crate) seen_within: Duration,
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
        let Some(subject) = self.public_url.clone().filter(|url| url.origin().is_encrypted())
        else {
            tracing::debug!("no pushes are sent: there is no --public-url with https");
            // The news are noted nowhere.
            return std::future::pending().await;
        };
        self.begin(&subject.to_string()).await;
        let mut line = Line::default();
        let mut running = JoinSet::new();
        let mut sweep_at = Instant::now();
        let sender = Sender {
            pusher: Arc::clone(&self.pushes.pusher),
            read_pool: Arc::clone(&self.read_pool),
            clock: self.clock,
        };
        loop {
            while running.len() < PUSHES_RUNNING_MAX
                && let Some((member, delivery)) = line.next(Instant::now())
            {
                running.spawn(sender.clone().send(member, delivery));
            }
            let now = Instant::now();
            // A turn that is ready waits for one to be done.
            let ready_at = line.ready_at(now);
            let wake_at = ready_at.map_or(sweep_at, |ready_at| ready_at.min(sweep_at));
            tokio::select! {
                Some(done) = running.join_next(), if !running.is_empty() => {
                    // A panic is logged where it happens.
                    if let Ok(sent) = done {
                        line.done(&sent.member);
                        self.settle(sent, &mut line).await;
                    }
                }
                Some(news) = self.waiting.recv() => {
                    if let Err(error) = self.tell(news, &mut line).await {
                        tracing::debug!(%error, "news are lost");
                        self.pushes.metrics.pushes.note(PushResult::Dropped);
                    }
                }
                () = sleep_until(wake_at) => {
                    if Instant::now() >= sweep_at {
                        sweep_at = Instant::now() + self.sweep_interval;
                        if let Err(error) = self.sweep(&mut line).await {
                            tracing::warn!(%error, "cannot look for pushes that are due");
                        }
                    }
                }
            }
        }
    }

    /// Waits until this server may push, and says so to the others.
    async fn begin(&self, subject: &str) {
        let mut said = String::new();
        loop {
            match self.pusher(subject).await {
                Ok(pusher) => {
                    // Nobody else sets it.
                    drop(self.pushes.pusher.set(pusher));
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

    async fn pusher(&self, subject: &str) -> Result<Pusher, NotNow> {
        let read =
            || self.read_pool.try_read(|reader| Ok((reader.push_place()?, reader.push_server()?)));
        let (place, server) = read().await?;
        let server = match server {
            Some(server) => server,
            None => {
                let key = ServerKey::make().map_err(|error| NotNow::Fault(error.to_string()))?;
                self.change(PushChange::MakeServer(PushServer { key, place: place.clone() }))
                    .await?;
                // Another node may have been first.
                let (_, server) = read().await?;
                server.ok_or_else(|| NotNow::Fault("there is no key".to_owned()))?
            }
        };
        if server.place != place {
            return Err(NotNow::Copy);
        }
        let key = ServerKey::read(&server.key).map_err(|error| NotNow::Fault(error.to_string()))?;
        Pusher::new(key, subject.to_owned(), self.peers.clone()).map_err(NotNow::Fault)
    }

    async fn change(&self, change: PushChange) -> Result<PushChanged, StorageError> {
        self.log_writer.settle(|permit| permit.change_pushes(change.clone())).await
    }

    async fn member(&self, member: &MemberId) -> Result<PushMember, ReadError> {
        let member = member.clone();
        self.read_pool.try_read(move |reader| reader.push_member(&member)).await
    }

    async fn tell(&self, news: PushNews, line: &mut Line<Delivery>) -> Result<(), NotNow> {
        match news {
            PushNews::Turn(turn) => self.tell_turn(*turn, line).await,
            PushNews::Times { member } => self.plan_again(&member).await,
            PushNews::TimeUp { room, member, opponent, won } => {
                let about = About::TimeUp { room, opponent, won };
                self.tell_once(&member, &about, PUSH_KEPT_SHORT, line).await
            }
            PushNews::Challenge { member, from, by } => {
                let about = About::Challenge { from, by };
                self.tell_once(&member, &about, PUSH_KEPT_MAX, line).await
            }
        }
    }

    /// Tells a member news that is not about a turn. In quiet hours this news is dropped.
    async fn tell_once(
        &self,
        member: &MemberId,
        about: &About,
        kept: Duration,
        line: &mut Line<Delivery>,
    ) -> Result<(), NotNow> {
        let known = self.member(member).await?;
        let until = self.clock.now() + millis(kept);
        self.queue(member, &known.subscriptions, about, until, line);
        Ok(())
    }

    async fn tell_turn(&self, turn: Turn, line: &mut Line<Delivery>) -> Result<(), NotNow> {
        let Turn { room, member, opponent, may_see, turn } = turn;
        let known = self.member(&member).await?;
        if known.subscriptions.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        let earliest = if may_see { now + millis(self.seen_within) } else { now };
        let Plan { state, due } = at_turn(&known, now, now, earliest, turn.flag_at);
        let game = PushGame { member, room, opponent, state, since: now, turn, due };
        let waits = self.change(PushChange::Wait(game.clone())).await?;
        // Another node may have been first, the turn may be over, and an account that is deleted has none.
        if waits == PushChanged::Done && state == PushState::Told {
            self.queue_turn(&game, &known, line);
        }
        Ok(())
    }

    /// Plans again when to tell a member about their open turns.
    async fn plan_again(&self, member: &MemberId) -> Result<(), NotNow> {
        let known = self.member(member).await?;
        let now = self.clock.now();
        for game in &known.games {
            let Plan { state, due } = match game.state {
                PushState::Waiting => {
                    let earliest = now + millis(self.seen_within);
                    at_turn(&known, game.since, now, earliest, game.turn.flag_at)
                }
                told @ (PushState::Told | PushState::Seen) => {
                    let due = next_reminder(&known, game.since, now, game.turn.flag_at);
                    Plan { state: told, due }
                }
            };
            if (state, due) != (game.state, game.due) {
                let planned = PushGame { state, due, ..game.clone() };
                // If this fails, a node is already telling the member, or the turn is over.
                self.change(PushChange::Take(planned, game.due)).await?;
            }
        }
        Ok(())
    }

    /// Tells members of games for which they are due: after quiet hours, by their digest, or to remind them.
    async fn sweep(&self, line: &mut Line<Delivery>) -> Result<(), NotNow> {
        let now = self.clock.now();
        let read =
            move |reader: &mut fivefold_storage::Reader| reader.pushes_due(now, PUSHES_DUE_MAX);
        let mut due = self.read_pool.try_read(read).await?;
        due.sort_by(|one, other| one.member.cmp(&other.member));
        for games in due.chunk_by(|one, other| one.member == other.member) {
            self.tell_due(&games[0].member, games, now, line).await?;
        }
        Ok(())
    }

    async fn tell_due(
        &self,
        member: &MemberId,
        games: &[PushGame],
        now: u64,
        line: &mut Line<Delivery>,
    ) -> Result<(), NotNow> {
        let known = self.member(member).await?;
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
                    self.queue(member, &known.subscriptions, &about, game.turn.flag_at, line);
                }
                Some(Told::Turn | Told::Reminder) | None => {}
            }
        }
        // One push says how many.
        if let Some(game) = begun {
            self.queue_turn(game, &known, line);
        }
        Ok(())
    }

    fn queue_turn(&self, game: &PushGame, known: &PushMember, line: &mut Line<Delivery>) {
        let about = About::Turn { room: game.room.clone(), number: game.turn.number };
        self.queue(&game.member, &known.subscriptions, &about, game.turn.flag_at, line);
    }

    /// Queues a push for all browsers of a member. It is of no use after this time.
    fn queue(
        &self,
        member: &MemberId,
        subscriptions: &[PushSubscription],
        about: &About,
        until: u64,
        line: &mut Line<Delivery>,
    ) {
        for PushSubscription { endpoint, .. } in subscriptions {
            let (endpoint, about) = (endpoint.clone(), about.clone());
            let delivery = Delivery { endpoint, about, until, tries: 0 };
            if line.push(member, Instant::now(), delivery).is_some() {
                self.pushes.metrics.pushes.note(PushResult::Dropped);
            }
        }
    }

    /// Lets a turn that was about to be told wait until the member's time off is over.
    async fn tell_after_time_off(&self, member: &MemberId, about: &About) -> Result<(), NotNow> {
        let About::Turn { room, number } = about else { return Ok(()) };
        let known = self.member(member).await?;
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

    /// Does what the answer of a push service demands.
    async fn settle(&self, sent: Sent, line: &mut Line<Delivery>) {
        let Sent { member, delivery, outcome } = sent;
        let (result, again_after) = result_of(outcome);
        if let Some(result) = result {
            self.pushes.metrics.pushes.note(result);
        }
        if let Outcome::Pushed(Pushed::Gone) = outcome {
            let forgotten = self.change(PushChange::Forget(delivery.endpoint)).await;
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
        if tries >= PUSH_TRIES_MAX
            || is_late
            || line.push(&member, Instant::now() + after, again).is_some()
        {
            self.pushes.metrics.pushes.note(PushResult::Dropped);
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
}
