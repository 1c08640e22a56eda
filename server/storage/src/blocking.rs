//! Runs blocking storage calls on threads. In a simulation, where only simulated time passes, they
//! run in the runtime and take a simulated time.

use std::{fmt, io, sync::Arc, thread, time::Duration};

use tokio::{
    sync::{mpsc, oneshot},
    task::{spawn, spawn_blocking},
    time::sleep,
};

/// Where blocking calls run.
#[derive(Clone, Default)]
pub enum Blocking {
    /// On threads.
    #[default]
    Threads,
    /// In the runtime: each call waits for this delay, and then takes no time.
    Simulated(Arc<dyn Fn() -> Duration + Send + Sync>),
}

impl Blocking {
    /// Runs a call; `None` if it panics.
    pub async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        match self {
            Self::Threads => spawn_blocking(call).await.ok(),
            Self::Simulated(delay) => {
                sleep(delay()).await;
                Some(call())
            }
        }
    }

    /// Runs a call on a thread of its own, which first lowers its priority; `None` if it panics.
    pub async fn call_below<T: Send + 'static>(
        &self,
        lower: fn(),
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        match self {
            Self::Threads => {
                let (answer, answered) = oneshot::channel();
                let run = move || {
                    lower();
                    // The caller may have ended.
                    drop(answer.send(call()));
                };
                thread::Builder::new().name("http-job".to_owned()).spawn(run).ok()?;
                answered.await.ok()
            }
            Self::Simulated(_) => self.call(call).await,
        }
    }

    /// Serves requests until all senders are gone. `serve` gets the first waiting request, and may
    /// take others from the queue.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub(super) fn serve<R: Send + 'static>(
        &self,
        name: &str,
        mut queue: mpsc::Receiver<R>,
        mut serve: impl FnMut(R, &mut mpsc::Receiver<R>) + Send + 'static,
    ) -> io::Result<()> {
        match self {
            Self::Threads => {
                thread::Builder::new().name(name.to_owned()).spawn(move || {
                    // At once: to yield first, for more requests in a group, would let a thread of
                    // the lowest priority run until the next tick.
                    while let Some(first) = queue.blocking_recv() {
                        serve(first, &mut queue);
                    }
                })?;
            }
            Self::Simulated(delay) => {
                let delay = Arc::clone(delay);
                spawn(async move {
                    while let Some(first) = queue.recv().await {
                        sleep(delay()).await;
                        serve(first, &mut queue);
                    }
                });
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Blocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Threads => "Threads",
            Self::Simulated(_) => "Simulated",
        })
    }
}
