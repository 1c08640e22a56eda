//! Collections of games: what every back end must do.

use std::{iter, thread};

use fivefold_shared::{
    collection::{CollectedGame, Collection, CollectionSettings},
    notation::file::GameFile,
    protocol::{CollectionId, CollectionName},
    rules::{Point, Rules, Size, Variant},
};
use fivefold_storage::{
    AccountChanged, AccountStep, CollectedGames, CollectedGamesQuery, CollectionChange,
    CollectionChanged::{self, Added, Done, Full, Gone, NoGame},
    CollectionStep, KeyedGame, Storage,
    limits::{COLLECTED_GAMES_SEARCHED_MAX, COLLECTIONS_MAX, DELETED_ACCOUNT_KEPT},
};

use crate::{
    accounts::{self, NOW},
    contract::every_storage,
    damage::repair_damaged,
    postgres::{Durability, Server},
    rooms::{code, member},
};

/// Most games of an account in these tests.
const GAMES_MAX: u64 = 6_000;

fn id(number: u64) -> CollectionId {
    // A room's code has twelve of the same letters.
    CollectionId::try_from(format!("{}2222", code(number))).unwrap()
}

fn settings(name: &str, shared: bool) -> CollectionSettings {
    CollectionSettings { name: CollectionName::new(name).unwrap(), shared }
}

/// A game of two stones; a different one for each number up to 20,000.
fn game(number: u64, [black, white]: [&str; 2]) -> KeyedGame {
    let rules = Rules::new(Variant::Freestyle, Size::Unbounded).unwrap();
    let number = i32::try_from(number).unwrap();
    let (x, y) = (number / 100 + 101, number % 100);
    let file = GameFile {
        black: Some(black.to_owned()),
        white: Some(white.to_owned()),
        ..GameFile::of_moves(rules, [Point::new(0, 0), Point::new(x, y)])
    };
    let (game, key) = CollectedGame::of(&file).checked().unwrap();
    KeyedGame { game, key }
}

fn games(numbers: impl IntoIterator<Item = u64>) -> Vec<KeyedGame> {
    numbers.into_iter().map(|number| game(number, ["Ann", "Bob"])).collect()
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers make it in place")]
fn change(
    storage: &mut dyn Storage,
    (who, at): (u64, u64),
    collection: u64,
    step: CollectionStep,
    expected: CollectionChanged,
) {
    let change = CollectionChange { member: member(who), at, id: id(collection), step };
    assert_eq!(storage.change_collection(&change).unwrap(), expected);
}

#[track_caller]
fn make(storage: &mut dyn Storage, who: u64, collection: u64, expected: CollectionChanged) {
    let step = CollectionStep::Make(settings("World cup", false));
    change(storage, (who, NOW), collection, step, expected);
}

fn add(games: Vec<KeyedGame>, games_max: u64) -> CollectionStep {
    CollectionStep::Add { games, games_max }
}

fn added(duplicates: &[usize]) -> CollectionChanged {
    partly_added(duplicates, &[])
}

fn partly_added(duplicates: &[usize], left_out: &[usize]) -> CollectionChanged {
    Added { duplicates: duplicates.to_vec(), left_out: left_out.to_vec() }
}

fn list(storage: &dyn Storage, who: u64) -> Vec<Collection> {
    storage.reader().unwrap().collections(&member(who)).unwrap()
}

fn page(
    storage: &dyn Storage,
    collection: u64,
    after: u64,
    player: Option<&str>,
    max: usize,
) -> CollectedGames {
    let player = player.map(str::to_owned);
    let query = CollectedGamesQuery { id: id(collection), after, player, max };
    storage.reader().unwrap().collected_games(&query).unwrap()
}

/// The numbers of the games on a page, and where the next one begins.
fn numbers(page: &CollectedGames) -> (Vec<u64>, Option<u64>) {
    (page.games.iter().map(|game| game.number).collect(), page.next)
}

fn sign_up(storage: &mut dyn Storage, members: &[u64]) {
    for number in members {
        let name = format!("Player{number}");
        accounts::apply(storage, &accounts::sign_up(*number, None, &name), AccountChanged::Done);
    }
}

#[test]
fn a_collection_is_its_members_and_is_read_by_its_id() {
    every_storage(|storage| {
        sign_up(storage, &[1, 2]);
        for _ in 0..2 {
            make(storage, 1, 5, Done);
        }
        let step = CollectionStep::Make(settings("Openings", true));
        change(storage, (1, NOW + 1), 6, step, Done);
        make(storage, 3, 7, Gone);
        let collection = |number, name: &str, shared, changed_at| Collection {
            id: id(number),
            name: CollectionName::new(name).unwrap(),
            shared,
            games: 0,
            changed_at,
            owner: None,
        };
        let (old, new) =
            (collection(5, "World cup", false, NOW), collection(6, "Openings", true, NOW + 1));
        assert_eq!(list(storage, 1), [new.clone(), old]);
        assert_eq!(list(storage, 2), []);

        // Nobody else changes it.
        let step = || CollectionStep::Set(settings("Cups", true));
        change(storage, (2, NOW + 2), 5, step(), Gone);
        change(storage, (1, NOW + 2), 5, step(), Done);
        change(storage, (2, NOW + 2), 5, add(games([1]), 9), Gone);
        change(storage, (2, NOW + 2), 5, CollectionStep::Remove(1), Gone);
        change(storage, (2, NOW + 2), 5, CollectionStep::Delete, Gone);
        let changed = collection(5, "Cups", true, NOW + 2);
        assert_eq!(list(storage, 1), [changed.clone(), new.clone()]);
        let mut reader = storage.reader().unwrap();
        let known = reader.collection(&id(5)).unwrap().unwrap();
        assert_eq!((known.member, known.owner.as_str()), (member(1), "Player1"));
        assert_eq!(known.collection, changed);
        assert_eq!(reader.collection(&id(9)).unwrap(), None);
        drop(reader);

        change(storage, (1, NOW), 5, CollectionStep::Delete, Done);
        for step in [CollectionStep::Delete, step(), add(games([1]), 9), CollectionStep::Remove(1)]
        {
            change(storage, (1, NOW), 5, step, Gone);
        }
        assert_eq!(list(storage, 1), [new]);
        assert_eq!(storage.reader().unwrap().collection(&id(5)).unwrap(), None);
    });
}

#[test]
fn a_member_has_so_many_collections() {
    every_storage(|storage| {
        sign_up(storage, &[1]);
        let most = u64::try_from(COLLECTIONS_MAX).unwrap();
        for number in 0..most {
            make(storage, 1, number, Done);
        }
        make(storage, 1, most, Full);
        // As many as that may be deleted and wait for the pruning.
        for number in 0..most {
            change(storage, (1, NOW), number, CollectionStep::Delete, Done);
            make(storage, 1, most + number, Done);
        }
        change(storage, (1, NOW), most, CollectionStep::Delete, Done);
        make(storage, 1, 2 * most, Full);
        // A commit looks at some of them only, and says 0 when it has found none.
        let parts = iter::from_fn(|| Some(storage.prune_collections(99).unwrap()));
        assert_eq!(parts.take_while(|&part| part > 0).sum::<usize>(), COLLECTIONS_MAX + 1);
        make(storage, 1, 2 * most, Done);
        assert_eq!(list(storage, 1).len(), COLLECTIONS_MAX);
    });
}

#[test]
fn a_game_is_in_a_collection_once() {
    every_storage(|storage| {
        sign_up(storage, &[1]);
        make(storage, 1, 5, Done);
        make(storage, 1, 6, Done);
        // Another order of names is the same game.
        let mut batch = games([1, 2, 1, 3]);
        batch.push(game(2, ["Cid", "Dan"]));
        change(storage, (1, NOW + 1), 5, add(batch.clone(), 9), added(&[2, 4]));
        change(storage, (1, NOW + 2), 5, add(batch, 9), added(&[0, 1, 2, 3, 4]));
        change(storage, (1, NOW + 3), 5, add(games([3, 4]), 9), added(&[0]));
        change(storage, (1, NOW + 4), 6, add(games([4]), 9), added(&[]));
        let shown = list(storage, 1);
        assert_eq!((shown[0].games, shown[0].changed_at), (1, NOW + 4));
        assert_eq!((shown[1].games, shown[1].changed_at), (4, NOW + 3));
        let stored = page(storage, 5, 0, None, 9);
        assert_eq!(numbers(&stored), (vec![1, 2, 3, 4], None));
        assert_eq!(stored.games[1].game, game(2, ["Ann", "Bob"]).game);
        // The number of a deleted game is never given again.
        change(storage, (1, NOW + 5), 5, CollectionStep::Remove(4), Done);
        change(storage, (1, NOW + 5), 5, CollectionStep::Remove(4), NoGame);
        change(storage, (1, NOW + 6), 5, add(games([4]), 9), added(&[]));
        assert_eq!(numbers(&page(storage, 5, 0, None, 9)), (vec![1, 2, 3, 5], None));
        assert_eq!(list(storage, 1)[0].games, 4);
    });
}

#[test]
fn a_member_has_so_many_games_and_as_many_that_wait_for_the_pruning() {
    every_storage(|storage| {
        sign_up(storage, &[1, 2]);
        for number in 5..=7 {
            make(storage, 1, number, Done);
        }
        change(storage, (1, NOW), 5, add(games(0..2), 3), added(&[]));
        // As many of a batch are added as fit; duplicates count for nothing.
        let batch = games([0, 1, 2, 3, 2, 3, 1]);
        change(storage, (1, NOW), 5, add(batch, 3), partly_added(&[0, 1, 4, 6], &[3, 5]));
        assert_eq!(numbers(&page(storage, 5, 0, None, 9)), (vec![1, 2, 3], None));
        assert_eq!(page(storage, 5, 2, None, 9).games[0].game, game(2, ["Ann", "Bob"]).game);
        assert_eq!(list(storage, 1).iter().map(|own| own.games).max(), Some(3));
        change(storage, (1, NOW), 5, add(games(0..3), 3), added(&[0, 1, 2]));
        change(storage, (1, NOW), 5, add(games([0, 3]), 3), Full);
        change(storage, (1, NOW), 6, add(games([0]), 3), Full);
        change(storage, (1, NOW), 5, CollectionStep::Delete, Done);
        change(storage, (1, NOW), 6, add(games(0..3), 3), added(&[]));
        change(storage, (1, NOW), 6, CollectionStep::Delete, Done);
        change(storage, (1, NOW), 7, add(games([0]), 3), Full);
        assert_eq!(storage.prune_collections(2).unwrap(), 2);
        // Four deleted games are left, so there is room for two.
        change(storage, (1, NOW), 7, add(games(0..3), 3), partly_added(&[], &[2]));
        // A limit that was lowered.
        change(storage, (1, NOW), 7, add(games([0, 5]), 1), Full);
        change(storage, (1, NOW), 7, add(games([0]), 1), added(&[0]));
        // None at all.
        make(storage, 2, 8, Done);
        change(storage, (2, NOW), 8, add(games([1]), 0), Full);
    });
}

#[test]
fn games_are_read_page_by_page_and_by_their_players() {
    every_storage(|storage| {
        sign_up(storage, &[1]);
        make(storage, 1, 5, Done);
        let names =
            [["Ann", "Bob"], ["Бобров Юрий", "50%_!"], ["Zoë", "ÅSA Lind"], ["Cid", "ann b"]];
        let batch = (0..).zip(names).map(|(number, names)| game(number, names)).collect();
        change(storage, (1, NOW), 5, add(batch, GAMES_MAX), added(&[]));
        let read = |after, max| numbers(&page(storage, 5, after, None, max));
        assert_eq!(read(0, 4), (vec![1, 2, 3, 4], None));
        assert_eq!(read(0, 3), (vec![1, 2, 3], Some(3)));
        assert_eq!(read(3, 3), (vec![4], None));
        assert_eq!(read(4, 3), (vec![], None));
        let cases: [(&str, &[u64]); 9] = [
            ("ann", &[1, 4]),
            ("ANN B", &[4]),
            ("бобров", &[2]),
            ("0%_!", &[2]),
            ("%", &[2]),
            ("_", &[2]),
            ("åsa", &[3]),
            ("nobody", &[]),
            ("", &[1, 2, 3, 4]),
        ];
        for (player, expected) in cases {
            let found = numbers(&page(storage, 5, 0, Some(player), 9));
            assert_eq!(found, (expected.to_vec(), None), "{player}");
        }
        // A search ends after so many games, whatever it has found.
        let searched = u64::try_from(COLLECTED_GAMES_SEARCHED_MAX).unwrap();
        let mut more = games(4..=searched);
        more.push(game(searched + 1, ["Eve", "Fay"]));
        change(storage, (1, NOW), 5, add(more, GAMES_MAX), added(&[]));
        let first = page(storage, 5, 0, Some("eve"), 9);
        assert_eq!(numbers(&first), (vec![], Some(searched)));
        let next = page(storage, 5, searched, Some("eve"), 9);
        assert_eq!(numbers(&next), (vec![searched + 2], None));
        let some = page(storage, 5, 0, Some("ann"), 2);
        assert_eq!(numbers(&some), (vec![1, 4], Some(4)));
    });
}

#[test]
fn collections_go_with_their_account_step_by_step() {
    every_storage(|storage| {
        sign_up(storage, &[1, 2]);
        for who in [1, 2] {
            make(storage, who, who, Done);
            change(storage, (who, NOW), who, add(games(0..5), 9), added(&[]));
        }
        let delete = accounts::change(1, NOW, AccountStep::Delete);
        accounts::apply(storage, &delete, AccountChanged::Done);
        // Others no longer see it; its owner may come back.
        assert_eq!(storage.reader().unwrap().collection(&id(1)).unwrap(), None);
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept - 1, 99).unwrap();
        assert_eq!(storage.prune_collections(9).unwrap(), 0);
        assert_eq!(list(storage, 1)[0].games, 5);
        storage.prune_accounts(NOW + kept, 99).unwrap();
        assert_eq!(list(storage, 1), []);
        assert_eq!(storage.prune_collections(2).unwrap(), 2);
        assert_eq!(page(storage, 1, 0, None, 9).games.len(), 3);
        // Three games and their collection.
        assert_eq!(storage.prune_collections(9).unwrap(), 4);
        assert_eq!(storage.prune_collections(9).unwrap(), 0);
        assert_eq!(list(storage, 2)[0].games, 5);
    });
}

#[test]
fn two_equal_batches_at_once_store_each_game_once() {
    let Some(server) = Server::start(Durability::None) else { return };
    let mut storage = server.open();
    server.join(false);
    sign_up(&mut storage, &[1]);
    make(&mut storage, 1, 5, Done);
    let batch = || CollectionChange {
        member: member(1),
        at: NOW,
        id: id(5),
        step: add(games(0..200), GAMES_MAX),
    };
    let others: Vec<_> = (0..2)
        .map(|_| {
            let mut storage = server.open();
            let batch = batch();
            thread::spawn(move || storage.change_collection(&batch).unwrap())
        })
        .collect();
    let mut answers: Vec<_> = others
        .into_iter()
        .map(|other| match other.join().unwrap() {
            Added { duplicates, .. } => duplicates.len(),
            Done | Full | Gone | NoGame => panic!("the batch is not added"),
        })
        .collect();
    answers.sort_unstable();
    assert_eq!(answers, [0, 200]);
    assert_eq!(list(&storage, 1)[0].games, 200);
}

#[test]
fn a_repair_mends_what_contradicts_itself() {
    for (damage, problem) in &DAMAGES {
        let fill = |storage: &mut dyn Storage| {
            sign_up(storage, &[6]);
            fill(storage);
            assert_filled(storage);
        };
        repair_damaged(fill, damage, |found, repaired| {
            assert_eq!(found.problems, [*problem]);
            // Games of nobody go.
            let left = if problem.contains("nobody's") { 0 } else { 1 };
            assert_eq!(list(repaired, 6).len(), left);
            let sound: Vec<_> = list(repaired, 6).iter().map(|own| own.games).collect();
            assert_eq!(sound, vec![2; left]);
        });
    }
}

/// Fills a storage in which member 6 has an account.
pub(crate) fn fill(storage: &mut dyn Storage) {
    make(storage, 6, 1, Done);
    change(storage, (6, NOW), 1, add(games([1, 2, 3]), 9), added(&[]));
    change(storage, (6, NOW), 1, CollectionStep::Remove(2), Done);
}

/// Damages of what [`fill`] stores, and what a check says about each.
pub(crate) const DAMAGES: [(&str, &str); 4] = [
    ("UPDATE collection SET games = 7", "1 collections have another number of games than they say"),
    (
        "UPDATE collection SET last_number = 2",
        "1 collections would give the number of a game to another one",
    ),
    ("UPDATE collection SET title = ''", "1 collections have a name that nobody can read"),
    ("UPDATE collection SET member = '00000000000003e7'", "1 collections are nobody's"),
];

/// Checks that a storage has what [`fill`] put there.
pub(crate) fn assert_filled(storage: &dyn Storage) {
    let own = list(storage, 6);
    assert_eq!((own.len(), own[0].name.as_str(), own[0].games), (1, "World cup", 2));
    let stored = page(storage, 1, 0, None, 9);
    assert_eq!(numbers(&stored), (vec![1, 3], None));
    assert_eq!(stored.games[1].game, game(3, ["Ann", "Bob"]).game);
}
