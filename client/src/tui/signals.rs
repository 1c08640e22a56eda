//! Handles signals that suspend, continue or end the screen.

/// The effect of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Signal {
    /// End the program.
    End,
    /// Suspend the program.
    Suspend,
    /// The program continues after a stop; other programs may have changed the terminal.
    Continue,
}

pub(super) use self::platform::{Signals, stop};

#[cfg(unix)]
mod platform {
    use std::io;

    use rustix::process::{Signal as Raised, getpid, kill_process};
    use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

    use crate::tui::signals::Signal;

    /// The stream of signals.
    #[derive(Debug)]
    pub(in crate::tui) struct Signals {
        interrupt: Stream,
        terminate: Stream,
        hang_up: Stream,
        suspend: Stream,
        go_on: Stream,
    }

    impl Signals {
        /// Starts listening; from now on these signals no longer end the program by themselves.
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

        /// The next signal.
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

    /// Stops the program until it is continued. Does not use `SIGTSTP`, which [`Signals`] handles.
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

    /// Ctrl-C from outside the terminal; other signals do not exist here.
    #[derive(Debug)]
    pub(in crate::tui) struct Signals;

    impl Signals {
        /// Starts listening.
        ///
        /// # Errors
        /// Never here.
        pub(in crate::tui) fn listen() -> io::Result<Self> {
            Ok(Self)
        }

        /// The next signal.
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
