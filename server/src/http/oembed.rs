//! oEmbed (<https://oembed.com>): how other sites show a board in the place of a link to this server. They ask for a
//! link, and get the HTML of a frame.
//!
//! Only links to this server are described. It does not know what boards show; see `embed.rs`.

use std::{num::NonZeroU32, sync::Arc};

use axum::{
    Extension, Json,
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::protocol::{GameId, ReasonClass, Refusal, RoomCode, sent_code};
use serde::{Deserialize, Serialize};

use super::{
    caller::Caller,
    preview::{self, Preview, escape},
    refusals::{malformed, refused, retry_after},
};
#[cfg(test)]
use crate::http::api_document::{Named, Operation};
use crate::{
    limits::embeds::OEMBED_URL_MAX, net::origin::Origin, picture::PICTURE_SIZE,
    shared_state::Server,
};

/// Width of a board where nobody asks for less, in pixels.
const WIDTH: u32 = 480;
/// What stands above and below a board, in pixels.
const AROUND: u32 = 104;
/// A link's description may be kept for a moment. A room's code is a secret, so no shared cache.
const CACHING: HeaderValue = HeaderValue::from_static("private, max-age=60");

/// What a site asks.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Question {
    /// The link: to a room, a finished game, an analysed position or `/tv`.
    #[cfg_attr(test, schemars(with = "String"))]
    url: Option<String>,
    /// `json`, as if it is absent.
    format: Option<String>,
    /// The most width of the board, in pixels.
    maxwidth: Option<NonZeroU32>,
    /// Its most height, in pixels.
    maxheight: Option<NonZeroU32>,
}

/// An answer of the type `rich`, with the names of oEmbed.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "LinkDescription"))]
struct Description {
    version: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    provider_name: &'static str,
    provider_url: String,
    title: String,
    html: String,
    width: u32,
    height: u32,
    #[serde(flatten)]
    thumbnail: Option<Thumbnail>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Thumbnail {
    thumbnail_url: String,
    thumbnail_width: u32,
    thumbnail_height: u32,
}

/// What a link leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Target {
    Room(RoomCode),
    /// A finished game, and after how many moves it is shown.
    Game(GameId, Option<u16>),
    /// The query has the position.
    Position(Uri),
    Tv,
}

impl Target {
    /// Where a link leads, if it is one to this server, which has the origin `own`.
    fn of(link: &str, own: &Origin) -> Option<Self> {
        let link: Uri = link.parse().ok()?;
        let origin: Origin = format!("{}://{}", link.scheme()?, link.authority()?).parse().ok()?;
        if origin != *own {
            return None;
        }
        let path = link.path();
        if let Some(sent) = path.strip_prefix("/r/").or_else(|| path.strip_prefix("/R/")) {
            return RoomCode::try_from(sent_code(sent)).ok().map(Self::Room);
        }
        if let Some(id) = path.strip_prefix("/game/") {
            let ply = link.query().and_then(|query| query.strip_prefix("ply="));
            let id = GameId::try_from(id.to_owned()).ok()?;
            return Some(Self::Game(id, ply.and_then(|ply| ply.parse().ok())));
        }
        match path {
            "/analyse" => link.query().is_some().then_some(Self::Position(link)),
            "/tv" => Some(Self::Tv),
            _ => None,
        }
    }

    /// The path of its board.
    fn board(&self) -> String {
        match self {
            Self::Room(code) => format!("/embed/r/{code}"),
            Self::Game(id, None) => format!("/embed/game/{id}"),
            Self::Game(id, Some(ply)) => format!("/embed/game/{id}?ply={ply}"),
            Self::Position(link) => {
                format!("/embed/position?{}", link.query().unwrap_or_default())
            }
            Self::Tv => "/embed/tv".to_owned(),
        }
    }

    /// Its title and its picture.
    ///
    /// # Errors
    /// If there is no such room, game or position, or it cannot be looked up now.
    async fn look_up(
        self,
        server: &Server,
        caller: &Caller,
        headers: &HeaderMap,
    ) -> Result<(String, Option<String>), Refusal> {
        let preview = match self {
            Self::Room(code) => preview::of_room(server, caller, &code, headers).await,
            Self::Game(id, _) => preview::of_game(server, caller, id.to_string(), headers).await,
            Self::Position(link) => preview::of_position(server, caller, link, headers).await,
            Self::Tv => return Ok(("Fivefold TV".to_owned(), None)),
        };
        preview.map(|Preview { title, picture, .. }| (title, picture))
    }
}

/// Width and height of a board in pixels: as large as the site allows, up to the usual size. It is as wide as high,
/// with more above and below.
fn size(maxwidth: Option<NonZeroU32>, maxheight: Option<NonZeroU32>) -> (u32, u32) {
    let most_high = maxheight.map_or(u32::MAX, NonZeroU32::get);
    let width = WIDTH.min(maxwidth.map_or(u32::MAX, NonZeroU32::get));
    let width = width.min(most_high.saturating_sub(AROUND).max(1));
    (width, (width + AROUND).min(most_high))
}

fn no_board() -> Response {
    (StatusCode::NOT_FOUND, "There is no board at this link.\n").into_response()
}

/// The answer for a link whose room, game or position cannot be looked up. Sites may take 404 for the last word.
fn not_described(server: &Server, refusal: Refusal) -> Response {
    match refusal.reason.class() {
        ReasonClass::Missing | ReasonClass::Invalid => no_board(),
        ReasonClass::TooFast | ReasonClass::Later | ReasonClass::Unavailable => {
            server.metrics.refused(refusal.reason);
            (retry_after("30"), refused(refusal)).into_response()
        }
        ReasonClass::SignedOut
        | ReasonClass::Forbidden
        | ReasonClass::Conflict
        | ReasonClass::Broken => refused(refusal).into_response(),
    }
}

/// `/api/oembed`: describes a link.
pub(super) async fn describe(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    question: Result<Query<Question>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let Question { url, format, maxwidth, maxheight } = match question {
        Ok(Query(question)) => question,
        Err(error) => return malformed(error.status(), error.body_text()).into_response(),
    };
    if format.is_some_and(|format| format != "json") {
        let text = "Only format=json is supported.\n";
        return (StatusCode::NOT_IMPLEMENTED, text).into_response();
    }
    let Some(url) = url else {
        let text = "the request needs url=LINK".to_owned();
        return malformed(StatusCode::BAD_REQUEST, text).into_response();
    };
    if url.len() > OEMBED_URL_MAX {
        let text = format!("the link is longer than {OEMBED_URL_MAX} bytes");
        return malformed(StatusCode::URI_TOO_LONG, text).into_response();
    }
    let Some(own) = preview::address(&server, &caller, &headers, "") else { return no_board() };
    let Ok(origin) = own.parse::<Origin>() else { return no_board() };
    let Some(target) = Target::of(&url, &origin) else { return no_board() };
    let board = escape(&format!("{own}{}", target.board()));
    let (title, picture) = match target.look_up(&server, &caller, &headers).await {
        Ok(found) => found,
        Err(refusal) => return not_described(&server, refusal),
    };
    let (width, height) = size(maxwidth, maxheight);
    let html = format!(
        r#"<iframe src="{board}" width="{width}" height="{height}" title="Fivefold" loading="lazy" style="border:0;max-width:100%"></iframe>"#
    );
    let (thumbnail_width, thumbnail_height) = (PICTURE_SIZE.0.into(), PICTURE_SIZE.1.into());
    let fits = maxwidth.is_none_or(|most| most.get() >= thumbnail_width)
        && maxheight.is_none_or(|most| most.get() >= thumbnail_height);
    let thumbnail = picture.filter(|_| fits).map(|thumbnail_url| Thumbnail {
        thumbnail_url,
        thumbnail_width,
        thumbnail_height,
    });
    let description = Description {
        version: "1.0",
        kind: "rich",
        provider_name: "Fivefold",
        provider_url: own,
        title,
        html,
        width,
        height,
        thumbnail,
    };
    ([(header::CACHE_CONTROL, CACHING)], Json(description)).into_response()
}

/// What the API's document says of this path.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/oembed", "Describes a link to this server, by oEmbed 1.0.")
            .details("Pages of every site may read it.")
            .query::<Question>()
            .answers::<Description>(200)
            .file(404, "text/plain")
            .answers::<Named<Refusal>>(414)
            .file(501, "text/plain"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_to_this_server_are_described() {
        let own = "https://play.example".parse().unwrap();
        let room = Target::Room(RoomCode::try_from("k7m2qpxw9abc".to_owned()).unwrap());
        let game =
            |ply| Target::Game(GameId::try_from("k7m2qpxw9abcdefg".to_owned()).unwrap(), ply);
        let position = "https://play.example/analyse?moves=h8+i9&size=15";
        let cases = [
            ("https://play.example/r/k7m2qpxw9abc", Some(room.clone())),
            ("https://PLAY.example:443/R/K7M2QPXW9ABC", Some(room)),
            ("https://play.example/game/k7m2qpxw9abcdefg", Some(game(None))),
            ("https://play.example/game/k7m2qpxw9abcdefg?ply=7", Some(game(Some(7)))),
            ("https://play.example/game/k7m2qpxw9abcdefg?ply=%22%3E", Some(game(None))),
            (position, Some(Target::Position(position.parse().unwrap()))),
            ("https://play.example/tv", Some(Target::Tv)),
            ("https://play.example/analyse", None),
            ("https://play.example/", None),
            ("https://play.example/player/ann", None),
            ("https://play.example/r/\"><script>", None),
            ("https://play.example/game/../../x", None),
            ("http://play.example/tv", None),
            ("https://play.example:8443/tv", None),
            ("https://play.example.evil.example/tv", None),
            ("https://play.example@evil.example/tv", None),
            ("https://evil.example/https://play.example/tv", None),
            ("//play.example/tv", None),
            ("/tv", None),
            ("javascript:alert(1)", None),
            ("javascript://play.example/tv", None),
            ("data:text/html,x", None),
            ("", None),
        ];
        for (link, wanted) in cases {
            assert_eq!(Target::of(link, &own), wanted, "{link}");
        }
    }

    #[test]
    fn boards_are_as_large_as_the_site_allows() {
        let cases = [
            // most wide, most high, size
            (None, None, (480, 584)),
            (Some(2_000), Some(2_000), (480, 584)),
            (Some(300), None, (300, 404)),
            (None, Some(304), (200, 304)),
            (Some(150), Some(304), (150, 254)),
            (Some(1), Some(1), (1, 1)),
        ];
        for (wide, high, wanted) in cases {
            assert_eq!(
                size(wide.and_then(NonZeroU32::new), high.and_then(NonZeroU32::new)),
                wanted
            );
        }
    }
}
