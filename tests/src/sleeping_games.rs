//! Many daily games whose rooms sleep: a few are played on a server, and the storage is filled with copies.

use std::time::Duration;

use fivefold_shared::{
    clock::{DAY_MS, TimeOff},
    protocol::{
        CommandId, Create, Event, GameId, MemberId, NumberedEvent, ROOM_CODE_LENGTH, RoomCode,
        RoomRequest,
    },
    room::{Entry, RoomState},
};
use fivefold_storage::{Append, DailySeat, DailySeats, Epoch, NodeId, Sleep, Storage};
use serde_json::{Value, json};

use crate::{Away, Guest, Server, code_letters};

/// The time for a move, in milliseconds.
pub const MOVE_MS: u64 = DAY_MS;
/// A room sleeps after its players have been gone for so long.
pub const ASLEEP_AFTER: Duration = Duration::from_secs(40);
/// Rooms in one commit while the storage is filled.
const AT_ONCE: usize = 500;

/// A daily game that was played, and its players, who have left.
#[derive(Debug)]
pub struct Played {
    /// Its room.
    pub room: RoomCode,
    /// Who moves next, as the number of moves is even.
    pub black: Away,
    /// Their public ids.
    pub members: [MemberId; 2],
}

/// Plays an even number of moves of a daily game, up to 24, and leaves. Nobody has won.
///
/// # Panics
/// When the server refuses something.
pub async fn play(server: &Server, moves: i32) -> Played {
    let [mut ann, mut bob] = [Guest::hello(server, "Ann").await, Guest::hello(server, "Bob").await];
    let create: Create = serde_json::from_value(json!({
        "rules": {"variant": "freestyle"}, "colour": "black",
        "time": {"type": "daily", "move_ms": MOVE_MS},
    }))
    .expect("a room");
    let room = ann.create(create).await;
    bob.join(&room).await;
    bob.done(&room, RoomRequest::Sit { seat: None }).await;
    for player in [&mut ann, &mut bob] {
        player.until(&room, |seen| seen.room.running().is_some()).await;
    }
    for ply in 0..moves {
        let point = (2 * (ply % 5) + ply / 5 % 2, 2 * (ply / 5));
        let (mover, other) = if ply % 2 == 0 { (&mut ann, &mut bob) } else { (&mut bob, &mut ann) };
        mover.play(&room, point).await;
        let seq = mover.seen(&room).room.seq;
        other.until(&room, |seen| seen.room.seq >= seq).await;
    }
    let members = [ann.me.clone(), bob.me.clone()];
    Played { room, black: ann.lost(), members }
}

/// A sleeping room, to be copied.
#[derive(Debug)]
pub struct Original {
    log: Vec<Entry>,
    listing: Value,
    members: [MemberId; 2],
}

impl Original {
    /// Reads the room of a game. No server has the storage.
    ///
    /// # Panics
    /// When the room does not sleep.
    pub fn read(storage: &mut dyn Storage, played: &Played) -> Self {
        let log = storage.read(&played.room).expect("a log");
        let listing = storage.reader().and_then(|mut reader| reader.sleeping_room(&played.room));
        let listing = listing.expect("a storage").expect("the room sleeps");
        let listing = serde_json::from_str(&listing).expect("JSON");
        Self { log, listing, members: played.members.clone() }
    }

    /// How many events it has.
    pub fn events(&self) -> usize {
        self.log.len()
    }

    /// The events of a copy, whose last move is made at this time.
    fn entries(&self, number: u64, moved_at: u64) -> Vec<Entry> {
        let last = self.log.last().expect("events").event.at;
        let mut entries = self.log.clone();
        for entry in &mut entries {
            entry.event.at = moved_at - (last - entry.event.at);
            // A member's command makes one room.
            if let Some(cause) = &mut entry.cause {
                let command = format!("copy-{number}-{}", entry.event.seq);
                cause.command = CommandId::try_from(command).expect("an id");
            }
            if let Event::Started { id, .. } = &mut entry.event.event {
                *id = GameId::try_from(code_letters(16, number)).expect("an id");
            }
        }
        entries
    }

    /// What stores a copy whose player to move has resigned, and whose room is closed.
    fn finished(&self, number: u64, at: u64) -> Append {
        let mut entries = self.entries(number, at);
        let seq = entries.last().expect("events").event.seq + 1;
        let event =
            json!({"type": "ended", "outcome": {"reason": "resignation", "winner": "second"}});
        let event = serde_json::from_value(event).expect("an event");
        entries.push(Entry { event: NumberedEvent { seq, at, event }, cause: None });
        let games = RoomState::finished_games(entries.iter().map(|entry| &entry.event));
        let games = games.expect("a log that can be read");
        let nothing = Append::nothing(room_code(number), NodeId::ALONE, Epoch::FIRST);
        Append { entries, games, closes: true, ..nothing }
    }

    /// What stores a copy, which sleeps. The time of the player to act is over at `flag`, in milliseconds since the
    /// Unix epoch.
    fn copy(&self, node: NodeId, number: u64, flag: u64) -> (Append, Append) {
        let room = room_code(number);
        let nothing = || Append::nothing(room.clone(), node, Epoch::FIRST);
        let entries = self.entries(number, flag - MOVE_MS);
        let mut listing = self.listing.clone();
        listing["summary"]["room"] = json!(room);
        let sleep = Sleep {
            empty_since: Some(flag - MOVE_MS),
            due: Some(flag),
            public_rank: Some(1),
            members: self.members.to_vec(),
            listing: listing.to_string(),
        };
        let seat = |member: &MemberId| DailySeat {
            member: member.clone(),
            command: None,
            turn: None,
            off: Some(TimeOff::NONE),
        };
        let seats = self.members.iter().map(seat).collect();
        let seats = DailySeats { seats, position: None, at: flag - MOVE_MS };
        (
            Append { entries, daily: Some(Box::new(seats)), ..nothing() },
            Append { sleeps: Some(Box::new(sleep)), ..nothing() },
        )
    }
}

/// As the only node, stores so many copies in which the player to move has resigned, one second after the other, the
/// last one at `until`, in milliseconds since the Unix epoch. Their rooms are closed. The copies have the numbers from
/// `first` on.
///
/// # Panics
/// When they are not stored.
pub fn fill_finished(
    storage: &mut dyn Storage,
    original: &Original,
    first: u64,
    count: u64,
    until: u64,
) {
    let copies: Vec<_> = (0..count).collect();
    for copies in copies.chunks(AT_ONCE) {
        let finished =
            |&copy: &u64| original.finished(first + copy, until - (count - copy) * 1_000);
        let batch: Vec<_> = copies.iter().map(finished).collect();
        for stored in storage.append(&batch).expect("a commit") {
            stored.expect("no room of this code is stored");
        }
    }
}

/// As this node, stores one copy for each entry of `flags`, going through `originals` in turn. `flags` are the times
/// at which the player to move runs out of time. Returns the codes of the copies.
///
/// # Panics
/// When they are not stored.
pub fn fill(
    storage: &mut dyn Storage,
    node: NodeId,
    originals: &[Original],
    flags: &[u64],
) -> Vec<RoomCode> {
    let copies: Vec<_> = (0..).zip(flags).zip(originals.iter().cycle()).collect();
    for copies in copies.chunks(AT_ONCE) {
        let copies =
            copies.iter().map(|((number, flag), original)| original.copy(node, *number, **flag));
        let (made, asleep): (Vec<_>, Vec<_>) = copies.unzip();
        // A batch has one append for each room.
        for batch in [made, asleep] {
            for stored in storage.append(&batch).expect("a commit") {
                stored.expect("no room of this code is stored");
            }
        }
    }
    copies.iter().map(|((number, _), _)| room_code(*number)).collect()
}

fn room_code(number: u64) -> RoomCode {
    RoomCode::try_from(code_letters(ROOM_CODE_LENGTH, number)).expect("a code")
}
