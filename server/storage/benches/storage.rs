//! Committed events a second, with full sync on the disk that holds the build, by how many rooms'
//! moves share a commit. Each line is the time of one commit, and the events a second.
//!
//! `cargo bench -p fivefold-storage --bench storage`

use std::{hint::black_box, path::Path};

use criterion::{Criterion, Throughput};
use fivefold_shared::{
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{
        CommandId, Event, MemberId, NumberedEvent, ROOM_CODE_ALPHABET, RoomCode, Visibility,
    },
    room::{Cause, Entry},
    rules::{Point, Rules, Size, Variant},
    seat::Seat,
};
use fivefold_storage::{Append, DataFolder, Epoch, NodeId, Sqlite, Storage};

const ROOMS: usize = 500;

/// Rooms in which moves are made in turn.
struct Rooms {
    storage: Sqlite,
    codes: Vec<RoomCode>,
    /// The number of each room's last event.
    seqs: Vec<u64>,
    turn: usize,
}

impl Rooms {
    fn new(folder: &Path) -> Self {
        let folder = DataFolder::take(folder).expect("a folder of its own");
        let storage = Sqlite::open(folder).expect("a new database");
        let letter = |number: usize| char::from(ROOM_CODE_ALPHABET[number % 31]);
        let code = |room: usize| {
            let code = format!("{}{}{}", letter(room / 31), letter(room), "k7m2qpxw9a");
            RoomCode::try_from(code).expect("twelve letters")
        };
        let codes = (0..ROOMS).map(code).collect();
        let mut rooms = Self { storage, codes, seqs: vec![0; ROOMS], turn: 0 };
        rooms.commit(ROOMS);
        rooms
    }

    /// Appends the next event of each of so many rooms.
    fn commit(&mut self, group: usize) {
        let batch: Vec<_> = (0..group).map(|_| self.next_append()).collect();
        let answers = self.storage.append(&batch).expect("the disk is not full");
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    }

    fn next_append(&mut self) -> Append {
        // A step that shares no factor with the number of rooms visits them all, out of order.
        self.turn = (self.turn + 263) % ROOMS;
        let seq = &mut self.seqs[self.turn];
        *seq += 1;
        let host = MemberId::try_from("00d1ff00d1ff00aa".to_owned()).expect("hexadecimal");
        let event = match *seq {
            1 => Event::Created {
                rules: Rules::new(Variant::Freestyle, Size::square(15)).expect("rules"),
                visibility: Visibility::Private,
                assistance: false,
                host: host.clone(),
                time: TimeControl::None,
                opening: OpeningKind::Free,
                chat: true,
                paired: false,
                black: Seat::First,
            },
            // The store does not know that there is no game.
            seq => Event::Played {
                ply: usize::try_from(seq % 225).expect("small"),
                point: Point::new(7, 7),
                assisted: false,
                time: None,
            },
        };
        let command = CommandId::try_from(format!("8f3a-{seq}")).expect("short");
        let entry = Entry {
            event: NumberedEvent { seq: *seq, at: 1_790_000_000_000 + *seq, event },
            cause: Some(Cause { member: host, command }),
        };
        let room = self.codes[self.turn].clone();
        Append { entries: vec![entry], ..Append::nothing(room, NodeId::ALONE, Epoch::FIRST) }
    }
}

fn main() {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    let mut benches = criterion.benchmark_group("commit");
    for group in [1, 8, 64, ROOMS] {
        let folder =
            tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on the disk");
        let mut rooms = Rooms::new(folder.path());
        benches.throughput(Throughput::Elements(group as u64));
        benches.bench_function(format!("{group} rooms"), |bench| {
            bench.iter(|| black_box(&mut rooms).commit(group));
        });
    }
    benches.finish();
}
