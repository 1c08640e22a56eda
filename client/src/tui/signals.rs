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

    use crate::{
        terminal::end_signals::{EndSignals, Interrupt},
        tui::signals::Signal,
    };

    /// The stream of signals.
    #[derive(Debug)]
    pub(in crate::tui) struct Signals {
        ends: EndSignals,
        suspend: Stream,
        go_on: Stream,
    }

    impl Signals {
        /// Starts listening; from now on these signals no longer end the program by themselves.
        ///
        /// # Errors
        /// When the system refuses.
        pub(in crate::tui) fn listen() -> io::Result<Self> {
            let listen = |raised: Raised| signal(SignalKind::from_raw(raised.as_raw()));
            Ok(Self {
                ends: EndSignals::listen(Interrupt::Signal)?,
                suspend: listen(Raised::TSTP)?,
                go_on: listen(Raised::CONT)?,
            })
        }

        /// The next signal.
        pub(in crate::tui) async fn next(&mut self) -> Signal {
            tokio::select! {
                () = self.ends.next() => Signal::End,
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

    use crate::{
        terminal::end_signals::{EndSignals, Interrupt},
        tui::signals::Signal,
    };

    /// Signals that end the program; others do not exist here.
    #[derive(Debug)]
    pub(in crate::tui) struct Signals(EndSignals);

    impl Signals {
        /// Starts listening.
        ///
        /// # Errors
        /// Never here.
        pub(in crate::tui) fn listen() -> io::Result<Self> {
            Ok(Self(EndSignals::listen(Interrupt::Signal)?))
        }

        /// The next signal.
        pub(in crate::tui) async fn next(&mut self) -> Signal {
            self.0.next().await;
            Signal::End
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
