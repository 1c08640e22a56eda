//! Describes a room in plain English sentences, shared by all views.

use std::num::NonZeroU32;

use fivefold_shared::{
    clock::{DAY_MS, Face, HOUR_MS, MINUTE_MS, SECOND_MS, TimeControl, TimeOff, utc},
    notation::coordinates,
    protocol::{
        Absent, ChatLine, Event, FirstAct, GameRatings, Name, Nudge, PlayerRating, SanctionKind,
        Spectators, WhyCasual,
    },
    room::RoomState,
    rules::{Outcome, Point, Stone},
    seat::Seat,
};

use crate::{play::perspective::Perspective, terminal::sanitize::sanitize, words::bot_names};

/// What people read when the bot of a local game fails.
pub const BOT_FAILED: &str = "The bot has not answered, so any move is made for it.";

/// The answer if no game waits.
pub const NO_NEXT_GAME: &str = "No other daily game waits for your move.";

/// What an operator has decided about the player.
pub fn sanction(kind: SanctionKind, reason: &str, appealed: bool) -> String {
    let what = match kind {
        SanctionKind::Warn => "An operator warns you",
        SanctionKind::Mute => "An operator has muted you",
        SanctionKind::Unrated => "An operator lets you play no rated games",
    };
    let answer = if appealed { "" } else { " You can answer once, on the page." };
    format!("{what}: {}{answer}", sanitize(reason))
}

/// The kind of a chat line's author.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Speaker {
    /// A player.
    Player,
    /// A spectator.
    Spectator,
}

/// The player of a seat, with their stone: `Ann (Black)`; adds `you` where it helps.
pub fn player(perspective: Perspective<'_>, seat: Seat) -> String {
    let is_mine = |seat| perspective.plays(seat);
    with_stone(perspective.room, &seat_name(perspective.room, seat), seat, is_mine)
}

/// As [`player`], for the one who plays the room's game, or has played it: after its end, others
/// may have taken the seats.
fn game_player(perspective: Perspective<'_>, seat: Seat) -> String {
    let Perspective { room, me } = perspective;
    let game = room.game.as_ref();
    let is_mine = |seat| game.is_some_and(|game| game.players[seat].is_member(me));
    with_stone(room, &game_player_name(room, seat), seat, is_mine)
}

fn game_player_name(room: &RoomState, seat: Seat) -> String {
    room.game
        .as_ref()
        .map_or_else(|| "nobody".into(), |game| bot_names::player(&game.players[seat]))
}

fn with_stone(room: &RoomState, name: &str, seat: Seat, is_mine: impl Fn(Seat) -> bool) -> String {
    let stone = room.stone_of(seat);
    // With both seats at one keyboard, `you` would not help.
    if is_mine(seat) && !is_mine(seat.other()) {
        format!("{name} ({stone}, you)")
    } else {
        format!("{name} ({stone})")
    }
}

/// The name of a seat's player, or that the seat is open.
pub fn seat_name(room: &RoomState, seat: Seat) -> String {
    match room.seats.get(seat) {
        Some(player) => bot_names::player(player),
        None => "nobody".into(),
    }
}

/// A sentence about how a game counts for the ratings, if that differs from what its players expect.
fn counts(casual: Option<WhyCasual>, part: Option<NonZeroU32>) -> String {
    match (casual, part) {
        (Some(WhyCasual::OnePlace), _) => {
            " It is casual: both accounts were used on one device, or at one address within the hour."
                .into()
        }
        (Some(WhyCasual::ShortGame), _) => {
            " It is casual: your last game was short, and you have played nobody else since.".into()
        }
        (None, Some(part)) => {
            format!(" It counts 1/{part}: it is your rated game {part} with each other today.")
        }
        (None, None) => String::new(),
    }
}

/// A list of points, such as `h8 i8 j8`.
pub fn points(room: &RoomState, points: &[Point]) -> String {
    let size = room.rules.size();
    points.iter().map(|&point| coordinates::format(point, size)).collect::<Vec<_>>().join(" ")
}

/// How strong the players of a rated game are: `Ratings: Ann 1532 (+8), Bob 1487? (-8)`.
pub fn ratings(room: &RoomState, ratings: &GameRatings) -> String {
    let [first, second] = Seat::BOTH.map(|seat| {
        let PlayerRating { rating, provisional, change } = ratings.players[seat];
        let mark = if provisional { "?" } else { "" };
        let change = change.map(|points| format!(" ({points:+})")).unwrap_or_default();
        format!("{} {rating}{mark}{change}", game_player_name(room, seat))
    });
    format!("Ratings: {first}, {second}")
}

/// What happens to the seat of a player who leaves a running game.
pub fn kept_seat(perspective: Perspective<'_>, claim_after_ms: u64) -> String {
    let Perspective { room, .. } = perspective;
    let opponent = perspective.seat().and_then(|seat| room.seats.get(seat.other()));
    let has_clock = room.running().is_some_and(|game| game.clock.is_some());
    let clock = if has_clock { " On your turn your clock keeps running." } else { "" };
    let Some(opponent) = opponent.filter(|player| player.bot().is_none()) else {
        return "Your seat is kept.".to_owned();
    };
    if room.time.is_daily() {
        return format!("Your seat is kept.{clock}");
    }
    let (name, seconds) = (bot_names::player(opponent), claim_after_ms / 1_000);
    format!(
        "Your seat is kept.{clock} If you are away for {seconds} s on your turn, {name} may claim the \
         win."
    )
}

/// How a game ended.
pub fn outcome(perspective: Perspective<'_>, outcome: &Outcome<Seat>) -> String {
    let room = perspective.room;
    let who = |seat| game_player(perspective, seat);
    match outcome {
        Outcome::Five { winner, points: line } => {
            format!("{} wins by {}.", who(*winner), points(room, line))
        }
        Outcome::Forbidden { winner, point, kind } => format!(
            "{} wins: only forbidden points are left to Black, such as {} ({kind}).",
            who(*winner),
            points(room, &[*point])
        ),
        Outcome::Resignation { winner } => {
            format!("{} wins: {} resigns.", who(*winner), who(winner.other()))
        }
        Outcome::Time { winner } => {
            format!("{} wins: {} has no time left.", who(*winner), who(winner.other()))
        }
        Outcome::Abandonment { winner: Some(winner) } => {
            format!("{} wins: {} has gone away.", who(*winner), who(winner.other()))
        }
        Outcome::Abandonment { winner: None } => "Nobody wins: a player has gone away.".into(),
        Outcome::Aborted { by: Some(by) } => {
            format!("No result: the game is aborted by {}.", who(*by))
        }
        Outcome::Aborted { by: None } => "No result: an operator has closed the room.".into(),
        Outcome::Agreement => "A draw by agreement.".into(),
        Outcome::FullBoard => "A draw: the board is full.".into(),
        Outcome::LengthLimit => "A draw: the game is as long as it may be.".into(),
    }
}

/// Describes an event after it was applied to the table's room.
pub fn event(perspective: Perspective<'_>, event: &Event) -> String {
    let who = |seat| player(perspective, seat);
    let stone = |seat| perspective.room.stone_of(seat);
    match event {
        Event::Created { rules, time, .. } if time.is_none() => {
            format!("The room is made: {rules}.")
        }
        Event::Created { rules, time: control, .. } => {
            format!("The room is made: {rules}, {}.", time(*control))
        }
        Event::Sat { seat, .. } => format!("{} sits down.", who(*seat)),
        Event::Stood { seat } => format!("{}'s seat is open.", stone(*seat)),
        Event::Renamed { seat, .. } => format!("{} is now called {}.", stone(*seat), who(*seat)),
        Event::Started { game, black, casual, part, .. } => {
            let counts = counts(*casual, *part);
            format!("Game {game}: {} against {}.{counts}", who(*black), who(black.other()))
        }
        Event::Played { ply, point, assisted, time: _ } => {
            let help = if *assisted { ", chosen by a bot" } else { "" };
            let point = points(perspective.room, &[*point]);
            format!("{}. {} {point}{help}", ply + 1, Stone::to_move(*ply))
        }
        Event::Asked { ask } => format!("{} acts in the opening.", who(ask.seat)),
        Event::Stayed { by, .. } => {
            format!("{} keeps {}.", seat_name(perspective.room, *by), stone(*by))
        }
        Event::Swapped { by, .. } => {
            let name = seat_name(perspective.room, *by);
            format!("{name} switched: {name} plays {}.", stone(*by))
        }
        Event::Declared { by, count, .. } => {
            let stones = counted((*count).into(), "fifth stone");
            format!("{}: Black will offer {stones}.", seat_name(perspective.room, *by))
        }
        Event::Offered { by, points: offered, .. } => {
            let (name, offered) =
                (seat_name(perspective.room, *by), points(perspective.room, offered));
            format!("{name} offers {offered}.")
        }
        Event::OpeningOver {} => {
            let black = seat_name(perspective.room, perspective.room.black());
            format!("The opening is over. {black} plays Black.")
        }
        Event::DrawOffered { by } => format!("{} offers a draw.", who(*by)),
        Event::DrawDeclined { by } => format!("{} declines the draw.", who(*by)),
        Event::TakebackAsked { by } => format!("{} asks to take back.", who(*by)),
        Event::TakebackRefused { by } => format!("{} does not agree to that.", who(*by)),
        Event::TakenBack { ply } => format!("Taken back to move {ply}."),
        Event::Resumed { .. } => {
            "The server was away. Time runs again in a few seconds.".to_owned()
        }
        Event::FirstActDue { seat, .. } => {
            format!("{} must begin in time, or the game is aborted.", who(*seat))
        }
        Event::TimeOff { seat, off } => takes_off(&who(*seat), *off),
        Event::Nudged { by, .. } => {
            format!("{} asks whether {} is still there.", who(*by), who(by.other()))
        }
        Event::Ended { outcome: how, .. } => outcome(perspective, how),
        Event::RematchAsked { by } => format!("{} wants another game.", who(*by)),
        Event::RematchDeclined { by } => format!("{} does not want another game.", who(*by)),
        Event::ChatSet { on: true } => "Chat is switched on.".to_owned(),
        Event::ChatSet { on: false } => "Chat is switched off.".to_owned(),
    }
}

/// A time control in words.
pub fn time(control: TimeControl) -> String {
    match control {
        TimeControl::None => "as much time as you like".into(),
        TimeControl::SuddenDeath { main_ms } => format!("{} each", length(main_ms)),
        TimeControl::Fischer { main_ms, increment_ms } => {
            format!("{} each and {} more after each move", length(main_ms), length(increment_ms))
        }
        TimeControl::ByoYomi { main_ms, period_ms, periods } => {
            let main = if main_ms == 0 {
                String::new()
            } else {
                format!("{} each, then ", length(main_ms))
            };
            let periods = counted(periods.into(), "period");
            format!("{main}{periods} of {}", length(period_ms))
        }
        TimeControl::PerMove { move_ms } | TimeControl::Daily { move_ms } => {
            format!("{} for each move", length(move_ms))
        }
    }
}

/// A length of time in words, in its largest whole unit.
fn length(ms: u64) -> String {
    match ms {
        ms if ms > 0 && ms.is_multiple_of(DAY_MS) => counted(ms / DAY_MS, "day"),
        ms if ms > 0 && ms.is_multiple_of(HOUR_MS) => counted(ms / HOUR_MS, "hour"),
        ms if ms > 0 && ms.is_multiple_of(MINUTE_MS) => counted(ms / MINUTE_MS, "minute"),
        ms if ms.is_multiple_of(1_000) => counted(ms / 1_000, "second"),
        ms => counted(ms, "millisecond"),
    }
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// The names of spectators, as far as they are known.
pub fn watching(spectators: &Spectators) -> String {
    let name = |name: &Name| {
        if spectators.bots.contains(name) {
            bot_names::program(name.as_str())
        } else {
            sanitize(name.as_str()).into_owned()
        }
    };
    spectators.names.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// A line of chat.
pub fn said(line: &ChatLine, speaker: Speaker) -> String {
    let text = sanitize(line.text.as_str());
    let name = match line.bot {
        true => bot_names::program(line.name.as_str()),
        false => sanitize(line.name.as_str()).into_owned(),
    };
    match speaker {
        Speaker::Player => format!("{name}: {text}"),
        Speaker::Spectator => format!("{name} (watching): {text}"),
    }
}

/// The text of one side's clock, such as `4:59`, `0:09.3`, `1:30:00`, `2 d 4 h`, or in byo-yomi
/// `0:30 x3`.
pub fn clock(face: Face) -> String {
    const TENTHS_BELOW_MS: u64 = 10_000;
    let Face { left_ms, periods, running: _ } = face;
    if left_ms >= DAY_MS {
        return span(left_ms);
    }
    let (hours, minutes, seconds) =
        (left_ms / HOUR_MS, left_ms / MINUTE_MS, left_ms / SECOND_MS % 60);
    if hours > 0 {
        return format!("{hours}:{:02}:{seconds:02}", minutes % 60);
    }
    let tenths =
        if left_ms < TENTHS_BELOW_MS { format!(".{}", left_ms / 100 % 10) } else { String::new() };
    let periods = if periods > 0 { format!(" x{periods}") } else { String::new() };
    format!("{minutes}:{seconds:02}{tenths}{periods}")
}

/// A span of time such as `2 d 4 h`, `4 h 12 min`, `42 min`, or below ten minutes `35 s`.
pub fn span(ms: u64) -> String {
    const SECONDS_BELOW_MS: u64 = 600_000;
    let (days, hours, minutes) = (ms / DAY_MS, ms / HOUR_MS % 24, ms / MINUTE_MS % 60);
    match ms {
        DAY_MS.. => format!("{days} d {hours} h"),
        HOUR_MS.. => format!("{hours} h {minutes} min"),
        SECONDS_BELOW_MS.. => format!("{minutes} min"),
        _ => format!("{} s", ms.div_ceil(1_000)),
    }
}

/// Both clocks at this time, such as `Black 4:59, White 5:00`; nothing without a time control.
pub fn clocks(room: &RoomState, now: u64) -> Option<String> {
    let clock_of = room.game.as_ref()?.clock?;
    let show = |stone| format!("{stone} {}", clock(clock_of.face(room.seat_of(stone), now)));
    Some(Stone::BOTH.map(show).join(", "))
}

/// A time such as `2026-11-21 09:30 UTC`.
pub fn moment(at: u64) -> String {
    let text = utc(at).replace('T', " ");
    format!("{} UTC", text.rsplit_once(':').map_or(&*text, |(minute, _)| minute))
}

/// Describes time off that a player has, or will have.
fn takes_off(who: &str, TimeOff { from, until }: TimeOff) -> String {
    if from == until {
        return format!("{who} has cancelled their time off.");
    }
    format!("{who} has time off from {} to {}.", moment(from), moment(until))
}

/// One sentence for each player whose time off includes `now`.
pub fn time_off(perspective: Perspective<'_>, now: u64) -> Vec<String> {
    let Some(clock) = perspective.room.running().and_then(|game| game.clock) else {
        return Vec::new();
    };
    let sentence = |stone| {
        let seat = perspective.room.seat_of(stone);
        let off = clock.off(seat).filter(|off| off.is_at(now))?;
        Some(format!("{} has time off until {}.", player(perspective, seat), moment(off.until)))
    };
    Stone::BOTH.into_iter().filter_map(sentence).collect()
}

/// A sentence for each player who is away at this time.
pub fn absent(perspective: Perspective<'_>, away: Absent, now: u64) -> Vec<String> {
    let sentence = |stone| {
        let seat = perspective.room.seat_of(stone);
        let away = away.get(seat)?;
        let who = player(perspective, seat);
        let Some(at) = away.claim_at.filter(|_| perspective.plays(seat.other())) else {
            return Some(format!("{who} is away."));
        };
        let seconds = at.saturating_sub(now).div_ceil(1_000);
        Some(if seconds == 0 {
            format!("{who} is away: you may claim the win or a draw.")
        } else {
            format!("{who} is away: in {seconds} s you may claim the win or a draw.")
        })
    };
    Stone::BOTH.into_iter().filter_map(sentence).collect()
}

/// What follows at this time if the player who must begin, or who was nudged, does not act.
pub fn deadline(perspective: Perspective<'_>, now: u64) -> Option<String> {
    let game = perspective.room.running()?;
    if let Some(FirstAct { seat, until }) = game.first_act {
        let (who, left) = (player(perspective, seat), span(until.saturating_sub(now)));
        return Some(format!("{who} must begin within {left}, or the game is aborted."));
    }
    let Nudge { by, until } = game.nudge?;
    let (asked, seconds) = (by.other(), until.saturating_sub(now).div_ceil(1_000));
    Some(match (perspective.plays(asked), perspective.plays(by), seconds) {
        (true, _, 0) => "Still there? Act now: your opponent may claim the game.".into(),
        (true, _, _) => {
            format!("Still there? Act within {seconds} s, or your opponent may claim the game.")
        }
        (false, true, 0) => "You may claim the win or a draw.".into(),
        (false, true, _) => format!("In {seconds} s you may claim the win or a draw."),
        (false, false, _) => {
            format!("{} waits for {}.", player(perspective, by), player(perspective, asked))
        }
    })
}

#[cfg(test)]
mod tests {
    use fivefold_shared::protocol::NumberedEvent;

    use super::*;

    #[test]
    fn time_controls_say_what_numbers_were_taken_for() {
        let cases = [
            ("none", "as much time as you like"),
            ("3", "3 minutes each"),
            ("1m", "1 minute each"),
            ("90s", "90 seconds each"),
            ("1500ms", "1500 milliseconds each"),
            ("5+3", "5 minutes each and 3 seconds more after each move"),
            ("5+0", "5 minutes each and 0 seconds more after each move"),
            ("byo 10+3x30", "10 minutes each, then 3 periods of 30 seconds"),
            ("byo 0+1x1m", "1 period of 1 minute"),
            ("move 30", "30 seconds for each move"),
            ("2h", "2 hours each"),
            ("1d", "1 day for each move"),
            ("7d+12h", "7 days each and 12 hours more after each move"),
        ];
        for (text, expected) in cases {
            assert_eq!(time(text.parse().unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn a_result_names_who_played_and_not_who_sits_there_now() {
        let log = r#"[
            {"type": "created", "rules": {"variant": "freestyle", "size": [15, 15]}, "visibility": "private",
             "assistance": false, "host": "00000000000000aa", "black": "first"},
            {"type": "sat", "seat": "first", "player": {"member": "00000000000000aa", "name": "Ann"}},
            {"type": "sat", "seat": "second", "player": {"member": "00000000000000bb", "name": "Bob"}},
            {"type": "started", "game": 1, "id": "k7m2qpxw9abcdefg", "black": "first"},
            {"type": "ended", "outcome": {"reason": "resignation", "winner": "first"}},
            {"type": "stood", "seat": "first"},
            {"type": "stood", "seat": "second"},
            {"type": "sat", "seat": "first", "player": {"member": "00000000000000bb", "name": "Bob"}},
            {"type": "renamed", "seat": "first", "name": "Robert"}]"#;
        let log: Vec<Event> = serde_json::from_str(log).unwrap();
        let log = log.into_iter().zip(1..).map(|(event, seq)| NumberedEvent { seq, at: 0, event });
        let room = RoomState::from_log(&log.collect::<Vec<_>>()).unwrap();
        let room = RoomState::from_snapshot(room.snapshot()).unwrap();
        let result = room.game.as_ref().unwrap().outcome().unwrap();
        for (me, expected) in [
            ("00000000000000aa", "Ann (Black, you) wins: Bob (White) resigns."),
            ("00000000000000bb", "Ann (Black) wins: Bob (White, you) resigns."),
        ] {
            let me = serde_json::from_str(&format!("\"{me}\"")).unwrap();
            assert_eq!(outcome(Perspective { room: &room, me: &me }, &result), expected);
        }
    }

    #[test]
    fn time_off_is_said_with_its_end() {
        let log = r#"[
            {"type": "created", "rules": {"variant": "freestyle", "size": [15, 15]}, "visibility": "private",
             "assistance": false, "host": "00000000000000aa", "black": "first",
             "time": {"type": "daily", "move_ms": 86400000}},
            {"type": "sat", "seat": "first", "player": {"member": "00000000000000aa", "name": "Ann"}},
            {"type": "sat", "seat": "second", "player": {"member": "00000000000000bb", "name": "Bob"}},
            {"type": "started", "game": 1, "id": "k7m2qpxw9abcdefg", "black": "first"},
            {"type": "time_off", "seat": "second", "from": 1795230000000, "until": 1795402800000}]"#;
        let log: Vec<Event> = serde_json::from_str(log).unwrap();
        let log: Vec<_> =
            (1..).zip(log).map(|(seq, event)| NumberedEvent { seq, at: 0, event }).collect();
        let room = RoomState::from_log(&log).unwrap();
        let me = serde_json::from_str("\"00000000000000aa\"").unwrap();
        let perspective = Perspective { room: &room, me: &me };
        assert_eq!(
            event(perspective, &log[4].event),
            "Bob (White) has time off from 2026-11-21 03:00 UTC to 2026-11-23 03:00 UTC."
        );
        let until = "Bob (White) has time off until 2026-11-23 03:00 UTC.";
        for (now, expected) in [
            (1_795_229_999_999, &[][..]),
            (1_795_230_000_000, &[until]),
            (1_795_402_799_999, &[until]),
            (1_795_402_800_000, &[]),
        ] {
            assert_eq!(time_off(perspective, now), expected, "{now}");
        }
        let off = TimeOff { from: 5, until: 5 };
        let taken_back = Event::TimeOff { seat: Seat::Second, off };
        assert_eq!(event(perspective, &taken_back), "Bob (White) has cancelled their time off.");
    }

    #[test]
    fn clocks_are_shown_to_the_tenth_where_it_matters() {
        let cases = [
            (300_000, 0, "5:00"),
            (299_999, 0, "4:59"),
            (10_000, 0, "0:10"),
            (9_999, 0, "0:09.9"),
            (0, 0, "0:00.0"),
            (30_000, 3, "0:30 x3"),
            (3_599_999, 0, "59:59"),
            (3_600_000, 0, "1:00:00"),
            (24 * 3_600_000 - 1, 0, "23:59:59"),
            (24 * 3_600_000, 0, "1 d 0 h"),
            (52 * 3_600_000 + 59 * 60_000, 0, "2 d 4 h"),
        ];
        for (left_ms, periods, expected) in cases {
            assert_eq!(clock(Face { left_ms, periods, running: true }), expected);
        }
    }
}
