//! Random cells and pages of a file are damaged: the server starts, names what it sets aside, and has all other rooms
//! as they were; a repair mends what there is to mend.
//!
//! The long runs, which take a quarter of an hour: `cargo test --workspace --test storage -- --ignored random_damage`.
//! Another sample of the same size: `DAMAGE_SEED=NUMBER` before it.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::Read,
    os::unix::fs::FileExt,
    path::Path,
    process::{Command, Stdio},
};

use fivefold_shared::{
    protocol::{CommandId, Event, NumberedEvent},
    room::{Cause, Entry},
    seat::Seat,
};
use fivefold_storage::{Append, DataFolder, Repaired, Sqlite, Storage, check, repair};
use rusqlite::{Connection, OptionalExtension, Row, types::Value};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::{
    accounts,
    rooms::{append, game_id, log, member, rated, resigned, won_by},
};

const FILE: &str = "fivefold.sqlite3";
const PAGE: usize = 4096;

/// Random numbers that are the same each time.
struct Random(u64);

impl Random {
    /// Begins with the number in the environment, if there is one.
    #[expect(clippy::print_stdout, reason = "a failure is found again by it")]
    fn new(seed: u64) -> Self {
        let seed = env::var("DAMAGE_SEED").map_or(seed, |seed| seed.parse().unwrap());
        println!("DAMAGE_SEED={seed}");
        Self(seed)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }
}

/// What a file has of each room, by the number of its row: its code, its events and its games.
type Rooms = BTreeMap<i64, Vec<Vec<Value>>>;

/// A database of rooms, games, ratings and accounts, and what it has of each room.
fn base() -> (TempDir, Rooms) {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    for room in 0..300 {
        let mut made = match room % 6 {
            0 => Append { closes: true, ..append(room, resigned("public", 7, 8), room) },
            1 => rated(room, [room % 5, 5 + room % 3], won_by(Seat::First), room + 1),
            _ => append(room, log(10 + room % 40), 0),
        };
        // A game has the id that its log says.
        for Entry { event: NumberedEvent { event, .. }, .. } in &mut made.entries {
            if let Event::Started { id, .. } = event {
                *id = game_id(room);
            }
        }
        for game in &mut made.games {
            game.id = game_id(room);
        }
        // Rooms that nobody has made are set aside.
        let command = CommandId::try_from(format!("make-{room}")).unwrap();
        made.entries[0].cause = Some(Cause { member: member(7), command });
        assert!(storage.append(&[made]).unwrap()[0].is_ok());
    }
    for number in 100..130 {
        let up = accounts::sign_up(number, None, &format!("Ann{number}"));
        storage.change_account(&up).unwrap();
    }
    drop(storage);
    let rooms = rooms_in(folder.path());
    assert_eq!(rooms.len(), 300);
    let log = start(folder.path()).unwrap();
    assert!(log.contains("rooms=250") && !log.contains("is damaged"), "{log}");
    (folder, rooms)
}

fn rooms_in(folder: &Path) -> Rooms {
    rooms_without(folder, None)
}

/// What a file has of each room, without the row whose room is damaged: it is in another room's place.
fn rooms_without(folder: &Path, moved: Option<(&str, i64)>) -> Rooms {
    let file = Connection::open(folder.join(FILE)).unwrap();
    let mut rooms = Rooms::new();
    for (table, statement) in [
        ("room", "SELECT id, id, code FROM room"),
        ("event", "SELECT id, room, seq, at, member, command, event FROM event ORDER BY seq"),
        ("game", "SELECT id, room, code, listed, summary, moves FROM game ORDER BY id"),
    ] {
        let mut select = file.prepare(statement).unwrap();
        let columns = select.column_count();
        let mut rows = select.query(()).unwrap();
        while let Ok(Some(row)) = rows.next() {
            let values: Result<Vec<Value>, _> =
                (1..columns).map(|column| row.get(column)).collect();
            // Text that is not valid belongs to a damaged room.
            let Ok(values) = values else { continue };
            let Value::Integer(room) = values[0] else { continue };
            let is_moved = moved == Some((table, row.get(0).unwrap()));
            if !is_moved {
                rooms.entry(room).or_default().push(values);
            }
        }
    }
    rooms
}

/// The rooms that differ.
fn changed(before: &Rooms, after: &Rooms) -> BTreeSet<i64> {
    before
        .iter()
        .filter(|(room, rows)| after.get(room) != Some(rows))
        .map(|(room, _)| *room)
        .collect()
}

fn copy_of(base: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(base.join(FILE), folder.path().join(FILE)).unwrap();
    folder
}

/// Starts a server, stops it when it is ready, and returns what it has logged; or else its last words.
fn start(folder: &Path) -> Result<String, String> {
    let mut server = Command::new(env!("CARGO_BIN_EXE_fivefold-server"))
        .args(["--listen", "127.0.0.1:0", "--no-demo", "--data"])
        .arg(folder)
        .env("FIVEFOLD_KEEP_ROOMS", "3650")
        .env_remove("FIVEFOLD_DATABASE")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stderr, mut log, mut part) = (server.stderr.take().unwrap(), String::new(), [0; 4096]);
    loop {
        let length = stderr.read(&mut part).unwrap();
        if length == 0 {
            break;
        }
        let was_ready = log.contains(READY);
        log.push_str(&String::from_utf8_lossy(&part[..length]));
        if log.contains(READY) && !was_ready {
            let pid = Pid::from_raw(server.id().try_into().unwrap()).unwrap();
            kill_process(pid, Signal::TERM).unwrap();
        }
    }
    if server.wait().unwrap().success() { Ok(log) } else { Err(log) }
}

/// What a server logs when it has read its rooms.
const READY: &str = "wait for their members";

fn repaired(folder: &Path) -> Repaired {
    let repaired = repair(folder).unwrap();
    assert!(start(folder).is_ok(), "{repaired}");
    repaired
}

/// What became of the damaged files.
#[derive(Default, Debug)]
struct Count {
    damaged: usize,
    started: usize,
    named: usize,
    found: usize,
    mended: usize,
    rooms_aside: usize,
}

/// Damages so many cells, each of a file of its own.
#[expect(clippy::print_stdout, reason = "its figures are looked at")]
fn damage_cells(cells: usize, seed: u64) -> Count {
    let (base, rooms) = base();
    let mut random = Random::new(seed);
    let mut count = Count::default();
    while count.damaged < cells {
        let folder = copy_of(base.path());
        let Some(damaged) = damage_cell(&folder.path().join(FILE), &mut random) else {
            continue;
        };
        let Damaged { room, table, row, what } = &damaged;
        count.damaged += 1;
        let findings = check(folder.path()).unwrap();
        let log = start(folder.path()).unwrap_or_else(|log| panic!("{what}: {log}"));
        count.started += 1;
        let moved = Some((table.as_str(), *row));
        let differ = changed(&rooms, &rooms_without(folder.path(), moved));
        let may_differ: BTreeSet<_> = (*room).into_iter().collect();
        assert!(differ.is_subset(&may_differ), "{what} changes {differ:?}");
        let is_aside = log.contains("is damaged");
        count.rooms_aside += usize::from(is_aside);
        if let Some(room) = room.filter(|_| is_aside) {
            let Value::Text(code) = &rooms[&room][0][1] else { panic!("{what}: no code") };
            let is_named = log.contains(code) || log.contains(&format!("row={room}"));
            // A code that is another one by now is as good a name.
            let has_new_name = what.starts_with("room.code") && log.contains("room.id=");
            assert!(is_named || has_new_name, "{what}: room {code} is not in {log}");
            count.named += 1;
        }
        if is_aside {
            assert!(!findings.is_sound(), "{what}: check finds nothing");
        }
        if findings.is_sound() {
            continue;
        }
        count.found += 1;
        let repaired = repaired(folder.path());
        let differ = changed(&rooms, &rooms_without(folder.path(), moved));
        assert!(differ.is_subset(&may_differ), "{what}: the repair changes {differ:?}");
        count.mended += usize::from(repaired.findings.is_sound());
        if !repaired.findings.is_sound() {
            println!("{what}: {}", repaired.findings);
        }
    }
    println!("{count:#?}");
    assert_eq!((count.started, count.mended), (cells, count.found));
    count
}

/// A cell that was damaged.
struct Damaged {
    /// The room that it belonged to, if any.
    room: Option<i64>,
    table: String,
    /// The number of its row, which says nothing in a table without numbers.
    row: i64,
    what: String,
}

/// Damages a cell. Nothing if a rule of the table forbids the value, or it is the same.
fn damage_cell(file: &Path, random: &mut Random) -> Option<Damaged> {
    let file = Connection::open(file).unwrap();
    file.execute_batch("PRAGMA foreign_keys = off; PRAGMA ignore_check_constraints = on").unwrap();
    let names = |statement: &str| -> Vec<String> {
        let mut select = file.prepare(statement).unwrap();
        let names = select.query_map((), |row| row.get(0)).unwrap();
        names.map(Result::unwrap).collect()
    };
    let tables =
        names("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    // Half of the damage is where the rooms are.
    let table = match random.below(6) {
        0 => "room",
        1 => "event",
        2 => "game",
        _ => random.of(&tables),
    };
    let columns = names(&format!("SELECT name FROM pragma_table_info('{table}')"));
    let column = random.of(&columns);
    let value = random.of(&VALUES);
    let keys = names(&format!("SELECT name FROM pragma_table_info('{table}') WHERE pk > 0"));
    let keys = keys.join(", ");
    let rows: usize =
        file.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| row.get(0)).unwrap();
    let row = random.below(rows.max(1));
    let which = format!("({keys}) = (SELECT {keys} FROM {table} LIMIT 1 OFFSET {row})");
    let room = match table {
        "room" => Some("id"),
        "event" | "game" => Some("room"),
        _ => None,
    };
    let select = |what| format!("SELECT {what} FROM {table} WHERE {which}");
    let number = |what| file.query_row(&select(what), (), |row| row.get(0)).unwrap();
    let room: Option<i64> = room.map(number);
    let id = room.map_or(0, |_| number("id"));
    let update =
        format!("UPDATE {table} SET {column} = {value} WHERE {which} AND {column} IS NOT {value}");
    let changed = file.execute(&update, ()).unwrap_or(0);
    (changed == 1).then(|| Damaged {
        room,
        table: table.to_owned(),
        row: if column == "id" { value.parse().unwrap_or(id) } else { id },
        what: format!("{table}.{column} = {value} in row {row}"),
    })
}

/// What stands in damaged cells.
const VALUES: [&str; 13] = [
    "CAST(X'C3286162' AS TEXT)",
    "CAST(X'FF' AS TEXT)",
    "X'00FF00'",
    "9223372036854775807",
    "-9223372036854775808",
    "4503599627370497",
    "-1",
    "0",
    "1",
    "'xyz'",
    "''",
    "NULL",
    "1.5",
];

#[test]
fn a_damaged_cell_costs_no_other_room() {
    damage_cells(8, 49);
}

#[test]
#[ignore = "takes minutes"]
fn five_hundred_damaged_cells_cost_no_other_room() {
    damage_cells(500, 1);
}

/// The cells that had kept a server from starting.
#[test]
fn no_cell_keeps_the_server_from_starting_and_the_repair_mends_it() {
    let (base, rooms) = base();
    for damage in [
        "UPDATE event SET seq = -1 WHERE id = 1500",
        "UPDATE event SET at = -1 WHERE id = 1500",
        "UPDATE room SET seq = -1 WHERE id = 150",
        "UPDATE event SET member = CAST(X'C3286162' AS TEXT), command = 'x' WHERE id = 1500",
        "UPDATE event SET member = 'x', command = CAST(X'C3286162' AS TEXT) WHERE id = 1500",
        "UPDATE room SET code = CAST(X'C3286162' AS TEXT) WHERE id = 150",
        "UPDATE room SET epoch = 9223372036854775807 WHERE id = 150",
        "UPDATE process SET id = 9223372036854775807 WHERE id = 1",
        "UPDATE room SET state = -1 WHERE id = 150",
        "UPDATE room SET epoch = -7 WHERE id = 150",
        "UPDATE event SET previous = 1500 WHERE id = 1500",
        "UPDATE event SET room = 1 WHERE id = 1500",
        "UPDATE game SET id = -9223372036854775808 WHERE room = 151",
        "UPDATE game SET room = 1 WHERE room = 151",
        "UPDATE account SET owner = 'xyz', made_at = -1 WHERE likeness = 'Ann100'",
    ] {
        let folder = copy_of(base.path());
        let file = Connection::open(folder.path().join(FILE)).unwrap();
        file.execute_batch("PRAGMA foreign_keys = off").unwrap();
        let id = |select| -> i64 { file.query_row(select, (), |row| row.get(0)).unwrap() };
        let own = id("SELECT room FROM event WHERE id = 1500");
        let game = id("SELECT id FROM game WHERE room = 151");
        assert_eq!(file.execute(damage, ()).unwrap(), 1, "{damage}");
        drop(file);
        let findings = check(folder.path()).unwrap();
        assert!(!findings.is_sound() && findings.is_repairable, "{damage}: {findings}");
        let log = start(folder.path()).unwrap_or_else(|log| panic!("{damage}: {log}"));
        if damage.starts_with("UPDATE room") {
            assert!(log.contains("is damaged"), "{damage}: {log}");
        }
        let moved = [("event", 1500), ("game", game)]
            .into_iter()
            .find(|(table, _)| damage.starts_with(&format!("UPDATE {table} SET room")));
        let is_own = |room: &i64| [own, 150, 151].contains(room);
        let differ = changed(&rooms, &rooms_without(folder.path(), moved));
        assert!(differ.iter().all(is_own), "{damage}: {differ:?}");
        let repaired = repaired(folder.path());
        assert!(repaired.findings.is_sound(), "{damage}: {repaired}");
        let differ = changed(&rooms, &rooms_in(folder.path()));
        assert!(differ.iter().all(is_own), "{damage}: the repair changes {differ:?}");
    }
}

/// What follows from something else is as it was after a repair.
#[test]
fn ratings_and_players_are_made_again_from_games_and_neighbours() {
    let (base, _) = base();
    let tables = |folder: &Path| -> Vec<Vec<Vec<Value>>> {
        let file = Connection::open(folder.join(FILE)).unwrap();
        let rows = |table| {
            let mut select =
                file.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2, 3")).unwrap();
            let columns = select.column_count();
            let read = |row: &Row<'_>| (0..columns).map(|column| row.get(column)).collect();
            select.query_map((), read).unwrap().map(Result::unwrap).collect()
        };
        ["rating", "rating_change", "player", "game", "account", "member"].map(rows).to_vec()
    };
    let before = tables(base.path());
    let of_one = "member = (SELECT min(member) FROM rating_change WHERE number = 3)";
    for damage in [
        format!("UPDATE rating SET wins = 4503599627370497 WHERE {of_one}"),
        format!("UPDATE rating SET value = -1, band = 7 WHERE {of_one}"),
        format!("UPDATE rating_change SET at = -1 WHERE number = 3 AND {of_one}"),
        format!("UPDATE rating_change SET number = 99 WHERE number = 3 AND {of_one}"),
        format!("UPDATE rating_change SET member = 'xyz' WHERE number = 3 AND {of_one}"),
        format!(
            "UPDATE rating_change SET before = 1, previous_at = NULL WHERE number = 3 AND {of_one}"
        ),
        format!(
            "UPDATE rating_change SET after = 9e18, result = 'xyz' WHERE number = 3 AND {of_one}"
        ),
        format!("DELETE FROM rating_change WHERE number = 1 AND {of_one}"),
        "UPDATE account SET owner = 'xyz' WHERE likeness = 'Ann100'".to_owned(),
        "UPDATE player SET game = -1 WHERE game = (SELECT min(game) FROM player)".to_owned(),
        "UPDATE game SET listed = -1 WHERE room = 151".to_owned(),
        "DELETE FROM player".to_owned(),
    ] {
        let folder = copy_of(base.path());
        let file = Connection::open(folder.path().join(FILE)).unwrap();
        let rules = "PRAGMA ignore_check_constraints = on; PRAGMA foreign_keys = off";
        file.execute_batch(rules).unwrap();
        assert!(file.execute(&damage, ()).unwrap() > 0, "{damage}");
        drop(file);
        let findings = check(folder.path()).unwrap();
        assert!(!findings.is_sound() && findings.is_repairable, "{damage}: {findings}");
        let repaired = repair(folder.path()).unwrap();
        assert!(repaired.findings.is_sound(), "{damage}: {repaired}");
        assert_eq!(tables(folder.path()), before, "{damage}");
    }
}

/// Damages so many pages, each of a file of its own: all of a page, or 24 bytes of it. Returns what became of the
/// files, and for each damage the rooms lost and those that had a row on the page.
#[expect(clippy::print_stdout, reason = "its figures are looked at")]
fn damage_pages(pages: usize, seed: u64, choose: impl Fn(&mut Random, &Path) -> u64) -> Count {
    let (base, rooms) = base();
    let mut random = Random::new(seed);
    let mut count = Count::default();
    for number in 0..pages {
        let page = choose(&mut random, &base.path().join(FILE));
        let on_page = rooms_on(&base.path().join(FILE), page);
        let folder = copy_of(base.path());
        let file = fs::OpenOptions::new().write(true).open(folder.path().join(FILE)).unwrap();
        let (within, bytes) =
            if number % 2 == 0 { (0, PAGE) } else { (random.below(PAGE - 24), 24) };
        let noise: Vec<_> = (0..bytes).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
        file.write_all_at(&noise, (page - 1) * PAGE as u64 + within as u64).unwrap();
        drop(file);
        count.damaged += 1;
        let what = format!("{bytes} bytes at {within} of page {page}");
        match start(folder.path()) {
            Ok(_) => count.started += 1,
            Err(log) => {
                let last = log.lines().last().unwrap_or_default();
                assert!(last.contains("run `fivefold-server check --repair`"), "{what}: {log}");
            }
        }
        let is_sound = check(folder.path()).is_ok_and(|findings| findings.is_sound());
        if !is_sound {
            count.found += 1;
            let repaired = repaired(folder.path());
            count.mended += usize::from(repaired.findings.is_sound());
            if !repaired.findings.is_sound() {
                println!("{what}: {repaired}");
            }
        }
        let lost = changed(&rooms, &rooms_in(folder.path()));
        println!("{what}: {} rooms lost of {} with a row on the page", lost.len(), on_page.len());
        assert!(lost.is_subset(&on_page), "{what}: lost {lost:?}, and on the page are {on_page:?}");
        count.rooms_aside += lost.len();
        count.named += on_page.len();
    }
    count
}

/// The rooms with a row on a page.
fn rooms_on(file: &Path, page: u64) -> BTreeSet<i64> {
    let connection = Connection::open(file).unwrap();
    let place: (String, String) = connection
        .query_row("SELECT name, path FROM dbstat WHERE pageno = ?", (page,), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()
        .unwrap()
        .unwrap_or_default();
    let (table, path) = place;
    // Long rows continue elsewhere, at a path that begins with that of their cell.
    let leaf = path.split_once('+').map_or(path.as_str(), |(cell, _)| &cell[..cell.len() - 3]);
    let page: u64 = connection
        .query_row("SELECT pageno FROM dbstat WHERE name = ? AND path = ?", (&table, leaf), |row| {
            row.get(0)
        })
        .optional()
        .unwrap()
        .unwrap_or(page);
    let room = match table.as_str() {
        "room" => "id",
        "event" | "game" => "room",
        _ => return BTreeSet::new(),
    };
    let mut bytes = [0; PAGE];
    let place = (page - 1) * PAGE as u64;
    fs::File::open(file).unwrap().read_exact_at(&mut bytes, place).unwrap();
    if bytes[0] != 0x0D {
        return BTreeSet::new();
    }
    let short = |place: usize| usize::from(u16::from_be_bytes([bytes[place], bytes[place + 1]]));
    let mut rooms = BTreeSet::new();
    for cell in 0..short(3) {
        let mut rest = &bytes[short(8 + 2 * cell)..];
        let mut varint = || {
            let mut value = 0_i64;
            loop {
                let byte = rest[0];
                rest = &rest[1..];
                value = value << 7 | i64::from(byte & 0x7F);
                if byte < 0x80 {
                    return value;
                }
            }
        };
        let (_length, row) = (varint(), varint());
        let select = format!("SELECT {room} FROM {table} WHERE id = ?");
        rooms.insert(connection.query_row(&select, (row,), |row| row.get(0)).unwrap());
    }
    rooms
}

/// Any but the first.
fn any_page(random: &mut Random, file: &Path) -> u64 {
    let pages = usize::try_from(fs::metadata(file).unwrap().len()).unwrap() / PAGE;
    2 + random.below(pages - 1) as u64
}

#[test]
fn rooms_are_found_again_when_the_numbers_of_processes_are_lost() {
    let count = damage_pages(1, 49, |_, file| {
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'process'";
        Connection::open(file).unwrap().query_row(root, (), |row| row.get(0)).unwrap()
    });
    assert_eq!((count.mended, count.rooms_aside), (1, 0));
}

#[test]
fn a_damaged_page_costs_only_the_rooms_on_it() {
    damage_pages(6, 49, any_page);
}

#[test]
fn a_damaged_first_page_costs_no_room() {
    let count = damage_pages(4, 49, |_, _| 1);
    assert_eq!((count.rooms_aside, count.named), (0, 0));
}

#[test]
#[ignore = "takes minutes"]
fn a_hundred_damaged_pages_cost_only_the_rooms_on_them() {
    let count = damage_pages(100, 1, any_page);
    println!("{count:#?}");
}
