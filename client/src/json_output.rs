//! Writes a table as JSON lines for scripts, one object a line. `json.md` documents the schema:
//! change both together. Lines name the two sides by their stones, because scripts think of a game.

use std::io::{self, Write};

use fivefold_shared::{
    analysis::Weight,
    bot_spec::BotSpec,
    clock::{Clock, Face, TimeControl},
    notation::coordinates,
    protocol::{
        Absent, Away, ChatLine, Event, MemberId, Message, Name, NumberedEvent, OwnRoom, Phase,
        Player, Reason, RoomCode, RoomSummary, Spectators, Visibility,
    },
    rules::{Forbidden, Outcome, Point, Rules, Stone},
    seat::Seat,
};
use serde::Serialize;

use crate::{
    connection::Welcome,
    line_interface::View,
    output::Output,
    room_link::ServerAddress,
    sentences::Speaker,
    table::{Table, TableEvent},
    typed_command::{HELP, TypedError},
};

/// Writes a table as JSON lines.
#[derive(Debug)]
pub struct Json<W> {
    out: Output<W>,
}

/// One output line.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Connected {
        server: String,
        you: &'a MemberId,
        name: &'a Name,
    },
    Joined(Box<State<'a>>),
    State(Box<State<'a>>),
    Sat {
        seat: Stone,
        player: &'a Player,
    },
    Stood {
        seat: Stone,
    },
    Renamed {
        seat: Stone,
        name: &'a Name,
    },
    Started(Started<'a>),
    Played(Played),
    DrawOffered {
        by: Stone,
    },
    DrawDeclined {
        by: Stone,
    },
    TakebackAsked {
        by: Stone,
    },
    TakebackRefused {
        by: Stone,
    },
    TakenBack(Turn),
    Ended(Ended),
    RematchAsked {
        by: Stone,
    },
    ChatSet {
        on: bool,
    },
    Said {
        speaker: Speaker,
        #[serde(flatten)]
        line: &'a ChatLine,
    },
    Weights {
        ply: usize,
        bot: BotSpec,
        weights: Vec<NamedWeight>,
    },
    Refused {
        reason: Reason,
        text: &'a str,
        #[serde(flatten)]
        turn: Turn,
    },
    Unreadable {
        text: String,
        #[serde(flatten)]
        turn: Turn,
    },
    Resumed {
        from: u64,
    },
    Spectators(&'a Spectators),
    Presence(Gone),
    Lost {
        text: &'a str,
        retry_ms: u128,
    },
    Back {
        link: Option<String>,
    },
    Closed {
        text: &'a str,
    },
    Commands {
        lines: Vec<&'static str>,
    },
    Left,
    Room(Listed<'a>),
    OwnRoom(ListedOwn<'a>),
}

/// The side to move, on every line after which it may have changed.
#[derive(Serialize)]
struct Turn {
    /// Moves made so far.
    ply: usize,
    /// Absent while no game is running.
    turn: Option<Stone>,
    your_turn: bool,
    /// The clocks now, if there is a time control.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<ByStone<Face>>,
    /// Only where it is our move in renju.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    forbidden: Vec<ForbiddenPoint>,
}

/// One value for each stone.
#[derive(Serialize)]
struct ByStone<T> {
    black: T,
    white: T,
}

/// The absent players.
#[derive(Serialize)]
struct Gone {
    #[serde(skip_serializing_if = "Option::is_none")]
    black: Option<Away>,
    #[serde(skip_serializing_if = "Option::is_none")]
    white: Option<Away>,
}

/// A point as a name and as coordinates.
#[derive(Serialize)]
struct Named {
    name: String,
    point: Point,
}

#[derive(Serialize)]
struct ForbiddenPoint {
    #[serde(flatten)]
    at: Named,
    kind: Forbidden,
}

#[derive(Serialize)]
struct NamedWeight {
    name: String,
    #[serde(flatten)]
    weight: Weight,
}

/// The whole state.
#[derive(Serialize)]
struct State<'a> {
    room: Option<&'a RoomCode>,
    link: Option<String>,
    rules: Rules,
    visibility: Visibility,
    assistance: bool,
    host: &'a MemberId,
    time: TimeControl,
    you: &'a MemberId,
    /// The colours played here: none, one, or both at one keyboard.
    plays: Vec<Stone>,
    seats: ByStone<Option<&'a Player>>,
    spectators: &'a Spectators,
    away: Gone,
    phase: Phase,
    game: Option<u32>,
    moves: Vec<Named>,
    draw_offer: Option<Stone>,
    takeback_ask: Option<Stone>,
    rematch_ask: Option<Stone>,
    outcome: Option<&'a Outcome>,
    #[serde(flatten)]
    turn: Turn,
}

#[derive(Serialize)]
struct Started<'a> {
    game: u32,
    #[serde(flatten)]
    players: ByStone<Option<&'a Player>>,
    plays: Vec<Stone>,
    #[serde(flatten)]
    turn: Turn,
}

#[derive(Serialize)]
struct Played {
    stone: Stone,
    #[serde(flatten)]
    at: Named,
    assisted: bool,
    #[serde(flatten)]
    turn: Turn,
}

#[derive(Serialize)]
struct Ended {
    outcome: Outcome,
    winner: Option<Stone>,
    /// Only for a player.
    result: Option<&'static str>,
    ply: usize,
    your_turn: bool,
}

#[derive(Serialize)]
struct Listed<'a> {
    link: String,
    #[serde(flatten)]
    room: &'a RoomSummary,
}

#[derive(Serialize)]
struct ListedOwn<'a> {
    link: String,
    #[serde(flatten)]
    room: &'a OwnRoom,
}

impl<W: Write> Json<W> {
    /// Writes to `out`.
    pub const fn new(out: W) -> Self {
        Self { out: Output::new(out) }
    }

    /// Writes a room of the public list.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn listed(&mut self, server: &ServerAddress, room: &RoomSummary) -> io::Result<()> {
        self.write(&Line::Room(Listed { link: server.room_link(&room.room), room }))
    }

    /// Writes one of the visitor's own rooms.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn listed_own(&mut self, server: &ServerAddress, room: &OwnRoom) -> io::Result<()> {
        let link = server.room_link(&room.summary.room);
        self.write(&Line::OwnRoom(ListedOwn { link, room }))
    }

    fn write(&mut self, line: &Line<'_>) -> io::Result<()> {
        let text = serde_json::to_string(line).map_err(io::Error::other)?;
        self.out.json(&text)?;
        self.out.flush()
    }

    fn message(&mut self, table: &Table, message: &Message) -> io::Result<()> {
        match message {
            Message::Event { event, .. } => self.happened(table, event),
            Message::Refused { refusal, .. } => self.write(&Line::Refused {
                reason: refusal.reason,
                text: &refusal.text,
                turn: Turn::of(table),
            }),
            Message::Weights { ply, bot, weights, .. } => {
                let name = |weight: &Weight| NamedWeight {
                    name: coordinates::format(weight.point, table.room().rules.size()),
                    weight: *weight,
                };
                let weights = weights.iter().map(name).collect();
                self.write(&Line::Weights { ply: *ply, bot: *bot, weights })
            }
            Message::PlayerSaid { line, .. } => {
                self.write(&Line::Said { speaker: Speaker::Player, line })
            }
            Message::SpectatorSaid { line, .. } => {
                self.write(&Line::Said { speaker: Speaker::Spectator, line })
            }
            Message::Snapshot { .. } => self.state(table),
            Message::Spectators { spectators, .. } => self.write(&Line::Spectators(spectators)),
            Message::Presence { away, .. } => self.write(&Line::Presence(Gone::of(table, *away))),
            Message::Closed { text, .. } => self.write(&Line::Closed { text }),
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Rooms { .. }
            | Message::OwnRooms { .. }
            | Message::Joined { .. }
            | Message::Chat { .. }
            | Message::Analysis { .. }
            | Message::AnalysisOver { .. }
            | Message::Pong { .. } => Ok(()),
        }
    }

    fn happened(&mut self, table: &Table, event: &NumberedEvent) -> io::Result<()> {
        let stone = |seat: &Seat| table.room().stone_of(*seat);
        let line = match &event.event {
            Event::Created { .. } => Line::State(Box::new(State::of(table))),
            Event::Sat { seat, player } => Line::Sat { seat: stone(seat), player },
            Event::Stood { seat } => Line::Stood { seat: stone(seat) },
            Event::Renamed { seat, name } => Line::Renamed { seat: stone(seat), name },
            Event::Started { game, .. } => Line::Started(Started {
                game: *game,
                players: players(table),
                plays: plays(table),
                turn: Turn::of(table),
            }),
            Event::Played { ply, point, assisted, time: _ } => Line::Played(Played {
                stone: Stone::to_move(*ply),
                at: Named::new(*point, table),
                assisted: *assisted,
                turn: Turn::of(table),
            }),
            Event::DrawOffered { by } => Line::DrawOffered { by: stone(by) },
            Event::DrawDeclined { by } => Line::DrawDeclined { by: stone(by) },
            Event::TakebackAsked { by } => Line::TakebackAsked { by: stone(by) },
            Event::TakebackRefused { by } => Line::TakebackRefused { by: stone(by) },
            Event::TakenBack { .. } => Line::TakenBack(Turn::of(table)),
            Event::Resumed { from } => Line::Resumed { from: *from },
            Event::Ended { outcome } => Line::Ended(Ended::of(table, outcome)),
            Event::RematchAsked { by } => Line::RematchAsked { by: stone(by) },
            Event::ChatSet { on } => Line::ChatSet { on: *on },
        };
        self.write(&line)
    }
}

impl<W: Write> View for Json<W> {
    fn connected(&mut self, server: &ServerAddress, welcome: &Welcome) -> io::Result<()> {
        let Welcome { you, name, .. } = welcome;
        self.write(&Line::Connected { server: server.to_string(), you, name })
    }

    fn joined(&mut self, table: &Table) -> io::Result<()> {
        self.write(&Line::Joined(Box::new(State::of(table))))
    }

    fn event(&mut self, table: &Table, event: &TableEvent) -> io::Result<()> {
        match event {
            TableEvent::Message(message) => self.message(table, message),
            TableEvent::Lost { reason, retry_in } => {
                self.write(&Line::Lost { text: reason, retry_ms: retry_in.as_millis() })
            }
            TableEvent::Back => self.write(&Line::Back { link: table.link() }),
            TableEvent::Ended { reason } => self.write(&Line::Closed { text: reason }),
        }
    }

    fn misread(&mut self, table: &Table, error: &TypedError) -> io::Result<()> {
        self.write(&Line::Unreadable { text: error.to_string(), turn: Turn::of(table) })
    }

    fn state(&mut self, table: &Table) -> io::Result<()> {
        self.write(&Line::State(Box::new(State::of(table))))
    }

    fn help(&mut self) -> io::Result<()> {
        self.write(&Line::Commands { lines: HELP.lines().collect() })
    }

    fn leaving(&mut self, _: &Table) -> io::Result<()> {
        self.write(&Line::Left)
    }
}

impl Turn {
    fn of(table: &Table) -> Self {
        let position = table.room().game.as_ref().map(|game| &game.position);
        let your_turn = table.is_my_turn();
        let points = position.filter(|_| your_turn).map(|position| position.forbidden_points());
        let clock = table.room().game.as_ref().and_then(|game| game.clock);
        let now = table.now();
        let clocks = |clock: Clock| ByStone::of(table, |seat| clock.face(seat, now));
        let named = |(point, kind)| ForbiddenPoint { at: Named::new(point, table), kind };
        Self {
            ply: position.map_or(0, |position| position.ply()),
            turn: table.room().to_act().map(|seat| table.room().stone_of(seat)),
            your_turn,
            clock: clock.map(clocks),
            forbidden: points.unwrap_or_default().into_iter().map(named).collect(),
        }
    }
}

impl<T> ByStone<T> {
    fn of(table: &Table, of_seat: impl Fn(Seat) -> T) -> Self {
        let of_stone = |stone| of_seat(table.room().seat_of(stone));
        Self { black: of_stone(Stone::Black), white: of_stone(Stone::White) }
    }
}

impl Gone {
    fn of(table: &Table, away: Absent) -> Self {
        let ByStone { black, white } = ByStone::of(table, |seat| away.get(seat));
        Self { black, white }
    }
}

impl Named {
    fn new(point: Point, table: &Table) -> Self {
        Self { name: coordinates::format(point, table.room().rules.size()), point }
    }
}

impl<'a> State<'a> {
    fn of(table: &'a Table) -> Self {
        let room = table.room();
        let game = room.game.as_ref();
        let moves = game.map_or(&[][..], |game| game.position.moves());
        let stone = |seat| room.stone_of(seat);
        Self {
            room: table.code(),
            link: table.link(),
            rules: room.rules,
            visibility: room.visibility,
            assistance: room.assistance,
            host: &room.host,
            time: room.time,
            you: table.me(),
            plays: plays(table),
            seats: players(table),
            spectators: table.spectators(),
            away: Gone::of(table, table.away()),
            phase: room.phase(),
            game: game.map(|game| game.number),
            moves: moves.iter().map(|&point| Named::new(point, table)).collect(),
            draw_offer: game.and_then(|game| game.draw_offer).map(stone),
            takeback_ask: game.and_then(|game| game.takeback_ask).map(stone),
            rematch_ask: game.and_then(|game| game.rematch_ask).map(stone),
            outcome: game.and_then(|game| game.position.outcome()),
            turn: Turn::of(table),
        }
    }
}

impl Ended {
    fn of(table: &Table, outcome: &Outcome<Seat>) -> Self {
        let outcome = outcome.map(|seat| table.room().stone_of(seat));
        let winner = outcome.winner();
        let result = match (plays(table).as_slice(), winner) {
            ([stone], Some(winner)) if *stone == winner => Some("won"),
            ([_], Some(_)) => Some("lost"),
            ([_], None) => Some("drawn"),
            _ => None,
        };
        let ply = table.room().game.as_ref().map_or(0, |game| game.position.ply());
        Self { outcome, winner, result, ply, your_turn: false }
    }
}

fn plays(table: &Table) -> Vec<Stone> {
    let plays = |stone: &Stone| table.plays(table.room().seat_of(*stone));
    Stone::BOTH.into_iter().filter(plays).collect()
}

fn players(table: &Table) -> ByStone<Option<&Player>> {
    ByStone::of(table, |seat| table.room().seats.get(seat))
}
