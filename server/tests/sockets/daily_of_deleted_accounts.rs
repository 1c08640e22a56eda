//! What becomes of the daily games and open rooms of somebody whose account was deleted or closed.

use std::time::Duration;

use fivefold_server::{commands::accounts::account, config::AccountTask};
use fivefold_shared::{
    protocol::{Event, GameRatings, Message, Phase, Reason},
    rules::Outcome,
};
use fivefold_storage::{DataFolder, Database, Memory, Sqlite};
use serde_json::json;
use tokio::time::sleep;

use crate::{
    accounts::{ask, socket, typed},
    cluster::two_nodes,
    daily::{only_room, playing},
    friends::{Person, person},
    harness::{TestServer, joined, within},
    moderation::{get, make_operator, post},
    sleeping::{SLEEPY, all_asleep, daily, greet},
};

/// Waits until the only game of somebody is over, and checks that they have won it and the points.
async fn wins(server: &TestServer, winner: &Person, loser: &str) {
    let mut client = socket(server, &winner.cookie).await;
    within(async {
        while only_room(&mut client).await.summary.phase != Phase::Finished {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let room = only_room(&mut client).await.summary.room;
    let games = get(server, "/api/games?own=true", &winner.cookie).await.body;
    let game = &games["games"][0];
    assert_eq!(game["outcome"]["reason"], "resignation", "{loser}: {game}");
    // A room that has just woken has to read them first.
    let has_changes = |ratings: &GameRatings| ratings.players.first.change.is_some();
    match client.ask(json!({"type": "join", "room": room})).await {
        Message::Joined { ratings: Some(ratings), .. } if has_changes(&ratings) => {}
        Message::Joined { .. } => {
            client.ratings(true).await;
        }
        other => panic!("{loser}: {other:?}"),
    }
}

async fn delete(server: &TestServer, who: &Person, name: &str) {
    let deleted = ask(server, "DELETE /api/account", &who.head, &typed(name)).await;
    assert_eq!(deleted.status, 204, "{}", deleted.body);
}

#[tokio::test]
async fn a_deleted_account_resigns_its_game_awake_or_asleep_here_or_at_another_node() {
    for is_asleep in [false, true] {
        let storage = Memory::default();
        let nodes = two_nodes(&storage, SLEEPY).await;
        let ([ann, bob], room) = playing([&nodes[0], &nodes[1]]).await;
        let mut bobs = None;
        if is_asleep {
            for node in &nodes {
                all_asleep(node).await;
            }
        } else {
            let mut client = socket(&nodes[1], &bob.cookie).await;
            client.join(&room).await;
            bobs = Some(client);
        }
        delete(&nodes[1], &ann, "Ann").await;
        // An opponent who is there learns it at once.
        if let Some(mut bobs) = bobs {
            let outcome = loop {
                if let Message::Event { event, .. } = bobs.receive().await
                    && let Event::Ended { outcome, rated: true } = event.event
                {
                    break outcome;
                }
            };
            assert!(matches!(outcome, Outcome::Resignation { .. }), "{outcome:?}");
        }
        wins(&nodes[0], &bob, "Ann").await;
        for node in nodes {
            node.stop().await;
        }
    }
}

#[tokio::test]
async fn a_closed_account_resigns_its_game() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), SLEEPY);
    let ([ann, bob], _) = playing([&server; 2]).await;
    all_asleep(&server).await;
    make_operator(&memory, &server, &bob.cookie).await;
    let path = format!("/api/moderation/people/{}", ann.id);
    let close = json!({"kind": "close", "reason": "Plays for somebody else"});
    assert_eq!(post(&server, &path, &bob.cookie, &close).await.status, 204);
    wins(&server, &bob, "Ann").await;
    server.stop().await;
}

/// The next server finishes what the last one had begun, and what an operator did in between.
#[tokio::test]
async fn a_restart_ends_the_games_of_those_who_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Box::new(Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap());
    let server = TestServer::start_on(open(), SLEEPY);
    let ([_, bob], _) = playing([&server; 2]).await;
    all_asleep(&server).await;
    server.stop().await;

    let delete = AccountTask::Delete { who: "Ann".to_owned() };
    account(Database::Folder(folder.path()), &delete).unwrap();
    let server = TestServer::start_on(open(), SLEEPY);
    wins(&server, &bob, "Ann").await;
    // Nothing is left to do.
    all_asleep(&server).await;
    server.stop().await;
}

/// An open room goes with the account that made it.
#[tokio::test]
async fn open_daily_rooms_of_a_deleted_account_close() {
    let server = TestServer::start(SLEEPY);
    let ann = person(&server, "Ann").await;
    let mut anns = socket(&server, &ann.cookie).await;
    let room = joined(anns.ask(daily("public")).await);
    drop(anns);
    all_asleep(&server).await;
    delete(&server, &ann, "Ann").await;
    let (mut eve, _) = greet(&server, "Eve").await;
    within(async {
        loop {
            match eve.ask(json!({"type": "join", "room": room})).await {
                Message::Refused { refusal, .. } if refusal.reason == Reason::NoSuchRoom => break,
                Message::Refused { .. } | Message::Joined { .. } => {}
                other => panic!("{other:?}"),
            }
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    server.stop().await;
}
