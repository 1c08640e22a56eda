//! Finished games as JSON: the list of public games, and each game by its id.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{
    notation::{file::GameFile, psq, sgf, tree::GameTree},
    protocol::{GameId, Identity, MemberId, Reason, Refusal, RefusalValues},
    record::{FinishedGame, Record},
    review::{GameReview, Review},
};
use fivefold_storage::{GameQuery, KnownMember, RatedPosition, Reader};
use serde::Deserialize;

use super::{
    account,
    caller::Caller,
    questions::{charge_study, no_result},
    refusals::{malformed, no_analysis, no_such_game, refused},
};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::{
    accounts::identities::{Identified, identify},
    limits::GAMES_PAGE_MAX,
    process::read_pool::ReadError,
    shared_state::Server,
    thinking::{
        Owner,
        reviews::{ReviewAnswer, ReviewError},
    },
};
#[cfg(test)]
use fivefold_shared::{record::GameList, review::ReviewProgress};

/// Query parameters of the list.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct GamesQuery {
    before: Option<u64>,
    #[cfg_attr(test, schemars(with = "Option<Named<MemberId>>"))]
    member: Option<MemberId>,
    /// Whether the caller, who is signed in, asks for their own games.
    #[serde(default)]
    own: bool,
}

pub(super) async fn list(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    wish: Result<Query<GamesQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let Query(GamesQuery { before, member, own }) = match wish {
        Ok(wish) => wish,
        Err(error) => return malformed(error.status(), error.body_text()).into_response(),
    };
    let signed_in =
        if own { account::reader_of_games(&server, &caller, &headers).await } else { Ok(None) };
    let signed_in = match signed_in {
        Ok(member) => member,
        Err(no) => return no.into_response(),
    };
    let identity = asker(&headers).filter(|_| signed_in.is_none());
    let read = move |reader: &mut Reader| {
        let own = match identity.map(|identity| identify(reader, &identity)).transpose()? {
            Some(Identified::Known(KnownMember { id, .. }) | Identified::New(id)) => Some(id),
            Some(Identified::Replaced) => return Ok(None),
            None => signed_in,
        };
        let unlisted = own.is_some();
        let member = own.or(member);
        let query = GameQuery { before, member, opponent: None, unlisted, max: GAMES_PAGE_MAX };
        reader.games(&query).map(Some)
    };
    match server.read_pool.try_read(read).await {
        Ok(None) => refused(Reason::IdentityReplaced).into_response(),
        Ok(Some(list)) => {
            // The same address gives each player another answer.
            let caching = (header::CACHE_CONTROL, "private, no-store");
            ([caching], Json(list)).into_response()
        }
        Err(error) => unreadable(&error),
    }
}

/// Requested format of a game.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// JSON for a page or a program.
    Answer,
    /// The same JSON as a download.
    Json,
    Sgf,
    Psq,
}

impl Form {
    /// Splits a file name into the name without its extension, and the format.
    fn of(name: &str) -> Option<(&str, Self)> {
        match name.split_once('.') {
            None => Some((name, Self::Answer)),
            Some((id, "json")) => Some((id, Self::Json)),
            Some((id, "sgf")) => Some((id, Self::Sgf)),
            Some((id, "psq")) => Some((id, Self::Psq)),
            Some(_) => None,
        }
    }
}

pub(super) async fn game(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
) -> Response {
    let Some((id, form)) = Form::of(&name) else { return no_such_game() };
    let Ok(id) = GameId::try_from(id.to_owned()) else { return no_such_game() };
    let wanted = id.clone();
    match server.read_pool.try_read(move |reader| reader.game(&wanted)).await {
        Ok(Some(record)) => {
            let writing = server.jobs.run(caller.address, move || written(id, record, form, &name));
            writing.await.unwrap_or_else(|why| no_result(&server, why))
        }
        Ok(None) => no_such_game(),
        Err(error) => unreadable(&error),
    }
}

/// The game in the requested format; `name` is the file name.
fn written(id: GameId, record: Record, form: Form, name: &str) -> Response {
    let as_file = |kind: &'static str, body: Response| {
        let attached = HeaderValue::try_from(format!("attachment; filename=\"{name}\""))
            .expect("a game's id and three letters");
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
            (header::CONTENT_DISPOSITION, attached),
        ];
        (headers, body).into_response()
    };
    let body = match form {
        Form::Answer => Json(FinishedGame { id, record }).into_response(),
        Form::Json => {
            let game = Json(FinishedGame { id, record }).into_response();
            as_file("application/json", game)
        }
        Form::Sgf => match sgf::write(&GameTree::from(GameFile::from(&record))) {
            Ok(text) => as_file("application/x-go-sgf", text.into_response()),
            Err(error) => {
                let detail = Some(error.to_string());
                let values = RefusalValues { detail, ..RefusalValues::default() };
                let refusal = Refusal::with(Reason::NotInFormat, values);
                return refused(refusal).into_response();
            }
        },
        Form::Psq => {
            let text = psq::write(&GameFile::from(&record));
            as_file("application/octet-stream", text.into_response())
        }
    };
    // A finished game does not change. The id is a secret, so no shared cache.
    let caching = (header::CACHE_CONTROL, "private, max-age=31536000, immutable");
    ([caching], body).into_response()
}

/// The caller, if the request carries an identity: they may list all games they played.
fn asker(headers: &HeaderMap) -> Option<Identity> {
    let secret = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
    Identity::try_from(secret.to_owned()).ok()
}

/// The engine's review of a game. The first request starts it and costs more.
pub(super) async fn review(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Ok(id) = GameId::try_from(id) else { return no_such_game() };
    let address = caller.address;
    if let Some(told) = server.reviews.known(&id) {
        let telling = server.jobs.run(address, move || told_of(id, told));
        return telling.await.unwrap_or_else(|why| no_result(&server, why));
    }
    let wanted = id.clone();
    let record = match server.read_pool.try_read(move |reader| reader.game(&wanted)).await {
        Ok(Some(record)) => record,
        Ok(None) => return no_such_game(),
        Err(error) => return unreadable(&error),
    };
    let own = match account::own_positions(&server, &caller, &headers).await {
        Ok(own) => own,
        Err(refusal) => return refused(refusal).into_response(),
    };
    if let Err(answer) = charge_study(&server, &caller) {
        return *answer;
    }
    let owner = Owner::of(address);
    let asked = Arc::clone(&server);
    let beginning = server.jobs.run(address, move || {
        if let Err(refusal) = may_review(&asked, &record, &own) {
            return refused(refusal).into_response();
        }
        match asked.reviews.begin(&id, &record, owner) {
            Ok(told) => told_of(id, told),
            // An address with too many analyses has to wait for its own to end, as if the server were
            // busy.
            Err(ReviewError::Busy(busy)) => refused(no_analysis(busy)).into_response(),
            Err(ReviewError::NoEngine) => refused(Reason::NoEngine).into_response(),
        }
    });
    beginning.await.unwrap_or_else(|why| no_result(&server, why))
}

/// Whether the engine may judge all positions of a game.
fn may_review(server: &Server, record: &Record, own: &[RatedPosition]) -> Result<(), Refusal> {
    let moves: Vec<_> = record.moves.iter().map(|made| made.point).collect();
    (0..=moves.len()).try_for_each(|ply| server.rated.may_help(&moves[..ply], own))
}

fn told_of(id: GameId, told: ReviewAnswer) -> Response {
    match told {
        ReviewAnswer::Review(review) => {
            let caching = (header::CACHE_CONTROL, "private, max-age=86400");
            let review = Review::clone(&review);
            ([caching], Json(GameReview { id, review })).into_response()
        }
        ReviewAnswer::UnderWay(progress) => {
            let caching = (header::CACHE_CONTROL, "no-store");
            let retry = (header::RETRY_AFTER, "1");
            (StatusCode::ACCEPTED, [caching, retry], Json(progress)).into_response()
        }
    }
}

/// The response when finished games cannot be read.
pub(super) fn unreadable(error: &ReadError) -> Response {
    match error {
        ReadError::Busy => {}
        ReadError::Storage(error) => tracing::error!(%error, "cannot read finished games"),
    }
    refused(Reason::Busy).into_response()
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/games", "Finished games, the newest first, at most 50.")
            .details(
                "Those of public rooms, or all own games: with the identity of a guest, or with `own=true` and \
                 a cookie or a token. `before` continues an earlier list after its `next`.",
            )
            .by(Key::MaybeAnybody("games:read"))
            .query::<GamesQuery>()
            .answers::<Named<GameList>>(200),
        Operation::get("/api/games/{id}", "A finished game.")
            .details("`id` alone, or followed by `.json`, `.sgf` or `.psq` for a download in this format.")
            .answers::<Named<FinishedGame>>(200)
            .file(200, "application/x-go-sgf")
            .file(200, "application/octet-stream")
            .refuses([No::NoSuchGame, No::NotInFormat]),
        Operation::get("/api/games/{id}/analysis", "The engine's review of a finished game.")
            .details("202 with its progress until it is done. The first request begins it, and costs more.")
            .by(Key::Maybe("games:read"))
            .answers::<Named<GameReview>>(200)
            .answers::<Named<ReviewProgress>>(202)
            .refuses([No::NoSuchGame, No::NoEngine, No::RatedGame, No::TooManyAnalyses]),
    ]
}
