//! The calls that one room has under way to bots and to the engine.
//!
//! It starts and cancels them and waits for what they reply. What a reply means is up to the room.

use std::{collections::HashMap, pin::Pin, sync::Arc, time::Duration};

use fivefold_shared::{
    analysis::Report,
    room::{AnalysisUpdate, BotReply, Input, Job, Ticket},
    rules::Position,
};
use futures_util::{StreamExt, stream::FuturesUnordered};

use crate::{
    limits::REPORT_INTERVAL,
    thinking::{BackgroundHandle, Busy, JobControl, Owner, Pool, Reports},
};

/// The open calls of one room to bots and to the engine.
#[derive(Default)]
pub(super) struct BotCalls {
    replies: FuturesUnordered<PendingReply>,
    /// Cancellation handles, by ticket.
    controls: HashMap<Ticket, Arc<JobControl>>,
}

type PendingReply = Pin<Box<dyn Future<Output = PoolReply> + Send>>;

/// A reply from the pool.
pub(super) enum PoolReply {
    Bot(Ticket, Option<BotReply>),
    Report(Ticket, Report, BackgroundHandle, Reports),
    AnalysisOver(Ticket, AnalysisUpdate),
}

impl BotCalls {
    /// Asks a bot.
    pub(super) fn think(&mut self, pool: &Pool, job: Job, owner: Owner) {
        let ticket = job.ticket;
        let pending = pool.submit(job, owner);
        self.controls.insert(ticket, pending.call());
        let reply = async move { PoolReply::Bot(ticket, pending.answer().await) };
        self.replies.push(Box::pin(reply));
    }

    /// Starts an analysis.
    pub(super) fn analyse(
        &mut self,
        pool: &Pool,
        ticket: Ticket,
        owner: Owner,
        position: Position,
        lines: u8,
    ) {
        match pool.analyse(owner, position, lines) {
            Ok((handle, reports)) => {
                self.controls.insert(ticket, handle.call());
                self.replies.push(Box::pin(next_report(ticket, Duration::ZERO, handle, reports)));
            }
            Err(Busy::Server) => self.refuse_analysis(ticket, AnalysisUpdate::Busy),
            Err(Busy::Owner) => self.refuse_analysis(ticket, AnalysisUpdate::TooMany),
        }
    }

    /// Replies to a request for an analysis that does not start.
    pub(super) fn refuse_analysis(&mut self, ticket: Ticket, update: AnalysisUpdate) {
        self.replies.push(Box::pin(async move { PoolReply::AnalysisOver(ticket, update) }));
    }

    /// Cancels a job or an analysis, if it is under way.
    pub(super) fn cancel(&self, ticket: Ticket) {
        if let Some(control) = self.controls.get(&ticket) {
            control.cancel();
        }
    }

    /// Whether there is nothing to wait for.
    pub(super) fn is_empty(&self) -> bool {
        self.replies.is_empty()
    }

    /// Waits for the next reply; `None` if nothing is under way. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<PoolReply> {
        self.replies.next().await
    }

    /// The input that a reply is for the room. An analysis continues after each report.
    pub(super) fn input(&mut self, reply: PoolReply) -> Input {
        match reply {
            PoolReply::Bot(ticket, reply) => {
                self.controls.remove(&ticket);
                Input::BotReplied { ticket, reply }
            }
            PoolReply::Report(ticket, report, handle, reports) => {
                self.replies.push(Box::pin(next_report(ticket, REPORT_INTERVAL, handle, reports)));
                Input::Analysed { ticket, found: AnalysisUpdate::Report(report) }
            }
            PoolReply::AnalysisOver(ticket, found) => {
                self.controls.remove(&ticket);
                Input::Analysed { ticket, found }
            }
        }
    }
}

/// Waits for the next report of an analysis, after a rest.
async fn next_report(
    ticket: Ticket,
    rest: Duration,
    handle: BackgroundHandle,
    mut reports: Reports,
) -> PoolReply {
    tokio::time::sleep(rest).await;
    match reports.next().await {
        Some(report) => PoolReply::Report(ticket, report, handle, reports),
        None => PoolReply::AnalysisOver(ticket, AnalysisUpdate::Finished),
    }
}
