//! How PostgreSQL finds finished games.

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fivefold_test_services::{Durability, PostgresServer};
    use serde_json::Value;

    use crate::{
        DatabaseUrl, Postgres,
        limits::{AGAINST_LOOKED_AT_MAX, DATABASE_MAINTENANCE_WITHIN},
        postgres::{
            address::Address,
            connection::{Role, Session, open},
        },
        sql::games::{SELECT_BETWEEN, SELECT_LISTED, SELECT_OF},
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
            (SELECT_LISTED, "bigint, bigint", "200001, 101", 101, 101),
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
