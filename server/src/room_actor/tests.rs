//! Tests of the room's task: how it ends, and that it counts failures of bots.

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use fivefold_shared::{
    bot_spec::BotKind,
    clock::TimeControl,
    protocol::{Colour, CommandId, Create, MemberId, Name, RoomCode, SeatRequest, Visibility},
    room::{Founding, Member, RoomLimits, RoomSeeds, SessionId},
    rules::Rules,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{
    directory::Directory,
    limits::Limits,
    metrics::Levels,
    storage::{Blocking, Memory, ReadPool, Storage},
    thinking::Owner,
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
    let id = MemberId::try_from("0".repeat(16)).unwrap();
    let host = Member { id, name: Name::new("Ann").unwrap() };
    let command = CommandId::try_from("create".to_owned()).unwrap();
    let founding = Founding {
        code: RoomCode::try_from("k7m2qpxw9abc".to_owned()).unwrap(),
        host: host.clone(),
        command: command.clone(),
        create: Create {
            rules: Rules::TIC_TAC_TOE,
            visibility: Visibility::Private,
            assistance: false,
            seats: [SeatRequest::Bot(BotKind::Attack.into()); 2],
            colour: Colour::Black,
            time: TimeControl::None,
            chat: true,
        },
        coin: true,
        seeds: RoomSeeds { seed: 1, secret: [1; 32] },
        demo: false,
    };
    let mut effects = Effects::new();
    let room = Room::create(0, founding, limits.room, &mut effects).unwrap();
    let (epoch, recorder) = (Epoch::FIRST, Recorder::default());
    let enter = Input::Enter { session: SessionId(1), member: host, command, after: None };
    let (opened_at, is_new, handover) = (0, true, None);
    (Opened { room, effects, epoch, recorder, opened_at, is_new, handover }, enter)
}

/// A context for rooms, with bots that never answer; and the parts that must live as long.
fn around() -> (Arc<RoomContext>, impl Sized) {
    let memory = Memory::default();
    let reader = memory.reader().unwrap();
    let (log_writer, writer) = LogWriter::start(Box::new(memory), &Blocking::Threads).unwrap();
    let metrics = Arc::new(Metrics::new());
    let read_pool = Arc::new(ReadPool::new(reader, Blocking::Threads));
    let disk = Disk::new(&read_pool, &metrics, 0);
    let (pool, threads) = Pool::start(1, Arc::clone(&metrics)).unwrap();
    pool.stop();
    let (clock, stop) = (Clock::of_system(), CancellationToken::new());
    (
        Arc::new(RoomContext {
            log_writer,
            disk,
            pool,
            metrics,
            clock,
            node: NodeId::ALONE,
            cluster: None,
            limits: Limits::DEFAULT,
            stop,
        }),
        (writer, threads),
    )
}

#[tokio::test]
async fn a_room_that_its_maker_never_enters_is_closed_like_any_other() {
    let (opened, _) = two_bots(Limits {
        room: RoomLimits { bots_room_close: Duration::ZERO, ..RoomLimits::DEFAULT },
        ..Limits::DEFAULT
    });
    let (context, _kept) = around();
    let (_mailbox, envelopes) = mpsc::channel(1);
    let listed = Arc::<Directory>::default().list(&opened.room, None, true);
    let ended = run(opened, envelopes, listed, context);
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
    let listed = Arc::<Directory>::default().list(&opened.room, None, true);
    let task = tokio::spawn(run(opened, envelopes, listed, context.clone()));
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

    let metrics = context.metrics.render(Levels::default());
    let counted = metrics
        .lines()
        .find_map(|line| line.strip_prefix(r#"fivefold_bot_faults_total{fault="no_answer"} "#))
        .map(|count| count.parse::<u32>().unwrap());
    assert!(counted.is_some_and(|count| count >= 5), "{metrics}");
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert_eq!(log.matches("a bot has failed").count(), 1, "{log}");
}
