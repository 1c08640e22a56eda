//! Reading finished games and members from PostgreSQL, beside the writer.

use std::sync::Arc;

use fivefold_shared::{
    protocol::{ChallengesFrom, GameId, MemberId, RoomCode},
    rating_pool::RatingPool,
    record::{GameList, GameSummary, Record},
};
use tokio_postgres::{Error, Row};

use super::{
    accounts, bots,
    connection::{Connection, Session},
    games, keys, playing, ratings,
    standby::Health,
    values::unsigned,
};
use crate::{
    Account, AccountKeys, AccountSession, ApiToken, DiskSpace, GameQuery, IdentityHash, KeyHash,
    KnownMember, Leaderboard, LeaderboardQuery, MadeRoom, OldName, Passkey, Playing, PoolRating,
    RatingChange, StorageError, StorageReader,
    accounts::DELETED_NAME,
    deleted_players,
    limits::{DATABASE_READ_WITHIN, REPLICA_ANSWER_WITHIN},
    node_id::NodeId,
    values::{from_json, name},
};

const SELECT_MEMBER: &str = "
    SELECT id, hash, name, seen_at FROM member WHERE hash = $1 OR id = $2
    ORDER BY (hash = $1) DESC LIMIT 1";

const SELECT_DELETED: &str = "SELECT id FROM member WHERE id = ANY ($1) AND name = $2";

const SELECT_GAME: &str = "SELECT summary, moves FROM game WHERE code = $1";

const SELECT_OPEN: &str = "SELECT 1 FROM room WHERE code = $1 AND closed_at IS NULL";

const SELECT_MADE: &str = "
    SELECT command, code, owner FROM room WHERE maker = $1 AND closed_at IS NULL ORDER BY id";

/// Finished games and members. A game and the list of everybody's games may come from a standby, which
/// may lack those of the last second. All else comes from the primary: people look at their own games
/// as soon as one has ended, and a name that was deleted is shown nowhere.
#[derive(Debug)]
pub(super) struct PostgresReader {
    pub(super) primary: Connection,
    pub(super) standby: Option<(Connection, Arc<Health>)>,
}

impl PostgresReader {
    /// Reads from the standby, if there is one and it is well; otherwise from the primary.
    fn read_games<T>(
        &mut self,
        work: &impl AsyncFn(&Session) -> Result<T, Error>,
        is_found: impl Fn(&T) -> bool,
    ) -> Result<T, StorageError> {
        if let Some((standby, health)) = &mut self.standby
            && health.is_well()
        {
            match standby.read(REPLICA_ANSWER_WITHIN, work) {
                Ok(found) if is_found(&found) => return Ok(found),
                Ok(_) => {}
                Err(error) => {
                    health.note_failure();
                    tracing::debug!(%error, "the standby does not answer");
                }
            }
        }
        self.primary.read(DATABASE_READ_WITHIN, &work)
    }

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
        let players: Vec<_> = players.iter().map(MemberId::as_str).collect();
        let select = async |session: &Session| {
            let rows = session.query(SELECT_DELETED, &[&players, &DELETED_NAME]).await?;
            rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, Error>>()
        };
        let deleted = self.primary.read(DATABASE_READ_WITHIN, &select)?;
        let deleted = deleted.into_iter().map(name).collect::<Result<_, _>>()?;
        games.iter_mut().for_each(|game| deleted_players::hide(game, &deleted));
        Ok(())
    }
}

impl StorageReader for PostgresReader {
    fn member(
        &mut self,
        id: &MemberId,
        hash: IdentityHash,
    ) -> Result<Option<KnownMember>, StorageError> {
        let hash = hash.0.as_slice();
        let select = async |session: &Session| {
            let rows = session.query(SELECT_MEMBER, &[&hash, &id.as_str()]).await?;
            rows.first().map(member).transpose()
        };
        self.primary.read(DATABASE_READ_WITHIN, &select)?.transpose()
    }

    fn account_named(&mut self, key: &str) -> Result<Option<Account>, StorageError> {
        let select = async |session: &Session| accounts::named(session, key).await;
        self.primary.read(DATABASE_READ_WITHIN, &select)?.transpose()
    }

    fn account_once_named(&mut self, key: &str) -> Result<Option<Account>, StorageError> {
        let select = async |session: &Session| accounts::once_named(session, key).await;
        self.primary.read(DATABASE_READ_WITHIN, &select)?.transpose()
    }

    fn challenges_from(&mut self, member: &MemberId) -> Result<ChallengesFrom, StorageError> {
        let select = async |session: &Session| accounts::challenges_from(session, member).await;
        self.primary.read(DATABASE_READ_WITHIN, &select)
    }

    fn old_names(&mut self, member: &MemberId) -> Result<Vec<OldName>, StorageError> {
        let select = async |session: &Session| accounts::old_names(session, member).await;
        let names = self.primary.read(DATABASE_READ_WITHIN, &select)?;
        names.into_iter().map(|(text, at)| Ok(OldName { name: name(text)?, at })).collect()
    }

    fn aliases(&mut self, member: &MemberId) -> Result<Vec<MemberId>, StorageError> {
        let select = async |session: &Session| keys::aliases(session, member).await;
        let guests = self.primary.read(DATABASE_READ_WITHIN, &select)?;
        guests.into_iter().map(name).collect()
    }

    fn guests_around(
        &mut self,
        members: &[MemberId],
    ) -> Result<Vec<(MemberId, MemberId)>, StorageError> {
        let members: Vec<_> = members.iter().map(MemberId::as_str).collect();
        self.rows(keys::SELECT_GUESTS_AROUND, &[&members], two_members)
    }

    fn account_of_session(
        &mut self,
        session: KeyHash,
    ) -> Result<Option<(Account, AccountSession)>, StorageError> {
        let select = async |reader: &Session| accounts::of_session(reader, session).await;
        self.primary.read(DATABASE_READ_WITHIN, &select)?.transpose()
    }

    fn account_of_passkey(
        &mut self,
        id: &[u8],
    ) -> Result<Option<(Account, Passkey)>, StorageError> {
        let select = async |session: &Session| keys::of_passkey(session, id).await;
        self.primary.read(DATABASE_READ_WITHIN, &select)?.transpose()
    }

    fn account_of_token(
        &mut self,
        token: KeyHash,
    ) -> Result<Option<(Account, ApiToken)>, StorageError> {
        let select = async |session: &Session| keys::of_token(session, token).await;
        self.primary.read(DATABASE_READ_WITHIN, &select)?.transpose()
    }

    fn account_keys(&mut self, member: &MemberId) -> Result<AccountKeys, StorageError> {
        let select = async |session: &Session| accounts::keys(session, member).await;
        self.primary.read(DATABASE_READ_WITHIN, &select)?
    }

    fn deleted_since(&mut self, at: u64) -> Result<Vec<MemberId>, StorageError> {
        let select = async |session: &Session| accounts::deleted_since(session, at).await;
        let members = self.primary.read(DATABASE_READ_WITHIN, &select)?;
        members.into_iter().map(name).collect()
    }

    fn bots_of(&mut self, owner: &MemberId) -> Result<Vec<Account>, StorageError> {
        let select = async |session: &Session| bots::of_owner(session, owner).await;
        self.primary.read(DATABASE_READ_WITHIN, &select)?
    }

    fn game(&mut self, id: &GameId) -> Result<Option<Record>, StorageError> {
        let select = async |session: &Session| {
            let rows = session.query(SELECT_GAME, &[&id.as_str()]).await?;
            let texts =
                |row: &Row| Ok::<(String, String), Error>((row.try_get(0)?, row.try_get(1)?));
            rows.first().map(texts).transpose()
        };
        let found = self.read_games(&select, Option::is_some)?;
        let Some((summary, moves)) = found else { return Ok(None) };
        let mut summary = from_json(&summary)?;
        self.hide_deleted([&mut summary])?;
        Ok(Some(Record { summary, moves: from_json(&moves)? }))
    }

    fn games(&mut self, query: &GameQuery) -> Result<GameList, StorageError> {
        let select = async |session: &Session| games::rows(session, query).await;
        let rows = if query.member.is_some() {
            self.primary.read(DATABASE_READ_WITHIN, &select)?
        } else {
            self.read_games(&select, |_| true)?
        };
        let mut list = games::list(rows, query.max)?;
        self.hide_deleted(list.games.iter_mut().map(|game| &mut game.summary))?;
        Ok(list)
    }

    fn is_open(&mut self, room: &RoomCode) -> Result<bool, StorageError> {
        self.primary.read(DATABASE_READ_WITHIN, &async |session: &Session| {
            Ok(!session.query(SELECT_OPEN, &[&room.as_str()]).await?.is_empty())
        })
    }

    fn made_by(&mut self, maker: &MemberId) -> Result<Vec<MadeRoom>, StorageError> {
        let maker = maker.as_str();
        let made: Vec<(String, String, i32)> =
            self.primary.read(DATABASE_READ_WITHIN, &async |session: &Session| {
                let rows = session.query(SELECT_MADE, &[&maker]).await?;
                rows.iter()
                    .map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)))
                    .collect()
            })?;
        let room = |(command, room, owner): (String, String, i32)| {
            let owner = NodeId::new(owner.cast_unsigned());
            let no_node = || StorageError::Damaged(format!("room {room} has no owner"));
            let owner = owner.ok_or_else(no_node)?;
            Ok(MadeRoom { command: name(command)?, room: name(room)?, owner })
        };
        made.into_iter().map(room).collect()
    }

    fn playing(&mut self, member: &MemberId) -> Result<Option<Playing>, StorageError> {
        let game = self.primary.read(DATABASE_READ_WITHIN, &async |session: &Session| {
            playing::game_of(session, member.as_str()).await
        })?;
        game.transpose()
    }

    fn ratings(&mut self, member: &MemberId) -> Result<Vec<PoolRating>, StorageError> {
        let read = async |session: &Session| ratings::of_member(session, member).await;
        self.primary.read(DATABASE_READ_WITHIN, &read)?
    }

    fn rating_history(
        &mut self,
        member: &MemberId,
        pool: RatingPool,
    ) -> Result<Vec<RatingChange>, StorageError> {
        let read = async |session: &Session| ratings::history(session, member, pool).await;
        self.primary.read(DATABASE_READ_WITHIN, &read)?
    }

    fn leaderboard(&mut self, query: &LeaderboardQuery) -> Result<Leaderboard, StorageError> {
        let read = async |session: &Session| ratings::leaderboard(session, query).await;
        self.primary.read(DATABASE_READ_WITHIN, &read)?
    }

    fn game_ratings(&mut self, game: &GameId) -> Result<Vec<RatingChange>, StorageError> {
        let read = async |session: &Session| ratings::of_game(session, game).await;
        self.primary.read(DATABASE_READ_WITHIN, &read)?
    }

    /// The database's disk belongs to another machine.
    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError> {
        Ok(None)
    }
}

/// The member in a row. The inner error means that it is damaged.
fn member(row: &Row) -> Result<Result<KnownMember, StorageError>, Error> {
    let (id, hash, text): (String, Vec<u8>, String) =
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let seen_at = unsigned(row.try_get(3)?);
    let parse = || {
        let hash = hash.as_slice().try_into().map_err(|_| {
            StorageError::Damaged(format!("the hash of member {id} has {} bytes", hash.len()))
        })?;
        Ok(KnownMember { id: name(id)?, hash: IdentityHash(hash), name: name(text)?, seen_at })
    };
    Ok(parse())
}

/// The two ids in a row.
pub(super) fn two_members(row: &Row) -> Result<Result<(MemberId, MemberId), StorageError>, Error> {
    let (one, other): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let parse = || Ok((name(one)?, name(other)?));
    Ok(parse())
}
