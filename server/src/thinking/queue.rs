//! The queue of bot jobs: decides which job runs next, how much time it has, and what it
//! interrupts.
//!
//! A plain value behind the pool's lock. Jobs for people come before jobs for games between two
//! bots. Within a class each owner is served in turn. A job's time is computed as if every owner
//! waited with as many jobs: an owner who submits many shortens only their own thinking time.

use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::Arc,
    time::Duration,
};

use fivefold_shared::room::{BotReply, Job, Task};
use tokio::sync::oneshot;

use super::{
    background::{self, BackgroundJob, BackgroundQueue, Busy},
    job_control::JobControl,
    owner::{Owner, fair_rounds},
};
use crate::limits::{THINKING_QUEUE_MAX, THINKING_TIME_MAX, THINKING_TIME_MIN};

/// A waiting job.
pub(super) struct Waiting {
    pub(super) job: Job,
    pub(super) owner: Owner,
    pub(super) call: Arc<JobControl>,
    pub(super) answer: oneshot::Sender<BotReply>,
}

/// A running job.
struct Running {
    owner: Owner,
    class: Class,
    call: Arc<JobControl>,
    is_interrupted: bool,
}

/// Priority classes, the most urgent first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    /// A person waits for the bot's move.
    Turn,
    /// A person waits for a hint or a similar reply.
    Help,
    /// Two bots play.
    Bots,
}

impl Class {
    const ALL: [Self; 3] = [Self::Turn, Self::Help, Self::Bots];

    const fn of(task: Task) -> Self {
        match task {
            Task::Turn => Self::Turn,
            Task::Move | Task::Weigh => Self::Help,
            Task::BotsTurn => Self::Bots,
        }
    }

    const fn is_for_people(self) -> bool {
        match self {
            Self::Turn | Self::Help => true,
            Self::Bots => false,
        }
    }
}

/// The waiting jobs of one class.
#[derive(Default)]
struct Line {
    /// The owners in order of service: everyone who has a job here, once.
    order: VecDeque<Owner>,
    jobs: HashMap<Owner, VecDeque<Waiting>>,
    len: usize,
}

impl Line {
    fn push(&mut self, waiting: Waiting) {
        let jobs = self.jobs.entry(waiting.owner).or_default();
        if jobs.is_empty() {
            self.order.push_back(waiting.owner);
        }
        jobs.push_back(waiting);
        self.len += 1;
    }

    fn pop(&mut self) -> Option<Waiting> {
        let owner = self.order.pop_front()?;
        let jobs = self.jobs.get_mut(&owner)?;
        let waiting = jobs.pop_front()?;
        if jobs.is_empty() {
            self.jobs.remove(&owner);
        } else {
            self.order.push_back(owner);
        }
        self.len -= 1;
        Some(waiting)
    }

    /// Number of this owner's waiting jobs.
    fn of(&self, owner: Owner) -> usize {
        self.jobs.get(&owner).map_or(0, VecDeque::len)
    }

    /// Number of other owners who wait.
    fn others(&self, owner: Owner) -> usize {
        self.jobs.len() - usize::from(self.jobs.contains_key(&owner))
    }

    /// The owner with the most jobs here.
    fn largest(&self) -> Option<(Owner, usize)> {
        let owners = self.jobs.iter().map(|(owner, jobs)| (*owner, jobs.len()));
        owners.max_by_key(|(_, count)| *count)
    }

    /// Drops an owner's newest job.
    fn drop_newest(&mut self, owner: Owner) {
        let Some(jobs) = self.jobs.get_mut(&owner) else { return };
        self.len -= usize::from(jobs.pop_back().is_some());
        if jobs.is_empty() {
            self.jobs.remove(&owner);
            self.order.retain(|other| *other != owner);
        }
    }

    /// Drops cancelled jobs.
    fn drop_cancelled(&mut self) {
        for waiting in mem::take(self).into_jobs().filter(|job| !job.call.is_cancelled()) {
            self.push(waiting);
        }
    }

    /// All jobs, in the order of their owners.
    fn into_jobs(mut self) -> impl Iterator<Item = Waiting> {
        std::iter::from_fn(move || self.pop())
    }
}

/// The work of the pool's threads.
pub(super) struct Queue {
    /// Most jobs and background jobs that run at once.
    threads: usize,
    turns: Line,
    help: Line,
    bots: Line,
    running: Vec<Running>,
    pub(super) background: BackgroundQueue,
    pub(super) stopped: bool,
}

impl Queue {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads,
            turns: Line::default(),
            help: Line::default(),
            bots: Line::default(),
            running: Vec::new(),
            background: BackgroundQueue::default(),
            stopped: false,
        }
    }

    /// Number of jobs that may still begin.
    fn free(&self) -> usize {
        self.threads.saturating_sub(self.running.len() + self.background.running())
    }

    /// Adds a background job that may think for `time`.
    ///
    /// # Errors
    /// If too many wait, in total or for this owner.
    pub(super) fn push_background(
        &mut self,
        owner: Owner,
        job: BackgroundJob,
        time: Duration,
    ) -> Result<Arc<JobControl>, Busy> {
        let (free, threads) = (self.free(), self.threads);
        let call = self.background.push(owner, job, time, free, threads)?;
        self.note_rounds();
        Ok(call)
    }

    /// Takes the next background job, if a thread is free.
    pub(super) fn take_background(&mut self) -> Option<background::Waiting> {
        if self.free() == 0 {
            return None;
        }
        self.background.take(self.threads)
    }

    /// Number of waiting jobs.
    pub(super) fn len(&self) -> usize {
        self.turns.len + self.help.len + self.bots.len
    }

    /// Adds a job, and interrupts work that must give way to it. When the queue is full, drops one
    /// of the least urgent jobs: the newest one of the owner with the most. Returns whether none
    /// was dropped.
    pub(super) fn push(&mut self, waiting: Waiting) -> bool {
        let (owner, class) = (waiting.owner, Class::of(waiting.job.task));
        let mut dropped = false;
        if self.len() >= THINKING_QUEUE_MAX {
            for class in Class::ALL {
                self.line_mut(class).drop_cancelled();
            }
        }
        if self.len() >= THINKING_QUEUE_MAX {
            dropped = true;
            if !self.drop_for(owner, class) {
                return false;
            }
        }
        self.line_mut(class).push(waiting);
        self.make_way(class);
        self.note_rounds();
        !dropped
    }

    /// Makes room for one job of this owner. Returns whether there is room now.
    fn drop_for(&mut self, owner: Owner, class: Class) -> bool {
        let least = Class::ALL.into_iter().rev().find(|least| self.line(*least).len > 0);
        let Some(least) = least.filter(|least| *least >= class) else { return false };
        let Some((largest, count)) = self.line(least).largest() else { return false };
        if least == class && count <= self.line(class).of(owner) {
            return false;
        }
        self.line_mut(least).drop_newest(largest);
        true
    }

    /// If more jobs wait than threads are free or about to be, interrupts a background job or, for
    /// people, a game between bots.
    fn make_way(&mut self, class: Class) {
        let interrupted = self.running.iter().filter(|running| running.is_interrupted).count();
        let free = self.free() + interrupted + self.background.interrupted();
        let people = self.turns.len + self.help.len;
        let waiting = if class.is_for_people() { people } else { self.len() };
        if waiting <= free || self.background.interrupt() || !class.is_for_people() {
            return;
        }
        let is_one = |running: &&mut Running| {
            running.class == Class::Bots && !running.is_interrupted && !running.call.is_cancelled()
        };
        if let Some(running) = self.running.iter_mut().find(is_one) {
            running.call.interrupt();
            running.is_interrupted = true;
        }
    }

    /// Takes the next job, with its time.
    pub(super) fn take(&mut self) -> Option<(Waiting, Duration)> {
        let waiting = Class::ALL.into_iter().find_map(|class| self.line_mut(class).pop())?;
        let (owner, class) = (waiting.owner, Class::of(waiting.job.task));
        let call = Arc::clone(&waiting.call);
        self.running.push(Running { owner, class, call, is_interrupted: false });
        self.note_rounds();
        let time = time_in(self.rounds(owner, class));
        let time = waiting.job.time_max.map_or(time, |time_max| time.min(time_max));
        Some((waiting, time))
    }

    /// Removes a job that has finished.
    pub(super) fn end(&mut self, call: &Arc<JobControl>) {
        self.running.retain(|running| !Arc::ptr_eq(&running.call, call));
    }

    /// Updates how fast the time of all running work passes.
    pub(super) fn note_rounds(&self) {
        for running in &self.running {
            running.call.note_rounds(self.rounds(running.owner, running.class));
        }
        self.background.note_rounds(self.threads);
    }

    /// Cancels everything.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
        (self.turns, self.help, self.bots) = Default::default();
        for running in &self.running {
            running.call.cancel();
        }
        self.background.stop();
    }

    /// How many rounds the threads need for the waiting jobs, if every owner waited with as many as
    /// this one. A job for a person does not wait for games between bots.
    fn rounds(&self, owner: Owner, class: Class) -> u32 {
        let lines = if class.is_for_people() { 2 } else { 3 };
        let before = [&self.turns, &self.help, &self.bots].into_iter().take(lines);
        let (others, own) = before.fold((0, 0), |(others, own), line| {
            (others + line.others(owner), own + line.of(owner))
        });
        fair_rounds(others, own, self.threads).min(rounds_max())
    }

    const fn line(&self, class: Class) -> &Line {
        match class {
            Class::Turn => &self.turns,
            Class::Help => &self.help,
            Class::Bots => &self.bots,
        }
    }

    const fn line_mut(&mut self, class: Class) -> &mut Line {
        match class {
            Class::Turn => &mut self.turns,
            Class::Help => &mut self.help,
            Class::Bots => &mut self.bots,
        }
    }
}

/// The number of rounds at which a job's time is shortest.
fn rounds_max() -> u32 {
    let most = THINKING_TIME_MAX.as_millis() / THINKING_TIME_MIN.as_millis();
    u32::try_from(most).unwrap_or(u32::MAX)
}

/// The time of a job, given the number of rounds.
fn time_in(rounds: u32) -> Duration {
    THINKING_TIME_MAX / rounds
}

#[cfg(test)]
mod tests {
    use fivefold_shared::{
        bot_spec::BotKind,
        room::{SessionId, Ticket},
        rules::{Position, Rules, Size, Variant},
    };

    use super::*;

    fn owner(number: u8) -> Owner {
        Owner::of([192, 0, 2, number].into())
    }

    /// Submits a job of this owner; returns whether none was dropped for it.
    fn push(queue: &mut Queue, number: u8, task: Task) -> (Arc<JobControl>, bool) {
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let (ticket, session, position) = (Ticket(1), Some(SessionId(1)), Position::new(rules));
        let bot = BotKind::Attack.into();
        let job =
            Job { ticket, task, session, bot, position, opening: None, seed: 1, time_max: None };
        let (answer, _) = oneshot::channel();
        let call = Arc::new(JobControl::default());
        let waiting = Waiting { job, owner: owner(number), call: Arc::clone(&call), answer };
        (call, queue.push(waiting))
    }

    fn next(queue: &mut Queue) -> (Owner, Task, Duration) {
        let (waiting, time) = queue.take().expect("a job waits");
        queue.end(&waiting.call);
        (waiting.owner, waiting.job.task, time)
    }

    #[test]
    fn people_come_before_bots_and_everybody_in_turn() {
        let mut queue = Queue::new(1);
        for _ in 0..100 {
            push(&mut queue, 1, Task::BotsTurn);
        }
        for (number, task) in [
            (1, Task::Weigh),
            (1, Task::Turn),
            (1, Task::Turn),
            (1, Task::Turn),
            (2, Task::Turn),
            (2, Task::Move),
            (3, Task::BotsTurn),
        ] {
            push(&mut queue, number, task);
        }
        let order: Vec<_> =
            (0..9).map(|_| next(&mut queue)).map(|(owner, task, _)| (owner, task)).collect();
        let expected = [
            (1, Task::Turn),
            (2, Task::Turn),
            (1, Task::Turn),
            (1, Task::Turn),
            (1, Task::Weigh),
            (2, Task::Move),
            (1, Task::BotsTurn),
            (3, Task::BotsTurn),
            (1, Task::BotsTurn),
        ];
        assert_eq!(order, expected.map(|(number, task)| (owner(number), task)));
    }

    #[test]
    fn who_has_many_jobs_shortens_the_time_for_those_alone() {
        let mut queue = Queue::new(1);
        for _ in 0..1_000 {
            push(&mut queue, 1, Task::BotsTurn);
            push(&mut queue, 1, Task::Turn);
        }
        push(&mut queue, 2, Task::Turn);
        assert_eq!(next(&mut queue), (owner(1), Task::Turn, THINKING_TIME_MIN));
        // One other owner waits, so this job gets half of the time.
        assert_eq!(next(&mut queue), (owner(2), Task::Turn, THINKING_TIME_MAX / 2));
        push(&mut queue, 2, Task::Turn);
        queue.threads = 2;
        next(&mut queue);
        assert_eq!(next(&mut queue), (owner(2), Task::Turn, THINKING_TIME_MAX));
    }

    #[test]
    fn two_bots_are_interrupted_for_a_person_and_others_only_hurried() {
        let mut queue = Queue::new(1);
        let (bots, _) = push(&mut queue, 1, Task::BotsTurn);
        queue.take();
        push(&mut queue, 1, Task::BotsTurn);
        assert!(!bots.stop.load(std::sync::atomic::Ordering::Relaxed));
        let (turn, _) = push(&mut queue, 2, Task::Turn);
        assert!(bots.stop.load(std::sync::atomic::Ordering::Relaxed));
        assert!(!bots.is_cancelled(), "what it has found so far is its answer");
        queue.end(&bots);
        queue.take();
        let before = turn.rounds();
        push(&mut queue, 3, Task::Turn);
        queue.note_rounds();
        assert!(!turn.stop.load(std::sync::atomic::Ordering::Relaxed));
        assert_eq!((before, turn.rounds()), (1, 2));
        // A free thread means that nothing is interrupted.
        let mut queue = Queue::new(2);
        let (bots, _) = push(&mut queue, 1, Task::BotsTurn);
        queue.take();
        push(&mut queue, 2, Task::Turn);
        assert!(!bots.stop.load(std::sync::atomic::Ordering::Relaxed));
        push(&mut queue, 3, Task::Turn);
        assert!(bots.stop.load(std::sync::atomic::Ordering::Relaxed));
    }

    #[test]
    fn a_full_queue_drops_a_job_of_the_owner_with_the_most() {
        let mut queue = Queue::new(1);
        for _ in 1..THINKING_QUEUE_MAX {
            assert!(push(&mut queue, 1, Task::Weigh).1);
        }
        assert!(push(&mut queue, 2, Task::Weigh).1);
        assert!(!push(&mut queue, 1, Task::Weigh).1);
        assert_eq!((queue.len(), queue.help.of(owner(1))), (THINKING_QUEUE_MAX, 4_095));
        // Other owners find a slot, and so do more urgent jobs.
        assert!(!push(&mut queue, 3, Task::Weigh).1);
        assert!(!push(&mut queue, 1, Task::Turn).1);
        assert_eq!((queue.len(), queue.help.of(owner(1))), (THINKING_QUEUE_MAX, 4_093));
        assert_eq!((queue.help.of(owner(3)), queue.turns.len), (1, 1));
        // Less urgent jobs do not.
        push(&mut queue, 4, Task::BotsTurn);
        assert_eq!(queue.bots.len, 0);
        // Cancelled jobs are dropped before any other.
        let jobs = queue.help.jobs.get_mut(&owner(1)).unwrap();
        jobs.iter().take(10).for_each(|waiting| waiting.call.cancel());
        assert!(push(&mut queue, 5, Task::BotsTurn).1);
        assert_eq!(queue.len(), THINKING_QUEUE_MAX - 9);
        assert_eq!(queue.help.into_jobs().count(), THINKING_QUEUE_MAX - 11);
    }

    #[test]
    fn the_time_shrinks_as_others_wait() {
        // Other owners, own jobs, threads, milliseconds.
        let cases = [
            (0, 0, 1, 1_000),
            (0, 1, 1, 500),
            (1, 0, 1, 500),
            (0, 1, 2, 1_000),
            (1, 1, 1, 250),
            (0, 9, 1, 100),
            (9, 0, 1, 100),
            (0, 10_000, 1, 10),
            (usize::MAX - 1, 10_000, 1, 10),
        ];
        for (others, own, threads, expected_ms) in cases {
            let rounds = fair_rounds(others, own, threads).min(rounds_max());
            let time = time_in(rounds);
            assert_eq!(time, Duration::from_millis(expected_ms), "{others} {own} on {threads}");
        }
    }
}
