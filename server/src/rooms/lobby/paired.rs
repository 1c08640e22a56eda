//! Rooms for players who are paired. They belong to no host, and count for the address of the first
//! player.

use std::{net::IpAddr, sync::Arc};

use fivefold_shared::{
    protocol::{
        Colour, CommandId, Create, GameSettings, MemberId, Player, Reason, Refusal, RoomCode,
        SeatRequest, Visibility,
    },
    room::{Pair, Terms},
    seat::{BySeat, Seat},
};
use fivefold_storage::{KnownMember, Playing};
use tokio::sync::oneshot;

use super::{Lobby, Maker, lock};
use crate::{
    process::read_pool::ReadError,
    rooms::{
        daily_places::may_take_place,
        paired_games::{PairedGame, PairedGames},
        room_actor::{Opened, PairedStart},
    },
};

/// A room to make for two players.
#[derive(Debug)]
pub(crate) struct PairedRoom {
    pub(crate) game: PairedGame,
    /// How their first game counts.
    pub(crate) terms: Terms,
    pub(crate) players: BySeat<Player>,
    /// The players as the storage keeps them.
    pub(crate) members: Vec<KnownMember>,
    /// The address of the first player.
    pub(crate) address: IpAddr,
    /// The command with which it is made. In a daily game, it is stored with the places of both players.
    pub(crate) command: CommandId,
}

/// Why no room can be made for two players.
#[derive(Debug)]
pub(crate) enum NotPaired {
    /// One of them is in the game of another paired room.
    Playing(Playing),
    /// A limit is reached, or the server cannot make rooms now.
    Refused(Refusal),
}

/// Whether players who are paired may begin a daily game.
#[derive(Debug)]
pub(crate) enum DailyStart {
    /// Both may. It is taken from the allowances of these addresses, and given back by
    /// [`Lobby::give_back_daily`] if it does not begin.
    May(Vec<IpAddr>),
    /// Those with a refusal may not.
    MayNot(BySeat<Option<Refusal>>),
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

    /// The game of this member in a paired room, on any node. It is stored where there are other
    /// nodes; a node that is alone knows it from its beginning on.
    ///
    /// # Errors
    /// If it cannot be looked up.
    pub(crate) async fn playing(&self, member: &MemberId) -> Result<Option<Playing>, Refusal> {
        let Some(cluster) = &self.context.cluster else {
            return Ok(self.paired_games().of(member));
        };
        let member = member.clone();
        // Each session waits for one read, and the pairing for one.
        let playing = cluster.rooms.read(move |rooms| rooms.playing(&member)).await;
        Ok(playing.map_err(ReadError::from)?)
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
        self.make_place_at(&makers, None, address, &mut Vec::new())?;
        if !makers.may_ask(address, tokio::time::Instant::now(), &self.context.limits) {
            return Err(Refusal::new(Reason::TooManyRoomsMade));
        }
        Ok(())
    }

    /// Whether a guest may seek a daily game from this address. The game counts only when it begins.
    ///
    /// # Errors
    /// If guests from there have begun too many.
    pub(crate) fn may_seek_daily_as_guest(&self, address: IpAddr) -> Result<(), Refusal> {
        let now = tokio::time::Instant::now();
        if lock(&self.makers).has_daily(address, now, &self.context.limits) {
            return Ok(());
        }
        Err(Refusal::new(Reason::TooManyRoomsMade))
    }

    /// Whether players who are paired, with their addresses, may begin a daily game now. They may have found others since
    /// they began to seek. If both may begin it, it is taken from the allowances of guests' addresses.
    ///
    /// # Errors
    /// If it cannot be looked up.
    pub(crate) async fn begin_daily(
        &self,
        players: BySeat<(MemberId, Option<IpAddr>)>,
    ) -> Result<DailyStart, Refusal> {
        let (mut refusals, mut guests) = (BySeat { first: None, second: None }, Vec::new());
        let BySeat { first, second } = players;
        for (seat, (member, address)) in [(Seat::First, first), (Seat::Second, second)] {
            match may_take_place(&self.context.read_pool, member, None).await {
                Ok(true) => {}
                Ok(false) => guests.extend(address.map(|address| (seat, address))),
                Err(refusal) if refusal.reason == Reason::TooManyDailyGames => {
                    refusals[seat] = Some(refusal);
                }
                Err(refusal) => return Err(refusal),
            }
        }
        let nobody = BySeat::<Option<Refusal>> { first: None, second: None };
        if refusals != nobody {
            return Ok(DailyStart::MayNot(refusals));
        }
        let (mut makers, now) = (lock(&self.makers), tokio::time::Instant::now());
        for (seat, address) in &guests {
            if !makers.has_daily(*address, now, &self.context.limits) {
                refusals[*seat] = Some(Refusal::new(Reason::TooManyRoomsMade));
            }
        }
        if refusals != nobody {
            return Ok(DailyStart::MayNot(refusals));
        }
        let mut taken: Vec<_> = guests.into_iter().map(|(_, address)| address).collect();
        // Two guests at one address begin its last game together.
        taken.retain(|address| makers.take_daily(*address, now, &self.context.limits));
        Ok(DailyStart::May(taken))
    }

    /// Gives back what [`begin_daily`](Self::begin_daily) has taken from these addresses: the game has not begun.
    pub(crate) fn give_back_daily(&self, taken: &[IpAddr]) {
        let (mut makers, now) = (lock(&self.makers), tokio::time::Instant::now());
        for address in taken {
            makers.give_back_daily(*address, now);
        }
    }

    /// Makes a room for two players. The receiver gets `Ok` when the room is stored, and the game of a
    /// player who is in another one, as another node knew before; if the sender is dropped, the room
    /// cannot be stored. A room that is not stored is gone.
    ///
    /// # Errors
    /// If one of them is in another game here, or a limit is reached.
    pub(crate) fn pair(
        self: &Arc<Self>,
        paired: PairedRoom,
    ) -> Result<(RoomCode, oneshot::Receiver<Result<(), Playing>>), NotPaired> {
        let PairedRoom { mut game, mut terms, players, members, address, command } = paired;
        let (sanctions, now) = (&self.context.sanctions, self.context.clock.now());
        if game.settings.rated && !sanctions.may_both_play_rated(&game.players, now) {
            // An operator has decided so since they began to seek: they play as with a guest.
            (game.settings, terms) = (game.settings.casual(), Terms::CASUAL);
        }
        if self.context.cluster.as_ref().is_some_and(|cluster| !cluster.node.is_current()) {
            return Err(Refusal::new(Reason::Unavailable).into());
        }
        let mut makers = lock(&self.makers);
        if makers.total() >= self.context.limits.rooms_max {
            return Err(Refusal::new(Reason::ServerFull).into());
        }
        self.context.disk.may_grow()?;
        let mut spared = Vec::new();
        self.make_place_at(&makers, None, address, &mut spared)?;
        let create = create(game.settings);
        let founder = self.pairing_host.clone();
        let pair = Pair { players, terms };
        let founded = self.found(founder, command.clone(), create, false, Some(pair))?;
        let code = founded.room.code().clone();
        self.paired_games().begin(&code, game).map_err(NotPaired::Playing)?;
        if let Err(refusal) = self.close_spared(&mut makers, &spared) {
            self.paired_games().withdraw(&code);
            return Err(refusal.into());
        }
        let (on_stored, stored) = oneshot::channel();
        let paired = Some(Box::new(PairedStart { members, on_stored }));
        let opened = Opened { paired, ..founded };
        let maker = Maker { member: None, address: Some(address) };
        self.open(&mut makers, maker, command, opened);
        Ok((code, stored))
    }
}

/// First puts the first stone.
const fn create(GameSettings { rules, time, opening, rated: _ }: GameSettings) -> Create {
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
