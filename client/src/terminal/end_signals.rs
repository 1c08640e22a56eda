//! The signals that end a program. Code that changes the terminal waits for them, to restore it first.

use std::io;

/// Where the interrupt comes from while this waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Interrupt {
    /// Also from outside, as a signal.
    Signal,
    /// From the keys only. The signal still ends the program by itself.
    Keys,
}

pub(crate) use self::platform::EndSignals;

#[cfg(unix)]
mod platform {
    use futures_util::future::select_all;
    use rustix::process::Signal as Raised;
    use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

    use super::{Interrupt, io};

    /// Besides the interrupt.
    const ENDS: [Raised; 6] =
        [Raised::TERM, Raised::HUP, Raised::QUIT, Raised::ALARM, Raised::USR1, Raised::USR2];

    /// The stream of these signals.
    #[derive(Debug)]
    pub(crate) struct EndSignals(Vec<Stream>);

    impl EndSignals {
        /// Starts listening; from now on these signals no longer end the program by themselves.
        ///
        /// # Errors
        /// When the system refuses.
        pub(crate) fn listen(interrupt: Interrupt) -> io::Result<Self> {
            let interrupt = (interrupt == Interrupt::Signal).then_some(Raised::INT);
            let ends = ENDS.into_iter().chain(interrupt);
            let streams = ends.map(|raised| signal(SignalKind::from_raw(raised.as_raw())));
            Ok(Self(streams.collect::<io::Result<_>>()?))
        }

        /// Waits for one of them.
        pub(crate) async fn next(&mut self) {
            select_all(self.0.iter_mut().map(|stream| Box::pin(stream.recv()))).await;
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use super::{Interrupt, io};

    /// Ctrl-C from outside the terminal; other signals do not exist here.
    #[derive(Debug)]
    pub(crate) struct EndSignals(Interrupt);

    impl EndSignals {
        /// Starts listening.
        ///
        /// # Errors
        /// Never here.
        pub(crate) fn listen(interrupt: Interrupt) -> io::Result<Self> {
            Ok(Self(interrupt))
        }

        /// Waits for one of them.
        pub(crate) async fn next(&mut self) {
            if self.0 == Interrupt::Keys || tokio::signal::ctrl_c().await.is_err() {
                std::future::pending().await
            }
        }
    }
}
