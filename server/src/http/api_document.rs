//! Documents for programs: the requests over HTTP as OpenAPI 3.1, and the types of the protocol as JSON
//! Schema. A test writes the first from [`operations`](operation) beside the handlers, and compares it
//! with the routes of the server; `fivefold-shared` writes the second.

#[cfg(test)]
mod document;
#[cfg(test)]
mod named;
#[cfg(test)]
mod operation;
#[cfg(test)]
mod registered;

use std::sync::Arc;

use axum::{
    Router,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};

#[cfg(test)]
pub(crate) use self::named::Named;
#[cfg(test)]
pub(super) use self::operation::{Key, Operation};
use super::page;
use crate::shared_state::Server;

const OPENAPI: &str = include_str!("../../../docs/protocol/openapi.json");
const MESSAGES: &str = include_str!("../../../docs/protocol/messages.schema.json");

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/openapi.json", get(openapi))
        .route("/api/messages.schema.json", get(messages))
}

/// `GET /api/openapi.json`
async fn openapi() -> Response {
    document("application/json", OPENAPI)
}

/// `GET /api/messages.schema.json`
async fn messages() -> Response {
    document("application/schema+json", MESSAGES)
}

/// A document that pages of every site may read: tools for such documents run in browsers.
fn document(kind: &'static str, text: &'static str) -> Response {
    let head = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "public, max-age=300")];
    ([(header::ACCESS_CONTROL_ALLOW_ORIGIN, page::EVERY_ORIGIN)], head, text).into_response()
}

/// What the API's document says of these paths.
#[cfg(test)]
fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/openapi.json", "This document.").file(200, "application/json"),
        Operation::get("/api/messages.schema.json", "The messages on the socket, as JSON Schema.")
            .details(
                "Each frame on the WebSocket `/ws` is a `Command` from the client or a `Message` from \
                 the server.",
            )
            .file(200, "application/schema+json"),
    ]
}
