//! An external engine as a player in a room, marked as an engine.
//!
//! The engine searches on its own thread while this side follows the room: it grants takebacks,
//! declines draws, accepts rematches, and chats only to explain why it gives up, or that our own
//! bots choose in openings for an engine that cannot. It uses tables and engines, but no sockets or
//! processes.

use std::{collections::VecDeque, io, sync::atomic::AtomicBool, time::Duration};

use clap::ValueEnum;
use fivefold_engine::bot::{self, Resources};
use fivefold_shared::{
    bot_spec::BotKind,
    opening::{Act, Opening, OpeningKind},
    protocol::{ChatText, CommandId, Event, LobbyRequest, Message, RoomRequest},
    rules::{Outcome, Point, Position, Rules},
    search_budget::{Budget, Thinking},
    seat::Seat,
};
use tokio::{
    sync::mpsc,
    task,
    time::{Instant, sleep_until, timeout},
};

use crate::{
    engines::gomocup_engine::{EngineCommand, Fault, GomocupEngine},
    lines::line_interface::View,
    play::{
        exit_reason::ExitReason,
        table::{Table, TableEvent, aborted_by},
    },
};

/// How long to wait for the room's answer when the engine gives up.
const FAREWELL: Duration = Duration::from_secs(5);

/// How an engine plays in a room.
#[derive(Clone, Debug)]
pub struct SeatOptions {
    /// How to run the engine.
    pub engine: EngineCommand,
    /// The most time for a move; a room's clock may leave less.
    pub turn: Duration,
    /// How often to restart the engine after failures before it gives up.
    pub retries: u32,
    /// Leave after this many games; `None` stays.
    pub games: Option<u32>,
    /// Leave so long after a game, unless another one begins; `None` stays.
    pub pause: Option<Duration>,
    /// Who chooses in openings; `None` leaves it to the engine where it can.
    pub openings: Option<OpeningChooser>,
}

/// Who chooses in an opening for an engine.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpeningChooser {
    /// Our own bots.
    Ours,
    /// The engine, which must answer `SWAP2BOARD`.
    Engine,
}

/// An engine that is ready for a room.
#[derive(Debug)]
pub struct ReadyEngine {
    /// The engine.
    pub engine: GomocupEngine,
    /// Who chooses in the room's opening.
    pub chooser: OpeningChooser,
}

/// Starts an engine for a room's rules and asks it for one move, because some refuse only then, and
/// for the first choice where the room opens by swap2. Blocks until it has answered.
///
/// # Errors
/// When the engine refuses or fails.
pub fn engine_for(
    options: &SeatOptions,
    rules: Rules,
    kind: OpeningKind,
) -> Result<ReadyEngine, Fault> {
    let mut engine = GomocupEngine::start(options.engine.clone(), rules)?;
    engine.try_out(&Position::new(rules), options.turn)?;
    engine.renew()?;
    let chooses = match options.openings {
        Some(OpeningChooser::Ours) => false,
        None | Some(OpeningChooser::Engine) if kind.is_free() => false,
        None | Some(OpeningChooser::Engine) => {
            let (opening, empty) = (Opening::new(kind, Seat::First), Position::new(rules));
            let act = engine.choose_swap2(&opening, &empty, Some(options.turn));
            if act.is_err() {
                engine = GomocupEngine::start(options.engine.clone(), rules)?;
            }
            engine.renew()?;
            matches!(act, Ok(Some(_)))
        }
    };
    if options.openings == Some(OpeningChooser::Engine) && !chooses && !kind.is_free() {
        return Err(Fault::NoOpening(kind));
    }
    let chooser = if chooses { OpeningChooser::Engine } else { OpeningChooser::Ours };
    Ok(ReadyEngine { engine, chooser })
}

/// A position to search, or to choose in.
struct MoveRequest {
    position: Position,
    /// The opening, while it runs.
    opening: Option<Opening>,
    turn: Duration,
}

impl MoveRequest {
    /// How far the game has come.
    fn progress(&self) -> (usize, usize) {
        let acts = self.opening.as_ref().map_or(0, |opening| opening.acts().len());
        (self.position.ply(), acts)
    }
}

/// A message from the engine's thread.
enum EngineReply {
    Move {
        moves: Vec<Point>,
        point: Point,
    },
    /// A choice in an opening, after so many stones and acts.
    Act {
        progress: (usize, usize),
        act: Act,
        chooser: OpeningChooser,
    },
    /// The engine failed and is being restarted.
    Restarting(Fault),
    /// The engine failed for the last time.
    Failed(Fault),
}

/// How a stay at a table has ended.
#[derive(Debug)]
pub struct Stay {
    /// Why.
    pub exit_reason: ExitReason,
    /// How many games were played to their end.
    pub games: u32,
    /// The engine, if it can play another game.
    pub engine: Option<ReadyEngine>,
}

/// Plays at the table, where the engine has a seat or one is open, until the room closes, enough
/// games are played, the engine gives up, or `interrupt` completes. The caller closes the table.
///
/// # Errors
/// When no seat can be taken, when the engine gives up or does not begin a game in time, or when the
/// output cannot be written.
pub async fn stay(
    table: &mut Table,
    engine: ReadyEngine,
    options: &SeatOptions,
    view: &mut dyn View,
    interrupt: impl Future<Output = ()>,
) -> anyhow::Result<Stay> {
    let rules = table.room().rules;
    let (ask, requests) = mpsc::channel(1);
    let (give, mut replies) = mpsc::channel(4);
    let (command, retries) = (options.engine.clone(), options.retries);
    let ReadyEngine { engine, chooser } = engine;
    let engine_thread = EngineThread { engine: Some(engine), chooser, command, rules, retries };
    let thinking = task::spawn_blocking(move || engine_thread.run(requests, &give));
    let mut player = EnginePlayer::new(table, options, ask);
    player.begin();
    tokio::pin!(interrupt);
    let exit_reason = loop {
        let pause_over = player.pause_over;
        let pause = async {
            match pause_over {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            event = player.table.next() => {
                view.event(player.table, &event)?;
                if let Some(way_out) = player.table.way_out(&event) {
                    break Ok(way_out);
                }
                if let Some(exit_reason) = player.hear(&event)? {
                    break Ok(exit_reason);
                }
            }
            Some(answer) = replies.recv() => match answer {
                EngineReply::Move { moves, point } => player.play(&moves, point),
                EngineReply::Act { progress, act, chooser } => player.act(progress, act, chooser),
                EngineReply::Restarting(fault) => {
                    let why = fault.public();
                    player.say(&format!("The engine is started again: {why}."));
                }
                EngineReply::Failed(fault) => break Err(fault),
            },
            () = pause => break Ok(ExitReason::Left),
            () = &mut interrupt => break Ok(ExitReason::Interrupted),
        }
    };
    if let Err(fault) = &exit_reason {
        player.give_up(fault, view).await?;
    }
    let EnginePlayer { table, ask, games, .. } = player;
    drop(ask);
    view.leaving(table)?;
    // This ends the search, then the thread.
    drop(replies);
    let engine = thinking.await?;
    match exit_reason {
        Ok(exit_reason) => Ok(Stay { exit_reason, games, engine }),
        Err(fault) => Err(anyhow::Error::new(fault).context("the engine gives up")),
    }
}

/// The engine's side of the table.
struct EnginePlayer<'a> {
    table: &'a mut Table,
    options: &'a SeatOptions,
    ask: mpsc::Sender<MoveRequest>,
    /// The command that asked for a seat, until it is answered.
    sitting: Option<CommandId>,
    /// The room's last event when the engine last answered an offer.
    said_at: Option<u64>,
    /// The room's last event when the engine was last asked for a move, to recognise new positions.
    asked_at: Option<u64>,
    /// The number of games played, and of the last game that ended here.
    games: u32,
    ended: u32,
    /// When it leaves, unless another game begins before.
    pause_over: Option<Instant>,
    is_thinking: bool,
    /// Whether the room knows that our bots choose in its openings.
    chooser_is_known: bool,
    unanswered: VecDeque<CommandId>,
}

impl<'a> EnginePlayer<'a> {
    fn new(table: &'a mut Table, options: &'a SeatOptions, ask: mpsc::Sender<MoveRequest>) -> Self {
        let game = table.room().game.as_ref();
        let is_running = table.room().running().is_some();
        let ended = game.map_or(0, |game| game.number - u32::from(is_running));
        Self {
            table,
            options,
            ask,
            sitting: None,
            said_at: None,
            asked_at: None,
            games: 0,
            ended,
            pause_over: None,
            is_thinking: false,
            chooser_is_known: false,
            unanswered: VecDeque::new(),
        }
    }

    /// Takes a seat; where it has one, the game may be running already.
    fn begin(&mut self) {
        if self.table.seat().is_none() {
            self.sitting = Some(self.table.send(RoomRequest::SitAsEngine { seat: None }));
        }
        self.think();
    }

    /// Reacts to an event; `Some` means leave.
    fn hear(&mut self, event: &TableEvent) -> anyhow::Result<Option<ExitReason>> {
        match event {
            TableEvent::Ended { reason } => return Ok(Some(ExitReason::Ended(reason.clone()))),
            TableEvent::Lost { .. }
            | TableEvent::Back
            | TableEvent::Restored { .. }
            | TableEvent::BotFailed
            | TableEvent::AboutPerson { .. } => {}
            TableEvent::Message(message) => {
                if let Message::Closed { text, .. } = message.as_ref() {
                    return Ok(Some(ExitReason::Ended(text.clone())));
                }
                if let Message::Event { event, .. } = message.as_ref()
                    && let Some(by) = aborted_by(&event.event)
                {
                    let is_ours = self.table.plays(by);
                    anyhow::ensure!(!is_ours, "the engine did not begin the game in time");
                }
                if let Message::Challenged { challenge, .. } = message.as_ref() {
                    // It plays here.
                    let seek = challenge.seek.clone();
                    self.table.send_to_server(LobbyRequest::DeclineChallenge { seek });
                }
                if let Message::Refused { id: Some(id), refusal } = message.as_ref() {
                    anyhow::ensure!(self.sitting.as_ref() != Some(id), "{}", refusal.text);
                    if self.unanswered.contains(id) {
                        // The server refused the move: search the current position again.
                        self.asked_at = None;
                    }
                }
                if let Some(id) = message.answers() {
                    self.unanswered.retain(|waiting| waiting != id);
                }
                // After the last move comes the event of the end, which people want to read.
                if let Message::Event { event, .. } = message.as_ref()
                    && matches!(event.event, Event::Played { .. })
                    && self.table.room().running().is_none()
                {
                    return Ok(None);
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

    /// Whether the engine has played all its games.
    fn has_played_enough(&mut self) -> bool {
        let game = self.table.room().game.as_ref();
        // An aborted game does not count.
        let is_played = |outcome: &Outcome| !matches!(outcome, Outcome::Aborted { .. });
        let ended = game.filter(|game| game.position.outcome().is_some_and(is_played));
        let ended = ended.map(|game| game.number);
        if let Some(number) = ended.filter(|number| *number > self.ended) {
            self.ended = number;
            self.games += 1;
            self.pause_over = self.options.pause.map(|pause| Instant::now() + pause);
        }
        if self.table.room().running().is_some() {
            self.pause_over = None;
        }
        self.options.games.is_some_and(|games| self.games >= games)
    }

    /// Answers the opponent's offers and requests.
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

    /// Starts a search if it is the engine's turn and none is running.
    fn think(&mut self) {
        let room = self.table.room();
        if self.is_thinking || !self.table.is_my_turn() || self.asked_at == Some(room.seq) {
            return;
        }
        let Some(game) = room.running() else { return };
        let budget = game.clock.as_ref().and_then(|clock| clock.budget_ms());
        let budget = budget.map_or(Duration::MAX, Duration::from_millis);
        let turn = self.options.turn.min(budget);
        let opening = Some(&game.opening).filter(|opening| !opening.is_over()).cloned();
        let request = MoveRequest { position: game.position.clone(), opening, turn };
        self.asked_at = Some(room.seq);
        // The channel holds one request, and none is pending.
        self.is_thinking = self.ask.try_send(request).is_ok();
    }

    /// Plays the engine's move, if the position is still the same.
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

    /// Makes a choice in the opening, if it still asks for that.
    fn act(&mut self, progress: (usize, usize), act: Act, chooser: OpeningChooser) {
        self.is_thinking = false;
        let game = self.table.room().running();
        let is_current =
            game.is_some_and(|game| !game.opening.is_over() && game.progress() == progress);
        if is_current && self.table.is_my_turn() {
            if chooser == OpeningChooser::Ours && !self.chooser_is_known {
                self.chooser_is_known = true;
                self.say("Fivefold chooses in the opening for this engine.");
            }
            self.asked_at = Some(self.table.room().seq);
            let id = self.table.send(RoomRequest::Choose { ply: progress.0, act });
            self.unanswered.push_back(id);
        } else {
            self.asked_at = None;
            self.think();
        }
    }

    /// Sends a chat line to the room. A refusal where chat is off does not matter.
    fn say(&mut self, text: &str) {
        if let Ok(text) = ChatText::new(text) {
            self.table.send(RoomRequest::Say { text });
        }
    }

    /// Chats the reason, and resigns if a game is running.
    async fn give_up(&mut self, fault: &Fault, view: &mut dyn View) -> io::Result<()> {
        if self.table.room().running().is_none() {
            return Ok(());
        }
        self.say(&format!("The engine gives up: {}.", fault.public()));
        let resign = self.table.send(RoomRequest::Resign);
        let until_answered = async {
            loop {
                let event = self.table.next().await;
                view.event(self.table, &event)?;
                match event {
                    TableEvent::Message(message) if message.answers() == Some(&resign) => {
                        return Ok(());
                    }
                    TableEvent::Ended { .. } => return Ok(()),
                    TableEvent::Message(_)
                    | TableEvent::Lost { .. }
                    | TableEvent::Back
                    | TableEvent::Restored { .. }
                    | TableEvent::BotFailed
                    | TableEvent::AboutPerson { .. } => {}
                }
            }
        };
        // A server that does not answer will notice the closed socket.
        timeout(FAREWELL, until_answered).await.unwrap_or(Ok(()))
    }
}

/// The thread that runs the engine.
struct EngineThread {
    engine: Option<GomocupEngine>,
    chooser: OpeningChooser,
    command: EngineCommand,
    rules: Rules,
    retries: u32,
}

impl EngineThread {
    /// Answers requests until the channel closes or the engine has failed too often. Returns the
    /// engine if it can go on.
    fn run(
        mut self,
        mut requests: mpsc::Receiver<MoveRequest>,
        replies: &mpsc::Sender<EngineReply>,
    ) -> Option<ReadyEngine> {
        while let Some(request) = requests.blocking_recv() {
            loop {
                let answer = match self.answer(&request) {
                    Ok(answer) => answer,
                    Err(fault) if self.retries > 0 => EngineReply::Restarting(fault),
                    Err(fault) => EngineReply::Failed(fault),
                };
                let is_again = matches!(answer, EngineReply::Restarting(_));
                if replies.blocking_send(answer).is_err() {
                    return None;
                }
                if !is_again {
                    break;
                }
                self.retries -= 1;
            }
        }
        Some(ReadyEngine { engine: self.engine?, chooser: self.chooser })
    }

    fn answer(&mut self, request: &MoveRequest) -> Result<EngineReply, Fault> {
        let MoveRequest { position, opening, turn } = request;
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => GomocupEngine::start(self.command.clone(), self.rules)?,
        };
        let reply = match opening {
            Some(opening) => {
                let own = match self.chooser {
                    OpeningChooser::Engine => {
                        engine.choose_swap2(opening, position, Some(*turn))?
                    }
                    OpeningChooser::Ours => None,
                };
                let (act, chooser) = match own {
                    Some(act) => (act, OpeningChooser::Engine),
                    None => (our_act(opening, position, *turn), OpeningChooser::Ours),
                };
                EngineReply::Act { progress: request.progress(), act, chooser }
            }
            None => {
                let (point, _) = engine.choose(position, Some(*turn), None)?;
                EngineReply::Move { moves: position.moves().to_vec(), point }
            }
        };
        self.engine = Some(engine);
        Ok(reply)
    }
}

/// The act of our strongest bot.
fn our_act(opening: &Opening, position: &Position, turn: Duration) -> Act {
    let began = Instant::now();
    let elapsed = || began.elapsed();
    let cancel = AtomicBool::new(false);
    let budget = Budget { time: turn, ..Budget::UNLIMITED };
    let thinking = Thinking { budget, elapsed: &elapsed, cancel: &cancel };
    let (bot, resources) = (BotKind::Engine.into(), Resources::default());
    bot::opening::choose(bot, opening, position, rand::random(), resources, &thinking)
        .expect("the opening runs")
}
