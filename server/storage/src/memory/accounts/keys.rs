//! Passkeys, tokens and aliases of accounts in memory.

use std::collections::HashMap;

use fivefold_shared::protocol::MemberId;

use super::{Accounts, Members, StoredAccount, whole};
use crate::{
    Account, AccountChanged, ApiToken, IdentityHash, KeyHash, KeyStep, KnownMember, Passkey,
    UsedPasskey,
    limits::{ALIASES_MAX, PASSKEYS_MAX, TOKENS_MAX},
};

impl StoredAccount {
    fn use_passkey(&mut self, used: &UsedPasskey, at: u64) -> AccountChanged {
        let Some(passkey) = self.passkeys.iter_mut().find(|own| own.id == used.id) else {
            return AccountChanged::Gone;
        };
        passkey.credential.clone_from(&used.credential);
        passkey.used_at = Some(at);
        AccountChanged::Done
    }
}

impl Accounts {
    pub(super) fn change_keys(
        &mut self,
        all: &mut Members<'_>,
        member: &MemberId,
        at: u64,
        step: &KeyStep,
    ) -> AccountChanged {
        match step {
            KeyStep::AddPasskey(passkey) => return self.add_passkey(member, passkey),
            KeyStep::AddAlias { guest, hash, locked } => {
                return self.add_alias(all, member, (guest, *hash, *locked));
            }
            KeyStep::SignIn { .. }
            | KeyStep::Begin(_)
            | KeyStep::Prove { .. }
            | KeyStep::EndPasskey(_)
            | KeyStep::AddToken(_)
            | KeyStep::EndToken(_)
            | KeyStep::NoteToken(_) => {}
        }
        let Some(account) = self.0.get_mut(member) else { return AccountChanged::Gone };
        match step {
            KeyStep::SignIn { passkey, session } => {
                if !account.has(session.hash) {
                    let used = account.use_passkey(passkey, at);
                    if used != AccountChanged::Done {
                        return used;
                    }
                    account.begin(session);
                }
            }
            KeyStep::Begin(session) => {
                if !account.has(session.hash) {
                    if account.deleted_at.is_some() {
                        return AccountChanged::Gone;
                    }
                    account.begin(session);
                }
            }
            KeyStep::Prove { session, passkey } => {
                if !account.has(*session) {
                    return AccountChanged::Gone;
                }
                if let Some(used) = passkey
                    && account.use_passkey(used, at) != AccountChanged::Done
                {
                    return AccountChanged::Gone;
                }
                for own in account.sessions.iter_mut().filter(|own| own.hash == *session) {
                    own.proved_at = at;
                }
            }
            KeyStep::AddPasskey(_) | KeyStep::AddAlias { .. } => {}
            KeyStep::EndPasskey(id) => account.passkeys.retain(|own| own.id != *id),
            KeyStep::AddToken(token) => {
                if account.tokens.iter().any(|own| own.hash == token.hash) {
                    return AccountChanged::Done;
                }
                if account.tokens.len() >= TOKENS_MAX {
                    return AccountChanged::Full;
                }
                account.tokens.push(token.clone());
            }
            KeyStep::EndToken(hash) => account.tokens.retain(|own| own.hash != *hash),
            KeyStep::NoteToken(hash) => {
                let Some(token) = account.tokens.iter_mut().find(|own| own.hash == *hash) else {
                    return AccountChanged::Gone;
                };
                token.used_at = Some(at);
            }
        }
        AccountChanged::Done
    }

    fn add_passkey(&mut self, member: &MemberId, passkey: &Passkey) -> AccountChanged {
        let mut all = self.0.iter();
        let holder =
            all.find(|(_, account)| account.passkeys.iter().any(|own| own.id == passkey.id));
        if let Some((holder, _)) = holder {
            return if holder == member { AccountChanged::Done } else { AccountChanged::Gone };
        }
        let Some(account) = self.0.get_mut(member) else { return AccountChanged::Gone };
        if account.passkeys.len() >= PASSKEYS_MAX {
            return AccountChanged::Full;
        }
        account.passkeys.push(passkey.clone());
        AccountChanged::Done
    }

    fn add_alias(
        &mut self,
        Members { members, renewed, .. }: &mut Members<'_>,
        member: &MemberId,
        (guest, hash, locked): (&MemberId, IdentityHash, IdentityHash),
    ) -> AccountChanged {
        let is_account = self.0.contains_key(guest);
        let Some(account) = self.0.get_mut(member) else { return AccountChanged::Gone };
        if account.aliases.contains(guest) {
            return AccountChanged::Done;
        }
        if account.aliases.len() >= ALIASES_MAX {
            return AccountChanged::Full;
        }
        match members.get_mut(guest) {
            Some(known) if known.hash == hash && !is_account => known.hash = locked,
            Some(_) | None => return AccountChanged::Gone,
        }
        renewed.insert(guest.clone());
        account.aliases.push(guest.clone());
        AccountChanged::Done
    }

    pub(in crate::memory) fn of_passkey(
        &self,
        members: &HashMap<MemberId, KnownMember>,
        id: &[u8],
    ) -> Option<(Account, Passkey)> {
        self.0.iter().find_map(|(member, account)| {
            let passkey = account.passkeys.iter().find(|passkey| passkey.id == id)?;
            Some((whole(members, member, account)?, passkey.clone()))
        })
    }

    pub(in crate::memory) fn of_token(
        &self,
        members: &HashMap<MemberId, KnownMember>,
        hash: KeyHash,
    ) -> Option<(Account, ApiToken)> {
        self.0.iter().find_map(|(member, account)| {
            let token = account.tokens.iter().find(|token| token.hash == hash)?;
            Some((whole(members, member, account)?, token.clone()))
        })
    }

    pub(in crate::memory) fn aliases(&self, member: &MemberId) -> Vec<MemberId> {
        self.0.get(member).map_or_else(Vec::new, |account| account.aliases.clone())
    }

    /// The guests of the accounts that are these members, or that one of these guests belongs to, each with
    /// its account.
    pub(in crate::memory) fn guests_around(
        &self,
        members: &[MemberId],
    ) -> Vec<(MemberId, MemberId)> {
        let mut guests = Vec::new();
        for (account, stored) in &self.0 {
            let is_one = |id: &MemberId| members.contains(id);
            if is_one(account) || stored.aliases.iter().any(is_one) {
                guests.extend(stored.aliases.iter().map(|guest| (guest.clone(), account.clone())));
            }
        }
        guests
    }

    /// The account that a guest belongs to.
    pub(in crate::memory) fn account_of_guest(&self, guest: &MemberId) -> Option<MemberId> {
        let account = self.0.iter().find(|(_, account)| account.aliases.contains(guest));
        account.map(|(member, _)| member.clone())
    }

    /// A member, and the guests that belong to their account.
    pub(in crate::memory) fn with_aliases(&self, member: &MemberId) -> Vec<MemberId> {
        let guests = self.0.get(member).map_or(&[][..], |account| &account.aliases);
        std::iter::once(member).chain(guests).cloned().collect()
    }
}
