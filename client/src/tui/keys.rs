//! Maps keys to actions in board mode, in one table that also feeds the help.
//!
//! A letter may be the start of a typed point such as `h8`. A letter that is no command opens the
//! input line at once. One that only moves the cursor, the window or the shown position does so at
//! once, and a digit after it undoes that. Any other letter that names a column of the board waits
//! for the next key, or asks its question: a digit makes it a point. On the board without borders a
//! point begins with a digit or a sign, so no sign is a command there. `:` always opens the input
//! line.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use fivefold_shared::rules::Size;

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
    /// Go to the next daily game that waits for this person.
    NextGame,
    /// Scroll the messages this many towards older ones.
    Messages(isize),
    /// Save the game to a file.
    Save,
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

impl Action {
    /// Whether a letter with this action waits for the next key where it names a column. The others
    /// only change what is shown, which a digit undoes.
    pub(super) const fn waits(self) -> bool {
        match self {
            Self::Takeback
            | Self::Draw
            | Self::Resign
            | Self::Nudge
            | Self::Rematch
            | Self::Accept
            | Self::BotMove
            | Self::Weight
            | Self::HeatMap
            | Self::Sit
            | Self::NextGame
            | Self::Mouse
            | Self::Quit => true,
            Self::Move(..)
            | Self::Pan(..)
            | Self::Place
            | Self::Type(_)
            | Self::Say
            | Self::DeclineOrNext
            | Self::Back
            | Self::Forward
            | Self::First
            | Self::Live
            | Self::Follow
            | Self::ZoomIn
            | Self::ZoomOut
            | Self::Messages(_)
            | Self::Save
            | Self::Help
            | Self::Interrupt
            | Self::Suspend
            | Self::Redraw
            | Self::Escape => false,
        }
    }
}

/// How far `Shift` with an arrow moves the window.
const PAN: i32 = 4;

/// The first screen of the help: the ten keys that matter, each in one line of a narrow terminal.
pub(super) const FIRST_KEYS: &[(&str, &str)] = &[
    ("arrows", "move the cursor"),
    ("Enter", "put a stone at the cursor"),
    ("h8 Enter", "put a stone on h8"),
    ("u", "take a move back"),
    ("d", "offer a draw"),
    ("r", "resign"),
    ("y  n", "answer an offer: yes, no"),
    ("m", "a rematch, after the game"),
    ("/", "say something in the room"),
    ("q", "quit"),
];

/// The rest of the help: keys, and what they do. A command that changes something asks first.
pub(super) const MORE_KEYS: &[(&str, &str)] = &[
    ("h j k l", "move the cursor, as the arrows do"),
    ("Space", "put a stone, as Enter does"),
    (":h8  x,y", "a point, as h8; x,y on the board without borders"),
    ("a letter, a digit", "begin a point, on a board that has this column"),
    ("mouse", "click: move the cursor; again: put a stone; M: off/on"),
    ("Shift+arrows, H J K L", "move the window on a large board; wheel: up, down"),
    ("Tab", "to the last move, and follow play again"),
    ("=  _   (or +  -)", "draw the board larger, smaller; + - with borders only"),
    ("1 2 3", "choose in the menu of an opening; Esc, Enter: out, in"),
    ("u", "in an opening: undo; u d r m y n N S D q ask first"),
    ("d", "also claims a draw, when your opponent is gone"),
    ("r", "also aborts, before both have acted"),
    ("N", "ask your opponent whether they are there"),
    ("S", "take an open seat"),
    ("X", "the next daily game that waits for your move"),
    ("[  ]", "older messages, newer ones"),
    (",  .   (or p  n)", "look at the move before, after"),
    ("Left  Right", "the same, when the game has ended"),
    ("g  G   (Home  End)", "look at the beginning; return to the game"),
    ("D", "let the bot move for you"),
    ("T", "the bot's weight of the point under the cursor"),
    ("W", "the bot's weights of all candidates, 9 the best"),
    ("M", "the mouse for the game, or for selecting text"),
    ("Ctrl-S", "save the game to a file in this folder"),
    ("q", "asks first while you play; Ctrl-C quits at once"),
    ("Ctrl-Z  Ctrl-L", "suspend; draw everything again"),
    ("a b c e f i o s t", "no commands: they begin a point, as v w x z"),
    ("h j k l p n g", "work at once; a digit after one makes it a point"),
    ("other letters", "wait for a digit if a column has the name; Enter: on"),
];

/// The action of a key, if it has one. `is_over` is whether the game has ended: then the arrows to the
/// left and to the right step through its moves.
pub(super) fn action(key: KeyEvent, size: Size, is_over: bool) -> Option<Action> {
    if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        return chord(key);
    }
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    Some(match key.code {
        KeyCode::Left if is_over && !shift => Action::Back,
        KeyCode::Right if is_over && !shift => Action::Forward,
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
        KeyCode::Char(letter) => return character(letter, size),
        _ => return None,
    })
}

const fn arrow(shift: bool, x: i32, y: i32) -> Action {
    if shift { Action::Pan(PAN * x, PAN * y) } else { Action::Move(x, y) }
}

/// The action of a key with Control, which is the same everywhere.
pub(super) fn chord(key: KeyEvent) -> Option<Action> {
    if !key.modifiers.contains(KeyModifiers::CONTROL) {
        return None;
    }
    match key.code {
        KeyCode::Char('c' | 'C') => Some(Action::Interrupt),
        KeyCode::Char('z' | 'Z') => Some(Action::Suspend),
        KeyCode::Char('l' | 'L') => Some(Action::Redraw),
        KeyCode::Char('s' | 'S') => Some(Action::Save),
        _ => None,
    }
}

fn character(letter: char, size: Size) -> Option<Action> {
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
        '+' | '-' if size == Size::Unbounded => Action::Type(Some(letter)),
        '+' | '=' => Action::ZoomIn,
        '-' | '_' => Action::ZoomOut,
        '[' => Action::Messages(1),
        ']' => Action::Messages(-1),
        'D' => Action::BotMove,
        'T' => Action::Weight,
        'W' => Action::HeatMap,
        'S' => Action::Sit,
        'X' => Action::NextGame,
        'M' => Action::Mouse,
        '?' => Action::Help,
        'q' => Action::Quit,
        ':' => Action::Type(None),
        '/' => Action::Say,
        letter if letter.is_ascii_alphanumeric() => Action::Type(Some(letter)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_key() {
        let words = FIRST_KEYS.iter().chain(MORE_KEYS).flat_map(|(keys, _)| keys.split(' '));
        let named: Vec<&str> = words.map(|word| word.trim_matches(['(', ')'])).collect();
        for size in [Size::square(15), Size::Unbounded] {
            for key in ' '..='~' {
                let is_named = || named.contains(&key.to_string().as_str());
                match character(key, size) {
                    None | Some(Action::Place | Action::Type(_) | Action::Help) => {}
                    Some(action) => assert!(is_named(), "{key}: {action:?}"),
                }
            }
        }
    }

    #[test]
    fn no_line_of_the_help_is_cut() {
        for (lines, columns) in [(FIRST_KEYS, 40), (MORE_KEYS, 80)] {
            let longest = lines.iter().map(|(keys, _)| keys.len()).max().unwrap();
            for (keys, what) in lines {
                // Borders, and the spaces around both columns.
                assert!(longest + what.len() + 6 <= columns, "{keys}: {what}");
            }
        }
        assert_eq!(FIRST_KEYS.len(), 10);
    }

    #[test]
    fn no_key_that_begins_a_point_is_a_command_without_borders() {
        for key in "0123456789+-".chars() {
            assert_eq!(character(key, Size::Unbounded), Some(Action::Type(Some(key))));
        }
    }
}
