//! Checks a PostgreSQL database, also while servers use it: whether every room's log is complete
//! and can be replayed, and whether the finished games, and the players of running ones, match the
//! logs. Damaged pages are found by PostgreSQL's own `pg_amcheck`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use fivefold_shared::{record::Record, room::Entry};
use tokio_postgres::{Error, Row};

use super::{
    DatabaseUrl, OpenError,
    address::Address,
    connection::{Connection, Role, Session, connect_error, open},
    format::{format, version},
    logs::{Logs, read_logs},
    ownership,
    playing::{self, Players},
    puzzle_check, ratings,
    schema::FORMAT,
    values::unsigned,
};
use crate::{
    Findings, StorageError,
    limits::{DATABASE_MAINTENANCE_WITHIN, DATABASE_READ_WITHIN},
    name_keys::{KEPT_APART, NAME_OF_KEY, kept_apart, likeness_in},
    sql::contradictions,
    sqlite::check::log_problems,
    values::from_json,
};

/// Rooms that are read at a time.
const PART: i64 = 200;

const SELECT_ROOMS: &str = "
    SELECT id, code, seq, forgotten, closed_at IS NULL FROM room WHERE id > $1 ORDER BY id LIMIT $2";

const SELECT_GAMES: &str = "
    SELECT room, summary, moves FROM game WHERE room = ANY($1::bigint[]) ORDER BY id";

const COUNT: &str = "
    SELECT (SELECT count(*) FROM event), (SELECT count(*) FROM game),
        (SELECT count(*) FROM playing)";

/// Private games that are among a member's public ones are none of a newer server.
const COUNT_PLAYERS: &str = "
    SELECT count(*) FROM player LEFT JOIN game ON game.id = player.game
    WHERE game.id IS NULL OR game.listed AND NOT player.listed";

/// Everything as it was at one instant.
pub(super) const SNAPSHOT: &str = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; \
                     SET LOCAL statement_timeout = 0; \
                     SET LOCAL idle_in_transaction_session_timeout = 0";

/// Checks the rooms of a database. Writes nothing.
///
/// # Errors
/// If there is no database that can be checked.
pub fn check_postgres(url: &DatabaseUrl) -> Result<Findings, OpenError> {
    Source::open(url)?.inspect()
}

/// A database with the tables of this server's format, to be read.
pub(super) struct Source {
    pub(super) connection: Connection,
}

impl Source {
    /// # Errors
    /// If it cannot be opened, or lacks tables.
    pub(super) fn open(url: &DatabaseUrl) -> Result<Self, OpenError> {
        let address = Arc::new(Address::parse(url)?);
        let failed = |error| OpenError::Storage { path: address.name.clone(), error };
        let mut connection = open(&address, Role::Reader).map_err(failed)?;
        connection.connect().map_err(|error| connect_error(&address, &error))?;
        ownership::look(&mut connection)?;
        let format = connection.read(DATABASE_READ_WITHIN, &format).map_err(failed)?;
        if format > FORMAT {
            let (found, known) = (format.cast_unsigned(), FORMAT.cast_unsigned());
            let version = connection.read(DATABASE_READ_WITHIN, &version).map_err(failed)?;
            return Err(OpenError::Newer { path: address.name.clone(), found, known, version });
        }
        if format < FORMAT {
            let text = "it lacks tables; start this server with it".to_owned();
            return Err(failed(StorageError::Failed(text)));
        }
        Ok(Self { connection })
    }

    /// Checks the rooms.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(super) fn inspect(&mut self) -> Result<Findings, OpenError> {
        let found = self.connection.read(DATABASE_MAINTENANCE_WITHIN, &async |session| {
            session.transaction(SNAPSHOT, inspect(session)).await
        });
        let path = || self.connection.address().name.clone();
        found.map_err(|error| OpenError::Storage { path: path(), error })
    }
}

async fn inspect(session: &Session) -> Result<Findings, Error> {
    let mut findings = Findings { is_repairable: false, ..Findings::default() };
    let (mut last, mut counted) = (0, Counted::default());
    loop {
        let rooms = session.query(SELECT_ROOMS, &[&last, &PART]).await?;
        let Some(end) = rooms.last() else { break };
        last = end.try_get::<_, i64>(0)?;
        inspect_rooms(session, &rooms, &mut findings, &mut counted).await?;
    }
    let Counted { events: in_logs, players: in_rooms } = counted;
    for row in session.query(COUNT, &[]).await? {
        let (events, games) = (unsigned(row.try_get(0)?), unsigned(row.try_get(1)?));
        if events != in_logs {
            findings.add(format_args!("of {events} events, {in_logs} are in the log of a room"));
        }
        if games != findings.games {
            let found = findings.games;
            findings.add(format_args!("of {games} games, {found} belong to a room"));
        }
        let players = unsigned(row.try_get(2)?);
        if players != in_rooms {
            findings.add(format_args!("of {players} players, {in_rooms} play in a room"));
        }
        findings.events = events;
        findings.games = games;
    }
    ratings::check(session, &mut findings).await?;
    if let Err(error) = ratings::outcome(puzzle_check::check(session, &mut findings).await)? {
        findings.add(error);
    }
    for contradiction in contradictions::all() {
        for row in session.select(&contradiction.count()).await? {
            let rows = unsigned(row.try_get(0)?);
            if rows > 0 {
                findings.add(format_args!("{rows} {}", contradiction.problem));
            }
        }
    }
    for row in session.query(COUNT_PLAYERS, &[]).await? {
        let rows = unsigned(row.try_get(0)?);
        if rows > 0 {
            findings.add(format_args!("{rows} rows of table player are not those of the games"));
        }
    }
    for row in session.query(KEPT_APART, &[]).await? {
        let (key, name): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        let older = session.query(NAME_OF_KEY, &[&likeness_in(&key)]).await?;
        let older: Option<String> = older.first().map(|row| row.try_get(0)).transpose()?;
        findings.note(kept_apart(&name, older.as_deref()));
    }
    Ok(findings)
}

/// What belongs to rooms, whether it should or not.
#[derive(Default)]
struct Counted {
    /// Events in their logs.
    events: u64,
    /// Players of running games between paired players.
    players: u64,
}

/// Checks these rooms, and counts what belongs to them.
async fn inspect_rooms(
    session: &Session,
    rooms: &[Row],
    findings: &mut Findings,
    counted: &mut Counted,
) -> Result<(), Error> {
    let mut whole: Logs = BTreeMap::new();
    let mut forgotten = Vec::new();
    let mut open = BTreeSet::new();
    for row in rooms {
        let (id, code, seq, is_forgotten): (i64, String, i64, bool) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
        findings.rooms += 1;
        if row.try_get(4)? {
            open.insert(id);
        }
        if is_forgotten {
            forgotten.push(id);
        } else {
            whole.insert(id, (code, unsigned(seq)));
        }
    }
    let mut games = games_of(session, whole.keys().copied().chain(forgotten).collect()).await?;
    findings.games += games.values().map(|games| games.len() as u64).sum::<u64>();
    let codes: Vec<_> = whole.values().map(|(code, _)| code.as_str()).collect();
    let mut playing = playing::by_rooms(session, &codes).await?;
    counted.players += playing.values().map(|players| players.len() as u64).sum::<u64>();
    let logs = read_logs(session, &whole).await?;
    for ((id, (code, _)), log) in whole.into_iter().zip(logs) {
        let games =
            games.remove(&id).unwrap_or_default().into_iter().collect::<Result<Vec<_>, _>>();
        let problem = match log.and_then(|log| Ok((log, games?))) {
            Ok((log, games)) => {
                counted.events += log.len() as u64;
                let players = playing.remove(&code).unwrap_or_default();
                let is_open = open.contains(&id);
                log_problems(&log, &games).or_else(|| playing_problem(&log, is_open, &players))
            }
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem {
            findings.add(format_args!("room {code}: {problem}"));
        }
    }
    Ok(())
}

/// Whether the players of a room's running game are those that its log has.
fn playing_problem(log: &[Entry], is_open: bool, players: &Players) -> Option<String> {
    let expected = if is_open { playing::by_log(log) } else { Players::new() };
    let text = || "the players in table playing are not those of its running game".to_owned();
    (*players != expected).then(text)
}

type Games = BTreeMap<i64, Vec<Result<Record, StorageError>>>;

async fn games_of(session: &Session, rooms: Vec<i64>) -> Result<Games, Error> {
    let mut games = Games::new();
    for row in session.query(SELECT_GAMES, &[&rooms]).await? {
        let (summary, moves): (&str, &str) = (row.try_get(1)?, row.try_get(2)?);
        let record =
            from_json(summary).and_then(|summary| Ok(Record { summary, moves: from_json(moves)? }));
        games.entry(row.try_get(0)?).or_default().push(record);
    }
    Ok(games)
}
