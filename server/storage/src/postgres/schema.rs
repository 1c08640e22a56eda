//! The tables in PostgreSQL, and how a database gets them: created, brought to this server's
//! format, or refused.
//!
//! They are in a schema of their own, so that nothing else in the database is touched.

mod account_tables;
mod collection_tables;
mod daily_tables;
mod rating_tables;

use tokio_postgres::Error;

use self::{
    account_tables::{
        ACCOUNTS, BOTS, CHALLENGES_FROM, EMAILS, FRIENDS, KEYS, NOTES, OLD_NAMES, TIMES_OFF, TRACES,
    },
    collection_tables::COLLECTIONS,
    daily_tables::{DAILY_SEATS, PUSHES, SLEEPING_ROOMS},
    rating_tables::{EXAMINATIONS, PUZZLE_RATINGS, RATINGS},
};
use super::{
    connection::Session,
    format::{VERSIONS, format, number, version},
    name_keys, playing,
};
use crate::{
    limits::{EVENT_PARTITION_ROOMS, EVENT_PARTITIONS_AHEAD},
    open_error::VERSION,
};

/// The current format. A migration only adds; what it makes useless goes a release later, so that
/// nodes of two versions can share a database.
pub(super) const FORMAT: i32 = 10;

/// The format of events: a node claims no room whose events it may not know.
pub(super) const EVENT_FORMAT: i32 = 1;

/// The oldest PostgreSQL, as `server_version_num`.
pub(super) const VERSION_MIN: i32 = 150_000;

/// Number of the advisory lock under which tables are created: "5FLD".
const LOCK: i64 = 0x3546_4C44;

/// The tables of format 1. No index mentions a column that changes with each move, so that a move's
/// new row version stays in its page and touches no index (HOT); the fill factor leaves space for it.
const SCHEMA: &str = "
    CREATE SCHEMA fivefold;

    CREATE TABLE fivefold.format (number int NOT NULL);

    -- One row for each server that has joined; numbers are never used twice. A row that is missing
    -- is that of a dead node.
    CREATE TABLE fivefold.node (
        id int GENERATED ALWAYS AS IDENTITY (MINVALUE 1 MAXVALUE 16777215 CACHE 1) PRIMARY KEY,
        name text NOT NULL,
        heartbeat bigint NOT NULL DEFAULT 0,
        -- Never taken back.
        dead boolean NOT NULL DEFAULT false,
        draining boolean NOT NULL DEFAULT false,
        sees_bus boolean NOT NULL DEFAULT true,
        -- The newest format of events that it knows, and the versions of the bus; 0 for a server that
        -- has the database for itself.
        format int NOT NULL,
        bus_min int NOT NULL,
        bus_max int NOT NULL,
        rooms bigint NOT NULL DEFAULT 0,
        sessions bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50);

    CREATE TABLE fivefold.room (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        code text COLLATE \"C\" NOT NULL UNIQUE,
        -- The node that owns it, and how many owners it has had.
        owner int NOT NULL,
        epoch bigint NOT NULL,
        -- The number of the last event; 0 without a log.
        seq bigint NOT NULL,
        -- The newest format of events in its log.
        format int NOT NULL,
        -- The command that created it, and the member who sent that.
        maker text,
        command text,
        -- Time of the last event of a closed room.
        closed_at bigint,
        -- The log was deleted, or the room was never stored.
        forgotten boolean NOT NULL DEFAULT false
    ) WITH (fillfactor = 70);
    CREATE UNIQUE INDEX room_made ON fivefold.room (maker, command) WHERE closed_at IS NULL;
    CREATE INDEX room_open ON fivefold.room (owner) WHERE closed_at IS NULL;
    CREATE INDEX room_closed ON fivefold.room (closed_at)
        WHERE closed_at IS NOT NULL AND NOT forgotten;
    CREATE INDEX room_kept ON fivefold.room (id) WHERE NOT forgotten;

    CREATE TABLE fivefold.event (
        room bigint NOT NULL,
        seq bigint NOT NULL,
        at bigint NOT NULL,
        -- The command that caused it, and the member who sent that.
        member text,
        command text,
        event text NOT NULL,
        PRIMARY KEY (room, seq)
    ) PARTITION BY RANGE (room);

    CREATE TABLE fivefold.game (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        code text COLLATE \"C\" NOT NULL UNIQUE,
        room bigint NOT NULL,
        -- Whether the room is public.
        listed boolean NOT NULL,
        summary text NOT NULL,
        moves text NOT NULL
    );
    CREATE INDEX game_room ON fivefold.game (room);
    CREATE INDEX game_listed ON fivefold.game (id) WHERE listed;

    -- Who played in which game.
    CREATE TABLE fivefold.player (
        member text COLLATE \"C\" NOT NULL,
        game bigint NOT NULL,
        PRIMARY KEY (member, game)
    );

    -- Those who have taken a seat.
    CREATE TABLE fivefold.member (
        -- Derived from the first identity.
        id text COLLATE \"C\" PRIMARY KEY,
        -- Of the current identity; the identity itself is stored nowhere.
        hash bytea NOT NULL UNIQUE,
        name text NOT NULL,
        seen_at bigint NOT NULL,
        -- Members with a finished game are kept.
        has_game boolean NOT NULL DEFAULT false,
        -- Whether the identity was replaced. These members are kept, so that the row refuses the
        -- old identity.
        renewed boolean NOT NULL DEFAULT false
    );
    CREATE INDEX member_without_game ON fivefold.member (seen_at)
        WHERE NOT has_game AND NOT renewed;
";

/// What format 2 adds.
const PLAYING: &str = "
    -- The players in running games of rooms of paired players. A member is in one such game.
    CREATE TABLE fivefold.playing (
        member text COLLATE \"C\" PRIMARY KEY,
        -- A null that is written here makes an append fail.
        room text COLLATE \"C\" NOT NULL,
        seat text NOT NULL
    );
    CREATE INDEX playing_room ON fivefold.playing (room);
";

/// What format 4 adds about people who spoil it for others.
const MODERATION: &str = "
    -- Whom members have blocked or muted. Members and others need not be stored.
    CREATE TABLE fivefold.block (
        member text COLLATE \"C\" NOT NULL,
        other text COLLATE \"C\" NOT NULL,
        -- The name of the other one then.
        name text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('block', 'mute')),
        at bigint NOT NULL,
        PRIMARY KEY (member, other)
    );
    CREATE INDEX block_other ON fivefold.block (other, at) WHERE kind = 'block';
    CREATE INDEX block_at ON fivefold.block (at);

    CREATE TABLE fivefold.report (
        id text COLLATE \"C\" PRIMARY KEY,
        reporter text COLLATE \"C\" NOT NULL,
        about text COLLATE \"C\" NOT NULL,
        about_name text NOT NULL,
        kind text NOT NULL,
        game text COLLATE \"C\",
        -- The line of chat, as JSON.
        line text,
        text text NOT NULL,
        at bigint NOT NULL,
        state text NOT NULL CHECK (state IN ('open', 'acted', 'dismissed')),
        closed_at bigint
    );
    CREATE INDEX report_open ON fivefold.report (at) WHERE state = 'open';
    CREATE INDEX report_about ON fivefold.report (about, at);
    CREATE INDEX report_reporter ON fivefold.report (reporter, at);
    CREATE INDEX report_closed ON fivefold.report (closed_at) WHERE closed_at IS NOT NULL;

    -- What operators did about members. Rows stay.
    CREATE TABLE fivefold.sanction (
        id text COLLATE \"C\" PRIMARY KEY,
        member text COLLATE \"C\" NOT NULL,
        name text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('note', 'warn', 'mute', 'unrated', 'close')),
        from_at bigint NOT NULL,
        until_at bigint,
        reason text NOT NULL,
        operator text NOT NULL,
        seen_at bigint,
        appeal text,
        answered_at bigint,
        undone_at bigint,
        -- Grows with each change, so that the sum of all tells whether something has changed.
        changes bigint NOT NULL DEFAULT 1
    );
    CREATE INDEX sanction_member ON fivefold.sanction (member, from_at);
    CREATE INDEX sanction_appeal ON fivefold.sanction (from_at)
        WHERE appeal IS NOT NULL AND answered_at IS NULL;

    -- The members with an account who are operators.
    CREATE TABLE fivefold.operator (
        member text COLLATE \"C\" PRIMARY KEY,
        since bigint NOT NULL
    );
";

/// What format 6 adds about what operators do: who did it, and when somebody has appealed.
const WHO_DECIDED: &str = "
    ALTER TABLE fivefold.report
        -- The name of an account, or the one given on the command line.
        ADD COLUMN closed_by text;
    ALTER TABLE fivefold.sanction
        ADD COLUMN appealed_at bigint,
        ADD COLUMN answered_by text,
        ADD COLUMN undone_by text;
";

/// What format 6 adds about who played in which game: the newest public games of a member are found among any
/// number of others.
const PLAYER_LISTED: &str = "
    ALTER TABLE fivefold.player
        -- That of the game. Of an older server's games it is true: the game itself decides.
        ADD COLUMN listed boolean NOT NULL DEFAULT true;
    CREATE INDEX player_listed ON fivefold.player (member, game) WHERE listed;
";

/// Fills it: private games are fewer.
pub(super) const FILL_PLAYER_LISTED: &str = "
    UPDATE fivefold.player SET listed = false FROM fivefold.game
    WHERE game.id = player.game AND NOT game.listed";

/// What the formats after 2 add, in their order.
const ADDED: [(i32, &[&str]); 8] = [
    (3, &[ACCOUNTS]),
    (4, &[KEYS, RATINGS, MODERATION]),
    (5, &[BOTS, OLD_NAMES, PUZZLE_RATINGS, EXAMINATIONS]),
    (6, &[WHO_DECIDED, PLAYER_LISTED, FILL_PLAYER_LISTED, TRACES, CHALLENGES_FROM]),
    (7, &[FRIENDS, SLEEPING_ROOMS]),
    (8, &[NOTES, DAILY_SEATS, PUSHES, TIMES_OFF, EMAILS]),
    (9, &[VERSIONS]),
    (10, &[COLLECTIONS]),
];

/// What a server found in its database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Database {
    /// The tables of this server's format.
    Ready,
    /// An older PostgreSQL, by its `server_version_num`.
    OldServer(i32),
    /// Tables of a newer server, and its version, if they name it.
    Newer(i32, Option<String>),
}

/// Creates the tables, or brings them to this server's format.
///
/// # Errors
/// If the database refuses; nothing has changed then.
pub(super) async fn prepare(session: &Session) -> Result<Database, Error> {
    let version = session.query("SELECT current_setting('server_version_num')::int", &[]).await?;
    let version = number(&version);
    if version < VERSION_MIN {
        return Ok(Database::OldServer(version));
    }
    session.transaction(&lock(), migrate(session)).await
}

async fn migrate(session: &Session) -> Result<Database, Error> {
    let mut format = format(session).await?;
    if format == 0 {
        session.batch(SCHEMA).await?;
        session.batch("INSERT INTO fivefold.format (number) VALUES (1)").await?;
        format = 1;
    }
    if format > FORMAT {
        return Ok(Database::Newer(format, version(session).await?));
    }
    make_partitions(session).await?;
    if format < 2 {
        session.batch(PLAYING).await?;
        playing::fill(session).await?;
    }
    for (_, tables) in ADDED.iter().filter(|(since, _)| *since > format) {
        for table in *tables {
            session.batch(table).await?;
        }
    }
    if format < 6 {
        name_keys::make_again(session).await?;
    }
    if format < FORMAT {
        let update = format!("UPDATE fivefold.format SET number = {FORMAT}, version = '{VERSION}'");
        session.batch(&update).await?;
    }
    Ok(Database::Ready)
}

/// The numbers of the first partition to make, and of the one for the next room.
const SELECT_PARTITIONS: &str = "
    WITH next AS (SELECT coalesce(max(id), 0) / $1 AS room FROM fivefold.room)
    SELECT coalesce((
        SELECT max(substring(c.relname FROM '^event_([0-9]+)$')::bigint) + 1
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'fivefold.event'::regclass
    ), room), room FROM next";

/// Makes the next partitions of `event`, unless they are there: each beside the table, and then
/// attached to it, which delays no append.
pub(super) async fn make_partitions(session: &Session) -> Result<(), Error> {
    for row in session.query(SELECT_PARTITIONS, &[&EVENT_PARTITION_ROOMS]).await? {
        let (first, current): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        for partition in first..=current + EVENT_PARTITIONS_AHEAD {
            let name = format!("fivefold.event_{partition}");
            let (from, to) =
                (partition * EVENT_PARTITION_ROOMS, (partition + 1) * EVENT_PARTITION_ROOMS);
            session
                .batch(&format!(
                    "CREATE TABLE {name} (LIKE fivefold.event INCLUDING DEFAULTS, \
                     CHECK (room >= {from} AND room < {to})); \
                     ALTER TABLE fivefold.event ATTACH PARTITION {name} \
                     FOR VALUES FROM ({from}) TO ({to})"
                ))
                .await?;
        }
    }
    Ok(())
}

/// [`make_partitions`], unless another node does it now.
pub(super) async fn make_partitions_ahead(session: &Session) -> Result<(), Error> {
    session.transaction(&lock(), make_partitions(session)).await
}

/// Waits for other servers that change tables: longer than for a lock of a table.
fn lock() -> String {
    format!(
        "SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock({LOCK}); \
         SET LOCAL lock_timeout = '500ms'"
    )
}
