//! Attacks at full rate, from one address or from thirty, to measure what other people notice. Each one slowed,
//! filled or bloated an earlier server.

mod people;
mod tally;

use std::{
    net::{Ipv4Addr, SocketAddr},
    num::NonZero,
    thread::available_parallelism,
    time::{Duration, Instant},
};

use fivefold_shared::protocol::RoomCode;
use futures_util::{StreamExt, future::join_all};
use rand::RngExt;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    task::spawn_blocking,
    time::{sleep, timeout_at},
};
use tokio_tungstenite::tungstenite::{self, Bytes};

pub use self::tally::Tally;
use crate::{
    Socket,
    socket::{connect_from, tell},
    tcp::tcp_from,
};

/// The attacker's address.
pub const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// The attacker's wait after a refusal.
const AGAIN: Duration = Duration::from_millis(10);

/// An attack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attack {
    /// Game files whose compressed points expand to millions.
    Files,
    /// A thousand rooms in which two strong bots play.
    Bots,
    /// Expensive HTTP requests: far points, analyses, lists of games.
    Questions,
    /// Sessions that join a room with a long game again and again, and read nothing.
    Snapshots,
    /// Pings, pongs and empty message fragments.
    Frames,
    /// Guests at 30 addresses who challenge one person.
    Challenges,
    /// Invented guests at 30 addresses who report one person, and an account's report after that.
    Reports,
    /// No attack: uses every processor and sends nothing, as any busy neighbour would.
    Spin,
}

impl Attack {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Files,
        Self::Bots,
        Self::Questions,
        Self::Snapshots,
        Self::Frames,
        Self::Challenges,
        Self::Reports,
        Self::Spin,
    ];

    /// Its name, in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Bots => "bots",
            Self::Questions => "questions",
            Self::Snapshots => "snapshots",
            Self::Frames => "frames",
            Self::Challenges => "challenges",
            Self::Reports => "reports",
            Self::Spin => "spin",
        }
    }

    /// The attack with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|attack| attack.name() == name)
    }
}

/// Attacks a server until the time is up. `room` has a long game.
pub async fn run(attack: Attack, server: SocketAddr, room: &RoomCode, until: Instant) -> Tally {
    let attackers = match attack {
        Attack::Files => 4,
        Attack::Bots => 10,
        Attack::Questions => 16,
        Attack::Snapshots => 60,
        Attack::Frames => 8,
        Attack::Challenges | Attack::Reports => 1 + people::ADDRESSES,
        Attack::Spin => available_parallelism().map_or(1, NonZero::get),
    };
    let attacker = |number: usize| async move {
        let mut tally = Tally::default();
        while Instant::now() < until {
            let once = once(attack, number, server, room, until, &mut tally);
            // Stop when the time is up; otherwise retry, whatever the server did.
            match timeout_at(until.into(), once).await {
                Ok(Some(())) | Err(_) => {}
                Ok(None) => tally.note("cut off", 1),
            }
            sleep(AGAIN).await;
        }
        tally
    };
    let mut all = Tally::default();
    for tally in join_all((0..attackers).map(attacker)).await {
        all.add(tally);
    }
    all
}

/// One try of one attacker; `None` when the server ended it.
async fn once(
    attack: Attack,
    number: usize,
    server: SocketAddr,
    room: &RoomCode,
    until: Instant,
    tally: &mut Tally,
) -> Option<()> {
    match attack {
        Attack::Files => ask(server, "/api/position", &bomb(), tally).await,
        Attack::Questions => {
            let (path, question) = match number % 3 {
                0 => ("/api/position", far_points()),
                1 => ("/api/analyse", analysis()),
                _ => ("/api/games", Value::Null),
            };
            ask(server, path, &question, tally).await
        }
        Attack::Bots => make_rooms(server, tally).await,
        Attack::Snapshots => join_and_read_nothing(server, room, until, tally).await,
        Attack::Frames => flood(server, number, until, tally).await,
        Attack::Challenges if number == 0 => people::be_challenged(server, until, tally).await,
        Attack::Challenges => people::challenge(server, number, tally).await,
        Attack::Reports if number == 0 => people::report_at_the_end(server, until, tally).await,
        Attack::Reports => people::report(server, number, tally).await,
        Attack::Spin => spawn_blocking(move || while Instant::now() < until {}).await.ok(),
    }
}

/// 6,900 rectangles of 2,704 points each.
fn bomb() -> Value {
    let text = format!("(;SZ[52]AB{})", "[aa:ZZ]".repeat(6_900));
    json!({"rules": {"variant": "freestyle", "size": [15, 15]}, "text": text})
}

fn far_points() -> Value {
    let mut random = rand::rng();
    let mut point = || [random.random_range(-500_000..500_000), random.random_range(0..900_000)];
    let moves: Vec<[i32; 2]> = (0..3_990).map(|_| point()).collect();
    json!({"rules": {"variant": "freestyle", "size": "unbounded"}, "moves": moves})
}

fn analysis() -> Value {
    json!({"rules": {"variant": "freestyle", "size": [15, 15]}, "moves": [[7, 7]], "lines": 10})
}

/// An HTTP request with its whole answer.
async fn ask(server: SocketAddr, path: &str, body: &Value, tally: &mut Tally) -> Option<()> {
    let mut stream = tcp_from(Some(ATTACKER), server).await.ok()?;
    let (method, body) = match body {
        Value::Null => ("GET", String::new()),
        body => ("POST", body.to_string()),
    };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: attack\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    // A server that answers before it has read everything may end the connection.
    let sent = stream.write_all((head + &body).as_bytes()).await;
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer).await;
    let status = String::from_utf8_lossy(answer.get(9..12)?).into_owned();
    tally.note(status, 1);
    sent.and(read).ok().map(|_| ())
}

async fn greet(server: SocketAddr) -> Option<Socket> {
    let mut socket = connect_from(Some(ATTACKER), server).await.ok()?;
    tell(&mut socket, &json!({"type": "hello", "id": "h", "protocol": 1})).await?;
    socket.next().await?.ok()?;
    Some(socket)
}

/// Creates as many rooms with two bots as one session may have, one after the other.
async fn make_rooms(server: SocketAddr, tally: &mut Tally) -> Option<()> {
    let mut socket = greet(server).await?;
    let bot = json!({"bot": {"kind": "engine", "level": 10}});
    for number in 0..100 {
        let create = json!({
            "type": "create", "id": format!("c{number}"), "visibility": "private",
            "rules": {"variant": "freestyle", "size": 15}, "colour": "black",
            "seats": [bot, bot],
        });
        tell(&mut socket, &create).await?;
        loop {
            let tungstenite::Message::Text(text) = socket.next().await?.ok()? else { continue };
            let answer: Value = serde_json::from_str(&text).ok()?;
            if answer["id"] != create["id"] {
                continue;
            }
            if answer["type"] == "refused" {
                tally.note(answer["reason"].as_str()?, 1);
                return Some(());
            }
            tally.note("rooms", 1);
            break;
        }
    }
    Some(())
}

/// Requests the whole game again and again, until the server closes the connection.
async fn join_and_read_nothing(
    server: SocketAddr,
    room: &RoomCode,
    until: Instant,
    tally: &mut Tally,
) -> Option<()> {
    let mut socket = greet(server).await?;
    for number in 0..59 {
        let join = json!({"type": "join", "id": format!("j{number}"), "room": room});
        tell(&mut socket, &join).await?;
    }
    tally.note("joins", 59);
    // Leave the messages unread for a while.
    let rest = until.saturating_duration_since(Instant::now());
    sleep(rest.min(Duration::from_secs(2))).await;
    Some(())
}

/// Thousands of frames at once, for as long as the server accepts them.
async fn flood(server: SocketAddr, number: usize, until: Instant, tally: &mut Tally) -> Option<()> {
    const FRAMES: usize = 2_000;
    let socket = greet(server).await?;
    // Masked and empty: a ping, a pong, or a fragment of an endless message.
    let (first, next) = match number % 3 {
        0 => (0x89, 0x89),
        1 => (0x8a, 0x8a),
        _ => (0x01, 0x00),
    };
    let frame = |kind| [kind, 0x80, 0, 0, 0, 0];
    let frames = Bytes::from(frame(next).repeat(FRAMES));
    let mut stream = socket.into_inner();
    stream.write_all(&frame(first)).await.ok()?;
    let mut answers = [0; 4_096];
    while Instant::now() < until {
        stream.write_all(&frames).await.ok()?;
        tally.note("frames", FRAMES as u64);
        // Read pongs, so that the server judges only the flood.
        while stream.try_read(&mut answers).is_ok_and(|read| read > 0) {}
    }
    Some(())
}
