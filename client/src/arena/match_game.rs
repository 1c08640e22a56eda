//! Plays one game of a match.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use fivefold_shared::{
    bot::{self, Bot},
    rules::{Outcome, Point, Position, Stone},
    search_budget::{Budget, Thinking},
};

use super::match_settings::{Contestant, Match};
use crate::gomocup_engine::{Fault, GomocupEngine};

/// A bot plans for this many more moves when the time for the game is limited.
const MOVES_AHEAD: u32 = 20;

/// A contestant that is ready for a game.
pub(super) enum Player {
    Bot(Box<dyn Bot>),
    Program(Box<GomocupEngine>),
    /// The contestant could not be started.
    Failed(Fault),
}

/// A player's seat in a thread: a program keeps running from game to game.
#[derive(Default)]
pub(super) struct Seat {
    player: Option<Player>,
}

impl Seat {
    /// Gets the player ready for another game. A player that cannot start loses the game.
    pub(super) fn renew(&mut self, match_: &Match, contestant: &Contestant, seed: u64) {
        self.player = Some(match (self.player.take(), contestant) {
            (Some(Player::Program(mut program)), Contestant::Program(_)) => match program.renew() {
                Ok(()) => Player::Program(program),
                Err(fault) => Player::Failed(fault),
            },
            (_, contestant) => Player::new(match_, contestant, seed),
        });
    }
}

/// A game that has ended.
#[derive(Clone, Debug)]
pub(super) struct Played {
    /// From 0, in the order of the match.
    pub(super) number: usize,
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
    /// The player with this colour in a game: 0 for A, 1 for B.
    pub(super) fn player(number: usize, stone: Stone) -> usize {
        (stone as usize + number) % 2
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
            Some(stone) if Self::player(self.number, stone) == 0 => 2,
            Some(_) => 0,
        }
    }
}

impl Player {
    pub(super) fn new(match_: &Match, contestant: &Contestant, seed: u64) -> Self {
        match contestant {
            Contestant::Bot(spec) => Self::Bot(
                bot::build(*spec, match_.rules, seed).expect("it was asked whether it plays"),
            ),
            Contestant::Program(words) => {
                match GomocupEngine::start(match_.command(words), match_.rules) {
                    Ok(program) => Self::Program(Box::new(program)),
                    Err(fault) => Self::Failed(fault),
                }
            }
        }
    }

    /// The next move, and how long it took.
    fn choose(
        &mut self,
        match_: &Match,
        position: &Position,
        left: Option<Duration>,
    ) -> Result<(Point, Duration), Fault> {
        match self {
            Self::Bot(bot) => choose(bot.as_mut(), match_, position, left),
            Self::Program(program) => program.choose(position, None, left),
            Self::Failed(fault) => Err(fault.clone()),
        }
    }
}

/// A bot's move. The bot divides the time left for the game among the expected moves.
fn choose(
    bot: &mut dyn Bot,
    match_: &Match,
    position: &Position,
    left: Option<Duration>,
) -> Result<(Point, Duration), Fault> {
    let limits = match_.limits;
    let share = left.map(|left| left / MOVES_AHEAD);
    let time = [limits.turn, share].into_iter().flatten().min().unwrap_or(Duration::MAX);
    let start = Instant::now();
    let elapsed = || start.elapsed();
    let cancel = AtomicBool::new(false);
    let budget = Budget { time, nodes: limits.nodes };
    let thinking = Thinking { budget, elapsed: &elapsed, cancel: &cancel };
    let point = bot.choose(position, &thinking).expect("the game goes on");
    let spent = start.elapsed();
    let most = [limits.turn, left].into_iter().flatten().min();
    if let Some(most) = most.filter(|most| spent > *most + limits.grace) {
        return Err(Fault::Late(most));
    }
    position.legality(point).map_err(|why| Fault::Illegal { point, why })?;
    Ok((point, spent))
}

/// Plays a game; `None` when the match was cancelled.
pub(super) fn play(
    match_: &Match,
    number: usize,
    opening: &[Point],
    seats: &mut [Seat; 2],
    stop: &AtomicBool,
) -> Option<Played> {
    let mut position = Position::from_moves(match_.rules, opening)
        .expect("openings are checked when they are made");
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
        let turn = position.turn();
        let index = Played::player(number, turn);
        let player = seats[index].player.as_mut().expect("both are seated");
        match player.choose(match_, &position, left[index]) {
            Ok((point, spent)) => {
                times.push(spent);
                left[index] = left[index].map(|left| left.saturating_sub(spent));
                position.play(point).expect("it was found legal");
            }
            Err(fault) => {
                // The next game starts a new process.
                seats[index].player = None;
                break Ending::Fault { by: turn, fault };
            }
        }
    };
    let moves = position.moves().to_vec();
    Some(Played { number, opening: opening.len(), moves, times, ending })
}
