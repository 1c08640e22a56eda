//! Collections of games, in memory.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use fivefold_shared::{
    collection::{Collection, CollectionSettings, NumberedGame},
    protocol::{CollectionId, MemberId},
};

use crate::{
    CollectedGames, CollectedGamesQuery, CollectionChange, CollectionChanged, CollectionStep,
    KeyedGame,
    accounts::collections::{folded, new_ones, players, room},
    limits::{COLLECTED_GAMES_SEARCHED_MAX, COLLECTIONS_MAX},
};

/// All collections, including deleted ones that still have games.
#[derive(Debug, Default)]
pub(super) struct Collections(BTreeMap<CollectionId, StoredCollection>);

#[derive(Debug)]
struct StoredCollection {
    member: MemberId,
    settings: CollectionSettings,
    changed_at: u64,
    last_number: u64,
    games: BTreeMap<u64, KeyedGame>,
    is_deleted: bool,
}

impl StoredCollection {
    fn shown(&self, id: &CollectionId) -> Collection {
        Collection {
            id: id.clone(),
            name: self.settings.name.clone(),
            shared: self.settings.shared,
            games: self.games.len() as u64,
            changed_at: self.changed_at,
            owner: None,
        }
    }
}

impl Collections {
    fn make(
        &mut self,
        change: &CollectionChange,
        settings: &CollectionSettings,
    ) -> CollectionChanged {
        let CollectionChange { member, at, id, .. } = change;
        if self.0.contains_key(id) {
            return CollectionChanged::Done;
        }
        let own = || self.0.values().filter(|other| other.member == *member);
        let kept = own().filter(|other| !other.is_deleted).count();
        if kept >= COLLECTIONS_MAX || own().count() >= 2 * COLLECTIONS_MAX {
            return CollectionChanged::Full;
        }
        let new = StoredCollection {
            member: member.clone(),
            settings: settings.clone(),
            changed_at: *at,
            last_number: 0,
            games: BTreeMap::new(),
            is_deleted: false,
        };
        self.0.insert(id.clone(), new);
        CollectionChanged::Done
    }

    pub(super) fn change(&mut self, change: &CollectionChange) -> CollectionChanged {
        let CollectionChange { member, at, id, step } = change;
        if let CollectionStep::Make(settings) = step {
            return self.make(change, settings);
        }
        let sum = |with_deleted: bool| {
            let own = self.0.values().filter(|other| other.member == *member);
            let counted = own.filter(|other| with_deleted || !other.is_deleted);
            counted.map(|other| other.games.len() as u64).sum::<u64>()
        };
        let (kept, all) = (sum(false), sum(true));
        let own = self.0.get_mut(id).filter(|own| own.member == *member && !own.is_deleted);
        let Some(own) = own else { return CollectionChanged::Gone };
        match step {
            CollectionStep::Make(_) => {}
            CollectionStep::Set(settings) => {
                own.settings = settings.clone();
                own.changed_at = *at;
            }
            CollectionStep::Delete => own.is_deleted = true,
            CollectionStep::Add { games, games_max } => {
                let known: BTreeSet<_> = own.games.values().map(|game| game.key.clone()).collect();
                let (new, changed) = new_ones(games, known, room(*games_max, kept, all));
                for game in new {
                    own.last_number += 1;
                    own.games.insert(own.last_number, game.clone());
                    own.changed_at = *at;
                }
                return changed;
            }
            CollectionStep::Remove(number) => {
                if own.games.remove(number).is_none() {
                    return CollectionChanged::NoGame;
                }
                own.changed_at = *at;
            }
        }
        CollectionChanged::Done
    }

    /// Deletes the collections of these members.
    pub(super) fn forget(&mut self, members: &[MemberId]) {
        for own in self.0.values_mut().filter(|own| members.contains(&own.member)) {
            own.is_deleted = true;
        }
    }

    /// Deletes at most so many games of deleted collections, and the deleted collections that have none left.
    pub(super) fn prune(&mut self, rows_max: usize) -> usize {
        let mut pruned = 0;
        self.0.retain(|_, deleted| {
            while deleted.is_deleted && pruned < rows_max {
                pruned += 1;
                if deleted.games.pop_first().is_none() {
                    return false;
                }
            }
            true
        });
        pruned
    }

    /// A member's collections, the most recently changed first.
    pub(super) fn of(&self, member: &MemberId) -> Vec<Collection> {
        let own = self.0.iter().filter(|(_, own)| own.member == *member && !own.is_deleted);
        let mut own: Vec<_> = own.map(|(id, own)| own.shown(id)).collect();
        own.sort_by_key(|collection| (Reverse(collection.changed_at), collection.id.clone()));
        own
    }

    /// A collection and its member.
    pub(super) fn get(&self, id: &CollectionId) -> Option<(&MemberId, Collection)> {
        let known = self.0.get(id).filter(|known| !known.is_deleted)?;
        Some((&known.member, known.shown(id)))
    }

    /// Games of a collection.
    pub(super) fn games(
        &self,
        CollectedGamesQuery { id, after, player, max }: &CollectedGamesQuery,
    ) -> CollectedGames {
        let Some(known) = self.0.get(id) else { return CollectedGames::default() };
        let mut later: Vec<_> = known.games.iter().filter(|(number, _)| *number > after).collect();
        let mut next = None;
        if let Some(player) = player {
            if later.len() >= COLLECTED_GAMES_SEARCHED_MAX {
                later.truncate(COLLECTED_GAMES_SEARCHED_MAX);
                next = later.last().map(|(number, _)| **number);
            }
            later.retain(|(_, KeyedGame { game, .. })| players(game).contains(&folded(player)));
        }
        if later.len() > *max {
            later.truncate(*max);
            next = later.last().map(|(number, _)| **number);
        }
        let game = |(number, KeyedGame { game, .. }): (&u64, &KeyedGame)| NumberedGame {
            number: *number,
            game: game.clone(),
        };
        CollectedGames { games: later.into_iter().map(game).collect(), next }
    }
}
