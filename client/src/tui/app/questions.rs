//! Asks before a command changes something: which question belongs to it, and what a yes does.

use crossterm::event::{KeyCode, KeyEvent};
use fivefold_shared::protocol::{Phase, RoomRequest};

use super::{App, Effect, Mode, Offer, Question};
use crate::{play::exit_reason::ExitReason, tui::keys::Action, words::room_sentences};

impl App {
    /// The question before a command.
    ///
    /// # Errors
    /// Why the command is not possible now; empty for a command that asks nothing.
    pub(super) fn question(&self, action: Action) -> Result<Question, &'static str> {
        match action {
            Action::Takeback if self.has_draft() => Err(""),
            Action::Takeback => self.ready().map(|()| Question::Takeback),
            Action::Draw if self.may_claim() => self.ready().map(|()| Question::ClaimDraw),
            Action::Draw => self.ready().map(|()| Question::Draw),
            Action::Resign if self.room.is_abortable() => self.ready().map(|()| Question::Abort),
            Action::Resign => self.ready().map(|()| Question::Resign),
            Action::Nudge => self.ready().map(|()| Question::Nudge),
            Action::Rematch => match (self.phase(), self.is_seated()) {
                (Phase::Finished, true) => Ok(Question::Rematch),
                (Phase::Running, _) => Err("a rematch can be asked for after the game"),
                (Phase::Waiting | Phase::Finished, _) => {
                    Err("a rematch needs the two players of a game that has ended")
                }
            },
            Action::Accept => self.open_offer().map(Question::Accept).ok_or("nothing to answer"),
            Action::DeclineOrNext => self.declinable().map(Question::Decline).ok_or(""),
            Action::BotMove if self.is_my_turn() => Ok(Question::BotMove),
            Action::BotMove => Err("the bot can move for you when it is your turn"),
            Action::Sit if self.is_seated() => Err("you have a seat"),
            Action::Sit if self.room.open_seat(self.away).is_none() => Err("no seat is open"),
            Action::Sit => Ok(Question::Sit),
            Action::Quit if self.is_seated() && self.phase() == Phase::Running => {
                Ok(Question::Quit)
            }
            Action::Quit if self.names_column() => Ok(Question::Leave),
            Action::Quit
            | Action::Move(..)
            | Action::Pan(..)
            | Action::Place
            | Action::Type(_)
            | Action::Say
            | Action::Back
            | Action::Forward
            | Action::First
            | Action::Live
            | Action::Follow
            | Action::ZoomIn
            | Action::ZoomOut
            | Action::NextGame
            | Action::Weight
            | Action::HeatMap
            | Action::Messages(_)
            | Action::Save
            | Action::Mouse
            | Action::Help
            | Action::Interrupt
            | Action::Suspend
            | Action::Redraw
            | Action::Escape => Err(""),
        }
    }

    /// Why the player cannot go to another game now.
    pub(in crate::tui) fn why_not_leave(&self) -> Option<&'static str> {
        let time = &self.room.time;
        let has_fast_clock = !time.is_none() && !time.is_daily();
        let is_live = self.is_seated() && self.phase() == Phase::Running;
        (is_live && has_fast_clock).then_some("finish this game first")
    }

    /// A question with what its yes would mean.
    pub(in crate::tui) fn question_text(&self, question: Question) -> String {
        let leaves = matches!(question, Question::Quit | Question::Accept(Offer::Challenge));
        if !leaves || !self.is_seated() || self.room.running().is_none() {
            return question.to_string();
        }
        match self.link.is_empty() {
            true => format!("{question} Nobody keeps this game; Ctrl-S saves it."),
            false => {
                let kept = room_sentences::kept_seat(self.perspective(), self.claim_after_ms);
                format!("{question} {kept}")
            }
        }
    }

    /// Whether this person plays in a running game; if not, why.
    pub(super) fn ready(&self) -> Result<(), &'static str> {
        match (self.phase(), self.is_seated()) {
            (Phase::Running, true) => Ok(()),
            (Phase::Running | Phase::Finished, false) => Err("you are watching"),
            (Phase::Waiting, false) => Err("you are watching; S takes an open seat"),
            (Phase::Waiting, true) => Err("the game begins when both seats are taken"),
            (Phase::Finished, true) => Err("the game is over; m asks for a rematch"),
        }
    }

    /// A key while a question is open.
    pub(super) fn answer(&mut self, key: KeyEvent, question: Question, effects: &mut Vec<Effect>) {
        let KeyCode::Char(letter) = key.code else {
            if key.code == KeyCode::Esc {
                self.refuse(question, effects);
            }
            return;
        };
        let declines = matches!(question, Question::Decline(_));
        match letter.to_ascii_lowercase() {
            'y' => self.confirm(question, effects),
            'n' if declines => self.confirm(question, effects),
            'n' => self.refuse(question, effects),
            _ => {}
        }
    }

    fn refuse(&mut self, question: Question, effects: &mut Vec<Effect>) {
        self.mode = Mode::Board;
        if let Question::Opening(choice) = question {
            self.answer_opening(choice, false, effects);
        }
    }

    fn confirm(&mut self, question: Question, effects: &mut Vec<Effect>) {
        self.mode = Mode::Board;
        let request = match question {
            Question::Resign => RoomRequest::Resign,
            Question::Abort => RoomRequest::Abort,
            Question::Draw => RoomRequest::OfferDraw,
            Question::ClaimDraw => RoomRequest::ClaimDraw,
            Question::Takeback => RoomRequest::AskTakeback,
            Question::Nudge => RoomRequest::Nudge,
            Question::Rematch => RoomRequest::Rematch,
            Question::BotMove => RoomRequest::BotMove { ply: self.ply(), bot: None },
            Question::Sit => RoomRequest::Sit { seat: None },
            Question::Quit | Question::Leave => {
                return effects.push(Effect::Exit(ExitReason::Left));
            }
            Question::Opening(choice) => return self.answer_opening(choice, true, effects),
            Question::Accept(Offer::Challenge) => return self.answer_challenge(true, effects),
            Question::Decline(Offer::Challenge) => return self.answer_challenge(false, effects),
            Question::Accept(offer) => match offer.yes() {
                Some(yes) => yes,
                None => return,
            },
            Question::Decline(offer) => match offer.no() {
                Some(no) => no,
                None => return,
            },
        };
        self.send(request, effects);
    }

    /// Closes a question that the game has overtaken.
    pub(super) fn forget_question(&mut self) {
        let Mode::Ask(question) = self.mode else { return };
        let is_moot = match question {
            Question::Resign
            | Question::Draw
            | Question::ClaimDraw
            | Question::Quit
            | Question::Takeback
            | Question::Nudge => self.room.running().is_none(),
            Question::BotMove => !self.is_my_turn(),
            Question::Abort => !self.room.is_abortable(),
            Question::Rematch => self.phase() != Phase::Finished,
            Question::Sit => self.is_seated() || self.room.open_seat(self.away).is_none(),
            Question::Accept(offer) => self.open_offer() != Some(offer),
            Question::Decline(offer) => self.declinable() != Some(offer),
            Question::Leave | Question::Opening(_) => false,
        };
        if is_moot {
            self.mode = Mode::Board;
        }
    }
}
