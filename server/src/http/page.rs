//! The page: its files, which are in the program, and the way in for each of its addresses.
//!
//! What the page does is written in `server/web` and unknown here.

use std::{
    fmt, fs,
    path::{Path as FilePath, PathBuf},
    sync::Arc,
};

use axum::{
    Extension,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{
    clock::TimeControl,
    protocol::{RoomCode, RoomSummary},
};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::Caller;
use crate::Server;

/// A file of the page, in the program.
struct Embedded {
    name: &'static str,
    plain: &'static [u8],
    brotli: &'static [u8],
    gzip: &'static [u8],
}

// `DIGEST` and `FILES`, made by build.rs.
include!(concat!(env!("OUT_DIR"), "/page/table.rs"));

/// Takes the place of the digest where files are read from a folder.
const LIVE: &str = "live";

/// What `index.html` says of the page to those who preview a link. At a link to a room, what may be
/// played there takes its place.
const ABOUT: &str = "Five in a row, online: with a friend, against a bot, or watching.";

/// The page runs its own scripts and nothing else, none of them in the page's text, and makes
/// elements only by functions that take no markup; and a link to a room, which lets people in, is
/// not passed on to other sites.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// Where the page's files come from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum PageSource {
    /// From the program.
    #[default]
    Program,
    /// From a folder, read for each request: for work on the page.
    Folder(PathBuf),
}

/// How a file is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Encoding {
    Plain,
    Brotli,
    Gzip,
}

impl Encoding {
    /// The best one that a browser takes.
    fn wanted(headers: &HeaderMap) -> Self {
        let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        let takes = |name: &str| {
            accepted.is_some_and(|list| {
                list.split(',').any(|item| {
                    let (coding, weight) = item.split_once(';').unwrap_or((item, ""));
                    coding.trim() == name && !matches!(weight.trim(), "q=0" | "q=0.0")
                })
            })
        };
        if takes("br") {
            Self::Brotli
        } else if takes("gzip") {
            Self::Gzip
        } else {
            Self::Plain
        }
    }

    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
        }
    }
}

impl Embedded {
    const fn content(&self, encoding: Encoding) -> &'static [u8] {
        match encoding {
            Encoding::Plain => self.plain,
            Encoding::Brotli => self.brotli,
            Encoding::Gzip => self.gzip,
        }
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedded").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The page, at an address that it knows.
pub(super) async fn page(State(server): State<Arc<Server>>, headers: HeaderMap) -> Response {
    index(&server.page, StatusCode::OK, None, &headers)
}

/// The page, at a link to a room. A preview of the link says what may be played there.
pub(super) async fn room(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    Path(code): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Ok(code) = RoomCode::try_from(code) else {
        return index(&server.page, StatusCode::NOT_FOUND, None, &headers);
    };
    let about = find(&server, &caller, &code, &headers).as_ref().map(describe_room);
    index(&server.page, StatusCode::OK, about.as_deref(), &headers)
}

/// The room with this code. Failed lookups count as in `join`, so that codes cannot be guessed here.
fn find(
    server: &Server,
    caller: &Caller,
    code: &RoomCode,
    headers: &HeaderMap,
) -> Option<RoomSummary> {
    let now = Instant::now();
    let address = server.proxies.client(caller.peer, headers);
    let rate = server.address_limits.of(address, now);
    if !rate.may_try_code(now) {
        return None;
    }
    let found = server.lobby.summary(code);
    if found.is_none() {
        rate.note_unknown_code(now);
    }
    found
}

/// What the preview of a link says: no more than what the holder of the link may know, and nobody's
/// name.
fn describe_room(room: &RoomSummary) -> String {
    let clock = match room.time {
        TimeControl::None => "no clock".to_owned(),
        TimeControl::SuddenDeath { .. }
        | TimeControl::Fischer { .. }
        | TimeControl::ByoYomi { .. }
        | TimeControl::PerMove { .. } => format!("clock {}", room.time),
    };
    let invitation = if room.seats.vacant().is_some() {
        "A seat is open: open the link to play."
    } else {
        "Both seats are taken: open the link to watch."
    };
    format!("Five in a row: {}, {clock}. {invitation}", room.rules)
}

/// The page, at any other address: it says that there is nothing.
pub(super) async fn missing(State(server): State<Arc<Server>>, headers: HeaderMap) -> Response {
    index(&server.page, StatusCode::NOT_FOUND, None, &headers)
}

/// A file of the page. The address has the digest of all of them in it.
pub(super) async fn file(
    State(server): State<Arc<Server>>,
    Path((digest, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let found = match &server.page {
        PageSource::Program if digest == DIGEST => embedded(&name, &headers),
        PageSource::Folder(folder) if digest == LIVE => live(folder, &name, None),
        PageSource::Program | PageSource::Folder(_) => None,
    };
    found.unwrap_or_else(|| (StatusCode::NOT_FOUND, "There is no such file.\n").into_response())
}

/// `index.html`, which is asked for anew each time; if it has not changed, that is all it costs.
/// With `about` it says that instead of [`ABOUT`].
fn index(
    source: &PageSource,
    status: StatusCode,
    about: Option<&str>,
    headers: &HeaderMap,
) -> Response {
    let found = match (source, about) {
        (PageSource::Program, None) => embedded("index.html", headers),
        (PageSource::Program, Some(about)) => index_about(about, headers),
        (PageSource::Folder(folder), about) => live(folder, "index.html", about),
    };
    let Some(mut response) = found else {
        return (StatusCode::NOT_FOUND, "The page's folder has no index.html.\n").into_response();
    };
    if response.status() == StatusCode::OK {
        *response.status_mut() = status;
    }
    let to_add = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    for (name, value) in to_add {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// `index.html` with another description. Its tag is of both, as either may change.
fn index_about(about: &str, headers: &HeaderMap) -> Option<Response> {
    let file = FILES.iter().find(|file| file.name == "index.html")?;
    let hash = Sha256::digest(about);
    let hash = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
    let tag = HeaderValue::try_from(format!("W/\"{DIGEST}-{hash:08x}\"")).ok()?;
    let described = describe(file.name)?;
    if headers.get(header::IF_NONE_MATCH) == Some(&tag) {
        return Some((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    let content = str::from_utf8(file.plain).ok()?.replace(ABOUT, &escape(about));
    Some(([(header::ETAG, tag)], described, content).into_response())
}

/// Text as it is written in HTML.
fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            letter => html.push(letter),
        }
    }
    html
}

/// A file that is in the program, or that it has not changed since the browser got it.
fn embedded(name: &str, headers: &HeaderMap) -> Option<Response> {
    let file = FILES.iter().find(|file| file.name == name)?;
    let encoding = Encoding::wanted(headers);
    // Weak, because it stands for all encodings.
    let tag = HeaderValue::try_from(format!("W/\"{DIGEST}\"")).expect("a digest is hexadecimal");
    let cached = [
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable")),
        (header::ETAG, tag.clone()),
        (header::VARY, HeaderValue::from_static("accept-encoding")),
    ];
    if headers.get(header::IF_NONE_MATCH) == Some(&tag) {
        return Some((StatusCode::NOT_MODIFIED, cached).into_response());
    }
    let described = describe(name)?;
    let content = Bytes::from_static(file.content(encoding));
    let mut response = (cached, described, content).into_response();
    if let Some(coding) = encoding.name() {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    Some(response)
}

/// A file as it is in the folder now.
fn live(folder: &FilePath, name: &str, about: Option<&str>) -> Option<Response> {
    // A name is a file's own, never a path.
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
        return None;
    }
    let described = describe(name)?;
    let mut content = fs::read(folder.join(name)).ok()?;
    if name == "index.html" {
        let place = format!("/web/{LIVE}");
        let about = about.map_or_else(|| ABOUT.to_owned(), escape);
        let text = String::from_utf8(content).ok()?;
        content = text.replace("{web}", &place).replace(ABOUT, &about).into_bytes();
    }
    let cached = [(header::CACHE_CONTROL, "no-store")];
    Some((cached, described, content).into_response())
}

/// What kind of file this is, if it is one that is served.
fn describe(name: &str) -> Option<[(HeaderName, &'static str); 1]> {
    let kind = match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => return None,
    };
    Some([(header::CONTENT_TYPE, kind)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_attribute() {
        assert_eq!(escape(r#"<a href="x">'&'"#), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;");
    }
}
