//! Patterns: what one more stone makes on one axis, and the threats of all four axes together.
//!
//! An empty point sees, on each axis, a few points to either side of it: its [key](super::keys).
//! [`classify`] computes for each key what a stone on the empty point would make, from the rules of
//! the variant alone, by trying one more stone at a time.

use fivefold_shared::rules::{Stone, Variant};

use super::keys::{Content, Keys};

/// The pattern that a stone makes on one axis, ranked by what it can become. `X` are own stones,
/// `a` the new one among them, `.` is empty and `O` is the opponent's. Where another number than
/// five wins, read the names from the top: a five is a winning run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum Pattern {
    /// Nothing that could ever become a five.
    Dead,
    /// A stone that can become a two: `O a . . . .`
    One,
    /// A stone that can become an open two: `. . . a . . .`
    OpenOne,
    /// It becomes a three: `O X a . . .`
    Two,
    /// It becomes an open three: `. X . . a .`
    OpenTwo,
    /// It becomes a broad three at one point: `. . X . a . .`
    BroadTwo,
    /// It becomes a broad three at two points or more: `. . X a . .`
    BroadestTwo,
    /// It becomes a four, but no open four: `O X X a . .`
    Three,
    /// It becomes an open four at one point: `. X . X a .`
    OpenThree,
    /// It becomes an open four at two points or more: `. . X X a . .`
    BroadThree,
    /// One more stone makes a five; one stone stops it: `O X X X a .`
    Four,
    /// One more stone makes a five, and no stone on the axis stops it: `. X X X a .`
    OpenFour,
    /// A five.
    Five,
    /// Six or more, where Black must not make them.
    Overline,
    /// Two fours on one axis, where Black must not make them: `X . X a X . X`
    DoubleFour,
}

impl Pattern {
    /// Number of patterns.
    pub(super) const COUNT: usize = 15;

    /// Bits of a [line](super::pattern_tables::Tables::lines) that only forcing patterns set: an
    /// open three and all that follow it.
    pub(super) const FORCING: u8 = 0x88;

    pub(super) const ALL: [Self; Self::COUNT] = [
        Self::Dead,
        Self::One,
        Self::OpenOne,
        Self::Two,
        Self::OpenTwo,
        Self::BroadTwo,
        Self::BroadestTwo,
        Self::Three,
        Self::OpenThree,
        Self::BroadThree,
        Self::Four,
        Self::OpenFour,
        Self::Five,
        Self::Overline,
        Self::DoubleFour,
    ];
}

/// The threats that a stone makes on all four axes together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Flags(u8);

impl Flags {
    /// Wins at once.
    pub(super) const FIVE: Self = Self(1);
    /// Makes an open four, or two fours at once: only an own five is quicker.
    pub(super) const UNSTOPPABLE: Self = Self(2);
    /// Makes a four of any kind.
    pub(super) const FOUR: Self = Self(4);
    /// Makes an open three.
    pub(super) const THREE: Self = Self(8);
    /// Forbidden to Black for certain: an overline or two fours.
    pub(super) const FORBIDDEN: Self = Self(16);
    /// Looks like a double-three that is forbidden to Black; needs a closer check.
    pub(super) const DOUBTFUL: Self = Self(32);

    /// Whether any of the other's flags is among these.
    pub(super) const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The flags as bits; the lowest four are those that a grid keeps a set of points for, in the
    /// order of [`Threat`].
    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    const fn with(self, other: Self, condition: bool) -> Self {
        if condition { Self(self.0 | other.0) } else { self }
    }
}

/// The threats for which a [`Grid`](super::grid::Grid) keeps the set of points: the lowest bits of
/// [`Flags`], in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Threat {
    /// [`Flags::FIVE`].
    Five,
    /// [`Flags::UNSTOPPABLE`].
    Unstoppable,
    /// [`Flags::FOUR`].
    Four,
    /// [`Flags::THREE`].
    Three,
}

/// How one colour wins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Law {
    /// Stones in a row that win.
    k: u8,
    /// Whether a longer run wins too.
    longer: bool,
    /// Whether opposing stones at both ends undo a run of `k`.
    pub(super) closable: bool,
    /// Whether double-threes, double-fours and overlines are forbidden.
    pub(super) forbids: bool,
}

impl Law {
    pub(super) const fn of(variant: Variant, stone: Stone) -> Self {
        let (longer, closable, forbids) = match (variant, stone) {
            (Variant::Freestyle | Variant::Mnk { .. }, _) | (Variant::Renju, Stone::White) => {
                (true, false, false)
            }
            (Variant::Standard, _) => (false, false, false),
            (Variant::Renju, Stone::Black) => (false, false, true),
            (Variant::Caro, _) => (false, true, false),
            (Variant::CaroOverline, _) => (true, true, false),
        };
        Self { k: variant.k(), longer, closable, forbids }
    }

    /// How far a run through a point, and what decides whether it wins, can reach.
    pub(super) const fn reach(self) -> u8 {
        if self.longer && !self.closable { self.k - 1 } else { self.k }
    }

    /// Whether a run wins that has the stones `run` of a line, which are its own.
    fn wins(self, run: u32, opposing: u32) -> bool {
        let (length, k) = (run.count_ones(), u32::from(self.k));
        let ends = (run << 1 | run >> 1) & !run;
        let closed = self.closable && (ends & opposing).count_ones() == 2;
        length == k && !closed || length > k && self.longer
    }

    /// The flags of four patterns together.
    pub(super) fn flags(self, four: [Pattern; 4]) -> Flags {
        let count = |wanted: Pattern| four.iter().filter(|pattern| **pattern == wanted).count();
        if count(Pattern::Five) > 0 {
            return Flags::FIVE;
        }
        let open = count(Pattern::OpenFour);
        let fours = open + count(Pattern::Four) + 2 * count(Pattern::DoubleFour);
        let threes = count(Pattern::OpenThree) + count(Pattern::BroadThree);
        if self.forbids && (fours >= 2 || count(Pattern::Overline) > 0) {
            return Flags::FORBIDDEN;
        }
        Flags::default()
            .with(Flags::UNSTOPPABLE, open > 0 || fours >= 2)
            .with(Flags::FOUR, fours > 0)
            .with(Flags::THREE, threes > 0)
            .with(Flags::DOUBTFUL, self.forbids && threes >= 2)
    }
}

/// One key taken apart, as Black sees it: one bit a point, the middle one with a new black stone.
struct Line {
    own: u32,
    opposing: u32,
    empty: u32,
}

impl Line {
    fn new(key: u32, keys: Keys) -> Self {
        let middle = i32::from(keys.reach());
        let mut line = Self { own: 1 << middle, opposing: 0, empty: 0 };
        for steps in keys.steps() {
            let bit = 1 << (middle + steps);
            match keys.content(key, steps) {
                Content::Empty => line.empty |= bit,
                Content::Stone(Stone::Black) => line.own |= bit,
                Content::Stone(Stone::White) => line.opposing |= bit,
                Content::Border => {}
            }
        }
        line
    }

    /// The unbroken run of own stones, and those of `more`, through the middle.
    fn run(&self, more: u32, keys: Keys) -> u32 {
        let own = self.own | more;
        let mut run = 1 << keys.reach();
        loop {
            let grown = (run | run << 1 | run >> 1) & own;
            if grown == run {
                return run;
            }
            run = grown;
        }
    }
}

/// By key: the pattern that Black would make, if this law were its own.
///
/// A key with one more stone is a greater number, so going downward each key finds those that it
/// can become already done.
pub(super) fn classify(law: Law, keys: Keys) -> Vec<Pattern> {
    let mut patterns = vec![Pattern::Dead; keys.count() as usize];
    let mut completions = vec![0_u16; keys.count() as usize];
    for key in (0..keys.count()).rev() {
        let line = Line::new(key, keys);
        let run = line.run(0, keys);
        patterns[key as usize] = if law.wins(run, line.opposing) {
            Pattern::Five
        } else if run.count_ones() >= law.k.into() {
            if law.forbids { Pattern::Overline } else { Pattern::Dead }
        } else {
            let fives: Vec<u32> = bits(line.empty)
                .filter(|bit| {
                    let five = line.run(1 << bit, keys);
                    five >> bit & 1 == 1 && law.wins(five, line.opposing)
                })
                .collect();
            completions[key as usize] = fives.iter().fold(0, |all, bit| all | 1 << bit);
            let follow = |stone| {
                let empty =
                    keys.steps().filter(|steps| keys.content(key, *steps) == Content::Empty);
                empty.map(move |steps| (key + keys.part_at(stone, steps)) as usize)
            };
            if fives.is_empty() {
                shape(follow(Stone::Black).map(|key| patterns[key]))
            } else if law.forbids && fours(&line, &fives, keys) >= 2 {
                Pattern::DoubleFour
            } else if follow(Stone::White).all(|key| completions[key] != 0) {
                Pattern::OpenFour
            } else {
                Pattern::Four
            }
        };
    }
    patterns
}

/// How many different fours are completed by the given points: `X . X a X . X` has two.
fn fours(line: &Line, fives: &[u32], keys: Keys) -> usize {
    let mut found: Vec<u32> =
        fives.iter().map(|bit| line.run(1 << bit, keys) & !(1 << bit)).collect();
    found.sort_unstable();
    found.dedup();
    found.len()
}

/// The pattern of a line that can become these with one more own stone, none of them a five.
fn shape(next: impl Iterator<Item = Pattern>) -> Pattern {
    let mut counts = [0_u8; Pattern::COUNT];
    for pattern in next {
        counts[pattern as usize] += 1;
    }
    let count = |pattern: Pattern| counts[pattern as usize];
    let broad_threes = count(Pattern::BroadThree);
    let open_threes = broad_threes + count(Pattern::OpenThree);
    let open_twos =
        count(Pattern::BroadestTwo) + count(Pattern::BroadTwo) + count(Pattern::OpenTwo);
    match count(Pattern::OpenFour) {
        2.. => Pattern::BroadThree,
        1 => Pattern::OpenThree,
        0 if count(Pattern::Four) > 0 => Pattern::Three,
        0 if broad_threes >= 2 => Pattern::BroadestTwo,
        0 if broad_threes == 1 => Pattern::BroadTwo,
        0 if open_threes > 0 => Pattern::OpenTwo,
        0 if count(Pattern::Three) > 0 => Pattern::Two,
        0 if open_twos > 0 => Pattern::OpenOne,
        0 if count(Pattern::Two) > 0 => Pattern::One,
        0 => Pattern::Dead,
    }
}

/// The numbers of the set bits, lowest first.
fn bits(mut bits: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros();
        (bits != 0).then(|| {
            bits &= bits - 1;
            bit
        })
    })
}
