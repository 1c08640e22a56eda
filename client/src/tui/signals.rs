//! Signals that suspend, continue or end the screen.

/// The effect of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Signal {
    /// End.
    End,
    /// Go to the background.
    Suspend,
    /// The program goes on after it was stopped; the terminal may have been changed.
    Continue,
}

pub(super) use self::platform::{Signals, stop};

#[cfg(unix)]
mod platform {
    use std::io;

    use rustix::process::{Signal as Raised, getpid, kill_process};
    use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

    use crate::tui::signals::Signal;

    /// The signals, as they come.
    #[derive(Debug)]
    pub(in crate::tui) struct Signals {
        interrupt: Stream,
        terminate: Stream,
        hang_up: Stream,
        suspend: Stream,
        go_on: Stream,
    }

    impl Signals {
        /// Begins to listen; from now on these signals do not end the program by themselves.
        ///
        /// # Errors
        /// When the system refuses.
        pub(in crate::tui) fn listen() -> io::Result<Self> {
            let raw = |raised: Raised| signal(SignalKind::from_raw(raised.as_raw()));
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
                hang_up: signal(SignalKind::hangup())?,
                suspend: raw(Raised::TSTP)?,
                go_on: raw(Raised::CONT)?,
            })
        }

        /// The next one.
        pub(in crate::tui) async fn next(&mut self) -> Signal {
            tokio::select! {
                _ = self.interrupt.recv() => Signal::End,
                _ = self.terminate.recv() => Signal::End,
                _ = self.hang_up.recv() => Signal::End,
                _ = self.suspend.recv() => Signal::Suspend,
                _ = self.go_on.recv() => Signal::Continue,
            }
        }
    }

    /// Stops the program until it is continued. Not by `SIGTSTP`, which [`Signals`] takes.
    ///
    /// # Errors
    /// When the system refuses.
    pub(in crate::tui) fn stop() -> io::Result<()> {
        Ok(kill_process(getpid(), Raised::STOP)?)
    }
}

#[cfg(not(unix))]
mod platform {
    use std::io;

    use crate::tui::signals::Signal;

    /// Ctrl-C from outside the terminal; there are no other signals here.
    #[derive(Debug)]
    pub(in crate::tui) struct Signals;

    impl Signals {
        /// Begins to listen.
        ///
        /// # Errors
        /// Never here.
        pub(in crate::tui) fn listen() -> io::Result<Self> {
            Ok(Self)
        }

        /// The next one.
        pub(in crate::tui) async fn next(&mut self) -> Signal {
            match tokio::signal::ctrl_c().await {
                Ok(()) => Signal::End,
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// Programs cannot be stopped here.
    ///
    /// # Errors
    /// Never here.
    pub(in crate::tui) fn stop() -> io::Result<()> {
        Ok(())
    }
}
