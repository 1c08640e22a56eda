//! Questions to other nodes that wait for their answers. An answer that comes too late is dropped.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::oneshot, time::timeout};

use crate::limits::PEER_ANSWERS_WITHIN;

/// The questions that are not answered.
#[derive(Debug, Default)]
pub(super) struct Questions {
    /// Locked to add or remove one.
    asked: Mutex<Asked>,
}

#[derive(Debug, Default)]
struct Asked {
    count: u64,
    waiting: HashMap<u64, oneshot::Sender<String>>,
}

/// A question; forgotten when this is dropped.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    questions: &'a Questions,
    pub(super) number: u64,
    answer: oneshot::Receiver<String>,
}

impl Questions {
    /// Gives a question a number.
    pub(super) fn begin(&self) -> Waiting<'_> {
        let (sender, answer) = oneshot::channel();
        let mut asked = self.lock();
        asked.count += 1;
        let number = asked.count;
        asked.waiting.insert(number, sender);
        Waiting { questions: self, number, answer }
    }

    /// Takes in an answer.
    pub(super) fn answer(&self, number: u64, text: String) {
        if let Some(sender) = self.lock().waiting.remove(&number) {
            // Nobody waits any more.
            drop(sender.send(text));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Asked> {
        // Nothing panics between two changes that belong together.
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting<'_> {
    /// The answer, if it comes in time.
    pub(super) async fn answer(mut self) -> Option<String> {
        timeout(PEER_ANSWERS_WITHIN, &mut self.answer).await.ok()?.ok()
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.questions.lock().waiting.remove(&self.number);
    }
}
