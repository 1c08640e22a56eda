//! Reading finished games and members from a SQLite file, beside the writer.

use std::{collections::BTreeSet, fs, io, path::PathBuf};

use fivefold_shared::{
    protocol::{ChallengesFrom, GameId, MemberId},
    rating_pool::RatingPool,
    record::{GameList, GameSummary, Record},
};
use rusqlite::{Connection, OptionalExtension};

use crate::{
    Account, AccountKeys, AccountSession, ApiToken, DiskSpace, GameQuery, IdentityHash, KeyHash,
    KnownMember, Leaderboard, LeaderboardQuery, OldName, Passkey, PoolRating, RatingChange,
    StorageError, StorageReader,
    accounts::DELETED_NAME,
    deleted_players,
    sqlite::{accounts, bots, games, keys, ratings, write_ahead_log},
    values::{from_json, name},
};

/// Finished games and members, read by a connection that cannot write.
#[derive(Debug)]
pub(super) struct SqliteReader {
    pub(super) connection: Connection,
    pub(super) file: PathBuf,
}

impl SqliteReader {
    /// Replaces the names of players who have deleted their account.
    fn hide_deleted<'g>(
        &self,
        games: impl IntoIterator<Item = &'g mut GameSummary>,
    ) -> Result<(), StorageError> {
        let mut games: Vec<_> = games.into_iter().collect();
        let mut select =
            self.connection.prepare_cached("SELECT 1 FROM member WHERE id = ? AND name = ?")?;
        let mut deleted = BTreeSet::new();
        for member in deleted_players::players(games.iter().map(|game| &**game)) {
            if select.exists((member.as_str(), DELETED_NAME))? {
                deleted.insert(member);
            }
        }
        games.iter_mut().for_each(|game| deleted_players::hide(game, &deleted));
        Ok(())
    }
}

impl StorageReader for SqliteReader {
    fn member(
        &mut self,
        id: &MemberId,
        hash: IdentityHash,
    ) -> Result<Option<KnownMember>, StorageError> {
        let found = self
            .connection
            .prepare_cached(
                "SELECT id, hash, name, seen_at FROM member WHERE hash = ?1 OR id = ?2
                 ORDER BY hash = ?1 DESC LIMIT 1",
            )?
            .query_row((hash.0, id.as_str()), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()?;
        found
            .map(|(id, hash, text, seen_at)| {
                let hash = IdentityHash(hash);
                Ok(KnownMember { id: name(id)?, hash, name: name(text)?, seen_at })
            })
            .transpose()
    }

    fn account_named(&mut self, key: &str) -> Result<Option<Account>, StorageError> {
        accounts::named(&self.connection, key)
    }

    fn account_once_named(&mut self, key: &str) -> Result<Option<Account>, StorageError> {
        accounts::once_named(&self.connection, key)
    }

    fn challenges_from(&mut self, member: &MemberId) -> Result<ChallengesFrom, StorageError> {
        accounts::challenges_from(&self.connection, member)
    }

    fn old_names(&mut self, member: &MemberId) -> Result<Vec<OldName>, StorageError> {
        accounts::old_names(&self.connection, member)
    }

    fn aliases(&mut self, member: &MemberId) -> Result<Vec<MemberId>, StorageError> {
        keys::aliases(&self.connection, member.as_str())
    }

    fn guests_around(
        &mut self,
        members: &[MemberId],
    ) -> Result<Vec<(MemberId, MemberId)>, StorageError> {
        keys::guests_around(&self.connection, members)
    }

    fn account_of_session(
        &mut self,
        session: KeyHash,
    ) -> Result<Option<(Account, AccountSession)>, StorageError> {
        accounts::of_session(&self.connection, session)
    }

    fn account_of_passkey(
        &mut self,
        id: &[u8],
    ) -> Result<Option<(Account, Passkey)>, StorageError> {
        keys::of_passkey(&self.connection, id)
    }

    fn account_of_token(
        &mut self,
        token: KeyHash,
    ) -> Result<Option<(Account, ApiToken)>, StorageError> {
        keys::of_token(&self.connection, token)
    }

    fn account_keys(&mut self, member: &MemberId) -> Result<AccountKeys, StorageError> {
        accounts::keys(&self.connection, member)
    }

    fn deleted_since(&mut self, at: u64) -> Result<Vec<MemberId>, StorageError> {
        accounts::deleted_since(&self.connection, at)
    }

    fn bots_of(&mut self, owner: &MemberId) -> Result<Vec<Account>, StorageError> {
        bots::of_owner(&self.connection, owner)
    }

    fn game(&mut self, id: &GameId) -> Result<Option<Record>, StorageError> {
        let found = self
            .connection
            .prepare_cached("SELECT summary, moves FROM game WHERE code = ?")?
            .query_row((id.as_str(),), |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })
            .optional()?;
        let Some((summary, moves)) = found else { return Ok(None) };
        let mut summary = from_json(&summary)?;
        self.hide_deleted([&mut summary])?;
        Ok(Some(Record { summary, moves: from_json(&moves)? }))
    }

    fn games(&mut self, query: &GameQuery) -> Result<GameList, StorageError> {
        let mut list = games::list(&self.connection, query)?;
        self.hide_deleted(list.games.iter_mut().map(|game| &mut game.summary))?;
        Ok(list)
    }

    fn ratings(&mut self, member: &MemberId) -> Result<Vec<PoolRating>, StorageError> {
        ratings::of_member(&self.connection, member)
    }

    fn rating_history(
        &mut self,
        member: &MemberId,
        pool: RatingPool,
    ) -> Result<Vec<RatingChange>, StorageError> {
        ratings::history(&self.connection, member, pool)
    }

    fn leaderboard(&mut self, query: &LeaderboardQuery) -> Result<Leaderboard, StorageError> {
        ratings::leaderboard(&self.connection, query)
    }

    fn game_ratings(&mut self, game: &GameId) -> Result<Vec<RatingChange>, StorageError> {
        ratings::of_game(&self.connection, game)
    }

    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError> {
        let measure = || -> io::Result<DiskSpace> {
            let log = write_ahead_log::size(&self.file)?;
            let disk = rustix::fs::statvfs(&self.file)?;
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            Ok(DiskSpace { used: fs::metadata(&self.file)?.len() + log, log, free })
        };
        measure().map(Some).map_err(|error| StorageError::Failed(error.to_string()))
    }
}
