//! What a rated end of a game costs the log writer beside an unrated one: the time of a commit that
//! stores a short game of two among a thousand players, on a file and on PostgreSQL. Rated and unrated commits
//! alternate, so that a busy minute of the machine meets both.
//!
//! `cargo bench -p fivefold-storage --bench ratings`

#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::time::{Duration, Instant};

use fivefold_shared::{
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{
        CommandId, Event, GameId, MemberId, Name, NumberedEvent, Player, ROOM_CODE_ALPHABET,
        RoomCode, Visibility,
    },
    room::{Cause, Entry, RoomState},
    rules::{Outcome, Rules, Size, Variant},
    seat::Seat,
};
use fivefold_storage::{Append, DataFolder, DatabaseUrl, Epoch, NodeId, Postgres, Sqlite, Storage};
use fivefold_test_services::{Durability, PostgresServer};

/// Players among whom games are played.
const MEMBERS: u64 = 1_000;

/// Games that are stored of each kind.
const GAMES: usize = 8_000;

/// Games before, so that each player has a rating and the caches are warm.
const WARM_UP: usize = 2_000;

/// A storage in which games end.
struct Games {
    storage: Box<dyn Storage>,
    number: u64,
    is_rated: bool,
}

impl Games {
    /// Stores rooms with a game each, in one commit.
    fn commit(&mut self, group: usize) {
        let batch: Vec<_> = (0..group).map(|_| self.next_append()).collect();
        let answers = self.storage.append(&batch).expect("the storage works");
        let changes = if self.is_rated { 2 } else { 0 };
        assert!(answers.iter().all(|answer| answer.as_ref().is_ok_and(|c| c.len() == changes)));
    }

    fn next_append(&mut self) -> Append {
        self.number += 1;
        // Steps that share no factor with the number of members meet all of them.
        let [first, second] = [self.number * 7 % MEMBERS, (self.number * 7 + 1) % MEMBERS];
        let (host, at) = (member(first), 1_790_000_000_000 + self.number);
        let sat = |seat, number| Event::Sat {
            seat,
            player: Player::Member {
                member: member(number),
                name: Name::new("Ann").expect("a name"),
                engine: false,
            },
        };
        let id = GameId::try_from(code(16, self.number)).expect("letters");
        let winner = if self.number.is_multiple_of(2) { Seat::First } else { Seat::Second };
        let events = [
            Event::Created {
                rules: Rules::new(Variant::Standard, Size::square(15)).expect("rules"),
                visibility: Visibility::Private,
                assistance: false,
                host: host.clone(),
                time: TimeControl::Fischer { main_ms: 300_000, increment_ms: 3_000 },
                opening: OpeningKind::Swap2,
                chat: true,
                paired: true,
                black: Seat::First,
            },
            sat(Seat::First, first),
            sat(Seat::Second, second),
            Event::Started {
                game: 1,
                black: Seat::First,
                id,
                rated: self.is_rated,
                casual: None,
                part: None,
            },
            Event::Ended { outcome: Outcome::Resignation { winner }, rated: self.is_rated },
        ];
        let command = CommandId::try_from(format!("c-{}", self.number)).expect("short");
        let entries: Vec<_> = (1..)
            .zip(events)
            .map(|(seq, event)| Entry {
                event: NumberedEvent { seq, at, event },
                cause: Some(Cause { member: host.clone(), command: command.clone() }),
            })
            .collect();
        let games = RoomState::finished_games(entries.iter().map(|entry| &entry.event));
        let room = RoomCode::try_from(code(12, self.number)).expect("letters");
        let games = games.expect("a log");
        Append { entries, games, ..Append::nothing(room, NodeId::ALONE, Epoch::FIRST) }
    }
}

fn member(number: u64) -> MemberId {
    MemberId::try_from(format!("{number:016x}")).expect("hexadecimal")
}

fn code(length: usize, number: u64) -> String {
    let letters = ROOM_CODE_ALPHABET.len() as u64;
    let mut rest = number;
    let letter = |_| {
        let letter = usize::try_from(rest % letters).expect("small");
        rest /= letters;
        char::from(ROOM_CODE_ALPHABET[letter])
    };
    (0..length).map(letter).collect()
}

/// The commits' times of one kind.
struct Times(Vec<Duration>);

impl Times {
    fn part(&self, numerator: usize) -> f64 {
        let place = (self.0.len() - 1) * numerator / 4;
        self.0[place].as_secs_f64() * 1e6
    }
}

/// Stores games of two kinds by turns, and prints what a commit takes.
fn measure(name: &str, group: usize, mut kinds: [Games; 2]) {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..(WARM_UP + GAMES) / group {
        for (games, times) in kinds.iter_mut().zip(&mut times) {
            let begun = Instant::now();
            games.commit(group);
            if round >= WARM_UP / group {
                times.push(begun.elapsed());
            }
        }
    }
    let [unrated, rated] = times.map(|mut times| {
        times.sort();
        Times(times)
    });
    println!(
        "{name}, {group} in a commit: unrated {:.0} us [{:.0} to {:.0}], rated {:.0} us [{:.0} to {:.0}], ratio {:.3}",
        unrated.part(2),
        unrated.part(1),
        unrated.part(3),
        rated.part(2),
        rated.part(1),
        rated.part(3),
        rated.part(2) / unrated.part(2),
    );
}

fn main() {
    println!("Median of a commit [quartiles], {GAMES} games of each kind");
    for group in [1, 8, 32] {
        let folders = [(); 2].map(|()| {
            tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on the disk")
        });
        let mut is_rated = false;
        let games = folders.each_ref().map(|folder| {
            let folder = DataFolder::take(folder.path()).expect("a folder of its own");
            let storage = Box::new(Sqlite::open(folder).expect("a new database"));
            let games = Games { storage, number: 0, is_rated };
            is_rated = !is_rated;
            games
        });
        measure("file", group, games);
    }
    let Some(server) = PostgresServer::start(Durability::Full) else { return };
    for group in [1, 8, 32] {
        let games = [false, true].map(|is_rated| {
            let url = DatabaseUrl::from(server.url());
            let storage = Box::new(Postgres::open(&url, None).expect("a database"));
            let number = 1_000_000 * (1 + 2 * group as u64 + u64::from(is_rated));
            Games { storage, number, is_rated }
        });
        measure("PostgreSQL", group, games);
    }
}
