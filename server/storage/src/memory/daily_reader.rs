//! What places in daily games have to do with accounts, and reading them, in memory.

use std::mem;

use fivefold_shared::{
    clock::TimeOff,
    protocol::{CommandId, MemberId, RoomCode},
};

use super::{Memory, OpenRoom, Tables, daily_seats::DailyPlaces};
use crate::{
    AccountChanged, Append, Call, ConditionalMovesStep, DailyNews, DailyReader, DailySeat,
    OwnDailyGames, StorageError,
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
        let DailyPlaces { mut moves, mut moves_new, .. } = mem::take(&mut room.daily);
        let has_place = |member: &MemberId| now.seats.iter().any(|seat| seat.member == *member);
        moves.retain(|member, _| has_place(member));
        moves_new.retain(has_place);
        room.daily = DailyPlaces { now: now.into_owned(), leavers, off, moves, moves_new };
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
                    room.daily.moves.remove(member);
                    room.daily.moves.extend(moves.clone().map(|moves| (member.clone(), moves)));
                    room.daily.moves_new.insert(member.clone());
                }
                if own.is_empty() { AccountChanged::Gone } else { AccountChanged::Done }
            }
            ConditionalMovesStep::Told { room, epoch, moves } => {
                let room = self.rooms.get_mut(room).filter(|room| room.epoch.0 == *epoch);
                let known = room.map(|room| &mut room.daily);
                let known = known.filter(|places| places.moves.get(member) == moves.as_ref());
                match known.map(|places| places.moves_new.remove(member)) {
                    Some(_) => AccountChanged::Done,
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
    ) -> Result<Vec<(RoomCode, Option<String>)>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let own = tables.accounts.with_aliases(member);
        let places = tables.rooms.iter().flat_map(|(code, room)| {
            let places = own.iter().filter(|member| room.daily.has(member));
            places.map(|member| (code.clone(), room.daily.moves.get(member).cloned()))
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
