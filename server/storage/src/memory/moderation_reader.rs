//! Reads blocks, reports and sanctions in memory.

use std::collections::HashSet;

use fivefold_shared::protocol::MemberId;

use crate::{
    BlockEntry, BlockKind, BlockLists, Call, CaseId, Memory, ModerationReader, OpenReport, Report,
    ReportQuery, ReportState, Sanction, StorageError, Waiting,
    limits::{BLOCKED_BY_MAX, CASE_ROWS_MAX, DECIDED_ROWS_MAX, QUEUE_MAX},
};

impl ModerationReader for Memory {
    fn block_lists(&mut self, member: &MemberId) -> Result<BlockLists, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let blocks = &tables.moderation.blocks;
        let mut own = blocks.get(member).cloned().unwrap_or_default();
        let newest_first = |one: &BlockEntry, other: &BlockEntry| {
            other.at.cmp(&one.at).then_with(|| one.other.cmp(&other.other))
        };
        own.sort_by(newest_first);
        let ids = tables.accounts.with_aliases(member);
        let mut by: Vec<_> = blocks
            .iter()
            .filter_map(|(by, own)| {
                let is_it = |entry: &&BlockEntry| {
                    ids.contains(&entry.other) && entry.kind == BlockKind::Block
                };
                own.iter().filter(is_it).map(|entry| entry.at).max().map(|at| (at, by.clone()))
            })
            .collect();
        by.sort_by(|one, other| other.cmp(one));
        let blocked_by = by.into_iter().take(BLOCKED_BY_MAX).map(|(_, by)| by).collect();
        Ok(BlockLists { own, blocked_by })
    }

    fn sanctions_revision(&mut self) -> Result<u64, StorageError> {
        Ok(self.tables_for(Call::Browse)?.moderation.revision)
    }

    fn active_sanctions(&mut self, now: u64) -> Result<Vec<Sanction>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.moderation.sanctions(|sanction| sanction.is_active(now)))
    }

    fn bots_of_sanctioned(&mut self, now: u64) -> Result<Vec<(MemberId, MemberId)>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let held = tables.moderation.sanctions(|sanction| sanction.is_active(now));
        let held: HashSet<_> = held.into_iter().map(|sanction| sanction.member).collect();
        let bots = tables.accounts.bots();
        let bots = bots.filter(|(_, owner)| held.contains(*owner));
        Ok(bots.map(|(bot, owner)| (bot.clone(), owner.clone())).collect())
    }

    fn sanctions_of(&mut self, member: &MemberId) -> Result<Vec<Sanction>, StorageError> {
        let mut own = self
            .tables_for(Call::Browse)?
            .moderation
            .sanctions(|sanction| sanction.member == *member);
        own.reverse();
        own.truncate(CASE_ROWS_MAX);
        Ok(own)
    }

    fn appeals(&mut self) -> Result<Vec<Sanction>, StorageError> {
        let is_open = |sanction: &Sanction| sanction.appeal_waits_since().is_some();
        let mut open = self.tables_for(Call::Browse)?.moderation.sanctions(is_open);
        open.sort_by_key(Sanction::appeal_waits_since);
        open.truncate(QUEUE_MAX);
        Ok(open)
    }

    fn sanction(&mut self, id: &CaseId) -> Result<Option<Sanction>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.moderation.sanction(id))
    }

    fn open_reports(&mut self) -> Result<Vec<OpenReport>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let is_open = |report: &Report| report.state == ReportState::Open;
        let (mut by_accounts, mut by_guests) = (0, 0);
        let open = tables.moderation.reports(is_open).into_iter().filter_map(|report| {
            let standing = tables.standing(&report.reporter);
            let queue = match standing.account_since {
                Some(_) => &mut by_accounts,
                None => &mut by_guests,
            };
            *queue += 1;
            (*queue <= QUEUE_MAX).then_some(OpenReport { report, standing })
        });
        Ok(open.collect())
    }

    fn waiting(&mut self) -> Result<Waiting, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let open = tables.moderation.reports(|report| report.state == ReportState::Open);
        let by_guests =
            open.iter().filter(|report| !tables.accounts.is_there(&report.reporter)).count();
        let appeals = tables.moderation.sanctions(|one| one.appeal_waits_since().is_some());
        Ok(Waiting {
            by_accounts: open.len() - by_guests,
            by_guests,
            oldest_report_at: open.iter().map(|report| report.at).min(),
            appeals: appeals.len(),
            oldest_appeal_at: appeals.iter().filter_map(Sanction::appeal_waits_since).min(),
        })
    }

    fn reports(&mut self, query: &ReportQuery) -> Result<Vec<Report>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let moderation = &tables.moderation;
        let newest = |mut reports: Vec<Report>| {
            reports.reverse();
            reports.truncate(CASE_ROWS_MAX);
            reports
        };
        Ok(match query {
            ReportQuery::About(member) => {
                newest(moderation.reports(|report| report.about == *member))
            }
            ReportQuery::By(member) => {
                newest(moderation.reports(|report| report.reporter == *member))
            }
            ReportQuery::Decided(after, until) => {
                let subscribed = &tables.pushes.subscriptions;
                let mut decided = moderation.reports(|report| {
                    report.closed_at.is_some_and(|at| at > *after && at <= *until)
                        && subscribed.iter().any(|(member, _)| {
                            tables.accounts.with_aliases(member).contains(&report.reporter)
                        })
                });
                decided.sort_by_key(|report| (report.closed_at, report.id.clone()));
                decided.truncate(DECIDED_ROWS_MAX);
                decided
            }
        })
    }

    fn is_operator(&mut self, member: &MemberId) -> Result<bool, StorageError> {
        Ok(self.tables_for(Call::Browse)?.moderation.operators.contains_key(member))
    }

    fn has_operator(&mut self) -> Result<bool, StorageError> {
        Ok(!self.tables_for(Call::Browse)?.moderation.operators.is_empty())
    }

    fn latest_sanctions(&mut self) -> Result<Vec<Sanction>, StorageError> {
        let mut sanctions = self.tables_for(Call::Browse)?.moderation.sanctions(|_| true);
        sanctions.sort_by(|a, b| b.from_at.cmp(&a.from_at).then_with(|| a.id.cmp(&b.id)));
        sanctions.truncate(CASE_ROWS_MAX);
        Ok(sanctions)
    }
}
