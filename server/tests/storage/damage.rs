//! Damages databases beside the storage, and expects that a check finds it: in files, and in PostgreSQL.

use std::fmt::Display;

use fivefold_shared::seat::Seat;
use fivefold_storage::{DataFolder, Findings, Sqlite, Storage, check, check_postgres, repair};

use crate::{
    postgres::{Durability, Server},
    rooms::{member, rated, won_by},
};

/// Fills a database for each damage, which is SQL, and expects that a check of it reports a problem with
/// this part, and that a repair of a file mends it.
pub(crate) fn every_check_finds(fill: impl Fn(&mut dyn Storage), damages: &[(impl Display, &str)]) {
    for (damage, problem) in damages {
        repair_damaged(&fill, damage, |found, _| assert_found(found, damage, problem));
    }
    let Some(server) = Server::start(Durability::None) else { return };
    for (damage, problem) in damages {
        let mut storage = server.empty();
        server.join(false);
        fill(&mut storage);
        assert!(check_postgres(&server.url()).unwrap().is_sound());
        server.execute(&format!("SET search_path = fivefold; {damage}"));
        assert_found(&check_postgres(&server.url()).unwrap(), damage, problem);
    }
}

/// Fills a file, damages it with this SQL, and repairs it. Hands over what a check of the damage says, and the storage
/// after the repair.
pub(crate) fn repair_damaged(
    fill: impl Fn(&mut dyn Storage),
    damage: &impl Display,
    look: impl FnOnce(&Findings, &Sqlite),
) {
    let folder = tempfile::tempdir().unwrap();
    let open = || Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let mut storage = open();
    fill(&mut storage);
    drop(storage);
    assert!(check(folder.path()).unwrap().is_sound());
    let file = rusqlite::Connection::open(folder.path().join("fivefold.sqlite3")).unwrap();
    file.execute_batch(&damage.to_string()).unwrap();
    drop(file);
    let found = check(folder.path()).unwrap();
    let repaired = repair(folder.path()).unwrap();
    assert!(repaired.findings.is_sound(), "{damage}: {repaired}");
    look(&found, &open());
}

fn assert_found(findings: &Findings, damage: &impl Display, problem: &str) {
    let found = findings.problems.iter().any(|one| one.contains(problem));
    assert!(found, "{damage}: {findings}");
}

#[test]
fn a_damaged_row_keeps_no_other_from_its_list() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    for opponent in [2, 3, 4] {
        let game = rated(opponent, [1, opponent], won_by(Seat::First), opponent);
        assert!(storage.append(&[game]).unwrap()[0].is_ok());
    }
    drop(storage);
    let file = rusqlite::Connection::open(folder.path().join("fivefold.sqlite3")).unwrap();
    let damage = "UPDATE rating_change SET member = 'nobody' WHERE game = (
        SELECT game FROM rating_change ORDER BY at LIMIT 1) AND member <> (
        SELECT member FROM rating_change GROUP BY member ORDER BY count(*) DESC LIMIT 1)";
    assert_eq!(file.execute(damage, ()).unwrap(), 1);
    drop(file);
    let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let met = storage.reader().unwrap().meetings(&member(1), 0).unwrap();
    assert_eq!(met.iter().map(|met| met.at).collect::<Vec<_>>(), [4, 3]);
}
