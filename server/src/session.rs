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
mod transport;

use std::{
    net::IpAddr,
    pin::{Pin, pin},
    sync::Arc,
};

use fivefold_shared::{
    protocol::{Command, CommandId, Reason, Refusal},
    room::SessionId,
};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

use self::{
    close_reason::CloseReason,
    commands::{Commands, Reply},
    transport::{Connection, Incoming, Transport},
};
use crate::{
    Server,
    outbox::{Outbox, encode},
    thinking::Owner,
};

/// Runs a session until either side ends it.
pub(crate) async fn run(
    connection: Connection,
    id: SessionId,
    address: IpAddr,
    server: Arc<Server>,
) {
    let (outbox, messages, ending) = Outbox::new(&server.stop, Owner::of(address));
    let now = Instant::now();
    let mut session = Session {
        transport: Transport::new(connection, messages, &server.limits, now).await,
        hello_by: now + server.limits.hello_timeout,
        commands: Commands::new(id, address, outbox, &ending, server, now),
        ending,
    };
    let reason = session.serve().await;
    tracing::debug!(session.id = id.0, ?reason, "session ended");
    let Session { transport, commands, .. } = session;
    // Rooms see at once that nothing more is read.
    let socket = transport.into_socket();
    tokio::join!(close_reason::close(socket, reason.clone()), commands.end(&reason));
}

struct Session {
    transport: Transport,
    commands: Commands,
    hello_by: Instant,
    /// The outbox was full, the identity was replaced, or the server stops.
    ending: CancellationToken,
}

impl Session {
    /// Reads and writes until the session is to end; returns the reason.
    async fn serve(&mut self) -> CloseReason {
        // These two live as long as the session: to make them for every message costs more than
        // all else that is done for it here.
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
            Incoming::Text(text) => self.command(Command::from_json(&text)).await,
            Incoming::Binary => {
                let text = "a command is a text message, not a binary one";
                self.command(Err((None, Refusal::new(Reason::Malformed, text)))).await
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

    /// Does what the client asks, and sends the reply unless a room does.
    async fn command(
        &mut self,
        command: Result<Command, (Option<CommandId>, Refusal)>,
    ) -> Result<(), CloseReason> {
        let was_greeted = self.commands.is_greeted();
        let Reply { message, close } = self.commands.handle(command, self.transport.lag()).await;
        if self.commands.is_greeted() && !was_greeted {
            self.transport.ping_soon(Instant::now());
        }
        if let Some(message) = message {
            let metrics = self.commands.metrics();
            let written = self.transport.write(encode(&message), &self.ending, metrics).await?;
            if let Incoming::Ending = written {
                return Err(self.commands.ending());
            }
        }
        close.map_or(Ok(()), Err)
    }
}
