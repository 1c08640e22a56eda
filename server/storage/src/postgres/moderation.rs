//! Blocks, reports and sanctions in PostgreSQL. A change is one statement, and the same statement again
//! does no harm.

use std::sync::LazyLock;

use fivefold_shared::{clock::millis, protocol::MemberId};
use tokio_postgres::{Error, Row};

use super::{
    connection::Session,
    examination,
    member_data::forget_texts,
    reader::{PostgresReader, two_members},
    statements::{Values, run},
    values::{signed, unsigned},
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

/// Every change returns one row: whether it is done, and whether a limit is reached.
const BLOCK: &str = "
    WITH found AS MATERIALIZED (
        SELECT count(*) >= $6 AS full_list FROM block WHERE member = $1 AND other <> $2
    ), saved AS (
        INSERT INTO block (member, other, name, kind, at)
        SELECT $1::text, $2::text, $3::text, $4::text, $5::bigint FROM found WHERE NOT full_list
        ON CONFLICT (member, other) DO UPDATE
            SET name = excluded.name, kind = excluded.kind, at = excluded.at
    )
    SELECT NOT full_list, full_list FROM found";

const UNBLOCK: &str = "
    WITH gone AS (DELETE FROM block WHERE member = $1 AND other = $2 RETURNING member)
    SELECT EXISTS (SELECT FROM gone), false";

/// Whether the reporter in a row has an account.
macro_rules! by_account {
    () => {
        "EXISTS (SELECT FROM account
            WHERE account.member = report.reporter AND deleted_at IS NULL)"
    };
}

/// Runs under [`LOCK_REPORTS`], so that nodes do not each add the last one. Returns one row: whether the
/// report is stored already, its reporter has an open one about the same member or has made too many, and
/// whether the queue is full. If none of these, it is stored now.
const REPORT: &str = concat!(
    "
    WITH found AS MATERIALIZED (
        SELECT EXISTS (SELECT FROM report WHERE id = $1) AS done,
            EXISTS (SELECT FROM report WHERE reporter = $2 AND about = $3 AND state = 'open')
                AS already,
            (SELECT count(*) FROM report WHERE reporter = $2 AND at > $12) >= $11 AS too_many,
            (SELECT count(*) FROM report WHERE state = 'open' AND ",
    by_account!(),
    " = EXISTS (SELECT FROM account WHERE member = $2 AND deleted_at IS NULL)) >= $13 AS is_full
    ), saved AS (
        INSERT INTO report (id, reporter, about, about_name, kind, game, line, text, at, state)
        SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text,
            $9::bigint, $10::text FROM found
        WHERE NOT (done OR already OR too_many OR is_full)
    )
    SELECT done, already, too_many, is_full FROM found"
);

/// Lets one node at a time add a report: "5FLR".
const LOCK_REPORTS: i64 = 0x3546_4C52;

const CLOSE_REPORTS: &str = "
    WITH closed AS (
        UPDATE report SET state = $2, closed_at = $3, closed_by = $4
        WHERE about = $1 AND state = 'open'
        RETURNING id
    )
    SELECT EXISTS (SELECT FROM closed), false";

const CLOSE_REPORTS_BY_GUESTS: &str = concat!(
    "
    WITH closed AS (
        UPDATE report SET state = $1, closed_at = $2, closed_by = $3
        WHERE state = 'open' AND NOT ",
    by_account!(),
    " RETURNING id
    )
    SELECT EXISTS (SELECT FROM closed), false"
);

const SANCTION: &str = "
    WITH found AS MATERIALIZED (
        SELECT count(*) >= $9 AS too_many FROM sanction
        WHERE undone_at IS NULL AND (until_at IS NULL OR until_at > $5) AND kind <> 'note'
            AND (kind <> 'warn' OR seen_at IS NULL)
    ), saved AS (
        INSERT INTO sanction (id, member, name, kind, from_at, until_at, reason, operator)
        SELECT $1::text, $2::text, $3::text, $4::text, $5::bigint, $6::bigint, $7::text, $8::text
        FROM found WHERE NOT too_many
        ON CONFLICT (id) DO NOTHING
    ), ended AS (
        DELETE FROM session USING found WHERE member = $2 AND $10 AND NOT too_many
    )
    SELECT NOT too_many, too_many FROM found";

const UNDO: &str = "
    WITH changed AS (
        UPDATE sanction SET undone_at = $2, undone_by = $3,
            answered_by = CASE WHEN answered_at IS NULL THEN $3 ELSE answered_by END,
            answered_at = coalesce(answered_at, $2), changes = changes + 1
        WHERE id = $1 AND undone_at IS NULL RETURNING id
    )
    SELECT EXISTS (SELECT FROM changed), false";

const SEEN: &str = "
    WITH changed AS (
        UPDATE sanction SET seen_at = $3, changes = changes + 1
        WHERE id = $1 AND member = $2 AND kind = 'warn' AND seen_at IS NULL RETURNING id
    )
    SELECT EXISTS (SELECT FROM changed), false";

const APPEAL: &str = "
    WITH changed AS (
        UPDATE sanction SET appeal = $3, appealed_at = coalesce(appealed_at, $4),
            changes = changes + 1
        WHERE id = $1 AND member = $2 AND kind <> 'note' AND undone_at IS NULL
            AND (appeal IS NULL OR appeal = $3)
        RETURNING id
    )
    SELECT EXISTS (SELECT FROM changed), false";

const ANSWER: &str = "
    WITH changed AS (
        UPDATE sanction SET answered_at = $2, answered_by = $3, changes = changes + 1
        WHERE id = $1 AND appeal IS NOT NULL AND answered_at IS NULL RETURNING id
    )
    SELECT EXISTS (SELECT FROM changed), false";

const ADD_OPERATOR: &str = "
    WITH added AS (
        INSERT INTO operator (member, since) VALUES ($1, $2)
        ON CONFLICT (member) DO UPDATE SET since = least(operator.since, excluded.since)
    )
    SELECT true, false";

const REMOVE_OPERATOR: &str = "
    WITH removed AS (DELETE FROM operator WHERE member = $1 RETURNING member)
    SELECT EXISTS (SELECT FROM removed), false";

const PRUNE: &str = concat!(
    "
    WITH blocks AS (
        DELETE FROM block WHERE (member, other) IN (
            SELECT member, other FROM block WHERE at <= $1
                AND NOT EXISTS (SELECT FROM member WHERE member.id = block.member) LIMIT $3
        )
        RETURNING member
    ), reports AS (
        DELETE FROM report
        WHERE id IN (SELECT id FROM report WHERE closed_at <= $2 LIMIT $3)
        RETURNING id
    ), texts AS (
        UPDATE sanction SET ",
    forget_texts!("$4", "$5"),
    " WHERE id IN (
            SELECT id FROM sanction WHERE name <> $5
                AND (undone_at <= $6 OR until_at <= $6
                    OR (kind IN ('note', 'warn') AND from_at <= $6))
                AND NOT EXISTS (SELECT FROM account WHERE account.member = sanction.member)
            LIMIT $3
        )
        RETURNING id
    )
    SELECT (SELECT count(*) FROM blocks) + (SELECT count(*) FROM reports)
        + (SELECT count(*) FROM texts)"
);

const SELECT_BLOCKS: &str = "
    SELECT other, name, kind, at FROM block WHERE member = $1 ORDER BY at DESC, other";

const SELECT_BLOCKED_BY: &str = "
    SELECT member FROM block WHERE kind = 'block'
        AND other = ANY (ARRAY(
            SELECT $1::text COLLATE \"C\" UNION ALL SELECT member FROM alias WHERE account = $1))
    GROUP BY member ORDER BY max(at) DESC LIMIT $2";

const SELECT_REVISION: &str = "SELECT coalesce(sum(changes), 0)::bigint FROM sanction";

const SELECT_OPERATOR: &str = "SELECT 1 FROM operator WHERE member = $1";

/// Whether a sanction holds at a time.
const IS_ACTIVE: &str = "
    undone_at IS NULL AND (until_at IS NULL OR until_at > $1) AND kind <> 'note'
        AND (kind <> 'warn' OR seen_at IS NULL)";

/// The columns of a sanction, in the order that [`sanction`] reads.
macro_rules! sanction_columns {
    () => {
        "id, member, name, kind, from_at, until_at, reason, operator, seen_at, appeal, appealed_at,
        answered_at, answered_by, undone_at, undone_by"
    };
}

static SELECT_ACTIVE: LazyLock<String> = LazyLock::new(|| {
    format!(
        concat!("SELECT ", sanction_columns!(), " FROM sanction WHERE {} ORDER BY from_at"),
        IS_ACTIVE
    )
});

static SELECT_BOTS_OF_SANCTIONED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT member, owner FROM account
         WHERE owner IN (SELECT member FROM sanction WHERE {IS_ACTIVE})"
    )
});

const SELECT_SANCTIONS_OF: &str = concat!(
    "SELECT ",
    sanction_columns!(),
    " FROM sanction WHERE member = $1 ORDER BY from_at DESC, id LIMIT $2"
);

const SELECT_SANCTION: &str =
    concat!("SELECT ", sanction_columns!(), " FROM sanction WHERE id = $1");

const SELECT_APPEALS: &str = concat!(
    "SELECT ",
    sanction_columns!(),
    " FROM sanction WHERE appeal IS NOT NULL AND answered_at IS NULL
    ORDER BY coalesce(appealed_at, from_at) LIMIT $1"
);

/// The columns of a report, in the order that [`report`] reads.
macro_rules! report_columns {
    () => {
        "id, reporter, about, about_name, kind, game, line, text, at, state, closed_at, closed_by"
    };
}

/// Number of these columns.
const REPORT_COLUMN_COUNT: usize = 12;

const SELECT_OPEN_REPORTS: &str = concat!(
    "
    WITH queue AS (
        (SELECT * FROM report WHERE state = 'open' AND ",
    by_account!(),
    " ORDER BY at, id LIMIT $1)
        UNION ALL
        (SELECT * FROM report WHERE state = 'open' AND NOT ",
    by_account!(),
    " ORDER BY at, id LIMIT $1)
    )
    SELECT ",
    report_columns!(),
    ", (SELECT made_at FROM account WHERE member = reporter AND deleted_at IS NULL),
        (SELECT count(*) FROM (SELECT FROM player WHERE member = reporter LIMIT $2) AS own)
    FROM queue ORDER BY at, id"
);

const SELECT_WAITING_REPORTS: &str = concat!(
    "SELECT count(*) FILTER (WHERE ",
    by_account!(),
    "), count(*) FILTER (WHERE NOT ",
    by_account!(),
    "), min(at) FROM report WHERE state = 'open'"
);

const SELECT_WAITING_APPEALS: &str = "
    SELECT count(*), min(coalesce(appealed_at, from_at)) FROM sanction
    WHERE appeal IS NOT NULL AND answered_at IS NULL";

const SELECT_REPORTS_ABOUT: &str = concat!(
    "SELECT ",
    report_columns!(),
    " FROM report WHERE about = $1 ORDER BY at DESC, id LIMIT $2"
);

const SELECT_REPORTS_BY: &str = concat!(
    "SELECT ",
    report_columns!(),
    " FROM report WHERE reporter = $1 ORDER BY at DESC, id LIMIT $2"
);

/// Changes something. The inner error means that nothing was tried.
///
/// # Errors
/// As the database.
pub(super) async fn change(
    session: &Session,
    change: &ModerationChange,
) -> Result<Result<ModerationChanged, StorageError>, Error> {
    let changed = match change {
        ModerationChange::Block(member, BlockEntry { other, name, kind, at }) => {
            let (member, other, name, kind) =
                (member.as_str(), other.as_str(), name.as_str(), kind.as_str());
            let most = signed(BLOCKS_MAX as u64);
            run(session, BLOCK, &[&member, &other, &name, &kind, &signed(*at), &most]).await?
        }
        ModerationChange::Unblock { member, other } => {
            run(session, UNBLOCK, &[&member.as_str(), &other.as_str()]).await?
        }
        ModerationChange::Report(report) => match report.line.as_ref().map(to_json).transpose() {
            Ok(line) => add_report(session, report, line).await?,
            Err(error) => return Ok(Err(error)),
        },
        ModerationChange::CloseReports { which: OpenReports::About(about), state, at, by } => {
            let values: Values<'_> = &[&about.as_str(), &state.as_str(), &signed(*at), by];
            run(session, CLOSE_REPORTS, values).await?
        }
        ModerationChange::CloseReports { which: OpenReports::ByGuests, state, at, by } => {
            let values: Values<'_> = &[&state.as_str(), &signed(*at), by];
            run(session, CLOSE_REPORTS_BY_GUESTS, values).await?
        }
        ModerationChange::Sanction(sanction) => add_sanction(session, sanction).await?,
        ModerationChange::Undo { id, at, by } => {
            run(session, UNDO, &[&id.as_str(), &signed(*at), by]).await?
        }
        ModerationChange::Seen { id, member, at } => {
            run(session, SEEN, &[&id.as_str(), &member.as_str(), &signed(*at)]).await?
        }
        ModerationChange::Appeal { id, member, text, at } => {
            run(session, APPEAL, &[&id.as_str(), &member.as_str(), text, &signed(*at)]).await?
        }
        ModerationChange::Answer { id, at, by } => {
            run(session, ANSWER, &[&id.as_str(), &signed(*at), by]).await?
        }
        ModerationChange::Operator { member, since: Some(since) } => {
            run(session, ADD_OPERATOR, &[&member.as_str(), &signed(*since)]).await?
        }
        ModerationChange::Operator { member, since: None } => {
            run(session, REMOVE_OPERATOR, &[&member.as_str()]).await?
        }
        ModerationChange::Mark(marks) => examination::mark(session, marks).await?,
        ModerationChange::ClaimExamination(claim) => examination::claim(session, claim).await?,
        ModerationChange::Examined { game, facts } => match to_json(facts) {
            Ok(facts) => examination::examined(session, game, &facts).await?,
            Err(error) => return Ok(Err(error)),
        },
    };
    Ok(Ok(changed))
}

async fn add_report(
    session: &Session,
    report: &Report,
    line: Option<String>,
) -> Result<ModerationChanged, Error> {
    let Report { id, reporter, about, about_name, kind, game, text, at, state, .. } = report;
    let game = game.as_ref().map(|game| game.as_str());
    let since = signed(at.saturating_sub(millis(REPORTS_WITHIN)));
    let values: Values<'_> = &[
        &id.as_str(),
        &reporter.as_str(),
        &about.as_str(),
        &about_name.as_str(),
        &kind.as_str(),
        &game,
        &line,
        text,
        &signed(*at),
        &state.as_str(),
        &i64::from(REPORTS_MAX),
        &since,
        &signed(QUEUE_MAX as u64),
    ];
    let lock = format!("SELECT pg_advisory_xact_lock({LOCK_REPORTS})");
    let rows = session.transaction(&lock, session.query(REPORT, values)).await?;
    let Some(row) = rows.first() else { return Ok(ModerationChanged::Gone) };
    let refusals = [
        ModerationChanged::Done,
        ModerationChanged::AlreadyOpen,
        ModerationChanged::Full,
        ModerationChanged::QueueFull,
    ];
    for (column, refusal) in refusals.into_iter().enumerate() {
        if row.try_get(column)? {
            return Ok(refusal);
        }
    }
    Ok(ModerationChanged::Done)
}

async fn add_sanction(session: &Session, sanction: &Sanction) -> Result<ModerationChanged, Error> {
    let Sanction { id, member, name, kind, from_at, until_at, reason, operator, .. } = sanction;
    let values: Values<'_> = &[
        &id.as_str(),
        &member.as_str(),
        &name.as_str(),
        &kind.as_str(),
        &signed(*from_at),
        &until_at.map(signed),
        reason,
        operator,
        &signed(SANCTIONS_MAX as u64),
        &(*kind == SanctionKind::Close),
    ];
    run(session, SANCTION, values).await
}

/// Deletes what [`Storage::prune_moderation`](crate::Storage::prune_moderation) names.
///
/// # Errors
/// As the database.
pub(super) async fn prune(session: &Session, now: u64, rows_max: usize) -> Result<u64, Error> {
    let (blocks, reports) = (signed(blocks_before(now)), signed(reports_before(now)));
    let (limit, texts) = (signed(rows_max as u64), signed(texts_before(now)));
    let values: Values<'_> = &[&blocks, &reports, &limit, &signed(now), &DELETED_NAME, &texts];
    let rows = session.query(PRUNE, values).await?;
    let pruned = rows.first().map_or(Ok(0), |row| row.try_get(0).map(unsigned))?;
    Ok(pruned + examination::prune(session, now, rows_max).await?)
}

impl ModerationReader for PostgresReader {
    fn block_lists(&mut self, member: &MemberId) -> Result<BlockLists, StorageError> {
        let member = member.as_str();
        let own = self.rows(SELECT_BLOCKS, &[&member], |row| {
            let (other, text, kind): (String, String, String) =
                (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            let at = unsigned(row.try_get(3)?);
            let parse = || {
                let kind = kind.try_into()?;
                Ok(BlockEntry { other: name(other)?, name: name(text)?, kind, at })
            };
            Ok(parse())
        })?;
        let most = signed(BLOCKED_BY_MAX as u64);
        let blocked_by =
            self.rows(SELECT_BLOCKED_BY, &[&member, &most], |row| Ok(name(row.try_get(0)?)))?;
        Ok(BlockLists { own, blocked_by })
    }

    fn sanctions_revision(&mut self) -> Result<u64, StorageError> {
        let rows = self.rows(SELECT_REVISION, &[], |row| Ok(Ok(unsigned(row.try_get(0)?))))?;
        Ok(rows.first().copied().unwrap_or_default())
    }

    fn active_sanctions(&mut self, now: u64) -> Result<Vec<Sanction>, StorageError> {
        self.rows(&SELECT_ACTIVE, &[&signed(now)], sanction)
    }

    fn bots_of_sanctioned(&mut self, now: u64) -> Result<Vec<(MemberId, MemberId)>, StorageError> {
        self.rows(&SELECT_BOTS_OF_SANCTIONED, &[&signed(now)], two_members)
    }

    fn sanctions_of(&mut self, member: &MemberId) -> Result<Vec<Sanction>, StorageError> {
        let most = signed(CASE_ROWS_MAX as u64);
        self.rows(SELECT_SANCTIONS_OF, &[&member.as_str(), &most], sanction)
    }

    fn appeals(&mut self) -> Result<Vec<Sanction>, StorageError> {
        self.rows(SELECT_APPEALS, &[&signed(QUEUE_MAX as u64)], sanction)
    }

    fn sanction(&mut self, id: &CaseId) -> Result<Option<Sanction>, StorageError> {
        Ok(self.rows(SELECT_SANCTION, &[&id.as_str()], sanction)?.pop())
    }

    fn open_reports(&mut self) -> Result<Vec<OpenReport>, StorageError> {
        let (most, games) = (signed(QUEUE_MAX as u64), signed(STANDING_GAMES_MAX as u64));
        self.rows(SELECT_OPEN_REPORTS, &[&most, &games], |row| {
            let account_since = row.try_get::<_, Option<i64>>(REPORT_COLUMN_COUNT)?.map(unsigned);
            let standing =
                Standing { account_since, games: count_in(row, REPORT_COLUMN_COUNT + 1)? };
            Ok(report(row)?.map(|report| OpenReport { report, standing }))
        })
    }

    fn waiting(&mut self) -> Result<Waiting, StorageError> {
        let oldest = |row: &Row, column| {
            Ok::<_, Error>(row.try_get::<_, Option<i64>>(column)?.map(unsigned))
        };
        let reports = self.rows(SELECT_WAITING_REPORTS, &[], |row| {
            Ok(Ok((count_in(row, 0)?, count_in(row, 1)?, oldest(row, 2)?)))
        })?;
        let appeals = self.rows(SELECT_WAITING_APPEALS, &[], |row| {
            Ok(Ok((count_in(row, 0)?, oldest(row, 1)?)))
        })?;
        let (by_accounts, by_guests, oldest_report_at) =
            reports.first().copied().unwrap_or_default();
        let (appeals, oldest_appeal_at) = appeals.first().copied().unwrap_or_default();
        Ok(Waiting { by_accounts, by_guests, oldest_report_at, appeals, oldest_appeal_at })
    }

    fn reports(&mut self, query: &ReportQuery) -> Result<Vec<Report>, StorageError> {
        let most = signed(CASE_ROWS_MAX as u64);
        match query {
            ReportQuery::About(member) => {
                self.rows(SELECT_REPORTS_ABOUT, &[&member.as_str(), &most], report)
            }
            ReportQuery::By(member) => {
                self.rows(SELECT_REPORTS_BY, &[&member.as_str(), &most], report)
            }
        }
    }

    fn is_operator(&mut self, member: &MemberId) -> Result<bool, StorageError> {
        let found = self.rows(SELECT_OPERATOR, &[&member.as_str()], |_| Ok(Ok(())))?;
        Ok(!found.is_empty())
    }
}

/// A count in a row.
fn count_in(row: &Row, column: usize) -> Result<usize, Error> {
    let count: i64 = row.try_get(column)?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// The report in a row.
fn report(row: &Row) -> Result<Result<Report, StorageError>, Error> {
    let texts = |from: usize| -> Result<[String; 2], Error> {
        Ok([row.try_get(from)?, row.try_get(from + 1)?])
    };
    let ([id, reporter], [about, about_name]) = (texts(0)?, texts(2)?);
    let (kind, state): (String, String) = (row.try_get(4)?, row.try_get(9)?);
    let (game, line): (Option<String>, Option<String>) = (row.try_get(5)?, row.try_get(6)?);
    let (text, at) = (row.try_get(7)?, unsigned(row.try_get(8)?));
    let closed_at = row.try_get::<_, Option<i64>>(10)?.map(unsigned);
    let closed_by = row.try_get(11)?;
    let parse = || {
        Ok(Report {
            id: name(id)?,
            reporter: name(reporter)?,
            about: name(about)?,
            about_name: name(about_name)?,
            kind: kind.try_into()?,
            game: game.map(name).transpose()?,
            line: line.map(|line| from_json(&line)).transpose()?,
            text,
            at,
            state: state.try_into()?,
            closed_at,
            closed_by,
        })
    };
    Ok(parse())
}

/// The sanction in a row.
fn sanction(row: &Row) -> Result<Result<Sanction, StorageError>, Error> {
    let (id, member, text): (String, String, String) =
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let kind: String = row.try_get(3)?;
    let from_at = unsigned(row.try_get(4)?);
    let time = |column| Ok::<_, Error>(row.try_get::<_, Option<i64>>(column)?.map(unsigned));
    let (until_at, seen_at) = (time(5)?, time(8)?);
    let (appealed_at, answered_at, undone_at) = (time(10)?, time(11)?, time(13)?);
    let (reason, operator) = (row.try_get(6)?, row.try_get(7)?);
    let (appeal, answered_by, undone_by) = (row.try_get(9)?, row.try_get(12)?, row.try_get(14)?);
    let parse = || {
        Ok(Sanction {
            id: name(id)?,
            member: name(member)?,
            name: name(text)?,
            kind: kind.try_into()?,
            from_at,
            until_at,
            reason,
            operator,
            seen_at,
            appeal,
            appealed_at,
            answered_at,
            answered_by,
            undone_at,
            undone_by,
        })
    };
    Ok(parse())
}
