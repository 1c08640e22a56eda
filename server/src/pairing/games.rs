//! The running games that were paired here: the seek of a player whose opponent left at the beginning goes on
//! with the time that it had waited.
//!
//! It does not know how pairs are made, and what happens in a game.

use fivefold_shared::{
    clock::millis,
    protocol::{CommandId, MemberId, RoomCode},
    seat::BySeat,
};

use super::{Pairing, input::Seeker, standing::Side};
use crate::limits::{PAIRED_GAMES_KEPT, WAITS_KEPT, WAITS_MAX};

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
pub(super) struct Wait {
    pub(super) waited_ms: u64,
    pub(super) until: u64,
}

impl Waited {
    /// The player on a side of a pair.
    pub(super) fn of(side: Side) -> Self {
        let Side { by: Seeker { member, command, .. }, waited_ms, .. } = side;
        Self { member, command, waited_ms }
    }
}

impl Pairing {
    /// A game has ended. `aborted_by` has left before it began.
    pub(super) fn game_over(&mut self, now: u64, room: &RoomCode, aborted_by: Option<&MemberId>) {
        let Some(Game { players, .. }) = self.games.remove(room) else {
            // It was paired before a restart, or by another node.
            if let Some(member) = aborted_by {
                self.histories.note_end(now, member, true);
            }
            return;
        };
        let BySeat { first, second } = players;
        if aborted_by.is_some() {
            self.histories.forget_seats(&first.member, &second.member);
        }
        for player in [first, second] {
            let is_mark = aborted_by == Some(&player.member);
            self.histories.note_end(now, &player.member, is_mark);
            if aborted_by.is_some() && !is_mark {
                self.give_back(now, player);
            }
        }
    }

    /// The seek of a player whose opponent left goes on with the time that it has waited.
    fn give_back(&mut self, now: u64, Waited { member, command, waited_ms }: Waited) {
        let key = (member, command);
        // They may have repeated it before the node of the room reports the end.
        let standing = self.by_command.get(&key).and_then(|number| self.seeks.get_mut(number));
        if let Some(seek) = standing {
            seek.waited_before_ms += waited_ms;
        } else if self.waits.len() < WAITS_MAX {
            self.waits.insert(key, Wait { waited_ms, until: now + millis(WAITS_KEPT) });
        }
    }

    /// Forgets the older half of the games, if there are too many: their ends were lost with a node.
    pub(super) fn forget_old_games(&mut self) {
        if self.games.len() <= PAIRED_GAMES_KEPT {
            return;
        }
        let mut times: Vec<u64> = self.games.values().map(|game| game.began_at).collect();
        let middle = times.len() / 2;
        let (_, kept_since, _) = times.select_nth_unstable(middle);
        let kept_since = *kept_since;
        self.games.retain(|_, game| game.began_at > kept_since);
    }
}
