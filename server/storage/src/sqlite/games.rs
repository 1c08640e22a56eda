//! What the tables of a SQLite file have of games and players beside the games themselves: checked and repaired.

use rusqlite::Connection;

use crate::{Findings, StorageError};

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
    use fivefold_shared::protocol::MemberId;
    use rusqlite::StatementStatus;

    use crate::{
        DataFolder, GameQuery, Sqlite,
        limits::AGAINST_LOOKED_AT_MAX,
        sql::games::{NEWEST, NEWEST_OF, SELECT, newest},
        sqlite::open_to_read,
    };

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
