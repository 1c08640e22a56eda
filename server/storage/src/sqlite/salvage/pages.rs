//! The pages of a SQLite file, as its format describes them (<https://www.sqlite.org/fileformat.html>), read without
//! SQLite, which gives up at the first damaged one.

use std::{collections::HashMap, fs::File, io, os::unix::fs::FileExt, path::Path};

use crate::sqlite::{raw_value::RawValue, write_ahead_log};

/// The size of a page; our files have no other.
pub(super) const PAGE: usize = 4096;

/// Longest row that is read. The server writes none that is longer.
const ROW_MAX: usize = 64 * 1024 * 1024;

/// Bytes of the log's header, and of the header of each page in it.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The pages of a database, and of its log where that has newer ones.
#[derive(Debug)]
pub(super) struct Pages {
    file: File,
    log: Option<File>,
    /// Where the newest copy of a page begins in the log.
    in_log: HashMap<u32, u64>,
    count: u32,
}

/// What a page of a tree is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PageKind {
    /// Rows by number.
    Rows,
    /// Leads to such pages.
    RowsBranch,
    /// Rows by key, or entries of an index.
    Keys,
    /// The same, and leads to such pages.
    KeysBranch,
}

/// A row as it is stored.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    /// Its number; absent where rows are found by a key.
    pub(super) number: Option<i64>,
    pub(super) values: Vec<RawValue>,
}

/// A page of a tree.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TreePage {
    pub(super) kind: PageKind,
    pub(super) children: Vec<u32>,
    /// Those that can be read.
    pub(super) rows: Vec<Row>,
    /// Rows that cannot.
    pub(super) damaged: usize,
}

impl Pages {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let mut pages = Self { file, log: None, in_log: HashMap::new(), count: 0 };
        let length = pages.file.metadata()?.len();
        pages.count = u32::try_from(length.div_ceil(PAGE as u64)).unwrap_or(u32::MAX);
        if write_ahead_log::size(path)? > 0 {
            let log = File::open(write_ahead_log::path_of(path))?;
            pages.read_log(&log)?;
            pages.log = Some(log);
        }
        Ok(pages)
    }

    /// How many pages there are; they are counted from 1.
    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    /// A page; nothing if it cannot be read.
    pub(super) fn page(&self, number: u32) -> Option<Vec<u8>> {
        let mut page = vec![0; PAGE];
        match (self.in_log.get(&number), &self.log) {
            (Some(place), Some(log)) => log.read_exact_at(&mut page, *place).ok()?,
            _ => {
                let place = u64::from(number.checked_sub(1)?) * PAGE as u64;
                self.file.read_exact_at(&mut page, place).ok()?;
            }
        }
        Some(page)
    }

    /// Finds the pages in the log that belong to complete commits.
    fn read_log(&mut self, log: &File) -> io::Result<()> {
        let mut header = [0; LOG_HEADER];
        if log.read_exact_at(&mut header, 0).is_err() {
            return Ok(());
        }
        let is_big = match number(&header, 0) {
            Some(0x377F_0682) => false,
            Some(0x377F_0683) => true,
            Some(_) | None => return Ok(()),
        };
        let mut sum = checksum((0, 0), &header[..24], is_big);
        let mut uncommitted = Vec::new();
        let mut place = LOG_HEADER as u64;
        let mut frame = vec![0; FRAME_HEADER + PAGE];
        while log.read_exact_at(&mut frame, place).is_ok() {
            let (head, page) = frame.split_at(FRAME_HEADER);
            sum = checksum(checksum(sum, &head[..8], is_big), page, is_big);
            let stored = (number(head, 16).unwrap_or(0), number(head, 20).unwrap_or(0));
            if head[8..16] != header[16..24] || stored != sum {
                break;
            }
            uncommitted.push((number(head, 0).unwrap_or(0), place + FRAME_HEADER as u64));
            let pages_then = number(head, 4).unwrap_or(0);
            if pages_then > 0 {
                self.in_log.extend(uncommitted.drain(..));
                self.count = self.count.max(pages_then);
            }
            place += frame.len() as u64;
        }
        Ok(())
    }

    /// A page of a tree; nothing if it is none, or too damaged to be recognized.
    pub(super) fn tree_page(&self, page_number: u32) -> Option<TreePage> {
        let page = self.page(page_number)?;
        let head = if page_number == 1 { 100 } else { 0 };
        let kind = match page[head] {
            0x0D => PageKind::Rows,
            0x05 => PageKind::RowsBranch,
            0x0A => PageKind::Keys,
            0x02 => PageKind::KeysBranch,
            _ => return None,
        };
        let cells = usize::from(short(&page, head + 3)?);
        let is_branch = matches!(kind, PageKind::RowsBranch | PageKind::KeysBranch);
        let first = head + if is_branch { 12 } else { 8 };
        let mut found = TreePage { kind, children: Vec::new(), rows: Vec::new(), damaged: 0 };
        for cell in 0..cells {
            let place = short(&page, first + 2 * cell).map(usize::from);
            let Some(bytes) = place.and_then(|place| page.get(place..)) else {
                found.damaged += 1;
                continue;
            };
            let (child, row) = self.cell(kind, bytes);
            found.children.extend(child);
            match row {
                Ok(row) => found.rows.extend(row),
                Err(Damaged) => found.damaged += 1,
            }
        }
        if is_branch {
            found.children.extend(number(&page, head + 8));
        }
        found.children.retain(|child| (2..=self.count).contains(child));
        // A page with more cells than fit is none.
        (first + 2 * cells <= PAGE).then_some(found)
    }

    /// The page that a cell leads to, and its row.
    fn cell(&self, kind: PageKind, cell: &[u8]) -> (Option<u32>, Result<Option<Row>, Damaged>) {
        match kind {
            PageKind::RowsBranch => (number(cell, 0), Ok(None)),
            PageKind::Rows => (None, self.row(cell, true).map(Some).ok_or(Damaged)),
            PageKind::Keys => (None, self.row(cell, false).map(Some).ok_or(Damaged)),
            PageKind::KeysBranch => {
                let row = cell.get(4..).and_then(|cell| self.row(cell, false));
                (number(cell, 0), row.map(Some).ok_or(Damaged))
            }
        }
    }

    fn row(&self, cell: &[u8], is_numbered: bool) -> Option<Row> {
        let mut cell = cell;
        let length =
            usize::try_from(varint(&mut cell)?).ok().filter(|length| *length <= ROW_MAX)?;
        let number = if is_numbered { Some(varint(&mut cell)?) } else { None };
        let values = record(&self.payload(cell, length, is_numbered)?)?;
        Some(Row { number, values })
    }

    /// The bytes of a row, of which long ones continue on pages of their own.
    fn payload(&self, cell: &[u8], length: usize, is_numbered: bool) -> Option<Vec<u8>> {
        let most = if is_numbered { PAGE - 35 } else { (PAGE - 12) * 64 / 255 - 23 };
        if length <= most {
            return Some(cell.get(..length)?.to_vec());
        }
        let least = (PAGE - 12) * 32 / 255 - 23;
        let fitting = least + (length - least) % (PAGE - 4);
        let here = if fitting <= most { fitting } else { least };
        let mut payload = cell.get(..here)?.to_vec();
        let mut next = number(cell, here)?;
        while payload.len() < length {
            let page = self.page(next)?;
            next = number(&page, 0)?;
            let part = (length - payload.len()).min(PAGE - 4);
            payload.extend_from_slice(&page[4..4 + part]);
        }
        Some(payload)
    }

    /// The pages that nothing uses, as far as their list can be read.
    pub(super) fn free(&self) -> Vec<u32> {
        let mut free = Vec::new();
        let mut next = self.page(1).and_then(|page| number(&page, 32)).unwrap_or(0);
        // A damaged list may lead back to its own pages.
        while (2..=self.count).contains(&next) && free.len() <= self.count as usize {
            free.push(next);
            let Some(page) = self.page(next) else { break };
            let leaves = (number(&page, 4).unwrap_or(0) as usize).min(PAGE / 4 - 2);
            free.extend((0..leaves).filter_map(|leaf| number(&page, 8 + 4 * leaf)));
            next = number(&page, 0).unwrap_or(0);
        }
        free
    }
}

/// A row that cannot be read.
#[derive(Debug)]
struct Damaged;

fn number(bytes: &[u8], place: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(place..place + 4)?.try_into().ok()?))
}

fn short(bytes: &[u8], place: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(place..place + 2)?.try_into().ok()?))
}

/// A number of one to nine bytes.
fn varint(bytes: &mut &[u8]) -> Option<i64> {
    let mut value: u64 = 0;
    for place in 0..9 {
        let byte = *bytes.get(place)?;
        if place == 8 {
            value = value << 8 | u64::from(byte);
        } else {
            value = value << 7 | u64::from(byte & 0x7F);
        }
        if place == 8 || byte < 0x80 {
            *bytes = &bytes[place + 1..];
            break;
        }
    }
    Some(value.cast_signed())
}

/// The values of a row. Nothing if they do not fill it, as in one that is damaged.
fn record(payload: &[u8]) -> Option<Vec<RawValue>> {
    let mut types = payload;
    let header = usize::try_from(varint(&mut types)?).ok()?;
    let mut body = payload.get(header..)?;
    let begun = payload.len() - types.len();
    let mut types = payload.get(begun..header)?;
    let mut values = Vec::new();
    while !types.is_empty() {
        let kind = varint(&mut types)?;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => usize::try_from(kind).ok()?,
            5 => 6,
            6 | 7 => 8,
            12.. => usize::try_from((kind - 12) / 2).ok()?,
            _ => return None,
        };
        let bytes = body.get(..length)?;
        body = &body[length..];
        values.push(match kind {
            0 => RawValue::Null,
            8 => RawValue::Integer(0),
            9 => RawValue::Integer(1),
            1..=6 => RawValue::Integer(signed(bytes)),
            7 => RawValue::Real(f64::from_bits(signed(bytes).cast_unsigned())),
            _ if kind % 2 == 0 => RawValue::Blob(bytes.to_vec()),
            _ => RawValue::Text(bytes.to_vec()),
        });
    }
    body.is_empty().then_some(values)
}

/// A number of up to eight bytes with a sign.
fn signed(bytes: &[u8]) -> i64 {
    let is_negative = bytes.first().is_some_and(|first| *first >= 0x80);
    let start = if is_negative { -1 } else { 0 };
    bytes.iter().fold(start, |value, byte| value << 8 | i64::from(*byte))
}

/// SQLite's sum over pairs of words.
fn checksum((mut one, mut two): (u32, u32), bytes: &[u8], is_big: bool) -> (u32, u32) {
    let word = |bytes: &[u8]| {
        let bytes = bytes.try_into().unwrap_or_default();
        if is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    for pair in bytes.chunks_exact(8) {
        one = one.wrapping_add(word(&pair[..4])).wrapping_add(two);
        two = two.wrapping_add(word(&pair[4..])).wrapping_add(one);
    }
    (one, two)
}
