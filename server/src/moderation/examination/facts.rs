//! What the record of a rated game, and the ratings that it changed, show of its players.

use fivefold_shared::{
    clock::TIME_MAX_MS,
    protocol::Player,
    record::Record,
    review::Agreement,
    rules::{Outcome, Stone},
    seat::{BySeat, Seat},
};
use fivefold_storage::{ChangeKind, MoveTimes, PlayerFacts, RatingChange};

/// The facts of a game; `None` if it has not changed the ratings of both players.
pub(super) fn facts(
    record: &Record,
    changes: &[RatingChange],
    agreement: Option<BySeat<Agreement>>,
) -> Option<BySeat<PlayerFacts>> {
    let of = |seat: Seat| {
        let Player::Member { member, engine, .. } = &record.summary.players[seat] else {
            return None;
        };
        let is_own =
            |change: &&RatingChange| change.kind == ChangeKind::Game && change.member == *member;
        let change = changes.iter().find(is_own)?;
        Some(PlayerFacts {
            member: member.clone(),
            rating: change.before.value,
            result: change.result,
            gave_up: gave_up(&record.summary.outcome, seat),
            // Programs say that they are, and are expected to play like an engine at an even pace.
            times: if *engine {
                MoveTimes::default()
            } else {
                times(record, seat.stone(record.summary.black))
            },
            agreement: agreement.as_ref().filter(|_| !engine).map(|both| both[seat]),
        })
    };
    Some(BySeat { first: of(Seat::First)?, second: of(Seat::Second)? })
}

/// Whether a player lost by giving up, leaving or on time.
fn gave_up(outcome: &Outcome<Seat>, seat: Seat) -> bool {
    match outcome {
        Outcome::Resignation { winner } | Outcome::Time { winner } => *winner == seat.other(),
        Outcome::Abandonment { winner } => *winner == Some(seat.other()),
        Outcome::Five { .. }
        | Outcome::Forbidden { .. }
        | Outcome::Agreement
        | Outcome::FullBoard
        | Outcome::LengthLimit
        | Outcome::Aborted { .. } => false,
    }
}

/// The times of one side's moves after the opening.
fn times(record: &Record, side: Stone) -> MoveTimes {
    let opening = record.summary.opening.as_ref().map_or(0, |opening| opening.stones());
    let mut times = MoveTimes::default();
    for (ply, pair) in (1..).zip(record.moves.windows(2)) {
        if ply < opening || Stone::to_move(ply) != side {
            continue;
        }
        let ms = pair[1].at.saturating_sub(pair[0].at).min(TIME_MAX_MS);
        let ms = u32::try_from(ms).map_or(f64::MAX, f64::from);
        times.moves += 1;
        times.total_ms += ms;
        times.squares += ms * ms;
    }
    times
}

#[cfg(test)]
mod tests {
    use fivefold_shared::{
        clock::TimeControl,
        protocol::{GameId, Name, Visibility},
        record::{GameSummary, RecordedMove},
        rules::{Point, Rules},
    };
    use fivefold_storage::{GameResult, glicko::Estimate};

    use super::*;
    use crate::process::ids;

    #[test]
    fn nobody_compares_a_program_with_the_engine() {
        let members = BySeat { first: ids::new_member_id(), second: ids::new_member_id() };
        let player = |seat: Seat, engine| Player::Member {
            member: members[seat].clone(),
            name: Name::new("Zed").unwrap(),
            engine,
        };
        let made = |x, at| RecordedMove { point: Point { x, y: 0 }, at, assisted: false };
        let record = Record {
            summary: GameSummary {
                rules: Rules::TIC_TAC_TOE,
                visibility: Visibility::Public,
                players: BySeat {
                    first: player(Seat::First, false),
                    second: player(Seat::Second, true),
                },
                black: Seat::First,
                started_at: 0,
                ended_at: 900,
                time: TimeControl::None,
                opening: None,
                rated: true,
                part: None,
                plies: 4,
                outcome: Outcome::Resignation { winner: Seat::First },
            },
            moves: vec![made(0, 100), made(1, 300), made(2, 400), made(0, 700)],
        };
        let game = GameId::try_from("k7m2qpxw9abck7m2".to_owned()).unwrap();
        let estimate = Estimate { value: 1_500.0, deviation: 60.0 };
        let change = |seat: Seat, result| RatingChange {
            game: game.clone(),
            member: members[seat].clone(),
            pool: "freestyle/15/fast".parse().unwrap(),
            kind: ChangeKind::Game,
            result,
            before: estimate,
            after: estimate,
            number: 1,
            at: 900,
        };
        let changes =
            [change(Seat::First, GameResult::Won), change(Seat::Second, GameResult::Lost)];
        let agreement = BySeat { first: Agreement::default(), second: Agreement::default() };
        let facts = facts(&record, &changes, Some(agreement)).unwrap();
        assert_eq!((facts.first.times.moves, facts.second.times.moves), (1, 0));
        assert!(facts.first.agreement.is_some() && facts.second.agreement.is_none());
        assert!(facts.second.gave_up && !facts.first.gave_up);
    }
}
