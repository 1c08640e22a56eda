//! Pushes: the server's key, the browsers of accounts, and the games that wait for their members.

use fivefold_shared::{clock::millis, protocol::MemberId};

use super::{Row, Sql, daily_seats::OWN, email, source::DatabaseReader, time_off, values};
use crate::{
    DailyTurn, PushChange, PushChanged, PushGame, PushMember, PushReader, PushServer, PushState,
    PushSubscription, StorageError, WaitingNews,
    limits::{PUSH_GAME_KEPT, PUSH_SUBSCRIPTIONS_MAX},
    values::to_json,
};

/// Whether a place belongs to a turn that waits. The turns of a guest wait for the account that the guest belongs to.
const IS_ITS_PLACE: &str = "daily_seat.room = push_game.room AND daily_seat.turn = push_game.turn
    AND push_game.member = coalesce(
        (SELECT account FROM alias WHERE alias.member = daily_seat.member), daily_seat.member)";

/// The name of the opponent in the room of `seat`.
const OPPONENT: &str = "SELECT name FROM daily_seat AS other JOIN member ON member.id = coalesce(
        (SELECT account FROM alias WHERE alias.member = other.member), other.member)
    WHERE other.room = seat.room AND other.member <> seat.member LIMIT 1";

/// The turns that wait and are not over.
fn games() -> String {
    format!(
        "SELECT push_game.member, room.code, opponent_name, push_game.state, since,
             daily_seat.turn, daily_seat.flag_at, due
         FROM push_game JOIN daily_seat ON {IS_ITS_PLACE} JOIN room ON room.id = push_game.room"
    )
}

/// The place of a member, or of a guest of theirs, in a room, while it is this turn.
fn seat() -> String {
    format!(
        "daily_seat AS seat JOIN room ON room.id = seat.room
         WHERE room.code = $2 AND seat.turn = $3 AND seat.{OWN}"
    )
}

/// The turns for which no push is stored, of all members who can be told, or of `$2`. `CROSS` makes SQLite join the
/// tables in this order: otherwise it begins with all places.
fn untold_turns(of_one: bool) -> String {
    let [browsers, addresses] =
        if of_one { ["WHERE member = $2", "AND member = $2"] } else { [""; 2] };
    format!(
        "WITH reached AS (
             SELECT member FROM push_subscription {browsers}
             UNION SELECT member FROM email WHERE confirmed IS NOT NULL {addresses}
         ), own AS (
             SELECT reached.member AS person, reached.member FROM reached
             UNION ALL SELECT alias.account, alias.member FROM reached CROSS JOIN alias
                 WHERE alias.account = reached.member
         )
         SELECT own.person, room.code, ({OPPONENT}), seat.turn_at, seat.turn, seat.flag_at
         FROM own CROSS JOIN daily_seat AS seat JOIN room ON room.id = seat.room
             JOIN account ON account.member = own.person
         WHERE seat.member = own.member AND seat.turn IS NOT NULL AND deleted_at IS NULL
             AND NOT EXISTS (
             SELECT 1 FROM push_game WHERE push_game.member = own.person
                 AND push_game.room = seat.room AND push_game.turn = seat.turn)
         ORDER BY seat.flag_at, room.code LIMIT $1"
    )
}

/// Other news that waits.
const NEWS: &str = "SELECT member, subject, news, due, until_at FROM push_news";

const IS_ACCOUNT: &str = "SELECT 1 FROM account WHERE member = $1 AND deleted_at IS NULL";

/// Makes a change.
pub(crate) fn change(sql: &dyn Sql, change: &PushChange) -> Result<PushChanged, StorageError> {
    let rows = match change {
        PushChange::MakeServer(PushServer { key, place, reports_told }) => sql.execute(
            "INSERT INTO push_server (id, key, place, reports_told) VALUES (1, $1, $2, $3)
             ON CONFLICT (id) DO NOTHING",
            values![key, place, *reports_told],
        )?,
        PushChange::TellReports(after, until) => sql.execute(
            "UPDATE push_server SET reports_told = $2 WHERE reports_told = $1",
            values![*after, *until],
        )?,
        PushChange::Confirm(place) => {
            sql.execute("UPDATE push_server SET place = $1", values![place])?
        }
        PushChange::Subscribe(member, subscription) => {
            return subscribe(sql, member, subscription);
        }
        PushChange::Unsubscribe(member, endpoint) => sql.execute(
            "DELETE FROM push_subscription WHERE member = $1 AND endpoint = $2",
            values![member, endpoint],
        )?,
        PushChange::Forget(endpoint) => {
            sql.execute("DELETE FROM push_subscription WHERE endpoint = $1", values![endpoint])?
        }
        PushChange::Set(member, settings) => {
            if !sql.exists(IS_ACCOUNT, values![member])? {
                return Ok(PushChanged::Gone);
            }
            sql.execute(
                "INSERT INTO push_setting (member, settings) VALUES ($1, $2)
                 ON CONFLICT (member) DO UPDATE SET settings = excluded.settings",
                values![member, &to_json(settings)?],
            )?
        }
        PushChange::Wait(game) => wait(sql, game)?,
        PushChange::Take(PushGame { member, room, turn, state, due, .. }, was_due) => sql.execute(
            &format!(
                "UPDATE push_game SET state = $4, due = $5
                     WHERE member = $1 AND turn = $3 AND due IS NOT DISTINCT FROM $6
                         AND room IN (SELECT seat.room FROM {})",
                seat()
            ),
            values![member, room.as_str(), turn.number, state.as_str(), *due, *was_due],
        )?,
        PushChange::Keep(news) => keep(sql, news)?,
        PushChange::Move(WaitingNews { member, subject, due, .. }, new_due) => sql.execute(
            "UPDATE push_news SET due = $4 WHERE member = $1 AND subject = $2 AND due = $3",
            values![member, subject, *due, *new_due],
        )?,
        PushChange::Tell(WaitingNews { member, subject, due, .. }) => sql.execute(
            "DELETE FROM push_news WHERE member = $1 AND subject = $2 AND due = $3",
            values![member, subject, *due],
        )?,
    };
    Ok(if rows == 0 { PushChanged::Gone } else { PushChanged::Done })
}

/// Lets a turn wait. Returns how many rows that changes.
fn wait(sql: &dyn Sql, game: &PushGame) -> Result<usize, StorageError> {
    let PushGame { member, room, opponent, state, since, turn, due } = game;
    let insert = format!(
        "INSERT INTO push_game (member, room, opponent_name, state, since, turn, due)
         SELECT CAST($1 AS text), seat.room, CAST($4 AS text), CAST($5 AS text),
             CAST($6 AS bigint), seat.turn, CAST($7 AS bigint)
         FROM {} AND EXISTS ({IS_ACCOUNT})
         ON CONFLICT (member, room) DO UPDATE SET opponent_name = excluded.opponent_name,
             state = excluded.state, since = excluded.since, turn = excluded.turn,
             due = excluded.due
         WHERE push_game.turn <> excluded.turn",
        seat()
    );
    let (room, opponent, state) = (room.as_str(), opponent.as_ref(), state.as_str());
    sql.execute(&insert, values![member, room, turn.number, opponent, state, *since, *due])
}

/// Lets news wait. Returns how many rows that changes.
fn keep(sql: &dyn Sql, news: &WaitingNews) -> Result<usize, StorageError> {
    let WaitingNews { member, subject, news, due, until } = news;
    if !sql.exists(IS_ACCOUNT, values![member])? {
        return Ok(0);
    }
    sql.execute(
        "INSERT INTO push_news (member, subject, news, due, until_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (member, subject) DO UPDATE SET news = excluded.news, due = excluded.due,
             until_at = excluded.until_at",
        values![member, subject, news, *due, *until],
    )
}

fn subscribe(
    sql: &dyn Sql,
    member: &MemberId,
    subscription: &PushSubscription,
) -> Result<PushChanged, StorageError> {
    sql.lock(member.as_str())?;
    let PushSubscription { endpoint, p256dh, auth, language, session, made_at } = subscription;
    let is_own = "SELECT 1 FROM session JOIN account ON account.member = session.member
        WHERE hash = $1 AND session.member = $2 AND deleted_at IS NULL AND owner IS NULL";
    if !sql.exists(is_own, values![session, member])? {
        return Ok(PushChanged::Gone);
    }
    sql.defer(
        "INSERT INTO push_subscription (endpoint, member, session, p256dh, auth, language, made_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (endpoint) DO UPDATE SET member = excluded.member,
             session = excluded.session, p256dh = excluded.p256dh, auth = excluded.auth,
             language = excluded.language, made_at = excluded.made_at",
        values![endpoint, member, session, p256dh, auth, language, *made_at],
    )?;
    sql.defer(
        "DELETE FROM push_subscription WHERE member = $1 AND endpoint NOT IN (
             SELECT endpoint FROM push_subscription WHERE member = $1
             ORDER BY made_at DESC, endpoint LIMIT $2)",
        values![member, PUSH_SUBSCRIPTIONS_MAX],
    )?;
    Ok(PushChanged::Done)
}

/// Deletes turns that are over, those that have waited for too long, and news that is of no use, at most so many.
pub(super) fn prune(sql: &dyn Sql, now: u64, rows_max: usize) -> Result<usize, StorageError> {
    let late = sql.execute(
        "DELETE FROM push_news WHERE (member, subject) IN (
             SELECT member, subject FROM push_news WHERE until_at <= $1 LIMIT $2)",
        values![now, rows_max],
    )?;
    let over = sql.execute(
        &format!(
            "DELETE FROM push_game WHERE (member, room) IN (
                 SELECT member, room FROM push_game WHERE since <= $1 OR NOT EXISTS (
                     SELECT 1 FROM daily_seat WHERE {IS_ITS_PLACE}) LIMIT $2)"
        ),
        values![now.saturating_sub(millis(PUSH_GAME_KEPT)), rows_max - late],
    )?;
    Ok(late + over)
}

fn game(row: &mut Row) -> Result<PushGame, StorageError> {
    Ok(PushGame {
        member: row.get()?,
        room: row.get()?,
        opponent: row.get()?,
        state: row.get()?,
        since: row.get()?,
        turn: DailyTurn { number: row.get()?, flag_at: row.get()? },
        due: row.get()?,
    })
}

fn news(row: &mut Row) -> Result<WaitingNews, StorageError> {
    Ok(WaitingNews {
        member: row.get()?,
        subject: row.get()?,
        news: row.get()?,
        due: row.get()?,
        until: row.get()?,
    })
}

fn untold(row: &mut Row) -> Result<PushGame, StorageError> {
    Ok(PushGame {
        member: row.get()?,
        room: row.get()?,
        opponent: row.get()?,
        state: PushState::Waiting,
        since: row.get()?,
        turn: DailyTurn { number: row.get()?, flag_at: row.get()? },
        due: None,
    })
}

impl PushReader for DatabaseReader {
    fn push_server(&mut self) -> Result<Option<PushServer>, StorageError> {
        self.read(|sql| {
            sql.row("SELECT key, place, reports_told FROM push_server", values![], |row| {
                Ok(PushServer { key: row.get()?, place: row.get()?, reports_told: row.get()? })
            })
        })
    }

    fn push_place(&mut self) -> Result<String, StorageError> {
        self.0.place()
    }

    fn push_member(&mut self, member: &MemberId) -> Result<PushMember, StorageError> {
        self.read(|sql| {
            let subscriptions = sql.rows(
                "SELECT endpoint, p256dh, auth, language, session, push_subscription.made_at
                 FROM push_subscription JOIN account ON account.member = push_subscription.member
                 WHERE push_subscription.member = $1 AND deleted_at IS NULL
                 ORDER BY push_subscription.made_at, endpoint DESC",
                values![member],
                |row| {
                    Ok(PushSubscription {
                        endpoint: row.get()?,
                        p256dh: row.get()?,
                        auth: row.get()?,
                        language: row.get()?,
                        session: row.get()?,
                        made_at: row.get()?,
                    })
                },
            )?;
            let settings = "SELECT settings FROM push_setting WHERE member = $1";
            let settings = sql.row(settings, values![member], |row| Ok(row.json().ok()))?;
            let games =
                format!("{} WHERE push_game.member = $1 ORDER BY since, room.code", games());
            Ok(PushMember {
                subscriptions,
                settings: settings.flatten().unwrap_or_default(),
                email: email::of(sql, member)?,
                off: time_off::latest(sql, member)?,
                games: sql.rows(&games, values![member], game)?,
                news: sql.rows(
                    &format!("{NEWS} WHERE member = $1 ORDER BY subject"),
                    values![member],
                    news,
                )?,
            })
        })
    }

    fn pushes_due(&mut self, now: u64, games_max: usize) -> Result<Vec<PushGame>, StorageError> {
        let due = format!(
            "{} WHERE due <= $1 ORDER BY due, push_game.member, room.code LIMIT $2",
            games()
        );
        self.read(|sql| sql.rows(&due, values![now, games_max], game))
    }

    fn news_due(&mut self, now: u64, news_max: usize) -> Result<Vec<WaitingNews>, StorageError> {
        let due = format!("{NEWS} WHERE due <= $1 ORDER BY due, member, subject LIMIT $2");
        self.read(|sql| sql.rows(&due, values![now, news_max], news))
    }

    fn untold_turns(
        &mut self,
        of: Option<&MemberId>,
        turns_max: usize,
    ) -> Result<Vec<PushGame>, StorageError> {
        let select = untold_turns(of.is_some());
        self.read(|sql| match of {
            Some(member) => sql.rows(&select, values![turns_max, member], untold),
            None => sql.rows(&select, values![turns_max], untold),
        })
    }
}
