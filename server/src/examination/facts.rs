//! What the record of a rated game, and the ratings that it changed, show of its players.

use fivefold_shared::{
    agreement::Agreement,
    protocol::Player,
    record::Record,
    rules::{Outcome, Stone},
    seat::{BySeat, Seat},
};

use crate::storage::{ChangeKind, MoveTimes, PlayerFacts, RatingChange};

/// The facts of a game; `None` if it has not changed the ratings of both players.
pub(super) fn facts(
    record: &Record,
    changes: &[RatingChange],
    agreement: Option<BySeat<Agreement>>,
) -> Option<BySeat<PlayerFacts>> {
    let of = |seat: Seat| {
        let Player::Member { member, .. } = &record.summary.players[seat] else { return None };
        let is_own =
            |change: &&RatingChange| change.kind == ChangeKind::Game && change.member == *member;
        let change = changes.iter().find(is_own)?;
        Some(PlayerFacts {
            member: member.clone(),
            rating: change.before.value,
            result: change.result,
            gave_up: gave_up(&record.summary.outcome, seat),
            times: times(record, seat.stone(record.summary.black)),
            agreement: agreement.as_ref().map(|both| both[seat]),
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
        // A day is far beyond what a clock allows.
        let ms = pair[1].at.saturating_sub(pair[0].at).min(24 * 60 * 60 * 1_000);
        let ms = u32::try_from(ms).map_or(f64::MAX, f64::from);
        times.moves += 1;
        times.total_ms += ms;
        times.squares += ms * ms;
    }
    times
}
