//! Copies a database file into an empty PostgreSQL database: rooms, logs, games, members, accounts,
//! ratings and what operators know, with their numbers. Everything happens in one transaction, and is
//! compared before it commits. Who plays in rooms of paired players is derived from the logs.

use std::{collections::HashSet, fmt, path::Path};

use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};
use tokio_postgres::{Error, Row};

use super::{
    DatabaseUrl, OpenError, Postgres,
    connection::{Connection, Session},
    playing,
    schema::{EVENT_FORMAT, make_partitions},
};
use crate::{
    limits::DATABASE_MAINTENANCE_WITHIN,
    storage::{
        DataFolder, Findings, StorageError,
        check::check_file,
        data_folder::is_locked_folder,
        sqlite::{inspect, open_to_read},
    },
};

/// What was copied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Migrated {
    counts: Vec<(&'static str, u64)>,
}

impl fmt::Display for Migrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<_> =
            self.counts.iter().map(|(table, rows)| format!("{rows} rows of {table}")).collect();
        writeln!(f, "Copied and compared: {}.", counts.join(", "))
    }
}

/// Why a file was not copied. The target is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The file or the database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file is damaged.
    #[error("the file is damaged, and nothing is copied:\n{0}")]
    Unsound(Findings),
    /// The target has rooms, games or members.
    #[error("{database} is not empty. Create a new database: createdb NAME")]
    NotEmpty {
        /// Hosts and database.
        database: String,
    },
    /// The copy differs from the file.
    #[error("the copied rows of {table} differ from the file, and are taken back")]
    Differs {
        /// The table.
        table: &'static str,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// A table, and how its rows get from one database into the other.
struct Table {
    name: &'static str,
    /// The rows as the target has them, in an order that both can keep.
    from_sqlite: &'static str,
    /// Takes a JSON array of rows, which are arrays of texts and nulls.
    insert: &'static str,
    /// The same rows as texts.
    from_postgres: &'static str,
}

/// Blobs are copied as hexadecimal digits. Rooms belong to node 0, which never lives, so the next
/// server claims them.
const TABLES: [Table; 22] = [
    Table {
        name: "room",
        from_sqlite: "
            SELECT room.id, code, epoch, room.seq, first.member, first.command,
                CASE state WHEN 0 THEN NULL WHEN 1 THEN last.at ELSE 0 END, state = 2
            FROM room LEFT JOIN event AS last ON last.id = room.last
            LEFT JOIN event AS first ON first.room = room.id AND first.previous = 0
                AND room.seq > 0
            ORDER BY room.id",
        insert: "
            INSERT INTO room (id, code, owner, epoch, seq, format, maker, command, closed_at,
                forgotten) OVERRIDING SYSTEM VALUE
            SELECT (r->>0)::bigint, r->>1, 0, (r->>2)::bigint, (r->>3)::bigint, $2, r->>4, r->>5,
                (r->>6)::bigint, (r->>7) = '1'
            FROM json_array_elements($1::text::json) AS r",
        from_postgres: "
            SELECT id::text, code, epoch::text, seq::text, maker, command, closed_at::text,
                forgotten::int::text
            FROM room ORDER BY room.id",
    },
    Table {
        name: "event",
        from_sqlite: "
            SELECT room, seq, at, member, command, event FROM event ORDER BY room, seq",
        insert: "
            INSERT INTO event (room, seq, at, member, command, event)
            SELECT (r->>0)::bigint, (r->>1)::bigint, (r->>2)::bigint, r->>3, r->>4, r->>5
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT room::text, seq::text, at::text, member, command, event
            FROM event ORDER BY event.room, event.seq",
    },
    Table {
        name: "game",
        from_sqlite: "SELECT id, code, room, listed, summary, moves FROM game ORDER BY id",
        insert: "
            INSERT INTO game (id, code, room, listed, summary, moves) OVERRIDING SYSTEM VALUE
            SELECT (r->>0)::bigint, r->>1, (r->>2)::bigint, (r->>3) = '1', r->>4, r->>5
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT id::text, code, room::text, listed::int::text, summary, moves
            FROM game ORDER BY game.id",
    },
    Table {
        name: "player",
        from_sqlite: "SELECT member, game FROM player ORDER BY member, game",
        insert: "
            INSERT INTO player (member, game) SELECT r->>0, (r->>1)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "SELECT member, game::text FROM player ORDER BY player.member, player.game",
    },
    Table {
        name: "member",
        from_sqlite: "
            SELECT id, hash, name, seen_at, has_game, renewed FROM member ORDER BY id",
        insert: "
            INSERT INTO member (id, hash, name, seen_at, has_game, renewed)
            SELECT r->>0, decode(r->>1, 'hex'), r->>2, (r->>3)::bigint, (r->>4) = '1',
                (r->>5) = '1'
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT id, encode(hash, 'hex'), name, seen_at::text, has_game::int::text,
                renewed::int::text
            FROM member ORDER BY member.id",
    },
    Table {
        name: "account",
        from_sqlite: "
            SELECT member, likeness, made_at, renamed_at, deleted_at, owner FROM account
            ORDER BY member",
        insert: "
            INSERT INTO account (member, likeness, made_at, renamed_at, deleted_at, owner)
            SELECT r->>0, r->>1, (r->>2)::bigint, (r->>3)::bigint, (r->>4)::bigint, r->>5
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT member, likeness, made_at::text, renamed_at::text, deleted_at::text, owner
            FROM account ORDER BY account.member",
    },
    Table {
        name: "key",
        from_sqlite: "
            SELECT id, member, kind, lookup, secret, made_at, used_at FROM key ORDER BY id",
        insert: "
            INSERT INTO key (id, member, kind, lookup, secret, made_at, used_at)
                OVERRIDING SYSTEM VALUE
            SELECT (r->>0)::bigint, r->>1, r->>2, decode(r->>3, 'hex'), r->>4, (r->>5)::bigint,
                (r->>6)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT id::text, member, kind, encode(lookup, 'hex'), secret, made_at::text,
                used_at::text
            FROM key ORDER BY key.id",
    },
    Table {
        name: "session",
        from_sqlite: "
            SELECT hash, member, label, made_at, seen_at, expires_at, proved_at FROM session
            ORDER BY hash",
        insert: "
            INSERT INTO session (hash, member, label, made_at, seen_at, expires_at, proved_at)
            SELECT decode(r->>0, 'hex'), r->>1, r->>2, (r->>3)::bigint, (r->>4)::bigint,
                (r->>5)::bigint, (r->>6)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT encode(hash, 'hex'), member, label, made_at::text, seen_at::text,
                expires_at::text, proved_at::text
            FROM session ORDER BY session.hash",
    },
    Table {
        name: "block",
        from_sqlite: "SELECT member, other, name, kind, at FROM block ORDER BY member, other",
        insert: "
            INSERT INTO block (member, other, name, kind, at)
            SELECT r->>0, r->>1, r->>2, r->>3, (r->>4)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT member, other, name, kind, at::text FROM block
            ORDER BY block.member, block.other",
    },
    Table {
        name: "report",
        from_sqlite: "
            SELECT id, reporter, about, about_name, kind, game, line, text, at, state,
                closed_at, closed_by
            FROM report ORDER BY id",
        insert: "
            INSERT INTO report (id, reporter, about, about_name, kind, game, line, text, at, state,
                closed_at, closed_by)
            SELECT r->>0, r->>1, r->>2, r->>3, r->>4, r->>5, r->>6, r->>7, (r->>8)::bigint, r->>9,
                (r->>10)::bigint, r->>11
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT id, reporter, about, about_name, kind, game, line, text, at::text, state,
                closed_at::text, closed_by
            FROM report ORDER BY report.id",
    },
    Table {
        name: "sanction",
        from_sqlite: "
            SELECT id, member, name, kind, from_at, until_at, reason, operator, seen_at, appeal,
                answered_at, undone_at, changes, appealed_at, answered_by, undone_by
            FROM sanction ORDER BY id",
        insert: "
            INSERT INTO sanction (id, member, name, kind, from_at, until_at, reason, operator, seen_at,
                appeal, answered_at, undone_at, changes, appealed_at, answered_by, undone_by)
            SELECT r->>0, r->>1, r->>2, r->>3, (r->>4)::bigint, (r->>5)::bigint, r->>6, r->>7,
                (r->>8)::bigint, r->>9, (r->>10)::bigint, (r->>11)::bigint, (r->>12)::bigint,
                (r->>13)::bigint, r->>14, r->>15
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT id, member, name, kind, from_at::text, until_at::text, reason, operator,
                seen_at::text, appeal, answered_at::text, undone_at::text, changes::text,
                appealed_at::text, answered_by, undone_by
            FROM sanction ORDER BY sanction.id",
    },
    Table {
        name: "operator",
        from_sqlite: "SELECT member, since FROM operator ORDER BY member",
        insert: "
            INSERT INTO operator (member, since) SELECT r->>0, (r->>1)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "SELECT member, since::text FROM operator ORDER BY operator.member",
    },
    Table {
        name: "passkey",
        from_sqlite: "
            SELECT id, member, label, credential, made_at, used_at FROM passkey ORDER BY id",
        insert: "
            INSERT INTO passkey (id, member, label, credential, made_at, used_at)
            SELECT decode(r->>0, 'hex'), r->>1, r->>2, r->>3, (r->>4)::bigint, (r->>5)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT encode(id, 'hex'), member, label, credential, made_at::text, used_at::text
            FROM passkey ORDER BY passkey.id",
    },
    Table {
        name: "token",
        from_sqlite: "
            SELECT hash, member, label, scopes, made_at, used_at, expires_at FROM token
            ORDER BY hash",
        insert: "
            INSERT INTO token (hash, member, label, scopes, made_at, used_at, expires_at)
            SELECT decode(r->>0, 'hex'), r->>1, r->>2, r->>3, (r->>4)::bigint, (r->>5)::bigint,
                (r->>6)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT encode(hash, 'hex'), member, label, scopes, made_at::text, used_at::text,
                expires_at::text
            FROM token ORDER BY token.hash",
    },
    Table {
        name: "alias",
        from_sqlite: "SELECT member, account, made_at FROM alias ORDER BY member",
        insert: "
            INSERT INTO alias (member, account, made_at) SELECT r->>0, r->>1, (r->>2)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT member, account, made_at::text FROM alias ORDER BY alias.member",
    },
    Table {
        name: "old_name",
        from_sqlite: "SELECT likeness, member, name, at FROM old_name ORDER BY likeness",
        insert: "
            INSERT INTO old_name (likeness, member, name, at)
            SELECT r->>0, r->>1, r->>2, (r->>3)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT likeness, member, name, at::text FROM old_name ORDER BY old_name.likeness",
    },
    Table {
        name: "rating",
        from_sqlite: "
            SELECT member, pool, value, deviation, volatility, games, wins, draws, last_at, changes
            FROM rating ORDER BY member, pool",
        insert: "
            INSERT INTO rating (member, pool, value, deviation, volatility, games, wins, draws,
                last_at, changes)
            SELECT r->>0, r->>1, (r->>2)::float8, (r->>3)::float8, (r->>4)::float8,
                (r->>5)::bigint, (r->>6)::bigint, (r->>7)::bigint, (r->>8)::bigint,
                (r->>9)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT member, pool, value::text, deviation::text, volatility::text, games::text,
                wins::text, draws::text, last_at::text, changes::text
            FROM rating ORDER BY rating.member, rating.pool",
    },
    Table {
        name: "rating_change",
        from_sqlite: "
            SELECT member, pool, number, game, kind, result, before, deviation_before, after,
                deviation_after, at
            FROM rating_change ORDER BY member, pool, number",
        insert: "
            INSERT INTO rating_change (member, pool, number, game, kind, result, before,
                deviation_before, after, deviation_after, at)
            SELECT r->>0, r->>1, (r->>2)::bigint, r->>3, r->>4, r->>5, (r->>6)::float8,
                (r->>7)::float8, (r->>8)::float8, (r->>9)::float8, (r->>10)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT member, pool, number::text, game, kind, result, before::text,
                deviation_before::text, after::text, deviation_after::text, at::text
            FROM rating_change
            ORDER BY rating_change.member, rating_change.pool, rating_change.number",
    },
    Table {
        name: "game_mark",
        from_sqlite: "
            SELECT member, game, kind, opponent, at FROM game_mark ORDER BY member, game, kind",
        insert: "
            INSERT INTO game_mark (member, game, kind, opponent, at)
            SELECT r->>0, r->>1, r->>2, r->>3, (r->>4)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT member, game, kind, opponent, at::text FROM game_mark
            ORDER BY game_mark.member, game_mark.game, game_mark.kind COLLATE \"C\"",
    },
    Table {
        name: "examined_game",
        from_sqlite: "
            SELECT game, at, claimed_at, engine, facts FROM examined_game ORDER BY game",
        insert: "
            INSERT INTO examined_game (game, at, claimed_at, engine, facts)
            SELECT r->>0, (r->>1)::bigint, (r->>2)::bigint, (r->>3)::bigint = 1, r->>4
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT game, at::text, claimed_at::text, engine::int::text, facts FROM examined_game
            ORDER BY examined_game.game",
    },
    Table {
        name: "puzzle_rating",
        from_sqlite: "
            SELECT side, id, value, deviation, volatility, tries, solved, last_at
            FROM puzzle_rating ORDER BY side, id",
        insert: "
            INSERT INTO puzzle_rating (side, id, value, deviation, volatility, tries, solved,
                last_at)
            SELECT r->>0, r->>1, (r->>2)::float8, (r->>3)::float8, (r->>4)::float8,
                (r->>5)::bigint, (r->>6)::bigint, (r->>7)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT side, id, value::text, deviation::text, volatility::text, tries::text,
                solved::text, last_at::text
            FROM puzzle_rating ORDER BY puzzle_rating.side, puzzle_rating.id",
    },
    Table {
        name: "puzzle_try",
        from_sqlite: "
            SELECT member, number, puzzle, puzzle_number, solved, before, deviation_before, after,
                deviation_after, puzzle_before, puzzle_deviation_before, puzzle_after,
                puzzle_deviation_after, at
            FROM puzzle_try ORDER BY member, number",
        insert: "
            INSERT INTO puzzle_try (member, number, puzzle, puzzle_number, solved, before,
                deviation_before, after, deviation_after, puzzle_before, puzzle_deviation_before,
                puzzle_after, puzzle_deviation_after, at)
            SELECT r->>0, (r->>1)::bigint, r->>2, (r->>3)::bigint, (r->>4) = '1', (r->>5)::float8,
                (r->>6)::float8, (r->>7)::float8, (r->>8)::float8, (r->>9)::float8,
                (r->>10)::float8, (r->>11)::float8, (r->>12)::float8, (r->>13)::bigint
            FROM json_array_elements($1::text::json) AS r WHERE $2 > 0",
        from_postgres: "
            SELECT member, number::text, puzzle, puzzle_number::text, solved::int::text,
                before::text, deviation_before::text, after::text, deviation_after::text,
                puzzle_before::text, puzzle_deviation_before::text, puzzle_after::text,
                puzzle_deviation_after::text, at::text
            FROM puzzle_try ORDER BY puzzle_try.member, puzzle_try.number",
    },
];

/// The tables that files of older formats lack, and the format that has added each.
const ADDED: [(&str, u32); 17] = [
    ("account", 8),
    ("key", 8),
    ("session", 8),
    ("passkey", 9),
    ("token", 9),
    ("alias", 9),
    ("block", 9),
    ("report", 9),
    ("sanction", 9),
    ("operator", 9),
    ("rating", 9),
    ("rating_change", 9),
    ("game_mark", 10),
    ("examined_game", 10),
    ("puzzle_rating", 10),
    ("puzzle_try", 10),
    ("old_name", 10),
];

/// The columns that files of older formats lack, the format that has added each, and what stands for it.
const COLUMNS_ADDED: [(&str, u32, &str); 6] = [
    (", owner", 9, ", NULL"),
    (", proved_at", 9, ", 0"),
    (", closed_by", 12, ", NULL"),
    (", appealed_at", 12, ", NULL"),
    (", answered_by", 12, ", NULL"),
    (", undone_by", 12, ", NULL"),
];

/// Rows that are copied or read at a time.
const PART: usize = 1_000;

const IS_EMPTY: &str = "
    SELECT NOT EXISTS (SELECT FROM room) AND NOT EXISTS (SELECT FROM game)
        AND NOT EXISTS (SELECT FROM member)";

/// New rooms and games get the next numbers.
const SET_NUMBERS: &str = "
    SELECT setval(pg_get_serial_sequence('room', 'id'), greatest(max(id), 1)) FROM room;
    SELECT setval(pg_get_serial_sequence('game', 'id'), greatest(max(id), 1)) FROM game;
    SELECT setval(pg_get_serial_sequence('key', 'id'), greatest(max(id), 1)) FROM key;
    ANALYZE";

/// Copies a database file into an empty PostgreSQL database.
///
/// # Errors
/// If nothing was copied.
pub fn migrate(from: &Path, url: &DatabaseUrl) -> Result<Migrated, MigrateError> {
    // No server may write into the file. A backup has no lock beside it.
    let folder = from.parent().filter(|folder| is_locked_folder(folder));
    let _locked = folder.map(DataFolder::take).transpose()?;
    let findings = check_file(from)?;
    if !findings.is_sound() {
        return Err(MigrateError::Unsound(findings));
    }
    let format = inspect(from)?.unwrap_or_default();
    let file = open_to_read(from).map_err(StorageError::from)?;
    let mut target = Postgres::open(url, None)?;
    let database = target.name().to_owned();
    let writer = &mut target.writer;
    // If a later call finds the connection lost, that is an error: nothing commits half of it.
    call(writer, &async |session| session.batch("BEGIN").await)?;
    call(writer, &async |session| {
        session.batch("LOCK TABLE room, game, member IN EXCLUSIVE MODE").await
    })?;
    let is_empty = call(writer, &async |session| session.query(IS_EMPTY, &[]).await)?;
    if !is_empty.first().is_some_and(|row| row.get(0)) {
        return Err(MigrateError::NotEmpty { database });
    }
    let mut counts = Vec::new();
    let is_there = |table: &&Table| {
        let added = ADDED.iter().find(|(name, _)| *name == table.name);
        added.is_none_or(|(_, since)| format >= *since)
    };
    for table in TABLES.iter().filter(is_there) {
        let original = copy(&file, format, writer, table)?;
        if original != digest_of_copy(writer, table)? {
            return Err(MigrateError::Differs { table: table.name });
        }
        counts.push((table.name, original.rows));
    }
    call(writer, &playing::fill)?;
    call(writer, &async |session| session.batch(SET_NUMBERS).await)?;
    call(writer, &async |session| session.batch("COMMIT").await)?;
    Ok(Migrated { counts })
}

fn call<T>(
    writer: &mut Connection,
    work: &impl AsyncFn(&Session) -> Result<T, Error>,
) -> Result<T, StorageError> {
    writer.commit(DATABASE_MAINTENANCE_WITHIN, work)
}

/// Number and digest of rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Content {
    rows: u64,
    digest: Sha256Sum,
}

#[derive(Clone, Debug, Default)]
struct Sha256Sum(Sha256);

impl PartialEq for Sha256Sum {
    fn eq(&self, other: &Self) -> bool {
        self.0.clone().finalize() == other.0.clone().finalize()
    }
}

impl Eq for Sha256Sum {}

impl Content {
    fn add<'a>(&mut self, row: impl Iterator<Item = Option<&'a str>>) {
        self.rows += 1;
        for value in row {
            let text = value.unwrap_or_default();
            let head = [u8::from(value.is_some())];
            self.digest.0.update(head);
            self.digest.0.update((text.len() as u64).to_le_bytes());
            self.digest.0.update(text);
        }
    }
}

type Texts = Vec<Option<String>>;

/// Copies one table. Returns the content of the original.
fn copy(
    file: &rusqlite::Connection,
    format: u32,
    writer: &mut Connection,
    table: &Table,
) -> Result<Content, MigrateError> {
    let mut select = table.from_sqlite.to_owned();
    for (column, since, value) in COLUMNS_ADDED {
        if format < since {
            select = select.replace(column, value);
        }
    }
    let mut select = file.prepare(&select).map_err(StorageError::from)?;
    let columns = select.column_count();
    let mut rows = select.query(()).map_err(StorageError::from)?;
    let (mut content, mut part, mut made) = (Content::default(), Vec::new(), HashSet::new());
    while let Some(row) = rows.next().map_err(StorageError::from)? {
        let mut texts: Texts = Vec::with_capacity(columns);
        for column in 0..columns {
            texts.push(text(row.get_ref(column).map_err(StorageError::from)?)?);
        }
        if table.name == "room" {
            forget_twin(&mut texts, &mut made);
        }
        content.add(texts.iter().map(Option::as_deref));
        part.push(texts);
        if part.len() == PART {
            insert(writer, table, &std::mem::take(&mut part))?;
        }
    }
    insert(writer, table, &part)?;
    if table.name == "room" {
        call(writer, &make_partitions)?;
    }
    Ok(content)
}

/// A command creates one open room. Should a file have two, the second is nobody's.
fn forget_twin(room: &mut Texts, made: &mut HashSet<(String, String)>) {
    let is_open = room[6].is_none();
    if let (true, Some(maker), Some(command)) = (is_open, &room[4], &room[5])
        && !made.insert((maker.clone(), command.clone()))
    {
        (room[4], room[5]) = (None, None);
    }
}

fn insert(writer: &mut Connection, table: &Table, rows: &[Texts]) -> Result<(), StorageError> {
    let json = serde_json::to_string(rows);
    let json = json.map_err(|error| StorageError::Failed(error.to_string()))?;
    let statement = table.insert;
    call(writer, &async |session| {
        session.execute(statement, &[&json, &EVENT_FORMAT]).await.map(drop)
    })
}

/// A value as text.
fn text(value: ValueRef<'_>) -> Result<Option<String>, StorageError> {
    let damaged = |what: &dyn fmt::Display| StorageError::Damaged(format!("{what}"));
    Ok(match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        // Both print as many digits as the number needs. None that is stored needs an exponent.
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).map_err(|error| damaged(&error))?;
            Some(text.to_owned())
        }
        ValueRef::Blob(bytes) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
    })
}

/// The content of the copied table, read by a cursor, so that it need not fit into memory.
fn digest_of_copy(writer: &mut Connection, table: &Table) -> Result<Content, StorageError> {
    let declare = format!("DECLARE copied CURSOR FOR {}", table.from_postgres);
    call(writer, &async |session| session.batch(&declare).await)?;
    let mut content = Content::default();
    loop {
        let rows = call(writer, &async |session| {
            let rows = session.select(&format!("FETCH {PART} FROM copied")).await?;
            rows.iter().map(texts).collect::<Result<Vec<_>, _>>()
        })?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            content.add(row.iter().map(Option::as_deref));
        }
    }
    call(writer, &async |session| session.batch("CLOSE copied").await)?;
    Ok(content)
}

fn texts(row: &Row) -> Result<Texts, Error> {
    (0..row.len()).map(|column| row.try_get(column)).collect()
}
