//! Time off from daily games.

use fivefold_shared::{
    clock::{TimeOff, year},
    protocol::MemberId,
};

use super::{Row, Sql, account_rows::Change, daily_seats, source::DatabaseReader, values};
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
        daily_seats::set_off(change.sql, change.member, off)?;
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

impl TimeOffReader for DatabaseReader {
    fn times_off(&mut self, member: &MemberId) -> Result<Vec<TimeOff>, StorageError> {
        self.read(|sql| periods(sql, member))
    }
}
