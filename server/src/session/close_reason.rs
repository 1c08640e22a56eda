//! Why a session ends: the code and text of the close frame, and closing in a way that lets the
//! peer read them.

use fivefold_shared::protocol::close;
use futures_util::SinkExt;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::{error::Elapsed, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        self, Error, Utf8Bytes,
        error::ProtocolError,
        protocol::{CloseFrame, frame::coding::CloseCode},
    },
};

use super::frame_limit::{Socket, TooManyFrames};
use crate::limits::{
    CLOSE_LINGER, CLOSE_LINGER_BUFFER_MAX, CLOSE_LINGER_BUFFER_MIN, CLOSE_LINGER_BYTES,
};

/// Why a session ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CloseReason {
    /// The peer has closed the socket, or the connection failed.
    Gone,
    /// The server closes it.
    Close {
        /// One of the constants in [`close`].
        code: u16,
        /// What happened and what to do next.
        reason: &'static str,
    },
}

impl CloseReason {
    pub(super) const TOO_FAST: Self = Self::Close {
        code: close::POLICY,
        reason: "Too many commands. Come back, and send fewer.",
    };
    const TOO_MANY_FRAMES: Self = Self::Close {
        code: close::POLICY,
        reason: "Too many frames, such as pings. Come back, and send fewer.",
    };
    pub(super) const RESTART: Self = Self::Close {
        code: close::RESTART,
        reason: "The server restarts. Come back in a moment, after a random wait.",
    };
    pub(super) const NO_HELLO: Self =
        Self::Close { code: close::NO_HELLO, reason: "Come back, and say hello first." };
    pub(super) const TOO_SLOW: Self = Self::Close {
        code: close::TOO_SLOW,
        reason: "You read too slowly. Come back with the last seq that you have.",
    };
    pub(super) const IDLE: Self = Self::Close {
        code: close::IDLE,
        reason: "The client was silent for too long. Come back with the last seq that you have.",
    };
    pub(super) const VERSION: Self = Self::Close {
        code: close::VERSION,
        reason: "This server speaks another version of the protocol. Update the client.",
    };
    pub(super) const IDENTITY_REPLACED: Self = Self::Close {
        code: close::IDENTITY_REPLACED,
        reason: "The identity of this session was replaced. Come back with the new one.",
    };
    pub(super) const SIGNED_OUT: Self = Self::Close {
        code: close::IDENTITY_REPLACED,
        reason: "This session was signed out. Sign in again, or come back as a guest.",
    };
    const BROKEN_FRAME: Self = Self::Close {
        code: close::PROTOCOL_ERROR,
        reason: "The client broke the WebSocket protocol (RFC 6455). Please update it.",
    };
    const INVALID_TEXT: Self = Self::Close {
        code: close::INVALID_TEXT,
        reason: "Text must be UTF-8. Please update the client.",
    };
    const TOO_BIG: Self = Self::Close {
        code: close::TOO_BIG,
        reason: "Your message is longer than this server takes. Come back, and send shorter ones.",
    };

    /// The code of the close frame, if there is one.
    pub(super) const fn code(&self) -> Option<u16> {
        match self {
            Self::Gone => None,
            Self::Close { code, .. } => Some(*code),
        }
    }

    /// What an error in reading or writing means for the session.
    pub(super) fn from_error(error: &Error) -> Self {
        match error {
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)
            | Error::ConnectionClosed
            | Error::AlreadyClosed => Self::Gone,
            Error::Io(error)
                if error.get_ref().is_some_and(|error| error.is::<TooManyFrames>()) =>
            {
                Self::TOO_MANY_FRAMES
            }
            Error::Io(_) => Self::Gone,
            Error::Capacity(_) => Self::TOO_BIG,
            Error::Utf8(_) => Self::INVALID_TEXT,
            Error::WriteBufferFull(_) => Self::TOO_SLOW,
            // The other errors belong to handshakes, which are over.
            _ => Self::BROKEN_FRAME,
        }
    }
}

/// What the result of a write means for the session.
pub(super) fn written(result: Result<Result<(), Error>, Elapsed>) -> Result<(), CloseReason> {
    match result {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(CloseReason::from_error(&error)),
        Err(Elapsed { .. }) => Err(CloseReason::TOO_SLOW),
    }
}

/// Closes the socket: sends the close frame, shuts down the sending direction, and then reads a
/// limited time and number of bytes. Closing with unread bytes would reset the connection, and the
/// peer might never see the close frame.
pub(super) async fn close(mut socket: WebSocketStream<Socket>, end: CloseReason) {
    let frame = match end {
        CloseReason::Gone => None,
        CloseReason::Close { code, reason } => {
            Some(CloseFrame { code: CloseCode::from(code), reason: Utf8Bytes::from_static(reason) })
        }
    };
    let linger = async {
        if frame.is_some() {
            socket.send(tungstenite::Message::Close(frame)).await?;
        }
        let raw = socket.get_mut().unmetered();
        raw.shutdown().await?;
        let mut unread = vec![0; CLOSE_LINGER_BUFFER_MIN];
        let mut drained = 0;
        while drained < CLOSE_LINGER_BYTES {
            match raw.read(&mut unread).await? {
                0 => break,
                bytes => drained += bytes,
            }
            if drained >= CLOSE_LINGER_BUFFER_MIN {
                unread.resize(CLOSE_LINGER_BUFFER_MAX, 0);
            }
        }
        Ok::<(), Error>(())
    };
    match timeout(CLOSE_LINGER, linger).await {
        Ok(Ok(())) | Err(Elapsed { .. }) => {}
        // The connection ends here in any case.
        Ok(Err(error)) => tracing::trace!(%error, "the socket was closed before we were done"),
    }
}
