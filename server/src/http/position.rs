//! What the rules say of any position, and what game a text holds: for pages, which know neither
//! rules nor formats. Rooms are unknown here.

use axum::{
    Json,
    extract::rejection::JsonRejection,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{
    notation,
    rules::{Judged, Point, Rules},
};
use serde::Deserialize;

/// A position, and by which rules it is to be judged.
#[derive(Debug, Deserialize)]
pub(super) struct Question {
    rules: Rules,
    #[serde(flatten)]
    given: Given,
}

/// How the moves are told.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Given {
    Moves(Vec<Point>),
    /// A game in any of the formats that are read. Its own rules count, where it names them.
    Text(String),
}

/// Plays the moves as far as they can be, and tells what holds there. The length of the body
/// bounds the work.
pub(super) async fn judge(question: Result<Json<Question>, JsonRejection>) -> Response {
    let Question { rules, given } = match question {
        Ok(Json(question)) => question,
        Err(error) => return error.into_response(),
    };
    let judged = match given {
        Given::Moves(moves) => Judged::of(rules, moves),
        Given::Text(text) => match notation::read(&text, rules) {
            Ok(game) => Judged::of(game.rules, game.points()),
            Err(error) => return (StatusCode::BAD_REQUEST, format!("{error}\n")).into_response(),
        },
    };
    ([(header::CACHE_CONTROL, "no-store")], Json(judged)).into_response()
}
