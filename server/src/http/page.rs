//! Serves the page: its files, embedded in the program, and `index.html` at each of its addresses.
//!
//! It does not know what the page does; see `server/web`.

use std::{fs, path::Path as FilePath, sync::Arc};

use axum::{
    Extension,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Redirect, Response},
};
use fivefold_page::{DIGEST, Embedded, FILES};
use fivefold_shared::protocol::{RoomCode, sent_code};
use sha2::{Digest, Sha256};

use super::{
    caller::Caller,
    picture,
    preview::{self, Preview},
};
use crate::{config::PageSource, shared_state::Server};

/// Pages of every origin may read an answer with this value: it is public, and browsers send no cookies for it.
pub(super) const EVERY_ORIGIN: HeaderValue = HeaderValue::from_static("*");

/// Stands in for the digest when files are read from a folder.
const LIVE: &str = "live";

/// Content security policy: the page runs only its own script files and builds elements without
/// parsing markup. The two policies of trusted types are for
/// the addresses of [`WORKER`] and [`SERVICE_WORKER`].
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types worker service-worker";

/// Content security policy of a board on another site. `sandbox` gives it an origin of its own: it has no cookies and no
/// storage of this server, and it can only open links in new tabs. No `frame-ancestors`, so that every page may show
/// it, even a file. WebKit does not take this server for `'self'` when such a page asks it something, so
/// [`embed_policy`] names it.
const EMBED_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'; \
    sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox";

/// What boards on other sites are.
const EMBED: &str = "embed/embed.html";

/// The script that may run WebAssembly, in a worker.
const WORKER: &str = "engine/worker.js";

/// Content security policy of [`WORKER`].
const WORKER_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The script that keeps the page for times without a network.
const SERVICE_WORKER: &str = "local/service-worker.js";

/// Content security policy of [`SERVICE_WORKER`].
const SERVICE_WORKER_POLICY: &str = "default-src 'none'; connect-src 'self'";

/// The texts of visitors whose language the page does not have.
const ENGLISH: &str = "language/en.js";

/// What only a room needs, beside the files that `index.html` names.
const ROOM_FILES: &[&str] = &["room/room-view.js", "game/game.css"];

/// How a file is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Encoding {
    Plain,
    Brotli,
    Gzip,
}

impl Encoding {
    /// The best encoding that the browser accepts.
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

    const fn of(self, file: &Embedded) -> &'static [u8] {
        match self {
            Self::Plain => file.plain,
            Self::Brotli => file.brotli,
            Self::Gzip => file.gzip,
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

/// The page at one of its own addresses.
pub(super) async fn page(State(server): State<Arc<Server>>, headers: HeaderMap) -> Response {
    index(&server.page, StatusCode::OK, None, &headers)
}

/// The page at a link to a room. The preview of the link describes the room's game.
pub(super) async fn room(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    Path(sent): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Ok(code) = RoomCode::try_from(sent_code(&sent)) else {
        return index(&server.page, StatusCode::NOT_FOUND, None, &headers);
    };
    let preview = preview::of_room(&server, &caller, &code, &headers).await;
    let mut response = index(&server.page, StatusCode::OK, preview.ok(), &headers);
    preload(&server.page, ROOM_FILES, &mut response);
    response
}

/// The page at a finished game, or the game's picture. The preview of the link shows the game.
pub(super) async fn game(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Some(id) = name.strip_suffix(".png") {
        return picture::of_game(server, caller, id, headers).await;
    }
    let preview = preview::of_game(&server, &caller, name, &headers).await;
    index(&server.page, StatusCode::OK, preview.ok(), &headers)
}

/// The page at a collection. The preview of the link describes a shared one.
pub(super) async fn collection(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let preview = preview::of_collection(&server, &caller, id, &headers).await;
    index(&server.page, StatusCode::OK, preview.ok(), &headers)
}

/// The page at the analysis. If the address has a position, the preview of the link shows it.
pub(super) async fn analyse(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    address: Uri,
    headers: HeaderMap,
) -> Response {
    let preview = preview::of_position(&server, &caller, address, &headers).await;
    index(&server.page, StatusCode::OK, preview.ok(), &headers)
}

/// Other words for the analysis lead there. Browsers keep what follows `#`.
pub(super) async fn to_analyse(address: Uri) -> Redirect {
    let query = address.query().map_or_else(String::new, |query| format!("?{query}"));
    Redirect::permanent(&format!("/analyse{query}"))
}

/// The page at any other address: it shows a "not found" view.
pub(super) async fn missing(State(server): State<Arc<Server>>, headers: HeaderMap) -> Response {
    index(&server.page, StatusCode::NOT_FOUND, None, &headers)
}

/// A board for other sites, at each of its addresses.
pub(super) fn embed(
    server: &Server,
    caller: &Caller,
    status: StatusCode,
    headers: &HeaderMap,
) -> Response {
    let found = match &server.page {
        PageSource::Program => embedded(EMBED, headers),
        PageSource::Folder(folder) => live(folder, EMBED, None),
    };
    let texts = language_file(headers);
    let policy = embed_policy(preview::address(server, caller, headers, "").as_deref());
    document(&server.page, found, status, policy, &[texts, &format!("embed/{texts}")])
}

/// The policy of a board from the server of this origin, if that is known.
fn embed_policy(origin: Option<&str>) -> HeaderValue {
    let named = origin.map(|origin| {
        EMBED_POLICY.replace("connect-src 'self'", &format!("connect-src 'self' {origin}"))
    });
    let named = named.and_then(|policy| HeaderValue::try_from(policy).ok());
    named.unwrap_or_else(|| HeaderValue::from_static(EMBED_POLICY))
}

/// A file of the page. The address contains the digest of all files.
pub(super) async fn file(
    State(server): State<Arc<Server>>,
    Path((digest, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let found = match &server.page {
        // Pages have addresses of their own, with a policy.
        _ if name.ends_with(".html") => None,
        PageSource::Program if digest == DIGEST => embedded(&name, &headers),
        PageSource::Folder(folder) if digest == LIVE => live(folder, &name, None),
        PageSource::Program | PageSource::Folder(_) => None,
    };
    let Some(mut response) = found else {
        return (StatusCode::NOT_FOUND, "There is no such file.\n").into_response();
    };
    if server.embeds {
        // Boards on other sites have an origin of their own.
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, EVERY_ORIGIN);
    }
    if name == WORKER {
        let policy = HeaderValue::from_static(WORKER_POLICY);
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The service worker. It lies at the top, because it serves only addresses beside and below its own.
/// A page from a folder has none: its files change.
pub(super) async fn service_worker(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
) -> Response {
    let found = match &server.page {
        PageSource::Program => embedded(SERVICE_WORKER, &headers),
        PageSource::Folder(_) => None,
    };
    let Some(mut response) = found else { return StatusCode::NOT_FOUND.into_response() };
    let policy = HeaderValue::from_static(SERVICE_WORKER_POLICY);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// `index.html`, with the preview of the link, if it has one.
fn index(
    source: &PageSource,
    status: StatusCode,
    preview: Option<Preview>,
    headers: &HeaderMap,
) -> Response {
    let found = match (source, preview) {
        (PageSource::Program, None) => embedded("index.html", headers),
        (PageSource::Program, Some(preview)) => index_with(&preview, headers),
        (PageSource::Folder(folder), preview) => live(folder, "index.html", preview.as_ref()),
    };
    let policy = HeaderValue::from_static(POLICY);
    document(source, found, status, policy, &[language_file(headers)])
}

/// An HTML file, which browsers revalidate on each visit, and files that it needs at once.
fn document(
    source: &PageSource,
    found: Option<Response>,
    status: StatusCode,
    policy: HeaderValue,
    files: &[&str],
) -> Response {
    let Some(mut response) = found else {
        return (StatusCode::NOT_FOUND, "The page's folder does not contain this file.\n")
            .into_response();
    };
    if response.status() == StatusCode::OK {
        *response.status_mut() = status;
    }
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    let to_add = [
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept-encoding, accept-language"),
    ];
    for (name, value) in to_add {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    preload(source, files, &mut response);
    response
}

/// Has the browser fetch files at once that scripts would ask for later.
fn preload(source: &PageSource, files: &[&str], response: &mut Response) {
    // The files of a folder are not kept, so they would be fetched twice.
    if matches!(source, PageSource::Folder(_)) {
        return;
    }
    for file in files {
        let relation = if file.ends_with(".css") { "preload; as=style" } else { "modulepreload" };
        let link = format!("</web/{DIGEST}/{file}>; rel={relation}");
        if let Ok(link) = HeaderValue::try_from(link) {
            response.headers_mut().append(header::LINK, link);
        }
    }
}

/// The file of the language that the page will show, unless the visitor has chosen another one. Browsers
/// name languages as the page's scripts find them: the best first.
fn language_file(headers: &HeaderMap) -> &'static str {
    let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let file_of = |item: &str| {
        let code = item.trim().get(..2)?;
        FILES.iter().map(|file| file.name).find(|name| {
            let language = name.strip_prefix("language/").and_then(|it| it.strip_suffix(".js"));
            language.is_some_and(|language| language.eq_ignore_ascii_case(code))
        })
    };
    accepted.into_iter().flat_map(|list| list.split(',')).find_map(file_of).unwrap_or(ENGLISH)
}

/// `index.html` with the preview of a link. Its tag covers both, because either may change.
fn index_with(preview: &Preview, headers: &HeaderMap) -> Option<Response> {
    let file = FILES.iter().find(|file| file.name == "index.html")?;
    let content = preview.write_into(str::from_utf8(file.plain).ok()?);
    let hash = Sha256::digest(&content);
    let hash = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
    let tag = HeaderValue::try_from(format!("W/\"{DIGEST}-{hash:08x}\"")).ok()?;
    let described = describe(file.name)?;
    if headers.get(header::IF_NONE_MATCH) == Some(&tag) {
        return Some((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    Some(([(header::ETAG, tag)], described, content).into_response())
}

/// An embedded file, or "not modified" if the browser has it.
fn embedded(name: &str, headers: &HeaderMap) -> Option<Response> {
    let file = FILES.iter().find(|file| file.name == name)?;
    let encoding = Encoding::wanted(headers);
    // Weak, because all encodings share it.
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
    let content = Bytes::from_static(encoding.of(file));
    let mut response = (cached, described, content).into_response();
    if let Some(coding) = encoding.name() {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    Some(response)
}

/// A file as it is in the folder now.
fn live(folder: &FilePath, name: &str, preview: Option<&Preview>) -> Option<Response> {
    if !is_inside(name) {
        return None;
    }
    let described = describe(name)?;
    let mut content = fs::read(folder.join(name)).ok()?;
    if name.ends_with(".html") {
        let place = format!("/web/{LIVE}");
        let text = String::from_utf8(content).ok()?.replace("{web}", &place);
        content = preview.map_or(text.clone(), |preview| preview.write_into(&text)).into_bytes();
    }
    let cached = [(header::CACHE_CONTROL, "no-store")];
    Some((cached, described, content).into_response())
}

/// Whether a name stays within the page's folder: plain parts, none of them hidden or `..`.
fn is_inside(name: &str) -> bool {
    name.split('/').all(|part| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    })
}

/// The content type of a file, if files of its kind are served.
fn describe(name: &str) -> Option<[(HeaderName, &'static str); 1]> {
    let kind = match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        _ => return None,
    };
    Some([(header::CONTENT_TYPE, kind)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_within_the_folder_are_read() {
        for name in ["main.js", "language/en.js", "board/board-keys.js"] {
            assert!(is_inside(name), "{name}");
        }
        for name in ["../main.js", "language/../main.js", "/etc/main.js", "a//b.js", ".a.js", ""] {
            assert!(!is_inside(name), "{name}");
        }
    }
}
