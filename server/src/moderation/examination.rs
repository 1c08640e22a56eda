//! Examines rated games that have ended, one after another: how long the moves took, and, when nothing else
//! needs the processor, how far they agree with the engine's. The facts are stored for operators.
//!
//! Nodes claim games in the storage, so that none is examined twice. What the facts mean is not known here.

mod facts;

use std::{convert::Infallible, sync::Arc, time::Duration};

use fivefold_engine::{
    agreement::{self, GAME_NODES, LINES},
    reviewer::Reviewer,
};
use fivefold_shared::{
    clock::millis,
    protocol::GameId,
    record::Record,
    review::Agreement,
    rules::{Point, Stone},
    seat::{BySeat, Seat},
};
use fivefold_storage::{
    ExaminationClaim, LogWriter, ModerationChange, ModerationChanged, RatingChange, StorageError,
    Unexamined, limits::DAY,
};
use tokio::{sync::oneshot, time::sleep};

use self::facts::facts;
use crate::{
    limits::moderation::{
        ENGINE_GAMES_A_DAY, EXAMINATION_STALE, EXAMINATION_TIME_MAX, EXAMINED_WITHIN,
    },
    process::{clock::Clock, read_pool::ReadPool},
    thinking::{BackgroundJob, Owner, Pool},
};

/// What examining games needs.
#[derive(Debug)]
pub(crate) struct Examiner {
    pub(crate) read_pool: Arc<ReadPool>,
    pub(crate) log_writer: LogWriter,
    pub(crate) pool: Pool,
    pub(crate) clock: Clock,
    /// How long to wait when there is no game to examine.
    pub(crate) interval: Duration,
}

impl Examiner {
    /// Examines games; never returns. Facts that need no engine are stored at once, even on a busy processor,
    /// because operators wait for them.
    pub(crate) async fn run(self) -> Infallible {
        let (never, _) = tokio::join!(self.examine(), self.search());
        never
    }

    async fn examine(&self) -> Infallible {
        loop {
            let found = self.examine_next().await;
            self.pause(found).await;
        }
    }

    async fn search(&self) -> Infallible {
        loop {
            let found = self.search_next().await;
            self.pause(found).await;
        }
    }

    /// Waits if there was no game.
    async fn pause(&self, found: Result<bool, StorageError>) {
        match found {
            Ok(true) => {}
            Ok(false) => sleep(self.interval).await,
            Err(error) => {
                tracing::warn!(%error, "cannot examine a rated game");
                sleep(self.interval).await;
            }
        }
    }

    /// Stores what the next game shows without the engine. Returns whether there was one.
    async fn examine_next(&self) -> Result<bool, StorageError> {
        let at = self.clock.now();
        let stale = at.saturating_sub(millis(EXAMINATION_STALE));
        let since = at.saturating_sub(millis(EXAMINED_WITHIN));
        let next = self.read_pool.read(move |reader| reader.unexamined(since, stale));
        let Some(Unexamined { game, ended_at }) = next.await? else { return Ok(false) };
        let claim = ExaminationClaim { game: game.clone(), ended_at, at, stale, engine: false };
        if self.change(ModerationChange::ClaimExamination(claim)).await? == ModerationChanged::Gone
        {
            // Another node has it.
            return Ok(true);
        }
        let facts = match self.find(&game).await? {
            Some((record, changes)) => facts(&record, &changes, None),
            None => None,
        };
        self.change(ModerationChange::Examined { game, facts: facts.map(Box::new) }).await?;
        Ok(true)
    }

    /// Has the engine look at the next game that was examined without it. Returns whether there was one.
    async fn search_next(&self) -> Result<bool, StorageError> {
        let at = self.clock.now();
        let since = at.saturating_sub(millis(EXAMINED_WITHIN));
        let day = at.saturating_sub(millis(DAY));
        let next = self.read_pool.read(move |reader| {
            let Some(next) = reader.unsearched(since)? else { return Ok(None) };
            Ok((reader.engine_games(day)? < ENGINE_GAMES_A_DAY).then_some(next))
        });
        let Some(Unexamined { game, ended_at }) = next.await? else { return Ok(false) };
        let claim = ExaminationClaim { game: game.clone(), ended_at, at, stale: 0, engine: true };
        if self.change(ModerationChange::ClaimExamination(claim)).await? == ModerationChanged::Gone
        {
            return Ok(true);
        }
        if let Some((record, changes)) = self.find(&game).await?
            && let Some(agreement) = self.agreement(&record).await
            && let Some(facts) = facts(&record, &changes, Some(agreement))
        {
            self.change(ModerationChange::Examined { game, facts: Some(Box::new(facts)) }).await?;
        }
        Ok(true)
    }

    async fn find(
        &self,
        game: &GameId,
    ) -> Result<Option<(Record, Vec<RatingChange>)>, StorageError> {
        let wanted = game.clone();
        let read = self.read_pool.read(move |reader| {
            let Some(record) = reader.game(&wanted)? else { return Ok(None) };
            Ok(Some((record, reader.game_ratings(&wanted)?)))
        });
        read.await
    }

    async fn change(&self, change: ModerationChange) -> Result<ModerationChanged, StorageError> {
        self.log_writer.settle(|permit| permit.moderate(change.clone())).await
    }

    /// Has the engine look at a game; nothing if it does not play these rules, or has no time.
    async fn agreement(&self, record: &Record) -> Option<BySeat<Agreement>> {
        let summary = &record.summary;
        let moves: Vec<Point> = record.moves.iter().map(|made| made.point).collect();
        let winner = summary.outcome_by_stone().winner();
        let opening = summary.opening.as_ref().map_or(0, |opening| opening.stones());
        let reviewer = Reviewer::searching(summary.rules, &moves, winner, LINES, GAME_NODES);
        let (sender, reply) = oneshot::channel();
        let job = job(reviewer.ok()??, opening, sender);
        let handle = self.pool.background_job(Owner::UNKNOWN, job, EXAMINATION_TIME_MAX).ok()?;
        let [black, white] = reply.await.ok()?;
        drop(handle);
        let of = |seat: Seat| match seat.stone(summary.black) {
            Stone::Black => black,
            Stone::White => white,
        };
        Some(BySeat { first: of(Seat::First), second: of(Seat::Second) })
    }
}

/// Reviews a game, and sends what Black and White have in common with the engine.
fn job(
    mut reviewer: Reviewer,
    opening: usize,
    sender: oneshot::Sender<[Agreement; 2]>,
) -> BackgroundJob {
    let mut sender = Some(sender);
    Box::new(move |thinking| {
        while let Some(has_more) = reviewer.go_on(thinking) {
            if has_more {
                continue;
            }
            let of = |stone| agreement::of(&reviewer, opening, stone);
            if let (Some(black), Some(white)) = (of(Stone::Black), of(Stone::White))
                && let Some(sender) = sender.take()
            {
                // Nobody waits if the server is about to stop.
                sender.send([black, white]).ok();
            }
            return;
        }
    })
}
