//! Places in daily games. Those of members who are gone are marked in the transaction that deletes or closes the
//! account, so nothing is lost if the server ends before their rooms have ended the games. In the same way a place has
//! its member's time off beside what the game knows of it.

use fivefold_shared::{
    clock::TimeOff,
    protocol::{CommandId, MemberId, RoomCode},
};

use super::{Dialect, Row, Sql, account_rows::Change, list, source::DatabaseReader, values};
use crate::{
    AccountChanged, ConditionalMovesStep, DailyNews, DailyReader, DailySeat, DailySeats,
    OwnDailyGames, PlannedMoves, RatedPosition, StorageError, accounts::daily_seats::PlaceNews,
    contradiction::Contradiction,
};

/// Rows that contradict others.
pub(crate) const CONTRADICTIONS: [Contradiction; 1] = [Contradiction {
    since: "daily_seat",
    table: "daily_seat",
    rows: "room NOT IN (SELECT id FROM room)",
    problem: "places in daily games are in rooms that are not there",
    sets: None,
}];

/// Whether the room has to learn something about a place. An index has these rows.
pub(crate) const HAS_NEWS: &str = "(leaves OR off_from <> told_from OR off_until <> told_until
         OR moves_number <> moves_told)";

/// The columns of a [`PlaceNews`].
pub(crate) const NEWS: &str = "leaves, off_from, off_until,
    coalesce(off_from <> told_from OR off_until <> told_until, false), moves_number, conditional_moves,
    moves_number <> moves_told";

/// The places of the member `$1`, and of the guests of their account.
pub(super) const OWN: &str =
    "member IN (SELECT $1 UNION ALL SELECT member FROM alias WHERE account = $1)";

/// Replaces the places in a room.
pub(crate) fn set(
    sql: &dyn Sql,
    room: i64,
    DailySeats { seats, position, at }: &DailySeats,
) -> Result<(), StorageError> {
    let members = list(seats.iter().map(|seat| seat.member.as_str()));
    let listed = sql.dialect().listed();
    let others = format!(
        "DELETE FROM daily_seat WHERE room = $2 AND member NOT IN (SELECT value FROM {listed})"
    );
    sql.defer(&others, values![&members, room])?;
    let digest = position.map(|position| position.digest);
    let stones = position.map(|position| position.stones as u64);
    let off = "FROM time_off WHERE ends > $8 AND member
        = coalesce((SELECT account FROM alias WHERE alias.member = $1), $1)
        ORDER BY starts DESC LIMIT 1";
    let insert = format!(
        "INSERT INTO daily_seat (member, room, command, digest, stones, turn, flag_at, turn_at, leaves,
             off_from, off_until, told_from, told_until)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, EXISTS (
             SELECT 1 FROM account WHERE account.member = $1 AND deleted_at IS NOT NULL),
             coalesce((SELECT starts {off}), 0), coalesce((SELECT ends {off}), 0), $9, $10)
         ON CONFLICT (member, room) DO UPDATE
             SET digest = excluded.digest, stones = excluded.stones, turn = excluded.turn,
                 flag_at = excluded.flag_at,
                 turn_at = CASE WHEN daily_seat.turn IS NOT DISTINCT FROM excluded.turn
                     THEN daily_seat.turn_at ELSE excluded.turn_at END,
                 leaves = daily_seat.leaves OR excluded.leaves,
                 told_from = excluded.told_from, told_until = excluded.told_until"
    );
    for DailySeat { member, command, turn, off } in seats {
        sql.defer(
            &insert,
            values![
                member,
                room,
                command.as_ref().map(CommandId::as_str),
                digest,
                stones,
                turn.map(|turn| turn.number),
                turn.map(|turn| turn.flag_at),
                *at,
                off.map(|off| off.from),
                off.map(|off| off.until)
            ],
        )?;
    }
    Ok(())
}

/// Marks the places of a member who is gone, and of their bots and guests.
pub(super) fn mark_leaver(sql: &dyn Sql, member: &MemberId) -> Result<(), StorageError> {
    let theirs = "member IN (SELECT $1 UNION ALL SELECT member FROM account WHERE owner = $1
        UNION ALL SELECT member FROM alias WHERE account = $1)";
    lock(sql, theirs, member)?;
    let mark = format!("UPDATE daily_seat SET leaves = true WHERE {theirs}");
    sql.execute(&mark, values![member]).map(drop)
}

/// Marks the places that were added while the account of their member was deleted: in PostgreSQL, neither change sees
/// the other. Runs hourly. The player in a new place has at least a day to act, so that is early enough.
pub(super) fn mark_missed_leavers(sql: &dyn Sql) -> Result<(), StorageError> {
    if sql.dialect() != Dialect::Postgres {
        return Ok(());
    }
    // Places are locked in their order: see `lock`.
    sql.execute(
        "UPDATE daily_seat SET leaves = true WHERE (member, room) IN (
             SELECT member, room FROM daily_seat WHERE NOT leaves AND member IN (
                 SELECT member FROM account WHERE deleted_at IS NOT NULL
                 UNION ALL SELECT alias.member FROM alias
                     JOIN account ON account.member = alias.account WHERE deleted_at IS NOT NULL)
             ORDER BY room, member FOR UPDATE)",
        values![],
    )
    .map(drop)
}

/// Locks places in the order in which rooms write them, so that two transactions never wait for each other.
pub(super) fn lock(sql: &dyn Sql, which: &str, member: &MemberId) -> Result<(), StorageError> {
    if sql.dialect() == Dialect::Postgres {
        let lock =
            format!("SELECT 1 FROM daily_seat WHERE {which} ORDER BY room, member FOR UPDATE");
        sql.query(&lock, values![member])?;
    }
    Ok(())
}

/// Sets what a member plans in a room, or notes that the room knows it.
pub(super) fn change_moves(
    change: &Change<'_>,
    step: &ConditionalMovesStep,
) -> Result<AccountChanged, StorageError> {
    let Change { member, .. } = *change;
    match step {
        ConditionalMovesStep::Set { room, moves } => change.execute(
            &format!(
                "UPDATE daily_seat SET conditional_moves = $2, moves_number = moves_number + 1
                 WHERE room IN (SELECT id FROM room WHERE code = $3) AND {OWN}"
            ),
            values![member, moves.as_deref(), room.as_str()],
        ),
        ConditionalMovesStep::Told { room, epoch, number } => change.execute(
            "UPDATE daily_seat SET moves_told = moves_number
             WHERE member = $1 AND moves_number = $2 AND moves_told <> moves_number
                 AND room IN (SELECT id FROM room WHERE code = $3 AND epoch = $4)",
            values![member, *number, room.as_str(), *epoch],
        ),
    }
}

/// What a room that is claimed has to learn about its players.
pub(crate) fn news_of(
    sql: &dyn Sql,
    room: i64,
) -> Result<Vec<(MemberId, DailyNews)>, StorageError> {
    let places = format!(
        "SELECT member, {NEWS} FROM daily_seat
         WHERE room = $1 AND ({HAS_NEWS} OR conditional_moves IS NOT NULL)"
    );
    let places = sql.rows(&places, values![room], |row| {
        Ok((row.get::<MemberId>()?, read_news(row)?.for_next_owner()))
    })?;
    let each = |(member, news): (MemberId, Vec<DailyNews>)| {
        news.into_iter().map(move |news| (member.clone(), news))
    };
    Ok(places.into_iter().flat_map(each).collect())
}

fn read_news(row: &mut Row) -> Result<PlaceNews, StorageError> {
    Ok(PlaceNews {
        leaves: row.get()?,
        off: TimeOff { from: row.get()?, until: row.get()? },
        is_off_new: row.get()?,
        moves: PlannedMoves { number: row.get()?, moves: row.get()? },
        are_moves_new: row.get()?,
    })
}

impl DailyReader for DatabaseReader {
    fn daily_games(
        &mut self,
        member: &MemberId,
        except: Option<&RoomCode>,
    ) -> Result<OwnDailyGames, StorageError> {
        let except = except.map_or("", RoomCode::as_str);
        self.read(|sql| {
            let account = "SELECT account FROM alias WHERE member = $1";
            let account: Option<MemberId> = sql.row(account, values![member], Row::get)?;
            let person = account.as_ref().unwrap_or(member);
            let has_account = "SELECT 1 FROM account WHERE member = $1 AND deleted_at IS NULL";
            let own = format!(
                "SELECT DISTINCT code, digest, stones
                 FROM daily_seat JOIN room ON room.id = daily_seat.room
                 WHERE room.code <> $2 AND daily_seat.{OWN}"
            );
            let places = sql.rows(&own, values![person, except], |row| {
                let _: String = row.get()?;
                let place: (Option<u64>, Option<u64>) = (row.get()?, row.get()?);
                Ok(place)
            })?;
            let positions = places.iter().filter_map(|(digest, stones)| {
                let stones = usize::try_from((*stones)?).ok()?;
                Some(RatedPosition { digest: (*digest)?, stones })
            });
            Ok(OwnDailyGames {
                has_account: sql.exists(has_account, values![person])?,
                count: places.len(),
                positions: positions.collect(),
            })
        })
    }

    fn made_daily(
        &mut self,
        member: &MemberId,
        command: &CommandId,
    ) -> Result<Option<RoomCode>, StorageError> {
        let made = "SELECT code FROM daily_seat JOIN room ON room.id = daily_seat.room
            WHERE daily_seat.member = $1 AND daily_seat.command = $2";
        self.read(|sql| sql.row(made, values![member, command.as_str()], Row::get))
    }

    fn conditional_moves(
        &mut self,
        member: &MemberId,
    ) -> Result<Vec<(RoomCode, MemberId, Option<String>)>, StorageError> {
        let places = format!(
            "SELECT code, daily_seat.member, conditional_moves FROM daily_seat JOIN room ON room.id = daily_seat.room
             WHERE daily_seat.{OWN} ORDER BY code"
        );
        self.read(|sql| {
            sql.rows(&places, values![member], |row| Ok((row.get()?, row.get()?, row.get()?)))
        })
    }

    fn daily_news(
        &mut self,
        max: usize,
    ) -> Result<Vec<(RoomCode, MemberId, DailyNews)>, StorageError> {
        let places = format!(
            "SELECT code, daily_seat.member, {NEWS}
             FROM daily_seat JOIN room ON room.id = daily_seat.room WHERE {HAS_NEWS} LIMIT $1"
        );
        let places = self.read(|sql| {
            sql.rows(&places, values![max], |row| {
                Ok((row.get::<RoomCode>()?, row.get::<MemberId>()?, read_news(row)?.news()))
            })
        })?;
        let each = |(room, member, news): (RoomCode, MemberId, Vec<DailyNews>)| {
            news.into_iter().map(move |news| (room.clone(), member.clone(), news))
        };
        Ok(places.into_iter().flat_map(each).collect())
    }
}
