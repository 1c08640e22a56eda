//! Accounts in memory.

mod bots;
mod email;
mod keys;
mod old_names;

use std::collections::{HashMap, HashSet};

use fivefold_shared::protocol::{MemberId, Name};

use self::{email::StoredEmail, old_names::OldNames};
use super::dealings::Traces;
use crate::{
    Account, AccountChange, AccountChanged, AccountKeys, AccountSession, AccountStep, ApiToken,
    Email, IdentityHash, KeyHash, KnownMember, NewAccount, OldName, Passkey, PasswordHash,
    Sessions,
    accounts::{DELETED_NAME, forgotten_before, old_before, removed_before},
    limits::ACCOUNT_SESSIONS_MAX,
    name_keys::{has_likeness, likeness_in},
};

/// All accounts, and the names that they had.
#[derive(Debug, Default)]
pub(super) struct Accounts(HashMap<MemberId, StoredAccount>, OldNames);

/// The members beside them, and the ones whose identity was replaced.
pub(super) struct Members<'t> {
    pub(super) members: &'t mut HashMap<MemberId, KnownMember>,
    pub(super) renewed: &'t mut HashSet<MemberId>,
    pub(super) traces: &'t mut Traces,
}

/// One account, without what is in the member.
#[derive(Debug, Default)]
struct StoredAccount {
    likeness: String,
    made_at: u64,
    renamed_at: Option<u64>,
    deleted_at: Option<u64>,
    owner: Option<MemberId>,
    password: Option<PasswordHash>,
    codes: Vec<KeyHash>,
    email: Option<StoredEmail>,
    sessions: Vec<AccountSession>,
    passkeys: Vec<Passkey>,
    tokens: Vec<ApiToken>,
    aliases: Vec<MemberId>,
}

impl StoredAccount {
    /// Begins a session, and takes back a deletion.
    fn begin(&mut self, session: &AccountSession) {
        self.deleted_at = None;
        self.sort();
        self.sessions.truncate(ACCOUNT_SESSIONS_MAX - 1);
        self.sessions.push(session.clone());
    }

    /// Uses a recovery code up, and begins a session with a new password. Whether there was the code.
    fn recover(
        &mut self,
        code: &KeyHash,
        password: &PasswordHash,
        session: &AccountSession,
        at: u64,
    ) -> bool {
        let is_mailed = self.email.as_mut().is_some_and(|email| email.use_code(code, at));
        if is_mailed {
            self.codes.clear();
        } else {
            let Some(place) = self.codes.iter().position(|own| own == code) else { return false };
            self.codes.remove(place);
            // A thief may have named it.
            self.email = None;
        }
        email::end_sent(&mut self.email, *code);
        self.password = Some(password.clone());
        self.sessions.clear();
        // A thief may have made these.
        self.passkeys.clear();
        self.begin(session);
        true
    }

    fn add_code(&mut self, code: KeyHash) {
        self.codes.retain(|own| *own != code);
        self.codes.push(code);
    }

    fn end(&mut self, sessions: Sessions) {
        self.sessions.retain(|session| !sessions.contain(session.hash));
    }

    /// Whether the account was not deleted for good.
    fn has_keys(&self) -> bool {
        self.owner.is_some()
            || self.password.is_some()
            || !self.codes.is_empty()
            || !self.passkeys.is_empty()
    }

    fn end_keys(&mut self) {
        self.owner = None;
        self.password = None;
        self.codes.clear();
        self.email = None;
        self.passkeys.clear();
        self.tokens.clear();
        self.aliases.clear();
    }

    fn has(&self, session: KeyHash) -> bool {
        self.sessions.iter().any(|own| own.hash == session)
    }

    fn sort(&mut self) {
        self.sessions.sort_by(|one, other| {
            let key = |session: &AccountSession| (session.seen_at, session.made_at);
            key(other).cmp(&key(one)).then(one.hash.cmp(&other.hash))
        });
    }
}

impl Accounts {
    pub(super) fn change(
        &mut self,
        all: &mut Members<'_>,
        AccountChange { member, at, step }: &AccountChange,
    ) -> AccountChanged {
        if let AccountStep::Make(new) = step {
            return self.make(all, member, *at, new);
        }
        if let AccountStep::MakeBot(new) = step {
            return self.make_bot(all, member, *at, new);
        }
        if let AccountStep::DeleteGuest { hash, locked } = step {
            return self.delete_guest(all, member, *hash, *locked);
        }
        if let AccountStep::Rename { likeness, .. } = step
            && self.is_taken(likeness, member)
        {
            return AccountChanged::NameTaken;
        }
        if let AccountStep::Key(step) = step {
            return self.change_keys(all, member, *at, step);
        }
        let Some(account) = self.0.get_mut(member) else { return AccountChanged::Gone };
        match step {
            AccountStep::Trace(traces) => all.traces.note(member, traces),
            AccountStep::SignIn { session, rehashed } => {
                if account.password.is_none() {
                    return AccountChanged::Gone;
                } else if !account.has(session.hash) {
                    account.password = rehashed.clone().or(account.password.take());
                    account.begin(session);
                }
            }
            AccountStep::Recover { code, password, session } if !account.has(session.hash) => {
                if !account.recover(code, password, session, *at) {
                    return AccountChanged::Gone;
                }
                self.end_tokens(member);
            }
            AccountStep::Recover { .. }
            | AccountStep::Make(_)
            | AccountStep::DeleteGuest { .. }
            | AccountStep::MakeBot(_)
            | AccountStep::SetChallenges(_)
            | AccountStep::Friend(_)
            | AccountStep::Note { .. }
            | AccountStep::ConditionalMoves(_)
            | AccountStep::TimeOff(_)
            | AccountStep::Key(_) => {}
            AccountStep::Seen { session, expires_at } => {
                let known = account.sessions.iter_mut().find(|own| own.hash == *session);
                let Some(known) = known else { return AccountChanged::Gone };
                (known.seen_at, known.expires_at) = (*at, *expires_at);
            }
            AccountStep::SetPassword { password, keep } => {
                account.password = Some(password.clone());
                email::end_sent(&mut account.email, *keep);
                account.end(Sessions::AllBut(*keep));
            }
            AccountStep::SetCodes(codes) => account.codes.clone_from(codes),
            AccountStep::AddCode(code) => account.add_code(*code),
            AccountStep::Email(step) => {
                let is_person = account.deleted_at.is_none() && account.owner.is_none();
                return email::change(&mut account.email, (*at, is_person), step);
            }
            AccountStep::Rename { name, likeness } => self.rename(all, member, *at, name, likeness),
            AccountStep::End(sessions) => account.end(*sessions),
            AccountStep::Delete => {
                account.deleted_at = Some(*at);
                account.sessions.clear();
                self.end_tokens(member);
            }
        }
        AccountChanged::Done
    }

    fn rename(
        &mut self,
        all: &mut Members<'_>,
        member: &MemberId,
        at: u64,
        name: &Name,
        likeness: &str,
    ) {
        let Some(account) = self.0.get_mut(member) else { return };
        let old = std::mem::replace(&mut account.likeness, likeness.to_owned());
        account.renamed_at = Some(at);
        if let Some(known) = all.members.get(member).filter(|_| old != likeness) {
            self.1.keep(old, member, OldName { name: known.name.clone(), at });
        }
        self.1.free(likeness);
        all.name(member, name);
    }

    fn make(
        &mut self,
        Members { members, renewed, .. }: &mut Members<'_>,
        member: &MemberId,
        at: u64,
        new: &NewAccount,
    ) -> AccountChanged {
        if self.0.get(member).is_some_and(|own| own.has(new.session.hash)) {
            return AccountChanged::Done;
        }
        if self.is_taken(&new.likeness, member) {
            return AccountChanged::NameTaken;
        }
        if members.get(member).is_some_and(|known| Some(known.hash) != new.guest) {
            return AccountChanged::Gone;
        }
        let NewAccount { locked, name, likeness, password, passkey, codes, session, .. } =
            new.clone();
        let known = KnownMember { id: member.clone(), hash: locked, name, seen_at: at };
        members.insert(member.clone(), known);
        renewed.insert(member.clone());
        let account = StoredAccount {
            likeness,
            made_at: at,
            password,
            codes,
            sessions: vec![session],
            passkeys: passkey.into_iter().collect(),
            ..StoredAccount::default()
        };
        self.0.insert(member.clone(), account);
        AccountChanged::Done
    }

    fn delete_guest(
        &self,
        all: &mut Members<'_>,
        member: &MemberId,
        hash: IdentityHash,
        locked: IdentityHash,
    ) -> AccountChanged {
        let stored = all.members.get_mut(member);
        let is_another = |known: &KnownMember| known.hash != hash && known.hash != locked;
        if self.has_row(member) || stored.as_deref().is_some_and(is_another) {
            return AccountChanged::Gone;
        }
        if let Some(known) = stored {
            known.hash = locked;
            known.name = Name::new(DELETED_NAME).expect("it is a name");
        }
        AccountChanged::Done
    }

    /// Whether the member has an account, also one that is deleted.
    pub(super) fn has_row(&self, member: &MemberId) -> bool {
        self.0.contains_key(member)
    }

    /// The accounts that were deleted at this time or later, and their bots.
    pub(super) fn deleted_since(&self, at: u64) -> Vec<MemberId> {
        let is_deleted = |member: &MemberId| {
            let account = self.0.get(member);
            account.is_some_and(|account| account.deleted_at.is_some_and(|deleted| deleted >= at))
        };
        let gone = self.0.iter().filter(|(member, account)| {
            is_deleted(member) || account.owner.as_ref().is_some_and(is_deleted)
        });
        gone.map(|(member, _)| member.clone()).collect()
    }

    /// Returns how much was deleted, and the members who were removed for good.
    pub(super) fn prune(
        &mut self,
        all: &mut Members<'_>,
        now: u64,
        rows_max: usize,
    ) -> (usize, Vec<MemberId>) {
        for account in self.0.values_mut() {
            email::prune(&mut account.email, now);
        }
        let (removed, forgotten) = (removed_before(now), forgotten_before(now));
        let (mut pruned, mut named) = (self.1.prune(old_before(now), rows_max), Vec::new());
        self.0.retain(|member, account| {
            let is_before = |time| account.deleted_at.is_some_and(|at| at <= time);
            let (is_removed, is_forgotten) = (is_before(removed), is_before(forgotten));
            account.sessions.retain(|session| {
                let is_over = pruned < rows_max && session.expires_at <= now;
                pruned += usize::from(is_over);
                !is_over
            });
            account.tokens.retain(|token| {
                let is_over = pruned < rows_max && token.expires_at <= now;
                pruned += usize::from(is_over);
                !is_over
            });
            if pruned >= rows_max {
                return true;
            }
            if is_removed && account.has_keys() {
                named.push(member.clone());
                named.append(&mut account.aliases);
                account.end_keys();
                pruned += 1;
                return true;
            }
            pruned += usize::from(is_forgotten);
            !is_forgotten
        });
        self.delete_bots_of(&named, removed);
        let name = Name::new(DELETED_NAME).expect("it is a name");
        for member in &named {
            all.name(member, &name);
        }
        (pruned, named)
    }

    /// Whether a name of this likeness is another account's, or was a while ago.
    fn is_taken(&self, likeness: &str, member: &MemberId) -> bool {
        let other = |id: &MemberId| id != member;
        self.0.iter().any(|(id, account)| has_likeness(&account.likeness, likeness) && other(id))
            || self.1.owner(likeness).is_some_and(other)
    }

    /// The account that had the name of this key a while ago.
    pub(super) fn once_named(
        &self,
        members: &HashMap<MemberId, KnownMember>,
        key: &str,
    ) -> Option<Account> {
        let member = self.1.owner(likeness_in(key))?;
        whole(members, member, self.0.get(member)?)
    }

    pub(super) fn old_names(&self, member: &MemberId) -> Vec<OldName> {
        self.1.of(member)
    }

    /// When the member signed up; nothing for guests and deleted accounts.
    pub(super) fn since(&self, member: &MemberId) -> Option<u64> {
        let account = self.0.get(member).filter(|account| account.deleted_at.is_none())?;
        Some(account.made_at)
    }

    /// Whether the member has an account that is not deleted.
    pub(super) fn is_there(&self, member: &MemberId) -> bool {
        self.since(member).is_some()
    }

    /// Whether this session is the member's.
    pub(super) fn has_session(&self, member: &MemberId, session: KeyHash) -> bool {
        self.0.get(member).is_some_and(|account| account.has(session))
    }

    /// Whether it is the account of a person, and not deleted.
    pub(super) fn is_person(&self, member: &MemberId) -> bool {
        let account = self.0.get(member);
        account.is_some_and(|account| account.owner.is_none() && account.deleted_at.is_none())
    }

    /// Ends all sessions of an account.
    pub(super) fn end_all(&mut self, member: &MemberId) {
        if let Some(account) = self.0.get_mut(member) {
            account.sessions.clear();
        }
    }

    pub(super) fn named(
        &self,
        members: &HashMap<MemberId, KnownMember>,
        key: &str,
    ) -> Option<Account> {
        let find = |wanted: &str| self.0.iter().find(|(_, account)| account.likeness == wanted);
        let (member, account) = find(key).or_else(|| find(likeness_in(key)))?;
        whole(members, member, account)
    }

    /// The name of an account that is not deleted.
    pub(super) fn name(
        &self,
        members: &HashMap<MemberId, KnownMember>,
        member: &MemberId,
    ) -> Option<Name> {
        self.0.get(member).filter(|account| account.deleted_at.is_none())?;
        members.get(member).map(|known| known.name.clone())
    }

    pub(super) fn of_session(
        &self,
        members: &HashMap<MemberId, KnownMember>,
        hash: KeyHash,
    ) -> Option<(Account, AccountSession)> {
        self.0.iter().find_map(|(member, account)| {
            let session = account.sessions.iter().find(|session| session.hash == hash)?;
            Some((whole(members, member, account)?, session.clone()))
        })
    }

    /// The e-mail address of a member whose account is not deleted.
    pub(super) fn email(&self, member: &MemberId) -> Option<&Email> {
        let account = self.0.get(member).filter(|account| account.deleted_at.is_none())?;
        account.email.as_ref().map(|stored| &stored.email)
    }

    /// Who has named an address that this secret confirms.
    pub(super) fn named_with(&self, token: &KeyHash) -> Option<MemberId> {
        let has = |account: &StoredAccount| {
            account.email.as_ref().is_some_and(|stored| stored.token == *token)
        };
        self.0.iter().find(|(_, account)| has(account)).map(|(member, _)| member.clone())
    }

    pub(super) fn keys(&mut self, member: &MemberId) -> AccountKeys {
        let Some(account) = self.0.get_mut(member) else { return AccountKeys::default() };
        account.sort();
        AccountKeys {
            password: account.password.clone(),
            codes_left: account.codes.len(),
            sessions: account.sessions.clone(),
            passkeys: account.passkeys.clone(),
            tokens: account.tokens.clone(),
            aliases: account.aliases.clone(),
        }
    }
}

impl Members<'_> {
    fn name(&mut self, member: &MemberId, name: &Name) {
        if let Some(known) = self.members.get_mut(member) {
            known.name = name.clone();
        }
    }
}

fn whole(
    members: &HashMap<MemberId, KnownMember>,
    member: &MemberId,
    account: &StoredAccount,
) -> Option<Account> {
    let KnownMember { id, hash, name, .. } = members.get(member)?.clone();
    let StoredAccount { made_at, renamed_at, deleted_at, .. } = *account;
    let owner = account.owner.clone();
    Some(Account { member: id, hash, name, made_at, renamed_at, deleted_at, owner })
}
