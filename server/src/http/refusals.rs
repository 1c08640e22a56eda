//! Refusals over HTTP: the status, and as the body the same JSON as on the socket, so that each
//! client words them in its language.

use axum::{
    Json,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::protocol::{Reason, ReasonClass, Refusal};

use crate::{metrics::Cut, shared_state::Server, thinking::Busy};

/// A status with a refusal.
pub(super) type Refused = (StatusCode, Json<Refusal>);

/// Refuses a request, with the status of the reason's class.
pub(super) fn refused(refusal: impl Into<Refusal>) -> Refused {
    let refusal = refusal.into();
    let status = match refusal.reason.class() {
        ReasonClass::Invalid => StatusCode::BAD_REQUEST,
        ReasonClass::SignedOut => StatusCode::UNAUTHORIZED,
        ReasonClass::Forbidden => StatusCode::FORBIDDEN,
        ReasonClass::Missing => StatusCode::NOT_FOUND,
        ReasonClass::Conflict => StatusCode::CONFLICT,
        ReasonClass::Later | ReasonClass::TooFast => StatusCode::TOO_MANY_REQUESTS,
        ReasonClass::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ReasonClass::Broken => StatusCode::INTERNAL_SERVER_ERROR,
    };
    (status, Json(refusal))
}

/// Refuses a request that is not as the protocol says.
pub(super) fn malformed(status: StatusCode, detail: String) -> Refused {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => (status, Json(Reason::TooLong.into())),
        status => (status, Json(Refusal::malformed(detail))),
    }
}

/// Refuses a request for a game that does not exist.
pub(super) fn no_such_game() -> Response {
    refused(Reason::NoSuchGame).into_response()
}

/// Counts a request that came too soon, and refuses it.
pub(super) fn too_fast(server: &Server) -> Response {
    server.metrics.refused(Reason::TooFast);
    (retry_after("1"), refused(Reason::TooFast)).into_response()
}

/// Counts a request for which there is no free job, and refuses it.
pub(super) fn busy(server: &Server) -> Response {
    server.metrics.refused(Reason::Busy);
    (retry_after("1"), refused(Reason::Busy)).into_response()
}

/// Counts a request body that did not arrive in time, and ends its connection.
pub(super) fn too_slow(server: &Server) -> Response {
    server.metrics.cut(Cut::Body);
    let close = [(header::CONNECTION, HeaderValue::from_static("close"))];
    let refusal: Refusal = Reason::TooSlow.into();
    (StatusCode::REQUEST_TIMEOUT, close, Json(refusal)).into_response()
}

/// The reason why the engine takes no more analyses.
pub(super) const fn no_analysis(busy: Busy) -> Reason {
    match busy {
        Busy::Server => Reason::Busy,
        Busy::Owner => Reason::TooManyAnalyses,
    }
}

/// The header that says when to come back.
pub(super) fn retry_after(seconds: &'static str) -> [(HeaderName, HeaderValue); 1] {
    [(header::RETRY_AFTER, HeaderValue::from_static(seconds))]
}
