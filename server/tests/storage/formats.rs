//! How older formats of a file and of PostgreSQL differ from the current ones.

use std::path::Path;

use rusqlite::Connection;

use crate::postgres::Server;

/// The older formats of a file, the newest first.
const FORMATS: [(u32, &str); 6] = [
    (15, FORMAT_15),
    (14, FORMAT_14),
    (13, FORMAT_13),
    (12, FORMAT_12),
    (11, FORMAT_11),
    (10, FORMAT_10),
];

/// The older formats of PostgreSQL, the newest first.
const POSTGRES_FORMATS: [(i32, &str); 5] =
    [(9, POSTGRES_9), (8, POSTGRES_8), (7, POSTGRES_7), (6, POSTGRES_6), (5, POSTGRES_5)];

/// Makes the tables of a file of the current format what they were in an older one, and sets its number. Formats before
/// 10 lack more tables: the caller drops these.
pub(crate) fn make_older(file: &Path, format: u32) {
    let connection = Connection::open(file).unwrap();
    for (_, changes) in FORMATS.iter().filter(|(number, _)| *number >= format) {
        connection.execute_batch(changes).unwrap();
    }
    connection.pragma_update(None, "user_version", format).unwrap();
}

/// Makes the tables of a database of the current format what they were in an older one, down to format 5.
pub(crate) fn make_postgres_older(server: &Server, format: i32) {
    for (_, changes) in POSTGRES_FORMATS.iter().filter(|(number, _)| *number >= format) {
        server.execute(changes);
    }
}

/// Makes the tables of a file what they were in format 15.
pub(crate) const FORMAT_15: &str = "DROP TABLE collected_game; DROP TABLE collection;";

/// Makes the tables of PostgreSQL what they were in format 9.
pub(crate) const POSTGRES_9: &str = "
    DROP TABLE fivefold.collected_game, fivefold.collection;
    UPDATE fivefold.format SET number = 9";

/// Makes those of format 15 what they were in format 14.
pub(crate) const FORMAT_14: &str = "ALTER TABLE process DROP COLUMN version;";

/// Makes those of format 9 what they were in format 8.
const POSTGRES_8: &str = "
    ALTER TABLE fivefold.format DROP COLUMN version;
    UPDATE fivefold.format SET number = 8";

/// Makes those of format 14 what they were in format 13.
const FORMAT_13: &str = "
    DROP TABLE push_server;
    DROP TABLE push_subscription;
    DROP TABLE push_setting;
    DROP TABLE push_game;
    DROP TABLE push_news;
    DROP TABLE note;
    DROP TABLE time_off;
    DROP TABLE email;
    DROP TABLE daily_seat;";

/// Makes those of format 8 what they were in format 7.
const POSTGRES_7: &str = "
    DROP TABLE fivefold.push_server, fivefold.push_subscription, fivefold.push_setting,
        fivefold.push_game, fivefold.push_news;
    DROP TABLE fivefold.note, fivefold.time_off, fivefold.email;
    DROP TABLE fivefold.daily_seat;
    UPDATE fivefold.format SET number = 7";

/// Makes those of format 13 what they were in format 12.
const FORMAT_12: &str = "
    DROP TABLE sleeping_member;
    DROP TABLE sleeping_room;
    DROP INDEX room_open;
    CREATE INDEX room_open ON room (id) WHERE state = 0;
    DROP TABLE friend;
    ALTER TABLE account DROP COLUMN online_to;";

/// Makes those of format 7 what they were in format 6.
const POSTGRES_6: &str = "
    DROP TABLE fivefold.sleeping_member;
    DROP TABLE fivefold.sleeping_room;
    DROP TABLE fivefold.friend;
    ALTER TABLE fivefold.account DROP COLUMN online_to;
    UPDATE fivefold.format SET number = 6";

/// Makes those of format 12 what they were in format 11.
const FORMAT_11: &str = "
    DROP TABLE trace;
    ALTER TABLE report DROP COLUMN closed_by;
    ALTER TABLE sanction DROP COLUMN appealed_at;
    ALTER TABLE sanction DROP COLUMN answered_by;
    ALTER TABLE sanction DROP COLUMN undone_by;
    ALTER TABLE member DROP COLUMN challenges_from;
    ALTER TABLE player RENAME TO newer_player;
    CREATE TABLE player (
        member TEXT NOT NULL,
        game INTEGER NOT NULL REFERENCES game,
        PRIMARY KEY (member, game)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO player SELECT member, game FROM newer_player;
    DROP TABLE newer_player;";

/// Makes those of format 6 what they were in format 5.
const POSTGRES_5: &str = "
    DROP TABLE fivefold.trace;
    ALTER TABLE fivefold.report DROP COLUMN closed_by;
    ALTER TABLE fivefold.sanction DROP COLUMN appealed_at, DROP COLUMN answered_by,
        DROP COLUMN undone_by;
    ALTER TABLE fivefold.player DROP COLUMN listed;
    ALTER TABLE fivefold.member DROP COLUMN challenges_from;
    UPDATE fivefold.format SET number = 5";

/// Makes the tables of ratings of a file what they were in format 10.
const FORMAT_10: &str = "
    DROP INDEX rating_band;
    ALTER TABLE rating DROP COLUMN band;
    ALTER TABLE rating DROP COLUMN changed_at;
    CREATE INDEX rating_best ON rating (pool, value);
    ALTER TABLE rating_change RENAME TO newer;
    CREATE TABLE rating_change (
        member TEXT NOT NULL,
        pool TEXT NOT NULL,
        number INTEGER NOT NULL,
        game TEXT NOT NULL,
        kind TEXT NOT NULL,
        result TEXT NOT NULL,
        before REAL NOT NULL,
        deviation_before REAL NOT NULL,
        after REAL NOT NULL,
        deviation_after REAL NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (member, pool, number)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO rating_change SELECT member, pool, number, game, kind, result, before,
        deviation_before, after, deviation_after, at FROM newer;
    DROP TABLE newer;
    CREATE UNIQUE INDEX rating_change_game ON rating_change (game, member, kind);
    CREATE INDEX rating_change_at ON rating_change (at) WHERE kind = 'game'";
