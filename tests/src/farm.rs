//! Two accounts of one person collect rating points: one of them resigns each game, and both ask for the
//! next one at once.
//!
//! It does not know what the server does about it.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Instant,
};

use fivefold_shared::{
    protocol::{Event, RoomCode, RoomRequest},
    room::limits::ROOM_EVENTS_MAX,
    seat::Seat,
};
use rand::{SeedableRng, rngs::StdRng};
use serde_json::Value;
use tokio::time::timeout_at;

use crate::{Guest, http::get, opening_games::random_request};

/// The pool in which they play.
const POOL: &str = "gomoku-5-3";

/// The events after which they leave a room: another game might not fit.
const ROOM_FULL: u64 = ROOM_EVENTS_MAX - 1_000;

/// How they play.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Makes the names of the two accounts their own.
    pub name: &'static str,
    /// From where they come.
    pub sources: [Ipv4Addr; 2],
    /// Acts before one resigns: the opening, and stones.
    pub acts: usize,
}

/// What they got.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Farmed {
    /// Games.
    pub games: usize,
    /// Of these, how many counted.
    pub counted: usize,
    /// Points that the winner got with the first game.
    pub first: i64,
    /// Points that the winner got with all games.
    pub points: i64,
}

/// Plays until a time.
///
/// # Panics
/// When the server answers otherwise than it should.
pub async fn farm(address: SocketAddr, plan: Plan, until: Instant) -> Farmed {
    let mut random = StdRng::seed_from_u64(1);
    let farmer = format!("{}farmer", plan.name);
    let mut winner = Guest::sign_up(plan.sources[0], address, &farmer).await;
    let mut loser = Guest::sign_up(plan.sources[1], address, &format!("{}mule", plan.name)).await;
    let mut farmed = Farmed::default();
    let (mut room, mut seat) = paired(&mut winner, &mut loser).await;
    while Instant::now() < until {
        if winner.seen(&room).room.running().is_none() {
            let next = timeout_at(until.into(), paired(&mut winner, &mut loser)).await;
            let Ok(next) = next else { break };
            (room, seat) = next;
        }
        for _ in 0..plan.acts {
            let state = &winner.seen(&room).room;
            // By chance a random game may end by itself.
            let Some(to_act) = state.to_act() else { break };
            let request = random_request(state, &mut random);
            let player = if to_act == seat { &mut winner } else { &mut loser };
            player.done(&room, request).await;
            let seq = winner.seen(&room).room.seq.max(loser.seen(&room).room.seq);
            winner.until(&room, |seen| seen.room.seq >= seq).await;
            loser.until(&room, |seen| seen.room.seq >= seq).await;
        }
        if loser.seen(&room).room.running().is_some() {
            loser.done(&room, RoomRequest::Resign).await;
        }
        let ended = winner.until(&room, |seen| seen.room.running().is_none()).await;
        let counts = ended.events.iter().rev().find_map(|event| match event.event {
            Event::Ended { rated, .. } => Some(rated),
            _ => None,
        });
        farmed.games += 1;
        farmed.counted += usize::from(counts == Some(true));
        if farmed.games == 1 {
            farmed.first = points(address, &farmer).await;
        }
        if winner.seen(&room).room.seq > ROOM_FULL {
            continue;
        }
        winner.done(&room, RoomRequest::Rematch).await;
        loser.done(&room, RoomRequest::Rematch).await;
        for player in [&mut winner, &mut loser] {
            player.until(&room, |seen| seen.room.running().is_some()).await;
        }
    }
    farmed.points = points(address, &farmer).await;
    farmed
}

/// Has the pool pair the two. Returns the room, and the winner's seat in it.
async fn paired(winner: &mut Guest, loser: &mut Guest) -> (RoomCode, Seat) {
    winner.seek(POOL).await;
    loser.seek(POOL).await;
    let (room, seat) = winner.paired().await;
    loser.paired().await;
    (room, seat)
}

/// How many points a player has gained.
async fn points(address: SocketAddr, name: &str) -> i64 {
    let answer = get(address, &format!("/api/player/{name}")).await.expect("a profile");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    let profile: Value = serde_json::from_str(body).expect("JSON");
    profile["ratings"][0]["rating"].as_i64().map_or(0, |rating| rating - 1_500)
}
