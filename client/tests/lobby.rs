//! Tests how somebody finds a game, against a scripted server: by lines, over lost connections, and by
//! challenges.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "common/scripted_server.rs"]
mod scripted_server;

use std::future::{Future, pending};

use fivefold::{
    lines::{
        json_output::Json,
        line_interface,
        lobby_lines::{self, LobbyView},
        plain_output::Plain,
    },
    play::{
        exit_reason::ExitReason,
        lobby::{Lobby, LobbyEvent, Search, join},
        table::Table,
    },
    server::connection::{Connection, TableEvent, Visitor},
};
use fivefold_shared::{
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{
        AccountNews, Addressee, CatchUp, ChatText, Command, CommandId, Event, GameId, GameSettings,
        LobbyRequest, MemberId, Message, Name, NumberedEvent, OpenSeek, OwnRoom, Player, Pool,
        PoolName, Reason, Refusal, Request, RoomCode, SeekEnd, SeekId, Snapshot, Visibility,
        Wanted, close,
    },
    room::RoomState,
    rules::{Outcome, Rules, Size, Variant},
    seat::Seat,
};
use futures_util::{SinkExt, StreamExt};
use scripted_server::{Peer, code, listen, me, secret};
use serde_json::json;
use tokio::{net::TcpListener, sync::mpsc};
use tokio_tungstenite::tungstenite::{Bytes, Message as Frame};

fn pool_name() -> PoolName {
    PoolName::try_from("gomoku-5-3").unwrap()
}

/// A rated game is found.
fn paired(seek: Option<SeekId>, room: RoomCode, seat: Seat) -> Message {
    Message::Paired { seek, room, seat, rated: Some(true) }
}

fn settings() -> GameSettings {
    GameSettings {
        rules: Rules::new(Variant::Standard, Size::square(15)).unwrap(),
        time: "5+3".parse().unwrap(),
        opening: OpeningKind::Swap2,
        rated: false,
    }
}

fn pools() -> Vec<Pool> {
    let free = GameSettings {
        rules: Rules::new(Variant::Freestyle, Size::square(15)).unwrap(),
        time: TimeControl::None,
        opening: OpeningKind::Free,
        rated: false,
    };
    let pool = |name: &str, settings, waiting, games, wait_ms| Pool {
        name: PoolName::try_from(name).unwrap(),
        settings,
        waiting,
        games,
        wait_ms,
    };
    vec![pool("gomoku-5-3", settings(), 0, 4, Some(12_400)), pool("free", free, 1, 0, None)]
}

fn seek_id(letter: char) -> SeekId {
    SeekId::try_from(letter.to_string().repeat(12)).unwrap()
}

/// A game that somebody offers.
fn offer(letter: char, name: &str) -> OpenSeek {
    OpenSeek {
        seek: seek_id(letter),
        member: MemberId::try_from(letter.to_string().repeat(16)).unwrap(),
        name: Name::new(name).unwrap(),
        engine: false,
        settings: settings(),
    }
}

/// The room of a game between Ann, who is `me`, and Bob.
fn snapshot() -> Box<Snapshot> {
    let player = |member, name: &str| Player::Member {
        member,
        name: Name::new(name).unwrap(),
        engine: false,
    };
    let bob = MemberId::try_from("b".repeat(16)).unwrap();
    let GameSettings { rules, time, opening, rated: _ } = settings();
    let events = [
        Event::Created {
            rules,
            visibility: Visibility::Private,
            assistance: false,
            host: me(),
            time,
            opening,
            chat: true,
            paired: true,
            black: Seat::First,
        },
        Event::Sat { seat: Seat::First, player: player(me(), "Ann") },
        Event::Sat { seat: Seat::Second, player: player(bob, "Bob") },
        Event::Started {
            game: 1,
            black: Seat::First,
            id: GameId::try_from("k7m2qpxw9abcdefg").unwrap(),
            rated: false,
            casual: None,
            part: None,
        },
    ];
    let log: Vec<_> =
        (1..).zip(events).map(|(seq, event)| NumberedEvent { seq, at: 0, event }).collect();
    Box::new(RoomState::from_log(&log).unwrap().snapshot())
}

/// What a peer of the lobby reads and answers.
trait InLobby {
    /// Reads `watch_lobby`, and sends the lists.
    async fn list(&mut self, seeks: Vec<OpenSeek>);
    /// Reads a request of the lobby; returns its id.
    async fn asked(&mut self, expected: &LobbyRequest) -> CommandId;
    /// Reads a request of the lobby and does it.
    async fn does(&mut self, expected: &LobbyRequest);
    /// Reads a seek or a challenge and takes it; returns the command's id.
    async fn takes(&mut self, expected: &LobbyRequest, seek: SeekId, waited_ms: u64) -> CommandId;
    /// Says that a game has begun, and lets the client into its room.
    async fn pairs(&mut self, seek: SeekId);
    /// Waits until the client has read all that was sent.
    async fn is_read(&mut self);
}

impl InLobby for Peer {
    async fn list(&mut self, seeks: Vec<OpenSeek>) {
        let id = self.asked(&LobbyRequest::WatchLobby).await;
        self.say(&Message::Lobby { id, pools: pools(), seeks }).await;
    }

    async fn asked(&mut self, expected: &LobbyRequest) -> CommandId {
        let Command { id, request } = self.hear().await;
        assert_eq!(request, Request::Lobby(expected.clone()));
        id
    }

    async fn does(&mut self, expected: &LobbyRequest) {
        let id = self.asked(expected).await;
        self.say(&Message::Done { id, seq: None }).await;
    }

    async fn takes(&mut self, expected: &LobbyRequest, seek: SeekId, waited_ms: u64) -> CommandId {
        let id = self.asked(expected).await;
        self.say(&Message::Seeking { id: id.clone(), seek, waited_ms }).await;
        id
    }

    async fn pairs(&mut self, seek: SeekId) {
        let paired = paired(Some(seek), code(), Seat::First);
        self.say(&paired).await;
        self.does(&LobbyRequest::UnwatchLobby).await;
        self.let_in(CatchUp::Snapshot(snapshot())).await;
    }

    async fn is_read(&mut self) {
        self.0.send(Frame::Ping(Bytes::new())).await.unwrap();
        let answer = self.0.next().await.unwrap().unwrap();
        assert!(matches!(answer, Frame::Pong(_)), "{answer:?}");
    }
}

fn in_pool() -> LobbyRequest {
    LobbyRequest::Seek { wanted: Wanted::Pool(pool_name()), engine: false }
}

fn search() -> Search {
    Search::Seek(Wanted::Pool(pool_name()))
}

/// A server and the lobby of a client there, which sees these games on offer.
async fn entered(seeks: Vec<OpenSeek>) -> (TcpListener, Peer, Lobby) {
    let (listener, address) = listen().await;
    let server = async {
        let mut peer = Peer::accept(&listener).await;
        peer.welcome().await;
        peer.list(seeks).await;
        peer
    };
    let client = async {
        let server = address.parse().unwrap();
        let (connection, welcome) = Connection::open(server, Visitor::default()).await.unwrap();
        Lobby::enter(connection, welcome.you, false).await.unwrap()
    };
    let (peer, lobby) = tokio::join!(server, client);
    (listener, peer, lobby)
}

/// A person who types these lines, one after another, and then reads on.
fn typing(lines: &[&str]) -> (mpsc::Sender<String>, mpsc::Receiver<String>) {
    let (give, input) = mpsc::channel(8);
    for line in lines {
        give.try_send((*line).to_owned()).unwrap();
    }
    (give, input)
}

/// Runs the lobby in plain lines; returns how it ended, and what was printed on both outputs.
async fn run_plain(
    lobby: &mut Lobby,
    typed: &[&str],
    interrupt: impl Future<Output = ()>,
    stays: bool,
) -> (ExitReason, String) {
    let (mut out, mut talk) = (Vec::new(), Vec::new());
    let mut view = Plain::new(&mut out, &mut talk);
    view.entered(lobby, stays).unwrap();
    let (_keyboard, mut input) = typing(typed);
    let reason = lobby_lines::run(lobby, &mut view, &mut input, interrupt, stays).await.unwrap();
    let text = format!("{}--- standard error ---\n{}", text(out), text(talk));
    (reason, text)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn a_seek_leads_to_a_seat() {
    let (_listener, mut peer, mut lobby) = entered(Vec::new()).await;
    let server = async {
        peer.takes(&in_pool(), seek_id('2'), 0).await;
        peer.pairs(seek_id('2')).await;
        peer
    };
    let client = async {
        lobby.begin(search()).unwrap();
        let (reason, text) = run_plain(&mut lobby, &[], pending(), false).await;
        assert_eq!(reason, ExitReason::Paired(code()));
        insta::assert_snapshot!("plain_seek", text);
        lobby.go_to(code()).await.unwrap()
    };
    let (_peer, (table, own)) = tokio::join!(server, client);
    assert_eq!(table.seat(), Some(Seat::First));
    assert_eq!(own.map(|own| own.search), Some(search()), "it may go on");
}

#[tokio::test]
async fn after_a_loss_the_same_seek_is_sought_again() {
    let (listener, mut peer, mut lobby) = entered(Vec::new()).await;
    let server = async {
        let id = peer.takes(&in_pool(), seek_id('2'), 0).await;
        peer.close(close::RESTART, "restarting").await;
        let mut peer = Peer::accept(&listener).await;
        assert_eq!(peer.welcome().await, Some(secret()));
        peer.list(Vec::new()).await;
        let again = peer.takes(&in_pool(), seek_id('2'), 9_000).await;
        assert_eq!(again, id, "the same command");
        peer.pairs(seek_id('2')).await;
        peer
    };
    let client = async {
        lobby.begin(search()).unwrap();
        let (reason, text) = run_plain(&mut lobby, &[], pending(), false).await;
        assert_eq!(reason, ExitReason::Paired(code()));
        assert!(text.contains("Connection lost (restarting)"), "{text}");
        assert!(text.contains("You have waited 0:09."), "{text}");
        lobby.go_to(code()).await.unwrap()
    };
    let _done = tokio::join!(server, client);
}

#[tokio::test]
async fn a_seek_without_an_answer_is_sent_once_by_the_connection() {
    let (listener, mut peer, mut lobby) = entered(Vec::new()).await;
    let server = async {
        let id = peer.asked(&in_pool()).await;
        drop(peer);
        let mut peer = Peer::accept(&listener).await;
        peer.welcome().await;
        assert_eq!(peer.takes(&in_pool(), seek_id('2'), 0).await, id);
        peer.list(Vec::new()).await;
        peer.pairs(seek_id('2')).await;
        peer
    };
    let client = async {
        lobby.begin(search()).unwrap();
        let (reason, _) = run_plain(&mut lobby, &[], pending(), false).await;
        assert_eq!(reason, ExitReason::Paired(code()));
        lobby.go_to(code()).await.unwrap()
    };
    let _done = tokio::join!(server, client);
}

#[tokio::test]
async fn an_interrupt_cancels_the_seek() {
    let (_listener, mut peer, mut lobby) = entered(Vec::new()).await;
    let cancel = LobbyRequest::CancelSeek { seek: seek_id('2') };
    // The server has not even taken the seek yet.
    let server = async {
        peer.takes(&in_pool(), seek_id('2'), 0).await;
        peer.does(&cancel).await;
        peer
    };
    let client = async {
        lobby.begin(search()).unwrap();
        let (reason, _) = run_plain(&mut lobby, &[], async {}, false).await;
        assert_eq!(reason, ExitReason::Interrupted);
        assert_eq!(lobby.leave().await, None);
    };
    tokio::join!(server, client);
}

#[tokio::test]
async fn who_cancels_too_late_learns_of_their_game() {
    for is_stored in [true, false] {
        cancels_too_late(is_stored).await;
    }
}

async fn cancels_too_late(is_stored: bool) {
    let (_listener, mut peer, mut lobby) = entered(Vec::new()).await;
    let server = async {
        peer.takes(&in_pool(), seek_id('2'), 0).await;
        let id = peer.asked(&LobbyRequest::CancelSeek { seek: seek_id('2') }).await;
        let paired = paired(Some(seek_id('2')), code(), Seat::First);
        let done = Message::Done { id, seq: None };
        for message in if is_stored { [paired, done] } else { [done, paired] } {
            peer.say(&message).await;
        }
        peer
    };
    let client = async {
        lobby.begin(search()).unwrap();
        lobby.next().await;
        assert_eq!(lobby.leave().await, Some(code()), "to say so");
    };
    tokio::join!(server, client);
}

#[tokio::test]
async fn a_pool_is_chosen_by_number_or_name_and_changed() {
    let (_listener, mut peer, mut lobby) = entered(vec![offer('c', "Cleo")]).await;
    let free = PoolName::try_from("free").unwrap();
    let in_free = LobbyRequest::Seek { wanted: Wanted::Pool(free), engine: false };
    let (keyboard, mut input) = typing(&["nothing", "2"]);
    let server = async {
        peer.takes(&in_free, seek_id('2'), 0).await;
        let dora = offer('d', "Dora");
        let changed = Message::LobbyChanged {
            pools: vec![Pool { waiting: 2, ..pools().remove(1) }],
            added: vec![dora],
            removed: vec![seek_id('c')],
        };
        peer.say(&changed).await;
        peer.is_read().await;
        keyboard.send("gomoku-5-3".to_owned()).await.unwrap();
        peer.does(&LobbyRequest::CancelSeek { seek: seek_id('2') }).await;
        peer.takes(&in_pool(), seek_id('3'), 0).await;
        peer.is_read().await;
        keyboard.send("list".to_owned()).await.unwrap();
        keyboard.send("cancel".to_owned()).await.unwrap();
        peer.does(&LobbyRequest::CancelSeek { seek: seek_id('3') }).await;
        keyboard.send("/accept dora".to_owned()).await.unwrap();
        let accept = LobbyRequest::AcceptSeek { seek: seek_id('d'), engine: false };
        let id = peer.asked(&accept).await;
        let refusal = Refusal::new(Reason::NoSuchSeek);
        peer.say(&Message::Refused { id: Some(id), refusal }).await;
        peer.is_read().await;
        keyboard.send("leave".to_owned()).await.unwrap();
        peer
    };
    let client = async {
        let (mut out, mut talk) = (Vec::new(), Vec::new());
        let mut view = Plain::new(&mut out, &mut talk);
        view.entered(&lobby, true).unwrap();
        let run = lobby_lines::run(&mut lobby, &mut view, &mut input, pending(), true);
        assert_eq!(run.await.unwrap(), ExitReason::Left);
        format!("{}--- standard error ---\n{}", text(out), text(talk))
    };
    let (_peer, printed) = tokio::join!(server, client);
    insta::assert_snapshot!("plain_choice", printed);
}

#[tokio::test]
async fn without_input_and_without_a_seek_the_lobby_ends() {
    let (_listener, _peer, mut lobby) = entered(Vec::new()).await;
    let mut out = Vec::new();
    let (keyboard, mut input) = typing(&[]);
    drop(keyboard);
    let mut view = Json::new(&mut out);
    let reason = lobby_lines::run(&mut lobby, &mut view, &mut input, pending(), true).await;
    assert_eq!(reason.unwrap(), ExitReason::Left);
}

#[tokio::test]
async fn a_challenge_without_a_game_ends_with_its_reason() {
    let bob = Addressee::Name(Name::new("Bob").unwrap());
    let request = LobbyRequest::Challenge { to: bob.clone(), settings: settings(), engine: false };
    for (why, expected) in [
        (SeekEnd::Declined, "Bob declines."),
        (SeekEnd::Expired, "Bob has not answered."),
        (SeekEnd::Gone, "Bob has left."),
    ] {
        let (_listener, mut peer, mut lobby) = entered(Vec::new()).await;
        let server = async {
            peer.takes(&request, seek_id('2'), 0).await;
            peer.say(&Message::SeekOver { seek: seek_id('2'), why }).await;
            peer
        };
        let client = async {
            lobby.begin(Search::Challenge(bob.clone(), settings())).unwrap();
            run_plain(&mut lobby, &[], pending(), false).await
        };
        let (_peer, (reason, text)) = tokio::join!(server, client);
        assert_eq!(reason, ExitReason::Ended(expected.to_owned()));
        assert!(text.contains("You challenge Bob: standard 15x15, 5 minutes each"), "{text}");
    }
}

#[tokio::test]
async fn a_refused_challenge_ends_with_its_reason() {
    let (_listener, mut peer, mut lobby) = entered(Vec::new()).await;
    let bob = Addressee::Name(Name::new("Bob").unwrap());
    let server = async {
        let id = Some(peer.hear().await.id);
        let refusal = Refusal::new(Reason::NobodyOnline);
        peer.say(&Message::Refused { id, refusal }).await;
        peer
    };
    let client = async {
        lobby.begin(Search::Challenge(bob, settings())).unwrap();
        run_plain(&mut lobby, &[], pending(), false).await.0
    };
    let (_peer, reason) = tokio::join!(server, client);
    assert_eq!(reason, ExitReason::Ended("Nobody of this name is online.".to_owned()));
}

#[tokio::test]
async fn a_challenge_is_answered_while_a_seek_goes_on() {
    let (_listener, mut peer, mut lobby) = entered(Vec::new()).await;
    let (keyboard, mut input) = typing(&[]);
    let challenged = |challenge: OpenSeek| Message::Challenged { challenge, for_ms: 60_000 };
    let server = async {
        peer.takes(&in_pool(), seek_id('2'), 0).await;
        peer.say(&challenged(offer('b', "Bob"))).await;
        peer.say(&challenged(OpenSeek { engine: true, ..offer('e', "Eve") })).await;
        peer.say(&Message::SeekOver { seek: seek_id('e'), why: SeekEnd::Gone }).await;
        peer.is_read().await;
        keyboard.send("/decline Eve".to_owned()).await.unwrap();
        keyboard.send("/accept bob".to_owned()).await.unwrap();
        let accept = LobbyRequest::AcceptSeek { seek: seek_id('b'), engine: false };
        peer.does(&accept).await;
        peer.pairs(seek_id('b')).await;
        peer
    };
    let client = async {
        lobby.begin(search()).unwrap();
        let mut out = Vec::new();
        let mut view = Json::new(&mut out);
        view.entered(&lobby, false).unwrap();
        let run = lobby_lines::run(&mut lobby, &mut view, &mut input, pending(), false);
        assert_eq!(run.await.unwrap(), ExitReason::Paired(code()));
        let port = lobby.server().to_string();
        let (table, own) = lobby.go_to(code()).await.unwrap();
        assert!(own.is_some(), "the seek goes on if Bob does not begin");
        drop(table);
        text(out).replace(&port, "http://SERVER")
    };
    let (_peer, printed) = tokio::join!(server, client);
    insta::assert_snapshot!("json_challenge", printed);
}

/// A table in Ann's and Bob's room, by the way of the lobby.
async fn seated() -> (TcpListener, Peer, Table) {
    let (listener, mut peer, mut lobby) = entered(Vec::new()).await;
    let server = async {
        peer.takes(&in_pool(), seek_id('2'), 0).await;
        peer.pairs(seek_id('2')).await;
        peer
    };
    let client = async {
        lobby.begin(search()).unwrap();
        lobby.next().await;
        lobby.go_to(code()).await.unwrap().0
    };
    let (peer, table) = tokio::join!(server, client);
    (listener, peer, table)
}

#[tokio::test]
async fn a_challenge_in_a_room_leads_to_its_game() {
    let (listener, mut peer, mut table) = seated().await;
    let other = RoomCode::try_from("222222222222").unwrap();
    let (keyboard, mut input) = typing(&[]);
    let server = async {
        let challenge = offer('c', "Cleo");
        peer.say(&Message::Challenged { challenge, for_ms: 60_000 }).await;
        peer.is_read().await;
        keyboard.send("/accept".to_owned()).await.unwrap();
        let accept = LobbyRequest::AcceptSeek { seek: seek_id('c'), engine: false };
        peer.does(&accept).await;
        let seek = Some(seek_id('c'));
        peer.say(&paired(seek, other.clone(), Seat::Second)).await;
        peer.does(&LobbyRequest::Leave { room: code() }).await;
        // Lost before it is in the next room: it does not come back to the first one.
        let asked = peer.hear().await;
        drop(peer);
        let mut peer = Peer::accept(&listener).await;
        peer.welcome().await;
        assert_eq!(peer.hear().await, asked, "the join of the next room");
        assert_eq!(
            asked.request,
            Request::Lobby(LobbyRequest::Join { room: other.clone(), after: None })
        );
        let refusal = Refusal::new(Reason::NoSuchRoom);
        peer.say(&Message::Refused { id: Some(asked.id), refusal }).await;
        peer
    };
    let client = async {
        let (mut out, mut talk) = (Vec::new(), Vec::new());
        let mut view = Plain::new(&mut out, &mut talk);
        let run = line_interface::run(&mut table, &mut view, &mut input, pending());
        assert_eq!(run.await.unwrap(), ExitReason::Paired(other.clone()));
        let connection = table.leave_room().await.unwrap().unwrap();
        assert!(join(connection, me(), other.clone()).await.is_err());
        text(talk)
    };
    let (_peer, talk) = tokio::join!(server, client);
    assert!(talk.contains("Cleo challenges you: standard 15x15, 5 minutes each"), "{talk}");
    assert!(talk.contains("`/accept Cleo` or `/decline Cleo`?"), "{talk}");
    assert!(talk.contains("Your game begins. It is rated."), "{talk}");
    assert!(
        talk.contains("If you are away for 60 s on your turn, Bob may claim the win."),
        "{talk}"
    );
    assert!(talk.contains("To come back: fivefold join"), "{talk}");
}

#[tokio::test]
async fn a_game_that_another_session_found_is_only_named() {
    let (_listener, mut peer, mut table) = seated().await;
    let room = RoomCode::try_from("222222222222").unwrap();
    let paired = paired(None, room.clone(), Seat::First);
    peer.say(&paired).await;
    let event = table.next().await;
    assert_eq!(event, TableEvent::Message(Box::new(paired)));
    assert_eq!(table.way_out(&event), None);
    assert!(table.link_to(&room).unwrap().ends_with("/r/222222222222"));
}

fn news(change: AccountNews, label: &str) -> Message {
    Message::AccountChanged { change, label: label.to_owned(), at: None }
}

/// A friend's challenge that waits, made at a time.
fn waits(label: &str, at: u64) -> Message {
    let (change, label) = (AccountNews::FriendChallenges, label.to_owned());
    Message::AccountChanged { change, label, at: Some(at) }
}

/// An operator tells everybody this, or takes it back.
fn announcement(text: Option<&str>) -> Message {
    let text = text.map(|text| ChatText::new(text).unwrap());
    let until = text.is_some().then_some(1_800_000_000_000);
    Message::Announcement { text, until }
}

#[tokio::test]
async fn the_lobby_tells_of_friends_and_once_of_what_still_holds() {
    let (listener, address) = listen().await;
    let server = async {
        let mut peer = Peer::accept(&listener).await;
        peer.welcome().await;
        // Before the answer to the first question, and again after the next welcome.
        peer.say(&waits("Cleo", 1_000)).await;
        peer.say(&announcement(Some("Back at noon"))).await;
        peer.list(Vec::new()).await;
        peer.takes(&in_pool(), seek_id('2'), 0).await;
        // Fred takes the challenge back, and challenges again: at once, and while the connection is lost.
        peer.say(&waits("Fred", 1_000)).await;
        peer.say(&waits("Fred", 1_001)).await;
        peer.close(close::RESTART, "restarting").await;
        let mut peer = Peer::accept(&listener).await;
        peer.welcome().await;
        peer.say(&waits("Cleo", 1_000)).await;
        peer.say(&waits("Fred", 1_002)).await;
        peer.say(&announcement(Some("Back at noon"))).await;
        peer.list(Vec::new()).await;
        peer.takes(&in_pool(), seek_id('2'), 9_000).await;
        peer.say(&announcement(None)).await;
        peer.say(&news(AccountNews::FriendAsks, "Dora")).await;
        peer.say(&news(AccountNews::ChallengeAccepted, "Eve")).await;
        peer.pairs(seek_id('2')).await;
        peer
    };
    let client = async {
        let server = address.parse().unwrap();
        let (connection, welcome) = Connection::open(server, Visitor::default()).await.unwrap();
        let mut lobby = Lobby::enter(connection, welcome.you, false).await.unwrap();
        lobby.begin(search()).unwrap();
        let (reason, text) = run_plain(&mut lobby, &[], pending(), false).await;
        assert_eq!(reason, ExitReason::Paired(code()));
        let (table, _) = lobby.go_to(code()).await.unwrap();
        drop(table);
        text
    };
    let (_peer, text) = tokio::join!(server, client);
    for told in [
        "Cleo challenges you to a daily game. To accept: `fivefold answer Cleo`\n",
        "Dora wants to be your friend. To accept: `fivefold friend Dora`\n",
        "Eve has accepted your challenge. `fivefold games` lists the game.\n",
        "An operator announces: Back at noon\n",
        "The operator's announcement is over.\n",
    ] {
        assert_eq!(text.matches(told).count(), 1, "{text}");
    }
    assert_eq!(text.matches("Fred challenges you to a daily game.").count(), 3, "{text}");
}

#[tokio::test]
async fn a_room_tells_of_friends_and_what_operators_announce() {
    let (_listener, mut peer, mut table) = seated().await;
    let added = json!({"type": "account_changed", "change": "friend_added", "label": "Dora"});
    let told =
        json!({"type": "announcement", "text": "Back at noon", "until": 1_800_000_000_000_u64});
    let cases = [
        (news(AccountNews::FriendAdded, "Dora"), "Dora is your friend now.\n", added),
        (announcement(Some("Back at noon")), "An operator announces: Back at noon\n", told),
        (
            announcement(None),
            "The operator's announcement is over.\n",
            json!({"type": "announcement"}),
        ),
    ];
    for (message, sentence, line) in cases {
        peer.say(&message).await;
        let event = table.next().await;
        let (mut out, mut talk, mut json) = (Vec::new(), Vec::new(), Vec::new());
        let mut plain = Plain::new(&mut out, &mut talk);
        line_interface::View::event(&mut plain, &table, &event).unwrap();
        line_interface::View::event(&mut Json::new(&mut json), &table, &event).unwrap();
        assert_eq!(text(talk), sentence);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text(json)).unwrap(), line);
    }
}

/// A daily game in the room with this code.
fn daily(room: &str, your_turn: bool) -> OwnRoom {
    let ann = json!({"member": "1111111111111111", "name": "Ann"});
    let bob = json!({"member": "bbbbbbbbbbbbbbbb", "name": "Bob"});
    let room = json!({
        "room": room, "rules": {"variant": "freestyle", "size": [15, 15]}, "assistance": false,
        "time": {"type": "daily", "move_ms": 86_400_000}, "seats": {"first": ann, "second": bob},
        "black": "first", "to_act": if your_turn { "first" } else { "second" },
        "due": 1_800_000_000_000_u64, "phase": "running", "ply": 4, "spectators": 0,
        "visibility": "private", "seat": "first", "your_turn": your_turn, "host": true,
    });
    serde_json::from_value(room).unwrap()
}

#[tokio::test]
async fn the_next_game_follows_this_one_in_the_list_and_wraps_around() {
    type Waiting<'a> = &'a [(&'a str, bool)];
    const HERE: &str = "k7m2qpxw9abc";
    const OTHERS: [&str; 2] = ["222222222222", "333333333333"];
    let (_listener, _peer, table) = seated().await;
    let next = |rooms: &[(&str, bool)]| {
        let rooms: Vec<_> = rooms.iter().map(|(room, waits)| daily(room, *waits)).collect();
        table.next_game(&rooms).map(|room| room.to_string())
    };
    let [one, other] = OTHERS;
    let cases: [(Waiting<'_>, Option<&str>); 8] = [
        (&[(HERE, true), (one, true), (other, true)], Some(one)),
        (&[(one, true), (HERE, true), (other, true)], Some(other)),
        (&[(one, true), (other, true), (HERE, true)], Some(one)),
        // After a move here, or if the room is closed.
        (&[(one, true), (other, true), (HERE, false)], Some(one)),
        (&[(one, true), (other, true)], Some(one)),
        (&[(one, true), (HERE, true), (other, false)], Some(one)),
        (&[(HERE, true), (one, false)], None),
        (&[], None),
    ];
    for (rooms, expected) in cases {
        assert_eq!(next(rooms).as_deref(), expected, "{rooms:?}");
    }
}

fn aborted(by: Seat) -> Message {
    let event = Event::Ended { outcome: Outcome::Aborted { by: Some(by) }, rated: false };
    Message::Event { room: code(), event: NumberedEvent { seq: 5, at: 0, event } }
}

#[tokio::test]
async fn after_an_opponent_who_does_not_begin_the_same_seek_goes_on() {
    let (_listener, mut peer, mut lobby) = entered(Vec::new()).await;
    let server = async {
        let id = peer.takes(&in_pool(), seek_id('2'), 0).await;
        peer.pairs(seek_id('2')).await;
        peer.say(&aborted(Seat::Second)).await;
        peer.does(&LobbyRequest::Leave { room: code() }).await;
        peer.list(Vec::new()).await;
        assert_eq!(peer.takes(&in_pool(), seek_id('2'), 21_000).await, id, "the same command");
        peer
    };
    let client = async {
        lobby.begin(search()).unwrap();
        run_plain(&mut lobby, &[], pending(), false).await;
        let (mut table, own) = lobby.go_to(code()).await.unwrap();
        let (mut out, mut talk) = (Vec::new(), Vec::new());
        let mut view = Plain::new(&mut out, &mut talk);
        let (_keyboard, mut input) = typing(&[]);
        let run = line_interface::run(&mut table, &mut view, &mut input, pending());
        assert_eq!(run.await.unwrap(), ExitReason::Aborted);
        assert!(text(out).contains("aborted by Bob (White)"));
        let connection = table.leave_room().await.unwrap().unwrap();
        let mut lobby = Lobby::enter_again(connection, me(), false, own.unwrap()).await.unwrap();
        let event = lobby.next().await;
        assert_eq!(event, LobbyEvent::Seeking { seek: seek_id('2'), waited_ms: 21_000 });
    };
    tokio::join!(server, client);
}

#[tokio::test]
async fn who_aborts_does_not_seek_on() {
    let (_listener, mut peer, mut table) = seated().await;
    peer.say(&aborted(Seat::First)).await;
    let event = table.next().await;
    assert_eq!(event, TableEvent::Message(Box::new(aborted(Seat::First))));
    assert_eq!(table.way_out(&event), None);
}
