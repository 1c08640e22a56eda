//! Changing and reading pushes in memory.

use std::collections::HashMap;

use fivefold_shared::protocol::{MemberId, RoomCode};

use super::{Memory, OpenRoom, Tables, accounts::Accounts};
use crate::{
    Call, DailySeat, PushChange, PushChanged, PushGame, PushMember, PushReader, PushServer,
    PushState, PushSubscription, StorageError, WaitingNews,
};

impl Tables {
    /// Ends the subscriptions whose sessions have ended.
    pub(super) fn end_subscriptions(&mut self) {
        let accounts = &self.accounts;
        self.pushes.keep_sessions(|member, known| accounts.has_session(member, known.session));
    }

    /// Forgets turns that are over, those that have waited for too long, and news that is of no use, at most so many.
    pub(super) fn prune_pushes(&mut self, at: u64, rows_max: usize) -> usize {
        let Self { pushes, rooms, accounts, .. } = self;
        pushes.prune(at, rows_max, |game| standing(rooms, accounts, game).is_some())
    }

    pub(super) fn change_pushes(&mut self, change: &PushChange) -> PushChanged {
        let Self { pushes, accounts, rooms, .. } = self;
        let is_done = match change {
            PushChange::MakeServer(server) => {
                let is_new = pushes.server.is_none();
                pushes.server.get_or_insert_with(|| server.clone());
                is_new
            }
            PushChange::Confirm(place) => {
                pushes.server.as_mut().map(|server| server.place.clone_from(place)).is_some()
            }
            PushChange::TellReports(after, until) => {
                let known = pushes.server.as_mut();
                let known = known.filter(|server| server.reports_told == *after);
                known.map(|server| server.reports_told = *until).is_some()
            }
            PushChange::Subscribe(member, new) => {
                let is_own =
                    accounts.is_person(member) && accounts.has_session(member, new.session);
                if is_own {
                    pushes.subscribe(member, new);
                }
                is_own
            }
            PushChange::Unsubscribe(member, endpoint) => {
                let before = pushes.subscriptions.len();
                pushes
                    .subscriptions
                    .retain(|(owner, known)| owner != member || known.endpoint != *endpoint);
                pushes.subscriptions.len() < before
            }
            PushChange::Forget(endpoint) => {
                let before = pushes.subscriptions.len();
                pushes.subscriptions.retain(|(_, known)| known.endpoint != *endpoint);
                pushes.subscriptions.len() < before
            }
            PushChange::Set(member, settings) => {
                let is_there = accounts.is_there(member);
                if is_there {
                    pushes.settings.insert(member.clone(), settings.clone());
                }
                is_there
            }
            PushChange::Wait(game) => {
                let known = pushes.games.get(&(game.member.clone(), game.room.clone()));
                let is_new = known.is_none_or(|known| known.turn.number != game.turn.number);
                let waits = is_new
                    && accounts.is_there(&game.member)
                    && standing(rooms, accounts, game).is_some();
                if waits {
                    pushes.games.insert((game.member.clone(), game.room.clone()), game.clone());
                }
                waits
            }
            PushChange::Take(game, was_due) => {
                let known = pushes.games.get_mut(&(game.member.clone(), game.room.clone()));
                let known = known.filter(|known| {
                    (known.turn.number, known.due) == (game.turn.number, *was_due)
                        && standing(rooms, accounts, known).is_some()
                });
                known.map(|known| (known.state, known.due) = (game.state, game.due)).is_some()
            }
            PushChange::Keep(news) => accounts.is_there(&news.member) && pushes.keep(news),
            PushChange::Move(news, due) => {
                pushes.waiting(news).map(|known| known.due = *due).is_some()
            }
            PushChange::Tell(news) => pushes.tell(news),
        };
        if is_done { PushChanged::Done } else { PushChanged::Gone }
    }
}

/// A turn that waits, with the end that it has now; nothing if it is over. The turn may be that of a guest who belongs
/// to the member.
fn standing(
    rooms: &HashMap<RoomCode, OpenRoom>,
    accounts: &Accounts,
    game: &PushGame,
) -> Option<PushGame> {
    let own = accounts.with_aliases(&game.member);
    let seats = &rooms.get(&game.room)?.daily.now.seats;
    let turns = seats.iter().filter(|seat| own.contains(&seat.member));
    let turn = turns.filter_map(|seat| seat.turn).find(|turn| turn.number == game.turn.number)?;
    Some(PushGame { turn, ..game.clone() })
}

impl Tables {
    /// The turns for which no push is stored, of members who can be told.
    fn untold_turns(&self) -> impl Iterator<Item = PushGame> {
        self.rooms.iter().flat_map(move |(code, room)| {
            let seats = room.daily.now.seats.iter();
            seats.filter_map(move |seat| self.untold_turn(code, room, seat))
        })
    }

    fn untold_turn(
        &self,
        code: &RoomCode,
        OpenRoom { daily, .. }: &OpenRoom,
        seat: &DailySeat,
    ) -> Option<PushGame> {
        let turn = seat.turn?;
        let person = |member: &MemberId| {
            self.accounts.account_of_guest(member).unwrap_or_else(|| member.clone())
        };
        let member = person(&seat.member);
        if !self.accounts.is_there(&member) || !self.can_be_told(&member) {
            return None;
        }
        let known = self.pushes.games.get(&(member.clone(), code.clone()));
        if known.is_some_and(|known| known.turn.number == turn.number) {
            return None;
        }
        let other = daily.now.seats.iter().find(|other| other.member != seat.member);
        let opponent = other.and_then(|other| self.members.get(&person(&other.member)));
        Some(PushGame {
            member,
            room: code.clone(),
            opponent: opponent.map(|known| known.name.clone()),
            state: PushState::Waiting,
            since: daily.turn_at,
            turn,
            due: None,
        })
    }

    fn can_be_told(&self, member: &MemberId) -> bool {
        let email = self.accounts.email(member);
        email.is_some_and(|email| email.confirmed.is_some())
            || self.pushes.subscriptions.iter().any(|(owner, _)| owner == member)
    }
}

impl PushReader for Memory {
    fn push_server(&mut self) -> Result<Option<PushServer>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.pushes.server.clone())
    }

    fn push_place(&mut self) -> Result<String, StorageError> {
        Ok("memory".to_owned())
    }

    fn push_member(&mut self, member: &MemberId) -> Result<PushMember, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let own = |(owner, _): &&(MemberId, PushSubscription)| {
            owner == member && tables.accounts.is_there(member)
        };
        let subscriptions = tables.pushes.subscriptions.iter().filter(own);
        let own = tables.pushes.games.values().filter(|game| game.member == *member);
        let standing = |game| standing(&tables.rooms, &tables.accounts, game);
        let mut games: Vec<_> = own.filter_map(standing).collect();
        games.sort_by(|one, other| (one.since, &one.room).cmp(&(other.since, &other.room)));
        let own_news = tables.pushes.news.values().filter(|news| news.member == *member);
        Ok(PushMember {
            subscriptions: subscriptions.map(|(_, known)| known.clone()).collect(),
            email: tables.accounts.email(member).cloned(),
            off: tables.times_off.latest(member),
            settings: tables.pushes.settings.get(member).cloned().unwrap_or_default(),
            games,
            news: own_news.cloned().collect(),
        })
    }

    fn pushes_due(&mut self, at: u64, games_max: usize) -> Result<Vec<PushGame>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let is_due = |game: &&PushGame| game.due.is_some_and(|due| due <= at);
        let due = tables.pushes.games.values().filter(is_due);
        let standing = |game| standing(&tables.rooms, &tables.accounts, game);
        let mut due: Vec<_> = due.filter_map(standing).collect();
        due.sort_by(|one, other| {
            (one.due, &one.member, &one.room).cmp(&(other.due, &other.member, &other.room))
        });
        due.truncate(games_max);
        Ok(due)
    }

    fn news_due(&mut self, at: u64, news_max: usize) -> Result<Vec<WaitingNews>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let due = tables.pushes.news.values().filter(|news| news.due <= at);
        let mut due: Vec<_> = due.cloned().collect();
        // Those that are due at the same time stay in their order.
        due.sort_by_key(|news| news.due);
        due.truncate(news_max);
        Ok(due)
    }

    fn untold_turns(
        &mut self,
        of: Option<&MemberId>,
        turns_max: usize,
    ) -> Result<Vec<PushGame>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let is_asked_for = |game: &PushGame| of.is_none_or(|member| game.member == *member);
        let mut untold: Vec<_> = tables.untold_turns().filter(is_asked_for).collect();
        untold.sort_by(|one, other| {
            (one.turn.flag_at, &one.room).cmp(&(other.turn.flag_at, &other.room))
        });
        untold.truncate(turns_max);
        Ok(untold)
    }
}
