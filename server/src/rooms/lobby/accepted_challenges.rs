//! Rooms for two friends, one of whom has left a challenge for the other.

use std::{net::IpAddr, sync::Arc};

use fivefold_shared::{
    protocol::{CommandId, MemberId, Player, Reason, Refusal, RoomCode},
    room::Terms,
    seat::BySeat,
};
use fivefold_storage::{FriendChallenge, IdentityHash, KnownMember, Reader};
use tokio::time::Instant;

use super::{
    Lobby,
    paired::{NotPaired, PairedRoom},
};
use crate::{
    limits::challenges::FRIEND_CHALLENGE_PAIRED_WITHIN, moderation::dealings::of_two,
    process::read_pool::ReadError, rooms::paired_games::PairedGame,
};

impl Lobby {
    /// Whether both may take a place in one more daily game: the challenger, and the one who accepts. A game that one
    /// of them begins at the same moment is not noticed.
    ///
    /// # Errors
    /// If one of them has too many, or that cannot be read.
    async fn may_pair_friends(&self, [challenger, other]: &[MemberId; 2]) -> Result<(), Refusal> {
        self.may_take_daily_place(other).await?;
        self.may_take_daily_place(challenger).await.map_err(|refusal| match refusal.reason {
            Reason::TooManyDailyGames => Refusal::new(Reason::OpponentTooManyGames),
            _ => refusal,
        })
    }

    /// Makes the room of a daily game for a challenge, or finds the one that was made for it before: a server may have
    /// failed before it could end the challenge. The room counts for this address. The first of the two players is the
    /// challenger, who puts the first stone in every second game. Returns when the room is stored.
    ///
    /// Call it for one challenge once at a time: `taken_at` is before the challenge was taken for this.
    ///
    /// # Errors
    /// If one of them is not stored, a limit is reached, the challenge was taken too long ago, or the room cannot be
    /// stored.
    pub(crate) async fn pair_friends(
        self: &Arc<Self>,
        players: [MemberId; 2],
        FriendChallenge { settings, at, .. }: &FriendChallenge,
        address: IpAddr,
        taken_at: Instant,
    ) -> Result<RoomCode, Refusal> {
        let (settings, command) = (*settings, command_of(&players[0], *at));
        if let Some(room) = self.room_of_both(&players, &command).await? {
            return Ok(room);
        }
        self.may_pair_friends(&players).await?;
        let [challenger, other] = players;
        let now = self.context.clock.now();
        let (first, second) =
            if now.is_multiple_of(2) { (challenger, other) } else { (other, challenger) };
        let ids = BySeat { first, second };
        let read_pool = &self.context.read_pool;
        let wanted = ids.clone();
        let stored = move |reader: &mut Reader| {
            let mut known = |id: &MemberId| reader.member(id, IdentityHash([0; 32]));
            Ok(known(&wanted.first)?.zip(known(&wanted.second)?))
        };
        let stored = read_pool.read(stored).await.map_err(ReadError::from)?;
        let (first, second) = stored.ok_or_else(|| Refusal::new(Reason::NoSuchPlayer))?;
        let terms = if settings.rated {
            let shortest = self.context.limits.room.rematch_after;
            let dealings = of_two(Arc::clone(read_pool), ids.clone(), now, shortest).await;
            Terms::of(dealings.map_err(ReadError::from)?)
        } else {
            Terms::CASUAL
        };
        let settings = if terms.rated { settings } else { settings.casual() };
        let players = BySeat { first: player(&first), second: player(&second) };
        let game = PairedGame { settings, players: ids };
        let members = vec![first, second];
        let room = PairedRoom { game, terms, players, members, address, command };
        let unavailable = || Refusal::new(Reason::Unavailable);
        if taken_at.elapsed() > FRIEND_CHALLENGE_PAIRED_WITHIN {
            // Soon another attempt may take it, which would not find this room yet.
            return Err(unavailable());
        }
        let (code, stored) = self.pair(room).map_err(|not_paired| match not_paired {
            NotPaired::Refused(refusal) => refusal,
            // Daily games do not stand in each other's way.
            NotPaired::Playing(_) => unavailable(),
        })?;
        match stored.await {
            Ok(Ok(())) => Ok(code),
            Ok(Err(_)) | Err(_) => Err(unavailable()),
        }
    }

    /// The room in which both have places that came from this command. Both are looked up, because a player can send
    /// the same command to make a room of their own.
    async fn room_of_both(
        &self,
        [one, other]: &[MemberId; 2],
        command: &CommandId,
    ) -> Result<Option<RoomCode>, Refusal> {
        let Some(room) = self.made_daily(one, command).await? else { return Ok(None) };
        let others = self.made_daily(other, command).await?;
        Ok(others.filter(|others| *others == room))
    }
}

/// The command with which the room for a challenge is made.
fn command_of(challenger: &MemberId, at: u64) -> CommandId {
    CommandId::try_from(format!("{}-{at:x}", challenger.as_str()))
        .expect("a few printable characters")
}

fn player(known: &KnownMember) -> Player {
    Player::Member { member: known.id.clone(), name: known.name.clone(), engine: false }
}
