//! Executes Gomocup commands on a brain's game: the board, the stones, and the manager's settings.

use std::{
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use fivefold_engine::{
    bot::{self, Bot, Resources},
    search::{Engine, EngineOptions},
};
use fivefold_shared::{
    analysis::Weight,
    bot_spec::{BotError, BotKind, BotSpec},
    notation::gomocup::{Command, Info, Placed, RULES, Reply, Side, variant_of},
    opening::{Act, Opening, OpeningError, OpeningKind, Refused},
    rules::{Board, Illegal, Outcome, Point, Position, Rules, RulesError, Size, Stone},
    search_budget::{Budget, THREADS_MAX, Thinking},
    seat::Seat,
};

use super::move_time::MoveTime;
use crate::engines::search_threads::search_threads;

/// Renju in `INFO rule`.
const RENJU: u32 = 4;
/// The same from Yixin's board.
const YIXIN_RENJU: u32 = 2;
/// The least memory for the bot's transposition table.
const HASH_BYTES_MIN: usize = 1 << 20;
/// Memory that this process needs besides that, with one thread: the system counts 18 MiB after
/// START, thinking and swap2; the rest is a margin.
const OTHER_BYTES: usize = 24 << 20;

/// Settings of a brain.
#[derive(Clone, Copy, Debug)]
pub struct BrainOptions {
    /// The bot that plays.
    pub bot: BotSpec,
    /// Memory for the transposition table, in bytes.
    pub hash_bytes: usize,
    /// Seed for random choices.
    pub seed: u64,
    /// Whether it ponders, unless the manager sets it.
    pub ponder: bool,
}

/// The result of a command.
pub(super) enum Answer {
    /// No reply.
    Nothing,
    /// These lines.
    Replies(Vec<Reply>),
}

impl Answer {
    fn is_error(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Replies(replies) => replies.iter().any(|reply| matches!(reply, Reply::Error(_))),
        }
    }
}

/// Why the brain cannot execute a command.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum BrainError {
    #[error("nothing was suggested")]
    NothingSuggested,
    #[error("{},{}: {why}", .point.x, .point.y)]
    Illegal { point: Point, why: Illegal },
    #[error("there is no board: START n comes first")]
    NoBoard,
    #[error("rule {0}: this brain knows 0, 1, 4, 8 and 9")]
    UnknownRule(String),
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error(transparent)]
    Bot(#[from] BotError),
    #[error("{own} stones against {others}: no game comes to that")]
    Uneven { own: usize, others: usize },
    #[error("continuous games are not played")]
    Continuous,
    #[error("the game is over")]
    GameOver,
    #[error("no move was found")]
    NoMove,
    #[error("no stone at {},{}", .0.x, .0.y)]
    NoStone(Point),
    #[error(transparent)]
    NoOpening(#[from] OpeningError),
    #[error("the opening: {0}")]
    Opening(#[from] Refused),
    #[error("swap2 leaves nothing to choose")]
    NoChoice,
}

impl From<Result<Reply, BrainError>> for Answer {
    fn from(reply: Result<Reply, BrainError>) -> Self {
        Self::Replies(vec![reply.unwrap_or_else(|error| Reply::Error(error.to_string()))])
    }
}

/// A brain's game.
pub(super) struct Game {
    options: BrainOptions,
    size: Option<Size>,
    /// The rule's number, or the text that came instead of one.
    rule: Result<u32, String>,
    /// The stones in order of arrival.
    stones: Vec<Placed>,
    move_time: MoveTime,
    nodes: Option<u64>,
    memory: Option<u64>,
    threads: usize,
    /// The bot, with the rules and resources it was built for.
    bot: Option<(Rules, Resources, Box<dyn Bot>)>,
    games: u64,
    /// The budget of the last move.
    budget: Option<Duration>,
    /// Whether to ponder.
    ponders: bool,
    /// Whether the last command was answered by a move.
    has_moved: bool,
    /// Whether the manager is Yixin's board.
    is_yixin_board: bool,
}

/// When a command arrived, and its cancellation flag.
#[derive(Clone, Copy)]
struct CallContext<'a> {
    at: Instant,
    stop: &'a AtomicBool,
}

impl Game {
    pub(super) fn new(options: BrainOptions) -> Self {
        Self {
            options,
            size: None,
            rule: Ok(0),
            stones: Vec::new(),
            move_time: MoveTime::new(),
            nodes: None,
            memory: None,
            threads: 1,
            bot: None,
            games: 0,
            budget: None,
            ponders: options.ponder,
            has_moved: false,
            is_yixin_board: false,
        }
    }

    /// A command of this name does not exist. But `YXSHOWINFO` shows that the manager is Yixin's board,
    /// which writes a point's row first, and has a number of its own for renju.
    pub(super) fn unknown(&mut self, word: String) -> Reply {
        if !word.eq_ignore_ascii_case("YXSHOWINFO") {
            return Reply::Unknown(word);
        }
        self.is_yixin_board = true;
        Reply::Message(format!("INFO MAX_THREAD_NUM {THREADS_MAX}"))
    }

    /// Executes a command. A failed one leaves the stones as they were.
    pub(super) fn run_command(
        &mut self,
        command: Command,
        at: Instant,
        stop: &AtomicBool,
    ) -> Answer {
        self.has_moved = false;
        let before = self.stones.clone();
        let answer = self.try_command(command, CallContext { at, stop });
        if answer.is_error() {
            self.stones = before;
        }
        answer
    }

    fn try_command(&mut self, command: Command, call: CallContext<'_>) -> Answer {
        match command {
            Command::Start { width, height } => {
                let (width, height) = match self.is_yixin_board {
                    true => (height, width),
                    false => (width, height),
                };
                let size = Size::Bounded { width, height };
                self.size = Some(size);
                self.compute_tables(size);
                self.begin()
            }
            Command::Restart => self.begin(),
            Command::Begin => self.think(call, 0),
            Command::Turn(point) => {
                self.stones.push(Placed { point, side: Side::Opponent });
                self.think(call, 0)
            }
            Command::Board(stones) => {
                self.stones = stones;
                self.think(call, 0)
            }
            Command::Show(stones) => match self.show(stones) {
                Ok(()) => Answer::Nothing,
                Err(error) => Err(error).into(),
            },
            Command::TakeBack(point) => self.take_back(point),
            Command::Swap2(points) => self.swap2(&points, call).into(),
            Command::Play(_) => Err(BrainError::NothingSuggested).into(),
            Command::Info(info) => self.note(info),
            Command::About => Answer::Replies(vec![about()]),
            Command::ShowForbidden => self.forbidden().into(),
            Command::Best(moves) => self.think(call, usize::from(moves)),
            // Handled where commands are read.
            Command::End | Command::Stop => Answer::Nothing,
        }
    }

    /// Called when the last reply is sent; if it was a move, records how long it took in all.
    pub(super) fn answered(&mut self, asked: Instant) {
        if let Some(budget) = self.budget.take() {
            self.move_time.note(budget, asked.elapsed());
        }
    }

    /// Ponders the opponent's replies after a move, if enabled, until cancelled. The next search
    /// reuses the results.
    pub(super) fn ponder(&mut self, called: &AtomicBool) {
        if !self.ponders || !std::mem::take(&mut self.has_moved) {
            return;
        }
        let Ok(position) = self.position_of([Side::Opponent, Side::Own]) else { return };
        let thinking = Thinking { cancel: called, ..Thinking::unlimited() };
        if let Ok(bot) = self.bot() {
            bot.choose(&position, &thinking);
        }
    }

    fn begin(&mut self) -> Answer {
        self.stones.clear();
        self.games += 1;
        let seed = self.seed();
        if let Some((_, _, bot)) = &mut self.bot {
            bot.restart(seed);
        }
        self.prepare();
        self.size().map(|_| Reply::Ok).into()
    }

    /// Computes the engine's tables for every rule: `START` may take time, while the rule arrives
    /// later, when the clock may already run.
    fn compute_tables(&self, size: Size) {
        if self.options.bot.kind == BotKind::Engine {
            let options = EngineOptions { hash_bytes: 0, ..EngineOptions::default() };
            for variant in RULES.into_iter().filter_map(variant_of) {
                drop(Rules::new(variant, size).map(|rules| Engine::new(rules, options)));
            }
        }
    }

    /// Builds the bot and lets it allocate its memory, while no clock runs.
    fn prepare(&mut self) {
        // The command that asks for a move reports errors.
        let Ok(position) = self.rules().map(Position::new) else { return };
        let stop = AtomicBool::new(false);
        let budget = Budget { nodes: Some(1), ..Budget::UNLIMITED };
        let thinking = Thinking { budget, elapsed: &|| Duration::ZERO, cancel: &stop };
        if let Ok(bot) = self.bot() {
            bot.weigh(&position, &thinking);
        }
    }

    /// `YXBOARD`. The side to move may become known later.
    fn show(&mut self, stones: Vec<Placed>) -> Result<(), BrainError> {
        let mut board = Board::new(self.size()?);
        for Placed { point, .. } in &stones {
            let refused = |why| BrainError::Illegal { point: *point, why };
            if !board.contains(*point) {
                return Err(refused(Illegal::Outside));
            }
            if board.stone_at(*point).is_some() {
                return Err(refused(Illegal::Occupied));
            }
            board.set(*point, Stone::Black);
        }
        self.stones = stones;
        Ok(())
    }

    /// `INFO`. The opponent's strength, the folder for files and the evaluated point have no
    /// effect.
    fn note(&mut self, info: Info) -> Answer {
        let is_about_memory = matches!(info, Info::MaxMemory(_) | Info::ThreadNum(_));
        match info {
            Info::TimeoutTurn(ms) => self.move_time.set_turn(ms),
            Info::TimeoutMatch(ms) => self.move_time.set_match(ms),
            Info::TimeLeft(ms) => self.move_time.set_left(ms),
            Info::MaxNode(nodes) => self.nodes = Some(nodes).filter(|nodes| *nodes > 0),
            Info::MaxMemory(bytes) => {
                self.memory = Some(bytes).filter(|bytes| *bytes > 0);
                self.prepare();
            }
            Info::Rule(rule) => {
                self.rule = Ok(rule);
                self.prepare();
            }
            Info::ThreadNum(threads) => {
                self.threads = usize::from(threads).clamp(1, THREADS_MAX);
                self.prepare();
            }
            Info::Pondering(ponders) => self.ponders = ponders,
            Info::Other { key, value } if key == "rule" => self.rule = Err(value),
            Info::GameType(_) | Info::Evaluate(_) | Info::Folder(_) | Info::Other { .. } => {}
        }
        let least = memory_min(self.threads);
        match self.memory.filter(|memory| is_about_memory && *memory < least) {
            Some(memory) => Answer::Replies(vec![Reply::Message(format!(
                "max_memory {memory} is too little: this brain needs {least} bytes with {} \
                 thread(s), and uses as little as it can",
                self.threads
            ))]),
            None => Answer::Nothing,
        }
    }

    fn size(&self) -> Result<Size, BrainError> {
        self.size.ok_or(BrainError::NoBoard)
    }

    fn rules(&self) -> Result<Rules, BrainError> {
        let rule = *self.rule.as_ref().map_err(|rule| BrainError::UnknownRule(rule.clone()))?;
        let rule = if self.is_yixin_board && rule == YIXIN_RENJU { RENJU } else { rule };
        let variant = variant_of(rule).ok_or_else(|| BrainError::UnknownRule(rule.to_string()))?;
        Ok(Rules::new(variant, self.size()?)?)
    }

    /// The seed of this game.
    const fn seed(&self) -> u64 {
        self.options.seed.wrapping_add(self.games)
    }

    fn resources(&self) -> Resources {
        resources(self.options.hash_bytes, self.memory, self.threads)
    }

    fn bot(&mut self) -> Result<&mut dyn Bot, BrainError> {
        let rules = self.rules()?;
        let resources = self.resources();
        let fits =
            |(of, with, _): &(Rules, Resources, Box<dyn Bot>)| (*of, *with) == (rules, resources);
        if !self.bot.as_ref().is_some_and(fits) {
            self.bot = None;
            let seed = self.seed();
            let bot = bot::build_with(self.options.bot, rules, seed, resources);
            self.bot = Some((rules, resources, bot?));
        }
        let (_, _, bot) = self.bot.as_mut().expect("it was just made");
        Ok(bot.as_mut())
    }

    /// The stones as a game in which this brain is to move.
    fn position(&self) -> Result<Position, BrainError> {
        self.position_of([Side::Own, Side::Opponent])
    }

    /// The stones as a game: those of both sides in turn, each side's in order of arrival. With
    /// equal numbers, the side to move is Black.
    fn position_of(&self, [to_move, waiting]: [Side; 2]) -> Result<Position, BrainError> {
        let of = |side: Side| {
            self.stones.iter().filter(move |stone| stone.side == side).map(|stone| stone.point)
        };
        let count = |side: Side| of(side).count();
        let (first, second) = match count(waiting).checked_sub(count(to_move)) {
            Some(0) => (to_move, waiting),
            Some(1) => (waiting, to_move),
            Some(_) | None => {
                let (own, others) = (count(Side::Own), count(Side::Opponent));
                return Err(BrainError::Uneven { own, others });
            }
        };
        if self.stones.iter().any(|stone| stone.side == Side::Finished) {
            return Err(BrainError::Continuous);
        }
        let mut position = Position::new(self.rules()?);
        let mut second = of(second);
        for point in of(first) {
            for point in [Some(point), second.next()].into_iter().flatten() {
                position.play(point).map_err(|why| BrainError::Illegal { point, why })?;
            }
        }
        Ok(position)
    }

    /// Chooses a move and makes it, and lists the best `tell` candidates.
    fn think(&mut self, call: CallContext<'_>, tell: usize) -> Answer {
        let found = self.position().and_then(|position| {
            // The game is lost, but a referee may first want to see the losing move.
            if let Some(Outcome::Forbidden { point, .. }) = position.outcome() {
                return Ok((*point, Vec::new()));
            }
            if tell == 0 {
                return Ok((self.choose(&position, call)?, Vec::new()));
            }
            let weights = self.weigh(&position, call)?;
            let best = weights.first().ok_or_else(|| over(&position))?.point;
            Ok((best, weights))
        });
        let (point, weights) = match found {
            Ok(found) => found,
            Err(error) => return Err(error).into(),
        };
        self.stones.push(Placed { point, side: Side::Own });
        self.has_moved = true;
        let mut replies: Vec<Reply> = weights.iter().take(tell).map(told).collect();
        replies.push(Reply::Move(point));
        Answer::Replies(replies)
    }

    fn choose(&mut self, position: &Position, call: CallContext<'_>) -> Result<Point, BrainError> {
        let elapsed = || call.at.elapsed();
        let budget = self.next_budget();
        self.budget = Some(budget.time);
        let thinking = Thinking { budget, elapsed: &elapsed, cancel: call.stop };
        self.bot()?.choose(position, &thinking).ok_or_else(|| over(position))
    }

    /// The budget of the next move.
    fn next_budget(&self) -> Budget {
        Budget { nodes: self.nodes, ..self.move_time.budget(self.ponders) }
    }

    fn weigh(
        &mut self,
        position: &Position,
        call: CallContext<'_>,
    ) -> Result<Vec<Weight>, BrainError> {
        let elapsed = || call.at.elapsed();
        let budget = self.next_budget().without_average();
        let thinking = Thinking { budget, elapsed: &elapsed, cancel: call.stop };
        Ok(self.bot()?.weigh(position, &thinking))
    }

    fn take_back(&mut self, point: Point) -> Answer {
        let Some(index) = self.stones.iter().rposition(|stone| stone.point == point) else {
            return Err(BrainError::NoStone(point)).into();
        };
        self.stones.remove(index);
        Ok(Reply::Ok).into()
    }

    /// The points that are forbidden to the side to move. After a move of this brain that is the opponent.
    fn forbidden(&self) -> Result<Reply, BrainError> {
        let sides = match self.stones.last() {
            Some(Placed { side: Side::Own, .. }) => [Side::Opponent, Side::Own],
            Some(_) | None => [Side::Own, Side::Opponent],
        };
        let points = self.position_of(sides)?.forbidden_points();
        Ok(Reply::Forbidden(points.into_iter().map(|(point, _)| point).collect()))
    }

    /// The next swap2 choice.
    fn swap2(&mut self, points: &[Point], call: CallContext<'_>) -> Result<Reply, BrainError> {
        let rules = self.rules()?;
        OpeningKind::Swap2.offered(rules)?;
        let mut opening = Opening::new(OpeningKind::Swap2, Seat::First);
        let mut position = Position::new(rules);
        for stones in [points.get(..3), points.get(3..5)].into_iter().flatten() {
            opening.apply(&mut position, &Act::put(stones.to_vec()))?;
        }
        let elapsed = || call.at.elapsed();
        let budget = self.next_budget().without_average();
        let thinking = Thinking { budget, elapsed: &elapsed, cancel: call.stop };
        let (bot, seed, resources) = (self.options.bot, self.seed(), self.resources());
        match bot::opening::choose(bot, &opening, &position, seed, resources, &thinking) {
            Some(Act::Take(Stone::Black)) => {
                self.set_stones(points, Stone::Black);
                Ok(Reply::Swap)
            }
            Some(Act::Take(Stone::White)) => {
                self.set_stones(points, Stone::White);
                let point = self.choose(&position, call)?;
                self.stones.push(Placed { point, side: Side::Own });
                Ok(Reply::Move(point))
            }
            Some(Act::Put { points: stones, .. }) => {
                // After three stones the opponent may take White and continue.
                self.set_stones(&[points, &stones].concat(), Stone::Black);
                Ok(Reply::Stones(stones))
            }
            Some(Act::Offer(_) | Act::Select(_)) | None => Err(BrainError::NoChoice),
        }
    }

    fn set_stones(&mut self, points: &[Point], own: Stone) {
        let side = |ply| if Stone::to_move(ply) == own { Side::Own } else { Side::Opponent };
        let stones = points.iter().enumerate();
        self.stones =
            stones.map(|(ply, point)| Placed { point: *point, side: side(ply) }).collect();
    }
}

/// The bot's share of this process's memory. At least half stays for the rest of the process, and
/// each thread besides the first takes about an eighth of the transposition table's size.
fn resources(hash_bytes: usize, memory: Option<u64>, threads: usize) -> Resources {
    let most = memory.map_or(usize::MAX, |memory| {
        let memory = usize::try_from(memory).unwrap_or(usize::MAX);
        let most = (memory / 2).min(memory.saturating_sub(OTHER_BYTES));
        (most / (threads + 7)).saturating_mul(8).max(HASH_BYTES_MIN)
    });
    Resources { hash_bytes: hash_bytes.min(most), threads: search_threads(threads) }
}

/// The least memory with which this process can run, in bytes.
pub(super) const fn memory_min(threads: usize) -> u64 {
    (OTHER_BYTES + HASH_BYTES_MIN / 8 * (threads + 7)) as u64
}

fn over(position: &Position) -> BrainError {
    match position.outcome() {
        Some(_) => BrainError::GameOver,
        None => BrainError::NoMove,
    }
}

/// A candidate with its value, for people.
fn told(weight: &Weight) -> Reply {
    let Weight { point, weight, plies } = weight;
    let end = plies.map_or_else(String::new, |plies| format!(", decided in {plies} plies"));
    Reply::Message(format!("{},{}: {weight:.1}{end}", point.x, point.y))
}

fn about() -> Reply {
    Reply::Other(format!(
        r#"name="Fivefold", version="{}", author="Fivefold contributors", country="International""#,
        env!("CARGO_PKG_VERSION")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_that_is_allowed_is_shared() {
        const MIB: usize = 1 << 20;
        let cases = [
            (64, None, 1, 64),
            (64, None, 8, 64),
            (64, Some(350), 1, 64),
            (64, Some(80), 1, 40),
            (64, Some(80), 3, 32),
            (64, Some(40), 1, 16),
            (64, Some(26), 1, 2),
            (64, Some(25), 1, 1),
            (64, Some(1), 64, 1),
        ];
        for (asked, allowed, threads, expected) in cases {
            let memory = allowed.map(|mebibytes: u64| mebibytes << 20);
            let found = resources(asked * MIB, memory, threads);
            let expected =
                Resources { hash_bytes: expected * MIB, threads: search_threads(threads) };
            assert_eq!(found, expected, "{asked} {allowed:?} {threads}");
        }
    }
}
