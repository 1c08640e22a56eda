//! Tests of local rooms that begin from a position.

use std::time::Duration;

use fivefold_shared::{
    bot_spec::BotKind,
    clock::TimeControl,
    local_room::{LocalEffect, LocalOptions, LocalPlayers, LocalRoom, LocalSetup},
    opening::OpeningKind,
    protocol::{Name, NumberedEvent, Reason},
    rules::{Point, Rules, Size, Stone, Variant},
};

const OPTIONS: LocalOptions = LocalOptions { seed: 1, bot_answer_min: Duration::ZERO };

fn setup(colour: Stone) -> LocalSetup {
    let size = Size::square(15);
    LocalSetup {
        rules: Rules::new(Variant::Freestyle, size).expect("on offer"),
        opening: OpeningKind::Swap2,
        time: TimeControl::PerMove { move_ms: 30_000 },
        players: LocalPlayers::AgainstBot {
            name: Name::new("Ann").expect("a name"),
            bot: BotKind::Attack.into(),
        },
        colour,
    }
}

fn points(moves: &[(i32, i32)]) -> Vec<Point> {
    moves.iter().map(|&(x, y)| Point::new(x, y)).collect()
}

fn events(effects: &[LocalEffect]) -> Vec<NumberedEvent> {
    let event = |effect: &LocalEffect| match effect {
        LocalEffect::Event(event) => Some(event.clone()),
        LocalEffect::Message(_)
        | LocalEffect::Think(_)
        | LocalEffect::CancelThinking(_)
        | LocalEffect::BotFailed => None,
    };
    effects.iter().filter_map(event).collect()
}

#[test]
fn a_game_goes_on_from_a_position_with_either_colour() {
    let moves = points(&[(7, 7), (8, 8), (7, 8)]);
    for (colour, bot_thinks) in [(Stone::White, false), (Stone::Black, true)] {
        let (room, effects) =
            LocalRoom::from_position(5, setup(colour), &moves, OPTIONS).expect("it can go on");
        let state = room.state();
        let game = state.game.as_ref().expect("a game");
        assert_eq!(game.position.moves(), moves);
        assert!(game.clock.is_none() && game.opening.is_over());
        let seat = game.to_act().expect("it runs");
        let is_bot =
            state.seats.get(seat).is_some_and(|player| !player.is_member(&LocalRoom::host()));
        assert_eq!(is_bot, bot_thinks);
        let thinks = effects.iter().any(|effect| matches!(effect, LocalEffect::Think(_)));
        assert_eq!(thinks, bot_thinks);
        // The events are the room's log.
        let log = events(&effects);
        assert!(log.iter().zip(1..).all(|(event, seq)| event.seq == seq), "{log:?}");
        let (again, _) = LocalRoom::restore(9, log, OPTIONS).expect("its own log");
        assert_eq!(again.state().snapshot(), state.snapshot());
    }
}

#[test]
fn no_game_goes_on_from_an_impossible_position() {
    let over: Vec<_> = (0..5).flat_map(|x| [(x, 0), (x, 9)]).take(9).collect();
    let cases = [
        (points(&[(7, 7), (7, 7)]), Reason::Occupied),
        (points(&[(15, 0)]), Reason::Outside),
        (points(&over), Reason::GameOver),
    ];
    for (moves, reason) in cases {
        let refused = LocalRoom::from_position(5, setup(Stone::Black), &moves, OPTIONS);
        assert_eq!(refused.expect_err("no position to go on from").reason, reason);
    }
}
