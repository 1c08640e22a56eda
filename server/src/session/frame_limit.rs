//! Limits the frames that a client sends. Pings, pongs and fragments are not commands, so no other
//! limit covers them.
//!
//! It reads only the length of a frame (RFC 6455, section 5.2). Tungstenite decides what a frame
//! means and whether it is valid.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::Instant,
};

use crate::net::token_bucket::TokenBucket;

/// A connection after its handshake.
pub(super) type Connection = hyper_util::rt::TokioIo<hyper::upgrade::Upgraded>;

/// The same with a frame counter.
pub(super) type Socket = Metered<Connection>;

/// A socket whose frames are counted as they are read. Reading fails with [`TooManyFrames`] when
/// they come too fast.
#[derive(Debug)]
pub(super) struct Metered<S> {
    socket: S,
    frames: Frames,
    allowance: TokenBucket,
}

/// The client sends frames too fast.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("too many frames")]
pub(super) struct TooManyFrames;

impl<S> Metered<S> {
    pub(super) fn new(socket: S, allowance: TokenBucket) -> Self {
        Self { socket, frames: Frames::default(), allowance }
    }

    /// The socket without the counter, to read what follows the last frame.
    pub(super) const fn unmetered(&mut self) -> &mut S {
        &mut self.socket
    }
}

/// Longest head of a frame: two bytes, eight of its length and four of its mask.
const HEAD_MAX: usize = 14;

/// Position in the stream: in the head of a frame, or in its payload.
#[derive(Clone, Copy, Debug, Default)]
struct Frames {
    head: [u8; HEAD_MAX],
    /// Bytes of the head read so far.
    head_length: usize,
    /// Bytes of the payload still to come.
    payload: u64,
}

impl Frames {
    /// Counts the frames that begin in these bytes, once their heads are complete.
    fn count(&mut self, mut bytes: &[u8]) -> u32 {
        let mut frames = 0;
        while let [first, rest @ ..] = bytes {
            if self.payload > 0 {
                let skipped = usize::try_from(self.payload).unwrap_or(usize::MAX).min(bytes.len());
                self.payload -= skipped as u64;
                bytes = &bytes[skipped..];
                continue;
            }
            self.head[self.head_length] = *first;
            self.head_length += 1;
            bytes = rest;
            if let Some(payload) = self.payload_announced() {
                self.payload = payload;
                self.head_length = 0;
                frames += 1;
            }
        }
        frames
    }

    /// The length of the payload, once the head is complete.
    fn payload_announced(&self) -> Option<u64> {
        let second = (self.head_length >= 2).then_some(self.head[1])?;
        let mask = if second & 0x80 == 0 { 0 } else { 4 };
        let short = second & 0x7f;
        let length_bytes = match short {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        if self.head_length < 2 + length_bytes + mask {
            return None;
        }
        let length = &self.head[2..2 + length_bytes];
        let long = length.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        Some(if length.is_empty() { short.into() } else { long })
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(context, buffer))?;
        let frames = self.frames.count(&buffer.filled()[before..]);
        if frames > 0 && !self.allowance.take_many(Instant::now(), frames) {
            return Poll::Ready(Err(io::Error::other(TooManyFrames)));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio_tungstenite::tungstenite::protocol::frame::{
        Frame,
        coding::{Data, OpCode},
    };

    use super::*;

    /// A frame as a client sends it.
    fn frame(kind: u8, length: usize) -> Vec<u8> {
        let payload = vec![0xff; length];
        let mut frame = match kind {
            0 => Frame::ping(payload),
            1 => Frame::pong(payload),
            2 => Frame::message(payload, OpCode::Data(Data::Continue), false),
            _ => Frame::message(payload, OpCode::Data(Data::Text), true),
        };
        frame.header_mut().mask = Some([1, 2, 3, 4]);
        let mut bytes = Vec::new();
        frame.format(&mut bytes).expect("a vector takes all");
        bytes
    }

    proptest! {
        /// Each frame is counted once, however the bytes are split.
        #[test]
        fn frames_are_counted_however_they_arrive(
            frames in prop::collection::vec(
                (0..4_u8, prop_oneof![0..5_usize, 124..129_usize, 65_533..65_539_usize]), 0..6),
            cuts in prop::collection::vec(1..70_000_usize, 1..20),
        ) {
            let bytes: Vec<u8> =
                frames.iter().flat_map(|&(kind, length)| frame(kind, length)).collect();
            let (mut counter, mut rest, mut counted) = (Frames::default(), &bytes[..], 0);
            for cut in cuts.into_iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (part, later) = rest.split_at(cut.min(rest.len()));
                counted += counter.count(part);
                rest = later;
            }
            prop_assert_eq!(counted as usize, frames.len());
        }
    }
}
