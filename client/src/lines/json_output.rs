//! Writes a table as JSON lines for scripts, one object a line: the room's events and state as the
//! protocol describes them, with what a script needs to play. `docs/clients/json.md` documents what is added here:
//! change both together.

use std::io::{self, Write};

use fivefold_shared::{
    analysis::Weight,
    bot_spec::BotSpec,
    clock::{Clock, Face},
    conditional_moves::ConditionalMovesStatus,
    friends::Friend,
    notation::coordinates,
    note::Note,
    profile::{Leaders, Profile},
    protocol::{
        Absent, ChatLine, Event, GameRatings, MemberId, Message, Name, OwnRoom, Phase, Refusal,
        RoomCode, RoomSummary, SanctionKind, Snapshot, Spectators,
    },
    record::ListedGame,
    rules::{Forbidden, Outcome, Point},
    seat::{BySeat, Seat},
    time_off_status::TimeOffStatus,
};
use serde::Serialize;

use crate::{
    lines::{
        json_lobby_line::LobbyLine,
        line_interface::View,
        typed_command::{HELP, TypedError},
    },
    play::table::{Table, TableEvent},
    server::{connection::Welcome, room_link::ServerAddress},
    terminal::output::Output,
    words::opening_choices,
};

/// Writes a table as JSON lines.
#[derive(Debug)]
pub struct Json<W> {
    out: Output<W>,
}

/// A line that is no event of the room.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    Connected {
        server: String,
        you: &'a MemberId,
        name: &'a Name,
    },
    Joined(Box<State<'a>>),
    State(Box<State<'a>>),
    PlayerSaid(&'a ChatLine),
    SpectatorSaid(&'a ChatLine),
    Weights {
        ply: usize,
        bot: BotSpec,
        weights: Vec<NamedWeight>,
    },
    Refused {
        #[serde(flatten)]
        refusal: &'a Refusal,
        #[serde(flatten)]
        turn: Turn,
    },
    Unreadable {
        text: String,
        #[serde(flatten)]
        turn: Turn,
    },
    Spectators(&'a Spectators),
    Sanction {
        kind: SanctionKind,
        #[serde(skip_serializing_if = "Option::is_none")]
        until: Option<u64>,
        reason: &'a str,
    },
    Presence(Absent),
    Ratings(GameRatings),
    Lost {
        text: &'a str,
        retry_ms: u128,
    },
    Restored {
        moves: usize,
    },
    Back {
        link: Option<String>,
    },
    BotFailed,
    AboutPerson {
        text: &'a str,
        done: bool,
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
    Game(ListedFinished<'a>),
    Friend(ListedFriend<'a>),
    Note(ListedNote<'a>),
    TimeOff(&'a TimeOffStatus),
    ConditionalMoves(&'a ConditionalMovesStatus),
    Player(&'a Profile),
    Leaderboard(&'a Leaders),
}

/// An event as the protocol describes it, and what follows from it.
#[derive(Serialize)]
struct EventLine<'a> {
    #[serde(flatten)]
    event: &'a Event,
    /// The name of a move's point.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The names of offered points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
    /// How the game ended for a player.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'static str>,
    #[serde(flatten)]
    turn: Option<Turn>,
}

/// Whose turn it is, on every line after which that may have changed.
#[derive(Serialize)]
struct Turn {
    /// Moves made so far.
    plies: usize,
    /// Absent while no game is running.
    to_act: Option<Seat>,
    your_turn: bool,
    /// The clocks now, if there is a time control.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<BySeat<Face>>,
    /// Only where it is our move in renju.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    forbidden: Vec<ForbiddenPoint>,
}

#[derive(Serialize)]
struct ForbiddenPoint {
    name: String,
    point: Point,
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
    #[serde(flatten)]
    snapshot: Snapshot,
    phase: Phase,
    spectators: &'a Spectators,
    away: Absent,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratings: Option<GameRatings>,
    you: &'a MemberId,
    /// The seats played here: none, one, or both at one keyboard.
    plays: Vec<Seat>,
    #[serde(flatten)]
    turn: Turn,
}

#[derive(Serialize)]
struct Listed<'a> {
    link: String,
    #[serde(flatten)]
    room: &'a RoomSummary,
}

#[derive(Serialize)]
struct ListedFinished<'a> {
    link: String,
    #[serde(flatten)]
    game: &'a ListedGame,
}

#[derive(Serialize)]
struct ListedOwn<'a> {
    link: String,
    #[serde(flatten)]
    room: &'a OwnRoom,
}

#[derive(Serialize)]
struct ListedFriend<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    #[serde(flatten)]
    friend: &'a Friend,
}

#[derive(Serialize)]
struct ListedNote<'a> {
    link: String,
    #[serde(flatten)]
    note: &'a Note,
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

    /// Writes one of the visitor's finished games.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn listed_game(&mut self, server: &ServerAddress, game: &ListedGame) -> io::Result<()> {
        let link = server.game_link(&game.id);
        self.write(&Line::Game(ListedFinished { link, game }))
    }

    /// Writes one of the visitor's own rooms.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn listed_own(&mut self, server: &ServerAddress, room: &OwnRoom) -> io::Result<()> {
        let link = server.room_link(&room.summary.room);
        self.write(&Line::OwnRoom(ListedOwn { link, room }))
    }

    /// Writes somebody on the list of friends.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn friend(&mut self, server: &ServerAddress, friend: &Friend) -> io::Result<()> {
        let link = friend.room.as_ref().map(|room| server.room_link(room));
        self.write(&Line::Friend(ListedFriend { link, friend }))
    }

    /// Writes one of the player's notes.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn note(&mut self, server: &ServerAddress, note: &Note) -> io::Result<()> {
        self.write(&Line::Note(ListedNote { link: server.room_link(&note.room), note }))
    }

    /// Writes what the player has planned in a game.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn conditional_moves(&mut self, status: &ConditionalMovesStatus) -> io::Result<()> {
        self.write(&Line::ConditionalMoves(status))
    }

    /// Writes the player's time off.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn time_off(&mut self, status: &TimeOffStatus) -> io::Result<()> {
        self.write(&Line::TimeOff(status))
    }

    /// Writes a player's profile.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn profile(&mut self, profile: &Profile) -> io::Result<()> {
        self.write(&Line::Player(profile))
    }

    /// Writes a leaderboard.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn leaders(&mut self, leaders: &Leaders) -> io::Result<()> {
        self.write(&Line::Leaderboard(leaders))
    }

    /// Writes a line.
    pub(crate) fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(line).map_err(io::Error::other)?;
        self.out.json(&text)?;
        self.out.flush()
    }

    fn message(&mut self, table: &Table, message: &Message) -> io::Result<()> {
        match message {
            Message::Event { event, .. } => self.write(&EventLine::of(table, &event.event)),
            Message::Refused { refusal, .. } => {
                self.write(&Line::Refused { refusal, turn: Turn::of(table) })
            }
            Message::Weights { ply, bot, weights, .. } => {
                let named = |weight: &Weight| NamedWeight {
                    name: name(weight.point, table),
                    weight: *weight,
                };
                let weights = weights.iter().map(named).collect();
                self.write(&Line::Weights { ply: *ply, bot: *bot, weights })
            }
            Message::PlayerSaid { line, .. } => self.write(&Line::PlayerSaid(line)),
            Message::SpectatorSaid { line, .. } => self.write(&Line::SpectatorSaid(line)),
            Message::Snapshot { .. } => self.state(table),
            Message::Spectators { spectators, .. } => self.write(&Line::Spectators(spectators)),
            Message::Presence { away, .. } => self.write(&Line::Presence(*away)),
            Message::Ratings { ratings, .. } => self.write(&Line::Ratings(*ratings)),
            Message::Closed { text, .. } => self.write(&Line::Closed { text }),
            Message::Challenged { challenge, for_ms } => {
                self.write(&LobbyLine::Challenged { challenge, for_ms: *for_ms })
            }
            Message::Sanction { kind, until, reason, .. } => {
                self.write(&Line::Sanction { kind: *kind, until: *until, reason })
            }
            Message::Announcement { text, until } => {
                self.write(&LobbyLine::Announcement { text: text.as_ref(), until: *until })
            }
            Message::AccountChanged { change, label, .. } => {
                self.write(&LobbyLine::AccountChanged { change: *change, label })
            }
            Message::SeekOver { seek, why } => self.write(&LobbyLine::SeekOver { seek, why: *why }),
            Message::Paired { room, rated, .. } if table.code() != Some(room) => {
                let link = table.link_to(room).unwrap_or_default();
                self.write(&LobbyLine::Paired { room, link, rated: *rated, earlier: false })
            }
            Message::Welcome { .. }
            | Message::Paired { .. }
            | Message::Done { .. }
            | Message::Rooms { .. }
            | Message::OwnRooms { .. }
            | Message::Joined { .. }
            | Message::Chat { .. }
            | Message::Analysis { .. }
            | Message::AnalysisOver { .. }
            | Message::Seeking { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Pong { .. } => Ok(()),
        }
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
            TableEvent::Restored { moves } => self.write(&Line::Restored { moves: *moves }),
            TableEvent::Back => self.write(&Line::Back { link: table.link() }),
            TableEvent::BotFailed => self.write(&Line::BotFailed),
            TableEvent::AboutPerson { text, done } => {
                self.write(&Line::AboutPerson { text, done: *done })
            }
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

impl<'a> EventLine<'a> {
    fn of(table: &Table, event: &'a Event) -> Self {
        let turn = || Some(Turn::of(table));
        let names = if let Event::Offered { points, .. } = event {
            points.iter().map(|&at| name(at, table)).collect()
        } else {
            Vec::new()
        };
        let (name, result, turn) = match event {
            // Several stones may be one act, which `asked` or `opening_over` ends.
            Event::Played { ply, point, .. } if opening_choices::has_stone(table.room(), *ply) => {
                (Some(name(*point, table)), None, None)
            }
            Event::Played { point, .. } => (Some(name(*point, table)), None, turn()),
            Event::Ended { outcome, .. } => (None, result(table, outcome), turn()),
            Event::Started { .. }
            | Event::TakenBack { .. }
            | Event::Asked { .. }
            | Event::OpeningOver {} => (None, None, turn()),
            Event::Created { .. }
            | Event::Sat { .. }
            | Event::Stood { .. }
            | Event::Renamed { .. }
            | Event::Stayed { .. }
            | Event::Swapped { .. }
            | Event::Declared { .. }
            | Event::Offered { .. }
            | Event::DrawOffered { .. }
            | Event::DrawDeclined { .. }
            | Event::TakebackAsked { .. }
            | Event::TakebackRefused { .. }
            | Event::Resumed { .. }
            | Event::FirstActDue { .. }
            | Event::TimeOff { .. }
            | Event::Nudged { .. }
            | Event::RematchAsked { .. }
            | Event::RematchDeclined { .. }
            | Event::ChatSet { .. } => (None, None, None),
        };
        Self { event, name, names, result, turn }
    }
}

impl Turn {
    fn of(table: &Table) -> Self {
        let game = table.room().game.as_ref();
        let position = game.map(|game| &game.position);
        let your_turn = table.is_my_turn();
        let points = position.filter(|_| your_turn).map(|position| position.forbidden_points());
        let now = table.now();
        let faces = |clock: Clock| BySeat {
            first: clock.face(Seat::First, now),
            second: clock.face(Seat::Second, now),
        };
        let named = |(point, kind)| ForbiddenPoint { name: name(point, table), point, kind };
        Self {
            plies: position.map_or(0, |position| position.ply()),
            to_act: table.room().to_act(),
            your_turn,
            clock: game.and_then(|game| game.clock).map(faces),
            forbidden: points.unwrap_or_default().into_iter().map(named).collect(),
        }
    }
}

impl<'a> State<'a> {
    fn of(table: &'a Table) -> Self {
        Self {
            room: table.code(),
            link: table.link(),
            snapshot: table.room().snapshot(),
            phase: table.room().phase(),
            spectators: table.spectators(),
            away: table.away(),
            ratings: table.ratings(),
            you: table.me(),
            plays: plays(table),
            turn: Turn::of(table),
        }
    }
}

fn name(point: Point, table: &Table) -> String {
    coordinates::format(point, table.room().rules.size())
}

fn plays(table: &Table) -> Vec<Seat> {
    Seat::BOTH.into_iter().filter(|seat| table.plays(*seat)).collect()
}

/// How the game ended for a player; nothing for a spectator, and for two at one keyboard.
fn result(table: &Table, outcome: &Outcome<Seat>) -> Option<&'static str> {
    let [seat] = plays(table)[..] else { return None };
    Some(match outcome.winner() {
        Some(winner) if winner == seat => "won",
        Some(_) => "lost",
        None if outcome.is_draw() => "drawn",
        None => "aborted",
    })
}
