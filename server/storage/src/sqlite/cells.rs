//! Cells that nobody can read, and rows that belong to nothing, in whatever table: found, mended, or taken out.
//! The rooms' own tables are looked at by `check.rs`, which knows more of them.

use fivefold_shared::{
    protocol::{GameId, MemberId, Name},
    rating_pool::RatingPool,
};
use rusqlite::{Connection, Params, params_from_iter};
use serde_json::{Map, Value, json};

use super::raw_value::RawValue;
use crate::StorageError;

/// Tables whose cells are looked at as part of their rooms, or at each start.
const OTHERS: [&str; 3] = ["room", "event", "process"];

/// No count, number or time is greater.
const NUMBER_MAX: i64 = 1 << 52;

/// Bytes of the hash of an identity, a session or a token.
const HASH_BYTES: usize = 32;

/// Stands for a name that nobody can read.
const NAMELESS: &str = "Player";

/// A column of a table.
#[derive(Clone, Debug)]
struct Column {
    name: String,
    kind: String,
    is_nullable: bool,
    /// Whether it is part of the primary key.
    is_key: bool,
    /// Whether rows are found by it, or belong to others by it.
    is_link: bool,
}

/// A cell with a value that the server never writes.
struct Unreadable {
    table: String,
    column: Column,
    /// Its row.
    row: Vec<RawValue>,
}

/// What was done to rows.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Mended {
    /// The rows that were taken out, as they were.
    pub(crate) deleted: Vec<Value>,
    /// How many cells got a value that can be read.
    pub(crate) cells: usize,
}

/// Describes the cells that nobody can read.
pub(crate) fn unreadable(connection: &Connection) -> Result<Vec<String>, StorageError> {
    let mut found = Vec::new();
    for table in tables(connection)? {
        for Unreadable { table, column, .. } in unreadable_in(connection, &table)? {
            found.push(format!("the column {} of a row of table {table} is damaged", column.name));
        }
    }
    Ok(found)
}

/// The tables with rows that belong to nothing, and how many there are.
pub(crate) fn rows_of_nothing(connection: &Connection) -> Result<Vec<(String, u64)>, StorageError> {
    let mut select = connection.prepare(
        "SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY 1 ORDER BY 1",
    )?;
    let rows = select.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Gives unreadable cells another value, and takes out rows that have no use without theirs, or that belong to
/// nothing.
pub(crate) fn mend(connection: &Connection, mended: &mut Mended) -> Result<(), StorageError> {
    for table in tables(connection)? {
        let columns = columns_of(connection, &table)?;
        // A row may have several.
        let mut cells = unreadable_in(connection, &table)?;
        for _ in 0..columns.len() {
            for cell in std::mem::take(&mut cells) {
                if set_readable(connection, &columns, &cell)? {
                    mended.cells += 1;
                } else {
                    let (which, values) = row_of(&columns, &cell.row);
                    take_out(connection, &table, &which, params_from_iter(values), mended)?;
                }
            }
            cells = unreadable_in(connection, &table)?;
            if cells.is_empty() {
                break;
            }
        }
    }
    while take_out_rows_of_nothing(connection, mended)? {}
    Ok(())
}

/// Deletes the rows of a table that fulfil a condition, and keeps what was in them.
pub(crate) fn take_out(
    connection: &Connection,
    table: &str,
    condition: &str,
    values: impl Params,
    mended: &mut Mended,
) -> Result<(), StorageError> {
    let columns = columns_of(connection, table)?;
    let names: Vec<_> = columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
    let mut delete = connection.prepare(&format!(
        "DELETE FROM \"{table}\" WHERE {condition} RETURNING {}",
        names.join(", ")
    ))?;
    let mut rows = delete.query(values)?;
    while let Some(row) = rows.next()? {
        let values: Vec<_> = (0..columns.len())
            .map(|column| row.get_ref(column).map(RawValue::from))
            .collect::<Result<_, _>>()?;
        let names = columns.iter().map(|column| column.name.as_str());
        mended.deleted.push(described(table, names, &values));
    }
    Ok(())
}

fn tables(connection: &Connection) -> Result<Vec<String>, StorageError> {
    let mut select = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )?;
    let rows = select.query_map((), |row| row.get::<_, String>(0))?;
    let tables: Vec<_> = rows.collect::<Result<_, _>>()?;
    Ok(tables.into_iter().filter(|table| !OTHERS.contains(&table.as_str())).collect())
}

fn columns_of(connection: &Connection, table: &str) -> Result<Vec<Column>, StorageError> {
    let mut select = connection.prepare_cached(
        "SELECT name, type, \"notnull\", pk > 0, EXISTS (
             SELECT 1 FROM pragma_foreign_key_list(?1) AS link WHERE link.\"from\" = info.name
             UNION ALL
             SELECT 1 FROM pragma_index_list(?1) AS list JOIN pragma_index_info(list.name) AS part
             WHERE list.\"unique\" AND part.name = info.name)
         FROM pragma_table_info(?1) AS info ORDER BY cid",
    )?;
    let rows = select.query_map((table,), |row| {
        let is_key = row.get(3)?;
        Ok(Column {
            name: row.get(0)?,
            kind: row.get(1)?,
            is_nullable: !row.get::<_, bool>(2)?,
            is_key,
            is_link: is_key || row.get(4)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The unreadable cells of a table, one of each row.
fn unreadable_in(connection: &Connection, table: &str) -> Result<Vec<Unreadable>, StorageError> {
    let columns = columns_of(connection, table)?;
    let names: Vec<_> = columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
    let mut select =
        connection.prepare(&format!("SELECT {} FROM \"{table}\"", names.join(", ")))?;
    let mut rows = select.query(())?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let values: Vec<_> = (0..columns.len())
            .map(|column| row.get_ref(column).map(RawValue::from))
            .collect::<Result<_, _>>()?;
        if let Some((column, _)) =
            columns.iter().zip(&values).find(|(column, value)| !is_readable(column, value))
        {
            found.push(Unreadable { table: table.to_owned(), column: column.clone(), row: values });
        }
    }
    Ok(found)
}

/// Whether a value is one that the server could have written there: its numbers are counts, times and digests of 63 bits.
fn is_readable(column: &Column, value: &RawValue) -> bool {
    match value {
        RawValue::Null => column.is_nullable,
        RawValue::Integer(number) => {
            // A mark is a part of a hash.
            let is_in_range = (0..=NUMBER_MAX).contains(number) || column.name == "mark";
            column.kind == "INTEGER" && is_in_range || column.kind == "REAL"
        }
        RawValue::Real(number) => column.kind == "REAL" && number.is_finite(),
        RawValue::Text(bytes) => {
            column.kind == "TEXT" && str::from_utf8(bytes).is_ok_and(|text| is_known(column, text))
        }
        RawValue::Blob(bytes) => {
            column.kind == "BLOB" && (column.name != "hash" || bytes.len() == HASH_BYTES)
        }
    }
}

/// Whether a text is what its column is for.
fn is_known(column: &Column, text: &str) -> bool {
    match column.name.as_str() {
        "member" | "other" | "opponent" | "reporter" | "about" | "account" | "owner" => {
            MemberId::try_from(text.to_owned()).is_ok()
        }
        "name" | "about_name" => Name::try_from(text.to_owned()).is_ok(),
        "game" | "code" => GameId::try_from(text.to_owned()).is_ok(),
        "pool" => text.parse::<RatingPool>().is_ok(),
        _ => true,
    }
}

/// Writes a value that can be read, unless rows are found by this cell or it has no such value.
fn set_readable(
    connection: &Connection,
    columns: &[Column],
    cell: &Unreadable,
) -> Result<bool, StorageError> {
    let Unreadable { table, column, .. } = cell;
    let place = columns.iter().position(|other| other.name == column.name);
    let value = match (place.map(|place| &cell.row[place]), column.kind.as_str()) {
        // No identity has it.
        (_, "BLOB") if table == "member" => RawValue::Blob(random_hash(connection)?),
        _ if column.is_link => return Ok(false),
        (_, "TEXT") if column.name.ends_with("name") => {
            RawValue::Text(NAMELESS.as_bytes().to_vec())
        }
        (Some(RawValue::Text(bytes)), "TEXT") if str::from_utf8(bytes).is_err() => {
            RawValue::Text(String::from_utf8_lossy(bytes).replace('\u{FFFD}', "?").into_bytes())
        }
        _ if column.is_nullable => RawValue::Null,
        (_, "INTEGER") => RawValue::Integer(0),
        _ => return Ok(false),
    };
    let (which, mut values) = row_of(columns, &cell.row);
    values.insert(0, value);
    let update = format!("UPDATE \"{table}\" SET \"{}\" = ? WHERE {which}", column.name);
    // A rule of the table may forbid the value.
    Ok(connection.execute(&update, params_from_iter(values)).is_ok_and(|rows| rows == 1))
}

fn random_hash(connection: &Connection) -> Result<Vec<u8>, StorageError> {
    let select = format!("SELECT randomblob({HASH_BYTES})");
    Ok(connection.query_row(&select, (), |row| row.get(0))?)
}

/// A row for people to read.
pub(crate) fn described<'c>(
    table: &str,
    columns: impl Iterator<Item = &'c str>,
    row: &[RawValue],
) -> Value {
    let cells = columns.zip(row).map(|(column, value)| (column.to_owned(), value.to_json()));
    json!({"table": table, "row": cells.collect::<Map<_, _>>()})
}

/// The condition that only this row fulfils, and its values.
fn row_of(columns: &[Column], row: &[RawValue]) -> (String, Vec<RawValue>) {
    let keys = columns.iter().zip(row).filter(|(column, _)| column.is_key);
    let (names, values): (Vec<_>, Vec<_>) =
        keys.map(|(column, value)| (format!("\"{}\" IS ?", column.name), value.clone())).unzip();
    (names.join(" AND "), values)
}

/// Takes out the rows that belong to nothing. Returns whether there were any: others may belong to them.
fn take_out_rows_of_nothing(
    connection: &Connection,
    mended: &mut Mended,
) -> Result<bool, StorageError> {
    let mut select = connection.prepare_cached(
        "SELECT link.\"from\", link.\"table\",
             (SELECT name FROM pragma_table_info(link.\"table\") WHERE pk = 1)
         FROM pragma_foreign_key_list(?1) AS link",
    )?;
    let before = mended.deleted.len();
    for (table, _) in rows_of_nothing(connection)? {
        let links =
            select.query_map((&table,), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let links: Vec<(String, String, String)> = links.collect::<Result<_, _>>()?;
        for (from, parent, key) in links {
            let lost = format!("\"{from}\" NOT IN (SELECT \"{key}\" FROM \"{parent}\")");
            take_out(connection, &table, &lost, (), mended)?;
        }
    }
    Ok(mended.deleted.len() > before)
}
