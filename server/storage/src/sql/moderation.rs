//! Blocks, reports and sanctions.

use fivefold_shared::{clock::millis, protocol::MemberId};

use super::{
    Row, Sql, Value, daily_seats, examination, friends, member_data::FORGET_TEXTS,
    source::DatabaseReader, values,
};
use crate::{
    BlockEntry, BlockLists, CaseId, ModerationChange, ModerationChanged, ModerationReader,
    OpenReport, OpenReports, Report, ReportQuery, Sanction, SanctionKind, Standing, StorageError,
    Waiting,
    accounts::DELETED_NAME,
    limits::{
        BLOCKED_BY_MAX, BLOCKS_MAX, CASE_ROWS_MAX, DECIDED_ROWS_MAX, QUEUE_MAX, REPORTS_MAX,
        REPORTS_WITHIN, SANCTIONS_MAX, STANDING_GAMES_MAX,
    },
    moderation::{blocks_before, reports_before, texts_before},
    values::{from_json, to_json},
};

/// The columns of a report, in the order that [`report`] reads.
const REPORT: &str =
    "id, reporter, about, about_name, kind, game, line, text, at, state, closed_at, closed_by";

const SELECT_SANCTIONS: &str = "
    SELECT id, member, name, kind, from_at, until_at, reason, operator, seen_at, appeal, appealed_at,
        answered_at, answered_by, undone_at, undone_by FROM sanction";

/// Whether the reporter in a row has an account.
const BY_ACCOUNT: &str = "EXISTS (
    SELECT 1 FROM account WHERE account.member = report.reporter AND deleted_at IS NULL)";

/// Whether a sanction holds at the time `$1`: what [`Sanction::is_active`] says.
const IS_ACTIVE: &str = "
    undone_at IS NULL AND (until_at IS NULL OR until_at > $1) AND kind <> 'note'
    AND (kind <> 'warn' OR seen_at IS NULL)";

/// Changes something.
pub(crate) fn change(
    sql: &dyn Sql,
    change: &ModerationChange,
) -> Result<ModerationChanged, StorageError> {
    match change {
        ModerationChange::Block(member, entry) => block(sql, member, entry),
        ModerationChange::Unblock { member, other } => execute(
            sql,
            "DELETE FROM block WHERE member = $1 AND other = $2",
            values![member, other],
        ),
        ModerationChange::Report(report) => add_report(sql, report),
        ModerationChange::CloseReports { which, state, at, by } => {
            close_reports(sql, which, values![state.as_str(), *at, by])
        }
        ModerationChange::Sanction(sanction) => add_sanction(sql, sanction),
        ModerationChange::Undo { id, at, by } => execute(
            sql,
            "UPDATE sanction SET undone_at = $2, undone_by = $3,
                 answered_by = CASE WHEN answered_at IS NULL THEN $3 ELSE answered_by END,
                 answered_at = coalesce(answered_at, $2), changes = changes + 1
             WHERE id = $1 AND undone_at IS NULL",
            values![id, *at, by],
        ),
        ModerationChange::Seen { id, member, at } => execute(
            sql,
            "UPDATE sanction SET seen_at = $3, changes = changes + 1
             WHERE id = $1 AND member = $2 AND kind = 'warn' AND seen_at IS NULL",
            values![id, member, *at],
        ),
        ModerationChange::Appeal { id, member, text, at } => execute(
            sql,
            "UPDATE sanction SET appealed_at = coalesce(appealed_at, $4), appeal = $3,
                 changes = changes + 1
             WHERE id = $1 AND member = $2 AND kind <> 'note' AND undone_at IS NULL
                 AND (appeal IS NULL OR appeal = $3)",
            values![id, member, text, *at],
        ),
        ModerationChange::Answer { id, at, by } => execute(
            sql,
            "UPDATE sanction SET answered_at = $2, answered_by = $3, changes = changes + 1
             WHERE id = $1 AND appeal IS NOT NULL AND answered_at IS NULL",
            values![id, *at, by],
        ),
        ModerationChange::Operator { member, since: Some(since) } => execute(
            sql,
            "INSERT INTO operator (member, since) VALUES ($1, $2)
             ON CONFLICT (member) DO UPDATE SET since = CASE
                 WHEN operator.since < excluded.since THEN operator.since ELSE excluded.since END",
            values![member, *since],
        ),
        ModerationChange::Operator { member, since: None } => {
            execute(sql, "DELETE FROM operator WHERE member = $1", values![member])
        }
        ModerationChange::FirstOperator { member, since } => first_operator(sql, member, *since),
        ModerationChange::Mark(marks) => examination::mark(sql, marks),
        ModerationChange::ClaimExamination(claim) => examination::claim(sql, claim),
        ModerationChange::Examined { game, facts } => {
            examination::examined(sql, game, facts.as_deref())
        }
    }
}

/// Runs a statement: [`ModerationChanged::Gone`] if it changes no row.
fn execute(
    sql: &dyn Sql,
    statement: &str,
    values: &[Value<'_>],
) -> Result<ModerationChanged, StorageError> {
    let rows = sql.execute(statement, values)?;
    Ok(if rows == 0 { ModerationChanged::Gone } else { ModerationChanged::Done })
}

fn first_operator(
    sql: &dyn Sql,
    member: &MemberId,
    since: u64,
) -> Result<ModerationChanged, StorageError> {
    // Two nodes may have given links to two people.
    sql.lock("operators")?;
    if sql.exists("SELECT 1 FROM operator WHERE member <> $1", values![member])? {
        return Ok(ModerationChanged::Gone);
    }
    let insert =
        "INSERT INTO operator (member, since) VALUES ($1, $2) ON CONFLICT (member) DO NOTHING";
    sql.execute(insert, values![member, since])?;
    Ok(ModerationChanged::Done)
}

fn block(
    sql: &dyn Sql,
    member: &MemberId,
    BlockEntry { other, name, kind, at }: &BlockEntry,
) -> Result<ModerationChanged, StorageError> {
    sql.lock(member.as_str())?;
    let others = "SELECT count(*) FROM block WHERE member = $1 AND other <> $2";
    if sql.count(others, values![member, other])? >= BLOCKS_MAX {
        return Ok(ModerationChanged::Full);
    }
    let stored = execute(
        sql,
        "INSERT INTO block (member, other, name, kind, at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (member, other) DO UPDATE
             SET name = excluded.name, kind = excluded.kind, at = excluded.at",
        values![member, other, name, kind.as_str(), *at],
    )?;
    friends::end_blocked(sql, member)?;
    Ok(stored)
}

/// Closes open reports. The values say what becomes of them, when, and who decides.
fn close_reports(
    sql: &dyn Sql,
    which: &OpenReports,
    values: &[Value<'_>],
) -> Result<ModerationChanged, StorageError> {
    let set = "UPDATE report SET state = $1, closed_at = $2, closed_by = $3 WHERE state = 'open'";
    match which {
        OpenReports::About(member) => {
            execute(sql, &format!("{set} AND about = $4"), &[values, values![member]].concat())
        }
        OpenReports::ByGuests => execute(sql, &format!("{set} AND NOT {BY_ACCOUNT}"), values),
    }
}

/// Why a report is not stored; nothing if it may be.
fn refused_report(
    sql: &dyn Sql,
    Report { id, reporter, about, at, .. }: &Report,
) -> Result<Option<ModerationChanged>, StorageError> {
    if sql.exists("SELECT 1 FROM report WHERE id = $1", values![id])? {
        return Ok(Some(ModerationChanged::Done));
    }
    let open = "SELECT 1 FROM report WHERE reporter = $1 AND about = $2 AND state = 'open'";
    if sql.exists(open, values![reporter, about])? {
        return Ok(Some(ModerationChanged::AlreadyOpen));
    }
    let since = at.saturating_sub(millis(REPORTS_WITHIN));
    let made = "SELECT count(*) FROM report WHERE reporter = $1 AND at > $2";
    if sql.count(made, values![reporter, since])? >= REPORTS_MAX as usize {
        return Ok(Some(ModerationChanged::Full));
    }
    let waiting = format!(
        "SELECT count(*) FROM report WHERE state = 'open' AND {BY_ACCOUNT} =
             EXISTS (SELECT 1 FROM account WHERE member = $1 AND deleted_at IS NULL)"
    );
    let is_full = sql.count(&waiting, values![reporter])? >= QUEUE_MAX;
    Ok(is_full.then_some(ModerationChanged::QueueFull))
}

fn add_report(sql: &dyn Sql, report: &Report) -> Result<ModerationChanged, StorageError> {
    sql.lock("reports")?;
    if let Some(refused) = refused_report(sql, report)? {
        return Ok(refused);
    }
    let Report { id, reporter, about, about_name, kind, game, line, text, at, state, .. } = report;
    let line = line.as_ref().map(to_json).transpose()?;
    execute(
        sql,
        "INSERT INTO report (id, reporter, about, about_name, kind, game, line, text, at, state)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        values![
            id,
            reporter,
            about,
            about_name,
            kind.as_str(),
            game.as_ref(),
            line.as_ref(),
            text,
            *at,
            state.as_str(),
        ],
    )
}

fn add_sanction(sql: &dyn Sql, sanction: &Sanction) -> Result<ModerationChanged, StorageError> {
    sql.lock("sanctions")?;
    let active = format!("SELECT count(*) FROM sanction WHERE {IS_ACTIVE}");
    if sql.count(&active, values![sanction.from_at])? >= SANCTIONS_MAX {
        return Ok(ModerationChanged::Full);
    }
    let Sanction { id, member, name, kind, from_at, until_at, reason, operator, .. } = sanction;
    sql.execute(
        "INSERT INTO sanction (id, member, name, kind, from_at, until_at, reason, operator)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING",
        values![id, member, name, kind.as_str(), *from_at, *until_at, reason, operator],
    )?;
    if *kind == SanctionKind::Close {
        sql.execute("DELETE FROM session WHERE member = $1", values![member])?;
        daily_seats::mark_leaver(sql, member)?;
    }
    Ok(ModerationChanged::Done)
}

/// Deletes what [`Storage::prune_moderation`](crate::Storage::prune_moderation) names.
pub(crate) fn prune(sql: &dyn Sql, now: u64, rows_max: usize) -> Result<usize, StorageError> {
    let blocks = sql.execute(
        "DELETE FROM block WHERE (member, other) IN (
             SELECT member, other FROM block WHERE at <= $1
                 AND NOT EXISTS (SELECT 1 FROM member WHERE member.id = block.member) LIMIT $2)",
        values![blocks_before(now), rows_max],
    )?;
    let reports = sql.execute(
        "DELETE FROM report WHERE id IN (SELECT id FROM report WHERE closed_at <= $1 LIMIT $2)",
        values![reports_before(now), rows_max - blocks],
    )?;
    let texts = sql.execute(
        &format!(
            "{FORGET_TEXTS} WHERE id IN (
                 SELECT id FROM sanction WHERE name <> $2
                     AND (undone_at <= $1 OR until_at <= $1
                         OR (kind IN ('note', 'warn') AND from_at <= $1))
                     AND NOT EXISTS (SELECT 1 FROM account WHERE account.member = sanction.member)
                 LIMIT $4)"
        ),
        values![texts_before(now), DELETED_NAME, now, rows_max - blocks - reports],
    )?;
    let rest = rows_max - blocks - reports - texts;
    Ok(blocks + reports + texts + examination::prune(sql, now, rest)?)
}

impl ModerationReader for DatabaseReader {
    fn block_lists(&mut self, member: &MemberId) -> Result<BlockLists, StorageError> {
        self.read(|sql| {
            let own = sql.rows(
                "SELECT other, name, kind, at FROM block WHERE member = $1 ORDER BY at DESC, other",
                values![member],
                |row| {
                    let (other, name, kind) = (row.get()?, row.get()?, row.get()?);
                    Ok(BlockEntry { other, name, kind, at: row.get()? })
                },
            )?;
            let blocked_by = sql.rows(
                "SELECT member FROM (
                     SELECT member, at FROM block WHERE kind = 'block' AND other = $1
                     UNION ALL SELECT block.member, at FROM alias JOIN block ON other = alias.member
                     WHERE kind = 'block' AND account = $1
                 ) AS others GROUP BY member ORDER BY max(at) DESC LIMIT $2",
                values![member, BLOCKED_BY_MAX],
                Row::get,
            )?;
            Ok(BlockLists { own, blocked_by })
        })
    }

    fn sanctions_revision(&mut self) -> Result<u64, StorageError> {
        self.read(|sql| {
            let sum = "SELECT CAST(coalesce(sum(changes), 0) AS bigint) FROM sanction";
            Ok(sql.count(sum, &[])? as u64)
        })
    }

    fn active_sanctions(&mut self, now: u64) -> Result<Vec<Sanction>, StorageError> {
        self.read(|sql| {
            sanctions(sql, &format!("WHERE {IS_ACTIVE} ORDER BY from_at"), values![now])
        })
    }

    fn bots_of_sanctioned(&mut self, now: u64) -> Result<Vec<(MemberId, MemberId)>, StorageError> {
        self.read(|sql| {
            let statement = format!(
                "SELECT member, owner FROM account
                 WHERE owner IN (SELECT member FROM sanction WHERE {IS_ACTIVE})"
            );
            sql.rows(&statement, values![now], |row| Ok((row.get()?, row.get()?)))
        })
    }

    fn sanctions_of(&mut self, member: &MemberId) -> Result<Vec<Sanction>, StorageError> {
        self.read(|sql| {
            let rest = "WHERE member = $1 ORDER BY from_at DESC, id LIMIT $2";
            sanctions(sql, rest, values![member, CASE_ROWS_MAX])
        })
    }

    fn latest_sanctions(&mut self) -> Result<Vec<Sanction>, StorageError> {
        self.read(|sql| {
            sanctions(sql, "ORDER BY from_at DESC, id LIMIT $1", values![CASE_ROWS_MAX])
        })
    }

    fn appeals(&mut self) -> Result<Vec<Sanction>, StorageError> {
        self.read(|sql| {
            let rest = "WHERE appeal IS NOT NULL AND answered_at IS NULL
                ORDER BY coalesce(appealed_at, from_at) LIMIT $1";
            sanctions(sql, rest, values![QUEUE_MAX])
        })
    }

    fn sanction(&mut self, id: &CaseId) -> Result<Option<Sanction>, StorageError> {
        self.read(|sql| Ok(sanctions(sql, "WHERE id = $1", values![id])?.pop()))
    }

    fn open_reports(&mut self) -> Result<Vec<OpenReport>, StorageError> {
        self.read(|sql| {
            let statement = format!(
                "WITH queue AS (
                     SELECT * FROM (SELECT * FROM report WHERE state = 'open' AND {BY_ACCOUNT}
                         ORDER BY at, id LIMIT $1) AS by_accounts
                     UNION ALL
                     SELECT * FROM (SELECT * FROM report WHERE state = 'open' AND NOT {BY_ACCOUNT}
                         ORDER BY at, id LIMIT $1) AS by_guests
                 )
                 SELECT {REPORT},
                     (SELECT made_at FROM account WHERE member = reporter AND deleted_at IS NULL),
                     (SELECT count(*) FROM (SELECT 1 FROM player WHERE member = reporter LIMIT $2) AS own)
                 FROM queue ORDER BY at, id"
            );
            sql.rows(&statement, values![QUEUE_MAX, STANDING_GAMES_MAX], |row| {
                let report = report(row)?;
                let standing = Standing { account_since: row.get()?, games: row.get()? };
                Ok(OpenReport { report, standing })
            })
        })
    }

    fn waiting(&mut self) -> Result<Waiting, StorageError> {
        self.read(|sql| {
            let statement = format!(
                "SELECT count(*) FILTER (WHERE {BY_ACCOUNT}), count(*) FILTER (WHERE NOT {BY_ACCOUNT}),
                     min(at) FROM report WHERE state = 'open'"
            );
            let mut waiting = Waiting::default();
            sql.row(&statement, &[], |row| {
                (waiting.by_accounts, waiting.by_guests) = (row.get()?, row.get()?);
                waiting.oldest_report_at = row.get()?;
                Ok(())
            })?;
            let appeals = "SELECT count(*), min(coalesce(appealed_at, from_at)) FROM sanction
                WHERE appeal IS NOT NULL AND answered_at IS NULL";
            sql.row(appeals, &[], |row| {
                (waiting.appeals, waiting.oldest_appeal_at) = (row.get()?, row.get()?);
                Ok(())
            })?;
            Ok(waiting)
        })
    }

    fn reports(&mut self, query: &ReportQuery) -> Result<Vec<Report>, StorageError> {
        self.read(|sql| {
            let read = |which: &str, values: &[Value<'_>]| {
                let statement = format!("SELECT {REPORT} FROM report WHERE {which}, id LIMIT $1");
                sql.rows(&statement, values, report)
            };
            match query {
                ReportQuery::About(member) => {
                    read("about = $2 ORDER BY at DESC", values![CASE_ROWS_MAX, member])
                }
                ReportQuery::By(member) => {
                    read("reporter = $2 ORDER BY at DESC", values![CASE_ROWS_MAX, member])
                }
                ReportQuery::Decided(after, until) => read(
                    "closed_at > $2 AND closed_at <= $3
                     AND reporter IN (SELECT member FROM push_subscription
                         UNION ALL SELECT alias.member FROM alias
                             JOIN push_subscription ON push_subscription.member = alias.account)
                     ORDER BY closed_at",
                    values![DECIDED_ROWS_MAX, *after, *until],
                ),
            }
        })
    }

    fn is_operator(&mut self, member: &MemberId) -> Result<bool, StorageError> {
        self.read(|sql| sql.exists("SELECT 1 FROM operator WHERE member = $1", values![member]))
    }

    fn has_operator(&mut self) -> Result<bool, StorageError> {
        self.read(|sql| sql.exists("SELECT 1 FROM operator", &[]))
    }
}

/// The report in a row.
fn report(row: &mut Row) -> Result<Report, StorageError> {
    Ok(Report {
        id: row.get()?,
        reporter: row.get()?,
        about: row.get()?,
        about_name: row.get()?,
        kind: row.get()?,
        game: row.get()?,
        line: row.get::<Option<String>>()?.map(|line| from_json(&line)).transpose()?,
        text: row.get()?,
        at: row.get()?,
        state: row.get()?,
        closed_at: row.get()?,
        closed_by: row.get()?,
    })
}

fn sanctions(
    sql: &dyn Sql,
    rest: &str,
    values: &[Value<'_>],
) -> Result<Vec<Sanction>, StorageError> {
    sql.rows(&format!("{SELECT_SANCTIONS} {rest}"), values, |row| {
        Ok(Sanction {
            id: row.get()?,
            member: row.get()?,
            name: row.get()?,
            kind: row.get()?,
            from_at: row.get()?,
            until_at: row.get()?,
            reason: row.get()?,
            operator: row.get()?,
            seen_at: row.get()?,
            appeal: row.get()?,
            appealed_at: row.get()?,
            answered_at: row.get()?,
            answered_by: row.get()?,
            undone_at: row.get()?,
            undone_by: row.get()?,
        })
    })
}
