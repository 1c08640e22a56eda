//! Bots on turn. Whenever a bot is to move, one job is under way for it, or its answer waits for
//! the time at which people can follow; and if nothing good comes in time, the game goes on with
//! any legal move.

use std::time::Duration;

use fivefold_shared::rules::{Point, Position, Size};
use tracing::warn;

use super::{Effect, Job, Moment, Room, Task, Thought, Ticket};
use crate::limits::BOT_WAIT_MAX_MS;

/// A bot that is to move.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    /// The job by which it was asked.
    ticket: Ticket,
    game: u32,
    ply: usize,
    /// The move is not made before this time.
    not_before: u64,
    /// The move is made at this time at the latest, good or not.
    not_after: u64,
    /// The bot's answer, when it has come.
    chosen: Option<Point>,
}

impl Turn {
    /// When something is to be done about it.
    pub(super) const fn deadline(&self) -> u64 {
        match self.chosen {
            Some(_) => self.not_before,
            None => self.not_after,
        }
    }
}

impl Room {
    /// Asks the bot that is on turn, if it has not been asked; calls off one that is not on turn
    /// any more.
    pub(super) fn attend_turn(&mut self, moment: &mut Moment<'_>) {
        let on_turn =
            self.state.running().and_then(|game| Some((self.bot_in(game.position.turn())?, game)));
        let Some((bot, game)) = on_turn else {
            return self.call_off_turn(moment);
        };
        let (number, ply, asked) = (game.number, game.position.ply(), self.turn.as_ref());
        if asked.is_some_and(|turn| turn.game == number && turn.ply == ply) {
            return;
        }
        let (position, clock) = (game.position.clone(), game.clock);
        let budget_ms = clock.and_then(|clock| clock.budget_ms());
        let flag_at = clock.and_then(|clock| clock.flag_at());
        self.call_off_turn(moment);
        let wait = match self.bot_in(position.turn().opponent()) {
            Some(_) => self.limits.bot_pace_ms,
            None => self.limits.bot_answer_min_ms,
        };
        let wait = wait.min(budget_ms.unwrap_or(u64::MAX));
        let not_after = moment.now.saturating_add(wait.max(BOT_WAIT_MAX_MS));
        let ticket = self.new_ticket();
        self.turn = Some(Turn {
            ticket,
            game: number,
            ply,
            not_before: moment.now.saturating_add(wait),
            not_after: not_after.min(flag_at.map_or(u64::MAX, |flag_at| flag_at.saturating_sub(1))),
            chosen: None,
        });
        let seed = self.seed_for(ticket);
        let time_max = budget_ms.map(Duration::from_millis);
        let job = Job { ticket, task: Task::Turn, bot, position, seed, time_max };
        moment.effects.push(Effect::Think(job));
    }

    /// Takes the answer of the bot on turn; `false` if the job was another one.
    pub(super) fn turn_thought(
        &mut self,
        ticket: Ticket,
        thought: Option<&Thought>,
        moment: &mut Moment<'_>,
    ) -> bool {
        let (Some(turn), Some(game)) = (&mut self.turn, self.state.running()) else {
            return false;
        };
        if turn.ticket != ticket {
            return false;
        }
        let point = match thought {
            Some(Thought::Move(point)) => Some(*point),
            Some(Thought::Weights(_)) | None => None,
        };
        let legal = point.filter(|&point| game.position.legality(point).is_ok());
        if legal.is_none() {
            warn!(room.id = %self.code, ply = turn.ply, ?point, "a bot has no legal answer");
        }
        turn.chosen = Some(legal.unwrap_or_else(|| any_move(&game.position)));
        self.play_due_turn(moment);
        true
    }

    /// Makes the bot's move if its time has come.
    pub(super) fn play_due_turn(&mut self, moment: &mut Moment<'_>) {
        let (Some(turn), Some(game)) = (&self.turn, self.state.running()) else { return };
        if moment.now < turn.deadline() {
            return;
        }
        let point = turn.chosen.unwrap_or_else(|| {
            warn!(room.id = %self.code, ply = turn.ply, "a bot has not answered in time");
            any_move(&game.position)
        });
        self.put_stone(point, false, moment).expect("the bot's move was found to be legal");
    }

    /// Forgets the bot's turn.
    pub(super) fn call_off_turn(&mut self, moment: &mut Moment<'_>) {
        if let Some(turn) = self.turn.take()
            && turn.chosen.is_none()
        {
            moment.effects.push(Effect::CancelThinking(turn.ticket));
        }
    }

    /// What the bot with this job makes its choices among equals by.
    pub(super) const fn seed_for(&self, ticket: Ticket) -> u64 {
        self.luck.seed.wrapping_add(ticket.0)
    }
}

/// A legal move in a game that is not over: near the last stones if there is one, else the first
/// on the board.
fn any_move(position: &Position) -> Point {
    let near = position.moves().iter().rev().flat_map(|stone| {
        (-1..=1).flat_map(move |dy| (-1..=1).map(move |dx| Point::new(stone.x + dx, stone.y + dy)))
    });
    let (width, height) = match position.rules().size() {
        Size::Bounded { width, height } => (i32::from(width), i32::from(height)),
        Size::Unbounded => (1, 1),
    };
    let anywhere = (0..height).flat_map(|y| (0..width).map(move |x| Point::new(x, y)));
    near.chain(anywhere)
        .find(|&point| position.legality(point).is_ok())
        .expect("a game ends when no legal move is left")
}
