//! Games as JSON, and finished games of a server as files.

use super::{
    coordinates,
    file::{FileChoice, FileError, FileMove, FileOpening, GameFile, too_many},
};
use crate::{
    clock::day,
    opening::Act,
    protocol::Player,
    record::{GameSummary, Record},
    rules::{Point, Stone},
};

/// Reads JSON: a finished game from a server, or a [`GameFile`].
///
/// # Errors
/// When it is neither, with what a [`GameFile`] would need; and when there are more moves than its
/// rules permit.
pub fn read(text: &str) -> Result<GameFile, FileError> {
    let game = match serde_json::from_str::<Record>(text) {
        Ok(record) => GameFile::from(&record),
        Err(_) => serde_json::from_str(text)
            .map_err(|error| FileError { line: error.line().max(1), text: error.to_string() })?,
    };
    let size = game.rules.size();
    if game.moves.len() > size.plies_max() {
        return Err(FileError { line: 1, text: too_many(size) });
    }
    Ok(game)
}

impl From<&Record> for GameFile {
    fn from(record: &Record) -> Self {
        let summary = &record.summary;
        let name = |player: &Player| Some(player.name());
        let mut before = summary.started_at;
        let moves = record.moves.iter().map(|made| {
            let took_ms = Some(made.at.saturating_sub(before));
            before = made.at;
            FileMove { point: made.point, took_ms }
        });
        Self {
            rules: summary.rules,
            black: name(summary.player(Stone::Black)),
            white: name(summary.player(Stone::White)),
            date: Some(day(summary.ended_at)),
            event: None,
            ending: Some((&summary.outcome_by_stone()).into()),
            opening: opening(summary),
            moves: moves.collect(),
        }
    }
}

/// The opening of a finished game, with a sentence for each act.
fn opening(summary: &GameSummary) -> Option<FileOpening> {
    let recorded = summary.opening.as_ref()?;
    let names = |points: &[Point]| {
        let size = summary.rules.size();
        let names = points.iter().map(|&point| coordinates::format(point, size));
        names.collect::<Vec<_>>().join(", ")
    };
    let mut ply = 0;
    let choices = recorded.acts.iter().map(|made| {
        let by = summary.players[made.by].name();
        let text = match &made.act {
            Act::Put { points, declare: None } => format!("{by} puts {}.", names(points)),
            Act::Put { points, declare: Some(count) } => {
                format!("{by} puts {}; {count} fifth stones will be offered.", names(points))
            }
            Act::Take(stone) => format!("{by} takes {stone}."),
            Act::Offer(points) => format!("{by} offers {}.", names(points)),
            Act::Select(point) => format!("{by} selects {}.", names(&[*point])),
        };
        ply += made.act.stones();
        FileChoice { ply, text }
    });
    Some(FileOpening { kind: recorded.kind, choices: choices.collect() })
}
