//! An external engine as a player in a room, marked as an engine.
//!
//! It thinks on a thread of its own, while this side follows the room: it lets its opponent take
//! back, declines draws, plays again when asked, and chats only to say why it gives up. It
//! knows tables and engines, and neither sockets nor processes.

use std::{collections::VecDeque, io, time::Duration};

use fivefold_shared::{
    protocol::{ChatText, CommandId, Message, RoomRequest},
    rules::{Point, Position, Rules},
};
use tokio::{sync::mpsc, task, time::timeout};

use crate::{
    exit_reason::ExitReason,
    gomocup_engine::{EngineCommand, Fault, GomocupEngine},
    line_interface::View,
    table::{Table, TableEvent},
};

/// How long to wait for the room's answer when the engine gives up.
const FAREWELL: Duration = Duration::from_secs(5);

/// How an engine is to play.
#[derive(Clone, Debug)]
pub struct SeatOptions {
    /// How to run it.
    pub engine: EngineCommand,
    /// The most time for a move; a room's clock may leave less.
    pub turn: Duration,
    /// How often it is started again after it has failed, before it gives up.
    pub retries: u32,
    /// After how many games it leaves; without it, it stays.
    pub games: Option<u32>,
}

/// Starts an engine for a room's rules, and has it move once, which shows what it refuses only
/// then. Blocks until it has.
///
/// # Errors
/// What it refuses, or does wrong.
pub fn engine_for(options: &SeatOptions, rules: Rules) -> Result<GomocupEngine, Fault> {
    let mut engine = GomocupEngine::start(options.engine.clone(), rules)?;
    engine.choose(&Position::new(rules), Some(options.turn), None)?;
    engine.renew()?;
    Ok(engine)
}

/// A position to search.
struct MoveRequest {
    position: Position,
    turn: Duration,
}

/// A message from the engine's thread.
enum EngineReply {
    Move {
        moves: Vec<Point>,
        point: Point,
    },
    /// It failed and is being restarted.
    Restarting(Fault),
    /// It failed for the last time.
    Failed(Fault),
}

/// Plays at the table, where a seat must be open, until the room is closed, enough games are
/// played, the engine gives up, or `interrupt` comes.
///
/// # Errors
/// When no seat can be taken, when the engine gives up, or when the output cannot be written.
pub async fn stay(
    table: Table,
    engine: GomocupEngine,
    options: &SeatOptions,
    view: &mut dyn View,
    interrupt: impl Future<Output = ()>,
) -> anyhow::Result<ExitReason> {
    let rules = table.room().rules;
    let (ask, requests) = mpsc::channel(1);
    let (give, mut replies) = mpsc::channel(4);
    let (command, retries) = (options.engine.clone(), options.retries);
    let engine_thread = EngineThread { engine: Some(engine), command, rules, retries };
    let thinking = task::spawn_blocking(move || engine_thread.run(requests, &give));
    let mut player = EnginePlayer::new(table, options, ask);
    player.sit();
    tokio::pin!(interrupt);
    let exit_reason = loop {
        tokio::select! {
            event = player.table.next() => {
                view.event(&player.table, &event)?;
                if let Some(exit_reason) = player.hear(&event)? {
                    break Ok(exit_reason);
                }
            }
            Some(answer) = replies.recv() => match answer {
                EngineReply::Move { moves, point } => player.play(&moves, point),
                EngineReply::Restarting(fault) => {
                    let why = fault.public();
                    player.say(&format!("The engine is started again: {why}."));
                }
                EngineReply::Failed(fault) => break Err(fault),
            },
            () = &mut interrupt => break Ok(ExitReason::Interrupted),
        }
    };
    let exit_reason = match exit_reason {
        Ok(exit_reason) => Ok(exit_reason),
        Err(fault) => {
            player.give_up(&fault, view).await?;
            Err(anyhow::Error::new(fault).context("the engine gives up"))
        }
    };
    let EnginePlayer { table, ask, .. } = player;
    drop(ask);
    view.leaving(&table)?;
    table.leave().await;
    // It ends with what it thinks about, at the latest, and takes the engine with it.
    drop(replies);
    thinking.await?;
    exit_reason
}

/// The engine's side of the table.
struct EnginePlayer<'a> {
    table: Table,
    options: &'a SeatOptions,
    ask: mpsc::Sender<MoveRequest>,
    /// The command that asked for a seat, until it is answered.
    sitting: Option<CommandId>,
    /// The room's last event when the engine last answered an offer.
    said_at: Option<u64>,
    /// Positions that are being thought about or played on, by game and ply; the room's last event
    /// tells one time from another.
    asked_at: Option<u64>,
    /// How many games it has played, and the number of the last game that has ended here.
    games: u32,
    ended: u32,
    is_thinking: bool,
    unanswered: VecDeque<CommandId>,
}

impl<'a> EnginePlayer<'a> {
    fn new(table: Table, options: &'a SeatOptions, ask: mpsc::Sender<MoveRequest>) -> Self {
        // Where a seat is open no game is running.
        let ended = table.room().game.as_ref().map_or(0, |game| game.number);
        Self {
            table,
            options,
            ask,
            sitting: None,
            said_at: None,
            asked_at: None,
            games: 0,
            ended,
            is_thinking: false,
            unanswered: VecDeque::new(),
        }
    }

    fn sit(&mut self) {
        self.sitting = Some(self.table.send(RoomRequest::SitAsEngine { seat: None }));
    }

    /// Reacts to an event; `Some` when it is time to leave.
    fn hear(&mut self, event: &TableEvent) -> anyhow::Result<Option<ExitReason>> {
        match event {
            TableEvent::Ended { reason } => return Ok(Some(ExitReason::Ended(reason.clone()))),
            TableEvent::Lost { .. } | TableEvent::Back => {}
            TableEvent::Message(message) => {
                if let Message::Closed { text, .. } = message.as_ref() {
                    return Ok(Some(ExitReason::Ended(text.clone())));
                }
                if let Message::Refused { id: Some(id), refusal } = message.as_ref() {
                    anyhow::ensure!(self.sitting.as_ref() != Some(id), "{}", refusal.text);
                    if self.unanswered.contains(id) {
                        // The move was not taken: think again about what is on the board now.
                        self.asked_at = None;
                    }
                }
                if let Some(id) = message.answers() {
                    self.unanswered.retain(|waiting| waiting != id);
                }
            }
        }
        if self.has_played_enough() {
            return Ok(Some(ExitReason::Left));
        }
        self.answer();
        self.think();
        Ok(None)
    }

    /// Whether the last of the games that were to be played has ended.
    fn has_played_enough(&mut self) -> bool {
        let game = self.table.room().game.as_ref();
        let ended = game.filter(|game| game.position.outcome().is_some()).map(|game| game.number);
        if let Some(number) = ended.filter(|number| *number > self.ended) {
            self.ended = number;
            self.games += 1;
        }
        self.options.games.is_some_and(|games| self.games >= games)
    }

    /// Answers what the opponent offers or asks for.
    fn answer(&mut self) {
        let (Some(seat), room) = (self.table.seat(), self.table.room()) else { return };
        let Some(game) = &room.game else { return };
        let opponent = Some(seat.other());
        let request = if game.position.outcome().is_some() {
            (game.rematch_ask == opponent).then_some(RoomRequest::Rematch)
        } else if game.takeback_ask == opponent {
            Some(RoomRequest::GrantTakeback)
        } else if game.draw_offer == opponent {
            Some(RoomRequest::DeclineDraw)
        } else {
            None
        };
        let seq = Some(room.seq);
        if let Some(request) = request.filter(|_| self.said_at != seq) {
            self.said_at = seq;
            self.table.send(request);
        }
    }

    /// Has the engine think, if it is its turn and it does not already.
    fn think(&mut self) {
        let room = self.table.room();
        if self.is_thinking || !self.table.is_my_turn() || self.asked_at == Some(room.seq) {
            return;
        }
        let Some(game) = room.running() else { return };
        let budget = game.clock.as_ref().and_then(|clock| clock.budget_ms());
        let budget = budget.map_or(Duration::MAX, Duration::from_millis);
        let turn = self.options.turn.min(budget);
        let request = MoveRequest { position: game.position.clone(), turn };
        self.asked_at = Some(room.seq);
        // It has room for one, and none is under way.
        self.is_thinking = self.ask.try_send(request).is_ok();
    }

    /// Plays what the engine chose, if that is still the position.
    fn play(&mut self, moves: &[Point], point: Point) {
        self.is_thinking = false;
        let is_current =
            self.table.room().running().is_some_and(|game| game.position.moves() == moves);
        if is_current && self.table.is_my_turn() {
            self.asked_at = Some(self.table.room().seq);
            let id = self.table.send(RoomRequest::Play { ply: moves.len(), point });
            self.unanswered.push_back(id);
        } else {
            self.asked_at = None;
            self.think();
        }
    }

    /// Says something to all in the room. Where nobody may talk, that is refused and no matter.
    fn say(&mut self, text: &str) {
        if let Ok(text) = ChatText::new(text) {
            self.table.send(RoomRequest::Say { text });
        }
    }

    /// Says why, and gives up the game if one is running.
    async fn give_up(&mut self, fault: &Fault, view: &mut dyn View) -> io::Result<()> {
        if self.table.room().running().is_none() {
            return Ok(());
        }
        self.say(&format!("The engine gives up: {}.", fault.public()));
        let resign = self.table.send(RoomRequest::Resign);
        let until_answered = async {
            loop {
                let event = self.table.next().await;
                view.event(&self.table, &event)?;
                match event {
                    TableEvent::Message(message) if message.answers() == Some(&resign) => {
                        return Ok(());
                    }
                    TableEvent::Ended { .. } => return Ok(()),
                    TableEvent::Message(_) | TableEvent::Lost { .. } | TableEvent::Back => {}
                }
            }
        };
        // A server that does not answer will notice that the engine is gone.
        timeout(FAREWELL, until_answered).await.unwrap_or(Ok(()))
    }
}

/// The engine's thread.
struct EngineThread {
    engine: Option<GomocupEngine>,
    command: EngineCommand,
    rules: Rules,
    retries: u32,
}

impl EngineThread {
    /// Answers requests until nobody asks or listens any more, or the engine has failed once too
    /// often.
    fn run(
        mut self,
        mut requests: mpsc::Receiver<MoveRequest>,
        replies: &mpsc::Sender<EngineReply>,
    ) {
        while let Some(request) = requests.blocking_recv() {
            loop {
                let answer = match self.choose(&request) {
                    Ok(point) => {
                        EngineReply::Move { moves: request.position.moves().to_vec(), point }
                    }
                    Err(fault) if self.retries > 0 => EngineReply::Restarting(fault),
                    Err(fault) => EngineReply::Failed(fault),
                };
                let is_again = matches!(answer, EngineReply::Restarting(_));
                if replies.blocking_send(answer).is_err() {
                    return;
                }
                if !is_again {
                    break;
                }
                self.retries -= 1;
            }
        }
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<Point, Fault> {
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => GomocupEngine::start(self.command.clone(), self.rules)?,
        };
        let (point, _) = engine.choose(&request.position, Some(request.turn), None)?;
        self.engine = Some(engine);
        Ok(point)
    }
}
