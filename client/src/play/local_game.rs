//! Plays a game in this process, without a server: two people at one keyboard, or one against a
//! bot.
//!
//! Runs a [`LocalRoom`]: its messages go to the table, bots think on their own threads, and timers
//! wake the room at its deadline. The table sees two people at one keyboard as one member with both
//! seats.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use fivefold_engine::bot_job;
use fivefold_shared::{
    bot_spec::BotSpec,
    clock::TimeControl,
    local_room::{LocalEffect, LocalOptions, LocalPlayers, LocalRoom, LocalSetup},
    opening::OpeningKind,
    protocol::{CommandId, Event, MemberId, Message, Name, Player, Refusal, RoomCode, RoomRequest},
    room::{BotReply, Input, Job, RoomState, Ticket},
    rules::{Rules, Stone},
    search_budget::{Budget, Thinking},
    seat::Seat,
};
use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::sync::oneshot;

use crate::{own_clock::now, server::connection::TableEvent};

/// The most time for a bot's move or weights.
const BUDGET: Budget = Budget { time: Duration::from_secs(2), ..Budget::UNLIMITED };

/// A room in this process and the people at its keyboard.
#[derive(Debug)]
pub struct LocalGame {
    room: LocalRoom,
    outgoing: VecDeque<TableEvent>,
    jobs: Vec<BotJob>,
}

/// A bot that thinks on a thread of its own. Dropping it cancels the job.
#[derive(Debug)]
struct BotJob {
    ticket: Ticket,
    /// Closed without a reply when the bot fails.
    reply: oneshot::Receiver<BotReply>,
    cancel: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl LocalGame {
    /// Starts the first game. `colour` is that of the first person; `seed` drives the bot's random
    /// choices.
    ///
    /// # Errors
    /// When the bot does not play these rules.
    pub fn new(
        rules: Rules,
        opening: OpeningKind,
        bot: Option<BotSpec>,
        colour: Stone,
        seed: u64,
    ) -> Result<Self, Refusal> {
        let name = |text| Name::new(text).expect("a short plain name");
        let players = match bot {
            Some(bot) => LocalPlayers::AgainstBot { name: name("You"), bot },
            None => LocalPlayers::Two(["Player 1", "Player 2"].map(name)),
        };
        let setup = LocalSetup { rules, opening, time: TimeControl::None, players, colour };
        // A bot answers as soon as it can.
        let options = LocalOptions { seed, bot_answer_min: Duration::ZERO };
        let (room, effects) = LocalRoom::new(now(), setup, options)?;
        let mut game = Self { room, outgoing: VecDeque::new(), jobs: Vec::new() };
        game.perform(effects);
        // The table starts from the state and needs only later messages.
        game.outgoing.clear();
        Ok(game)
    }

    /// The public id of the people at this keyboard.
    pub fn member() -> MemberId {
        LocalRoom::host()
    }

    /// A placeholder room code, unknown to any server.
    pub fn code() -> RoomCode {
        LocalRoom::code()
    }

    /// The room as the table sees it.
    pub fn room(&self) -> RoomState {
        let mut state = self.room.state().clone();
        for seat in Seat::BOTH {
            state.seats[seat].iter_mut().for_each(show_as_one);
            state.game.iter_mut().for_each(|game| show_as_one(&mut game.players[seat]));
        }
        state
    }

    /// The next message for the table. Waits for a bot or for the room's deadline. Cancel-safe.
    pub async fn next(&mut self) -> TableEvent {
        loop {
            if let Some(event) = self.outgoing.pop_front() {
                return event;
            }
            let input = self.next_input().await;
            self.apply(now(), input);
        }
    }

    /// Sends a request to the room. [`next`](Self::next) returns the answer.
    pub fn take(&mut self, id: &CommandId, request: &RoomRequest) {
        let effects = self.room.take(now(), id, request);
        self.perform(effects);
    }

    fn apply(&mut self, now: u64, input: Input) {
        let effects = self.room.apply(now, input);
        self.perform(effects);
    }

    /// The next of two inputs: a bot's reply or the room's deadline.
    async fn next_input(&mut self) -> Input {
        let due = self.room.deadline().map(|at| Duration::from_millis(at.saturating_sub(now())));
        let wait = async {
            match due {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        let mut replies: FuturesUnordered<_> = self.jobs.iter_mut().map(BotJob::wait).collect();
        let (ticket, reply) = tokio::select! {
            biased;
            Some(reply) = replies.next() => reply,
            () = wait => return Input::Wake,
        };
        drop(replies);
        self.jobs.retain(|job| job.ticket != ticket);
        Input::BotReplied { ticket, reply }
    }

    fn perform(&mut self, effects: Vec<LocalEffect>) {
        for effect in effects {
            match effect {
                LocalEffect::Event(mut event) => {
                    show_players_as_one(&mut event.event);
                    self.send(Message::Event { room: Self::code(), event });
                }
                LocalEffect::Message(message) => self.send(message),
                LocalEffect::Think(job) => self.jobs.push(BotJob::start(job)),
                LocalEffect::CancelThinking(ticket) => self.jobs.retain(|job| job.ticket != ticket),
                LocalEffect::BotFailed => self.outgoing.push_back(TableEvent::BotFailed),
            }
        }
    }

    fn send(&mut self, message: Message) {
        self.outgoing.push_back(TableEvent::Message(Box::new(message)));
    }
}

impl BotJob {
    fn start(job: Job) -> Self {
        let (sender, reply) = oneshot::channel();
        let cancel = Arc::new(AtomicBool::new(false));
        let (ticket, cancelled) = (job.ticket, Arc::clone(&cancel));
        let thread = thread::spawn(move || {
            let begun = Instant::now();
            let elapsed = move || begun.elapsed();
            let thinking = Thinking { budget: BUDGET, elapsed: &elapsed, cancel: &cancelled };
            if let Ok(Some(reply)) = bot_job::run(&job, &thinking) {
                // A cancelled job has no receiver.
                drop(sender.send(reply));
            }
        });
        Self { ticket, reply, cancel, thread: Some(thread) }
    }

    async fn wait(&mut self) -> (Ticket, Option<BotReply>) {
        (self.ticket, (&mut self.reply).await.ok())
    }
}

impl Drop for BotJob {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread.
            drop(thread.join());
        }
    }
}

/// Shows the people in the seats as the one member at this keyboard.
fn show_players_as_one(event: &mut Event) {
    match event {
        Event::Sat { player, .. } => show_as_one(player),
        Event::Created { .. }
        | Event::Started { .. }
        | Event::Stood { .. }
        | Event::Renamed { .. }
        | Event::Asked { .. }
        | Event::Played { .. }
        | Event::Stayed { .. }
        | Event::Swapped { .. }
        | Event::Declared { .. }
        | Event::Offered { .. }
        | Event::OpeningOver {}
        | Event::DrawOffered { .. }
        | Event::DrawDeclined { .. }
        | Event::TakebackAsked { .. }
        | Event::TakebackRefused { .. }
        | Event::TakenBack { .. }
        | Event::Resumed { .. }
        | Event::FirstActDue { .. }
        | Event::TimeOff { .. }
        | Event::Nudged { .. }
        | Event::Ended { .. }
        | Event::RematchAsked { .. }
        | Event::RematchDeclined { .. }
        | Event::ChatSet { .. } => {}
    }
}

fn show_as_one(player: &mut Player) {
    match player {
        Player::Member { member, .. } => *member = LocalGame::member(),
        Player::Bot { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::{bot_spec::BotKind, rules::Point};

    use super::*;

    /// Plays tic-tac-toe as Black against a bot, sends these requests one after the other, and
    /// compares the results.
    async fn check(requests: &[RoomRequest], expected: &[&str]) {
        let bot = Some(BotKind::Minimax.into());
        let mut game =
            LocalGame::new(Rules::TIC_TAC_TOE, OpeningKind::Free, bot, Stone::Black, 1).unwrap();
        let mut seen = Vec::new();
        for (number, request) in requests.iter().enumerate() {
            let id = CommandId::try_from(number.to_string()).unwrap();
            game.take(&id, request);
            let mut answered = false;
            while !answered || !game.jobs.is_empty() || !game.outgoing.is_empty() {
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
                    other => panic!("unexpected: {other:?}"),
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
                "takeback_asked",
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
    async fn a_game_goes_on_after_its_bot_has_failed() {
        let bot = Some(BotKind::Minimax.into());
        let mut game =
            LocalGame::new(Rules::TIC_TAC_TOE, OpeningKind::Free, bot, Stone::White, 1).unwrap();
        let ticket = game.jobs[0].ticket;
        game.apply(now(), Input::BotReplied { ticket, reply: None });
        assert_eq!(game.next().await, TableEvent::BotFailed);
        let TableEvent::Message(message) = game.next().await else { panic!("a message") };
        let Message::Event { event, .. } = *message else { panic!("an event: {message:?}") };
        assert!(matches!(event.event, Event::Played { ply: 0, .. }), "{event:?}");
        assert_eq!(game.room().to_act(), Some(Seat::First));
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
                "GameRunning",
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
