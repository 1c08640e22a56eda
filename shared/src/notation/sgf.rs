//! Smart Game Format, version 4, as used for gomoku and renju (red-bean.com/sgf): `GM[4]`, points
//! by two letters, the column first, from the top-left.
//!
//! Our own files round-trip. Others' files are read tolerantly: any game number, unknown
//! properties, stones set up before the first move, variations (the first is taken), and several
//! games (the first is read). Two properties are ours: `MS` on a move is its time in milliseconds,
//! and `UB` gives the top-left point of an unbounded board's part. An opening is `ON`, and each of
//! its choices a comment, `C`; comments are not read.
//! [`tree`] has variations and comments.

use std::fmt::Write as _;

use super::{
    file::{Ending, FileError, FileMove, FileOpening, GameFile, one_line, too_many},
    rules_text,
    tree::GameTree,
};
use crate::opening::OpeningKind;
use crate::rules::{Point, Rules, Size, Stone, Variant};

pub mod tree;

/// The longest side: the number of SGF's letters.
pub const SIDE_MAX: u32 = 52;

/// Why a game cannot be written as SGF.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("SGF has boards of at most {max} points a side; this game needs {needs}", max = SIDE_MAX)]
pub struct TooLarge {
    /// The longer side of the board, or of the part that an unbounded game uses.
    pub needs: u32,
}

/// Writes a game.
///
/// # Errors
/// When the board has more points a side than SGF has letters.
pub fn write(game: &GameFile) -> Result<String, TooLarge> {
    let (mut text, origin) = header(game)?;
    for (ply, made) in game.moves.iter().enumerate() {
        let colour = if Stone::to_move(ply) == Stone::Black { 'B' } else { 'W' };
        let [column, row] = letters(made.point, origin);
        let _written = write!(text, "\n;{colour}[{column}{row}]");
        if let Some(took) = made.took_ms {
            let _written = write!(text, "MS[{took}]");
        }
        let comment = choices_after(game, ply + 1);
        if !comment.is_empty() {
            let _written = write!(text, "C[{}]", escaped(&comment));
        }
    }
    text.push_str(")\n");
    Ok(text)
}

/// The first node without its end, and the point from which the moves are counted.
fn header(game: &GameFile) -> Result<(String, Point), TooLarge> {
    let (origin, width, height) = game.extent();
    let needs = width.max(height);
    if needs > SIDE_MAX {
        return Err(TooLarge { needs });
    }
    let size = if width == height { width.to_string() } else { format!("{width}:{height}") };
    let mut text = format!("(;FF[4]GM[4]CA[UTF-8]AP[fivefold]SZ[{size}]");
    let mut property = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _written = write!(text, "{name}[{}]", escaped(value));
    };
    property("RU", &game.rules.variant().to_string());
    if game.rules.size() == Size::Unbounded {
        property("UB", &format!("{},{}", origin.x, origin.y));
    }
    for (name, value) in [("PB", &game.black), ("PW", &game.white), ("DT", &game.date)] {
        if let Some(value) = value {
            property(name, value);
        }
    }
    if let Some(ending) = game.ending {
        property("RE", &result(ending));
    }
    if let Some(opening) = &game.opening {
        property("ON", opening.kind.name());
    }
    Ok((text, origin))
}

/// The letters of a point's column and row.
fn letters(point: Point, origin: Point) -> [char; 2] {
    [point.x.abs_diff(origin.x), point.y.abs_diff(origin.y)]
        .map(|distance| letter(distance).unwrap_or('?'))
}

/// The choices of the opening that were made with so many stones on the board.
fn choices_after(game: &GameFile, plies: usize) -> String {
    let choices = game.opening.iter().flat_map(|opening| &opening.choices);
    let texts = choices.filter(|choice| choice.ply == plies).map(|choice| choice.text.as_str());
    texts.collect::<Vec<_>>().join(" ")
}

/// Reads the first game of a text. `otherwise` is the variant where the text names no known one.
///
/// # Errors
/// When the text is not SGF, or the game has something that Fivefold does not support, such as a
/// pass in mid-game.
pub fn read(text: &str, otherwise: Variant) -> Result<GameFile, FileError> {
    let start = text.find("(;").or_else(|| text.find('('));
    let Some(start) = start else {
        return Err(FileError { line: 1, text: "no SGF: there is no `(;`".into() });
    };
    let mut game = Reading::new(text, otherwise);
    let mut rest = Scanner { text, offset: start };
    let mut has_nodes = false;
    loop {
        match rest.next_visible() {
            Some('(') => rest.offset += 1,
            Some(';') => {
                rest.offset += 1;
                has_nodes = true;
            }
            // Take the first variation: everything up to here.
            Some(')') | None => break,
            Some(c) if c.is_ascii_alphabetic() => {
                let property = rest.name();
                if !has_nodes {
                    return Err(game.error(&property, "a property before the first `;`"));
                }
                game.read_property(&property, &mut rest)?;
            }
            Some(c) => {
                let what = format!("`{c}` is not expected here");
                return Err(FileError::at(text, rest.offset, what));
            }
        }
    }
    if !has_nodes {
        return Err(FileError::at(text, start, "no SGF: the game has no node"));
    }
    game.finish()
}

/// A property: its name in capitals, and its offset.
struct Property {
    offset: usize,
    name: String,
}

/// The state of the reader.
struct Reading<'a> {
    text: &'a str,
    otherwise: Variant,
    width: u32,
    height: u32,
    origin: Option<Point>,
    variant: Option<Variant>,
    black: Option<String>,
    white: Option<String>,
    date: Option<String>,
    ending: Option<Ending>,
    opening: Option<OpeningKind>,
    /// Black's stones and White's that are not moves yet.
    set_up: [Vec<Point>; 2],
    moves: Vec<FileMove>,
    /// The offset of a pass, which is only allowed at the end.
    passed: Option<usize>,
}

impl<'a> Reading<'a> {
    const fn new(text: &'a str, otherwise: Variant) -> Self {
        Self {
            text,
            otherwise,
            width: 15,
            height: 15,
            origin: None,
            variant: None,
            black: None,
            white: None,
            date: None,
            ending: None,
            opening: None,
            set_up: [Vec::new(), Vec::new()],
            moves: Vec::new(),
            passed: None,
        }
    }

    /// Reads the values of a property. Each is dropped once it is read, and of most properties only
    /// the first one counts.
    fn read_property(
        &mut self,
        property: &Property,
        rest: &mut Scanner<'_>,
    ) -> Result<(), FileError> {
        let mut is_first = true;
        while let Some(value) = rest.value()? {
            match property.name.as_str() {
                "AB" => self.set_up(property, Stone::Black, &value)?,
                "AW" => self.set_up(property, Stone::White, &value)?,
                _ if is_first => self.read(property, &value)?,
                _ => {}
            }
            is_first = false;
        }
        if is_first {
            return Err(self.error(property, "a property without a value"));
        }
        Ok(())
    }

    fn read(&mut self, property: &Property, value: &str) -> Result<(), FileError> {
        let simple = || Some(one_line(value)).filter(|text| !text.is_empty());
        match property.name.as_str() {
            "SZ" | "UB" if self.stones() > 0 => {
                return Err(self.error(property, "the board's size must come before its stones"));
            }
            "SZ" => {
                let (width, height) = value.split_once(':').unwrap_or((value, value));
                let side =
                    |text: &str| text.trim().parse().ok().filter(|n| (1..=SIDE_MAX).contains(n));
                let (Some(width), Some(height)) = (side(width), side(height)) else {
                    return Err(self.error(property, format!("`{value}` is no size of a board")));
                };
                (self.width, self.height) = (width, height);
            }
            "UB" => self.origin = point_of_numbers(value),
            "RU" => self.variant = rules_text::variant(value),
            "PB" => self.black = simple(),
            "PW" => self.white = simple(),
            "DT" => self.date = simple(),
            "RE" => self.ending = ending(value),
            "ON" => self.opening = value.parse().ok().filter(|kind: &OpeningKind| !kind.is_free()),
            "B" | "W" => self.read_move(property, value)?,
            "MS" => {
                if let (Some(last), Ok(took)) = (self.moves.last_mut(), value.trim().parse()) {
                    last.took_ms = Some(took);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// How many stones there are, counting set-up stones and repeated points.
    fn stones(&self) -> usize {
        self.moves.len() + self.set_up.iter().map(Vec::len).sum::<usize>()
    }

    /// Checks that so many more stones fit before adding them: a few letters can stand for a whole
    /// board of them, again and again.
    fn check_room(&self, property: &Property, more: u32) -> Result<(), FileError> {
        let (width, height) = (self.width, self.height);
        let most = match self.origin {
            Some(_) => Size::Unbounded.plies_max(),
            None => (width * height) as usize,
        };
        if self.stones() + more as usize <= most {
            return Ok(());
        }
        let text = match self.origin {
            Some(_) => too_many(Size::Unbounded),
            None => format!("more stones than a board of {width}x{height} has points"),
        };
        Err(self.error(property, text))
    }

    fn read_move(&mut self, property: &Property, value: &str) -> Result<(), FileError> {
        let value = value.trim();
        if value.is_empty() || value == "tt" && self.width <= 19 && self.height <= 19 {
            self.passed.get_or_insert(property.offset);
            return Ok(());
        }
        if let Some(offset) = self.passed {
            let text = "a pass, which Fivefold does not know, before other moves";
            return Err(FileError::at(self.text, offset, text));
        }
        self.place_set_up(property)?;
        let turn = Stone::to_move(self.moves.len());
        if (property.name == "B") != (turn == Stone::Black) {
            let text = format!("move {} is {turn}'s", self.moves.len() + 1);
            return Err(self.error(property, text));
        }
        let point = self.point(property, value)?;
        self.check_room(property, 1)?;
        self.moves.push(FileMove { point, took_ms: None });
        Ok(())
    }

    /// Makes moves of stones that were set up: Black's and White's in turn.
    fn place_set_up(&mut self, property: &Property) -> Result<(), FileError> {
        let [black, white] = std::mem::take(&mut self.set_up);
        if black.is_empty() && white.is_empty() {
            return Ok(());
        }
        let is_fair = black.len() == white.len() || black.len() == white.len() + 1;
        if !self.moves.is_empty() || !is_fair {
            let text = "stones are set up that no game by turns can have brought there";
            return Err(self.error(property, text));
        }
        let mut white = white.into_iter();
        for point in black {
            let both = [Some(point), white.next()].into_iter().flatten();
            self.moves.extend(both.map(|point| FileMove { point, took_ms: None }));
        }
        Ok(())
    }

    /// Sets up a stone, or a rectangle of them such as `aa:cc`.
    fn set_up(&mut self, property: &Property, stone: Stone, value: &str) -> Result<(), FileError> {
        let (first, last) = value.split_once(':').unwrap_or((value, value));
        let (first, last) = (self.point(property, first)?, self.point(property, last)?);
        let side = |first: i32, last: i32| u32::try_from(last - first + 1).unwrap_or(0);
        self.check_room(property, side(first.x, last.x) * side(first.y, last.y))?;
        let rows = first.y..=last.y;
        let points = rows.flat_map(|y| (first.x..=last.x).map(move |x| Point::new(x, y)));
        self.set_up[usize::from(stone == Stone::White)].extend(points);
        Ok(())
    }

    fn point(&self, property: &Property, value: &str) -> Result<Point, FileError> {
        let mut letters = value.trim().chars();
        let numbers = match (letters.next(), letters.next(), letters.next()) {
            (Some(column), Some(row), None) => number(column).zip(number(row)),
            _ => None,
        };
        match numbers {
            Some((x, y)) if x < self.width && y < self.height => {
                Ok(Point::new(x.cast_signed(), y.cast_signed()))
            }
            Some(_) | None => {
                let (width, height) = (self.width, self.height);
                let text = format!("`{}` is no point of a board of {width}x{height}", value.trim());
                Err(self.error(property, text))
            }
        }
    }

    fn finish(mut self) -> Result<GameFile, FileError> {
        let end = Property { offset: self.text.len(), name: String::new() };
        self.place_set_up(&end)?;
        let variant = self.variant.unwrap_or(self.otherwise);
        let size = match self.origin {
            Some(_) => Size::Unbounded,
            None => {
                let side = |n| u8::try_from(n).unwrap_or(u8::MAX);
                Size::Bounded { width: side(self.width), height: side(self.height) }
            }
        };
        let rules = Rules::new(variant, size)
            .map_err(|error| FileError { line: 1, text: error.to_string() })?;
        if let Some(origin) = self.origin {
            for made in &mut self.moves {
                made.point = Point::new(
                    made.point.x.saturating_add(origin.x),
                    made.point.y.saturating_add(origin.y),
                );
            }
        }
        let Self { black, white, date, ending, opening, moves, .. } = self;
        let opening = opening.map(|kind| FileOpening { kind, choices: Vec::new() });
        Ok(GameFile { rules, black, white, date, ending, opening, moves })
    }

    fn error(&self, property: &Property, text: impl Into<String>) -> FileError {
        FileError::at(self.text, property.offset, text)
    }
}

struct Scanner<'a> {
    text: &'a str,
    offset: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.offset..]
    }

    fn next_visible(&mut self) -> Option<char> {
        let rest = self.rest();
        self.offset += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    /// The name of a property. Ignores small letters, which an older version of the format has.
    fn name(&mut self) -> Property {
        let offset = self.offset;
        let length = self.rest().bytes().take_while(u8::is_ascii_alphabetic).count();
        let name = self.rest()[..length].chars().filter(char::is_ascii_uppercase).collect();
        self.offset += length;
        Property { offset, name }
    }

    /// The next value of a property, without escapes; `None` when there are no more.
    fn value(&mut self) -> Result<Option<String>, FileError> {
        if self.next_visible() != Some('[') {
            return Ok(None);
        }
        let start = self.offset;
        let mut value = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                ']' => {
                    self.offset = start + at + 1;
                    return Ok(Some(value));
                }
                '\\' => match chars.next() {
                    // A line break after a backslash does not count.
                    Some((_, '\n')) | None => {}
                    Some((_, escaped)) => value.push(escaped),
                },
                c => value.push(c),
            }
        }
        Err(FileError::at(self.text, start, "a value that does not end: `]` is missing"))
    }
}

fn escaped(value: &str) -> String {
    escaped_text(&value.replace('\n', " "))
}

/// A text that keeps its line ends.
fn escaped_text(value: &str) -> String {
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

fn letter(number: u32) -> Option<char> {
    let number = u8::try_from(number).ok()?;
    match number {
        0..26 => Some(char::from(b'a' + number)),
        26..52 => Some(char::from(b'A' + number - 26)),
        _ => None,
    }
}

fn number(letter: char) -> Option<u32> {
    match letter {
        'a'..='z' => Some(u32::from(letter) - u32::from('a')),
        'A'..='Z' => Some(u32::from(letter) - u32::from('A') + 26),
        _ => None,
    }
}

fn point_of_numbers(value: &str) -> Option<Point> {
    let (x, y) = value.split_once(',')?;
    Some(Point::new(x.trim().parse().ok()?, y.trim().parse().ok()?))
}
