//! `/api/analyse`: streams the engine's analysis of any position, for a board to try moves on. It
//! does not know rooms.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Extension,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{
    analysis,
    protocol::LineCount,
    rules::{Point, Position, Rules, moves_of_one_game},
};
use futures_util::stream;
use serde::Deserialize;
use tokio::time::sleep;

use super::{
    caller::Caller,
    questions::{Refused, charge_study, no_result, read},
};
use crate::{
    limits::REPORT_INTERVAL,
    server::Server,
    thinking::{BackgroundHandle, Busy, Owner, Reports},
};

const NO_STORE: (HeaderName, &str) = (header::CACHE_CONTROL, "no-store");
const LINES_OF_JSON: (HeaderName, &str) = (header::CONTENT_TYPE, "application/x-ndjson");

/// A position, given by the moves that led to it.
#[derive(Debug, Deserialize)]
struct Question {
    rules: Rules,
    #[serde(deserialize_with = "moves_of_one_game")]
    moves: Vec<Point>,
    /// How many lines of play to report.
    #[serde(default)]
    lines: LineCount,
}

impl Question {
    /// The position, if its game is not over and the engine supports its rules.
    fn position(&self) -> Result<Position, Refused> {
        let refused = |text| (StatusCode::BAD_REQUEST, text);
        if !analysis::is_supported(self.rules.variant()) {
            return Err(refused("The engine does not play by these rules.\n".to_owned()));
        }
        let mut position = Position::new(self.rules);
        for (ply, point) in self.moves.iter().enumerate() {
            let played = position.play(*point).map(drop);
            played.map_err(|illegal| refused(format!("Move {}: {illegal}.\n", ply + 1)))?;
        }
        if position.outcome().is_some() {
            return Err(refused("The game is over there.\n".to_owned()));
        }
        Ok(position)
    }
}

/// Streams one line of JSON per report. The analysis ends when the client stops reading.
pub(super) async fn analyse(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let asked = headers.clone();
    let reading = server.jobs.run(move || {
        let question: Question = read(&asked, &body)?;
        Ok((question.position()?, question.lines))
    });
    let (position, lines) = match reading.await {
        Ok(Ok(asked)) => asked,
        Ok(Err(refused)) => return Refused::into_response(refused),
        Err(why) => return no_result(&server, why),
    };
    if let Err(answer) = charge_study(&server, &caller, &headers) {
        return *answer;
    }
    let owner = Owner::of(server.proxies.client(caller.peer, &headers));
    match server.pool.analyse(owner, position, lines.into()) {
        Ok((handle, reports)) => ([NO_STORE, LINES_OF_JSON], told(handle, reports)).into_response(),
        Err(busy) => {
            let status = match busy {
                Busy::Server => StatusCode::SERVICE_UNAVAILABLE,
                Busy::Owner => StatusCode::TOO_MANY_REQUESTS,
            };
            (status, no_study(busy)).into_response()
        }
    }
}

/// Why the engine takes no more analyses, as a sentence.
pub(super) const fn no_study(busy: Busy) -> &'static str {
    match busy {
        Busy::Server => "The engine is busy. Try again in a moment.\n",
        Busy::Owner => {
            "As many analyses as may be are under way for your address. Stop one, or wait for its \
             end.\n"
        }
    }
}

/// The reports as a body, one per line. Dropping the body cancels the background job.
fn told(handle: BackgroundHandle, reports: Reports) -> Body {
    let begin = (handle, reports, Duration::ZERO);
    Body::from_stream(stream::unfold(begin, |(handle, mut reports, rest)| async move {
        sleep(rest).await;
        let report = reports.next().await?;
        let mut line = serde_json::to_string(&report).expect("a report is plain data");
        line.push('\n');
        Some((Ok::<_, Infallible>(line), (handle, reports, REPORT_INTERVAL)))
    }))
}
