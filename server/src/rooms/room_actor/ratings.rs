//! The ratings of a room's players: from the commit that ends a game, and otherwise from the storage.
//!
//! It does not know how ratings are counted.

use std::sync::Arc;

use fivefold_shared::{
    protocol::PlayerRating,
    room::{Input, RatingsDue},
    seat::{BySeat, Seat},
};
use fivefold_storage::{
    ChangeKind, RatingChange, Reader, StorageError, glicko::Estimate, rating_before,
};

use super::actor::{Actor, RoomContext};

impl Actor {
    /// Gives the room what its game has changed, by the commit that ended it.
    pub(super) fn note_changes(&mut self, changes: &[RatingChange]) {
        let Some(due) = self.room.ratings_due().filter(|due| due.ended) else { return };
        if let Some(ratings) = changed(&due, changes) {
            self.apply(Input::Rated { game: due.game, ended: true, ratings: Some(ratings) }, None);
        }
    }

    /// Begins to read the ratings that the room lacks, when all that it has is stored.
    pub(super) fn read_ratings(&mut self) {
        if self.reading.is_some() || !self.gate.is_settled() {
            return;
        }
        if let Some(due) = self.room.ratings_due() {
            self.reading = Some(Box::pin(read(Arc::clone(&self.context), due)));
        }
    }
}

async fn read(context: Arc<RoomContext>, due: RatingsDue) -> Input {
    let (game, ended, now) = (due.game, due.ended, context.clock.now());
    let found = context.read_pool.read(move |reader| look_up(reader, &due, now)).await;
    if let Err(error) = &found {
        tracing::warn!(%error, "cannot read the ratings of a game");
    }
    Input::Rated { game, ended, ratings: found.unwrap_or_default() }
}

fn look_up(
    reader: &mut Reader,
    due: &RatingsDue,
    now: u64,
) -> Result<Option<BySeat<PlayerRating>>, StorageError> {
    if due.ended {
        return Ok(changed(due, &reader.game_ratings(&due.id)?));
    }
    let mut of = |seat: Seat| -> Result<PlayerRating, StorageError> {
        let ratings = reader.ratings(&due.players[seat])?;
        let rating = rating_before(&ratings, due.pools[seat]).at(now);
        Ok(shown(rating.estimate(), None))
    };
    Ok(Some(BySeat { first: of(Seat::First)?, second: of(Seat::Second)? }))
}

/// What a game has changed, by seat.
fn changed(due: &RatingsDue, changes: &[RatingChange]) -> Option<BySeat<PlayerRating>> {
    let of = |seat: Seat| {
        let change = changes.iter().find(|change| {
            change.kind == ChangeKind::Game
                && change.game == due.id
                && change.member == due.players[seat]
        })?;
        let points = whole(change.after.value) - whole(change.before.value);
        Some(shown(change.after, Some(points)))
    };
    Some(BySeat { first: of(Seat::First)?, second: of(Seat::Second)? })
}

fn shown(estimate: Estimate, change: Option<i32>) -> PlayerRating {
    let rating = whole(estimate.value);
    PlayerRating { rating, provisional: estimate.is_provisional(), change }
}

/// Points as people see them.
#[expect(clippy::cast_possible_truncation, reason = "ratings have a few digits")]
fn whole(points: f64) -> i32 {
    points.round() as i32
}
