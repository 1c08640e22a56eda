//! Commands of members: each is done once and replied to once, however often it comes.

use crate::protocol::{CommandId, MemberId, Message, Reason, Refusal, RoomRequest};

use super::{
    Cause, Effect, Member, Moment, Room, SessionId, assist::Asker, dedup::Answer, is_kept,
    membership::stranger,
};
use crate::room::limits::ROOM_EVENTS_MAX;

/// Progress of a command that is not refused.
pub(super) enum Progress {
    /// It is done.
    Done,
    /// A bot is thinking about it, and the reply follows.
    Held,
    /// The requested data is its reply; a repeated command is done again.
    Told,
}

impl Room {
    pub(super) fn command(
        &mut self,
        session: SessionId,
        id: CommandId,
        request: &RoomRequest,
        moment: &mut Moment<'_>,
    ) {
        let Some(member) = self.presence.member(session) else {
            let message = Message::Refused { id: Some(id), refusal: stranger() };
            moment.effects.push(Effect::Send { session, message });
            return;
        };
        let cause = Cause { member: member.id.clone(), command: id };
        if let Some(answer) = self.answered.get(&cause) {
            let message = answer.clone().message(cause.command);
            moment.effects.push(Effect::Send { session, message });
            return;
        }
        if let Some(held) = self.assists.iter_mut().find(|help| help.cause == cause) {
            held.session = session;
            return;
        }
        let before = self.state.seq;
        let asker = Asker { session, cause: cause.clone() };
        moment.cause = Some(cause.clone());
        let answer = match self.obey(asker, member, request, moment) {
            Ok(Progress::Done) => Answer::Done(Some(self.state.seq).filter(|&seq| seq > before)),
            Ok(Progress::Held | Progress::Told) => return,
            Err(refusal) => Answer::Refused(refusal),
        };
        self.answer(session, &cause, answer, moment.effects);
    }

    /// The member of a session in the room.
    pub fn member(&self, session: SessionId) -> Option<&MemberId> {
        self.presence.member_id(session)
    }

    /// Whether the room remembers its answer to a command, and would repeat it.
    pub fn is_answered(&self, cause: &Cause) -> bool {
        self.answered.get(cause).is_some()
    }

    /// Refuses a command now and whenever it comes again, unless it was answered before. After a fault, call this
    /// when the room has been rebuilt and knows only its log.
    pub fn refuse_for_good(&mut self, cause: &Cause, refusal: Refusal) {
        if !self.is_answered(cause) {
            let state = &self.state;
            let is_kept = |member: &MemberId| is_kept(state, member);
            self.answered.remember(cause, Answer::Refused(refusal), is_kept);
        }
    }

    /// Does the request, or refuses it and changes nothing.
    fn obey(
        &mut self,
        asker: Asker,
        member: Member,
        request: &RoomRequest,
        moment: &mut Moment<'_>,
    ) -> Result<Progress, Refusal> {
        let ends_game = matches!(request, RoomRequest::Resign | RoomRequest::Abort);
        if self.state.seq >= ROOM_EVENTS_MAX && !ends_game {
            return Err(Refusal::new(Reason::RoomWornOut));
        }
        let id = &asker.cause.member;
        match *request {
            RoomRequest::Sit { seat } => {
                self.sit(member, false, seat, moment)?;
            }
            RoomRequest::SitAsEngine { seat } => {
                self.sit(member, true, seat, moment)?;
            }
            RoomRequest::Stand => self.stand(id, moment)?,
            RoomRequest::SeatBot { seat, bot } => self.seat_bot(id, seat, bot, moment)?,
            RoomRequest::RemoveBot { seat } => self.remove_bot(id, seat, moment)?,
            RoomRequest::Play { ply, point } => self.play(id, ply, point, moment)?,
            RoomRequest::Choose { ply, ref act } => self.choose(id, ply, act, moment)?,
            RoomRequest::Resign => self.resign(id, moment)?,
            RoomRequest::Abort => self.abort(id, moment)?,
            RoomRequest::Nudge => self.nudge(id, moment)?,
            RoomRequest::OfferDraw => self.offer_draw(id, moment)?,
            RoomRequest::AcceptDraw => self.accept_draw(id, moment)?,
            RoomRequest::DeclineDraw => self.decline_draw(id, moment)?,
            RoomRequest::AskTakeback => self.ask_takeback(id, moment)?,
            RoomRequest::GrantTakeback => self.grant_takeback(id, moment)?,
            RoomRequest::RefuseTakeback => self.refuse_takeback(id, moment)?,
            RoomRequest::ClaimWin => self.claim_win(id, moment)?,
            RoomRequest::ClaimDraw => self.claim_draw(id, moment)?,
            RoomRequest::Rematch => self.rematch(id, moment)?,
            RoomRequest::DeclineRematch => self.decline_rematch(id, moment)?,
            RoomRequest::Say { ref text } => {
                self.say(member, text, moment)?;
            }
            RoomRequest::SetChat { on } => self.set_chat(id, on, moment)?,
            RoomRequest::Chat => {
                let Asker { session, cause } = asker;
                self.tell_chat(session, cause.command, &cause.member, moment);
                return Ok(Progress::Told);
            }
            RoomRequest::Analyse { ply, lines } => self.analyse(asker, ply, lines, moment)?,
            RoomRequest::StopAnalysis => self.stop_analysis(asker.session, moment),
            RoomRequest::Weights { bot, ply } => {
                self.ask_weights(asker, bot, ply, moment)?;
                return Ok(Progress::Held);
            }
            RoomRequest::BotMove { ply, bot } => {
                self.ask_move(asker, ply, bot, moment)?;
                return Ok(Progress::Held);
            }
        }
        Ok(Progress::Done)
    }
}
