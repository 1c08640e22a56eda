//! What news from the table does, and the sentences that tell it.

use fivefold_shared::{
    notation::coordinates,
    protocol::{CatchUp, Event, Message, NumberedEvent, Reason, Refusal, Snapshot},
    room::Room,
    rules::{Outcome, Stone},
};

use super::{App, Connection, Effect, Mode, Question};
use crate::text::printable;

impl App {
    /// The table says something.
    pub(super) fn hear(&mut self, message: Message, effects: &mut Vec<Effect>) {
        match message {
            Message::Event { event, .. } => self.happened(&event, effects),
            Message::Joined { spectators, catch_up, .. } => {
                self.spectators = spectators;
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
            Message::Weights { ply, bot, weights, .. } => {
                if ply == self.ply() {
                    self.heat.learn(bot, &weights);
                    self.tell_wanted_weight();
                }
            }
            Message::Refused { refusal, .. } => self.refused(&refusal),
            Message::Closed { text, .. } => self.close(&text),
            // Answers that concern the connection, or say only that events were caused.
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Rooms { .. }
            | Message::Pong { .. } => {}
        }
    }

    /// The room, or the way to it, is gone for good.
    pub(super) fn close(&mut self, text: &str) {
        if !matches!(self.connection, Connection::Closed(_)) {
            self.log.warn(text);
            self.connection = Connection::Closed(printable(text).into_owned());
        }
    }

    fn happened(&mut self, event: &NumberedEvent, effects: &mut Vec<Effect>) {
        if event.seq <= self.room.seq {
            return;
        }
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
            Event::Played { ply, .. } => {
                self.changed(effects);
                let mover = Stone::to_move(*ply);
                if self.is_my_turn() && !self.is_mine(mover) && self.is_person(mover) {
                    effects.push(Effect::Bell);
                }
            }
            Event::TakenBack { .. } | Event::Ended { .. } => self.changed(effects),
            Event::Created { .. }
            | Event::Sat { .. }
            | Event::Stood { .. }
            | Event::Renamed { .. }
            | Event::DrawOffered { .. }
            | Event::DrawDeclined { .. }
            | Event::TakebackAsked { .. }
            | Event::TakebackRefused { .. }
            | Event::RematchAsked { .. } => {}
        }
        self.forget_question();
    }

    /// The room is not what was known of it.
    fn replace(&mut self, snapshot: Snapshot, effects: &mut Vec<Effect>) {
        match Room::from_snapshot(snapshot) {
            Ok(room) => {
                self.room = room;
                self.begin();
                self.changed(effects);
                self.forget_question();
            }
            Err(illegal) => self.log.warn(&format!("the server sent a game in which {illegal}")),
        }
    }

    /// The position of the game has changed.
    fn changed(&mut self, effects: &mut Vec<Effect>) {
        self.refresh();
        self.heat.forget();
        if self.follow && self.look.is_none() {
            self.show_last();
        }
        let asks = self.is_my_turn() || !self.is_seated();
        if self.heat.on && asks && self.room.running().is_some() {
            self.ask_weights(effects);
        }
    }

    /// A question about a game that has ended needs no answer.
    fn forget_question(&mut self) {
        if let Mode::Ask(Question::Resign | Question::Draw | Question::Quit) = self.mode
            && self.room.running().is_none()
        {
            self.mode = Mode::Board;
        }
    }

    fn refused(&mut self, refusal: &Refusal) {
        self.log.warn(&refusal.text);
        self.heat.awaited = false;
        self.heat.wanted = None;
        if refusal.reason == Reason::NoAssistance {
            self.heat.on = false;
        }
    }

    fn is_person(&self, stone: Stone) -> bool {
        self.room.seats.get(stone).is_some_and(|player| player.bot().is_none())
    }

    /// Who plays a colour, in a sentence.
    fn who(&self, stone: Stone) -> String {
        let both = self.is_mine(stone) && self.is_mine(stone.opponent());
        match self.room.seats.get(stone) {
            Some(_) if self.is_mine(stone) && !both => "you".into(),
            Some(player) => player.name(),
            None => stone.to_string(),
        }
    }

    fn sentence(&self, event: &Event) -> Option<String> {
        let verb = |stone: Stone, you: &str, he: &str| {
            let who = self.who(stone);
            format!("{who} {}", if who == "you" { you } else { he })
        };
        Some(match event {
            Event::Created { .. } => return None,
            Event::Sat { seat, player } => format!("{} sits down to play {seat}", player.name()),
            Event::Stood { seat } => format!("the seat of {seat} is open"),
            Event::Renamed { seat, name } => format!("{seat} is now called {name}"),
            Event::Started { game, black, white } => {
                format!("game {game}: {} (Black) against {} (White)", black.name(), white.name())
            }
            Event::Played { ply, point, assisted: true } => {
                let mover = Stone::to_move(*ply);
                let point = coordinates::format(*point, self.rules().size());
                format!("{} a bot choose {point}", verb(mover, "let", "lets"))
            }
            Event::Played { assisted: false, .. } => return None,
            Event::DrawOffered { by } => match self.is_mine(*by) {
                true => "you offer a draw".into(),
                false => format!("{} offers a draw: y accepts, n declines", self.who(*by)),
            },
            Event::DrawDeclined { by } => format!("{} the draw", verb(*by, "decline", "declines")),
            Event::TakebackAsked { by } => match self.is_mine(*by) {
                true => "you ask to take your move back".into(),
                false => format!("{} asks to take a move back: y grants, n refuses", self.who(*by)),
            },
            Event::TakebackRefused { by } => {
                format!("{} the takeback", verb(*by, "refuse", "refuses"))
            }
            Event::TakenBack { ply } => format!("taken back: {ply} moves are left"),
            Event::Ended { outcome } => self.ending(outcome),
            Event::RematchAsked { by } => match self.is_mine(*by) {
                true => "you want a rematch".into(),
                false => format!("{} wants a rematch: y or m agrees", self.who(*by)),
            },
        })
    }

    /// How the game ended, in a sentence.
    pub(in crate::tui) fn ending(&self, outcome: &Outcome) -> String {
        let wins = |stone: Stone| match self.who(stone) {
            who if who == "you" => "you win".to_owned(),
            who => format!("{who} wins"),
        };
        match outcome {
            Outcome::Five { winner, .. } => {
                format!("{} with {} in a row", wins(*winner), self.rules().variant().k())
            }
            Outcome::Forbidden { winner, kind, .. } => {
                format!("{}: Black has only forbidden points left ({kind})", wins(*winner))
            }
            Outcome::Resignation { winner } => {
                format!("{}: {} resigned", wins(*winner), winner.opponent())
            }
            Outcome::Time { winner } => {
                format!("{}: {} ran out of time", wins(*winner), winner.opponent())
            }
            Outcome::Agreement => "a draw by agreement".into(),
            Outcome::FullBoard => "a draw: the board is full".into(),
            Outcome::LengthLimit => "a draw: the longest game was reached".into(),
        }
    }
}
