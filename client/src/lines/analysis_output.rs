//! Formats analyses and reviews of games as text and as JSON lines.

use std::{fmt::Write as _, time::Duration};

use fivefold_shared::{
    analysis::{Analysis, Value, nodes_per_second},
    notation::coordinates,
    review::Review,
    rules::{Point, Position, Size, Stone},
};
use serde::Serialize;

/// Moves shown of a line.
const MOVES_SHOWN: usize = 10;

/// Explains the columns of a review.
const LEGEND: &str = "\
Each move, what its player could expect before it, and what the move lost of that;
?? lost 30 % or more, ? 15 % or more. After better: the best line instead.
";

/// Explains the columns of an analysis.
const LINES_LEGEND: &str = "What the side to move can expect, and the moves that lead there:\n";

/// The latest state of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The analysis.
    pub analysis: &'a Analysis,
    /// How long the search took so far.
    pub time: Duration,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Analysis {
        ply: usize,
        turn: Stone,
        depth: u16,
        nodes: u64,
        nodes_per_second: u64,
        lines: Vec<NamedLine>,
    },
    Review {
        moves: Vec<NamedMove>,
        #[serde(skip_serializing_if = "Option::is_none")]
        decided: Option<usize>,
    },
}

#[derive(Serialize)]
struct NamedLine {
    value: Value,
    moves: Vec<String>,
    points: Vec<Point>,
}

#[derive(Serialize)]
struct NamedMove {
    ply: usize,
    name: String,
    point: Point,
    value: Value,
    loss: f64,
    best: Vec<String>,
}

impl Progress<'_> {
    fn nodes_per_second(&self) -> u64 {
        nodes_per_second(self.analysis.nodes, self.time)
    }

    /// A few lines for people.
    pub fn text(&self, size: Size) -> String {
        let Analysis { lines, depth, nodes } = self.analysis;
        let mut text =
            format!("depth {depth}, {nodes} positions, {} a second\n", self.nodes_per_second());
        text.push_str(LINES_LEGEND);
        for (rank, line) in (1..).zip(lines) {
            let moves = names(line.moves.iter().take(MOVES_SHOWN), size).join(" ");
            // Writing to a string cannot fail.
            let _written = writeln!(text, "{rank:>3}. {:<11} {moves}", value(line.value));
        }
        text
    }

    /// One JSON object.
    pub fn json(&self, position: &Position) -> serde_json::Result<String> {
        let size = position.rules().size();
        let lines = self.analysis.lines.iter().map(|line| NamedLine {
            value: line.value,
            moves: names(&line.moves, size),
            points: line.moves.clone(),
        });
        serde_json::to_string(&Line::Analysis {
            ply: position.ply(),
            turn: position.turn(),
            depth: self.analysis.depth,
            nodes: self.analysis.nodes,
            nodes_per_second: self.nodes_per_second(),
            lines: lines.collect(),
        })
    }
}

/// A review for people: a line for each move, and where the game was decided.
pub fn review_text(review: &Review, moves: &[Point], size: Size) -> String {
    let mut text = LEGEND.to_owned();
    for (ply, (reviewed, point)) in review.moves.iter().zip(moves).enumerate() {
        let name = coordinates::format(*point, size);
        let mark = match reviewed.loss {
            0.3.. => "??",
            0.15.. => "? ",
            _ => "  ",
        };
        let best = match reviewed.line.first() {
            Some(best) if best != point && reviewed.loss >= 0.02 => {
                format!(
                    "  better: {}",
                    names(reviewed.line.iter().take(MOVES_SHOWN), size).join(" ")
                )
            }
            Some(_) | None => String::new(),
        };
        let (number, stone) = (ply + 1, Stone::to_move(ply));
        let before = value(reviewed.value);
        let loss = 100.0 * reviewed.loss;
        let line = format!(
            "{number:>4}. {stone:<5} {name:<5}{mark} {before:<11} lost {loss:>3.0} %{best}"
        );
        // Writing to a string cannot fail.
        let _written = writeln!(text, "{}", line.trim_end());
    }
    let _written = match review.decided {
        Some(ply) => {
            let name = moves.get(ply).map(|point| coordinates::format(*point, size));
            writeln!(text, "Decided by move {} ({}).", ply + 1, name.unwrap_or_default())
        }
        None => writeln!(text, "Not decided on the board."),
    };
    text
}

/// A review as one JSON object.
///
/// # Errors
/// Never: all numbers are finite.
pub fn review_json(review: &Review, moves: &[Point], size: Size) -> serde_json::Result<String> {
    let named =
        review.moves.iter().zip(moves).enumerate().map(|(ply, (reviewed, point))| NamedMove {
            ply,
            name: coordinates::format(*point, size),
            point: *point,
            value: reviewed.value,
            loss: reviewed.loss,
            best: names(&reviewed.line, size),
        });
    serde_json::to_string(&Line::Review { moves: named.collect(), decided: review.decided })
}

/// A value in few words.
pub fn value(value: Value) -> String {
    match value {
        Value::Chance(chance) => format!("{:.1} %", 100.0 * chance),
        Value::Win { plies: Some(plies) } => format!("wins in {plies}"),
        Value::Win { plies: None } => "wins".to_owned(),
        Value::Loss { plies } => format!("loses in {plies}"),
    }
}

fn names<'a>(points: impl IntoIterator<Item = &'a Point>, size: Size) -> Vec<String> {
    points.into_iter().map(|point| coordinates::format(*point, size)).collect()
}

#[cfg(test)]
mod tests {
    use fivefold_shared::{analysis::Line, review::ReviewedMove};

    use super::*;

    #[test]
    fn analyses_and_reviews_are_told_in_words() {
        let size = Size::square(15);
        let (h8, i9) = (Point::new(7, 7), Point::new(8, 6));
        let line = |value, moves: &[Point]| Line { value, moves: moves.to_vec() };
        let lines = vec![
            line(Value::Win { plies: Some(7) }, &[h8, i9]),
            line(Value::Chance(0.483), &[i9]),
            line(Value::Loss { plies: 4 }, &[h8]),
        ];
        let analysis = Analysis { lines, depth: 8, nodes: 90_000 };
        let progress = Progress { analysis: &analysis, time: Duration::from_millis(300) };
        assert_eq!(
            progress.text(size),
            "depth 8, 90000 positions, 300000 a second\n\
             What the side to move can expect, and the moves that lead there:\n  1. wins in 7   h8 i9\n  \
             2. 48.3 %      i9\n  3. loses in 4  h8\n"
        );
        let moves = vec![
            ReviewedMove { value: Value::Chance(0.5), loss: 0.0, line: vec![h8] },
            ReviewedMove { value: Value::Chance(0.5), loss: 0.4, line: vec![h8, i9] },
        ];
        let review = Review { moves, decided: Some(1) };
        let text = review_text(&review, &[h8, i9], size);
        assert_eq!(
            text.strip_prefix(LEGEND).unwrap(),
            "   1. Black h8      50.0 %      lost   0 %\n   \
             2. White i9   ?? 50.0 %      lost  40 %  better: h8 i9\n\
             Decided by move 2 (i9).\n"
        );
    }
}
