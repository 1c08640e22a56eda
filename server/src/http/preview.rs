//! Previews of links: how `index.html` describes a room, a game, a collection or a position to programs
//! that show links, by Open Graph. Pictures have absolute addresses, because those programs need them.

use std::fmt::Write as _;

use axum::http::{HeaderMap, Uri};
use fivefold_shared::{
    clock::TimeControl,
    notation::coordinates,
    protocol::{CollectionId, GameId, Reason, Refusal, RoomCode},
    rules::{Point, Rules, Size, Variant},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::time::Instant;

use super::{caller::Caller, picture::read_position};
use crate::{
    picture::{Card, PICTURE_SIZE},
    rooms::listed_room::ListedRoom,
    shared_state::Server,
};

/// The description in `index.html`.
const ABOUT: &str =
    "Five in a row, online: gomoku and renju with a friend, against a bot, or watching.";
/// The title in `index.html`.
const TITLE: &str = r#"<meta property="og:title" content="Fivefold">"#;

/// The type of oEmbed's answers in links to them.
const OEMBED: &str = "application/json+oembed";

/// How a link is described.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Preview {
    pub(super) title: String,
    about: String,
    /// The picture's address; none if the request does not say to which host it was made.
    pub(super) picture: Option<String>,
    /// Where the link is described for sites that show a board in its place; none in the same case.
    oembed: Option<String>,
}

impl Preview {
    /// Writes the preview into `index.html`.
    pub(super) fn write_into(&self, html: &str) -> String {
        let mut tags = String::new();
        let mut tag = |kind: &str, name: &str, content: &str| {
            let content = escape(content);
            write!(tags, r#"<meta {kind}="{name}" content="{content}">"#)
                .expect("a string takes everything");
        };
        tag("property", "og:title", &self.title);
        tag("property", "og:site_name", "Fivefold");
        tag("property", "og:type", "website");
        if let Some(picture) = &self.picture {
            let (width, height) = PICTURE_SIZE;
            tag("property", "og:image", picture);
            tag("property", "og:image:type", "image/png");
            tag("property", "og:image:width", &width.to_string());
            tag("property", "og:image:height", &height.to_string());
            tag("name", "twitter:card", "summary_large_image");
            tag("name", "twitter:image", picture);
        }
        if let Some(address) = &self.oembed {
            let (address, title) = (escape(address), escape(&self.title));
            write!(
                tags,
                r#"<link rel="alternate" type="{OEMBED}" href="{address}" title="{title}">"#
            )
            .expect("a string takes everything");
        }
        html.replace(ABOUT, &escape(&self.about)).replace(TITLE, &tags)
    }

    fn of_card(card: &Card, picture: Option<String>, oembed: Option<String>) -> Self {
        Self { title: card.title(), about: card.about(), picture, oembed }
    }
}

/// Where the board of a link is described: a path of this server, which may have a query. None where no board may be on
/// another site.
fn oembed(server: &Server, caller: &Caller, headers: &HeaderMap, path: &str) -> Option<String> {
    if !server.embeds {
        return None;
    }
    let own = address(server, caller, headers, "")?;
    let link = format!("{own}{path}");
    let link = utf8_percent_encode(&link, NON_ALPHANUMERIC);
    Some(format!("{own}/api/oembed?format=json&url={link}"))
}

/// The preview of a link to a room: only what the link's holder may know, and no names. A public
/// room's game is shown as it stands.
pub(super) async fn of_room(
    server: &Server,
    caller: &Caller,
    code: &RoomCode,
    headers: &HeaderMap,
) -> Result<Preview, Refusal> {
    let room = find_room(server, caller, code).await?;
    let title = "Fivefold: five in a row".to_owned();
    let path = board_after(room.summary.rules, &room.moves);
    let picture = address(server, caller, headers, &path);
    let oembed = oembed(server, caller, headers, &format!("/r/{code}"));
    Ok(Preview { title, about: describe_room(&room), picture, oembed })
}

/// The preview of a link to a finished game.
pub(super) async fn of_game(
    server: &Server,
    caller: &Caller,
    id: String,
    headers: &HeaderMap,
) -> Result<Preview, Refusal> {
    let id = GameId::try_from(id).map_err(|_| Refusal::new(Reason::NoSuchGame))?;
    charge(server, caller)?;
    let wanted = id.clone();
    let found = server.read_pool.try_read(move |reader| reader.game(&wanted)).await;
    let card = Card::of_game(&found?.ok_or_else(|| Refusal::new(Reason::NoSuchGame))?);
    let picture = address(server, caller, headers, &format!("/game/{id}.png"));
    let oembed = oembed(server, caller, headers, &format!("/game/{id}"));
    Ok(Preview::of_card(&card, picture, oembed))
}

/// The preview of a link to a shared collection. Its owner gets none for a private one: nothing shows whether it exists.
pub(super) async fn of_collection(
    server: &Server,
    caller: &Caller,
    id: String,
    headers: &HeaderMap,
) -> Result<Preview, Refusal> {
    let id = CollectionId::try_from(id).map_err(|_| Refusal::new(Reason::NoSuchCollection))?;
    charge(server, caller)?;
    let collection = server.accounts.shared_collection(id).await?;
    let owner = collection.owner.map(|owner| format!(", shared by {owner}")).unwrap_or_default();
    let games = match collection.games {
        1 => "1 game".to_owned(),
        count => format!("{count} games"),
    };
    Ok(Preview {
        title: collection.name.into(),
        about: format!("A collection of five-in-a-row games{owner}: {games}."),
        // An empty board.
        picture: address(server, caller, headers, "/analyse.png"),
        oembed: None,
    })
}

/// The preview of a link to a position.
pub(super) async fn of_position(
    server: &Server,
    caller: &Caller,
    position: Uri,
    headers: &HeaderMap,
) -> Result<Preview, Refusal> {
    let query =
        position.query().ok_or_else(|| Refusal::malformed("there is no position"))?.to_owned();
    charge(server, caller)?;
    let read = server.jobs.run(caller.address, move || read_position(&position)).await;
    let card = read.map_err(|why| Refusal::new(why.reason()))??;
    let picture = address(server, caller, headers, &format!("/analyse.png?{query}"));
    let oembed = oembed(server, caller, headers, &format!("/analyse?{query}"));
    Ok(Preview::of_card(&card, picture, oembed))
}

/// Takes a request's cost from the allowance of its address. With none left, the page has no
/// preview.
fn charge(server: &Server, caller: &Caller) -> Result<(), Refusal> {
    let now = Instant::now();
    let is_left = server.address_limits.of(caller.address, now).take_http(now, 1);
    if is_left { Ok(()) } else { Err(Reason::TooFast.into()) }
}

/// An address on this server for other programs.
pub(super) fn address(
    server: &Server,
    caller: &Caller,
    headers: &HeaderMap,
    path: &str,
) -> Option<String> {
    if let Some(url) = &server.public_url {
        return Some(format!("{url}{path}"));
    }
    let host = server.proxies.get().host(caller.peer, headers)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    if host.is_empty() || !host.bytes().all(is_plain) {
        return None;
    }
    let is_encrypted = server.is_encrypted(caller.peer, headers);
    let scheme = if is_encrypted { "https" } else { "http" };
    Some(format!("{scheme}://{host}{path}"))
}

/// The address of the picture of a board after these moves.
fn board_after(rules: Rules, moves: &[Point]) -> String {
    let size = match rules.size() {
        Size::Bounded { width, height } => format!("{width},{height}"),
        Size::Unbounded => "unbounded".to_owned(),
    };
    let k = match rules.variant() {
        Variant::Mnk { k } => format!("&k={k}"),
        Variant::Freestyle
        | Variant::Standard
        | Variant::Renju
        | Variant::Caro
        | Variant::CaroOverline => String::new(),
    };
    let mut path = format!("/analyse.png?variant={}&size={size}{k}", rules.variant().name());
    for (number, point) in moves.iter().enumerate() {
        path.push_str(if number == 0 { "&moves=" } else { "+" });
        path.push_str(&coordinates::format(*point, rules.size()));
    }
    path
}

/// The room with this code. Failed lookups count as in `join`, so that nobody can guess codes here.
async fn find_room(
    server: &Server,
    caller: &Caller,
    code: &RoomCode,
) -> Result<ListedRoom, Refusal> {
    let now = Instant::now();
    let rate = server.address_limits.of(caller.address, now);
    if !rate.may_try_code(now) {
        return Err(Reason::TooManyUnknownCodes.into());
    }
    let found = server.lobby.look_up(code).await;
    if let Err(refusal) = &found
        && refusal.reason == Reason::NoSuchRoom
    {
        rate.note_unknown_code(now);
    }
    found?.ok_or_else(|| Reason::Unavailable.into())
}

fn describe_room(ListedRoom { summary: room, moves, .. }: &ListedRoom) -> String {
    let clock = match room.time {
        TimeControl::None => "no clock".to_owned(),
        TimeControl::SuddenDeath { .. }
        | TimeControl::Fischer { .. }
        | TimeControl::ByoYomi { .. }
        | TimeControl::PerMove { .. }
        | TimeControl::Daily { .. } => format!("clock {}", room.time),
    };
    let invitation = if room.seats.vacant().is_some() {
        "A seat is open. Open the link and press Play to take it."
    } else {
        "Both seats are taken. Open the link to watch."
    };
    let moves = match moves.len() {
        0 => String::new(),
        1 => " 1 move.".to_owned(),
        count => format!(" {count} moves."),
    };
    format!("Five in a row: {}, {clock}.{moves} {invitation}", room.rules)
}

/// Escapes text for HTML.
pub(super) fn escape(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_attribute() {
        assert_eq!(escape(r#"<a href="x">'&'"#), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;");
    }

    #[test]
    fn the_page_has_what_previews_replace() {
        let html = include_str!("../../web/index.html");
        assert_eq!((html.matches(ABOUT).count(), html.matches(TITLE).count()), (2, 1));
    }
}
