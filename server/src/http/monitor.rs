//! Endpoints for monitoring: liveness, readiness and metrics.
//!
//! Metrics have a port of their own, for the operator only: the number of players is not public,
//! and behind a proxy all peers look local.

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
    routing::get,
};
use serde::Serialize;

use crate::{metrics::Levels, server::Server};

/// How long the server reports itself as not ready after a failed commit, unless one succeeds.
const UNREADY_AFTER_FAILURE: Duration = Duration::from_secs(10);

/// The router of the operator's port.
pub(crate) fn router(server: Arc<Server>) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(health))
        .route("/readyz", get(ready))
        .with_state(server)
}

#[derive(Serialize)]
pub(super) struct Health {
    status: &'static str,
    version: &'static str,
}

/// `/healthz`: a reply means that the server is alive.
pub(super) async fn health() -> Json<Health> {
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// `/readyz`: whether the server should get new clients.
pub(super) async fn ready(State(server): State<Arc<Server>>) -> impl IntoResponse {
    let failed = server.metrics.last_failed_commit().is_some_and(|at| {
        u128::from(server.clock.now().saturating_sub(at)) < UNREADY_AFTER_FAILURE.as_millis()
    });
    let (code, status) = if server.draining.is_cancelled() {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping")
    } else if server.lobby.lacks_bus() {
        (StatusCode::SERVICE_UNAVAILABLE, "waits for the bus")
    } else if server.lobby.is_cut_off() {
        (StatusCode::SERVICE_UNAVAILABLE, "cut off from the other nodes")
    } else if failed {
        (StatusCode::SERVICE_UNAVAILABLE, "the store fails")
    } else {
        (StatusCode::OK, "ready")
    };
    (code, Json(Health { status, version: env!("CARGO_PKG_VERSION") }))
}

async fn metrics(State(server): State<Arc<Server>>) -> impl IntoResponse {
    let (writer_queue, thinking_queue) = server.lobby.queues();
    let levels = Levels {
        sessions: server.sessions.count(),
        rooms: server.lobby.count(),
        games: server.lobby.count_games(),
        writer_queue,
        thinking_queue,
        rooms_set_aside: server.lobby.count_set_aside(),
        lost_lines: server.lost_lines.count(),
        replica_lag: server.read_pool.replica_lag().unwrap_or_default(),
    };
    server.metrics.moderation.note(server.moderation.waiting(), server.clock.now());
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], server.metrics.render(levels))
}
