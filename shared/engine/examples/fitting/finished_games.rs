//! Reads finished games, one a line: as `fivefold arena --save` writes them, or in short, such as
//! `freestyle 15x15 black 3 h8 i9 ...`, where 3 moves are the opening.

use std::{fmt, fs};

use fivefold_shared::{
    notation::coordinates,
    rules::{Point, Rules, Stone, Variant},
};
use serde::Deserialize;

/// A game that has ended.
#[derive(Deserialize)]
pub(crate) struct FinishedGame {
    pub(crate) rules: Rules,
    /// How many of the moves are the opening.
    pub(crate) opening: usize,
    pub(crate) moves: Vec<Point>,
    /// `black`, `white` or `draw`.
    result: String,
}

impl FinishedGame {
    /// The points of a side: 1, 0.5 or 0.
    pub(crate) fn score(&self, side: Stone) -> Result<f64, String> {
        let won = |stone| if side == stone { 1.0 } else { 0.0 };
        match self.result.as_str() {
            "black" => Ok(won(Stone::Black)),
            "white" => Ok(won(Stone::White)),
            "draw" => Ok(0.5),
            other => Err(format!("{other} is no result")),
        }
    }
}

impl fmt::Display for FinishedGame {
    /// Writes the short form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rules, opening, moves, result } = self;
        write!(f, "{} {} {result} {opening}", rules.variant(), rules.size())?;
        let mut names = moves.iter().map(|point| coordinates::format(*point, rules.size()));
        names.try_for_each(|name| write!(f, " {name}"))
    }
}

/// The games of a file.
pub(crate) fn read(path: &str) -> Result<Vec<FinishedGame>, Box<dyn std::error::Error>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| game(line).map_err(|error| format!("{path}: {error}: {line}").into()))
        .collect()
}

fn game(line: &str) -> Result<FinishedGame, Box<dyn std::error::Error>> {
    let game = if line.starts_with('{') { serde_json::from_str(line)? } else { short(line)? };
    game.score(Stone::Black)?;
    if game.opening > game.moves.len() {
        return Err("the opening is longer than the game".into());
    }
    Ok(game)
}

fn short(line: &str) -> Result<FinishedGame, Box<dyn std::error::Error>> {
    let mut fields = line.split(' ');
    let mut next = || fields.next().ok_or("a field is missing");
    let variant = Variant::named(next()?).ok_or("no such variant")?;
    let rules = Rules::new(variant, next()?.parse()?)?;
    let (result, opening) = (next()?.to_owned(), next()?.parse()?);
    let moves = fields.map(|name| coordinates::parse(name, rules.size()));
    Ok(FinishedGame { rules, opening, moves: moves.collect::<Result<_, _>>()?, result })
}
