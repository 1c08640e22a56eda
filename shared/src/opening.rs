//! Openings: who puts the first stones, where, and who holds which colour afterwards.
//!
//! A protocol such as swap2 is a table of steps (`opening/steps.rs`), and this file is the only
//! reader of those tables. It knows no clock, no members and no rooms. Stones always alternate,
//! Black first, and only [`Position::play`] adds one: an opening decides who puts them, and who
//! takes which colour.

mod act;
mod any_act;
mod canonical;
mod kind;
mod steps;

use std::collections::BTreeMap;

use self::steps::{Actor, Choice, Count, Deed, OVER};
pub use self::{
    act::{Act, Ask, Change, MadeAct, Refused, Zone},
    any_act::any_act,
    canonical::{CANONICAL, Canonical},
    kind::{ACTS_MAX, OFFERED_MAX, OpeningError, OpeningKind, STONES_MAX},
};
use crate::{
    rules::{Point, Position, Rules, Size},
    seat::Seat,
    symmetry::{Layout, layout_with},
};

/// How far the opening of one game has come, and who holds which colour.
///
/// ```
/// use fivefold_shared::{
///     opening::{Act, Opening, OpeningKind},
///     rules::{Point, Position, Rules, Size, Stone, Variant},
///     seat::Seat,
/// };
///
/// let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
/// OpeningKind::Swap2.offered(rules)?;
/// let (mut opening, mut board) =
///     (Opening::new(OpeningKind::Swap2, Seat::First), Position::new(rules));
///
/// let three = [(7, 7), (8, 8), (9, 9)].map(Point::from).to_vec();
/// opening.apply(&mut board, &Act::put(three))?;
/// let ask = opening.ask(&board).unwrap();
/// assert!(ask.seat == Seat::Second && ask.take && ask.put.len() == 2);
///
/// opening.apply(&mut board, &Act::Take(Stone::Black))?;
/// assert!(opening.is_over());
/// assert_eq!((opening.black(), board.ply()), (Seat::Second, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    kind: OpeningKind,
    first: Seat,
    black: Seat,
    /// The index of the step in the table; [`OVER`] at the end.
    step: usize,
    declared: Option<u8>,
    offered: Vec<Point>,
    acts: Vec<MadeAct>,
}

impl Opening {
    /// The opening of a game without stones. `first` begins to put stones and holds Black until
    /// somebody takes the other colour. A [free](OpeningKind::Free) opening is over at once.
    pub const fn new(kind: OpeningKind, first: Seat) -> Self {
        let step = if kind.steps().is_empty() { OVER } else { 0 };
        Self {
            kind,
            first,
            black: first,
            step,
            declared: None,
            offered: Vec::new(),
            acts: Vec::new(),
        }
    }

    /// The opening and the board after some acts. The last act may have only its first stones.
    ///
    /// # Errors
    /// Why one of the acts is refused; [`Refused::NotNow`] where the rules do not
    /// [offer](OpeningKind::offered) the protocol.
    pub fn after(
        rules: Rules,
        kind: OpeningKind,
        first: Seat,
        acts: &[MadeAct],
    ) -> Result<(Self, Position), Refused> {
        kind.offered(rules).map_err(|_| Refused::NotNow)?;
        let (mut opening, mut position) = (Self::new(kind, first), Position::new(rules));
        for MadeAct { by, act } in acts {
            if opening.to_act() != Some(*by) {
                return Err(Refused::NotNow);
            }
            for change in opening.changes_of(act) {
                opening.change(&mut position, &change)?;
            }
        }
        Ok((opening, position))
    }

    /// The protocol.
    pub const fn kind(&self) -> OpeningKind {
        self.kind
    }

    /// The seat that began to put stones.
    pub const fn first(&self) -> Seat {
        self.first
    }

    /// The seat that holds Black at this moment; once the opening is over, for the rest of the
    /// game.
    pub const fn black(&self) -> Seat {
        self.black
    }

    /// Whether nothing is left to choose. From there on, the holder of a colour puts its stones.
    pub const fn is_over(&self) -> bool {
        self.step == OVER
    }

    /// The seat that must act; `None` once the opening is over: then the colour to move decides.
    pub fn to_act(&self) -> Option<Seat> {
        let step = self.kind.steps().get(self.step)?;
        Some(match step.by {
            Actor::First => self.first,
            Actor::Second => self.first.other(),
            Actor::Black => self.black,
            Actor::White => self.black.other(),
        })
    }

    /// How many fifth stones are to be offered, once that is declared.
    pub const fn declared(&self) -> Option<u8> {
        self.declared
    }

    /// The offered fifth stones, until one of them is selected. They are not on the board.
    pub fn offered(&self) -> &[Point] {
        &self.offered
    }

    /// All acts so far. The last one may be incomplete while its changes are folded one by one.
    pub fn acts(&self) -> &[MadeAct] {
        &self.acts
    }

    /// How many stones the opening has put on the board. None of them is ever taken back.
    pub fn stones(&self) -> usize {
        self.acts.iter().map(|made| made.act.stones()).sum()
    }

    /// What the seat that must act may do; `None` once the opening is over.
    pub fn ask(&self, position: &Position) -> Option<Ask> {
        let mut ask = Ask::of(self.to_act()?);
        for Choice { deed, .. } in self.choices(position.ply()) {
            match deed {
                Deed::Put { from, zones, declare } => {
                    ask.put = zones[position.ply() - from..].to_vec();
                    ask.declare = declare;
                }
                Deed::Take => ask.take = true,
                Deed::Offer(count) => {
                    ask.offer = Some(self.count(count));
                    ask.same = same_fifths(position);
                }
                Deed::Select => ask.select = self.offered.clone(),
            }
        }
        Some(ask)
    }

    /// Makes an act for the seat that must act. Returns the changes that it consists of.
    ///
    /// # Errors
    /// Why the act is refused; the opening and the position are then as they were.
    pub fn apply(&mut self, position: &mut Position, act: &Act) -> Result<Vec<Change>, Refused> {
        self.check_form(position, act)?;
        let changes = self.changes_of(act);
        let (mut opening, mut board) = (self.clone(), position.clone());
        for change in &changes {
            opening.change(&mut board, change)?;
        }
        (*self, *position) = (opening, board);
        Ok(changes)
    }

    /// Makes one change: an act, or a part of one. The seat that must act makes it.
    ///
    /// # Errors
    /// Why the change is refused; the opening and the position are then as they were.
    pub fn change(&mut self, position: &mut Position, change: &Change) -> Result<(), Refused> {
        match change {
            Change::Put(point) if self.offered.is_empty() => self.put(position, *point),
            Change::Put(point) => self.select(position, *point),
            Change::Declare(count) => self.declare(position, *count),
            Change::Stay => self.take(position, self.black),
            Change::Swap => self.take(position, self.black.other()),
            Change::Offer(points) => self.offer(position, points),
        }
    }

    fn put(&mut self, position: &mut Position, point: Point) -> Result<(), Refused> {
        let by = self.to_act().ok_or(Refused::NotNow)?;
        let ply = position.ply();
        let stone = |choice: Choice| match choice.deed {
            Deed::Put { from, zones, declare } => Some((zones, ply - from, declare, choice.then)),
            Deed::Take | Deed::Offer(_) | Deed::Select => None,
        };
        let put = self.choices(ply).into_iter().find_map(stone);
        let (zones, index, declare, then) = put.ok_or(Refused::NotNow)?;
        let zone = zones.get(index).ok_or(Refused::NotNow)?;
        position.legality(point).map_err(Refused::Illegal)?;
        if !zone.contains(point, position.rules().size()) {
            return Err(Refused::NotInZone(point));
        }
        add_stone(position, point);
        match self.acts.last_mut() {
            Some(MadeAct { act: Act::Put { points, .. }, .. }) if index > 0 => points.push(point),
            Some(_) | None => self.acts.push(MadeAct { by, act: Act::put(vec![point]) }),
        }
        if index + 1 == zones.len() && declare.is_none() {
            self.step = then;
        }
        Ok(())
    }

    fn declare(&mut self, position: &Position, count: u8) -> Result<(), Refused> {
        let ply = position.ply();
        let due = |choice: Choice| match choice.deed {
            Deed::Put { from, zones, declare } if ply == from + zones.len() => {
                Some((declare?, choice.then))
            }
            Deed::Put { .. } | Deed::Take | Deed::Offer(_) | Deed::Select => None,
        };
        let due = self.choices(ply).into_iter().find_map(due);
        let (most, then) = due.ok_or(Refused::NotNow)?;
        check_count(count.into(), 1, most.into())?;
        if let Some(MadeAct { act: Act::Put { declare, .. }, .. }) = self.acts.last_mut() {
            *declare = Some(count);
        }
        self.declared = Some(count);
        self.step = then;
        Ok(())
    }

    fn take(&mut self, position: &Position, black: Seat) -> Result<(), Refused> {
        let by = self.to_act().ok_or(Refused::NotNow)?;
        let is_take = |choice: &Choice| matches!(choice.deed, Deed::Take);
        let choice = self.choices(position.ply()).into_iter().find(is_take);
        self.step = choice.ok_or(Refused::NotNow)?.then;
        self.black = black;
        self.acts.push(MadeAct { by, act: Act::Take(by.stone(black)) });
        Ok(())
    }

    fn offer(&mut self, position: &Position, points: &[Point]) -> Result<(), Refused> {
        let by = self.to_act().ok_or(Refused::NotNow)?;
        let offer = |choice: Choice| match choice.deed {
            Deed::Offer(count) => Some((self.count(count), choice.then)),
            Deed::Put { .. } | Deed::Take | Deed::Select => None,
        };
        let offer = self.choices(position.ply()).into_iter().find_map(offer);
        let (count, then) = offer.ok_or(Refused::NotNow)?;
        check_count(points.len(), count.into(), count.into())?;
        let mut layouts: Vec<Layout> = Vec::with_capacity(points.len());
        for &point in points {
            position.legality(point).map_err(Refused::Illegal)?;
            let layout = layout_with(position, point);
            if let Some(index) = layouts.iter().position(|earlier| *earlier == layout) {
                return Err(Refused::SameAsOffered { point, number: index + 1 });
            }
            layouts.push(layout);
        }
        self.offered = points.to_vec();
        self.acts.push(MadeAct { by, act: Act::Offer(points.to_vec()) });
        self.step = then;
        Ok(())
    }

    fn select(&mut self, position: &mut Position, point: Point) -> Result<(), Refused> {
        let by = self.to_act().ok_or(Refused::NotNow)?;
        if !self.offered.contains(&point) {
            return Err(Refused::NotInZone(point));
        }
        let choice = self.choices(position.ply()).into_iter().next();
        self.step = choice.ok_or(Refused::NotNow)?.then;
        add_stone(position, point);
        self.offered.clear();
        self.acts.push(MadeAct { by, act: Act::Select(point) });
        Ok(())
    }

    /// The choices that are open after so many moves. Those who have begun to put stones complete
    /// that first, and an offer of one fifth stone is that stone.
    fn choices(&self, ply: usize) -> Vec<Choice> {
        let steps = self.kind.steps();
        let Some(step) = steps.get(self.step) else { return Vec::new() };
        let begun = |choice: &Choice| match choice.deed {
            Deed::Put { from, .. } => ply > from,
            Deed::Take | Deed::Offer(_) | Deed::Select => false,
        };
        if let Some(choice) = step.choices.iter().find(|choice| begun(choice)) {
            return vec![*choice];
        }
        let only_fifth = |choice: Choice| match choice.deed {
            Deed::Offer(count) if self.count(count) == 1 => {
                let selection = &steps[choice.then].choices[0];
                Choice { deed: Deed::FIFTH, then: selection.then }
            }
            Deed::Put { .. } | Deed::Take | Deed::Offer(_) | Deed::Select => choice,
        };
        step.choices.iter().copied().map(only_fifth).collect()
    }

    fn count(&self, count: Count) -> u8 {
        match count {
            Count::Fixed(count) => count,
            Count::Declared => self.declared.expect("a step before the offer declares it"),
        }
    }

    /// Checks what the changes of an act cannot check one by one: that it is one act of those that
    /// are open, and whole.
    fn check_form(&self, position: &Position, act: &Act) -> Result<(), Refused> {
        let ask = self.ask(position).ok_or(Refused::NotNow)?;
        match act {
            Act::Put { .. } if ask.put.is_empty() => Err(Refused::NotNow),
            Act::Put { points, declare } => {
                check_count(points.len(), ask.put.len(), ask.put.len())?;
                match (declare, ask.declare) {
                    (None, None) => Ok(()),
                    (Some(_), None) => Err(Refused::NotNow),
                    (count, Some(most)) => check_count(count.unwrap_or(0).into(), 1, most.into()),
                }
            }
            Act::Take(_) if ask.take => Ok(()),
            Act::Offer(_) if ask.offer.is_some() => Ok(()),
            Act::Select(_) if !ask.select.is_empty() => Ok(()),
            Act::Take(_) | Act::Offer(_) | Act::Select(_) => Err(Refused::NotNow),
        }
    }

    /// The changes that an act of the seat to act consists of.
    fn changes_of(&self, act: &Act) -> Vec<Change> {
        match act {
            Act::Put { points, declare } => {
                let stones = points.iter().copied().map(Change::Put);
                stones.chain(declare.map(Change::Declare)).collect()
            }
            Act::Take(stone) => {
                let is_held = self.to_act().is_some_and(|seat| seat.stone(self.black) == *stone);
                vec![if is_held { Change::Stay } else { Change::Swap }]
            }
            Act::Offer(points) => vec![Change::Offer(points.clone())],
            Act::Select(point) => vec![Change::Put(*point)],
        }
    }
}

/// Adds a stone that was found to be legal. No opening has enough stones of a colour to end a game.
fn add_stone(position: &mut Position, point: Point) {
    let outcome = position.play(point).expect("it was found to be legal");
    assert!(outcome.is_none(), "a game ended in its opening");
}

fn check_count(count: usize, least: usize, most: usize) -> Result<(), Refused> {
    if (least..=most).contains(&count) { Ok(()) } else { Err(Refused::WrongCount { least, most }) }
}

/// The groups of points that count as one offer: at least two in each.
fn same_fifths(position: &Position) -> Vec<Vec<Point>> {
    let Size::Bounded { width, height } = position.rules().size() else { return Vec::new() };
    let points = (0..i32::from(height))
        .flat_map(|y| (0..i32::from(width)).map(move |x| Point::new(x, y)))
        .filter(|&point| position.legality(point).is_ok());
    let mut groups: BTreeMap<Layout, Vec<Point>> = BTreeMap::new();
    for point in points {
        groups.entry(layout_with(position, point)).or_default().push(point);
    }
    let mut groups: Vec<_> = groups.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_unstable();
    groups
}
