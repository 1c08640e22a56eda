//! Time off from daily games: its player's clocks stand still in all of them, and the opponents see it.

use std::time::Duration;

use fivefold_server::{config::Config, process::clock::Clock};
use fivefold_shared::{
    clock::{DAY_MS, TIME_OFF_AHEAD_MAX_MS, TimeOff},
    protocol::{CatchUp, Event, MemberId, Message, OwnRoom, RoomCode},
    seat::Seat,
};
use fivefold_storage::{
    AccountChange, AccountChanged, AccountStep, DataFolder, Memory, Sqlite, Storage, TimeOffStep,
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    accounts::{Answer, ask, socket},
    cluster::two_nodes,
    daily::{accepted, only_room, playing, rated},
    friends::{Person, befriend, person},
    harness::{Client, LIMITS, TestServer, config, within},
    moderation::get,
    sleeping::{SLEEPY, all_asleep},
};

/// 2026-11-21.
const NOVEMBER: u64 = 1_795_230_000_000;

async fn take(server: &TestServer, who: &Person, body: &Value) -> Answer {
    ask(server, "POST /api/time-off", &who.head, body).await
}

async fn end(server: &TestServer, who: &Person) -> Value {
    let answer = ask(server, "DELETE /api/time-off", &who.head, &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

fn period(body: &Value) -> TimeOff {
    serde_json::from_value(body["period"].clone()).unwrap()
}

/// The time off of both seats, as somebody sees it who enters the room.
async fn seen(client: &mut Client, room: &RoomCode) -> Vec<TimeOff> {
    let answer = client.ask(json!({"type": "join", "room": room})).await;
    let Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } = answer else {
        panic!("{answer:?}")
    };
    client.ask(json!({"type": "leave", "room": room})).await;
    let clock = snapshot.game.unwrap().clock.unwrap();
    Seat::BOTH.into_iter().filter_map(|seat| clock.off(seat)).collect()
}

/// The only room of somebody, and when the time for its turn ends. A room that has just woken does not say so yet.
async fn with_due(client: &mut Client) -> (OwnRoom, u64) {
    loop {
        let room = only_room(client).await;
        if let Some(due) = room.summary.due {
            return (room, due);
        }
        sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until the room knows just this time off.
async fn until_seen(client: &mut Client, room: &RoomCode, off: TimeOff) {
    within(async {
        while seen(client, room).await != [off] {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

/// The next time off that somebody in a room learns of.
async fn learned(client: &mut Client) -> TimeOff {
    loop {
        if let Message::Event { event, .. } = client.receive().await
            && let Event::TimeOff { off, .. } = event.event
        {
            return off;
        }
    }
}

#[tokio::test]
async fn an_account_has_one_period_at_a_time_and_30_days_a_year() {
    let clock = Clock::starting_at(NOVEMBER);
    let config = Config { clock, ..config(LIMITS) };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let ann = person(&server, "Ann").await;
    for what in ["GET", "POST", "DELETE"] {
        let body = if what == "POST" { json!({"days": 1}) } else { Value::Null };
        ask(&server, &format!("{what} /api/time-off"), &[], &body).await.assert(401, "signed_out");
    }
    let none = json!({"days_left": 30, "days_left_next_year": 30});
    assert_eq!(get(&server, "/api/time-off", &ann.cookie).await.body, none);
    let far = NOVEMBER + TIME_OFF_AHEAD_MAX_MS + DAY_MS;
    for wrong in [json!({"days": 0}), json!({"days": 61}), json!({"days": 1, "from": far})] {
        take(&server, &ann, &wrong).await.assert(400, "malformed");
    }
    let refused = take(&server, &ann, &json!({"days": 31})).await;
    refused.assert(409, "too_few_days_off");
    assert_eq!(refused.body["most"], 30);

    // Planned, and taken back.
    let from = NOVEMBER + 5 * DAY_MS;
    let planned = take(&server, &ann, &json!({"days": 30, "from": from})).await.body;
    assert_eq!(period(&planned), TimeOff::of_days(from, 30));
    assert_eq!(planned["days_left"], 0);
    take(&server, &ann, &json!({"days": 1})).await.assert(409, "time_off_open");
    assert_eq!(end(&server, &ann).await, none);
    assert_eq!(end(&server, &ann).await, none);

    // What is past is now. It ends early, but not on its first day.
    let runs = take(&server, &ann, &json!({"days": 3, "from": 5})).await.body;
    let off = period(&runs);
    assert!(off.from >= NOVEMBER && off.until == off.from + 3 * DAY_MS, "{off:?}");
    let ended = end(&server, &ann).await;
    assert_eq!(period(&ended), TimeOff { until: off.from + DAY_MS, ..off });
    assert_eq!(ended["days_left"], 29);

    // Ten attempts a day.
    for _ in 0..3 {
        take(&server, &ann, &json!({"days": 1})).await.assert(409, "time_off_open");
    }
    take(&server, &ann, &json!({"days": 1})).await.assert(429, "too_many_tries");
    let export = get(&server, "/api/account/export", &ann.cookie).await.body;
    assert_eq!(export["time_off"], json!([ended["period"]]));
    server.stop().await;
}

#[tokio::test]
async fn opponents_see_time_off_in_each_game_awake_or_asleep_at_any_node() {
    for is_asleep in [false, true] {
        let storage = Memory::default();
        let nodes = two_nodes(&storage, SLEEPY).await;
        let ([ann, bob], room) = playing([&nodes[0], &nodes[1]]).await;
        let mut bobs = socket(&nodes[1], &bob.cookie).await;
        let mut anns = socket(&nodes[0], &ann.cookie).await;
        let (_, before) = with_due(&mut anns).await;
        if is_asleep {
            for node in &nodes {
                all_asleep(node).await;
            }
        } else {
            bobs.join(&room).await;
        }
        let taken = take(&nodes[0], &ann, &json!({"days": 3})).await.body;
        let off = period(&taken);
        if is_asleep {
            until_seen(&mut bobs, &room, off).await;
        } else {
            assert_eq!(learned(&mut bobs).await, off);
        }
        // The time that the lists show follows, if it is her turn.
        let (after, due) = with_due(&mut anns).await;
        assert_eq!(due - before, if after.your_turn { 3 * DAY_MS } else { 0 });
        let ended = period(&end(&nodes[1], &ann).await);
        assert_eq!(ended, TimeOff { until: off.from + DAY_MS, ..off });
        if is_asleep {
            until_seen(&mut bobs, &room, ended).await;
        } else {
            assert_eq!(learned(&mut bobs).await, ended);
        }
        for node in nodes {
            node.stop().await;
        }
    }
}

#[tokio::test]
async fn a_game_that_begins_later_knows_the_time_off() {
    let server = TestServer::start(SLEEPY);
    let [ann, bob] = [person(&server, "Ann").await, person(&server, "Bob").await];
    befriend(&server, &ann, &bob).await;
    let off = period(&take(&server, &ann, &json!({"days": 2})).await.body);
    let room = accepted([&server; 2], [&ann, &bob], &rated()).await;
    let mut bobs = socket(&server, &bob.cookie).await;
    until_seen(&mut bobs, &room, off).await;
    drop(bobs);
    // Nothing is left to do.
    all_asleep(&server).await;
    server.stop().await;
}

/// The server ended when the period was stored, and before it told the rooms.
#[tokio::test]
async fn a_restart_tells_the_rooms() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Box::new(Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap());
    let server = TestServer::start_on(open(), SLEEPY);
    let ([ann, bob], room) = playing([&server; 2]).await;
    all_asleep(&server).await;
    server.stop().await;

    let member = MemberId::try_from(ann.id.clone()).unwrap();
    let at = Clock::of_system().now();
    let off = TimeOff::of_days(at, 2);
    let step = AccountStep::TimeOff(TimeOffStep::Begin(off));
    let changed = open().change_account(&AccountChange { member, at, step }).unwrap();
    assert_eq!(changed, AccountChanged::Done);
    let server = TestServer::start_on(open(), SLEEPY);
    let mut bobs = socket(&server, &bob.cookie).await;
    until_seen(&mut bobs, &room, off).await;
    drop(bobs);
    all_asleep(&server).await;
    server.stop().await;
}
