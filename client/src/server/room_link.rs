//! Addresses that people type and share: a server's address, and the link, code or id of a room or a finished game.

use std::{fmt, str::FromStr};

use fivefold_shared::protocol::{CollectionId, GameId, RoomCode, sent_code, visible};
use serde::{Deserialize, Serialize};
use url::Url;

/// A server's address: stored and shown as `http://...`, connected to as `ws://.../ws`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ServerAddress(Url);

/// Why a text is no address.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LinkError {
    /// Not an address of a server.
    #[error("a server is given as http://HOST:PORT, or https for an encrypted connection")]
    Server,
    /// No code, no id and no link.
    #[error(
        "a room is given by its code (12 characters, such as k7m2qpxw9abc), a finished game by its \
         id (16 characters), and both by their links, such as http://127.0.0.1:8080/r/k7m2qpxw9abc"
    )]
    Unknown,
    /// A finished game, where a room is wanted.
    #[error(
        "this is a finished game, and not a room: `fivefold watch` steps through it, and \
         `fivefold analyse` says what decided it"
    )]
    Game,
}

impl ServerAddress {
    /// The address of the WebSocket.
    pub fn socket(&self) -> String {
        let scheme = if self.is_encrypted() { "wss" } else { "ws" };
        let rest = self.0.as_str().split_once(':').map_or("", |(_, rest)| rest);
        format!("{scheme}:{}/ws", rest.trim_end_matches('/'))
    }

    /// The shareable link of a room.
    pub fn room_link(&self, code: &RoomCode) -> String {
        format!("{self}/r/{code}")
    }

    /// The shareable link of a finished game.
    pub fn game_link(&self, id: &GameId) -> String {
        format!("{self}/game/{id}")
    }

    /// The shareable link of a collection of games.
    pub fn collection_link(&self, id: &CollectionId) -> String {
        format!("{self}/collection/{id}")
    }

    /// The host and the port to connect to.
    pub fn host_and_port(&self) -> (&str, u16) {
        let host = self.0.host_str().expect("checked when it was parsed");
        (host, self.0.port_or_known_default().expect("http and https have one"))
    }

    /// The host, with the port unless it is the scheme's own.
    pub fn authority(&self) -> &str {
        self.0.authority()
    }

    /// The path to request for `path`, which begins with a slash.
    pub fn path_of(&self, path: &str) -> String {
        format!("{}{path}", self.0.path().trim_end_matches('/'))
    }

    /// Whether the connection is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.0.scheme() == "https"
    }

    fn from_url(mut url: Url) -> Result<Self, LinkError> {
        let scheme = match url.scheme() {
            "http" | "ws" => "http",
            "https" | "wss" => "https",
            _ => return Err(LinkError::Server),
        };
        url.set_scheme(scheme).map_err(|()| LinkError::Server)?;
        let plain = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if url.host_str().is_none() || !plain {
            return Err(LinkError::Server);
        }
        Ok(Self(url))
    }
}

impl Default for ServerAddress {
    /// The address on which a server listens by default.
    fn default() -> Self {
        "http://127.0.0.1:8080".parse().expect("this is an address")
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl FromStr for ServerAddress {
    type Err = LinkError;

    /// Reads an address; without a scheme it means `http`. Drops a `/ws` at the end.
    fn from_str(text: &str) -> Result<Self, LinkError> {
        let text = text.trim();
        let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let mut url = Url::parse(&full).map_err(|_| LinkError::Server)?;
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix("/ws").unwrap_or(path).to_owned();
        url.set_path(&path);
        Self::from_url(url)
    }
}

impl TryFrom<String> for ServerAddress {
    type Error = LinkError;

    fn try_from(text: String) -> Result<Self, LinkError> {
        text.parse()
    }
}

impl From<ServerAddress> for String {
    fn from(address: ServerAddress) -> Self {
        address.to_string()
    }
}

/// A room, by its code or its link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoomLink {
    /// The server, if the text was a whole link.
    pub server: Option<ServerAddress>,
    /// The room's code.
    pub code: RoomCode,
}

/// A finished game, by its id or its link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameLink {
    /// The server, if the text was a whole link.
    pub server: Option<ServerAddress>,
    /// The game's id.
    pub id: GameId,
}

/// A room or a finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Link {
    /// A room.
    Room(RoomLink),
    /// A finished game.
    Game(GameLink),
}

impl FromStr for Link {
    type Err = LinkError;

    /// Reads a code, an id, `SCHEME://HOST[:PORT]/r/CODE` or `.../game/ID`, as people send them:
    /// [`sent_code`] says what may stand around the code, and quotes, brackets and words may stand before
    /// the address.
    fn from_str(text: &str) -> Result<Self, LinkError> {
        let (room, game) = (parts(text, "/r/"), parts(text, "/game/"));
        if room.is_none() && game.is_none() {
            let code = sent_code(text);
            return Self::room(None, code.clone()).or_else(|_| Self::game(None, code));
        }
        let read = |found: Option<(Result<_, _>, String)>, link: fn(_, _) -> _| {
            let (server, code) = found.ok_or(LinkError::Unknown)?;
            link(Some(server?), code)
        };
        read(room, Self::room).or_else(|_| read(game, Self::game))
    }
}

impl Link {
    fn room(server: Option<ServerAddress>, code: String) -> Result<Self, LinkError> {
        let code = RoomCode::try_from(code).map_err(|_| LinkError::Unknown)?;
        Ok(Self::Room(RoomLink { server, code }))
    }

    fn game(server: Option<ServerAddress>, id: String) -> Result<Self, LinkError> {
        let id = GameId::try_from(id).map_err(|_| LinkError::Unknown)?;
        Ok(Self::Game(GameLink { server, id }))
    }
}

impl FromStr for RoomLink {
    type Err = LinkError;

    fn from_str(text: &str) -> Result<Self, LinkError> {
        match text.parse()? {
            Link::Room(room) => Ok(room),
            Link::Game(_) => Err(LinkError::Game),
        }
    }
}

/// The server, and the code that follows `part` in a link.
fn parts(text: &str, part: &str) -> Option<(Result<ServerAddress, LinkError>, String)> {
    let text = visible(text);
    let at = text.to_ascii_lowercase().find(part)?;
    let (before, after) = text.split_at(at);
    let is_around = |sign: char| sign.is_whitespace() || "<>(\"'`*«“‘„".contains(sign);
    let server = before.rsplit(is_around).next().unwrap_or_default();
    Some((server.parse().map_err(|_| LinkError::Unknown), sent_code(&after[part.len()..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_read() {
        let cases = [
            ("http://127.0.0.1:8080", Some(("http://127.0.0.1:8080", "ws://127.0.0.1:8080/ws"))),
            ("http://127.0.0.1:8080/", Some(("http://127.0.0.1:8080", "ws://127.0.0.1:8080/ws"))),
            ("ws://[::1]:9/ws", Some(("http://[::1]:9", "ws://[::1]:9/ws"))),
            ("localhost:8080", Some(("http://localhost:8080", "ws://localhost:8080/ws"))),
            ("example.org", Some(("http://example.org", "ws://example.org/ws"))),
            ("https://example.org", Some(("https://example.org", "wss://example.org/ws"))),
            (
                "wss://example.org/five/ws",
                Some(("https://example.org/five", "wss://example.org/five/ws")),
            ),
            ("ftp://example.org", None),
            ("http://ann:secret@example.org", None),
            ("http://example.org/?x=1", None),
            ("http://", None),
            ("", None),
            ("two words", None),
        ];
        for (text, expected) in cases {
            let read = text.parse::<ServerAddress>().ok();
            let read = read.map(|server| (server.to_string(), server.socket()));
            let expected = expected.map(|(shown, socket)| (shown.to_owned(), socket.to_owned()));
            assert_eq!(read, expected, "{text:?}");
        }
    }

    #[test]
    fn rooms_are_read() {
        let cases = [
            ("k7m2qpxw9abc", Some((None, "k7m2qpxw9abc"))),
            (" K7M2QPXW9ABC ", Some((None, "k7m2qpxw9abc"))),
            ("http://h:1/r/k7m2qpxw9abc", Some((Some("http://h:1"), "k7m2qpxw9abc"))),
            ("https://h/r/k7m2qpxw9abc/", Some((Some("https://h"), "k7m2qpxw9abc"))),
            ("ws://h:1/r/k7m2qpxw9abc", Some((Some("http://h:1"), "k7m2qpxw9abc"))),
            ("h:1/r/k7m2qpxw9abc", Some((Some("http://h:1"), "k7m2qpxw9abc"))),
            ("h/five/r/k7m2qpxw9abc", Some((Some("http://h/five"), "k7m2qpxw9abc"))),
            ("<http://h:1/r/k7m2qpxw9abc>", Some((Some("http://h:1"), "k7m2qpxw9abc"))),
            ("“https://h/r/k7m2qpxw9abc”.", Some((Some("https://h"), "k7m2qpxw9abc"))),
            (
                "[Play](http://[::1]:1/r/k7m2qpxw9abc)",
                Some((Some("http://[::1]:1"), "k7m2qpxw9abc")),
            ),
            ("Come: https://h/r/k7m2qpxw9abc, now", Some((Some("https://h"), "k7m2qpxw9abc"))),
            ("HTTPS://H.ORG/R/K7M2QPXW9ABC", Some((Some("https://h.org"), "k7m2qpxw9abc"))),
            ("https://h/r/k7m2qpxw9abc?utm_source=/r/x", Some((Some("https://h"), "k7m2qpxw9abc"))),
            ("https://h/r/k7m2qpxw9abc%E2%80%8B", Some((Some("https://h"), "k7m2qpxw9abc"))),
            ("\u{200b}https://h/r/k7m2qpxw9abc\u{feff}", Some((Some("https://h"), "k7m2qpxw9abc"))),
            ("\"K7M2QPXW9ABC\",", Some((None, "k7m2qpxw9abc"))),
            ("k7m2qpxw9abl", None),
            ("k7m2qpxw9ab", None),
            ("http://h:1/k7m2qpxw9abc", None),
            ("http://h:1/r/", None),
            ("/r/k7m2qpxw9abc", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let read = text.parse::<RoomLink>().ok();
            let read = read.map(|link| (link.server.map(String::from), link.code.to_string()));
            let expected =
                expected.map(|(server, code)| (server.map(str::to_owned), code.to_owned()));
            assert_eq!(read, expected, "{text:?}");
        }
    }

    #[test]
    fn one_parser_reads_rooms_and_finished_games() {
        let id = "k7m2qpxw9abcdefg";
        for (text, expected) in [
            (id.to_owned(), Some((None, id))),
            (format!(" {} ", id.to_uppercase()), Some((None, id))),
            (format!("http://h:1/game/{id}"), Some((Some("http://h:1"), id))),
            (format!("https://h/five/game/{id}/"), Some((Some("https://h/five"), id))),
            (format!("h:1/game/{id}?move=3"), Some((Some("http://h:1"), id))),
            (format!("Look: <http://h:1/game/{id}>."), Some((Some("http://h:1"), id))),
            ("k7m2qpxw9abc".to_owned(), Some((None, "k7m2qpxw9abc"))),
            ("http://h:1/r/k7m2qpxw9abc".to_owned(), Some((Some("http://h:1"), "k7m2qpxw9abc"))),
            (format!("http://h:1/r/{id}"), None),
            ("game.sgf".to_owned(), None),
            (format!("/game/{id}"), None),
        ] {
            let read = text.parse().ok().map(|link| match link {
                Link::Room(RoomLink { server, code }) => (server, code.to_string()),
                Link::Game(GameLink { server, id }) => (server, id.to_string()),
            });
            let expected = expected.map(|(server, code)| {
                (server.map(|text: &str| text.parse().unwrap()), code.into())
            });
            assert_eq!(read, expected, "{text}");
            let room = text.parse::<RoomLink>();
            let is_game = matches!(text.parse(), Ok(Link::Game(_)));
            assert_eq!(room == Err(LinkError::Game), is_game, "{text}");
        }
    }
}
