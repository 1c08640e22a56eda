//! Reads where accounts were used, and whom members have met, in memory.

use fivefold_shared::protocol::MemberId;

use super::Memory;
use crate::{Call, ChangeKind, DealingsReader, Meeting, StorageError, Trace};

impl DealingsReader for Memory {
    fn traces(&mut self, member: &MemberId) -> Result<Vec<Trace>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.traces.of(member))
    }

    fn meetings(&mut self, member: &MemberId, since: u64) -> Result<Vec<Meeting>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let counted = || tables.ratings.changes().filter(|change| change.kind == ChangeKind::Game);
        let mut met = Vec::new();
        for own in counted().filter(|change| change.member == *member && change.at >= since) {
            let mut same = counted().filter(|change| change.game == own.game);
            let Some(other) = same.find(|change| change.member != own.member) else { continue };
            let game = tables.games.iter().find(|game| game.id == own.game);
            let summary = game.map(|game| &game.record.summary);
            met.push(Meeting {
                opponent: other.member.clone(),
                at: own.at,
                plies: summary.map_or(0, |summary| summary.plies),
                took_ms: summary.map_or(0, |it| it.ended_at.saturating_sub(it.started_at)),
            });
        }
        met.sort_by(|one: &Meeting, other: &Meeting| {
            (other.at, &one.opponent).cmp(&(one.at, &other.opponent))
        });
        Ok(met)
    }
}
