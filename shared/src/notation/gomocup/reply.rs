//! The replies of a brain.

use std::fmt;

use super::{LINE_BYTES_MAX, point};
use crate::rules::Point;

/// One line of a brain. Its `Display` writes it, without an end of line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// `OK`.
    Ok,
    /// A move.
    Move(Point),
    /// The stones that a brain puts at the opening by swap2: the first three, or two more.
    Stones(Vec<Point>),
    /// `SWAP`: take the other colour, in the opening by swap2.
    Swap,
    /// `SUGGEST x,y`: a move that is made when the manager sends `PLAY`.
    Suggest(Point),
    /// `ERROR text`: something cannot be done.
    Error(String),
    /// `UNKNOWN text`: the brain does not know a command.
    Unknown(String),
    /// `MESSAGE text`: for people.
    Message(String),
    /// `DEBUG text`: for the brain's author.
    Debug(String),
    /// `FORBID ....`: the points that are forbidden.
    Forbidden(Vec<Point>),
    /// Anything else, such as the reply to `ABOUT`.
    Other(String),
}

impl Reply {
    /// Reads a line, with or without its end. Never fails.
    pub fn read(line: &[u8]) -> Self {
        let text = String::from_utf8_lossy(&line[..line.len().min(LINE_BYTES_MAX)]);
        let text = text.trim();
        let (word, rest) = text.split_once(|c: char| c.is_whitespace()).unwrap_or((text, ""));
        let rest = || rest.trim().to_owned();
        match word.to_ascii_uppercase().as_str() {
            "OK" => Self::Ok,
            "SWAP" => Self::Swap,
            "ERROR" => Self::Error(rest()),
            "UNKNOWN" => Self::Unknown(rest()),
            "MESSAGE" => Self::Message(rest()),
            "DEBUG" => Self::Debug(rest()),
            "SUGGEST" => point(&rest()).map_or_else(|| Self::Other(text.to_owned()), Self::Suggest),
            "FORBID" => {
                forbidden(&rest()).map_or_else(|| Self::Other(text.to_owned()), Self::Forbidden)
            }
            _ => points(text).unwrap_or_else(|| Self::Other(text.to_owned())),
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("OK"),
            Self::Move(point) => write!(f, "{},{}", point.x, point.y),
            Self::Stones(points) => {
                let points: Vec<String> =
                    points.iter().map(|point| format!("{},{}", point.x, point.y)).collect();
                f.write_str(&points.join(" "))
            }
            Self::Swap => f.write_str("SWAP"),
            Self::Suggest(point) => write!(f, "SUGGEST {},{}", point.x, point.y),
            Self::Error(text) => write!(f, "ERROR {text}"),
            Self::Unknown(text) => write!(f, "UNKNOWN {text}"),
            Self::Message(text) => write!(f, "MESSAGE {text}"),
            Self::Debug(text) => write!(f, "DEBUG {text}"),
            Self::Forbidden(points) => {
                f.write_str("FORBID ")?;
                points.iter().try_for_each(|point| write!(f, "{:02}{:02}", point.x, point.y))?;
                f.write_str(".")
            }
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// The name in a reply to `ABOUT`: the value of `name="..."`.
pub fn about_name(text: &str) -> Option<&str> {
    let start = text.to_ascii_lowercase().find("name")? + "name".len();
    let value = text[start..].trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
    let name = value.split('"').next()?.trim();
    (!name.is_empty()).then_some(name)
}

/// Reads `x,y` or several of them, with spaces between.
fn points(text: &str) -> Option<Reply> {
    let points: Option<Vec<Point>> = text.split_whitespace().map(point).collect();
    // Some brains put a space after the comma.
    let points = points.or_else(|| point(text).map(|point| vec![point]))?;
    match points.as_slice() {
        [] => None,
        [point] => Some(Reply::Move(*point)),
        _ => Some(Reply::Stones(points)),
    }
}

/// Reads pairs of two-digit numbers that end with a full stop.
fn forbidden(text: &str) -> Option<Vec<Point>> {
    let digits = text.strip_suffix('.')?.trim().as_bytes();
    let pairs = digits.chunks(4).map(|four| match four {
        [a, b, c, d] => {
            let two = |tens: &u8, ones: &u8| {
                let digit = |byte: &u8| char::from(*byte).to_digit(10);
                i32::try_from(digit(tens)? * 10 + digit(ones)?).ok()
            };
            Some(Point::new(two(a, b)?, two(c, d)?))
        }
        _ => None,
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read() {
        let at = Point::new(7, 3);
        let other = |text: &str| Reply::Other(text.into());
        let cases = [
            ("OK", Reply::Ok),
            ("ok - ready\r\n", Reply::Ok),
            ("7,3", Reply::Move(at)),
            (" 7, 3 ", Reply::Move(at)),
            ("-1,3", Reply::Move(Point::new(-1, 3))),
            ("7,3 8,4", Reply::Stones(vec![at, Point::new(8, 4)])),
            ("swap", Reply::Swap),
            ("SUGGEST 7,3", Reply::Suggest(at)),
            ("SUGGEST here", other("SUGGEST here")),
            ("ERROR no such rule", Reply::Error("no such rule".into())),
            ("UNKNOWN", Reply::Unknown(String::new())),
            ("MESSAGE depth 12", Reply::Message("depth 12".into())),
            ("DEBUG 7,3", Reply::Debug("7,3".into())),
            ("FORBID 09121011.", Reply::Forbidden(vec![Point::new(9, 12), Point::new(10, 11)])),
            ("FORBID .", Reply::Forbidden(Vec::new())),
            ("FORBID 0912101.", other("FORBID 0912101.")),
            ("7;3", other("7;3")),
            ("99999999999,1", other("99999999999,1")),
            ("", other("")),
        ];
        for (line, expected) in cases {
            assert_eq!(Reply::read(line.as_bytes()), expected, "{line:?}");
        }
    }

    #[test]
    fn names_are_found() {
        let cases = [
            (r#"name="Rapid", version="1.0", author="Ann""#, Some("Rapid")),
            (r#"NAME = " Rapid 2 ", version="1.0""#, Some("Rapid 2")),
            (r#"name="", version="1.0""#, None),
            ("I am Rapid", None),
            ("a name for a brain", None),
        ];
        for (text, expected) in cases {
            assert_eq!(about_name(text), expected, "{text}");
        }
    }
}
