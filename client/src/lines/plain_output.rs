//! Writes a table as plain lines for people: events and the board after each move on standard
//! output, hints and the state of the connection on standard error.

use std::io::{self, Write};

use fivefold_shared::{
    opening::OpeningKind,
    protocol::{
        ChatLine, Event, Message, NumberedEvent, OpenSeek, OwnRoom, Phase, Player, RoomCode,
        RoomSummary, Spectators,
    },
    room::Game,
    rules::Stone,
    seat::Seat,
};

use crate::{
    lines::{
        ascii_board, game_list,
        line_interface::View,
        typed_command::{HELP, TypedError},
    },
    play::{
        lost_moves,
        table::{Table, TableEvent},
    },
    server::{connection::Welcome, room_link::ServerAddress},
    terminal::{
        output::{self, Output},
        sanitize::sanitize,
    },
    words::{
        bot_names, lobby_sentences, opening_choices,
        room_sentences::{self, Speaker},
    },
};

/// The number of listed weights, the best ones.
const WEIGHTS_SHOWN: usize = 10;

/// Writes a table as lines.
#[derive(Debug)]
pub struct Plain<O, E> {
    pub(crate) out: Output<O>,
    pub(crate) talk: Output<E>,
    /// Whether a program plays: nobody reads boards, or types.
    of_program: bool,
    /// Whether the server was restored while the connection was lost.
    is_restored: bool,
}

impl<O: Write, E: Write> Plain<O, E> {
    /// Writes events to `out`, and hints to `talk`.
    pub const fn new(out: O, talk: E) -> Self {
        Self {
            out: Output::new(out),
            talk: Output::new(talk),
            of_program: false,
            is_restored: false,
        }
    }

    /// The same where a program plays: what happens, without boards and without hints what to type.
    pub fn of_program(out: O, talk: E) -> Self {
        Self { of_program: true, ..Self::new(out, talk) }
    }

    /// Writes a room of the public list.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn listed(&mut self, room: &RoomSummary) -> io::Result<()> {
        writeln!(self.out, "{}", game_list::row(&summary(room), output::columns()))
    }

    /// Writes one of the visitor's own rooms. `now` is the time by the server's clock.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn listed_own(&mut self, room: &OwnRoom, now: u64) -> io::Result<()> {
        let turn = match room.your_turn {
            true => format!("  (your turn{})", game_list::time_left(room, now)),
            false => "  (yours)".to_owned(),
        };
        let columns = output::columns().map(|columns| columns.saturating_sub(turn.len()));
        writeln!(self.out, "{}{turn}", game_list::row(&summary(&room.summary), columns))
    }

    /// Writes what remains of a table whose screen is gone: how the game stands, and how to come back.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn screen_left(&mut self, table: &Table) -> io::Result<()> {
        let perspective = table.perspective();
        if let Some(game) = &table.room().game {
            if let Some(outcome) = game.outcome() {
                writeln!(self.out, "{}", room_sentences::outcome(perspective, &outcome))?;
            } else if let Some(seat) = game.to_act() {
                let player = room_sentences::player(perspective, seat);
                writeln!(self.out, "Move {}: {player} to move.", game.position.ply() + 1)?;
            }
            // Nobody else keeps a game in this process.
            if table.link().is_none() && game.position.ply() > 0 {
                let moves = room_sentences::points(table.room(), game.position.moves());
                writeln!(self.out, "Moves: {moves}")?;
            }
        }
        if table.is_closed() {
            writeln!(self.talk, "The room is closed.")?;
        }
        self.leaving(table)
    }

    fn message(&mut self, table: &Table, message: &Message) -> io::Result<()> {
        match message {
            Message::Event { event, .. } => self.happened(table, event),
            Message::Refused { refusal, .. } => {
                writeln!(self.talk, "No: {}.", sanitize(refusal.text.trim_end_matches('.')))
            }
            Message::Weights { bot, weights, .. } => {
                writeln!(self.out, "Weights of {}, the best first:", bot_names::bot(*bot))?;
                for weight in weights.iter().take(WEIGHTS_SHOWN) {
                    let point = room_sentences::points(table.room(), &[weight.point]);
                    let end = weight.plies.map(|plies| format!("  (ends in {plies})"));
                    let end = end.unwrap_or_default();
                    writeln!(self.out, "  {point:<6} {:>10.2}{end}", weight.weight)?;
                }
                Ok(())
            }
            Message::PlayerSaid { line, .. } => self.said(line, Speaker::Player),
            Message::SpectatorSaid { line, .. } => self.said(line, Speaker::Spectator),
            Message::Snapshot { .. } => self.state(table),
            Message::Spectators { spectators, .. } => self.spectators(spectators),
            Message::Presence { away, .. } if away.is_nobody() => {
                writeln!(self.talk, "Both players are here.")
            }
            Message::Presence { .. } => self.absent(table),
            Message::Ratings { ratings, .. } => {
                writeln!(self.talk, "{}", room_sentences::ratings(table.room(), ratings))
            }
            Message::Closed { text, .. } => {
                writeln!(self.talk, "The room is closed: {}", sanitize(text))
            }
            Message::Challenged { challenge, .. } => self.challenged(challenge),
            Message::SeekOver { why, .. } => match table.challenges().last_over() {
                Some(over) => {
                    writeln!(self.talk, "{}", lobby_sentences::challenge_over(over, *why))
                }
                None => Ok(()),
            },
            Message::Paired { room, rated, .. } => self.paired(table, room, *rated),
            Message::OwnRooms { rooms, .. } if table.next_game(rooms).is_none() => {
                writeln!(self.talk, "{}", room_sentences::NO_NEXT_GAME)
            }
            Message::AccountChanged { change, label, .. } => {
                writeln!(self.talk, "{}", lobby_sentences::news(*change, label))
            }
            Message::Sanction { kind, reason, appealed, .. } => {
                writeln!(self.talk, "{}", room_sentences::sanction(*kind, reason, *appealed))
            }
            Message::Announcement { text, .. } => {
                writeln!(self.talk, "{}", lobby_sentences::announcement(text.as_ref()))
            }
            Message::Welcome { .. }
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

    fn happened(&mut self, table: &Table, event: &NumberedEvent) -> io::Result<()> {
        let perspective = table.perspective();
        let sentence = if let Event::Asked { ask } = &event.event {
            format!("{}.", opening_choices::title(perspective, ask))
        } else if let Event::FirstActDue { .. } = &event.event
            && let Some(deadline) = room_sentences::deadline(perspective, event.at)
        {
            deadline
        } else {
            room_sentences::event(perspective, &event.event)
        };
        writeln!(self.out, "{sentence}")?;
        match &event.event {
            // The board follows with the next ask.
            Event::Played { ply, .. } if opening_choices::has_stone(table.room(), *ply) => Ok(()),
            Event::Started { .. } if !table.room().opening.is_free() => Ok(()),
            Event::Started { .. }
            | Event::Played { .. }
            | Event::TakenBack { .. }
            | Event::Asked { .. }
            | Event::OpeningOver {} => {
                self.board(table)?;
                self.turn(table)
            }
            Event::Ended { .. } => {
                // The final move has already printed the board.
                let hint = "`rematch` for another game, `leave` to end.";
                let may_type = table.seat().is_some() && !self.of_program;
                if may_type { writeln!(self.talk, "{hint}") } else { Ok(()) }
            }
            Event::Nudged { .. } => self.deadline(table, event.at),
            Event::DrawOffered { by } => self.ask(table, *by, "`accept` or `decline`?"),
            Event::TakebackAsked { by } => self.ask(table, *by, "`grant` or `refuse`?"),
            Event::RematchAsked { by } => self.ask(table, *by, "`rematch` or `decline`?"),
            Event::Created { .. }
            | Event::Sat { .. }
            | Event::Stood { .. }
            | Event::Renamed { .. }
            | Event::DrawDeclined { .. }
            | Event::RematchDeclined { .. }
            | Event::Stayed { .. }
            | Event::Swapped { .. }
            | Event::Declared { .. }
            | Event::Offered { .. }
            | Event::Resumed { .. }
            | Event::FirstActDue { .. }
            | Event::TimeOff { .. }
            | Event::TakebackRefused { .. }
            | Event::ChatSet { .. } => Ok(()),
        }
    }

    /// Writes a challenge, and how to answer it.
    pub(crate) fn challenged(&mut self, challenge: &OpenSeek) -> io::Result<()> {
        let name = sanitize(challenge.name.as_str());
        writeln!(self.talk, "{}", lobby_sentences::challenged(challenge))?;
        writeln!(self.talk, "`/accept {name}` or `/decline {name}`?")
    }

    /// Writes that a game has begun in another room.
    fn paired(&mut self, table: &Table, room: &RoomCode, rated: Option<bool>) -> io::Result<()> {
        if table.goes_to(room) {
            writeln!(self.talk, "{}", lobby_sentences::begins(rated))?;
            self.leaving(table)
        } else if table.code() != Some(room) {
            let link = table.link_to(room).unwrap_or_default();
            writeln!(self.talk, "A game of yours has begun: fivefold join {link}")
        } else {
            Ok(())
        }
    }

    fn said(&mut self, line: &ChatLine, speaker: Speaker) -> io::Result<()> {
        writeln!(self.out, "{}", room_sentences::said(line, speaker))
    }

    /// Writes a hint for the player who must answer.
    fn ask(&mut self, table: &Table, by: Seat, hint: &str) -> io::Result<()> {
        let may_type = table.plays(by.other()) && !self.of_program;
        if may_type { writeln!(self.talk, "{hint}") } else { Ok(()) }
    }

    fn board(&mut self, table: &Table) -> io::Result<()> {
        match &table.room().game {
            Some(game) if !self.of_program => {
                self.out.lines(&format!("\n{}\n", ascii_board::draw(&game.position)))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn absent(&mut self, table: &Table) -> io::Result<()> {
        for sentence in room_sentences::time_off(table.perspective(), table.now()) {
            writeln!(self.talk, "{sentence}")?;
        }
        for sentence in room_sentences::absent(table.perspective(), table.away(), table.now()) {
            writeln!(self.talk, "{sentence}")?;
        }
        Ok(())
    }

    /// Writes until when the player to act has to do so, if that is limited.
    fn deadline(&mut self, table: &Table, now: u64) -> io::Result<()> {
        match room_sentences::deadline(table.perspective(), now) {
            Some(sentence) => writeln!(self.talk, "{sentence}"),
            None => Ok(()),
        }
    }

    fn turn(&mut self, table: &Table) -> io::Result<()> {
        if self.of_program {
            return Ok(());
        }
        self.deadline(table, table.now())?;
        if let Some(clocks) = room_sentences::clocks(table.room(), table.now()) {
            writeln!(self.out, "{clocks}")?;
        }
        if let Some(ask) = opening_choices::ask(table.room())
            && table.plays(ask.seat)
        {
            for hint in opening_choices::hints(table.perspective(), &ask) {
                writeln!(self.talk, "{hint}")?;
            }
            return Ok(());
        }
        match table.room().to_act() {
            Some(seat) if table.plays(seat) => {
                writeln!(self.talk, "{}, your move.", table.room().stone_of(seat))
            }
            Some(seat) => {
                writeln!(
                    self.talk,
                    "{} to move.",
                    room_sentences::player(table.perspective(), seat)
                )
            }
            None => Ok(()),
        }
    }

    fn spectators(&mut self, spectators: &Spectators) -> io::Result<()> {
        match spectators.count {
            0 => writeln!(self.talk, "Nobody watches."),
            count => {
                writeln!(self.talk, "{count} watching: {}", room_sentences::watching(spectators))
            }
        }
    }
}

impl<O: Write, E: Write> View for Plain<O, E> {
    fn connected(&mut self, server: &ServerAddress, welcome: &Welcome) -> io::Result<()> {
        writeln!(self.talk, "Connected to {server} as {}.", welcome.name)
    }

    fn joined(&mut self, table: &Table) -> io::Result<()> {
        let room = table.room();
        if let (Some(code), Some(link)) = (table.code(), table.link()) {
            let time = Some(room.time).filter(|time| !time.is_none());
            let time =
                time.map(|time| format!(", {}", room_sentences::time(time))).unwrap_or_default();
            writeln!(self.out, "Room {code}: {}{time}{}", room.rules, opening(room.opening))?;
            writeln!(self.out, "Link: {link}")?;
        } else {
            writeln!(self.out, "{}{}", room.rules, opening(room.opening))?;
        }
        match table.seat() {
            None => writeln!(self.talk, "You watch.")?,
            Some(_) if room.seats.vacant().is_some() => {
                writeln!(self.talk, "Waiting for an opponent: pass the link on.")?;
            }
            Some(_) => {}
        }
        if !self.of_program {
            writeln!(self.talk, "Type a point such as {}, or help.", example(table))?;
        }
        self.absent(table)?;
        self.state(table)
    }

    fn event(&mut self, table: &Table, event: &TableEvent) -> io::Result<()> {
        match event {
            TableEvent::Message(message) => self.message(table, message),
            TableEvent::Lost { reason, retry_in } => {
                self.is_restored = false;
                let seconds = retry_in.as_secs_f64();
                writeln!(self.talk, "Connection lost ({reason}); next try in {seconds:.1} s.")
            }
            TableEvent::Restored { moves } => {
                self.is_restored = true;
                writeln!(self.talk, "{}", lost_moves::sentence(*moves))
            }
            TableEvent::Back => {
                if !std::mem::take(&mut self.is_restored) {
                    writeln!(self.talk, "The connection is back.")?;
                }
                self.turn(table)
            }
            TableEvent::BotFailed => writeln!(self.talk, "{}", room_sentences::BOT_FAILED),
            TableEvent::AboutPerson { text, .. } | TableEvent::Ended { reason: text } => {
                writeln!(self.talk, "{text}")
            }
        }
    }

    fn misread(&mut self, _: &Table, error: &TypedError) -> io::Result<()> {
        writeln!(self.talk, "{error}")
    }

    fn state(&mut self, table: &Table) -> io::Result<()> {
        let room = table.room();
        writeln!(self.out, "{}", pairing(|seat| room.seats.get(seat), room.black()))?;
        if let Some(ratings) = table.ratings() {
            writeln!(self.out, "{}", room_sentences::ratings(room, &ratings))?;
        }
        self.board(table)?;
        if let Some(ask) = opening_choices::ask(room) {
            writeln!(self.out, "{}", opening_choices::title(table.perspective(), &ask))?;
        }
        match room.game.as_ref().and_then(Game::outcome) {
            Some(outcome) => {
                writeln!(self.out, "{}", room_sentences::outcome(table.perspective(), &outcome))
            }
            None => self.turn(table),
        }
    }

    fn help(&mut self) -> io::Result<()> {
        self.talk.lines(&format!("{HELP}\n"))
    }

    fn leaving(&mut self, table: &Table) -> io::Result<()> {
        let is_running = table.room().running().is_some();
        if self.of_program && !is_running {
            return Ok(());
        }
        if let Some(link) = table.game_link() {
            game_list::write_ways(&mut self.talk, &link)?;
        }
        let Some(link) = table.code().and(table.link()).filter(|_| !table.is_closed()) else {
            return Ok(());
        };
        if !is_running {
            writeln!(self.talk, "  To come back to the room: fivefold join {link}")
        } else if table.seat().is_some() {
            let kept = room_sentences::kept_seat(table.perspective(), table.claim_after_ms());
            writeln!(self.talk, "  {kept}")?;
            writeln!(self.talk, "  To come back: fivefold join {link}")
        } else {
            writeln!(self.talk, "  To watch on: fivefold watch {link}")
        }
    }
}

/// A room in a list, in one line.
fn summary(room: &RoomSummary) -> String {
    let phase = match room.phase {
        Phase::Waiting if room.ply > 0 || room.players.is_some() => "finished".into(),
        Phase::Waiting => "waiting".into(),
        Phase::Running => format!("move {}", room.ply + 1),
        Phase::Finished => "finished".into(),
    };
    let time = Some(room.time).filter(|time| !time.is_none());
    let time =
        time.map(|time| format!(", {}", lobby_sentences::short_time(time))).unwrap_or_default();
    let help = if room.assistance { ", bots may help" } else { "" };
    format!(
        "{}  {}{time}{}  {}  {phase}, {} watching{help}",
        room.room,
        room.rules,
        opening(room.opening),
        match &room.players {
            Some(players) => pairing(|seat| Some(&players[seat]), room.black),
            None => pairing(|seat| room.seats.get(seat), room.black),
        },
        room.spectators,
    )
}

/// An opening behind the rules, unless it is free.
fn opening(kind: OpeningKind) -> String {
    if kind.is_free() { String::new() } else { format!(", {kind}") }
}

fn pairing<'a>(player: impl Fn(Seat) -> Option<&'a Player>, black: Seat) -> String {
    let name = |stone| match player(Seat::with_stone(stone, black)) {
        Some(player) => bot_names::player(player),
        None => "(open)".into(),
    };
    format!("Black: {}, White: {}", name(Stone::Black), name(Stone::White))
}

/// A sample point of this board, for hints.
fn example(table: &Table) -> String {
    use fivefold_shared::rules::{Point, Size};

    let point = match table.room().rules.size() {
        Size::Bounded { width, height } => Point::new(i32::from(width) / 2, i32::from(height) / 2),
        Size::Unbounded => Point::new(0, 0),
    };
    room_sentences::points(table.room(), &[point])
}
