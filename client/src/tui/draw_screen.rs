//! Draws the whole screen from the state alone.

use fivefold_shared::{
    notation::coordinates,
    protocol::{Phase, Visibility},
    rules::Size,
    seat::Seat,
};
use ratatui::{
    Frame,
    buffer::Buffer,
    layout::Rect,
    text::{Line, Text},
    widgets::{Block, Clear, Paragraph, Widget},
};
use unicode_width::UnicodeWidthStr;

use super::{
    app::{App, Mode},
    draw_board, draw_panel,
    keys::{FIRST_KEYS, MORE_KEYS},
    theme::{BAR, STRONG},
    wrapping,
};
use crate::terminal::sanitize::{is_unfit, sanitize};

/// Draws the screen. Lays it out for the frame's size, which may have changed since any event.
/// Sanitizes everything on it, as a second safeguard.
pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>) {
    app.fit(frame.area());
    draw_parts(app, frame);
    clean(frame);
}

/// Replaces what may not be on a screen.
pub(super) fn clean(frame: &mut Frame<'_>) {
    for cell in &mut frame.buffer_mut().content {
        if cell.symbol().contains(is_unfit) {
            cell.set_symbol(" ");
        }
    }
}

fn draw_parts(app: &App, frame: &mut Frame<'_>) {
    let screen = frame.area();
    let buffer = frame.buffer_mut();
    let layout = app.layout();
    title(app, layout.title, buffer);
    draw_board::draw(app, buffer);
    match layout.is_small {
        true => draw_panel::draw_small(app, layout.side, buffer),
        false => draw_panel::draw(app, layout.side, buffer),
    }
    status(app, layout.status, buffer);
    let footer = fitting(&keys(app), layout.footer.width.into());
    Line::styled(footer, app.theme().quiet()).render(layout.footer, buffer);
    if let Mode::Help(lines) = app.mode() {
        help(app, *lines, screen, buffer);
    }
    if let Mode::Input(text) = app.mode() {
        let typed = u16::try_from(text.len()).unwrap_or(0);
        let x = layout.status.x + INPUT_PROMPT_WIDTH + typed;
        frame.set_cursor_position((x, layout.status.y));
    }
}

const INPUT_PROMPT: &str = "Point: ";
const INPUT_PROMPT_WIDTH: u16 = 7;

const SAY_PROMPT: &str = "Say (Enter, Esc): ";

/// The visible end of a text that is being typed.
fn end_of(text: &str, width: u16) -> String {
    let room = usize::from(width).saturating_sub(SAY_PROMPT.len() + 2);
    let text = sanitize(text);
    let mut used = 0;
    let shown = wrapping::graphemes(&text).into_iter().rev().take_while(|grapheme| {
        used += grapheme.width();
        used <= room
    });
    let length: usize = shown.map(str::len).sum();
    text[text.len() - length..].to_owned()
}

/// A text and the keys that answer it, at the bottom of `area`. If they do not fit in one row, they also take the
/// rows above it: nothing is cut.
pub(super) fn bar(text: &str, keys: &str, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width).saturating_sub(2);
    let mut rows = wrapping::wrap(text, width);
    match rows.last_mut() {
        Some(last) if last.width() + 2 + keys.width() <= width => *last += &format!("  {keys}"),
        Some(_) | None => rows.extend(wrapping::wrap(keys, width)),
    }
    for (row, y) in rows.iter().rev().zip((0..=area.y).rev()) {
        let place = Rect { y, height: 1, ..area };
        Clear.render(place, buffer);
        Line::styled(format!(" {row} "), BAR).render(place, buffer);
    }
}

/// The first of these texts that fits, or else the last one.
fn first_fitting<'a>(texts: &[&'a str], width: u16) -> &'a str {
    let mut fitting = texts.iter().filter(|text| text.width() <= usize::from(width));
    fitting.next().or(texts.last()).copied().unwrap_or_default()
}

/// The rules and the room; or that the connection is lost.
fn title(app: &App, area: Rect, buffer: &mut Buffer) {
    if let Some(banner) = app.banner() {
        let width = usize::from(area.width);
        return Line::styled(format!("{banner:<width$}"), BAR).render(area, buffer);
    }
    let kind = match (app.link().is_empty(), app.room().visibility) {
        (true, _) => "",
        (false, Visibility::Public) => "  public",
        (false, Visibility::Private) => "  private",
    };
    let help = if app.room().assistance { "  with assistance" } else { "" };
    let rules = app.rules().to_string();
    let lefts = [format!("{rules}{kind}{help}"), format!("{rules}{kind}"), rules];
    // The link matters more than what kind of room it is.
    let room = usize::from(area.width).saturating_sub(app.link().width() + 2);
    let fitting = lefts.iter().find(|left| left.width() <= room);
    if fitting.is_some() {
        Line::raw(app.link()).right_aligned().render(area, buffer);
    }
    Line::styled(fitting.unwrap_or(&lefts[0]), STRONG).render(area, buffer);
}

/// A question, the input line, or the point under the cursor.
fn status(app: &App, area: Rect, buffer: &mut Buffer) {
    let line = match app.mode() {
        Mode::Ask(question) => {
            let point = app.waiting_letter().filter(|_| app.names_column());
            let point = point.map(|letter| format!(", a digit: point {letter}"));
            let keys = format!("{}{}", question.keys(), point.unwrap_or_default());
            return bar(&app.question_text(*question), &keys, area, buffer);
        }
        Mode::MayBePoint(_) => {
            let letter = app.waiting_letter().unwrap_or(' ');
            let keys = format!("a digit: point {letter}, Enter: command {letter}, Esc: neither");
            return bar(&format!("{letter}_"), &keys, area, buffer);
        }
        Mode::Input(text) => {
            let long = format!("{INPUT_PROMPT}{text}_  (Enter plays, Esc cancels) ");
            let short = format!("{INPUT_PROMPT}{text}_ ");
            Line::styled(first_fitting(&[&long, &short], area.width).to_owned(), BAR)
        }
        Mode::Choose => {
            let texts =
                [" Choose by the number; Esc goes to the board ", " By the number; Esc: board "];
            Line::styled(first_fitting(&texts, area.width), BAR)
        }
        Mode::Declare(text) => {
            let long = format!("How many fifth stones will Black offer? {text}_ (Enter, Esc) ");
            let short = format!("How many fifth stones? {text}_ ");
            Line::styled(first_fitting(&[&long, &short], area.width).to_owned(), BAR)
        }
        Mode::Say(text) => Line::styled(format!("{SAY_PROMPT}{}_ ", end_of(text, area.width)), BAR),
        Mode::Board | Mode::Help(_) => Line::raw(under_cursor(app)),
    };
    line.render(area, buffer);
}

fn under_cursor(app: &App) -> String {
    let point = app.cursor();
    let name = coordinates::format(point, app.rules().size());
    let what = match (app.position().stone_at(point), app.position().forbidden_at(point)) {
        (Some(stone), _) => {
            let outcome = app.position().outcome();
            let won = outcome.is_some_and(|outcome| outcome.line().contains(&point));
            format!("{stone}{}", if won { ", winning line" } else { "" })
        }
        (None, Some(kind)) if app.forbidden().contains(&point) => {
            format!("forbidden to Black: {kind}")
        }
        (None, _) => "empty".into(),
    };
    let ply = app.position().ply();
    let weight = match (app.heat().shown(ply), app.position().stone_at(point)) {
        (Some(_), None) => {
            app.heat().description(ply, point).map(|words| format!(", weight {words}"))
        }
        (_, _) => None,
    };
    let mouse = if app.has_mouse() { "" } else { "  mouse off" };
    format!("{name}: {what}{}{mouse}", weight.unwrap_or_default())
}

/// The keys that do something now, the most important first; the help lists all.
pub(super) fn keys(app: &App) -> Vec<&'static str> {
    let room = app.room();
    let is_playing = app.is_seated() && app.phase() == Phase::Running && app.may_ask();
    let is_mine = |by: Option<Seat>| by.is_some_and(|by| app.is_mine(by));
    let game = room.game.as_ref();
    let play = match app.rules().size() {
        Size::Bounded { .. } => "Enter/h8 play",
        Size::Unbounded => "Enter/x,y play",
    };
    let resign = if room.is_abortable() { "r abort" } else { "r resign" };
    let has_seat = !app.is_seated() && room.open_seat(app.away()).is_some();
    let again = app.is_seated() && app.phase() == Phase::Finished;
    let helps = app.is_assisted() && app.may_ask() && app.look().is_none();
    let is_past = app.ply() > 0;
    let keys = [
        ("? help", true),
        ("q quit", true),
        (play, app.is_my_turn() && app.may_ask() && app.look().is_none()),
        ("S sit", has_seat && app.may_ask()),
        ("m rematch", again && app.may_ask() && !is_mine(game.and_then(|game| game.rematch_ask))),
        ("u takeback", is_playing && app.may_take_back()),
        (
            "d draw",
            is_playing && !room.is_abortable() && !is_mine(game.and_then(|game| game.draw_offer)),
        ),
        (resign, is_playing),
        ("D bot", helps && app.is_my_turn()),
        ("T,W weights", helps),
        ("/ chat", room.chat && !app.link().is_empty() && app.may_ask()),
        ("Left/Right step", is_past && app.is_over()),
        (", . look back", is_past && !app.is_over()),
        ("Ctrl-S save", is_past),
        ("Tab last move", is_past),
        ("M mouse", true),
    ];
    keys.into_iter().filter(|(_, is_now)| *is_now).map(|(key, _)| key).collect()
}

/// The first keys, as many as fit in one row.
pub(super) fn fitting(keys: &[&str], width: usize) -> String {
    let mut text = String::new();
    for key in keys {
        if text.width() + 2 + key.width() > width {
            break;
        }
        if !text.is_empty() {
            text.push_str("  ");
        }
        text.push_str(key);
    }
    text
}

/// Draws the help over the middle of the screen: the keys that matter, or all others, scrolled by so many
/// lines.
fn help(app: &App, more: Option<u16>, screen: Rect, buffer: &mut Buffer) {
    const MARKS: &str =
        "( ) cursor  [X] last move, {X} both, (.|X] side by side  *X* winning line  ! forbidden";
    let room = usize::from(screen.width).saturating_sub(4);
    let mut lines = Vec::new();
    let wrapped = |text: &str| {
        wrapping::wrap(text, room).into_iter().map(|line| format!(" {line} ")).collect::<Vec<_>>()
    };
    match more {
        None => lines.extend(help_lines(FIRST_KEYS, room)),
        Some(_) => {
            if !app.link().is_empty() {
                lines.extend(wrapped(&format!("Link: {}", app.link())));
            }
            lines.extend(help_lines(MORE_KEYS, room));
            lines.extend(wrapped(MARKS));
        }
    }
    let rows = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    let height = rows.min(screen.height);
    let hidden = rows - height;
    let titles: &[&str] = match (more, hidden) {
        (Some(_), 0) => &[" More keys (any key closes this) ", " More keys "],
        (_, _) => &[" Keys (Space, Up, Down: more; others close this) ", " Keys (Space: more) "],
    };
    let title = first_fitting(titles, screen.width.saturating_sub(2));
    let width = lines.iter().map(|line| line.width()).max().unwrap_or(0).max(title.width());
    let width = u16::try_from(width + 2).unwrap_or(u16::MAX).min(screen.width);
    let area = Rect {
        x: screen.x + (screen.width - width) / 2,
        y: screen.y + (screen.height - height) / 2,
        width,
        height,
    };
    Clear.render(area, buffer);
    let lines: Vec<Line<'_>> = lines.into_iter().map(Line::raw).collect();
    Paragraph::new(Text::from(lines))
        .scroll((more.unwrap_or(0).min(hidden), 0))
        .block(Block::bordered().title(Line::styled(title, STRONG)))
        .render(area, buffer);
}

/// The keys and what they do, in two columns; where those do not fit, what keys do stands below them.
fn help_lines(keys: &[(&str, &str)], width: usize) -> Vec<String> {
    let longest = keys.iter().map(|(keys, _)| keys.width()).max().unwrap_or(0);
    if keys.iter().all(|(_, what)| longest + 2 + what.width() <= width) {
        return keys.iter().map(|(key, what)| format!(" {key:<longest$}  {what} ")).collect();
    }
    let mut lines = Vec::new();
    for (keys, what) in keys {
        lines.extend(wrapping::wrap(keys, width).into_iter().map(|line| format!(" {line}")));
        let what = wrapping::wrap(what, width.saturating_sub(2));
        lines.extend(what.into_iter().map(|line| format!("   {line}")));
    }
    lines
}
