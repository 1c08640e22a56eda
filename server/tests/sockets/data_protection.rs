//! What people and operators do about stored data: exports, and the deletion of accounts and guests.

use fivefold_server::{
    commands::{
        accounts::{AccountError, account, recover},
        moderation::moderate,
    },
    config::{AccountTask, Moderate},
};
use fivefold_shared::{
    protocol::{MemberId, Message, Player, Reason, close},
    seat::Seat,
};
use fivefold_storage::{
    AccountChange, AccountStep, DataFolder, Database, IdentityHash, Memory, RecoverError, Sqlite,
    Storage,
};
use serde_json::{Value, json};

use crate::{
    accounts::{PASSWORD, ask, bearer, greet, sign_up, socket, typed, with},
    harness::{Client, LIMITS, TestServer, within},
};

#[tokio::test]
async fn operators_export_and_delete_an_account_that_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let server = TestServer::start_on(Box::new(storage), LIMITS);
    let database = || Database::Folder(folder.path());
    let (cookie, _) = sign_up(&server, "Rude").await;
    let mut rude = socket(&server, &cookie).await;
    let reason = "Insults".to_owned();
    let who = || "rude".to_owned();
    let mute = Moderate::Mute { who: who(), reason: reason.clone(), days: Some(3) };
    moderate(database(), &mute, None).unwrap();
    let note = Moderate::Note { who: who(), reason: "Wrote to us".to_owned() };
    moderate(database(), &note, None).unwrap();
    let sanction = loop {
        if let Message::Sanction { sanction, .. } = rude.receive().await {
            break sanction;
        }
    };
    let appeal = json!({"sanction": sanction, "text": "It was a joke"});
    assert_eq!(ask(&server, "POST /api/appeals", &with(&cookie), &appeal).await.status, 204);
    // The member's own export has both, and no notes.
    let own = ask(&server, "GET /api/account/export", &with(&cookie), &Value::Null).await.body;
    let sanctions = own["sanctions"].as_array().unwrap();
    assert_eq!(sanctions.len(), 1, "{own}");
    assert_eq!(
        (&sanctions[0]["reason"], &sanctions[0]["appeal"]),
        (&json!("Insults"), &appeal["text"])
    );

    let close = Moderate::Close { who: who(), reason, days: None };
    moderate(database(), &close, None).unwrap();
    assert_eq!(rude.closed().await.0, close::IDENTITY_REPLACED);
    let export = account(database(), &AccountTask::Export { who: who() }).unwrap();
    assert!(!export.contains("argon2"), "no secrets");
    let export: Value = serde_json::from_str(&export).unwrap();
    assert_eq!(export["account"]["name"], "Rude");
    assert_eq!(export["sanctions"].as_array().unwrap().len(), 3);
    let id = export["account"]["id"].as_str().unwrap().to_owned();
    let done = account(database(), &AccountTask::Delete { who: id.clone() }).unwrap();
    assert!(done.starts_with("The account of Rude is deleted; "), "{done}");
    let again = account(database(), &AccountTask::Delete { who: id }).unwrap_err();
    assert!(matches!(again, AccountError::Deleted(_)), "{again}");
    let export = account(database(), &AccountTask::Export { who: who() }).unwrap();
    assert!(export.contains("\"deleted_at\""), "{export}");
    let nobody = account(database(), &AccountTask::Delete { who: "Nobody".to_owned() });
    assert!(matches!(nobody, Err(AccountError::Nobody)), "{nobody:?}");
    let refused = recover(database(), "Rude").unwrap_err();
    assert!(matches!(refused, RecoverError::Deleted { .. }), "{refused}");
    assert!(refused.to_string().contains("by signing in"), "{refused}");
    server.stop().await;
}

#[tokio::test]
async fn an_account_that_is_deleted_by_command_loses_its_sockets_and_can_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let server = TestServer::start_on(Box::new(storage), LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let mut ann = socket(&server, &cookie).await;
    let delete = AccountTask::Delete { who: "Ann".to_owned() };
    account(Database::Folder(folder.path()), &delete).unwrap();
    assert_eq!(ann.closed().await.0, close::IDENTITY_REPLACED);
    let gone = ask(&server, "GET /api/account", &with(&cookie), &Value::Null).await;
    gone.assert(401, "signed_out");
    assert_eq!(ask(&server, "POST /api/session", &[], &typed("Ann")).await.status, 200);
    assert_eq!(recover(Database::Folder(folder.path()), "Ann").unwrap().len(), 16);
    server.stop().await;
}

#[tokio::test]
async fn the_list_of_rooms_shows_no_name_that_an_account_has_no_more() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let mut ann = socket(&server, &cookie).await;
    let (mut bob, _, _) = greet(&server, "Bob").await;
    let room = ann.create(json!(["me", "open"])).await;
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    ann.ask(json!({"type": "resign", "room": room})).await;
    ann.ask(json!({"type": "leave", "room": room})).await;
    assert_eq!(played(&mut bob, "rooms").await, ["Ann", "Bob"]);
    let renamed = ask(&server, "POST /api/account/name", &with(&cookie), &typed("Anna")).await;
    assert_eq!(renamed.status, 200);
    // The list may be that of a moment ago.
    within(async { while played(&mut bob, "rooms").await != ["Anna", "Bob"] {} }).await;
    assert_eq!(played(&mut bob, "own_rooms").await, ["Anna", "Bob"]);

    let delete = json!({"password": PASSWORD});
    let deleted = ask(&server, "DELETE /api/account", &with(&cookie), &delete).await;
    assert_eq!(deleted.status, 204);
    memory.clone().prune_accounts(u64::MAX / 4, 9).unwrap();
    let deleted = ["Deleted player", "Bob"];
    within(async { while played(&mut bob, "rooms").await != deleted {} }).await;
    server.stop().await;
}

/// Who played in the first room of a list.
async fn played(client: &mut Client, list: &str) -> [String; 2] {
    let room = match client.ask(json!({"type": list})).await {
        Message::Rooms { mut rooms, .. } => rooms.remove(0),
        Message::OwnRooms { mut rooms, .. } => rooms.remove(0).summary,
        other => panic!("{other:?}"),
    };
    let players = room.players.unwrap();
    Seat::BOTH.map(|seat| match &players[seat] {
        Player::Member { name, .. } => name.to_string(),
        Player::Bot { .. } => panic!("two people played"),
    })
}

#[test]
fn an_account_that_is_removed_gets_no_recovery_code() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let member = MemberId::try_from("0123456789abcdef".to_owned()).unwrap();
    let change = |step| AccountChange { member: member.clone(), at: 1_000, step };
    let new = new_account();
    storage.change_account(&change(AccountStep::Make(Box::new(new)))).unwrap();
    storage.change_account(&change(AccountStep::Delete)).unwrap();
    drop(storage);
    let refused = recover(Database::Folder(folder.path()), "Ann").unwrap_err();
    assert!(matches!(refused, RecoverError::Removed(_)), "{refused}");
    assert!(refused.to_string().contains("1970-01-01, for good"), "{refused}");
}

fn new_account() -> fivefold_storage::NewAccount {
    use fivefold_storage::{AccountSession, KeyHash, NewAccount, PasswordHash};
    let session = AccountSession {
        hash: KeyHash([1; 32]),
        label: String::new(),
        made_at: 1,
        seen_at: 1,
        expires_at: 2,
        proved_at: 1,
    };
    let name = fivefold_shared::protocol::Name::new("Ann").unwrap();
    NewAccount {
        guest: None,
        locked: IdentityHash([1; 32]),
        likeness: name.likeness().as_str().to_owned(),
        name,
        password: Some(PasswordHash("none".to_owned())),
        passkey: None,
        codes: Vec::new(),
        session,
    }
}

#[tokio::test]
async fn guests_delete_themselves() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let (mut ann, id, identity) = greet(&server, "Ann").await;
    ann.create(json!(["me", "open"])).await;
    let head = [bearer(&identity)];
    let block = json!({"member": "0123456789abcdef", "name": "Bob", "kind": "block"});
    assert_eq!(ask(&server, "POST /api/blocks", &head, &block).await.status, 204);
    ask(&server, "DELETE /api/guest", &[], &Value::Null).await.assert(401, "signed_out");
    // Another page cannot do it.
    let foreign = [head[0].clone(), "Origin: https://elsewhere.example".to_owned()];
    ask(&server, "DELETE /api/guest", &foreign, &Value::Null).await.assert(403, "foreign_page");
    assert_eq!(ask(&server, "DELETE /api/guest", &head, &Value::Null).await.status, 204);
    assert_eq!(ann.closed().await.0, close::IDENTITY_REPLACED);
    let mut again = server.connect().await;
    let hello = json!({"type": "hello", "protocol": 1, "identity": identity});
    assert_eq!(again.refused(hello).await, Reason::IdentityReplaced);
    let twice = ask(&server, "DELETE /api/guest", &head, &Value::Null).await;
    twice.assert(403, "identity_replaced");
    let member = MemberId::try_from(id).unwrap();
    let mut reader = memory.reader().unwrap();
    let known = reader.member(&member, IdentityHash([0; 32])).unwrap().unwrap();
    assert_eq!(known.name.as_str(), "Deleted player");
    assert_eq!(reader.block_lists(&member).unwrap().own, []);
    // Somebody who never took a seat, and an account, which is deleted otherwise.
    let (_, _, unknown) = greet(&server, "Eve").await;
    let head = [bearer(&unknown)];
    assert_eq!(ask(&server, "DELETE /api/guest", &head, &Value::Null).await.status, 204);
    let (cookie, _) = sign_up(&server, "Cid").await;
    let by_cookie = ask(&server, "DELETE /api/guest", &with(&cookie), &Value::Null).await;
    by_cookie.assert(401, "signed_out");
    server.stop().await;
}
