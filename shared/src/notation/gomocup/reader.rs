//! Reads a manager's lines as commands. Letter case does not matter, nor do spaces around points
//! and numbers.

use super::{
    Command, Info, LINE_BYTES_MAX, Placed, SIDE_MAX, SIDE_MIN, Side, limit, number, point, sides,
};
use crate::rules::Point;

/// The most stones that a list may have; the rest is ignored, because no board has room for it.
const STONES_MAX: usize = SIDE_MAX as usize * SIDE_MAX as usize;

/// Reads commands from lines. It remembers only the list of stones that it is in.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    list: Option<List>,
}

/// A list of stones that `DONE` has not ended yet.
#[derive(Clone, Debug)]
struct List {
    kind: ListKind,
    stones: Vec<Placed>,
    /// The first line that was not a stone.
    wrong: Option<String>,
}

#[derive(Clone, Copy, Debug)]
enum ListKind {
    Board,
    Show,
    Swap2,
}

/// Why a line, or a list of them, is not a command.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommandError {
    /// An unknown command: reply with `UNKNOWN`.
    #[error("unknown command {0}")]
    Unknown(String),
    /// A command with missing or wrong arguments: reply with `ERROR`.
    #[error("{0}")]
    Malformed(String),
}

impl Reader {
    /// Takes the next line, with or without its end. `None`: nothing is complete yet, or the line
    /// was empty.
    ///
    /// # Errors
    /// When the line, or the list that it ends, cannot be parsed. The reader can go on after that.
    pub fn line(&mut self, line: &[u8]) -> Option<Result<Command, CommandError>> {
        let text = String::from_utf8_lossy(&line[..line.len().min(LINE_BYTES_MAX)]);
        // A manager that writes its text with a byte order mark begins with it.
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return None;
        }
        let Some(list) = &mut self.list else {
            return self.command(text);
        };
        if text.eq_ignore_ascii_case("DONE") {
            return self.list.take().map(List::end);
        }
        // A manager that gives up a list ends the brain.
        if text.eq_ignore_ascii_case("END") {
            self.list = None;
            return Some(Ok(Command::End));
        }
        list.add(text);
        None
    }

    fn command(&mut self, text: &str) -> Option<Result<Command, CommandError>> {
        let (word, rest) = text.split_once(|c: char| c.is_whitespace()).unwrap_or((text, ""));
        let rest = rest.trim();
        let command = match word.to_ascii_uppercase().as_str() {
            // A manager with a window sends both sides before each position.
            "START" => number(rest)
                .map(|side: i64| (side, side))
                .or_else(|| sides(rest))
                .and_then(board)
                .ok_or_else(|| no_board("START n")),
            "RECTSTART" => sides(rest).and_then(board).ok_or_else(|| no_board("RECTSTART w,h")),
            "RESTART" => Ok(Command::Restart),
            "BEGIN" => Ok(Command::Begin),
            "TURN" => at_point("TURN x,y", rest, Command::Turn),
            "TAKEBACK" => at_point("TAKEBACK x,y", rest, Command::TakeBack),
            "PLAY" => at_point("PLAY x,y", rest, Command::Play),
            "BOARD" => return self.begin(ListKind::Board),
            "YXBOARD" => return self.begin(ListKind::Show),
            "SWAP2BOARD" => return self.begin(ListKind::Swap2),
            "INFO" => Ok(Command::Info(info(rest))),
            "ABOUT" => Ok(Command::About),
            "END" => Ok(Command::End),
            "YXSHOWFORBID" => Ok(Command::ShowForbidden),
            "YXNBEST" => match number(rest) {
                Some(moves @ 1..) => Ok(Command::Best(moves)),
                _ => Err(malformed("YXNBEST n: a number of moves")),
            },
            "YXSTOP" => Ok(Command::Stop),
            _ => Err(CommandError::Unknown(word.chars().take(40).collect())),
        };
        Some(command)
    }

    fn begin(&mut self, kind: ListKind) -> Option<Result<Command, CommandError>> {
        self.list = Some(List { kind, stones: Vec::new(), wrong: None });
        None
    }
}

impl List {
    fn add(&mut self, text: &str) {
        let stone = match self.kind {
            ListKind::Board | ListKind::Show => placed(text),
            ListKind::Swap2 => point(text).map(|point| Placed { point, side: Side::Own }),
        };
        match stone {
            Some(stone) if self.stones.len() < STONES_MAX => self.stones.push(stone),
            Some(_) => {}
            None => {
                self.wrong.get_or_insert_with(|| text.chars().take(40).collect());
            }
        }
    }

    fn end(self) -> Result<Command, CommandError> {
        if let Some(wrong) = self.wrong {
            return Err(malformed(&format!("not a stone: {wrong}")));
        }
        match self.kind {
            ListKind::Board => Ok(Command::Board(self.stones)),
            ListKind::Show => Ok(Command::Show(self.stones)),
            ListKind::Swap2 => match self.stones.len() {
                0 | 3 | 5 => {
                    Ok(Command::Swap2(self.stones.iter().map(|stone| stone.point).collect()))
                }
                _ => Err(malformed("SWAP2BOARD has 0, 3 or 5 stones")),
            },
        }
    }
}

fn malformed(text: &str) -> CommandError {
    CommandError::Malformed(text.to_owned())
}

fn no_board(form: &str) -> CommandError {
    malformed(&format!("{form}: sides are {SIDE_MIN} to {SIDE_MAX}"))
}

fn board((width, height): (i64, i64)) -> Option<Command> {
    let side =
        |side: i64| u8::try_from(side).ok().filter(|side| (SIDE_MIN..=SIDE_MAX).contains(side));
    Some(Command::Start { width: side(width)?, height: side(height)? })
}

fn at_point(
    form: &str,
    rest: &str,
    command: fn(Point) -> Command,
) -> Result<Command, CommandError> {
    point(rest).map(command).ok_or_else(|| malformed(&format!("{form}: not a point")))
}

/// Reads `x,y,side`.
fn placed(text: &str) -> Option<Placed> {
    let (at, side) = text.rsplit_once(',')?;
    Some(Placed { point: point(at)?, side: Side::of(number(side)?)? })
}

/// Reads `key value`. `INFO` gets no reply, so an unreadable value is passed on as it is.
fn info(text: &str) -> Info {
    let (key, value) = text.split_once(|c: char| c.is_whitespace()).unwrap_or((text, ""));
    let (key, value) = (key.to_ascii_lowercase(), value.trim());
    known_info(&key, value).unwrap_or_else(|| Info::Other { key, value: value.to_owned() })
}

fn known_info(key: &str, value: &str) -> Option<Info> {
    Some(match key {
        "timeout_turn" => Info::TimeoutTurn(number(value)?),
        "timeout_match" => Info::TimeoutMatch(number(value)?),
        "time_left" => Info::TimeLeft(number(value)?),
        "max_memory" => Info::MaxMemory(limit(value)?),
        "game_type" => Info::GameType(number(value)?),
        "rule" => Info::Rule(number(value)?),
        "evaluate" => Info::Evaluate(point(value)?),
        "folder" => Info::Folder(value.to_owned()),
        "max_node" => Info::MaxNode(limit(value)?),
        "thread_num" => Info::ThreadNum(number(value)?),
        "pondering" => match value {
            "0" => Info::Pondering(false),
            "1" => Info::Pondering(true),
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<Command, CommandError>> {
        let mut reader = Reader::default();
        text.split('\n').filter_map(|line| reader.line(line.as_bytes())).collect()
    }

    fn check(text: &str, expected: Result<Command, &str>) {
        let read = read(text);
        assert_eq!(read.len(), 1, "{text:?}");
        let read = read.into_iter().next().unwrap().map_err(|error| error.to_string());
        assert_eq!(read, expected.map_err(str::to_owned), "{text:?}");
    }

    #[test]
    fn commands_are_read() {
        let at = Point::new(7, 3);
        let stone = |x, y, side| Placed { point: Point::new(x, y), side };
        let stones = vec![stone(7, 7, Side::Own), stone(8, 6, Side::Opponent)];
        check("START 20\r", Ok(Command::Start { width: 20, height: 20 }));
        check("start 5", Ok(Command::Start { width: 5, height: 5 }));
        check("START 4", Err("START n: sides are 5 to 64"));
        check("START 65", Err("START n: sides are 5 to 64"));
        check("START 99999999999999999999", Err("START n: sides are 5 to 64"));
        check("RECTSTART 20 , 15", Ok(Command::Start { width: 20, height: 15 }));
        check("START 15 15", Ok(Command::Start { width: 15, height: 15 }));
        check("START 15,20", Ok(Command::Start { width: 15, height: 20 }));
        check("START 15 x", Err("START n: sides are 5 to 64"));
        check("RECTSTART 15 20", Ok(Command::Start { width: 15, height: 20 }));
        check("\u{feff}START 20", Ok(Command::Start { width: 20, height: 20 }));
        check("RECTSTART 20", Err("RECTSTART w,h: sides are 5 to 64"));
        check("  RESTART  ", Ok(Command::Restart));
        check("\n\nBEGIN", Ok(Command::Begin));
        check("TURN 7,3", Ok(Command::Turn(at)));
        check("TURN 7", Err("TURN x,y: not a point"));
        check("TAKEBACK 7,3", Ok(Command::TakeBack(at)));
        check("PLAY 7,3", Ok(Command::Play(at)));
        check("BOARD\n7,7,1\n8,6,2\nDONE", Ok(Command::Board(stones.clone())));
        check("YXBOARD\n 7, 7, 1 \n8,6,2\ndone", Ok(Command::Show(stones)));
        check("BOARD\nDONE", Ok(Command::Board(Vec::new())));
        check("BOARD\n7,7\n1,1,1\nDONE", Err("not a stone: 7,7"));
        check("BOARD\n7,7,4\nDONE", Err("not a stone: 7,7,4"));
        check("BOARD\n7,7,1\nEND", Ok(Command::End));
        check("SWAP2BOARD\nDONE", Ok(Command::Swap2(Vec::new())));
        check("SWAP2BOARD\n7,3\n7,3\n7,3\nDONE", Ok(Command::Swap2(vec![at; 3])));
        check("SWAP2BOARD\n7,3\nDONE", Err("SWAP2BOARD has 0, 3 or 5 stones"));
        check("INFO timeout_turn 5000", Ok(Command::Info(Info::TimeoutTurn(5_000))));
        check("INFO time_left -3", Ok(Command::Info(Info::TimeLeft(-3))));
        check("INFO MAX_NODE 1000", Ok(Command::Info(Info::MaxNode(1_000))));
        for no_limit in ["0", "-1", "-9223372036854775809", "36893488147419103232"] {
            check(&format!("INFO max_node {no_limit}"), Ok(Command::Info(Info::MaxNode(0))));
            check(&format!("INFO max_memory {no_limit}"), Ok(Command::Info(Info::MaxMemory(0))));
        }
        check("INFO THREAD_NUM 2", Ok(Command::Info(Info::ThreadNum(2))));
        check("INFO pondering 0", Ok(Command::Info(Info::Pondering(false))));
        check("INFO pondering 1", Ok(Command::Info(Info::Pondering(true))));
        check("INFO rule 9", Ok(Command::Info(Info::Rule(9))));
        let other = |key: &str, value: &str| {
            Ok(Command::Info(Info::Other { key: key.into(), value: value.into() }))
        };
        check("INFO rule nine", other("rule", "nine"));
        check("INFO pondering 2", other("pondering", "2"));
        check("INFO", other("", ""));
        check("INFO Caution_Factor 1", other("caution_factor", "1"));
        check("INFO folder /a b", Ok(Command::Info(Info::Folder("/a b".into()))));
        check("YXNBEST 5", Ok(Command::Best(5)));
        check("YXNBEST 0", Err("YXNBEST n: a number of moves"));
        check("YXSHOWFORBID", Ok(Command::ShowForbidden));
        check("YXSTOP", Ok(Command::Stop));
        check("ABOUT", Ok(Command::About));
        check("END", Ok(Command::End));
        check("FOOBAR 1 2", Err("unknown command FOOBAR"));
        check("DONE", Err("unknown command DONE"));
    }

    #[test]
    fn a_long_line_is_cut() {
        let line = format!("FOO{}", "x".repeat(1 << 20));
        let read = Reader::default().line(line.as_bytes());
        let expected = format!("FOO{}", "x".repeat(37));
        assert_eq!(read, Some(Err(CommandError::Unknown(expected))));
    }
}
