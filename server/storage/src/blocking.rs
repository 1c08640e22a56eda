//! Runs blocking storage calls on threads. In a simulation, where only simulated time passes, they
//! run in the runtime and take a simulated time.

use std::{fmt, io, sync::Arc, thread, time::Duration};

use tokio::{
    sync::{mpsc, oneshot},
    task::{spawn, spawn_blocking, yield_now},
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
        let (call, answer) = answering(call);
        match self {
            // It ends before its answer is there only by a panic, which the answer tells.
            Self::Threads => drop(spawn_blocking(call)),
            Self::Simulated(delay) => {
                sleep(delay()).await;
                call();
            }
        }
        answer.await.ok()
    }

    /// Runs a call on a thread of its own, which first lowers its priority; `None` if it panics.
    pub async fn call_below<T: Send + 'static>(
        &self,
        lower: fn(),
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        match self {
            Self::Threads => {
                let (call, answer) = answering(call);
                start_below(lower, call).ok()?;
                answer.await.ok()
            }
            Self::Simulated(_) => self.call(call).await,
        }
    }

    /// Serves requests until all senders are gone. `serve` gets the first waiting request, and may
    /// take others from the queue. Call it in a runtime.
    ///
    /// A task watches the queue, and hands it to the thread when the tasks that can run have run. So what
    /// they request together is served together, and the thread does not interrupt them after the first
    /// request. That needs no timer: an idle runtime hands over at once, and a busy one at its next look at
    /// the sockets.
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
                let (hand_over, mut handed) = mpsc::channel(1);
                let (give_back, mut given_back) = mpsc::channel(1);
                thread::Builder::new().name(name.to_owned()).spawn(move || {
                    while let Some((first, mut queue)) = handed.blocking_recv() {
                        serve(first, &mut queue);
                        if give_back.blocking_send(queue).is_err() {
                            // The runtime has ended.
                            break;
                        }
                    }
                })?;
                spawn(async move {
                    while let Some(first) = queue.recv().await {
                        yield_now().await;
                        if hand_over.send((first, queue)).await.is_err() {
                            break;
                        }
                        // Nothing comes back if `serve` has panicked.
                        let Some(served) = given_back.recv().await else { break };
                        queue = served;
                    }
                });
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

/// A call whose answer is sent. Boxed, so that the code which runs calls is compiled once and not for each of them.
fn answering<T: Send + 'static>(
    call: impl FnOnce() -> T + Send + 'static,
) -> (Box<dyn FnOnce() + Send>, oneshot::Receiver<T>) {
    let (sender, answer) = oneshot::channel();
    // The caller may have ended.
    (Box::new(move || drop(sender.send(call()))), answer)
}

fn start_below(lower: fn(), call: Box<dyn FnOnce() + Send>) -> io::Result<()> {
    let run = move || {
        lower();
        call();
    };
    thread::Builder::new().name("http-job".to_owned()).spawn(run)?;
    Ok(())
}

impl fmt::Debug for Blocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Threads => "Threads",
            Self::Simulated(_) => "Simulated",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends so many requests, each from a task that the one before has made.
    fn send_in_turn(queue: mpsc::Sender<u32>, count: u32) {
        if count > 0 {
            spawn(async move {
                queue.send(count).await.unwrap();
                send_in_turn(queue, count - 1);
            });
        }
    }

    #[tokio::test]
    async fn what_ready_tasks_request_is_served_together() {
        let (requests, queue) = mpsc::channel(16);
        let (groups, mut served) = mpsc::channel(16);
        let serve = move |first, queue: &mut mpsc::Receiver<u32>| {
            let mut group = vec![first];
            group.extend(std::iter::from_fn(|| queue.try_recv().ok()));
            groups.blocking_send(group).unwrap();
        };
        Blocking::Threads.serve("test", queue, serve).unwrap();
        send_in_turn(requests.clone(), 10);
        assert_eq!(served.recv().await, Some((1..=10).rev().collect()));
        // Nobody else requests anything, and nothing waits.
        requests.send(7).await.unwrap();
        assert_eq!(served.recv().await, Some(vec![7]));
        drop(requests);
        assert_eq!(served.recv().await, None, "the thread ends");
    }

    #[tokio::test]
    async fn senders_notice_that_serving_has_panicked() {
        let (requests, queue) = mpsc::channel(1);
        Blocking::Threads.serve("test", queue, |_: u32, _| panic!("as planned")).unwrap();
        requests.send(1).await.unwrap();
        requests.closed().await;
    }
}
