//! Ratings of puzzles: what every back end must do, and several nodes at once.

use std::{collections::HashMap, sync::Barrier, thread};

use fivefold_shared::puzzle::PuzzleId;
use fivefold_storage::{
    PuzzleAttempt, PuzzleCounted, PuzzleRating, PuzzleTry, Storage, check_postgres,
    glicko::{Rating, Score, rate},
    limits::{PUZZLE_TRIES_MAX, PUZZLE_TRIES_WITHIN},
};

use crate::{
    contract::every_storage,
    damage::every_check_finds,
    postgres::{Durability, Server},
    rooms::member,
};

const DAY: u64 = 24 * 60 * 60 * 1000;

fn puzzle(number: u64) -> PuzzleId {
    PuzzleId::try_from(format!("renju-{number}")).unwrap()
}

/// What a puzzle has before anybody tries it.
fn start() -> Rating {
    Rating { value: 1400.0, deviation: 200.0, ..Rating::NEW }
}

pub(crate) fn attempt(who: u64, what: u64, solved: bool, at: u64) -> PuzzleAttempt {
    PuzzleAttempt { member: member(who), puzzle: puzzle(what), start: start(), solved, at }
}

fn count(storage: &mut dyn Storage, attempt: &PuzzleAttempt) -> PuzzleTry {
    match storage.count_puzzle(attempt).unwrap() {
        PuzzleCounted::Counted(entry) => entry,
        other => panic!("{other:?}"),
    }
}

fn rating(storage: &dyn Storage, who: u64) -> Option<PuzzleRating> {
    storage.reader().unwrap().puzzle_rating(&member(who)).unwrap()
}

#[test]
fn a_first_try_changes_both_ratings_and_a_second_one_none() {
    every_storage(|storage| {
        assert_eq!(rating(storage, 1), None);
        let first = count(storage, &attempt(1, 7, true, DAY));
        let [own, its] = rate([Rating::NEW, start()], Score::First, DAY);
        assert_eq!((first.own.number, first.its.number, first.solved), (1, 1, true));
        assert_eq!((first.own.before, first.own.after), (Rating::NEW.estimate(), own.estimate()));
        assert_eq!((first.its.before, first.its.after), (start().estimate(), its.estimate()));
        assert_eq!(rating(storage, 1), Some(PuzzleRating { rating: own, tries: 1, solved: 1 }));
        // Once for each puzzle and member, whatever comes of it then.
        let again = storage.count_puzzle(&attempt(1, 7, false, 2 * DAY)).unwrap();
        assert_eq!(again, PuzzleCounted::TriedBefore(first.clone()));
        let other = count(storage, &attempt(2, 7, false, 3 * DAY));
        assert_eq!((other.own.number, other.its.number), (1, 2));
        assert_eq!(other.its.before, its.estimate());
        assert!(other.own.after.value < 1500.0 && other.its.after.value > its.value);
        let next = count(storage, &attempt(1, 8, false, 3 * DAY));
        assert_eq!((next.own.number, next.own.before), (2, own.estimate()));
        let mut reader = storage.reader().unwrap();
        assert_eq!(reader.puzzle_tries(&member(1)).unwrap(), [first, next.clone()]);
        assert_eq!(reader.puzzle_tries(&member(2)).unwrap(), std::slice::from_ref(&other));
        assert_eq!(reader.puzzle_tries(&member(3)).unwrap(), []);
        let rated =
            HashMap::from([(puzzle(7), other.its.after.value), (puzzle(8), next.its.after.value)]);
        assert_eq!(reader.rated_puzzles().unwrap(), rated);
    });
}

#[test]
fn a_member_tries_so_many_in_a_minute() {
    every_storage(|storage| {
        for number in 1..=PUZZLE_TRIES_MAX {
            count(storage, &attempt(1, number, true, DAY + number));
        }
        let within = u64::try_from(PUZZLE_TRIES_WITHIN.as_millis()).unwrap();
        let more = |at| attempt(1, 1_000, true, at);
        // The first was at DAY + 1.
        let refused = storage.count_puzzle(&more(DAY + within)).unwrap();
        assert_eq!(refused, PuzzleCounted::TooMany);
        // A puzzle that was tried is still answered, and others may try.
        let known = storage.count_puzzle(&attempt(1, 3, true, DAY + within)).unwrap();
        assert!(matches!(known, PuzzleCounted::TriedBefore(_)), "{known:?}");
        count(storage, &attempt(2, 1_000, true, DAY + within));
        let after = count(storage, &more(DAY + within + 1));
        assert_eq!(after.own.number, PUZZLE_TRIES_MAX + 1);
    });
}

#[test]
fn nodes_that_count_tries_at_one_puzzle_at_once_count_all() {
    const PUZZLES: u64 = 15;
    let Some(server) = Server::start(Durability::None) else { return };
    drop(server.open());
    let nodes: Vec<_> = (0..3).map(|node| server.join(node > 0)).collect();
    let (start, server) = (Barrier::new(nodes.len()), &server);
    thread::scope(|scope| {
        for (who, _) in (1..).zip(nodes) {
            let (start, mut storage) = (&start, server.open());
            scope.spawn(move || {
                start.wait();
                for what in 0..PUZZLES {
                    // Everybody tries the same puzzle at the same time, and one member at all nodes.
                    count(&mut storage, &attempt(who, what, who % 2 == 0, DAY + what * DAY));
                    storage.count_puzzle(&attempt(9, what, true, DAY + what * DAY)).unwrap();
                }
            });
        }
    });
    let storage = server.open();
    for who in [1, 2, 3, 9] {
        assert_eq!(rating(&storage, who).map(|own| own.tries), Some(PUZZLES), "member {who}");
    }
    assert_eq!(
        server.value("SELECT sum(tries) FROM fivefold.puzzle_rating WHERE side = 'puzzle'"),
        (4 * PUZZLES).to_string()
    );
    let findings = check_postgres(&server.url()).unwrap();
    assert!(findings.is_sound(), "{findings}");
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'fivefold'";
    assert_eq!(server.value(deadlocks), "0");
}

/// Damages, and a part of the problem that each is.
const DAMAGES: [(&str, &str); 6] = [
    (
        "UPDATE puzzle_rating SET value = value + 1 WHERE side = 'puzzle'",
        "of the puzzle renju-7 is not what the last try",
    ),
    ("UPDATE puzzle_rating SET solved = solved + 1 WHERE side = 'member'", "is not what the last"),
    ("UPDATE puzzle_try SET before = 1 WHERE number = 2", "does not follow"),
    ("UPDATE puzzle_try SET puzzle_before = 1 WHERE puzzle_number = 2", "of the puzzle renju-7"),
    ("DELETE FROM puzzle_try", "and no tries"),
    ("DELETE FROM puzzle_rating", "and no rating"),
];

fn try_some(storage: &mut dyn Storage) {
    for (who, what) in [(1, 7), (2, 7), (1, 8)] {
        count(storage, &attempt(who, what, what == 7, DAY));
    }
}

#[test]
fn a_check_finds_ratings_that_do_not_follow_from_the_tries() {
    every_check_finds(try_some, &DAMAGES);
}
