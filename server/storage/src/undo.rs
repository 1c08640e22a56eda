//! Takes back what a game has changed in ratings, for an operator. Servers may use the database at the
//! same time.

use std::fmt;

use fivefold_shared::protocol::GameId;

use super::{
    Database, OpenError, Postgres, RatingChange, Storage, StorageError, Undone,
    sqlite::{change_file, ratings},
};
use crate::sqlite::{check::look_for_database, data_folder::database_in};

/// Why nothing was taken back.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The game has changed no rating.
    #[error("there is no game {0} that has changed ratings")]
    NotRated(GameId),
}

/// What was taken back, by member.
#[derive(Clone, PartialEq, Debug)]
pub struct TakenBack(pub Vec<RatingChange>);

impl fmt::Display for TakenBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for RatingChange { member, pool, before, after, .. } in &self.0 {
            writeln!(f, "{member} in {pool}: {:.0} -> {:.0}", before.value, after.value)?;
        }
        Ok(())
    }
}

/// Takes back what a game has changed in ratings, unless that was done before. Running servers show it
/// when they read the ratings next.
///
/// # Errors
/// If the game has changed no rating, or the database cannot be used.
pub fn undo(database: Database<'_>, game: &GameId, now: u64) -> Result<TakenBack, UndoError> {
    let undone = match database {
        Database::Folder(folder) => {
            let file = database_in(folder);
            look_for_database(&file)?;
            change_file(&file, |transaction| ratings::undo(transaction, game, now))?
        }
        Database::Postgres(url) => Postgres::open(url, None)?.undo_ratings(game, now)?,
    };
    match undone {
        Undone::Done(changes) => Ok(TakenBack(changes)),
        Undone::NotRated => Err(UndoError::NotRated(game.clone())),
    }
}
