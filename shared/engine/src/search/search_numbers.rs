//! The tuned numbers of the search: all of them in one struct, with their units and with the tuning that
//! gave each its value.
//!
//! Units: a *value* is counted as the evaluation counts it, see
//! [`CHANCE_SCALE`](super::eval_features::CHANCE_SCALE); a *depth* in parts of a [`PLY`]; *positions*
//! as [`SearchLimits`](super::search_limits::SearchLimits) counts them. `per_ply` is for each ply of
//! remaining depth.
//!
//! The last word of each description names the tuning that last changed the number.
//! `docs/measurements/engine.md` tells of them, under *Search* and *Tuning*:
//!
//! - *games*: simultaneous perturbation over 31 numbers, 4,200 games of the engine against itself
//!   (2026-11-25).
//! - *narrow*: the same over 41 numbers, 1,080 games, when the search became narrow (2026-11-26).
//! - *judgements*: 56 numbers, by how well the search judges 906 positions of games with Rapfi
//!   (2026-11-26).
//! - *hand*: chosen and tried by hand, and left as it was by every tuning that had it.

use super::node::PLY;

/// How many positions a search for fours may look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoursLimit {
    /// Positions for each ply of remaining depth; for one ply at least.
    pub(super) per_ply: i32,
    /// Positions in all.
    pub(super) most: i32,
}

/// How many moves of a kind are tried before the others are left out, in tenths of a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct TriesLimit {
    /// At any depth.
    pub(super) least: u64,
    /// More for the remaining depth, in plies to the power of 1.5.
    pub(super) more: u64,
}

/// See the [module](self).
#[derive(Debug)]
pub(super) struct SearchNumbers {
    /// The search for fours at an inner position. Narrow and judgements.
    pub(super) fours_inside: FoursLimit,
    /// The search for fours at a leaf. Narrow.
    pub(super) fours_at_leaf: FoursLimit,
    /// The search for those of the other side that the side to move has to stop. Judgements.
    pub(super) fours_of_other: FoursLimit,
    /// The least depth at which they are looked for. Games.
    pub(super) fours_of_other_depth: i32,
    /// How far below zero the depth may be where a threat has to be stopped. Judgements.
    pub(super) stops_depth: i32,

    /// How far from the window the patterns' value may lie for the network over shapes to be asked; a
    /// value. Judgements.
    pub(super) network_margin: i32,
    /// The share of that network in the value, in percent. Narrow.
    pub(super) network_percent: i32,

    /// How far ahead a side must be for its position to be left out; a value per ply. Narrow.
    pub(super) ahead_per_ply: i32,
    /// The greatest depth at which that is done. Judgements.
    pub(super) ahead_depth: i32,
    /// What is taken off the depth where the position improves. Narrow.
    pub(super) ahead_improving: i32,
    /// How far behind a side must be for only fours to be searched; a value. Narrow.
    pub(super) lost_least: i32,
    /// The same per ply. Narrow.
    pub(super) lost_per_ply: i32,
    /// The greatest depth at which that is done. Hand.
    pub(super) lost_depth: i32,
    /// The least depth at which a side that is ahead tries to pass. Hand.
    pub(super) pass_depth: i32,
    /// The depth that passing costs, besides a quarter of it. Narrow.
    pub(super) pass_cost: i32,
    /// The least depth at which a position whose best move is not known is searched less deeply.
    /// Judgements.
    pub(super) unknown_best_depth: i32,
    /// By how much depth. Narrow.
    pub(super) unknown_best_reduction: i32,
    /// How far ahead a side is where some move is likely to be too good; a value. Narrow.
    pub(super) likely_cut_least: i32,
    /// The same per ply. Judgements.
    pub(super) likely_cut_per_ply: i32,
    /// By how much depth less the moves are then searched. Judgements.
    pub(super) likely_cut_reduction: i32,

    /// How far behind a quiet move may leave a side and still be tried; a value per ply. Judgements.
    pub(super) behind_per_ply: i32,
    /// The greatest depth at which that counts. Hand.
    pub(super) behind_depth: i32,
    /// The least depth at which the best move of an earlier search is compared with the others.
    /// Judgements.
    pub(super) singular_depth: i32,
    /// How much less deep that search may have been; a depth. Narrow.
    pub(super) singular_known: i32,
    /// By how much the move must be better to be searched more deeply; a value per ply. Narrow.
    pub(super) singular_per_ply: i32,
    /// By how much more to be searched twice that much more deeply; a value. Judgements.
    pub(super) singular_by_far: i32,
    /// How much more deeply; a depth. Judgements.
    pub(super) singular_extension: i32,
    /// How much better than expected a late move must be to be searched another ply more deeply; a
    /// value. Judgements.
    pub(super) deeper_least: i32,
    /// The same for each ply that it was searched less deeply; a value. Narrow.
    pub(super) deeper_per_ply: i32,
    /// By how much depth less the other moves are searched once one has raised alpha. Narrow.
    pub(super) raised_reduction: i32,
    /// The depths between which that is done. Narrow.
    pub(super) raised_depths: (i32, i32),

    /// Quiet moves that are tried. Narrow.
    pub(super) quiet_tries: TriesLimit,
    /// Fours that are tried. Judgements and narrow.
    pub(super) four_tries: TriesLimit,
    /// Open threes that are tried. Narrow and judgements.
    pub(super) three_tries: TriesLimit,
    /// Stops that are tried. Judgements.
    pub(super) stop_tries: TriesLimit,
    /// How many times as many in the principal variation, in tenths. Games.
    pub(super) principal_tries: u64,
    /// How late a four counts as after so many other moves, in percent of their number. Narrow.
    pub(super) four_lateness: usize,
    /// The same of an open three. Judgements.
    pub(super) three_lateness: usize,
    /// The same of a stop. Judgements.
    pub(super) stop_lateness: usize,

    /// The least depth at which moves are searched less deeply because they come late. Judgements.
    pub(super) late_depth: i32,
    /// The reduction for each product of the binary logarithms of lateness and depth, in 1/256 of a
    /// ply. Judgements.
    pub(super) late_product: i32,
    /// The reduction in any case in the principal variation, in 1/256 of a ply. Games.
    pub(super) late_principal: i32,
    /// The same elsewhere. Narrow.
    pub(super) late_elsewhere: i32,
    /// How much history makes up for one ply of reduction. Narrow.
    pub(super) late_history: i32,
    /// More reduction where another move is expected to be too good; a depth. Narrow.
    pub(super) late_needless: i32,
    /// More where the position is no better than two plies before; a depth. Judgements.
    pub(super) late_without_gain: i32,
    /// More, that is less, for a threat that follows a threat; a depth. Narrow.
    pub(super) late_goes_on: i32,

    /// How much history counts as one of urgency. Games.
    pub(super) history_divisor: i32,
    /// Urgency of a killer. Hand.
    pub(super) killer: i32,
    /// Urgency of the move that last refuted the one just played. Games.
    pub(super) reply: i32,
    /// What a refutation adds to the history, for each square of a ply of depth. Hand.
    pub(super) history_bonus: i32,
    /// The most that it adds. Hand.
    pub(super) history_bonus_most: i32,
    /// By what the history is divided when a search begins. Hand.
    pub(super) history_fades: i32,

    /// Positions for the search for fours at the root; it takes about as long as the engine may take
    /// to stop. Hand.
    pub(super) root_fours: u64,
    /// Positions for the search for threats at the root, for each millisecond of time. Narrow.
    pub(super) root_threats_per_millisecond: u64,
    /// The same in all. Hand.
    pub(super) root_threats_most: u64,
    /// The same where positions limit the search: one in so many of them. Hand.
    pub(super) root_threats_part: u64,
    /// After which part of the average time a move is enough that has stayed the best for so many depths,
    /// the last for all more; percent. Hand.
    pub(super) settled_percent: [u32; 6],
    /// Beyond which fall of its value from one depth to the next it has more time; a value. Hand.
    pub(super) settled_fall: i32,
    /// How much of that time it then has; percent. Hand.
    pub(super) settled_fall_percent: u32,
    /// The half-width of the aspiration window around the last value. Hand.
    pub(super) aspiration: i32,
    /// The least depth of a search with such a window, in plies. Hand.
    pub(super) aspiration_plies: i32,
    /// How many times as wide the window is after a value outside of it. Hand.
    pub(super) aspiration_widens: i32,
    /// The half-width beyond which there is no window any more. Hand.
    pub(super) aspiration_most: i32,
    /// Positions for a search for fours inside a search for threats, wherever the attacker moves. Hand.
    pub(super) threats_fours: u64,
    /// How far from the four before a connected one may lie, in points. Narrow.
    pub(super) connected_within: i32,
    /// Positions after which a search for fours asks its table before it sets stones, as few are met
    /// again earlier. Hand.
    pub(super) fours_look_ahead_after: u64,
}

/// The numbers in use.
pub(super) const NUMBERS: SearchNumbers = SearchNumbers {
    fours_inside: FoursLimit { per_ply: 98, most: 566 },
    fours_at_leaf: FoursLimit { per_ply: 67, most: 67 },
    fours_of_other: FoursLimit { per_ply: 56, most: 275 },
    fours_of_other_depth: 3 * PLY,
    stops_depth: -389,
    network_margin: 800,
    network_percent: 65,
    ahead_per_ply: 85,
    ahead_depth: 402,
    ahead_improving: PLY,
    lost_least: 143,
    lost_per_ply: 130,
    lost_depth: 3 * PLY,
    pass_depth: 5 * PLY,
    pass_cost: 210,
    unknown_best_depth: 9 * PLY / 2,
    unknown_best_reduction: 62,
    likely_cut_least: 22,
    likely_cut_per_ply: 61,
    likely_cut_reduction: 41,
    behind_per_ply: 58,
    behind_depth: 6 * PLY,
    singular_depth: 9 * PLY,
    singular_known: 3 * PLY,
    singular_per_ply: 8,
    singular_by_far: 110,
    singular_extension: 23,
    deeper_least: 102,
    deeper_per_ply: 30,
    raised_reduction: 72,
    raised_depths: (2 * PLY, 12 * PLY),
    quiet_tries: TriesLimit { least: 16, more: 10 },
    four_tries: TriesLimit { least: 27, more: 4 },
    three_tries: TriesLimit { least: 27, more: 6 },
    stop_tries: TriesLimit { least: 10, more: 5 },
    principal_tries: 25,
    four_lateness: 38,
    three_lateness: 61,
    stop_lateness: 58,
    late_depth: 2 * PLY,
    late_product: 89,
    late_principal: 72,
    late_elsewhere: 322,
    late_history: 5_700,
    late_needless: 24,
    late_without_gain: 41,
    late_goes_on: -32,
    history_divisor: 72,
    killer: 60,
    reply: 62,
    history_bonus: 16,
    history_bonus_most: 1_000,
    history_fades: 4,
    root_fours: 8_000,
    root_threats_per_millisecond: 18,
    root_threats_most: 400_000,
    root_threats_part: 8,
    settled_percent: [220, 170, 130, 100, 80, 65],
    settled_fall: 60,
    settled_fall_percent: 150,
    aspiration: 30,
    aspiration_plies: 4,
    aspiration_widens: 3,
    aspiration_most: 2_000,
    threats_fours: 800,
    connected_within: 5,
    fours_look_ahead_after: 64,
};
