//! Plays one game of a match.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use fivefold_engine::bot::{self, Bot, Resources};
use fivefold_shared::{
    bot_spec::BotSpec,
    opening::{Act, Opening},
    rules::{Outcome, Point, Position, Stone},
    search_budget::{Budget, Thinking},
    seat::Seat,
};

use super::match_settings::{Contestant, Match};
use crate::engines::gomocup_engine::{Fault, GomocupEngine};

/// A contestant that is ready for a game.
pub(super) enum Player {
    Bot(BotSpec, Box<dyn Bot>),
    Program(Box<GomocupEngine>),
    /// The contestant could not be started.
    Failed(Fault),
}

/// A game that has ended.
#[derive(Clone, Debug)]
pub(super) struct Played {
    /// From 0, in the order of the match.
    pub(super) number: usize,
    /// Who was Black. The first seat is that of A in even games.
    pub(super) black: Seat,
    /// The stones of the opening.
    pub(super) opening: usize,
    pub(super) moves: Vec<Point>,
    /// How long each move after the opening took.
    pub(super) times: Vec<Duration>,
    pub(super) ending: Ending,
}

/// How a game ended.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    /// By the rules.
    Rules(Outcome),
    /// A player did something wrong.
    Fault { by: Stone, fault: Fault },
    /// It had too many moves: a draw.
    Length,
}

impl Played {
    /// The player with this colour: 0 for A, 1 for B.
    pub(super) fn player(&self, stone: Stone) -> usize {
        player(self.number, Seat::with_stone(stone, self.black))
    }

    pub(super) fn winner(&self) -> Option<Stone> {
        match &self.ending {
            Ending::Rules(outcome) => outcome.winner(),
            Ending::Fault { by, .. } => Some(by.opponent()),
            Ending::Length => None,
        }
    }

    /// A's score in halves: 2 for a win, 1 for a draw.
    pub(super) fn halves(&self) -> usize {
        match self.winner() {
            None => 1,
            Some(stone) if self.player(stone) == 0 => 2,
            Some(_) => 0,
        }
    }
}

impl Player {
    /// Gets the player of the last game ready for another one: a program keeps running. A player that
    /// cannot start loses the game.
    pub(super) fn renewed(
        last: Option<Self>,
        match_: &Match,
        contestant: &Contestant,
        seed: u64,
    ) -> Self {
        match (last, contestant) {
            (Some(Self::Program(mut program)), Contestant::Program(_)) => match program.renew() {
                Ok(()) => Self::Program(program),
                Err(fault) => Self::Failed(fault),
            },
            (_, contestant) => Self::new(match_, contestant, seed),
        }
    }

    fn new(match_: &Match, contestant: &Contestant, seed: u64) -> Self {
        match contestant {
            Contestant::Bot(spec) => {
                let bot = bot::build(*spec, match_.rules, seed);
                Self::Bot(*spec, bot.expect("it was asked whether it plays"))
            }
            Contestant::Program(words) => {
                match GomocupEngine::start(match_.command(words), match_.rules) {
                    Ok(program) => Self::Program(Box::new(program)),
                    Err(fault) => Self::Failed(fault),
                }
            }
        }
    }

    /// The next act of the opening.
    fn act(
        &mut self,
        match_: &Match,
        seed: u64,
        opening: &Opening,
        position: &Position,
    ) -> Result<Act, Fault> {
        let act = match self {
            Self::Bot(spec, _) => {
                let act = |thinking: &Thinking<'_>| {
                    let resources = Resources::default();
                    bot::opening::choose(*spec, opening, position, seed, resources, thinking)
                };
                let limits = match_.limits;
                let budget = Budget::of_turn(limits.turn.unwrap_or(Duration::MAX), None);
                timed(Budget { nodes: limits.nodes, ..budget }, act).0
            }
            Self::Program(program) => program.choose_swap2(opening, position, None)?,
            Self::Failed(fault) => return Err(fault.clone()),
        };
        act.ok_or_else(|| Fault::NoOpening(opening.kind()))
    }

    /// The next move, and how long it took.
    fn choose(
        &mut self,
        match_: &Match,
        position: &Position,
        left: Option<Duration>,
    ) -> Result<(Point, Duration), Fault> {
        match self {
            Self::Bot(_, bot) => choose(bot.as_mut(), match_, position, left),
            Self::Program(program) => program.choose(position, None, left),
            Self::Failed(fault) => Err(fault.clone()),
        }
    }
}

/// A bot's move.
fn choose(
    bot: &mut dyn Bot,
    match_: &Match,
    position: &Position,
    left: Option<Duration>,
) -> Result<(Point, Duration), Fault> {
    let limits = match_.limits;
    let budget = Budget::of_turn(limits.turn.unwrap_or(Duration::MAX), left);
    let budget = Budget { nodes: limits.nodes, ..budget };
    let (point, spent) = timed(budget, |thinking| bot.choose(position, thinking));
    let point = point.expect("the game goes on");
    let most = [limits.turn, left].into_iter().flatten().min();
    if let Some(most) = most.filter(|most| spent > *most + limits.grace) {
        return Err(Fault::Late(most));
    }
    position.legality(point).map_err(|why| Fault::Illegal { point, why })?;
    Ok((point, spent))
}

/// Runs a bot's search within a budget, and measures how long it took.
fn timed<T>(budget: Budget, search: impl FnOnce(&Thinking<'_>) -> T) -> (T, Duration) {
    let start = Instant::now();
    let elapsed = || start.elapsed();
    let found = search(&Thinking { budget, elapsed: &elapsed, ..Thinking::unlimited() });
    (found, start.elapsed())
}

/// Plays a game; `None` when the match was cancelled.
pub(super) fn play(
    match_: &Match,
    number: usize,
    players: &mut [Option<Player>; 2],
    stop: &AtomicBool,
) -> Option<Played> {
    let mut position = Position::from_moves(match_.rules, &match_.first_stones(number / 2))
        .expect("openings are checked when they are made");
    let mut opening = Opening::new(match_.opening, Seat::First);
    let mut times = Vec::new();
    let mut left = [match_.limits.game; 2];
    let ending = loop {
        if let Some(outcome) = position.outcome() {
            break Ending::Rules(outcome.clone());
        }
        if position.ply() >= match_.plies_max {
            break Ending::Length;
        }
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let with_turn = Seat::with_stone(position.turn(), opening.black());
        let seat = opening.to_act().unwrap_or(with_turn);
        let index = player(number, seat);
        let player = players[index].as_mut().expect("both are ready");
        let done = if opening.is_over() {
            player.choose(match_, &position, left[index]).map(|(point, spent)| {
                times.push(spent);
                left[index] = left[index].map(|left| left.saturating_sub(spent));
                position.play(point).expect("it was found legal");
            })
        } else {
            let act = player.act(match_, match_.bot_seed(number, index), &opening, &position);
            act.and_then(|act| {
                opening.apply(&mut position, &act).map(drop).map_err(Fault::IllegalAct)
            })
        };
        if let Err(fault) = done {
            // The next game starts a new process.
            players[index] = None;
            break Ending::Fault { by: seat.stone(opening.black()), fault };
        }
    };
    let moves = position.moves().to_vec();
    let stones = moves.len() - times.len();
    Some(Played { number, black: opening.black(), opening: stones, moves, times, ending })
}

/// The player in a seat: 0 for A, 1 for B.
const fn player(number: usize, seat: Seat) -> usize {
    (seat as usize + number) % 2
}
