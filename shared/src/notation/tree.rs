//! A tree of moves with variations and comments: the common form of the formats that have them.
//!
//! Readers do not check the moves: [`GameTree::playable`] leaves out those that cannot be played.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::file::{Ending, FileMove, FileOpening, GameFile};
use crate::rules::{Illegal, Point, Position, Rules};

/// Most moves of a tree.
pub const NODES_MAX: usize = 1_000_000;
/// Longest comment, in characters.
pub const COMMENT_CHARS_MAX: usize = 10_000;
/// Longest file with games, in bytes: room for a library with the most moves, and comments.
pub const FILE_BYTES_MAX: usize = 8 << 20;

/// A tree of moves. Its first variation is the main line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "TreeFields")]
pub struct GameTree {
    /// The variant and the board.
    pub rules: Rules,
    /// Black's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black: Option<String>,
    /// White's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white: Option<String>,
    /// The day, such as `2026-11-21`. JSON is for the page, which keeps neither this nor what follows from the
    /// course of a game.
    #[serde(skip)]
    pub date: Option<String>,
    /// Where it was played, such as the name of a tournament.
    #[serde(skip)]
    pub event: Option<String>,
    /// How the game of the main line ended.
    #[serde(skip)]
    pub ending: Option<Ending>,
    /// Its opening, unless that was free.
    #[serde(skip)]
    pub opening: Option<FileOpening>,
    /// The comment on the beginning.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comment: String,
    nodes: Vec<TreeNode>,
}

/// A move in a tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TreeNode {
    /// The place of the move before it in the list; absent for the first move of a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// The point.
    pub point: Point,
    /// How long it took, in milliseconds.
    #[serde(skip)]
    pub took_ms: Option<u64>,
    /// The comment on it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
}

/// Why a tree cannot be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreeError {
    /// It has too many moves.
    #[error("more than {NODES_MAX} moves in a tree")]
    TooManyMoves,
    /// A comment is too long.
    #[error("a comment of more than {COMMENT_CHARS_MAX} characters")]
    CommentTooLong,
    /// A move comes before the one that it follows.
    #[error("a move whose parent is not before it in the list")]
    NoParent,
    /// A move is twice in the list.
    #[error("a move that is already there")]
    Repeated,
}

/// The first move that cannot be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unplayable {
    /// How many moves were left out: those that cannot be played, and all that follow them.
    pub moves: usize,
    /// The ply of the first of them.
    pub ply: usize,
    /// Why that cannot be played.
    pub illegal: Illegal,
}

/// A tree as JSON.
#[derive(Deserialize)]
struct TreeFields {
    rules: Rules,
    black: Option<String>,
    white: Option<String>,
    #[serde(default)]
    comment: String,
    nodes: Vec<TreeNode>,
}

/// A tree that grows.
#[derive(Debug)]
pub(super) struct TreeBuilder {
    tree: GameTree,
    /// The places of the moves, by what they follow.
    places: BTreeMap<(Option<usize>, Point), usize>,
}

impl GameTree {
    /// The moves; each comes after the one that it follows, and the first of those that follow the
    /// same one is the main line's.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The moves that follow each move, and before them those that begin the game: the list for the
    /// node at place `n` is at `n + 1`.
    pub(super) fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.nodes.len() + 1];
        for (place, node) in self.nodes.iter().enumerate() {
            children[node.parent.map_or(0, |parent| parent + 1)].push(place);
        }
        children
    }

    /// The main line as a game.
    pub fn main_line(self) -> GameFile {
        let children = self.children();
        let mut moves = Vec::new();
        let mut at = children[0].first();
        while let Some(&place) = at {
            let TreeNode { point, took_ms, .. } = self.nodes[place];
            moves.push(FileMove { point, took_ms });
            at = children[place + 1].first();
        }
        let Self { rules, black, white, date, event, ending, opening, .. } = self;
        GameFile { rules, black, white, date, event, ending, opening, moves }
    }

    /// The tree without the moves that cannot be played by its rules.
    pub fn playable(self) -> (Self, Option<Unplayable>) {
        let children = self.children();
        let mut position = Position::new(self.rules);
        let mut kept: Vec<TreeNode> = Vec::with_capacity(self.nodes.len());
        let mut first = None;
        // A place to go to and the new place of its parent, or `None` to go back from a move.
        let mut open: Vec<_> = children[0].iter().rev().map(|&place| Some((place, None))).collect();
        while let Some(step) = open.pop() {
            let Some((place, parent)) = step else {
                let _undone = position.undo();
                continue;
            };
            let TreeNode { point, took_ms, comment, .. } = &self.nodes[place];
            if let Err(illegal) = position.play(*point) {
                first = first.or(Some((position.ply(), illegal)));
                continue;
            }
            let here = Some(kept.len());
            kept.push(TreeNode {
                parent,
                point: *point,
                took_ms: *took_ms,
                comment: comment.clone(),
            });
            open.push(None);
            open.extend(children[place + 1].iter().rev().map(|&next| Some((next, here))));
        }
        let moves = self.nodes.len() - kept.len();
        let unplayable = first.map(|(ply, illegal)| Unplayable { moves, ply, illegal });
        (Self { nodes: kept, ..self }, unplayable)
    }
}

impl From<GameFile> for GameTree {
    /// The choices of an opening also become comments, for people.
    fn from(game: GameFile) -> Self {
        let comments = |plies| game.opening.as_ref().map_or_else(String::new, |o| o.comment(plies));
        let nodes = game.moves.iter().enumerate().map(|(ply, made)| TreeNode {
            parent: ply.checked_sub(1),
            point: made.point,
            took_ms: made.took_ms,
            comment: comments(ply + 1),
        });
        let (nodes, comment) = (nodes.collect(), comments(0));
        let GameFile { rules, black, white, date, event, ending, opening, .. } = game;
        Self { rules, black, white, date, event, ending, opening, comment, nodes }
    }
}

impl TryFrom<TreeFields> for GameTree {
    type Error = TreeError;

    fn try_from(fields: TreeFields) -> Result<Self, TreeError> {
        let TreeFields { rules, black, white, comment, nodes } = fields;
        let mut builder = TreeBuilder::new(rules);
        builder.comment(None, &comment)?;
        for (place, TreeNode { parent, point, comment, .. }) in nodes.into_iter().enumerate() {
            if parent.is_some_and(|parent| parent >= place) {
                return Err(TreeError::NoParent);
            }
            if builder.add(parent, point)? != place {
                return Err(TreeError::Repeated);
            }
            builder.comment(Some(place), &comment)?;
        }
        Ok(Self { black, white, ..builder.tree })
    }
}

impl TreeBuilder {
    pub(super) const fn new(rules: Rules) -> Self {
        let comment = String::new();
        let tree = GameTree {
            rules,
            black: None,
            white: None,
            date: None,
            event: None,
            ending: None,
            opening: None,
            comment,
            nodes: Vec::new(),
        };
        Self { tree, places: BTreeMap::new() }
    }

    /// Adds a move after another one, or at the beginning, and returns its place; that of the known
    /// one, if it is there.
    pub(super) fn add(&mut self, parent: Option<usize>, point: Point) -> Result<usize, TreeError> {
        let new = self.tree.nodes.len();
        if let Some(&known) = self.places.get(&(parent, point)) {
            return Ok(known);
        }
        if new == NODES_MAX {
            return Err(TreeError::TooManyMoves);
        }
        self.tree.nodes.push(TreeNode { parent, point, took_ms: None, comment: String::new() });
        self.places.insert((parent, point), new);
        Ok(new)
    }

    /// Sets how long the move at a place took.
    pub(super) fn took(&mut self, place: usize, took_ms: Option<u64>) {
        self.tree.nodes[place].took_ms = took_ms;
    }

    /// Comments on the move at a place, or on the beginning, after what is already there.
    pub(super) fn comment(&mut self, place: Option<usize>, text: &str) -> Result<(), TreeError> {
        let comment = match place {
            Some(place) => &mut self.tree.nodes[place].comment,
            None => &mut self.tree.comment,
        };
        let text = clean(text);
        if !comment.is_empty() && !text.is_empty() {
            comment.push('\n');
        }
        comment.push_str(&text);
        match comment.chars().count() {
            0..=COMMENT_CHARS_MAX => Ok(()),
            _ => Err(TreeError::CommentTooLong),
        }
    }

    /// The tree, by these rules and with its points moved by so much.
    pub(super) fn finish(self, rules: Rules, by: Option<Point>) -> GameTree {
        let mut tree = GameTree { rules, ..self.tree };
        if let Some(Point { x, y }) = by {
            for node in &mut tree.nodes {
                let from = node.point;
                node.point = Point::new(from.x.saturating_add(x), from.y.saturating_add(y));
            }
        }
        tree
    }
}

/// A comment with plain line ends, and without other control characters or spaces around it.
fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let plain: String =
        text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    plain.trim().to_owned()
}
