//! Bots on turn. While a bot is on turn and somebody is present, either one job is under way for
//! it, or its reply waits until people can follow. If no legal reply comes in time, the game
//! continues with any legal move. In an empty room no bot thinks: the job starts when somebody
//! comes. In a daily game with a person it thinks all the same: the player moves and leaves.
//!
//! The minimum wait does not depend on the bot's clock. A bot with less time loses on time.

use std::time::Duration;

use crate::{
    opening::any_act,
    protocol::Player,
    rules::{Point, Position, Size},
    seat::Seat,
};

use super::{
    BotFault, BotReply, Effect, Game, Job, Moment, Room, SessionId, Task, Ticket,
    jobs::{BotTurn, Chosen},
};
use crate::clock::millis;
use crate::room::limits::{BOT_SPARE_MS, BOT_WAIT_MAX_MS};

impl Room {
    /// Asks the bot on turn, if it has not been asked, and somebody is here or the game is daily. Cancels the job of a
    /// bot that is not on turn any more, or that plays for nobody.
    pub(super) fn attend_bot_turn(&mut self, moment: &mut Moment<'_>) {
        let to_act = self.state.running().and_then(|game| {
            let seat = game.to_act()?;
            Some((seat, self.bot_in(seat)?, game))
        });
        let Some((seat, bot, game)) = to_act else { return self.cancel_bot_turn(moment) };
        let (number, (ply, acts)) = (game.number, game.progress());
        let is_same = |turn: &BotTurn| (turn.game, turn.ply, turn.acts) == (number, ply, acts);
        if self.presence.is_empty() && !self.is_daily() {
            return self.cancel_bot_turn(moment);
        }
        if self.bot_turn.as_ref().is_some_and(is_same) {
            return;
        }
        let session = self.session_for_bot_turn();
        let (position, clock) = (game.position.clone(), game.clock);
        let opening = Some(&game.opening).filter(|opening| !opening.is_over()).cloned();
        let budget_ms = clock.and_then(|clock| clock.budget_ms());
        let flag_at = clock.and_then(|clock| clock.flag_at()).unwrap_or(u64::MAX);
        self.cancel_bot_turn(moment);
        let (task, wait) = match self.bot_in(seat.other()) {
            Some(_) => (Task::BotsTurn, millis(self.limits.bot_pace)),
            None => (Task::Turn, millis(self.limits.bot_answer_min)),
        };
        let not_before = moment.now.saturating_add(wait);
        let not_after = moment.now.saturating_add(BOT_WAIT_MAX_MS);
        let in_time = not_after.min(flag_at.saturating_sub(BOT_SPARE_MS));
        let ticket = self.new_ticket();
        self.bot_turn = Some(BotTurn {
            ticket,
            game: number,
            ply,
            acts,
            not_before,
            not_after: in_time.max(not_before),
            chosen: None,
        });
        let seed = self.seed_for(ticket);
        let time_max = budget_ms.map(Duration::from_millis);
        let job = Job { ticket, task, session, bot, position, opening, seed, time_max };
        moment.effects.push(Effect::Think(job));
    }

    /// The session for which a bot on turn thinks: the person who plays it, else the host, else the
    /// oldest session. `None` in an empty room.
    fn session_for_bot_turn(&self) -> Option<SessionId> {
        let player = |seat| match self.state.seats.get(seat)? {
            Player::Member { member, .. } => self.presence.session_of(member),
            Player::Bot { .. } => None,
        };
        let players = Seat::BOTH.into_iter().find_map(player);
        players
            .or_else(|| self.presence.session_of(&self.state.host))
            .or_else(|| self.presence.oldest())
    }

    /// Takes the reply of the bot on turn; `false` if it belongs to another job.
    pub(super) fn bot_turn_replied(
        &mut self,
        ticket: Ticket,
        reply: Option<&BotReply>,
        moment: &mut Moment<'_>,
    ) -> bool {
        let (Some(turn), Some(game)) = (&mut self.bot_turn, self.state.running()) else {
            return false;
        };
        if turn.ticket != ticket {
            return false;
        }
        turn.chosen = Some(checked(game, reply).unwrap_or_else(|fault| {
            moment.effects.push(Effect::BotFailed { game: turn.game, ply: turn.ply, fault });
            any_choice(game)
        }));
        self.play_due_bot_turn(moment);
        true
    }

    /// Makes the bot's move if it is due.
    pub(super) fn play_due_bot_turn(&mut self, moment: &mut Moment<'_>) {
        let (Some(turn), Some(game)) = (&self.bot_turn, self.state.running()) else { return };
        if moment.now < turn.deadline() {
            return;
        }
        let chosen = turn.chosen.clone().unwrap_or_else(|| {
            let fault = BotFault::Late;
            moment.effects.push(Effect::BotFailed { game: turn.game, ply: turn.ply, fault });
            any_choice(game)
        });
        let done = match &chosen {
            Chosen::Move(point) => self.put_stone(*point, false, moment),
            Chosen::Act(act) => self.make_act(act, moment),
        };
        done.expect("the bot's choice was found to be legal");
    }

    /// Cancels the bot's turn.
    pub(super) fn cancel_bot_turn(&mut self, moment: &mut Moment<'_>) {
        if let Some(turn) = self.bot_turn.take()
            && turn.chosen.is_none()
        {
            moment.effects.push(Effect::CancelThinking(turn.ticket));
        }
    }
}

/// A bot's reply, if it is legal in this game.
fn checked(game: &Game, reply: Option<&BotReply>) -> Result<Chosen, BotFault> {
    match reply {
        Some(BotReply::Act(act)) => {
            let mut position = game.position.clone();
            match game.opening.clone().apply(&mut position, act) {
                Ok(_) => Ok(Chosen::Act(act.clone())),
                Err(_) => Err(BotFault::IllegalAct),
            }
        }
        Some(BotReply::Move(_)) if !game.opening.is_over() => Err(BotFault::IllegalAct),
        Some(BotReply::Move(point)) if game.position.legality(*point).is_ok() => {
            Ok(Chosen::Move(*point))
        }
        Some(BotReply::Move(point)) => Err(BotFault::Illegal(*point)),
        Some(BotReply::Weights(_)) | None => Err(BotFault::NoAnswer),
    }
}

/// A legal act or move in a game that is not over, chosen without thought.
fn any_choice(game: &Game) -> Chosen {
    match any_act(&game.opening, &game.position, &mut |below| below / 2) {
        Some(act) => Chosen::Act(act),
        None => Chosen::Move(any_move(&game.position)),
    }
}

/// A legal move in a game that is not over: near the last stones if possible, else the first on the
/// board.
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
