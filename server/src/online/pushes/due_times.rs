//! When a member is told about a game: at once, after their quiet hours, at the hour of their digest, and before their
//! time ends. All times are in milliseconds since the Unix epoch.

use fivefold_shared::clock::{DAY_MS, HOUR_MS, MINUTE_MS};
use fivefold_storage::{MovePushes, PushMember, PushSettings, PushState};

/// What a member learns at once about a game that waits for them, and when they learn more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    /// What they know then: [`PushState::Told`] if they are told at once.
    pub(super) state: PushState,
    /// When they are told next.
    pub(super) due: Option<u64>,
}

/// Plans the first push for a turn that began at `since`, if the member has not been told about it. If the member may
/// be looking at the room, `earliest` is later than `now`, and they are not told about the turn before it.
pub(super) fn at_turn(
    known: &PushMember,
    since: u64,
    now: u64,
    earliest: u64,
    flag_at: u64,
) -> Plan {
    let reminder = next_reminder(known, since, now, flag_at);
    let told_at = match known.settings.moves {
        MovePushes::Each => Some(after_quiet(known, earliest)),
        MovePushes::Digest => Some(next_digest(known, now)),
        MovePushes::Never => None,
    };
    match told_at {
        Some(at) if at <= now => Plan { state: PushState::Told, due: reminder },
        Some(at) => {
            let due = reminder.map_or(at, |reminder| reminder.min(at));
            Plan { state: PushState::Waiting, due: Some(due) }
        }
        None => Plan { state: PushState::Seen, due: reminder },
    }
}

/// Plans the pushes for a turn that began at `since`, but that the server has found only now. A member who wants a push
/// for each turn gets none for this one if they should have been told before `late_before`.
pub(super) fn at_found_turn(
    known: &PushMember,
    since: u64,
    now: u64,
    earliest: u64,
    flag_at: u64,
    late_before: u64,
) -> Plan {
    if known.settings.moves == MovePushes::Each && after_quiet(known, since) < late_before {
        return Plan { state: PushState::Seen, due: next_reminder(known, since, now, flag_at) };
    }
    at_turn(known, since, now, earliest, flag_at)
}

/// The next reminder after `now` for a turn that began at `since`. Those that would come before half of the time is over
/// are left out. Those in quiet hours or time off come after them, if there is time then.
pub(crate) fn next_reminder(known: &PushMember, since: u64, now: u64, flag_at: u64) -> Option<u64> {
    let half = known.off.end_of(since, known.off.spent(since, flag_at) / 2);
    let hours = known.settings.reminders.iter().map(|hours| u64::from(*hours) * HOUR_MS);
    let wanted = hours.filter_map(|before| flag_at.checked_sub(before)).filter(|at| *at >= half);
    let shown = wanted.map(|at| after_quiet(known, at));
    let next = shown.filter(|at| *at > now && *at < flag_at).min();
    // The game does not know the time off yet: look again after it.
    let look_again = || Some(after_quiet(known, flag_at)).filter(|at| *at > now);
    next.or_else(|| known.off.is_at(flag_at).then(look_again).flatten())
}

/// Whether a member still wants the reminder for which a turn is due: they may have changed what they want since.
pub(super) fn is_wanted(known: &PushMember, since: u64, due: u64, flag_at: u64) -> bool {
    next_reminder(known, since, due.saturating_sub(1), flag_at) == Some(due)
}

/// When a member can be told about their daily games: at this time, or after quiet hours and time off.
pub(super) fn after_quiet(known: &PushMember, at: u64) -> u64 {
    let at = after_quiet_hours(&known.settings, at);
    if known.off.is_at(at) { after_quiet_hours(&known.settings, known.off.until) } else { at }
}

/// This time, or the end of the quiet hours that it is in.
pub(super) fn after_quiet_hours(settings: &PushSettings, at: u64) -> u64 {
    let Some(quiet) = settings.quiet else { return at };
    let (from, to) = (u64::from(quiet.from) * MINUTE_MS, u64::from(quiet.to) * MINUTE_MS);
    // Since the quiet hours began last, and how long they are.
    let since = (local(settings, at) + DAY_MS - from) % DAY_MS;
    let length = (to + DAY_MS - from) % DAY_MS;
    if since < length { at + (length - since) } else { at }
}

/// The next hour of the digest, after quiet hours.
fn next_digest(known: &PushMember, now: u64) -> u64 {
    let settings = &known.settings;
    let hour = u64::from(settings.digest_hour) * HOUR_MS;
    let wait = (hour + DAY_MS - local(settings, now)) % DAY_MS;
    let wait = if wait == 0 { DAY_MS } else { wait };
    after_quiet(known, now + wait)
}

/// The time of the day where the member lives.
fn local(settings: &PushSettings, at: u64) -> u64 {
    let offset = i64::from(settings.utc_offset) * MINUTE_MS.cast_signed();
    at.saturating_add_signed(offset) % DAY_MS
}

#[cfg(test)]
mod tests {
    use fivefold_shared::clock::TimeOff;
    use fivefold_storage::QuietHours;

    use super::*;

    /// Midnight in UTC.
    const MIDNIGHT: u64 = 20_000 * DAY_MS;

    fn quiet(from: u16, to: u16, utc_offset: i16) -> PushMember {
        let quiet = Some(QuietHours { from: from * 60, to: to * 60 });
        with(PushSettings { quiet, utc_offset, ..PushSettings::default() })
    }

    fn with(settings: PushSettings) -> PushMember {
        PushMember { settings, ..PushMember::default() }
    }

    fn off(known: PushMember, from: u64, until: u64) -> PushMember {
        let [from, until] = [from, until].map(|hour| MIDNIGHT + hour * HOUR_MS);
        PushMember { off: TimeOff { from, until }, ..known }
    }

    #[test]
    fn quiet_hours_are_those_of_the_players_clock() {
        let cases = [
            // From, to and offset in hours, a time in UTC, and when it is over.
            (22, 7, 0, 21, 21),
            (22, 7, 0, 22, 31),
            (22, 7, 0, 3, 7),
            (22, 7, 0, 7, 7),
            (1, 5, 0, 0, 0),
            (1, 5, 0, 1, 5),
            (22, 7, 3, 19, 28),
            (22, 7, 3, 18, 18),
            (22, 7, -5, 3, 12),
            (9, 9, 0, 9, 9),
        ];
        for (from, to, offset, at, expected) in cases {
            let known = quiet(from, to, offset * 60);
            let after = after_quiet(&known, MIDNIGHT + at * HOUR_MS);
            assert_eq!(after, MIDNIGHT + expected * HOUR_MS, "{from} to {to}, {offset}: {at}");
        }
    }

    #[test]
    fn reminders_come_in_the_second_half_of_the_time() {
        let usual = PushMember::default();
        let all = |known: &PushMember, length: u64| {
            let (since, flag_at) = (MIDNIGHT, MIDNIGHT + length * HOUR_MS);
            let (mut now, mut before) = (since, Vec::new());
            while let Some(at) = next_reminder(known, since, now, flag_at) {
                before.push((flag_at - at) / HOUR_MS);
                now = at;
            }
            before
        };
        assert_eq!(all(&usual, 24), [8, 4, 1]);
        assert_eq!(all(&usual, 16), [8, 4, 1], "exactly half of the time is over");
        assert_eq!(all(&usual, 15), [4, 1]);
        assert_eq!(all(&usual, 2), [1]);
        assert_eq!(all(&usual, 1), [0; 0]);
        let one = PushSettings { reminders: vec![4], ..PushSettings::default() };
        assert_eq!(all(&with(one.clone()), 24), [4]);
        assert_eq!(all(&with(PushSettings { reminders: vec![], ..one }), 24), [0; 0]);
        // The time ends at midnight: those at 16 and 20 o'clock come at 22, as one.
        assert_eq!(all(&quiet(15, 22, 0), 24), [2, 1]);
        // Nobody is called in the last quiet hours.
        assert_eq!(all(&quiet(15, 1, 0), 24), [0; 0]);
        let flag_at = MIDNIGHT + 24 * HOUR_MS;
        let later = with(PushSettings { reminders: vec![4, 1], ..PushSettings::default() });
        for (known, expected) in [(usual, true), (later, false), (quiet(15, 22, 0), false)] {
            let is_wanted = is_wanted(&known, MIDNIGHT, flag_at - 8 * HOUR_MS, flag_at);
            assert_eq!(is_wanted, expected, "{known:?}");
        }
    }

    #[test]
    fn nobody_is_called_during_time_off() {
        // The player has 24 hours for a move. Two days off begin when 10 hours are left.
        let (since, flag_at) = (MIDNIGHT, MIDNIGHT + 72 * HOUR_MS);
        let known = off(PushMember::default(), 14, 62);
        let next = |known: &PushMember, now: u64| {
            let at = next_reminder(known, since, MIDNIGHT + now * HOUR_MS, flag_at);
            at.map(|at| (at - MIDNIGHT) / HOUR_MS)
        };
        assert_eq!(
            [0, 64, 68, 71].map(|now| next(&known, now)),
            [64, 68, 71, 0].map(|at| (at > 0).then_some(at))
        );
        // Five hours were left: what would come during the days off comes at their end.
        let known = off(PushMember::default(), 19, 67);
        assert_eq!([0, 67].map(|now| next(&known, now)), [Some(67), Some(68)]);
        // If quiet hours follow, it comes after those.
        assert_eq!(next(&off(quiet(18, 20, 0), 19, 67), 0), Some(68));
        let turn = |known: &PushMember, hour| {
            let now = MIDNIGHT + hour * HOUR_MS;
            let plan = at_turn(known, now, now, now, flag_at);
            (plan.state, plan.due.map(|due| (due - MIDNIGHT) / HOUR_MS))
        };
        assert_eq!(turn(&known, 19), (PushState::Waiting, Some(67)));
        let digest =
            PushSettings { moves: MovePushes::Digest, digest_hour: 6, ..known.settings.clone() };
        assert_eq!(
            turn(&PushMember { settings: digest, ..known }, 20),
            (PushState::Waiting, Some(67))
        );
    }

    #[test]
    fn somebody_is_told_at_once_or_when_they_want() {
        let flag_at = MIDNIGHT + 24 * HOUR_MS;
        let at = |known: &PushMember, hour: u64| {
            let now = MIDNIGHT + hour * HOUR_MS;
            let plan = at_turn(known, MIDNIGHT, now, now, flag_at);
            (plan.state, plan.due.map(|due| (due - MIDNIGHT) / HOUR_MS))
        };
        let each = PushMember::default();
        assert_eq!(at(&each, 0), (PushState::Told, Some(16)));
        let plan = at_turn(&each, MIDNIGHT, MIDNIGHT, MIDNIGHT + HOUR_MS, flag_at);
        assert_eq!(plan, Plan { state: PushState::Waiting, due: Some(MIDNIGHT + HOUR_MS) });
        assert_eq!(at(&quiet(22, 7, 0), 3), (PushState::Waiting, Some(7)));
        let wants = |moves| with(PushSettings { moves, digest_hour: 6, ..PushSettings::default() });
        let digest = wants(MovePushes::Digest);
        assert_eq!(at(&digest, 0), (PushState::Waiting, Some(6)));
        assert_eq!(at(&digest, 6), (PushState::Waiting, Some(16)), "the reminder comes first");
        assert_eq!(at(&wants(MovePushes::Never), 0), (PushState::Seen, Some(16)));
    }

    #[test]
    fn a_turn_found_late_gets_only_reminders() {
        let flag_at = MIDNIGHT + 24 * HOUR_MS;
        // Found this many hours after it began; more than an hour is late.
        let found = |known: &PushMember, hour: u64| {
            let now = MIDNIGHT + hour * HOUR_MS;
            let plan = at_found_turn(known, MIDNIGHT, now, now + 1, flag_at, now - HOUR_MS);
            (plan.state, plan.due)
        };
        let usual = PushMember::default();
        let at = |hour: u64, more: u64| Some(MIDNIGHT + hour * HOUR_MS + more);
        assert_eq!(found(&usual, 1), (PushState::Waiting, at(1, 1)));
        assert_eq!(found(&usual, 2), (PushState::Seen, at(16, 0)));
        assert_eq!(found(&usual, 17), (PushState::Seen, at(20, 0)));
        // Lateness counts from the end of quiet hours.
        assert_eq!(found(&quiet(22, 7, 0), 3), (PushState::Waiting, at(7, 0)));
        assert_eq!(found(&quiet(22, 7, 0), 8), (PushState::Waiting, at(8, 1)));
        assert_eq!(found(&quiet(22, 7, 0), 9), (PushState::Seen, at(16, 0)));
        let digest =
            PushSettings { moves: MovePushes::Digest, digest_hour: 6, ..PushSettings::default() };
        assert_eq!(found(&with(digest), 5), (PushState::Waiting, at(6, 0)));
    }
}
