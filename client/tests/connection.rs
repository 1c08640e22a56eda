//! Tests the connection against a scripted server: what it resends after a loss, and when it gives
//! up.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "common/scripted_server.rs"]
mod scripted_server;

use std::time::Duration;

use fivefold::{
    lines::{json_output::Json, line_interface::View, plain_output::Plain},
    play::table::{Table, TableEvent},
    server::{
        backoff::WAIT_MIN,
        connection::{Connection, ConnectionError, Visitor},
    },
};
use fivefold_shared::{
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{
        CatchUp, Command, Event, GameId, LobbyRequest, MemberId, Message, Name, NumberedEvent,
        Player, Reason, Refusal, Request, RoomRequest, Snapshot, Visibility, close,
    },
    room::RoomState,
    rules::{Outcome, Point, Rules},
    seat::Seat,
};
use futures_util::StreamExt;
use tokio::{
    net::TcpListener,
    time::{Instant, timeout},
};
use tokio_tungstenite::tungstenite::Message as Frame;

use scripted_server::{Peer, code, listen, me, secret};

/// The log of a game of tic-tac-toe between `me`, who is Black, and another player.
fn log() -> Vec<NumberedEvent> {
    let player = |member| Player::Member { member, name: Name::new("Ann").unwrap(), engine: false };
    let other = MemberId::try_from("2".repeat(16)).unwrap();
    let played =
        |ply, x, y| Event::Played { ply, point: Point::new(x, y), assisted: false, time: None };
    let events = [
        Event::Created {
            opening: OpeningKind::Free,
            rules: Rules::TIC_TAC_TOE,
            visibility: Visibility::Private,
            assistance: false,
            host: me(),
            time: TimeControl::None,
            chat: true,
            paired: false,
            black: Seat::First,
        },
        Event::Sat { seat: Seat::First, player: player(me()) },
        Event::Sat { seat: Seat::Second, player: player(other) },
        Event::Started {
            game: 1,
            black: Seat::First,
            id: GameId::try_from("k7m2qpxw9abcdefg").unwrap(),
            rated: false,
            casual: None,
            part: None,
        },
        played(0, 1, 1),
        played(1, 0, 0),
        played(2, 2, 2),
    ];
    (1..).zip(events).map(|(seq, event)| NumberedEvent { seq, at: 0, event }).collect()
}

fn snapshot(events: usize) -> Box<Snapshot> {
    Box::new(RoomState::from_log(&log()[..events]).unwrap().snapshot())
}

fn news(index: usize) -> Message {
    Message::Event { room: code(), event: log()[index].clone() }
}

/// Listens, and returns the table of a client that has joined; `events` are in its snapshot.
async fn seated(events: usize) -> (TcpListener, Peer, Table) {
    let (listener, address) = listen().await;
    let (peer, table) = enter(&listener, &address, events).await;
    (listener, peer, table)
}

/// As [`seated`], at the first of two addresses of one server.
async fn seated_at_two() -> ([TcpListener; 2], Peer, Table) {
    let ((one, first), (other, second)) = (listen().await, listen().await);
    let (peer, table) = enter(&one, &format!("{first},{second}"), 4).await;
    ([one, other], peer, table)
}

/// Connects a client to these addresses, and lets it in at the listener.
async fn enter(listener: &TcpListener, servers: &str, events: usize) -> (Peer, Table) {
    let server = servers.parse().unwrap();
    let greeting = async {
        let mut peer = Peer::accept(listener).await;
        assert_eq!(peer.welcome().await, None);
        assert_eq!(peer.let_in(CatchUp::Snapshot(snapshot(events))).await, None);
        peer
    };
    let joining = async {
        let (mut connection, welcome) = Connection::open(server, Visitor::default()).await.unwrap();
        let join = LobbyRequest::Join { room: code(), after: None };
        let joined = connection.ask(join).await.unwrap();
        Table::remote(connection, welcome.you, joined).unwrap()
    };
    tokio::join!(greeting, joining)
}

/// The table's next event in short: its kind, and the room's last event number.
async fn next(table: &mut Table) -> (&'static str, u64) {
    let what = match table.next().await {
        TableEvent::Message(message) => match *message {
            Message::Event { .. } => "event",
            Message::Done { .. } => "done",
            Message::Snapshot { .. } => "snapshot",
            other => panic!("not in the script: {other:?}"),
        },
        TableEvent::Lost { .. } => "lost",
        TableEvent::Restored { .. } => "restored",
        TableEvent::Back => "back",
        TableEvent::BotFailed => "bot failed",
        TableEvent::AboutPerson { .. } => "about person",
        TableEvent::Ended { .. } => "ended",
    };
    (what, table.room().seq)
}

#[tokio::test]
async fn a_lost_command_is_said_again_and_missed_events_come_in_order() {
    let (listener, mut peer, mut table) = seated(4).await;
    peer.say(&news(4)).await;
    assert_eq!(next(&mut table).await, ("event", 5));

    let id = table.send(RoomRequest::Play { ply: 2, point: Point::new(2, 2) });
    let said = peer.hear().await;
    assert_eq!(said.id, id);
    drop(peer);

    let server = async {
        let mut peer = Peer::accept(&listener).await;
        assert_eq!(peer.welcome().await, Some(secret()), "the identity that it was given");
        // The server repeats the last event, which shows that its log is the same.
        let missed = CatchUp::Events(log()[4..=5].to_vec());
        assert_eq!(peer.let_in(missed).await, Some(4));
        assert_eq!(peer.hear().await, said, "the same command with the same id");
        peer.say(&news(6)).await;
        peer.say(&Message::Done { id, seq: Some(7) }).await;
        peer
    };
    let client = async {
        let mut seen = Vec::new();
        for _ in 0..5 {
            seen.push(next(&mut table).await);
        }
        seen
    };
    let (_peer, seen) = tokio::join!(server, client);
    assert_eq!(seen, [("lost", 5), ("event", 6), ("back", 6), ("event", 7), ("done", 7)]);
    assert!(table.plays(Seat::First) && !table.is_my_turn());
}

#[tokio::test]
async fn another_event_in_place_of_a_known_one_means_that_the_server_was_restored() {
    let (listener, mut peer, mut table) = seated(4).await;
    for index in [4, 5, 6] {
        peer.say(&news(index)).await;
        assert_eq!(next(&mut table).await, ("event", index as u64 + 1));
    }
    drop(peer);
    let server = async {
        let mut peer = Peer::accept(&listener).await;
        assert_eq!(peer.welcome().await, Some(secret()));
        // Others have played on from the backup, up to the same number.
        let other = NumberedEvent { at: 9, ..log()[6].clone() };
        assert_eq!(peer.let_in(CatchUp::Events(vec![other])).await, Some(6));
        assert_eq!(peer.let_in(CatchUp::Snapshot(snapshot(5))).await, None);
        peer
    };
    let client = async {
        assert_eq!(next(&mut table).await.0, "lost");
        let moves = table.room().game.as_ref().unwrap().position.ply();
        let restored = table.next().await;
        let kept = table.room().game.as_ref().unwrap().position.ply();
        assert_eq!(restored, TableEvent::Restored { moves: moves - kept });
        assert_eq!(next(&mut table).await, ("snapshot", 5));
        assert_eq!(next(&mut table).await.0, "back");
    };
    let (_peer, ()) = tokio::join!(server, client);
}

#[tokio::test]
async fn where_an_event_is_missing_the_whole_room_is_asked_for() {
    let (_listener, mut peer, mut table) = seated(4).await;
    let server = async {
        peer.say(&news(5)).await;
        peer.say(&news(6)).await;
        assert_eq!(peer.let_in(CatchUp::Snapshot(snapshot(7))).await, None);
        peer
    };
    let client = async { next(&mut table).await };
    let (_peer, seen) = tokio::join!(server, client);
    assert_eq!(seen, ("snapshot", 7));
}

#[tokio::test]
async fn events_that_are_known_are_passed_over() {
    let (_listener, mut peer, mut table) = seated(5).await;
    for index in [3, 4, 5] {
        peer.say(&news(index)).await;
    }
    assert_eq!(next(&mut table).await, ("event", 6));
}

#[tokio::test]
async fn it_stays_away_after_a_code_that_says_so() {
    let (listener, peer, mut table) = seated(4).await;
    let (event, ()) = tokio::join!(table.next(), peer.close(close::VERSION, "version\u{1b}[2J"));
    assert_eq!(event, TableEvent::Ended { reason: "version [2J".into() });
    drop(listener);
}

#[tokio::test]
async fn it_gives_up_when_the_room_is_no_more() {
    let (listener, peer, mut table) = seated(4).await;
    let server = async {
        peer.close(close::RESTART, "restarting").await;
        let mut peer = Peer::accept(&listener).await;
        peer.welcome().await;
        let id = peer.hear().await.id;
        let refusal = Refusal::new(Reason::NoSuchRoom);
        peer.say(&Message::Refused { id: Some(id), refusal }).await;
        peer
    };
    let client = async { [next(&mut table).await.0, next(&mut table).await.0] };
    let (_peer, seen) = tokio::join!(server, client);
    assert_eq!(seen, ["lost", "ended"]);
}

/// Accepts the client at a listener, and lets it in again.
async fn let_back(listener: &TcpListener) -> Peer {
    let mut peer = Peer::accept(listener).await;
    assert_eq!(peer.welcome().await, Some(secret()), "the same identity at each address");
    assert_eq!(peer.let_in(CatchUp::Events(Vec::new())).await, Some(4));
    peer
}

/// The wait until the next try, after which the table is back.
async fn wait_until_back(table: &mut Table) -> Duration {
    let TableEvent::Lost { retry_in, .. } = table.next().await else { panic!("lost comes first") };
    assert_eq!(table.next().await, TableEvent::Back);
    retry_in
}

fn address(listener: &TcpListener) -> String {
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn during_a_game_a_silent_server_is_left_without_a_report() {
    let (listener, mut peer, mut table) = seated(4).await;
    let begun = Instant::now();
    let server = async {
        assert!(matches!(peer.0.next().await, Some(Ok(Frame::Ping(_)))));
        assert!((3..5).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
        // The next socket leads to the same node, which takes it and says nothing.
        let silent = listener.accept().await.unwrap();
        let mut back = let_back(&listener).await;
        back.say(&news(4)).await;
        (silent, back)
    };
    let (_sockets, seen) = tokio::join!(server, next(&mut table));
    assert_eq!(seen, ("event", 5), "it came back, and nothing else is reported");
    assert!((6..9).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn during_a_game_a_silence_is_reported_when_no_other_socket_is_answered() {
    let (_listener, _peer, mut table) = seated(4).await;
    let begun = Instant::now();
    assert_eq!(next(&mut table).await.0, "lost");
    assert!((9..12).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn without_a_game_no_ping_is_sent_so_soon() {
    let (_listener, mut peer, table) = seated(3).await;
    assert!(table.room().running().is_none());
    assert!(timeout(Duration::from_secs(5), peer.0.next()).await.is_err());
}

#[tokio::test]
async fn when_a_node_stops_the_next_one_is_tried_at_once_but_not_in_circles() {
    let ([one, other], peer, mut table) = seated_at_two().await;
    assert_eq!(table.link(), Some(format!("{}/r/k7m2qpxw9abc", address(&one))));
    let first = async {
        peer.close(close::RESTART, "restarting").await;
        let_back(&other).await
    };
    let (peer, wait) = tokio::join!(first, wait_until_back(&mut table));
    assert_eq!(wait, Duration::ZERO);
    assert_eq!(table.link(), Some(format!("{}/r/k7m2qpxw9abc", address(&other))));

    let second = async {
        peer.close(close::RESTART, "restarting").await;
        let_back(&one).await
    };
    let (_peer, wait) = tokio::join!(second, wait_until_back(&mut table));
    assert!(wait >= WAIT_MIN, "{wait:?}");
}

#[tokio::test]
async fn after_a_loss_all_addresses_are_tried_beginning_with_the_next() {
    let ([one, other], peer, mut table) = seated_at_two().await;
    let server = async {
        drop(peer);
        // Full for the moment, and then gone.
        let mut full = Peer::accept(&other).await;
        let id = Some(full.hear().await.id);
        full.say(&Message::Refused { id, refusal: Refusal::new(Reason::ServerFull) }).await;
        drop(other);
        let peer = let_back(&one).await;
        drop(peer);
        let_back(&one).await
    };
    let client = async { [wait_until_back(&mut table).await, wait_until_back(&mut table).await] };
    let (_peer, waits) = tokio::join!(server, client);
    assert!(waits.iter().all(|wait| *wait >= WAIT_MIN), "one wait for a round: {waits:?}");
}

#[tokio::test]
async fn the_first_address_that_answers_is_used() {
    let ((gone, dead), (listener, live)) = (listen().await, listen().await);
    drop(gone);
    let (_peer, table) = enter(&listener, &format!("{dead},{live}"), 4).await;
    assert!(table.link().unwrap().starts_with(&address(&listener)));

    drop((listener, table));
    let servers = format!("{dead},{live}").parse().unwrap();
    let error = Connection::open(servers, Visitor::default()).await.err().unwrap().to_string();
    assert!(error.contains(&dead) && error.contains(&live), "{error}");
}

#[tokio::test]
async fn a_question_is_asked_again_at_the_next_address() {
    let ((one, first), (other, second)) = (listen().await, listen().await);
    let servers = format!("{first},{second}").parse().unwrap();
    let server = async {
        let mut peer = Peer::accept(&one).await;
        peer.welcome().await;
        let asked = peer.hear().await;
        peer.close(close::RESTART, "restarting").await;
        let mut peer = Peer::accept(&other).await;
        peer.welcome().await;
        assert_eq!(peer.hear().await, asked, "the same command with the same id");
        peer.say(&Message::Rooms { id: asked.id, rooms: Vec::new(), total: 0 }).await;
        // Now it is lost for good.
        peer.hear().await;
        drop((one, other));
    };
    let client = async {
        let (mut connection, _) = Connection::open(servers, Visitor::default()).await.unwrap();
        let answer = connection.ask(LobbyRequest::Rooms).await;
        (answer.map(|answer| answer.to_json()), connection.ask(LobbyRequest::Rooms).await)
    };
    let ((), (answer, lost)) = tokio::join!(server, client);
    assert!(answer.unwrap().contains(r#""rooms":[]"#));
    assert!(matches!(lost, Err(ConnectionError::Lost(_))), "{lost:?}");
}

#[tokio::test]
async fn a_refusal_of_the_first_hello_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = listener.local_addr().unwrap().to_string().parse().unwrap();
    let refusal = Refusal::new(Reason::Version);
    let refusing = async {
        let mut peer = Peer::accept(&listener).await;
        let id = Some(peer.hear().await.id);
        peer.say(&Message::Refused { id, refusal: refusal.clone() }).await;
        peer
    };
    let (opened, _peer) = tokio::join!(Connection::open(server, Visitor::default()), refusing);
    assert_eq!(opened.err(), Some(ConnectionError::Refused(refusal)));
}

#[tokio::test]
async fn leaving_is_said_to_the_server() {
    let (_listener, mut peer, table) = seated(4).await;
    let server = async {
        let Command { id, request } = peer.hear().await;
        assert_eq!(request, Request::Lobby(LobbyRequest::Leave { room: code() }));
        peer.say(&Message::Done { id, seq: None }).await;
        assert!(matches!(peer.0.next().await, Some(Ok(Frame::Close(_)))));
    };
    tokio::join!(table.leave(), server);
}

#[tokio::test]
async fn a_game_that_does_not_begin_is_described_in_lines() {
    let (_listener, mut peer, mut table) = seated(4).await;
    let events = [
        Event::Nudged { by: Seat::Second, until: 60_000 },
        Event::FirstActDue { seat: Seat::First, until: 35_000 },
        Event::Ended { outcome: Outcome::Aborted { by: Some(Seat::Second) }, rated: false },
    ];
    let (mut out, mut talk, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    let (mut plain, mut json) = (Plain::new(&mut out, &mut talk), Json::new(&mut lines));
    for (seq, event) in (5..).zip(events) {
        let event = NumberedEvent { seq, at: 0, event };
        peer.say(&Message::Event { room: code(), event }).await;
        let event = table.next().await;
        plain.event(&table, &event).unwrap();
        json.event(&table, &event).unwrap();
    }
    let text = |bytes| String::from_utf8(bytes).unwrap();
    assert_eq!(
        text(out),
        "Ann (White) asks whether Ann (Black, you) is still there.\n\
         Ann (Black, you) must begin within 35 s, or the game is aborted.\n\
         No result: the game is aborted by Ann (White).\n"
    );
    assert_eq!(
        text(talk),
        "Still there? Act within 60 s, or your opponent may claim the game.\n\
         `rematch` for another game, `leave` to end.\n"
    );
    assert_eq!(
        text(lines),
        r#"{"type":"nudged","by":"second","until":60000}
{"type":"first_act_due","seat":"first","until":35000}
{"type":"ended","outcome":{"reason":"aborted","by":"second"},"result":"aborted","plies":0,"to_act":null,"your_turn":false}
"#
    );
}

/// Answers the next question for the time; the answer is on its way for so long.
async fn tells_time(peer: &mut Peer, now: impl Fn() -> u64, after: Duration) {
    let Command { id, request: Request::Lobby(LobbyRequest::Ping) } = peer.hear().await else {
        panic!("a ping is due")
    };
    let now = now();
    tokio::time::sleep(after).await;
    peer.say(&Message::Pong { id, now }).await;
}

#[tokio::test]
async fn the_answer_that_came_soonest_sets_the_clock() {
    const TRUE_NOW: u64 = 5_000_000;
    let (listener, address) = listen().await;
    let server = async {
        let mut peer = Peer::accept(&listener).await;
        peer.welcome().await;
        // This was on its way for so long that it is an hour wrong.
        peer.let_in_at(TRUE_NOW - 3_600_000, CatchUp::Snapshot(snapshot(4))).await;
        let since = Instant::now();
        let now = || TRUE_NOW + u64::try_from(since.elapsed().as_millis()).unwrap();
        tells_time(&mut peer, now, Duration::ZERO).await;
        // The time is old when it comes.
        tells_time(&mut peer, now, Duration::from_millis(600)).await;
        peer.say(&news(4)).await;
        (now(), peer)
    };
    let client = async {
        let (mut connection, welcome) =
            Connection::open(address.parse().unwrap(), Visitor::default()).await.unwrap();
        let join = LobbyRequest::Join { room: code(), after: None };
        let joined = connection.ask(join).await.unwrap();
        let mut table = Table::remote(connection, welcome.you, joined).unwrap();
        assert_eq!(next(&mut table).await, ("event", 5));
        table.now()
    };
    let ((server_now, _peer), shown) = tokio::join!(server, client);
    assert!(shown.abs_diff(server_now) < 200, "{shown} instead of {server_now}");
}
