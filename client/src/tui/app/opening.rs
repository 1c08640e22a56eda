//! Plays an opening at the screen: a menu where there is a choice, stones that are placed and not yet
//! confirmed, and the question before they are sent.

use crossterm::event::{KeyCode, KeyEvent};
use fivefold_shared::{
    opening::{Act, Ask},
    protocol::RoomRequest,
    rules::{Point, Stone},
};

use super::{App, Effect, Mode, Question, opening_draft::Draft};
use crate::words::opening_choices::{self, Choice};

impl App {
    /// What the opening asks of this person now.
    fn own_ask(&self) -> Option<&Ask> {
        self.ask.as_ref().filter(|ask| self.is_mine(ask.seat))
    }

    /// What this person is doing: their choice, or the only one there is.
    fn doing(&self, ask: &Ask) -> Option<Choice> {
        self.draft.choice.or(match opening_choices::choices(&self.room, ask).as_slice() {
            &[only] => Some(only),
            _ => None,
        })
    }

    /// The stones that this person has placed and not confirmed, with their colours.
    pub(in crate::tui) fn placed(&self) -> Vec<(Point, Stone)> {
        let is_putting = self.own_ask().is_some_and(|ask| self.doing(ask) == Some(Choice::Put));
        let points = self.draft.points.iter().filter(|_| is_putting && self.look.is_none());
        points.zip(self.ply()..).map(|(&point, ply)| (point, Stone::to_move(ply))).collect()
    }

    /// The offered fifth stones: those of the game, or those that this person is about to offer.
    pub(in crate::tui) fn offered(&self) -> &[Point] {
        let is_offering = self.own_ask().is_some_and(|ask| self.doing(ask) == Some(Choice::Offer));
        if self.look.is_some() {
            &[]
        } else if is_offering {
            &self.draft.points
        } else {
            self.ask.as_ref().map_or(&[], |ask| &ask.select)
        }
    }

    /// Whether the opening lets this person's next stone go there; always outside of one.
    pub(in crate::tui) fn is_in_zone(&self, point: Point) -> bool {
        let Some(ask) = self.own_ask().filter(|_| self.look.is_none()) else { return true };
        match (self.doing(ask), ask.put.get(self.draft.points.len())) {
            (Some(Choice::Put), Some(zone)) => zone.contains(point, self.rules().size()),
            (Some(Choice::Put | Choice::Take(_) | Choice::Offer | Choice::Select) | None, _) => {
                true
            }
        }
    }

    /// What to do next in the opening, in lines.
    pub(in crate::tui) fn opening_notes(&self) -> Vec<String> {
        let Some(ask) = &self.ask else { return Vec::new() };
        let mut notes = vec![opening_choices::title(self.perspective(), ask)];
        if !self.is_mine(ask.seat) {
            return notes;
        }
        match self.doing(ask) {
            None => {
                let choices = opening_choices::choices(&self.room, ask);
                notes.extend((1..).zip(choices).map(|(number, choice)| {
                    let text = opening_choices::sentence(self.perspective(), ask, choice);
                    format!("{number}  {text}")
                }));
            }
            Some(Choice::Put) => {
                let (done, count) = (self.draft.points.len(), ask.put.len());
                if let Some(zone) = ask.put.get(done) {
                    let stone = Stone::to_move(self.ply() + done);
                    let place = opening_choices::place(*zone);
                    notes.push(format!("Stone {} of {count}: {stone}{place}", done + 1));
                }
            }
            Some(Choice::Offer) => {
                let (done, count) = (self.draft.points.len(), ask.offer.unwrap_or_default());
                notes.push(format!("Offered {done} of {count}"));
            }
            Some(Choice::Select) => notes.push("Enter on one of the numbers picks it".into()),
            Some(Choice::Take(_)) => {}
        }
        if !self.draft.points.is_empty() {
            notes.push("u takes the last one back".into());
        }
        notes
    }

    /// Starts over when the opening asks for something else.
    pub(super) fn renew_draft(&mut self) {
        let ask = opening_choices::ask(&self.room);
        if ask == self.ask {
            return;
        }
        self.ask = ask;
        self.draft = Draft::default();
        if let Mode::Choose | Mode::Declare(_) | Mode::Ask(Question::Opening(_)) = self.mode {
            self.mode = Mode::Board;
        }
        let is_open = self.own_ask().is_some_and(|ask| self.doing(ask).is_none());
        if is_open && self.mode == Mode::Board {
            self.mode = Mode::Choose;
        }
    }

    /// Takes back the last placed stone. Whether there was one.
    pub(super) fn undo_draft(&mut self) -> bool {
        self.draft.points.pop().is_some() || self.draft.choice.take().is_some()
    }

    /// Whether an act of the opening is prepared, and can be undone step by step.
    pub(super) fn has_draft(&self) -> bool {
        !self.draft.points.is_empty() || self.draft.choice.is_some()
    }

    /// A key in the menu of choices.
    pub(super) fn choose_key(&mut self, key: KeyEvent) {
        let Some(ask) = self.own_ask() else { return self.mode = Mode::Board };
        let choices = opening_choices::choices(&self.room, ask);
        match key.code {
            KeyCode::Esc => self.mode = Mode::Board,
            KeyCode::Char(digit @ '1'..='9') => {
                let index = usize::from(u8::try_from(digit).unwrap_or(b'1') - b'1');
                let Some(&choice) = choices.get(index) else { return };
                self.draft.choice = Some(choice);
                self.mode = match choice {
                    Choice::Take(_) => Mode::Ask(Question::Opening(choice)),
                    Choice::Put | Choice::Offer | Choice::Select => Mode::Board,
                };
            }
            _ => {}
        }
    }

    /// A stone of the opening under the cursor. Whether an opening took it.
    pub(super) fn put_in_opening(&mut self, effects: &mut Vec<Effect>) -> bool {
        let Some(ask) = self.own_ask().cloned() else { return false };
        let point = self.cursor;
        match self.doing(&ask) {
            None | Some(Choice::Take(_)) => self.mode = Mode::Choose,
            Some(Choice::Put) => self.place(&ask, point, effects),
            Some(Choice::Offer) => self.offer(&ask, point),
            Some(Choice::Select) if ask.select.contains(&point) => {
                self.choose(Act::Select(point), effects);
            }
            Some(Choice::Select) => self.log.mistake("pick one of the numbers"),
        }
        true
    }

    fn place(&mut self, ask: &Ask, point: Point, effects: &mut Vec<Effect>) {
        if self.draft.points.len() == ask.put.len() {
            return self.mode = Mode::Ask(Question::Opening(Choice::Put));
        }
        if self.draft.points.contains(&point) {
            return self.log.mistake("you have placed a stone there");
        }
        if let Err(illegal) = self.position.legality(point) {
            return self.log.mistake(&illegal.to_string());
        }
        if !self.is_in_zone(point) {
            return self.log.mistake("the opening does not allow a stone there now");
        }
        self.draft.points.push(point);
        if self.draft.points.len() < ask.put.len() {
            return;
        }
        match (ask.declare, ask.put.len()) {
            (Some(_), _) => self.mode = Mode::Declare(String::new()),
            (None, 1) => self.choose(Act::put(vec![point]), effects),
            (None, _) => self.mode = Mode::Ask(Question::Opening(Choice::Put)),
        }
    }

    fn offer(&mut self, ask: &Ask, point: Point) {
        let count = usize::from(ask.offer.unwrap_or_default());
        if let Some(index) = self.draft.points.iter().position(|known| *known == point) {
            self.draft.points.remove(index);
            return;
        }
        if let Err(illegal) = self.position.legality(point) {
            return self.log.mistake(&illegal.to_string());
        }
        let group = ask.same.iter().find(|group| group.contains(&point));
        let same = |known: &Point| group.is_some_and(|group| group.contains(known));
        if let Some(index) = self.draft.points.iter().position(same) {
            let number = index + 1;
            return self.log.mistake(&format!("same as number {number}, turned or mirrored"));
        }
        if self.draft.points.len() < count {
            self.draft.points.push(point);
        }
        if self.draft.points.len() == count {
            self.mode = Mode::Ask(Question::Opening(Choice::Offer));
        }
    }

    /// A key in the line for the number of fifth stones.
    pub(super) fn declare_key(&mut self, key: KeyEvent, mut text: String) {
        let most = self.own_ask().and_then(|ask| ask.declare).unwrap_or_default();
        match key.code {
            KeyCode::Enter => match text.parse() {
                Ok(count) if (1..=most).contains(&count) => {
                    self.draft.declare = Some(count);
                    self.mode = Mode::Ask(Question::Opening(Choice::Put));
                }
                _ => self.log.mistake(&format!("a number from 1 to {most}")),
            },
            KeyCode::Esc => {
                self.undo_draft();
                self.mode = Mode::Board;
            }
            KeyCode::Backspace => {
                text.pop();
                self.mode = Mode::Declare(text);
            }
            KeyCode::Char(digit @ '0'..='9') if text.len() < 2 => {
                text.push(digit);
                self.mode = Mode::Declare(text);
            }
            _ => {}
        }
    }

    /// The answer to the question before an act.
    pub(super) fn answer_opening(&mut self, choice: Choice, yes: bool, effects: &mut Vec<Effect>) {
        if !yes {
            self.undo_draft();
            if let Choice::Take(_) = choice {
                self.mode = Mode::Choose;
            }
            return;
        }
        let Draft { points, declare, .. } = self.draft.clone();
        match choice {
            Choice::Take(stone) => self.choose(Act::Take(stone), effects),
            Choice::Put => self.choose(Act::Put { points, declare }, effects),
            Choice::Offer => self.choose(Act::Offer(points), effects),
            Choice::Select => {}
        }
    }

    fn choose(&mut self, act: Act, effects: &mut Vec<Effect>) {
        self.follow = true;
        self.send(RoomRequest::Choose { ply: self.ply(), act }, effects);
    }
}
