//! The running games of paired players: nobody is in two of them. Rooms report here when such a game
//! begins and ends, and the pairing takes the ends from here. Daily games are not among them: people
//! play others beside.
//!
//! It does not know why people are paired.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::{
    protocol::{GameSettings, MemberId, Player, RoomCode},
    room::Room,
    seat::{BySeat, Seat},
};
use fivefold_storage::Playing;
use tokio::sync::Notify;

use crate::net::shrink::shrink;

/// The running games of all paired rooms.
#[derive(Debug, Default)]
pub(crate) struct PairedGames {
    /// Locked only to look up or change an entry; no other lock is taken with it.
    state: Mutex<State>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    players: HashMap<MemberId, (RoomCode, Seat)>,
    games: HashMap<RoomCode, PairedGame>,
    /// At most one for each game that was running when they were taken last.
    ends: Vec<GameEnd>,
}

/// A game of two players who were paired.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PairedGame {
    pub(crate) settings: GameSettings,
    pub(crate) players: BySeat<MemberId>,
}

/// The end of a paired room's game. It is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GameEnd {
    pub(crate) room: RoomCode,
    /// The player who left the game before it began.
    pub(crate) aborted_by: Option<MemberId>,
}

impl PairedGames {
    /// Begins a game, unless it is daily. The same room may begin again. Returns whether the game
    /// counts, and the room had none.
    ///
    /// # Errors
    /// If one of the players is in the game of another room.
    pub(crate) fn begin(&self, room: &RoomCode, game: PairedGame) -> Result<bool, Playing> {
        if game.settings.time.is_daily() {
            return Ok(false);
        }
        let mut state = self.lock();
        match state.elsewhere(room, &game) {
            Some(playing) => Err(playing),
            None => Ok(state.insert(room, game).is_none()),
        }
    }

    /// Takes in a game that is running by the room's log.
    ///
    /// # Errors
    /// If one of the players is in the game of another room, too. The one of this room counts.
    pub(crate) fn restore(&self, room: &RoomCode, game: PairedGame) -> Result<(), Playing> {
        let mut state = self.lock();
        let elsewhere = state.elsewhere(room, &game);
        state.insert(room, game);
        elsewhere.map_or(Ok(()), Err)
    }

    /// Ends a room's game, if one is running. `next` is its next game, if that has begun already.
    pub(crate) fn end(&self, room: &RoomCode, aborted_by: Option<Seat>, next: Option<PairedGame>) {
        let mut state = self.lock();
        let Some(PairedGame { players, .. }) = state.remove(room) else { return };
        let aborted_by = aborted_by.map(|seat| players[seat].clone());
        state.ends.push(GameEnd { room: room.clone(), aborted_by });
        if let Some(next) = next {
            state.insert(room, next);
        }
        drop(state);
        self.ended.notify_one();
    }

    /// Forgets a room's game: it did not begin after all, or the room goes to another node.
    pub(crate) fn withdraw(&self, room: &RoomCode) {
        self.lock().remove(room);
    }

    /// The game in which this member plays, if any.
    pub(crate) fn of(&self, member: &MemberId) -> Option<Playing> {
        let (room, seat) = self.lock().players.get(member)?.clone();
        Some(Playing { member: member.clone(), room, seat })
    }

    /// How many games are running, by how they are played, rated or not.
    pub(crate) fn count(&self) -> HashMap<GameSettings, usize> {
        let mut counts = HashMap::new();
        for game in self.lock().games.values() {
            *counts.entry(game.settings.casual()).or_default() += 1;
        }
        counts
    }

    /// Waits until a game has ended. Cancel safe.
    pub(crate) async fn ended(&self) {
        self.ended.notified().await;
    }

    /// Takes the ends since the last call.
    pub(crate) fn take_ends(&self) -> Vec<GameEnd> {
        std::mem::take(&mut self.lock().ends)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A player of this game who is in the game of another room.
    fn elsewhere(&self, room: &RoomCode, game: &PairedGame) -> Option<Playing> {
        Seat::BOTH.into_iter().find_map(|seat| {
            let member = &game.players[seat];
            let (other, seat) = self.players.get(member).filter(|(other, _)| other != room)?;
            Some(Playing { member: member.clone(), room: other.clone(), seat: *seat })
        })
    }

    /// Returns the room's game before.
    fn insert(&mut self, room: &RoomCode, game: PairedGame) -> Option<PairedGame> {
        let before = self.remove(room);
        for seat in Seat::BOTH {
            self.players.insert(game.players[seat].clone(), (room.clone(), seat));
        }
        self.games.insert(room.clone(), game);
        before
    }

    fn remove(&mut self, room: &RoomCode) -> Option<PairedGame> {
        let game = self.games.remove(room)?;
        for seat in Seat::BOTH {
            let member = &game.players[seat];
            if self.players.get(member).is_some_and(|(other, _)| other == room) {
                self.players.remove(member);
            }
        }
        shrink(&mut self.players);
        shrink(&mut self.games);
        Some(game)
    }
}

impl PairedGame {
    /// The running game of a room of paired players, if that is between people.
    pub(crate) fn running(room: &Room) -> Option<Self> {
        room.state().paired_players().map(|players| Self::new(room, players))
    }

    /// The game of a room in which two people have the seats, or will when `sitter` has sat down.
    pub(crate) fn of(room: &Room, sitter: Option<&MemberId>) -> Option<Self> {
        let state = room.state();
        let member = |seat| match state.seats.get(seat) {
            Some(Player::Member { member, .. }) => Some(member.clone()),
            Some(Player::Bot { .. }) => None,
            None => sitter.cloned(),
        };
        let players = BySeat { first: member(Seat::First)?, second: member(Seat::Second)? };
        Some(Self::new(room, players))
    }

    fn new(room: &Room, players: BySeat<MemberId>) -> Self {
        let state = room.state();
        let (rules, time, opening) = (state.rules, state.time, state.opening);
        let rated = state.running().is_some_and(|game| game.rated);
        Self { settings: GameSettings { rules, time, opening, rated }, players }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::{clock::TimeControl, opening::OpeningKind, rules::Rules};

    use super::*;
    use crate::process::ids;

    fn game(first: &MemberId, second: &MemberId) -> PairedGame {
        let (time, opening) = (TimeControl::None, OpeningKind::Free);
        let settings = GameSettings { rules: Rules::TIC_TAC_TOE, time, opening, rated: false };
        PairedGame { settings, players: BySeat { first: first.clone(), second: second.clone() } }
    }

    #[test]
    fn nobody_is_in_two_games() {
        let games = PairedGames::default();
        let [ann, bob, eve] = std::array::from_fn(|_| ids::member_id(&ids::identity()));
        let [one, two] = std::array::from_fn(|_| ids::room_code());
        assert_eq!(games.begin(&one, game(&ann, &bob)), Ok(true));
        assert_eq!(games.begin(&one, game(&ann, &bob)), Ok(false));
        let playing = Playing { member: bob.clone(), room: one.clone(), seat: Seat::Second };
        assert_eq!(games.begin(&two, game(&eve, &bob)), Err(playing.clone()));
        assert_eq!((games.of(&bob), games.of(&eve)), (Some(playing), None));
        assert_eq!(games.count().into_values().collect::<Vec<_>>(), [1]);

        games.end(&one, Some(Seat::First), Some(game(&bob, &ann)));
        assert_eq!(games.of(&bob).unwrap().seat, Seat::First);
        let end = GameEnd { room: one.clone(), aborted_by: Some(ann) };
        assert_eq!(games.take_ends(), [end]);
        games.end(&one, None, None);
        games.end(&one, None, None);
        let end = GameEnd { room: one, aborted_by: None };
        assert_eq!((games.take_ends(), games.take_ends()), (vec![end], vec![]));
        assert_eq!(games.begin(&two, game(&eve, &bob)), Ok(true));
        games.withdraw(&two);
        assert_eq!((games.of(&bob), games.take_ends()), (None, vec![]));
    }

    #[test]
    fn a_game_in_a_log_counts_before_one_that_is_about_to_begin() {
        let games = PairedGames::default();
        let [ann, bob, eve] = std::array::from_fn(|_| ids::member_id(&ids::identity()));
        let [one, two] = std::array::from_fn(|_| ids::room_code());
        assert_eq!(games.begin(&one, game(&ann, &bob)), Ok(true));
        let playing = Playing { member: bob.clone(), room: one.clone(), seat: Seat::Second };
        assert_eq!(games.restore(&two, game(&eve, &bob)), Err(playing));
        // The other one cannot be stored.
        games.withdraw(&one);
        assert_eq!(games.of(&ann), None);
        assert_eq!(games.of(&bob).map(|playing| playing.room), Some(two.clone()));
        assert_eq!(games.restore(&two, game(&bob, &eve)), Ok(()));
        assert_eq!(games.of(&bob).map(|playing| playing.seat), Some(Seat::First));
    }
}
