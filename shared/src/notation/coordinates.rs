//! Point names in text: `h8`, or `x,y`.
//!
//! A name is the column's letter counted from the left and the row's number counted from the
//! bottom: on 15x15, `a1` is the bottom-left point and `h8` the middle. After `z` comes `aa`. The
//! numbers `x,y` are those of [`Point`] itself: from 0, to the right and downward from the
//! top-left point; on the unbounded board signed, and the only form there is.

use crate::rules::{Point, Size};

const LETTERS: u32 = 26;

/// Why a text is not a point of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CoordinateError {
    /// Neither a name nor two numbers.
    #[error("not a point; {}", accepted(*.0))]
    Form(Size),
    /// A point beyond the borders or, on the unbounded board, beyond any number it takes.
    #[error("not on the board; {}", accepted(*.0))]
    Outside(Size),
}

/// Writes a point: its name on a bounded board, `x,y` on the unbounded one and for any point
/// beyond the borders.
///
/// ```
/// use fivefold_shared::{notation::coordinates, rules::{Point, Size}};
///
/// assert_eq!(coordinates::format(Point::new(7, 7), Size::square(15)), "h8");
/// assert_eq!(coordinates::format(Point::new(26, 0), Size::square(30)), "aa30");
/// assert_eq!(coordinates::format(Point::new(3, -4), Size::Unbounded), "3,-4");
/// ```
pub fn format(point: Point, size: Size) -> String {
    match size {
        Size::Bounded { height, .. } if is_within(point, size) => {
            format!("{}{}", column_name(point.x.unsigned_abs()), i32::from(height) - point.y)
        }
        Size::Bounded { .. } | Size::Unbounded => format!("{},{}", point.x, point.y),
    }
}

/// Reads a point in either form. Letters may be small or capital; spaces around the text and around
/// the comma are ignored.
///
/// Does not check that the point is near enough to the other stones of the unbounded board.
///
/// # Errors
/// When the text is not a point, or one beyond the board's borders.
///
/// ```
/// use fivefold_shared::{notation::coordinates, rules::{Point, Size}};
///
/// let size = Size::square(15);
/// assert_eq!(coordinates::parse(" H8 ", size), Ok(Point::new(7, 7)));
/// assert_eq!(coordinates::parse("0, 14", size), coordinates::parse("a1", size));
/// assert_eq!(
///     coordinates::parse("8 8", size).unwrap_err().to_string(),
///     "not a point; write a name from a1 to o15, or x,y from 0,0 (top left) to 14,14",
/// );
/// ```
pub fn parse(text: &str, size: Size) -> Result<Point, CoordinateError> {
    let point = match (text.split_once(','), size) {
        (Some((x, y)), _) => Point::new(number(x, size)?, number(y, size)?),
        (None, Size::Bounded { height, .. }) => {
            let (column, row) = name(text.trim()).ok_or(CoordinateError::Form(size))?;
            let x = column.and_then(|column| i32::try_from(column).ok());
            let y = row.and_then(|row| i32::from(height).checked_sub(row));
            let (Some(x), Some(y)) = (x, y) else { return Err(CoordinateError::Outside(size)) };
            Point::new(x, y)
        }
        (None, Size::Unbounded) => return Err(CoordinateError::Form(size)),
    };
    if is_within(point, size) { Ok(point) } else { Err(CoordinateError::Outside(size)) }
}

/// One of the two numbers of `x,y`.
fn number(text: &str, size: Size) -> Result<i32, CoordinateError> {
    let text = text.trim();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CoordinateError::Form(size));
    }
    text.parse().map_err(|_| CoordinateError::Outside(size))
}

/// The column (from 0) and the row (from 1, at the bottom) of a name such as `h8`; each `None`
/// when it is too large for any board.
fn name(text: &str) -> Option<(Option<u32>, Option<i32>)> {
    let (letters, digits) = text.split_at(text.find(|c: char| c.is_ascii_digit())?);
    if letters.is_empty() || !letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let column = letters.bytes().try_fold(0u32, |column, byte| {
        let letter = u32::from(byte.to_ascii_lowercase() - b'a') + 1;
        column.checked_mul(LETTERS)?.checked_add(letter)
    });
    Some((column.map(|column| column - 1), digits.parse().ok()))
}

fn column_name(column: u32) -> String {
    let letter = |index: u32| char::from_digit(index + 10, 36).expect("one of 26 letters");
    let last = letter(column % LETTERS);
    match (column / LETTERS).checked_sub(1) {
        Some(rest) => column_name(rest) + &last.to_string(),
        None => last.to_string(),
    }
}

/// Whether a board has this point. An unbounded one has all of them.
pub(super) fn is_within(point: Point, size: Size) -> bool {
    match size {
        Size::Bounded { width, height } => {
            (0..i32::from(width)).contains(&point.x) && (0..i32::from(height)).contains(&point.y)
        }
        Size::Unbounded => true,
    }
}

/// The accepted points, for the end of an error's sentence.
fn accepted(size: Size) -> String {
    match size {
        Size::Bounded { width, height } => {
            let last = Point::new(i32::from(width) - 1, i32::from(height) - 1);
            let corner = format(Point::new(last.x, 0), size);
            format!(
                "write a name from a1 to {corner}, or x,y from 0,0 (top left) to {},{}",
                last.x, last.y
            )
        }
        Size::Unbounded => "write x,y, such as 3,-4".to_owned(),
    }
}
