//! Rated games in a room: which are, and which count in the end.

use std::num::NonZeroU32;

use super::harness::{Table, command_id, show_all};
use crate::{
    clock::millis,
    opening::Act,
    protocol::{Event, RoomRequest, WhyCasual},
    room::{Dealings, Input, RoomLimits, SessionId, ShortestGame, Terms},
    rules::{Point, Stone},
};

const RATED: &str = "rated paired standard 15x15 open open black opening swap2 in 5+3";

/// The shortest game after which a rematch is rated.
const SHORTEST: ShortestGame = RoomLimits::DEFAULT.rematch_after;
const STONES_MIN: usize = SHORTEST.stones;

/// Ann (session 1) and Bob (session 2) in a room of their own.
fn met(create: &str) -> Table {
    let (mut table, _) = Table::create(create).unwrap();
    enter(&mut table, 2, "Bob");
    table
}

fn enter(table: &mut Table, session: u64, name: &str) {
    let (command, member) = (command_id(&format!("enter-{name}")), super::harness::member(name));
    table.apply(Input::Enter { session: SessionId(session), member, command, after: None });
}

fn act(table: &mut Table, session: u64, request: RoomRequest) -> String {
    let id = command_id(&format!("{session}-{}", table.log.len()));
    show_all(
        &table.apply(Input::Command { session: SessionId(session), id, request, lag_ms: 0 }),
        true,
    )
}

/// The opening, so many moves after it, and as long a wait as a rematch needs. Second has chosen to stay
/// White, so they move first.
fn play(table: &mut Table, moves: usize) {
    let points = [(7, 7), (8, 8), (9, 6)].map(|(x, y)| Point::new(x, y)).to_vec();
    act(table, 1, RoomRequest::Choose { ply: 0, act: Act::put(points) });
    act(table, 2, RoomRequest::Choose { ply: 3, act: Act::Take(Stone::White) });
    for ply in 3..3 + moves {
        let number = i32::try_from(ply - 3).unwrap();
        let (x, y) = (2 * (number % 7), 14 * (number / 7));
        let session = if ply % 2 == 1 { 2 } else { 1 };
        let shown = act(table, session, RoomRequest::Play { ply, point: Point::new(x, y) });
        assert!(shown.starts_with("played"), "{shown}");
    }
    table.now += millis(SHORTEST.time);
}

/// Whether each game so far was rated at its beginning, and whether the ended ones count.
fn marks(table: &Table) -> (Vec<bool>, Vec<bool>) {
    let mut marks = (Vec::new(), Vec::new());
    for entry in &table.log {
        match &entry.event.event {
            Event::Started { rated, .. } => marks.0.push(*rated),
            Event::Ended { rated, .. } => marks.1.push(*rated),
            _ => {}
        }
    }
    marks
}

#[test]
fn a_rated_game_counts_when_both_have_moved_twice_and_its_record_says_so() {
    for (moves, counts) in [(3, false), (4, true)] {
        let mut table = met(RATED);
        play(&mut table, moves);
        act(&mut table, 1, RoomRequest::Resign);
        assert_eq!(marks(&table), (vec![true], vec![counts]), "{moves} moves");
        assert_eq!(table.finished[0].record.summary.rated, counts);
    }
    // The same in a room that is not rated.
    let mut table = met(RATED.strip_prefix("rated ").unwrap());
    play(&mut table, 4);
    act(&mut table, 1, RoomRequest::Resign);
    assert_eq!(marks(&table), (vec![false], vec![false]));
}

#[test]
fn a_rematch_of_the_same_two_is_rated_and_a_game_with_somebody_else_is_not() {
    let mut table = met(RATED);
    play(&mut table, STONES_MIN - 3);
    act(&mut table, 1, RoomRequest::Resign);
    table.restart();
    enter(&mut table, 1, "Ann");
    enter(&mut table, 2, "Bob");
    act(&mut table, 1, RoomRequest::Rematch);
    act(&mut table, 2, RoomRequest::Rematch);
    assert_eq!(marks(&table).0, [true, true]);
    act(&mut table, 1, RoomRequest::Resign);
    act(&mut table, 2, RoomRequest::Stand);
    enter(&mut table, 3, "Cid");
    act(&mut table, 3, RoomRequest::Sit { seat: None });
    act(&mut table, 1, RoomRequest::Rematch);
    act(&mut table, 3, RoomRequest::Rematch);
    assert_eq!(marks(&table), (vec![true, true, false], vec![true, false]));
}

/// Both resign this game and ask for the next one. Returns how that counts.
fn again(table: &mut Table) -> Terms {
    act(table, 1, RoomRequest::Resign);
    act(table, 1, RoomRequest::Rematch);
    act(table, 2, RoomRequest::Rematch);
    let started = table.log.iter().rev().find_map(|entry| match &entry.event.event {
        Event::Started { rated, casual, part, .. } => {
            Some(Terms { rated: *rated, casual: *casual, part: *part })
        }
        _ => None,
    });
    started.unwrap()
}

#[test]
fn a_rematch_after_a_short_game_is_casual_until_a_longer_one() {
    for (stones, too_soon_ms, is_short) in
        [(STONES_MIN, 0, false), (STONES_MIN - 1, 0, true), (STONES_MIN, 1, true)]
    {
        let mut table = met(RATED);
        play(&mut table, stones - 3);
        table.now -= too_soon_ms;
        let terms = again(&mut table);
        let casual = is_short.then_some(WhyCasual::ShortGame);
        assert_eq!((terms.rated, terms.casual), (!is_short, casual), "{stones} {too_soon_ms}");
    }
    let mut table = met(RATED);
    play(&mut table, 4);
    let short = Terms { casual: Some(WhyCasual::ShortGame), ..Terms::CASUAL };
    assert_eq!(again(&mut table), short);
    // Also after a restart, and as long as they play short games.
    table.restart();
    enter(&mut table, 1, "Ann");
    enter(&mut table, 2, "Bob");
    assert_eq!(again(&mut table), short);
    // Ann has the second stone of each opening now, so the colours of `play` do not fit.
    table.room.set_dealings(Dealings { games_today: 1, ..Dealings::default() });
    let part = NonZeroU32::new(2);
    assert_eq!(again(&mut table), Terms { rated: true, casual: None, part }, "others in between");
}

#[test]
fn each_rated_game_of_a_day_counts_less_and_one_place_makes_all_casual() {
    let mut table = met(RATED);
    for part in 2..5 {
        let games_today = part - 1;
        table.room.set_dealings(Dealings { games_today, ..Dealings::default() });
        let terms = again(&mut table);
        assert_eq!((terms.rated, terms.part), (true, NonZeroU32::new(part)));
    }
    let one_place = Terms { casual: Some(WhyCasual::OnePlace), ..Terms::CASUAL };
    table.room.set_dealings(Dealings { one_place: true, ..Dealings::default() });
    assert_eq!(again(&mut table), one_place);
    // It stays so in this room, wherever they are.
    table.room.set_dealings(Dealings::default());
    assert_eq!(again(&mut table), one_place);
}

#[test]
fn a_flag_that_fell_after_a_fault_of_the_server_does_not_count() {
    for (acts_again, counts) in [(false, false), (true, true)] {
        let mut table = met(RATED);
        play(&mut table, 4);
        table.restart();
        enter(&mut table, 1, "Ann");
        enter(&mut table, 2, "Bob");
        if acts_again {
            let point = Point::new(14, 14);
            act(&mut table, 2, RoomRequest::Play { ply: 7, point });
        }
        table.now += millis(RoomLimits::DEFAULT.abandoned_room_close).min(3_600_000);
        table.apply(Input::Wake);
        assert_eq!(marks(&table), (vec![true], vec![counts]), "{acts_again}");
    }
}
