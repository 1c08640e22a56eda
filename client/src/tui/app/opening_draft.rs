//! An act of an opening that is prepared at the screen and not sent yet.

use fivefold_shared::rules::Point;

use crate::words::opening_choices::Choice;

/// The part of an act that this person has prepared.
#[derive(Clone, Default, Debug)]
pub(super) struct Draft {
    /// The chosen way to act, where there is a choice.
    pub(super) choice: Option<Choice>,
    /// Stones to put or to offer.
    pub(super) points: Vec<Point>,
    /// How many fifth stones Black will offer.
    pub(super) declare: Option<u8>,
}
