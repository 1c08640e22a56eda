//! One session: a socket and the identity behind it.
//!
//! [`Transport`] reads and writes the socket, [`Commands`] does what the client asks. This file
//! brings the two together, and ends the session.

mod close_reason;
mod commands;
mod error;
mod frame_limit;
mod joined_rooms;
mod rate;
mod seeking;
mod transport;
mod visitor;
mod watching;

use std::{
    pin::{Pin, pin},
    sync::Arc,
};

use fivefold_shared::{
    protocol::{Command, Refusal},
    room::SessionId,
};
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

pub(crate) use self::visitor::Visitor;
use self::{
    close_reason::CloseReason,
    commands::{Commands, Handled, Reply},
    frame_limit::Connection,
    transport::{Incoming, Transport},
};
use crate::{
    online::outbox::Outbox, process::fair_queue::asked_from, shared_state::Server, thinking::Owner,
};

/// Runs a session until either side ends it.
pub(crate) fn run(
    connection: Connection,
    id: SessionId,
    visitor: Visitor,
    server: Arc<Server>,
) -> impl Future<Output = ()> + Send {
    let address = visitor.address;
    let mut session = Session::new(connection, id, visitor, server);
    async move {
        let reason = asked_from(address, session.serve()).await;
        tracing::debug!(session.id = id.0, ?reason, "session ended");
        // Boxed, so that a live session reserves no space for its end.
        Box::pin(session.end(reason)).await;
    }
}

struct Session {
    transport: Transport,
    commands: Commands,
    hello_by: Instant,
    /// Cancelled when the outbox is full, the identity is replaced, or the server stops.
    ending: CancellationToken,
}

impl Session {
    fn new(connection: Connection, id: SessionId, visitor: Visitor, server: Arc<Server>) -> Self {
        let (outbox, messages, ending) = Outbox::new(&server.stop, Owner::of(visitor.address));
        let now = Instant::now();
        Self {
            transport: Transport::new(connection, messages, &server.limits, now),
            hello_by: now + server.limits.hello_timeout,
            commands: Commands::new(id, visitor, outbox, &ending, server, now),
            ending,
        }
    }

    /// Closes the socket, and leaves the rooms.
    async fn end(self, reason: CloseReason) {
        let Self { transport, commands, .. } = self;
        let wait = commands.closing_after();
        // Rooms see at once that the session reads nothing more.
        let socket = transport.into_socket();
        let close = async {
            if !wait.is_zero() {
                sleep(wait).await;
            }
            close_reason::close(socket, reason.clone()).await;
        };
        tokio::join!(close, commands.end(&reason));
    }

    /// Reads and writes until the session is to end; returns the reason.
    async fn serve(&mut self) -> CloseReason {
        // These two live as long as the session: creating them for every message would cost more
        // than all other work on it.
        let ending = self.ending.clone();
        let mut ended = pin!(ending.cancelled());
        let mut timer = pin!(sleep_until(self.due()));
        loop {
            let due = self.due();
            if timer.deadline() != due {
                timer.as_mut().reset(due);
            }
            if let Err(reason) = self.step(ended.as_mut(), timer.as_mut()).await {
                return reason;
            }
        }
    }

    /// When [`Self::tick`] is due.
    fn due(&self) -> Instant {
        let beat_at = self.transport.beat_at();
        if self.commands.is_greeted() { beat_at } else { beat_at.min(self.hello_by) }
    }

    async fn step(
        &mut self,
        ended: Pin<&mut WaitForCancellationFuture<'_>>,
        timer: Pin<&mut Sleep>,
    ) -> Result<(), CloseReason> {
        let metrics = self.commands.metrics();
        match self.transport.next(ended, timer, &self.ending, metrics).await? {
            Incoming::Nothing => Ok(()),
            Incoming::Text(text) => {
                let handled = self.commands.handle(Command::from_json(&text), self.transport.lag());
                self.reply(handled).await
            }
            Incoming::Binary => {
                let refusal = Refusal::malformed("a command is a text message, not a binary one");
                let handled = self.commands.handle(Err((None, refusal)), self.transport.lag());
                self.reply(handled).await
            }
            Incoming::Due => self.tick().await,
            Incoming::Ending => Err(self.commands.ending()),
        }
    }

    async fn tick(&mut self) -> Result<(), CloseReason> {
        let now = Instant::now();
        if !self.commands.is_greeted() && now >= self.hello_by {
            return Err(CloseReason::NO_HELLO);
        }
        self.transport.beat(now).await
    }

    /// Sends the reply to a command, unless a room does.
    async fn reply(&mut self, handled: Handled) -> Result<(), CloseReason> {
        let was_greeted = self.commands.is_greeted();
        let Reply { text, close } = match handled {
            Handled::Now(reply) => reply,
            Handled::Later(command) => Box::pin(self.commands.handle_later(command)).await,
        };
        if self.commands.is_greeted() && !was_greeted {
            self.transport.ping_soon(Instant::now());
        }
        if let Some(text) = text {
            let metrics = self.commands.metrics();
            if let Incoming::Ending = self.transport.write(text, &self.ending, metrics).await? {
                return Err(self.commands.ending());
            }
        }
        close.map_or(Ok(()), Err)
    }
}
