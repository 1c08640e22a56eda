//! Copies what can be read of a file with damaged pages into a new file. Rows are found on the pages themselves,
//! so that a damaged page costs only the rows that are on it.

mod pages;

use std::{collections::BTreeMap, io, path::Path};

use rusqlite::{Connection, Transaction, params_from_iter};
use serde_json::Value;

use self::pages::{PageKind, Pages, Row, TreePage};
use super::{cells, raw_value::RawValue, schema};
use crate::{StorageError, sqlite::process};

/// Rows on a page that nothing leads to any more are recognized by their columns: so many are needed. Entries of
/// indexes have fewer.
const COLUMNS_MIN: usize = 5;

/// Most refused rows that are kept for people to read.
const REFUSED_MAX: usize = 10_000;

/// What was copied.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Salvaged {
    /// Rows of any table.
    pub(crate) rows: u64,
    /// Rows that were seen and could not be read, or that contradict the tables.
    pub(crate) lost: u64,
    /// Pages of tables that cannot be read. Nobody knows how many rows they had.
    pub(crate) lost_pages: u64,
    /// Those that contradict the tables.
    pub(crate) refused: Vec<Value>,
}

/// A table of the new file.
struct Table {
    name: String,
    /// The names and types of its columns, in the order in which a row stores them.
    columns: Vec<(String, String)>,
    /// The column that is the row's number.
    number: Option<usize>,
    has_numbers: bool,
}

/// Copies the rows of all tables into a new file, which has no tables yet.
///
/// # Errors
/// If the old file cannot be opened, or the new one not be written.
pub(crate) fn copy(old: &Path, new: &Path) -> Result<Salvaged, StorageError> {
    let failed = |error: io::Error| StorageError::Failed(error.to_string());
    let pages = Pages::open(old).map_err(failed)?;
    let mut connection = Connection::open(new)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    schema::create_in_format(&mut connection, format_of(&pages))?;
    let tables = tables(&connection)?;
    let transaction = connection.transaction()?;
    let mut copy =
        Copy { pages: &pages, tables: &tables, transaction, salvaged: Salvaged::default() };
    copy.all()?;
    let Copy { transaction, salvaged, .. } = copy;
    process::follow_owners(&transaction)?;
    transaction.commit()?;
    Ok(salvaged)
}

/// The format that the file says to have; the current one if that is damaged.
fn format_of(pages: &Pages) -> u32 {
    let known = schema::OLDEST_FORMAT..=schema::FORMAT;
    let stored =
        pages.page(1).and_then(|page| Some(u32::from_be_bytes(page[60..64].try_into().ok()?)));
    stored.filter(|format| known.contains(format)).unwrap_or(schema::FORMAT)
}

fn tables(connection: &Connection) -> Result<Vec<Table>, StorageError> {
    let mut select = connection.prepare(
        "SELECT name, wr FROM pragma_table_list
         WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
    )?;
    let names = select.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let names: Vec<(String, bool)> = names.collect::<Result<_, _>>()?;
    names.into_iter().map(|(name, has_keys)| table(connection, name, has_keys)).collect()
}

fn table(connection: &Connection, name: String, has_keys: bool) -> Result<Table, StorageError> {
    // Without numbers, the columns of the key come first.
    let order = if has_keys { "pk = 0, pk, cid" } else { "cid" };
    let mut select = connection
        .prepare(&format!("SELECT name, type, pk FROM pragma_table_info(?) ORDER BY {order}"))?;
    let columns = select.query_map((&name,), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let columns: Vec<(String, String, u32)> = columns.collect::<Result<_, _>>()?;
    let is_number = |(_, kind, key): &(_, String, u32)| !has_keys && *key == 1 && kind == "INTEGER";
    let number = columns.iter().position(is_number);
    let columns = columns.into_iter().map(|(name, kind, _)| (name, kind)).collect();
    Ok(Table { name, columns, number, has_numbers: !has_keys })
}

struct Copy<'c> {
    pages: &'c Pages,
    tables: &'c [Table],
    transaction: Transaction<'c>,
    salvaged: Salvaged,
}

impl Copy<'_> {
    fn all(&mut self) -> Result<(), StorageError> {
        let mut is_known = vec![false; self.pages.count() as usize + 1];
        for page in self.pages.free() {
            if let Some(known) = is_known.get_mut(page as usize) {
                *known = true;
            }
        }
        // Indexes, too: their entries are no rows.
        for (name, root) in self.roots(&mut is_known) {
            let table = self.tables.iter().find(|table| table.name == name);
            self.tree(root, table, &mut is_known)?;
        }
        // Without the list of free pages, those of a table with keys may have rows that were deleted.
        let is_first_sound =
            self.pages.page(1).is_some_and(|page| page.starts_with(b"SQLite format 3\0"));
        for number in 2..=self.pages.count() {
            if is_known[number as usize] {
                continue;
            }
            let Some(page) = self.pages.tree_page(number) else { continue };
            let may_be_free = !is_first_sound && page.kind != PageKind::Rows;
            if !may_be_free {
                self.lost_page(&page)?;
            }
        }
        Ok(())
    }

    /// The first page of each table and index, by its name. What no sound page leads to is looked for on all.
    fn roots(&self, is_known: &mut [bool]) -> BTreeMap<String, u32> {
        let mut roots = BTreeMap::new();
        let mut open = vec![1];
        while let Some(number) = open.pop() {
            is_known[number as usize] = true;
            let Some(page) = self.pages.tree_page(number) else { continue };
            roots.extend(page.rows.iter().filter_map(root_in));
            open.extend(page.children.iter().filter(|child| !is_known[**child as usize]));
        }
        if self.tables.iter().all(|table| roots.contains_key(&table.name)) {
            return roots;
        }
        for number in 2..=self.pages.count() {
            let is_new = !is_known[number as usize];
            let page = is_new.then(|| self.pages.tree_page(number)).flatten();
            let Some(page) = page.filter(|page| page.kind == PageKind::Rows) else { continue };
            for (name, root) in page.rows.iter().filter_map(root_in) {
                is_known[number as usize] = true;
                roots.entry(name).or_insert(root);
            }
        }
        roots
    }

    /// Copies the rows of a tree; those of an index are left out.
    fn tree(
        &mut self,
        root: u32,
        table: Option<&Table>,
        is_known: &mut [bool],
    ) -> Result<(), StorageError> {
        let mut open = vec![root];
        while let Some(number) = open.pop() {
            let Some(known) = is_known.get_mut(number as usize).filter(|known| !**known) else {
                continue;
            };
            let Some(page) = self.pages.tree_page(number) else {
                self.salvaged.lost_pages += u64::from(table.is_some());
                continue;
            };
            *known = true;
            open.extend(&page.children);
            let Some(table) = table else { continue };
            self.salvaged.lost += page.damaged as u64;
            for row in &page.rows {
                self.insert(table, row)?;
            }
        }
        Ok(())
    }

    /// Copies the rows of a page to which nothing leads. Where their columns are those of several tables, the rules
    /// of all but one refuse them.
    fn lost_page(&mut self, page: &TreePage) -> Result<(), StorageError> {
        let tables = self.tables;
        for row in &page.rows {
            for table in tables.iter().filter(|table| table.has_exactly(row)) {
                if self.try_to_insert(table, row)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Inserts a row, unless it contradicts the table or one that was inserted before.
    fn insert(&mut self, table: &Table, row: &Row) -> Result<(), StorageError> {
        if row.values.len() > table.columns.len() || table.has_numbers != row.number.is_some() {
            self.salvaged.lost += 1;
        } else if !self.try_to_insert(table, row)? {
            self.salvaged.lost += 1;
            if self.salvaged.refused.len() < REFUSED_MAX {
                let names = table.columns.iter().map(|(name, _)| name.as_str());
                let refused = cells::described(&table.name, names, &table.values(row));
                self.salvaged.refused.push(refused);
            }
        }
        Ok(())
    }

    /// Returns whether the table takes the row.
    fn try_to_insert(&mut self, table: &Table, row: &Row) -> Result<bool, StorageError> {
        let values = table.values(row);
        let columns = &table.columns[..values.len()];
        let names: Vec<_> = columns.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let places = vec!["?"; values.len()].join(", ");
        let inserted = self
            .transaction
            .prepare_cached(&format!(
                "INSERT OR IGNORE INTO \"{}\" ({}) VALUES ({places})",
                table.name,
                names.join(", ")
            ))
            .and_then(|mut insert| insert.execute(params_from_iter(values)));
        match inserted.map_err(StorageError::from) {
            Ok(1..) => {
                self.salvaged.rows += 1;
                Ok(true)
            }
            Ok(0) | Err(StorageError::Damaged(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Table {
    /// The values of a row, with its number.
    fn values(&self, row: &Row) -> Vec<RawValue> {
        let mut values = row.values.clone();
        if let Some((column, number)) = self.number.zip(row.number)
            && let Some(value) = values.get_mut(column)
        {
            *value = RawValue::Integer(number);
        }
        values
    }

    /// Whether a row has all of this table's columns, each with a value of its type.
    fn has_exactly(&self, row: &Row) -> bool {
        let fits = |((place, (_, kind)), value): ((usize, &(_, String)), &RawValue)| match value {
            RawValue::Null => true,
            RawValue::Integer(_) => {
                kind == "INTEGER" && Some(place) != self.number || kind == "REAL"
            }
            RawValue::Real(_) => kind == "REAL",
            RawValue::Text(_) => kind == "TEXT",
            RawValue::Blob(_) => kind == "BLOB",
        };
        self.has_numbers == row.number.is_some()
            && self.columns.len() >= COLUMNS_MIN
            && self.columns.len() == row.values.len()
            && self.columns.iter().enumerate().zip(&row.values).all(fits)
    }
}

/// The name and the first page in a row of the list of tables and indexes.
fn root_in(row: &Row) -> Option<(String, u32)> {
    match &row.values[..] {
        [
            RawValue::Text(kind),
            RawValue::Text(name),
            RawValue::Text(_),
            RawValue::Integer(root),
            RawValue::Text(_) | RawValue::Null,
        ] if kind == b"table" || kind == b"index" => {
            Some((String::from_utf8(name.clone()).ok()?, u32::try_from(*root).ok()?))
        }
        _ => None,
    }
}
