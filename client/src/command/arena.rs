//! `fivefold arena`

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool, atomic::Ordering},
    time::Duration,
};

use anyhow::Context;
use fivefold_shared::rules::{Rules, Size};

use super::{
    output_mode,
    usage::{INTERRUPTED, Usage, refuse_root},
};
use crate::{
    cli::ArenaArgs,
    engines::{
        arena::{Contestant, Match, Report, Sink, TURN},
        gomocup_engine::Limits,
        match_openings,
    },
    terminal::output,
};

/// The most moves of a game on the unbounded board, unless an option sets another number.
const UNBOUNDED_PLIES: usize = 400;

/// Plays a match; Ctrl-C ends it and prints the report so far.
pub(super) async fn run(args: &ArenaArgs) -> anyhow::Result<ExitCode> {
    let match_ = match_of(args)?;
    let save = args.save.clone();
    let json = args.json;
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let mut playing = tokio::task::spawn_blocking(move || {
        let mut games = match &save {
            Some(path) => {
                let file = OpenOptions::new().create(true).append(true).open(path);
                let file = file.with_context(|| format!("cannot write {}", path.display()))?;
                Some(io::LineWriter::new(file))
            }
            None => None,
        };
        let games = games.as_mut().map(|file| file as &mut dyn Write);
        match_.play(&stopped, &mut Sink { talk: &mut output::stderr(), games })
    });
    let mut interrupted = false;
    let report: Report = loop {
        tokio::select! {
            played = &mut playing => break played.context("the match panicked")??,
            () = output_mode::interrupted(), if !interrupted => {
                interrupted = true;
                stop.store(true, Ordering::Relaxed);
            }
        }
    };
    let mut out = output::stdout();
    if json {
        out.json(&report.to_json()?)?;
    } else {
        out.lines(&report.to_string())?;
    }
    out.flush()?;
    Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

fn match_of(args: &ArenaArgs) -> anyhow::Result<Match> {
    let usage = |error: String| Usage(error);
    let rules: Rules = args.game.rules().map_err(|error| usage(error.to_string()))?;
    let players = [&args.a, &args.b].map(Contestant::clone);
    if players.iter().any(|player| matches!(player, Contestant::Program(_))) {
        refuse_root(args.allow_root)?;
    }
    for player in &players {
        if let Contestant::Bot(spec) = player {
            spec.offered(rules).map_err(|error| usage(format!("{spec}: {error}")))?;
        }
    }
    let opening = args.opening.opening;
    opening.offered(rules).map_err(|error| usage(error.to_string()))?;
    let openings = match &args.openings {
        Some(path) => {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            match_openings::read(&text, rules)
                .map_err(|error| usage(format!("{}: {error}", path.display())))?
        }
        None => Vec::new(),
    };
    let turn = match (args.time, args.nodes) {
        (Some(ms), _) => Some(Duration::from_millis(ms)),
        (None, Some(_)) => None,
        (None, None) if args.game_time.is_some() => None,
        (None, None) => Some(TURN),
    };
    let plies_max = match (args.plies, rules.size()) {
        (Some(plies), _) => plies,
        (None, Size::Bounded { .. }) => usize::MAX,
        (None, Size::Unbounded) => UNBOUNDED_PLIES,
    };
    Ok(Match {
        players,
        rules,
        games: args.games,
        limits: Limits {
            turn,
            game: args.game_time.map(Duration::from_millis),
            grace: Duration::from_millis(args.grace),
            nodes: args.nodes,
            memory: args.memory.map(|mebibytes| u64::from(mebibytes) << 20),
            start: Duration::from_secs(args.start),
            is_trusted: args.trust,
        },
        openings,
        opening,
        seed: args.seed,
        plies_max,
        threads: args.threads,
        sprt: args.sprt,
    })
}
