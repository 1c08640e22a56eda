//! Reads the lines of the example `selfplay`.

use fivefold_engine::search::EvalTrace;
use fivefold_shared::{
    notation::coordinates,
    rules::{Point, Position, Rules, Stone, Variant},
};

/// What a line says of a position, and what the engine sees in it.
pub(crate) struct Judgement {
    pub(crate) trace: EvalTrace,
    /// The chance that the side to move wins, by the search.
    pub(crate) searched: f32,
    /// How the game ended for the side to move; `None` where nobody played on.
    pub(crate) outcome: Option<f32>,
}

impl Judgement {
    /// The chance to learn: the outcome counts that much, and the rest is the search's.
    pub(crate) fn target(&self, outcome_share: f32) -> f32 {
        match self.outcome {
            Some(outcome) => outcome_share * outcome + (1.0 - outcome_share) * self.searched,
            None => self.searched,
        }
    }
}

/// The rules of a line.
pub(crate) fn rules(line: &str) -> Option<Rules> {
    let mut fields = line.split(',');
    let variant = Variant::named(fields.next()?)?;
    Rules::new(variant, fields.next()?.parse().ok()?).ok()
}

/// Calls `learn` for each position of a line that the engine would evaluate, with the move that was
/// played there. `None` for a line that is not one of `selfplay`, and where `learn` returns that.
pub(crate) fn read(
    line: &str,
    mut learn: impl FnMut(&Position, Option<Point>, Judgement) -> Option<()>,
) -> Option<()> {
    let rules = rules(line)?;
    let mut fields = line.split(',').skip(2);
    let winner = fields.next()?;
    let moves = fields.next()?.split(' ').map(|name| coordinates::parse(name, rules.size()));
    let moves: Vec<Point> = moves.collect::<Result<_, _>>().ok()?;
    let opening: usize = fields.next()?.parse().ok()?;
    let mut position = Position::from_moves(rules, moves.get(..opening)?).ok()?;
    let mut played = moves[opening..].iter().copied();
    for chance in fields.next()?.split(' ') {
        let searched = chance.parse::<f32>().ok()? / 1_000.0;
        let outcome = outcome(winner, position.turn())?;
        let played = played.next();
        if let Some(trace) = EvalTrace::of(&position) {
            learn(&position, played, Judgement { trace, searched, outcome })?;
        }
        if let Some(played) = played {
            position.play(played).ok()?;
        }
    }
    Some(())
}

/// The result for the side to move; none where nobody played on. `None` for an unknown word.
fn outcome(winner: &str, turn: Stone) -> Option<Option<f32>> {
    let won = |stone| Some(if stone == turn { 1.0 } else { 0.0 });
    match winner {
        "black" => Some(won(Stone::Black)),
        "white" => Some(won(Stone::White)),
        "none" => Some(Some(0.5)),
        "unknown" => Some(None),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game of each variant, and one on 20x20.
    const SAMPLE: &str = include_str!("../../testdata/selfplay.txt");

    /// How many positions a line has that the engine would evaluate.
    fn count(line: &str) -> Option<usize> {
        let mut count = 0;
        read(line, |_, played, judgement| {
            assert!((0.0..=1.0).contains(&judgement.searched), "{line}");
            assert_eq!(played.is_none(), judgement.outcome.is_none(), "{line}");
            count += 1;
            Some(())
        })?;
        Some(count)
    }

    #[test]
    fn the_sample_has_positions_of_all_variants() {
        for variant in Variant::FIVES {
            let of = |line: &&str| rules(line).unwrap().variant() == variant;
            let counts = SAMPLE.lines().filter(of).map(|line| count(line).unwrap());
            assert!(counts.sum::<usize>() >= 10, "{variant:?}");
        }
    }

    #[test]
    fn what_is_no_line_of_a_game_is_noticed() {
        let line = "standard,15x15,black,h8 i9 j10,1,500 612,h9 i8";
        assert_eq!(count(line), Some(2));
        for (right, wrong) in [
            ("standard", "chess"),
            ("15x15", "15y15"),
            ("black", "green"),
            ("h8 i9", "h8 h8"),
            ("j10", "p10"),
            (",1,", ",4,"),
            ("612", "much"),
        ] {
            assert!(count(&line.replace(right, wrong)).is_none(), "{wrong}");
        }
    }
}
