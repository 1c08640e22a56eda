//! Splits the games of a file into batches for a collection.

use super::{BATCH_BYTES_MAX, BATCH_GAMES_MAX, COLLECTED_MOVES_BYTES_MAX, CollectedGame};
use crate::notation::{
    file::FileError,
    games::{FoundGame, GamesReader},
};

/// Bytes of a batch that stay free: for the longest game that a collection takes, and for the JSON
/// around the list of games.
const BATCH_BYTES_SPARE: usize = 2 * COLLECTED_MOVES_BYTES_MAX;

/// Some games of a file for a collection, at most as many as a server takes at once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileBatch {
    /// The games.
    pub games: Vec<CollectedGame>,
    /// The line where each of them begins, from 1.
    pub lines: Vec<usize>,
    /// What could not be read.
    pub faults: Vec<FileError>,
    /// How long the games are as JSON, in bytes.
    pub bytes: usize,
    /// Whether what was fed has more games.
    pub more: bool,
}

impl FileBatch {
    /// The next games in what was fed to a reader.
    pub fn next(reader: &mut GamesReader) -> Self {
        let mut batch = Self::default();
        while batch.games.len() < BATCH_GAMES_MAX
            && batch.faults.len() < BATCH_GAMES_MAX
            && batch.bytes + BATCH_BYTES_SPARE <= BATCH_BYTES_MAX
        {
            match reader.next() {
                None => return batch,
                Some(Err(fault)) => batch.faults.push(fault),
                Some(Ok(found)) => batch.push(&found),
            }
        }
        batch.more = true;
        batch
    }

    fn push(&mut self, FoundGame { line, game }: &FoundGame) {
        let (line, game) = (*line, CollectedGame::of(game));
        if game.moves.len() > COLLECTED_MOVES_BYTES_MAX {
            let text = format!(
                "the list of moves has more than {COLLECTED_MOVES_BYTES_MAX} bytes, too many for a \
                 collection"
            );
            self.faults.push(FileError { line, text });
            return;
        }
        // A comma follows each but the last.
        self.bytes += serde_json::to_string(&game).map_or(0, |json| json.len() + 1);
        self.games.push(game);
        self.lines.push(line);
    }
}
