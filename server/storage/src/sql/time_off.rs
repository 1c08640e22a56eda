//! Time off from daily games.

use fivefold_shared::{
    clock::{TimeOff, year},
    protocol::MemberId,
};

use super::{
    Dialect, Row, Sql,
    account_rows::Change,
    daily_seats::{OWN, lock},
    source::DatabaseReader,
    values,
};
use crate::{AccountChanged, StorageError, TimeOffReader, TimeOffStep};

/// Changes a member's time off, and what their daily games have to learn of it.
pub(super) fn change(
    change: &Change<'_>,
    step: TimeOffStep,
) -> Result<AccountChanged, StorageError> {
    let changed = match step {
        TimeOffStep::Begin(off) => begin(change, off)?,
        TimeOffStep::End(off) => end(change, off)?,
    };
    if changed == AccountChanged::Done {
        let latest = latest(change.sql, change.member)?;
        let off = step.period_now(latest, change.at);
        set_in_games(change.sql, change.member, off)?;
    }
    Ok(changed)
}

fn begin(change: &Change<'_>, off: TimeOff) -> Result<AccountChanged, StorageError> {
    let Change { sql, member, at } = *change;
    if !change.has_account()? {
        return Ok(AccountChanged::Gone);
    }
    let periods = periods(sql, member)?;
    if periods.contains(&off) {
        return Ok(AccountChanged::Done);
    }
    if let Err(why) = off.check(&periods, at) {
        return Ok(AccountChanged::NoTimeOff(why));
    }
    for period in periods.iter().filter(|period| year(period.until) < year(at)) {
        sql.defer(
            "DELETE FROM time_off WHERE member = $1 AND starts = $2",
            values![member, period.from],
        )?;
    }
    sql.defer(
        "INSERT INTO time_off (member, starts, ends) VALUES ($1, $2, $3)",
        values![member, off.from, off.until],
    )?;
    Ok(AccountChanged::Done)
}

fn end(change: &Change<'_>, off: TimeOff) -> Result<AccountChanged, StorageError> {
    let Change { sql, member, .. } = *change;
    let which = "member = $1 AND starts = $2";
    // If another request gave it an earlier end, that stays.
    if off.from < off.until {
        sql.execute(
            &format!("UPDATE time_off SET ends = $3 WHERE {which} AND ends >= $3"),
            values![member, off.from, off.until],
        )?;
    } else {
        sql.execute(&format!("DELETE FROM time_off WHERE {which}"), values![member, off.from])?;
    }
    Ok(AccountChanged::Done)
}

/// The last period of a member, the only one that can be open; [`TimeOff::NONE`] if there is none.
pub(super) fn latest(sql: &dyn Sql, member: &MemberId) -> Result<TimeOff, StorageError> {
    Ok(periods(sql, member)?.pop().unwrap_or(TimeOff::NONE))
}

fn periods(sql: &dyn Sql, member: &MemberId) -> Result<Vec<TimeOff>, StorageError> {
    let select = "SELECT starts, ends FROM time_off WHERE member = $1 ORDER BY starts";
    sql.rows(select, values![member], read)
}

fn read(row: &mut Row) -> Result<TimeOff, StorageError> {
    Ok(TimeOff { from: row.get()?, until: row.get()? })
}

/// Sets the time off of a member in their places in daily games. The games have to learn it.
pub(super) fn set_in_games(
    sql: &dyn Sql,
    member: &MemberId,
    off: TimeOff,
) -> Result<(), StorageError> {
    lock(sql, OWN, member)?;
    let set = format!("UPDATE daily_seat SET off_from = $2, off_until = $3 WHERE {OWN}");
    sql.execute(&set, values![member, off.from, off.until]).map(drop)
}

/// Corrects the time off in places that were added while it changed: in PostgreSQL, neither change sees the other. Runs
/// hourly. The player in a new place has at least a day to act, so that is early enough.
pub(super) fn correct_in_games(sql: &dyn Sql, now: u64) -> Result<(), StorageError> {
    if sql.dialect() != Dialect::Postgres {
        return Ok(());
    }
    // The open period, or else the place's own period, with its stored end if there is one.
    sql.execute(
        "UPDATE daily_seat SET off_from = known.starts, off_until = known.ends FROM (
             SELECT seat.member, seat.room, coalesce(open.starts, seat.off_from) AS starts,
                 coalesce(open.ends, same.ends, seat.off_from) AS ends
             FROM daily_seat AS seat LEFT JOIN alias ON alias.member = seat.member
             LEFT JOIN time_off AS open ON open.ends > $1
                 AND open.member = coalesce(alias.account, seat.member)
             LEFT JOIN time_off AS same ON same.starts = seat.off_from
                 AND same.member = coalesce(alias.account, seat.member)
             WHERE open.ends IS NOT NULL OR seat.off_until > $1
             ORDER BY seat.room, seat.member FOR UPDATE OF seat) AS known
         WHERE daily_seat.member = known.member AND daily_seat.room = known.room
             AND (off_from <> known.starts OR off_until <> known.ends)",
        values![now],
    )
    .map(drop)
}

impl TimeOffReader for DatabaseReader {
    fn times_off(&mut self, member: &MemberId) -> Result<Vec<TimeOff>, StorageError> {
        self.read(|sql| periods(sql, member))
    }
}
