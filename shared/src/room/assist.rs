//! Help from the bots for members: weights of the candidates, and moves on a player's behalf.
//!
//! During a game only its players get help, and only in rooms with assistance or against bots, so
//! that no person faces a helped opponent without having agreed. After the game everybody gets it.

use crate::{
    bot_spec::{BotKind, BotSpec},
    protocol::{MemberId, Message, Reason, Refusal, RefusalValues, WEIGHTS_MAX},
    rules::Position,
    seat::Seat,
};

use super::{
    BotFault, BotReply, Cause, Effect, Job, Moment, Room, SessionId, Task, Ticket,
    dedup::Answer,
    jobs::{Assist, AssistTask},
    play::opening_over,
    seating::offered,
};
use crate::room::limits::{ASSIST_JOBS_MAX, BOT_WAIT_MAX_MS};

/// The member who asks for help.
pub(super) struct Asker {
    pub(super) session: SessionId,
    pub(super) cause: Cause,
}

impl Room {
    pub(super) fn ask_weights(
        &mut self,
        asker: Asker,
        kind: Option<BotKind>,
        ply: Option<usize>,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let position = self.position_for(&asker.cause.member, ply)?;
        let bot = self.helper(&asker.cause.member, kind)?;
        let wanted = AssistTask::Weights { ply: position.ply() };
        self.ask_bot(asker, bot, wanted, position, moment)
    }

    pub(super) fn ask_move(
        &mut self,
        asker: Asker,
        ply: usize,
        kind: Option<BotKind>,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let game = self.check_turn(&asker.cause.member, ply)?;
        opening_over(game)?;
        self.may_be_assisted(&asker.cause.member)?;
        let bot = self.helper(&asker.cause.member, kind)?;
        let wanted = AssistTask::Move { game: game.number, ply };
        let position = game.position.clone();
        self.ask_bot(asker, bot, wanted, position, moment)
    }

    /// The position of the game after so many moves, for a member who may get help with it.
    pub(super) fn position_for(
        &self,
        member: &MemberId,
        ply: Option<usize>,
    ) -> Result<Position, Refusal> {
        let Some(game) = &self.state.game else {
            return Err(Refusal::new(Reason::NoGame));
        };
        if self.state.running().is_some() {
            self.may_be_assisted(member)?;
        }
        open_at(&game.position, ply)
    }

    /// Whether a member may get help while a game is running.
    fn may_be_assisted(&self, member: &MemberId) -> Result<(), Refusal> {
        let against_bot = |seat: Seat| self.bot_in(seat.other()).is_some();
        match self.state.seats.of_member(member) {
            Some(seat) if self.state.assistance || against_bot(seat) => Ok(()),
            Some(_) => Err(Refusal::new(Reason::NoAssistance)),
            None => Err(Refusal::new(Reason::PlayersOnly)),
        }
    }

    /// The requested bot, or the default one.
    fn helper(&self, member: &MemberId, kind: Option<BotKind>) -> Result<BotSpec, Refusal> {
        let opponent = || self.bot_in(self.state.seats.of_member(member)?.other());
        let bot = match kind {
            Some(kind) => kind.into(),
            None => opponent().unwrap_or(BotKind::Attack.into()),
        };
        offered(bot, self.state.rules)?;
        Ok(bot)
    }

    fn ask_bot(
        &mut self,
        Asker { session, cause }: Asker,
        bot: BotSpec,
        wanted: AssistTask,
        position: Position,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        if self.assists.iter().any(|other| other.cause.member == cause.member) {
            return Err(Refusal::new(Reason::Busy));
        }
        if self.assists.len() >= ASSIST_JOBS_MAX {
            return Err(busy());
        }
        let ticket = self.new_ticket();
        let task = match wanted {
            AssistTask::Weights { .. } => Task::Weigh,
            AssistTask::Move { .. } => Task::Move,
        };
        let seed = self.seed_for(ticket);
        let job = Job {
            ticket,
            task,
            session: Some(session),
            bot,
            position,
            opening: None,
            seed,
            time_max: None,
        };
        moment.effects.push(Effect::Think(job));
        let not_after = moment.now.saturating_add(BOT_WAIT_MAX_MS);
        self.assists.push(Assist { ticket, cause, session, not_after, bot, wanted });
        Ok(())
    }

    /// Takes the bot's reply to a member's job. Ignores a reply that nobody waits for.
    pub(super) fn assist_replied(
        &mut self,
        ticket: Ticket,
        reply: Option<BotReply>,
        moment: &mut Moment<'_>,
    ) {
        let Some(index) = self.assists.iter().position(|assist| assist.ticket == ticket) else {
            return;
        };
        let assist = self.assists.remove(index);
        match (assist.wanted, reply) {
            (AssistTask::Weights { ply }, Some(BotReply::Weights(mut weights))) => {
                weights.truncate(WEIGHTS_MAX);
                let message = Message::Weights {
                    id: assist.cause.command,
                    room: self.code.clone(),
                    ply,
                    bot: assist.bot,
                    weights,
                };
                moment.effects.push(Effect::Send { session: assist.session, message });
            }
            (AssistTask::Move { game, ply }, Some(BotReply::Move(point))) => {
                moment.cause = Some(assist.cause.clone());
                match self.put_stone(point, true, moment) {
                    Ok(()) => {
                        let done = Answer::Done(Some(self.state.seq));
                        self.answer(assist.session, &assist.cause, done, moment.effects);
                    }
                    Err(_) => {
                        let fault = BotFault::Illegal(point);
                        moment.effects.push(Effect::BotFailed { game, ply, fault });
                        self.refuse_assist(&assist, busy(), moment);
                    }
                }
            }
            (AssistTask::Weights { .. } | AssistTask::Move { .. }, Some(_) | None) => {
                self.refuse_assist(&assist, busy(), moment);
            }
        }
    }

    /// Refuses bot moves that are too late: the position they were meant for has changed.
    pub(super) fn drop_moot_assists(&mut self, moment: &mut Moment<'_>) {
        let now = self.state.running().map(|game| (game.number, game.position.ply()));
        let moot = |assist: &Assist| match assist.wanted {
            AssistTask::Weights { .. } => false,
            AssistTask::Move { game, ply } => now != Some((game, ply)),
        };
        let refusal = || Refusal::new(Reason::StalePly);
        self.drop_assists(moot, refusal, moment);
    }

    /// Refuses jobs that have timed out.
    pub(super) fn drop_late_assists(&mut self, moment: &mut Moment<'_>) {
        let now = moment.now;
        self.drop_assists(|assist| assist.not_after <= now, busy, moment);
    }

    /// Drops all jobs, because nobody is here any more; a repeated command starts its job again.
    /// Only the session that has just left by a command can still get a reply.
    pub(super) fn forget_assists(&mut self, left: Option<SessionId>, moment: &mut Moment<'_>) {
        for assist in std::mem::take(&mut self.assists) {
            moment.effects.push(Effect::CancelThinking(assist.ticket));
            if left == Some(assist.session) {
                let refusal = Refusal::new(Reason::NotAMember);
                self.refuse_assist(&assist, refusal, moment);
            }
        }
    }

    /// Refuses all jobs.
    pub(super) fn drop_all_assists(&mut self, moment: &mut Moment<'_>) {
        let refusal = || Refusal::new(Reason::Unavailable);
        self.drop_assists(|_| true, refusal, moment);
    }

    fn drop_assists(
        &mut self,
        which: impl Fn(&Assist) -> bool,
        refusal: impl Fn() -> Refusal,
        moment: &mut Moment<'_>,
    ) {
        for assist in self.assists.extract_if(.., |assist| which(assist)).collect::<Vec<_>>() {
            moment.effects.push(Effect::CancelThinking(assist.ticket));
            self.refuse_assist(&assist, refusal(), moment);
        }
    }

    fn refuse_assist(&mut self, assist: &Assist, refusal: Refusal, moment: &mut Moment<'_>) {
        self.answer(assist.session, &assist.cause, Answer::Refused(refusal), moment.effects);
    }
}

fn busy() -> Refusal {
    Refusal::new(Reason::Busy)
}

/// The position after so many moves, or the last one in which a move can be made.
fn open_at(position: &Position, ply: Option<usize>) -> Result<Position, Refusal> {
    let last = last_open(position);
    let ply = ply.unwrap_or(last.ply());
    if ply > last.ply() {
        let values = RefusalValues { ply: Some(ply), ..RefusalValues::default() };
        return Err(Refusal::with(Reason::NoSuchPly, values));
    }
    let mut open = last;
    while open.ply() > ply {
        open.undo();
    }
    Ok(open)
}

/// The last position of a game in which a move can be made.
fn last_open(position: &Position) -> Position {
    let mut open = position.clone();
    if open.outcome().is_some() {
        // Undoing removes the outcome. Playing the move again restores it if that move ended the
        // game, but not if the players ended it.
        let ended = open.undo().is_some_and(|last| !matches!(open.play(last), Ok(None)));
        if ended {
            open.undo();
        }
    }
    open
}
