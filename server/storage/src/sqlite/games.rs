//! Lists of finished games in a SQLite file. The newest of a member are found by their numbers: what a list costs
//! does not depend on how many games there are.

use std::collections::BTreeSet;

use fivefold_shared::{
    protocol::{GameId, MemberId},
    record::{GameList, ListedGame},
};
use rusqlite::{Connection, OptionalExtension};

use super::keys;
use crate::{
    Findings, GameQuery, StorageError,
    limits::AGAINST_LOOKED_AT_MAX,
    values::{from_json, name, readable},
};

/// The newest games that everybody may see. 1 is as in the index.
const NEWEST: &str = "SELECT id FROM game WHERE listed = 1 AND id < ? ORDER BY id DESC LIMIT ?";

/// The newest games of one id, public or private.
const NEWEST_OF: &str = "SELECT game FROM player WHERE member = ? AND listed = ? AND game < ?
    ORDER BY game DESC LIMIT ?";

const SELECT: &str = "SELECT code, summary FROM game WHERE id = ? AND (listed = 1 OR ?)";

/// The games that a query asks for. One that is damaged is left out.
pub(super) fn list(connection: &Connection, query: &GameQuery) -> Result<GameList, StorageError> {
    let numbers = newest(connection, query)?;
    let mut list = GameList::default();
    if numbers.len() > query.max {
        list.next = query.max.checked_sub(1).map(|last| numbers[last].unsigned_abs());
    }
    for number in numbers.into_iter().take(query.max) {
        list.games.extend(game(connection, number, query.unlisted)?);
    }
    Ok(list)
}

/// The numbers of the games, the newest first: one more than asked for, to see whether the list continues.
fn newest(connection: &Connection, query: &GameQuery) -> Result<Vec<i64>, StorageError> {
    let before = query.before.map_or(i64::MAX, |before| before.try_into().unwrap_or(i64::MAX));
    let max = query.max.saturating_add(1);
    let of = |member, max| newest_of(connection, member, (before, query.unlisted), max);
    let mut numbers = match (&query.member, &query.opponent) {
        (Some(member), None) => of(member, max)?,
        (Some(member), Some(opponent)) => {
            let mut own = of(member, AGAINST_LOOKED_AT_MAX)?;
            let theirs = BTreeSet::from_iter(of(opponent, AGAINST_LOOKED_AT_MAX)?);
            own.retain(|game| theirs.contains(game));
            own
        }
        (None, None) if !query.unlisted => {
            let mut select = connection.prepare_cached(NEWEST)?;
            let rows = select.query_map((before, max), |row| row.get(0))?;
            rows.collect::<Result<_, _>>()?
        }
        // As nobody's games are asked for, there are no private ones among them.
        (None, _) => Vec::new(),
    };
    numbers.truncate(max);
    Ok(numbers)
}

/// The numbers of a member's newest games, with those of the guests who have become part of the account.
fn newest_of(
    connection: &Connection,
    member: &MemberId,
    (before, unlisted): (i64, bool),
    max: usize,
) -> Result<Vec<i64>, StorageError> {
    let mut ids = keys::aliases(connection, member.as_str())?;
    ids.push(member.clone());
    let mut select = connection.prepare_cached(NEWEST_OF)?;
    let mut games = BTreeSet::new();
    for id in &ids {
        for listed in [true, false].into_iter().take(1 + usize::from(unlisted)) {
            let rows =
                select.query_map((id.as_str(), listed, before, max), |row| row.get::<_, i64>(0))?;
            for game in rows {
                games.insert(game?);
            }
        }
    }
    Ok(games.into_iter().rev().take(max).collect())
}

/// A game; nothing if it is private or damaged.
fn game(
    connection: &Connection,
    number: i64,
    unlisted: bool,
) -> Result<Option<ListedGame>, StorageError> {
    let found = connection
        .prepare_cached(SELECT)?
        .query_row((number, unlisted), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
        .map_err(StorageError::from)
        .and_then(|found: Option<(String, String)>| {
            let read = |(code, summary): (String, String)| {
                Ok(ListedGame { id: name::<GameId>(code)?, summary: from_json(&summary)? })
            };
            found.map(read).transpose()
        });
    readable(found).map(Option::flatten)
}

/// What the summaries of games say about who played, beside what the tables have.
const PLAYERS: &str = "
    WITH named AS (
        SELECT id, listed, summary FROM game WHERE CASE WHEN json_valid(summary)
            THEN summary ->> '$.visibility' IN ('public', 'private') END
    ), played AS (
        SELECT summary ->> '$.first.member' AS member, listed, id AS game FROM named
        UNION SELECT summary ->> '$.second.member', listed, id FROM named
    ), missing AS (
        SELECT member, listed, game FROM played WHERE member IS NOT NULL
        EXCEPT SELECT member, listed, game FROM player
    ), surplus AS (
        SELECT member, listed, game FROM player WHERE game IN (SELECT id FROM named)
        EXCEPT SELECT member, listed, game FROM played
    ), unlike AS (
        SELECT id FROM named WHERE listed <> (summary ->> '$.visibility' = 'public')
    )";

/// Members who may be forgotten though they have a game or an account.
const FORGOTTEN: &str = "(has_game <> 1 AND id IN (SELECT member FROM player)
    OR renewed <> 1 AND id IN (SELECT member FROM account))";

/// Compares what the tables have of games and players with the games. A file of an older format lacks some of it.
pub(crate) fn check_players(
    connection: &Connection,
    findings: &mut Findings,
) -> Result<(), StorageError> {
    let column = "SELECT 1 FROM pragma_table_info('player') WHERE name = 'listed'";
    if !connection.prepare(column)?.exists(())? {
        return Ok(());
    }
    let count = |from: &str| {
        connection
            .query_row(&format!("{PLAYERS} SELECT count(*) FROM {from}"), (), |row| row.get(0))
    };
    let wrong: [u64; 2] =
        [count("(SELECT * FROM missing UNION ALL SELECT * FROM surplus)")?, count("unlike")?];
    for (rows, problem) in wrong.into_iter().zip([
        "rows of table player are not those of the games",
        "games are listed and private, or public and not listed",
    ]) {
        if rows > 0 {
            findings.add(format_args!("{rows} {problem}"));
        }
    }
    Ok(())
}

/// Makes what follows from the games again, where it differs. Returns how many rows did.
pub(crate) fn mend_players(connection: &Connection) -> Result<usize, StorageError> {
    let mut mended = 0;
    for change in [
        "UPDATE game SET listed = 0 WHERE listed NOT IN (0, 1)",
        "UPDATE game SET listed = 1 - listed WHERE id IN (SELECT id FROM unlike)",
        "DELETE FROM player WHERE (member, listed, game) IN (SELECT * FROM surplus)",
        "INSERT INTO player (member, listed, game) SELECT * FROM missing",
    ] {
        mended += connection.execute(&format!("{PLAYERS} {change}"), ())?;
    }
    let remember = format!(
        "UPDATE member SET has_game = id IN (SELECT member FROM player),
             renewed = max(renewed = 1, id IN (SELECT member FROM account)) WHERE {FORGOTTEN}"
    );
    Ok(mended + connection.execute(&remember, ())?)
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;
    use crate::{DataFolder, Sqlite, sqlite::open_to_read};

    /// Games of one member: all of them against another one. Those of every thousandth number are public.
    const GAMES: &str = "
        INSERT INTO room (id, code, owner, epoch, seq, last, state) VALUES (1, 'room', 0, 1, 0, 0, 2);
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 200000)
        INSERT INTO game (id, code, room, listed, summary, moves)
        SELECT n, format('%016d', n), 1, n % 1000 = 0, '', '[]' FROM number;
        INSERT INTO player (member, listed, game)
        SELECT '00000000000000aa', listed, id FROM game
        UNION ALL SELECT '00000000000000bb', listed, id FROM game;";

    #[test]
    fn a_list_costs_the_same_whatever_number_of_games_there_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
        storage.connection().execute_batch(GAMES).unwrap();
        let reader = open_to_read(&folder.path().join("fivefold.sqlite3")).unwrap();
        for (statement, index) in [
            (NEWEST_OF, "USING PRIMARY KEY (member=? AND listed=? AND game<?)"),
            (NEWEST, "USING COVERING INDEX game_listed"),
            (SELECT, "USING INTEGER PRIMARY KEY"),
        ] {
            let mut explain = reader.prepare(&format!("EXPLAIN QUERY PLAN {statement}")).unwrap();
            let unbound = (1..=explain.parameter_count()).map(|_| rusqlite::types::Null);
            let plan =
                explain.query_map(rusqlite::params_from_iter(unbound), |row| row.get("detail"));
            let plan: Vec<String> = plan.unwrap().map(Result::unwrap).collect();
            assert!(plan.len() == 1 && plan[0].contains(index), "{statement}: {plan:?}");
        }
        let [one, other] = ["00000000000000aa", "00000000000000bb"]
            .map(|id| MemberId::try_from(id.to_owned()).unwrap());
        let query = |opponent, unlisted, max| GameQuery {
            member: Some(one.clone()),
            opponent,
            unlisted,
            max,
            ..GameQuery::default()
        };
        let steps = |statement| {
            reader.prepare_cached(statement).unwrap().reset_status(StatementStatus::VmStep)
        };
        for (query, found) in [
            (query(None, false, 100), 101),
            (query(None, true, 100), 101),
            (query(Some(other.clone()), false, 1_000), 200),
            (query(Some(other), true, 20_000), AGAINST_LOOKED_AT_MAX),
        ] {
            let numbers = newest(&reader, &query).unwrap();
            assert_eq!(numbers.len(), found, "{query:?}");
            assert!(numbers.is_sorted_by(|one, next| one > next), "{query:?}");
            let read = query.opponent.map_or(101, |_| 2 * AGAINST_LOOKED_AT_MAX);
            let steps = steps(NEWEST_OF);
            assert!(usize::try_from(steps).unwrap() < 12 * read + 100, "{steps} steps");
        }
    }
}
