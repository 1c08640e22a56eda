//! A timer for tasks that move their deadline after almost every input.
//!
//! Setting a tokio timer takes a lock that all tasks share. Most deadlines only move later, so this
//! alarm lets its timer fire early and sets it again then: once instead of once per input. A task
//! without a deadline has no timer.

use std::pin::Pin;

use tokio::time::{Instant, Sleep, sleep_until};

/// A timer that tolerates frequent changes of its deadline.
#[derive(Debug, Default)]
pub(crate) struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    /// Waits until this time, or forever for `None`. Cancel safe.
    pub(crate) async fn ring(&mut self, at: Option<Instant>) {
        let Some(at) = at else { return std::future::pending().await };
        let timer = self.0.get_or_insert_with(|| Box::pin(sleep_until(at)));
        if timer.deadline() > at {
            timer.as_mut().reset(at);
        }
        loop {
            timer.as_mut().await;
            if timer.deadline() >= at {
                return;
            }
            timer.as_mut().reset(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_rings_at_the_last_time_that_it_was_set_to() {
        let start = Instant::now();
        let seconds = |s| start + Duration::from_secs(s);
        let mut alarm = Alarm::default();
        assert!(timeout(Duration::from_secs(1), alarm.ring(None)).await.is_err());
        // When it is set, the new deadline, and whether it rings within the next second.
        let cases = [(10, false), (5, false), (20, false), (4, true), (4, true), (6, false)];
        for (at, rings) in cases {
            let rung = timeout(Duration::from_secs(1), alarm.ring(Some(seconds(at)))).await;
            assert_eq!(rung.is_ok(), rings, "set to {at} at {:?}", start.elapsed());
            if rings {
                assert!(start.elapsed() >= Duration::from_secs(at));
            }
        }
        alarm.ring(Some(seconds(30))).await;
        assert_eq!(start.elapsed(), Duration::from_secs(30));
    }
}
