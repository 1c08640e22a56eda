//! Property tests: invariants after any inputs in any order. The harness checks after each input
//! that the room matches its log, that nobody sits twice, that a bot on turn has been asked, and
//! that a flag falls when it is time.

use std::{collections::HashMap, time::Duration};

use crate::clock::millis;
use crate::{
    bot_spec::BotKind,
    opening::{self, any_act},
    protocol::{
        ChatText, CommandId, Event, LineCount, Message, NumberedEvent, Reason, RoomRequest, Seats,
    },
    rules::{Outcome, Point, Stone},
    seat::Seat,
};
use proptest::prelude::*;

use super::harness::{Table, command_id, member};
use crate::{
    room::limits::RoomLimits,
    room::{BotReply, Cause, Effect, Effects, Input, SessionId, Ticket},
};

/// A session belongs to the member at its remainder, so that each has two: session 1 is Ann's.
const NAMES: [&str; 3] = ["Cid", "Ann", "Bob"];

/// Short, so that random players come to it.
pub(super) const NUDGE_AFTER: Duration = Duration::from_secs(15);

/// One random action.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Enter(u64, Option<u64>),
    /// By a command or not.
    Leave(u64, bool),
    Ask(u64, RoomRequest),
    /// A move at the current ply, by session 1 or 2, whichever is on turn; in an opening, a legal
    /// act.
    Move(Point),
    /// Repeats an earlier command, counted from the last, from either session of its member.
    Repeat(bool, usize),
    /// The oldest job is answered.
    Think(Option<BotReply>),
    Wait(u64),
    /// A commit has failed, and nothing was lost by it.
    Rebuild,
    /// The server has restarted, and both players come back.
    Restart,
    /// A session that was or was not in goes on after an event.
    Resume(u64, Option<u64>),
    /// The node of two sessions is silent.
    Cut(u64, u64),
}

fn act() -> impl Strategy<Value = Act> {
    let session = || prop_oneof![6 => 1..3_u64, 1 => Just(0_u64), 2 => 3..6_u64];
    // One off the board, now and then.
    let point = || (0..4, 0..3).prop_map(Point::from);
    let reply = prop_oneof![
        9 => point().prop_map(|point| Some(BotReply::Move(point))),
        1 => Just(Some(BotReply::Weights(Vec::new()))),
        1 => Just(None),
    ];
    prop_oneof![
        5 => (session(), prop::option::of(0..40_u64)).prop_map(|(s, after)| Act::Enter(s, after)),
        1 => (session(), any::<bool>()).prop_map(|(s, says_so)| Act::Leave(s, says_so)),
        12 => (session(), request()).prop_map(|(s, request)| Act::Ask(s, request)),
        12 => point().prop_map(Act::Move),
        3 => (any::<bool>(), 0..4_usize).prop_map(|(other, back)| Act::Repeat(other, back)),
        4 => reply.prop_map(Act::Think),
        2 => (0..800_u64).prop_map(Act::Wait),
        1 => (0..70_000_u64).prop_map(Act::Wait),
        1 => (0..20_u64).prop_map(|seconds| Act::Wait(seconds * 1_000)),
        1 => Just(Act::Rebuild),
        1 => Just(Act::Restart),
        1 => (session(), prop::option::of(0..40_u64)).prop_map(|(s, after)| Act::Resume(s, after)),
        1 => (session(), session()).prop_map(|(one, other)| Act::Cut(one, other)),
    ]
}

/// The same, and now and then hours pass.
pub(super) fn act_or_hours() -> impl Strategy<Value = Act> {
    let hours = (0..30_u64).prop_map(|hours| Act::Wait(hours * 60 * 60 * 1_000));
    prop_oneof![50 => act(), 1 => hours]
}

/// Random actions for a room where two bots play.
fn bots_act() -> impl Strategy<Value = Act> {
    let point = (0..4, 0..3).prop_map(Point::from);
    prop_oneof![
        3 => (1..3_u64, prop::option::of(0..40_u64)).prop_map(|(s, after)| Act::Enter(s, after)),
        3 => (1..3_u64, any::<bool>()).prop_map(|(s, says_so)| Act::Leave(s, says_so)),
        6 => prop::option::of(point).prop_map(|point| Act::Think(point.map(BotReply::Move))),
        4 => (0..800_u64).prop_map(Act::Wait),
        1 => (0..12_000_u64).prop_map(Act::Wait),
        1 => Just(Act::Rebuild),
        1 => (1..3_u64, prop::option::of(0..40_u64)).prop_map(|(s, after)| Act::Resume(s, after)),
        1 => (1..3_u64, 1..3_u64).prop_map(|(one, other)| Act::Cut(one, other)),
    ]
}

fn time() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["none", "2s", "5s+1s", "byo 1s+2x1s", "move 1s", "1d", "1d+1h"])
}

/// Mostly tiny games, and every opening.
fn rules() -> impl Strategy<Value = (&'static str, &'static str)> {
    let opening = |rules, kinds: &'static [&'static str]| {
        prop::sample::select(kinds).prop_map(move |kind| (rules, kind))
    };
    prop_oneof![
        4 => Just(("mnk:3 3x3", "free")),
        2 => opening("standard 11x11", &["swap1", "swap", "swap2", "pro", "long_pro"]),
        2 => opening("renju 15x15", &["rif", "yamaguchi", "soosyrv8", "taraguchi10"]),
    ]
}

fn request() -> impl Strategy<Value = RoomRequest> {
    let seat = || prop::sample::select(Seat::BOTH.to_vec());
    let ply = || 0..9_usize;
    let bot = || prop::option::of(Just(BotKind::Attack));
    prop_oneof![
        6 => prop::option::of(seat()).prop_map(|seat| RoomRequest::Sit { seat }),
        2 => seat().prop_map(|seat| RoomRequest::SeatBot { seat, bot: BotKind::Minimax.into() }),
        1 => seat().prop_map(|seat| RoomRequest::RemoveBot { seat }),
        1 => (ply(), 0..3).prop_map(|(ply, x)| RoomRequest::Play { ply, point: Point::new(x, 1) }),
        1 => (ply(), prop::sample::select(vec![
            opening::Act::put(vec![Point::new(1, 1)]),
            opening::Act::Take(Stone::Black),
            opening::Act::Offer(vec![Point::new(1, 1)]),
            opening::Act::Select(Point::new(1, 1)),
        ])).prop_map(|(ply, act)| RoomRequest::Choose { ply, act }),
        2 => (ply(), bot()).prop_map(|(ply, bot)| RoomRequest::BotMove { ply, bot }),
        2 => (bot(), prop::option::of(ply()))
            .prop_map(|(bot, ply)| RoomRequest::Weights { bot, ply }),
        2 => Just(RoomRequest::Say { text: ChatText::new("hm").unwrap() }),
        2 => prop::option::of(ply())
            .prop_map(|ply| RoomRequest::Analyse { ply, lines: LineCount::default() }),
        1 => Just(RoomRequest::StopAnalysis),
        1 => Just(RoomRequest::Chat),
        1 => prop::bool::weighted(0.8).prop_map(|on| RoomRequest::SetChat { on }),
        7 => prop::sample::select(vec![
            RoomRequest::Stand,
            RoomRequest::Resign,
            RoomRequest::OfferDraw,
            RoomRequest::AcceptDraw,
            RoomRequest::AskTakeback,
            RoomRequest::ClaimWin,
            RoomRequest::ClaimDraw,
            RoomRequest::Rematch,
        ]),
        3 => prop::sample::select(vec![RoomRequest::Abort, RoomRequest::Nudge]),
        // Answers to short-lived requests, drawn more often.
        9 => prop::sample::select(vec![
            RoomRequest::DeclineDraw,
            RoomRequest::GrantTakeback,
            RoomRequest::RefuseTakeback,
            RoomRequest::DeclineRematch,
        ]),
    ]
}

fn cause(session: SessionId, command: CommandId) -> Cause {
    let name = NAMES[usize::try_from(session.0).unwrap() % NAMES.len()];
    Cause { member: member(name).id, command }
}

/// A table whose commands are watched.
pub(super) struct Watched {
    pub(super) table: Table,
    sent: Vec<(SessionId, CommandId, RoomRequest)>,
    /// The first answers of all commands but those of strangers.
    answers: HashMap<Cause, Message>,
}

impl Watched {
    pub(super) fn of(table: Table) -> Self {
        Self { table, sent: Vec::new(), answers: HashMap::new() }
    }

    /// Bob takes the open seat, as session 2.
    pub(super) fn seat_bob(&mut self) {
        self.act(Act::Enter(2, None));
        self.act(Act::Ask(2, RoomRequest::Sit { seat: None }));
    }

    pub(super) fn act(&mut self, act: Act) {
        match act {
            Act::Enter(session, after) => {
                let name = NAMES[usize::try_from(session).unwrap() % NAMES.len()];
                self.apply(Input::Enter {
                    session: SessionId(session),
                    member: member(name),
                    command: command_id("enter"),
                    after,
                });
            }
            Act::Leave(session, says_so) => {
                let command = says_so.then(|| command_id(&format!("leave{}", self.sent.len())));
                self.apply(Input::Leave { session: SessionId(session), command });
            }
            Act::Ask(session, request) => self.ask(SessionId(session), request),
            Act::Move(point) => self.play_or_choose(point),
            Act::Repeat(other, back) => {
                if let Some((session, id, request)) = self.sent.iter().rev().nth(back).cloned() {
                    let session = if other { (session.0 + 3) % 6 } else { session.0 };
                    self.command(SessionId(session), id, request);
                }
            }
            Act::Think(reply) => {
                if let Some(ticket) = self.table.jobs.keys().next().copied() {
                    self.answer(ticket, reply);
                }
            }
            Act::Wait(ms) => {
                self.table.now += ms;
                self.apply(Input::Wake);
            }
            Act::Resume(session, after) => {
                let name = NAMES[usize::try_from(session).unwrap() % NAMES.len()];
                let sessions = vec![(SessionId(session), member(name))];
                self.apply(Input::Resume { sessions, after });
            }
            Act::Cut(one, other) => {
                let sessions = vec![SessionId(one), SessionId(other)];
                let pause_until = self.table.now + 30_000;
                self.apply(Input::Disconnected { sessions, pause_until });
            }
            Act::Rebuild => {
                self.forget_answers();
                self.table.rebuild();
            }
            Act::Restart => {
                // A closed room is not opened again.
                if !self.table.room.is_closed() {
                    self.forget_answers();
                    self.table.restart();
                    self.act(Act::Enter(1, None));
                    self.act(Act::Enter(2, None));
                }
            }
        }
    }

    /// The player to act chooses in the opening, or else plays this point.
    fn play_or_choose(&mut self, point: Point) {
        let room = &self.table.room;
        let ply = room.state.running().map_or(0, |game| game.position.ply());
        let to_act = room.state.to_act().unwrap_or(room.state.first_black);
        let is_anns = room.state.seats.of_member(&member("Ann").id) == Some(to_act);
        let session = SessionId(if is_anns { 1 } else { 2 });
        let mut number = usize::try_from(point.x * 4 + point.y).unwrap();
        let mut pick = |below| {
            number += 1;
            number % below
        };
        let game = room.state.running();
        let act = game.and_then(|game| any_act(&game.opening, &game.position, &mut pick));
        let request = match act {
            Some(act) => RoomRequest::Choose { ply, act },
            None => RoomRequest::Play { ply, point },
        };
        self.ask(session, request);
    }

    /// The room forgets commands without events, and does them again.
    fn forget_answers(&mut self) {
        self.answers.retain(|_, answer| matches!(answer, Message::Done { seq: Some(_), .. }));
    }

    fn ask(&mut self, session: SessionId, request: RoomRequest) {
        let id = command_id(&format!("c{}", self.sent.len()));
        self.sent.push((session, id.clone(), request.clone()));
        self.command(session, id, request);
    }

    /// A command of somebody present gets one reply at once, or waits for a job.
    fn command(&mut self, session: SessionId, id: CommandId, request: RoomRequest) {
        let present = self.table.room.presence.contains(session);
        let input = Input::Command { session, id: id.clone(), request, lag_ms: 100 };
        let answers = self.apply(input).into_iter().filter(|answered| *answered == id).count();
        let cause = cause(session, id);
        let held = self.table.room.assists.iter().any(|help| help.cause == cause);
        assert_eq!(answers + usize::from(held && present), 1, "{cause:?}");
    }

    fn answer(&mut self, ticket: Ticket, reply: Option<BotReply>) {
        let effects = self.table.answer(ticket, reply);
        self.check_answers(&effects);
    }

    fn apply(&mut self, input: Input) -> Vec<CommandId> {
        let effects = self.table.apply(input);
        self.check_answers(&effects)
    }

    /// The ids that got a reply; checks that each is the same as the first time.
    fn check_answers(&mut self, effects: &Effects) -> Vec<CommandId> {
        let mut answered = Vec::new();
        for effect in effects {
            let Effect::Send { session, message } = effect else { continue };
            let id = match message {
                Message::Done { id, .. } | Message::Refused { id: Some(id), .. } => id,
                Message::Weights { id, .. } | Message::Chat { id, .. } => {
                    answered.push(id.clone());
                    continue;
                }
                Message::Joined { .. } | Message::AnalysisOver { .. } => continue,
                other => panic!("{other:?}"),
            };
            answered.push(id.clone());
            let stranger = matches!(message, Message::Refused { refusal, .. }
                if matches!(refusal.reason, Reason::NotAMember | Reason::NoSuchRoom));
            if !stranger && id.as_str().starts_with('c') {
                let first =
                    self.answers.entry(cause(*session, id.clone())).or_insert(message.clone());
                assert_eq!(first, message, "the same command is answered the same");
            }
        }
        answered
    }
}

/// Numbers without gaps, and one stone a ply: each move follows the one before it, a takeback or
/// the start of a game. In an opening, the events of an act come at once and from the seat that was
/// asked. Bots keep to their pace, on any clock.
pub(super) fn check_log<'a>(log: impl Iterator<Item = &'a NumberedEvent>) {
    let (mut due, mut since) = (0, 0);
    let (mut paired, mut is_daily, mut game, mut begun) = (false, false, 0, Vec::new());
    let mut nudge = None;
    let (mut seats, mut black, mut asked) = (Seats::default(), Seat::First, None);
    let is_bot = |seats: &Seats, seat| seats.get(seat).is_some_and(|player| player.bot().is_some());
    let limits = RoomLimits::DEFAULT;
    let pace =
        |seats: &Seats, mover: Seat| match (is_bot(seats, mover), is_bot(seats, mover.other())) {
            (true, true) => millis(limits.bot_pace),
            (true, false) => millis(limits.bot_answer_min),
            (false, _) => 0,
        };
    for (event, seq) in log.zip(1..) {
        assert_eq!(event.seq, seq);
        check_first_acts(&event.event, is_daily || paired && game == 1, &begun);
        if let Event::Nudged { by, until } = event.event {
            assert!(until > event.at);
            // It comes again only after an outage.
            assert!(nudge.is_none_or(|earlier| earlier == by), "{event:?}");
            assert!(nudge.is_some() || event.at - since >= millis(NUDGE_AFTER), "{event:?}");
            nudge = Some(by);
        } else if ends_nudge(&event.event) {
            nudge = None;
        }
        if let Event::Created { paired: is_paired, time, .. } = event.event {
            (paired, is_daily) = (is_paired, time.is_daily());
        } else if let Event::Sat { seat, player } = &event.event {
            seats[*seat] = Some(player.clone());
        } else if let Event::Started { black: begins, game: number, .. } = event.event {
            (due, since, black, asked) = (0, event.at, begins, None);
            (game, begun) = (number, Vec::new());
        } else if let Event::Asked { ask } = &event.event {
            (since, asked) = (event.at, Some(ask.seat));
        } else if let Event::OpeningOver {} = event.event {
            (since, asked) = (event.at, None);
        } else if let Event::Stayed { by, .. }
        | Event::Swapped { by, .. }
        | Event::Declared { by, .. }
        | Event::Offered { by, .. } = event.event
        {
            assert_eq!(asked, Some(by));
            begun.push((by, None));
            assert!(event.at - since >= pace(&seats, by), "{event:?}");
            if let Event::Swapped { .. } = event.event {
                black = black.other();
            }
        } else if let Event::TakenBack { ply } = event.event {
            (due, since) = (ply, event.at);
            begun.retain(|(_, at): &(Seat, Option<usize>)| at.is_none_or(|at| at < ply));
        } else if let Event::Played { ply, .. } = event.event {
            assert_eq!(ply, due);
            let holder = if ply % 2 == 0 { black } else { black.other() };
            let mover = asked.unwrap_or(holder);
            begun.push((mover, Some(ply)));
            let pace = pace(&seats, mover);
            assert!(event.at - since >= pace, "{event:?} after {} ms", event.at - since);
            due += 1;
            if asked.is_none() {
                since = event.at;
            }
        }
    }
}

/// Only in daily games and the first game of a paired room, and only before both have acted, a first act
/// is due and a game is aborted. A guest who has not acted may also lose their seat, and the game with it.
fn check_first_acts(event: &Event, can_be_due: bool, begun: &[(Seat, Option<usize>)]) {
    let has_begun = |seat: Seat| begun.iter().any(|(by, _)| *by == seat);
    if let Event::FirstActDue { seat, .. } = event {
        assert!(can_be_due && !has_begun(*seat), "{event:?}");
    } else if let Event::Ended { outcome: Outcome::Aborted { by: Some(by) }, .. } = event {
        assert!(can_be_due || !has_begun(*by), "{event:?}");
        assert!(!Seat::BOTH.into_iter().all(has_begun), "{event:?}");
    }
}

/// Whether an event changes whose turn it is, or ends the game.
pub(super) fn ends_nudge(event: &Event) -> bool {
    matches!(
        event,
        Event::Started { .. }
            | Event::Played { .. }
            | Event::Stayed { .. }
            | Event::Swapped { .. }
            | Event::Declared { .. }
            | Event::Offered { .. }
            | Event::TakenBack { .. }
            | Event::Ended { .. }
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn two_bots_play_at_their_pace_for_those_who_are_there(
        time in time(),
        acts in prop::collection::vec(bots_act(), 1..100),
    ) {
        let (table, _) = Table::create(&format!("mnk:3 3x3 attack minimax black in {time}")).unwrap();
        let mut watched = Watched::of(table);
        for act in acts {
            watched.act(act);
        }
        check_log(watched.table.log.iter().map(|entry| &entry.event));
        // Whatever has happened, a newcomer can see the game to its end.
        if watched.table.room.is_closed() {
            return Ok(());
        }
        watched.act(Act::Enter(5, None));
        while watched.table.room.state.running().is_some() {
            watched.act(Act::Think(None));
            watched.act(Act::Wait(millis(RoomLimits::DEFAULT.bot_pace)));
        }
        check_log(watched.table.log.iter().map(|entry| &entry.event));
    }

    #[test]
    fn whatever_comes_the_room_stays_sound(
        time in time(),
        rules in rules(),
        paired in any::<bool>(),
        acts in prop::collection::vec(act_or_hours(), 1..200),
    ) {
        let (rules, opening) = rules;
        let create = format!("{rules} me open black assistance opening {opening} in {time}");
        let create = if paired { format!("paired {create}") } else { create };
        let limits = RoomLimits { nudge_after: NUDGE_AFTER, ..RoomLimits::DEFAULT };
        let (table, _) = Table::create_with(&create, limits).unwrap();
        let mut watched = Watched::of(table);
        watched.seat_bob();
        for act in acts {
            watched.act(act);
        }
        check_log(watched.table.log.iter().map(|entry| &entry.event));

        // Nothing is stuck: with their answers the jobs come to an end, and so does the game of
        // two bots.
        while let Some(ticket) = watched.table.jobs.keys().next().copied() {
            watched.table.now += 1_000;
            watched.answer(ticket, None);
            watched.apply(Input::Wake);
        }
        prop_assert!(watched.table.room.assists.is_empty());
    }

    #[test]
    fn a_closed_room_changes_no_more(
        acts in prop::collection::vec(act(), 0..40),
        late in prop::collection::vec(act(), 1..40),
    ) {
        let (table, _) = Table::create("mnk:3 3x3 me open black assistance").unwrap();
        let mut watched = Watched::of(table);
        for act in acts {
            watched.act(act);
        }
        let close = |command| Input::Close {
            session: SessionId(1),
            member: member("Ann").id,
            command: command_id(command),
        };
        if !watched.table.apply(close("close")).contains(&Effect::Close) {
            // Somebody is playing.
            for player in 0..3 {
                watched.act(Act::Enter(player, None));
                watched.ask(SessionId(player), RoomRequest::Resign);
            }
            prop_assert!(watched.table.apply(close("again")).contains(&Effect::Close));
        }
        let events = watched.table.log.len();
        for act in late {
            watched.act(act);
        }
        prop_assert_eq!(watched.table.log.len(), events);
    }
}
