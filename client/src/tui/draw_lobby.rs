//! Draws the lobby: the seek that stands, the pools, the games on offer, and what has happened.

use fivefold_shared::protocol::{OpenSeek, Pool, Wanted};
use ratatui::{
    Frame,
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
    widgets::{Paragraph, Widget, Wrap},
};
use unicode_width::UnicodeWidthStr;

use super::{
    app::Kind,
    draw_screen::{bar, clean, fitting},
    lobby_screen::LobbyScreen,
    theme::{BAR, STRONG},
    wrapping::wrap,
};
use crate::{
    play::lobby::{LobbyState, Search},
    words::lobby_sentences as sentences,
};

/// The smallest terminal for the lobby.
const COLUMNS_MIN: u16 = 36;
/// See [`COLUMNS_MIN`].
const ROWS_MIN: u16 = 10;
/// No line is longer, so that its figures stay near its name.
const COLUMNS_MAX: u16 = 100;
/// From this width on all figures fit.
const WIDE: usize = 76;
/// Below this width only a short column fits.
const NARROW: usize = 56;
/// Rows for messages, with their heading.
const MESSAGES: u16 = 4;
/// The same where the terminal is low.
const MESSAGES_LOW: u16 = 2;
/// From this height on all of them fit.
const HIGH: u16 = 22;
/// Below this height there are no empty rows, and one row for the latest message.
const LOW: u16 = 16;

/// Draws the screen.
pub(super) fn draw(screen: &LobbyScreen, state: &LobbyState, now: u64, frame: &mut Frame<'_>) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    if area.width < COLUMNS_MIN || area.height < ROWS_MIN {
        too_small(area, buffer);
    } else {
        let area = Rect { width: area.width.min(COLUMNS_MAX), ..area };
        parts(screen, state, now, area, buffer);
    }
    clean(frame);
}

fn too_small(screen: Rect, buffer: &mut Buffer) {
    let text = format!(
        "The lobby needs {COLUMNS_MIN} columns and {ROWS_MIN} rows; this terminal has {} and {}. \
         Make it larger, or press Ctrl-C to leave.",
        screen.width, screen.height
    );
    Paragraph::new(text).wrap(Wrap { trim: true }).render(screen, buffer);
}

fn parts(screen: &LobbyScreen, state: &LobbyState, now: u64, area: Rect, buffer: &mut Buffer) {
    let row = |y| Rect { y, height: 1, ..area };
    title(screen, now, row(area.y), buffer);
    let width = usize::from(area.width);
    let mut lines = search(screen, state, now, width);
    let top = if area.height < LOW { 1 } else { 2 };
    if area.height < LOW {
        lines.truncate(3);
    } else {
        lines.push(Line::default());
    }
    let above = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let body = Rect { y: area.y + top, height: area.height - top - 2, ..area };
    let messages_height = match area.height {
        ..LOW => 1,
        LOW..HIGH => MESSAGES_LOW,
        HIGH.. => MESSAGES,
    };
    let list_height = body.height.saturating_sub(above + messages_height);
    let messages_y = body.y + above + list_height;
    for (y, line) in (body.y..messages_y).zip(lines) {
        line.render(row(y), buffer);
    }
    let list = Rect { y: body.y + above, height: list_height, ..body };
    lists(screen, state, list, buffer);
    messages(screen, Rect { y: messages_y, height: messages_height, ..body }, buffer);
    status(state, now, row(area.bottom() - 2), buffer);
    let keys: &[_] = match state.search() {
        Some(_) => &["c cancel", "q quit", "1-9 another pool", "Up Down Enter choose"],
        None => &["1-9 seek in a pool", "q quit", "Up Down Enter choose"],
    };
    Line::styled(fitting(keys, width), screen.theme().quiet())
        .render(row(area.bottom() - 1), buffer);
}

/// The name of the screen; or that the connection is lost.
fn title(screen: &LobbyScreen, now: u64, area: Rect, buffer: &mut Buffer) {
    if let Some(banner) = screen.connection().banner(now) {
        let width = usize::from(area.width);
        return Line::styled(format!("{banner:<width$}"), BAR).render(area, buffer);
    }
    const TITLE: &str = "Find an opponent";
    Line::styled(TITLE, STRONG).render(area, buffer);
    if TITLE.width() + 2 + screen.server().width() <= area.width.into() {
        Line::raw(screen.server()).right_aligned().render(area, buffer);
    }
}

/// The seek or challenge that stands, and where else somebody waits.
fn search(screen: &LobbyScreen, state: &LobbyState, now: u64, width: usize) -> Vec<Line<'static>> {
    let lines_of = |text: &str, style| {
        wrap(text, width).into_iter().map(move |line| Line::styled(line, style))
    };
    let Some(search) = state.search() else {
        let text = "Choose a pool: people who seek in it play each other.";
        return lines_of(text, STRONG).collect();
    };
    let mut lines: Vec<_> = lines_of(&sentences::short_search(state, search), STRONG).collect();
    let Some(waited) = state.waited_ms(now) else {
        lines.push(Line::raw("The server has not answered yet."));
        return lines;
    };
    let pool = match search {
        Search::Seek(Wanted::Pool(name)) => state.pool(name),
        Search::Seek(Wanted::Settings(_)) | Search::Challenge(..) => None,
    };
    lines.push(Line::raw(format!("You have waited {}.", sentences::length(waited))));
    if let Some(pool) = pool.filter(|pool| pool.waiting < 2) {
        let text = match sentences::elsewhere(state, pool) {
            Some(elsewhere) => elsewhere,
            None => "Nobody else waits in any pool now.".to_owned(),
        };
        lines.extend(lines_of(&text, screen.theme().quiet()));
    }
    lines
}

/// The pools, and the games on offer as far as they fit.
fn lists(screen: &LobbyScreen, state: &LobbyState, area: Rect, buffer: &mut Buffer) {
    let selected = screen.selected(state);
    let width = usize::from(area.width);
    let mut lines = vec![pool_heading(screen, width)];
    let mut selected_line = 0;
    for (index, pool) in state.pools().iter().enumerate() {
        if index == selected {
            selected_line = lines.len();
        }
        lines.push(pool_line(state, pool, index, index == selected, width));
    }
    lines.push(Line::default());
    lines.push(heading(screen, "Games on offer", width));
    if state.seeks().is_empty() {
        lines.push(Line::styled(
            "    nobody offers a game of their own now",
            screen.theme().quiet(),
        ));
    }
    for (index, seek) in (state.pools().len()..).zip(state.seeks()) {
        if index == selected {
            selected_line = lines.len();
        }
        lines.push(offer_line(seek, index == selected, width));
    }
    let height = usize::from(area.height);
    let skipped = (selected_line + 2).saturating_sub(height).min(selected_line);
    for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().skip(skipped)) {
        line.render(Rect { y, height: 1, ..area }, buffer);
    }
}

fn pool_heading(screen: &LobbyScreen, width: usize) -> Line<'static> {
    let waiting = if width < NARROW { "now" } else { "waiting" };
    let figures = figures(width, waiting, "games", "usual wait");
    let rule = "-".repeat(width.saturating_sub(figures.width() + 10));
    Line::from(vec![
        Span::styled("-- ", screen.theme().quiet()),
        Span::styled("Pools", STRONG),
        Span::styled(format!(" {rule} "), screen.theme().quiet()),
        Span::styled(figures, screen.theme().quiet()),
    ])
}

/// The figures of a pool, or their headings.
fn figures(width: usize, waiting: &str, games: &str, wait: &str) -> String {
    if width < NARROW {
        format!(" {waiting:>3}")
    } else if width < WIDE {
        format!(" {waiting:>7}")
    } else {
        format!(" {waiting:>7}  {games:>5}  {wait:>10}")
    }
}

fn pool_line(
    state: &LobbyState,
    pool: &Pool,
    index: usize,
    is_selected: bool,
    width: usize,
) -> Line<'static> {
    let is_sought =
        matches!(state.search(), Some(Search::Seek(Wanted::Pool(name))) if *name == pool.name);
    let mark = if is_selected { ">" } else { " " };
    let number = if index < 9 { (index + 1).to_string() } else { " ".to_owned() };
    let name = pool.name.as_str();
    let wait = pool.wait_ms.map_or("-".to_owned(), sentences::length);
    let star = if is_sought { "*" } else { " " };
    let figures = figures(width, &pool.waiting.to_string(), &pool.games.to_string(), &wait);
    let names = state.pools().iter().map(|pool| pool.name.as_str().len());
    let name_width = names.max().unwrap_or_default();
    let game_width = width.saturating_sub(name_width + figures.width() + 6);
    let game = beginning(&sentences::settings(&pool.settings), game_width);
    let text = format!("{mark} {number} {star}{name:name_width$} {game:game_width$}{figures}");
    Line::styled(text, if is_selected || is_sought { STRONG } else { Style::new() })
}

fn offer_line(seek: &OpenSeek, is_selected: bool, width: usize) -> Line<'static> {
    let mark = if is_selected { ">" } else { " " };
    let name = format!("{mark}   {}: ", sentences::name(seek));
    let room = width.saturating_sub(name.width());
    let text = format!("{name}{}", beginning(&sentences::settings(&seek.settings), room));
    Line::styled(text, if is_selected { STRONG } else { Style::new() })
}

/// As much of a game's settings as fits, in whole parts.
fn beginning(settings: &str, width: usize) -> String {
    let ends = settings.match_indices(", ").map(|(end, _)| end).chain([settings.len()]);
    let fits = ends.filter(|end| settings[..*end].width() <= width).last();
    match fits {
        Some(end) => settings[..end].to_owned(),
        None => settings.chars().take(width.saturating_sub(2)).chain("..".chars()).collect(),
    }
}

fn messages(screen: &LobbyScreen, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let area = match area.height {
        0 | 1 => area,
        rows => {
            heading(screen, "Messages", width).render(Rect { height: 1, ..area }, buffer);
            Rect { y: area.y + 1, height: rows - 1, ..area }
        }
    };
    let rows = usize::from(area.height);
    let mut lines = Vec::new();
    for (kind, text) in screen.log().latest() {
        let (mark, style) = match kind {
            Kind::News => ("", Style::new()),
            Kind::Warning | Kind::Mistake | Kind::Refusal => ("! ", screen.theme().warning()),
        };
        let wrapped = wrap(&format!("{mark}{text}"), width);
        lines.splice(0..0, wrapped.into_iter().map(|line| Line::styled(line, style)));
        if lines.len() >= rows {
            break;
        }
    }
    let skipped = lines.len().saturating_sub(rows);
    for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().skip(skipped)) {
        line.render(Rect { y, height: 1, ..area }, buffer);
    }
}

/// The oldest challenge, which waits for an answer.
fn status(state: &LobbyState, now: u64, area: Rect, buffer: &mut Buffer) {
    let mut open = state.challenges().open(now);
    let Some(oldest) = open.next() else { return };
    let more = match open.count() {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    };
    let keys = format!("y yes, n no{more}");
    bar(&sentences::challenge(oldest, now), &keys, area, buffer);
}

fn heading(screen: &LobbyScreen, text: &str, width: usize) -> Line<'static> {
    let rule = "-".repeat(width.saturating_sub(text.width() + 4));
    Line::from(vec![
        Span::styled("-- ", screen.theme().quiet()),
        Span::styled(text.to_owned(), STRONG),
        Span::styled(format!(" {rule}"), screen.theme().quiet()),
    ])
}
