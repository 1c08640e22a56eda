//! What the engine's levels mean: how much each searches, and how often it overlooks something.

use fivefold_shared::bot_spec::LEVEL_MAX;

/// How well a level plays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct LevelSettings {
    /// Positions searched for a move; the highest level is limited by time alone.
    pub(super) nodes: Option<u64>,
    /// How many moves ahead it finds wins by continuous fours.
    pub(super) vcf_depth: u8,
    /// Probability of overlooking a quiet move near the last ones.
    pub(super) move_blunder_rate: f64,
    /// Probability of ignoring the opponent's stones.
    pub(super) threat_blunder_rate: f64,
}

/// The levels from 1 on. Each step changes the playing strength by about as much as the one
/// before; the values come from the example `ladder` of the client.
pub(super) const LEVELS: [LevelSettings; LEVEL_MAX as usize] = [
    LevelSettings {
        nodes: Some(60),
        vcf_depth: 1,
        move_blunder_rate: 0.820,
        threat_blunder_rate: 0.900,
    },
    LevelSettings {
        nodes: Some(180),
        vcf_depth: 1,
        move_blunder_rate: 0.616,
        threat_blunder_rate: 0.560,
    },
    LevelSettings {
        nodes: Some(500),
        vcf_depth: 1,
        move_blunder_rate: 0.420,
        threat_blunder_rate: 0.310,
    },
    LevelSettings {
        nodes: Some(1_600),
        vcf_depth: 2,
        move_blunder_rate: 0.250,
        threat_blunder_rate: 0.150,
    },
    LevelSettings {
        nodes: Some(4_400),
        vcf_depth: 3,
        move_blunder_rate: 0.142,
        threat_blunder_rate: 0.068,
    },
    LevelSettings {
        nodes: Some(9_000),
        vcf_depth: 4,
        move_blunder_rate: 0.084,
        threat_blunder_rate: 0.033,
    },
    LevelSettings {
        nodes: Some(17_000),
        vcf_depth: 5,
        move_blunder_rate: 0.046,
        threat_blunder_rate: 0.016,
    },
    LevelSettings {
        nodes: Some(38_000),
        vcf_depth: 7,
        move_blunder_rate: 0.018,
        threat_blunder_rate: 0.006,
    },
    LevelSettings {
        nodes: Some(100_000),
        vcf_depth: 12,
        move_blunder_rate: 0.005,
        threat_blunder_rate: 0.002,
    },
    LevelSettings { nodes: None, vcf_depth: 100, move_blunder_rate: 0.0, threat_blunder_rate: 0.0 },
];

/// Positions that a level from 1 to [`LEVEL_MAX`] searches for a move; `None` for the highest, which
/// time alone limits.
pub(super) fn level_nodes(level: u8) -> Option<u64> {
    LEVELS[usize::from(level.clamp(1, LEVEL_MAX)) - 1].nodes
}
