//! The tables of the database, and how to tell a database of Fivefold from other files. What the formats after the first
//! have added is in the files of this folder, by subject.

mod account_tables;
mod collection_tables;
mod daily_tables;
mod rating_tables;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use self::{
    account_tables::{
        ACCOUNTS, BOTS, CHALLENGES_FROM, EMAILS, FRIENDS, KEYS, NOTES, OLD_NAMES, TIMES_OFF, TRACES,
    },
    collection_tables::COLLECTIONS,
    daily_tables::{DAILY_SEATS, PUSHES, SLEEPING_ROOMS},
    rating_tables::{EXAMINATIONS, PUZZLE_RATINGS, RATINGS, RATINGS_BY_TIME},
};
use super::process::add_version;
use crate::name_keys::{OldKey, made_again};

/// Marks a database of Fivefold: "5FLD".
pub(crate) const APPLICATION_ID: i32 = 0x3546_4C44;

/// The current format. Formats 1 to 6 were written before the first release; no server reads them.
pub(crate) const FORMAT: u32 = 16;

/// The oldest format that a server brings to the current one. A server that raises it names in
/// [`OpenError`](crate::OpenError) the last version that upgrades older ones.
pub(crate) const OLDEST_FORMAT: u32 = 7;

/// The room is open.
pub(crate) const OPEN: u8 = 0;
/// The room is closed, and its log is there.
pub(crate) const CLOSED: u8 = 1;
/// The room is closed and has no log: it was deleted, or the room was never stored.
pub(crate) const CLOSED_WITHOUT_LOG: u8 = 2;

/// `room.last` leads to a room's last event, and `event.previous` from there to the first. A commit
/// thus appends to the end of `event` and changes a few pages of `room`: the moves of a hundred
/// rooms take a dozen pages. An index by room and number would take a page for each room, and a
/// commit two to three times as long. `append` guarantees unique numbers per room: it compares
/// `room.seq` in the transaction that writes it.
///
/// `room.seq` and `room.last` change with each move, so no index mentions them.
///
/// These are the tables of format 7.
const SCHEMA: &str = "
    -- One row for each start of a server; ids are never used twice.
    CREATE TABLE process (id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;

    CREATE TABLE room (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL UNIQUE,
        -- The process that created or claimed it, and how many owners it has had.
        owner INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        -- The number and the id of the last event; 0 without a log.
        seq INTEGER NOT NULL,
        last INTEGER NOT NULL,
        -- 0 open, 1 closed, 2 closed and without a log.
        state INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX room_open ON room (id) WHERE state = 0;
    CREATE INDEX room_closed ON room (id) WHERE state = 1;

    CREATE TABLE event (
        id INTEGER PRIMARY KEY,
        room INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,
        -- The command that caused it, and the member who sent that.
        member TEXT,
        command TEXT,
        event TEXT NOT NULL,
        -- The id of the event before it in the room; 0 for the first.
        previous INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE game (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL UNIQUE,
        room INTEGER NOT NULL REFERENCES room,
        -- Whether the room is public.
        listed INTEGER NOT NULL,
        summary TEXT NOT NULL,
        moves TEXT NOT NULL
    ) STRICT;
    CREATE INDEX game_room ON game (room);
    CREATE INDEX game_listed ON game (id) WHERE listed = 1;

    -- Who played in which game.
    CREATE TABLE player (
        member TEXT NOT NULL,
        game INTEGER NOT NULL REFERENCES game,
        PRIMARY KEY (member, game)
    ) STRICT, WITHOUT ROWID;

    -- Those who have taken a seat.
    CREATE TABLE member (
        -- Derived from the first identity.
        id TEXT NOT NULL PRIMARY KEY,
        -- Of the current identity; the identity itself is stored nowhere.
        hash BLOB NOT NULL UNIQUE,
        name TEXT NOT NULL,
        seen_at INTEGER NOT NULL,
        -- Members with a finished game are kept.
        has_game INTEGER NOT NULL DEFAULT 0,
        -- Whether the identity was replaced. These members are kept, so that the row refuses the
        -- old identity.
        renewed INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX member_without_game ON member (seen_at) WHERE has_game = 0 AND renewed = 0;
";

/// What format 9 adds about people who spoil it for others.
const MODERATION: &str = "
    -- Whom members have blocked or muted. Members and others need not be stored.
    CREATE TABLE block (
        member TEXT NOT NULL,
        other TEXT NOT NULL,
        -- The name of the other one then.
        name TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('block', 'mute')),
        at INTEGER NOT NULL,
        PRIMARY KEY (member, other)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX block_other ON block (other, at) WHERE kind = 'block';
    CREATE INDEX block_at ON block (at);

    CREATE TABLE report (
        id TEXT NOT NULL PRIMARY KEY,
        reporter TEXT NOT NULL,
        about TEXT NOT NULL,
        about_name TEXT NOT NULL,
        kind TEXT NOT NULL,
        game TEXT,
        -- The line of chat, as JSON.
        line TEXT,
        text TEXT NOT NULL,
        at INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'acted', 'dismissed')),
        closed_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX report_open ON report (at) WHERE state = 'open';
    CREATE INDEX report_about ON report (about, at);
    CREATE INDEX report_reporter ON report (reporter, at);
    CREATE INDEX report_closed ON report (closed_at) WHERE closed_at IS NOT NULL;

    -- What operators did about members. Rows stay.
    CREATE TABLE sanction (
        id TEXT NOT NULL PRIMARY KEY,
        member TEXT NOT NULL,
        name TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('note', 'warn', 'mute', 'unrated', 'close')),
        from_at INTEGER NOT NULL,
        until_at INTEGER,
        reason TEXT NOT NULL,
        operator TEXT NOT NULL,
        seen_at INTEGER,
        appeal TEXT,
        answered_at INTEGER,
        undone_at INTEGER,
        -- Grows with each change, so that the sum of all tells whether something has changed.
        changes INTEGER NOT NULL DEFAULT 1
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sanction_member ON sanction (member, from_at);
    CREATE INDEX sanction_appeal ON sanction (from_at)
        WHERE appeal IS NOT NULL AND answered_at IS NULL;

    -- The members with an account who are operators.
    CREATE TABLE operator (
        member TEXT NOT NULL PRIMARY KEY,
        since INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// What format 12 adds about what operators do: who did it, and when somebody has appealed.
const WHO_DECIDED: &str = "
    ALTER TABLE report ADD COLUMN
        -- The name of an account, or the one given on the command line.
        closed_by TEXT;
    ALTER TABLE sanction ADD COLUMN appealed_at INTEGER;
    ALTER TABLE sanction ADD COLUMN answered_by TEXT;
    ALTER TABLE sanction ADD COLUMN undone_by TEXT;
";

/// What format 12 changes about who played in which game: a member's public games are beside each other, so that
/// the newest of them are found among any number of others.
const PLAYER_LISTED: &str = "
    ALTER TABLE player RENAME TO player_by_game;
    CREATE TABLE player (
        member TEXT NOT NULL,
        -- That of the game.
        listed INTEGER NOT NULL,
        game INTEGER NOT NULL REFERENCES game,
        PRIMARY KEY (member, listed, game)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO player
        SELECT member, listed IS 1, game FROM player_by_game JOIN game ON game.id = game
        ORDER BY 1, 2, 3;
    DROP TABLE player_by_game;
";

/// What the formats after 7 add, in their order.
const ADDED: [(u32, &[&str]); 8] = [
    (8, &[ACCOUNTS]),
    (9, &[KEYS, RATINGS, MODERATION]),
    (10, &[BOTS, OLD_NAMES, PUZZLE_RATINGS, EXAMINATIONS]),
    (11, &[RATINGS_BY_TIME]),
    (12, &[WHO_DECIDED, PLAYER_LISTED, TRACES, CHALLENGES_FROM]),
    (13, &[FRIENDS, SLEEPING_ROOMS]),
    (14, &[NOTES, DAILY_SEATS, PUSHES, TIMES_OFF, EMAILS]),
    (16, &[COLLECTIONS]),
];

/// Kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A file without tables.
    Empty,
    /// A database of Fivefold in this format.
    Ours(u32),
    /// A database of another program.
    Foreign,
}

/// Determines the kind of a file, without writing.
///
/// # Errors
/// If it cannot be read, or is not a database.
pub(crate) fn kind(connection: &Connection) -> rusqlite::Result<Kind> {
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

/// Creates the tables in an empty file: all of them, or none.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    create_in_format(connection, FORMAT)
}

/// The same in a format from [`OLDEST_FORMAT`] on.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn create_in_format(connection: &mut Connection, format: u32) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(SCHEMA)?;
    add_between(&transaction, OLDEST_FORMAT, format)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", format)?;
    transaction.commit()
}

/// Brings a file of an older format, from [`OLDEST_FORMAT`] on, to the current one: completely, or not
/// at all.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn upgrade(connection: &mut Connection, format: u32) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    add_between(&transaction, format, FORMAT)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()
}

/// Adds what the formats after the first and up to the second have.
fn add_between(transaction: &Transaction<'_>, first: u32, last: u32) -> rusqlite::Result<()> {
    for (_, tables) in ADDED.iter().filter(|(since, _)| (first + 1..=last).contains(since)) {
        for table in *tables {
            transaction.execute_batch(table)?;
        }
    }
    if first < 12 && last >= 12 {
        make_name_keys_again(transaction)?;
    }
    if first < 15 && last >= 15 { add_version(transaction) } else { Ok(()) }
}

/// What format 12 changes: the keys of names, by another rule.
fn make_name_keys_again(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut stored = old_keys(
        transaction,
        "SELECT account.member, member.name, likeness
         FROM account JOIN member ON member.id = account.member
         ORDER BY deleted_at IS NOT NULL, account.made_at, account.member",
    )?;
    stored.extend(old_keys(
        transaction,
        "SELECT member, name, likeness FROM old_name ORDER BY at DESC, likeness",
    )?);
    let keys = made_again(&stored);
    for table in ["account", "old_name"] {
        let change =
            format!("UPDATE {table} SET likeness = ?3 WHERE member = ?1 AND likeness = ?2");
        let mut change = transaction.prepare(&change)?;
        for (OldKey { member, key, .. }, new) in stored.iter().zip(&keys) {
            if key != new {
                // A key that no name has: the new one may be another name's until that has its own.
                change.execute((member, key, format!(" {new}")))?;
            }
        }
        let end =
            format!("UPDATE {table} SET likeness = substr(likeness, 2) WHERE likeness LIKE ' %'");
        transaction.execute(&end, ())?;
    }
    Ok(())
}

fn old_keys(transaction: &Transaction<'_>, select: &str) -> rusqlite::Result<Vec<OldKey>> {
    let mut select = transaction.prepare(select)?;
    let rows = select.query_map((), |row| {
        Ok(OldKey { member: row.get(0)?, name: row.get(1)?, key: row.get(2)? })
    })?;
    rows.collect()
}
