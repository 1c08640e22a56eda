//! Reads files of renju positions and compares their forbidden points with the rules.
//!
//! Shared by the test of the project's own vectors and by the `renju_vectors` example, which runs
//! on any file. Two kinds of line are understood, both JSON:
//!
//! - one move: `{"black": ["h8"], "white": [], "move": "h9", "forbidden": true, "kind": "33"}`,
//!   where `kind` is `33`, `44`, `overline`, `five` or `none`;
//! - all points: `{"black": [[7, 7]], "white": [], "forbidden": [[7, 8, "double-three"]]}`.
//!
//! In the second form rows count from the bottom; what is forbidden does not depend on it.

use std::collections::BTreeMap;

use fivefold_shared::{
    notation::coordinates,
    rules::{Board, Point, Size, Stone},
};
use serde::Deserialize;

const SIZE: Size = Size::square(15);

/// The result of comparing a file.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// How many lines were compared.
    pub(crate) lines: usize,
    /// One sentence for each line that disagrees or cannot be read.
    pub(crate) disagreements: Vec<String>,
}

/// Compares every line of a file.
pub(crate) fn compare(text: &str) -> Report {
    let mut report = Report::default();
    for (number, line) in text.lines().enumerate() {
        report.lines += 1;
        if let Err(disagreement) = compare_line(line) {
            report.disagreements.push(format!("line {}: {disagreement}", number + 1));
        }
    }
    report
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Move {
        black: Vec<String>,
        white: Vec<String>,
        #[serde(rename = "move")]
        point: String,
        forbidden: bool,
        kind: String,
    },
    Points {
        black: Vec<Point>,
        white: Vec<Point>,
        forbidden: Vec<(i32, i32, String)>,
    },
}

fn compare_line(line: &str) -> Result<(), String> {
    match serde_json::from_str(line).map_err(|error| error.to_string())? {
        Line::Move { black, white, point, forbidden, kind } => {
            let board = set_up(&parse_all(&black)?, &parse_all(&white)?);
            let actual = board.forbidden_at(parse(&point)?).map(|kind| kind.to_string());
            let expected = forbidden.then(|| match kind.as_str() {
                "33" => "double-three".to_owned(),
                "44" => "double-four".to_owned(),
                _ => kind,
            });
            agree(&point, &actual, &expected)
        }
        Line::Points { black, white, forbidden } => {
            let board = set_up(&black, &white);
            let actual: BTreeMap<Point, String> = (0..15)
                .flat_map(|x| (0..15).map(move |y| Point::new(x, y)))
                .filter_map(|point| Some((point, board.forbidden_at(point)?.to_string())))
                .collect();
            let expected =
                forbidden.into_iter().map(|(x, y, kind)| (Point::new(x, y), kind)).collect();
            agree("the forbidden points", &actual, &expected)
        }
    }
}

fn agree<T: PartialEq + std::fmt::Debug>(what: &str, ours: &T, theirs: &T) -> Result<(), String> {
    if ours == theirs {
        return Ok(());
    }
    Err(format!("{what}: the rules say {ours:?}, the file says {theirs:?}"))
}

fn parse(name: &str) -> Result<Point, String> {
    coordinates::parse(name, SIZE).map_err(|error| format!("{name}: {error}"))
}

fn parse_all(names: &[String]) -> Result<Vec<Point>, String> {
    names.iter().map(|name| parse(name)).collect()
}

fn set_up(black: &[Point], white: &[Point]) -> Board {
    let mut board = Board::new(SIZE);
    for (points, stone) in [(black, Stone::Black), (white, Stone::White)] {
        for point in points {
            board.set(*point, stone);
        }
    }
    board
}
