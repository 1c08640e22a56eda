//! Tests of the room's task: how it ends, and that it counts failures of bots.

use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use fivefold_shared::{
    bot_spec::BotKind,
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{
        Colour, CommandId, Create, Event, MemberId, Name, Player, RoomCode, SeatRequest, Visibility,
    },
    room::{Founding, Member, Pair, RoomLimits, RoomSeeds, SessionId, Terms},
    rules::Rules,
    seat::BySeat,
};
use fivefold_storage::{Appended, Blocking, Call, Claimed, Hook, Memory, NodeId, Storage};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{
    limits::Limits,
    metrics::{Levels, Metrics},
    net::changeable::Changeable,
    online::pushes::Pushes,
    process::{clock::Clock, disk::Disk, read_pool::ReadPool},
    rooms::{directory::Directory, paired_games::GameEnd},
    thinking::{Owner, Pool},
};

/// Collects log lines in memory.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A room that Ann made, in which two bots play tic-tac-toe.
fn two_bots(limits: Limits) -> (Opened, Input) {
    made(limits, None)
}

/// The same, unless the server has paired two players.
fn made(limits: Limits, paired: Option<BySeat<Player>>) -> (Opened, Input) {
    founded(limits, paired, [SeatRequest::Bot(BotKind::Attack.into()); 2], TimeControl::None)
}

fn founded(
    limits: Limits,
    paired: Option<BySeat<Player>>,
    seats: [SeatRequest; 2],
    time: TimeControl,
) -> (Opened, Input) {
    let paired = paired.map(|players| Pair { players, terms: Terms::CASUAL });
    let host = person('0', "Ann");
    let command = command("create");
    let founding = Founding {
        code: RoomCode::try_from("k7m2qpxw9abc".to_owned()).unwrap(),
        host: host.clone(),
        command: command.clone(),
        create: Create {
            rules: Rules::TIC_TAC_TOE,
            visibility: Visibility::Private,
            assistance: false,
            seats,
            colour: Colour::Black,
            time,
            opening: OpeningKind::Free,
            chat: true,
        },
        coin: true,
        seeds: RoomSeeds { seed: 1, secret: [1; 32] },
        demo: false,
        paired,
    };
    let mut effects = Effects::new();
    let room = Room::create(0, founding, limits.room, &mut effects).unwrap();
    let enter = Input::Enter { session: SessionId(1), member: host, command, after: None };
    (Opened { is_new: true, ..Opened::founded(room, effects, 0) }, enter)
}

fn command(id: &str) -> CommandId {
    CommandId::try_from(id.to_owned()).unwrap()
}

fn person(digit: char, name: &str) -> Member {
    let id = MemberId::try_from(digit.to_string().repeat(16)).unwrap();
    Member::person(id, Name::new(name).unwrap())
}

/// A context for rooms, with bots that never answer; and the parts that must live as long.
pub(crate) fn around() -> (Arc<RoomContext>, impl Sized) {
    around_storage(Memory::default())
}

fn around_storage(memory: Memory) -> (Arc<RoomContext>, impl Sized) {
    let read_pool = Arc::new(ReadPool::open(&memory, Blocking::Threads).unwrap());
    let (log_writer, writer) = LogWriter::start(Box::new(memory), &Blocking::Threads).unwrap();
    let metrics = Arc::new(Metrics::new());
    let disk = Disk::new(&read_pool, &metrics, 0);
    let (pool, threads) = Pool::start(1, Arc::clone(&metrics)).unwrap();
    pool.stop();
    let (clock, stop) = (Clock::of_system(), CancellationToken::new());
    (
        Arc::new(RoomContext {
            log_writer,
            read_pool,
            disk,
            pool,
            metrics,
            clock,
            node: NodeId::ALONE,
            cluster: None,
            limits: Limits::DEFAULT,
            stop,
            heard: Arc::default(),
            chats: Arc::default(),
            rated: Arc::default(),
            sanctions: Arc::default(),
            blocking: Blocking::Threads,
            shared_addresses: Changeable::default(),
            pushes: Pushes::new(Arc::new(Metrics::new())).0,
            operation: Arc::default(),
        }),
        (writer, threads),
    )
}

#[test]
fn a_paired_game_ends_with_its_room_and_not_with_the_task() {
    let player = |Member { id, name, .. }| Player::Member { member: id, name, engine: false };
    let [bob, eve] = [person('1', "Bob"), person('2', "Eve")];
    let players = BySeat { first: player(bob.clone()), second: player(eve) };
    let (mut opened, _) = made(Limits::DEFAULT, Some(players));
    let code = opened.room.code().clone();
    let directory = Arc::<Directory>::default();
    let games = directory.paired_games();
    let listed = directory.list(&opened.room, ids::command_id(), None, false);
    assert_eq!(games.of(&bob.id).map(|playing| playing.room), Some(code.clone()));
    // The server stops, or another node owns the room.
    listed.remove(&code);
    assert_eq!((games.of(&bob.id), games.take_ends()), (None, vec![]));

    let listed = directory.list(&opened.room, ids::command_id(), None, false);
    opened.room.apply(0, Input::Evict, &mut Effects::new());
    listed.update(&opened.room);
    listed.remove(&code);
    assert_eq!(games.take_ends(), [GameEnd { room: code, aborted_by: None }]);
}

#[tokio::test]
async fn a_room_that_its_maker_never_enters_is_closed_like_any_other() {
    let (opened, _) = two_bots(Limits {
        room: RoomLimits { bots_room_close: Duration::ZERO, ..RoomLimits::DEFAULT },
        ..Limits::DEFAULT
    });
    let (context, _kept) = around();
    let (_mailbox, envelopes) = mpsc::channel(1);
    let listed = Arc::<Directory>::default().list(&opened.room, ids::command_id(), None, true);
    let ended = run(opened, envelopes, listed, context, |_| ());
    tokio::time::timeout(Duration::from_secs(20), ended).await.expect("it does not end");
}

#[tokio::test]
async fn bots_that_fail_are_counted_and_logged_once_a_game() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
    let _logged = tracing::subscriber::set_default(subscriber);

    let limits = Limits {
        room: RoomLimits { bot_pace: Duration::ZERO, ..RoomLimits::DEFAULT },
        ..Limits::DEFAULT
    };
    let (context, _kept) = around();
    let (opened, enter) = two_bots(limits);
    let (outbox, mut messages, _) = Outbox::new(&CancellationToken::new(), Owner::UNKNOWN);
    let (mailbox, envelopes) = mpsc::channel(1);
    let listed = Arc::<Directory>::default().list(&opened.room, ids::command_id(), None, true);
    let task = tokio::spawn(run(opened, envelopes, listed, context.clone(), |_| ()));
    mailbox
        .send(Box::new(Envelope::Session { input: enter, outbox: Arc::new(outbox) }))
        .await
        .unwrap();
    loop {
        let text = messages.recv().await;
        if let Ok(Message::Event { event, .. }) = Message::from_json(&text)
            && let Event::Ended { .. } = event.event
        {
            break;
        }
    }
    context.stop.cancel();
    task.await.unwrap();

    let metrics = context.metrics.render(&Levels::default());
    let counted = metrics
        .lines()
        .find_map(|line| line.strip_prefix(r#"fivefold_bot_faults_total{fault="no_answer"} "#))
        .map(|count| count.parse::<u32>().unwrap());
    assert!(counted.is_some_and(|count| count >= 5), "{metrics}");
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert_eq!(log.matches("a bot has failed").count(), 1, "{log}");
}

/// A storage that nobody can reach any more.
#[derive(Debug)]
struct Unreachable;

fn in_doubt<T>() -> Result<T, StorageError> {
    Err(StorageError::InDoubt("no answer".to_owned()))
}

impl Hook for Unreachable {
    fn before(&self, call: Call) -> Result<(), StorageError> {
        if call == Call::Browse { Ok(()) } else { in_doubt() }
    }

    fn unattended(
        &self,
        _: &mut dyn Storage,
        _: u64,
        _: usize,
    ) -> Result<Vec<RoomCode>, StorageError> {
        in_doubt()
    }

    fn claim(
        &self,
        _: &mut dyn Storage,
        _: &[RoomCode],
        _: NodeId,
    ) -> Result<Vec<Claimed>, StorageError> {
        in_doubt()
    }

    fn append(&self, _: &mut dyn Storage, _: &[Append]) -> Result<Vec<Appended>, StorageError> {
        in_doubt()
    }
}

#[tokio::test(start_paused = true)]
async fn sessions_that_wait_for_a_commit_in_doubt_are_ended_without_an_answer() {
    let (context, _kept) = around_storage(Memory::default().hooked(Unreachable));
    let (opened, enter) = two_bots(Limits::DEFAULT);
    let (mailbox, envelopes) = mpsc::channel(4);
    let listed = Arc::<Directory>::default().list(&opened.room, ids::command_id(), None, true);
    let task = tokio::spawn(run(opened, envelopes, listed, context.clone(), |_| ()));
    // The first one waits for the commit that makes the room, the second in the mailbox.
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let (outbox, messages, ended) = Outbox::new(&CancellationToken::new(), Owner::UNKNOWN);
        let outbox = Arc::new(outbox);
        let envelope = Envelope::Session { input: enter.clone(), outbox: Arc::clone(&outbox) };
        mailbox.send(Box::new(envelope)).await.unwrap();
        sessions.push((outbox, messages, ended));
    }
    for (outbox, mut messages, ended) in sessions {
        ended.cancelled().await;
        assert!(outbox.is_restarted());
        assert_eq!(messages.try_recv(), None, "nobody knows the answer");
    }
    context.stop.cancel();
    task.await.unwrap();
}

/// A storage whose readers fail while this says so.
#[derive(Clone, Default, Debug)]
struct Unreadable(Arc<AtomicBool>);

impl Hook for Unreadable {
    fn before(&self, call: Call) -> Result<(), StorageError> {
        if call == Call::Browse && self.0.load(Ordering::Relaxed) { in_doubt() } else { Ok(()) }
    }
}

#[tokio::test]
async fn a_command_that_comes_again_has_its_first_answer_whatever_the_room_can_learn_by_then() {
    let unreadable = Unreadable::default();
    let (context, _kept) = around_storage(Memory::default().hooked(unreadable.clone()));
    let time = TimeControl::Daily { move_ms: 24 * 3_600_000 };
    let seats = [SeatRequest::Me, SeatRequest::Open];
    let (opened, _) = founded(Limits::DEFAULT, None, seats, time);
    let (mailbox, envelopes) = mpsc::channel(4);
    let listed = Arc::<Directory>::default().list(&opened.room, ids::command_id(), None, false);
    let task = tokio::spawn(run(opened, envelopes, listed, context.clone(), |_| ()));
    let (outbox, mut messages, _) = Outbox::new(&CancellationToken::new(), Owner::UNKNOWN);
    let outbox = Arc::new(outbox);
    let bob = SessionId(2);
    let mut ask = async |input: Input| {
        let id = input.command_id().unwrap().clone();
        let envelope = Envelope::Session { input, outbox: Arc::clone(&outbox) };
        mailbox.send(Box::new(envelope)).await.unwrap();
        loop {
            let message = Message::from_json(&messages.recv().await).unwrap();
            if message.answers() == Some(&id) {
                return match message {
                    Message::Refused { refusal, .. } => Err(refusal.reason),
                    _ => Ok(()),
                };
            }
        }
    };
    let sit = |id: &str| Input::Command {
        session: bob,
        id: command(id),
        request: RoomRequest::Sit { seat: None },
        lag_ms: 0,
    };
    let member = person('1', "Bob");
    let enter = Input::Enter { session: bob, member, command: command("enter"), after: None };
    assert_eq!(ask(enter).await, Ok(()));
    unreadable.0.store(true, Ordering::Relaxed);
    assert_eq!(ask(sit("first")).await, Err(Reason::Unavailable));
    unreadable.0.store(false, Ordering::Relaxed);
    assert_eq!(ask(sit("first")).await, Err(Reason::Unavailable), "it is not done later");
    assert_eq!(ask(sit("second")).await, Ok(()));
    unreadable.0.store(true, Ordering::Relaxed);
    assert_eq!(ask(sit("second")).await, Ok(()), "it is not refused later");
    context.stop.cancel();
    task.await.unwrap();
}
