//! Ratings: the figures of the simulation that `--example ratings` prints.

use fivefold_tests::ratings::{Plan, run};

#[test]
fn ratings_come_near_the_true_strengths() {
    let after = run(Plan { players: 2_000, games: 64, games_per_day: 5, seed: 1 });
    let errors: Vec<f64> = after.iter().map(|accuracy| accuracy.error).collect();
    assert!(errors.is_sorted_by(|before, later| later < before), "{errors:?}");
    let last = after.last().expect("an accuracy");
    assert_eq!(last.games, 64);
    assert!(last.error < 60.0 && last.within_two > 0.9, "{last:?}");
    assert!((last.mean - 1_500.0).abs() < 15.0, "{last:?}");
}
