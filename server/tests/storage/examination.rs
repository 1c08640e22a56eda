//! Marks and examined games: what every back end must do.

use fivefold_shared::{
    review::Agreement,
    seat::{BySeat, Seat},
};
use fivefold_storage::{
    AccountStep, ExaminationClaim, ExaminedGame, GameMark, GameResult, MarkKind, ModerationChange,
    ModerationChanged::{self, Done, Gone},
    MoveTimes, PlayerFacts, Storage, Unexamined,
    limits::{DELETED_ACCOUNT_KEPT, EXAMINED_KEPT, MARKS_MAX},
};

use crate::{
    accounts,
    contract::{every_database, every_storage},
    rooms::{game_id, member, rated, won_by},
};

/// When things happen here.
const NOW: u64 = 1_000_000_000_000;

fn mark(who: u64, game: u64, kind: MarkKind, at: u64) -> GameMark {
    let (member, opponent) = (member(who), member(who + 1));
    GameMark { member, game: game_id(game), kind, opponent, at }
}

fn claim(game: u64, at: u64, stale: u64, engine: bool) -> ModerationChange {
    let game = game_id(game);
    ModerationChange::ClaimExamination(ExaminationClaim { game, ended_at: NOW, at, stale, engine })
}

fn facts(players: [u64; 2]) -> BySeat<PlayerFacts> {
    let of = |who: u64| PlayerFacts {
        member: member(who),
        rating: 1_500.25,
        result: GameResult::Lost,
        gave_up: true,
        times: MoveTimes { moves: 3, total_ms: 4_500.0, squares: 7_250_000.0 },
        agreement: Some(Agreement { choices: 5, firsts: 2, loss: 0.125, last_chance: 0.9 }),
    };
    BySeat { first: of(players[0]), second: of(players[1]) }
}

fn examined(game: u64, players: [u64; 2]) -> ModerationChange {
    let facts = Some(Box::new(facts(players)));
    ModerationChange::Examined { game: game_id(game), facts }
}

#[track_caller]
fn apply(storage: &mut dyn Storage, change: &ModerationChange, expected: ModerationChanged) {
    assert_eq!(storage.moderate(change), Ok(expected), "{change:?}");
}

fn next(storage: &dyn Storage, since: u64, stale: u64) -> Option<Unexamined> {
    storage.reader().unwrap().unexamined(since, stale).unwrap()
}

/// Puts a mark and an examined game into a storage.
pub(crate) fn fill(storage: &mut dyn Storage) {
    apply(storage, &ModerationChange::Mark(vec![mark(1, 1, MarkKind::Network, NOW)]), Done);
    apply(storage, &claim(1, NOW, 0, true), Done);
    apply(storage, &examined(1, [1, 2]), Done);
}

/// Checks that a storage has what [`fill`] put there.
pub(crate) fn assert_filled(storage: &dyn Storage) {
    let mut reader = storage.reader().unwrap();
    assert_eq!(reader.marks().unwrap(), [mark(1, 1, MarkKind::Network, NOW)]);
    let game = ExaminedGame { game: game_id(1), ended_at: NOW, facts: facts([1, 2]) };
    assert_eq!(reader.examined().unwrap(), [game]);
}

#[test]
fn each_rated_game_is_examined_once_whoever_asks() {
    every_storage(|storage| {
        assert_eq!(next(storage, 0, 0), None);
        for (number, at) in [(1, 50), (2, 40), (3, 30)] {
            let played = rated(number, [1, 2], won_by(Seat::First), at);
            assert!(storage.append(&[played]).unwrap()[0].is_ok());
        }
        let of = |game: u64, ended_at| Some(Unexamined { game: game_id(game), ended_at });
        assert_eq!(next(storage, 0, 0), of(3, 30));
        assert_eq!(next(storage, 31, 0), of(2, 40), "the others are too old");
        // A second node is too late, until the first one is too late itself.
        apply(storage, &claim(3, 100, 90, true), Done);
        apply(storage, &claim(3, 101, 90, true), Gone);
        apply(storage, &claim(3, 105, 99, true), Gone);
        assert_eq!(next(storage, 0, 99), of(2, 40));
        assert_eq!(next(storage, 0, 100), of(3, 30));
        apply(storage, &claim(3, 110, 100, false), Done);
        apply(storage, &examined(3, [1, 2]), Done);
        apply(storage, &examined(3, [1, 2]), Gone);
        apply(storage, &claim(3, 999, 998, true), Gone);
        assert_eq!(next(storage, 0, 999), of(2, 40));
        // One of which nothing is known is not asked about again.
        apply(storage, &claim(2, 120, 0, false), Done);
        apply(storage, &ModerationChange::Examined { game: game_id(2), facts: None }, Done);
        assert_eq!(next(storage, 0, 999), of(1, 50));
        let mut reader = storage.reader().unwrap();
        let shown = ExaminedGame { game: game_id(3), ended_at: NOW, facts: facts([1, 2]) };
        assert_eq!(reader.examined().unwrap(), [shown]);
        apply(storage, &examined(7, [1, 2]), Gone);
    });
}

#[test]
fn the_engine_looks_once_at_a_game_that_was_examined_without_it() {
    every_storage(|storage| {
        let without = |game: u64| {
            let mut found = facts([1, 2]);
            (found.first.agreement, found.second.agreement) = (None, None);
            ModerationChange::Examined { game: game_id(game), facts: Some(Box::new(found)) }
        };
        let next =
            |storage: &dyn Storage, since| storage.reader().unwrap().unsearched(since).unwrap();
        apply(storage, &claim(1, 50, 0, false), Done);
        assert_eq!(next(storage, 0), None, "it is being examined");
        apply(storage, &without(1), Done);
        apply(storage, &without(1), Gone);
        let found = Some(Unexamined { game: game_id(1), ended_at: NOW });
        assert_eq!((next(storage, 0), next(storage, NOW + 1)), (found, None));
        apply(storage, &claim(1, 60, 0, true), Done);
        apply(storage, &claim(1, 61, 0, true), Gone);
        assert_eq!(next(storage, 0), None);
        apply(storage, &examined(1, [1, 2]), Done);
        apply(storage, &examined(1, [1, 2]), Gone);
        let mut reader = storage.reader().unwrap();
        assert_eq!(reader.examined().unwrap()[0].facts, facts([1, 2]));
        assert_eq!(reader.engine_games(59).unwrap(), 1);
        // One that shows nothing is not searched.
        apply(storage, &claim(2, 70, 0, false), Done);
        apply(storage, &ModerationChange::Examined { game: game_id(2), facts: None }, Done);
        assert_eq!(next(storage, 0), None);
    });
}

#[test]
fn games_that_the_engine_looks_at_are_counted_by_the_time() {
    every_storage(|storage| {
        for (game, at, engine) in [(1, 10, true), (2, 20, true), (3, 30, false)] {
            apply(storage, &claim(game, at, 0, engine), Done);
        }
        let mut reader = storage.reader().unwrap();
        let counts = [9, 10, 20].map(|since| reader.engine_games(since).unwrap());
        assert_eq!(counts, [2, 1, 0]);
    });
}

#[test]
fn marks_are_kept_once_for_their_time() {
    every_storage(|storage| {
        let kept = u64::try_from(EXAMINED_KEPT.as_millis()).unwrap();
        let both = vec![mark(1, 1, MarkKind::Network, NOW), mark(1, 1, MarkKind::Device, NOW)];
        apply(storage, &ModerationChange::Mark(both), Done);
        let later = mark(5, 2, MarkKind::Aborted, NOW + 1);
        let again = vec![mark(1, 1, MarkKind::Network, NOW + 9), later.clone()];
        apply(storage, &ModerationChange::Mark(again), Done);
        apply(storage, &claim(1, NOW, 0, true), Done);
        apply(storage, &examined(1, [1, 2]), Done);
        let mut reader = storage.reader().unwrap();
        let marks = reader.marks().unwrap();
        let expected =
            [later.clone(), mark(1, 1, MarkKind::Device, NOW), mark(1, 1, MarkKind::Network, NOW)];
        assert_eq!(marks, expected);
        assert_eq!(storage.prune_moderation(NOW + kept - 1, 9).unwrap(), 0);
        assert_eq!(storage.prune_moderation(NOW + kept, 9).unwrap(), 3);
        assert_eq!(reader.marks().unwrap(), [later]);
        assert_eq!(reader.examined().unwrap(), []);
        assert_eq!(storage.prune_moderation(NOW + kept + 1, 9).unwrap(), 1);
    });
}

/// Makes many marks in several changes: a busy database may not have time for all of them in one.
fn mark_all(storage: &mut dyn Storage, marks: impl Iterator<Item = GameMark>) {
    let marks: Vec<_> = marks.collect();
    for part in marks.chunks(1_000) {
        apply(storage, &ModerationChange::Mark(part.to_vec()), Done);
    }
}

#[test]
fn the_marks_of_one_player_are_found_behind_those_of_all_others() {
    let own = |number: u64| mark(1, number, MarkKind::Network, NOW + number);
    let read = |storage: &dyn Storage| storage.reader().unwrap().marks_of(&member(1)).unwrap();
    every_storage(|storage| {
        let other = mark(2, 1, MarkKind::Device, NOW);
        apply(storage, &ModerationChange::Mark(vec![own(1), other, own(2)]), Done);
        assert_eq!(read(storage), [own(2), own(1)]);
    });
    every_database(|storage| {
        let most = MARKS_MAX as u64;
        let others = |number| mark(2, number, MarkKind::Network, NOW + most + number);
        apply(storage, &ModerationChange::Mark(vec![own(1)]), Done);
        mark_all(storage, (0..most).map(others));
        assert!(!storage.reader().unwrap().marks().unwrap().contains(&own(1)));
        assert_eq!(read(storage), [own(1)]);
        // One past the most: the oldest is left out.
        mark_all(storage, (2..=most + 1).map(own));
        let marks = read(storage);
        assert_eq!((marks.len(), marks.last()), (MARKS_MAX, Some(&own(2))));
    });
}

#[test]
fn a_deleted_account_leaves_no_marks() {
    every_storage(|storage| {
        storage.change_account(&accounts::sign_up(2, None, "Ann")).unwrap();
        let marks = [1, 2, 3].map(|who| mark(who, who, MarkKind::Network, NOW));
        apply(storage, &ModerationChange::Mark(marks.to_vec()), Done);
        storage.change_account(&accounts::change(2, NOW, AccountStep::Delete)).unwrap();
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept, 9).unwrap();
        assert_eq!(storage.reader().unwrap().marks().unwrap(), [marks[2].clone()]);
    });
}
