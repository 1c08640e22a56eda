//! A session's socket: reads messages, writes the outbox, and keeps the heartbeat.
//!
//! It does not know what messages mean.

use std::{future::poll_fn, pin::Pin, task::Poll, time::Duration};

use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio::time::{Instant, Sleep, timeout};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{self, Utf8Bytes, protocol::WebSocketConfig},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

use super::{
    close_reason::{self, CloseReason},
    frame_limit::{Connection, Socket},
    rate::frames_allowed,
};
use crate::{
    limits::{Limits, READ_BUFFER, WRITE_BUFFER, WRITE_BUFFER_MAX},
    metrics::Metrics,
    online::outbox::OutboxReceiver,
};

/// Reads and writes one session's socket.
pub(super) struct Transport {
    socket: WebSocketStream<Socket>,
    messages: OutboxReceiver,
    heartbeat: Heartbeat,
    write_timeout: Duration,
}

/// What woke the session.
pub(super) enum Incoming {
    /// A text message.
    Text(Utf8Bytes),
    /// A binary message, which this protocol does not use.
    Binary,
    /// The deadline has come.
    Due,
    /// The session must end at once.
    Ending,
    /// A frame that needs no reply, or messages were written.
    Nothing,
}

/// Pings the peer and measures the round trip.
struct Heartbeat {
    interval: Duration,
    idle_timeout: Duration,
    ping_at: Instant,
    /// Pings sent so far; each carries its number.
    pings: u64,
    /// When the last ping was sent, until it is answered.
    pinged_at: Option<Instant>,
    /// Round-trip time of the last ping.
    lag: Duration,
    /// When the peer last sent anything.
    heard_at: Instant,
}

/// The WebSocket configuration.
fn config(message_max: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_write_buffer_size(WRITE_BUFFER_MAX)
        .max_message_size(Some(message_max))
        .max_frame_size(Some(message_max))
        .accept_unmasked_frames(false)
}

impl Transport {
    pub(super) fn new(
        connection: Connection,
        messages: OutboxReceiver,
        limits: &Limits,
        now: Instant,
    ) -> Self {
        let role = tungstenite::protocol::Role::Server;
        let socket = Socket::new(connection, frames_allowed(limits));
        let config = config(limits.message_max);
        let socket = WebSocketStream::from_raw_socket(socket, role, Some(config));
        let socket = socket.now_or_never().expect("it makes no handshake, so it never waits");
        let heartbeat = Heartbeat {
            interval: limits.ping_interval,
            idle_timeout: limits.idle_timeout,
            ping_at: now + limits.ping_interval,
            pings: 0,
            pinged_at: None,
            lag: Duration::ZERO,
            heard_at: now,
        };
        Self { socket, messages, heartbeat, write_timeout: limits.write_timeout }
    }

    /// Writes the outbox until something comes in.
    pub(super) async fn next(
        &mut self,
        ended: Pin<&mut WaitForCancellationFuture<'_>>,
        timer: Pin<&mut Sleep>,
        ending: &CancellationToken,
        metrics: &Metrics,
    ) -> Result<Incoming, CloseReason> {
        tokio::select! {
            biased;
            text = self.messages.recv() => self.write(text, ending, metrics).await,
            () = ended => Ok(Incoming::Ending),
            message = self.socket.next() => self.read(message),
            () = timer => Ok(Incoming::Due),
        }
    }

    fn read(
        &mut self,
        message: Option<Result<tungstenite::Message, tungstenite::Error>>,
    ) -> Result<Incoming, CloseReason> {
        self.heartbeat.heard_at = Instant::now();
        match message {
            None => Err(CloseReason::Gone),
            Some(Err(error)) => Err(CloseReason::from_error(&error)),
            Some(Ok(tungstenite::Message::Text(text))) => Ok(Incoming::Text(text)),
            Some(Ok(tungstenite::Message::Binary(_))) => Ok(Incoming::Binary),
            Some(Ok(tungstenite::Message::Pong(number))) => {
                self.heartbeat.measure_lag(&number);
                Ok(Incoming::Nothing)
            }
            // The replies to these are written with the next read.
            Some(Ok(
                tungstenite::Message::Ping(_)
                | tungstenite::Message::Close(_)
                | tungstenite::Message::Frame(_),
            )) => Ok(Incoming::Nothing),
        }
    }

    /// Writes a message and everything waiting in the outbox at once.
    pub(super) async fn write(
        &mut self,
        first: Utf8Bytes,
        ending: &CancellationToken,
        metrics: &Metrics,
    ) -> Result<Incoming, CloseReason> {
        let Self { socket, messages, write_timeout, .. } = self;
        metrics.note_outbox(messages.len() + 1);
        let mut next = Some(first);
        let mut write = poll_fn(|cx| {
            while let Some(text) = next.take().or_else(|| messages.try_recv()) {
                if socket.poll_ready_unpin(cx)?.is_pending() {
                    next = Some(text);
                    return Poll::Pending;
                }
                socket.start_send_unpin(tungstenite::Message::Text(text))?;
            }
            socket.poll_flush_unpin(cx)
        });
        if let Some(written) = (&mut write).now_or_never() {
            return close_reason::written(Ok(written)).map(|()| Incoming::Nothing);
        }
        // The socket is full. Boxed, because this is rare and takes space.
        let waiting = async {
            tokio::select! {
                biased;
                written = timeout(*write_timeout, write) => {
                    close_reason::written(written).map(|()| Incoming::Nothing)
                }
                () = ending.cancelled() => Ok(Incoming::Ending),
            }
        };
        Box::pin(waiting).await
    }

    /// Pings the peer if a ping is due.
    ///
    /// # Errors
    /// If nothing came from the peer for too long.
    pub(super) async fn beat(&mut self, now: Instant) -> Result<(), CloseReason> {
        if now >= self.heartbeat.heard_at + self.heartbeat.idle_timeout {
            return Err(CloseReason::IDLE);
        }
        if now < self.heartbeat.ping_at {
            return Ok(());
        }
        let ping = tungstenite::Message::Ping(self.heartbeat.ping(now).to_vec().into());
        let sent = Box::pin(timeout(self.write_timeout, self.socket.send(ping))).await;
        close_reason::written(sent)
    }

    /// When [`beat`](Self::beat) is due.
    pub(super) const fn beat_at(&self) -> Instant {
        self.heartbeat.ping_at
    }

    /// Makes a ping due now, so that the lag is known before the first move.
    pub(super) const fn ping_soon(&mut self, now: Instant) {
        self.heartbeat.ping_at = now;
    }

    /// Round-trip time of the last ping.
    pub(super) const fn lag(&self) -> Duration {
        self.heartbeat.lag
    }

    /// The socket, to be closed.
    pub(super) fn into_socket(self) -> WebSocketStream<Socket> {
        self.socket
    }
}

impl Heartbeat {
    /// The payload of the next ping: its number.
    fn ping(&mut self, now: Instant) -> [u8; 8] {
        self.ping_at = now + self.interval;
        self.pings += 1;
        self.pinged_at = Some(now);
        self.pings.to_be_bytes()
    }

    /// Measures the round trip of the last ping, which resembles an opponent's move and the reply.
    /// Only the last ping's number counts, and only once; a client that delays the answer gains no
    /// more than the clock's caps allow.
    fn measure_lag(&mut self, number: &[u8]) {
        if number == self.pings.to_be_bytes()
            && let Some(pinged_at) = self.pinged_at.take()
        {
            self.lag = pinged_at.elapsed();
        }
    }
}
