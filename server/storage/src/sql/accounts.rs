//! Accounts: changing, reading and deleting them.

use fivefold_shared::protocol::{ChallengesFrom, MemberId};

use super::{
    Row, Sql, Value,
    account_rows::{ACCOUNT, Change, account, with_account},
    bots, daily_seats, dealings, email, friends, keys, list, member_data, notes, pushes, time_off,
    values,
};
use crate::{
    Account, AccountChange, AccountChanged, AccountKeys, AccountSession, AccountStep, EmailStep,
    IdentityHash, KeyHash, NewAccount, OldName, PasswordHash, Sessions, StorageError,
    accounts::{
        DELETED_NAME, email::unconfirmed_before, forgotten_before, old_before, removed_before,
    },
    name_keys::likeness_in,
};

/// Kept by one change at a time that gives somebody a name.
const NAMES: &str = "names";

const SESSION: &str =
    "session.hash, label, session.made_at, session.seen_at, expires_at, proved_at";

/// Changes an account.
pub(crate) fn change(
    sql: &dyn Sql,
    AccountChange { member, at, step }: &AccountChange,
) -> Result<AccountChanged, StorageError> {
    let change = Change { sql, member, at: *at };
    sql.lock(match step {
        AccountStep::Make(_) | AccountStep::MakeBot(_) | AccountStep::Rename { .. } => NAMES,
        _ => member.as_str(),
    })?;
    match step {
        AccountStep::Make(new) => change.make(new),
        AccountStep::MakeBot(new) => bots::make(&change, new),
        AccountStep::SignIn { session, rehashed } => change.sign_in(session, rehashed.as_ref()),
        AccountStep::Recover { code, password, session } => change.recover(code, password, session),
        AccountStep::Seen { session, expires_at } => change.execute(
            "UPDATE session SET seen_at = $2, expires_at = $3 WHERE member = $1 AND hash = $4",
            values![change.member, change.at, *expires_at, session],
        ),
        AccountStep::SetPassword { password, keep } => {
            change.end(Sessions::AllBut(*keep))?;
            email::end_sent(&change, keep)?;
            change.set_password(password)
        }
        AccountStep::SetCodes(codes) => {
            sql.defer(
                "DELETE FROM key WHERE member = $1 AND kind = 'recovery'",
                values![change.member],
            )?;
            change.add_codes(codes)
        }
        AccountStep::AddCode(code) => change.add_codes(&[*code]),
        AccountStep::Rename { name, likeness } => change.rename(name.as_str(), likeness),
        AccountStep::End(sessions) => change.end(*sessions),
        AccountStep::Delete => {
            change.end(Sessions::All)?;
            bots::end_tokens(&change)?;
            daily_seats::mark_leaver(sql, change.member)?;
            friends::end_challenges(&change)?;
            change.execute(
                "UPDATE account SET deleted_at = $2 WHERE member = $1",
                values![change.member, change.at],
            )
        }
        AccountStep::DeleteGuest { hash, locked } => change.delete_guest(hash, locked),
        AccountStep::SetChallenges(from) => change.execute(
            "UPDATE member SET challenges_from = $2 WHERE id = $1",
            values![change.member, from.as_str()],
        ),
        AccountStep::Key(step) => keys::change(&change, step),
        AccountStep::Trace(traces) => dealings::note(&change, traces),
        AccountStep::Email(step) => email::change(&change, step),
        AccountStep::Friend(step) => friends::change(&change, step),
        AccountStep::ConditionalMoves(step) => daily_seats::change_moves(&change, step),
        AccountStep::Note { room, text } => notes::write(&change, room, text),
        AccountStep::TimeOff(step) => time_off::change(&change, *step),
    }
}

impl Change<'_> {
    fn make(&self, new: &NewAccount) -> Result<AccountChanged, StorageError> {
        if self.has_session(&new.session.hash)? {
            return Ok(AccountChanged::Done);
        }
        if self.is_taken(&new.likeness)? {
            return Ok(AccountChanged::NameTaken);
        }
        let select = "SELECT hash FROM member WHERE id = $1";
        let stored: Option<IdentityHash> = self.sql.row(select, values![self.member], Row::get)?;
        if self.has_account()? || stored.is_some_and(|hash| Some(hash) != new.guest) {
            return Ok(AccountChanged::Gone);
        }
        self.sql.defer(
            "INSERT INTO member (id, hash, name, seen_at, renewed) VALUES ($1, $2, $3, $4, true)
             ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, name = excluded.name,
                 seen_at = excluded.seen_at, renewed = true",
            values![self.member, &new.locked, &new.name, self.at],
        )?;
        self.sql.defer(
            "INSERT INTO account (member, likeness, made_at) VALUES ($1, $2, $3)",
            values![self.member, &new.likeness, self.at],
        )?;
        if let Some(password) = &new.password {
            self.set_password(password)?;
        }
        if let Some(passkey) = &new.passkey {
            keys::insert_passkey(self, passkey)?;
        }
        self.add_codes(&new.codes)?;
        self.begin(&new.session)
    }

    fn sign_in(
        &self,
        session: &AccountSession,
        rehashed: Option<&PasswordHash>,
    ) -> Result<AccountChanged, StorageError> {
        let used = self.execute(
            "UPDATE key SET used_at = $2, secret = coalesce($3, secret)
             WHERE member = $1 AND kind = 'password'
                 AND NOT EXISTS (SELECT 1 FROM session WHERE hash = $4 AND member = $1)",
            values![self.member, self.at, rehashed.map(|password| &password.0), &session.hash],
        )?;
        match used {
            AccountChanged::Done => self.begin(session),
            // The same change was made before.
            AccountChanged::Gone if self.has_session(&session.hash)? => Ok(AccountChanged::Done),
            AccountChanged::Gone
            | AccountChanged::NameTaken
            | AccountChanged::Full
            | AccountChanged::NoFriend(_)
            | AccountChanged::NoTimeOff(_) => Ok(used),
        }
    }

    fn recover(
        &self,
        code: &KeyHash,
        password: &PasswordHash,
        session: &AccountSession,
    ) -> Result<AccountChanged, StorageError> {
        if self.has_session(&session.hash)? {
            return Ok(AccountChanged::Done);
        }
        let used = self.use_code(code)?;
        match used {
            AccountChanged::Done => {
                self.set_password(password)?;
                self.end(Sessions::All)?;
                // A thief may have made or named these.
                email::end_sent(self, code)?;
                self.sql.defer("DELETE FROM passkey WHERE member = $1", values![self.member])?;
                bots::end_tokens(self)?;
                self.begin(session)
            }
            AccountChanged::Gone
            | AccountChanged::NameTaken
            | AccountChanged::Full
            | AccountChanged::NoFriend(_)
            | AccountChanged::NoTimeOff(_) => Ok(used),
        }
    }

    /// Uses up a recovery code, mailed or printed. The other kind ends, too: it may be a thief's.
    fn use_code(&self, code: &KeyHash) -> Result<AccountChanged, StorageError> {
        let printed = "DELETE FROM key WHERE member = $1 AND kind = 'recovery'";
        if email::use_code(self, code)? == AccountChanged::Done {
            self.sql.defer(printed, values![self.member])?;
            return Ok(AccountChanged::Done);
        }
        let used =
            self.execute(&format!("{printed} AND lookup = $2"), values![self.member, code])?;
        if used == AccountChanged::Done {
            email::change(self, &EmailStep::Forget)?;
        }
        Ok(used)
    }

    fn set_password(&self, password: &PasswordHash) -> Result<AccountChanged, StorageError> {
        self.execute(
            "INSERT INTO key (member, kind, lookup, secret, made_at)
             SELECT member, 'password', $2, $3, $4 FROM account WHERE member = $1
             ON CONFLICT (kind, lookup) DO UPDATE SET secret = excluded.secret,
                 made_at = excluded.made_at",
            values![self.member, self.member.as_str().as_bytes(), &password.0, self.at],
        )
    }

    fn add_codes(&self, codes: &[KeyHash]) -> Result<AccountChanged, StorageError> {
        if !self.has_account()? {
            return Ok(AccountChanged::Gone);
        }
        for code in codes {
            self.sql.defer(
                "INSERT INTO key (member, kind, lookup, made_at) VALUES ($1, 'recovery', $2, $3)
                 ON CONFLICT DO NOTHING",
                values![self.member, code, self.at],
            )?;
        }
        Ok(AccountChanged::Done)
    }

    fn rename(&self, name: &str, likeness: &str) -> Result<AccountChanged, StorageError> {
        if self.is_taken(likeness)? {
            return Ok(AccountChanged::NameTaken);
        }
        self.execute(
            "INSERT INTO old_name (likeness, member, name, at)
             SELECT account.likeness, member.id, member.name, $3
             FROM account JOIN member ON member.id = account.member
             WHERE account.member = $1 AND account.likeness <> $2
             ON CONFLICT (likeness) DO UPDATE SET member = excluded.member, name = excluded.name,
                 at = excluded.at",
            values![self.member, likeness, self.at],
        )?;
        self.execute("DELETE FROM old_name WHERE likeness = $1", values![likeness])?;
        self.execute(
            "UPDATE member SET name = $2 WHERE id = $1
                 AND EXISTS (SELECT 1 FROM account WHERE account.member = member.id)",
            values![self.member, name],
        )?;
        self.execute(
            "UPDATE account SET likeness = $2, renamed_at = $3 WHERE member = $1",
            values![self.member, likeness, self.at],
        )
    }

    fn delete_guest(
        &self,
        hash: &IdentityHash,
        locked: &IdentityHash,
    ) -> Result<AccountChanged, StorageError> {
        let is_another = "SELECT 1 FROM member WHERE id = $1 AND hash <> $2 AND hash <> $3";
        if self.has_account()? || self.sql.exists(is_another, values![self.member, hash, locked])? {
            return Ok(AccountChanged::Gone);
        }
        member_data::forget(self.sql, [self.member.as_str()], self.at)?;
        daily_seats::mark_leaver(self.sql, self.member)?;
        self.execute(
            "UPDATE member SET hash = $2, name = $3 WHERE id = $1",
            values![self.member, locked, DELETED_NAME],
        )?;
        Ok(AccountChanged::Done)
    }

    fn end(&self, sessions: Sessions) -> Result<AccountChanged, StorageError> {
        let (which, hash) = match &sessions {
            Sessions::All => ("", None),
            Sessions::One(one) => (" AND hash = $2", Some(one)),
            Sessions::AllBut(kept) => (" AND hash <> $2", Some(kept)),
        };
        let values = [Some(self.member.into()), hash.map(Value::from)];
        let values: Vec<_> = values.into_iter().flatten().collect();
        self.sql.defer(&format!("DELETE FROM session WHERE member = $1{which}"), &values)?;
        Ok(AccountChanged::Done)
    }
}

/// Deletes what [`Storage::prune_accounts`](crate::Storage::prune_accounts) names.
pub(crate) fn prune(sql: &dyn Sql, now: u64, rows_max: usize) -> Result<usize, StorageError> {
    let mut pruned = 0;
    for (statement, before) in [
        (
            "DELETE FROM session WHERE hash IN
                 (SELECT hash FROM session WHERE expires_at <= $1 LIMIT $2)",
            now,
        ),
        (
            "DELETE FROM token WHERE hash IN
                 (SELECT hash FROM token WHERE expires_at <= $1 LIMIT $2)",
            now,
        ),
        (
            "DELETE FROM email WHERE member IN
                 (SELECT member FROM email WHERE confirmed IS NULL AND named_at <= $1 LIMIT $2)",
            unconfirmed_before(now),
        ),
        (
            "UPDATE email SET named = confirmed WHERE member IN
                 (SELECT member FROM email WHERE named <> confirmed AND named_at <= $1 LIMIT $2)",
            unconfirmed_before(now),
        ),
        (
            "DELETE FROM old_name WHERE likeness IN
                 (SELECT likeness FROM old_name WHERE at <= $1 LIMIT $2)",
            old_before(now),
        ),
    ] {
        pruned += sql.execute(statement, values![before, rows_max - pruned])?;
    }
    pruned += dealings::prune(sql, now, rows_max - pruned)?;
    pruned += friends::prune(sql, now, rows_max - pruned)?;
    pruned += pushes::prune(sql, now, rows_max - pruned)?;
    pruned += remove(sql, now, rows_max - pruned)?;
    daily_seats::mark_missed_leavers(sql)?;
    time_off::correct_in_games(sql, now)?;
    let forgotten = sql.execute(
        "DELETE FROM account WHERE member IN (
             SELECT member FROM account WHERE deleted_at <= $1 AND owner IS NULL
                 AND NOT EXISTS (SELECT 1 FROM key WHERE key.member = account.member)
                 AND NOT EXISTS (SELECT 1 FROM passkey WHERE passkey.member = account.member)
             LIMIT $2)",
        values![forgotten_before(now), rows_max - pruned],
    )?;
    Ok(pruned + forgotten)
}

/// Removes accounts for good: what opens them and what is known of them.
fn remove(sql: &dyn Sql, now: u64, rows_max: usize) -> Result<usize, StorageError> {
    let removed: Vec<MemberId> = sql.rows(
        "SELECT member FROM account WHERE deleted_at <= $1
             AND (owner IS NOT NULL
                 OR EXISTS (SELECT 1 FROM key WHERE key.member = account.member)
                 OR EXISTS (SELECT 1 FROM passkey WHERE passkey.member = account.member)) LIMIT $2",
        values![removed_before(now), rows_max],
        Row::get,
    )?;
    if removed.is_empty() {
        return Ok(0);
    }
    member_data::forget(sql, removed.iter().map(MemberId::as_str), now)?;
    let members = list(removed.iter().map(MemberId::as_str));
    let ids = format!("(SELECT value FROM {})", sql.dialect().listed());
    sql.execute(
        &format!(
            "UPDATE member SET name = $2
             WHERE id IN {ids} OR id IN (SELECT member FROM alias WHERE account IN {ids})"
        ),
        values![&members, DELETED_NAME],
    )?;
    for statement in [
        "DELETE FROM key WHERE member IN",
        "DELETE FROM passkey WHERE member IN",
        "DELETE FROM token WHERE member IN",
        "DELETE FROM alias WHERE account IN",
        "DELETE FROM trace WHERE member IN",
        "DELETE FROM email WHERE member IN",
        "DELETE FROM push_subscription WHERE member IN",
        "DELETE FROM push_setting WHERE member IN",
        "DELETE FROM push_game WHERE member IN",
        "DELETE FROM push_news WHERE member IN",
        "UPDATE collection SET deleted = true WHERE member IN",
        // They are nobody's bots any more, and theirs are deleted.
        "UPDATE account SET owner = NULL WHERE member IN",
    ] {
        sql.execute(&format!("{statement} {ids}"), values![&members])?;
    }
    sql.execute(
        &format!("UPDATE account SET deleted_at = coalesce(deleted_at, $2) WHERE owner IN {ids}"),
        values![&members, removed_before(now)],
    )?;
    Ok(removed.len())
}

/// The account that this key of a name finds.
pub(crate) fn named(sql: &dyn Sql, key: &str) -> Result<Option<Account>, StorageError> {
    let statement = format!(
        "SELECT {ACCOUNT} FROM account JOIN member ON member.id = account.member
         WHERE likeness IN ($1, $2) ORDER BY length(likeness) DESC LIMIT 1"
    );
    sql.row(&statement, values![key, likeness_in(key)], account)
}

/// The account that had the name of this key a while ago.
pub(super) fn once_named(sql: &dyn Sql, key: &str) -> Result<Option<Account>, StorageError> {
    let statement = format!(
        "SELECT {ACCOUNT} FROM old_name JOIN account ON account.member = old_name.member
         JOIN member ON member.id = account.member
         WHERE old_name.likeness IN ($1, $2) ORDER BY length(old_name.likeness) DESC LIMIT 1"
    );
    sql.row(&statement, values![key, likeness_in(key)], account)
}

/// The accounts that were deleted at this time or later, and their bots.
pub(super) fn deleted_since(sql: &dyn Sql, at: u64) -> Result<Vec<MemberId>, StorageError> {
    sql.rows(
        "SELECT member FROM account WHERE deleted_at >= $1
         UNION SELECT bot.member FROM account AS own JOIN account AS bot ON bot.owner = own.member
             WHERE own.deleted_at >= $1",
        values![at],
        Row::get,
    )
}

/// From whom a member takes challenges.
pub(super) fn challenges_from(
    sql: &dyn Sql,
    member: &MemberId,
) -> Result<ChallengesFrom, StorageError> {
    let select = "SELECT challenges_from FROM member WHERE id = $1";
    let stored: Option<String> = sql.row(select, values![member], Row::get)?;
    Ok(stored.and_then(|text| text.parse().ok()).unwrap_or_default())
}

/// The names that an account had, the newest first.
pub(super) fn old_names(sql: &dyn Sql, member: &MemberId) -> Result<Vec<OldName>, StorageError> {
    sql.rows(
        "SELECT name, at FROM old_name WHERE member = $1 ORDER BY at DESC, likeness",
        values![member],
        |row| Ok(OldName { name: row.get()?, at: row.get()? }),
    )
}

/// A session, and its account.
pub(super) fn of_session(
    sql: &dyn Sql,
    hash: &KeyHash,
) -> Result<Option<(Account, AccountSession)>, StorageError> {
    with_account(sql, ("session", SESSION), ("hash", hash.into()), session)
}

/// What opens an account, and its sessions.
pub(super) fn keys(sql: &dyn Sql, member: &MemberId) -> Result<AccountKeys, StorageError> {
    let password = sql.row(
        "SELECT secret FROM key WHERE member = $1 AND kind = 'password'",
        values![member],
        |row| row.get().map(PasswordHash),
    )?;
    let codes = "SELECT count(*) FROM key WHERE member = $1 AND kind = 'recovery'";
    let sessions = format!(
        "SELECT {SESSION} FROM session WHERE member = $1 ORDER BY seen_at DESC, made_at DESC, hash"
    );
    Ok(AccountKeys {
        password,
        codes_left: sql.count(codes, values![member])?,
        sessions: sql.rows(&sessions, values![member], session)?,
        passkeys: keys::passkeys(sql, member)?,
        tokens: keys::tokens(sql, member)?,
        aliases: keys::aliases(sql, member)?,
    })
}

/// The session in a row.
fn session(row: &mut Row) -> Result<AccountSession, StorageError> {
    Ok(AccountSession {
        hash: row.get()?,
        label: row.get()?,
        made_at: row.get()?,
        seen_at: row.get()?,
        expires_at: row.get()?,
        proved_at: row.get()?,
    })
}
