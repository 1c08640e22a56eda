//! Whole games in every opening, many at once, through the real server: a scripted person plays a
//! bot, or two bots play each other, and a spectator comes in the middle of each game. At the end
//! the room's creator, the spectator, somebody who comes afterwards and the stored record must have
//! the same game.

use std::{
    net::SocketAddr,
    ops::RangeInclusive,
    path::Path,
    time::{Duration, Instant},
};

use fivefold_engine::bot;
use fivefold_shared::{
    bot_spec::{BotKind, BotSpec},
    opening::{MadeAct, OpeningKind, any_act},
    protocol::{Colour, Create, Event, GameId, Player, RoomCode, RoomRequest, SeatRequest},
    record::{FinishedGame, Record},
    room::{Game, RoomState},
    rules::{Outcome, Point, Rules, Size, Stone, Variant},
    search_budget::Thinking,
    seat::Seat,
};
use futures_util::{StreamExt, stream};
use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};
use tokio::task::JoinHandle;

use crate::{Guest, Seen, Server, Setting, http, private, random_games::random_move};

/// Games of a person at once.
const GAMES_AT_ONCE: usize = 24;
/// Games of two bots at once: few, so that their processor serves each of them soon.
const BOT_GAMES_AT_ONCE: usize = 8;
/// The spectator of every other game comes after the first act, and the others after so many turns:
/// no game ends as soon as that.
const LATE_TURNS: RangeInclusive<usize> = 4..=6;

/// Settings for many games at once. Bots wait just so long that a spectator can come between two acts.
const SETTINGS: [Setting<'_>; 11] = [
    ("bot-answer-min", "20"),
    ("bot-pace", "20"),
    ("bot-rooms", "1000000"),
    ("bot-rooms-per-address", "1000000"),
    ("command-rate", "1000000"),
    ("connection-rate", "1000000"),
    ("http-rate", "1000000"),
    ("room-rate", "1000000"),
    ("rooms-per-address", "1000000"),
    ("sessions-per-address", "1000000"),
    ("log", "error"),
];

/// Starts a server for such games, which stores them in this folder.
///
/// # Panics
/// When it does not start.
pub fn start_server(folder: &Path) -> Server {
    Server::start_in_with(folder, &SETTINGS)
}

/// The first of freestyle and renju that offers the opening, on 15x15.
///
/// # Panics
/// When neither does.
pub fn rules_of(kind: OpeningKind) -> Rules {
    let on_15x15 = |variant| Rules::new(variant, Size::square(15)).expect("on offer");
    let mut rules = [Variant::Freestyle, Variant::Renju].into_iter().map(on_15x15);
    rules.find(|&rules| kind.offered(rules).is_ok()).expect("one of them offers it")
}

/// A random act of the opening, or a random move, for the seat to act.
///
/// # Panics
/// When no game is running.
pub fn random_request(room: &RoomState, random: &mut impl Rng) -> RoomRequest {
    let game = room.running().expect("a running game");
    let ply = game.position.ply();
    match any_act(&game.opening, &game.position, &mut |below| random.random_range(0..below)) {
        Some(act) => RoomRequest::Choose { ply, act },
        None => RoomRequest::Play { ply, point: random_move(&game.position, random) },
    }
}

/// The two who play. In even games the first of them begins, in odd ones the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Players {
    /// A person who acts at random in the opening. Afterwards they put stones at random in half of
    /// the games, and play as the bot `attack` in the others.
    PersonAndBot(BotSpec),
    /// Two bots.
    Bots([BotSpec; 2]),
}

/// Which games to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The opening.
    pub kind: OpeningKind,
    /// The players.
    pub players: Players,
    /// How many games.
    pub games: usize,
    /// Another seed gives other choices of the person. Bots have seeds of their own.
    pub seed: u64,
}

/// The results of the games. Counts for each of the two [`Players`] are in their order.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Games played to the end.
    pub games: usize,
    /// Games that each of the two ended with Black.
    pub black: [usize; 2],
    /// Games that each of the two won with Black, and with White.
    pub won: [[usize; 2]; 2],
    /// Games that nobody won.
    pub drawn: usize,
    /// Acts in all openings.
    pub acts: usize,
    /// Stones on all final boards.
    pub stones: usize,
    /// Games whose spectator came during the opening, and later.
    pub watched: [usize; 2],
    /// Who had another game than the room's creator.
    pub mismatches: Vec<String>,
    /// The time for all games.
    pub took: Duration,
}

impl Tally {
    /// The games that this stone won.
    pub fn won_by(&self, stone: Stone) -> usize {
        self.won.iter().map(|won| won[colour_index(stone)]).sum()
    }
}

const fn colour_index(stone: Stone) -> usize {
    match stone {
        Stone::Black => 0,
        Stone::White => 1,
    }
}

/// Plays the games and compares them.
///
/// # Panics
/// When the server refuses a command, or somebody receives an impossible event.
pub async fn play(server: &Server, plan: Plan) -> Tally {
    let (begin, address) = (Instant::now(), server.address());
    let at_once = match plan.players {
        Players::PersonAndBot(_) => GAMES_AT_ONCE,
        Players::Bots(_) => BOT_GAMES_AT_ONCE,
    };
    let games = (0..plan.games).map(|number| tokio::spawn(play_one(address, plan, number)));
    let mut games = stream::iter(games).buffer_unordered(at_once);
    let mut tally = Tally::default();
    while let Some(played) = games.next().await {
        tally.add(played.expect("the game is played to its end"));
    }
    tally.took = begin.elapsed();
    tally
}

/// A game that was played.
struct Played {
    end: FinalGame,
    /// The seat of the first of the two players.
    seat: Seat,
    /// Whether the spectator came during the opening.
    in_opening: bool,
    mismatches: Vec<String>,
}

impl Tally {
    fn add(&mut self, played: Played) {
        let Played { end, seat, in_opening, mismatches } = played;
        let index = |of: Seat| usize::from(of != seat);
        self.games += 1;
        self.black[index(end.black)] += 1;
        match end.outcome.and_then(|outcome| outcome.winner()) {
            Some(winner) => {
                self.won[index(winner)][colour_index(winner.stone(end.black))] += 1;
            }
            None => self.drawn += 1,
        }
        self.acts += end.acts.len();
        self.stones += end.stones.len();
        self.watched[usize::from(!in_opening)] += 1;
        self.mismatches.extend(mismatches);
    }
}

/// A game at its end, as somebody has it.
#[derive(PartialEq, Debug)]
struct FinalGame {
    stones: Vec<Point>,
    acts: Vec<MadeAct>,
    players: [Option<Player>; 2],
    black: Seat,
    outcome: Option<Outcome<Seat>>,
}

impl FinalGame {
    fn of(room: &RoomState) -> Self {
        let game = room.game.as_ref().expect("it was played");
        Self {
            stones: game.position.moves().to_vec(),
            acts: game.opening.acts().to_vec(),
            players: Seat::BOTH.map(|seat| room.seats[seat].clone()),
            black: game.black(),
            outcome: game.outcome(),
        }
    }

    fn recorded(Record { summary, moves }: Record) -> Self {
        Self {
            stones: moves.iter().map(|made| made.point).collect(),
            acts: summary.opening.map(|opening| opening.acts).unwrap_or_default(),
            players: Seat::BOTH.map(|seat| Some(summary.players[seat].clone())),
            black: summary.black,
            outcome: Some(summary.outcome),
        }
    }
}

async fn play_one(address: SocketAddr, plan: Plan, number: usize) -> Played {
    let mut random = StdRng::seed_from_u64(plan.seed ^ (number as u64) << 32);
    let (seat, create) = room_for(plan, number, &mut random);
    let mut creator = Guest::greet(address, "Creator", None).await;
    let mut spectator = Some(Guest::greet(address, "Spectator", None).await);
    let room = creator.create(create).await;
    creator.until(&room, |seen| seen.room.game.is_some()).await;
    let is_random: bool = random.random();
    let comes_after = if random.random() { 1 } else { random.random_range(LATE_TURNS) };
    let (mut watching, mut in_opening) = (None, false);
    while let Some(game) = creator.seen(&room).room.running() {
        let is_time = turns(game) >= comes_after;
        if let Some(mut guest) = spectator.take_if(|_| is_time) {
            guest.join(&room).await;
            let seen = guest.seen(&room).room.running();
            in_opening = seen.is_some_and(|game| !game.opening.is_over());
            watching = Some(watch(guest, room.clone()));
        }
        let state = &creator.seen(&room).room;
        let own_seat = state.seats.of_member(&creator.me);
        if own_seat.is_some() && own_seat == state.to_act() {
            let request = if is_random {
                random_request(state, &mut random)
            } else {
                good_request(state, &mut random)
            };
            creator.done(&room, request).await;
        } else {
            creator.next().await;
        }
    }
    let watching = watching.expect("no game ends before the spectator comes");
    let spectator = watching.await.expect("they watch to the end");
    let mut latecomer = Guest::greet(address, "Latecomer", None).await;
    latecomer.join(&room).await;
    let state = &creator.seen(&room).room;
    let id = state.game.as_ref().expect("it was played").id.clone();
    let end = FinalGame::of(state);
    let others = [
        ("the spectator", FinalGame::of(&spectator.seen(&room).room)),
        ("somebody who came afterwards", FinalGame::of(&latecomer.seen(&room).room)),
        ("the record", FinalGame::recorded(record(address, &id).await)),
    ];
    let others = others.into_iter().filter(|(_, other)| *other != end);
    let mut mismatches: Vec<_> = others
        .map(|(who, other)| format!("{id}: {who} has {other:?} instead of {end:?}"))
        .collect();
    let overs = overs(creator.seen(&room));
    if overs != usize::from(!plan.kind.is_free()) {
        mismatches.push(format!("{id}: the opening ended {overs} times"));
    }
    Played { end, seat, in_opening, mismatches }
}

/// The room of a game, and the seat of the first of the players. Each of the two seats of the room
/// may begin.
fn room_for(plan: Plan, number: usize, random: &mut StdRng) -> (Seat, Create) {
    let mut seats = match plan.players {
        Players::PersonAndBot(bot) => [SeatRequest::Me, SeatRequest::Bot(bot)],
        Players::Bots(bots) => bots.map(SeatRequest::Bot),
    };
    let seat = if random.random() { Seat::First } else { Seat::Second };
    if seat == Seat::Second {
        seats.reverse();
    }
    let begins = if number.is_multiple_of(2) { seat } else { seat.other() };
    let colour = match begins {
        Seat::First => Colour::Black,
        Seat::Second => Colour::White,
    };
    (seat, Create { seats, colour, opening: plan.kind, ..private(rules_of(plan.kind)) })
}

/// The acts of the opening and the stones put after it.
fn turns(game: &Game) -> usize {
    game.opening.acts().len() + game.position.ply() - game.opening.stones()
}

/// A random act of the opening, or the move of a bot.
fn good_request(room: &RoomState, random: &mut StdRng) -> RoomRequest {
    let game = room.running().expect("a running game");
    if !game.opening.is_over() {
        return random_request(room, random);
    }
    let bot = bot::build(BotKind::Attack.into(), room.rules, random.random());
    let mut bot = bot.expect("it plays every game");
    let point = bot.choose(&game.position, &Thinking::unlimited());
    RoomRequest::Play { ply: game.position.ply(), point: point.expect("the game goes on") }
}

/// Watches a game to its end.
fn watch(mut guest: Guest, room: RoomCode) -> JoinHandle<Guest> {
    tokio::spawn(async move {
        guest.until(&room, |seen| seen.room.running().is_none()).await;
        guest
    })
}

/// How often the opening ended, by the events.
fn overs(seen: &Seen) -> usize {
    let is_over = |event: &&Event| matches!(event, Event::OpeningOver {});
    seen.events.iter().map(|numbered| &numbered.event).filter(is_over).count()
}

/// The stored game.
async fn record(address: SocketAddr, id: &GameId) -> Record {
    let response = http::get(address, &format!("/api/games/{id}")).await.expect("it answers");
    let (head, body) = response.split_once("\r\n\r\n").expect("a head and a body");
    assert!(head.starts_with("HTTP/1.1 200"), "{response}");
    let game: FinishedGame = serde_json::from_str(body).expect("a game");
    assert_eq!(game.id, *id);
    game.record
}
