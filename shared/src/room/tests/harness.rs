//! The test harness: a room with a clock, a log and simulated bots, driven by text.
//!
//! A line of a script is `INPUT > EFFECTS`, the effects separated by `;`. An input is:
//!
//! ```text
//! 2 enter Bob [AFTER]      session 2 of the member Bob enters
//! 2 leave | 2 gone         it leaves by a command | loses its socket
//! 2 close Bob              Bob asks by it to close the room, whether it is in or not
//! 2 name Rob               its member takes another name
//! 2 off Bob 5 9            Bob has time off between these times
//! 2 plans Bob 7,7-8,8 7,6-8,8   Bob plans these lines; without any, nothing
//! 2 play 0 7,7             a command, by its name on the wire and its arguments
//! 2 #x play 0 7,7          the same with the id `x`; otherwise each command has its own
//! 2 play 0 7,7 ~50         the same, 50 milliseconds of lag before it
//! 2 choose 3 take black    an act of an opening; also `put 7,7 8,8 [declare 3]`, `offer 7,7 8,8`,
//!                          `select 7,7`
//! job 3 7,7|weights|none   the answer to job 3
//! job 3 act take black     the same in an opening
//! found 3 depth 5|finished|busy   what the engine has found in analysis 3
//! +500                     500 milliseconds later the room is woken
//! moves 7,7 8,8 ...        sessions 1 and 2 move in turn, 1 first; nothing is refused
//! resume 5 1 Ann 4 Ann     sessions 1 and 4 go on after event 5; `-` for one that is not known
//! cut 2000 1 4             the node of sessions 1 and 4 is silent; a clock may stop for 2 seconds
//! rebuild                  a commit has failed: the room goes back to its log
//! ```
//!
//! Lists of spectators and of absent players are compared only where the expected effects have one.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    analysis::{Report, Weight},
    clock::{SideTime, TimeControl, TimeOff},
    conditional_moves::{ConditionalMoves, GameConditionalMoves},
    opening::{Act, Ask},
    protocol::{
        CatchUp, ChatLine, ChatText, CommandId, Create, Event, FirstAct, MemberId, Message, Name,
        Player, Refusal, RoomCode, RoomRequest,
    },
    record::FinishedGame,
    room::RoomState,
    rules::{Outcome, Point, Size, Stone},
    seat::{BySeat, Seat},
};
use serde_json::{Value, json};

use super::records::record_in;

use crate::{
    room::limits::RoomLimits,
    room::{
        AnalysisUpdate, BotFault, BotReply, Effect, Effects, Entry, Founding, Input, Job, Member,
        Pair, Room, RoomSeeds, SessionId, Terms, Ticket,
    },
};

/// Ann and an open seat.
pub(super) const OPEN: &str = "freestyle 15x15 me open black";
/// The same with help from bots.
pub(super) const HELPED: &str = "freestyle 15x15 me open black assistance";
/// Ann against a bot.
pub(super) const BOT: &str = "freestyle 15x15 me attack black";
/// The same, and the bot begins.
pub(super) const BOT_FIRST: &str = "freestyle 15x15 me attack white";
/// Two bots, watched by Ann.
pub(super) const BOTS: &str = "freestyle 15x15 attack pattern black";
/// Ann and Bob, whom the server has paired.
pub(super) const PAIRED: &str = "paired freestyle 15x15 open open black";
/// A game that is over soon.
pub(super) const TINY: &str = "mnk:3 3x3 me open black";
/// A game with forbidden points.
pub(super) const RENJU: &str = "renju 15x15 me open black";
/// A game without borders.
pub(super) const ENDLESS: &str = "freestyle unbounded me open black";

/// Ann (session 1, Black) and Bob (session 2) in a game with this time control; Black has made
/// the first move, so White's time runs since 1,000,000.
pub(super) fn begun(time: &str) -> Table {
    check(
        &format!("{OPEN} in {time}"),
        "2 enter Bob > 2 joined 2; +2
         2 sit > sat second Bob; started 1 first; 2 done 4
         1 play 0 0,0 > played 0 0,0; 1 done 5",
    )
}

/// Runs a script in a new room, in which Ann sits as session 1.
pub(super) fn check(create: &str, script: &str) -> Table {
    let (mut table, _) = Table::create(create).expect("the room can be made");
    table.run(script);
    table
}

/// The random seeds of all these rooms.
pub(super) const LUCK: RoomSeeds = RoomSeeds { seed: 7, secret: [7; 32] };

/// A room with its surroundings: log, jobs and clients.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) room: Room,
    pub(super) now: u64,
    pub(super) log: Vec<Entry>,
    /// The state folded from the log, as a client would have it.
    folded: Option<RoomState>,
    /// The jobs that have neither a reply nor been cancelled.
    pub(super) jobs: BTreeMap<Ticket, Job>,
    /// The analyses that are neither over nor cancelled.
    pub(super) analyses: BTreeSet<Ticket>,
    pub(super) limits: RoomLimits,
    /// The games that ended, as the room recorded them.
    pub(super) finished: Vec<FinishedGame>,
    /// How often the server has restarted.
    pub(super) restarts: usize,
    commands: usize,
}

impl Table {
    /// Makes a room from `[paired] VARIANT SIZE SEAT SEAT COLOUR [assistance] [opening KIND]
    /// [in TIME]`, lets Ann enter, and returns the effects. In a paired room Ann sits first and Bob
    /// second.
    pub(super) fn create(text: &str) -> Result<(Self, String), Refusal> {
        Self::create_with(text, RoomLimits::DEFAULT)
    }

    pub(super) fn create_with(text: &str, limits: RoomLimits) -> Result<(Self, String), Refusal> {
        let (mut table, made) = Self::found(text, limits, false)?;
        let enter = Input::Enter {
            session: SessionId(1),
            member: member("Ann"),
            command: command_id("create"),
            after: None,
        };
        let entered = show_all(&table.apply(enter), false);
        Ok((table, format!("{made}; {entered}")))
    }

    /// The same, and nobody enters.
    pub(super) fn found(
        text: &str,
        limits: RoomLimits,
        demo: bool,
    ) -> Result<(Self, String), Refusal> {
        let mut effects = Effects::new();
        let (text, rated) = match text.strip_prefix("rated ") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (text, paired) = match text.strip_prefix("paired ") {
            Some(text) => (
                text,
                Some(Pair {
                    players: BySeat { first: person("Ann"), second: person("Bob") },
                    terms: Terms { rated, ..Terms::CASUAL },
                }),
            ),
            None => (text, None),
        };
        let founding = Founding {
            code: RoomCode::try_from("k7m2qpxw9abc".to_owned()).unwrap(),
            host: member("Ann"),
            command: command_id("create"),
            create: create(text),
            coin: true,
            seeds: LUCK,
            demo,
            paired,
        };
        let now = 1_000_000;
        let room = Room::create(now, founding, limits, &mut effects)?;
        let mut table = Self {
            room,
            now,
            log: Vec::new(),
            folded: None,
            jobs: BTreeMap::new(),
            analyses: BTreeSet::new(),
            limits,
            finished: Vec::new(),
            restarts: 0,
            commands: 0,
        };
        table.take_in(&effects);
        Ok((table, show_all(&effects, true)))
    }

    /// The same log with the room that was restored from it.
    pub(super) fn with_room(self, room: Room) -> Self {
        Self { room, jobs: BTreeMap::new(), analyses: BTreeSet::new(), ..self }
    }

    /// Restarts the server: the room comes back from its log, and nobody is present.
    pub(super) fn restart(&mut self) -> Effects {
        let (code, mut effects) = (self.room.code().clone(), Effects::new());
        self.room =
            Room::from_log(self.now, code, LUCK, &self.log, self.limits, &mut effects).unwrap();
        self.jobs.clear();
        self.analyses.clear();
        self.restarts += 1;
        self.take_in(&effects);
        self.verify();
        effects
    }

    /// Runs the lines of a script.
    pub(super) fn run(&mut self, script: &str) {
        for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (input, expected) = line.split_once('>').expect("INPUT > EFFECTS");
            let news = expected.contains("spectators") || expected.contains("away");
            let effects = self.step(input.trim());
            assert_eq!(show_all(&effects, news), expected.trim(), "in {line:?} of {script}");
        }
    }

    /// The effects of a line and of so many milliseconds after it.
    pub(super) fn run_for(&mut self, line: &str, ms: u64) -> String {
        let mut effects = self.step(line);
        effects.extend(self.step(&format!("+{ms}")));
        show_all(&effects, false)
    }

    fn step(&mut self, line: &str) -> Effects {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["rebuild"] => self.rebuild(),
            ["moves", points @ ..] => {
                for point in points {
                    let ply = self.room.state.running().map_or(0, |game| game.position.ply());
                    let effects = self.step(&format!("{} play {ply} {point}", ply % 2 + 1));
                    let shown = show_all(&effects, false);
                    assert!(!shown.contains("refused"), "{point}: {shown}");
                }
                Effects::new()
            }
            ["job", ticket, "act", act @ ..] => {
                let reply = BotReply::Act(read_act(act));
                self.answer(Ticket(ticket.parse().unwrap()), Some(reply))
            }
            ["job", ticket, reply] => {
                self.answer(Ticket(ticket.parse().unwrap()), read_thought(reply))
            }
            ["found", ticket, found @ ..] => {
                let ticket = Ticket(ticket.parse().unwrap());
                let found = read_found(found);
                if !matches!(found, AnalysisUpdate::Report(_)) {
                    self.analyses.remove(&ticket);
                }
                self.apply(Input::Analysed { ticket, found })
            }
            ["resume", after, sessions @ ..] => {
                let session =
                    |pair: &[&str]| (SessionId(pair[0].parse().unwrap()), member(pair[1]));
                self.apply(Input::Resume {
                    sessions: sessions.chunks(2).map(session).collect(),
                    after: after.parse().ok(),
                })
            }
            ["cut", pause_ms, sessions @ ..] => {
                let session = |id: &&str| SessionId(id.parse().unwrap());
                let pause_until = self.now + pause_ms.parse::<u64>().unwrap();
                let sessions = sessions.iter().map(session).collect();
                self.apply(Input::Disconnected { sessions, pause_until })
            }
            [wait] if wait.starts_with('+') => {
                self.now += wait[1..].parse::<u64>().unwrap();
                self.apply(Input::Wake)
            }
            [session, words @ ..] => {
                let input = self.read_input(SessionId(session.parse().unwrap()), words);
                self.apply(input)
            }
            [] => panic!("an empty line"),
        }
    }

    /// Lines as a server takes them.
    pub(super) fn planned(&self, lines: &[&str]) -> Option<Box<GameConditionalMoves>> {
        let game = self.room.state.running()?;
        let line = |line: &&str| line.split('-').map(read_point).collect();
        let moves =
            ConditionalMoves { ply: game.position.ply(), lines: lines.iter().map(line).collect() };
        assert_eq!(moves.check(&game.position), Ok(()));
        (!lines.is_empty()).then(|| Box::new(game.planned(moves)))
    }

    fn read_input(&mut self, session: SessionId, words: &[&str]) -> Input {
        self.commands += 1;
        let (id, words) = match words {
            [id, words @ ..] if id.starts_with('#') => (command_id(&id[1..]), words),
            words => (command_id(&self.commands.to_string()), words),
        };
        match words {
            ["enter", name, after @ ..] => Input::Enter {
                session,
                member: member(name),
                command: id,
                after: after.first().map(|seq| seq.parse().unwrap()),
            },
            ["watch", name] => {
                let Member { id: own, name, .. } = member(name);
                let member = Member::watching(own, name);
                Input::Enter { session, member, command: id, after: None }
            }
            ["leave"] => Input::Leave { session, command: Some(id) },
            ["close", name] => Input::Close { session, member: member(name).id, command: id },
            ["close_by_operator", why] => {
                Input::CloseByOperator { session, command: id, why: ChatText::new(why).unwrap() }
            }
            ["gone"] => Input::Leave { session, command: None },
            ["account_gone", name] => Input::AccountGone { member: member(name).id },
            ["off", name, from, until] => {
                let [from, until] = [from, until].map(|at| at.parse().unwrap());
                Input::TimeOff { member: member(name).id, off: TimeOff { from, until } }
            }
            ["plans", name, lines @ ..] => {
                let (member, moves) = (member(name).id, self.planned(lines));
                Input::ConditionalMoves { member, number: self.commands as u64, moves }
            }
            ["name", name] => Input::Renamed { session, name: Name::new(name).unwrap() },
            request => {
                let (request, lag_ms) = match request {
                    [request @ .., lag] if lag.starts_with('~') => {
                        (request, lag[1..].parse().unwrap())
                    }
                    request => (request, 0),
                };
                Input::Command { session, id, request: read_request(request), lag_ms }
            }
        }
    }

    /// A bot replies to a job. The room may cancel the job at the same time, because a flag has
    /// fallen.
    pub(super) fn answer(&mut self, ticket: Ticket, reply: Option<BotReply>) -> Effects {
        let effects = self.take(Input::BotReplied { ticket, reply });
        self.jobs.remove(&ticket);
        self.verify();
        effects
    }

    /// Simulates a failed commit: the room rolls back to its log.
    pub(super) fn rebuild(&mut self) -> Effects {
        let mut effects = Effects::new();
        self.folded = Some(RoomState::from_log(self.log.iter().map(|entry| &entry.event)).unwrap());
        self.room.rebuild(self.now, &self.log, &mut effects).unwrap();
        self.take_in(&effects);
        self.verify();
        effects
    }

    /// Applies one input, and checks what must hold after any.
    pub(super) fn apply(&mut self, input: Input) -> Effects {
        let effects = self.take(input);
        self.verify();
        effects
    }

    /// The same with a time that may be up: the room is woken next.
    pub(super) fn take(&mut self, input: Input) -> Effects {
        let mut effects = Effects::new();
        self.room.apply(self.now, input, &mut effects);
        self.take_in(&effects);
        effects
    }

    pub(super) fn take_in(&mut self, effects: &Effects) {
        for effect in effects {
            match effect {
                Effect::Append { entry, finished } => {
                    self.log.push(entry.clone());
                    assert_eq!(finished.as_deref(), record_in(&self.log).as_ref());
                    self.finished.extend(finished.as_deref().cloned());
                    match &mut self.folded {
                        Some(folded) => folded.apply(&entry.event).unwrap(),
                        None => self.folded = Some(RoomState::begin(&entry.event).unwrap()),
                    }
                }
                Effect::Think(job) => {
                    let is_here = |session| self.room.presence.contains(session);
                    let is_alone = || self.room.presence.is_empty() && self.room.is_daily();
                    assert!(job.session.map_or_else(is_alone, is_here), "for somebody who is here");
                    assert!(self.jobs.insert(job.ticket, job.clone()).is_none(), "a new ticket");
                }
                Effect::Analyse { ticket, .. } => {
                    assert!(self.analyses.insert(*ticket), "a new ticket");
                }
                Effect::CancelThinking(ticket) => {
                    let is_job = self.jobs.remove(ticket).is_some();
                    assert!(is_job || self.analyses.remove(ticket), "only what is under way");
                }
                Effect::Send { session, message: Message::Chat { spectators, .. } } => {
                    assert!(spectators.is_none() || !self.plays(*session), "{session:?} plays");
                }
                Effect::Send { message, .. }
                | Effect::SendMany { message, .. }
                | Effect::Broadcast(message) => {
                    assert!(!matches!(message, Message::SpectatorSaid { .. }), "not to everybody");
                }
                Effect::BroadcastExcept { sessions, .. } => {
                    for session in self.room.presence.sessions() {
                        assert_eq!(self.plays(session), sessions.contains(&session));
                    }
                }
                Effect::Listen(_)
                | Effect::Dismiss(_)
                | Effect::BotFailed { .. }
                | Effect::Close => {}
            }
        }
    }

    /// Whether a session belongs to somebody who plays in a running game.
    fn plays(&self, session: SessionId) -> bool {
        let snapshot = self.room.state.snapshot();
        let member = self.room.presence.member(session).map(|member| member.id);
        let is_seated = |seat| {
            let player = snapshot.seats.get(seat);
            member.as_ref().is_some_and(|id| player.is_some_and(|player| player.is_member(id)))
        };
        let is_running = snapshot.game.is_some_and(|game| game.outcome.is_none());
        is_running && Seat::BOTH.into_iter().any(is_seated)
    }

    /// Checks that the room matches its log, nobody sits twice, no bot is left unasked, and the
    /// room wakes before any time is up.
    fn verify(&self) {
        let snapshot = self.room.state.snapshot();
        assert_eq!(self.folded.as_ref().map(RoomState::snapshot).as_ref(), Some(&snapshot));

        let ids = [&snapshot.seats.first, &snapshot.seats.second].map(|player| match player {
            Some(Player::Member { member, .. }) => Some(member),
            Some(Player::Bot { .. }) | None => None,
        });
        assert!(ids[0].is_none() || ids[0] != ids[1], "nobody has both seats");

        let running = self.room.state.running();
        let is_empty = self.room.presence.is_empty();
        let awaited = self.room.state.to_act().is_some_and(|seat| self.room.bot_in(seat).is_some());
        let thinks = self.room.bot_turn.is_some();
        let is_watched = !is_empty || self.room.is_daily();
        assert_eq!(thinks, awaited && is_watched && !self.room.is_closed());
        if is_empty {
            assert!(self.jobs.len() <= usize::from(thinks), "nobody is here to see it");
            assert!(self.analyses.is_empty(), "nobody is here to see it");
        }
        if let Some(turn) = &self.room.bot_turn {
            assert!(self.room.deadline().is_some_and(|at| at <= turn.deadline()));
        }
        if let Some(flag_at) = running.and_then(|game| game.clock?.flag_at())
            && !self.room.is_closed()
        {
            let waits = self.room.resume_at.is_some() || (awaited && is_empty && !thinks);
            assert!(flag_at > self.now || waits, "the flag has fallen");
            assert!(waits || self.room.deadline().is_some_and(|at| at <= flag_at));
        }
        if !self.room.is_closed() {
            self.verify_first_act();
        }
    }

    /// Checks that a player who must begin has a limit, and nobody else, and that only those who can
    /// be nudged are.
    fn verify_first_act(&self) {
        let state = &self.room.state;
        let game = state.running();
        let is_daily = state.time.is_daily();
        let due = game.filter(|game| is_daily || state.paired && game.number == 1);
        let due = due.and_then(|game| {
            let seat = game.to_act()?;
            (!game.has_acted(seat) && self.room.bot_in(seat).is_none()).then_some(seat)
        });
        let waits = self.room.resume_at.is_some();
        match game.and_then(|game| game.first_act) {
            Some(FirstAct { seat, until }) => {
                assert_eq!(due, Some(seat));
                assert!(waits || until > self.now, "the game must be aborted");
                assert!(waits || self.room.deadline().is_some_and(|at| at <= until));
            }
            None => assert!(due.is_none() || waits, "{due:?} has no limit"),
        }
        if let Some((game, nudge)) = game.and_then(|game| Some((game, game.nudge?))) {
            assert_eq!(game.to_act(), Some(nudge.by.other()));
            assert!(game.clock.is_none() && self.room.bot_in(nudge.by.other()).is_none());
        }
    }
}

/// A member whose id is derived from their name.
pub(super) fn member(name: &str) -> Member {
    let hex: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
    let id = format!("{hex:0>16}");
    let id = MemberId::try_from(id[id.len() - 16..].to_owned()).unwrap();
    Member::person(id, Name::new(name).unwrap())
}

fn person(name: &str) -> Player {
    let Member { id, name, .. } = member(name);
    Player::Member { member: id, name, engine: false }
}

pub(super) fn command_id(text: &str) -> CommandId {
    CommandId::try_from(text.to_owned()).unwrap()
}

fn create(text: &str) -> Create {
    let (text, time) = text.split_once(" in ").unwrap_or((text, "none"));
    let words: Vec<&str> = text.split(' ').collect();
    let [variant, size, first, second, colour, more @ ..] = words.as_slice() else {
        panic!("{text}");
    };
    let (assistance, opening) = match more {
        [] => (false, "free"),
        ["assistance"] => (true, "free"),
        ["opening", kind] => (false, *kind),
        ["assistance", "opening", kind] => (true, *kind),
        other => panic!("{other:?}"),
    };
    let size: Size = size.parse().unwrap();
    let rules = match variant.split_once(':') {
        Some((name, k)) => json!({"variant": name, "k": k.parse::<u8>().unwrap(), "size": size}),
        None => json!({"variant": variant, "size": size}),
    };
    let seats = [*first, *second].map(|seat| match seat {
        "me" | "open" => json!(seat),
        bot => json!({ "bot": read_bot(bot) }),
    });
    serde_json::from_value(json!({
        "rules": rules, "seats": seats, "colour": colour,
        "assistance": assistance,
        "opening": opening,
        "time": time.parse::<TimeControl>().unwrap(),
    }))
    .unwrap()
}

fn read_bot(text: &str) -> Value {
    match text.split_once(':') {
        Some((kind, level)) => {
            json!({"kind": kind, "level": level.parse::<u8>().unwrap()})
        }
        None => json!({ "kind": text }),
    }
}

pub(super) fn read_point(text: &str) -> Point {
    let (x, y) = text.split_once(',').unwrap();
    Point::new(x.parse().unwrap(), y.parse().unwrap())
}

fn read_request(words: &[&str]) -> RoomRequest {
    let ply = |text: &str| text.parse::<usize>().unwrap();
    let value = match words {
        ["sit", seat] => json!({"type": "sit", "seat": seat}),
        ["seat_bot", seat, bot] => json!({"type": "seat_bot", "seat": seat, "bot": read_bot(bot)}),
        ["remove_bot", seat] => json!({"type": "remove_bot", "seat": seat}),
        ["play", n, point] => json!({"type": "play", "ply": ply(n), "point": read_point(point)}),
        ["choose", n, act @ ..] => {
            json!({"type": "choose", "ply": ply(n), "act": read_act(act)})
        }
        ["weights", bot] => json!({"type": "weights", "bot": bot}),
        ["weights", bot, n] => json!({"type": "weights", "bot": bot, "ply": ply(n)}),
        ["analyse", n] => json!({"type": "analyse", "ply": ply(n)}),
        ["say", text] => json!({"type": "say", "text": text}),
        ["set_chat", on] => json!({"type": "set_chat", "on": on.parse::<bool>().unwrap()}),
        ["bot_move", n] => json!({"type": "bot_move", "ply": ply(n)}),
        ["bot_move", n, bot] => json!({"type": "bot_move", "ply": ply(n), "bot": bot}),
        [request] => json!({ "type": request }),
        other => panic!("{other:?}"),
    };
    serde_json::from_value(value).unwrap()
}

fn read_act(words: &[&str]) -> Act {
    let points = |words: &[&str]| words.iter().copied().map(read_point).collect();
    match words {
        ["put", stones @ .., "declare", count] => {
            Act::Put { points: points(stones), declare: Some(count.parse().unwrap()) }
        }
        ["put", stones @ ..] => Act::put(points(stones)),
        ["take", "black"] => Act::Take(Stone::Black),
        ["take", "white"] => Act::Take(Stone::White),
        ["offer", stones @ ..] => Act::Offer(points(stones)),
        ["select", point] => Act::Select(read_point(point)),
        other => panic!("{other:?}"),
    }
}

fn read_thought(text: &str) -> Option<BotReply> {
    let weight = |x| Weight { point: Point::new(x, 0), weight: 1.0, plies: None };
    match text {
        "none" => None,
        "weights" => Some(BotReply::Weights((0..500).map(weight).collect())),
        point => Some(BotReply::Move(read_point(point))),
    }
}

fn read_found(words: &[&str]) -> AnalysisUpdate {
    match words {
        ["depth", depth] => AnalysisUpdate::Report(Report {
            depth: depth.parse().unwrap(),
            nodes: 1,
            nodes_per_second: 1,
            lines: Vec::new(),
        }),
        ["finished"] => AnalysisUpdate::Finished,
        ["busy"] => AnalysisUpdate::Busy,
        ["too_many"] => AnalysisUpdate::TooMany,
        other => panic!("{other:?}"),
    }
}

/// Effects in the notation of the scripts.
pub(super) fn show_all(effects: &Effects, news: bool) -> String {
    let is_news = |e: &&Effect| {
        matches!(
            e,
            Effect::Broadcast(Message::Spectators { .. } | Message::Presence { .. })
                | Effect::SendMany {
                    message: Message::Spectators { .. } | Message::Presence { .. },
                    ..
                }
        )
    };
    let shown: Vec<_> = effects.iter().filter(|e| news || !is_news(e)).map(show).collect();
    shown.join("; ")
}

fn show(effect: &Effect) -> String {
    match effect {
        Effect::Append { entry, .. } => show_event(&entry.event.event),
        Effect::Listen(session) => format!("+{}", session.0),
        Effect::Dismiss(session) => format!("-{}", session.0),
        Effect::Send { session, message } => format!("{} {}", session.0, show_message(message)),
        Effect::SendMany { sessions, message } => {
            let sessions: Vec<_> = sessions.iter().map(|session| session.0.to_string()).collect();
            format!("{} {}", sessions.join("&"), show_message(message))
        }
        Effect::Broadcast(message) => show_message(message),
        Effect::BroadcastExcept { sessions, message } => {
            let mut sessions: Vec<_> = sessions.iter().map(|session| session.0).collect();
            sessions.sort_unstable();
            let except = sessions.iter().map(|session| format!(" -{session}"));
            format!("{}{}", show_message(message), except.collect::<String>())
        }
        Effect::Think(job) => {
            let task = format!("{:?}", job.task).to_lowercase();
            format!("{task} {} {} {}", job.ticket.0, job.bot, job.position.ply())
        }
        Effect::Analyse { ticket, position, lines, session: _ } => {
            format!("analyse {} {} x{lines}", ticket.0, position.ply())
        }
        Effect::CancelThinking(ticket) => format!("cancel {}", ticket.0),
        Effect::BotFailed { fault, .. } => match fault {
            BotFault::Late => "failed late".to_owned(),
            BotFault::NoAnswer => "failed".to_owned(),
            BotFault::Illegal(point) => format!("failed {},{}", point.x, point.y),
            BotFault::IllegalAct => "failed act".to_owned(),
        },
        Effect::Close => "close".to_owned(),
    }
}

fn show_message(message: &Message) -> String {
    match message {
        Message::Done { seq: Some(seq), .. } => format!("done {seq}"),
        Message::Done { seq: None, .. } => "done".to_owned(),
        Message::Refused { refusal, .. } => {
            format!("refused {}", serde_json::to_value(refusal.reason).unwrap().as_str().unwrap())
        }
        Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } => {
            format!("joined {}", snapshot.seq)
        }
        Message::Joined { catch_up: CatchUp::Events(events), .. } => {
            let seqs: Vec<_> = events.iter().map(|event| event.seq.to_string()).collect();
            format!("joined [{}]", seqs.join(" "))
        }
        Message::Weights { ply, bot, weights, .. } => {
            format!("weights {bot} {ply} x{}", weights.len())
        }
        Message::Event { event, .. } => format!("event {}", event.seq),
        Message::Snapshot { snapshot, .. } => format!("snapshot {}", snapshot.seq),
        Message::Spectators { spectators, .. } => {
            let names = spectators.names.iter().map(|name| format!(" {name}"));
            format!("spectators {}{}", spectators.count, names.collect::<String>())
        }
        Message::Ratings { ratings, .. } => format!("ratings {}", ratings.game),
        Message::Presence { away, .. } => {
            let show = |seat: Seat| {
                let away = away.get(seat)?;
                let claim = away.claim_at.map(|at| format!(" claim {at}")).unwrap_or_default();
                Some(format!(" {seat} {}{claim}", away.since))
            };
            format!("away{}", Seat::BOTH.into_iter().filter_map(show).collect::<String>())
        }
        Message::PlayerSaid { line, .. } => format!("player {}: {}", line.name, line.text),
        Message::SpectatorSaid { line, .. } => format!("spectator {}: {}", line.name, line.text),
        Message::Chat { players, spectators, .. } => {
            let show = |lines: &Vec<ChatLine>| {
                lines.iter().map(|line| line.text.to_string()).collect::<Vec<_>>().join(",")
            };
            let spectators = spectators.as_ref().map_or_else(|| "-".to_owned(), show);
            format!("chat [{}] [{spectators}]", show(players))
        }
        Message::Analysis { of, ply, depth, .. } => format!("analysis {of} {ply} {depth}"),
        Message::Closed { why: Some(why), .. } => format!("closed {}", why.as_str()),
        Message::Closed { why: None, .. } => "closed".to_owned(),
        Message::AnalysisOver { of, why, .. } => {
            format!("over {of} {}", serde_json::to_value(why).unwrap().as_str().unwrap())
        }
        Message::Welcome { .. }
        | Message::Rooms { .. }
        | Message::Pong { .. }
        | Message::Seeking { .. }
        | Message::Paired { .. }
        | Message::SeekOver { .. }
        | Message::AccountChanged { .. }
        | Message::Challenged { .. }
        | Message::Lobby { .. }
        | Message::LobbyChanged { .. }
        | Message::Sanction { .. }
        | Message::Announcement { .. }
        | Message::OwnRooms { .. } => panic!("a room does not say {message:?}"),
    }
}

fn show_event(event: &Event) -> String {
    match event {
        Event::Created { rules, black: Seat::First, .. } => format!("created {rules}"),
        Event::Created { rules, black: Seat::Second, .. } => {
            format!("created {rules} black second")
        }
        Event::Sat { seat, player } => format!("sat {seat} {}", player.name()),
        Event::Stood { seat } => format!("stood {seat}"),
        Event::Renamed { seat, name } => format!("renamed {seat} {name}"),
        Event::Started { game, black, rated, .. } => {
            format!("started {game} {black}{}", if *rated { " rated" } else { "" })
        }
        Event::Played { ply, point, assisted, time } => {
            let mark = if *assisted { " assisted" } else { "" };
            let time = time.map(show_time).unwrap_or_default();
            format!("played {ply} {},{}{mark}{time}", point.x, point.y)
        }
        Event::Asked { ask } => format!("asked {}", show_ask(ask)),
        Event::Stayed { by, time } => {
            format!("stayed {by}{}", time.map(show_time).unwrap_or_default())
        }
        Event::Swapped { by, time } => {
            format!("swapped {by}{}", time.map(show_time).unwrap_or_default())
        }
        Event::Declared { by, count, time } => {
            format!("declared {by} {count}{}", time.map(show_time).unwrap_or_default())
        }
        Event::Offered { by, points, time } => {
            format!("offered {by} {}{}", points.len(), time.map(show_time).unwrap_or_default())
        }
        Event::OpeningOver {} => "opening_over".to_owned(),
        Event::DrawOffered { by } => format!("draw_offered {by}"),
        Event::DrawDeclined { by } => format!("draw_declined {by}"),
        Event::TakebackAsked { by } => format!("takeback_asked {by}"),
        Event::TakebackRefused { by } => format!("takeback_refused {by}"),
        Event::TakenBack { ply } => format!("taken_back {ply}"),
        Event::Resumed { from } => format!("resumed {from}"),
        Event::FirstActDue { seat, until } => format!("first_act_due {seat} {until}"),
        Event::TimeOff { seat, off: TimeOff { from, until } } => {
            format!("time_off {seat} {from} {until}")
        }
        Event::Nudged { by, until } => format!("nudged {by} {until}"),
        Event::Ended { outcome, rated } => {
            format!("ended {}{}", show_outcome(outcome), if *rated { " rated" } else { "" })
        }
        Event::RematchAsked { by } => format!("rematch_asked {by}"),
        Event::RematchDeclined { by } => format!("rematch_declined {by}"),
        Event::ChatSet { on } => format!("chat_set {on}"),
    }
}

/// Such as `second take put2`.
fn show_ask(ask: &Ask) -> String {
    let take = ask.take.then(|| " take".to_owned());
    let put = Some(ask.put.len()).filter(|&count| count > 0).map(|count| format!(" put{count}"));
    let declare = ask.declare.map(|most| format!(" declare{most}"));
    let offer = ask.offer.map(|count| format!(" offer{count}"));
    let select = Some(ask.select.len()).filter(|&n| n > 0).map(|n| format!(" select{n}"));
    let open = [take, put, declare, offer, select];
    format!("{}{}", ask.seat, open.into_iter().flatten().collect::<String>())
}

/// Such as ` 1500ms x3 ~40`: remaining time, periods, and lag given back.
fn show_time(time: SideTime) -> String {
    let periods = Some(time.periods).filter(|&n| n > 0).map(|n| format!(" x{n}"));
    let lag = Some(time.lag_used_ms).filter(|&n| n > 0).map(|n| format!(" ~{n}"));
    format!(" {}ms{}{}", time.left_ms, periods.unwrap_or_default(), lag.unwrap_or_default())
}

fn show_outcome(outcome: &Outcome<Seat>) -> String {
    let value = serde_json::to_value(outcome).unwrap();
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    [text("reason"), text("winner"), text("by")].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
