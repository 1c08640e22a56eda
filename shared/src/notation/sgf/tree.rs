//! SGF with its variations and comments. Properties are read as in a single game.

use super::{
    FileError, GameFile, GameTree, Property, Reading, Scanner, TooLarge, escaped_text, header,
    letters,
};
use crate::notation::tree::{TreeBuilder, TreeError, TreeNode};
use crate::rules::{Rules, Stone, Variant};

/// Writes a tree.
///
/// # Errors
/// When the board has more points a side than SGF has letters.
pub fn write(tree: &GameTree) -> Result<String, TooLarge> {
    let all = tree.nodes().iter().map(|node| node.point);
    let (black, white) = (tree.black.clone(), tree.white.clone());
    let game = GameFile { black, white, ..GameFile::of_moves(tree.rules, all) };
    let (mut text, origin) = header(&game)?;
    if !tree.comment.is_empty() {
        text.push_str(&format!("C[{}]", escaped_text(&tree.comment)));
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
                let TreeNode { point, comment, .. } = &tree.nodes()[place];
                let is_black = Stone::to_move(plies[place]) == Stone::Black;
                let [column, row] = letters(*point, origin);
                text.push_str(if is_black { "\n;B[" } else { "\n;W[" });
                text.extend([column, row, ']']);
                if !comment.is_empty() {
                    text.push_str(&format!("C[{}]", escaped_text(comment)));
                }
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

/// Reads the first tree of a text. `otherwise` is the variant where the text names no known one.
///
/// # Errors
/// When the text is not SGF, the tree does not end or is too large, or it has something that
/// Fivefold does not support.
pub fn read(text: &str, otherwise: Variant) -> Result<GameTree, FileError> {
    let start = text.find("(;").or_else(|| text.find('('));
    let Some(start) = start else {
        return Err(FileError { line: 1, text: "no SGF: there is no `(;`".into() });
    };
    let mut tree = TreeReading {
        game: Reading::new(text, otherwise),
        builder: TreeBuilder::new(Rules::TIC_TAC_TOE),
        path: Vec::new(),
        branches: Vec::new(),
        comment: None,
        has_nodes: false,
    };
    let mut rest = Scanner { text, offset: start };
    loop {
        let offset = rest.offset;
        match rest.next_visible() {
            Some(mark @ ('(' | ';' | ')')) => {
                rest.offset += 1;
                tree.mark(mark, offset)?;
                if tree.branches.is_empty() {
                    break;
                }
            }
            Some(c) if c.is_ascii_alphabetic() => tree.property(&mut rest)?,
            Some(c) => {
                let what = format!("`{c}` is not expected here");
                return Err(FileError::at(text, rest.offset, what));
            }
            None => {
                return Err(FileError::at(text, offset, "the game does not end: `)` is missing"));
            }
        }
    }
    if !tree.has_nodes {
        return Err(FileError::at(text, start, "no SGF: the game has no node"));
    }
    tree.finish()
}

/// The state of the reader.
struct TreeReading<'a> {
    /// Holds the moves of the path.
    game: Reading<'a>,
    /// Its rules are known at the end.
    builder: TreeBuilder,
    /// The places of the path's moves.
    path: Vec<usize>,
    /// How many moves the path had at each open bracket, and whether it had passed.
    branches: Vec<(usize, Option<usize>)>,
    /// The comment of the node, with its offset; its move may come after it.
    comment: Option<(usize, String)>,
    has_nodes: bool,
}

impl TreeReading<'_> {
    /// Begins a node, begins a branch, or ends one.
    fn mark(&mut self, mark: char, offset: usize) -> Result<(), FileError> {
        self.end_node(offset)?;
        match mark {
            ';' => self.has_nodes = true,
            '(' => self.branches.push((self.path.len(), self.game.passed)),
            _ => {
                if let Some((plies, passed)) = self.branches.pop() {
                    self.path.truncate(plies);
                    self.game.moves.truncate(plies);
                    self.game.passed = passed;
                }
            }
        }
        Ok(())
    }

    fn property(&mut self, rest: &mut Scanner<'_>) -> Result<(), FileError> {
        let property = rest.name();
        if !self.has_nodes {
            return Err(self.game.error(&property, "a property before the first `;`"));
        }
        if property.name != "C" {
            self.game.read_property(&property, rest)?;
            return self.follow(property.offset);
        }
        while let Some(text) = rest.value()? {
            self.comment = Some((property.offset, text));
        }
        Ok(())
    }

    /// Adds the comment of a node to its move. Stones that are set up become moves before a branch
    /// begins.
    fn end_node(&mut self, offset: usize) -> Result<(), FileError> {
        if let Some((offset, text)) = self.comment.take() {
            let added = self.builder.comment(self.path.last().copied(), &text);
            added.map_err(|error| self.refuse(offset, error))?;
        }
        if self.has_nodes {
            self.game.place_set_up(&Property { offset, name: String::new() })?;
        }
        self.follow(offset)
    }

    /// Adds the moves that the game has and the path has not.
    fn follow(&mut self, offset: usize) -> Result<(), FileError> {
        while let Some(made) = self.game.moves.get(self.path.len()) {
            let added = self.builder.add(self.path.last().copied(), made.point);
            let place = added.map_err(|error| self.refuse(offset, error))?;
            self.path.push(place);
        }
        Ok(())
    }

    fn refuse(&self, offset: usize, error: TreeError) -> FileError {
        FileError::at(self.game.text, offset, error.to_string())
    }

    fn finish(self) -> Result<GameTree, FileError> {
        let origin = self.game.origin;
        let GameFile { rules, black, white, .. } = self.game.finish()?;
        let mut tree = self.builder.finish(rules, origin);
        (tree.black, tree.white) = (black, white);
        Ok(tree)
    }
}
