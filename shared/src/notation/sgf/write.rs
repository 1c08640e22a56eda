//! Writes trees as SGF.

use std::fmt::Write as _;

use super::{SIDE_MAX, letters};
use crate::{
    notation::{
        file::{Ending, extent},
        tree::{GameTree, TreeNode},
    },
    rules::{Point, Size, Stone},
};

/// Why a game cannot be written as SGF.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("SGF has boards of at most {max} points a side; this game needs {needs}", max = SIDE_MAX)]
pub struct TooLarge {
    /// The longer side of the board, or of the part that an unbounded game uses.
    pub needs: u32,
}

/// Writes a tree.
///
/// # Errors
/// When the board has more points a side than SGF has letters.
pub fn write(tree: &GameTree) -> Result<String, TooLarge> {
    let (mut text, origin) = header(tree)?;
    if !tree.comment.is_empty() {
        write_comment(&mut text, &tree.comment);
    }
    let children = tree.children();
    let mut plies: Vec<usize> = Vec::with_capacity(tree.nodes().len());
    for node in tree.nodes() {
        plies.push(node.parent.map_or(0, |parent| plies[parent] + 1));
    }
    let mut open = Vec::new();
    let follow = |open: &mut Vec<Step>, places: &[usize]| match places {
        [only] => open.push(Step::Move(*only)),
        several => {
            let steps = |&place: &usize| [Step::Close, Step::Move(place), Step::Open];
            open.extend(several.iter().rev().flat_map(steps));
        }
    };
    follow(&mut open, &children[0]);
    while let Some(step) = open.pop() {
        match step {
            Step::Open => text.push_str("\n("),
            Step::Close => text.push(')'),
            Step::Move(place) => {
                write_move(&mut text, &tree.nodes()[place], Stone::to_move(plies[place]), origin);
                follow(&mut open, &children[place + 1]);
            }
        }
    }
    text.push_str(")\n");
    Ok(text)
}

/// What comes next in a text.
enum Step {
    Open,
    Move(usize),
    Close,
}

fn write_move(text: &mut String, node: &TreeNode, stone: Stone, origin: Point) {
    let [column, row] = letters(node.point, origin);
    text.push_str(if stone == Stone::Black { "\n;B[" } else { "\n;W[" });
    text.extend([column, row, ']']);
    if let Some(took) = node.took_ms {
        // Writing to a string cannot fail.
        let _written = write!(text, "MS[{took}]");
    }
    if !node.comment.is_empty() {
        write_comment(text, &node.comment);
    }
}

/// The first node without its end, and the point from which the moves are counted.
fn header(tree: &GameTree) -> Result<(String, Point), TooLarge> {
    let points = tree.nodes().iter().map(|node| node.point);
    let (origin, width, height) = extent(tree.rules, points);
    let needs = width.max(height);
    if needs > SIDE_MAX {
        return Err(TooLarge { needs });
    }
    let size = if width == height { width.to_string() } else { format!("{width}:{height}") };
    let mut text = format!("(;FF[4]GM[4]CA[UTF-8]AP[fivefold]SZ[{size}]");
    let mut property = |name: &str, value: &str| {
        let _written = write!(text, "{name}[{}]", escaped(&value.replace('\n', " ")));
    };
    property("RU", &tree.rules.variant().to_string());
    if tree.rules.size() == Size::Unbounded {
        property("UB", &format!("{},{}", origin.x, origin.y));
    }
    let texts = [&tree.black, &tree.white, &tree.date, &tree.event];
    for (name, value) in ["PB", "PW", "DT", "EV"].into_iter().zip(texts) {
        if let Some(value) = value {
            property(name, value);
        }
    }
    if let Some(ending) = tree.ending {
        property("RE", &result(ending));
    }
    if let Some(opening) = &tree.opening {
        property("ON", opening.kind.name());
    }
    Ok((text, origin))
}

fn write_comment(text: &mut String, comment: &str) {
    let _written = write!(text, "C[{}]", escaped(comment));
}

/// A text that keeps its line ends.
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for c in value.chars() {
        match c {
            ']' | '\\' => text.extend(['\\', c]),
            c if c.is_control() && c != '\n' => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

fn result(ending: Ending) -> String {
    let won = |winner, how: &str| match winner {
        Stone::Black => format!("B+{how}"),
        Stone::White => format!("W+{how}"),
    };
    match ending {
        Ending::Draw => "0".to_owned(),
        Ending::Void => "Void".to_owned(),
        Ending::Win(winner) => won(winner, ""),
        Ending::Resignation(winner) => won(winner, "R"),
        Ending::Time(winner) => won(winner, "T"),
        Ending::Forfeit(winner) => won(winner, "F"),
    }
}
