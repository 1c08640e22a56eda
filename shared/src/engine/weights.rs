//! What patterns and threats weigh: read from what `examples/tune` has fitted to games of the
//! engine against itself.

use std::sync::OnceLock;

use super::eval::{self, HIDDEN, PARTS, Share, THREATS, TRAITS, Traits, Urgency};

/// Tables of integers, a row on a line. See [`Weights::read`] for what they mean.
const TEXT: &str = include_str!("weights.txt");

/// All that has been fitted, in integers.
#[derive(Debug)]
pub(super) struct Weights {
    /// By pattern and pair, see [`parts`](super::eval::parts).
    pub(super) parts: Vec<Part>,
    /// The hidden units.
    pub(super) hidden: Vec<Unit>,
    /// By constellation, see [`threats`](super::eval::threats).
    pub(super) threats: Vec<Threats>,
}

/// What a pattern or a pair of patterns on an empty point weighs, or more of them together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    pub(super) urgency: Urgency,
    pub(super) share: Share,
}

/// A hidden unit.
#[derive(Debug)]
pub(super) struct Unit {
    /// What it is worth to the side to move.
    pub(super) worth: i16,
    /// What the traits weigh of the side to move, and of the other.
    pub(super) traits: [Traits; 2],
}

/// A constellation of threats.
#[derive(Debug)]
pub(super) struct Threats {
    /// What it is worth to the side to move.
    pub(super) worth: i32,
    /// What hidden units begin with.
    pub(super) begins: [i32; HIDDEN],
}

impl Weights {
    /// The weights, read when they are first asked for.
    pub(super) fn get() -> &'static Self {
        static WEIGHTS: OnceLock<Weights> = OnceLock::new();
        WEIGHTS.get_or_init(|| Self::read(TEXT).expect("the file is as it was printed"))
    }

    /// What four patterns on an empty point weigh together.
    pub(super) fn sum(&self, four: [u8; 4]) -> Part {
        let parts = eval::parts(four).map(|part| self.parts[part]);
        parts.fold(Part::default(), |one, other| Part {
            urgency: Urgency {
                to_make: one.urgency.to_make.saturating_add(other.urgency.to_make),
                to_prevent: one.urgency.to_prevent.saturating_add(other.urgency.to_prevent),
            },
            share: one.share.with(&other.share),
        })
    }

    /// Reads a row for each pattern and pair (the urgency to make and to prevent, the shares), for
    /// each hidden unit (its worth, the weights of traits), and for each constellation of threats
    /// (its worth, what hidden units begin with).
    fn read(text: &str) -> Option<Self> {
        let numbers = text.lines().filter(|line| !line.starts_with('#'));
        let mut numbers = numbers.flat_map(str::split_whitespace).map(str::parse::<i32>);
        let mut next = || numbers.next()?.ok();
        let part = |_| {
            let urgency = Urgency { to_make: small(next()?)?, to_prevent: small(next()?)? };
            Some(Part { urgency, share: Share { own: row(&mut next)?, other: row(&mut next)? } })
        };
        let parts = (0..PARTS).map(part).collect::<Option<_>>()?;
        let unit = |_| {
            let worth = small(next()?)?;
            Some(Unit { worth, traits: [row(&mut next)?, row(&mut next)?] })
        };
        let hidden = (0..HIDDEN).map(unit).collect::<Option<_>>()?;
        let constellation = |_| {
            let worth = next()?;
            let begins = (0..HIDDEN).map(|_| next()).collect::<Option<Vec<_>>>()?;
            Some(Threats { worth, begins: begins.try_into().ok()? })
        };
        let threats = (0..THREATS).map(constellation).collect::<Option<_>>()?;
        next().is_none().then_some(Self { parts, hidden, threats })
    }
}

fn row(next: &mut impl FnMut() -> Option<i32>) -> Option<Traits> {
    let row: Option<Vec<i16>> = (0..TRAITS).map(|_| small(next()?)).collect();
    row?.try_into().ok()
}

fn small(number: i32) -> Option<i16> {
    i16::try_from(number).ok()
}
