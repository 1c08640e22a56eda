//! Damages databases beside the storage, and expects that a check finds it: in files, and in PostgreSQL.

use std::fmt::Display;

use fivefold_server::storage::{
    DataFolder, Findings, Sqlite, Storage, check, check_postgres, repair,
};

use crate::postgres::{Durability, Server};

/// Fills a database for each damage, which is SQL, and expects that a check of it reports a problem with
/// this part, and that a repair of a file mends it.
pub(crate) fn every_check_finds(fill: impl Fn(&mut dyn Storage), damages: &[(impl Display, &str)]) {
    for (damage, problem) in damages {
        let folder = tempfile::tempdir().unwrap();
        let mut storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
        fill(&mut storage);
        drop(storage);
        assert!(check(folder.path()).unwrap().is_sound());
        let file = rusqlite::Connection::open(folder.path().join("fivefold.sqlite3")).unwrap();
        file.execute_batch(&damage.to_string()).unwrap();
        drop(file);
        assert_found(&check(folder.path()).unwrap(), damage, problem);
        let repaired = repair(folder.path()).unwrap();
        assert!(repaired.findings.is_sound(), "{damage}: {repaired}");
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

fn assert_found(findings: &Findings, damage: &impl Display, problem: &str) {
    let found = findings.problems.iter().any(|one| one.contains(problem));
    assert!(found, "{damage}: {findings}");
}
