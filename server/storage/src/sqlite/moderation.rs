//! Blocks, reports and sanctions in a SQLite file.

use fivefold_shared::{clock::millis, protocol::MemberId};
use rusqlite::{Connection, Params, Row, Transaction};

use super::{
    SqliteReader, examination,
    member_data::FORGET_TEXTS,
    rows::{collect, two_members},
};
use crate::{
    BlockEntry, BlockLists, CaseId, ModerationChange, ModerationChanged, ModerationReader,
    OpenReport, OpenReports, Report, ReportQuery, Sanction, SanctionKind, Standing, StorageError,
    Waiting,
    accounts::DELETED_NAME,
    limits::{
        BLOCKED_BY_MAX, BLOCKS_MAX, CASE_ROWS_MAX, QUEUE_MAX, REPORTS_MAX, REPORTS_WITHIN,
        SANCTIONS_MAX, STANDING_GAMES_MAX,
    },
    moderation::{blocks_before, reports_before, texts_before},
    values::{from_json, name, to_json},
};

const REPORT_COLUMNS: &str =
    "id, reporter, about, about_name, kind, game, line, text, at, state, closed_at, closed_by";

/// Number of these columns.
const REPORT_COLUMN_COUNT: usize = 12;

const SELECT_SANCTIONS: &str = "
    SELECT id, member, name, kind, from_at, until_at, reason, operator, seen_at, appeal, appealed_at,
        answered_at, answered_by, undone_at, undone_by FROM sanction";

/// Whether the reporter in a row has an account.
const BY_ACCOUNT: &str = "EXISTS (
    SELECT 1 FROM account WHERE account.member = report.reporter AND deleted_at IS NULL)";

/// Whether a sanction holds at the time `?1`: what [`Sanction::is_active`] says.
const IS_ACTIVE: &str = "
    undone_at IS NULL AND (until_at IS NULL OR until_at > ?1) AND kind <> 'note'
    AND (kind <> 'warn' OR seen_at IS NULL)";

/// Changes something.
pub(crate) fn change(
    transaction: &Transaction<'_>,
    change: &ModerationChange,
) -> Result<ModerationChanged, StorageError> {
    match change {
        ModerationChange::Block(member, entry) => block(transaction, member, entry),
        ModerationChange::Unblock { member, other } => {
            let values = (member.as_str(), other.as_str());
            execute(transaction, "DELETE FROM block WHERE member = ? AND other = ?", values)
        }
        ModerationChange::Report(report) => add_report(transaction, report),
        ModerationChange::CloseReports { which, state, at, by } => {
            close_reports(transaction, which, (state.as_str(), *at, by))
        }
        ModerationChange::Sanction(sanction) => add_sanction(transaction, sanction),
        ModerationChange::Undo { id, at, by } => execute(
            transaction,
            "UPDATE sanction SET undone_at = ?2, undone_by = ?3,
                 answered_by = CASE WHEN answered_at IS NULL THEN ?3 ELSE answered_by END,
                 answered_at = coalesce(answered_at, ?2), changes = changes + 1
             WHERE id = ?1 AND undone_at IS NULL",
            (id.as_str(), at, by),
        ),
        ModerationChange::Seen { id, member, at } => execute(
            transaction,
            "UPDATE sanction SET seen_at = ?3, changes = changes + 1
             WHERE id = ?1 AND member = ?2 AND kind = 'warn' AND seen_at IS NULL",
            (id.as_str(), member.as_str(), at),
        ),
        ModerationChange::Appeal { id, member, text, at } => execute(
            transaction,
            "UPDATE sanction SET appealed_at = coalesce(appealed_at, ?4), appeal = ?3,
                 changes = changes + 1
             WHERE id = ?1 AND member = ?2 AND kind <> 'note' AND undone_at IS NULL
                 AND (appeal IS NULL OR appeal = ?3)",
            (id.as_str(), member.as_str(), text, at),
        ),
        ModerationChange::Answer { id, at, by } => execute(
            transaction,
            "UPDATE sanction SET answered_at = ?2, answered_by = ?3, changes = changes + 1
             WHERE id = ?1 AND appeal IS NOT NULL AND answered_at IS NULL",
            (id.as_str(), at, by),
        ),
        ModerationChange::Operator { member, since: Some(since) } => execute(
            transaction,
            "INSERT INTO operator (member, since) VALUES (?, ?)
             ON CONFLICT (member) DO UPDATE SET since = min(since, excluded.since)",
            (member.as_str(), since),
        ),
        ModerationChange::Operator { member, since: None } => {
            execute(transaction, "DELETE FROM operator WHERE member = ?", (member.as_str(),))
        }
        ModerationChange::Mark(marks) => examination::mark(transaction, marks),
        ModerationChange::ClaimExamination(claim) => examination::claim(transaction, claim),
        ModerationChange::Examined { game, facts } => {
            examination::examined(transaction, game, facts.as_deref())
        }
    }
}

/// Runs a statement: [`ModerationChanged::Gone`] if it changes no row.
fn execute(
    transaction: &Transaction<'_>,
    statement: &str,
    values: impl Params,
) -> Result<ModerationChanged, StorageError> {
    let rows = transaction.prepare_cached(statement)?.execute(values)?;
    Ok(if rows == 0 { ModerationChanged::Gone } else { ModerationChanged::Done })
}

fn count(
    transaction: &Transaction<'_>,
    statement: &str,
    values: impl Params,
) -> Result<usize, StorageError> {
    Ok(transaction.prepare_cached(statement)?.query_row(values, |row| row.get(0))?)
}

fn block(
    transaction: &Transaction<'_>,
    member: &MemberId,
    BlockEntry { other, name, kind, at }: &BlockEntry,
) -> Result<ModerationChanged, StorageError> {
    let others = "SELECT count(*) FROM block WHERE member = ? AND other <> ?";
    if count(transaction, others, (member.as_str(), other.as_str()))? >= BLOCKS_MAX {
        return Ok(ModerationChanged::Full);
    }
    execute(
        transaction,
        "INSERT INTO block (member, other, name, kind, at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (member, other) DO UPDATE
             SET name = excluded.name, kind = excluded.kind, at = excluded.at",
        (member.as_str(), other.as_str(), name.as_str(), kind.as_str(), at),
    )
}

/// Closes open reports: what becomes of them, when, and who decides.
fn close_reports(
    transaction: &Transaction<'_>,
    which: &OpenReports,
    (state, at, by): (&str, u64, &str),
) -> Result<ModerationChanged, StorageError> {
    let set = "UPDATE report SET state = ?1, closed_at = ?2, closed_by = ?3 WHERE state = 'open'";
    match which {
        OpenReports::About(member) => {
            let statement = format!("{set} AND about = ?4");
            execute(transaction, &statement, (state, at, by, member.as_str()))
        }
        OpenReports::ByGuests => {
            execute(transaction, &format!("{set} AND NOT {BY_ACCOUNT}"), (state, at, by))
        }
    }
}

/// Why a report is not stored; nothing if it may be.
fn refused_report(
    transaction: &Transaction<'_>,
    Report { id, reporter, about, at, .. }: &Report,
) -> Result<Option<ModerationChanged>, StorageError> {
    let (id, reporter, about) = (id.as_str(), reporter.as_str(), about.as_str());
    if count(transaction, "SELECT count(*) FROM report WHERE id = ?", (id,))? > 0 {
        return Ok(Some(ModerationChanged::Done));
    }
    let open = "SELECT count(*) FROM report WHERE reporter = ? AND about = ? AND state = 'open'";
    if count(transaction, open, (reporter, about))? > 0 {
        return Ok(Some(ModerationChanged::AlreadyOpen));
    }
    let since = at.saturating_sub(millis(REPORTS_WITHIN));
    let made = "SELECT count(*) FROM report WHERE reporter = ? AND at > ?";
    if count(transaction, made, (reporter, since))? >= REPORTS_MAX as usize {
        return Ok(Some(ModerationChanged::Full));
    }
    let waiting = format!(
        "SELECT count(*) FROM report WHERE state = 'open' AND {BY_ACCOUNT} =
             EXISTS (SELECT 1 FROM account WHERE member = ? AND deleted_at IS NULL)"
    );
    let is_full = count(transaction, &waiting, (reporter,))? >= QUEUE_MAX;
    Ok(is_full.then_some(ModerationChanged::QueueFull))
}

fn add_report(
    transaction: &Transaction<'_>,
    report: &Report,
) -> Result<ModerationChanged, StorageError> {
    if let Some(refused) = refused_report(transaction, report)? {
        return Ok(refused);
    }
    let Report { id, reporter, about, about_name, kind, game, line, text, at, state, .. } = report;
    let line = line.as_ref().map(to_json).transpose()?;
    execute(
        transaction,
        "INSERT INTO report (id, reporter, about, about_name, kind, game, line, text, at, state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            id.as_str(),
            reporter.as_str(),
            about.as_str(),
            about_name.as_str(),
            kind.as_str(),
            game.as_ref().map(|game| game.as_str()),
            line,
            text,
            at,
            state.as_str(),
        ),
    )
}

fn add_sanction(
    transaction: &Transaction<'_>,
    sanction: &Sanction,
) -> Result<ModerationChanged, StorageError> {
    let active = format!("SELECT count(*) FROM sanction WHERE {IS_ACTIVE}");
    if count(transaction, &active, (sanction.from_at,))? >= SANCTIONS_MAX {
        return Ok(ModerationChanged::Full);
    }
    let Sanction { id, member, name, kind, from_at, until_at, reason, operator, .. } = sanction;
    execute(
        transaction,
        "INSERT INTO sanction (id, member, name, kind, from_at, until_at, reason, operator)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        (
            id.as_str(),
            member.as_str(),
            name.as_str(),
            kind.as_str(),
            from_at,
            until_at,
            reason,
            operator,
        ),
    )?;
    if *kind == SanctionKind::Close {
        transaction
            .prepare_cached("DELETE FROM session WHERE member = ?")?
            .execute((member.as_str(),))?;
    }
    Ok(ModerationChanged::Done)
}

/// Deletes what [`Storage::prune_moderation`](crate::Storage::prune_moderation) names.
pub(super) fn prune(
    transaction: &Transaction<'_>,
    now: u64,
    rows_max: usize,
) -> Result<usize, StorageError> {
    let now = now.min(i64::MAX.cast_unsigned());
    let blocks = transaction
        .prepare_cached(
            "DELETE FROM block WHERE (member, other) IN (
                 SELECT member, other FROM block WHERE at <= ?
                     AND NOT EXISTS (SELECT 1 FROM member WHERE member.id = block.member) LIMIT ?)",
        )?
        .execute((blocks_before(now), rows_max))?;
    let reports = transaction
        .prepare_cached(
            "DELETE FROM report
             WHERE id IN (SELECT id FROM report WHERE closed_at <= ? LIMIT ?)",
        )?
        .execute((reports_before(now), rows_max - blocks))?;
    let texts = transaction
        .prepare_cached(&format!(
            "{FORGET_TEXTS} WHERE id IN (
                 SELECT id FROM sanction WHERE name <> ?2
                     AND (undone_at <= ?3 OR until_at <= ?3
                         OR (kind IN ('note', 'warn') AND from_at <= ?3))
                     AND NOT EXISTS (SELECT 1 FROM account WHERE account.member = sanction.member)
                 LIMIT ?4)"
        ))?
        .execute((now, DELETED_NAME, texts_before(now), rows_max - blocks - reports))?;
    let rest = rows_max - blocks - reports - texts;
    Ok(blocks + reports + texts + examination::prune(transaction, now, rest)?)
}

impl ModerationReader for SqliteReader {
    fn block_lists(&mut self, member: &MemberId) -> Result<BlockLists, StorageError> {
        let mut own = self.connection.prepare_cached(
            "SELECT other, name, kind, at FROM block WHERE member = ? ORDER BY at DESC, other",
        )?;
        let own = collect(own.query((member.as_str(),))?, |row| {
            let (other, text, kind, at): (String, String, String, u64) =
                (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(BlockEntry { other: name(other)?, name: name(text)?, kind: kind.try_into()?, at })
        })?;
        let mut others = self.connection.prepare_cached(
            "SELECT member FROM block WHERE kind = 'block'
                 AND other IN (SELECT ?1 UNION SELECT member FROM alias WHERE account = ?1)
             GROUP BY member ORDER BY max(at) DESC LIMIT ?2",
        )?;
        let blocked_by =
            collect(others.query((member.as_str(), BLOCKED_BY_MAX))?, |row| name(row.get(0)?))?;
        Ok(BlockLists { own, blocked_by })
    }

    fn sanctions_revision(&mut self) -> Result<u64, StorageError> {
        let mut select =
            self.connection.prepare_cached("SELECT coalesce(sum(changes), 0) FROM sanction")?;
        Ok(select.query_row((), |row| row.get(0))?)
    }

    fn active_sanctions(&mut self, now: u64) -> Result<Vec<Sanction>, StorageError> {
        let now = now.min(i64::MAX.cast_unsigned());
        sanctions(&self.connection, &format!("WHERE {IS_ACTIVE} ORDER BY from_at"), (now,))
    }

    fn bots_of_sanctioned(&mut self, now: u64) -> Result<Vec<(MemberId, MemberId)>, StorageError> {
        let now = now.min(i64::MAX.cast_unsigned());
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT member, owner FROM account
             WHERE owner IN (SELECT member FROM sanction WHERE {IS_ACTIVE})"
        ))?;
        collect(select.query((now,))?, two_members)
    }

    fn sanctions_of(&mut self, member: &MemberId) -> Result<Vec<Sanction>, StorageError> {
        let tail = "WHERE member = ? ORDER BY from_at DESC, id LIMIT ?";
        sanctions(&self.connection, tail, (member.as_str(), CASE_ROWS_MAX))
    }

    fn appeals(&mut self) -> Result<Vec<Sanction>, StorageError> {
        let tail = "WHERE appeal IS NOT NULL AND answered_at IS NULL
            ORDER BY coalesce(appealed_at, from_at) LIMIT ?";
        sanctions(&self.connection, tail, (QUEUE_MAX,))
    }

    fn sanction(&mut self, id: &CaseId) -> Result<Option<Sanction>, StorageError> {
        Ok(sanctions(&self.connection, "WHERE id = ?", (id.as_str(),))?.pop())
    }

    fn open_reports(&mut self) -> Result<Vec<OpenReport>, StorageError> {
        let mut select = self.connection.prepare_cached(&format!(
            "WITH queue AS (
                 SELECT * FROM (SELECT * FROM report WHERE state = 'open' AND {BY_ACCOUNT}
                     ORDER BY at, id LIMIT ?1)
                 UNION ALL
                 SELECT * FROM (SELECT * FROM report WHERE state = 'open' AND NOT {BY_ACCOUNT}
                     ORDER BY at, id LIMIT ?1)
             )
             SELECT {REPORT_COLUMNS},
                 (SELECT made_at FROM account WHERE member = reporter AND deleted_at IS NULL),
                 (SELECT count(*) FROM (SELECT 1 FROM player WHERE member = reporter LIMIT ?2))
             FROM queue ORDER BY at, id"
        ))?;
        collect(select.query((QUEUE_MAX, STANDING_GAMES_MAX))?, |row| {
            let account_since = row.get(REPORT_COLUMN_COUNT)?;
            let games = row.get(REPORT_COLUMN_COUNT + 1)?;
            Ok(OpenReport { report: report(row)?, standing: Standing { account_since, games } })
        })
    }

    fn waiting(&mut self) -> Result<Waiting, StorageError> {
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT count(*) FILTER (WHERE {BY_ACCOUNT}), count(*) FILTER (WHERE NOT {BY_ACCOUNT}),
                 min(at) FROM report WHERE state = 'open'"
        ))?;
        let (by_accounts, by_guests, oldest_report_at) =
            select.query_row((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let mut select = self.connection.prepare_cached(
            "SELECT count(*), min(coalesce(appealed_at, from_at)) FROM sanction
             WHERE appeal IS NOT NULL AND answered_at IS NULL",
        )?;
        let (appeals, oldest_appeal_at) =
            select.query_row((), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Waiting { by_accounts, by_guests, oldest_report_at, appeals, oldest_appeal_at })
    }

    fn reports(&mut self, query: &ReportQuery) -> Result<Vec<Report>, StorageError> {
        let connection = &self.connection;
        match query {
            ReportQuery::About(member) => {
                let tail = "WHERE about = ? ORDER BY at DESC, id LIMIT ?";
                reports(connection, tail, (member.as_str(), CASE_ROWS_MAX))
            }
            ReportQuery::By(member) => {
                let tail = "WHERE reporter = ? ORDER BY at DESC, id LIMIT ?";
                reports(connection, tail, (member.as_str(), CASE_ROWS_MAX))
            }
        }
    }

    fn is_operator(&mut self, member: &MemberId) -> Result<bool, StorageError> {
        let mut select =
            self.connection.prepare_cached("SELECT 1 FROM operator WHERE member = ?")?;
        Ok(select.exists((member.as_str(),))?)
    }
}

fn reports(
    connection: &Connection,
    tail: &str,
    values: impl Params,
) -> Result<Vec<Report>, StorageError> {
    let mut select =
        connection.prepare_cached(&format!("SELECT {REPORT_COLUMNS} FROM report {tail}"))?;
    collect(select.query(values)?, report)
}

/// The report in a row.
fn report(row: &Row<'_>) -> Result<Report, StorageError> {
    let (game, line): (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
    let (kind, state): (String, String) = (row.get(4)?, row.get(9)?);
    Ok(Report {
        id: name(row.get(0)?)?,
        reporter: name(row.get(1)?)?,
        about: name(row.get(2)?)?,
        about_name: name(row.get(3)?)?,
        kind: kind.try_into()?,
        game: game.map(name).transpose()?,
        line: line.map(|line| from_json(&line)).transpose()?,
        text: row.get(7)?,
        at: row.get(8)?,
        state: state.try_into()?,
        closed_at: row.get(10)?,
        closed_by: row.get(11)?,
    })
}

fn sanctions(
    connection: &Connection,
    tail: &str,
    values: impl Params,
) -> Result<Vec<Sanction>, StorageError> {
    let mut select = connection.prepare_cached(&format!("{SELECT_SANCTIONS} {tail}"))?;
    collect(select.query(values)?, |row| {
        let kind: String = row.get(3)?;
        Ok(Sanction {
            id: name(row.get(0)?)?,
            member: name(row.get(1)?)?,
            name: name(row.get(2)?)?,
            kind: kind.try_into()?,
            from_at: row.get(4)?,
            until_at: row.get(5)?,
            reason: row.get(6)?,
            operator: row.get(7)?,
            seen_at: row.get(8)?,
            appeal: row.get(9)?,
            appealed_at: row.get(10)?,
            answered_at: row.get(11)?,
            answered_by: row.get(12)?,
            undone_at: row.get(13)?,
            undone_by: row.get(14)?,
        })
    })
}
