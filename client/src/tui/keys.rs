//! Maps keys to actions in board mode, in one table that also feeds the help.
//!
//! Letters clash with typed points such as `h8`. A letter that is no command opens the input line
//! at once. Any other letter runs its command; if a digit follows, the screen undoes the command
//! and opens the input line with both characters. No letter has an effect that cannot be undone,
//! except `u` (column u exists from 21 columns on) and answers to questions; `:` always opens the
//! input line.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The action that a key requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// Move the cursor this many points right and down.
    Move(i32, i32),
    /// Move the window on the board, in the same directions.
    Pan(i32, i32),
    /// Put a stone under the cursor.
    Place,
    /// Open the input line, with the typed character if any.
    Type(Option<char>),
    /// Open the chat line.
    Say,
    /// Ask to take a move back.
    Takeback,
    /// Offer a draw.
    Draw,
    /// Resign, or abort a game that has not begun.
    Resign,
    /// Ask the opponent whether they are still there.
    Nudge,
    /// Ask for another game, or agree to one.
    Rematch,
    /// Answer yes to an offer.
    Accept,
    /// Decline an offer; if none is open, show the next move.
    DeclineOrNext,
    /// Show the position one move earlier.
    Back,
    /// Show the position one move later.
    Forward,
    /// Show the empty board.
    First,
    /// Show the current position.
    Live,
    /// Go to the last move and follow play again.
    Follow,
    /// Draw the board larger.
    ZoomIn,
    /// Draw the board smaller.
    ZoomOut,
    /// Let a bot move for this person.
    BotMove,
    /// Show the weight of the point under the cursor.
    Weight,
    /// Show or hide the weights of all candidates.
    HeatMap,
    /// Take an open seat.
    Sit,
    /// Take or release the mouse.
    Mouse,
    /// Show the help.
    Help,
    /// Leave; asks first where that would abandon a game.
    Quit,
    /// Leave at once.
    Interrupt,
    /// Suspend the program.
    Suspend,
    /// Redraw the screen.
    Redraw,
    /// Close the help, the input line, a question or the look back.
    Escape,
}

/// How far `Shift` with an arrow moves the window.
const PAN: i32 = 4;

/// The help's lines: keys, and what they do.
pub(super) const HELP: &[(&str, &str)] = &[
    ("arrows, h j k l", "move the cursor"),
    ("Enter, Space", "put a stone under the cursor"),
    ("h8 Enter", "put a stone on h8; \":h8\" is the same, x,y needs \":\""),
    ("mouse", "click: move the cursor; again: put a stone; M: off/on"),
    ("Shift+arrows, H J K L", "move the window on a large board; wheel: up, down"),
    ("Tab", "to the last move, and follow play again"),
    ("+  -", "draw the board larger, smaller"),
    ("u", "ask to take your last move back; in an opening, undo a stone"),
    ("1 2 3", "choose in the menu of an opening; Esc leaves it, Enter opens it"),
    ("d", "offer a draw (small d; asks first)"),
    ("r  N", "resign or abort (asks first); ask if they are there"),
    ("y  n", "answer an offer: yes, no"),
    ("m", "rematch, when the game has ended"),
    ("S  /", "take an open seat; say something to those in the room"),
    (",  .   (or p  n)", "look at the move before, after"),
    ("g  G   (Home  End)", "look at the beginning; return to the game"),
    ("D", "let the bot move for you (capital D)"),
    ("T", "the bot's weight of the point under the cursor"),
    ("W", "the bot's weights of all candidates, 9 the best"),
    ("q", "quit (asks first while you play); Ctrl-C: at once"),
    ("Ctrl-Z  Ctrl-L", "suspend; redraw"),
];

/// The action of a key, if it has one.
pub(super) fn action(key: KeyEvent) -> Option<Action> {
    if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        return chord(key);
    }
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    Some(match key.code {
        KeyCode::Left => arrow(shift, -1, 0),
        KeyCode::Right => arrow(shift, 1, 0),
        KeyCode::Up => arrow(shift, 0, -1),
        KeyCode::Down => arrow(shift, 0, 1),
        KeyCode::Enter => Action::Place,
        KeyCode::Tab => Action::Follow,
        KeyCode::Home => Action::First,
        KeyCode::End => Action::Live,
        KeyCode::PageUp => Action::Pan(0, -PAN),
        KeyCode::PageDown => Action::Pan(0, PAN),
        KeyCode::Esc => Action::Escape,
        KeyCode::Char(letter) => return character(letter),
        _ => return None,
    })
}

const fn arrow(shift: bool, x: i32, y: i32) -> Action {
    if shift { Action::Pan(PAN * x, PAN * y) } else { Action::Move(x, y) }
}

fn chord(key: KeyEvent) -> Option<Action> {
    if !key.modifiers.contains(KeyModifiers::CONTROL) {
        return None;
    }
    match key.code {
        KeyCode::Char('c' | 'C') => Some(Action::Interrupt),
        KeyCode::Char('z' | 'Z') => Some(Action::Suspend),
        KeyCode::Char('l' | 'L') => Some(Action::Redraw),
        _ => None,
    }
}

fn character(letter: char) -> Option<Action> {
    Some(match letter {
        'h' => Action::Move(-1, 0),
        'j' => Action::Move(0, 1),
        'k' => Action::Move(0, -1),
        'l' => Action::Move(1, 0),
        'H' => Action::Pan(-PAN, 0),
        'J' => Action::Pan(0, PAN),
        'K' => Action::Pan(0, -PAN),
        'L' => Action::Pan(PAN, 0),
        ' ' => Action::Place,
        'u' => Action::Takeback,
        'd' => Action::Draw,
        'r' => Action::Resign,
        'N' => Action::Nudge,
        'm' => Action::Rematch,
        'y' => Action::Accept,
        'n' => Action::DeclineOrNext,
        ',' | 'p' => Action::Back,
        '.' => Action::Forward,
        'g' => Action::First,
        'G' => Action::Live,
        '+' | '=' => Action::ZoomIn,
        '-' => Action::ZoomOut,
        'D' => Action::BotMove,
        'T' => Action::Weight,
        'W' => Action::HeatMap,
        'S' => Action::Sit,
        'M' => Action::Mouse,
        '?' => Action::Help,
        'q' => Action::Quit,
        ':' => Action::Type(None),
        '/' => Action::Say,
        letter if letter.is_ascii_lowercase() || letter.is_ascii_digit() => {
            Action::Type(Some(letter))
        }
        _ => return None,
    })
}
