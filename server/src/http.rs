//! The HTTP server: the page, finished games, accounts, pictures, the health check, and the handshake
//! that turns a connection into a WebSocket.
//!
//! It does not know the protocol on the socket.

mod account;
mod admin;
mod analyse;
mod api_document;
mod audit;
mod caller;
mod challenges;
mod collections;
mod conditional_moves;
mod embed;
mod feeds;
mod friends;
mod games;
mod handshake;
mod moderation;
pub(crate) mod monitor;
mod notes;
mod oembed;
mod page;
mod picture;
mod players;
mod position;
mod preview;
mod profile;
mod pushes;
mod puzzles;
mod questions;
mod refusals;
mod time_off;

use std::{
    net::IpAddr,
    sync::{Arc, atomic::Ordering},
};

use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::{Next, from_fn_with_state, map_response, map_response_with_state},
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use fivefold_shared::{collection::BATCH_BYTES_MAX, protocol::Reason, room::SessionId};
use hyper::{body::Incoming, server::conn::http1, service::Service, upgrade::Upgraded};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, error::Elapsed, timeout},
};

pub(crate) use self::account::export::export_text;
#[cfg(test)]
pub(crate) use self::api_document::Named;
use self::{
    caller::{Caller, Upgrade},
    handshake::NoHandshake,
    refusals::{malformed, refused, retry_after},
};
use crate::{
    limits::{
        HTTP_BODY_MAX, HTTP_HEAD_MAX, HTTP_HEADERS_MAX,
        accounts::{ACCOUNT_BODY_MAX, CONDITIONAL_MOVES_BODY_MAX},
    },
    metrics::{Cut, RefusedFor},
    net::{
        connection_limit::{ConnectionPermit, Full},
        origin,
        proxy::faults::ProxyFault,
        tls::Tls,
        write_deadline::{Switch, WriteDeadline},
    },
    process::fair_queue::asked_from,
    session::{self, Visitor},
    shared_state::Server,
};

/// Browsers use HTTPS for a year, also for links that begin with `http:`.
const ENCRYPTED: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// The router for all public paths.
pub(crate) fn router(server: Arc<Server>) -> Router {
    let Routes { open, questions, shared, boards, oembed, accounts, plans, batches, players } =
        routes();
    // A board on another site has an origin of its own.
    let (open, shared) = if server.embeds {
        (open.merge(boards), shared.merge(oembed).route_layer(map_response(for_every_origin)))
    } else {
        (open, shared)
    };
    let questions = questions
        .merge(shared)
        .route_layer(from_fn_with_state(Arc::clone(&server), questions::admit))
        .layer(DefaultBodyLimit::max(HTTP_BODY_MAX));
    let accounts = guarded(&server, accounts, ACCOUNT_BODY_MAX);
    let plans = guarded(&server, plans, CONDITIONAL_MOVES_BODY_MAX);
    let batches = guarded(&server, batches, BATCH_BYTES_MAX);
    let players = players.route_layer(from_fn_with_state(Arc::clone(&server), questions::admit));
    open.merge(questions)
        .merge(accounts)
        .merge(plans)
        .merge(batches)
        .merge(players)
        .fallback(page::missing)
        .layer(map_response_with_state(Arc::clone(&server), secure))
        .layer(from_fn_with_state(Arc::clone(&server), attribute))
        .layer(from_fn_with_state(Arc::clone(&server), measure))
        .with_state(server)
}

/// All routes, by what [`router`] puts before them. A test compares them with the document of the API.
struct Routes {
    /// Nothing.
    open: Router<Arc<Server>>,
    /// Limits of rates and bodies.
    questions: Router<Arc<Server>>,
    /// The same; pages of other sites may read the answers, if boards may be there.
    shared: Router<Arc<Server>>,
    /// Nothing, but only if boards may be on other sites.
    boards: Router<Arc<Server>>,
    /// As `shared`, but only if boards may be on other sites.
    oembed: Router<Arc<Server>>,
    /// The guard of accounts.
    accounts: Router<Arc<Server>>,
    /// The same, for larger bodies.
    plans: Router<Arc<Server>>,
    /// The same, for still larger ones.
    batches: Router<Arc<Server>>,
    /// Limits of rates.
    players: Router<Arc<Server>>,
}

fn routes() -> Routes {
    let open = Router::new()
        .route("/", get(page::page))
        .route("/games", get(page::page))
        .route("/collections", get(page::page))
        .route("/collection/{id}", get(page::collection))
        .route("/lobby", get(page::page))
        .route("/analyse", get(page::analyse))
        .route("/analysis", get(page::to_analyse))
        .route("/analyze", get(page::to_analyse))
        .route("/local", get(page::page))
        .route("/leaderboard", get(page::page))
        .route("/learn", get(page::page))
        .route("/player/{name}", get(page::page))
        .route("/oidc", get(page::page))
        .route("/puzzles", get(page::page))
        .route("/moderation", get(page::page))
        .route("/tv", get(embed::tv))
        .route("/admin", get(page::page))
        .route("/game/{id}", get(page::game))
        .route("/r/{*sent}", get(page::room))
        .route("/R/{*sent}", get(page::room))
        .route("/web/{digest}/{*name}", get(page::file))
        .route("/service-worker.js", get(page::service_worker))
        .route("/healthz", get(monitor::health))
        .route("/readyz", get(monitor::ready))
        .route("/ws", any(socket));
    let questions = Router::new()
        .route("/api/games", get(games::list))
        .route("/api/games/{id}/analysis", get(games::review))
        .route("/api/analyse", post(analyse::analyse))
        .route("/api/position", post(position::judge))
        .route("/analyse.png", get(picture::of_position))
        .route("/games.atom", get(feeds::atom))
        .route("/games.ics", get(feeds::calendar));
    let shared = Router::new()
        .route("/api/games/{id}", get(games::game))
        .route("/api/tv", get(embed::on_tv));
    let oembed = Router::new().route("/api/oembed", get(oembed::describe));
    let accounts = account::routes()
        .merge(moderation::routes())
        .merge(admin::routes())
        .merge(challenges::routes())
        .merge(friends::routes())
        .merge(collections::routes())
        .merge(notes::routes())
        .merge(time_off::routes())
        .merge(pushes::routes())
        .merge(puzzles::routes());
    let plans = conditional_moves::routes();
    let batches = collections::batches();
    let players = players::routes().merge(api_document::routes());
    Routes {
        open,
        questions,
        shared,
        boards: embed::routes(),
        oembed,
        accounts,
        plans,
        batches,
        players,
    }
}

/// Guards routes about accounts, and limits their bodies to this many bytes.
fn guarded(server: &Arc<Server>, routes: Router<Arc<Server>>, most: usize) -> Router<Arc<Server>> {
    routes
        .route_layer(from_fn_with_state(Arc::clone(server), questions::admit))
        .route_layer(from_fn_with_state(Arc::clone(server), account::guard))
        .layer(DefaultBodyLimit::max(most))
}

/// Counts an answer, and how long it took.
async fn measure(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let answer = next.run(request).await;
    server.metrics.answered_http(answer.status().as_u16(), begun.elapsed());
    answer
}

/// Finds the client's address, and counts the work for the answer as that address's.
async fn attribute(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    mut request: Request,
    next: Next,
) -> Response {
    let address = server.client_address(caller.peer, request.headers());
    request.extensions_mut().insert(caller.at(address));
    asked_from(address, next.run(request)).await
}

/// Adds the security headers to every response.
async fn secure(State(server): State<Arc<Server>>, mut answer: Response) -> Response {
    let headers = answer.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let is_public_encrypted =
        server.public_url.as_ref().is_some_and(|url| url.origin().is_encrypted());
    if server.tls.is_some() || is_public_encrypted {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, ENCRYPTED);
    }
    answer
}

/// Lets pages of every origin read an answer.
async fn for_every_origin(mut answer: Response) -> Response {
    answer.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, page::EVERY_ORIGIN);
    answer
}

/// Serves one connection, and then its session, if it became a WebSocket.
pub(crate) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    peer: IpAddr,
    router: Router,
    tls: Option<Arc<Tls>>,
    server: Arc<Server>,
) {
    let (stream, deadline) = WriteDeadline::new(stream, server.limits.write_timeout);
    let Some(tls) = tls else { return speak(stream, deadline, peer, router, server).await };
    let handshake = timeout(server.limits.handshake_timeout, tls.acceptor().accept(stream));
    let accepted = tokio::select! {
        accepted = handshake => accepted,
        () = server.stop.cancelled() => return,
    };
    match accepted {
        // Boxed, so that unencrypted connections reserve no space for this.
        Ok(Ok(stream)) => Box::pin(speak(stream, deadline, peer, router, server)).await,
        Ok(Err(error)) => {
            server.refused_connections.note(RefusedFor::Tls, peer);
            tracing::debug!(%error, "the connection could not be encrypted");
        }
        Err(Elapsed { .. }) => {
            server.refused_connections.note(RefusedFor::Tls, peer);
            tracing::debug!("the connection was not encrypted in time");
        }
    }
}

/// Serves HTTP on a connection, encrypted or not, and then its session, if there is one.
async fn speak(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    deadline: Switch,
    peer: IpAddr,
    router: Router,
    server: Arc<Server>,
) {
    // Boxed, so that sessions reserve no space for HTTP.
    let shaken = Box::pin(shake_hands(stream, deadline, peer, router, &server)).await;
    let Some((socket, visitor, place)) = shaken else { return };
    let id = SessionId(server.next_session.fetch_add(1, Ordering::Relaxed));
    session::run(TokioIo::new(socket), id, visitor, server).await;
    drop(place);
}

/// Serves HTTP until the connection ends or becomes a WebSocket.
async fn shake_hands(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    deadline: Switch,
    peer: IpAddr,
    router: Router,
    server: &Server,
) -> Option<(Upgraded, Visitor, ConnectionPermit)> {
    let caller = Caller::new(peer);
    let service = WithCaller { caller: caller.clone(), router: TowerToHyperService::new(router) };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(server.limits.handshake_timeout)
        .max_buf_size(HTTP_HEAD_MAX)
        .max_headers(HTTP_HEADERS_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let served = tokio::select! {
        served = connection => served,
        () = server.stop.cancelled() => return None,
    };
    if let Err(error) = served {
        if deadline.was_missed() {
            server.metrics.cut(Cut::Answer);
        }
        tracing::debug!(%error, "the connection failed");
        return None;
    }
    deadline.switch_off();
    let Upgrade { socket, visitor, place } = caller.take()?;
    match socket.await {
        Ok(socket) => Some((socket, visitor, place)),
        Err(error) => {
            tracing::debug!(%error, "the handshake failed");
            None
        }
    }
}

/// The router for one caller.
struct WithCaller {
    caller: Caller,
    router: TowerToHyperService<Router>,
}

impl Service<Request<Incoming>> for WithCaller {
    type Response = Response;
    type Error = std::convert::Infallible;
    type Future = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Future;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.caller.clone());
        self.router.call(request)
    }
}

/// The query of a socket that only watches.
const WATCH: &str = "watch";

/// `/ws`: the WebSocket handshake. A socket at `/ws?watch` is nobody's, so any page may open it where boards may be on
/// other sites.
async fn socket(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let address = caller.address;
    let accept = match handshake::accept(&request) {
        Ok(accept) => accept,
        Err(refusal) => {
            if let NoHandshake::Proxy(fault) = refusal {
                server.proxy_faults.log(caller.peer, fault);
            }
            server.refused_connections.note(RefusedFor::Handshake, address);
            return refusal.into_response();
        }
    };
    let host = server.proxies.get().host(caller.peer, request.headers());
    let watches = request.uri().query() == Some(WATCH);
    let is_for_all = watches && server.embeds;
    if !is_for_all && !origin::is_allowed(request.headers(), host, &server.origins.get()) {
        server.refused_connections.note(RefusedFor::ForeignPage, address);
        return foreign_page(&server, &caller, request.headers());
    }
    if !server.lobby.takes_sessions().await {
        // Other nodes have the rooms, and this one cannot reach them.
        return refusals::busy(&server);
    }
    let place = match admit(&server, caller.peer, address, watches) {
        Ok(place) => place,
        Err(full) => {
            server.refused_connections.note(RefusedFor::Full(full), address);
            return too_many(full);
        }
    };
    let visitor = if watches {
        Visitor::watching(address)
    } else {
        visitor(&server, &caller, request.headers())
    };
    let socket = hyper::upgrade::on(request);
    caller.put(Upgrade { socket, visitor, place });
    handshake::switching(&accept)
}

/// Who opens a socket, as the headers say.
fn visitor(server: &Server, caller: &Caller, headers: &HeaderMap) -> Visitor {
    let is_encrypted = server.is_encrypted(caller.peer, headers);
    let device = account::cookie::device(headers, is_encrypted);
    Visitor {
        address: caller.address,
        agent: account::device::agent(headers),
        account: account::cookie::session(headers, is_encrypted),
        token: account::token::in_header(headers),
        device: device.map(|device| device.mark()),
        watches: false,
    }
}

/// The refusal of a page of another host, or of the server's own page behind a proxy that hides the host.
fn foreign_page(server: &Server, caller: &Caller, headers: &HeaderMap) -> Response {
    let Some(fault) = ProxyFault::of_origin(headers) else {
        return refused(Reason::ForeignPage).into_response();
    };
    server.proxy_faults.log(caller.peer, fault);
    malformed(StatusCode::FORBIDDEN, fault.text().to_owned()).into_response()
}

/// Admits a session. One that comes through a proxy is a new connection of its own address. Those that only watch take
/// no place from the others.
fn admit(
    server: &Server,
    peer: IpAddr,
    address: IpAddr,
    watches: bool,
) -> Result<ConnectionPermit, Full> {
    let (limits, places) = if watches {
        (&server.watcher_limits, &server.watchers)
    } else {
        (&*server.address_limits, &server.sessions)
    };
    let now = Instant::now();
    if peer != address && !limits.of(address, now).take_connection(now) {
        return Err(Full::Rate);
    }
    places.admit(address)
}

fn too_many(full: Full) -> Response {
    let reason = match full {
        Full::Server => Reason::ServerFull,
        Full::Address => Reason::TooManyConnections,
        Full::Rate => Reason::TooManyNewConnections,
    };
    (retry_after("30"), refused(reason)).into_response()
}
