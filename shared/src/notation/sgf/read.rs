//! Reads SGF as trees.

use super::{
    SIDE_MAX, number,
    scanner::{Property, Scanner, Token},
};
use crate::{
    notation::{
        coordinates,
        file::{Ending, FileError, FileOpening, one_line, too_many},
        notes::{NoteKind, Noted, Notes},
        rules_text,
        tree::{GameTree, TreeBuilder, TreeError},
    },
    opening::OpeningKind,
    rules::{Point, Rules, Size, Stone, Variant},
};

/// Most games of a file that are counted.
const GAMES_MAX: usize = 10_000;

/// Reads one game of a text with its variations, the first by number 1. `otherwise` is the variant
/// where the text names none that is known.
///
/// # Errors
/// When the text is not SGF, has no game of that number, or the game is too large or has a point
/// beyond its board.
pub fn read(text: &str, otherwise: Variant, game: usize) -> Result<Noted<GameTree>, FileError> {
    let games = games(text)?;
    let chosen = game.checked_sub(1).and_then(|index| games.get(index));
    let Some(&start) = chosen else {
        let text = match games.len() {
            1 => "the file has one game".to_owned(),
            count => format!("the file has {count} games"),
        };
        return Err(FileError { line: 1, text });
    };
    let mut reading = Reading::new(text, start, otherwise);
    reading.notes.count(NoteKind::OtherGames, games.len() - 1);
    reading.read()
}

/// Reads the game of a text that begins with its bracket.
///
/// # Errors
/// As [`read`].
pub(in crate::notation) fn read_only(
    text: &str,
    otherwise: Variant,
) -> Result<Noted<GameTree>, FileError> {
    Reading::new(text, 1, otherwise).read()
}

/// The offsets of a text's games.
///
/// # Errors
/// When it has none, or a value does not end.
fn games(text: &str) -> Result<Vec<usize>, FileError> {
    let start = text.find("(;").or_else(|| text.find('('));
    let Some(start) = start else {
        return Err(FileError { line: 1, text: "no SGF: there is no `(;`".into() });
    };
    let mut rest = Scanner { text, offset: start };
    let (mut games, mut depth, mut is_empty) = (Vec::new(), 0_usize, true);
    loop {
        match rest.next() {
            Ok(Token::Open) => {
                if depth == 0 {
                    games.push(rest.offset);
                    is_empty = true;
                }
                depth += 1;
            }
            Ok(Token::Node | Token::Property(_)) => is_empty = false,
            Ok(Token::Close) => {
                depth = depth.saturating_sub(1);
                if depth == 0 && is_empty {
                    games.pop();
                }
            }
            // Signs between the games do not count.
            Ok(Token::Other(c)) => rest.offset += c.len_utf8(),
            Ok(Token::End) => {
                if depth > 0 && is_empty {
                    games.pop();
                }
                break;
            }
            // The reader reports an error within the first game.
            Err(_) if !games.is_empty() => break,
            Err(error) => return Err(error),
        }
        if games.len() == GAMES_MAX {
            break;
        }
    }
    if games.is_empty() {
        return Err(FileError::at(text, start, "no SGF: the game has no node"));
    }
    Ok(games)
}

/// The state of the reader.
struct Reading<'a> {
    rest: Scanner<'a>,
    notes: Notes,
    otherwise: Variant,
    width: u32,
    height: u32,
    origin: Option<Point>,
    variant: Option<Variant>,
    /// Its rules are known at the end.
    builder: TreeBuilder,
    /// The names, the date and the end. Its rules and moves are not used.
    details: GameTree,
    /// The places of the moves that lead to the node.
    path: Vec<usize>,
    /// How many moves the path had at each open bracket.
    branches: Vec<usize>,
    /// The properties of the node so far.
    node: Vec<Property>,
}

impl<'a> Reading<'a> {
    fn new(text: &'a str, offset: usize, otherwise: Variant) -> Self {
        Self {
            rest: Scanner { text, offset },
            notes: Notes::default(),
            otherwise,
            width: 15,
            height: 15,
            origin: None,
            variant: None,
            builder: TreeBuilder::new(Rules::TIC_TAC_TOE),
            details: TreeBuilder::new(Rules::TIC_TAC_TOE).finish(Rules::TIC_TAC_TOE, None),
            path: Vec::new(),
            branches: vec![0],
            node: Vec::new(),
        }
    }

    /// Reads to the end of the game.
    fn read(mut self) -> Result<Noted<GameTree>, FileError> {
        loop {
            match self.rest.next()? {
                Token::Open => self.open()?,
                Token::Close => {
                    self.end_node()?;
                    match self.branches.pop() {
                        Some(plies) => self.path.truncate(plies),
                        None => break,
                    }
                    if self.branches.is_empty() {
                        break;
                    }
                }
                Token::Node => self.end_node()?,
                Token::Property(property) => self.node.push(property),
                Token::Other(c) => {
                    let what = format!("`{c}` is not expected here");
                    return Err(FileError::at(self.rest.text, self.rest.offset, what));
                }
                Token::End => {
                    self.end_node()?;
                    let line = self.line(self.rest.text.len());
                    self.notes.add(NoteKind::CutOff, || (Some(line), None));
                    break;
                }
            }
        }
        self.finish()
    }

    fn open(&mut self) -> Result<(), FileError> {
        self.end_node()?;
        self.branches.push(self.path.len());
        Ok(())
    }

    /// Reads the properties of a node: first the board, so that stones before it find their points,
    /// then stones that are set up, then the move, then what belongs to the move.
    fn end_node(&mut self) -> Result<(), FileError> {
        let node = std::mem::take(&mut self.node);
        let of = |names: &'static [&str]| {
            node.iter().filter(move |property| names.contains(&property.name.as_str()))
        };
        for property in &node {
            if property.values.is_empty() {
                self.leave_out(NoteKind::BadValues, property, &property.name);
            }
        }
        of(&["SZ", "UB"]).try_for_each(|property| self.read_board(property))?;
        for property in of(&["RU", "PB", "PW", "DT", "EV", "RE", "ON"]) {
            self.read_detail(property);
        }
        self.set_up(of(&["AB", "AW", "AE"]))?;
        of(&["B", "W"]).try_for_each(|property| self.read_move(property))?;
        for property in of(&["MS"]) {
            self.read_time(property);
        }
        for property in of(&["C"]) {
            for text in &property.values {
                let added = self.builder.comment(self.path.last().copied(), text);
                added.map_err(|error| self.refuse(property, error))?;
            }
        }
        Ok(())
    }

    fn read_board(&mut self, property: &Property) -> Result<(), FileError> {
        let Some(value) = property.values.first().map(|value| value.trim()) else { return Ok(()) };
        if property.name == "UB" {
            self.origin = point_of_numbers(value);
            return Ok(());
        }
        let (width, height) = value.split_once(':').unwrap_or((value, value));
        let side = |text: &str| text.trim().parse().ok().filter(|n| (1..=SIDE_MAX).contains(n));
        let sides = side(width).zip(side(height));
        let changes = sides.is_some_and(|sides| sides != (self.width, self.height));
        match sides {
            _ if value.is_empty() || !self.path.is_empty() && changes => {
                self.leave_out(NoteKind::BadValues, property, value);
            }
            Some((width, height)) => (self.width, self.height) = (width, height),
            None => return Err(self.error(property, format!("`{value}` is no size of a board"))),
        }
        Ok(())
    }

    fn read_detail(&mut self, property: &Property) {
        let Some(value) = property.values.first() else { return };
        let simple = || Some(one_line(value)).filter(|text| !text.is_empty());
        match property.name.as_str() {
            "RU" => {
                self.variant = rules_text::variant(value);
                if self.variant.is_none() && !value.trim().is_empty() {
                    self.leave_out(NoteKind::UnknownRules, property, value);
                }
            }
            "PB" => self.details.black = simple(),
            "PW" => self.details.white = simple(),
            "DT" => self.details.date = simple(),
            "EV" => self.details.event = simple(),
            "RE" => self.details.ending = ending(value),
            _ => {
                let kind = value.parse().ok().filter(|kind: &OpeningKind| !kind.is_free());
                let choices = Vec::new();
                self.details.opening = kind.map(|kind| FileOpening { kind, choices });
            }
        }
    }

    /// Makes moves of stones that are set up before the first move: Black's and White's in turn.
    fn set_up<'p>(
        &mut self,
        properties: impl Iterator<Item = &'p Property>,
    ) -> Result<(), FileError> {
        let mut stones = [Vec::new(), Vec::new()];
        let mut last = None;
        for property in properties {
            if !self.path.is_empty() || property.name == "AE" {
                self.leave_out(NoteKind::SetUp, property, &property.name);
                continue;
            }
            for value in &property.values {
                let count = stones.iter().map(Vec::len).sum();
                let own = &mut stones[usize::from(property.name == "AW")];
                own.extend(self.rectangle(property, value, count)?);
            }
            last = Some(property);
        }
        let Some(property) = last else { return Ok(()) };
        let [black, white] = stones;
        if black.len() != white.len() && black.len() != white.len() + 1 {
            let text = "stones are set up that no game by turns can have brought there";
            return Err(self.error(property, text));
        }
        let mut white = white.into_iter();
        for point in black {
            for point in [Some(point), white.next()].into_iter().flatten() {
                self.add(property, point)?;
            }
        }
        Ok(())
    }

    /// The points of a value such as `aa:cc`, or one point. A few letters can stand for a whole board,
    /// again and again, so they are counted before they are made.
    fn rectangle(
        &self,
        property: &Property,
        value: &str,
        count: usize,
    ) -> Result<impl Iterator<Item = Point> + use<>, FileError> {
        let (first, last) = value.split_once(':').unwrap_or((value, value));
        let (first, last) = (self.point(property, first)?, self.point(property, last)?);
        let side = |first: i32, last: i32| usize::try_from(last - first + 1).unwrap_or(0);
        self.check_room(property, count + side(first.x, last.x) * side(first.y, last.y))?;
        let rows = first.y..=last.y;
        Ok(rows.flat_map(move |y| (first.x..=last.x).map(move |x| Point::new(x, y))))
    }

    /// Reads a move. One that cannot be kept in a game by turns is left out.
    fn read_move(&mut self, property: &Property) -> Result<(), FileError> {
        let Some(value) = property.values.first().map(|value| value.trim()) else { return Ok(()) };
        if value.is_empty() || value == "tt" && self.width <= 19 && self.height <= 19 {
            self.leave_out(NoteKind::Passes, property, &property.name);
            return Ok(());
        }
        let point = self.point(property, value)?;
        let is_blacks_turn = Stone::to_move(self.path.len()) == Stone::Black;
        if (property.name == "B") != is_blacks_turn {
            self.leave_out(NoteKind::OutOfTurn, property, &format!("{}[{value}]", property.name));
            return Ok(());
        }
        self.add(property, point)
    }

    fn read_time(&mut self, property: &Property) {
        let (Some(value), Some(&last)) = (property.values.first(), self.path.last()) else {
            return;
        };
        match value.trim().parse() {
            Ok(took) => self.builder.took(last, Some(took)),
            Err(_) => self.leave_out(NoteKind::BadValues, property, value),
        }
    }

    fn add(&mut self, property: &Property, point: Point) -> Result<(), FileError> {
        self.check_room(property, 1)?;
        let added = self.builder.add(self.path.last().copied(), point);
        self.path.push(added.map_err(|error| self.refuse(property, error))?);
        Ok(())
    }

    /// Checks that so many more stones fit.
    fn check_room(&self, property: &Property, more: usize) -> Result<(), FileError> {
        let (width, height) = (self.width, self.height);
        let most = match self.origin {
            Some(_) => Size::Unbounded.plies_max(),
            None => (width * height) as usize,
        };
        if self.path.len() + more <= most {
            return Ok(());
        }
        let text = match self.origin {
            Some(_) => too_many(Size::Unbounded),
            None => format!("more stones than a board of {width}x{height} has points"),
        };
        Err(self.error(property, text))
    }

    /// A point by two letters, or as people write it: `h8`.
    fn point(&self, property: &Property, value: &str) -> Result<Point, FileError> {
        let (value, width, height) = (value.trim(), self.width, self.height);
        let mut letters = value.chars();
        let numbers = match (letters.next(), letters.next(), letters.next()) {
            (Some(column), Some(row), None) => number(column).zip(number(row)),
            _ => None,
        };
        let point = match numbers {
            Some((x, y)) => {
                (x < width && y < height).then(|| Point::new(x.cast_signed(), y.cast_signed()))
            }
            None => coordinates::parse(value, board(width, height)).ok(),
        };
        point.ok_or_else(|| {
            self.error(property, format!("`{value}` is no point of a board of {width}x{height}"))
        })
    }

    fn finish(self) -> Result<Noted<GameTree>, FileError> {
        let variant = self.variant.unwrap_or(self.otherwise);
        let size = match self.origin {
            Some(_) => Size::Unbounded,
            None => board(self.width, self.height),
        };
        let rules = Rules::new(variant, size)
            .map_err(|error| FileError { line: 1, text: error.to_string() })?;
        let mut content = self.builder.finish(rules, self.origin);
        let GameTree { black, white, date, event, ending, opening, .. } = self.details;
        (content.black, content.white) = (black, white);
        (content.date, content.event) = (date, event);
        (content.ending, content.opening) = (ending, opening);
        Ok(Noted { content, notes: self.notes.finish(variant) })
    }

    fn leave_out(&mut self, kind: NoteKind, property: &Property, value: &str) {
        let (text, offset) = (self.rest.text, property.offset);
        self.notes.add(kind, || {
            let line = FileError::at(text, offset, "").line;
            let value = one_line(value);
            (Some(line), Some(if value.is_empty() { property.name.clone() } else { value }))
        });
    }

    fn line(&self, offset: usize) -> usize {
        FileError::at(self.rest.text, offset, "").line
    }

    fn refuse(&self, property: &Property, error: TreeError) -> FileError {
        self.error(property, error.to_string())
    }

    fn error(&self, property: &Property, text: impl Into<String>) -> FileError {
        FileError::at(self.rest.text, property.offset, text)
    }
}

/// A board of so many points, at most [`SIDE_MAX`] a side.
fn board(width: u32, height: u32) -> Size {
    let side = |n| u8::try_from(n).unwrap_or(u8::MAX);
    Size::Bounded { width: side(width), height: side(height) }
}

fn ending(value: &str) -> Option<Ending> {
    let value = value.trim();
    let winner = match value.get(..2) {
        Some("B+") => Stone::Black,
        Some("W+") => Stone::White,
        _ if value.eq_ignore_ascii_case("void") => return Some(Ending::Void),
        _ if value == "0" || value.eq_ignore_ascii_case("draw") => return Some(Ending::Draw),
        _ => return None,
    };
    Some(match value.get(2..3) {
        Some("R") => Ending::Resignation(winner),
        Some("T") => Ending::Time(winner),
        Some("F") => Ending::Forfeit(winner),
        _ => Ending::Win(winner),
    })
}

fn point_of_numbers(value: &str) -> Option<Point> {
    let (x, y) = value.split_once(',')?;
    Some(Point::new(x.trim().parse().ok()?, y.trim().parse().ok()?))
}
