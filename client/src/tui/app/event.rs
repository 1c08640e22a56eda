//! Events that enter the state of the screen, and effects that it returns.

use crossterm::event::{KeyEvent, MouseEvent};
use fivefold_shared::protocol::{Absent, LobbyRequest, Message, RoomRequest, Spectators};

use crate::{exit_reason::ExitReason, people::PersonRequest};

/// An input of the screen.
#[derive(Clone, Debug)]
pub(in crate::tui) enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// A message from the table.
    Heard(Message),
    /// The connection is lost, and the table tries to get it back.
    Lost(String),
    /// The server was restored, and so many of the last moves are gone.
    Restored(usize),
    /// The connection is back.
    Back,
    /// The bot of a local game gave no usable reply, and the room moves for it.
    BotFailed,
    /// What became of blocking, muting or reporting somebody, and whether it is done.
    AboutPerson(String, bool),
    /// The table has ended, with the reason as a sentence.
    Closed(String),
    /// The spectators before the first message from the table.
    Spectators(Spectators),
    /// The absent players before the first message from the table.
    Away(Absent),
    /// The current time by the server's clock, in milliseconds since the Unix epoch.
    Tick(u64),
    /// The person or the system asks to suspend the program.
    Suspend,
}

/// An action for the caller after an event.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::tui) enum Effect {
    /// Send this request to the room.
    Send(RoomRequest),
    /// Answer a challenge.
    AnswerChallenge(LobbyRequest),
    /// Block, mute or report somebody.
    About(PersonRequest),
    /// Ring the bell: it is this person's turn.
    Bell,
    /// Take the mouse, or leave it to the terminal.
    Mouse(bool),
    /// Go to the background.
    Suspend,
    /// Draw every cell again.
    Redraw,
    /// Leave.
    Exit(ExitReason),
}
