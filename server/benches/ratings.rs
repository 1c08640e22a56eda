//! What a rated end of a game costs the log writer beside an unrated one: the time of a commit that
//! stores a short game of two among a thousand players, on a file and on PostgreSQL.
//!
//! `cargo bench -p fivefold-server --bench ratings`

use criterion::Criterion;
use fivefold_server::{
    NodeId,
    storage::{Append, DataFolder, DatabaseUrl, Epoch, Postgres, Sqlite, Storage},
};
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
use fivefold_test_services::{Durability, PostgresServer};

/// Players among whom games are played.
const MEMBERS: u64 = 1_000;

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
            Event::Started { game: 1, black: Seat::First, id, rated: self.is_rated },
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

fn main() {
    let mut criterion = Criterion::default().sample_size(30).configure_from_args();
    let mut benches = criterion.benchmark_group("ends");
    let server = PostgresServer::start(Durability::Full);
    for group in [1, 8, 32] {
        for is_rated in [false, true] {
            let kind = if is_rated { "rated" } else { "unrated" };
            let mut measure = |name: &str, storage: Box<dyn Storage>, first: u64| {
                let mut games = Games { storage, number: first, is_rated };
                games.commit(group);
                benches.bench_function(format!("{name}, {group} {kind}"), |bench| {
                    bench.iter(|| games.commit(group));
                });
            };
            let folder =
                tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on the disk");
            let folder = DataFolder::take(folder.path()).expect("a folder of its own");
            measure("file", Box::new(Sqlite::open(folder).expect("a new database")), 0);
            if let Some(server) = &server {
                let folder = server.folder().display().to_string().replace('/', "%2F");
                let url = format!("postgres://fivefold@{folder}/fivefold");
                let url = DatabaseUrl::from(url);
                let storage = Postgres::open(&url, None).expect("a database");
                let first = 1_000_000 * (1 + 2 * group as u64 + u64::from(is_rated));
                measure("PostgreSQL", Box::new(storage), first);
            }
        }
    }
    benches.finish();
}
