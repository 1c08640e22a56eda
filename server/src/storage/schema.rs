//! The tables of the database, and how those of older servers become today's.
//!
//! The format's number is the number of migrations that have been done. A migration that has been
//! released is never changed; what is to be different is done by the next one.

use rusqlite::{Connection, TransactionBehavior};

/// What tells a database of Fivefold from others: "5FLD".
pub(super) const APPLICATION_ID: i32 = 0x3546_4C44;

/// The newest format.
#[expect(clippy::cast_possible_truncation, reason = "there are only a few")]
pub(super) const FORMAT: u32 = MIGRATIONS.len() as u32;

/// `event.before` leads from an event to the one before it in its room, and `room.last` to the
/// last one, so that a commit writes to the end of one table and to a few pages of another: a
/// hundred rooms' moves are a dozen pages. An index by room and number, which lies elsewhere for
/// each room, makes commits of many rooms cost two to three times as much. That no number is
/// twice in a room is seen to by the one who appends: `room.seq` is compared in the transaction
/// that writes it.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE room (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL UNIQUE,
        epoch INTEGER NOT NULL,
        -- The number of the last event, and where it is.
        seq INTEGER NOT NULL,
        last INTEGER NOT NULL,
        closed INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX room_open ON room (id) WHERE closed = 0;

    CREATE TABLE event (
        id INTEGER PRIMARY KEY,
        room INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,
        -- The command that caused it, and whose.
        member TEXT,
        command TEXT,
        event TEXT NOT NULL,
        before INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE game (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL UNIQUE,
        room INTEGER NOT NULL REFERENCES room,
        listed INTEGER NOT NULL,
        summary TEXT NOT NULL,
        moves TEXT NOT NULL
    ) STRICT;
    CREATE INDEX game_room ON game (room);
    CREATE INDEX game_listed ON game (id) WHERE listed = 1;

    -- Who played in which listed game.
    CREATE TABLE player (
        member TEXT NOT NULL,
        game INTEGER NOT NULL REFERENCES game,
        PRIMARY KEY (member, game)
    ) STRICT, WITHOUT ROWID;
    ",
    "
    -- Who has said what he is called.
    CREATE TABLE member (
        id TEXT NOT NULL PRIMARY KEY,
        -- Of his identity, which is nowhere.
        hash BLOB NOT NULL,
        name TEXT NOT NULL,
        seen_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    ",
    "
    -- From here on `player` has the games that are not listed, too: for the players themselves.
    INSERT INTO player (member, game)
        SELECT DISTINCT summary ->> side.path, id
        FROM game, (SELECT '$.black.member' AS path UNION ALL SELECT '$.white.member') AS side
        WHERE listed = 0 AND summary ->> side.path IS NOT NULL
        ON CONFLICT DO NOTHING;
    ",
    "
    -- Rooms whose logs are forgotten one day; then their seq is 0.
    CREATE INDEX room_closed ON room (id) WHERE closed = 1 AND seq > 0;
    ",
    "
    -- Members without a finished game are pruned when nobody has seen them for long.
    ALTER TABLE member ADD COLUMN has_game INTEGER NOT NULL DEFAULT 0;
    UPDATE member SET has_game = 1 WHERE id IN (SELECT member FROM player);
    CREATE INDEX member_without_game ON member (seen_at) WHERE has_game = 0;
    ",
    "
    -- `member.id` is derived from a member's first identity, `member.hash` from the current one.
    -- A member whose identity was replaced is kept for ever: the row refuses the old one.
    ALTER TABLE member ADD COLUMN renewed INTEGER NOT NULL DEFAULT 0;
    CREATE UNIQUE INDEX member_hash ON member (hash);
    DROP INDEX member_without_game;
    CREATE INDEX member_without_game ON member (seen_at) WHERE has_game = 0 AND renewed = 0;
    ",
];

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Nothing has been written to it.
    Empty,
    /// A database of Fivefold in this format.
    Ours(u32),
    /// A database of something else.
    Foreign,
}

/// Looks what a file is, and writes nothing.
///
/// # Errors
/// When it cannot be read, or is no database.
pub(super) fn kind(connection: &Connection) -> rusqlite::Result<Kind> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let format: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: u64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    Ok(match (id, format, tables) {
        (APPLICATION_ID, _, _) => Kind::Ours(format),
        (0, 0, 0) => Kind::Empty,
        _ => Kind::Foreign,
    })
}

/// Brings a database from an older format to the newest one: all the way, or not at all.
///
/// # Errors
/// When it cannot be written.
pub(super) fn migrate(connection: &mut Connection, from: u32) -> rusqlite::Result<()> {
    let done = usize::try_from(from).unwrap_or(usize::MAX);
    let Some(due @ [_, ..]) = MIGRATIONS.get(done..) else { return Ok(()) };
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for migration in due {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()
}
