//! `fivefold analyse`

use std::{
    cell::Cell,
    io::{self, Write},
    path::Path,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Context;
use fivefold_engine::{
    reviewer::Reviewer,
    search::{Engine, EngineOptions},
};
use fivefold_shared::{
    analysis::Analysis,
    notation::file::GameFile,
    rules::Position,
    search_budget::{Budget, Thinking},
};

use super::{
    finished_game,
    usage::{Usage, rules},
};
use crate::{
    cli::AnalyseArgs,
    engines::search_threads::search_threads,
    game_files::{self, Format, Reading},
    lines::analysis_output::{self, Progress},
    terminal::output,
};

/// Analyses a position or a whole game until it is done or the person presses Ctrl-C.
pub(super) async fn run(args: &AnalyseArgs) -> anyhow::Result<ExitCode> {
    let game = game(args).await?;
    let mut position = game_files::position(&game)?;
    if let Some(ply) = args.ply {
        if ply > position.ply() {
            return Err(Usage(format!("the game has only {} moves", position.ply())).into());
        }
        while position.ply() > ply {
            position.undo();
        }
    }
    let cancel = Arc::new(AtomicBool::new(false));
    let limits = Limits {
        time: args.time.map_or(Duration::MAX, Duration::from_secs_f64),
        nodes: args.nodes,
        depth: args.depth,
        multi: usize::from(args.multi),
        hash_bytes: usize::from(args.hash) << 20,
        threads: args.threads.into(),
    };
    let is_review = args.review || args.ply.is_none() && is_over(&game, &position);
    let (flag, json) = (Arc::clone(&cancel), args.json);
    let work = tokio::task::spawn_blocking(move || {
        if is_review { review(&game, json, &flag) } else { analyse(&position, limits, json, &flag) }
    });
    tokio::pin!(work);
    tokio::select! {
        done = &mut work => done??,
        interrupted = tokio::signal::ctrl_c() => {
            interrupted.context("cannot wait for Ctrl-C")?;
            // The result so far is printed.
            cancel.store(true, Ordering::Relaxed);
            work.await??;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a game has ended, on the board or by its file's result.
fn is_over(game: &GameFile, position: &Position) -> bool {
    position.outcome().is_some() || game.ending.is_some()
}

/// The game in the named file, or else the typed moves.
async fn game(args: &AnalyseArgs) -> anyhow::Result<GameFile> {
    let rules = rules(&args.game, &[])?;
    let reading = Reading { format: Some(Format::Moves), rules, game: 1 };
    let moves = reading.of_text(&args.what.join(" "));
    if let [name] = args.what.as_slice() {
        let path = Path::new(name);
        let is_file = name == "-" || path.is_file() || Format::of_path(path).is_some();
        // Some moves look like a code.
        if is_file || moves.is_err() && finished_game::link(path).is_some() {
            let reading = Reading { format: None, rules, game: args.number };
            let tree = finished_game::read(reading, path, &args.server).await?;
            return Ok(game_files::playable(tree)?.main_line());
        }
    }
    Ok(moves?.content.main_line())
}

#[derive(Clone, Copy)]
struct Limits {
    time: Duration,
    nodes: Option<u64>,
    depth: Option<u16>,
    multi: usize,
    hash_bytes: usize,
    threads: usize,
}

fn no_engine() -> anyhow::Error {
    anyhow::anyhow!("the engine does not play where more than six in a row win")
}

fn analyse(
    position: &Position,
    limits: Limits,
    json: bool,
    flag: &AtomicBool,
) -> anyhow::Result<()> {
    if let Some(outcome) = position.outcome() {
        anyhow::bail!("the game is over ({outcome:?}); --review looks at all its moves");
    }
    let Limits { hash_bytes, threads, .. } = limits;
    let threads = search_threads(threads);
    let options = EngineOptions { hash_bytes, threads, ..EngineOptions::default() };
    let mut engine = Engine::new(position.rules(), options).ok_or_else(no_engine)?;
    let begun = Instant::now();
    let elapsed = || begun.elapsed();
    let budget = Budget { time: limits.time, nodes: limits.nodes, ..Budget::UNLIMITED };
    let thinking = Thinking { budget, elapsed: &elapsed, cancel: flag };
    let mut out = output::stdout();
    let mut told: io::Result<()> = Ok(());
    let is_told = Cell::new(false);
    let mut tell = |analysis: &Analysis| {
        let progress = Progress { analysis, time: begun.elapsed() };
        let printed = if json {
            progress.json(position).map_err(io::Error::other).and_then(|line| out.json(&line))
        } else {
            out.lines(&progress.text(position.rules().size()))
        };
        is_told.set(true);
        told = printed.and_then(|()| out.flush());
        if told.is_err() || limits.depth.is_some_and(|depth| analysis.depth >= depth) {
            flag.store(true, Ordering::Relaxed);
        }
    };
    let end = engine.analyse(position, &thinking, limits.multi, &mut tell);
    if let Some(end) = end.filter(|_| !is_told.get()) {
        // Nothing was printed yet: the engine found a win immediately.
        tell(&end);
    }
    Ok(told?)
}

fn review(game: &GameFile, json: bool, flag: &AtomicBool) -> anyhow::Result<()> {
    let moves = game.points();
    let position = game_files::position(game)?;
    let on_board = position.outcome().and_then(|outcome| outcome.winner());
    let winner = on_board.or(game.ending.and_then(|ending| ending.winner()));
    let reviewer = Reviewer::new(game.rules, &moves, winner);
    let mut reviewer = reviewer.ok().flatten().ok_or_else(no_engine)?;
    let thinking =
        Thinking { budget: Budget::UNLIMITED, elapsed: &|| Duration::ZERO, cancel: flag };
    let mut talk = output::stderr();
    loop {
        match reviewer.go_on(&thinking) {
            None => anyhow::bail!("interrupted after {} of {} moves", reviewer.done(), moves.len()),
            Some(true) if reviewer.done() % 10 == 0 && reviewer.done() > 0 => {
                writeln!(talk, "{} of {} moves", reviewer.done(), moves.len())?;
            }
            Some(true) => {}
            Some(false) => break,
        }
    }
    let Some(review) = reviewer.finish() else { return Ok(()) };
    let size = game.rules.size();
    let mut out = output::stdout();
    if json {
        out.json(&analysis_output::review_json(&review, &moves, size)?)?;
    } else {
        out.lines(&analysis_output::review_text(&review, &moves, size))?;
    }
    Ok(out.flush()?)
}
