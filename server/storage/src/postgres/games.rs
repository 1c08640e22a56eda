//! Lists of finished games in PostgreSQL. The newest of a member are found by their numbers: what a list costs does
//! not depend on how many games there are.

use std::sync::LazyLock;

use fivefold_shared::{
    protocol::MemberId,
    record::{GameList, ListedGame},
};
use tokio_postgres::Error;

use super::{
    connection::Session,
    values::{signed, unsigned},
};
use crate::{
    GameQuery, StorageError,
    limits::AGAINST_LOOKED_AT_MAX,
    values::{from_json, name, readable},
};

const SELECT: &str = "
    SELECT id, code, summary FROM game WHERE listed AND id < $1 ORDER BY id DESC LIMIT $2";

/// Games of a member, and of two. What everybody may see has an index of its own, so its condition is part of the
/// text.
static SELECT_OF: LazyLock<Statements> =
    LazyLock::new(|| Statements::of(|listed| with_games(&newest("$3", "$2", listed), listed)));
static SELECT_BETWEEN: LazyLock<Statements> = LazyLock::new(|| {
    Statements::of(|listed| {
        let max = AGAINST_LOOKED_AT_MAX.to_string();
        let (own, theirs) = (newest("$3", &max, listed), newest("$4", &max, listed));
        let both = format!(
            "SELECT game FROM ({own}) AS own JOIN ({theirs}) AS theirs USING (game)
             ORDER BY game DESC LIMIT $2"
        );
        with_games(&both, listed)
    })
});

/// One statement for public games, and one for all.
struct Statements {
    listed: String,
    all: String,
}

impl Statements {
    fn of(text: impl Fn(&str) -> String) -> Self {
        Self { listed: text("AND listed"), all: text("") }
    }

    const fn get(&'static self, unlisted: bool) -> &'static str {
        if unlisted { self.all.as_str() } else { self.listed.as_str() }
    }
}

/// Selects the numbers of a member's newest games, with those of the guests who have become part of the account.
fn newest(member: &str, max: &str, listed: &str) -> String {
    format!(
        "SELECT DISTINCT game FROM (
             SELECT {member}::text COLLATE \"C\" AS member
             UNION ALL SELECT member FROM alias WHERE account = {member}
         ) AS id CROSS JOIN LATERAL (
             SELECT game FROM player WHERE player.member = id.member AND game < $1 {listed}
             ORDER BY game DESC LIMIT {max}
         ) AS newest ORDER BY game DESC LIMIT {max}"
    )
}

/// Selects the games of these numbers, each by itself: of a list of unknown length PostgreSQL might rather read the
/// whole table. A game is missing if it is private.
fn with_games(numbers: &str, listed: &str) -> String {
    format!(
        "SELECT found.game, own.code, own.summary FROM ({numbers}) AS found
         LEFT JOIN LATERAL (
             SELECT code, summary FROM game WHERE id = found.game {listed} OFFSET 0
         ) AS own ON true ORDER BY found.game DESC"
    )
}

/// The number of a game, its code and its summary.
pub(super) type GameRow = (i64, Option<String>, Option<String>);

/// The games that a query asks for, and one more, to see whether the list continues.
///
/// # Errors
/// As the database.
pub(super) async fn rows(session: &Session, query: &GameQuery) -> Result<Vec<GameRow>, Error> {
    let before = query.before.map_or(i64::MAX, signed);
    let max = signed(query.max as u64).saturating_add(1);
    let member = query.member.as_ref().map(MemberId::as_str);
    let rows = match (member, query.opponent.as_ref().map(MemberId::as_str)) {
        (Some(member), None) => {
            session.query(SELECT_OF.get(query.unlisted), &[&before, &max, &member]).await?
        }
        (Some(member), Some(opponent)) => {
            let select = SELECT_BETWEEN.get(query.unlisted);
            session.query(select, &[&before, &max, &member, &opponent]).await?
        }
        (None, None) if !query.unlisted => session.query(SELECT, &[&before, &max]).await?,
        // As nobody's games are asked for, there are no private ones among them.
        (None, _) => Vec::new(),
    };
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))).collect()
}

/// The list of these games. One that is damaged is left out.
///
/// # Errors
/// If they cannot be read.
pub(super) fn list(rows: Vec<GameRow>, max: usize) -> Result<GameList, StorageError> {
    let mut list = GameList::default();
    if rows.len() > max {
        list.next = max.checked_sub(1).map(|last| unsigned(rows[last].0));
    }
    for (_, code, summary) in rows.into_iter().take(max) {
        if let Some((code, summary)) = code.zip(summary) {
            list.games.extend(readable(listed(code, &summary))?);
        }
    }
    Ok(list)
}

fn listed(code: String, summary: &str) -> Result<ListedGame, StorageError> {
    Ok(ListedGame { id: name(code)?, summary: from_json(summary)? })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fivefold_test_services::{Durability, PostgresServer};
    use serde_json::Value;

    use super::*;
    use crate::{
        DatabaseUrl, Postgres,
        limits::DATABASE_MAINTENANCE_WITHIN,
        postgres::{
            address::Address,
            connection::{Role, open},
        },
    };

    /// Games of two members against each other. Those of every thousandth number are public.
    const GAMES: &str = "
        INSERT INTO game (code, room, listed, summary, moves)
        SELECT n, 1, n % 1000 = 0, '', '[]' FROM generate_series(1, 200000) AS n ORDER BY n;
        INSERT INTO player (member, game, listed)
        SELECT member, id, listed FROM game CROSS JOIN unnest(ARRAY['one', 'other']) AS member;
        ANALYZE game, player";

    /// The rows that each step of a plan reads or returns.
    fn rows(plan: &Value) -> Vec<f64> {
        let number = |name: &str| plan[name].as_f64().unwrap_or(0.0);
        let own =
            (number("Actual Rows") + number("Rows Removed by Filter")) * number("Actual Loops");
        let mut all = vec![own];
        for step in plan["Plans"].as_array().into_iter().flatten() {
            all.extend(rows(step));
        }
        all
    }

    #[test]
    fn a_list_costs_the_same_whatever_number_of_games_there_is() {
        let Some(server) = PostgresServer::start(Durability::None) else { return };
        let url = DatabaseUrl::from(server.url());
        let mut storage = Postgres::open(&url, None).unwrap();
        let fill = async |session: &Session| session.batch(GAMES).await;
        storage.writer.commit(DATABASE_MAINTENANCE_WITHIN, &fill).unwrap();
        let address = Arc::new(Address::parse(&url).unwrap());
        let mut reader = open(&address, Role::Reader).unwrap();
        let max = u32::try_from(AGAINST_LOOKED_AT_MAX).unwrap();
        for (statement, kinds, values, found, most) in [
            (SELECT, "bigint, bigint", "200001, 101", 101, 101),
            (SELECT_OF.get(false), "bigint, bigint, text", "200001, 101, 'one'", 101, 101),
            (SELECT_OF.get(true), "bigint, bigint, text", "200001, 101, 'one'", 101, 101),
            (
                SELECT_BETWEEN.get(false),
                "bigint, bigint, text, text",
                "200001, 1000, 'one', 'other'",
                200,
                200,
            ),
            (
                SELECT_BETWEEN.get(true),
                "bigint, bigint, text, text",
                "200001, 20000, 'one', 'other'",
                max,
                max,
            ),
        ] {
            let plan = async |session: &Session| {
                session.batch("DEALLOCATE ALL").await?;
                session.batch(&format!("PREPARE list ({kinds}) AS {statement}")).await?;
                let options = "ANALYZE, TIMING OFF, SUMMARY OFF, FORMAT JSON";
                session.simple(&format!("EXPLAIN ({options}) EXECUTE list ({values})")).await
            };
            let plan = reader.read(DATABASE_MAINTENANCE_WITHIN, &plan).unwrap();
            let plan: Value = serde_json::from_str(&plan).unwrap();
            let read = rows(&plan[0]["Plan"]);
            assert_eq!(read[0], f64::from(found), "{statement}: {plan:#}");
            assert!(read.iter().all(|rows| *rows <= f64::from(most)), "{statement}: {plan:#}");
        }
    }
}
