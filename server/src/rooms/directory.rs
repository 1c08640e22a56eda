//! The directory of open rooms: the current standing of each room, and the rooms of each member.
//! Rooms report every change here, so that nobody has to query them.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::{
    protocol::{
        CommandId, MemberId, OwnRoom, Player, Reason, Refusal, RoomCode, Seats, Visibility,
    },
    room::{Room, Standing},
    rules::Point,
    seat::Seat,
};

use crate::{
    limits::{LISTED_MOVES_MAX, Limits},
    net::{
        network::{Network, NetworkCounts},
        shrink::shrink,
    },
    rooms::{
        listed_room::{ListedRoom, own_room},
        paired_games::{PairedGame, PairedGames},
    },
};

/// The rooms of each member: the ones they created, and the ones where they have a seat. A room has
/// at most three such members, so the number of open rooms bounds the index.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    /// The rooms of each member, newest last. Locked only to look up or change an entry.
    rooms: Mutex<HashMap<MemberId, Vec<RoomCode>>>,
    /// Locked only to count.
    bot_rooms: Mutex<BotRooms>,
    paired_games: PairedGames,
}

/// Rooms in which bots have both seats.
#[derive(Debug, Default)]
struct BotRooms {
    total: usize,
    from: NetworkCounts,
}

/// The entry of one open room. The room keeps it up to date.
#[derive(Debug)]
pub(crate) struct Listed {
    directory: Arc<Directory>,
    host: MemberId,
    /// The command that made the room.
    command: CommandId,
    /// Address that the room was created from, if known.
    address: Option<IpAddr>,
    visibility: Visibility,
    /// Whether the room was made for players who were paired.
    is_paired: bool,
    /// Locked only to copy or change it; no other lock is taken with it.
    state: Mutex<State>,
}

/// The changing part of a room's entry.
#[derive(Debug)]
struct State {
    standing: Standing,
    /// The game of a public room, for previews of its link; see [`shown_moves`].
    moves: Vec<Point>,
    /// Whether the room counts, or is about to count, as a room with bots in both seats.
    counts_as_bots: bool,
    /// Whether the room must close to make room for another.
    evicted: bool,
}

impl Directory {
    /// The running games of paired players.
    pub(crate) const fn paired_games(&self) -> &PairedGames {
        &self.paired_games
    }

    /// The rooms of a member, the oldest first.
    pub(crate) fn rooms_of(&self, member: &MemberId) -> Vec<RoomCode> {
        self.lock().get(member).cloned().unwrap_or_default()
    }

    /// Adds a room that was created from this address. With `is_entered`, its creator is about to
    /// enter, and the room does not count as empty before that.
    pub(crate) fn list(
        self: &Arc<Self>,
        room: &Room,
        command: CommandId,
        address: Option<IpAddr>,
        is_entered: bool,
    ) -> Arc<Listed> {
        let standing = Standing { is_empty: !is_entered, ..room.standing() };
        let seats = standing.summary.seats.clone();
        let counts_as_bots = standing.is_of_bots();
        if counts_as_bots {
            self.bot_rooms().add(address);
        }
        let listed = Listed {
            directory: Arc::clone(self),
            host: room.host().clone(),
            command,
            address,
            visibility: room.visibility(),
            is_paired: room.state().paired,
            state: Mutex::new(State {
                standing,
                moves: shown_moves(room.visibility(), game_moves(room)).to_vec(),
                counts_as_bots,
                evicted: false,
            }),
        };
        let mut rooms = self.lock();
        for member in listed.members(&seats) {
            rooms.entry(member.clone()).or_default().push(room.code().clone());
        }
        drop(rooms);
        if let Some(game) = PairedGame::running(room)
            && let Err(playing) = self.paired_games.restore(room.code(), game)
        {
            tracing::error!(room.id = %room.code(), other = %playing.room, "a player is in two paired games");
        }
        Arc::new(listed)
    }

    /// Whether one more room from this address may have bots in both seats.
    ///
    /// # Errors
    /// If there are too many such rooms, on the server or from the address.
    pub(crate) fn may_seat_bots(
        &self,
        address: Option<IpAddr>,
        limits: &Limits,
    ) -> Result<(), Refusal> {
        self.bot_rooms().has_place(address, limits)
    }

    /// Number of rooms in which two bots play.
    pub(crate) fn count_bot_rooms(&self) -> usize {
        self.bot_rooms().total
    }

    /// The networks with more than a quarter of the rooms of bots that they may have.
    pub(crate) fn bot_rooms_above_quarter(&self, per_address_max: usize) -> Vec<(Network, usize)> {
        self.bot_rooms().from.above_quarter(per_address_max)
    }

    /// Counts in the rooms of bots that networks have on other nodes.
    pub(crate) fn set_bot_rooms_elsewhere(&self, counts: HashMap<Network, usize>) {
        self.bot_rooms().from.set_elsewhere(counts);
    }

    fn bot_rooms(&self) -> MutexGuard<'_, BotRooms> {
        // Nothing panics between two changes that belong together.
        self.bot_rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<MemberId, Vec<RoomCode>>> {
        // Nothing panics between two changes that belong together.
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BotRooms {
    fn has_place(&self, address: Option<IpAddr>, limits: &Limits) -> Result<(), Refusal> {
        if self.total >= limits.bot_rooms_max {
            return Err(Refusal::new(Reason::TooManyBotRooms));
        }
        let max = limits.bot_rooms_per_address_max;
        if address.is_some_and(|address| !self.from.has_place(address, max)) {
            return Err(Refusal::new(Reason::TooManyBotRooms));
        }
        Ok(())
    }

    fn add(&mut self, address: Option<IpAddr>) {
        self.total += 1;
        if let Some(address) = address {
            self.from.add(address);
        }
    }

    fn remove(&mut self, address: Option<IpAddr>) {
        self.total -= 1;
        if let Some(address) = address {
            self.from.remove(address);
        }
    }
}

impl Listed {
    /// Whether the room is in the public list.
    pub(crate) fn is_public(&self) -> bool {
        match self.visibility {
            Visibility::Public => !self.lock().standing.is_closed,
            Visibility::Private => false,
        }
    }

    /// The command that made the room.
    pub(crate) const fn command(&self) -> &CommandId {
        &self.command
    }

    /// A copy of the room's standing.
    pub(crate) fn standing(&self) -> Standing {
        self.lock().standing.clone()
    }

    /// Reads part of the room's standing without copying the rest.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Standing) -> T) -> T {
        read(&self.lock().standing)
    }

    /// The members who have seats.
    pub(crate) fn seated(&self) -> Vec<MemberId> {
        self.read(|standing| seated(&standing.summary.seats).cloned().collect())
    }

    /// Records a change. Updates the index only if the seats changed, and returns whether they did.
    pub(crate) fn update(&self, room: &Room) -> bool {
        let (changed, of_bots, counted) = {
            let mut state = self.lock();
            let before = room.update_standing(&mut state.standing);
            let moves = shown_moves(self.visibility, game_moves(room));
            if state.moves != moves {
                state.moves.clear();
                state.moves.extend_from_slice(moves);
            }
            let changed = before.map(|before| (before, state.standing.summary.seats.clone()));
            let of_bots = state.standing.is_of_bots();
            (changed, of_bots, std::mem::replace(&mut state.counts_as_bots, of_bots))
        };
        match (counted, of_bots) {
            (false, true) => self.directory.bot_rooms().add(self.address),
            (true, false) => self.directory.bot_rooms().remove(self.address),
            (true, true) | (false, false) => {}
        }
        if let Some((before, now)) = &changed {
            self.move_members(room.code(), before, now);
        }
        changed.is_some()
    }

    /// Reserves a slot for this room as one with bots in both seats. If it does not become one,
    /// [`update`](Self::update) frees the slot.
    ///
    /// # Errors
    /// If there are too many such rooms.
    pub(crate) fn take_bots_place(&self, limits: &Limits) -> Result<(), Refusal> {
        if self.lock().counts_as_bots {
            return Ok(());
        }
        let mut bot_rooms = self.directory.bot_rooms();
        bot_rooms.has_place(self.address, limits)?;
        bot_rooms.add(self.address);
        drop(bot_rooms);
        self.lock().counts_as_bots = true;
        Ok(())
    }

    /// The running games of paired players, in a room that was made for such.
    pub(crate) fn paired_games(&self) -> Option<&PairedGames> {
        self.is_paired.then_some(&self.directory.paired_games)
    }

    /// Marks the room to be closed, if it can still be spared. Returns whether it is now marked.
    pub(crate) fn evict(&self) -> bool {
        let mut state = self.lock();
        state.evicted |= state.standing.spare().is_some();
        state.evicted
    }

    /// Whether the room must close to make room for another.
    pub(crate) fn is_evicted(&self) -> bool {
        self.lock().evicted
    }

    /// Removes the entry of a room that has closed, or is not this node's any more.
    pub(crate) fn remove(&self, code: &RoomCode) {
        let Standing { summary, is_closed, .. } = self.standing();
        match self.paired_games() {
            Some(games) if is_closed => games.end(code, None, None),
            // The game goes on at the next start or on another node, if the room was stored.
            Some(games) => games.withdraw(code),
            None => {}
        }
        let seats = summary.seats;
        if std::mem::take(&mut self.lock().counts_as_bots) {
            self.directory.bot_rooms().remove(self.address);
        }
        let mut rooms = self.directory.lock();
        for member in self.members(&seats) {
            forget(&mut rooms, member, code);
        }
    }

    /// The room's line in `own_rooms` for this member, if they have a place there.
    pub(crate) fn own_room(&self, member: &MemberId) -> Option<OwnRoom> {
        let Standing { summary, is_closed, .. } = self.standing();
        let own = own_room(summary, self.visibility, self.host == *member, member);
        (!is_closed && (own.host || own.seat.is_some())).then_some(own)
    }

    /// The room as lists and previews show it.
    pub(crate) fn listed_room(&self) -> ListedRoom {
        let State { standing, moves, .. } = &*self.lock();
        ListedRoom {
            summary: standing.summary.clone(),
            visibility: self.visibility,
            moves: moves.clone(),
            host: self.host.clone(),
        }
    }

    /// The members whose lists show the room.
    pub(crate) fn all_members(&self) -> Vec<MemberId> {
        let seats = self.read(|standing| standing.summary.seats.clone());
        self.members(&seats).cloned().collect()
    }

    /// The host and the seated members, each once. Nobody looks for the rooms of the server, which is the host of
    /// paired players.
    fn members<'a>(&'a self, seats: &'a Seats) -> impl Iterator<Item = &'a MemberId> {
        let host = (!self.is_paired).then_some(&self.host);
        host.into_iter().chain(seated(seats).filter(|member| **member != self.host))
    }

    fn move_members(&self, code: &RoomCode, before: &Seats, now: &Seats) {
        let mut rooms = self.directory.lock();
        let is_in = |seats: &Seats, member: &MemberId| seats.of_member(member).is_some();
        for member in seated(before).filter(|member| **member != self.host) {
            if !is_in(now, member) {
                forget(&mut rooms, member, code);
            }
        }
        for member in seated(now).filter(|member| **member != self.host) {
            if !is_in(before, member) {
                rooms.entry(member.clone()).or_default().push(code.clone());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The moves that everybody may see: those of a public room's game, if a link can hold them.
fn shown_moves(visibility: Visibility, moves: &[Point]) -> &[Point] {
    match visibility {
        Visibility::Public if moves.len() <= LISTED_MOVES_MAX => moves,
        Visibility::Public | Visibility::Private => &[],
    }
}

fn game_moves(room: &Room) -> &[Point] {
    room.state().game.as_ref().map_or(&[], |game| game.position.moves())
}

/// The members who have seats; nobody has both.
pub(crate) fn seated(seats: &Seats) -> impl Iterator<Item = &MemberId> {
    Seat::BOTH.into_iter().filter_map(|seat| member_of(seats.get(seat)?))
}

/// The member who plays; nobody for a bot of the server.
pub(crate) const fn member_of(player: &Player) -> Option<&MemberId> {
    match player {
        Player::Member { member, .. } => Some(member),
        Player::Bot { .. } => None,
    }
}

fn forget(rooms: &mut HashMap<MemberId, Vec<RoomCode>>, member: &MemberId, code: &RoomCode) {
    if let Some(own) = rooms.get_mut(member) {
        own.retain(|open| open != code);
        if own.is_empty() {
            rooms.remove(member);
            shrink(rooms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_may_see_public_games_of_a_length_for_links() {
        let moves: Vec<_> = (0..).map(|x| Point::new(x, 0)).take(LISTED_MOVES_MAX + 1).collect();
        let longest = &moves[..LISTED_MOVES_MAX];
        assert_eq!(shown_moves(Visibility::Public, longest), longest);
        assert_eq!(shown_moves(Visibility::Public, &moves), []);
        assert_eq!(shown_moves(Visibility::Private, longest), []);
    }
}
