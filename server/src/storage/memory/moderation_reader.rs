//! Reads blocks, reports and sanctions in memory.

use std::collections::HashSet;

use fivefold_shared::protocol::MemberId;

use crate::{
    limits::moderation::{BLOCKED_BY_MAX, CASE_ROWS_MAX, QUEUE_MAX},
    storage::{
        BlockEntry, BlockKind, BlockLists, Memory, ModerationReader, Report, ReportQuery,
        ReportState, Sanction, StorageError,
    },
};

impl ModerationReader for Memory {
    fn block_lists(&mut self, member: &MemberId) -> Result<BlockLists, StorageError> {
        let tables = self.tables();
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
        Ok(self.tables().moderation.revision)
    }

    fn active_sanctions(&mut self, now: u64) -> Result<Vec<Sanction>, StorageError> {
        Ok(self.tables().moderation.sanctions(|sanction| sanction.is_active(now)))
    }

    fn bots_of_sanctioned(&mut self, now: u64) -> Result<Vec<(MemberId, MemberId)>, StorageError> {
        let tables = self.tables();
        let held = tables.moderation.sanctions(|sanction| sanction.is_active(now));
        let held: HashSet<_> = held.into_iter().map(|sanction| sanction.member).collect();
        let bots = tables.accounts.bots();
        let bots = bots.filter(|(_, owner)| held.contains(*owner));
        Ok(bots.map(|(bot, owner)| (bot.clone(), owner.clone())).collect())
    }

    fn sanctions_of(&mut self, member: &MemberId) -> Result<Vec<Sanction>, StorageError> {
        let mut own = self.tables().moderation.sanctions(|sanction| sanction.member == *member);
        own.reverse();
        own.truncate(CASE_ROWS_MAX);
        Ok(own)
    }

    fn appeals(&mut self) -> Result<Vec<Sanction>, StorageError> {
        let is_open =
            |sanction: &Sanction| sanction.appeal.is_some() && sanction.answered_at.is_none();
        let mut open = self.tables().moderation.sanctions(is_open);
        open.truncate(QUEUE_MAX);
        Ok(open)
    }

    fn reports(&mut self, query: &ReportQuery) -> Result<Vec<Report>, StorageError> {
        let tables = self.tables();
        let moderation = &tables.moderation;
        let newest = |mut reports: Vec<Report>| {
            reports.reverse();
            reports.truncate(CASE_ROWS_MAX);
            reports
        };
        Ok(match query {
            ReportQuery::Open => {
                let mut open = moderation.reports(|report| report.state == ReportState::Open);
                open.truncate(QUEUE_MAX);
                open
            }
            ReportQuery::About(member) => {
                newest(moderation.reports(|report| report.about == *member))
            }
            ReportQuery::By(member) => {
                newest(moderation.reports(|report| report.reporter == *member))
            }
        })
    }

    fn is_operator(&mut self, member: &MemberId) -> Result<bool, StorageError> {
        Ok(self.tables().moderation.operators.contains_key(member))
    }
}
