//! Blocks, reports and sanctions: what every back end must do.

use std::fs;

use fivefold_shared::protocol::{ChatText, MemberId, Name};
use fivefold_storage::{
    AccountChange, AccountChanged, AccountStep, Append, BlockEntry, BlockKind, CaseId, DataFolder,
    ModerationChange, ModerationChanged, OpenReports, Report, ReportKind, ReportQuery, ReportState,
    ReportedLine, Sanction, SanctionKind, Sqlite, Standing, Storage, Waiting, check,
    limits::{
        BLOCKED_BY_MAX, BLOCKS_MAX, CASE_ROWS_MAX, CLOSED_REPORT_KEPT, DELETED_ACCOUNT_KEPT,
        QUEUE_MAX, REPORTS_MAX, REPORTS_WITHIN, SANCTION_TEXT_KEPT, UNKNOWN_BLOCKS_KEPT,
    },
    repair,
};

use crate::{
    accounts, bots,
    contract::every_storage,
    examination,
    rooms::{append, code, game_id, member, resigned},
};

/// When things happen here.
const NOW: u64 = 1_000_000_000_000;

fn case_id(number: u64) -> CaseId {
    CaseId::try_from(format!("{number:012}")).unwrap()
}

fn entry(other: u64, kind: BlockKind, at: u64) -> BlockEntry {
    let name = Name::new(&format!("Player {other}")).unwrap();
    BlockEntry { other: member(other), name, kind, at }
}

fn block(who: u64, other: u64, kind: BlockKind, at: u64) -> ModerationChange {
    ModerationChange::Block(member(who), entry(other, kind, at))
}

pub(crate) fn report(number: u64, by: u64, about: u64, at: u64) -> Report {
    Report {
        id: case_id(number),
        reporter: member(by),
        about: member(about),
        about_name: Name::new("Rude").unwrap(),
        kind: ReportKind::Chat,
        game: Some(game_id(3)),
        line: Some(ReportedLine {
            room: code(1),
            text: ChatText::new("Go \"away\"").unwrap(),
            verified: true,
        }),
        text: "insults".to_owned(),
        at,
        state: ReportState::Open,
        closed_at: None,
        closed_by: None,
    }
}

pub(crate) fn sanction(
    number: u64,
    who: u64,
    kind: SanctionKind,
    until_at: Option<u64>,
) -> Sanction {
    Sanction {
        id: case_id(number),
        member: member(who),
        name: Name::new("Rude").unwrap(),
        kind,
        from_at: NOW,
        until_at,
        reason: "insults".to_owned(),
        operator: "Ann".to_owned(),
        seen_at: None,
        appeal: None,
        appealed_at: None,
        answered_at: None,
        answered_by: None,
        undone_at: None,
        undone_by: None,
    }
}

#[track_caller]
fn apply(storage: &mut dyn Storage, change: &ModerationChange, expected: ModerationChanged) {
    assert_eq!(storage.moderate(change), Ok(expected), "{change:?}");
}

use ModerationChanged::{AlreadyOpen, Done, Full, Gone, QueueFull};

#[test]
fn members_have_lists_of_those_they_block_and_learn_who_blocks_them() {
    every_storage(|storage| {
        let mut reader = storage.reader().unwrap();
        for change in [
            block(1, 2, BlockKind::Block, NOW),
            block(1, 3, BlockKind::Mute, NOW + 1),
            block(2, 1, BlockKind::Mute, NOW),
            block(4, 1, BlockKind::Block, NOW),
            block(5, 1, BlockKind::Block, NOW + 5),
        ] {
            apply(storage, &change, Done);
            // The same change again does no harm.
            apply(storage, &change, Done);
        }
        let lists = reader.block_lists(&member(1)).unwrap();
        let own = [entry(3, BlockKind::Mute, NOW + 1), entry(2, BlockKind::Block, NOW)];
        assert_eq!(lists.own, own);
        // A mute is not known to the other one.
        assert_eq!(lists.blocked_by, [member(5), member(4)]);
        assert_eq!(reader.block_lists(&member(2)).unwrap().blocked_by, [member(1)]);
        assert_eq!(reader.block_lists(&member(3)).unwrap().blocked_by, []);
        // Another kind takes the place of the first.
        apply(storage, &block(1, 2, BlockKind::Mute, NOW + 9), Done);
        assert_eq!(reader.block_lists(&member(2)).unwrap().blocked_by, []);
        let unblock = ModerationChange::Unblock { member: member(1), other: member(2) };
        apply(storage, &unblock, Done);
        apply(storage, &unblock, Gone);
        assert_eq!(reader.block_lists(&member(1)).unwrap().own, own[..1]);
    });
}

#[test]
fn a_list_has_a_limit_and_so_many_who_block_somebody_are_known() {
    every_storage(|storage| {
        let most = u64::try_from(BLOCKS_MAX).unwrap();
        for other in 1..=most {
            apply(storage, &block(0, other, BlockKind::Mute, NOW), Done);
        }
        apply(storage, &block(0, most + 1, BlockKind::Mute, NOW), Full);
        // One who is on it may be changed.
        apply(storage, &block(0, most, BlockKind::Block, NOW), Done);
        let mut reader = storage.reader().unwrap();
        assert_eq!(reader.block_lists(&member(0)).unwrap().own.len(), BLOCKS_MAX);
        let known = u64::try_from(BLOCKED_BY_MAX).unwrap();
        for who in 1..=known + 1 {
            apply(storage, &block(1_000 + who, 1, BlockKind::Block, NOW + who), Done);
        }
        let blocked_by = reader.block_lists(&member(1)).unwrap().blocked_by;
        assert_eq!(blocked_by.len(), BLOCKED_BY_MAX);
        assert!(!blocked_by.contains(&member(1_001)), "the oldest is left out");
    });
}

#[test]
fn lists_of_people_who_are_not_stored_are_forgotten_and_those_of_deleted_accounts() {
    every_storage(|storage| {
        storage.change_account(&accounts::sign_up(1, None, "ann")).unwrap();
        for who in 1..=2 {
            apply(storage, &block(who, 9, BlockKind::Block, NOW), Done);
        }
        let kept = u64::try_from(UNKNOWN_BLOCKS_KEPT.as_millis()).unwrap();
        assert_eq!(storage.prune_moderation(NOW + kept - 1, 9), Ok(0));
        assert_eq!(storage.prune_moderation(NOW + kept, 9), Ok(1));
        let mut reader = storage.reader().unwrap();
        let mut count = |who| reader.block_lists(&member(who)).unwrap().own.len();
        assert_eq!((count(1), count(2)), (1, 0));
        let delete = AccountChange { member: member(1), at: NOW, step: AccountStep::Delete };
        storage.change_account(&delete).unwrap();
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept, 9).unwrap();
        assert_eq!(count(1), 0);
    });
}

fn add(number: u64, by: u64, about: u64, at: u64) -> ModerationChange {
    ModerationChange::Report(Box::new(report(number, by, about, at)))
}

pub(crate) fn close(which: OpenReports, at: u64) -> ModerationChange {
    ModerationChange::CloseReports { which, state: ReportState::Acted, at, by: "Ann".to_owned() }
}

/// The ids of the open reports.
fn open(storage: &dyn Storage) -> Vec<CaseId> {
    let open = storage.reader().unwrap().open_reports().unwrap();
    open.into_iter().map(|open| open.report.id).collect()
}

#[test]
fn reports_wait_for_a_decision_and_so_many_may_be_made_in_a_day() {
    every_storage(|storage| {
        let day = u64::try_from(REPORTS_WITHIN.as_millis()).unwrap();
        for number in 0..u64::from(REPORTS_MAX) {
            apply(storage, &add(number, 1, 100 + number, NOW + number), Done);
        }
        apply(storage, &add(99, 1, 7, NOW + day - 1), Full);
        // The same one again does no harm.
        apply(storage, &add(3, 1, 103, NOW + 3), Done);
        apply(storage, &add(50, 2, 100, NOW + 50), Done);
        apply(storage, &add(51, 1, 99, NOW + day), Done);
        let mut reader = storage.reader().unwrap();
        let first = reader.open_reports().unwrap().swap_remove(0);
        assert_eq!((first.report, first.standing), (report(0, 1, 100, NOW), Standing::default()));
        assert_eq!(open(storage).len(), 12);
        let by = reader.reports(&ReportQuery::By(member(2))).unwrap();
        assert_eq!(by, [report(50, 2, 100, NOW + 50)]);
        let about = reader.reports(&ReportQuery::About(member(100))).unwrap();
        assert_eq!(about[0].id, case_id(50), "the newest first");
        assert_eq!(reader.reports(&ReportQuery::About(member(1))).unwrap(), []);

        let at = NOW + day;
        let decide = close(OpenReports::About(member(100)), at);
        apply(storage, &decide, Done);
        apply(storage, &decide, Gone);
        assert_eq!(open(storage).len(), 10);
        let by = reader.reports(&ReportQuery::By(member(2))).unwrap().swap_remove(0);
        let decided = (by.state, by.closed_at, by.closed_by.as_deref());
        assert_eq!(decided, (ReportState::Acted, Some(at), Some("Ann")));
        let kept = u64::try_from(CLOSED_REPORT_KEPT.as_millis()).unwrap();
        assert_eq!(storage.prune_moderation(at + kept - 1, 5), Ok(0));
        assert_eq!(storage.prune_moderation(at + kept, 1), Ok(1));
        assert_eq!(storage.prune_moderation(at + kept, 50), Ok(1));
    });
}

#[test]
fn a_reporter_has_one_open_report_about_a_person() {
    every_storage(|storage| {
        apply(storage, &add(1, 1, 7, NOW), Done);
        apply(storage, &add(2, 1, 7, NOW + 1), AlreadyOpen);
        apply(storage, &add(3, 1, 8, NOW + 1), Done);
        apply(storage, &add(4, 2, 7, NOW + 1), Done);
        assert_eq!(open(storage), [case_id(1), case_id(3), case_id(4)]);
        apply(storage, &close(OpenReports::About(member(7)), NOW + 2), Done);
        apply(storage, &add(2, 1, 7, NOW + 3), Done);
        assert_eq!(open(storage), [case_id(3), case_id(2)]);
    });
}

#[test]
fn guests_cannot_fill_the_queue_of_accounts_nor_the_other_way_round() {
    every_storage(|storage| {
        let most = u64::try_from(QUEUE_MAX).unwrap();
        let waits = |storage: &dyn Storage| storage.reader().unwrap().waiting().unwrap();
        assert_eq!(waits(storage), Waiting::default());
        accounts::apply(storage, &accounts::sign_up(1, None, "ann"), AccountChanged::Done);
        for number in 0..most {
            apply(storage, &add(number, 1_000 + number, 7, NOW + number), Done);
        }
        apply(storage, &add(9_000, 9_000, 7, NOW), QueueFull);
        assert_eq!(open(storage).len(), QUEUE_MAX, "nothing is stored and hidden");
        // The same one again is there, full or not.
        apply(storage, &add(0, 1_000, 7, NOW), Done);
        apply(storage, &add(9_001, 1, 7, NOW + 9_999), Done);
        let oldest_report_at = Some(NOW);
        let full =
            Waiting { by_accounts: 1, by_guests: QUEUE_MAX, oldest_report_at, ..waits(storage) };
        assert_eq!((waits(storage), full.appeals), (full, 0));
        let mut reader = storage.reader().unwrap();
        let last = reader.open_reports().unwrap().pop().unwrap();
        assert_eq!(last.report.id, case_id(9_001), "the account's is there, too");
        assert_eq!(last.standing.account_since, Some(accounts::NOW));

        // An operator empties the queue of guests at once.
        apply(storage, &close(OpenReports::ByGuests, NOW + 5), Done);
        apply(storage, &close(OpenReports::ByGuests, NOW + 5), Gone);
        assert_eq!(open(storage), [case_id(9_001)]);
        apply(storage, &add(9_000, 9_000, 7, NOW), Done);
        // A deleted account reports no more as one.
        let delete = AccountChange { member: member(1), at: NOW, step: AccountStep::Delete };
        storage.change_account(&delete).unwrap();
        let waits = waits(storage);
        assert_eq!((waits.by_accounts, waits.by_guests), (0, 2));
    });
}

#[test]
fn accounts_fill_a_queue_of_their_own() {
    every_storage(|storage| {
        let most = u64::try_from(QUEUE_MAX).unwrap();
        for number in 0..most / 10 + 1 {
            let name = format!("player{number}");
            accounts::apply(storage, &accounts::sign_up(number, None, &name), AccountChanged::Done);
        }
        for number in 0..most {
            apply(storage, &add(number, number / 10, 1_000 + number, NOW), Done);
        }
        apply(storage, &add(9_000, most / 10, 7, NOW), QueueFull);
        apply(storage, &add(9_001, 9_001, 7, NOW), Done);
    });
}

#[test]
fn finished_games_of_a_reporter_are_counted() {
    every_storage(|storage| {
        for game in 1..=3 {
            let played = Append { closes: true, ..append(game, resigned("public", 1, 2), game) };
            storage.append(&[played]).unwrap();
        }
        apply(storage, &add(1, 1, 7, NOW), Done);
        let open = storage.reader().unwrap().open_reports().unwrap();
        assert_eq!(open[0].standing, Standing { account_since: None, games: 3 });
    });
}

#[test]
fn the_bots_of_members_with_sanctions_are_known_while_one_holds() {
    every_storage(|storage| {
        for (owner, bot, name) in [(1, 10, "Ann"), (2, 20, "Bob"), (3, 30, "Cid")] {
            accounts::apply(storage, &accounts::sign_up(owner, None, name), AccountChanged::Done);
            let new = bots::new_bot(bot, owner, &format!("{name} bot"));
            accounts::apply(storage, &new, AccountChanged::Done);
        }
        for sanction in [
            sanction(1, 1, SanctionKind::Mute, Some(NOW + 10)),
            sanction(2, 2, SanctionKind::Close, None),
            sanction(3, 3, SanctionKind::Note, None),
        ] {
            apply(storage, &ModerationChange::Sanction(Box::new(sanction)), Done);
        }
        let mut reader = storage.reader().unwrap();
        let mut known = |at| {
            let mut bots = reader.bots_of_sanctioned(at).unwrap();
            bots.sort_unstable();
            bots
        };
        let [ann, bob] = [(10, 1), (20, 2)].map(|(bot, owner)| (member(bot), member(owner)));
        assert_eq!(known(NOW + 9), [ann, bob.clone()]);
        assert_eq!(known(NOW + 10), [bob]);
    });
}

#[test]
fn sanctions_hold_until_their_end_or_until_they_are_taken_back() {
    every_storage(|storage| {
        let mut reader = storage.reader().unwrap();
        let mut revision = reader.sanctions_revision().unwrap();
        let mut changed = |reader: &mut dyn fivefold_storage::StorageReader| {
            let before = std::mem::replace(&mut revision, reader.sanctions_revision().unwrap());
            before < revision
        };
        let all = [
            sanction(1, 1, SanctionKind::Note, None),
            sanction(2, 1, SanctionKind::Warn, None),
            sanction(3, 1, SanctionKind::Mute, Some(NOW + 10)),
            sanction(4, 2, SanctionKind::Unrated, None),
        ];
        for sanction in &all {
            let add = ModerationChange::Sanction(Box::new(sanction.clone()));
            apply(storage, &add, Done);
            assert!(changed(reader.as_mut()));
            apply(storage, &add, Done);
        }
        let active = |reader: &mut dyn fivefold_storage::StorageReader, at| {
            let mut ids: Vec<_> =
                reader.active_sanctions(at).unwrap().into_iter().map(|one| one.id).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(active(reader.as_mut(), NOW + 9), [case_id(2), case_id(3), case_id(4)]);
        assert_eq!(active(reader.as_mut(), NOW + 10), [case_id(2), case_id(4)]);
        assert_eq!(reader.sanctions_of(&member(2)).unwrap(), all[3..]);
        assert_eq!(reader.sanctions_of(&member(1)).unwrap().len(), 3);
        changed(reader.as_mut());

        let seen = |id, who| ModerationChange::Seen { id, member: member(who), at: NOW + 1 };
        apply(storage, &seen(case_id(2), 2), Gone);
        apply(storage, &seen(case_id(3), 1), Gone);
        assert!(!changed(reader.as_mut()), "nothing has changed");
        apply(storage, &seen(case_id(2), 1), Done);
        assert!(changed(reader.as_mut()));
        assert_eq!(active(reader.as_mut(), NOW + 10), [case_id(4)]);

        let appeal = |id, who, text: &str| {
            let text = text.to_owned();
            ModerationChange::Appeal { id, member: member(who), text, at: NOW + 2 }
        };
        apply(storage, &appeal(case_id(4), 1, "no"), Gone);
        apply(storage, &appeal(case_id(1), 1, "no"), Gone);
        apply(storage, &appeal(case_id(4), 2, "no"), Done);
        apply(storage, &appeal(case_id(4), 2, "no"), Done);
        apply(storage, &appeal(case_id(4), 2, "once more"), Gone);
        let open = reader.appeals().unwrap();
        let (said, appealed_at) = (Some("no".to_owned()), Some(NOW + 2));
        assert_eq!(open, [Sanction { appeal: said, appealed_at, ..all[3].clone() }]);
        let waiting = reader.waiting().unwrap();
        assert_eq!((waiting.appeals, waiting.oldest_appeal_at), (1, appealed_at));
        let answer = |id| ModerationChange::Answer { id, at: NOW + 3, by: "Bob".to_owned() };
        apply(storage, &answer(case_id(3)), Gone);
        apply(storage, &answer(case_id(4)), Done);
        assert_eq!(reader.appeals().unwrap(), []);
        assert_eq!(reader.waiting().unwrap(), Waiting::default());

        let undo = ModerationChange::Undo { id: case_id(4), at: NOW + 4, by: "Cid".to_owned() };
        apply(storage, &undo, Done);
        assert!(changed(reader.as_mut()));
        apply(storage, &undo, Gone);
        assert_eq!(active(reader.as_mut(), NOW + 10), []);
        let undone = reader.sanctions_of(&member(2)).unwrap().swap_remove(0);
        assert_eq!((undone.undone_at, undone.undone_by.as_deref()), (Some(NOW + 4), Some("Cid")));
        let answered = (undone.answered_at, undone.answered_by.as_deref());
        assert_eq!(answered, (Some(NOW + 3), Some("Bob")));
        assert_eq!(reader.sanction(&case_id(4)).unwrap(), Some(undone));
        assert_eq!(reader.sanction(&case_id(9)).unwrap(), None);
    });
}

#[test]
fn to_take_back_a_sanction_answers_its_appeal() {
    every_storage(|storage| {
        let mute = sanction(3, 1, SanctionKind::Mute, None);
        let (text, by) = ("no".to_owned(), "Cid".to_owned());
        for change in [
            ModerationChange::Sanction(Box::new(mute)),
            ModerationChange::Appeal { id: case_id(3), member: member(1), text, at: NOW + 4 },
            ModerationChange::Undo { id: case_id(3), at: NOW + 5, by },
        ] {
            apply(storage, &change, Done);
        }
        let mut reader = storage.reader().unwrap();
        let undone = reader.sanction(&case_id(3)).unwrap().unwrap();
        let answered = (undone.answered_at, undone.answered_by.as_deref());
        assert_eq!(answered, (Some(NOW + 5), Some("Cid")));
        assert_eq!(reader.appeals().unwrap(), []);
    });
}

#[test]
fn closing_an_account_ends_its_sessions() {
    every_storage(|storage| {
        storage.change_account(&accounts::sign_up(1, None, "ann")).unwrap();
        let mut reader = storage.reader().unwrap();
        let mut sessions = || reader.account_keys(&member(1)).unwrap().sessions.len();
        assert_eq!(sessions(), 1);
        let add =
            |number, kind| ModerationChange::Sanction(Box::new(sanction(number, 1, kind, None)));
        apply(storage, &add(1, SanctionKind::Mute), Done);
        assert_eq!(sessions(), 1);
        apply(storage, &add(2, SanctionKind::Close), Done);
        assert_eq!(sessions(), 0);
    });
}

/// What a sanction has left after its texts are forgotten.
fn forgotten(sanction: &Sanction) -> bool {
    sanction.name.as_str() == "Deleted player"
        && sanction.reason.is_empty()
        && sanction.appeal.as_deref().is_none_or(str::is_empty)
}

#[test]
fn a_deleted_account_takes_reports_and_the_texts_of_sanctions_with_it() {
    every_storage(|storage| {
        storage.change_account(&accounts::sign_up(1, None, "ann")).unwrap();
        for change in [
            add(1, 5, 1, NOW),
            add(2, 1, 6, NOW),
            ModerationChange::Sanction(Box::new(sanction(1, 1, SanctionKind::Close, None))),
            ModerationChange::Sanction(Box::new(sanction(2, 1, SanctionKind::Note, None))),
            ModerationChange::Sanction(Box::new(sanction(3, 2, SanctionKind::Mute, None))),
            ModerationChange::Appeal {
                id: case_id(1),
                member: member(1),
                text: "no".to_owned(),
                at: NOW + 1,
            },
            ModerationChange::Operator { member: member(1), since: Some(NOW) },
        ] {
            apply(storage, &change, Done);
        }
        let mut reader = storage.reader().unwrap();
        let delete = AccountChange { member: member(1), at: NOW, step: AccountStep::Delete };
        storage.change_account(&delete).unwrap();
        assert_eq!(reader.deleted_since(NOW).unwrap(), [member(1)]);
        assert_eq!(reader.deleted_since(NOW + 1).unwrap(), []);
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept - 1, 9).unwrap();
        assert!(!reader.sanctions_of(&member(1)).unwrap().iter().any(forgotten));
        let revision = reader.sanctions_revision().unwrap();

        storage.prune_accounts(NOW + kept, 9).unwrap();
        let gone = reader.sanctions_of(&member(1)).unwrap();
        assert_eq!((gone.len(), gone.iter().all(forgotten)), (2, true), "{gone:?}");
        assert!(gone.iter().all(|one| !one.is_active(NOW + kept)));
        assert!(reader.sanctions_revision().unwrap() > revision);
        let close = reader.sanction(&case_id(1)).unwrap().unwrap();
        let times = (close.from_at, close.until_at, close.answered_at);
        assert_eq!(times, (NOW, Some(NOW + kept), Some(NOW + kept)));
        assert_eq!(reader.appeals().unwrap(), []);
        assert_eq!(open(storage), [case_id(2)], "what they have reported stays");
        assert!(!reader.is_operator(&member(1)).unwrap());
        let other = reader.sanction(&case_id(3)).unwrap();
        assert_eq!(other, Some(sanction(3, 2, SanctionKind::Mute, None)));
    });
}

#[test]
fn texts_against_guests_are_forgotten_a_year_after_they_are_over() {
    every_storage(|storage| {
        storage.change_account(&accounts::sign_up(1, None, "ann")).unwrap();
        let mut over = 0;
        for (number, who, kind, until) in [
            (1, 2, SanctionKind::Mute, Some(NOW + 5)),
            (2, 2, SanctionKind::Note, None),
            (3, 2, SanctionKind::Mute, None),
            (4, 1, SanctionKind::Mute, Some(NOW + 5)),
        ] {
            let new = sanction(number, who, kind, until);
            apply(storage, &ModerationChange::Sanction(Box::new(new)), Done);
        }
        let year = u64::try_from(SANCTION_TEXT_KEPT.as_millis()).unwrap();
        let mut reader = storage.reader().unwrap();
        for (now, more) in [(year - 1, 0), (year, 1), (year + 4, 0), (year + 5, 1), (year + 9, 0)] {
            assert_eq!(storage.prune_moderation(NOW + now, 9), Ok(more), "{now}");
            over += more;
            let texts = reader.sanctions_of(&member(2)).unwrap();
            assert_eq!(texts.iter().filter(|one| forgotten(one)).count(), over, "{now}");
        }
        let held = reader.sanction(&case_id(3)).unwrap();
        assert_eq!(held, Some(sanction(3, 2, SanctionKind::Mute, None)), "it is not over");
        let of_account = reader.sanctions_of(&member(1)).unwrap();
        assert_eq!(of_account, [sanction(4, 1, SanctionKind::Mute, Some(NOW + 5))]);
    });
}

#[test]
fn a_guest_is_deleted_for_good_and_an_account_is_not() {
    every_storage(|storage| {
        accounts::seat(storage, 1, vec![accounts::known(7, "Ann"), accounts::known(8, "Bob")]);
        for change in [
            block(7, 8, BlockKind::Block, NOW),
            block(8, 7, BlockKind::Block, NOW),
            add(1, 8, 7, NOW),
            add(2, 7, 8, NOW),
            ModerationChange::Sanction(Box::new(sanction(1, 7, SanctionKind::Mute, None))),
        ] {
            apply(storage, &change, Done);
        }
        let delete = |number: u64, identity: u64| {
            let (hash, locked) = (accounts::hash(identity), accounts::locked(number));
            accounts::change(number, NOW + 9, AccountStep::DeleteGuest { hash, locked })
        };
        // Not by another identity.
        accounts::apply(storage, &delete(7, 8), AccountChanged::Gone);
        let mut reader = storage.reader().unwrap();
        assert_eq!(reader.block_lists(&member(7)).unwrap().own.len(), 1);
        for _ in 0..2 {
            accounts::apply(storage, &delete(7, 7), AccountChanged::Done);
        }
        let gone = reader.member(&member(7), accounts::hash(7)).unwrap().unwrap();
        assert_eq!((gone.name.as_str(), gone.hash), ("Deleted player", accounts::locked(7)));
        assert_eq!(reader.block_lists(&member(7)).unwrap().own, []);
        assert_eq!(reader.block_lists(&member(8)).unwrap().own.len(), 1, "that is another's");
        assert_eq!(open(storage), [case_id(2)]);
        let mute = reader.sanction(&case_id(1)).unwrap().unwrap();
        assert!(forgotten(&mute) && !mute.is_active(NOW + 9), "{mute:?}");
        assert_eq!(reader.sanctions_revision(), Ok(2));
        // Somebody who never took a seat has lists alone.
        apply(storage, &block(9, 8, BlockKind::Block, NOW), Done);
        accounts::apply(storage, &delete(9, 9), AccountChanged::Done);
        assert_eq!(reader.block_lists(&member(9)).unwrap().own, []);
        let known = reader.member(&member(9), accounts::hash(9)).unwrap();
        assert_eq!(known, None);
        // An account is deleted otherwise.
        let sign_up = accounts::sign_up(8, Some(accounts::hash(8)), "bob");
        accounts::apply(storage, &sign_up, AccountChanged::Done);
        accounts::apply(storage, &delete(8, 8), AccountChanged::Gone);
        assert_eq!(accounts::keys(storage, 8).codes_left, 8);
    });
}

#[test]
fn operators_are_known() {
    every_storage(|storage| {
        let mut reader = storage.reader().unwrap();
        let set = |since| ModerationChange::Operator { member: member(1), since };
        let is_operator = |reader: &mut dyn fivefold_storage::StorageReader, who: MemberId| {
            reader.is_operator(&who).unwrap()
        };
        assert!(!is_operator(reader.as_mut(), member(1)));
        apply(storage, &set(None), Gone);
        apply(storage, &set(Some(NOW)), Done);
        apply(storage, &set(Some(NOW + 1)), Done);
        assert!(
            is_operator(reader.as_mut(), member(1)) && !is_operator(reader.as_mut(), member(2))
        );
        apply(storage, &set(None), Done);
        assert!(!is_operator(reader.as_mut(), member(1)));
    });
}

#[test]
fn one_member_becomes_the_first_operator() {
    every_storage(|storage| {
        let mut reader = storage.reader().unwrap();
        let first = |who| ModerationChange::FirstOperator { member: member(who), since: NOW };
        assert_eq!(reader.has_operator(), Ok(false));
        apply(storage, &first(1), Done);
        assert_eq!(reader.has_operator(), Ok(true));
        apply(storage, &first(2), Gone);
        // An answer was lost, and the change comes again.
        apply(storage, &first(1), Done);
        assert_eq!(reader.is_operator(&member(1)), Ok(true));
        assert_eq!(reader.is_operator(&member(2)), Ok(false));
        apply(storage, &ModerationChange::Operator { member: member(1), since: None }, Done);
        assert_eq!(reader.has_operator(), Ok(false));
        apply(storage, &first(2), Done);
    });
}

#[test]
fn the_latest_sanctions_of_all_members_come_newest_first() {
    every_storage(|storage| {
        let mut reader = storage.reader().unwrap();
        assert_eq!(reader.latest_sanctions(), Ok(Vec::new()));
        let of = |number, from_at| {
            let one = sanction(number, number, SanctionKind::Note, None);
            Sanction { from_at, ..one }
        };
        let most = CASE_ROWS_MAX as u64;
        for number in 1..=most + 1 {
            let one = of(number, NOW + number / 2);
            apply(storage, &ModerationChange::Sanction(Box::new(one)), Done);
        }
        let latest = reader.latest_sanctions().unwrap();
        assert_eq!(latest.len(), CASE_ROWS_MAX);
        let order = |one: &Sanction| (std::cmp::Reverse(one.from_at), one.id.clone());
        assert!(latest.is_sorted_by_key(order));
        assert!(latest.iter().all(|one| one.id != case_id(1)), "the oldest is left out");
    });
}

/// Fills a storage with one of each.
pub(crate) fn fill(storage: &mut dyn Storage) {
    for change in [
        block(1, 2, BlockKind::Block, NOW),
        add(2, 1, 3, NOW),
        close(OpenReports::About(member(3)), NOW + 1),
        add(1, 1, 2, NOW),
        ModerationChange::Sanction(Box::new(sanction(1, 2, SanctionKind::Mute, Some(NOW + 5)))),
        ModerationChange::Appeal {
            id: case_id(1),
            member: member(2),
            text: "no".to_owned(),
            at: NOW + 1,
        },
        ModerationChange::Answer { id: case_id(1), at: NOW + 2, by: "Bob".to_owned() },
        ModerationChange::Undo { id: case_id(1), at: NOW + 3, by: "Cid".to_owned() },
        ModerationChange::Operator { member: member(3), since: Some(NOW) },
    ] {
        apply(storage, &change, Done);
    }
    examination::fill(storage);
}

/// Damages of what [`fill`] stores, and what a check says about them.
pub(crate) const DAMAGES: [(&str, &str); 5] = [
    ("UPDATE game_mark SET opponent = member", "1 marks of games have one player twice"),
    ("UPDATE examined_game SET facts = ''", "1 examined games have an empty result"),
    ("UPDATE block SET other = member", "1 lists have their own member on them"),
    ("UPDATE report SET closed_at = 5", "1 reports are open and closed"),
    (
        "UPDATE sanction SET until_at = from_at",
        "1 sanctions end before they begin, or have an answer to no appeal",
    ),
];

#[test]
fn a_check_finds_what_contradicts_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    fill(&mut storage);
    assert_filled(&storage);
    drop(storage);
    assert!(check(folder.path()).unwrap().is_sound());
    let file = rusqlite::Connection::open(folder.path().join("fivefold.sqlite3")).unwrap();
    for (damage, problem) in DAMAGES {
        file.execute_batch(damage).unwrap();
        let findings = check(folder.path()).unwrap();
        assert!(findings.problems.contains(&problem.to_owned()), "{findings}");
        assert!(findings.is_repairable);
    }
    drop(file);
    let repaired = repair(folder.path()).unwrap();
    assert!(repaired.findings.is_sound(), "{repaired}");
    let rows = fs::read_to_string(repaired.rows.unwrap()).unwrap();
    for table in ["game_mark", "examined_game", "block", "report", "sanction"] {
        assert!(rows.contains(&format!("\"table\": \"{table}\"")), "{table}: {rows}");
    }
}

/// Checks that a storage has what [`fill`] put there.
pub(crate) fn assert_filled(storage: &dyn Storage) {
    let mut reader = storage.reader().unwrap();
    assert_eq!(reader.block_lists(&member(1)).unwrap().own, [entry(2, BlockKind::Block, NOW)]);
    assert_eq!(open(storage), [case_id(1)]);
    let closed = reader.reports(&ReportQuery::About(member(3))).unwrap();
    assert_eq!(closed[0].closed_by.as_deref(), Some("Ann"));
    let undone = Sanction {
        appeal: Some("no".to_owned()),
        appealed_at: Some(NOW + 1),
        answered_at: Some(NOW + 2),
        answered_by: Some("Bob".to_owned()),
        undone_at: Some(NOW + 3),
        undone_by: Some("Cid".to_owned()),
        ..sanction(1, 2, SanctionKind::Mute, Some(NOW + 5))
    };
    assert_eq!(reader.sanctions_of(&member(2)).unwrap(), [undone]);
    assert_eq!(reader.sanctions_revision(), Ok(4));
    assert!(reader.is_operator(&member(3)).unwrap());
    examination::assert_filled(storage);
}
