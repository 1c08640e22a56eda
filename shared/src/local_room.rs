//! A room without a server: one person against a bot, or two people at one board.
//!
//! Drives the same [`Room`] as the server and decides nothing about the game. It knows no clock, no
//! threads and no screen: the caller passes in the time, runs the bots, and wakes the room at its
//! [`deadline`](LocalRoom::deadline). Two people at one board are two members of the room; a request
//! comes from the one who may make it.

use std::time::Duration;

use crate::{
    bot_spec::BotSpec,
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{
        Colour, CommandId, Create, Event, MemberId, Message, Name, NumberedEvent, Player, Refusal,
        RoomCode, RoomRequest, SeatRequest, Visibility,
    },
    questions::open_position,
    room::{
        AnalysisUpdate, Effect, Effects, Entry, FoldError, Founding, Input, Job, Member, Room,
        RoomLimits, RoomSeeds, RoomState, SessionId, Ticket, limits::SPECTATOR_NEWS_INTERVAL_MS,
    },
    rules::{Point, Rules, Stone},
    seat::Seat,
};

/// How a local room starts.
#[derive(Clone, PartialEq, Debug)]
pub struct LocalSetup {
    /// The variant and the board.
    pub rules: Rules,
    /// How each game opens.
    pub opening: OpeningKind,
    /// How much time the players have.
    pub time: TimeControl,
    /// Who plays.
    pub players: LocalPlayers,
    /// The first person's colour in the first game.
    pub colour: Stone,
}

/// Who plays in a local room.
#[derive(Clone, PartialEq, Debug)]
pub enum LocalPlayers {
    /// A person against a bot.
    AgainstBot {
        /// The person's name.
        name: Name,
        /// The bot.
        bot: BotSpec,
    },
    /// Two people, by their names.
    Two([Name; 2]),
}

/// What does not come from the log of a local room, and may change when it is restored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalOptions {
    /// Drives the bot's random choices.
    pub seed: u64,
    /// Shortest time before a bot replies.
    pub bot_answer_min: Duration,
}

/// Something for the caller to do.
#[derive(Clone, PartialEq, Debug)]
pub enum LocalEffect {
    /// Show this event, and keep it if the room is to be restored later.
    Event(NumberedEvent),
    /// Show this message.
    Message(Message),
    /// Have a bot think; the reply comes back as [`Input::BotReplied`].
    Think(Job),
    /// Cancel the job.
    CancelThinking(Ticket),
    /// A bot gave no usable reply, and the room continues without it.
    BotFailed,
}

impl LocalEffect {
    fn event(self) -> Option<NumberedEvent> {
        match self {
            Self::Event(event) => Some(event),
            Self::Message(_) | Self::Think(_) | Self::CancelThinking(_) | Self::BotFailed => None,
        }
    }
}

/// A room and the people at its board.
#[derive(Debug)]
pub struct LocalRoom {
    room: Room,
    /// One or two. The first one is the host.
    people: Vec<Person>,
}

/// A person: a member of the room with their own session.
#[derive(Clone, Debug)]
struct Person {
    session: SessionId,
    member: Member,
}

impl LocalRoom {
    /// Starts the first game.
    ///
    /// # Errors
    /// When the bot or the opening is not offered by the rules.
    pub fn new(
        now: u64,
        setup: LocalSetup,
        options: LocalOptions,
    ) -> Result<(Self, Vec<LocalEffect>), Refusal> {
        let LocalSetup { rules, opening, time, players, colour } = setup;
        let (people, opponent) = match players {
            LocalPlayers::AgainstBot { name, bot } => {
                (vec![Person::new(0, name)], SeatRequest::Bot(bot))
            }
            LocalPlayers::Two([first, second]) => {
                (vec![Person::new(0, first), Person::new(1, second)], SeatRequest::Open)
            }
        };
        let create = Create {
            rules,
            opening,
            visibility: Visibility::Private,
            assistance: true,
            seats: [SeatRequest::Me, opponent],
            colour: match colour {
                Stone::Black => Colour::Black,
                Stone::White => Colour::White,
            },
            time,
            chat: false,
        };
        let founding = Founding {
            code: Self::code(),
            host: people[0].member.clone(),
            command: command_id("create"),
            create,
            coin: true,
            seeds: seeds(options),
            demo: false,
            paired: None,
        };
        let begun = before_news(now);
        let mut effects = Effects::new();
        let room = Room::create(begun, founding, limits(options), &mut effects)?;
        let mut local = Self { room, people };
        let mut done = local.perform(begun, effects);
        done.extend(local.enter(begun));
        if let [_, Person { session, .. }] = local.people[..] {
            let (id, request) = (command_id("sit"), RoomRequest::Sit { seat: None });
            done.extend(local.apply(begun, Input::Command { session, id, request, lag_ms: 0 }));
        }
        done.extend(local.apply(now, Input::Wake));
        Ok((local, done))
    }

    /// Starts the first game with these moves already made, Black's first. Its opening is free, and
    /// it has no clock.
    ///
    /// # Errors
    /// As [`new`](Self::new); and when a move is illegal, or the game would be over.
    pub fn from_position(
        now: u64,
        setup: LocalSetup,
        moves: &[Point],
        options: LocalOptions,
    ) -> Result<(Self, Vec<LocalEffect>), Refusal> {
        open_position(setup.rules, moves)?;
        let setup = LocalSetup { opening: OpeningKind::Free, time: TimeControl::None, ..setup };
        let (_, begun) = Self::new(now, setup, options)?;
        let mut log: Vec<NumberedEvent> =
            begun.into_iter().filter_map(LocalEffect::event).collect();
        let first = log.len();
        let played = |(ply, &point)| Event::Played { ply, point, assisted: false, time: None };
        let events = moves.iter().enumerate().map(played);
        let numbered = (1..).skip(first).zip(events);
        log.extend(numbered.map(|(seq, event)| NumberedEvent { seq, at: now, event }));
        let (room, news) = Self::restore(now, log.clone(), options).map_err(Refusal::malformed)?;
        Ok((room, log.into_iter().map(LocalEffect::Event).chain(news).collect()))
    }

    /// Goes on with a room from the events that [`LocalEffect::Event`] has passed on.
    ///
    /// # Errors
    /// When they are not the log of a room.
    pub fn restore(
        now: u64,
        log: Vec<NumberedEvent>,
        options: LocalOptions,
    ) -> Result<(Self, Vec<LocalEffect>), FoldError> {
        let entries: Vec<Entry> =
            log.into_iter().map(|event| Entry { event, cause: None }).collect();
        let begun = before_news(now);
        let mut effects = Effects::new();
        let (code, limits) = (Self::code(), limits(options));
        let room = Room::from_log(begun, code, seeds(options), &entries, limits, &mut effects)?;
        let seats = &room.state().seats;
        let mut people: Vec<Person> =
            Seat::BOTH.into_iter().filter_map(|seat| Person::of(seats.get(seat)?)).collect();
        people.sort_by(|one, other| one.member.id.cmp(&other.member.id));
        let mut local = Self { room, people };
        let mut done = local.perform(begun, effects);
        done.extend(local.enter(begun));
        done.extend(local.apply(now, Input::Wake));
        Ok((local, done))
    }

    /// A placeholder room code, unknown to any server.
    pub fn code() -> RoomCode {
        RoomCode::try_from("2".repeat(12)).expect("12 allowed characters")
    }

    /// The public id of the first person.
    pub fn host() -> MemberId {
        member_id(0)
    }

    /// The room as its members see it.
    pub const fn state(&self) -> &RoomState {
        self.room.state()
    }

    /// When [`Input::Wake`] is due.
    pub fn deadline(&self) -> Option<u64> {
        self.room.deadline()
    }

    /// The person whom the room waits for: they answer an offer, or make the next move.
    pub fn awaited(&self) -> &MemberId {
        let game = self.room.state().running();
        let answer = game.and_then(|game| game.draw_offer).map(Seat::other);
        let seat = answer.or_else(|| game.and_then(|game| game.to_act()));
        let person = seat.and_then(|seat| self.person_in(seat)).unwrap_or(&self.people[0]);
        &person.member.id
    }

    /// Sends a request to the room on behalf of the person who may make it.
    pub fn take(&mut self, now: u64, id: &CommandId, request: &RoomRequest) -> Vec<LocalEffect> {
        let (session, request) = (self.sender(request), request.clone());
        let input = Input::Command { session, id: id.clone(), request, lag_ms: 0 };
        let mut done = self.apply(now, input);
        if let Some((session, request)) = self.consent() {
            let input = Input::Command { session, id: id.clone(), request, lag_ms: 0 };
            let mut effects = Effects::new();
            self.room.apply(now, input, &mut effects);
            // Nobody sent this request, so nobody expects its answer.
            effects.retain(|effect| {
                !matches!(effect, Effect::Send { message, .. } if message.answers() == Some(id))
            });
            done.extend(self.perform(now, effects));
        }
        done
    }

    /// Passes an input to the room.
    pub fn apply(&mut self, now: u64, input: Input) -> Vec<LocalEffect> {
        let mut effects = Effects::new();
        self.room.apply(now, input, &mut effects);
        self.perform(now, effects)
    }

    fn enter(&mut self, now: u64) -> Vec<LocalEffect> {
        let mut done = Vec::new();
        for Person { session, member } in self.people.clone() {
            let command = command_id("enter");
            done.extend(self.apply(now, Input::Enter { session, member, command, after: None }));
        }
        done
    }

    fn perform(&mut self, now: u64, effects: Effects) -> Vec<LocalEffect> {
        let mut done = Vec::new();
        for effect in effects {
            match effect {
                Effect::Append { entry, finished: _ } => done.push(LocalEffect::Event(entry.event)),
                // All sessions belong to the same board.
                Effect::Send { message, .. }
                | Effect::SendMany { message, .. }
                | Effect::Broadcast(message)
                | Effect::BroadcastExcept { message, .. } => {
                    done.push(LocalEffect::Message(message));
                }
                Effect::Think(job) => done.push(LocalEffect::Think(job)),
                Effect::CancelThinking(ticket) => done.push(LocalEffect::CancelThinking(ticket)),
                // Views analyse by themselves.
                Effect::Analyse { ticket, .. } => {
                    let found = AnalysisUpdate::Busy;
                    done.extend(self.apply(now, Input::Analysed { ticket, found }));
                }
                Effect::BotFailed { .. } => done.push(LocalEffect::BotFailed),
                // A view follows every event from its first state on, and does not leave.
                Effect::Listen(_) | Effect::Dismiss(_) | Effect::Close => {}
            }
        }
        done
    }

    /// The person who sends this request: at one board, the person allowed to make it.
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
                | RoomRequest::DeclineRematch
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

    /// The other person's answer to a request at one board: they agree at once to a takeback and
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
    fn new(number: u64, name: Name) -> Self {
        Self { session: SessionId(number), member: Member::person(member_id(number), name) }
    }

    /// The person in a seat, if it is one.
    fn of(player: &Player) -> Option<Self> {
        match player {
            Player::Member { member, name, .. } => {
                Some(Self::new(u64::from(*member != member_id(0)), name.clone()))
            }
            Player::Bot { .. } => None,
        }
    }
}

/// The room lists the second person as a spectator until they sit, and corrects the list after this
/// interval: start that much earlier, so that no correction is left to send.
const fn before_news(now: u64) -> u64 {
    now.saturating_sub(SPECTATOR_NEWS_INTERVAL_MS)
}

const fn seeds(options: LocalOptions) -> RoomSeeds {
    // The game ids here are never looked up.
    RoomSeeds { seed: options.seed, secret: [0; 32] }
}

const fn limits(options: LocalOptions) -> RoomLimits {
    RoomLimits { bot_answer_min: options.bot_answer_min, ..RoomLimits::DEFAULT }
}

fn member_id(number: u64) -> MemberId {
    MemberId::try_from(format!("{number:016x}")).expect("16 digits")
}

fn command_id(text: &str) -> CommandId {
    CommandId::try_from(text).expect("a short plain id")
}
