//! Plays random games, many at once, through the real server: two scripted players and a spectator
//! at each table, and compares the final boards of all three.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use fivefold_shared::{
    protocol::{
        Colour, Create, Event, LobbyRequest, Message, Request, RoomCode, RoomRequest, close,
    },
    rules::{Outcome, Point, Position, Rules, Size, Variant},
};
use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};

use crate::{Guest, Server, private};

/// Rooms that the three guests of one table use at once.
const ROOMS: usize = 8;
/// Tables at once.
const TABLES: usize = 4;

/// Every variant on every class of board that allows it.
pub fn classes() -> Vec<Rules> {
    let five = [Variant::Freestyle, Variant::Standard, Variant::Caro, Variant::CaroOverline];
    let sizes = [Size::square(15), Size::square(19), Size::square(20), Size::Unbounded];
    let mut classes = vec![(Variant::Renju, Size::square(15))];
    classes.extend(five.iter().flat_map(|&variant| sizes.map(|size| (variant, size))));
    classes.extend([
        (Variant::Mnk { k: 3 }, Size::square(3)),
        (Variant::Mnk { k: 4 }, Size::Bounded { width: 7, height: 6 }),
        (Variant::Mnk { k: 6 }, Size::square(15)),
        (Variant::Mnk { k: 10 }, Size::Bounded { width: 64, height: 3 }),
        (Variant::Mnk { k: 4 }, Size::Unbounded),
    ]);
    let rules = |(variant, size)| Rules::new(variant, size).expect("on offer");
    classes.into_iter().map(rules).collect()
}

/// The results of the games of one class.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Games played to the end.
    pub games: usize,
    /// Moves in all of them.
    pub moves: usize,
    /// Games with a winner.
    pub won: usize,
    /// The longest game, in plies.
    pub longest: usize,
    /// The time for all of them.
    pub took: Duration,
}

/// Plays `games` games by `rules` and compares each one's final boards.
///
/// # Panics
/// When players and spectator do not see the same final board, or the server refuses a move.
pub async fn play(server: &Server, rules: Rules, games: usize, seed: u64) -> Tally {
    let begin = Instant::now();
    let rooms = games.min(TABLES * ROOMS);
    let tables = rooms.div_ceil(ROOMS);
    let mut running = tokio::task::JoinSet::new();
    for table in 0..tables {
        // Divides rooms and games evenly; the first ones get one more if there is a remainder.
        let rooms = rooms / tables + usize::from(table < rooms % tables);
        let games = games / tables + usize::from(table < games % tables);
        let share = |room| games / rooms + usize::from(room < games % rooms);
        let shares: Vec<usize> = (0..rooms).map(share).collect();
        running.spawn(sit_down(server, rules, shares, seed ^ (table as u64) << 32).await);
    }
    let mut tally = Tally::default();
    for position in running.join_all().await.into_iter().flatten() {
        tally.games += 1;
        tally.moves += position.ply();
        tally.longest = tally.longest.max(position.ply());
        let winner = position.outcome().and_then(Outcome::winner);
        tally.won += usize::from(winner.is_some());
    }
    tally.took = begin.elapsed();
    tally
}

/// Seats three guests in one room for each share and plays that many games there, one after the
/// other with colours swapped. The future plays them and returns the final boards.
async fn sit_down(
    server: &Server,
    rules: Rules,
    shares: Vec<usize>,
    seed: u64,
) -> impl Future<Output = Vec<Position>> + use<> {
    let mut ann = Guest::hello(server, "Ann").await;
    let mut bob = Guest::hello(server, "Bob").await;
    let mut eve = Guest::hello(server, "Eve").await;
    let mut games = HashMap::new();
    for share in shares {
        let create = Create { colour: Colour::Random, ..private(rules) };
        let room = ann.create(create).await;
        eve.join(&room).await;
        bob.join(&room).await;
        games.insert(room, share);
    }
    for room in games.keys() {
        bob.done(room, RoomRequest::Sit { seat: None }).await;
    }
    async move {
        let (ann, bob, eve) = tokio::join!(
            tokio::spawn(attend(ann, games.clone(), StdRng::seed_from_u64(seed))),
            tokio::spawn(attend(bob, games.clone(), StdRng::seed_from_u64(seed + 1))),
            tokio::spawn(attend(eve, games.clone(), StdRng::seed_from_u64(seed + 2))),
        );
        let watched = eve.expect("Eve watches to the end");
        assert_eq!(watched.len(), games.values().sum::<usize>());
        for finals in [ann.expect("Ann plays to the end"), bob.expect("Bob plays to the end")] {
            assert_eq!(finals, watched, "a player has seen another game than the spectator");
        }
        watched.into_values().collect()
    }
}

/// Plays (or watches, without a seat) all games of the rooms, and returns each final board by its
/// room and number.
async fn attend(
    mut guest: Guest,
    games: HashMap<RoomCode, usize>,
    mut random: StdRng,
) -> HashMap<(RoomCode, u32), Position> {
    let mut late = false;
    // The last guest to sit down has already seen the first games start.
    for (room, &due) in &games {
        react(&mut guest, room, due, &mut random).await;
    }
    while games.iter().any(|(room, &due)| guest.seen(room).finals.len() < due) {
        match guest.try_next().await {
            Ok(Message::Event { room, event }) => {
                if matches!(
                    event.event,
                    Event::Started { .. } | Event::Played { .. } | Event::Ended { .. }
                ) {
                    react(&mut guest, &room, games[&room], &mut random).await;
                }
            }
            // Messages in transit when the guest was disconnected may arrive twice.
            Ok(Message::Refused { refusal, .. }) => assert!(late, "{}: {refusal}", guest.name),
            Ok(_) => {}
            Err(Some((close::TOO_SLOW, _))) => {
                late = true;
                guest = guest.lost().back().await;
                for (room, &due) in &games {
                    guest.join(room).await;
                    react(&mut guest, room, due, &mut random).await;
                }
            }
            Err(end) => panic!("{} lost the socket: {end:?}", guest.name),
        }
    }
    let finals = games.keys().flat_map(|room| {
        let finals = guest.seen(room).finals.clone();
        finals.into_iter().map(|(number, board)| ((room.clone(), number), board))
    });
    let finals = finals.collect();
    for room in games.into_keys() {
        guest.send(Request::Lobby(LobbyRequest::Leave { room })).await;
    }
    guest.ask(Request::Lobby(LobbyRequest::Ping)).await;
    finals
}

/// Plays a random move where it is the guest's turn, and asks for another game after one that is
/// not the last.
async fn react(guest: &mut Guest, room: &RoomCode, due: usize, random: &mut StdRng) {
    let seen = guest.seen(room);
    let Some(seat) = seen.room.seats.of_member(&guest.me) else { return };
    let Some(game) = &seen.room.game else { return };
    let request = if let Some(to_act) = game.to_act() {
        if to_act != seat {
            return;
        }
        let point = random_move(&game.position, random);
        RoomRequest::Play { ply: game.position.ply(), point }
    } else if seen.finals.len() < due && seen.finals.iter().any(|(n, _)| *n == game.number) {
        RoomRequest::Rematch
    } else {
        return;
    };
    guest.send(Request::Room { room: room.clone(), request }).await;
}

/// Any legal move; on the unbounded board one near the stones, so that they form lines.
/// The game must not be over.
pub fn random_move(position: &Position, random: &mut impl Rng) -> Point {
    loop {
        let point = match (position.rules().size(), position.moves()) {
            (Size::Bounded { width, height }, _) => Point::new(
                random.random_range(0..i32::from(width)),
                random.random_range(0..i32::from(height)),
            ),
            (Size::Unbounded, []) => Point::new(random.random(), random.random::<i32>() / 2),
            (Size::Unbounded, moves) => {
                let near = moves[random.random_range(0..moves.len())];
                Point::new(
                    near.x + random.random_range(-2..=2),
                    near.y + random.random_range(-2..=2),
                )
            }
        };
        if position.legality(point).is_ok() {
            return point;
        }
    }
}
