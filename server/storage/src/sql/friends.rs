//! Friends, and requests to become friends.
//!
//! A pair has one row at most: `member` is the one who has asked. All changes are made one after another, so
//! that limits and blocks hold.

use fivefold_shared::{
    clock::millis,
    friends::OnlineTo,
    protocol::{CommandId, GameSettings, MemberId},
};
use serde::{Deserialize, Serialize};

use super::{Row, Sql, account_rows::Change, source::DatabaseReader, values};
use crate::{
    AccountChanged, FriendChallenge, FriendRefused, FriendStep, FriendsReader, KnownFriend,
    RequestState, StorageError,
    accounts::friends::{Taken, challenged_before, declined_before},
    limits::{FRIEND_CHALLENGES_MAX, FRIEND_DECLINED_PAUSE, FRIEND_REQUESTS_MAX, FRIENDS_MAX},
    values::{from_json, to_json},
};

/// Kept by one change at a time; taken after all other locks of a change.
const FRIENDS: &str = "friends";

/// Whether a member has blocked another one, by any of their ids.
const HAS_BLOCKED: &str = "SELECT 1 FROM block WHERE kind = 'block' AND member = $1
    AND (other = $2 OR other IN (SELECT member FROM alias WHERE account = $2))";

/// The row of two members.
const PAIR: &str = "(member = $1 AND other = $2 OR member = $2 AND other = $1)";

const END_CHALLENGE: &str =
    "UPDATE friend SET challenger = NULL, challenge = NULL, challenged_at = NULL";

pub(super) fn change(
    change: &Change<'_>,
    step: &FriendStep,
) -> Result<AccountChanged, StorageError> {
    if !matches!(step, FriendStep::SetOnlineTo(_)) {
        change.sql.lock(FRIENDS)?;
    }
    match step {
        FriendStep::Ask(other) => ask(change, other),
        FriendStep::Leave(other) => leave(change, other),
        FriendStep::Challenge(other, settings) => challenge(change, other, settings),
        FriendStep::EndChallenge(other, of, attempt) => {
            end_challenge(change, other, *of, attempt.as_ref())
        }
        FriendStep::TakeChallenge(other, of, attempt) => {
            take_challenge(change, other, *of, attempt)
        }
        FriendStep::ReturnChallenge(other, of, attempt) => {
            return_challenge(change, other, *of, attempt)
        }
        FriendStep::SetOnlineTo(to) => change.execute(
            "UPDATE account SET online_to = $2 WHERE member = $1",
            values![change.member, to.as_str()],
        ),
    }
}

/// Ends all challenges of an account that is deleted, its own and those to it.
pub(super) fn end_challenges(change: &Change<'_>) -> Result<(), StorageError> {
    change.sql.lock(FRIENDS)?;
    let concerned = "(member = $1 OR other = $1) AND challenger IS NOT NULL";
    change.sql.defer(&format!("{END_CHALLENGE} WHERE {concerned}"), values![change.member])
}

/// Whether both have accounts of people.
fn are_people(sql: &dyn Sql, one: &MemberId, other: &MemberId) -> Result<bool, StorageError> {
    let people = "SELECT count(*) FROM account
        WHERE member IN ($1, $2) AND deleted_at IS NULL AND owner IS NULL";
    Ok(sql.count(people, values![one, other])? == 2)
}

fn ask(change: &Change<'_>, other: &MemberId) -> Result<AccountChanged, StorageError> {
    let Change { sql, member, at } = *change;
    if !are_people(sql, member, other)? {
        return Ok(AccountChanged::Gone);
    }
    let refused = |why| Ok(AccountChanged::NoFriend(why));
    if sql.exists(HAS_BLOCKED, values![member, other])? {
        return refused(FriendRefused::Blocked);
    }
    if sql.exists(HAS_BLOCKED, values![other, member])? {
        return refused(FriendRefused::TheirsFull);
    }
    let (own, theirs) = (request(sql, member, other)?, request(sql, other, member)?);
    let is_answer = match (own, theirs) {
        (Some((RequestState::Asked | RequestState::Friends, _)), _)
        | (_, Some((RequestState::Friends, _))) => return Ok(AccountChanged::Done),
        (_, Some((RequestState::Asked, _))) => true,
        (Some((RequestState::Declined, since)), _) if since > declined_before(at) => {
            return refused(FriendRefused::Declined(since + millis(FRIEND_DECLINED_PAUSE)));
        }
        (_, Some((RequestState::Declined, _)) | None) => false,
    };
    if count(sql, "friends", "(member = $1 OR other = $1)", member)? >= FRIENDS_MAX {
        return refused(FriendRefused::Full);
    }
    if is_answer {
        if count(sql, "friends", "(member = $1 OR other = $1)", other)? >= FRIENDS_MAX {
            return refused(FriendRefused::TheirsFull);
        }
        return change.execute(
            "UPDATE friend SET state = 'friends', at = $3 WHERE member = $2 AND other = $1",
            values![member, other, at],
        );
    }
    if count(sql, "asked", "member = $1", member)? >= FRIEND_REQUESTS_MAX {
        return refused(FriendRefused::RequestsFull);
    }
    if count(sql, "asked", "other = $1", other)? >= FRIEND_REQUESTS_MAX {
        return refused(FriendRefused::TheirsFull);
    }
    end(sql, other, member)?;
    change.execute(
        "INSERT INTO friend (member, other, state, at) VALUES ($1, $2, 'asked', $3)
         ON CONFLICT (member, other) DO UPDATE SET state = excluded.state, at = excluded.at",
        values![member, other, at],
    )
}

fn challenge(
    change: &Change<'_>,
    other: &MemberId,
    settings: &GameSettings,
) -> Result<AccountChanged, StorageError> {
    let Change { sql, member, at } = *change;
    if !are_people(sql, member, other)? {
        return Ok(AccountChanged::Gone);
    }
    let pair = format!(
        "SELECT challenger, challenge, challenged_at FROM friend WHERE {PAIR} AND state = 'friends'"
    );
    let known = sql.row(&pair, values![member, other], read_challenge)?;
    let new = FriendChallenge { by: member.clone(), settings: *settings, at };
    match known {
        None => return Ok(AccountChanged::Gone),
        Some(Some(known)) if known == new => return Ok(AccountChanged::Done),
        Some(Some(known)) if known.stands(at) => {
            return Ok(AccountChanged::NoFriend(FriendRefused::Challenged));
        }
        Some(_) => {}
    }
    for (whose, by, why) in [
        (member, "challenger = $1", FriendRefused::ChallengesFull),
        (other, "challenger <> $1", FriendRefused::TheirChallengesFull),
    ] {
        let waiting = format!(
            "SELECT count(*) FROM friend
             WHERE (member = $1 OR other = $1) AND challenged_at > $2 AND {by}"
        );
        if sql.count(&waiting, values![whose, challenged_before(at)])? >= FRIEND_CHALLENGES_MAX {
            return Ok(AccountChanged::NoFriend(why));
        }
    }
    let set = "UPDATE friend SET challenger = $1, challenge = $3, challenged_at = $4";
    change.execute(&format!("{set} WHERE {PAIR}"), values![member, other, &to_json(settings)?, at])
}

/// The column `challenge`.
#[derive(Serialize, Deserialize)]
struct StoredChallenge {
    #[serde(flatten)]
    settings: GameSettings,
    /// The last attempt to begin its game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    taken: Option<Taken>,
}

/// The challenge of a time by another one to the member.
fn challenge_of(
    change: &Change<'_>,
    other: &MemberId,
    of: u64,
) -> Result<Option<StoredChallenge>, StorageError> {
    stored_challenge(change, other, of, "challenger = $2")
}

/// The challenge of a time between two, on a condition; none if it is damaged, too.
fn stored_challenge(
    change: &Change<'_>,
    other: &MemberId,
    of: u64,
    condition: &str,
) -> Result<Option<StoredChallenge>, StorageError> {
    let select =
        format!("SELECT challenge FROM friend WHERE {PAIR} AND challenged_at = $3 AND {condition}");
    let text: Option<String> =
        change.sql.row(&select, values![change.member, other, of], Row::get)?;
    Ok(text.and_then(|text| from_json(&text).ok()))
}

fn end_challenge(
    change: &Change<'_>,
    other: &MemberId,
    of: u64,
    attempt: Option<&CommandId>,
) -> Result<AccountChanged, StorageError> {
    let known = stored_challenge(change, other, of, "challenger IS NOT NULL")?;
    let taken = known.and_then(|known| known.taken);
    if taken.is_some_and(|taken| taken.keeps_off(attempt, change.at)) {
        return Ok(AccountChanged::Gone);
    }
    let end = format!("{END_CHALLENGE} WHERE {PAIR} AND challenged_at = $3");
    change.execute(&end, values![change.member, other, of])
}

fn set_challenge(
    change: &Change<'_>,
    other: &MemberId,
    of: u64,
    challenge: &StoredChallenge,
) -> Result<AccountChanged, StorageError> {
    let set = format!("UPDATE friend SET challenge = $4 WHERE {PAIR} AND challenged_at = $3");
    change.execute(&set, values![change.member, other, of, &to_json(challenge)?])
}

fn take_challenge(
    change: &Change<'_>,
    other: &MemberId,
    of: u64,
    attempt: &CommandId,
) -> Result<AccountChanged, StorageError> {
    let at = change.at;
    let known = challenge_of(change, other, of)?.filter(|_| of > challenged_before(at));
    let Some(StoredChallenge { settings, taken }) = known else { return Ok(AccountChanged::Gone) };
    if taken.is_some_and(|taken| taken.keeps_off(Some(attempt), at)) {
        return Ok(AccountChanged::Gone);
    }
    let taken = Some(Taken { attempt: attempt.clone(), at });
    set_challenge(change, other, of, &StoredChallenge { settings, taken })
}

fn return_challenge(
    change: &Change<'_>,
    other: &MemberId,
    of: u64,
    attempt: &CommandId,
) -> Result<AccountChanged, StorageError> {
    match challenge_of(change, other, of)? {
        Some(StoredChallenge { settings, taken: Some(taken) }) if taken.attempt == *attempt => {
            set_challenge(change, other, of, &StoredChallenge { settings, taken: None })
        }
        Some(_) | None => Ok(AccountChanged::Gone),
    }
}

/// The challenge in a row; none if it is damaged, too.
fn read_challenge(row: &mut Row) -> Result<Option<FriendChallenge>, StorageError> {
    let (by, settings, at): (Option<MemberId>, Option<String>, Option<u64>) =
        (row.get()?, row.get()?, row.get()?);
    let settings = settings.and_then(|settings| from_json(&settings).ok());
    Ok(by.zip(settings).zip(at).map(|((by, settings), at)| FriendChallenge { by, settings, at }))
}

fn leave(change: &Change<'_>, other: &MemberId) -> Result<AccountChanged, StorageError> {
    let Change { sql, member, at } = *change;
    let own = request(sql, member, other)?;
    match request(sql, other, member)? {
        Some((RequestState::Asked, _)) => {
            sql.execute(
                "UPDATE friend SET state = 'declined', at = $3 WHERE member = $1 AND other = $2",
                values![other, member, at],
            )?;
        }
        Some((RequestState::Friends, _)) => end(sql, other, member)?,
        Some((RequestState::Declined, _)) | None => {}
    }
    match own {
        Some((RequestState::Asked | RequestState::Friends, _)) => end(sql, member, other)?,
        // It holds off the next one.
        Some((RequestState::Declined, _)) | None => {}
    }
    Ok(AccountChanged::Done)
}

/// What became of a member's request to another one, and when.
fn request(
    sql: &dyn Sql,
    member: &MemberId,
    other: &MemberId,
) -> Result<Option<(RequestState, u64)>, StorageError> {
    let select = "SELECT state, at FROM friend WHERE member = $1 AND other = $2";
    sql.row(select, values![member, other], |row| Ok((row.get()?, row.get()?)))
}

fn end(sql: &dyn Sql, member: &MemberId, other: &MemberId) -> Result<(), StorageError> {
    sql.defer("DELETE FROM friend WHERE member = $1 AND other = $2", values![member, other])
}

/// How many rows in a state are a member's by this condition.
fn count(
    sql: &dyn Sql,
    state: &str,
    condition: &str,
    member: &MemberId,
) -> Result<usize, StorageError> {
    let rows = format!("SELECT count(*) FROM friend WHERE state = '{state}' AND {condition}");
    sql.count(&rows, values![member])
}

/// Ends the friendships and open requests of a member with people where one has blocked the other.
pub(super) fn end_blocked(sql: &dyn Sql, member: &MemberId) -> Result<(), StorageError> {
    sql.lock(FRIENDS)?;
    let blocks = |one: &str, other: &str| {
        format!(
            "block.member = friend.{one} AND (block.other = friend.{other}
                 OR block.other IN (SELECT member FROM alias WHERE account = friend.{other}))"
        )
    };
    let statement = format!(
        "DELETE FROM friend WHERE state <> 'declined' AND (member = $1 OR other = $1) AND EXISTS (
             SELECT 1 FROM block WHERE kind = 'block' AND ({} OR {}))",
        blocks("member", "other"),
        blocks("other", "member"),
    );
    sql.execute(&statement, values![member]).map(drop)
}

/// Deletes declined requests that hold nothing off any more, and challenges that are over, at most so many.
pub(super) fn prune(sql: &dyn Sql, now: u64, rows_max: usize) -> Result<usize, StorageError> {
    let declined = sql.execute(
        "DELETE FROM friend WHERE (member, other) IN (
             SELECT member, other FROM friend WHERE state = 'declined' AND at <= $1 LIMIT $2)",
        values![declined_before(now), rows_max],
    )?;
    let challenges = format!(
        "{END_CHALLENGE} WHERE (member, other) IN (
             SELECT member, other FROM friend WHERE challenged_at <= $1 LIMIT $2)"
    );
    let over = values![challenged_before(now), rows_max - declined];
    Ok(declined + sql.execute(&challenges, over)?)
}

impl FriendsReader for DatabaseReader {
    fn friends(&mut self, member: &MemberId) -> Result<Vec<KnownFriend>, StorageError> {
        self.read(|sql| {
            sql.rows(
                "SELECT id, name, friend.member = $1, state, at, online_to, challenger,
                     challenge, challenged_at
                 FROM friend JOIN member
                     ON id = CASE WHEN friend.member = $1 THEN other ELSE friend.member END
                 JOIN account ON account.member = id
                 WHERE (friend.member = $1 OR other = $1) AND deleted_at IS NULL
                 ORDER BY at DESC, id",
                values![member],
                |row| {
                    let (member, name, is_own) = (row.get()?, row.get()?, row.get()?);
                    let standing = row.get::<RequestState>()?.standing(is_own);
                    Ok(KnownFriend {
                        member,
                        name,
                        standing,
                        at: row.get()?,
                        online_to: online_to(row)?,
                        challenge: read_challenge(row)?,
                    })
                },
            )
        })
    }

    fn are_friends(&mut self, one: &MemberId, other: &MemberId) -> Result<bool, StorageError> {
        let select = "SELECT 1 FROM friend WHERE state = 'friends'
            AND (member = $1 AND other = $2 OR member = $2 AND other = $1)";
        self.read(|sql| sql.exists(select, values![one, other]))
    }

    fn online_to(&mut self, member: &MemberId) -> Result<OnlineTo, StorageError> {
        let select = "SELECT online_to FROM account WHERE member = $1";
        self.read(|sql| Ok(sql.row(select, values![member], online_to)?.unwrap_or_default()))
    }
}

fn online_to(row: &mut Row) -> Result<OnlineTo, StorageError> {
    Ok(row.get::<String>()?.parse().unwrap_or_default())
}
