//! Many daily games whose rooms sleep: a few are played on a server, and the storage is filled with copies.

use std::time::Duration;

use fivefold_shared::{
    clock::TimeOff,
    protocol::{
        CommandId, Create, Event, GameId, MemberId, ROOM_CODE_LENGTH, RoomCode, RoomRequest,
    },
    room::Entry,
};
use fivefold_storage::{Append, DailySeat, DailySeats, Epoch, NodeId, Sleep, Storage};
use serde_json::{Value, json};

use crate::{Away, Guest, Server, code_letters};

/// The time for a move, in milliseconds.
pub const MOVE_MS: u64 = 86_400_000;
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

    /// What stores a copy, which sleeps. The time of the player to act is over at `flag`, in milliseconds since the
    /// Unix epoch.
    fn copy(&self, node: NodeId, number: u64, flag: u64) -> (Append, Append) {
        let room = room_code(number);
        let nothing = || Append::nothing(room.clone(), node, Epoch::FIRST);
        let last = self.log.last().expect("events").event.at;
        let mut entries = self.log.clone();
        for entry in &mut entries {
            // The last event is the last move.
            entry.event.at = flag - MOVE_MS - (last - entry.event.at);
            // A member's command makes one room.
            if let Some(cause) = &mut entry.cause {
                let command = format!("copy-{number}-{}", entry.event.seq);
                cause.command = CommandId::try_from(command).expect("an id");
            }
            if let Event::Started { id, .. } = &mut entry.event.event {
                *id = GameId::try_from(code_letters(16, number)).expect("an id");
            }
        }
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
