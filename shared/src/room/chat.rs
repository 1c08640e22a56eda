//! Chat in a room: everybody sees the players' lines. Spectators see each other's lines; players
//! see those only when no game is running.
//!
//! Lines are not events: the room keeps the last ones for late arrivals (`room/chat_lines.rs`), and
//! a restart loses them.
//! Spectators' lines leave this file in only two ways, and both check [`Room::hears_spectators`]
//! first.

use crate::protocol::{ChatLine, ChatText, CommandId, Event, MemberId, Message, Reason, Refusal};

use super::{Effect, Member, Moment, Room, SessionId};
use crate::room::limits::SPECTATOR_LINES_WITHIN_MS;

impl Room {
    pub(super) fn say(
        &mut self,
        member: Member,
        text: &ChatText,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        if !self.limits.chat {
            return Err(Refusal::new(Reason::ChatOff));
        }
        if !self.state.chat {
            return Err(Refusal::new(Reason::ChatOff));
        }
        let is_player = self.state.seats.of_member(&member.id).is_some();
        let since = moment.now.saturating_sub(SPECTATOR_LINES_WITHIN_MS);
        if !is_player && self.chat.spectators.is_crowded(since) {
            return Err(Refusal::new(Reason::TooManyTalking));
        }
        self.chat.count += 1;
        let Member { id: member, name, bot, .. } = member;
        let text = text.clone();
        let line = ChatLine { number: self.chat.count, at: moment.now, member, name, bot, text };
        let room = self.code.clone();
        if is_player {
            self.chat.players.push(line.clone());
            moment.effects.push(Effect::Broadcast(Message::PlayerSaid { room, line }));
        } else {
            self.chat.spectators.push(line.clone());
            let deaf = self.presence.sessions_of(|member| !self.hears_spectators(member));
            let message = Message::SpectatorSaid { room, line };
            moment.effects.push(Effect::BroadcastExcept { sessions: deaf, message });
        }
        Ok(())
    }

    /// Sends the last lines that this member may see now.
    pub(super) fn tell_chat(
        &self,
        session: SessionId,
        id: CommandId,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) {
        let hears = self.hears_spectators(member);
        let message = Message::Chat {
            id,
            room: self.code.clone(),
            players: self.chat.players.lines(),
            spectators: hears.then(|| self.chat.spectators.lines()),
        };
        moment.effects.push(Effect::Send { session, message });
    }

    /// Turns chat in the room on or off.
    pub(super) fn set_chat(
        &mut self,
        member: &MemberId,
        on: bool,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        if self.state.host != *member {
            return Err(Refusal::new(Reason::HostOnly));
        }
        if self.state.chat != on {
            self.log(Event::ChatSet { on }, moment);
        }
        Ok(())
    }

    /// Whether a member may see the spectators' lines: not while they play.
    fn hears_spectators(&self, member: &MemberId) -> bool {
        self.state.running().is_none() || self.state.seats.of_member(member).is_none()
    }
}
