//! Places in daily games. Those of members who are gone are marked in the transaction that deletes or closes the
//! account, so nothing is lost if the server ends before their rooms have ended the games.

use fivefold_shared::protocol::{CommandId, MemberId, RoomCode};

use super::{Dialect, Row, Sql, list, source::DatabaseReader, values};
use crate::{
    DailyReader, DailySeat, DailySeats, OwnDailyGames, RatedPosition, StorageError,
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

/// Replaces the places in a room.
pub(crate) fn set(
    sql: &dyn Sql,
    room: i64,
    DailySeats { seats, position }: &DailySeats,
) -> Result<(), StorageError> {
    let members = list(seats.iter().map(|seat| seat.member.as_str()));
    let listed = sql.dialect().listed();
    let others = format!(
        "DELETE FROM daily_seat WHERE room = $2 AND member NOT IN (SELECT value FROM {listed})"
    );
    sql.defer(&others, values![&members, room])?;
    let digest = position.map(|position| position.digest);
    let stones = position.map(|position| position.stones as u64);
    for DailySeat { member, command, flag_at } in seats {
        sql.defer(
            "INSERT INTO daily_seat (member, room, command, digest, stones, flag_at, leaves)
             VALUES ($1, $2, $3, $4, $5, $6, EXISTS (
                 SELECT 1 FROM account WHERE account.member = $1 AND deleted_at IS NOT NULL))
             ON CONFLICT (member, room) DO UPDATE
                 SET digest = excluded.digest, stones = excluded.stones, flag_at = excluded.flag_at,
                     leaves = daily_seat.leaves OR excluded.leaves",
            values![
                member,
                room,
                command.as_ref().map(CommandId::as_str),
                digest,
                stones,
                *flag_at
            ],
        )?;
    }
    Ok(())
}

/// Marks the places of a member who is gone, and of their bots and guests.
pub(super) fn mark_leaver(sql: &dyn Sql, member: &MemberId) -> Result<(), StorageError> {
    let theirs = "member IN (SELECT $1 UNION ALL SELECT member FROM account WHERE owner = $1
        UNION ALL SELECT member FROM alias WHERE account = $1)";
    if sql.dialect() == Dialect::Postgres {
        // In the order in which rooms write them, so that two transactions never wait for each other.
        let lock =
            format!("SELECT 1 FROM daily_seat WHERE {theirs} ORDER BY room, member FOR UPDATE");
        sql.query(&lock, values![member])?;
    }
    let mark = format!("UPDATE daily_seat SET leaves = true WHERE {theirs}");
    sql.execute(&mark, values![member]).map(drop)
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
            let own = "SELECT DISTINCT code, digest, stones
                FROM daily_seat JOIN room ON room.id = daily_seat.room
                WHERE room.code <> $2 AND daily_seat.member IN (
                    SELECT $1 UNION ALL SELECT member FROM alias WHERE account = $1)";
            let places = sql.rows(own, values![person, except], |row| {
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

    fn daily_leavers(&mut self, max: usize) -> Result<Vec<(RoomCode, MemberId)>, StorageError> {
        let leavers =
            "SELECT code, daily_seat.member FROM daily_seat JOIN room ON room.id = daily_seat.room
            WHERE leaves LIMIT $1";
        self.read(|sql| sql.rows(leavers, values![max], |row| Ok((row.get()?, row.get()?))))
    }
}
