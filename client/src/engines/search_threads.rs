//! Starts the threads for a search.

use std::thread;

use fivefold_shared::search_budget::{SearchJob, Threads};

/// `count` threads for a search, one of them the caller's.
pub fn search_threads(count: usize) -> Threads {
    Threads::new(count, run_parallel)
}

fn run_parallel<'a>(first: Box<dyn FnOnce() + 'a>, others: Vec<SearchJob<'a>>) {
    thread::scope(|scope| {
        for job in others {
            scope.spawn(job);
        }
        first();
    });
}
