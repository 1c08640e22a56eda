//! Reads finished games, members and accounts, beside the writer.

use fivefold_shared::{
    protocol::{ChallengesFrom, GameId, MemberId, Name, RoomCode},
    rating_pool::RatingPool,
    record::{GameList, GameSummary, Record},
};

use super::{
    Row, Sql, accounts, bots, games, keys, list, ratings, sleeping_rooms, source::DatabaseReader,
    values,
};
use crate::{
    Account, AccountKeys, AccountSession, ApiToken, DiskSpace, GameQuery, IdentityHash, KeyHash,
    KnownMember, Leaderboard, LeaderboardQuery, MemberRatings, OldName, Passkey, RatingChange,
    StorageError, StorageReader, accounts::DELETED_NAME, deleted_players,
};

impl DatabaseReader {
    /// Replaces the names of players who have deleted their account.
    fn hide_deleted<'g>(
        &mut self,
        games: impl IntoIterator<Item = &'g mut GameSummary>,
    ) -> Result<(), StorageError> {
        let mut games: Vec<_> = games.into_iter().collect();
        let players = deleted_players::players(games.iter().map(|game| &**game));
        if players.is_empty() {
            return Ok(());
        }
        let players = list(players.iter().map(MemberId::as_str));
        let deleted = self.read(|sql| {
            let listed = sql.dialect().listed();
            let statement = format!(
                "SELECT id FROM member WHERE id IN (SELECT value FROM {listed}) AND name = $2"
            );
            sql.rows(&statement, values![&players, DELETED_NAME], Row::get)
        })?;
        let deleted = deleted.into_iter().collect();
        games.iter_mut().for_each(|game| deleted_players::hide(game, &deleted));
        Ok(())
    }
}

impl StorageReader for DatabaseReader {
    fn member(
        &mut self,
        id: &MemberId,
        hash: IdentityHash,
    ) -> Result<Option<KnownMember>, StorageError> {
        let statement = "SELECT id, hash, name, seen_at FROM member WHERE hash = $1 OR id = $2
            ORDER BY (hash = $1) DESC LIMIT 1";
        self.read(|sql| {
            sql.row(statement, values![&hash, id], |row| {
                let (id, hash, name) = (row.get()?, row.get()?, row.get()?);
                Ok(KnownMember { id, hash, name, seen_at: row.get()? })
            })
        })
    }

    fn account_named(&mut self, key: &str) -> Result<Option<Account>, StorageError> {
        self.read(|sql| accounts::named(sql, key))
    }

    fn account_once_named(&mut self, key: &str) -> Result<Option<Account>, StorageError> {
        self.read(|sql| accounts::once_named(sql, key))
    }

    fn challenges_from(&mut self, member: &MemberId) -> Result<ChallengesFrom, StorageError> {
        self.read(|sql| accounts::challenges_from(sql, member))
    }

    fn old_names(&mut self, member: &MemberId) -> Result<Vec<OldName>, StorageError> {
        self.read(|sql| accounts::old_names(sql, member))
    }

    fn aliases(&mut self, member: &MemberId) -> Result<Vec<MemberId>, StorageError> {
        self.read(|sql| keys::aliases(sql, member))
    }

    fn guests_around(
        &mut self,
        members: &[MemberId],
    ) -> Result<Vec<(MemberId, MemberId)>, StorageError> {
        self.read(|sql| keys::guests_around(sql, members))
    }

    fn account_of_session(
        &mut self,
        session: KeyHash,
    ) -> Result<Option<(Account, AccountSession)>, StorageError> {
        self.read(|sql| accounts::of_session(sql, &session))
    }

    fn account_of_passkey(
        &mut self,
        id: &[u8],
    ) -> Result<Option<(Account, Passkey)>, StorageError> {
        self.read(|sql| keys::of_passkey(sql, id))
    }

    fn account_of_token(
        &mut self,
        token: KeyHash,
    ) -> Result<Option<(Account, ApiToken)>, StorageError> {
        self.read(|sql| keys::of_token(sql, &token))
    }

    fn account_keys(&mut self, member: &MemberId) -> Result<AccountKeys, StorageError> {
        self.read(|sql| accounts::keys(sql, member))
    }

    fn bots_of(&mut self, owner: &MemberId) -> Result<Vec<Account>, StorageError> {
        self.read(|sql| bots::of_owner(sql, owner))
    }

    fn current_names(
        &mut self,
        members: &[MemberId],
    ) -> Result<Vec<(MemberId, Name)>, StorageError> {
        let members = list(members.iter().map(MemberId::as_str));
        self.read(|sql| {
            let listed = sql.dialect().listed();
            let statement = format!(
                "SELECT id, name FROM member WHERE id IN (SELECT value FROM {listed})
                     AND (name = $2 OR EXISTS
                         (SELECT 1 FROM account WHERE account.member = member.id))"
            );
            sql.rows(&statement, values![&members, DELETED_NAME], |row| {
                Ok((row.get()?, row.get()?))
            })
        })
    }

    fn deleted_since(&mut self, at: u64) -> Result<Vec<MemberId>, StorageError> {
        self.read(|sql| accounts::deleted_since(sql, at))
    }

    fn sleeping_room(&mut self, room: &RoomCode) -> Result<Option<String>, StorageError> {
        self.read(|sql| sleeping_rooms::listing(sql, room))
    }

    fn sleeping_rooms_of(
        &mut self,
        member: &MemberId,
        rooms_max: usize,
    ) -> Result<Vec<String>, StorageError> {
        self.read(|sql| sleeping_rooms::of_member(sql, member, rooms_max))
    }

    fn public_sleeping_rooms(
        &mut self,
        rooms_max: usize,
    ) -> Result<(Vec<String>, usize), StorageError> {
        self.read(|sql| sleeping_rooms::public(sql, rooms_max))
    }

    fn game(&mut self, id: &GameId) -> Result<Option<Record>, StorageError> {
        let mut found = None;
        self.0.read_copy(&mut |sql| {
            let statement = "SELECT summary, moves FROM game WHERE code = $1";
            found = sql.row(statement, values![id], |row| {
                Ok(Record { summary: row.json()?, moves: row.json()? })
            })?;
            Ok(found.is_some())
        })?;
        if let Some(record) = &mut found {
            self.hide_deleted([&mut record.summary])?;
        }
        Ok(found)
    }

    fn games(&mut self, query: &GameQuery) -> Result<GameList, StorageError> {
        let mut list = GameList::default();
        let mut work = |sql: &dyn Sql| {
            list = games::list(sql, query)?;
            Ok(true)
        };
        match query.member {
            Some(_) => self.0.read(&mut work)?,
            None => self.0.read_copy(&mut work)?,
        };
        self.hide_deleted(list.games.iter_mut().map(|game| &mut game.summary))?;
        Ok(list)
    }

    fn ratings_of(&mut self, members: &[MemberId]) -> Result<MemberRatings, StorageError> {
        self.read(|sql| ratings::of_members(sql, members))
    }

    fn rating_history(
        &mut self,
        member: &MemberId,
        pool: RatingPool,
    ) -> Result<Vec<RatingChange>, StorageError> {
        self.read(|sql| ratings::history(sql, member, pool))
    }

    fn leaderboard(&mut self, query: &LeaderboardQuery) -> Result<Leaderboard, StorageError> {
        self.read(|sql| ratings::leaderboard(sql, query))
    }

    fn game_ratings(&mut self, game: &GameId) -> Result<Vec<RatingChange>, StorageError> {
        self.read(|sql| ratings::of_game(sql, game))
    }

    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError> {
        self.0.disk_space()
    }
}
