//! Walks through a library, node after node: finds what each one hangs on.

use super::nodes::{NO_CHILD, NO_MOVE, Node, SIBLING};
use crate::{
    notation::notes::{NoteKind, Notes},
    rules::Point,
};

/// What a node hangs on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Above<P> {
    /// A move at this place, or the beginning.
    At(P),
    /// A node that was left out.
    LeftOut,
}

/// What a node is.
pub(super) enum Visit<P> {
    /// The root, which older versions leave out.
    Root,
    /// A move after the one at this place.
    Move(P, Point),
    /// No move of a game.
    LeftOut,
}

/// The state between two nodes. `P` is the place of a move.
#[derive(Debug)]
pub(super) struct Walk<P> {
    /// What the next node hangs on.
    above: Above<P>,
    /// What the siblings that follow after everything below a node hang on.
    waiting: Vec<Above<P>>,
    is_first: bool,
    is_root: bool,
    /// A saved position is one line, without an end.
    is_one_line: bool,
    /// Whether no node is missing.
    pub(super) is_whole: bool,
    /// Whether no node follows.
    pub(super) has_ended: bool,
    after_pass: usize,
    board_texts: usize,
}

impl<P: Copy> Walk<P> {
    /// A way from the beginning of a game, which is at this place.
    pub(super) fn new(beginning: P) -> Self {
        Self {
            above: Above::At(beginning),
            waiting: Vec::new(),
            is_first: true,
            is_root: false,
            is_one_line: true,
            is_whole: true,
            has_ended: false,
            after_pass: 0,
            board_texts: 0,
        }
    }

    /// How many nodes wait for a sibling.
    pub(super) fn depth(&self) -> usize {
        self.waiting.len()
    }

    /// What was left out.
    pub(super) fn notes(&self) -> Notes {
        let mut notes = Notes::default();
        notes.count(NoteKind::AfterPass, self.after_pass);
        notes.count(NoteKind::BoardTexts, self.board_texts);
        notes
    }

    /// What the next node is.
    pub(super) fn visit(&mut self, node: &Node) -> Visit<P> {
        self.is_root = self.is_first && node.point.is_none();
        self.is_first = false;
        match (self.above, node.point) {
            _ if self.is_root => Visit::Root,
            (Above::At(parent), Some(point)) => Visit::Move(parent, point),
            (Above::LeftOut, _) | (Above::At(_), None) => {
                let is_letter = node.flags & NO_MOVE != 0;
                *(if is_letter { &mut self.board_texts } else { &mut self.after_pass }) += 1;
                Visit::LeftOut
            }
        }
    }

    /// Continues from the node that was visited last, which is here.
    pub(super) fn go_on(&mut self, node: &Node, here: Above<P>) {
        let has_child = node.flags & NO_CHILD == 0 || self.is_root;
        let has_sibling = node.flags & SIBLING != 0 && !self.is_root;
        self.is_one_line &= has_child;
        self.is_whole = self.is_one_line;
        match (has_child, has_sibling) {
            (true, _) => {
                self.waiting.extend(has_sibling.then_some(self.above));
                self.above = here;
            }
            (false, true) => {}
            (false, false) => match self.waiting.pop() {
                Some(next) => self.above = next,
                None => (self.is_whole, self.has_ended) = (true, true),
            },
        }
    }
}
