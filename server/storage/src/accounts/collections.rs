//! The accounts' collections of games.

use std::collections::BTreeSet;

use fivefold_shared::{
    collection::{CollectedGame, Collection, CollectionSettings, LayoutKey, NumberedGame},
    protocol::{COLLECTION_NAME_MAX, CollectionId, MemberId, Name, clean_line},
};

use crate::{StorageError, contradiction::Contradiction};

/// A change of one collection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectionChange {
    /// The owner.
    pub member: MemberId,
    /// The time, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The collection.
    pub id: CollectionId,
    /// What changes.
    pub step: CollectionStep,
}

/// What changes in a collection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CollectionStep {
    /// Makes it, with this id. The member may have [`COLLECTIONS_MAX`](crate::limits::COLLECTIONS_MAX), and as many
    /// again that are deleted but still have games.
    Make(CollectionSettings),
    /// Changes what the member chooses for it.
    Set(CollectionSettings),
    /// Deletes it: nobody sees it any more. [`Storage::prune_collections`](crate::Storage::prune_collections) deletes its
    /// games.
    Delete,
    /// Adds the games that are not there yet, as many as fit.
    Add {
        /// The games, with their keys.
        games: Vec<KeyedGame>,
        /// Most games of the member in all collections; as many again may be in deleted ones.
        games_max: u64,
    },
    /// Deletes the game with this number.
    Remove(u64),
}

/// A game, and the key that it shares with games that have the same final position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyedGame {
    /// The game.
    pub game: CollectedGame,
    /// Its key.
    pub key: LayoutKey,
}

/// What became of a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CollectionChanged {
    /// It is stored.
    Done,
    /// The games are added, except those at these places, from 0.
    Added {
        /// They were there before.
        duplicates: Vec<usize>,
        /// They did not fit.
        left_out: Vec<usize>,
    },
    /// The member would have too many collections, or there are new games and none of them fits; nothing has changed.
    Full,
    /// The member has no such collection, or no account; nothing has changed.
    Gone,
    /// The collection has no game with this number; nothing has changed.
    NoGame,
}

/// A collection with its owner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownCollection {
    /// The owner.
    pub member: MemberId,
    /// Their name.
    pub owner: Name,
    /// The collection, without the name of its member.
    pub collection: Collection,
}

/// A query for games of a collection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectedGamesQuery {
    /// The collection.
    pub id: CollectionId,
    /// Only games with greater numbers.
    pub after: u64,
    /// Only games in which the name of Black or White contains this text, ignoring case. A search looks at no more than
    /// [`COLLECTED_GAMES_SEARCHED_MAX`](crate::limits::COLLECTED_GAMES_SEARCHED_MAX) games.
    pub player: Option<String>,
    /// Most games in the answer.
    pub max: usize,
}

/// Games of a collection, by number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CollectedGames {
    /// The games.
    pub games: Vec<NumberedGame>,
    /// If more games may follow: the number after which they begin.
    pub next: Option<u64>,
}

/// Reads collections. Calls may block.
pub trait CollectionsReader {
    /// A member's collections, the most recently changed first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn collections(&mut self, member: &MemberId) -> Result<Vec<Collection>, StorageError>;

    /// The collection with this id; nothing if it or its owner's account is deleted.
    ///
    /// # Errors
    /// When it cannot be read.
    fn collection(&mut self, id: &CollectionId) -> Result<Option<KnownCollection>, StorageError>;

    /// Games of a collection.
    ///
    /// # Errors
    /// When they cannot be read.
    fn collected_games(
        &mut self,
        query: &CollectedGamesQuery,
    ) -> Result<CollectedGames, StorageError>;
}

/// How many more games a member may add who has `kept` games, and `all` with those in deleted collections.
pub(crate) fn room(games_max: u64, kept: u64, all: u64) -> u64 {
    let room = games_max.saturating_sub(kept);
    room.min(games_max.saturating_mul(2).saturating_sub(all))
}

/// The games to add, at most `room`, and what becomes of the change. `known` are the keys of the games that are there
/// already.
pub(crate) fn new_ones(
    games: &[KeyedGame],
    mut known: BTreeSet<LayoutKey>,
    room: u64,
) -> (Vec<&KeyedGame>, CollectionChanged) {
    let (mut new, mut duplicates, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for (place, game) in games.iter().enumerate() {
        if known.contains(&game.key) {
            duplicates.push(place);
        } else if new.len() as u64 == room {
            left_out.push(place);
        } else {
            known.insert(game.key.clone());
            new.push(game);
        }
    }
    let is_full = new.is_empty() && !left_out.is_empty();
    let changed = if is_full {
        CollectionChanged::Full
    } else {
        CollectionChanged::Added { duplicates, left_out }
    };
    (new, changed)
}

/// The names of a game's players, in the form that a search looks through.
pub(crate) fn players(game: &CollectedGame) -> String {
    let names = [&game.black, &game.white].into_iter().flatten();
    names.map(|name| folded(name)).collect::<Vec<_>>().join("\n")
}

/// A text in the form that a search compares.
pub(crate) fn folded(text: &str) -> String {
    clean_line(text).to_lowercase()
}

const _: () = assert!(COLLECTION_NAME_MAX == 60, "a statement below has the number");

/// Rows that contradict themselves.
pub(crate) const CONTRADICTIONS: [Contradiction; 4] = [
    Contradiction {
        since: "collection",
        table: "collection",
        rows: "NOT deleted AND member NOT IN (SELECT member FROM account)",
        problem: "collections are nobody's",
        sets: Some("deleted = true"),
    },
    Contradiction {
        since: "collection",
        table: "collection",
        // As many as a name may have.
        rows: "length(title) NOT BETWEEN 1 AND 60",
        problem: "collections have a name that nobody can read",
        sets: Some("title = 'Collection'"),
    },
    Contradiction {
        since: "collection",
        table: "collection",
        rows: "games <> (SELECT count(*) FROM collected_game
             WHERE collected_game.collection = collection.id)",
        problem: "collections have another number of games than they say",
        sets: Some(
            "games = (SELECT count(*) FROM collected_game
                 WHERE collected_game.collection = collection.id)",
        ),
    },
    Contradiction {
        since: "collection",
        table: "collection",
        rows: "last_number < (SELECT max(number) FROM collected_game
             WHERE collected_game.collection = collection.id)",
        problem: "collections would give the number of a game to another one",
        sets: Some(
            "last_number = (SELECT max(number) FROM collected_game
                 WHERE collected_game.collection = collection.id)",
        ),
    },
];
