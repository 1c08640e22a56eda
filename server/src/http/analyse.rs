//! What the engine thinks of any position, told as it finds it: for a board on which moves are
//! tried. Rooms are unknown here.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Extension, Json,
    body::Body,
    extract::{State, rejection::JsonRejection},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{
    engine::Engine,
    protocol::LineCount,
    rules::{Point, Position, Rules},
};
use futures_util::stream;
use serde::Deserialize;
use tokio::time::{Instant, sleep};

use super::{Caller, too_fast};
use crate::{
    Server,
    limits::REPORT_INTERVAL,
    thinking::{Busy, Owner, Reports, Studying},
};

const NO_STORE: (HeaderName, &str) = (header::CACHE_CONTROL, "no-store");
const LINES_OF_JSON: (HeaderName, &str) = (header::CONTENT_TYPE, "application/x-ndjson");

/// A position, as the moves that led to it.
#[derive(Debug, Deserialize)]
pub(super) struct Question {
    rules: Rules,
    moves: Vec<Point>,
    /// Of how many moves to tell.
    #[serde(default)]
    lines: LineCount,
}

impl Question {
    /// The position, if a move is to be made there and the engine knows its rules.
    fn position(&self) -> Result<Position, String> {
        if !Engine::knows(self.rules.variant()) {
            return Err("The engine does not play by these rules.\n".to_owned());
        }
        let mut position = Position::new(self.rules);
        for (ply, point) in self.moves.iter().enumerate() {
            position.play(*point).map_err(|illegal| format!("Move {}: {illegal}.\n", ply + 1))?;
        }
        if position.outcome().is_some() {
            return Err("The game is over there.\n".to_owned());
        }
        Ok(position)
    }
}

/// Answers with a line of JSON each time that more is known. Who stops reading ends it.
pub(super) async fn analyse(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    question: Result<Json<Question>, JsonRejection>,
) -> Response {
    let question = match question {
        Ok(Json(question)) => question,
        Err(error) => return error.into_response(),
    };
    let position = match question.position() {
        Ok(position) => position,
        Err(text) => return (StatusCode::BAD_REQUEST, text).into_response(),
    };
    let now = Instant::now();
    let address = server.proxies.client(caller.peer, &headers);
    if !server.rates.of(address, now).take_help(now) {
        return too_fast(&server);
    }
    match server.pool.analyse(Owner::of(address), position, question.lines.into()) {
        Ok((studying, reports)) => {
            ([NO_STORE, LINES_OF_JSON], told(studying, reports)).into_response()
        }
        Err(busy) => {
            let status = match busy {
                Busy::Server => StatusCode::SERVICE_UNAVAILABLE,
                Busy::Owner => StatusCode::TOO_MANY_REQUESTS,
            };
            (status, no_study(busy)).into_response()
        }
    }
}

/// Why the engine does not look at anything more, as a sentence.
pub(super) const fn no_study(busy: Busy) -> &'static str {
    match busy {
        Busy::Server => "The engine is busy. Try again in a moment.\n",
        Busy::Owner => {
            "As many analyses as may be are under way for your address. Stop one, or wait for its \
             end.\n"
        }
    }
}

/// The reports, each a line. The study is called off when the body is dropped.
fn told(studying: Studying, reports: Reports) -> Body {
    let begin = (studying, reports, Duration::ZERO);
    Body::from_stream(stream::unfold(begin, |(studying, mut reports, rest)| async move {
        sleep(rest).await;
        let report = reports.next().await?;
        let mut line = serde_json::to_string(&report).expect("a report is plain data");
        line.push('\n');
        Some((Ok::<_, Infallible>(line), (studying, reports, REPORT_INTERVAL)))
    }))
}
