//! The page: what this is, and how to play from the command line.

use axum::{
    extract::Path,
    http::{HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::protocol::RoomCode;

const PAGE: &str = include_str!("../../web/index.html");
const STYLE: &str = include_str!("../../web/style.css");

/// The page runs no scripts and loads nothing but its style; and a link to a room, which lets
/// people in, is not passed on to other sites.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_TYPE, "text/html; charset=utf-8"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-cache"),
];

pub(super) async fn home() -> Response {
    page(StatusCode::OK, "Play with a friend, or against a bot:", "fivefold play")
}

pub(super) async fn room(Path(code): Path<String>) -> Response {
    match RoomCode::try_from(code) {
        Ok(code) => page(
            StatusCode::OK,
            "Somebody invites you to a game:",
            &format!("fivefold join {code}"),
        ),
        Err(_) => page(StatusCode::NOT_FOUND, "This is not a link to a room.", "fivefold rooms"),
    }
}

pub(super) async fn missing() -> Response {
    page(StatusCode::NOT_FOUND, "There is nothing here. But you can play:", "fivefold play")
}

pub(super) async fn style() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/css; charset=utf-8"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, STYLE).into_response()
}

/// The page with an invitation. Both texts are our own or a room's code, so nothing is escaped.
fn page(status: StatusCode, invitation: &str, command: &str) -> Response {
    let html = PAGE.replace("{invitation}", invitation).replace("{command}", command);
    (status, HEADERS, html).into_response()
}
