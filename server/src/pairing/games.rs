//! The running games that were paired here, and the waiting times of players whose opponent left at the
//! beginning: their seeks go on with them.
//!
//! It does not know how pairs are made, and what happens in a game.

use std::collections::HashMap;

use fivefold_shared::{
    clock::millis,
    protocol::{CommandId, MemberId, RoomCode},
    seat::BySeat,
};

use super::{input::Seeker, standing::Side};
use crate::limits::{PAIRED_GAMES_KEPT, WAITS_KEPT, WAITS_MAX};

/// The games by their rooms, and the waiting times by the players' commands.
#[derive(Debug, Default)]
pub(super) struct PairedGames {
    pub(super) running: HashMap<RoomCode, Game>,
    waits: HashMap<(MemberId, CommandId), Wait>,
}

/// A running game that was paired here.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) began_at: u64,
    pub(super) players: BySeat<Waited>,
}

/// A player of a game, and how long their seek had waited.
#[derive(Debug)]
pub(super) struct Waited {
    pub(super) member: MemberId,
    pub(super) command: CommandId,
    pub(super) waited_ms: u64,
}

/// The time that a seek has waited before, and how long it is remembered.
#[derive(Debug)]
struct Wait {
    waited_ms: u64,
    until: u64,
}

impl Waited {
    /// The player on a side of a pair.
    fn of(side: Side) -> Self {
        let Side { by: Seeker { member, command, .. }, waited_ms, .. } = side;
        Self { member, command, waited_ms }
    }
}

impl PairedGames {
    /// The game of a pair begins.
    pub(super) fn begin(
        &mut self,
        now: u64,
        room: RoomCode,
        BySeat { first, second }: BySeat<Side>,
    ) {
        let players = BySeat { first: Waited::of(first), second: Waited::of(second) };
        self.running.insert(room, Game { began_at: now, players });
    }

    /// The players of a game that has ended; nothing if it was paired before a restart, or by another node.
    pub(super) fn end(&mut self, room: &RoomCode) -> Option<BySeat<Waited>> {
        self.running.remove(room).map(|game| game.players)
    }

    /// Remembers the waiting time of a player who may seek again.
    pub(super) fn keep_wait(&mut self, now: u64, Waited { member, command, waited_ms }: Waited) {
        if self.waits.len() < WAITS_MAX {
            let wait = Wait { waited_ms, until: now + millis(WAITS_KEPT) };
            self.waits.insert((member, command), wait);
        }
    }

    /// How long the seek of this command had waited before, in milliseconds.
    pub(super) fn take_wait(&mut self, key: &(MemberId, CommandId)) -> u64 {
        self.waits.remove(key).map_or(0, |wait| wait.waited_ms)
    }

    /// Forgets waiting times that are too old; and the older half of the games, if there are too many: their
    /// ends were lost with a node.
    pub(super) fn forget_old(&mut self, now: u64) {
        self.waits.retain(|_, wait| now < wait.until);
        if self.running.len() <= PAIRED_GAMES_KEPT {
            return;
        }
        let mut times: Vec<u64> = self.running.values().map(|game| game.began_at).collect();
        let middle = times.len() / 2;
        let (_, kept_since, _) = times.select_nth_unstable(middle);
        let kept_since = *kept_since;
        self.running.retain(|_, game| game.began_at > kept_since);
    }
}
