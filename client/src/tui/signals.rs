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

    use futures_util::future::select_all;
    use rustix::process::{Signal as Raised, getpid, kill_process};
    use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

    use crate::tui::signals::Signal;

    /// Signals that people and programs send to end a program.
    const ENDS: [Raised; 7] = [
        Raised::INT,
        Raised::TERM,
        Raised::HUP,
        Raised::QUIT,
        Raised::ALARM,
        Raised::USR1,
        Raised::USR2,
    ];

    /// The stream of signals.
    #[derive(Debug)]
    pub(in crate::tui) struct Signals {
        /// Signals that would end the program without restoring the terminal.
        ends: [Stream; ENDS.len()],
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
            let [int, term, hup, quit, alarm, usr1, usr2] = ENDS.map(listen);
            Ok(Self {
                ends: [int?, term?, hup?, quit?, alarm?, usr1?, usr2?],
                suspend: listen(Raised::TSTP)?,
                go_on: listen(Raised::CONT)?,
            })
        }

        /// The next signal.
        pub(in crate::tui) async fn next(&mut self) -> Signal {
            let ends = self.ends.iter_mut().map(|end| Box::pin(end.recv()));
            tokio::select! {
                _ = select_all(ends) => Signal::End,
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
