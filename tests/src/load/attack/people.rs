//! Floods that fill one person's screen, or the operators' list: from guests at many addresses.

use std::{
    collections::HashSet,
    net::{Ipv4Addr, SocketAddr},
    time::{Duration, Instant},
};

use futures_util::StreamExt;
use rand::RngExt;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout_at};
use tokio_tungstenite::tungstenite;

use super::tally::Tally;
use crate::{
    Socket, http,
    socket::{connect_from, tell},
};

/// The addresses from which the guests come.
pub(super) const ADDRESSES: usize = 30;

/// The person against whom the floods are.
const VICTIM: &str = "Victim";
/// Challenges that one member may have.
const EACH: usize = 3;
/// The pause after a challenge.
const PAUSE: Duration = Duration::from_millis(10);
/// The time at the end that is left to count.
const LAST: Duration = Duration::from_millis(200);

fn address(number: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 4, u8::try_from(number).unwrap_or(u8::MAX))
}

async fn greet(server: SocketAddr, number: usize, name: &str) -> Option<Socket> {
    let mut socket = connect_from(Some(address(number)), server).await.ok()?;
    tell(&mut socket, &json!({"type": "hello", "id": "h", "protocol": 1, "name": name})).await?;
    socket.next().await?.ok()?;
    Some(socket)
}

async fn next(socket: &mut Socket) -> Option<Value> {
    loop {
        if let tungstenite::Message::Text(text) = socket.next().await?.ok()? {
            return serde_json::from_str(&text).ok();
        }
    }
}

/// Counts the challenges that wait on the victim's screen.
pub(super) async fn be_challenged(
    server: SocketAddr,
    until: Instant,
    tally: &mut Tally,
) -> Option<()> {
    let mut socket = greet(server, 0, VICTIM).await?;
    let (mut waiting, mut most) = (HashSet::new(), 0);
    while let Ok(message) = timeout_at((until - LAST).into(), next(&mut socket)).await {
        let message = message?;
        let seek = message["seek"].as_str().unwrap_or_default().to_owned();
        match message["type"].as_str() {
            Some("challenged") => drop(waiting.insert(seek)),
            Some("seek_over") => drop(waiting.remove(&seek)),
            _ => {}
        }
        most = most.max(waiting.len());
    }
    tally.note("waiting for the victim at most", most as u64);
    sleep(until.saturating_duration_since(Instant::now())).await;
    Some(())
}

/// One guest challenges the victim as often as possible.
pub(super) async fn challenge(server: SocketAddr, number: usize, tally: &mut Tally) -> Option<()> {
    let mut socket = greet(server, number, "Eve").await?;
    for count in 0_usize.. {
        let challenge = json!({"type": "challenge", "id": format!("c{count}"), "name": VICTIM,
            "settings": {"rules": {"variant": "caro"}}});
        tell(&mut socket, &challenge).await?;
        let answer = loop {
            let answer = next(&mut socket).await?;
            if answer["id"] == challenge["id"] {
                break answer;
            }
        };
        tally.note(answer["reason"].as_str().unwrap_or("challenges"), 1);
        if count + 1 >= EACH {
            sleep(PAUSE).await;
        }
    }
    Some(())
}

fn about() -> String {
    json!({"about": "0123456789abcdef", "name": VICTIM, "kind": "chat", "text": "Insults"})
        .to_string()
}

/// One guest, who is invented for it, reports the victim.
pub(super) async fn report(server: SocketAddr, number: usize, tally: &mut Tally) -> Option<()> {
    let identity: String = {
        let mut random = rand::rng();
        (0..64).map(|_| format!("{:x}", random.random_range(0..16))).collect()
    };
    let guest = format!("Authorization: Bearer {identity}");
    let answer =
        http::post(address(number), server, "/api/reports", &guest, &about()).await.ok()?;
    tally.note(format!("report {}", answer.get(9..12)?), 1);
    Some(())
}

/// Somebody with an account reports the victim when the flood has filled what it can.
pub(super) async fn report_at_the_end(
    server: SocketAddr,
    until: Instant,
    tally: &mut Tally,
) -> Option<()> {
    let name = format!("Honest{}", rand::rng().random_range(0..1_000_000));
    let sign_up = json!({"name": name, "password": "correct horse battery"}).to_string();
    let no_header = "Accept: application/json";
    let answer = http::post(address(0), server, "/api/account", no_header, &sign_up).await.ok()?;
    let cookie = answer.lines().find_map(|line| {
        let (header, value) = line.split_once(": ")?;
        let value = value.split(';').next()?;
        header.eq_ignore_ascii_case("set-cookie").then(|| format!("Cookie: {value}"))
    });
    let late = until - 5 * LAST;
    sleep(late.saturating_duration_since(Instant::now())).await;
    let answer = http::post(address(0), server, "/api/reports", &cookie?, &about()).await.ok()?;
    tally.note(format!("report of an account {}", answer.get(9..12)?), 1);
    sleep(until.saturating_duration_since(Instant::now())).await;
    Some(())
}
