//! Tests the symmetries of positions against a brute-force search of every way to lay a board upon
//! itself.

use std::collections::HashSet;

use fivefold_shared::{
    rules::{Point, Position, Rules, Size, Stone, Variant},
    symmetry,
};
use proptest::prelude::*;

/// Every way to lay the board upon itself so that each stone lies on one of its colour, by where
/// these three points come to lie; without the one that leaves them in place.
fn brute_force(position: &Position) -> HashSet<[Point; 3]> {
    let board: Vec<Point> = match position.rules().size() {
        Size::Bounded { width, height } => (0..i32::from(height))
            .flat_map(|y| (0..i32::from(width)).map(move |x| Point::new(x, y)))
            .collect(),
        Size::Unbounded => position.moves().to_vec(),
    };
    let mut found = HashSet::new();
    for way in 0..symmetry::COUNT {
        let offsets = (-20..=20).flat_map(|x| (-20..=20).map(move |y| (x, y)));
        for (dx, dy) in offsets {
            let image = |point: Point| {
                let turned = symmetry::turned(point, way);
                Point::new(turned.x + dx, turned.y + dy)
            };
            let lies_on_itself = board.iter().all(|point| board.contains(&image(*point)));
            let stones = position.moves().iter().enumerate();
            if lies_on_itself
                && stones.clone().all(|(ply, point)| {
                    position.stone_at(image(*point)) == Some(Stone::to_move(ply))
                })
            {
                found.insert(THREE.map(image));
            }
        }
    }
    found.remove(&THREE);
    found
}

const THREE: [Point; 3] = [Point::new(0, 0), Point::new(1, 0), Point::new(0, 1)];

fn check(position: &Position) -> Result<(), TestCaseError> {
    let symmetries = symmetry::of(position);
    let found: HashSet<_> =
        symmetries.iter().map(|symmetry| THREE.map(|point| symmetry.image(point))).collect();
    prop_assert_eq!(found.len(), symmetries.len(), "each is listed once");
    prop_assert_eq!(found, brute_force(position));
    Ok(())
}

#[test]
fn an_empty_board_has_those_of_its_shape() {
    for (width, height, expected) in [(15, 15, 7), (6, 6, 7), (7, 5, 3), (5, 6, 3)] {
        let rules = Rules::new(Variant::Freestyle, Size::Bounded { width, height }).unwrap();
        assert_eq!(symmetry::of(&Position::new(rules)).len(), expected, "{rules}");
    }
    let unbounded = Rules::new(Variant::Freestyle, Size::Unbounded).unwrap();
    assert_eq!(symmetry::of(&Position::new(unbounded)), []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Few stones near each other: some of these positions have symmetries and some have none.
    #[test]
    fn all_are_found_and_no_others(
        moves in prop::collection::vec((1..5, 1..5), 1..6),
        (width, height) in prop::sample::select(vec![(5, 5), (6, 5), (5, 6), (6, 6)]),
    ) {
        for size in [Size::Bounded { width, height }, Size::Unbounded] {
            let rules = Rules::new(Variant::Freestyle, size).unwrap();
            let mut position = Position::new(rules);
            for point in moves.iter().copied().map(Point::from) {
                // One that is taken is left out.
                if position.legality(point).is_ok() {
                    position.play(point).unwrap();
                }
            }
            check(&position)?;
        }
    }
}
