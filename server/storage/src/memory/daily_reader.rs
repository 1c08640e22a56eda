//! What places in daily games have to do with accounts, and reading them, in memory.

use std::mem;

use fivefold_shared::{
    clock::TimeOff,
    protocol::{CommandId, MemberId, RoomCode},
};

use super::{Memory, OpenRoom, Tables, daily_seats::DailyPlaces};
use crate::{
    AccountChanged, Append, Call, ConditionalMovesStep, DailyNews, DailyReader, DailySeat,
    DailySeats, OwnDailyGames, PlannedMoves, StorageError,
};

impl Tables {
    /// Takes in who has a place after an append to a room that is open.
    pub(super) fn note_daily(&mut self, append: &Append) {
        let Some(now) = append.now_daily() else { return };
        let Some(room) = self.rooms.get_mut(&append.room) else { return };
        let is_left = |member: &MemberId| {
            room.daily.leavers.contains(member)
                || self.accounts.has_row(member) && !self.accounts.is_there(member)
        };
        let members = now.seats.iter().map(|seat| &seat.member);
        let leavers = members.filter(|member| is_left(member)).cloned().collect();
        let off_of = |member: &MemberId| {
            let person = self.accounts.account_of_guest(member);
            let known = room.daily.has(member).then(|| room.daily.off.get(member).copied());
            let latest = || self.times_off.latest(person.as_ref().unwrap_or(member));
            known.unwrap_or_else(|| Some(latest()).filter(|off| off.is_open(now.at)))
        };
        let members = now.seats.iter().map(|seat| &seat.member);
        let off = members.filter_map(|member| Some((member.clone(), off_of(member)?))).collect();
        let mut moves = mem::take(&mut room.daily.moves);
        let has_place = |member: &MemberId| now.seats.iter().any(|seat| seat.member == *member);
        moves.retain(|member, _| has_place(member));
        let is_same = turns(&now) == turns(&room.daily.now);
        let turn_at = if is_same { room.daily.turn_at } else { now.at };
        room.daily = DailyPlaces { now: now.into_owned(), turn_at, leavers, off, moves };
    }

    /// Sets what a member plans in a room, or notes that the room knows it.
    pub(super) fn change_moves(
        &mut self,
        member: &MemberId,
        step: &ConditionalMovesStep,
    ) -> AccountChanged {
        match step {
            ConditionalMovesStep::Set { room, moves } => {
                let Some(room) = self.rooms.get_mut(room) else { return AccountChanged::Gone };
                let mut own = self.accounts.with_aliases(member);
                own.retain(|member| room.daily.has(member));
                for member in &own {
                    let known = room.daily.moves.entry(member.clone()).or_default();
                    known.0 = PlannedMoves { number: known.0.number + 1, moves: moves.clone() };
                }
                if own.is_empty() { AccountChanged::Gone } else { AccountChanged::Done }
            }
            ConditionalMovesStep::Told { room, epoch, number } => {
                let room = self.rooms.get_mut(room).filter(|room| room.epoch.0 == *epoch);
                let known = room.and_then(|room| room.daily.moves.get_mut(member));
                match known.filter(|(moves, told)| moves.number == *number && told != number) {
                    Some((_, told)) => {
                        *told = *number;
                        AccountChanged::Done
                    }
                    None => AccountChanged::Gone,
                }
            }
        }
    }

    /// Sets the time off of a member in their places, and of their guests. Their games have to learn it.
    pub(super) fn set_off(&mut self, member: &MemberId, off: TimeOff) {
        let own = self.accounts.with_aliases(member);
        for room in self.rooms.values_mut() {
            let theirs = own.iter().filter(|member| room.daily.has(member)).cloned();
            let theirs: Vec<_> = theirs.map(|member| (member, off)).collect();
            room.daily.off.extend(theirs);
        }
    }

    /// Marks the places of a member who is gone, and of their bots and guests.
    pub(super) fn mark_leaver(&mut self, member: &MemberId) {
        let bots = self.accounts.bots_of(&self.members, member).into_iter().map(|bot| bot.member);
        let gone: Vec<_> = self.accounts.with_aliases(member).into_iter().chain(bots).collect();
        for room in self.rooms.values_mut() {
            let theirs = gone.iter().filter(|member| room.daily.has(member));
            room.daily.leavers.extend(theirs.cloned().collect::<Vec<_>>());
        }
    }

    /// Whether a member has a place in the daily game of a room.
    pub(super) fn has_daily(&self, room: &RoomCode, member: &MemberId) -> bool {
        self.rooms.get(room).is_some_and(|room| room.daily.has(member))
    }
}

/// The members whose turn it is, and the numbers of their turns.
fn turns(places: &DailySeats) -> Vec<(&MemberId, u64)> {
    let turns = places.seats.iter().filter_map(|seat| Some((&seat.member, seat.turn?.number)));
    turns.collect()
}

impl DailyReader for Memory {
    fn daily_games(
        &mut self,
        member: &MemberId,
        except: Option<&RoomCode>,
    ) -> Result<OwnDailyGames, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let account = tables.accounts.account_of_guest(member);
        let person = account.as_ref().unwrap_or(member);
        let own = tables.accounts.with_aliases(person);
        let is_own = |(code, room): &(&RoomCode, &OpenRoom)| {
            Some(*code) != except && own.iter().any(|member| room.daily.has(member))
        };
        let rooms: Vec<_> = tables.rooms.iter().filter(is_own).collect();
        Ok(OwnDailyGames {
            has_account: tables.accounts.is_there(person),
            count: rooms.len(),
            positions: rooms.iter().filter_map(|(_, room)| room.daily.now.position).collect(),
        })
    }

    fn made_daily(
        &mut self,
        member: &MemberId,
        command: &CommandId,
    ) -> Result<Option<RoomCode>, StorageError> {
        let is_made =
            |seat: &DailySeat| seat.member == *member && seat.command.as_ref() == Some(command);
        let tables = self.tables_for(Call::Browse)?;
        let found = tables.rooms.iter().find(|(_, room)| room.daily.now.seats.iter().any(is_made));
        Ok(found.map(|(code, _)| code.clone()))
    }

    fn conditional_moves(
        &mut self,
        member: &MemberId,
    ) -> Result<Vec<(RoomCode, MemberId, Option<String>)>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let own = tables.accounts.with_aliases(member);
        let places = tables.rooms.iter().flat_map(|(code, room)| {
            let places = own.iter().filter(|member| room.daily.has(member));
            places.map(|member| {
                let planned = room.daily.moves.get(member);
                let moves = planned.and_then(|(planned, _)| planned.moves.clone());
                (code.clone(), member.clone(), moves)
            })
        });
        let mut places: Vec<_> = places.collect();
        places.sort();
        Ok(places)
    }

    fn daily_news(
        &mut self,
        max: usize,
    ) -> Result<Vec<(RoomCode, MemberId, DailyNews)>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let news = tables.rooms.iter().flat_map(|(code, room)| {
            room.daily.news().into_iter().map(|(member, news)| (code.clone(), member, news))
        });
        Ok(news.take(max).collect())
    }
}
