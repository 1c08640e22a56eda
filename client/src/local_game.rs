//! Plays a game in this process, without a server: two people at one keyboard, or one against a
//! bot.
//!
//! Drives the same [`Room`] as the server and decides nothing about the game: requests become the
//! room's inputs, its effects become messages for the table, bots think on their own threads, and
//! timers wake the room at its deadline. Two people at one keyboard are two members of the room;
//! the table sees them as one member with both seats.

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
    bot_job,
    bot_spec::BotSpec,
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{
        Colour, CommandId, Create, Event, MemberId, Message, Name, Player, Refusal, RoomCode,
        RoomRequest, SeatRequest, Visibility,
    },
    room::{
        AnalysisUpdate, BotReply, Effect, Effects, Founding, Input, Job, Member, Room, RoomLimits,
        RoomSeeds, RoomState, SessionId, Ticket, limits::SPECTATOR_NEWS_INTERVAL_MS,
    },
    rules::{Rules, Stone},
    search_budget::{Budget, Thinking},
    seat::Seat,
};
use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::sync::oneshot;

use crate::connection::TableEvent;

/// The most time for a bot's move or weights.
const BUDGET: Budget = Budget { time: Duration::from_secs(2), nodes: None };

/// A bot answers a person as soon as it can.
const LIMITS: RoomLimits = RoomLimits { bot_answer_min: Duration::ZERO, ..RoomLimits::DEFAULT };

/// A room in this process and the people at its keyboard.
#[derive(Debug)]
pub struct LocalGame {
    room: Room,
    /// One or two. The first one is the host.
    people: Vec<Person>,
    outgoing: VecDeque<TableEvent>,
    jobs: Vec<BotJob>,
}

/// A person at the keyboard: a member of the room with their own session.
#[derive(Clone, Debug)]
struct Person {
    session: SessionId,
    member: Member,
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
        let people = match bot {
            Some(_) => vec![Person::new(0, "You")],
            None => vec![Person::new(0, "Player 1"), Person::new(1, "Player 2")],
        };
        let create = Create {
            rules,
            opening,
            visibility: Visibility::Private,
            assistance: true,
            seats: [SeatRequest::Me, bot.map_or(SeatRequest::Open, SeatRequest::Bot)],
            colour: match colour {
                Stone::Black => Colour::Black,
                Stone::White => Colour::White,
            },
            time: TimeControl::None,
            chat: false,
        };
        let founding = Founding {
            code: Self::code(),
            host: people[0].member.clone(),
            command: command_id("create"),
            create,
            coin: true,
            // The game ids here are never looked up.
            seeds: RoomSeeds { seed, secret: [0; 32] },
            demo: false,
            paired: None,
        };
        // The room lists the second person as a spectator until they sit, and corrects the list
        // after this interval: start that much earlier, so that no correction is left to send.
        let now = now();
        let begun = now.saturating_sub(SPECTATOR_NEWS_INTERVAL_MS);
        let mut effects = Effects::new();
        let room = Room::create(begun, founding, LIMITS, &mut effects)?;
        let mut game = Self { room, people, outgoing: VecDeque::new(), jobs: Vec::new() };
        game.perform(effects);
        for Person { session, member } in game.people.clone() {
            let command = command_id("enter");
            game.apply(begun, Input::Enter { session, member, command, after: None });
        }
        if let [_, Person { session, .. }] = game.people[..] {
            let (id, request) = (command_id("sit"), RoomRequest::Sit { seat: None });
            game.apply(begun, Input::Command { session, id, request, lag_ms: 0 });
        }
        game.apply(now, Input::Wake);
        // The table starts from the state and needs only later messages.
        game.outgoing.clear();
        Ok(game)
    }

    /// The public id of the people at this keyboard.
    pub fn member() -> MemberId {
        member_id(0)
    }

    /// A placeholder room code, unknown to any server.
    pub fn code() -> RoomCode {
        RoomCode::try_from("2".repeat(12)).expect("12 allowed characters")
    }

    /// The room as the table sees it.
    pub fn room(&self) -> RoomState {
        let mut state = self.room.state().clone();
        for seat in Seat::BOTH {
            state.seats[seat].iter_mut().for_each(show_as_one);
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
        let (session, request) = (self.sender(request), request.clone());
        self.apply(now(), Input::Command { session, id: id.clone(), request, lag_ms: 0 });
        if let Some((session, request)) = self.consent() {
            let input = Input::Command { session, id: id.clone(), request, lag_ms: 0 };
            let mut effects = Effects::new();
            self.room.apply(now(), input, &mut effects);
            // The table did not send this request and expects no answer.
            effects.retain(|effect| {
                !matches!(effect, Effect::Send { message, .. } if message.answers() == Some(id))
            });
            self.perform(effects);
        }
    }

    fn apply(&mut self, now: u64, input: Input) {
        let mut effects = Effects::new();
        self.room.apply(now, input, &mut effects);
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

    fn perform(&mut self, effects: Effects) {
        for effect in effects {
            match effect {
                Effect::Append { entry, finished: _ } => {
                    let mut event = entry.event;
                    show_players_as_one(&mut event.event);
                    self.send(Message::Event { room: Self::code(), event });
                }
                // All sessions belong to the same table.
                Effect::Send { message, .. }
                | Effect::SendMany { message, .. }
                | Effect::Broadcast(message)
                | Effect::BroadcastExcept { message, .. } => self.send(message),
                Effect::Think(job) => self.jobs.push(BotJob::start(job)),
                Effect::CancelThinking(ticket) => self.jobs.retain(|job| job.ticket != ticket),
                // No view requests this: `fivefold analyse` does it.
                Effect::Analyse { ticket, .. } => {
                    let found = AnalysisUpdate::Busy;
                    self.apply(now(), Input::Analysed { ticket, found });
                }
                Effect::BotFailed { .. } => self.outgoing.push_back(TableEvent::BotFailed),
                // The table follows every event from its first state on, and does not leave.
                Effect::Listen(_) | Effect::Dismiss(_) | Effect::Close => {}
            }
        }
    }

    fn send(&mut self, message: Message) {
        self.outgoing.push_back(TableEvent::Message(Box::new(message)));
    }

    /// The person who sends this request: at one keyboard, the person allowed to make it.
    fn sender(&self, request: &RoomRequest) -> SessionId {
        let seats = &self.room.state().seats;
        let is_seated = |person: &&Person| seats.of_member(&person.member.id).is_some();
        let due = self.room.state().game.as_ref().and_then(|game| {
            let turn = game.to_act().unwrap_or_else(|| game.seat_of(game.position.turn()));
            match request {
                RoomRequest::Sit { .. } | RoomRequest::SitAsEngine { .. } => {
                    self.people.iter().find(|person| !is_seated(person))
                }
                RoomRequest::AcceptDraw | RoomRequest::DeclineDraw => {
                    self.person_in(game.draw_offer.map_or(turn, Seat::other))
                }
                // The last move is the one to take back.
                // And the one who waits asks whether the other is there.
                RoomRequest::AskTakeback | RoomRequest::Nudge => self.person_in(turn.other()),
                RoomRequest::Stand
                | RoomRequest::SeatBot { .. }
                | RoomRequest::RemoveBot { .. }
                | RoomRequest::Play { .. }
                | RoomRequest::Choose { .. }
                | RoomRequest::Resign
                | RoomRequest::Abort
                | RoomRequest::OfferDraw
                | RoomRequest::GrantTakeback
                | RoomRequest::RefuseTakeback
                | RoomRequest::ClaimWin
                | RoomRequest::ClaimDraw
                | RoomRequest::Rematch
                | RoomRequest::Say { .. }
                | RoomRequest::Chat
                | RoomRequest::SetChat { .. }
                | RoomRequest::Weights { .. }
                | RoomRequest::BotMove { .. }
                | RoomRequest::Analyse { .. }
                | RoomRequest::StopAnalysis => self.person_in(turn),
            }
        });
        due.or_else(|| self.people.iter().find(is_seated)).unwrap_or(&self.people[0]).session
    }

    /// The other person's answer to a request at one keyboard: they agree at once to a takeback and
    /// to a rematch. They must answer a draw offer themselves.
    fn consent(&self) -> Option<(SessionId, RoomRequest)> {
        let game = self.room.state().game.as_ref()?;
        let (by, request) = match (game.takeback_ask, game.rematch_ask) {
            (Some(by), _) => (by, RoomRequest::GrantTakeback),
            (None, Some(by)) => (by, RoomRequest::Rematch),
            (None, None) => return None,
        };
        Some((self.person_in(by.other())?.session, request))
    }

    fn person_in(&self, seat: Seat) -> Option<&Person> {
        let player = self.room.state().seats.get(seat)?;
        self.people.iter().find(|person| player.is_member(&person.member.id))
    }
}

impl Person {
    fn new(number: u64, name: &str) -> Self {
        let name = Name::new(name).expect("a short plain name");
        Self { session: SessionId(number), member: Member { id: member_id(number), name } }
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
        | Event::Nudged { .. }
        | Event::Ended { .. }
        | Event::RematchAsked { .. }
        | Event::ChatSet { .. } => {}
    }
}

fn show_as_one(player: &mut Player) {
    match player {
        Player::Member { member, .. } => *member = LocalGame::member(),
        Player::Bot { .. } => {}
    }
}

fn member_id(number: u64) -> MemberId {
    MemberId::try_from(format!("{number:016x}")).expect("16 digits")
}

fn command_id(text: &str) -> CommandId {
    CommandId::try_from(text).expect("a short plain id")
}

/// The time, in milliseconds since the Unix epoch.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
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
