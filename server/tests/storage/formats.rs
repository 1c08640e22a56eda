//! How older formats of a file differ from the current one.

/// Makes the tables of a file what they were in format 14.
pub(crate) const FORMAT_14: &str = "ALTER TABLE process DROP COLUMN version;";

/// Makes the tables of PostgreSQL what they were in format 8.
pub(crate) const POSTGRES_8: &str = "
    ALTER TABLE fivefold.format DROP COLUMN version;
    UPDATE fivefold.format SET number = 8";

/// Makes those of format 14 what they were in format 13.
pub(crate) const FORMAT_13: &str = "
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
pub(crate) const POSTGRES_7: &str = "
    DROP TABLE fivefold.push_server, fivefold.push_subscription, fivefold.push_setting,
        fivefold.push_game, fivefold.push_news;
    DROP TABLE fivefold.note, fivefold.time_off, fivefold.email;
    DROP TABLE fivefold.daily_seat;
    UPDATE fivefold.format SET number = 7";

/// Makes those of format 13 what they were in format 12.
pub(crate) const FORMAT_12: &str = "
    DROP TABLE sleeping_member;
    DROP TABLE sleeping_room;
    DROP INDEX room_open;
    CREATE INDEX room_open ON room (id) WHERE state = 0;
    DROP TABLE friend;
    ALTER TABLE account DROP COLUMN online_to;";

/// Makes those of format 7 what they were in format 6.
pub(crate) const POSTGRES_6: &str = "
    DROP TABLE fivefold.sleeping_member;
    DROP TABLE fivefold.sleeping_room;
    DROP TABLE fivefold.friend;
    ALTER TABLE fivefold.account DROP COLUMN online_to;
    UPDATE fivefold.format SET number = 6";

/// Makes those of format 12 what they were in format 11.
pub(crate) const FORMAT_11: &str = "
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
pub(crate) const POSTGRES_5: &str = "
    DROP TABLE fivefold.trace;
    ALTER TABLE fivefold.report DROP COLUMN closed_by;
    ALTER TABLE fivefold.sanction DROP COLUMN appealed_at, DROP COLUMN answered_by,
        DROP COLUMN undone_by;
    ALTER TABLE fivefold.player DROP COLUMN listed;
    ALTER TABLE fivefold.member DROP COLUMN challenges_from;
    UPDATE fivefold.format SET number = 5";

/// Makes the tables of ratings of a file what they were in format 10.
pub(crate) const FORMAT_10: &str = "
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
