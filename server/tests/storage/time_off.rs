//! Time off from daily games: what every back end must do.

use fivefold_shared::{
    clock::{DAY_MS, DAYS_A_YEAR, NoTimeOff, TimeOff},
    protocol::{MemberId, RoomCode},
};
use fivefold_storage::{
    AccountChanged::{self, Done, Gone},
    AccountStep, Append, DailyNews, DailySeat, DailySeats, Epoch, KeyStep, Postgres, Storage,
    TimeOffStep,
    limits::DELETED_ACCOUNT_KEPT,
};

use crate::{
    accounts::{self, NOW, apply, hash, known, locked},
    contract::{every_life, every_storage},
    postgres::{Durability, Server},
    rooms::{append, code, log, member},
};

#[track_caller]
fn step(storage: &mut dyn Storage, (who, at): (u64, u64), what: TimeOffStep, to: AccountChanged) {
    apply(storage, &accounts::change(who, at, AccountStep::TimeOff(what)), to);
}

#[track_caller]
fn begin(storage: &mut dyn Storage, whose: (u64, u64), off: TimeOff, expected: AccountChanged) {
    step(storage, whose, TimeOffStep::Begin(off), expected);
}

fn list(storage: &dyn Storage, who: u64) -> Vec<TimeOff> {
    storage.reader().unwrap().times_off(&member(who)).unwrap()
}

#[test]
fn a_member_has_one_period_at_a_time_and_so_many_days_a_year() {
    every_storage(|storage| {
        for number in 1..=2 {
            let name = format!("Player{number}");
            apply(storage, &accounts::sign_up(number, None, &name), Done);
        }
        let first = TimeOff::of_days(NOW, 10);
        for _ in 0..2 {
            begin(storage, (1, NOW), first, Done);
        }
        let open = AccountChanged::NoTimeOff(NoTimeOff::Open);
        begin(storage, (1, NOW), TimeOff::of_days(NOW + 20 * DAY_MS, 1), open);
        // It ends early, and never later than it would.
        let shorter = TimeOff { until: NOW + 2 * DAY_MS, ..first };
        for _ in 0..2 {
            step(storage, (1, NOW), TimeOffStep::End(shorter), Done);
        }
        step(storage, (1, NOW), TimeOffStep::End(first), Done);
        assert_eq!(list(storage, 1), [shorter]);
        let after = shorter.until;
        let left = DAYS_A_YEAR - 2;
        let too_few = AccountChanged::NoTimeOff(NoTimeOff::TooFewDays { left });
        begin(storage, (1, after), TimeOff::of_days(after, left + 1), too_few);
        let planned = TimeOff::of_days(after + DAY_MS, left);
        begin(storage, (1, after), planned, Done);
        assert_eq!(list(storage, 1), [shorter, planned]);
        // Taken back, twice.
        let none = TimeOff { until: planned.from, ..planned };
        for _ in 0..2 {
            step(storage, (1, after), TimeOffStep::End(none), Done);
        }
        // Those of earlier years are forgotten.
        let next_year = TimeOff::of_days(NOW + 365 * DAY_MS, DAYS_A_YEAR);
        begin(storage, (1, next_year.from), next_year, Done);
        assert_eq!(list(storage, 1), [next_year]);
        assert_eq!(list(storage, 2), []);
        begin(storage, (3, NOW), first, Gone);
    });
}

/// A place in a game that knows this of the member's time off; without it, no game is running.
type Place = (u64, Option<TimeOff>);

fn places(at: u64, members: &[Place]) -> Option<Box<DailySeats>> {
    let seat = |(who, off): &Place| DailySeat {
        member: member(*who),
        command: None,
        turn: None,
        off: *off,
    };
    let seats = members.iter().map(seat).collect();
    Some(Box::new(DailySeats { seats, position: None, at }))
}

/// A room that begins with these places.
fn begun(room: u64, at: u64, members: &[Place]) -> Append {
    Append { daily: places(at, members), ..append(room, log(2), 0) }
}

/// Its event of this number, after which these have places.
fn goes_on(room: u64, seq: u64, members: &[Place]) -> Append {
    let last = usize::try_from(seq).unwrap() - 1;
    Append { daily: places(NOW, members), ..append(room, log(seq)[last..].to_vec(), 0) }
}

fn stored(storage: &mut dyn Storage, append: Append) {
    assert_eq!(storage.append(&[append]).unwrap(), [Ok(vec![])]);
}

/// What rooms have to learn, with the numbers of rooms and members.
fn news(storage: &dyn Storage) -> Vec<(u64, u64, TimeOff)> {
    let found = storage.reader().unwrap().daily_news(99).unwrap();
    let place = |room: &RoomCode, who: &MemberId| {
        let room = (0..20).find(|number| code(*number) == *room).unwrap();
        (room, (0..20).find(|number| member(*number) == *who).unwrap())
    };
    let news = found.into_iter().map(|(room, who, news)| {
        let (room, who) = place(&room, &who);
        match news {
            DailyNews::TimeOff(off) => (room, who, off),
            DailyNews::Gone | DailyNews::ConditionalMoves(_) => panic!("{news:?}"),
        }
    });
    let mut news: Vec<_> = news.collect();
    news.sort_by_key(|(room, who, _)| (*room, *who));
    news
}

#[test]
fn games_learn_of_time_off_until_they_know_it() {
    every_life(|next| {
        let (mut storage, _) = next();
        let storage = storage.as_mut();
        let unknown = Some(TimeOff::NONE);
        apply(storage, &accounts::sign_up(7, None, "Ann"), Done);
        accounts::seat(storage, 9, vec![known(9, "Guest")]);
        stored(storage, begun(1, NOW, &[(7, unknown), (8, unknown)]));
        stored(storage, begun(2, NOW, &[(7, None)]));
        stored(storage, begun(3, NOW, &[(9, unknown), (8, unknown)]));
        assert_eq!(news(storage), []);
        let off = TimeOff::of_days(NOW + 5, 3);
        begin(storage, (7, NOW), off, Done);
        // A room without a game learns it when one begins.
        assert_eq!(news(storage), [(1, 7, off)]);
        stored(storage, goes_on(2, 3, &[(7, unknown), (8, unknown)]));
        assert_eq!(news(storage), [(1, 7, off), (2, 7, off)]);
        // Also in the room of a guest who belongs to the account from now on.
        let step_of_guest =
            KeyStep::AddAlias { guest: member(9), hash: hash(9), locked: locked(9) };
        apply(storage, &accounts::change(7, NOW, AccountStep::Key(step_of_guest)), Done);
        assert_eq!(news(storage), [(1, 7, off), (2, 7, off), (3, 9, off)]);
        stored(storage, goes_on(1, 3, &[(7, Some(off)), (8, unknown)]));
        stored(storage, goes_on(3, 3, &[(9, Some(off)), (8, unknown)]));
        assert_eq!(news(storage), [(2, 7, off)]);
        // It ends early.
        let shorter = TimeOff { until: off.from + DAY_MS, ..off };
        step(storage, (7, NOW), TimeOffStep::End(shorter), Done);
        assert_eq!(news(storage), [(1, 7, shorter), (2, 7, shorter), (3, 9, shorter)]);
        // A room that knows only what was before is told again.
        stored(storage, goes_on(1, 4, &[(7, Some(off)), (8, unknown)]));
        stored(storage, goes_on(3, 4, &[]));
        assert_eq!(news(storage), [(1, 7, shorter), (2, 7, shorter)]);
        // New games learn it as long as it is not over.
        stored(storage, begun(4, shorter.until - 1, &[(7, unknown), (9, unknown)]));
        stored(storage, begun(5, shorter.until, &[(7, unknown), (9, unknown)]));
        let known_by_all = [(1, 7, shorter), (2, 7, shorter), (4, 7, shorter), (4, 9, shorter)];
        assert_eq!(news(storage), known_by_all);
        assert_eq!(storage.reader().unwrap().daily_news(2).unwrap().len(), 2);
    });
}

/// Two requests to take a period back, and a new one between them.
#[test]
fn a_late_request_does_not_end_a_newer_period() {
    every_storage(|storage| {
        apply(storage, &accounts::sign_up(7, None, "Ann"), Done);
        stored(storage, begun(1, NOW, &[(7, Some(TimeOff::NONE))]));
        let planned = TimeOff::of_days(NOW + 20 * DAY_MS, 3);
        begin(storage, (7, NOW), planned, Done);
        let none = TimeOff { until: planned.from, ..planned };
        step(storage, (7, NOW), TimeOffStep::End(none), Done);
        assert_eq!(news(storage), [(1, 7, none)]);
        for from in [NOW, NOW + 30 * DAY_MS] {
            let next = TimeOff::of_days(from, 2);
            begin(storage, (7, NOW), next, Done);
            step(storage, (7, NOW), TimeOffStep::End(none), Done);
            assert_eq!(news(storage), [(1, 7, next)]);
            step(storage, (7, NOW), TimeOffStep::End(TimeOff { until: from, ..next }), Done);
        }
    });
}

#[test]
fn rooms_that_sleep_wake_to_learn_of_time_off() {
    every_life(|next| {
        let (mut storage, _) = next();
        apply(storage.as_mut(), &accounts::sign_up(7, None, "Ann"), Done);
        let unknown = Some(TimeOff::NONE);
        stored(storage.as_mut(), begun(1, NOW, &[(7, unknown), (8, unknown)]));
        let asleep = crate::daily::asleep(1, &[7, 8]);
        let asleep = Append { daily: places(NOW, &[(7, unknown), (8, unknown)]), ..asleep };
        stored(storage.as_mut(), asleep);
        assert_eq!(storage.unattended(0, 9).unwrap(), []);
        let off = TimeOff::of_days(NOW, 3);
        begin(storage.as_mut(), (7, NOW), off, Done);
        assert_eq!(storage.unattended(0, 9).unwrap(), [code(1)]);
        drop(storage);
        let (mut storage, node) = next();
        assert_eq!(storage.unattended(0, 9).unwrap(), [code(1)]);
        storage.claim(&[code(1)], node).unwrap();
        let told = goes_on(1, 3, &[(7, Some(off)), (8, unknown)]);
        stored(storage.as_mut(), Append { node, epoch: Epoch(3), ..told });
        assert_eq!(news(storage.as_ref()), []);
    });
}

/// A place that was added while an account changed has the account from before the change.
#[test]
fn places_in_postgres_catch_up() {
    let Some(server) = Server::start(Durability::None) else { return };
    let mut storage = server.empty();
    server.join(false);
    let unknown = Some(TimeOff::NONE);
    for (number, name) in [(6, "Bob"), (7, "Ann")] {
        apply(&mut storage, &accounts::sign_up(number, None, name), Done);
    }
    let off = TimeOff::of_days(NOW, 3);
    begin(&mut storage, (7, NOW), off, Done);
    stored(&mut storage, begun(1, NOW, &[(6, unknown), (7, unknown)]));
    stored(&mut storage, begun(2, NOW, &[(7, unknown)]));
    apply(&mut storage, &accounts::change(6, NOW, AccountStep::Delete), Done);
    let learn = |storage: &Postgres| storage.reader().unwrap().daily_news(9).unwrap().len();
    assert_eq!(learn(&storage), 3);
    server.execute("UPDATE fivefold.daily_seat SET off_from = 0, off_until = 0, leaves = false");
    assert_eq!(learn(&storage), 0);
    storage.prune_accounts(NOW, 99).unwrap();
    assert_eq!(learn(&storage), 3);
    // One that was taken back meanwhile.
    let gone = "UPDATE fivefold.daily_seat SET off_from = 5, off_until = 9000000000000
        WHERE member = (SELECT member FROM fivefold.time_off)";
    server.execute(gone);
    storage.prune_accounts(NOW, 99).unwrap();
    let all = storage.reader().unwrap().daily_news(9).unwrap();
    let known = all.iter().filter(|(_, _, news)| *news == DailyNews::TimeOff(off)).count();
    assert_eq!(known, 2);
    server.execute(gone);
    storage.prune_accounts(off.until, 99).unwrap();
    let all = storage.reader().unwrap().daily_news(9).unwrap();
    let ended = DailyNews::TimeOff(TimeOff { from: 5, until: 5 });
    assert_eq!(all.iter().filter(|(_, _, news)| *news == ended).count(), 2);
    // A period that is over is not told any more.
    server.execute("UPDATE fivefold.daily_seat SET off_from = 0, off_until = 0");
    storage.prune_accounts(off.until, 99).unwrap();
    assert_eq!(learn(&storage), 1);
}

#[test]
fn time_off_goes_with_its_account() {
    every_storage(|storage| {
        for (number, name) in [(1, "Ann"), (2, "Bob")] {
            apply(storage, &accounts::sign_up(number, None, name), Done);
            begin(storage, (number, NOW), TimeOff::of_days(NOW, 1), Done);
        }
        apply(storage, &accounts::change(1, NOW, AccountStep::Delete), Done);
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept, 99).unwrap();
        assert_eq!((list(storage, 1).len(), list(storage, 2).len()), (0, 1));
    });
}

/// Fills a storage in which member 6 has an account.
pub(crate) fn fill(storage: &mut dyn Storage) {
    begin(storage, (6, NOW), TimeOff::of_days(NOW, 2), Done);
}

/// A damage of what [`fill`] stores, and what a check says about it.
pub(crate) const DAMAGE: (&str, &str) =
    ("UPDATE time_off SET ends = starts", "1 periods of time off are empty or nobody's");

/// Checks that a storage has what [`fill`] put there.
pub(crate) fn assert_filled(storage: &dyn Storage) {
    assert_eq!(list(storage, 6), [TimeOff::of_days(NOW, 2)]);
}
