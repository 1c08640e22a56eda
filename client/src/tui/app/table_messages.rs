//! Handles messages from the table.

use fivefold_shared::{
    analysis::Weight,
    bot_spec::BotSpec,
    protocol::{CatchUp, Event, Message, NumberedEvent, Reason, Refusal, RoomRequest, Snapshot},
    room::RoomState,
    seat::Seat,
};

use super::{App, Connection, Effect, Kind, Mode};
use crate::words::{
    lobby_sentences, opening_choices,
    room_sentences::{self, Speaker},
};

impl App {
    /// A message from the table.
    pub(super) fn hear(&mut self, message: Message, effects: &mut Vec<Effect>) {
        let answered = message.answers().and_then(|id| self.unanswered.answered(id));
        if answered.is_some() && !matches!(message, Message::Refused { .. }) {
            self.log.forget(Kind::Refusal);
        }
        match message {
            Message::Event { event, .. } => self.happened(&event, effects),
            Message::Joined { spectators, away, claim_after_ms, catch_up, .. } => {
                self.spectators = spectators;
                (self.away, self.claim_after_ms) = (away, claim_after_ms);
                match catch_up {
                    CatchUp::Snapshot(snapshot) => self.replace(*snapshot, effects),
                    CatchUp::Events(events) => {
                        for event in &events {
                            self.happened(event, effects);
                        }
                    }
                }
            }
            Message::Snapshot { snapshot, .. } => self.replace(*snapshot, effects),
            Message::Spectators { spectators, .. } => self.spectators = spectators,
            Message::Presence { away, .. } => self.away = away,
            Message::Ratings { ratings, .. } => {
                self.log.say(&room_sentences::ratings(&self.room, &ratings));
            }
            Message::Weights { ply, bot, weights, .. } => self.weighed(ply, bot, &weights),
            Message::PlayerSaid { line, .. } => {
                self.log.chat(&room_sentences::said(&line, Speaker::Player));
            }
            Message::SpectatorSaid { line, .. } => {
                self.log.chat(&room_sentences::said(&line, Speaker::Spectator));
            }
            Message::Challenged { ref challenge, .. } => {
                let name = lobby_sentences::name(challenge);
                self.log.say(&format!("{name} challenges you."));
                self.challenges.take(&message, self.now);
                effects.push(Effect::Bell);
            }
            Message::SeekOver { why, .. } => {
                if let Some(over) = self.challenges.take(&message, self.now) {
                    self.log.say(&lobby_sentences::challenge_over(&over, why));
                }
            }
            Message::Paired { .. } => self.log.say("a game of yours has begun in another room"),
            // Otherwise the person is there already.
            Message::OwnRooms { .. } => self.log.say(room_sentences::NO_NEXT_GAME),
            Message::AccountChanged { change, label, .. } => {
                self.log.say(&lobby_sentences::news(change, &label));
            }
            Message::Sanction { kind, reason, appealed, .. } => {
                self.log.warn(&room_sentences::sanction(kind, &reason, appealed));
            }
            Message::Announcement { text, .. } => {
                self.log.warn(&lobby_sentences::announcement(text.as_ref()));
            }
            Message::Refused { refusal, .. } => self.refused(&refusal, answered),
            Message::Closed { text, .. } => self.close(&text),
            // Answers about the connection, or that only confirm a command.
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Rooms { .. }
            | Message::Chat { .. }
            | Message::Analysis { .. }
            | Message::AnalysisOver { .. }
            | Message::Seeking { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Pong { .. } => {}
        }
    }

    /// A bot's weights. After the end they are for the position before the last move.
    fn weighed(&mut self, ply: usize, bot: BotSpec, weights: &[Weight]) {
        let over = self.room.running().is_none() && ply < self.ply();
        if over || ply == self.ply() {
            self.heat.learn(ply, bot, weights);
            if over {
                self.look_at(ply);
            }
            self.tell_wanted_weight();
        }
    }

    /// The room or the connection is closed for good.
    pub(super) fn close(&mut self, text: &str) {
        if self.connection != Connection::Closed {
            self.log.warn(text);
            self.connection = Connection::Closed;
        }
    }

    fn happened(&mut self, event: &NumberedEvent, effects: &mut Vec<Effect>) {
        if event.seq <= self.room.seq {
            return;
        }
        let mover = self.room.to_act();
        if let Err(error) = self.room.apply(event) {
            return self.log.warn(&format!("this program and the server disagree: {error}"));
        }
        if let Some(sentence) = self.sentence(&event.event) {
            self.log.say(&sentence);
        }
        match &event.event {
            Event::Started { .. } => {
                self.begin();
                self.changed(effects);
            }
            Event::Asked { .. } | Event::OpeningOver {} => {
                self.changed(effects);
                if self.is_my_turn() && self.others_acted() {
                    effects.push(Effect::Bell);
                }
            }
            Event::Stayed { .. }
            | Event::Swapped { .. }
            | Event::Declared { .. }
            | Event::Offered { .. } => self.changed(effects),
            Event::Played { ply, .. } if opening_choices::has_stone(&self.room, *ply) => {
                self.changed(effects);
            }
            Event::Played { .. } => {
                self.changed(effects);
                let is_others = |seat| !self.is_mine(seat) && self.is_person(seat);
                if self.is_my_turn() && mover.is_some_and(is_others) {
                    effects.push(Effect::Bell);
                }
            }
            Event::TakenBack { .. } | Event::Ended { .. } => self.changed(effects),
            Event::Nudged { .. } => {
                if self.is_my_turn() {
                    effects.push(Effect::Bell);
                }
            }
            Event::Created { .. }
            | Event::Sat { .. }
            | Event::Stood { .. }
            | Event::Renamed { .. }
            | Event::DrawOffered { .. }
            | Event::DrawDeclined { .. }
            | Event::TakebackAsked { .. }
            | Event::TakebackRefused { .. }
            | Event::Resumed { .. }
            | Event::FirstActDue { .. }
            | Event::TimeOff { .. }
            | Event::RematchAsked { .. }
            | Event::RematchDeclined { .. }
            | Event::ChatSet { .. } => {}
        }
        self.forget_question();
    }

    /// Replaces the room's state by a snapshot.
    fn replace(&mut self, snapshot: Snapshot, effects: &mut Vec<Effect>) {
        match RoomState::from_snapshot(snapshot) {
            Ok(room) => {
                self.room = room;
                self.begin();
                self.changed(effects);
                self.forget_question();
            }
            Err(illegal) => self.log.warn(&format!("the server sent a game in which {illegal}")),
        }
    }

    /// Handles a changed position.
    fn changed(&mut self, effects: &mut Vec<Effect>) {
        self.refresh();
        self.renew_draft();
        self.heat.forget();
        if self.follow && self.look.is_none() {
            self.show_last();
        }
        let asks = self.is_my_turn() || !self.is_seated();
        if self.heat.on && asks && self.room.running().is_some() {
            self.ask_weights(effects);
        }
    }

    /// Whether the last act of the opening was that of another person.
    fn others_acted(&self) -> bool {
        let last = self.room.game.as_ref().and_then(|game| game.opening.acts().last());
        last.map(|made| made.by).is_some_and(|seat| !self.is_mine(seat) && self.is_person(seat))
    }

    fn refused(&mut self, refusal: &Refusal, of: Option<RoomRequest>) {
        self.log.refusal(&refusal.text);
        // What somebody wrote is not lost: it waits in the line for another try.
        if let (Some(RoomRequest::Say { text }), true) = (of, refusal.reason.class().is_passing()) {
            if self.mode == Mode::Board {
                self.mode = Mode::Say(text.as_str().to_owned());
            } else {
                self.log.chat(&format!("Not sent: {}", text.as_str()));
            }
        }
        self.heat.awaited = false;
        self.heat.wanted = None;
        if refusal.reason == Reason::NoAssistance {
            self.heat.on = false;
        }
    }

    fn is_person(&self, seat: Seat) -> bool {
        self.room.seats.get(seat).is_some_and(|player| player.bot().is_none())
    }

    /// Describes an event in a sentence. Moves are visible on the board, so only those that a bot
    /// chose for a person are described. The panel shows the time for a first act.
    fn sentence(&self, event: &Event) -> Option<String> {
        match event {
            Event::Created { .. }
            | Event::Asked { .. }
            | Event::FirstActDue { .. }
            | Event::Played { assisted: false, .. } => None,
            Event::Played { assisted: true, .. }
            | Event::Sat { .. }
            | Event::Stood { .. }
            | Event::Renamed { .. }
            | Event::Started { .. }
            | Event::Stayed { .. }
            | Event::Swapped { .. }
            | Event::Declared { .. }
            | Event::Offered { .. }
            | Event::OpeningOver {}
            | Event::DrawOffered { .. }
            | Event::DrawDeclined { .. }
            | Event::TakebackAsked { .. }
            | Event::TakebackRefused { .. }
            | Event::TakenBack { .. }
            | Event::Resumed { .. }
            | Event::TimeOff { .. }
            | Event::Nudged { .. }
            | Event::Ended { .. }
            | Event::RematchAsked { .. }
            | Event::RematchDeclined { .. }
            | Event::ChatSet { .. } => Some(room_sentences::event(self.perspective(), event)),
        }
    }
}
