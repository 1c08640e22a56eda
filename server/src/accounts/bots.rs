//! Bots of accounts: made by a person, and opened by nothing but the tokens that this person makes.
//!
//! It does not know what bots may do: rooms and the pairing ask whether an account has an owner.

use fivefold_shared::protocol::{Reason, Refusal};
use fivefold_storage::{
    Account, AccountChanged, AccountStep, NewBot, Reader, Sessions, limits::BOTS_MAX,
};
use tokio::time::Instant;

use super::{Accounts, Device, SignedIn, account_name, looks_like_another, stored_likeness};
use crate::{online::logins::Ended, process::ids};

impl Accounts {
    /// Makes a bot of the account. Counts as a sign-up at this address.
    ///
    /// # Errors
    /// If the name is not accepted or taken, the account has too many bots, there were too many tries, or
    /// the storage fails.
    pub(crate) async fn make_bot(
        &self,
        own: &SignedIn,
        name: &str,
        device: &Device,
    ) -> Result<Account, Refusal> {
        let name = account_name(name)?;
        self.tries.sign_up(device.address, Instant::now())?;
        let (member, owner) = (ids::new_member_id(), own.account.member.clone());
        let wanted = name.clone();
        let read = move |reader: &mut Reader| looks_like_another(reader, &wanted, None);
        if self.read(read).await? {
            return Err(Refusal::new(Reason::NameTaken));
        }
        let new = NewBot {
            owner: owner.clone(),
            locked: ids::locked_hash(),
            name: name.name().clone(),
            likeness: stored_likeness(&name),
        };
        let account = Account {
            member: member.clone(),
            hash: new.locked,
            name: new.name.clone(),
            made_at: self.clock.now(),
            renamed_at: None,
            deleted_at: None,
            owner: Some(owner),
        };
        let step = AccountStep::MakeBot(Box::new(new));
        match self.try_change(&member, step).await? {
            AccountChanged::Done => Ok(account),
            AccountChanged::NameTaken => Err(Refusal::new(Reason::NameTaken)),
            AccountChanged::Gone | AccountChanged::NoFriend(_) | AccountChanged::NoTimeOff(_) => {
                Err(Refusal::new(Reason::SignedOut))
            }
            AccountChanged::Full => Err(Refusal::at_most(Reason::TooManyBots, BOTS_MAX)),
        }
    }

    /// The bots of the account, the oldest first.
    ///
    /// # Errors
    /// If the storage cannot be read.
    pub(crate) async fn bots(&self, own: &Account) -> Result<Vec<Account>, Refusal> {
        let owner = own.member.clone();
        self.read(move |reader| reader.bots_of(&owner)).await
    }

    /// The bot of the account with this id.
    ///
    /// # Errors
    /// If it has none, or the storage cannot be read.
    pub(crate) async fn bot(&self, own: &SignedIn, id: &str) -> Result<Account, Refusal> {
        self.find_bot(own, id).await?.ok_or_else(|| Refusal::new(Reason::NoSuchPlayer))
    }

    async fn find_bot(&self, own: &SignedIn, id: &str) -> Result<Option<Account>, Refusal> {
        let bots = self.bots(&own.account).await?;
        Ok(bots.into_iter().find(|bot| bot.member.as_str() == id))
    }

    /// Changes the name of a bot of the account, as often as a person may change theirs. Its sockets come
    /// again with it.
    ///
    /// # Errors
    /// If the account has no such bot, the name is not accepted or taken, or was changed lately, a key must be
    /// shown first, or the storage fails.
    pub(crate) async fn rename_bot(
        &self,
        own: &SignedIn,
        id: &str,
        name: &str,
    ) -> Result<Account, Refusal> {
        let name = account_name(name)?;
        let bot = self.bot(own, id).await?;
        self.may_be_renamed(&bot)?;
        self.is_proved(own)?;
        self.set_name(&bot, &name).await
    }

    /// Deletes a bot of the account, and ends its tokens. One that is gone is no error.
    ///
    /// # Errors
    /// If a key must be shown first, or the storage fails.
    pub(crate) async fn delete_bot(&self, own: &SignedIn, id: &str) -> Result<(), Refusal> {
        self.is_proved(own)?;
        if let Some(bot) = self.find_bot(own, id).await? {
            self.change(&bot.member, AccountStep::Delete, Reason::SignedOut).await?;
            self.end_bots(&[bot]);
        }
        Ok(())
    }

    /// Ends the sockets of these bots at all nodes: their tokens have ended.
    pub(super) fn end_bots(&self, bots: &[Account]) {
        for bot in bots {
            self.end_sockets(&bot.member, Ended::Sessions(Sessions::All));
        }
    }
}
