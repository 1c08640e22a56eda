//! Endpoints for monitoring: liveness, readiness and metrics.
//!
//! Metrics have a port of their own, for the operator only: the number of players is not public,
//! and behind a proxy all peers look local.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::IntoResponse,
    routing::get,
};
use fivefold_storage::limits::WRITER_QUEUE_MAX;
use serde::Serialize;

#[cfg(test)]
use crate::http::api_document::Operation;
use crate::{
    limits::{HTTP_JOB_QUEUE_MAX, SEEKS_MAX, THINKING_QUEUE_MAX},
    metrics::{Levels, MetricsFormat},
    process::{
        health::{Condition, Health, Warning},
        storage_check::StorageAnswer,
    },
    shared_state::Server,
};

/// The router of the operator's port.
pub(crate) fn router(server: Arc<Server>) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(health))
        .route("/readyz", get(ready))
        .with_state(server)
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Alive {
    status: &'static str,
    version: &'static str,
}

/// `/healthz`: a reply means that the server is alive.
pub(super) async fn health() -> Json<Alive> {
    Json(Alive { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// How the server is, for programs and for people.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Readiness {
    status: &'static str,
    state: Condition,
    warnings: Vec<Warning>,
    version: &'static str,
}

/// `/readyz`: whether the server should get new clients. A warning keeps nobody away.
pub(super) async fn ready(State(server): State<Arc<Server>>) -> impl IntoResponse {
    let Health { condition, warnings } = server.health().await;
    let is_ready = condition == Condition::Ready;
    let code = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let version = env!("CARGO_PKG_VERSION");
    (code, Json(Readiness { status: condition.sentence(), state: condition, warnings, version }))
}

async fn metrics(State(server): State<Arc<Server>>, headers: HeaderMap) -> impl IntoResponse {
    let (writer_queue, thinking_queue) = server.lobby.queues();
    let (sessions, rooms) = (server.sessions.count(), server.lobby.count());
    let jobs = server.jobs.in_use();
    let levels = Levels {
        sessions,
        rooms,
        games: server.lobby.count_games(),
        writer_queue,
        thinking_queue,
        rooms_set_aside: server.lobby.count_set_aside(),
        lost_lines: server.lost_lines.count(),
        replica_lag: server.read_pool.replica_lag().unwrap_or_default(),
        panics: server.panics.count(),
        limits: vec![
            ("sessions", sessions, server.limits.sessions_max),
            ("watchers", server.watchers.count(), server.limits.watchers_max()),
            ("rooms", rooms, server.limits.rooms_max),
            ("bot_rooms", server.lobby.count_bot_rooms(), server.limits.bot_rooms_max),
            ("seeks", server.metrics.pairing.seeks(), SEEKS_MAX),
            ("writer_queue", writer_queue, WRITER_QUEUE_MAX),
            ("thinking_queue", thinking_queue, THINKING_QUEUE_MAX),
            ("http_jobs", jobs, HTTP_JOB_QUEUE_MAX),
        ],
        is_ready: server.health().await.condition == Condition::Ready,
        has_database: server.storage_check.answer().await == StorageAnswer::Works,
        has_bus: server.lobby.sees_bus(),
        certificate_end: server.tls.as_ref().and_then(|tls| tls.not_after()),
    };
    server.metrics.moderation.note(server.moderation.waiting(), server.clock.now());
    server.metrics.backups.note(server.backups.age());
    let format = MetricsFormat::accepted(&headers);
    let text = format.write(server.metrics.render(&levels));
    ([(header::CONTENT_TYPE, format.media_type())], text)
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/healthz", "An answer means that the server is alive.")
            .answers::<Alive>(200),
        Operation::get("/readyz", "Whether the server should get new clients.")
            .answers::<Readiness>(200)
            .answers::<Readiness>(503),
    ]
}
