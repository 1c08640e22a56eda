//! The record of a game that has ended, made from the room's state. So the fold of the events is
//! the only place that knows what they mean.

use super::{
    state::{FoldError, RoomState},
    timeline::MoveMark,
};
use crate::{
    protocol::{Event, NumberedEvent},
    record::{FinishedGame, GameSummary, Record, RecordedMove, RecordedOpening},
    rules::Outcome,
};

impl RoomState {
    /// The record of the game that has ended. `None` while no game has ended, for an aborted game,
    /// and after a snapshot taken during the game, which does not say when the moves were made.
    pub fn finished_game(&self) -> Option<FinishedGame> {
        let game = self.game.as_ref()?;
        let timeline = game.timeline.as_ref()?;
        let outcome = game.outcome()?;
        if let Outcome::Aborted { .. } = outcome {
            return None;
        }
        let points = game.position.moves().iter().zip(&timeline.moves);
        let opening = (!game.opening.kind().is_free()).then(|| RecordedOpening {
            kind: game.opening.kind(),
            first: game.opening.first(),
            acts: game.opening.acts().to_vec(),
        });
        let summary = GameSummary {
            rules: self.rules,
            visibility: self.visibility,
            players: game.players.clone(),
            black: game.black(),
            started_at: timeline.started_at,
            ended_at: timeline.ended_at?,
            time: self.time,
            opening,
            rated: timeline.rated,
            part: game.part.filter(|_| timeline.rated),
            plies: game.position.ply(),
            outcome,
        };
        let moves = points
            .map(|(&point, &MoveMark { at, assisted })| RecordedMove { point, at, assisted })
            .collect();
        Some(FinishedGame { id: game.id.clone(), record: Record { summary, moves } })
    }

    /// The records of all games that ended in a log.
    ///
    /// # Errors
    /// As [`from_log`](Self::from_log).
    pub fn finished_games<'a>(
        log: impl IntoIterator<Item = &'a NumberedEvent>,
    ) -> Result<Vec<FinishedGame>, FoldError> {
        let mut games = Vec::new();
        Self::fold(log, |room, event| {
            if let Event::Ended { .. } = event {
                games.extend(room.finished_game());
            }
        })?;
        Ok(games)
    }
}
