//! Collections of games.

use std::collections::BTreeSet;

use fivefold_shared::{
    collection::{CollectedGame, Collection, CollectionSettings, LayoutKey, NumberedGame},
    protocol::{CollectionId, MemberId},
};

use super::{Row, Sql, account_rows::Change, list, source::DatabaseReader, values};
use crate::{
    AccountChanged, CollectedGames, CollectedGamesQuery, CollectionChange, CollectionChanged,
    CollectionStep, CollectionsReader, KeyedGame, KnownCollection, StorageError,
    accounts::collections::{folded, new_ones, players, room},
    limits::{COLLECTED_GAMES_SEARCHED_MAX, COLLECTIONS_MAX, PRUNED_COLLECTIONS_MAX},
    values::{readable, to_json},
};

/// The columns of a collection, in the order that [`collection`] reads.
const COLLECTION: &str = "collection.id, title, shared, games, changed_at";

/// A collection of the member, by their ids.
const OWN: &str = "id = $1 AND member = $2 AND NOT deleted";

/// A lock for one pruning at a time. Otherwise two nodes would find the same games to delete.
const PRUNING: &str = "collections";

/// Changes a collection.
pub(crate) fn change(
    sql: &dyn Sql,
    CollectionChange { member, at, id, step }: &CollectionChange,
) -> Result<CollectionChanged, StorageError> {
    let change = Change { sql, member, at: *at };
    sql.lock(member.as_str())?;
    let changed = match step {
        CollectionStep::Make(settings) => return make(&change, id, settings),
        CollectionStep::Add { games, games_max } => return add(&change, id, games, *games_max),
        CollectionStep::Remove(number) => return remove(&change, id, *number),
        CollectionStep::Set(CollectionSettings { name, shared }) => change.execute(
            &format!("UPDATE collection SET title = $3, shared = $4, changed_at = $5 WHERE {OWN}"),
            values![id, member, name.as_str(), *shared, *at],
        )?,
        CollectionStep::Delete => change.execute(
            &format!("UPDATE collection SET deleted = true WHERE {OWN}"),
            values![id, member],
        )?,
    };
    Ok(if changed == AccountChanged::Done {
        CollectionChanged::Done
    } else {
        CollectionChanged::Gone
    })
}

fn make(
    change: &Change<'_>,
    id: &CollectionId,
    CollectionSettings { name, shared }: &CollectionSettings,
) -> Result<CollectionChanged, StorageError> {
    let Change { sql, member, at } = *change;
    if !change.has_account()? {
        return Ok(CollectionChanged::Gone);
    }
    if sql.exists("SELECT 1 FROM collection WHERE id = $1", values![id])? {
        // The same change was made before: two collections never get the same random id.
        return Ok(CollectionChanged::Done);
    }
    let count = |which| {
        let count = format!("SELECT count(*) FROM collection WHERE member = $1{which}");
        sql.count(&count, values![member])
    };
    if count(" AND NOT deleted")? >= COLLECTIONS_MAX || count("")? >= 2 * COLLECTIONS_MAX {
        return Ok(CollectionChanged::Full);
    }
    sql.execute(
        "INSERT INTO collection (id, member, title, shared, games, last_number, changed_at)
         VALUES ($1, $2, $3, $4, 0, 0, $5)",
        values![id, member, name.as_str(), *shared, at],
    )?;
    Ok(CollectionChanged::Done)
}

fn add(
    change: &Change<'_>,
    id: &CollectionId,
    games: &[KeyedGame],
    games_max: u64,
) -> Result<CollectionChanged, StorageError> {
    let Change { sql, member, at } = *change;
    let own = format!("SELECT last_number FROM collection WHERE {OWN}");
    let Some(last) = sql.row(&own, values![id, member], Row::get::<u64>)? else {
        return Ok(CollectionChanged::Gone);
    };
    let keys = list(games.iter().map(|game| game.key.as_str()));
    let known = format!(
        "SELECT layout FROM collected_game
         WHERE collection = $2 AND layout IN (SELECT value FROM {})",
        sql.dialect().listed()
    );
    let known = sql.rows(&known, values![&keys, id], Row::get::<String>)?;
    let known: BTreeSet<_> = known.into_iter().map(LayoutKey::stored).collect();
    let sums = "SELECT CAST(coalesce(sum(CASE WHEN deleted THEN 0 ELSE games END), 0) AS bigint),
            CAST(coalesce(sum(games), 0) AS bigint)
        FROM collection WHERE member = $1";
    let sums = sql.row(sums, values![member], |row| Ok((row.get::<u64>()?, row.get::<u64>()?)))?;
    let (kept, all) = sums.unwrap_or_default();
    let (new, changed) = new_ones(games, known, room(games_max, kept, all));
    if new.is_empty() {
        return Ok(changed);
    }
    let rows = new.iter().zip(last + 1..).map(|(KeyedGame { game, key }, number)| {
        Ok((number, key.as_str(), players(game), to_json(game)?))
    });
    let rows = to_json(&rows.collect::<Result<Vec<_>, StorageError>>()?)?;
    // One statement for all games, because each statement waits for the answer of a database that may be on another
    // machine.
    let insert = format!(
        "INSERT INTO collected_game (collection, number, layout, players, content)
         SELECT CAST($2 AS text), CAST(value ->> 0 AS bigint), value ->> 1, value ->> 2, value ->> 3
         FROM {}",
        sql.dialect().pick("json_each($1)", "json_array_elements($1::json)")
    );
    sql.execute(&insert, values![&rows, id])?;
    sql.execute(
        "UPDATE collection SET games = games + $2, last_number = last_number + $2, changed_at = $3
         WHERE id = $1",
        values![id, new.len(), at],
    )?;
    Ok(changed)
}

fn remove(
    change: &Change<'_>,
    id: &CollectionId,
    number: u64,
) -> Result<CollectionChanged, StorageError> {
    let Change { sql, member, at } = *change;
    let own = format!("SELECT 1 FROM collection WHERE {OWN}");
    if !sql.exists(&own, values![id, member])? {
        return Ok(CollectionChanged::Gone);
    }
    let delete = "DELETE FROM collected_game WHERE collection = $1 AND number = $2";
    if sql.execute(delete, values![id, number])? == 0 {
        return Ok(CollectionChanged::NoGame);
    }
    sql.execute(
        "UPDATE collection SET games = games - 1, changed_at = $2 WHERE id = $1",
        values![id, at],
    )?;
    Ok(CollectionChanged::Done)
}

/// Deletes at most so many games of at most [`PRUNED_COLLECTIONS_MAX`] deleted collections, and those that have none
/// left.
pub(crate) fn prune(sql: &dyn Sql, rows_max: usize) -> Result<usize, StorageError> {
    sql.lock(PRUNING)?;
    let mut pruned = 0;
    for _ in 0..PRUNED_COLLECTIONS_MAX {
        if pruned == rows_max {
            break;
        }
        let next = "SELECT id FROM collection WHERE deleted ORDER BY id LIMIT 1";
        let Some(id) = sql.row(next, &[], Row::get::<String>)? else { break };
        let games = sql.execute(
            "DELETE FROM collected_game WHERE collection = $1 AND number IN
                 (SELECT number FROM collected_game WHERE collection = $1 ORDER BY number LIMIT $2)",
            values![&id, rows_max - pruned],
        )?;
        pruned += games;
        if pruned < rows_max {
            sql.execute("DELETE FROM collection WHERE id = $1", values![&id])?;
            pruned += 1;
        } else {
            sql.execute(
                "UPDATE collection SET games = games - $2 WHERE id = $1",
                values![&id, games],
            )?;
        }
    }
    Ok(pruned)
}

impl CollectionsReader for DatabaseReader {
    fn collections(&mut self, member: &MemberId) -> Result<Vec<Collection>, StorageError> {
        let select = format!(
            "SELECT {COLLECTION} FROM collection WHERE member = $1 AND NOT deleted
             ORDER BY changed_at DESC, id"
        );
        self.read(|sql| sql.rows(&select, values![member], collection))
    }

    fn collection(&mut self, id: &CollectionId) -> Result<Option<KnownCollection>, StorageError> {
        let select = format!(
            "SELECT {COLLECTION}, collection.member, member.name FROM collection
             JOIN account ON account.member = collection.member AND account.deleted_at IS NULL
             JOIN member ON member.id = collection.member
             WHERE collection.id = $1 AND NOT deleted"
        );
        self.read(|sql| {
            sql.row(&select, values![id], |row| {
                let collection = collection(row)?;
                Ok(KnownCollection { collection, member: row.get()?, owner: row.get()? })
            })
        })
    }

    fn collected_games(
        &mut self,
        query: &CollectedGamesQuery,
    ) -> Result<CollectedGames, StorageError> {
        self.read(|sql| games(sql, query))
    }
}

fn games(
    sql: &dyn Sql,
    CollectedGamesQuery { id, after, player, max }: &CollectedGamesQuery,
) -> Result<CollectedGames, StorageError> {
    // A search ends there, so that it takes about the same time in every collection.
    let mut end = None;
    if player.is_some() {
        let last = "SELECT number FROM collected_game WHERE collection = $1 AND number > $2
             ORDER BY number LIMIT 1 OFFSET $3";
        let searched = values![id, *after, COLLECTED_GAMES_SEARCHED_MAX - 1];
        end = sql.row(last, searched, Row::get::<u64>)?;
    }
    let select = "SELECT number, content FROM collected_game
         WHERE collection = $1 AND number > $2 AND number <= $3 AND players LIKE $4 ESCAPE '!'
         ORDER BY number LIMIT $5";
    let pattern = pattern(player.as_deref().unwrap_or_default());
    let until = end.unwrap_or(u64::MAX);
    let found = sql.rows(select, values![id, *after, until, &pattern, max + 1], |row| {
        let number = row.get()?;
        Ok((number, readable(row.json::<CollectedGame>())?))
    })?;
    let next = if found.len() > *max { max.checked_sub(1).map(|last| found[last].0) } else { end };
    let games = found.into_iter().take(*max);
    let games = games.filter_map(|(number, game)| Some(NumberedGame { number, game: game? }));
    Ok(CollectedGames { games: games.collect(), next })
}

/// The pattern that matches texts with this one in them.
fn pattern(text: &str) -> String {
    let mut pattern = "%".to_owned();
    for letter in folded(text).chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

fn collection(row: &mut Row) -> Result<Collection, StorageError> {
    Ok(Collection {
        id: row.get()?,
        name: row.get()?,
        shared: row.get()?,
        games: row.get()?,
        changed_at: row.get()?,
        owner: None,
    })
}
