//! Fits the chances of winning that people see to the results of finished games, and says how true
//! they are.
//!
//! ```text
//! cargo run --release -p fivefold-engine --example calibrate -- split SEED FITTED HELD_OUT FILE...
//! cargo run --release -p fivefold-engine --example calibrate -- judge SEED POSITIONS NODES FILE...
//! cargo run --release -p fivefold-engine --example calibrate -- fit HELD_OUT FITTED...
//! ```
//!
//! - `split` reads games that `fivefold arena --save` wrote, and puts half of them into either file,
//!   in their short form. Games with the same opening come into the same file.
//! - `judge` draws positions after the opening at random, equally many from each game. It searches
//!   `NODES` nodes in each, until it has `POSITIONS` that are neither won nor lost for sure. It prints a
//!   line for each: the number of the game, the variant, the size, the stones, the value of the search
//!   in units of the logistic function (or `win` or `loss`), and the points of the side to move.
//! - `fit` fits the numbers of `shared/engine/src/calibration.rs` to such lines. It prints them, and
//!   how true the chances are: those of the search, those that people see now, those by the numbers found, and
//!   those of the search with the one factor of the logit that is best for these very positions. The
//!   positions of `HELD_OUT` are for the tables alone.

#![expect(clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that reads files")]

#[path = "../fitting/finished_games.rs"]
mod finished_games;
mod fit;
mod judged;
mod tables;

use std::{collections::BTreeMap, env, error::Error, fs};

use fivefold_engine::search::{Engine, EngineOptions};
use fivefold_shared::{
    analysis::Value,
    rules::{Position, Rules},
    search_budget::{Budget, Thinking},
};
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus, seq::SliceRandom};

use self::finished_games::FinishedGame;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["split", seed, fitted, held_out, ref paths @ ..] => {
            let [one, other] = split(seed.parse()?, read(paths)?);
            fs::write(fitted, lines(&one))?;
            fs::write(held_out, lines(&other))?;
            Ok(())
        }
        ["judge", seed, positions, nodes, ref paths @ ..] => {
            judge(seed.parse()?, positions.parse()?, nodes.parse()?, &read(paths)?)
        }
        ["fit", held_out, ref paths @ ..] => {
            let fitted = judged::read(paths)?;
            let found = fit::fit(&fitted);
            println!("{found:#?}");
            for (name, path) in [("not fitted", &[held_out][..]), ("fitted", paths)] {
                println!("\n{name}: {}", path.join(", "));
                tables::print(&judged::read(path)?, &found);
            }
            Ok(())
        }
        _ => Err("split, judge or fit?".into()),
    }
}

fn read(paths: &[&str]) -> Result<Vec<FinishedGame>, Box<dyn Error>> {
    let files: Vec<_> =
        paths.iter().map(|path| finished_games::read(path)).collect::<Result<_, _>>()?;
    Ok(files.into_iter().flatten().collect())
}

fn lines(games: &[FinishedGame]) -> String {
    games.iter().map(|game| format!("{game}\n")).collect()
}

/// Halves the games of each rules, and keeps those of one opening together.
fn split(seed: u64, games: Vec<FinishedGame>) -> [Vec<FinishedGame>; 2] {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut openings: BTreeMap<_, Vec<FinishedGame>> = BTreeMap::new();
    for game in games {
        let stones = game.moves[..game.opening].to_vec();
        openings.entry((game.rules.to_string(), stones)).or_default().push(game);
    }
    let mut halves = [Vec::new(), Vec::new()];
    let mut openings: Vec<_> = openings.into_iter().collect();
    openings.shuffle(&mut random);
    // Stable, so that the openings of the same rules stay in random order.
    openings.sort_by(|((one, _), _), ((other, _), _)| one.cmp(other));
    for (number, (_, mut games)) in openings.into_iter().enumerate() {
        halves[number % 2].append(&mut games);
    }
    halves
}

/// Prints what the engine says of random positions.
fn judge(
    seed: u64,
    positions: usize,
    nodes: u64,
    games: &[FinishedGame],
) -> Result<(), Box<dyn Error>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut drawn: Vec<(usize, usize, &FinishedGame, usize)> = Vec::new();
    for (number, game) in (1..).zip(games) {
        let mut plies: Vec<usize> = (game.opening..game.moves.len()).collect();
        plies.shuffle(&mut random);
        drawn.extend(plies.into_iter().enumerate().map(|(round, ply)| (round, number, game, ply)));
    }
    drawn.shuffle(&mut random);
    // Stable, so that a round has the games in random order.
    drawn.sort_by_key(|(round, ..)| *round);
    let mut engines: Vec<(Rules, Engine)> = Vec::new();
    let budget = Budget { nodes: Some(nodes), ..Budget::UNLIMITED };
    let thinking = Thinking { budget, ..Thinking::unlimited() };
    let mut judged = 0;
    for (_, number, game, ply) in drawn {
        if judged == positions {
            break;
        }
        let known = engines.iter().position(|(rules, _)| *rules == game.rules);
        let known = match known {
            Some(known) => known,
            None => {
                let engine = Engine::new(game.rules, EngineOptions::default());
                engines.push((game.rules, engine.ok_or("no engine for these rules")?));
                engines.len() - 1
            }
        };
        let engine = &mut engines[known].1;
        let position = Position::from_moves(game.rules, &game.moves[..ply])
            .map_err(|(ply, illegal)| format!("move {ply} of {game}: {illegal:?}"))?;
        engine.forget();
        let analysis = engine.search(&position, &thinking, 1, &mut |_| {});
        let value = match analysis.ok_or("the game is over")?.lines[0].value {
            Value::Chance(chance) => {
                judged += 1;
                format!("{:.4}", (chance / (1.0 - chance)).ln())
            }
            Value::Win { .. } => "win".to_owned(),
            Value::Loss { .. } => "loss".to_owned(),
        };
        let (rules, score) = (game.rules, game.score(position.turn())?);
        println!("{number} {} {} {ply} {value} {score}", rules.variant(), rules.size());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, env::temp_dir, process};

    use fivefold_shared::rules::{Point, Stone};

    use super::*;

    const FITTED: &str = "testdata/finished_games/with_rapfi_fitted.txt";
    const HELD_OUT: &str = "testdata/finished_games/with_rapfi_held_out.txt";
    const SELF_PLAY: &str = "testdata/finished_games/self_play.txt";

    fn openings(games: &[FinishedGame]) -> HashSet<(String, &[Point])> {
        games.iter().map(|game| (game.rules.to_string(), &game.moves[..game.opening])).collect()
    }

    #[test]
    fn the_stored_games_end_as_they_say_and_no_held_out_opening_is_fitted() {
        let games = [FITTED, HELD_OUT, SELF_PLAY].map(|path| read(&[path]).unwrap());
        assert_eq!(games.each_ref().map(Vec::len), [150, 150, 400]);
        for game in games.iter().flatten() {
            let position = Position::from_moves(game.rules, &game.moves).unwrap();
            let winner = position.outcome().unwrap().winner();
            let score = winner.map_or(0.5, |winner| f64::from(u8::from(winner == Stone::Black)));
            assert_eq!(game.score(Stone::Black), Ok(score), "{game}");
        }
        let [fitted, held_out, self_play] = games.each_ref().map(|games| openings(games));
        assert!(held_out.is_disjoint(&fitted) && held_out.is_disjoint(&self_play));
        let [one, other] = split(7, read(&[FITTED, HELD_OUT]).unwrap());
        assert_eq!(one.len() + other.len(), 300);
        assert!(openings(&one).is_disjoint(&openings(&other)));
    }

    #[test]
    fn both_forms_of_a_game_are_read_and_others_refused() {
        let path = temp_dir().join(format!("fivefold-finished-games-{}", process::id()));
        let read_text = |text: &str| {
            fs::write(&path, text).unwrap();
            let games = finished_games::read(path.to_str().unwrap());
            games.map(|games| lines(&games)).map_err(|error| error.to_string())
        };
        let short = "renju 15x15 draw 1 h8 h9\nfreestyle unbounded white 0 0,0 1,-1\n";
        assert_eq!(read_text(short).as_deref(), Ok(short));
        let saved = r#"{"game":1,"black":"a","white":"b","rules":{"variant":"renju","size":[15,15]},
            "opening":1,"moves":[[7,7],[7,6]],"ms":[5],"result":"draw","reason":"full"}"#;
        let saved = saved.replace('\n', "");
        assert_eq!(read_text(&saved).as_deref(), Ok("renju 15x15 draw 1 h8 h9\n"));
        for bad in ["", "renju 15x15 draw", "chess 8x8 draw 0 a1", "renju 15x15 draw 3 h8", "{}"] {
            assert!(read_text(&format!("{bad}\n")).is_err(), "{bad}");
        }
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_fit_finds_the_factor_that_the_results_were_made_by() {
        let rules = Rules::new(fivefold_shared::rules::Variant::Renju, "15".parse().unwrap());
        let rules = rules.unwrap();
        let one = |step: i32| {
            let searched = judged::chance(f64::from(step) / 50.0);
            let made = judged::Judged { rules, stones: 20, searched, score: 0.0 };
            judged::Judged { score: fit::times(&made, 2.5), ..made }
        };
        let judged: Vec<_> = (-100..=100).map(one).collect();
        let sample = judged::Sample { judged, proven: 0, proven_rightly: 0 };
        assert!((fit::fit_factor(&sample) - 2.5).abs() < 0.01);
        let found = fit::fit(&sample);
        let loss = |chance: &dyn Fn(&judged::Judged) -> f64| fit::cross_entropy(&sample, chance);
        let least = loss(&|one| one.score);
        let fitted = loss(&|one| found.chance(one.searched, rules, one.stones));
        assert!(fitted < 1.05 * least, "{fitted} {least}");
    }
}
