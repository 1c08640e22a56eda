//! Pushes: what every back end must do.

use std::slice;

use fivefold_shared::protocol::{MemberId, Name};
use fivefold_storage::{
    AccountChanged, AccountStep, Append, DailySeat, DailySeats, DailyTurn, DataFolder, EmailStep,
    KeyStep, ModerationChange, ModerationChanged, MovePushes, OpenReports, PushChange, PushChanged,
    PushGame, PushServer, PushSettings, PushState, PushSubscription, QuietHours, ReportQuery,
    SanctionKind, Sessions, Sqlite, Storage, WaitingNews, backup,
    limits::{DELETED_ACCOUNT_KEPT, PUSH_GAME_KEPT, PUSH_SUBSCRIPTIONS_MAX},
};

use crate::{
    accounts::{self, NOW, apply, key},
    bots,
    contract::every_storage,
    damage::repair_damaged,
    moderation,
    rooms::{append, code, log, member},
};

use PushChanged::{Done, Gone};

#[track_caller]
fn change(storage: &mut dyn Storage, change: &PushChange, expected: PushChanged) {
    assert_eq!(storage.change_pushes(change).unwrap(), expected, "{change:?}");
}

/// A browser of this number, in a session.
fn browser(number: u64, session: u64) -> PushSubscription {
    PushSubscription {
        endpoint: format!("https://push.example/{number:05}"),
        p256dh: vec![4; 65],
        auth: number.to_be_bytes().to_vec(),
        language: "es".to_owned(),
        session: key(session),
        made_at: NOW + number,
    }
}

fn subscribe(storage: &mut dyn Storage, who: u64, number: u64, session: u64) {
    change(storage, &PushChange::Subscribe(member(who), browser(number, session)), Done);
}

fn endpoints(storage: &dyn Storage, who: u64) -> Vec<String> {
    let known = storage.reader().unwrap().push_member(&member(who)).unwrap();
    known.subscriptions.into_iter().map(|one| one.endpoint).collect()
}

/// When the time of a first turn ends.
const FLAG_AT: u64 = NOW + 100;
const TURN: DailyTurn = DailyTurn { number: 1, flag_at: FLAG_AT };

/// A later turn.
fn turn(number: u64) -> DailyTurn {
    DailyTurn { number, flag_at: FLAG_AT + number }
}

/// A first turn in a room.
fn game(who: u64, room: u64) -> PushGame {
    PushGame {
        member: member(who),
        room: code(room),
        opponent: Some(Name::new("Bori Ω").unwrap()),
        state: PushState::Waiting,
        since: NOW + room,
        turn: TURN,
        due: Some(NOW + 100 - room),
    }
}

/// The places of these members, and their turns.
fn seats<const N: usize>(all: [(u64, Option<DailyTurn>); N]) -> Option<Box<DailySeats>> {
    let seats =
        all.map(|(who, turn)| DailySeat { member: member(who), command: None, turn, off: None });
    Some(Box::new(DailySeats { seats: seats.into(), position: None, at: 0 }))
}

/// A new room in which it is the first turn of these members.
fn begin<const N: usize>(storage: &mut dyn Storage, room: u64, all: [u64; N]) {
    let daily = seats(all.map(|who| (who, Some(TURN))));
    let begun = Append { daily, ..append(room, log(2), 0) };
    assert_eq!(storage.append(&[begun]).unwrap(), [Ok(vec![])]);
}

/// The room goes on with its event of this number, after which the turns are these.
fn go_on<const N: usize>(
    storage: &mut dyn Storage,
    room: u64,
    seq: u64,
    all: [(u64, Option<DailyTurn>); N],
) {
    let last = usize::try_from(seq).unwrap() - 1;
    let next = Append { daily: seats(all), ..append(room, log(seq)[last..].to_vec(), 0) };
    assert_eq!(storage.append(&[next]).unwrap(), [Ok(vec![])]);
}

fn games(storage: &dyn Storage, who: u64) -> Vec<PushGame> {
    storage.reader().unwrap().push_member(&member(who)).unwrap().games
}

fn sign_up(storage: &mut dyn Storage, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        apply(
            storage,
            &accounts::sign_up(number, None, &format!("Player{number}")),
            AccountChanged::Done,
        );
    }
}

fn settings() -> PushSettings {
    PushSettings {
        moves: MovePushes::Digest,
        digest_hour: 7,
        reminders: vec![4],
        quiet: Some(QuietHours { from: 1_380, to: 420 }),
        utc_offset: -150,
        ..PushSettings::default()
    }
}

#[test]
fn an_account_subscribes_browsers_up_to_a_limit() {
    every_storage(|storage| {
        sign_up(storage, 1..=2);
        let most = PUSH_SUBSCRIPTIONS_MAX as u64;
        for number in 0..most {
            subscribe(storage, 1, number, 1);
            subscribe(storage, 1, number, 1);
        }
        let all: Vec<_> = (0..most).map(|number| browser(number, 1)).collect();
        let known = storage.reader().unwrap().push_member(&member(1)).unwrap();
        assert_eq!(known.subscriptions, all, "at the limit");
        // One past it, the oldest one goes.
        subscribe(storage, 1, most, 1);
        let kept = endpoints(storage, 1);
        assert_eq!((kept.len(), &kept[0]), (PUSH_SUBSCRIPTIONS_MAX, &browser(1, 1).endpoint));
        // A storm of them leaves no more.
        for number in 100..400 {
            subscribe(storage, 1, number, 1);
        }
        assert_eq!(endpoints(storage, 1).len(), PUSH_SUBSCRIPTIONS_MAX);
        assert_eq!(endpoints(storage, 2), [""; 0]);
        // The same browser, in which somebody else has signed in, is theirs.
        subscribe(storage, 2, 399, 2);
        assert_eq!(endpoints(storage, 2), [browser(399, 1).endpoint]);
        assert_eq!(endpoints(storage, 1).len(), PUSH_SUBSCRIPTIONS_MAX - 1);
        // Nobody subscribes with the session of somebody else, or without an account.
        for (who, session) in [(1, 2), (2, 1), (9, 1), (9, 9)] {
            let new = PushChange::Subscribe(member(who), browser(1, session));
            change(storage, &new, Gone);
        }
        let theirs = PushChange::Unsubscribe(member(1), browser(399, 1).endpoint);
        change(storage, &theirs, Gone);
        change(storage, &PushChange::Unsubscribe(member(2), browser(399, 1).endpoint), Done);
        assert_eq!(endpoints(storage, 2), [""; 0]);
        change(storage, &PushChange::Forget(browser(398, 1).endpoint), Done);
        change(storage, &PushChange::Forget(browser(398, 1).endpoint), Gone);
        assert_eq!(endpoints(storage, 1).len(), PUSH_SUBSCRIPTIONS_MAX - 2);
    });
}

#[test]
fn a_subscription_ends_with_its_session() {
    every_storage(|storage| {
        sign_up(storage, [1]);
        let mut signed_in = 10;
        let mut sign_in = |storage: &mut dyn Storage| {
            signed_in += 1;
            let session = accounts::session(signed_in, NOW);
            let step = AccountStep::SignIn { session, rehashed: None };
            apply(storage, &accounts::change(1, NOW, step), AccountChanged::Done);
            subscribe(storage, 1, signed_in, signed_in);
            signed_in
        };
        let ends: [&dyn Fn(u64) -> AccountStep; 4] = [
            &|session| AccountStep::End(Sessions::One(key(session))),
            &|_| AccountStep::End(Sessions::AllBut(key(1))),
            &|_| AccountStep::SetPassword { password: accounts::password("next"), keep: key(1) },
            &|_| AccountStep::Delete,
        ];
        for end in ends {
            let session = sign_in(storage);
            assert_eq!(endpoints(storage, 1).len(), 1);
            apply(storage, &accounts::change(1, NOW, end(session)), AccountChanged::Done);
            assert_eq!(endpoints(storage, 1), [""; 0]);
        }
        // An operator closes the account.
        sign_in(storage);
        let close = moderation::sanction(1, 1, SanctionKind::Close, None);
        storage.moderate(&ModerationChange::Sanction(Box::new(close))).unwrap();
        assert_eq!(endpoints(storage, 1), [""; 0]);
        // Time ends it.
        sign_in(storage);
        storage.prune_accounts(u64::MAX >> 2, 99).unwrap();
        assert_eq!(endpoints(storage, 1), [""; 0]);
    });
}

#[test]
fn a_bot_and_a_deleted_account_have_no_pushes() {
    every_storage(|storage| {
        sign_up(storage, 1..=2);
        apply(storage, &bots::new_bot(3, 1, "Zed"), AccountChanged::Done);
        change(storage, &PushChange::Subscribe(member(3), browser(1, 1)), Gone);
        subscribe(storage, 1, 1, 1);
        change(storage, &PushChange::Set(member(1), settings()), Done);
        change(storage, &PushChange::Set(member(9), settings()), Gone);
        begin(storage, 1, [1, 9]);
        change(storage, &PushChange::Wait(game(1, 1)), Done);
        change(storage, &PushChange::Wait(game(9, 1)), Gone);
        change(storage, &PushChange::Keep(news(1, "a", 1)), Done);
        change(storage, &PushChange::Keep(news(9, "a", 1)), Gone);
        let known = storage.reader().unwrap().push_member(&member(1)).unwrap();
        assert_eq!((known.settings, known.games), (settings(), vec![game(1, 1)]));
        assert_eq!(known.news, [news(1, "a", 1)]);
        let other = storage.reader().unwrap().push_member(&member(2)).unwrap();
        assert_eq!((other.settings, other.games), (PushSettings::default(), vec![]));
        assert_eq!(other.news, []);
        apply(storage, &accounts::change(1, NOW, AccountStep::Delete), AccountChanged::Done);
        assert_eq!(endpoints(storage, 1), [""; 0]);
        begin(storage, 2, [1]);
        change(storage, &PushChange::Wait(game(1, 2)), Gone);
        change(storage, &PushChange::Keep(news(1, "b", 1)), Gone);
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept, 99).unwrap();
        let gone = storage.reader().unwrap().push_member(&member(1)).unwrap();
        assert_eq!((gone.settings, gone.games), (PushSettings::default(), vec![]));
        assert_eq!(gone.news, []);
    });
}

/// Other news for a member, due so long after [`NOW`].
fn news(who: u64, subject: &str, due: u64) -> WaitingNews {
    let (subject, news) = (subject.to_owned(), format!("{{\"due\":{due}}}"));
    WaitingNews { member: member(who), subject, news, due: NOW + due, until: NOW + 100 }
}

#[test]
fn other_news_waits_until_it_is_due_and_is_told_once() {
    every_storage(|storage| {
        sign_up(storage, [1, 2]);
        for waiting in [news(1, "a", 9), news(1, "b", 3), news(2, "a", 2), news(1, "a", 2)] {
            change(storage, &PushChange::Keep(waiting), Done);
        }
        let due = |storage: &dyn Storage, now, max| {
            storage.reader().unwrap().news_due(NOW + now, max).unwrap()
        };
        // The last news about a subject has replaced the first.
        let all = [news(1, "a", 2), news(2, "a", 2), news(1, "b", 3)];
        assert_eq!(due(storage, 1, 9), []);
        assert_eq!(due(storage, 2, 9), all[..2]);
        assert_eq!(due(storage, 3, 9), all);
        assert_eq!(due(storage, 3, 1), all[..1]);
        change(storage, &PushChange::Tell(news(1, "a", 9)), Gone);
        // It can wait until another time, and then is what it was.
        change(storage, &PushChange::Move(news(1, "a", 9), NOW + 5), Gone);
        change(storage, &PushChange::Move(news(1, "c", 2), NOW + 5), Gone);
        for expected in [Done, Gone] {
            change(storage, &PushChange::Move(news(1, "a", 2), NOW + 5), expected);
        }
        let moved = WaitingNews { due: NOW + 5, ..news(1, "a", 2) };
        assert_eq!(due(storage, 5, 9), [news(2, "a", 2), news(1, "b", 3), moved.clone()]);
        change(storage, &PushChange::Move(moved, NOW + 2), Done);
        for expected in [Done, Gone] {
            change(storage, &PushChange::Tell(news(1, "a", 2)), expected);
        }
        assert_eq!(due(storage, 3, 9), all[1..]);
        // It is forgotten when it is of no use any more.
        assert_eq!(storage.prune_accounts(NOW + 99, 99).unwrap(), 0);
        assert_eq!(storage.prune_accounts(NOW + 100, 1).unwrap(), 1);
        assert_eq!(storage.prune_accounts(NOW + 100, 9).unwrap(), 1);
        assert_eq!(due(storage, 100, 9), []);
    });
}

/// The same append at another time.
fn at(append: Append, at: u64) -> Append {
    let daily = append.daily.map(|daily| Box::new(DailySeats { at, ..*daily }));
    Append { daily, ..append }
}

fn untold(storage: &dyn Storage, of: Option<u64>, max: usize) -> Vec<PushGame> {
    let of = of.map(member);
    storage.reader().unwrap().untold_turns(of.as_ref(), max).unwrap()
}

#[test]
fn turns_of_which_nothing_is_stored_are_found() {
    every_storage(|storage| {
        sign_up(storage, 1..=2);
        let log_of = |seq: u64| log(seq)[usize::try_from(seq).unwrap() - 1..].to_vec();
        let goes_on =
            |seq, all, time| at(Append { daily: seats(all), ..append(1, log_of(seq), 0) }, time);
        let begun = Append { daily: seats([(1, Some(TURN)), (2, None)]), ..append(1, log(2), 0) };
        let stored = |storage: &mut dyn Storage, append: Append| {
            assert_eq!(storage.append(&[append]).unwrap(), [Ok(vec![])]);
        };
        stored(storage, at(begun, NOW + 5));
        assert_eq!(untold(storage, None, 9), [], "nobody can be told");
        subscribe(storage, 1, 1, 1);
        let name = |number: u64| Some(Name::new(&format!("Player{number}")).unwrap());
        let found = PushGame { opponent: name(2), since: NOW + 5, due: None, ..game(1, 1) };
        for of in [None, Some(1)] {
            assert_eq!(untold(storage, of, 9), slice::from_ref(&found));
        }
        assert_eq!(untold(storage, Some(2), 9), []);
        // Time off moves the end of the turn, but it is still the same turn.
        let moved = DailyTurn { flag_at: FLAG_AT + 50, ..TURN };
        stored(storage, goes_on(3, [(1, Some(moved)), (2, None)], NOW + 9));
        let found = PushGame { turn: moved, ..found };
        assert_eq!(untold(storage, None, 9), slice::from_ref(&found));
        change(storage, &PushChange::Wait(found), Done);
        assert_eq!(untold(storage, None, 9), []);
        // The next turn belongs to a member who has only an e-mail address.
        stored(storage, goes_on(4, [(1, None), (2, Some(turn(2)))], NOW + 20));
        assert_eq!(untold(storage, None, 9), []);
        let (address, token, language) = ("b@club.example".to_owned(), key(99), "en".to_owned());
        for step in [EmailStep::Name { address, token, language }, EmailStep::Confirm(token)] {
            assert_eq!(untold(storage, Some(2), 9), []);
            let step = accounts::change(2, NOW, AccountStep::Email(step));
            apply(storage, &step, AccountChanged::Done);
        }
        let second =
            PushGame { opponent: name(1), turn: turn(2), since: NOW + 20, due: None, ..game(2, 1) };
        assert_eq!(untold(storage, Some(2), 9), slice::from_ref(&second));
        // What ends first comes first.
        begin(storage, 2, [2]);
        let sooner = PushGame { opponent: None, since: 0, due: None, ..game(2, 2) };
        assert_eq!(untold(storage, None, 9), [sooner.clone(), second]);
        assert_eq!(untold(storage, None, 1), [sooner]);
        apply(storage, &accounts::change(2, NOW, AccountStep::Delete), AccountChanged::Done);
        assert_eq!(untold(storage, None, 9), []);
    });
}

#[test]
fn the_turns_of_a_guest_wait_for_their_account() {
    every_storage(|storage| {
        sign_up(storage, [1]);
        accounts::seat(storage, 9, vec![accounts::known(9, "Guest")]);
        subscribe(storage, 1, 1, 1);
        begin(storage, 1, [9]);
        assert_eq!(untold(storage, None, 9), []);
        change(storage, &PushChange::Wait(game(1, 1)), Gone);
        let guest = KeyStep::AddAlias {
            guest: member(9),
            hash: accounts::hash(9),
            locked: accounts::locked(9),
        };
        apply(storage, &accounts::change(1, NOW, AccountStep::Key(guest)), AccountChanged::Done);
        let found = PushGame { opponent: None, since: 0, due: None, ..game(1, 1) };
        for of in [None, Some(1)] {
            assert_eq!(untold(storage, of, 9), slice::from_ref(&found));
        }
        change(storage, &PushChange::Wait(game(9, 1)), Gone);
        for expected in [Done, Gone] {
            change(storage, &PushChange::Wait(game(1, 1)), expected);
        }
        assert_eq!(untold(storage, None, 9), []);
        assert_eq!(games(storage, 1), [game(1, 1)]);
        assert_eq!(storage.reader().unwrap().pushes_due(NOW + 99, 9).unwrap(), [game(1, 1)]);
        let told = PushGame { state: PushState::Told, due: None, ..game(1, 1) };
        change(storage, &PushChange::Take(told.clone(), game(1, 1).due), Done);
        assert_eq!(storage.prune_accounts(NOW, 99).unwrap(), 0);
        assert_eq!(games(storage, 1), [told]);
        go_on(storage, 1, 3, [(9, None), (2, Some(turn(2)))]);
        assert_eq!(games(storage, 1), []);
        assert_eq!(storage.prune_accounts(NOW, 99).unwrap(), 1);
    });
}

#[test]
fn each_time_at_which_a_game_is_due_is_taken_once() {
    every_storage(|storage| {
        sign_up(storage, 1..=2);
        begin(storage, 1, [1, 2]);
        begin(storage, 2, [1]);
        for (who, room) in [(1, 1), (1, 2), (2, 1)] {
            for expected in [Done, Gone] {
                change(storage, &PushChange::Wait(game(who, room)), expected);
            }
        }
        let due = |storage: &dyn Storage, now, max| {
            let due = storage.reader().unwrap().pushes_due(now, max).unwrap();
            due.into_iter().map(|game| (game.member, game.room)).collect::<Vec<_>>()
        };
        let [first, second, third] =
            [(1, 2), (1, 1), (2, 1)].map(|(who, room)| (member(who), code(room)));
        assert_eq!(due(storage, NOW + 97, 9), []);
        assert_eq!(due(storage, NOW + 98, 9), slice::from_ref(&first));
        assert_eq!(due(storage, NOW + 99, 9), [first.clone(), second.clone(), third.clone()]);
        assert_eq!(due(storage, NOW + 99, 2), [first, second.clone()]);
        let was_due = Some(NOW + 98);
        let told = PushGame { state: PushState::Told, due: None, ..game(1, 2) };
        for expected in [Done, Gone] {
            change(storage, &PushChange::Take(told.clone(), was_due), expected);
        }
        assert_eq!(due(storage, NOW + 99, 9), [second, third]);
        assert_eq!(games(storage, 1), [game(1, 1), told]);
        let seen = PushGame { state: PushState::Seen, due: Some(NOW + 99), ..game(1, 2) };
        change(storage, &PushChange::Take(seen.clone(), was_due), Gone);
        change(storage, &PushChange::Take(seen.clone(), None), Done);
        assert_eq!(games(storage, 1), [game(1, 1), seen]);
        assert_eq!(games(storage, 2), [game(2, 1)]);
        // What has waited for too long is forgotten.
        let kept = u64::try_from(PUSH_GAME_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept, 99).unwrap();
        assert_eq!((games(storage, 1).len(), games(storage, 2).len()), (2, 1));
        storage.prune_accounts(NOW + kept + 1, 99).unwrap();
        assert_eq!((games(storage, 1).len(), games(storage, 2).len()), (1, 0));
    });
}

#[test]
fn a_turn_that_is_over_waits_for_nobody() {
    every_storage(|storage| {
        sign_up(storage, 1..=2);
        begin(storage, 1, [1]);
        let [first, other] = [game(1, 1), PushGame { turn: turn(2), ..game(1, 1) }];
        change(storage, &PushChange::Wait(other.clone()), Gone);
        change(storage, &PushChange::Wait(PushGame { room: code(2), ..first.clone() }), Gone);
        change(storage, &PushChange::Wait(first.clone()), Done);
        // The member has moved, and nobody has said so: the server was killed, or is another node.
        go_on(storage, 1, 3, [(1, None), (2, Some(turn(2)))]);
        let due =
            |storage: &dyn Storage| storage.reader().unwrap().pushes_due(u64::MAX >> 2, 9).unwrap();
        assert_eq!((games(storage, 1), due(storage)), (vec![], vec![]));
        let told = PushGame { state: PushState::Told, ..first.clone() };
        change(storage, &PushChange::Take(told, first.due), Gone);
        for late in [&first, &other] {
            change(storage, &PushChange::Wait(late.clone()), Gone);
        }
        // The next turn of theirs begins to wait once.
        let next = PushGame { turn: turn(3), ..game(1, 1) };
        go_on(storage, 1, 4, [(1, Some(turn(3))), (2, None)]);
        assert_eq!(games(storage, 1), []);
        for expected in [Done, Gone] {
            change(storage, &PushChange::Wait(next.clone()), expected);
        }
        change(storage, &PushChange::Wait(first), Gone);
        assert_eq!((games(storage, 1), due(storage)), (vec![next.clone()], vec![next]));
        // The game is over.
        assert_eq!(storage.prune_accounts(NOW, 99).unwrap(), 0);
        go_on(storage, 1, 5, []);
        assert_eq!((games(storage, 1), due(storage)), (vec![], vec![]));
        assert_eq!(storage.prune_accounts(NOW, 99).unwrap(), 1);
        assert_eq!(storage.prune_accounts(NOW, 99).unwrap(), 0);
    });
}

#[test]
fn the_key_is_made_once_and_a_copy_is_another_place() {
    every_storage(|storage| {
        let server = |storage: &dyn Storage| storage.reader().unwrap().push_server().unwrap();
        assert_eq!(server(storage), None);
        change(storage, &PushChange::Confirm("here".to_owned()), Gone);
        let place = storage.reader().unwrap().push_place().unwrap();
        assert!(!place.is_empty());
        assert_eq!(storage.reader().unwrap().push_place().unwrap(), place);
        let own = PushServer { key: vec![1, 2, 3], place, reports_told: 5 };
        change(storage, &PushChange::MakeServer(own.clone()), Done);
        let other = PushServer { key: vec![4], place: "there".to_owned(), reports_told: 6 };
        change(storage, &PushChange::MakeServer(other), Gone);
        assert_eq!(server(storage), Some(own.clone()));
        change(storage, &PushChange::Confirm("there".to_owned()), Done);
        assert_eq!(server(storage), Some(PushServer { place: "there".to_owned(), ..own }));
    });
}

#[test]
fn decided_reports_are_told_once_to_members_who_subscribed() {
    every_storage(|storage| {
        sign_up(storage, [1, 2]);
        subscribe(storage, 1, 1, 1);
        let server = PushServer { key: vec![1], place: "here".to_owned(), reports_told: NOW };
        change(storage, &PushChange::MakeServer(server), Done);
        accounts::seat(storage, 5, vec![accounts::known(5, "Guest")]);
        for (number, by, about) in [(1, 1, 8), (2, 2, 8), (3, 1, 9), (4, 5, 7)] {
            let made =
                ModerationChange::Report(Box::new(moderation::report(number, by, about, NOW)));
            assert_eq!(storage.moderate(&made).unwrap(), ModerationChanged::Done);
        }
        for (about, at) in [(9, NOW + 1), (8, NOW + 2), (7, NOW + 10)] {
            let closed = moderation::close(OpenReports::About(member(about)), at);
            assert_eq!(storage.moderate(&closed).unwrap(), ModerationChanged::Done);
        }
        let decided = |storage: &dyn Storage, after, until| -> Vec<MemberId> {
            let query = ReportQuery::Decided(after, until);
            let reports = storage.reader().unwrap().reports(&query).unwrap();
            reports.into_iter().map(|report| report.about).collect()
        };
        assert_eq!(decided(storage, NOW, NOW + 2), [member(9), member(8)]);
        assert_eq!(decided(storage, NOW, NOW + 1), [member(9)]);
        assert_eq!(decided(storage, NOW + 1, NOW + 2), [member(8)]);
        assert_eq!(decided(storage, NOW + 2, NOW + 10), []);
        // The reporter was a guest of the first account.
        let guest = KeyStep::AddAlias {
            guest: member(5),
            hash: accounts::hash(5),
            locked: accounts::locked(5),
        };
        apply(storage, &accounts::change(1, NOW, AccountStep::Key(guest)), AccountChanged::Done);
        assert_eq!(decided(storage, NOW + 2, NOW + 10), [member(7)]);
        change(storage, &PushChange::TellReports(NOW, NOW + 2), Done);
        change(storage, &PushChange::TellReports(NOW, NOW + 2), Gone);
        let told = storage.reader().unwrap().push_server().unwrap().unwrap().reports_told;
        assert_eq!(told, NOW + 2);
    });
}

#[test]
fn a_backup_has_the_key_and_may_not_push() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let place = storage.reader().unwrap().push_place().unwrap();
    let server = PushServer { key: vec![1, 2, 3], place, reports_told: 5 };
    change(&mut storage, &PushChange::MakeServer(server.clone()), Done);
    let copies = tempfile::tempdir().unwrap();
    let copy = copies.path().join("fivefold.sqlite3");
    assert!(backup(folder.path(), &copy).unwrap().is_sound());
    let copied = Sqlite::open(DataFolder::take(copies.path()).unwrap()).unwrap();
    let mut reader = copied.reader().unwrap();
    // Wherever the copy is put, also in the place of the original.
    assert_eq!(
        reader.push_server().unwrap(),
        Some(PushServer { place: String::new(), ..server.clone() })
    );
    assert_ne!(reader.push_place().unwrap(), "");
    // A plain copy of the file is another file; one that is moved stays itself.
    drop(storage);
    let [plain, moved] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    let (file, name) = (folder.path().join("fivefold.sqlite3"), "fivefold.sqlite3");
    std::fs::copy(&file, plain.path().join(name)).unwrap();
    std::fs::rename(&file, moved.path().join(name)).unwrap();
    for (folder, is_same) in [(&plain, false), (&moved, true)] {
        let opened = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
        let place = opened.reader().unwrap().push_place().unwrap();
        assert_eq!(place == server.place, is_same, "{place}");
    }
}

/// Fills a storage in which member 6 has an account, and a session of the number 6.
pub(crate) fn fill(storage: &mut dyn Storage) {
    let server =
        PushServer { key: vec![0, 255, 7], place: "elsewhere".to_owned(), reports_told: 8 };
    change(storage, &PushChange::MakeServer(server), Done);
    subscribe(storage, 6, 1, 6);
    change(storage, &PushChange::Set(member(6), settings()), Done);
    for room in [91, 92] {
        begin(storage, room, [6]);
    }
    change(storage, &PushChange::Wait(game(6, 91)), Done);
    let nobody = PushGame { opponent: None, due: None, ..game(6, 92) };
    change(storage, &PushChange::Wait(nobody), Done);
    change(storage, &PushChange::Keep(news(6, "a", 7)), Done);
}

/// Checks that a storage has what [`fill`] put there.
pub(crate) fn assert_filled(storage: &dyn Storage) {
    let mut reader = storage.reader().unwrap();
    let server =
        PushServer { key: vec![0, 255, 7], place: "elsewhere".to_owned(), reports_told: 8 };
    assert_eq!(reader.push_server().unwrap(), Some(server));
    let known = reader.push_member(&member(6)).unwrap();
    assert_eq!(known.subscriptions, [browser(1, 6)]);
    assert_eq!(known.settings, settings());
    let nobody = PushGame { opponent: None, due: None, ..game(6, 92) };
    assert_eq!(known.games, [game(6, 91), nobody]);
    assert_eq!(known.news, [news(6, "a", 7)]);
}

/// A damage of what [`fill`] stores, and what a check says about it.
pub(crate) const DAMAGE: (&str, &str) = (
    "UPDATE push_game SET member = '00000000000003e7' WHERE opponent_name IS NULL",
    "1 games wait for no account",
);

#[test]
fn a_repair_takes_out_what_belongs_to_nobody() {
    let (damage, problem) = DAMAGE;
    let fill = |storage: &mut dyn Storage| {
        sign_up(storage, [6]);
        fill(storage);
        assert_filled(storage);
    };
    repair_damaged(fill, &damage, |found, repaired| {
        assert_eq!(found.problems, [problem]);
        assert_eq!(games(repaired, 6), [game(6, 91)]);
        assert_eq!(endpoints(repaired, 6).len(), 1);
    });
}

#[test]
fn time_off_moves_the_end_of_a_turn() {
    every_storage(|storage| {
        sign_up(storage, [1, 2]);
        begin(storage, 1, [1]);
        change(storage, &PushChange::Wait(game(1, 1)), Done);
        let later = PushGame { turn: DailyTurn { flag_at: FLAG_AT + 50, ..TURN }, ..game(1, 1) };
        // It waits already.
        change(storage, &PushChange::Wait(later.clone()), Gone);
        go_on(storage, 1, 3, [(1, Some(later.turn))]);
        assert_eq!(games(storage, 1), slice::from_ref(&later));
        let due = storage.reader().unwrap().pushes_due(u64::MAX >> 2, 9).unwrap();
        assert_eq!(due, slice::from_ref(&later));
        let told = PushGame { state: PushState::Told, due: None, ..later };
        change(storage, &PushChange::Take(told.clone(), game(1, 1).due), Done);
        assert_eq!(games(storage, 1), [told]);
        // Two turns may end at the same time: both were in time off.
        let next = PushGame { turn: DailyTurn { number: 3, flag_at: FLAG_AT + 50 }, ..game(1, 1) };
        go_on(storage, 1, 4, [(1, Some(next.turn))]);
        for expected in [Done, Gone] {
            change(storage, &PushChange::Wait(next.clone()), expected);
        }
        // The end of a turn may move before it begins to wait.
        let moved = DailyTurn { number: 4, flag_at: FLAG_AT + 70 };
        go_on(storage, 1, 5, [(1, Some(moved))]);
        let begun = DailyTurn { flag_at: FLAG_AT + 60, ..moved };
        change(storage, &PushChange::Wait(PushGame { turn: begun, ..game(1, 1) }), Done);
        assert_eq!(games(storage, 1), [PushGame { turn: moved, ..game(1, 1) }]);
    });
}
