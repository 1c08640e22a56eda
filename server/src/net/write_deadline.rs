//! A connection with a deadline on writes: if its peer blocks for too long, or reads too little in
//! that time, writing fails and the connection ends.
//!
//! It lies below TLS and HTTP, so it covers every response. A session has its own write deadline
//! and its own way to end, so it is switched off there.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

use crate::limits::ANSWER_BYTES_PER_SECOND_MIN;

/// A stream with a deadline on writes.
#[derive(Debug)]
pub(crate) struct WriteDeadline<S> {
    stream: S,
    /// Longest time that a write may be blocked.
    timeout: Duration,
    switch: Switch,
    /// When writing fails. Set only while the stream is blocked, so that other connections have no
    /// timer.
    timer: Option<Pin<Box<Sleep>>>,
}

/// Switches a deadline off, and reports whether it was missed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Switch(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_off: AtomicBool,
    was_missed: AtomicBool,
}

impl Switch {
    /// Removes the deadline: writing may block forever from now on.
    pub(crate) fn switch_off(&self) {
        self.0.is_off.store(true, Ordering::Relaxed);
    }

    /// Whether writing failed because of the deadline.
    pub(crate) fn was_missed(&self) -> bool {
        self.0.was_missed.load(Ordering::Relaxed)
    }
}

impl<S> WriteDeadline<S> {
    /// Adds a deadline to writes on this stream.
    pub(crate) fn new(stream: S, timeout: Duration) -> (Self, Switch) {
        let switch = Switch::default();
        (Self { stream, timeout, switch: switch.clone(), timer: None }, switch)
    }

    /// Updates the deadline after an attempt to write this many bytes.
    fn note(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
        bytes: usize,
    ) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Pending if self.switch.0.is_off.load(Ordering::Relaxed) => Poll::Pending,
            Poll::Pending => {
                let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(self.timeout)));
                ready!(timer.as_mut().poll(cx));
                self.switch.0.was_missed.store(true, Ordering::Relaxed);
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            // A partial write: the peer gains some time, but not the full timeout.
            Poll::Ready(Ok(part)) if *part < bytes => {
                if let Some(timer) = &mut self.timer {
                    let part = u32::try_from(*part).unwrap_or(u32::MAX);
                    let gained = Duration::from_secs(1) * part / ANSWER_BYTES_PER_SECOND_MIN;
                    let latest = Instant::now() + self.timeout;
                    let later = (timer.deadline() + gained).min(latest);
                    timer.as_mut().reset(later);
                }
                written
            }
            Poll::Ready(_) => {
                self.timer = None;
                written
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteDeadline<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteDeadline<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note(cx, written, bytes.len())
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.note(cx, written, pieces.iter().map(|piece| piece.len()).sum())
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, duplex},
        time::{interval, timeout},
    };

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(10);

    /// Writes this many bytes to a peer that reads at this rate. Returns how long it took, and
    /// whether it succeeded.
    async fn write(bytes: usize, bytes_per_second: usize) -> (Duration, bool) {
        let (ours, mut theirs) = duplex(1_024);
        let (mut ours, switch) = WriteDeadline::new(ours, TIMEOUT);
        let begun = Instant::now();
        let reading = async {
            let mut pace = interval(Duration::from_secs(1));
            let mut buffer = vec![0; bytes_per_second];
            loop {
                pace.tick().await;
                if theirs.read_exact(&mut buffer).await.is_err() {
                    return;
                }
            }
        };
        let content = vec![0; bytes];
        let writing = async { ours.write_all(&content).await };
        let written = tokio::select! {
            written = writing => written,
            () = reading => unreachable!("the writer is there until it has failed"),
        };
        assert_eq!(switch.was_missed(), written.is_err());
        (begun.elapsed(), written.is_ok())
    }

    #[tokio::test(start_paused = true)]
    async fn one_who_reads_is_waited_for_and_one_who_does_not_is_cut_off() {
        // At the slowest allowed rate or faster, a page arrives, however long it takes.
        let least = ANSWER_BYTES_PER_SECOND_MIN as usize;
        for rate in [least, 10 * least] {
            let (took, done) = write(100 * least, rate).await;
            assert!(done && took.as_secs() + 2 >= (100 * least / rate) as u64, "{rate}: {took:?}");
        }
        // Below that rate, a slow peer does not keep the connection for long.
        for rate in [1, least / 4] {
            let (took, done) = write(100 * least, rate).await;
            assert!(!done && took < 2 * TIMEOUT, "{rate}: {took:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn it_can_be_switched_off() {
        let (ours, theirs) = duplex(1_024);
        let (mut ours, switch) = WriteDeadline::new(ours, TIMEOUT);
        switch.switch_off();
        let writing = ours.write_all(&[0; 2_000]);
        assert!(timeout(100 * TIMEOUT, writing).await.is_err(), "it still waits");
        drop(theirs);
    }
}
