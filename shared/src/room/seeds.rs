//! The random seeds of a room, handed in when it is made.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::protocol::{GAME_ID_LENGTH, GameId, letters};

/// A room's random seeds, different for each room.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RoomSeeds {
    /// Breaks ties between moves that a bot finds equally good.
    pub seed: u64,
    /// The secret from which game ids are derived; without it they cannot be guessed.
    pub secret: [u8; 32],
}

impl fmt::Debug for RoomSeeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoomSeeds").field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl RoomSeeds {
    /// The id of the room's game with this number.
    pub(super) fn game_id(&self, number: u32) -> GameId {
        let mut hash = Sha256::new().chain_update("fivefold game").chain_update(self.secret);
        hash.update(number.to_le_bytes());
        let mut blocks = 0_u32;
        let bytes = || {
            blocks += 1;
            hash.clone().chain_update(blocks.to_le_bytes()).finalize().into()
        };
        GameId::try_from(letters(GAME_ID_LENGTH, bytes)).expect("letters of the alphabet, so many")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_game_of_each_room_has_its_id() {
        let seeds = |secret| RoomSeeds { seed: 0, secret: [secret; 32] };
        assert_eq!(seeds(1).game_id(1), seeds(1).game_id(1));
        assert_ne!(seeds(1).game_id(1), seeds(1).game_id(2));
        assert_ne!(seeds(1).game_id(1), seeds(2).game_id(1));
    }
}
