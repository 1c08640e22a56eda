//! Blocks, reports and sanctions in memory.

use std::collections::{BTreeMap, HashMap};

use fivefold_shared::{clock::millis, protocol::MemberId};

use crate::{
    BlockEntry, CaseId, KnownMember, ModerationChange, ModerationChanged, OpenReports, Report,
    ReportState, Sanction, SanctionKind,
    accounts::DELETED_NAME,
    limits::{BLOCKS_MAX, QUEUE_MAX, REPORTS_MAX, REPORTS_WITHIN, SANCTIONS_MAX},
    moderation::{blocks_before, reports_before, texts_before},
};

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Moderation {
    pub(super) blocks: HashMap<MemberId, Vec<BlockEntry>>,
    reports: BTreeMap<CaseId, Report>,
    sanctions: BTreeMap<CaseId, Sanction>,
    pub(super) operators: HashMap<MemberId, u64>,
    pub(super) revision: u64,
}

impl Moderation {
    pub(super) fn change(&mut self, change: &ModerationChange) -> ModerationChanged {
        let is_there = match change.clone() {
            ModerationChange::Block(member, entry) => return self.block(member, entry),
            ModerationChange::Unblock { member, other } => self.unblock(&member, &other),
            // These need to know who has an account.
            ModerationChange::Report(_) | ModerationChange::CloseReports { .. } => false,
            ModerationChange::Sanction(sanction) => return self.add_sanction(*sanction),
            ModerationChange::Undo { id, at, by } => self.change_sanction(&id, |sanction| {
                let may = sanction.undone_at.is_none();
                if may {
                    if sanction.answered_at.is_none() {
                        (sanction.answered_at, sanction.answered_by) = (Some(at), Some(by.clone()));
                    }
                    (sanction.undone_at, sanction.undone_by) = (Some(at), Some(by));
                }
                may
            }),
            ModerationChange::Seen { id, member, at } => self.change_sanction(&id, |sanction| {
                let may = sanction.member == member
                    && sanction.kind == SanctionKind::Warn
                    && sanction.seen_at.is_none();
                if may {
                    sanction.seen_at = Some(at);
                }
                may
            }),
            ModerationChange::Appeal { id, member, text, at } => {
                self.change_sanction(&id, |sanction| {
                    let is_new = sanction.appeal.as_ref().is_none_or(|said| *said == text);
                    let may = sanction.member == member
                        && sanction.kind != SanctionKind::Note
                        && sanction.undone_at.is_none()
                        && is_new;
                    if may {
                        sanction.appeal = Some(text);
                        sanction.appealed_at.get_or_insert(at);
                    }
                    may
                })
            }
            ModerationChange::Answer { id, at, by } => self.change_sanction(&id, |sanction| {
                let may = sanction.appeal.is_some() && sanction.answered_at.is_none();
                if may {
                    (sanction.answered_at, sanction.answered_by) = (Some(at), Some(by));
                }
                may
            }),
            ModerationChange::Operator { member, since: Some(since) } => {
                self.operators.entry(member).or_insert(since);
                true
            }
            ModerationChange::Operator { member, since: None } => {
                self.operators.remove(&member).is_some()
            }
            ModerationChange::FirstOperator { member, since } => {
                let is_first = self.operators.keys().all(|known| *known == member);
                if is_first {
                    self.operators.entry(member).or_insert(since);
                }
                is_first
            }
            // They are kept elsewhere.
            ModerationChange::Mark(_)
            | ModerationChange::ClaimExamination(_)
            | ModerationChange::Examined { .. } => false,
        };
        if is_there { ModerationChanged::Done } else { ModerationChanged::Gone }
    }

    fn block(&mut self, member: MemberId, entry: BlockEntry) -> ModerationChanged {
        let own = self.blocks.entry(member).or_default();
        if own.iter().filter(|known| known.other != entry.other).count() >= BLOCKS_MAX {
            return ModerationChanged::Full;
        }
        own.retain(|known| known.other != entry.other);
        own.push(entry);
        ModerationChanged::Done
    }

    fn unblock(&mut self, member: &MemberId, other: &MemberId) -> bool {
        let Some(own) = self.blocks.get_mut(member) else { return false };
        let before = own.len();
        own.retain(|known| known.other != *other);
        let was_there = own.len() < before;
        if own.is_empty() {
            self.blocks.remove(member);
        }
        was_there
    }

    /// Adds a report. `has_account` tells of each member whether they have an account.
    pub(super) fn report(
        &mut self,
        report: Report,
        has_account: impl Fn(&MemberId) -> bool,
    ) -> ModerationChanged {
        if self.reports.contains_key(&report.id) {
            return ModerationChanged::Done;
        }
        let open = || self.reports.values().filter(|known| known.state == ReportState::Open);
        let own = |known: &&Report| known.reporter == report.reporter;
        if open().filter(own).any(|known| known.about == report.about) {
            return ModerationChanged::AlreadyOpen;
        }
        let since = report.at.saturating_sub(millis(REPORTS_WITHIN));
        let lately = self.reports.values().filter(own).filter(|known| known.at > since);
        if lately.count() >= REPORTS_MAX as usize {
            return ModerationChanged::Full;
        }
        let by_account = has_account(&report.reporter);
        let waiting = open().filter(|known| has_account(&known.reporter) == by_account);
        if waiting.count() >= QUEUE_MAX {
            return ModerationChanged::QueueFull;
        }
        self.reports.insert(report.id.clone(), report);
        ModerationChanged::Done
    }

    /// Closes open reports: what becomes of them, when, and who decides.
    pub(super) fn close_reports(
        &mut self,
        which: &OpenReports,
        (state, at, by): (ReportState, u64, &str),
        has_account: impl Fn(&MemberId) -> bool,
    ) -> ModerationChanged {
        let is_one = |report: &Report| match which {
            OpenReports::About(member) => report.about == *member,
            OpenReports::ByGuests => !has_account(&report.reporter),
        };
        let mut changed = ModerationChanged::Gone;
        let open = |report: &&mut Report| report.state == ReportState::Open && is_one(report);
        for report in self.reports.values_mut().filter(open) {
            report.state = state;
            (report.closed_at, report.closed_by) = (Some(at), Some(by.to_owned()));
            changed = ModerationChanged::Done;
        }
        changed
    }

    fn add_sanction(&mut self, sanction: Sanction) -> ModerationChanged {
        let active = self.sanctions.values().filter(|known| known.is_active(sanction.from_at));
        if active.count() >= SANCTIONS_MAX {
            return ModerationChanged::Full;
        }
        self.revision += 1;
        self.sanctions.entry(sanction.id.clone()).or_insert(sanction);
        ModerationChanged::Done
    }

    fn change_sanction(&mut self, id: &CaseId, change: impl FnOnce(&mut Sanction) -> bool) -> bool {
        let is_changed = self.sanctions.get_mut(id).is_some_and(change);
        self.revision += u64::from(is_changed);
        is_changed
    }

    pub(super) fn prune(
        &mut self,
        members: &HashMap<MemberId, KnownMember>,
        is_account: impl Fn(&MemberId) -> bool,
        now: u64,
        rows_max: usize,
    ) -> usize {
        let (blocks, reports) = (blocks_before(now), reports_before(now));
        let mut pruned = 0;
        let mut take = |is_old: bool| {
            let takes = is_old && pruned < rows_max;
            pruned += usize::from(takes);
            takes
        };
        self.blocks.retain(|member, own| {
            let is_unknown = !members.contains_key(member);
            own.retain(|entry| !take(is_unknown && entry.at <= blocks));
            !own.is_empty()
        });
        self.reports.retain(|_, report| !take(report.closed_at.is_some_and(|at| at <= reports)));
        for sanction in self.sanctions.values_mut() {
            let is_old = was_over(sanction, texts_before(now))
                && sanction.name.as_str() != DELETED_NAME
                && !is_account(&sanction.member);
            if take(is_old) {
                sanction.forget_texts(now);
                self.revision += 1;
            }
        }
        pruned
    }

    /// Forgets what is stored about these members: who reports them and why, the texts of their sanctions,
    /// and their lists. They are no operators any more.
    pub(super) fn forget(&mut self, members: &[MemberId], now: u64) {
        self.blocks.retain(|member, _| !members.contains(member));
        self.reports.retain(|_, report| !members.contains(&report.about));
        self.operators.retain(|member, _| !members.contains(member));
        for sanction in self.sanctions.values_mut() {
            if members.contains(&sanction.member) && sanction.name.as_str() != DELETED_NAME {
                sanction.forget_texts(now);
                self.revision += 1;
            }
        }
    }

    pub(super) fn sanction(&self, id: &CaseId) -> Option<Sanction> {
        self.sanctions.get(id).cloned()
    }

    pub(super) fn sanctions(&self, is_wanted: impl Fn(&Sanction) -> bool) -> Vec<Sanction> {
        let mut wanted: Vec<_> =
            self.sanctions.values().filter(|one| is_wanted(one)).cloned().collect();
        wanted.sort_by_key(|sanction| sanction.from_at);
        wanted
    }

    pub(super) fn reports(&self, is_wanted: impl Fn(&Report) -> bool) -> Vec<Report> {
        let mut wanted: Vec<_> =
            self.reports.values().filter(|one| is_wanted(one)).cloned().collect();
        wanted.sort_by_key(|report| report.at);
        wanted
    }
}

/// Whether a sanction was over at a time: taken back, at its end, or a note or a warning that is as old.
fn was_over(sanction: &Sanction, at: u64) -> bool {
    let is_old = |time: Option<u64>| time.is_some_and(|time| time <= at);
    is_old(sanction.undone_at)
        || is_old(sanction.until_at)
        || matches!(sanction.kind, SanctionKind::Note | SanctionKind::Warn)
            && sanction.from_at <= at
}
