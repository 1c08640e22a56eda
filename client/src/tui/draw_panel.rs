//! Draws the panel beside the board: players, whose turn it is, spectators, moves and messages.

use std::borrow::Cow;

use fivefold_shared::{
    notation::coordinates, protocol::Phase, room::Game, rules::Stone, seat::Seat,
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
    widgets::{Clear, Widget},
};

use super::{
    app::{App, Kind, Mode, Offer},
    draw_board,
    theme::{BAR, STRONG},
    wrapping::wrap,
};
use crate::words::{bot_names, lobby_sentences, room_sentences};

/// Fewest rows for moves: the heading and three pairs of moves.
const MOVES_MIN: u16 = 4;

/// Below this a clock shows a warning.
const LOW_MS: u64 = 10_000;

/// Draws the panel.
pub(super) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let mut top = Stone::BOTH.map(|stone| player(app, app.room().seat_of(stone))).to_vec();
    let width = usize::from(area.width);
    for (text, style) in notes(app) {
        top.extend(wrap(&text, width).into_iter().map(|line| Line::styled(line, style)));
    }
    let mut rest = area;
    for line in top.into_iter().take(usize::from(area.height)) {
        line.render(Rect { height: 1, ..rest }, buffer);
        rest = below(rest, 1);
    }
    let wanted = u16::try_from(app.ply().div_ceil(2 * pairs_beside(app, width)))
        .unwrap_or(u16::MAX)
        .saturating_add(1);
    let moves_height = wanted.clamp(MOVES_MIN, (rest.height / 2).max(MOVES_MIN)).min(rest.height);
    moves(app, Rect { height: moves_height, ..rest }, buffer);
    let rest = below(rest, moves_height);
    match app.log().skipped() {
        0 => heading(app, rest, "Messages", buffer),
        newer => heading(app, rest, &format!("Messages ({newer} newer: ])"), buffer),
    }
    messages(app, app.log().latest(), below(rest, 1), buffer);
}

/// Draws what counts most above the board of a small terminal.
pub(super) fn draw_small(app: &App, area: Rect, buffer: &mut Buffer) {
    let mut lines = Stone::BOTH.map(|stone| player(app, app.room().seat_of(stone))).to_vec();
    lines.push(match app.banner() {
        Some(banner) => Line::styled(banner, BAR),
        None => {
            let mut notes = notes(app);
            // In an opening: the next stone rather than the title.
            if app.opening_notes().len() > 1 && *app.mode() != Mode::Choose {
                notes.remove(0);
            }
            // An offer or a deadline before whose turn it is.
            notes.sort_by_key(|(_, style)| *style != app.theme().warning());
            notes
                .into_iter()
                .next()
                .map(|(text, style)| Line::styled(text, style))
                .unwrap_or_default()
        }
    });
    lines.extend(
        app.log().latest().next().map(|(kind, text)| Line::raw(format!("{}{text}", kind.sign()))),
    );
    for (line, y) in lines.into_iter().zip(area.y..area.bottom()) {
        line.render(Rect { y, height: 1, ..area }, buffer);
    }
    if *app.mode() == Mode::Choose {
        notes_over_board(app, buffer);
    } else if let Some(newer) = app.log().skipped().checked_sub(1) {
        // The row above the board has cut the latest one, too.
        let area = app.layout().board;
        Clear.render(area, buffer);
        heading(app, area, "Messages ([ older, ] newer)", buffer);
        messages(app, app.log().without_newest(newer), below(area, 1), buffer);
    }
}

/// The other notes over the board of a small terminal, while the opening's choices wait.
fn notes_over_board(app: &App, buffer: &mut Buffer) {
    let area = app.layout().board;
    let width = usize::from(area.width);
    Clear.render(area, buffer);
    let lines = notes(app).into_iter().skip(1).flat_map(|(text, style)| {
        wrap(&text, width).into_iter().map(move |line| Line::styled(line, style))
    });
    for (line, y) in lines.zip(area.y..area.bottom()) {
        line.render(Rect { y, height: 1, ..area }, buffer);
    }
}

fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

/// A player: `> X Ann (you)  4:59`, where `>` marks the side to move. Exclamation marks surround a
/// clock that is about to run out.
fn player(app: &App, seat: Seat) -> Line<'static> {
    let (theme, stone) = (app.theme(), app.room().stone_of(seat));
    let to_move = app.room().to_act() == Some(seat);
    let sits = app.room().seats.get(seat);
    let played = app.room().game.as_ref().filter(|game| game.outcome().is_some());
    let played = played.map(|game| &game.players[seat]);
    // A player who left after the end is shown until somebody takes the seat.
    let name = match (sits, played) {
        (Some(player), _) => bot_names::player(player),
        (None, Some(player)) => format!("{} (left)", bot_names::player(player)),
        (None, None) => "open seat".into(),
    };
    let has_played = sits.or(played) == played;
    // Without a server, nobody else plays.
    let you = if app.is_mine(seat) && !app.link().is_empty() { " (you)" } else { "" };
    let won = app.room().game.as_ref().and_then(Game::outcome);
    let clock = app.room().game.as_ref().and_then(|game| game.clock);
    let (time, is_low) = match clock.map(|clock| clock.face(seat, app.now())) {
        Some(face) if face.running && face.left_ms < LOW_MS => {
            (format!("  ! {} !", room_sentences::clock(face)), true)
        }
        Some(face) => (format!("  {}", room_sentences::clock(face)), false),
        None => (String::new(), false),
    };
    let has_won = has_played && won.and_then(|outcome| outcome.winner()) == Some(seat);
    let won = if has_won { "  won" } else { "" };
    let mut after = [
        Span::styled(format!(" {name}{you}{won}"), if to_move { STRONG } else { Style::new() }),
        Span::styled(time, if is_low { theme.warning() } else { Style::new() }),
    ];
    if app.layout().is_small {
        // A long name may be cut, and a clock may not.
        after.reverse();
    }
    let to_move = Span::styled(if to_move { "> " } else { "  " }, STRONG);
    let glyph = Span::styled(theme.glyph(stone), theme.stone(stone));
    Line::from_iter([to_move, glyph].into_iter().chain(after))
}

/// Notes below the players: the current state, and possible actions.
fn notes(app: &App) -> Vec<(String, Style)> {
    let theme = app.theme();
    let mut notes = match app.opening_notes() {
        opening if opening.is_empty() => vec![(turn(app), STRONG)],
        opening => opening.into_iter().map(|text| (text, STRONG)).collect(),
    };
    if let Some(point) = app.late_move() {
        let name = coordinates::format(point, app.rules().size());
        notes.push((format!("{name} is on its way to the server"), theme.warning()));
    }
    for sentence in room_sentences::time_off(app.perspective(), app.now()) {
        notes.push((sentence, theme.warning()));
    }
    for sentence in room_sentences::absent(app.perspective(), app.away(), app.now()) {
        notes.push((sentence, theme.warning()));
    }
    if let Some(sentence) = room_sentences::deadline(app.perspective(), app.now()) {
        notes.push((sentence, theme.warning()));
    }
    if let Some(offer) = app.open_offer() {
        notes.push((format!("{} {}", offer_sentence(app, offer), offer.keys()), theme.warning()));
    }
    if app.phase() == Phase::Waiting && !app.link().is_empty() {
        notes.push((format!("Link for a friend: {}", app.link()), Style::new()));
    }
    let (ply, plies) = (app.position().ply(), app.ply());
    match app.look() {
        // A small screen shows the first note.
        Some(_) if app.is_over() => {
            notes.insert(0, (format!("Move {ply} of {plies}; End: the last"), theme.warning()));
        }
        Some(_) => {
            let text = format!("Looking back: move {ply} of {plies}; G returns");
            notes.push((text, theme.warning()));
        }
        None if app.is_over() => {
            notes.push((format!("Move {ply} of {plies}; Left and Right step"), theme.quiet()));
        }
        None => {}
    }
    if let Some(way) = app.window().and_then(|window| draw_board::way_to_last(app, &window)) {
        notes.push((format!("The last move is outside: {way}; Tab goes there"), theme.last()));
    } else if !app.follows() {
        notes.push(("The window was moved; Tab follows play again".into(), theme.quiet()));
    }
    let spectators = app.spectators();
    if spectators.count > 0 {
        let more = if spectators.count > spectators.names.len() { ", ..." } else { "" };
        let names = room_sentences::watching(spectators);
        let text = format!("Watching: {} ({names}{more})", spectators.count);
        notes.push((text, theme.quiet()));
    }
    if let Some(bot) = app.heat().shown(app.position().ply()) {
        notes.push((format!("Weights of {}: 9 best, 0 least", bot_names::bot(bot)), theme.quiet()));
    } else if app.heat().is_awaited() {
        notes.push(("Weights: waiting for the bot".into(), theme.quiet()));
    }
    notes
}

/// Describes the side to move, or how the game ended.
fn turn(app: &App) -> String {
    let Some(game) = &app.room().game else {
        return match app.room().seats.vacant() {
            // The help has the whole link.
            Some(_) if app.is_seated() && app.layout().is_small => {
                let code = app.link().rsplit('/').next().unwrap_or_default();
                format!("Waiting for an opponent in {code}")
            }
            Some(_) if app.is_seated() => "Waiting for an opponent".into(),
            Some(_) => "A seat is open: S takes it".into(),
            None => "The game is about to begin".into(),
        };
    };
    if let Some(outcome) = game.outcome() {
        return room_sentences::outcome(app.perspective(), &outcome);
    }
    let number = game.position.ply() + 1;
    match game.to_act() {
        Some(seat) if app.is_mine(seat) && !app.is_mine(seat.other()) => {
            format!("Your turn: move {number}")
        }
        Some(_) | None => format!("{} to move: move {number}", game.position.turn()),
    }
}

fn offer_sentence(app: &App, offer: Offer) -> String {
    match offer {
        Offer::Draw => "A draw is offered:".to_owned(),
        Offer::Takeback => "A takeback is asked for:".to_owned(),
        Offer::Rematch => "A rematch is asked for:".to_owned(),
        Offer::Claim => "The game is yours to claim:".to_owned(),
        Offer::Challenge => {
            let oldest = app.challenges().open(app.now()).next();
            oldest.map(|oldest| lobby_sentences::challenge(oldest, app.now())).unwrap_or_default()
        }
    }
}

/// How many pairs of moves fit side by side.
fn pairs_beside(app: &App, width: usize) -> usize {
    (width / pair_width(app)).max(1)
}

fn pair_width(app: &App) -> usize {
    let moves = app.room().game.as_ref().map_or(&[][..], |game| game.position.moves());
    let size = app.rules().size();
    let name = moves.iter().map(|point| coordinates::format(*point, size).len()).max().unwrap_or(3);
    number_width(moves.len()) + 2 * (name + 2) + 2
}

fn number_width(moves: usize) -> usize {
    moves.div_ceil(2).to_string().len()
}

/// The moves in pairs, columns side by side, with brackets around the shown one.
fn moves(app: &App, area: Rect, buffer: &mut Buffer) {
    heading(app, area, "Moves", buffer);
    let area = below(area, 1);
    let Some(game) = &app.room().game else { return };
    let moves = game.position.moves();
    let size = app.rules().size();
    let shown = app.position().ply();
    let columns = pairs_beside(app, usize::from(area.width));
    let rows = usize::from(area.height);
    let fit = (rows * columns).max(1);
    let pairs = moves.len().div_ceil(2);
    // Keep the shown pair visible; at the end of the game that is the last one.
    let first = shown.div_ceil(2).saturating_sub(fit).min(pairs.saturating_sub(fit));
    let numbers = number_width(moves.len());
    let pair_width = u16::try_from(pair_width(app)).unwrap_or(u16::MAX);
    for (place, number) in (first..pairs).take(fit).enumerate() {
        let (Ok(column), Ok(row)) = (u16::try_from(place / rows), u16::try_from(place % rows))
        else {
            return;
        };
        let mut spans =
            vec![Span::styled(format!("{:>numbers$} ", number + 1), app.theme().quiet())];
        for ply in [2 * number, 2 * number + 1] {
            let Some(point) = moves.get(ply) else { continue };
            let name = coordinates::format(*point, size);
            spans.push(match ply + 1 == shown {
                true => Span::styled(format!("[{name}]"), app.theme().last()),
                false => Span::raw(format!(" {name} ")),
            });
        }
        let x = area.x + column * pair_width;
        let width = pair_width.min(area.right().saturating_sub(x));
        Line::from(spans).render(Rect { x, y: area.y + row, width, height: 1 }, buffer);
    }
}

/// The messages, the latest at the bottom.
fn messages<'a>(
    app: &App,
    latest: impl Iterator<Item = (Kind, Cow<'a, str>)>,
    area: Rect,
    buffer: &mut Buffer,
) {
    let mut rows: Vec<Line<'_>> = Vec::new();
    for (kind, text) in latest {
        let sign = kind.sign();
        let style = match kind {
            Kind::News => Style::new(),
            Kind::Warning | Kind::Mistake | Kind::Refusal => app.theme().warning(),
        };
        let mut lines = wrap(&text, usize::from(area.width).saturating_sub(2));
        lines.reverse();
        let last = lines.len().saturating_sub(1);
        for (index, line) in lines.into_iter().enumerate() {
            let sign = if index == last { sign } else { "  " };
            rows.push(Line::styled(format!("{sign}{line}"), style));
        }
        if rows.len() >= usize::from(area.height) {
            break;
        }
    }
    rows.truncate(usize::from(area.height));
    rows.reverse();
    for (line, y) in rows.into_iter().zip(area.y..area.bottom()) {
        line.render(Rect { y, height: 1, ..area }, buffer);
    }
}

fn heading(app: &App, area: Rect, text: &str, buffer: &mut Buffer) {
    let rule = "-".repeat(usize::from(area.width).saturating_sub(text.len() + 4));
    let line = Line::from(vec![
        Span::styled("-- ", app.theme().quiet()),
        Span::styled(text.to_owned(), STRONG),
        Span::styled(format!(" {rule}"), app.theme().quiet()),
    ]);
    if area.height > 0 {
        line.render(Rect { height: 1, ..area }, buffer);
    }
}
