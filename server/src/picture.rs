//! Pictures of games and positions for sharing: the board, and beside it who plays and how it stands.
//!
//! Drawing takes some milliseconds of one processor. This does not know who asks.

mod board;
mod cache;
mod canvas;
mod font;

use fivefold_shared::{
    clock::day,
    notation::file::GameFile,
    record::Record,
    rules::{Outcome, Point, Position, Rules, Size, Stone, Variant},
};

pub(crate) use self::cache::{PictureKey, Pictures};
use self::{
    board::{BoardPicture, draw_stone, window},
    canvas::{Area, Canvas, Circle, Colour},
};

/// Width and height of a picture, in pixels: what previews of links are made for.
pub(crate) const PICTURE_SIZE: (u16, u16) = (1_200, 630);

const PAGE: Colour = Colour::solid(0xed_ebe3);
const INK: Colour = Colour::solid(0x1d_211d);
const SOFT: Colour = Colour::solid(0x57_5c53);
const NOW: Colour = Colour::solid(0xb5_371c);
const NOW_INK: Colour = Colour::solid(0xff_ffff);

/// Where the board is.
const BOARD: Area = Area(28.0, 25.0, 580.0, 580.0);
/// Left edge and width of the words.
const WORDS: (f32, f32) = (652.0, 508.0);

/// A game or a position, and what to say about it in English.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Card {
    rules: Rules,
    moves: Vec<Point>,
    outcome: Option<Outcome>,
    /// The players of a finished game.
    game: Option<CardGame>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct CardGame {
    black: String,
    white: String,
    /// The day when it ended.
    day: String,
}

impl Card {
    /// A finished game.
    pub(crate) fn of_game(record: &Record) -> Self {
        let summary = &record.summary;
        Self {
            rules: summary.rules,
            moves: record.moves.iter().map(|made| made.point).collect(),
            outcome: Some(summary.outcome_by_stone()),
            game: Some(CardGame {
                black: summary.player(Stone::Black).name(),
                white: summary.player(Stone::White).name(),
                day: day(summary.ended_at),
            }),
        }
    }

    /// The position after the moves of a file, as far as they are legal.
    pub(crate) fn of_position(file: &GameFile) -> Self {
        let mut position = Position::new(file.rules);
        for point in file.points() {
            if position.play(point).is_err() {
                break;
            }
        }
        let (moves, outcome) = (position.moves().to_vec(), position.outcome().cloned());
        Self { rules: file.rules, moves, outcome, game: None }
    }

    /// A line for people: the players, or that it is a position.
    pub(crate) fn title(&self) -> String {
        match &self.game {
            Some(CardGame { black, white, .. }) => format!("{black} – {white}"),
            None => "A position of five in a row".to_owned(),
        }
    }

    /// How the game stands or ended, and its rules.
    pub(crate) fn about(&self) -> String {
        format!("{}. {}, {}.", self.standing(), rules_name(self.rules), self.length())
    }

    /// How the game ended, or whose turn it is.
    fn standing(&self) -> String {
        match &self.outcome {
            Some(outcome) => result(self.rules, outcome),
            None => format!("{} to play", side(Stone::to_move(self.moves.len()))),
        }
    }

    fn length(&self) -> String {
        match self.moves.len() {
            1 => "1 move".to_owned(),
            count => format!("{count} moves"),
        }
    }

    /// The picture as a PNG file.
    pub(crate) fn png(&self) -> Vec<u8> {
        self.draw().png()
    }

    fn draw(&self) -> Canvas {
        let (width, height) = PICTURE_SIZE;
        let mut canvas = Canvas::new(width, height, PAGE);
        let line = self.outcome.as_ref().map(Outcome::line).unwrap_or_default();
        let board = self.board();
        board.draw_ground(&mut canvas);
        board.draw_stones(&mut canvas, self.rules, &self.moves, line);
        self.write(&mut canvas);
        canvas
    }

    fn board(&self) -> BoardPicture {
        let line = self.outcome.as_ref().map(Outcome::line).unwrap_or_default();
        let size = self.rules.size();
        BoardPicture::new(size, window(size, &self.moves, line), BOARD)
    }

    fn write(&self, canvas: &mut Canvas) {
        let (left, width) = WORDS;
        draw_seal(canvas, (left, 54.0), 46.0);
        canvas.write("Fivefold", (left + 62.0, 88.0), 32.0, INK);
        let mut at = if self.game.is_some() { 232.0 } else { 300.0 };
        if let Some(CardGame { black, white, .. }) = &self.game {
            for (stone, name) in [(Stone::Black, black), (Stone::White, white)] {
                draw_stone(canvas, Circle(left + 22.0, at - 14.0, 20.0), stone);
                let room = width - 62.0;
                let size = (40.0 * room / canvas.font().width(name, 40.0)).clamp(27.0, 40.0);
                let name = canvas.font().cut(name, size, room);
                let winner = self.outcome.as_ref().and_then(Outcome::winner);
                let colour = if winner == Some(stone.opponent()) { SOFT } else { INK };
                canvas.write(&name, (left + 62.0, at), size, colour);
                at += 66.0;
            }
            at += 40.0;
        }
        for line in canvas.font().lines(&self.standing(), 36.0, width).into_iter().take(2) {
            canvas.write(&line, (left, at), 36.0, NOW);
            at += 46.0;
        }
        at += 16.0;
        let day = self.game.as_ref().map(|game| format!(", {}", game.day)).unwrap_or_default();
        for line in [rules_name(self.rules), format!("{}{day}", self.length())] {
            let line = canvas.font().cut(&line, 27.0, width);
            canvas.write(&line, (left, at), 27.0, SOFT);
            at += 40.0;
        }
    }
}

/// Five stones in a row on vermilion.
fn draw_seal(canvas: &mut Canvas, (x, y): (f32, f32), side: f32) {
    let unit = side / 32.0;
    canvas.fill_rounded(Area(x, y, side, side), 6.0 * unit, NOW);
    let corner = |at: f32| (x + at * unit, y + (32.0 - at) * unit);
    canvas.line(corner(5.0), corner(27.0), 1.4 * unit, NOW_INK.at(0.65));
    for at in [6.4, 11.2, 16.0, 20.8, 25.6] {
        let (x, y) = corner(at);
        canvas.disc(Circle(x, y, 3.0 * unit), NOW_INK);
    }
}

const fn side(stone: Stone) -> &'static str {
    match stone {
        Stone::Black => "Black",
        Stone::White => "White",
    }
}

/// How a game ended, in the words of the page.
fn result(rules: Rules, outcome: &Outcome) -> String {
    let why = match outcome {
        Outcome::Five { .. } => match rules.variant().k() {
            3 => "three in a row".to_owned(),
            5 => "five in a row".to_owned(),
            k => format!("{k} in a row"),
        },
        Outcome::Forbidden { .. } => "only forbidden points were left".to_owned(),
        Outcome::Resignation { .. } => "resignation".to_owned(),
        Outcome::Agreement => "agreed".to_owned(),
        Outcome::Time { .. } => "time".to_owned(),
        Outcome::Abandonment { .. } => "the opponent left".to_owned(),
        Outcome::FullBoard => "the board is full".to_owned(),
        Outcome::LengthLimit => "the longest game was played".to_owned(),
        Outcome::Aborted { by: Some(by) } => return format!("Aborted by {}", side(*by)),
        Outcome::Aborted { by: None } => return "Aborted".to_owned(),
    };
    match outcome.winner() {
        Some(winner) => format!("{} won: {why}", side(winner)),
        None => format!("Draw: {why}"),
    }
}

/// The rules and the board's size.
fn rules_name(rules: Rules) -> String {
    let variant = match rules.variant() {
        Variant::Mnk { k: 3 } if rules == Rules::TIC_TAC_TOE => return "Tic-tac-toe".to_owned(),
        Variant::Freestyle => "Freestyle".to_owned(),
        Variant::Standard => "Standard".to_owned(),
        Variant::Renju => "Renju".to_owned(),
        Variant::Caro => "Caro".to_owned(),
        Variant::CaroOverline => "Caro with overlines".to_owned(),
        Variant::Mnk { k } => format!("{k} in a row"),
    };
    match rules.size() {
        Size::Bounded { width, height } => format!("{variant} {width}x{height}"),
        Size::Unbounded => format!("{variant} without borders"),
    }
}

#[cfg(test)]
mod tests;
