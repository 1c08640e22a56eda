//! Events that enter the state of the screen, and effects that it returns.

use crossterm::event::{KeyEvent, MouseEvent};
use fivefold_shared::protocol::{
    Absent, CommandId, LobbyRequest, Message, RoomRequest, Spectators,
};

use crate::play::{exit_reason::ExitReason, person_requests::PersonRequest};

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
    Lost {
        /// The reason, for people.
        reason: String,
        /// Milliseconds until the next try.
        retry_ms: u64,
    },
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
    Away {
        /// The players.
        away: Absent,
        /// How long they may be away on their turn before the opponent may claim the win.
        claim_after_ms: u64,
    },
    /// The table shows a stored game.
    Stored,
    /// Time goes on.
    Tick {
        /// The time by the server's clock, in milliseconds since the Unix epoch.
        now: u64,
        /// For how long the server has been silent although something was asked.
        silent_ms: u64,
    },
    /// A request was sent under this id.
    Sent(CommandId, RoomRequest),
    /// The game is saved in this file, or why not.
    Saved(Result<String, String>),
    /// The person or the system asks to suspend the program.
    Suspend,
}

/// An action for the caller after an event.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::tui) enum Effect {
    /// Send this request to the room.
    Send(RoomRequest),
    /// Answer a challenge, or ask for the games that wait.
    ToServer(LobbyRequest),
    /// Block, mute or report somebody.
    About(PersonRequest),
    /// Save the game to a file.
    Save,
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
