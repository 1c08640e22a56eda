//! Common parts of all API requests over HTTP: rate limits and request bodies. It
//! does not know what the requests ask for.

use std::sync::Arc;

use axum::{
    Extension,
    body::{Body, Bytes},
    extract::{FromRequest, Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use fivefold_shared::protocol::Reason;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use tokio::time::{Instant, error::Elapsed, timeout};

use super::{
    caller::Caller,
    refusals::{Refused, busy, malformed, refused, too_fast, too_slow},
};
use crate::{
    limits::{HTTP_BYTES_PER_TOKEN, HTTP_STUDY_TOKENS},
    process::jobs::NoResult,
    shared_state::Server,
};

/// Takes the request's cost from the allowance of its address, and reads its body within a time
/// limit. Commands have their own allowance, so no HTTP request can cause a move to be refused.
pub(super) async fn admit(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    request: Request,
    next: Next,
) -> Response {
    let now = Instant::now();
    let rate = server.address_limits.of(caller.address, now);
    if !rate.take_http(now, 1) {
        return too_fast(&server);
    }
    let (parts, body) = request.into_parts();
    let reading = Bytes::from_request(Request::from_parts(parts.clone(), body), &());
    let body = match timeout(server.limits.body_timeout, reading).await {
        Ok(Ok(body)) => body,
        Ok(Err(error)) => return malformed(error.status(), error.body_text()).into_response(),
        Err(Elapsed { .. }) => return too_slow(&server),
    };
    let more = u32::try_from(body.len() / HTTP_BYTES_PER_TOKEN).unwrap_or(u32::MAX);
    if !rate.take_http(Instant::now(), more) {
        return too_fast(&server);
    }
    next.run(Request::from_parts(parts, Body::from(body))).await
}

/// Takes the cost of an engine analysis.
///
/// # Errors
/// With the response, if the allowance is too small.
pub(super) fn charge_study(server: &Server, caller: &Caller) -> Result<(), Box<Response>> {
    let now = Instant::now();
    if server.address_limits.of(caller.address, now).take_http(now, HTTP_STUDY_TOKENS) {
        return Ok(());
    }
    Err(Box::new(too_fast(server)))
}

/// Parses a JSON request.
///
/// # Errors
/// If the body is not JSON, or is invalid.
pub(super) fn read<Q: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Result<Q, Refused> {
    check_is_json(headers)?;
    serde_json::from_slice(body).map_err(|error| unreadable(&error))
}

fn check_is_json(headers: &HeaderMap) -> Result<(), Refused> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    if kind.trim().eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let text = "the request needs Content-Type: application/json".to_owned();
    Err(malformed(StatusCode::UNSUPPORTED_MEDIA_TYPE, text))
}

fn unreadable(error: &serde_json::Error) -> Refused {
    match error.classify() {
        Category::Data => {
            malformed(StatusCode::UNPROCESSABLE_ENTITY, format!("the body is not valid: {error}"))
        }
        Category::Syntax | Category::Eof | Category::Io => {
            malformed(StatusCode::BAD_REQUEST, format!("the body is not JSON: {error}"))
        }
    }
}

/// The response to a request that no job could answer.
pub(super) fn no_result(server: &Server, why: NoResult) -> Response {
    match why {
        NoResult::Busy => busy(server),
        NoResult::Broke => {
            tracing::error!("a question over HTTP made its answer panic");
            refused(Reason::Broken).into_response()
        }
    }
}
