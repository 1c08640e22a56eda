//! Ratings: what every back end must do, and several nodes at once.

use std::{sync::Barrier, thread};

use fivefold_shared::seat::Seat;
use fivefold_storage::{
    AccountChange, AccountStep, Append, ChangeKind, Conflict, DataFolder, Database, Epoch,
    GameResult, LeaderboardQuery, PoolRating, RatingChange, Sqlite, Storage, UndoError, Undone,
    check, check_postgres,
    glicko::{Rating, Score, rate},
    limits::{LEADERBOARD_GAMES_MIN, LEADERBOARD_PLACES_MAX, LEADERBOARD_PLAYED_WITHIN},
    undo,
};
use serde_json::json;

use crate::{
    accounts::sign_up,
    contract::every_storage,
    damage::every_check_finds,
    folders::FILE,
    formats::make_older,
    postgres::{Durability, Server},
    rooms::{append, game_id, member, rated, rated_in, resigned, won_by},
};

const DAY: u64 = 24 * 60 * 60 * 1000;

/// Stores one append, and returns what it changed.
fn store(storage: &mut dyn Storage, append: Append) -> Vec<RatingChange> {
    let mut answers = storage.append(&[append]).unwrap();
    assert_eq!(answers.len(), 1);
    answers.remove(0).unwrap()
}

fn ratings(storage: &dyn Storage, number: u64) -> Vec<PoolRating> {
    storage.reader().unwrap().ratings(&member(number)).unwrap()
}

/// The member's only rating.
fn rating(storage: &dyn Storage, number: u64) -> PoolRating {
    let ratings = ratings(storage, number);
    assert_eq!(ratings.len(), 1, "{ratings:?}");
    ratings[0]
}

#[test]
fn a_game_that_counts_changes_both_ratings_and_others_change_none() {
    every_storage(|storage| {
        // The second player has the lesser id, and comes first among the changes.
        let changes = store(storage, rated(1, [2, 1], won_by(Seat::First), DAY));
        let [winner, loser] = rate([Rating::NEW; 2], Score::First, DAY);
        let pool = "standard/15/normal".parse().unwrap();
        let [first, second] = &changes[..] else { panic!("{changes:?}") };
        assert_eq!((&first.member, first.result), (&member(1), GameResult::Lost));
        assert_eq!((&second.member, second.result), (&member(2), GameResult::Won));
        for (change, after) in [(first, loser), (second, winner)] {
            assert_eq!((&change.game, change.pool), (&game_id(1), pool));
            assert_eq!((change.kind, change.number, change.at), (ChangeKind::Game, 1, DAY));
            assert_eq!((change.before, change.after), (Rating::NEW.estimate(), after.estimate()));
        }
        let stored =
            |rating, wins| PoolRating { pool, rating, games: 1, wins, draws: 0, changes: 1 };
        assert_eq!(rating(storage, 2), stored(winner, 1));
        assert_eq!(rating(storage, 1), stored(loser, 0));
        let mut reader = storage.reader().unwrap();
        assert_eq!(reader.game_ratings(&game_id(1)).unwrap(), changes);
        let both = [(member(1), rating(storage, 1)), (member(2), rating(storage, 2))];
        assert_eq!(reader.ratings_of(&[1, 2, 3].map(member)).unwrap(), both);
        assert_eq!(reader.ratings_of(&[]).unwrap(), []);
        let history = reader.rating_history(&member(1), pool).unwrap();
        assert_eq!(history, changes[..1]);
        // The same append again conflicts, and so does one of an earlier owner.
        for epoch in [Epoch::FIRST, Epoch(7)] {
            let again = Append { epoch, ..rated(1, [2, 1], won_by(Seat::First), DAY) };
            assert_eq!(storage.append(&[again]).unwrap(), [Err(Conflict::Owner)]);
        }
        assert_eq!(store(storage, append(2, resigned("public", 1, 2), 2)), []);
        assert_eq!(reader.game_ratings(&game_id(2)).unwrap(), []);
        assert_eq!(rating(storage, 1), stored(loser, 0));

        let drawn = store(storage, rated(3, [1, 2], json!({"reason": "agreement"}), 2 * DAY));
        let expected = rate([loser, winner], Score::Draw, 2 * DAY);
        assert_eq!(drawn[0].result, GameResult::Drawn);
        assert_eq!([drawn[0].before, drawn[1].before], [loser.estimate(), winner.estimate()]);
        let PoolRating { rating, games, wins, draws, changes, .. } = rating(storage, 1);
        assert_eq!((rating, [games, wins, draws, changes]), (expected[0], [2, 0, 1, 2]));
        assert_eq!(reader.rating_history(&member(2), pool).unwrap().len(), 2);
    });
}

#[test]
fn games_of_one_player_in_one_commit_follow_each_other() {
    every_storage(|storage| {
        let win = |number, players| rated(number, players, won_by(Seat::First), DAY);
        let stale =
            Append { epoch: Epoch(9), ..append(9, resigned("public", 1, 2)[1..].to_vec(), 0) };
        let batch = [win(1, [1, 2]), stale, win(2, [3, 1]), win(3, [4, 5])];
        let answers = storage.append(&batch).unwrap();
        let numbers = |place: usize| {
            let changes = answers[place].as_ref().unwrap();
            changes.iter().map(|change| change.number).collect::<Vec<_>>()
        };
        assert_eq!([numbers(0), numbers(2), numbers(3)], [[1, 1], [2, 1], [1, 1]]);
        assert_eq!(answers[1], Err(Conflict::Owner));
        let PoolRating { games, wins, changes, .. } = rating(storage, 1);
        assert_eq!([games, wins, changes], [2, 1, 2]);
        // Another game of a while ago, and one of them taken back.
        store(storage, win(4, [1, 2]));
        storage.undo_ratings(&game_id(2), 2 * DAY).unwrap();
        let history = history(storage, 1);
        let expected =
            [(1, 1), (2, 2), (3, 4), (4, 2)].map(|(number, game)| (number, game_id(game)));
        let found: Vec<_> =
            history.into_iter().map(|change| (change.number, change.game)).collect();
        assert_eq!(found, expected);
    });
}

fn history(storage: &dyn Storage, number: u64) -> Vec<RatingChange> {
    let pool = "standard/15/normal".parse().unwrap();
    storage.reader().unwrap().rating_history(&member(number), pool).unwrap()
}

#[test]
fn a_file_of_format_10_keeps_its_ratings_and_how_they_changed() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let mut storage = open();
    for game in 1..=3 {
        store(&mut storage, rated(game, [1, 2], won_by(Seat::First), game.min(2) * DAY));
    }
    storage.undo_ratings(&game_id(2), 3 * DAY).unwrap();
    let all = |storage: &dyn Storage| {
        let of = |number| (rating(storage, number), history(storage, number));
        let game = storage.reader().unwrap().game_ratings(&game_id(2)).unwrap();
        ([1, 2].map(of), game)
    };
    let before = all(&storage);
    assert_eq!((before.0[0].1.len(), before.1.len()), (4, 4));
    drop(storage);
    make_older(&folder.path().join(FILE), 10);
    assert!(check(folder.path()).unwrap().is_sound());
    let mut storage = open();
    assert_eq!(all(&storage), before);
    let next = store(&mut storage, rated(4, [2, 1], won_by(Seat::First), 4 * DAY));
    assert_eq!(history(&storage, 1)[4], next[0]);
    let findings = check(folder.path()).unwrap();
    assert!(findings.is_sound(), "{findings}");
}

#[test]
fn a_new_pool_begins_at_the_surest_rating_of_the_others() {
    every_storage(|storage| {
        for number in 0..20 {
            let outcome = won_by(if number % 4 == 0 { Seat::Second } else { Seat::First });
            store(storage, rated_in("1+1", number, [1, 2], outcome, DAY + number));
        }
        store(storage, rated_in("10+5", 20, [1, 3], won_by(Seat::Second), DAY + 20));
        let surest = ratings(storage, 1)
            .into_iter()
            .min_by(|one, other| one.rating.deviation.total_cmp(&other.rating.deviation));
        let surest = surest.unwrap().rating;
        assert!(surest.deviation < 120.0 && surest.value > 1550.0, "{surest:?}");
        let changes = store(storage, rated(21, [1, 2], won_by(Seat::First), DAY + 21));
        let before = changes[0].before;
        assert_eq!((before.value, before.deviation), (surest.value, 200.0));
        let pools: Vec<_> =
            ratings(storage, 1).iter().map(|rating| rating.pool.to_string()).collect();
        assert_eq!(pools, ["standard/15/fast", "standard/15/normal", "standard/15/slow"]);
    });
}

#[test]
fn what_a_game_changed_is_taken_back_once() {
    every_storage(|storage| {
        let first = store(storage, rated(1, [1, 2], won_by(Seat::First), DAY));
        store(storage, rated(2, [1, 2], json!({"reason": "agreement"}), DAY));
        let before = [1, 2].map(|number| rating(storage, number));
        assert_eq!(storage.undo_ratings(&game_id(7), DAY).unwrap(), Undone::NotRated);
        let Undone::Done(undone) = storage.undo_ratings(&game_id(1), 2 * DAY).unwrap() else {
            panic!("game 1 counts")
        };
        assert_eq!(
            storage.undo_ratings(&game_id(1), 3 * DAY).unwrap(),
            Undone::Done(undone.clone())
        );
        for ((undone, done), before) in undone.iter().zip(&first).zip(before) {
            assert_eq!((undone.kind, undone.number, undone.at), (ChangeKind::Undo, 3, 2 * DAY));
            assert_eq!((undone.before, undone.result), (before.rating.estimate(), done.result));
            let points = undone.after.value - undone.before.value;
            assert!((points - (done.before.value - done.after.value)).abs() < 1e-9, "{points}");
        }
        let PoolRating { rating: now, games, wins, draws, changes, .. } = rating(storage, 1);
        assert_eq!([games, wins, draws, changes], [1, 0, 1, 3]);
        assert_eq!(now.estimate(), undone[0].after);
        let mut reader = storage.reader().unwrap();
        assert_eq!(reader.game_ratings(&game_id(1)).unwrap(), [first, undone].concat());
        // The next game goes on from there.
        let next = store(storage, rated(3, [1, 2], won_by(Seat::Second), 4 * DAY));
        assert_eq!((next[0].before, next[0].number), (now.estimate(), 4));
    });
}

/// Signs up members, whose names are their numbers.
fn sign_up_all(storage: &mut dyn Storage, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        storage.change_account(&sign_up(number, None, &format!("Player {number}"))).unwrap();
    }
}

#[test]
fn the_best_of_a_pool_are_sure_play_there_and_have_an_account() {
    every_storage(|storage| {
        sign_up_all(storage, 1..=6);
        let least = LEADERBOARD_GAMES_MIN;
        let mut number = 0;
        let mut play = |storage: &mut dyn Storage, games: u64, players: [u64; 2], wins: u64, at| {
            for game in 0..games {
                number += 1;
                let seat = if game % 4 < wins { Seat::First } else { Seat::Second };
                store(storage, rated(number, players, won_by(seat), at));
            }
        };
        // Members 1 and 2 are sure; 3 and 4 are equals, 5 has too few games, 6 no account in the end.
        play(storage, 40, [1, 2], 3, 40 * DAY);
        play(storage, 40, [3, 4], 2, 40 * DAY);
        play(storage, least - 1, [5, 6], 2, 40 * DAY);
        play(storage, 40, [6, 9], 3, 40 * DAY);
        let pool = "standard/15/normal".parse().unwrap();
        let board = |storage: &dyn Storage, own: Option<u64>, max, now| {
            let query = LeaderboardQuery { pool, now, member: own.map(member), max };
            storage.reader().unwrap().leaderboard(&query).unwrap()
        };
        let numbers = |storage: &dyn Storage, max, now| -> Vec<(u64, u64)> {
            let places = board(storage, None, max, now).places;
            let number = |name: &str| name.trim_start_matches("Player ").parse().unwrap();
            places.iter().map(|placed| (placed.place, number(placed.name.as_str()))).collect()
        };
        let now = 41 * DAY;
        let all = numbers(storage, LEADERBOARD_PLACES_MAX, now);
        assert_eq!(all.iter().map(|(_, member)| *member).collect::<Vec<_>>().len(), 5, "{all:?}");
        assert!(!all.iter().any(|(_, member)| *member == 5), "too few games: {all:?}");
        let places = board(storage, None, 99, now).places;
        assert!(
            places.is_sorted_by(|one, other| one.rating.rating.value >= other.rating.rating.value)
        );
        // The place of one who is further down than the list goes.
        let worst = places.last().unwrap().clone();
        let own = |number| board(storage, Some(number), 1, now).own;
        assert_eq!(own(2), places.iter().find(|placed| placed.member == member(2)).cloned());
        assert_eq!(board(storage, Some(2), 1, now).places, places[..1]);
        assert_eq!(worst.member, member(2), "who lost most");
        assert_eq!(own(5), None);
        assert_eq!(numbers(storage, 2, now), all[..2]);
        // Those who ask for their deletion have no place.
        let delete = AccountChange { member: member(6), at: 1, step: AccountStep::Delete };
        storage.change_account(&delete).unwrap();
        assert_eq!(numbers(storage, 99, now).len(), 4);
        // Nor have those who do not play any more.
        let month = u64::try_from(LEADERBOARD_PLAYED_WITHIN.as_millis()).unwrap();
        assert_eq!(numbers(storage, 99, 40 * DAY + month + 1), []);
        let other = "renju/15/fast".parse().unwrap();
        let query = LeaderboardQuery { pool: other, now, member: None, max: 9 };
        assert_eq!(storage.reader().unwrap().leaderboard(&query).unwrap().places, []);
    });
}

#[test]
fn equals_have_the_same_place() {
    every_storage(|storage| {
        sign_up_all(storage, 1..=5);
        // Pairs that play the same games at the same times, and one who has no equal.
        for game in 0..40 {
            let outcome = || won_by(if game % 4 == 3 { Seat::Second } else { Seat::First });
            store(storage, rated(3 * game, [1, 8], outcome(), DAY + game));
            store(storage, rated(3 * game + 1, [2, 9], outcome(), DAY + game));
            let even = won_by(if game % 2 == 0 { Seat::First } else { Seat::Second });
            store(storage, rated(3 * game + 2, [3, 10], even, DAY + game));
        }
        let pool = "standard/15/normal".parse().unwrap();
        let query = LeaderboardQuery { pool, now: 2 * DAY, member: Some(member(3)), max: 2 };
        let board = storage.reader().unwrap().leaderboard(&query).unwrap();
        let places: Vec<_> = board.places.iter().map(|placed| placed.place).collect();
        assert_eq!((places, board.own.map(|own| own.place)), (vec![1, 1], Some(3)));
    });
}

#[test]
fn two_nodes_that_end_games_of_one_player_at_once_count_both() {
    const GAMES: u64 = 60;
    let Some(server) = Server::start(Durability::None) else { return };
    drop(server.open());
    let nodes = [server.join(false), server.join(true), server.join(true)];
    let (start, server) = (Barrier::new(nodes.len()), &server);
    thread::scope(|scope| {
        for (number, node) in (1..).zip(nodes) {
            let (start, mut storage) = (&start, server.open());
            scope.spawn(move || {
                start.wait();
                for game in number * GAMES..(number + 1) * GAMES {
                    // Member 1 plays all; the others differ, and seats change.
                    let other = 2 + game % 3;
                    let players = if game % 2 == 0 { [1, other] } else { [other, 1] };
                    let seat = if game % 5 < 3 { Seat::First } else { Seat::Second };
                    let played = rated(game, players, won_by(seat), DAY + game);
                    let changes = store(&mut storage, Append { node, ..played });
                    assert_eq!(changes.len(), 2);
                    if game % 10 == 0 {
                        storage.undo_ratings(&game_id(game), 2 * DAY).unwrap();
                    }
                }
            });
        }
    });
    let storage = server.open();
    let PoolRating { games, changes, .. } = rating(&storage, 1);
    assert_eq!((games, changes), (3 * GAMES * 9 / 10, 3 * GAMES * 11 / 10));
    let findings = check_postgres(&server.url()).unwrap();
    assert!(findings.is_sound(), "{findings}");
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'fivefold'";
    assert_eq!(server.value(deadlocks), "0");
}

#[test]
fn ratings_in_a_file_count_on_from_what_is_stored_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let game = |number, players| rated(number, players, won_by(Seat::First), DAY + number);
    store(&mut storage, game(1, [1, 2]));
    let second = store(&mut storage, game(2, [1, 2]));
    // An operator's command takes back a game of players whose ratings the server knows.
    undo(Database::Folder(folder.path()), &game_id(1), 9_000_000).unwrap();
    let third = store(&mut storage, game(3, [1, 2]));
    assert_eq!((third[0].number, third[1].number), (4, 4));
    assert_ne!(third[0].before, second[0].after);

    // The second game of a commit fails, and so the first one does not count either.
    let other = rusqlite::Connection::open(folder.path().join(FILE)).unwrap();
    other
        .execute_batch(&format!(
            "CREATE TRIGGER broken BEFORE INSERT ON game WHEN NEW.code = '{}'
             BEGIN SELECT RAISE(ABORT, 'broken'); END",
            game_id(5).as_str()
        ))
        .unwrap();
    assert!(storage.append(&[game(4, [1, 2]), game(5, [3, 4])]).is_err());
    let sixth = store(&mut storage, game(6, [1, 2]));
    assert_eq!((sixth[0].number, sixth[0].before), (5, third[0].after));
    storage.undo_ratings(&game_id(6), 2 * DAY).unwrap();
    let seventh = store(&mut storage, game(7, [1, 2]));
    assert_eq!((seventh[0].number, seventh[0].before.value), (7, third[0].after.value));
    other.execute_batch("DROP TRIGGER broken").unwrap();
    drop((other, storage));
    let findings = check(folder.path()).unwrap();
    assert!(findings.is_sound(), "{findings}");
}

#[test]
fn nodes_that_play_in_turns_count_on_from_what_the_other_has_stored() {
    let Some(server) = Server::start(Durability::None) else { return };
    let (mut one, mut other) = (server.open(), server.open());
    let [first, second] = [server.join(false), server.join(true)];
    let play = |storage: &mut dyn Storage, node, game, players| {
        let played = rated(game, players, won_by(Seat::First), DAY + game);
        store(storage, Append { node, ..played })
    };
    let before = play(&mut one, first, 1, [1, 2]);
    // Unknown to the first node: another game, a third player, and what an operator takes back.
    play(&mut other, second, 2, [2, 1]);
    play(&mut other, second, 3, [1, 3]);
    let next = play(&mut one, first, 4, [1, 2]);
    assert_eq!((next[0].number, next[1].number), (4, 3));
    assert_ne!(next[0].before, before[0].after);
    other.undo_ratings(&game_id(3), 2 * DAY).unwrap();
    let last = play(&mut one, first, 5, [1, 2]);
    assert_eq!((last[0].number, last[1].number), (6, 4));
    assert_eq!(last[1].before, next[1].after, "nothing has changed for the second player");
    assert_eq!(history(&one, 1).last(), Some(&last[0]));
    let findings = check_postgres(&server.url()).unwrap();
    assert!(findings.is_sound(), "{findings}");
}

/// Damages of ratings, and a part of the problem that each is.
const DAMAGES: [(&str, &str); 7] = [
    (
        "UPDATE rating SET value = value + 1 WHERE member = MEMBER",
        "is not what the last change left",
    ),
    ("UPDATE rating SET wins = wins + 1 WHERE member = MEMBER", "are not those of the changes"),
    ("UPDATE rating_change SET before = 1 WHERE number = 2 AND member = MEMBER", "does not follow"),
    ("DELETE FROM rating_change WHERE number = 2 AND member = MEMBER", "does not follow"),
    ("DELETE FROM rating_change WHERE member = MEMBER", "and no changes"),
    ("DELETE FROM rating WHERE member = MEMBER", "and no rating"),
    ("DELETE FROM rating_change WHERE game = GAME", "has not changed two ratings"),
];

fn damage(text: &str) -> String {
    let names = [("MEMBER", member(1).to_string()), ("GAME", game_id(3).to_string())];
    names
        .iter()
        .fold(text.to_owned(), |text, (word, name)| text.replace(word, &format!("'{name}'")))
}

fn play_three(storage: &mut dyn Storage) {
    for game in 1..=3 {
        store(storage, rated(game, [1, 2], won_by(Seat::First), DAY + game));
    }
}

#[test]
fn a_check_finds_ratings_that_do_not_follow_from_their_games() {
    let damages = DAMAGES.map(|(text, expected)| (damage(text), expected));
    every_check_finds(play_three, &damages);
}

#[test]
fn a_check_finds_changes_and_leaders_that_would_not_be_read() {
    for (damage, expected) in [
        (
            "UPDATE rating_change SET previous_at = 1 WHERE number = 3",
            "do not lead to the one before",
        ),
        ("UPDATE rating SET changed_at = 1", "do not lead to their last change"),
        ("UPDATE rating SET band = band + 1", "in another band"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        play_three(&mut Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap());
        assert!(check(folder.path()).unwrap().is_sound());
        let file = rusqlite::Connection::open(folder.path().join(FILE)).unwrap();
        assert_eq!(file.execute(damage, ()).unwrap(), 2);
        drop(file);
        let findings = check(folder.path()).unwrap().to_string();
        assert!(findings.contains(expected), "{damage}: {findings}");
    }
}

#[test]
fn an_operator_takes_a_game_back_while_a_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    play_three(&mut storage);
    for _ in 0..2 {
        let taken = undo(Database::Folder(folder.path()), &game_id(1), 9_000_000).unwrap();
        assert_eq!(taken.0.len(), 2);
        assert!(taken.to_string().contains("standard/15/normal: "), "{taken}");
    }
    let unknown = undo(Database::Folder(folder.path()), &game_id(9), 9_000_000).unwrap_err();
    assert!(matches!(unknown, UndoError::NotRated(_)), "{unknown}");
    assert_eq!(rating(&storage, 1).games, 2);
    assert!(check(folder.path()).unwrap().is_sound());
    let nowhere = tempfile::tempdir().unwrap();
    assert!(undo(Database::Folder(nowhere.path()), &game_id(1), 9_000_000).is_err());
}
