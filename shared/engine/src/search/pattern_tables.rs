//! Lookup tables of a variant: from keys to patterns, threats, urgency and evaluation.
//!
//! They know no board: [`Grid`](super::grid::Grid) keeps the keys up to date.

use std::sync::OnceLock;

use fivefold_shared::rules::{Stone, Variant};

use super::{
    eval_features::{Delta, Urgency},
    keys::Keys,
    pattern::{Flags, Law, Pattern, classify},
    weights::Weights,
};

/// All lookup tables of one variant.
#[derive(Debug)]
pub(super) struct Tables {
    /// What an empty point sees on each axis.
    pub(super) keys: Keys,
    /// By key: the pattern that Black would make in the low four bits, and the one that White
    /// would make in the high ones.
    pub(super) lines: Box<[u8]>,
    /// By four patterns of four bits each: the number of their combination.
    pub(super) codes: Box<[u16; 1 << 16]>,
    /// The weights of patterns and threats.
    pub(super) weights: &'static Weights,
    pub(super) variant: Variant,
    /// By combination: its contribution to the accumulators of a position. The patterns of an empty
    /// board add nothing, so that boards of all sizes are alike.
    pub(super) deltas: Box<[Delta]>,
    /// By combination: the urgency of playing there.
    pub(super) urgencies: Box<[Urgency]>,
    /// By colour and combination: its flags.
    pub(super) flags: [Box<[Flags]>; 2],
    /// Whether a four can be answered away from its five point: only where opposing stones at both
    /// ends undo a five.
    pub(super) closable: bool,
    /// Whether some points are forbidden to Black.
    pub(super) forbids: bool,
}

impl Tables {
    /// The tables of a variant, computed on first use; `None` where more than six in a row win,
    /// because the keys would be too long.
    pub(super) fn of(variant: Variant) -> Option<&'static Self> {
        static CELLS: [OnceLock<Tables>; 8] = [const { OnceLock::new() }; 8];
        let cell = match variant {
            Variant::Freestyle | Variant::Mnk { k: 5 } => 0,
            Variant::Standard => 1,
            Variant::Renju => 2,
            Variant::Caro => 3,
            Variant::CaroOverline => 4,
            Variant::Mnk { k: 3 } => 5,
            Variant::Mnk { k: 4 } => 6,
            Variant::Mnk { k: 6 } => 7,
            Variant::Mnk { .. } => return None,
        };
        Some(CELLS[cell].get_or_init(|| Self::compute(variant)))
    }

    fn compute(variant: Variant) -> Self {
        let laws = Stone::BOTH.map(|stone| Law::of(variant, stone));
        let keys = Keys::new(laws[0].reach().max(laws[1].reach()));
        let black = classify(laws[0], keys);
        let white = if laws[0] == laws[1] { black.clone() } else { classify(laws[1], keys) };
        let lines = (0..keys.count()).map(|key| {
            let [black, white] = [black[key as usize], white[keys.exchanged(key) as usize]];
            black as u8 | (white as u8) << 4
        });
        let (codes, patterns) = combinations();
        let weights = Weights::get();
        let of_empty = [black[keys.empty(keys.reach(), keys.reach()) as usize]; 4]
            .map(|pattern| pattern as u8);
        let empty = weights.sum(of_empty).delta;
        let features = patterns.iter().map(|four| weights.sum(four.map(|pattern| pattern as u8)));
        let (deltas, urgencies) = features
            .map(|feature| (feature.delta.without(&empty), feature.urgency))
            .unzip::<_, _, Vec<_>, Vec<_>>();
        let flags = laws.map(|law| patterns.iter().map(|four| law.flags(*four)).collect());
        Self {
            keys,
            lines: lines.collect(),
            codes,
            weights,
            variant,
            deltas: deltas.into(),
            urgencies: urgencies.into(),
            flags,
            closable: laws[0].closable,
            forbids: laws[0].forbids,
        }
    }

    /// The pattern that a stone of this colour makes on an axis with this key.
    pub(super) fn pattern(&self, key: u32, stone: Stone) -> Pattern {
        let line = self.lines[key as usize];
        Pattern::ALL[usize::from(match stone {
            Stone::Black => line & 15,
            Stone::White => line >> 4,
        })]
    }

    /// The flags of a stone of this colour that makes these patterns, see [`Tables::lines`].
    pub(super) fn flags_of(&self, lines: [u8; 4], stone: Stone) -> Flags {
        self.flags[stone as usize][usize::from(self.code(lines, stone))]
    }

    /// The number of the combination of patterns that a stone of the colour makes.
    #[inline]
    pub(super) fn code(&self, lines: [u8; 4], stone: Stone) -> u16 {
        self.codes[packed(lines, stone)]
    }
}

/// The patterns of one colour on four axes, four bits each.
#[inline]
fn packed(lines: [u8; 4], stone: Stone) -> usize {
    let nibbles = match stone {
        Stone::Black => u32::from_le_bytes(lines),
        Stone::White => u32::from_le_bytes(lines) >> 4,
    } & 0x0f0f_0f0f;
    let pairs = (nibbles | nibbles >> 4) & 0x00ff_00ff;
    ((pairs | pairs >> 8) & 0xffff) as usize
}

/// Numbers the combinations of four patterns: by four patterns of four bits each, and back.
fn combinations() -> (Box<[u16; 1 << 16]>, Vec<[Pattern; 4]>) {
    let mut codes = vec![0; 1 << 16];
    let mut patterns: Vec<[Pattern; 4]> = Vec::new();
    let unpacked = |packed: usize| [0, 4, 8, 12].map(|shift| packed >> shift & 15);
    let is_valid = |four: &[usize; 4]| four.iter().all(|number| *number < Pattern::COUNT);
    for (packed, code) in codes.iter_mut().enumerate() {
        let four = unpacked(packed);
        if is_valid(&four) && four.is_sorted() {
            *code = u16::try_from(patterns.len()).expect("there are few combinations");
            patterns.push(four.map(|number| Pattern::ALL[number]));
        }
    }
    let sorted = codes.clone();
    for (packed, code) in codes.iter_mut().enumerate() {
        let mut four = unpacked(packed);
        if is_valid(&four) {
            four.sort_unstable();
            *code = sorted[four[0] | four[1] << 4 | four[2] << 8 | four[3] << 12];
        }
    }
    let codes = codes.into_boxed_slice().try_into().expect("its length is given");
    (codes, patterns)
}
