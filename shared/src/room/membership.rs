//! Members entering and leaving. Seats belong to members, not to sessions: a lost socket costs
//! nobody their seat, and a player can always come back in.

use std::iter;

use crate::{
    clock::millis,
    protocol::{
        CatchUp, CommandId, Event, MEMBER_ID_LENGTH, MemberId, Message, Name, Phase, Player,
        Reason, Refusal,
    },
    seat::Seat,
};

use super::{Cause, Effect, Member, Moment, Room, SessionId, closing::BY_HOST, dedup::Answer};
use crate::room::limits::ROOM_EVENTS_MAX;

impl Room {
    pub(super) fn enter(
        &mut self,
        session: SessionId,
        member: &Member,
        command: CommandId,
        after: Option<u64>,
        moment: &mut Moment<'_>,
    ) {
        if let Err(refusal) = self.may_enter(session, member) {
            let message = Message::Refused { id: Some(command), refusal };
            moment.effects.push(Effect::Send { session, message });
            if !self.presence.contains(session) {
                moment.effects.push(Effect::Dismiss(session));
            }
            return;
        }
        let member = &self.told_apart(member);
        let was_suspended = self.is_suspended();
        self.presence.enter(session, member);
        self.note_return(was_suspended, moment);
        self.rename_player(member, moment);
        let catch_up = match after.and_then(|after| self.history.since(after)) {
            Some(events) => CatchUp::Events(events),
            None => CatchUp::Snapshot(Box::new(self.state.snapshot())),
        };
        let message = Message::Joined {
            id: command,
            room: self.code.clone(),
            now: moment.now,
            away: self.absent(),
            claim_after_ms: millis(self.limits.claim_after),
            spectators: self.presence.spectators(&self.state.seats),
            ratings: self.known_ratings(),
            catch_up,
        };
        moment.effects.push(Effect::Send { session, message });
        moment.effects.push(Effect::Listen(session));
    }

    /// Takes up sessions that were in before, however many there are now, and sends them what they
    /// missed.
    pub(super) fn resume_sessions(
        &mut self,
        returning: &[(SessionId, Member)],
        after: Option<u64>,
        moment: &mut Moment<'_>,
    ) {
        if returning.is_empty() {
            return;
        }
        let was_suspended = self.is_suspended();
        for (session, member) in returning {
            self.presence.enter(*session, &self.told_apart(member));
        }
        self.note_return(was_suspended, moment);
        for (session, member) in returning {
            self.rename_player(&self.told_apart(member), moment);
            self.forget_analyses(*session, moment);
        }
        let sessions: Vec<_> = returning.iter().map(|(session, _)| *session).collect();
        let room = || self.code.clone();
        let missed = match after.and_then(|after| self.history.since(after)) {
            Some(events) => {
                events.into_iter().map(|event| Message::Event { room: room(), event }).collect()
            }
            None => {
                let snapshot = Box::new(self.state.snapshot());
                vec![Message::Snapshot { room: room(), snapshot }]
            }
        };
        let spectators = self.presence.spectators(&self.state.seats);
        let news = [
            Message::Spectators { room: room(), spectators },
            Message::Presence { room: room(), away: self.absent() },
        ];
        let ratings = self.known_ratings();
        let ratings = ratings.map(|ratings| Message::Ratings { room: room(), ratings });
        for message in missed.into_iter().chain(news).chain(ratings) {
            moment.effects.push(Effect::SendMany { sessions: sessions.clone(), message });
        }
        moment.effects.extend(sessions.into_iter().map(Effect::Listen));
    }

    /// Lets the sessions of a silent node go. If the player on turn is among them, their clock
    /// stops until they are back, or until `pause_until`.
    pub(super) fn disconnect(
        &mut self,
        sessions: &[SessionId],
        pause_until: u64,
        moment: &mut Moment<'_>,
    ) {
        let was_here = self.is_player_on_turn_here();
        for session in sessions {
            self.leave(*session, None, moment);
        }
        if was_here && !self.is_player_on_turn_here() {
            self.pause_clock(pause_until);
        }
    }

    fn note_return(&mut self, was_suspended: bool, moment: &mut Moment<'_>) {
        self.empty_since = None;
        if was_suspended {
            self.resume_bot(moment);
        }
        self.absence.note(moment.now, &self.state, &self.presence);
        self.news.touch();
        if self.is_player_on_turn_here() {
            self.end_pause(moment);
        }
    }

    /// Whether a person is on turn and present.
    fn is_player_on_turn_here(&self) -> bool {
        let player = self.state.to_act().and_then(|seat| self.state.seats.get(seat));
        match player {
            Some(Player::Member { member, .. }) => self.presence.is_present(member),
            Some(Player::Bot { .. }) | None => false,
        }
    }

    fn may_enter(&self, session: SessionId, member: &Member) -> Result<(), Refusal> {
        let Member { id: member, watches, .. } = member;
        if self.presence.contains(session) {
            return Ok(());
        }
        if self.presence.is_crowded_by(member) {
            return Err(Reason::TooManySessions.into());
        }
        let seats = &self.state.seats;
        let comes_to_watch = seats.of_member(member).is_none() && !self.presence.is_present(member);
        // Other sites take no place from people, and people none from them.
        let watchers = self.presence.watcher_count();
        let (here, most) = if *watches {
            (watchers, self.limits.watchers_max())
        } else {
            (self.presence.spectator_count(seats) - watchers, self.limits.spectators_max)
        };
        if comes_to_watch && here >= most {
            return Err(Reason::RoomFull.into());
        }
        Ok(())
    }

    pub(super) fn leave(
        &mut self,
        session: SessionId,
        command: Option<CommandId>,
        moment: &mut Moment<'_>,
    ) {
        let member = self.presence.leave(session);
        if self.presence.is_empty() {
            self.forget_assists(command.is_some().then_some(session), moment);
        }
        match (member, command) {
            (Some(member), Some(command)) => {
                self.give_up(session, Cause { member, command }, moment);
            }
            (None, Some(id)) => {
                let message = Message::Refused { id: Some(id), refusal: stranger() };
                moment.effects.push(Effect::Send { session, message });
            }
            (Some(_) | None, None) => {}
        }
        self.forget_analyses(session, moment);
        moment.effects.push(Effect::Dismiss(session));
        self.news.touch();
        if self.presence.is_empty() && self.empty_since.is_none() {
            self.empty_since = Some(moment.now);
        }
    }

    /// Gives up the seat of a member who leaves on purpose, unless its game is running or they are
    /// still here in another session.
    fn give_up(&mut self, session: SessionId, cause: Cause, moment: &mut Moment<'_>) {
        if let Some(answer) = self.answered.get(&cause) {
            let message = answer.clone().message(cause.command);
            moment.effects.push(Effect::Send { session, message });
            return;
        }
        let seat = self.state.seats.of_member(&cause.member);
        let stays = self.presence.is_present(&cause.member) || self.state.running().is_some();
        let mut seq = None;
        if let (Some(seat), false) = (seat, stays) {
            moment.cause = Some(cause.clone());
            self.log(Event::Stood { seat }, moment);
            seq = Some(self.state.seq);
        }
        self.answer(session, &cause, Answer::Done(seq), moment.effects);
    }

    pub(super) fn renamed(&mut self, session: SessionId, name: Name, moment: &mut Moment<'_>) {
        if let Some(member) = self.presence.member(session) {
            let member = self.told_apart(&Member { name, ..member });
            self.presence.rename(&member.id, &member.name);
            self.news.touch();
            self.rename_player(&member, moment);
        }
    }

    /// Resigns the game for a member whose account is gone. Before a game, they leave their seat, and the room closes
    /// if it was theirs.
    pub(super) fn account_gone(&mut self, member: &MemberId, moment: &mut Moment<'_>) {
        if self.state.running().is_some() {
            // Somebody who does not play has nothing to resign.
            self.resign(member, moment).ok();
            return;
        }
        if self.state.phase() == Phase::Waiting
            && let Some(seat) = self.state.seats.of_member(member)
        {
            self.log(Event::Stood { seat }, moment);
        }
        if self.state.phase() == Phase::Waiting && self.state.host == *member {
            self.tell_closed(BY_HOST, moment);
            self.shut(moment);
        }
    }

    /// This member under a distinct name: a later arrival whose name looks like somebody else's
    /// gets the beginning of their id appended.
    fn told_apart(&self, member: &Member) -> Member {
        if member.watches {
            return member.clone();
        }
        let is_taken = |name: &Name| {
            let likeness = name.likeness();
            let is_players = |seat| match self.state.seats.get(seat) {
                Some(Player::Member { member: other, name, .. }) => {
                    *other != member.id && name.likeness() == likeness
                }
                Some(Player::Bot { .. }) | None => false,
            };
            self.presence.is_taken(&likeness, &member.id) || Seat::BOTH.into_iter().any(is_players)
        };
        // Somebody may have taken a marked name on purpose.
        let marks = [4, 8, MEMBER_ID_LENGTH].map(|digits| &member.id.as_str()[..digits]);
        let marked = marks.into_iter().filter_map(|mark| member.name.marked(mark).ok());
        let mut names = iter::once(member.name.clone()).chain(marked);
        let name = names.find(|name| !is_taken(name)).unwrap_or_else(|| {
            Name::new(member.id.as_str()).expect("an id is sixteen digits and envelopes")
        });
        Member { name, ..member.clone() }
    }

    /// Renames a member in their seat, as long as the log has room.
    fn rename_player(&mut self, member: &Member, moment: &mut Moment<'_>) {
        let seats = &self.state.seats;
        let Some(seat) = seats.of_member(&member.id) else { return };
        let is_named = match seats.get(seat) {
            Some(Player::Member { name, .. }) => *name == member.name,
            Some(Player::Bot { .. }) | None => false,
        };
        if !is_named && self.state.seq < ROOM_EVENTS_MAX {
            self.log(Event::Renamed { seat, name: member.name.clone() }, moment);
        }
    }
}

/// The refusal for a session that is not in the room.
pub(super) fn stranger() -> Refusal {
    Refusal::new(Reason::NotAMember)
}
