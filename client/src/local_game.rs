//! A game in this process, without a server: two people at one keyboard, or one against a bot.
//!
//! It answers the same requests by the same messages as a room of a server, so that a view cannot
//! tell them apart. Bots think on a thread of their own, which is cancelled when what they think
//! about is no longer wanted.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use fivefold_shared::{
    analysis::Weight,
    bot,
    bot_spec::{BotError, BotKind, BotSpec},
    clock::TimeControl,
    protocol::{
        CommandId, Event, MemberId, Message, Name, NumberedEvent, Phase, Player, Reason, Refusal,
        RoomCode, RoomRequest, Visibility, WEIGHTS_MAX,
    },
    room::{Game, RoomState},
    rules::{Outcome, Point, Position, Rules, Stone},
    search_budget::{Budget, Thinking},
    seat::Seat,
};
use tokio::sync::oneshot;

use crate::connection::TableEvent;

/// How long a bot may think about a move or about weights.
const BUDGET: Budget = Budget { time: Duration::from_secs(2), nodes: None };

/// The authority over a local game.
#[derive(Debug)]
pub struct LocalGame {
    room: RoomState,
    /// The bot that plays, if one does.
    bot: Option<BotSpec>,
    seed: u64,
    messages: VecDeque<Message>,
    bot_task: Option<BotTask>,
}

/// A bot at work, and what its reply is for.
#[derive(Debug)]
struct BotTask {
    purpose: Purpose,
    answer: oneshot::Receiver<BotReply>,
    cancel: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone, PartialEq, Debug)]
enum Purpose {
    /// The bot's own move.
    Move,
    /// A move for a person.
    Assist(CommandId),
    /// Weights for a person.
    Weigh(CommandId, BotSpec, usize),
}

#[derive(Debug)]
enum BotReply {
    Chosen(Option<Point>),
    Weighed(Vec<Weight>),
}

impl LocalGame {
    /// Starts the first game. With a bot, `colour` is the person's; the `seed` decides what the
    /// bot leaves to chance.
    ///
    /// # Errors
    /// When the bot does not play these rules.
    pub fn new(
        rules: Rules,
        bot: Option<BotSpec>,
        colour: Stone,
        seed: u64,
    ) -> Result<Self, BotError> {
        let person = |name: &str| Player::Member {
            member: Self::member(),
            name: Name::new(name).expect("a short plain name"),
            engine: false,
        };
        let (mine, other) = match bot {
            Some(bot) => {
                bot.offered(rules)?;
                (person("You"), Player::Bot { bot })
            }
            None => (person("Player 1"), person("Player 2")),
        };
        let black = Seat::with_stone(colour, Seat::First);
        let created = Event::Created {
            rules,
            visibility: Visibility::Private,
            assistance: true,
            host: Self::member(),
            time: TimeControl::None,
            chat: false,
            black,
        };
        let room = RoomState::begin(&NumberedEvent { seq: 1, at: now(), event: created })
            .expect("it is the first event");
        let mut game = Self { room, bot, seed, messages: VecDeque::new(), bot_task: None };
        game.apply(Event::Sat { seat: Seat::First, player: mine });
        game.apply(Event::Sat { seat: Seat::Second, player: other });
        game.apply(Event::Started { game: 1, black, id: None });
        // A joining view reads the first state; it receives only later events.
        game.messages.clear();
        game.let_bot_move();
        Ok(game)
    }

    /// The public id of the people at this keyboard.
    pub fn member() -> MemberId {
        MemberId::try_from("0".repeat(16)).expect("16 digits")
    }

    /// What stands in messages where a room's code is due.
    pub fn code() -> RoomCode {
        RoomCode::try_from("2".repeat(12)).expect("12 allowed characters")
    }

    /// The state of the game.
    pub const fn room(&self) -> &RoomState {
        &self.room
    }

    /// The next message; waits for a working bot.
    pub async fn next(&mut self) -> TableEvent {
        loop {
            if let Some(message) = self.messages.pop_front() {
                return TableEvent::Message(Box::new(message));
            }
            let Some(bot_task) = &mut self.bot_task else { return std::future::pending().await };
            let answer = (&mut bot_task.answer).await;
            let purpose = bot_task.purpose.clone();
            self.bot_task = None;
            match answer {
                Ok(answer) => self.bot_replied(purpose, answer),
                Err(_) => return TableEvent::Ended { reason: "the bot has failed".into() },
            }
        }
    }

    /// Takes a request; [`next`](Self::next) returns the answer.
    pub fn take(&mut self, id: CommandId, request: &RoomRequest) {
        match self.decide(&id, request) {
            Ok(Some(events)) => {
                for event in events {
                    self.apply(event);
                }
                self.messages.push_back(Message::Done { id, seq: Some(self.room.seq) });
                self.let_bot_move();
            }
            Ok(None) => {}
            Err(refusal) => self.refuse(id, refusal),
        }
    }

    /// What follows from a request. `None`: a bot is asked, and the answer comes later.
    fn decide(
        &mut self,
        id: &CommandId,
        request: &RoomRequest,
    ) -> Result<Option<Vec<Event>>, Refusal> {
        let events = match *request {
            RoomRequest::Play { ply, point } => {
                self.may_play(ply)?;
                self.play(point, false)?
            }
            RoomRequest::Resign => {
                let winner = self.actor()?.other();
                vec![Event::Ended { outcome: Outcome::Resignation { winner } }]
            }
            RoomRequest::OfferDraw => self.offer_draw()?,
            RoomRequest::AcceptDraw => {
                self.offered_by()?;
                vec![Event::Ended { outcome: Outcome::Agreement }]
            }
            RoomRequest::DeclineDraw => {
                vec![Event::DrawDeclined { by: self.offered_by()?.other() }]
            }
            RoomRequest::AskTakeback => vec![Event::TakenBack { ply: self.ply_to_take_back()? }],
            RoomRequest::GrantTakeback | RoomRequest::RefuseTakeback => {
                return Err(refusal(Reason::NoOffer, "moves are taken back without asking here"));
            }
            RoomRequest::ClaimWin | RoomRequest::ClaimDraw => {
                return Err(refusal(Reason::OpponentHere, "nobody can be away here"));
            }
            RoomRequest::Rematch => vec![self.rematch()?],
            RoomRequest::Weights { bot, ply: None } => {
                let ply = self.room.game.as_ref().ok_or_else(no_game)?.position.ply();
                let bot = self.assistant(bot)?;
                self.ask_bot(bot, Purpose::Weigh(id.clone(), bot, ply));
                return Ok(None);
            }
            RoomRequest::BotMove { ply, bot } => {
                self.may_play(ply)?;
                let bot = self.assistant(bot)?;
                self.ask_bot(bot, Purpose::Assist(id.clone()));
                return Ok(None);
            }
            RoomRequest::Sit { .. }
            | RoomRequest::SitAsEngine { .. }
            | RoomRequest::Stand
            | RoomRequest::SeatBot { .. }
            | RoomRequest::RemoveBot { .. } => {
                return Err(refusal(Reason::NotAllowed, "the seats of a local game do not change"));
            }
            RoomRequest::Say { .. } | RoomRequest::Chat | RoomRequest::SetChat { .. } => {
                return Err(refusal(Reason::ChatOff, "nobody else is here"));
            }
            RoomRequest::Weights { ply: Some(_), .. }
            | RoomRequest::Analyse { .. }
            | RoomRequest::StopAnalysis => {
                return Err(refusal(
                    Reason::NoSuchPly,
                    "`fivefold analyse` looks at earlier moves",
                ));
            }
        };
        Ok(Some(events))
    }

    fn running(&self) -> Result<&Game, Refusal> {
        self.room.running().ok_or_else(no_game)
    }

    /// Who acts: the person against the bot, or the seat that must act.
    fn actor(&self) -> Result<Seat, Refusal> {
        let to_act = self.running()?.to_act().ok_or_else(no_game)?;
        Ok(match self.bot {
            Some(_) => self.room.seats.of_member(&Self::member()).unwrap_or(to_act),
            None => to_act,
        })
    }

    fn may_play(&self, ply: usize) -> Result<(), Refusal> {
        let game = self.running()?;
        if game.position.ply() != ply {
            return Err(refusal(Reason::StalePly, "this move means another moment of the game"));
        }
        if Some(self.actor()?) != game.to_act() {
            return Err(refusal(Reason::NotYourTurn, "it is the bot's turn"));
        }
        Ok(())
    }

    fn play(&self, point: Point, assisted: bool) -> Result<Vec<Event>, Refusal> {
        let mut game = self.running()?.clone();
        let ply = game.position.ply();
        game.position.play(point)?;
        let outcome = game.outcome();
        let played = Event::Played { ply, point, assisted, time: None };
        Ok([played].into_iter().chain(outcome.map(|outcome| Event::Ended { outcome })).collect())
    }

    fn offer_draw(&self) -> Result<Vec<Event>, Refusal> {
        let by = self.actor()?;
        if self.running()?.draw_offer.is_some() {
            return Err(refusal(Reason::AlreadyAsked, "a draw is already offered"));
        }
        let offered = Event::DrawOffered { by };
        Ok(match self.bot {
            Some(_) => vec![offered, Event::DrawDeclined { by: by.other() }],
            None => vec![offered],
        })
    }

    fn offered_by(&self) -> Result<Seat, Refusal> {
        self.running()?.draw_offer.ok_or_else(|| refusal(Reason::NoOffer, "no draw is offered"))
    }

    /// One move for two people, back to the person's own last move against a bot.
    fn ply_to_take_back(&self) -> Result<usize, Refusal> {
        let game = self.running()?;
        let (actor, ply) = (game.stone_of(self.actor()?), game.position.ply());
        (0..ply)
            .rev()
            .find(|&ply| self.bot.is_none() || Stone::to_move(ply) == actor)
            .ok_or_else(|| refusal(Reason::NothingToTakeBack, "there is no move to take back"))
    }

    fn rematch(&self) -> Result<Event, Refusal> {
        let (Phase::Finished, Some(game)) = (self.room.phase(), &self.room.game) else {
            return Err(refusal(Reason::GameRunning, "the game is still running"));
        };
        Ok(Event::Started { game: game.number + 1, black: game.black.other(), id: None })
    }

    /// The bot to be asked for help: the one named, else the opponent, else attack.
    fn assistant(&self, kind: Option<BotKind>) -> Result<BotSpec, Refusal> {
        if self.bot_task.is_some() {
            return Err(refusal(Reason::Busy, "a bot is thinking"));
        }
        let bot = kind.map(BotSpec::from).or(self.bot).unwrap_or(BotKind::Attack.into());
        match bot.offered(self.room.rules) {
            Ok(()) => Ok(bot),
            Err(error) => Err(refusal(Reason::BotNotOffered, &error.to_string())),
        }
    }

    fn apply(&mut self, event: Event) {
        let event = NumberedEvent { seq: self.room.seq + 1, at: now(), event };
        self.room.apply(&event).expect("only what fits is decided");
        self.messages.push_back(Message::Event { room: Self::code(), event });
    }

    fn refuse(&mut self, id: CommandId, refusal: Refusal) {
        self.messages.push_back(Message::Refused { id: Some(id), refusal });
    }

    /// Starts the bot when it is to move, and cancels a task about another position.
    fn let_bot_move(&mut self) {
        self.bot_task = None;
        let to_act = self.room.to_act();
        let to_move = to_act.and_then(|seat| self.room.seats.get(seat)).and_then(Player::bot);
        if let Some(bot) = to_move {
            self.ask_bot(bot, Purpose::Move);
        }
    }

    fn ask_bot(&mut self, bot: BotSpec, purpose: Purpose) {
        let Some(game) = &self.room.game else { return };
        let position = game.position.clone();
        let seed = self.seed ^ u64::try_from(position.ply()).unwrap_or(0);
        self.bot_task = Some(BotTask::start(bot, seed, position, purpose));
    }

    fn bot_replied(&mut self, purpose: Purpose, answer: BotReply) {
        match (purpose, answer) {
            (Purpose::Weigh(id, bot, ply), BotReply::Weighed(mut weights)) => {
                weights.truncate(WEIGHTS_MAX);
                self.messages.push_back(Message::Weights {
                    id,
                    room: Self::code(),
                    ply,
                    bot,
                    weights,
                });
            }
            (Purpose::Assist(id), BotReply::Chosen(Some(point))) => match self.play(point, true) {
                Ok(events) => {
                    for event in events {
                        self.apply(event);
                    }
                    self.messages.push_back(Message::Done { id, seq: Some(self.room.seq) });
                }
                Err(refusal) => self.refuse(id, refusal),
            },
            (Purpose::Move, BotReply::Chosen(Some(point))) => {
                for event in self.play(point, false).unwrap_or_default() {
                    self.apply(event);
                }
            }
            (Purpose::Move | Purpose::Assist(_), BotReply::Chosen(None) | BotReply::Weighed(_))
            | (Purpose::Weigh(..), BotReply::Chosen(_)) => {}
        }
        self.let_bot_move();
    }
}

impl BotTask {
    fn start(bot: BotSpec, seed: u64, position: Position, purpose: Purpose) -> Self {
        let (speak, answer) = oneshot::channel();
        let cancel = Arc::new(AtomicBool::new(false));
        let (cancelled, weigh) = (Arc::clone(&cancel), matches!(purpose, Purpose::Weigh(..)));
        let thread = thread::spawn(move || {
            let Ok(mut bot) = bot::build(bot, position.rules(), seed) else { return };
            let begun = Instant::now();
            let elapsed = move || begun.elapsed();
            let thinking = Thinking { budget: BUDGET, elapsed: &elapsed, cancel: &cancelled };
            let answer = if weigh {
                BotReply::Weighed(bot.weigh(&position, &thinking))
            } else {
                BotReply::Chosen(bot.choose(&position, &thinking))
            };
            // Nobody reads the reply of a cancelled task.
            drop(speak.send(answer));
        });
        Self { purpose, answer, cancel, thread: Some(thread) }
    }
}

impl Drop for BotTask {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported where it happened.
            drop(thread.join());
        }
    }
}

fn refusal(reason: Reason, text: &str) -> Refusal {
    Refusal::new(reason, text)
}

fn no_game() -> Refusal {
    refusal(Reason::NoGame, "no game is running")
}

/// The time, in milliseconds since the Unix epoch.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays tic-tac-toe as Black against a bot, asks these things one after the other, and says
    /// what came of each.
    async fn check(requests: &[RoomRequest], expected: &[&str]) {
        let bot = Some(BotKind::Minimax.into());
        let mut game = LocalGame::new(Rules::TIC_TAC_TOE, bot, Stone::Black, 1).unwrap();
        let mut seen = Vec::new();
        for (number, request) in requests.iter().enumerate() {
            let id = CommandId::try_from(number.to_string()).unwrap();
            game.take(id.clone(), request);
            let mut answered = false;
            while !answered || game.bot_task.is_some() || !game.messages.is_empty() {
                let TableEvent::Message(message) = game.next().await else { panic!("a message") };
                answered |= message.answers() == Some(&id);
                seen.push(match *message {
                    Message::Event { event, .. } => {
                        let event = serde_json::to_value(&event.event).unwrap();
                        event["type"].as_str().unwrap().to_owned()
                    }
                    Message::Done { .. } => "done".to_owned(),
                    Message::Weights { weights, .. } => format!("{} weights", weights.len()),
                    Message::Refused { refusal, .. } => format!("{:?}", refusal.reason),
                    other => panic!("not messages here: {other:?}"),
                });
            }
        }
        assert_eq!(seen, expected);
    }

    fn play(ply: usize, x: i32, y: i32) -> RoomRequest {
        RoomRequest::Play { ply, point: Point::new(x, y) }
    }

    #[tokio::test]
    async fn the_bot_answers_and_gives_moves_back() {
        check(
            &[play(0, 1, 1), RoomRequest::AskTakeback, play(0, 1, 1), RoomRequest::OfferDraw],
            &[
                "played",
                "done",
                "played",
                "taken_back",
                "done",
                "played",
                "done",
                "played",
                "draw_offered",
                "draw_declined",
                "done",
            ],
        )
        .await;
    }

    #[tokio::test]
    async fn bots_help() {
        check(
            &[
                RoomRequest::Weights { bot: None, ply: None },
                RoomRequest::BotMove { ply: 0, bot: Some(BotKind::Attack) },
                RoomRequest::Weights { bot: Some(BotKind::Pattern), ply: None },
            ],
            &["9 weights", "played", "done", "played", "BotNotOffered"],
        )
        .await;
    }

    #[tokio::test]
    async fn what_cannot_be_is_refused() {
        check(
            &[
                RoomRequest::AskTakeback,
                RoomRequest::Rematch,
                RoomRequest::AcceptDraw,
                RoomRequest::Stand,
                play(1, 1, 1),
                play(0, 3, 3),
                RoomRequest::Resign,
                play(0, 1, 1),
                RoomRequest::Rematch,
            ],
            &[
                "NothingToTakeBack",
                "GameRunning",
                "NoOffer",
                "NotAllowed",
                "StalePly",
                "Outside",
                "ended",
                "done",
                "NoGame",
                "started",
                "done",
                "played",
            ],
        )
        .await;
    }
}
