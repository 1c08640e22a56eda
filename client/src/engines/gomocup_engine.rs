//! Plays our games with an external engine that speaks Gomocup's protocol.
//!
//! Sends the engine the position by the shortest fitting command, and its time. The engine is not
//! trusted: every move is checked, and every mistake is a [`Fault`]. This file knows positions and
//! limits, but no rooms or matches.

mod board_window;

use std::{
    fmt, io, thread,
    time::{Duration, Instant},
};

use fivefold_shared::{
    notation::gomocup::{
        Command, Info, Placed, Reply, SIDE_MAX, SIDE_MIN, Side, UNLIMITED_MS, about_name, rule_of,
    },
    opening::{Act, Opening, OpeningKind, Refused},
    rules::{Illegal, Point, Position, Rules, Size, Stone},
};

use self::board_window::BoardWindow;
use crate::engines::{
    engine_process::{EngineProcess, NoReply},
    engine_sandbox::SandboxLimits,
};

/// The longest time for an engine to get ready for another game.
const START: Duration = Duration::from_secs(20);
/// The longest time for the answer to `ABOUT`.
const ABOUT: Duration = Duration::from_secs(2);
/// The least time between an engine's move and the next command: some engines miss commands while
/// they clean up after a search.
const SETTLE: Duration = Duration::from_millis(15);
/// The warning where the system cannot keep an engine from our files.
pub const OPEN: &str = "Nothing keeps the program from your files and the network here, only from \
                        your environment: run only programs that you trust.";
/// The side of the board that represents an unbounded board: the size that every engine of a
/// Gomocup tournament can play.
pub const WINDOW: u8 = 20;

/// How to run an engine.
#[derive(Clone, Debug)]
pub struct EngineCommand {
    /// The path and the arguments.
    pub words: Vec<String>,
    /// Its limits.
    pub limits: Limits,
}

/// The name of a program's file, without its folder.
pub fn file_name(words: &[String]) -> &str {
    let path = words.first().map_or("", String::as_str);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Addresses of a process beside the memory that the engine may use, in bytes: for code, libraries and stacks.
/// Some engines take all of that memory for one table.
const ADDRESSES_BESIDE_MEMORY: u64 = 512 << 20;

/// Limits of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The time for a move; `None` limits only the time for the game.
    pub turn: Option<Duration>,
    /// The time for a game.
    pub game: Option<Duration>,
    /// Extra time for messages, before it counts as late.
    pub grace: Duration,
    /// Positions that it may search per move.
    pub nodes: Option<u64>,
    /// The memory that it may use, in bytes. The system leaves it 512 MiB of addresses beside that.
    pub memory: Option<u64>,
    /// The longest time for its first start.
    pub start: Duration,
    /// Whether it gets our environment, our files and the network.
    pub is_trusted: bool,
}

/// An engine's mistake. It ends the game and the engine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// The engine cannot be started.
    #[error("it cannot be started: {0}")]
    NotStarted(String),
    /// The program does not speak the protocol.
    #[error("it is no Gomocup engine: {0}")]
    NotAnEngine(String),
    /// The engine does not play this game.
    #[error("it refuses: {0}")]
    Refused(String),
    /// The engine exceeded its time.
    #[error("it does not answer in its time ({} ms)", .0.as_millis())]
    Late(Duration),
    /// The engine exited by itself.
    #[error("it has ended by itself")]
    Ended,
    /// The engine played an illegal move.
    #[error("it played {},{}: {why}", .point.x, .point.y)]
    Illegal {
        /// The point, in the room's coordinates.
        point: Point,
        /// The reason.
        why: Illegal,
    },
    /// The engine made an illegal choice in an opening.
    #[error("its choice in the opening is refused: {0}")]
    IllegalAct(Refused),
    /// The engine's protocol has no command for the opening, or the engine does not answer it.
    #[error("it does not choose by itself in the opening {0}")]
    NoOpening(OpeningKind),
}

impl Fault {
    /// A text for everybody in a room, without any text from the engine or the system.
    pub fn public(&self) -> String {
        match self {
            Self::NotStarted(_) => "it cannot be started".into(),
            Self::NotAnEngine(_) => "it is no Gomocup engine".into(),
            Self::Refused(_) => "it refuses to play".into(),
            Self::Late(_)
            | Self::Ended
            | Self::Illegal { .. }
            | Self::IllegalAct(_)
            | Self::NoOpening(_) => self.to_string(),
        }
    }
}

/// A running engine.
pub struct GomocupEngine {
    command: EngineCommand,
    rules: Rules,
    process: EngineProcess,
    view: View,
    /// The moves that the engine has received.
    known_moves: Vec<Point>,
    /// Extra stones on the engine's board; see [`BoardWindow::fillers`].
    fillers: Vec<Point>,
    /// Whether it has played no game since its start or restart.
    is_fresh: bool,
    /// The last time per move that it received.
    turn: Option<Duration>,
    /// The time of its last move.
    moved: Option<Instant>,
    /// How many lines of `INFO` it may still answer, though no engine should.
    infos: usize,
    /// Its last complaint, about one of them or the question.
    complaint: Option<String>,
    /// The move that it announced by its last choice in an opening, after these moves.
    announced: Option<(Vec<Point>, Point)>,
}

/// The part of the board that the engine sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum View {
    /// All of it.
    Whole { width: u8, height: u8 },
    /// A part that moves as the game goes on.
    Part(BoardWindow),
}

impl GomocupEngine {
    /// Starts an engine for games by `rules`.
    ///
    /// # Errors
    /// [`Fault::NotStarted`] and [`Fault::Refused`], or another fault of the start.
    pub fn start(command: EngineCommand, rules: Rules) -> Result<Self, Fault> {
        let rule = rule_of(rules.variant())
            .ok_or_else(|| Fault::Refused(format!("{rules} has no number in its protocol")))?;
        let view = match rules.size() {
            Size::Unbounded => View::Part(BoardWindow::new(WINDOW)),
            Size::Bounded { width, height } => {
                let is_possible = |side: u8| (SIDE_MIN..=SIDE_MAX).contains(&side);
                if !is_possible(width) || !is_possible(height) {
                    return Err(Fault::Refused(format!("no board of {}", rules.size())));
                }
                View::Whole { width, height }
            }
        };
        let Limits { memory, is_trusted, .. } = command.limits;
        let memory = memory.map(|bytes| bytes.saturating_add(ADDRESSES_BESIDE_MEMORY));
        let process = EngineProcess::start(&command.words, &SandboxLimits { memory, is_trusted })
            .map_err(|error: io::Error| Fault::NotStarted(error.to_string()))?;
        let (known_moves, fillers) = (Vec::new(), Vec::new());
        let turn = command.limits.turn;
        let mut engine = Self {
            command,
            rules,
            process,
            view,
            known_moves,
            fillers,
            is_fresh: true,
            turn,
            moved: None,
            infos: 0,
            complaint: None,
            announced: None,
        };
        engine.set_up(rule)?;
        Ok(engine)
    }

    /// Whether the system denies it access to our files.
    pub const fn is_confined(&self) -> bool {
        self.process.is_confined()
    }

    /// The engine's name from its answer to `ABOUT`, if it answers soon.
    ///
    /// # Errors
    /// When it has exited.
    pub fn name(&mut self) -> Result<Option<String>, Fault> {
        self.send(&Command::About)?;
        let deadline = Instant::now() + ABOUT;
        loop {
            match self.process.receive(deadline) {
                Ok((_, Reply::Message(_) | Reply::Debug(_))) => {}
                Ok((_, reply)) => return Ok(about_name(&reply.to_string()).map(str::to_owned)),
                Err(NoReply::Late) => return Ok(None),
                Err(NoReply::Ended) => return Err(Fault::Ended),
            }
        }
    }

    /// Gets the engine ready for another game; restarts its process if it knows no other way.
    ///
    /// # Errors
    /// When it cannot be restarted.
    pub fn renew(&mut self) -> Result<(), Fault> {
        if self.is_fresh {
            return Ok(());
        }
        if self.send(&Command::Restart).is_ok() && self.wait_for_ok().is_ok() {
            self.known_moves.clear();
            self.is_fresh = true;
            self.announced = None;
            return Ok(());
        }
        *self = Self::start(self.command.clone(), self.rules)?;
        Ok(())
    }

    /// Asks for a move, and returns the move and how long it took. `turn` is the time for this
    /// move, if it varies; `left` is the time left for the game. The returned move is legal.
    ///
    /// # Errors
    /// The engine's fault. The engine is unusable after that.
    ///
    /// # Panics
    /// When the position has other rules, or the game is over.
    pub fn choose(
        &mut self,
        position: &Position,
        turn: Option<Duration>,
        left: Option<Duration>,
    ) -> Result<(Point, Duration), Fault> {
        assert_eq!(position.rules(), self.rules, "the engine was started for these rules");
        assert!(position.outcome().is_none(), "the game goes on");
        if let Some((moves, point)) = self.announced.take()
            && moves == position.moves()
            && position.legality(point).is_ok()
        {
            return Ok((point, Duration::ZERO));
        }
        self.settle();
        let ask = self.question(position)?;
        self.set_turn(turn)?;
        let left_ms = left.map_or(UNLIMITED_MS, milliseconds);
        self.send(&Command::Info(Info::TimeLeft(left_ms)))?;
        let asked = self.send(&ask)?;
        self.is_fresh = false;
        let most = [self.turn, left].into_iter().flatten().min().unwrap_or(START);
        let deadline = asked + most + self.command.limits.grace;
        let (at, point) = self.wait_for_move(deadline, most)?;
        let is_shown = self.shows(point);
        let point = self.to_board(point);
        let legality = if is_shown { position.legality(point) } else { Err(Illegal::Outside) };
        legality.map_err(|why| Fault::Illegal { point, why })?;
        self.known_moves = position.moves().to_vec();
        self.known_moves.push(point);
        self.moved = Some(at);
        Ok((point, at.saturating_duration_since(asked)))
    }

    /// Has the engine move once before any game, within the time of a move and that of its start: some prepare
    /// their memory only now.
    ///
    /// # Errors
    /// As [`choose`](Self::choose).
    pub fn try_out(&mut self, position: &Position, turn: Duration) -> Result<(), Fault> {
        let Limits { grace, start, .. } = self.command.limits;
        self.command.limits.grace = grace + start;
        let tried = self.choose(position, Some(turn), None);
        self.command.limits.grace = grace;
        tried.map(drop)
    }

    /// Asks for a choice in an opening by swap2; the returned act is legal. `None` for other openings,
    /// on the unbounded board, and from an engine that does not know the command.
    ///
    /// # Errors
    /// The engine's fault. The engine is unusable after that.
    pub fn choose_swap2(
        &mut self,
        opening: &Opening,
        position: &Position,
        turn: Option<Duration>,
    ) -> Result<Option<Act>, Fault> {
        if opening.kind() != OpeningKind::Swap2 || matches!(self.view, View::Part(_)) {
            return Ok(None);
        }
        self.settle();
        self.renew()?;
        self.set_turn(turn)?;
        self.send(&Command::Info(Info::TimeLeft(UNLIMITED_MS)))?;
        let asked = self.send(&Command::Swap2(position.moves().to_vec()))?;
        // The game that follows is sent as a whole board.
        self.is_fresh = false;
        let deadline = asked + self.turn.unwrap_or(START) + self.command.limits.grace;
        let act = loop {
            match self.process.receive(deadline) {
                Ok((_, Reply::Stones(points))) => break Act::put(points),
                Ok((_, Reply::Swap)) => break Act::Take(Stone::Black),
                Ok((_, Reply::Move(point))) => {
                    self.announced = Some((position.moves().to_vec(), point));
                    break Act::Take(Stone::White);
                }
                Ok((_, reply @ (Reply::Error(_) | Reply::Unknown(_)))) => {
                    if self.complains(&reply).is_err() {
                        return Ok(None);
                    }
                }
                Err(NoReply::Late) => return Ok(None),
                Ok((
                    _,
                    Reply::Ok
                    | Reply::Suggest(_)
                    | Reply::Message(_)
                    | Reply::Debug(_)
                    | Reply::Forbidden(_)
                    | Reply::Other(_),
                )) => {}
                Err(NoReply::Ended) => return Err(Fault::Ended),
            }
        };
        self.moved = Some(Instant::now());
        opening.clone().apply(&mut position.clone(), &act).map_err(Fault::IllegalAct)?;
        Ok(Some(act))
    }

    /// Waits until the engine has cleaned up after its last search.
    fn settle(&self) {
        if let Some(moved) = self.moved {
            thread::sleep(SETTLE.saturating_sub(moved.elapsed()));
        }
    }

    /// Sends the time for a move where it differs from the last one, and drops unsolicited replies.
    fn set_turn(&mut self, turn: Option<Duration>) -> Result<(), Fault> {
        if let Some(turn) = turn.filter(|_| turn != self.turn) {
            self.send(&Command::Info(Info::TimeoutTurn(milliseconds(turn))))?;
            self.turn = Some(turn);
        }
        while let Ok((_, reply)) = self.process.receive(Instant::now()) {
            if matches!(reply, Reply::Unknown(_)) {
                self.infos = self.infos.saturating_sub(1);
            }
        }
        Ok(())
    }

    /// The shortest command that brings the engine up to date and asks for a move.
    fn question(&mut self, position: &Position) -> Result<Command, Fault> {
        let moves = position.moves();
        let is_in_view = match &mut self.view {
            View::Whole { .. } => true,
            View::Part(window) => window.follow(position),
        };
        if is_in_view
            && let Some((last, before)) = moves.split_last()
            && before == self.known_moves.as_slice()
            && !self.fillers.contains(last)
        {
            return Ok(Command::Turn(self.to_engine(*last)));
        }
        // Only an engine without stones accepts a whole board.
        self.renew()?;
        self.fillers.clear();
        if moves.is_empty() {
            return Ok(Command::Begin);
        }
        let turn = position.turn();
        let side = |stone: Stone| if stone == turn { Side::Own } else { Side::Opponent };
        let stones = match self.view {
            View::Whole { .. } => moves
                .iter()
                .enumerate()
                .map(|(ply, point)| Placed { point: *point, side: side(Stone::to_move(ply)) })
                .collect(),
            View::Part(window) => {
                let mut stones = window.fillers(position);
                self.fillers = stones.iter().map(|stone| window.to_board(stone.point)).collect();
                stones.extend(window.stones(position));
                stones
            }
        };
        Ok(Command::Board(stones))
    }

    fn set_up(&mut self, rule: u32) -> Result<(), Fault> {
        let (width, height) = self.sides();
        let limits = self.command.limits;
        self.shake_hands(&Command::Start { width, height }, limits.start)?;
        // A move without a limit must still end.
        let turn = limits.turn.or(limits.game).unwrap_or(START);
        let mut infos = vec![
            Info::Rule(rule),
            Info::TimeoutTurn(milliseconds(turn)),
            Info::TimeoutMatch(limits.game.map_or(0, milliseconds)),
            Info::MaxMemory(limits.memory.unwrap_or(0)),
            Info::GameType(1),
        ];
        infos.extend(limits.nodes.map(Info::MaxNode));
        for info in infos {
            self.send(&Command::Info(info))?;
        }
        Ok(())
    }

    /// Starts a game, and checks that the program is an engine at all. Skips lines before `OK`; a
    /// program that only echoes its input is no engine.
    fn shake_hands(&mut self, start: &Command, patience: Duration) -> Result<(), Fault> {
        let text = start.to_string();
        let none = |why: String| Err(Fault::NotAnEngine(why));
        let hint = match self.is_confined() {
            true => " (one that needs your files or your environment: --trust)",
            false => "",
        };
        let ended = || format!("it exits on {text}{hint}");
        if self.process.send(start).is_err() {
            return none(ended());
        }
        let deadline = Instant::now() + patience;
        loop {
            match self.process.receive(deadline) {
                Ok((_, Reply::Ok)) => return Ok(()),
                Ok((_, reply @ (Reply::Error(_) | Reply::Unknown(_)))) => {
                    return Err(Fault::Refused(reply.to_string()));
                }
                Ok((_, Reply::Other(said))) if said == text => {
                    return none(format!("it only echoes its input ({text})"));
                }
                Ok((
                    _,
                    Reply::Move(_)
                    | Reply::Stones(_)
                    | Reply::Swap
                    | Reply::Suggest(_)
                    | Reply::Message(_)
                    | Reply::Debug(_)
                    | Reply::Forbidden(_)
                    | Reply::Other(_),
                )) => {}
                Err(NoReply::Late) => {
                    let seconds = patience.as_secs_f32();
                    return none(format!(
                        "it does not answer {text} within {seconds} s (one that takes longer to \
                         get ready: --start)"
                    ));
                }
                Err(NoReply::Ended) => return none(ended()),
            }
        }
    }

    fn send(&mut self, command: &Command) -> Result<Instant, Fault> {
        self.infos += usize::from(matches!(command, Command::Info(_)));
        self.process.send(command).map_err(|_| Fault::Ended)
    }

    /// Takes `ERROR` or `UNKNOWN` of the engine. Some answer `UNKNOWN` to each `INFO`, so that only
    /// answers the question when there are more of them than `INFO`s.
    fn complains(&mut self, reply: &Reply) -> Result<(), Fault> {
        let text = reply.to_string();
        let is_unknown = matches!(reply, Reply::Unknown(_));
        match self.infos.checked_sub(1).filter(|_| is_unknown) {
            None => Err(Fault::Refused(text)),
            Some(rest) => {
                self.infos = rest;
                self.complaint = Some(text);
                Ok(())
            }
        }
    }

    fn wait_for_ok(&mut self) -> Result<(), Fault> {
        let deadline = Instant::now() + START;
        loop {
            match self.receive(deadline, START)?.1 {
                Reply::Ok => return Ok(()),
                reply @ (Reply::Error(_) | Reply::Unknown(_)) => self.complains(&reply)?,
                Reply::Move(_)
                | Reply::Stones(_)
                | Reply::Swap
                | Reply::Suggest(_)
                | Reply::Message(_)
                | Reply::Debug(_)
                | Reply::Forbidden(_)
                | Reply::Other(_) => {}
            }
        }
    }

    /// Waits for a move and skips other replies.
    fn wait_for_move(
        &mut self,
        deadline: Instant,
        most: Duration,
    ) -> Result<(Instant, Point), Fault> {
        loop {
            match self.receive(deadline, most)? {
                (at, Reply::Move(point)) => {
                    (self.infos, self.complaint) = (0, None);
                    return Ok((at, point));
                }
                (_, Reply::Suggest(point)) => {
                    self.send(&Command::Play(point))?;
                }
                (_, reply @ (Reply::Error(_) | Reply::Unknown(_))) => self.complains(&reply)?,
                (
                    _,
                    Reply::Ok
                    | Reply::Stones(_)
                    | Reply::Swap
                    | Reply::Message(_)
                    | Reply::Debug(_)
                    | Reply::Forbidden(_)
                    | Reply::Other(_),
                ) => {}
            }
        }
    }

    fn receive(&mut self, deadline: Instant, most: Duration) -> Result<(Instant, Reply), Fault> {
        self.process.receive(deadline).map_err(|no_reply| match (no_reply, self.complaint.take()) {
            (NoReply::Late, Some(complaint)) => Fault::Refused(complaint),
            (NoReply::Late, None) => Fault::Late(most),
            (NoReply::Ended, _) => Fault::Ended,
        })
    }

    /// Whether the engine's board contains a point.
    fn shows(&self, point: Point) -> bool {
        let (width, height) = self.sides();
        (0..i32::from(width)).contains(&point.x) && (0..i32::from(height)).contains(&point.y)
    }

    /// The columns and rows of the engine's board.
    const fn sides(&self) -> (u8, u8) {
        match self.view {
            View::Whole { width, height } => (width, height),
            View::Part(window) => (window.side(), window.side()),
        }
    }

    fn to_engine(&self, point: Point) -> Point {
        match self.view {
            View::Whole { .. } => point,
            View::Part(window) => window.to_engine(point),
        }
    }

    fn to_board(&self, point: Point) -> Point {
        match self.view {
            View::Whole { .. } => point,
            View::Part(window) => window.to_board(point),
        }
    }
}

impl fmt::Debug for GomocupEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GomocupEngine")
            .field("command", &self.command.words)
            .finish_non_exhaustive()
    }
}

/// A duration in the protocol's unit.
fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(UNLIMITED_MS).min(UNLIMITED_MS)
}
