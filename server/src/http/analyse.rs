//! `/api/analyse`: streams the engine's analysis of any position, for a board to try moves on. It
//! does not know rooms.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Extension,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, HeaderName, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::questions::AnalysisQuestion;
use futures_util::stream;
use tokio::time::sleep;

use super::{
    account::own_positions,
    caller::Caller,
    questions::{charge_study, no_result, read},
    refusals::{Refused, no_analysis, refused},
};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::{
    limits::REPORT_INTERVAL,
    shared_state::Server,
    thinking::{BackgroundHandle, Owner, Reports},
};
#[cfg(test)]
use fivefold_shared::{analysis::Report, protocol::Reason};

const NO_STORE: (HeaderName, &str) = (header::CACHE_CONTROL, "no-store");
const LINES_OF_JSON: (HeaderName, &str) = (header::CONTENT_TYPE, "application/x-ndjson");

/// Streams one line of JSON per report. The analysis ends when the client stops reading.
pub(super) async fn analyse(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let own = match own_positions(&server, &caller, &headers).await {
        Ok(own) => own,
        Err(refusal) => return refused(refusal).into_response(),
    };
    let (asked, rated) = (headers.clone(), Arc::clone(&server.rated));
    let reading = server.jobs.run(caller.address, move || {
        let question: AnalysisQuestion = read(&asked, &body)?;
        let position = question.position();
        let position = position.map_err(refused)?;
        let may_help = rated.may_help(position.moves(), &own);
        may_help.map_err(refused)?;
        Ok::<_, Refused>((position, question.lines()))
    });
    let (position, lines) = match reading.await {
        Ok(Ok(asked)) => asked,
        Ok(Err(refused)) => return refused.into_response(),
        Err(why) => return no_result(&server, why),
    };
    if let Err(answer) = charge_study(&server, &caller) {
        return *answer;
    }
    let owner = Owner::of(caller.address);
    match server.pool.analyse(owner, position, lines.into()) {
        Ok((handle, reports)) => ([NO_STORE, LINES_OF_JSON], told(handle, reports)).into_response(),
        Err(busy) => refused(no_analysis(busy)).into_response(),
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

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::post("/api/analyse", "Has the engine search a position ever deeper.")
            .details("Each line of the answer is a report. The analysis ends when the caller stops reading.")
            .by(Key::Maybe("games:read"))
            .takes::<Named<AnalysisQuestion>>()
            .lines::<Named<Report>>(200, "application/x-ndjson")
            .refuses([No::NoEngine, No::Outside, No::TooFar, No::Occupied, No::DoubleThree])
            .refuses([No::DoubleFour, No::Overline, No::GameOver, No::RatedGame])
            .refuses([No::TooManyAnalyses]),
    ]
}
