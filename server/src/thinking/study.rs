//! Long thinking that gives way to games: analyses, and reviews of whole games.
//!
//! A study is called again and again until its time is up: it runs on a bots' thread when no game
//! needs one, and is stopped when one does, to be taken up again later. It keeps what it has found
//! in itself, and tells it through whatever channel it was made with.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use fivefold_shared::{
    analysis::{Analysis, Report, nodes_per_second},
    bot::Thinking,
    engine::{Engine, EngineOptions},
    rules::Position,
};
use tokio::sync::watch;

/// How much memory an analysis uses to remember positions. As many are begun as there are threads.
const HASH_BYTES: usize = 16 << 20;

/// Thinks until its thinking is over, or nothing is left to think about.
pub(crate) type Study = Box<dyn FnMut(&Thinking<'_>) + Send>;

/// How a job or a study is told to stop.
#[derive(Debug, Default)]
pub(crate) struct Call {
    /// What it looks at.
    pub(super) stop: AtomicBool,
    /// Whether it is to stop for good.
    cancelled: AtomicBool,
}

impl Call {
    /// Calls it off.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Has it stop for now.
    pub(super) fn interrupt(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Whether it had to stop but may go on; it may from here on.
    pub(super) fn may_go_on(&self) -> bool {
        let was_stopped = self.stop.swap(false, Ordering::SeqCst);
        // Who cancels sets this first, so that none is missed.
        was_stopped && !self.is_cancelled()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }
}

/// A study that was handed in. Dropping it calls the study off.
#[derive(Debug)]
pub(crate) struct Studying(pub(super) Arc<Call>);

impl Studying {
    pub(crate) fn call(&self) -> Arc<Call> {
        Arc::clone(&self.0)
    }
}

impl Drop for Studying {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A study that waits, or is under way.
pub(super) struct Waiting {
    pub(super) study: Study,
    pub(super) call: Arc<Call>,
    /// How much longer it may think.
    pub(super) time: Duration,
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").field("time", &self.time).finish_non_exhaustive()
    }
}

/// What comes of an analysis: the last report is kept until it is taken.
#[derive(Debug)]
pub(crate) struct Reports(watch::Receiver<Option<Report>>);

impl Reports {
    /// The next report; nothing when the analysis is over.
    pub(crate) async fn next(&mut self) -> Option<Report> {
        self.0.changed().await.ok()?;
        self.0.borrow_and_update().clone()
    }
}

/// An analysis of a position that is not over, by rules that the engine knows.
pub(super) fn analysis(position: Position, lines: u8) -> (Study, Reports) {
    let (teller, reports) = watch::channel(None);
    let mut engine = None;
    let (mut deepest, mut nodes_before, mut time_before) = (0, 0, Duration::ZERO);
    let study = move |thinking: &Thinking<'_>| {
        let options = EngineOptions { hash_bytes: HASH_BYTES, ..EngineOptions::default() };
        let engine = engine.get_or_insert_with(|| Engine::new(position.rules(), options));
        let Some(engine) = engine else { return };
        let began = std::time::Instant::now();
        let mut nodes = 0;
        let mut tell = |analysis: &Analysis| {
            nodes = analysis.nodes;
            // Taken up again, it finds once more what it has told already.
            if analysis.depth >= deepest {
                deepest = analysis.depth;
                let time = time_before + began.elapsed();
                let report = report(analysis, nodes_before + analysis.nodes, time);
                teller.send_replace(Some(report));
            }
        };
        if let Some(last) = engine.search(&position, thinking, lines.into(), &mut tell) {
            tell(&last);
        }
        nodes_before += nodes;
        time_before += began.elapsed();
    };
    (Box::new(study), Reports(reports))
}

fn report(analysis: &Analysis, nodes: u64, time: Duration) -> Report {
    Report {
        depth: analysis.depth,
        nodes,
        nodes_per_second: nodes_per_second(nodes, time),
        lines: analysis.lines.clone(),
    }
}
