//! The keys of accounts' names, which a newer server makes by another rule than an older one.

use fivefold_shared::protocol::Name;
use fivefold_storage::{
    AccountChanged, AccountStep, DataFolder, Findings, Sqlite, Storage, check, check_postgres,
    name_key,
};

use crate::{
    accounts::{NOW, apply, change, sign_up},
    folders::FILE,
    formats::{make_older, make_postgres_older},
    postgres::{Durability, Server},
    rooms::member,
};

/// Accounts with the keys that servers before format 12 made: four of names that differ in letter case only, and
/// an old name.
fn fill(storage: &mut dyn Storage) {
    let keyed = |number, name: &str, key: &str| {
        let mut up = sign_up(number, None, name);
        if let AccountStep::Make(new) = &mut up.step {
            key.clone_into(&mut new.likeness);
        }
        up
    };
    let rename = |name: &str, key: &str| {
        let name = Name::new(name).unwrap();
        change(4, NOW + 5, AccountStep::Rename { name, likeness: key.to_owned() })
    };
    for up in [
        keyed(1, "Нина", "hинa"),
        keyed(2, "нина", "ʜинa"),
        keyed(3, "НИНА", "hиha"),
        keyed(4, "Νίκος", "víĸoς"),
        keyed(5, "Ann", "ann"),
    ] {
        apply(storage, &up, AccountChanged::Done);
    }
    apply(storage, &rename("Νίκη", "víĸη"), AccountChanged::Done);
}

/// Nothing is lost, and each name in any letter case leads to an account.
fn check_names(storage: &mut dyn Storage, findings: &Findings) {
    let mut reader = storage.reader().unwrap();
    for (typed, number, shown) in [
        ("Нина", 1, "Нина"),
        ("нина", 2, "нина"),
        ("НИНА", 3, "НИНА"),
        ("НИна", 1, "Нина"),
        ("ΝΊΚΗ", 4, "Νίκη"),
        ("ΝΊΚΟΣ", 4, "Νίκη"),
        ("ANN", 5, "Ann"),
    ] {
        let found = reader.account_called(&name_key(&Name::new(typed).unwrap())).unwrap().unwrap();
        assert_eq!((found.member, found.name.as_str()), (member(number), shown), "{typed}");
    }
    for typed in ["нИна", "νίκη", "aNN"] {
        let mut up = sign_up(9, None, typed);
        if let AccountStep::Make(new) = &mut up.step {
            new.likeness = Name::new(typed).unwrap().likeness().as_str().to_owned();
        }
        apply(storage, &up, AccountChanged::NameTaken);
    }
    assert!(findings.is_sound(), "{findings}");
    let told = findings.notes.join("\n");
    assert_eq!(findings.notes.len(), 2, "{told}");
    for name in ["the account нина has a name like Нина", "the account НИНА has a name like Нина"]
    {
        assert!(told.contains(name), "{told}");
    }
    // The others are still apart when the first has another name.
    let name = Name::new("Anna").unwrap();
    let likeness = name.likeness().as_str().to_owned();
    apply(
        storage,
        &change(1, NOW + 9, AccountStep::Rename { name, likeness }),
        AccountChanged::Done,
    );
    let mut up = sign_up(9, None, "НИна");
    if let AccountStep::Make(new) = &mut up.step {
        new.likeness = Name::new("НИна").unwrap().likeness().as_str().to_owned();
    }
    apply(storage, &up, AccountChanged::NameTaken);
}

#[test]
fn a_file_gets_the_new_keys_of_names() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    fill(&mut open());
    make_older(&folder.path().join(FILE), 11);
    let mut storage = open();
    check_names(&mut storage, &check(folder.path()).unwrap());
}

#[test]
fn a_database_gets_the_new_keys_of_names() {
    let Some(server) = Server::start(Durability::None) else { return };
    fill(&mut server.open());
    make_postgres_older(&server, 5);
    let mut storage = server.open();
    check_names(&mut storage, &check_postgres(&server.url()).unwrap());
}
