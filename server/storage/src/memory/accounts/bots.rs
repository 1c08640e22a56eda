//! Bots of accounts in memory.

use std::collections::HashMap;

use fivefold_shared::protocol::MemberId;

use super::{Accounts, Members, StoredAccount, whole};
use crate::{Account, AccountChanged, KnownMember, NewBot, limits::BOTS_MAX};

impl Accounts {
    pub(super) fn make_bot(
        &mut self,
        Members { members, renewed, .. }: &mut Members<'_>,
        member: &MemberId,
        at: u64,
        new: &NewBot,
    ) -> AccountChanged {
        let NewBot { owner, locked, name, likeness } = new.clone();
        if self.0.get(member).is_some_and(|own| own.owner.as_ref() == Some(&owner)) {
            return AccountChanged::Done;
        }
        if self.is_taken(&likeness, member) {
            return AccountChanged::NameTaken;
        }
        let is_person = |own: &StoredAccount| own.owner.is_none() && own.deleted_at.is_none();
        if !self.0.get(&owner).is_some_and(is_person) {
            return AccountChanged::Gone;
        }
        let is_own =
            |bot: &&StoredAccount| bot.owner.as_ref() == Some(&owner) && bot.deleted_at.is_none();
        if self.0.values().filter(is_own).count() >= BOTS_MAX {
            return AccountChanged::Full;
        }
        let known = KnownMember { id: member.clone(), hash: locked, name, seen_at: at };
        members.insert(member.clone(), known);
        renewed.insert(member.clone());
        let account =
            StoredAccount { likeness, made_at: at, owner: Some(owner), ..StoredAccount::default() };
        self.0.insert(member.clone(), account);
        AccountChanged::Done
    }

    /// Ends all tokens of an account and of its bots.
    pub(super) fn end_tokens(&mut self, member: &MemberId) {
        for (id, account) in &mut self.0 {
            if id == member || account.owner.as_ref() == Some(member) {
                account.tokens.clear();
            }
        }
    }

    /// Deletes the bots of these accounts, as of this time.
    pub(super) fn delete_bots_of(&mut self, owners: &[MemberId], at: u64) {
        for account in self.0.values_mut() {
            if account.owner.as_ref().is_some_and(|owner| owners.contains(owner)) {
                account.deleted_at.get_or_insert(at);
            }
        }
    }

    /// All bots, with their owners.
    pub(in crate::memory) fn bots(&self) -> impl Iterator<Item = (&MemberId, &MemberId)> {
        self.0.iter().filter_map(|(bot, account)| Some((bot, account.owner.as_ref()?)))
    }

    /// The bots of an account that are not deleted, the oldest first.
    pub(in crate::memory) fn bots_of(
        &self,
        members: &HashMap<MemberId, KnownMember>,
        owner: &MemberId,
    ) -> Vec<Account> {
        let bots = self.0.iter().filter(|(_, account)| {
            account.owner.as_ref() == Some(owner) && account.deleted_at.is_none()
        });
        let mut bots: Vec<_> =
            bots.filter_map(|(member, account)| whole(members, member, account)).collect();
        bots.sort_by(|one, other| (one.made_at, &one.member).cmp(&(other.made_at, &other.member)));
        bots
    }
}
