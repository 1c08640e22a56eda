//! Plays one game on a Fivefold server and prints the result: `play_example http://localhost:8080 [ROOM]`.
//! Without ROOM it creates a room against the engine's lowest level. It uses the token in `FIVEFOLD_TOKEN`, if there
//! is one.
//!
//! It does not reconnect after a lost connection. For `https:`, enable one of the TLS features of tokio-tungstenite.

#![expect(clippy::print_stdout, reason = "it prints the result")]

use std::{env, error::Error};

use fivefold_shared::{
    protocol::{CatchUp, Event, MemberId, Message, VERSION},
    room::RoomState,
    rules::{Point, SIDE_MAX},
};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio_tungstenite::{connect_async, tungstenite};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1).unwrap_or_else(|| "http://localhost:8080".to_owned());
    let (mut socket, _) =
        connect_async(format!("{}/ws", address.replacen("http", "ws", 1))).await?;
    let mut hello = json!({"type": "hello", "id": "hello", "protocol": VERSION});
    match env::var("FIVEFOLD_TOKEN") {
        Ok(token) => hello["token"] = token.into(),
        Err(_) => hello["name"] = "Rust".into(),
    }
    socket.send(text(&hello)).await?;
    let enter = match env::args().nth(2) {
        Some(room) => json!({"type": "join", "id": "enter", "room": room}),
        None => json!({"type": "create", "id": "enter",
            "rules": {"variant": "freestyle", "size": [15, 15]},
            "seats": ["open", {"bot": {"kind": "engine", "level": 1}}]}),
    };
    socket.send(text(&enter)).await?;
    let (mut you, mut state) = (None, None);
    while let Some(frame) = socket.next().await {
        // Ignore messages that this program does not know: a later version may have added them.
        let Ok(message) = Message::from_json(frame?.to_text()?) else { continue };
        match message {
            Message::Welcome { you: id, .. } => you = Some(id),
            Message::Joined { room, catch_up: CatchUp::Snapshot(snapshot), .. } => {
                println!("{address}/r/{room}");
                state = Some(RoomState::from_snapshot(*snapshot)?);
                let sit = json!({"type": "sit_as_engine", "id": "sit", "room": room});
                socket.send(text(&sit)).await?;
            }
            Message::Event { room, event } => {
                let (Some(you), Some(state)) = (&you, &mut state) else { continue };
                state.apply(&event)?;
                match event.event {
                    Event::Started { .. } | Event::Played { .. } | Event::TakenBack { .. } => {
                        let Some(mut play) = next_move(state, you) else { continue };
                        play["id"] = format!("play-{}", event.seq).into();
                        play["room"] = room.as_str().into();
                        socket.send(text(&play)).await?;
                    }
                    Event::Ended { outcome, .. } => {
                        let result = match outcome.winner() {
                            None => "no winner",
                            winner if winner == state.seats.of_member(you) => "won",
                            Some(_) => "lost",
                        };
                        let reason = &json!(outcome)["reason"];
                        println!("{result} {}", reason.as_str().unwrap_or_default());
                        return Ok(());
                    }
                    _ => {}
                }
            }
            Message::Refused { refusal, .. } => return Err(refusal.to_string().into()),
            _ => {}
        }
    }
    Err("the server closed the connection".into())
}

/// A random legal move, if it is our turn.
fn next_move(state: &RoomState, you: &MemberId) -> Option<Value> {
    let position = &state.running()?.position;
    state.to_act().filter(|&seat| state.seats.of_member(you) == Some(seat))?;
    let side = 0..i32::from(SIDE_MAX);
    let all = side.clone().flat_map(|x| side.clone().map(move |y| Point::new(x, y)));
    let legal: Vec<_> = all.filter(|&point| position.legality(point).is_ok()).collect();
    let point = legal[rand::random_range(0..legal.len())];
    Some(json!({"type": "play", "ply": position.ply(), "point": point}))
}

fn text(command: &Value) -> tungstenite::Message {
    tungstenite::Message::text(command.to_string())
}
