//! `/api/position`: judges a position by the rules and reads game files, for pages, which know
//! neither rules nor formats. It does not know rooms.

use std::sync::Arc;

use axum::{
    Json,
    body::Bytes,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{
    notation,
    protocol::Judged,
    rules::{Point, Rules, moves_of_one_game},
};
use serde::Deserialize;

use super::{
    questions::{no_result, read},
    refusals::{Refused, unreadable_game},
};
use crate::server::Server;

/// A position and the rules to judge it by.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Fields")]
struct Question {
    rules: Rules,
    given: Given,
}

/// The moves as given.
#[derive(Debug)]
enum Given {
    Moves(Vec<Point>),
    /// A game in any supported format. Its own rules apply, if it names them.
    Text(String),
}

/// The request as JSON. Its lists are bounded while they are parsed.
#[derive(Deserialize)]
struct Fields {
    rules: Rules,
    moves: Option<Moves>,
    text: Option<String>,
}

#[derive(Deserialize)]
struct Moves(#[serde(deserialize_with = "moves_of_one_game")] Vec<Point>);

impl TryFrom<Fields> for Question {
    type Error = String;

    fn try_from(Fields { rules, moves, text }: Fields) -> Result<Self, String> {
        let most = rules.size().plies_max();
        match (moves, text) {
            (Some(Moves(moves)), None) if moves.len() > most => {
                Err(format!("more moves than a game on this board can have, which is {most}"))
            }
            (Some(Moves(moves)), None) => Ok(Self { rules, given: Given::Moves(moves) }),
            (None, Some(text)) => Ok(Self { rules, given: Given::Text(text) }),
            (None, None) | (Some(_), Some(_)) => Err("say `moves` or `text`, and not both".into()),
        }
    }
}

/// Plays the moves as far as they are legal, and reports the position reached.
pub(super) async fn judge(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let judging = server.jobs.run(move || match judged(&headers, &body) {
        Ok(judged) => ([(header::CACHE_CONTROL, "no-store")], Json(judged)).into_response(),
        Err(refused) => refused.into_response(),
    });
    judging.await.unwrap_or_else(|why| no_result(&server, why))
}

fn judged(headers: &HeaderMap, body: &[u8]) -> Result<Judged, Refused> {
    let Question { rules, given } = read(headers, body)?;
    match given {
        Given::Moves(moves) => Ok(Judged::of(rules, moves)),
        Given::Text(text) => {
            let game = notation::read(&text, rules).map_err(|error| unreadable_game(&error))?;
            Ok(Judged::of(game.rules, game.points()))
        }
    }
}
