//! Events that go into the state of the screen, and effects that come out.

use crossterm::event::{KeyEvent, MouseEvent};
use fivefold_shared::protocol::{Absent, Message, RoomRequest, Spectators};

use crate::exit_reason::ExitReason;

/// An input of the screen.
#[derive(Clone, Debug)]
pub(in crate::tui) enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// A message from the table.
    Heard(Message),
    /// The connection is lost, and the table tries to get it back.
    Lost(String),
    /// The connection is back.
    Back,
    /// Nothing more will come; a sentence says why.
    Closed(String),
    /// Who watches, before the table says more about it.
    Spectators(Spectators),
    /// Which players are away, before the table says more about it.
    Away(Absent),
    /// It is this time by the server's clock, in milliseconds since the Unix epoch.
    Tick(u64),
    /// The program is asked to go to the background.
    Suspend,
}

/// What the caller must do after an event.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::tui) enum Effect {
    /// Ask the room for this.
    Send(RoomRequest),
    /// Ring the bell: it is one's turn.
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
