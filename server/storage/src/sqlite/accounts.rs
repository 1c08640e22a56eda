//! Accounts in a SQLite file: changing, reading and deleting them.

use fivefold_shared::protocol::{ChallengesFrom, MemberId};
use rusqlite::{Connection, OptionalExtension, Row, Transaction};

use super::{
    account_rows::{ACCOUNT_COLUMNS, Change, SELECT_ACCOUNT, account},
    bots, dealings, keys, member_data,
    rows::collect,
};
use crate::{
    Account, AccountChange, AccountChanged, AccountKeys, AccountSession, AccountStep, IdentityHash,
    KeyHash, NewAccount, OldName, PasswordHash, Sessions, StorageError,
    accounts::{DELETED_NAME, forgotten_before, old_before, removed_before},
    name_keys::likeness_in,
    values::name,
};

const PASSWORD: &str = "password";
const RECOVERY: &str = "recovery";

/// Changes an account.
pub(crate) fn change(
    transaction: &Transaction<'_>,
    AccountChange { member, at, step }: &AccountChange,
) -> Result<AccountChanged, StorageError> {
    let change = Change { transaction, member: member.as_str(), at: *at };
    match step {
        AccountStep::Make(new) => change.make(new),
        AccountStep::MakeBot(new) => bots::make(&change, new),
        AccountStep::SignIn { session, rehashed } => change.sign_in(session, rehashed.as_ref()),
        AccountStep::Recover { code, password, session } => {
            change.recover(*code, password, session)
        }
        AccountStep::Seen { session, expires_at } => change.execute(
            "UPDATE session SET seen_at = ?2, expires_at = ?3 WHERE member = ?1 AND hash = ?4",
            (change.member, change.at, expires_at, session.0),
        ),
        AccountStep::SetPassword { password, keep } => {
            change.end(Sessions::AllBut(*keep))?;
            change.set_password(password)
        }
        AccountStep::SetCodes(codes) => {
            change.execute(
                "DELETE FROM key WHERE member = ? AND kind = ?",
                (change.member, RECOVERY),
            )?;
            change.add_codes(codes)
        }
        AccountStep::AddCode(code) => change.add_codes(&[*code]),
        AccountStep::Rename { name, likeness } => change.rename(name.as_str(), likeness),
        AccountStep::End(sessions) => change.end(*sessions),
        AccountStep::Delete => {
            change.end(Sessions::All)?;
            bots::end_tokens(&change)?;
            change.execute(
                "UPDATE account SET deleted_at = ?2 WHERE member = ?1",
                (change.member, change.at),
            )
        }
        AccountStep::DeleteGuest { hash, locked } => change.delete_guest(*hash, *locked),
        AccountStep::SetChallenges(from) => change.execute(
            "UPDATE member SET challenges_from = ?2 WHERE id = ?1",
            (change.member, from.as_str()),
        ),
        AccountStep::Key(step) => keys::change(&change, step),
        AccountStep::Trace(traces) => dealings::note(&change, traces),
    }
}

impl Change<'_> {
    fn make(&self, new: &NewAccount) -> Result<AccountChanged, StorageError> {
        if self.has_session(new.session.hash)? {
            return Ok(AccountChanged::Done);
        }
        if self.is_taken(&new.likeness)? {
            return Ok(AccountChanged::NameTaken);
        }
        let stored: Option<[u8; 32]> = self
            .transaction
            .prepare_cached("SELECT hash FROM member WHERE id = ?")?
            .query_row((self.member,), |row| row.get(0))
            .optional()?;
        if stored.is_some_and(|hash| Some(IdentityHash(hash)) != new.guest) {
            return Ok(AccountChanged::Gone);
        }
        self.execute(
            "INSERT INTO member (id, hash, name, seen_at, renewed) VALUES (?, ?, ?, ?, 1)
             ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, name = excluded.name,
                 seen_at = excluded.seen_at, renewed = 1",
            (self.member, new.locked.0, new.name.as_str(), self.at),
        )?;
        self.execute(
            "INSERT INTO account (member, likeness, made_at) VALUES (?, ?, ?)",
            (self.member, &new.likeness, self.at),
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
        if self.has_session(session.hash)? {
            return Ok(AccountChanged::Done);
        }
        let used = self.execute(
            "UPDATE key SET used_at = ?2, secret = coalesce(?3, secret)
             WHERE member = ?1 AND kind = 'password'",
            (self.member, self.at, rehashed.map(|password| &password.0)),
        )?;
        match used {
            AccountChanged::Done => self.begin(session),
            AccountChanged::Gone | AccountChanged::NameTaken | AccountChanged::Full => Ok(used),
        }
    }

    fn recover(
        &self,
        code: KeyHash,
        password: &PasswordHash,
        session: &AccountSession,
    ) -> Result<AccountChanged, StorageError> {
        if self.has_session(session.hash)? {
            return Ok(AccountChanged::Done);
        }
        let used = self.execute(
            "DELETE FROM key WHERE member = ? AND kind = ? AND lookup = ?",
            (self.member, RECOVERY, code.0),
        )?;
        match used {
            AccountChanged::Done => {
                self.set_password(password)?;
                self.end(Sessions::All)?;
                // A thief may have made these.
                self.execute("DELETE FROM passkey WHERE member = ?", (self.member,))?;
                bots::end_tokens(self)?;
                self.begin(session)
            }
            AccountChanged::Gone | AccountChanged::NameTaken | AccountChanged::Full => Ok(used),
        }
    }

    fn set_password(&self, password: &PasswordHash) -> Result<AccountChanged, StorageError> {
        self.execute(
            "INSERT INTO key (member, kind, lookup, secret, made_at)
             SELECT member, ?2, CAST(member AS BLOB), ?3, ?4 FROM account WHERE member = ?1
             ON CONFLICT (kind, lookup) DO UPDATE SET secret = excluded.secret,
                 made_at = excluded.made_at",
            (self.member, PASSWORD, &password.0, self.at),
        )
    }

    fn add_codes(&self, codes: &[KeyHash]) -> Result<AccountChanged, StorageError> {
        if !self.is_there("SELECT 1 FROM account WHERE member = ?", (self.member,))? {
            return Ok(AccountChanged::Gone);
        }
        for code in codes {
            self.execute(
                "INSERT INTO key (member, kind, lookup, made_at) VALUES (?, ?, ?, ?)
                 ON CONFLICT DO NOTHING",
                (self.member, RECOVERY, code.0, self.at),
            )?;
        }
        Ok(AccountChanged::Done)
    }

    /// Whether a name of this likeness is another account's, or was a while ago.
    pub(super) fn is_taken(&self, likeness: &str) -> Result<bool, StorageError> {
        self.is_there(
            "SELECT 1 FROM account WHERE member <> ?2
                 AND (likeness = ?1 OR (likeness >= ?1 || ' ' AND likeness < ?1 || '!'))
             UNION ALL SELECT 1 FROM old_name WHERE member <> ?2
                 AND (likeness = ?1 OR (likeness >= ?1 || ' ' AND likeness < ?1 || '!'))",
            (likeness, self.member),
        )
    }

    fn rename(&self, name: &str, likeness: &str) -> Result<AccountChanged, StorageError> {
        if self.is_taken(likeness)? {
            return Ok(AccountChanged::NameTaken);
        }
        self.execute(
            "INSERT INTO old_name (likeness, member, name, at)
             SELECT account.likeness, member.id, member.name, ?3
             FROM account JOIN member ON member.id = account.member
             WHERE account.member = ?1 AND account.likeness <> ?2
             ON CONFLICT (likeness) DO UPDATE SET member = excluded.member, name = excluded.name,
                 at = excluded.at",
            (self.member, likeness, self.at),
        )?;
        self.execute("DELETE FROM old_name WHERE likeness = ?", (likeness,))?;
        self.execute(
            "UPDATE member SET name = ?2 WHERE id = ?1 AND id IN (SELECT member FROM account)",
            (self.member, name),
        )?;
        self.execute(
            "UPDATE account SET likeness = ?2, renamed_at = ?3 WHERE member = ?1",
            (self.member, likeness, self.at),
        )
    }

    fn delete_guest(
        &self,
        hash: IdentityHash,
        locked: IdentityHash,
    ) -> Result<AccountChanged, StorageError> {
        let is_another = "SELECT 1 FROM account WHERE member = ?1
            UNION ALL SELECT 1 FROM member WHERE id = ?1 AND hash <> ?2 AND hash <> ?3";
        if self.is_there(is_another, (self.member, hash.0, locked.0))? {
            return Ok(AccountChanged::Gone);
        }
        member_data::forget(self.transaction, self.member, self.at)?;
        self.execute(
            "UPDATE member SET hash = ?2, name = ?3 WHERE id = ?1",
            (self.member, locked.0, DELETED_NAME),
        )?;
        Ok(AccountChanged::Done)
    }

    fn end(&self, sessions: Sessions) -> Result<AccountChanged, StorageError> {
        match sessions {
            Sessions::All => self.execute("DELETE FROM session WHERE member = ?", (self.member,)),
            Sessions::One(one) => self
                .execute("DELETE FROM session WHERE member = ? AND hash = ?", (self.member, one.0)),
            Sessions::AllBut(kept) => self.execute(
                "DELETE FROM session WHERE member = ? AND hash <> ?",
                (self.member, kept.0),
            ),
        }?;
        Ok(AccountChanged::Done)
    }
}

/// Deletes what [`Storage::prune_accounts`](crate::Storage::prune_accounts) names.
pub(super) fn prune(
    transaction: &Transaction<'_>,
    now: u64,
    rows_max: usize,
) -> Result<usize, StorageError> {
    let now = now.min(i64::MAX.cast_unsigned());
    let mut pruned = transaction
        .prepare_cached(
            "DELETE FROM session WHERE hash IN
                 (SELECT hash FROM session WHERE expires_at <= ? LIMIT ?)",
        )?
        .execute((now, rows_max))?;
    pruned += transaction
        .prepare_cached(
            "DELETE FROM token WHERE hash IN
                 (SELECT hash FROM token WHERE expires_at <= ? LIMIT ?)",
        )?
        .execute((now, rows_max - pruned))?;
    pruned += transaction
        .prepare_cached(
            "DELETE FROM old_name WHERE likeness IN
                 (SELECT likeness FROM old_name WHERE at <= ? LIMIT ?)",
        )?
        .execute((old_before(now), rows_max - pruned))?;
    pruned += dealings::prune(transaction, now, rows_max - pruned)?;
    let removed = members(
        transaction,
        "SELECT member FROM account WHERE deleted_at <= ?
             AND (owner IS NOT NULL
                 OR EXISTS (SELECT 1 FROM key WHERE key.member = account.member)
                 OR EXISTS (SELECT 1 FROM passkey WHERE passkey.member = account.member)) LIMIT ?",
        removed_before(now),
        rows_max - pruned,
    )?;
    pruned += removed.len();
    for member in &removed {
        transaction
            .prepare_cached(
                "UPDATE member SET name = ?1
                 WHERE id = ?2 OR id IN (SELECT member FROM alias WHERE account = ?2)",
            )?
            .execute((DELETED_NAME, member))?;
        member_data::forget(transaction, member, now)?;
        for statement in [
            "DELETE FROM key WHERE member = ?",
            "DELETE FROM passkey WHERE member = ?",
            "DELETE FROM token WHERE member = ?",
            "DELETE FROM alias WHERE account = ?",
            "DELETE FROM trace WHERE member = ?",
        ] {
            transaction.prepare_cached(statement)?.execute((member,))?;
        }
        bots::remove(transaction, member, removed_before(now))?;
    }
    let forgotten = members(
        transaction,
        "SELECT member FROM account WHERE deleted_at <= ? AND owner IS NULL
             AND NOT EXISTS (SELECT 1 FROM key WHERE key.member = account.member)
             AND NOT EXISTS (SELECT 1 FROM passkey WHERE passkey.member = account.member) LIMIT ?",
        forgotten_before(now),
        rows_max - pruned,
    )?;
    for member in &forgotten {
        transaction.prepare_cached("DELETE FROM account WHERE member = ?")?.execute((member,))?;
    }
    Ok(pruned + forgotten.len())
}

fn members(
    transaction: &Transaction<'_>,
    statement: &str,
    before: u64,
    rows_max: usize,
) -> Result<Vec<String>, StorageError> {
    let mut select = transaction.prepare_cached(statement)?;
    let rows = select.query_map((before, rows_max), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The account that this key of a name finds.
pub(crate) fn named(connection: &Connection, key: &str) -> Result<Option<Account>, StorageError> {
    let statement = format!(
        "{SELECT_ACCOUNT} FROM account JOIN member ON member.id = account.member
         WHERE likeness IN (?, ?) ORDER BY length(likeness) DESC LIMIT 1"
    );
    let mut select = connection.prepare_cached(&statement)?;
    select.query_row((key, likeness_in(key)), |row| Ok(account(row))).optional()?.transpose()
}

/// The account that had the name of this key a while ago.
pub(super) fn once_named(
    connection: &Connection,
    key: &str,
) -> Result<Option<Account>, StorageError> {
    let statement = format!(
        "{SELECT_ACCOUNT} FROM old_name JOIN account ON account.member = old_name.member
         JOIN member ON member.id = account.member
         WHERE old_name.likeness IN (?, ?) ORDER BY length(old_name.likeness) DESC LIMIT 1"
    );
    let mut select = connection.prepare_cached(&statement)?;
    select.query_row((key, likeness_in(key)), |row| Ok(account(row))).optional()?.transpose()
}

/// The accounts that were deleted at this time or later, and their bots.
pub(super) fn deleted_since(
    connection: &Connection,
    at: u64,
) -> Result<Vec<MemberId>, StorageError> {
    let mut select = connection.prepare_cached(
        "SELECT member FROM account WHERE deleted_at >= ?1
         UNION SELECT bot.member FROM account AS own JOIN account AS bot ON bot.owner = own.member
             WHERE own.deleted_at >= ?1",
    )?;
    collect(select.query((at.min(i64::MAX.cast_unsigned()),))?, |row| name(row.get(0)?))
}

/// From whom a member takes challenges.
pub(super) fn challenges_from(
    connection: &Connection,
    member: &MemberId,
) -> Result<ChallengesFrom, StorageError> {
    let mut select =
        connection.prepare_cached("SELECT challenges_from FROM member WHERE id = ?")?;
    let stored: Option<String> =
        select.query_row((member.as_str(),), |row| row.get(0)).optional()?;
    Ok(stored.and_then(|text| text.parse().ok()).unwrap_or_default())
}

/// The names that an account had, the newest first.
pub(super) fn old_names(
    connection: &Connection,
    member: &MemberId,
) -> Result<Vec<OldName>, StorageError> {
    let statement = "SELECT name, at FROM old_name WHERE member = ? ORDER BY at DESC, likeness";
    let mut select = connection.prepare_cached(statement)?;
    collect(select.query((member.as_str(),))?, |row| {
        Ok(OldName { name: name(row.get(0)?)?, at: row.get(1)? })
    })
}

/// A session, and its account.
pub(super) fn of_session(
    connection: &Connection,
    hash: KeyHash,
) -> Result<Option<(Account, AccountSession)>, StorageError> {
    let statement = format!(
        "{SELECT_ACCOUNT}, session.hash, label, session.made_at, session.seen_at, expires_at,
             proved_at
         FROM session JOIN account ON account.member = session.member
         JOIN member ON member.id = account.member WHERE session.hash = ?"
    );
    let mut select = connection.prepare_cached(&statement)?;
    let found =
        select.query_row((hash.0,), |row| Ok((account(row), session(row, ACCOUNT_COLUMNS)?)));
    found.optional()?.map(|(account, session)| Ok((account?, session))).transpose()
}

/// What opens an account, and its sessions.
pub(super) fn keys(
    connection: &Connection,
    member: &MemberId,
) -> Result<AccountKeys, StorageError> {
    let id = member.as_str();
    let member = (id,);
    let password = connection
        .prepare_cached("SELECT secret FROM key WHERE member = ? AND kind = 'password'")?
        .query_row(member, |row| Ok(PasswordHash(row.get(0)?)))
        .optional()?;
    let codes_left = connection
        .prepare_cached("SELECT count(*) FROM key WHERE member = ? AND kind = 'recovery'")?
        .query_row(member, |row| row.get(0))?;
    let mut select = connection.prepare_cached(
        "SELECT hash, label, made_at, seen_at, expires_at, proved_at FROM session WHERE member = ?
         ORDER BY seen_at DESC, made_at DESC, hash",
    )?;
    let sessions = collect(select.query(member)?, |row| Ok(session(row, 0)?))?;
    Ok(AccountKeys {
        password,
        codes_left,
        sessions,
        passkeys: keys::passkeys(connection, id)?,
        tokens: keys::tokens(connection, id)?,
        aliases: keys::aliases(connection, id)?,
    })
}

/// The session in a row, from this column on.
fn session(row: &Row<'_>, first: usize) -> rusqlite::Result<AccountSession> {
    Ok(AccountSession {
        hash: KeyHash(row.get(first)?),
        label: row.get(first + 1)?,
        made_at: row.get(first + 2)?,
        seen_at: row.get(first + 3)?,
        expires_at: row.get(first + 4)?,
        proved_at: row.get(first + 5)?,
    })
}
