//! The commands of a manager.

use std::fmt;

use crate::rules::Point;

/// One command of a manager. Its `Display` writes the lines, without an end of line after the last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `START n` or `RECTSTART w,h`: an empty board. Reply with `OK` or `ERROR`.
    Start {
        /// Columns.
        width: u8,
        /// Rows.
        height: u8,
    },
    /// `RESTART`: the same board, empty again. Reply with `OK`.
    Restart,
    /// `BEGIN`: make the first move.
    Begin,
    /// `TURN x,y`: the opponent has moved there; move.
    Turn(Point),
    /// `BOARD`: these are the stones; move.
    Board(Vec<Placed>),
    /// `YXBOARD`: these are the stones; do not reply.
    Show(Vec<Placed>),
    /// `TAKEBACK x,y`: the stone there is gone. Reply with `OK`.
    TakeBack(Point),
    /// `SWAP2BOARD`: make the next choice of the opening by swap2, in which no, three or five
    /// stones lie; Black's first.
    Swap2(Vec<Point>),
    /// `PLAY x,y`: the move that the brain suggested is made.
    Play(Point),
    /// `INFO key value`; never answered.
    Info(Info),
    /// `ABOUT`: identify yourself.
    About,
    /// `END`: quit.
    End,
    /// `YXSHOWFORBID`: which points are forbidden?
    ShowForbidden,
    /// `YXNBEST n`: move, and report the best moves.
    Best(u16),
    /// `YXSTOP`: move now.
    Stop,
}

/// A stone of `BOARD`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Placed {
    /// The point.
    pub point: Point,
    /// The owner.
    pub side: Side,
}

/// The owner of a stone, from the brain's side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The brain's own: 1.
    Own,
    /// The opponent's: 2.
    Opponent,
    /// Part of a line that has won, in a continuous game: 3.
    Finished,
}

/// A setting from `INFO`. Times of zero or less, and those that mean "no limit", are kept as they
/// are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Info {
    /// The time for each move, in milliseconds; 0 asks for moves as fast as possible.
    TimeoutTurn(i64),
    /// The time for the whole game, in milliseconds; 0 is no limit.
    TimeoutMatch(i64),
    /// The rest of that, in milliseconds.
    TimeLeft(i64),
    /// The memory limit, in bytes; 0 is no limit.
    MaxMemory(u64),
    /// The opponent: 0 a person, 1 a brain, 2 in a tournament, 3 in one over the network.
    GameType(u32),
    /// The rule; see [`variant_of`](super::variant_of).
    Rule(u32),
    /// A person asks, by the mouse, for the value of this point.
    Evaluate(Point),
    /// A folder for persistent files.
    Folder(String),
    /// The limit of positions for a move; 0 is no limit.
    MaxNode(u64),
    /// The number of threads.
    ThreadNum(u16),
    /// Whether to think on the opponent's time.
    Pondering(bool),
    /// Any other key, in small letters, with its value; or a key of those above with an invalid
    /// value.
    Other {
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { width, height } if width == height => write!(f, "START {width}"),
            Self::Start { width, height } => write!(f, "RECTSTART {width},{height}"),
            Self::Restart => f.write_str("RESTART"),
            Self::Begin => f.write_str("BEGIN"),
            Self::Turn(point) => write!(f, "TURN {},{}", point.x, point.y),
            Self::Board(stones) => write_stones(f, "BOARD", stones),
            Self::Show(stones) => write_stones(f, "YXBOARD", stones),
            Self::TakeBack(point) => write!(f, "TAKEBACK {},{}", point.x, point.y),
            Self::Swap2(points) => {
                f.write_str("SWAP2BOARD\n")?;
                points.iter().try_for_each(|point| writeln!(f, "{},{}", point.x, point.y))?;
                f.write_str("DONE")
            }
            Self::Play(point) => write!(f, "PLAY {},{}", point.x, point.y),
            Self::Info(info) => write!(f, "INFO {info}"),
            Self::About => f.write_str("ABOUT"),
            Self::End => f.write_str("END"),
            Self::ShowForbidden => f.write_str("YXSHOWFORBID"),
            Self::Best(moves) => write!(f, "YXNBEST {moves}"),
            Self::Stop => f.write_str("YXSTOP"),
        }
    }
}

fn write_stones(f: &mut fmt::Formatter<'_>, head: &str, stones: &[Placed]) -> fmt::Result {
    writeln!(f, "{head}")?;
    for Placed { point, side } in stones {
        writeln!(f, "{},{},{}", point.x, point.y, side.number())?;
    }
    f.write_str("DONE")
}

impl Side {
    /// Its number in the protocol.
    const fn number(self) -> u8 {
        match self {
            Self::Own => 1,
            Self::Opponent => 2,
            Self::Finished => 3,
        }
    }

    /// The side with this number.
    pub(super) fn of(number: u8) -> Option<Self> {
        [Self::Own, Self::Opponent, Self::Finished].into_iter().find(|side| side.number() == number)
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimeoutTurn(ms) => write!(f, "timeout_turn {ms}"),
            Self::TimeoutMatch(ms) => write!(f, "timeout_match {ms}"),
            Self::TimeLeft(ms) => write!(f, "time_left {ms}"),
            Self::MaxMemory(bytes) => write!(f, "max_memory {bytes}"),
            Self::GameType(kind) => write!(f, "game_type {kind}"),
            Self::Rule(rule) => write!(f, "rule {rule}"),
            Self::Evaluate(point) => write!(f, "evaluate {},{}", point.x, point.y),
            Self::Folder(path) => write!(f, "folder {path}"),
            Self::MaxNode(nodes) => write!(f, "max_node {nodes}"),
            Self::ThreadNum(threads) => write!(f, "thread_num {threads}"),
            Self::Pondering(ponders) => write!(f, "pondering {}", u8::from(*ponders)),
            Self::Other { key, value } => write!(f, "{key} {value}"),
        }
    }
}
