//! Rooms for players who are paired. They belong to no host, and count for the address of the first
//! player.

use std::{net::IpAddr, sync::Arc};

use fivefold_shared::{
    protocol::{
        Colour, Create, GameSettings, Player, Reason, Refusal, RoomCode, SeatRequest, Visibility,
    },
    seat::BySeat,
};
use tokio::sync::oneshot;

use super::{Lobby, Maker, lock};
use crate::{
    ids,
    paired_games::{PairedGame, PairedGames, Playing},
    room_actor::{Opened, PairedStart},
    storage::{Epoch, KnownMember},
};

/// A room to make for two players.
#[derive(Debug)]
pub(crate) struct PairedRoom {
    pub(crate) game: PairedGame,
    pub(crate) players: BySeat<Player>,
    /// The players as the storage keeps them.
    pub(crate) members: Vec<KnownMember>,
    /// The address of the first player.
    pub(crate) address: IpAddr,
}

/// Why no room can be made for two players.
#[derive(Debug)]
pub(crate) enum NotPaired {
    /// One of them is in the game of another paired room.
    Playing(Playing),
    /// A limit is reached, or the server cannot make rooms now.
    Refused(Refusal),
}

impl From<Refusal> for NotPaired {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Lobby {
    /// The running games of paired players.
    pub(crate) fn paired_games(&self) -> &PairedGames {
        self.directory.paired_games()
    }

    /// Checks that a game could begin now, and takes a request for a room from the allowance of the
    /// address: each seek makes at most one room.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn may_seek(&self, address: IpAddr) -> Result<(), Refusal> {
        let mut makers = lock(&self.makers);
        if makers.total() >= self.context.limits.rooms_max {
            return Err(Refusal::new(Reason::ServerFull));
        }
        self.context.disk.may_grow()?;
        self.make_place_at(&makers, &self.pairing_host.id, address, &mut Vec::new())?;
        if !makers.may_ask(address, tokio::time::Instant::now(), &self.context.limits) {
            return Err(Refusal::new(Reason::TooManyRoomsMade));
        }
        Ok(())
    }

    /// Makes a room for two players. The room is stored when the receiver gets its notice, and cannot
    /// be if the sender is dropped.
    ///
    /// # Errors
    /// If one of them is in another game, or a limit is reached.
    pub(crate) fn pair(
        self: &Arc<Self>,
        paired: PairedRoom,
    ) -> Result<(RoomCode, oneshot::Receiver<()>), NotPaired> {
        let PairedRoom { game, players, members, address } = paired;
        if self.context.cluster.as_ref().is_some_and(|cluster| !cluster.node.is_current()) {
            return Err(Refusal::new(Reason::Unavailable).into());
        }
        let mut makers = lock(&self.makers);
        if makers.total() >= self.context.limits.rooms_max {
            return Err(Refusal::new(Reason::ServerFull).into());
        }
        self.context.disk.may_grow()?;
        let host = self.pairing_host.clone();
        let mut spared = Vec::new();
        self.make_place_at(&makers, &host.id, address, &mut spared)?;
        let command = ids::command_id();
        let create = create(game.settings);
        let founder = host.clone();
        let (room, effects) = self.found(founder, command.clone(), create, false, Some(players))?;
        let code = room.code().clone();
        self.paired_games().begin(&code, game).map_err(NotPaired::Playing)?;
        if let Err(refusal) = self.close_spared(&mut makers, &spared) {
            self.paired_games().withdraw(&code);
            return Err(refusal.into());
        }
        let (on_stored, stored) = oneshot::channel();
        let opened = Opened {
            room,
            effects,
            epoch: Epoch::FIRST,
            opened_at: self.context.clock.now(),
            is_new: false,
            handover: None,
            paired: Some(Box::new(PairedStart { members, on_stored })),
        };
        let maker = Maker { member: host.id, address: Some(address) };
        self.open(&mut makers, maker, command, opened);
        Ok((code, stored))
    }
}

/// First puts the first stone.
const fn create(GameSettings { rules, time, opening }: GameSettings) -> Create {
    Create {
        rules,
        visibility: Visibility::Private,
        assistance: false,
        seats: [SeatRequest::Open; 2],
        colour: Colour::Black,
        time,
        opening,
        chat: true,
    }
}
