//! The report of a match: counts game by game, and writes for people and programs.

use std::{
    collections::HashMap,
    fmt,
    io::{self, Write},
    time::Duration,
};

use fivefold_shared::rules::{Outcome, Point, Rules, Stone};
use serde::Serialize;

use super::{
    match_game::{Ending, Played},
    match_settings::Match,
    statistics::{Sprt, Tally, Verdict},
};
use crate::{engines::gomocup_engine::Fault, terminal::sanitize::sanitize_json};

/// Outputs of a match while it runs.
pub struct Sink<'a> {
    /// For people: a line for each game.
    pub talk: &'a mut dyn Write,
    /// For programs: each game as a line of JSON.
    pub games: Option<&'a mut dyn Write>,
}

/// The result of a match so far.
#[derive(Clone, Debug)]
pub struct Report {
    names: [String; 2],
    rules: Rules,
    sprt: Option<Sprt>,
    tally: Tally,
    /// A's score in halves for the first game of an opening.
    half_pairs: HashMap<usize, usize>,
    conduct: [Conduct; 2],
    plies: usize,
}

/// How a player behaved.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Conduct {
    moves: u32,
    #[serde(rename = "ms", serialize_with = "milliseconds")]
    spent: Duration,
    #[serde(rename = "longest_ms", serialize_with = "milliseconds")]
    longest: Duration,
    /// Games lost by exceeding the time.
    late: u32,
    /// Games lost by an illegal move.
    illegal: u32,
    /// Games lost because the player did not start, refused to play, or exited.
    failed: u32,
}

/// A game as one JSON line.
#[derive(Serialize)]
struct GameLine<'a> {
    game: usize,
    black: &'a str,
    white: &'a str,
    rules: Rules,
    /// The number of moves in the opening.
    opening: usize,
    moves: &'a [Point],
    ms: Vec<u128>,
    result: &'static str,
    reason: String,
}

/// The whole report as one JSON line.
#[derive(Serialize)]
struct ReportLine<'a> {
    players: &'a [String; 2],
    rules: Rules,
    games: u32,
    won: u32,
    drawn: u32,
    lost: u32,
    pairs: [u32; 5],
    score: f64,
    /// Absent where it has no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    elo: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elo_least: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elo_greatest: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_likelihood_ratio: Option<f64>,
    conduct: [Conduct; 2],
}

impl Sink<'_> {
    /// Writes a finished game.
    pub(super) fn played(
        &mut self,
        match_: &Match,
        game: &Played,
        report: &Report,
    ) -> io::Result<()> {
        let name = |stone| report.names[game.player(stone)].as_str();
        let (black, white) = (name(Stone::Black), name(Stone::White));
        let reason = reason(&game.ending);
        let [lost, drawn, won] = report.tally.games;
        let result = match game.winner() {
            Some(winner) => format!("{} ({winner}) wins", name(winner)),
            None => "draw".into(),
        };
        writeln!(
            self.talk,
            "game {}: {black} - {white}: {result}, {reason}, {} plies; +{won} ={drawn} -{lost}",
            game.number + 1,
            game.moves.len(),
        )?;
        let Some(games) = &mut self.games else { return Ok(()) };
        let line = GameLine {
            game: game.number + 1,
            black,
            white,
            rules: match_.rules,
            opening: game.opening,
            moves: &game.moves,
            ms: game.times.iter().map(Duration::as_millis).collect(),
            result: match game.winner() {
                Some(Stone::Black) => "black",
                Some(Stone::White) => "white",
                None => "draw",
            },
            reason,
        };
        writeln!(games, "{}", sanitize_json(&serde_json::to_string(&line)?))
    }
}

impl fmt::Debug for Sink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink").finish_non_exhaustive()
    }
}

impl Report {
    /// A match without a game.
    pub(super) fn new(match_: &Match) -> Self {
        let mut names = [0, 1].map(|index| match_.players[index].name());
        if names[0] == names[1] {
            names[1].push_str("#2");
        }
        Self {
            names,
            rules: match_.rules,
            sprt: match_.sprt,
            tally: Tally::default(),
            half_pairs: HashMap::new(),
            conduct: [Conduct::default(); 2],
            plies: 0,
        }
    }

    /// Counts a game.
    pub(super) fn add(&mut self, game: &Played) {
        let halves = game.halves();
        self.tally.games[halves] += 1;
        match self.half_pairs.remove(&(game.number / 2)) {
            Some(other) => self.tally.pairs[halves + other] += 1,
            None => {
                self.half_pairs.insert(game.number / 2, halves);
            }
        }
        self.plies += game.moves.len();
        for (index, time) in game.times.iter().enumerate() {
            let stone = Stone::to_move(game.opening + index);
            self.conduct[game.player(stone)].note(*time);
        }
        if let Ending::Fault { by, fault } = &game.ending {
            let conduct = &mut self.conduct[game.player(*by)];
            match fault {
                Fault::Late(_) => conduct.late += 1,
                Fault::Illegal { .. } | Fault::IllegalAct(_) => conduct.illegal += 1,
                Fault::NotStarted(_)
                | Fault::NotAnEngine(_)
                | Fault::Refused(_)
                | Fault::NoOpening(_)
                | Fault::Ended => conduct.failed += 1,
            }
        }
    }

    /// How many games A lost, drew and won.
    pub const fn games(&self) -> [u32; 3] {
        self.tally.games
    }

    /// The verdict of the sequential test, if there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.sprt.map(|sprt| sprt.verdict(&self.tally))
    }

    /// The whole report as one JSON line.
    ///
    /// # Errors
    /// Never: all numbers are finite.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let [lost, drawn, won] = self.tally.games;
        let difference = self.tally.difference();
        let finite = |value: f64| value.is_finite().then_some(value);
        serde_json::to_string(&ReportLine {
            players: &self.names,
            rules: self.rules,
            games: self.tally.count(),
            won,
            drawn,
            lost,
            pairs: self.tally.pairs,
            score: self.tally.score(),
            elo: finite(difference.elo),
            elo_least: finite(difference.least),
            elo_greatest: finite(difference.greatest),
            log_likelihood_ratio: self.sprt.map(|sprt| sprt.llr(&self.tally)),
            conduct: self.conduct,
        })
    }
}

impl Conduct {
    fn note(&mut self, time: Duration) {
        self.moves += 1;
        self.spent += time;
        self.longest = self.longest.max(time);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.names;
        let count = self.tally.count();
        let [lost, drawn, won] = self.tally.games;
        let difference = self.tally.difference();
        let plies = self.plies / usize::try_from(count.max(1)).unwrap_or(1);
        writeln!(f, "{a} against {b}: {}, {count} games of {plies} plies", self.rules)?;
        writeln!(f, "What {a} has reached; Elo is how much stronger it is than {b}:")?;
        writeln!(
            f,
            "score  {won} won, {drawn} drawn, {lost} lost: {:.1} %",
            100.0 * self.tally.score()
        )?;
        writeln!(
            f,
            "Elo    {:+.0}, {:+.0} to {:+.0} with 95 % confidence",
            difference.elo, difference.least, difference.greatest
        )?;
        let [none, half, one, more, two] = self.tally.pairs;
        writeln!(
            f,
            "pairs  {none} of 0, {half} of 0.5, {one} of 1, {more} of 1.5, {two} of 2 points"
        )?;
        if let Some(sprt) = self.sprt {
            let [low, high] = Sprt::bounds();
            let Sprt { elo0, elo1 } = sprt;
            let says = match sprt.verdict(&self.tally) {
                Verdict::Open => "open".to_owned(),
                Verdict::Lower => format!("{a} is not stronger by more than {elo0}"),
                Verdict::Higher => format!("{a} is stronger by at least {elo1}"),
            };
            let llr = sprt.llr(&self.tally);
            writeln!(
                f,
                "SPRT   {elo0} or {elo1}: {llr:.2} between {low:.2} and {high:.2}: {says}"
            )?;
        }
        for (name, conduct) in self.names.iter().zip(&self.conduct) {
            let Conduct { moves, spent, longest, late, illegal, failed } = conduct;
            let average = spent.as_secs_f64() * 1e3 / f64::from((*moves).max(1));
            let longest = longest.as_secs_f64() * 1e3;
            writeln!(
                f,
                "{name}: {moves} moves of {average:.1} ms, at most {longest:.1} ms; lost by time \
                 {late}, by illegal moves {illegal}, by failing {failed}"
            )?;
        }
        Ok(())
    }
}

/// Why a game ended, in few words.
fn reason(ending: &Ending) -> String {
    match ending {
        Ending::Rules(outcome) => match outcome {
            Outcome::Five { .. } => "five".into(),
            Outcome::Forbidden { .. } => "only forbidden points left".into(),
            Outcome::FullBoard => "full board".into(),
            Outcome::LengthLimit => "length limit".into(),
            Outcome::Resignation { .. }
            | Outcome::Agreement
            | Outcome::Time { .. }
            | Outcome::Abandonment { .. }
            | Outcome::Aborted { .. } => "ended by the players".into(),
        },
        Ending::Fault { by, fault } => format!("{by}: {fault}"),
        Ending::Length => "length limit".into(),
    }
}

fn milliseconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}
