//! Compares a game in this process with one on the server by the same script: both must decide
//! alike.
//!
//! Scripts are random and send requests that are refused as often as accepted. Two people at one
//! keyboard are one player to `fivefold local` and two guests to the server, so the test gives each
//! request to the guest who would make it. Bots choose between equal moves by differing seeds:
//! scripts ask them only where one move is better than all others.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use fivefold::play::{local_game::LocalGame, table::TableEvent};
use fivefold_engine::bot;
use fivefold_shared::{
    analysis::Weight,
    bot_spec::{BotKind, BotSpec},
    opening::{Act, OpeningKind, any_act},
    protocol::{
        Colour, CommandId, Create, Event, GameId, Message, NumberedEvent, Player, Refusal, Request,
        RoomCode, RoomRequest, SeatRequest, Seats, Snapshot,
    },
    room::RoomState,
    rules::{Point, Position, Rules, Size, Stone, Variant},
    search_budget::{Budget, Thinking},
    seat::{BySeat, Seat},
};
use fivefold_tests::{Guest, Seen, Server, private, random_games::random_move};
use futures_util::FutureExt;
use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};

/// Scripts, each in its own room.
const SCRIPTS: usize = 200;
/// Requests in a script: a few games' worth.
const REQUESTS: usize = 30;
/// Scripts that run at once.
const TASKS: usize = 25;

/// The result of a request: the room's answer, and the events without their times.
#[derive(Clone, PartialEq, Debug)]
struct Decision {
    answer: Answer,
    events: Vec<(u64, Event)>,
}

#[derive(Clone, PartialEq, Debug)]
enum Answer {
    Done(Option<u64>),
    Refused(Refusal),
    Weights(usize, BotSpec, Vec<Weight>),
}

impl Answer {
    fn of(message: Message) -> Self {
        match message {
            Message::Done { seq, .. } => Self::Done(seq),
            Message::Refused { refusal, .. } => Self::Refused(refusal),
            Message::Weights { ply, bot, weights, .. } => Self::Weights(ply, bot, weights),
            other => panic!("no answer to a script: {other:?}"),
        }
    }
}

/// How much the test compared.
#[derive(Default, Debug)]
struct Tally {
    games: usize,
    openings: usize,
    done: usize,
    refused: usize,
    weights: usize,
    events: usize,
}

impl Tally {
    fn count(&mut self, decision: &Decision) {
        match decision.answer {
            Answer::Done(_) => self.done += 1,
            Answer::Refused(_) => self.refused += 1,
            Answer::Weights(..) => self.weights += 1,
        }
        let started = |(_, event): &&(u64, Event)| matches!(event, Event::Started { .. });
        self.games += decision.events.iter().filter(started).count();
        let over = |(_, event): &&(u64, Event)| matches!(event, Event::OpeningOver {});
        self.openings += decision.events.iter().filter(over).count();
        self.events += decision.events.len();
    }

    fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.openings += other.openings;
        self.done += other.done;
        self.refused += other.refused;
        self.weights += other.weights;
        self.events += other.events;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_local_game_and_the_server_decide_alike() {
    let server = Arc::new(Server::start_with(&[
        ("bot-answer-min", "0"),
        ("bot-rooms-per-address", "1000000"),
        ("command-rate", "1000000"),
        ("connection-rate", "1000000"),
        ("room-rate", "1000000"),
        ("rooms-per-address", "1000000"),
    ]));
    let mut running = tokio::task::JoinSet::new();
    for task in 0..TASKS {
        let server = Arc::clone(&server);
        running.spawn(async move {
            let mut tally = Tally::default();
            for script in (task..SCRIPTS).step_by(TASKS) {
                play(&server, script, &mut tally).await;
            }
            tally
        });
    }
    let mut tally = Tally::default();
    for part in running.join_all().await {
        tally.add(&part);
    }
    let decisions = tally.done + tally.refused + tally.weights;
    assert_eq!(decisions, SCRIPTS * REQUESTS);
    assert!(
        tally.games >= 200
            && tally.refused * 5 > decisions
            && tally.weights > 100
            && tally.openings > 30,
        "{tally:?}"
    );
    println!("{decisions} decisions compared: {tally:?}");
}

/// Plays one script at both places and compares the result of each request.
async fn play(server: &Server, script: usize, tally: &mut Tally) {
    let seed = script as u64;
    let mut random = StdRng::seed_from_u64(seed);
    let bot = (script % 4 == 3).then_some(BotSpec::from(BotKind::Attack));
    let rules = rules_of(script, bot);
    let opening = opening_of(script, rules);
    let colour = if bot.is_some_and(|bot| best_move(bot, &Position::new(rules)).is_none()) {
        Stone::Black
    } else {
        [Stone::Black, Stone::White][random.random_range(0..2)]
    };
    let game = LocalGame::new(rules, opening, bot, colour, seed).expect("the bot plays");
    let mut here = Here { game, sent: 0 };
    here.settle().await;
    let mut there = There::new(server, rules, opening, bot, colour).await;
    for step in 0..REQUESTS {
        let request = next_request(&here.game.room(), bot, &mut random);
        let decision = here.ask(&request).await;
        assert_eq!(
            decision,
            there.ask(&request).await,
            "script {script}, step {step}: {request:?}"
        );
        tally.count(&decision);
        assert_eq!(here.snapshot(), there.snapshot(), "script {script}, step {step}");
    }
}

/// The rules of a script; bots play on small boards, where they soon have one best move.
fn rules_of(script: usize, bot: Option<BotSpec>) -> Rules {
    let boards = [
        (Variant::Mnk { k: 3 }, Size::square(3)),
        (Variant::Mnk { k: 3 }, Size::Bounded { width: 5, height: 4 }),
        (Variant::Mnk { k: 4 }, Size::Bounded { width: 7, height: 6 }),
        (Variant::Renju, Size::square(15)),
        (Variant::Freestyle, Size::square(15)),
        (Variant::Caro, Size::Unbounded),
    ];
    let boards = if bot.is_some() { &boards[..3] } else { &boards[..] };
    let (variant, size) = boards[script / 4 % boards.len()];
    Rules::new(variant, size).expect("on offer")
}

/// The opening of a script: those that the rules offer, in turn.
fn opening_of(script: usize, rules: Rules) -> OpeningKind {
    let offered = OpeningKind::ALL.into_iter().filter(|kind| kind.offered(rules).is_ok());
    let offered: Vec<_> = offered.collect();
    offered[script / 24 % offered.len()]
}

/// The bot's move, if it is the same for every seed.
fn best_move(bot: BotSpec, position: &Position) -> Option<Point> {
    let (elapsed, cancel) = (|| Duration::ZERO, AtomicBool::new(false));
    let budget = Budget { time: Duration::from_secs(1), ..Budget::UNLIMITED };
    let thinking = Thinking { budget, elapsed: &elapsed, cancel: &cancel };
    let mut bot = bot::build(bot, position.rules(), 0).expect("on offer");
    match bot.weigh(position, &thinking)[..] {
        [best] => Some(best.point),
        [best, next, ..] if (best.weight, best.plies) != (next.weight, next.plies) => {
            Some(best.point)
        }
        _ => None,
    }
}

/// Whether the opponent's answer to a move is predictable: the script chooses a person's.
fn is_answer_foreseen(position: &Position, point: Point, bot: Option<BotSpec>) -> bool {
    let mut position = position.clone();
    let outcome = position.play(point).expect("a legal move").cloned();
    bot.is_none_or(|bot| outcome.is_some() || best_move(bot, &position).is_some())
}

/// A random move with a predictable answer, if one is found soon.
fn random_play(position: &Position, bot: Option<BotSpec>, random: &mut impl Rng) -> Option<Point> {
    let mut points = (0..10).map(|_| random_move(position, random));
    points.find(|&point| is_answer_foreseen(position, point, bot))
}

/// A point with a stone or off the board.
fn no_move(position: &Position, random: &mut impl Rng) -> Point {
    match position.moves() {
        moves @ [_, ..] if random.random() => moves[random.random_range(0..moves.len())],
        _ => Point::new(2_000_000, 0),
    }
}

/// A random request that fits the room's state, or sometimes one that it must refuse.
fn next_request(room: &RoomState, bot: Option<BotSpec>, random: &mut impl Rng) -> RoomRequest {
    let game = room.game.as_ref().expect("the first game has begun");
    let ply = game.position.ply();
    if room.running().is_none() {
        return match random.random_range(0..10) {
            0 => RoomRequest::Play { ply, point: Point::new(0, 0) },
            1 => RoomRequest::AskTakeback,
            2 => RoomRequest::Weights { bot: Some(BotKind::Attack), ply: Some(ply / 2) },
            3 if bot.is_none() => RoomRequest::Stand,
            4 if bot.is_none() => RoomRequest::Sit { seat: None },
            5 => RoomRequest::OfferDraw,
            // A bot that begins must have one best move.
            _ if bot.is_some_and(|bot| best_move(bot, &Position::new(room.rules)).is_none())
                && room.seats[room.black()]
                    .as_ref()
                    .is_some_and(|player| player.bot().is_none()) =>
            {
                RoomRequest::Resign
            }
            _ if room.seats.vacant().is_some() => RoomRequest::Sit { seat: None },
            _ => RoomRequest::Rematch,
        };
    }
    if random.random_range(0..100) < 80
        && let Some(act) =
            any_act(&game.opening, &game.position, &mut |below| random.random_range(0..below))
    {
        let act = match random.random_range(0..6) {
            0 => Act::put(vec![Point::new(7, 7)]),
            1 => Act::Offer(vec![Point::new(7, 7); 2]),
            _ => act,
        };
        return RoomRequest::Choose { ply, act };
    }
    match random.random_range(0..100) {
        0..60 => random_play(&game.position, bot, random)
            .map_or(RoomRequest::Resign, |point| RoomRequest::Play { ply, point }),
        60..64 => RoomRequest::Play { ply, point: no_move(&game.position, random) },
        64..68 => {
            let stale = random.random_range(0..ply + 3);
            let stale = if stale == ply { ply + 1 } else { stale };
            RoomRequest::Play { ply: stale, point: random_move(&game.position, random) }
        }
        68..70 => RoomRequest::Resign,
        70..74 => RoomRequest::OfferDraw,
        74..76 => RoomRequest::AcceptDraw,
        76..78 => RoomRequest::DeclineDraw,
        78..83 => RoomRequest::AskTakeback,
        83 => RoomRequest::GrantTakeback,
        84 => RoomRequest::RefuseTakeback,
        85 => RoomRequest::ClaimWin,
        86 => RoomRequest::ClaimDraw,
        87 => RoomRequest::Rematch,
        88 => RoomRequest::Stand,
        89 => RoomRequest::Sit { seat: Some(Seat::First) },
        90 => RoomRequest::SeatBot { seat: Seat::Second, bot: BotKind::Attack.into() },
        91 => RoomRequest::RemoveBot { seat: Seat::Second },
        92 => RoomRequest::SetChat { on: false },
        93 => RoomRequest::Weights { bot: Some(BotKind::Minimax), ply: Some(ply + 1) },
        94 => RoomRequest::BotMove { ply: ply + 1, bot: None },
        95..98 => match best_move(BotKind::Attack.into(), &game.position) {
            Some(point) if is_answer_foreseen(&game.position, point, bot) => {
                RoomRequest::BotMove { ply, bot: Some(BotKind::Attack) }
            }
            Some(_) | None => RoomRequest::OfferDraw,
        },
        98 => RoomRequest::Abort,
        _ => RoomRequest::Weights { bot: Some(BotKind::Attack), ply: None },
    }
}

/// Whether a bot is to move.
fn is_bots_turn(room: &RoomState) -> bool {
    room.to_act().and_then(|seat| room.seats.get(seat)).is_some_and(|player| player.bot().is_some())
}

/// A snapshot without the ids that differ from place to place: those of members and games.
fn plain(mut snapshot: Snapshot) -> Snapshot {
    snapshot.host = LocalGame::member();
    let Seats { first, second } = &mut snapshot.seats;
    first.iter_mut().chain(second).for_each(plain_player);
    if let Some(game) = &mut snapshot.game {
        game.id = some_game();
        let BySeat { first, second } = &mut game.players;
        [first, second].into_iter().for_each(plain_player);
    }
    snapshot
}

fn some_game() -> GameId {
    GameId::try_from("k7m2qpxw9abcdefg").expect("16 letters")
}

fn plain_player(player: &mut Player) {
    if let Player::Member { member, .. } = player {
        *member = LocalGame::member();
    }
}

/// An event without these ids, with its number but not its time.
fn plain_event(numbered: NumberedEvent) -> (u64, Event) {
    let NumberedEvent { seq, mut event, .. } = numbered;
    if let Event::Sat { player, .. } = &mut event {
        plain_player(player);
    } else if let Event::Started { id, .. } = &mut event {
        *id = some_game();
    }
    (seq, event)
}

/// A game in this process.
struct Here {
    game: LocalGame,
    sent: u64,
}

impl Here {
    async fn ask(&mut self, request: &RoomRequest) -> Decision {
        self.sent += 1;
        let id = CommandId::try_from(self.sent.to_string()).expect("an id");
        self.game.take(&id, request);
        let (mut answer, mut events) = (None, Vec::new());
        // The results are ready at once, except for the bots' moves.
        loop {
            let is_over = answer.is_some() && !is_bots_turn(&self.game.room());
            let event = match self.game.next().now_or_never() {
                Some(event) => event,
                None if is_over => break,
                None => self.game.next().await,
            };
            let TableEvent::Message(message) = event else { panic!("{event:?}") };
            match *message {
                Message::Event { event, .. } => events.push(plain_event(event)),
                message if message.answers() == Some(&id) => {
                    // Weights lose their last bits in JSON.
                    let message = Message::from_json(&message.to_json()).expect("a message");
                    answer = Some(Answer::of(message));
                }
                // News of the spectators.
                _ => {}
            }
        }
        Decision { answer: answer.expect("the loop waits for it"), events }
    }

    /// Waits until a bot that begins has moved.
    async fn settle(&mut self) {
        while is_bots_turn(&self.game.room()) {
            self.game.next().await;
        }
        while self.game.next().now_or_never().is_some() {}
    }

    fn snapshot(&self) -> Snapshot {
        plain(self.game.room().snapshot())
    }
}

/// A room of the server, with one or two guests for the people at the keyboard.
struct There {
    room: RoomCode,
    guests: Vec<Guest>,
    /// The number of compared events.
    compared: usize,
}

impl There {
    async fn new(
        server: &Server,
        rules: Rules,
        opening: OpeningKind,
        bot: Option<BotSpec>,
        colour: Stone,
    ) -> Self {
        let create = Create {
            opening,
            assistance: true,
            chat: false,
            seats: [SeatRequest::Me, bot.map_or(SeatRequest::Open, SeatRequest::Bot)],
            colour: match colour {
                Stone::Black => Colour::Black,
                Stone::White => Colour::White,
            },
            ..private(rules)
        };
        let name = if bot.is_some() { "You" } else { "Player 1" };
        let mut guests = vec![Guest::hello(server, name).await];
        let room = guests[0].create(create).await;
        if bot.is_none() {
            let mut second = Guest::hello(server, "Player 2").await;
            second.join(&room).await;
            second.done(&room, RoomRequest::Sit { seat: None }).await;
            guests.push(second);
        }
        let mut there = Self { room, guests, compared: 0 };
        there.settle().await;
        there.compared = there.guests[0].seen(&there.room).events.len();
        there
    }

    async fn ask(&mut self, request: &RoomRequest) -> Decision {
        let Self { room, .. } = self;
        let asked = Request::Room { room: room.clone(), request: request.clone() };
        let sender = self.sender(request);
        let answer = Answer::of(self.guests[sender].ask(asked).await);
        if let Answer::Done(Some(seq)) = answer {
            self.guests[sender].until(&self.room, |seen| seen.room.seq >= seq).await;
        }
        self.settle().await;
        if let Some((other, consent)) = self.consent() {
            self.guests[other].done(&self.room, consent).await;
            self.settle().await;
        }
        let events = &self.guests[0].seen(&self.room).events[self.compared..];
        let events: Vec<_> = events.iter().cloned().map(plain_event).collect();
        self.compared += events.len();
        Decision { answer, events }
    }

    /// Waits until no bot is to move and all guests have seen the same events.
    async fn settle(&mut self) {
        let room = &self.room;
        // `ended` follows the move that ends the game.
        let is_ending = |seen: &Seen| {
            let last = seen.events.last().map(|last| &last.event);
            seen.room.running().is_none() && matches!(last, Some(Event::Played { .. }))
        };
        let first = &mut self.guests[0];
        first.until(room, |seen| !is_bots_turn(&seen.room) && !is_ending(seen)).await;
        let seq = self.guests.iter().map(|guest| guest.seen(room).room.seq).max();
        for guest in &mut self.guests {
            guest.until(room, |seen| Some(seen.room.seq) >= seq).await;
        }
    }

    fn state(&self) -> &RoomState {
        &self.guests[0].seen(&self.room).room
    }

    fn snapshot(&self) -> Snapshot {
        plain(self.state().snapshot())
    }

    /// The guest who sends this request for the people at the keyboard.
    fn sender(&self, request: &RoomRequest) -> usize {
        let game = self.state().game.as_ref().expect("a game");
        let turn = game.to_act().unwrap_or_else(|| game.seat_of(game.position.turn()));
        let is_seated = |guest: &Guest| self.state().seats.of_member(&guest.me).is_some();
        let due = match request {
            RoomRequest::Sit { .. } => self.guests.iter().position(|guest| !is_seated(guest)),
            RoomRequest::AcceptDraw | RoomRequest::DeclineDraw => {
                self.guest_in(game.draw_offer.map_or(turn, Seat::other))
            }
            RoomRequest::AskTakeback => self.guest_in(turn.other()),
            _ => self.guest_in(turn),
        };
        due.or_else(|| self.guests.iter().position(is_seated)).unwrap_or(0)
    }

    fn guest_in(&self, seat: Seat) -> Option<usize> {
        let player = self.state().seats.get(seat)?;
        self.guests.iter().position(|guest| player.is_member(&guest.me))
    }

    /// The request that the other person at the keyboard agrees to at once.
    fn consent(&self) -> Option<(usize, RoomRequest)> {
        let game = self.state().game.as_ref()?;
        if let Some(by) = game.takeback_ask {
            return Some((self.guest_in(by.other())?, RoomRequest::GrantTakeback));
        }
        Some((self.guest_in(game.rematch_ask?.other())?, RoomRequest::Rematch))
    }
}
