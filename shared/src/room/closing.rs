//! How a room closes: the host or an operator closes it, or it has been empty for long enough. A daily game that
//! runs keeps its room open; before and after it there is time for people who come once a day.

use crate::{
    clock::millis,
    protocol::{ChatText, CommandId, MemberId, Message, Player, Reason, Refusal},
    rules::Outcome,
    seat::Seat,
};

use super::{Effect, Effects, Input, Moment, Room, SessionId, Stage};

/// Sent when nothing more is known.
pub(super) const CLOSED: &str = "This room is closed.";
/// Sent when the host closes the room.
pub(super) const BY_HOST: &str = "The host has closed this room.";
/// Sent when the room closes because its creator, or somebody at the same address, makes another.
const EVICTED: &str = "This room is closed: its game is over, and a new room needed its place.";

impl Room {
    /// When the room closes if nobody comes.
    pub(super) fn close_at(&self) -> Option<u64> {
        let seats = &self.state.seats;
        let is_bot = |seat| seats.get(seat).is_some_and(|player| player.bot().is_some());
        let is_running = self.state.running().is_some();
        let is_daily = self.is_daily();
        let awaited = is_daily || is_running && !Seat::BOTH.into_iter().any(is_bot);
        let bots_alone = Seat::BOTH.into_iter().all(is_bot);
        // The clock ends a daily game.
        if is_running && (is_daily || self.demo && bots_alone) {
            return None;
        }
        let wait = if awaited {
            millis(self.limits.abandoned_room_close)
        } else if bots_alone {
            millis(self.limits.bots_room_close).min(millis(self.limits.empty_room_close))
        } else {
            millis(self.limits.empty_room_close)
        };
        let wait = match self.stage() {
            Stage::Unplayed | Stage::Over if is_daily => wait,
            Stage::Unplayed => wait.min(millis(self.limits.unplayed_room_close)),
            Stage::Over => wait.min(millis(self.limits.finished_room_close)),
            Stage::People | Stage::AgainstBot | Stage::Bots => wait,
        };
        let timeline = self.state.game.as_ref().and_then(|game| game.timeline.as_ref());
        let ended_at = timeline.and_then(|timeline| timeline.ended_at).filter(|_| is_daily);
        Some(self.empty_since?.max(ended_at.unwrap_or(0)).saturating_add(wait))
    }

    /// Closes the room for its host, who need not be present.
    pub(super) fn close_for(
        &mut self,
        session: SessionId,
        member: &MemberId,
        command: CommandId,
        moment: &mut Moment<'_>,
    ) {
        let message = match self.may_close(member) {
            Ok(()) => Message::Done { id: command, seq: None },
            Err(refusal) => Message::Refused { id: Some(command), refusal },
        };
        let is_done = matches!(message, Message::Done { .. });
        moment.effects.push(Effect::Send { session, message });
        if is_done {
            self.tell_closed(BY_HOST, moment);
            self.shut(moment);
        }
    }

    /// Closes the room for an operator, who need not be present. A game that runs is aborted by nobody: it is in no
    /// list, and counts for no rating.
    pub(super) fn close_by_operator(&mut self, why: ChatText, moment: &mut Moment<'_>) {
        if self.state.running().is_some() {
            self.end_game(Outcome::Aborted { by: None }, moment);
        }
        let text = format!("An operator has closed this room: {}", why.as_str());
        let message = Message::Closed { room: self.code.clone(), text, why: Some(why) };
        moment.effects.push(Effect::Broadcast(message));
        self.shut(moment);
    }

    /// The host may close the room unless that would end somebody else's game.
    fn may_close(&self, member: &MemberId) -> Result<(), Refusal> {
        if self.state.host != *member {
            return Err(Refusal::new(Reason::HostOnly));
        }
        if self.state.running().is_none() || !self.somebody_else_plays() {
            return Ok(());
        }
        Err(Reason::GameRunning.into())
    }

    /// Whether a person other than the host has a seat. A person who plays a bot and has left does
    /// not count: only they could go on.
    fn somebody_else_plays(&self) -> bool {
        let has_bot = Seat::BOTH.into_iter().any(|seat| self.bot_in(seat).is_some());
        Seat::BOTH.into_iter().any(|seat| match self.state.seats.get(seat) {
            Some(Player::Member { member, .. }) => {
                *member != self.state.host && (!has_bot || self.presence.is_present(member))
            }
            Some(Player::Bot { .. }) | None => false,
        })
    }

    /// Closes the room to make place for another.
    pub(super) fn evict(&mut self, moment: &mut Moment<'_>) {
        self.tell_closed(EVICTED, moment);
        self.shut(moment);
    }

    /// Notifies all sessions that the room is closed.
    pub(super) fn tell_closed(&self, text: &str, moment: &mut Moment<'_>) {
        moment.effects.push(Effect::Broadcast(self.closed_message(text)));
    }

    fn closed_message(&self, text: &str) -> Message {
        Message::Closed { room: self.code.clone(), text: text.to_owned(), why: None }
    }

    /// Refuses any input to a closed room. Sessions that are still present may leave.
    pub(super) fn refuse_closed(&mut self, input: Input, effects: &mut Effects) {
        let mut refuse = |session, id| {
            let refusal = Refusal::new(Reason::NoSuchRoom);
            let message = Message::Refused { id: Some(id), refusal };
            effects.push(Effect::Send { session, message });
        };
        match input {
            Input::Enter { session, command, .. } => {
                refuse(session, command);
                effects.push(Effect::Dismiss(session));
            }
            Input::Leave { session, command } => {
                if let Some(command) = command {
                    refuse(session, command);
                }
                self.presence.leave(session);
                effects.push(Effect::Dismiss(session));
            }
            Input::Resume { sessions, .. } => {
                let sessions: Vec<_> = sessions.into_iter().map(|(session, _)| session).collect();
                let dismissed = sessions.iter().copied().map(Effect::Dismiss).collect::<Vec<_>>();
                effects.push(Effect::SendMany { sessions, message: self.closed_message(CLOSED) });
                effects.extend(dismissed);
            }
            Input::Disconnected { sessions, .. } => {
                for session in sessions {
                    self.presence.leave(session);
                    effects.push(Effect::Dismiss(session));
                }
            }
            Input::Close { session, command, .. }
            | Input::CloseByOperator { session, command, .. } => refuse(session, command),
            Input::Command { session, id, .. } => refuse(session, id),
            Input::Evict
            | Input::Renamed { .. }
            | Input::AccountGone { .. }
            | Input::TimeOff { .. }
            | Input::ConditionalMoves { .. }
            | Input::BotReplied { .. }
            | Input::Analysed { .. }
            | Input::Rated { .. }
            | Input::Wake => {}
        }
    }

    /// Closes the room. It refuses everything from here on.
    pub(super) fn shut(&mut self, moment: &mut Moment<'_>) {
        self.cancel_bot_turn(moment);
        self.drop_all_assists(moment);
        self.end_all_analyses(moment);
        self.closed = true;
        moment.effects.push(Effect::Close);
    }
}
