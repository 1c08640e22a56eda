//! Tokens of accounts, by which programs speak for them within scopes.

use std::{iter, net::IpAddr};

use fivefold_shared::{
    clock::millis,
    protocol::{AccountNews, ApiToken as Secret, Reason, Refusal, Scope},
};
use fivefold_storage::{
    Account, AccountChanged, AccountStep, ApiToken, KeyHash, KeyStep, Sessions,
};

use super::{Accounts, Device, SignedIn, passkeys::label_of};
use crate::{
    accounts::scopes::Scopes,
    limits::accounts::{SESSION_SEEN_AGAIN_AFTER, TOKEN_KEPT, TOKEN_KEPT_MAX},
    online::logins::Ended,
    process::ids,
};

/// The account that a token speaks for.
#[derive(Clone, Debug)]
pub(crate) struct TokenHolder {
    pub(crate) account: Account,
    /// Of the token.
    pub(crate) hash: KeyHash,
    pub(crate) scopes: Scopes,
}

/// A token that somebody wants.
#[derive(Clone, Debug)]
pub(crate) struct NewToken {
    pub(crate) label: Option<String>,
    pub(crate) scopes: Vec<Scope>,
    /// How long it is valid, in milliseconds; a year if not given.
    pub(crate) for_ms: Option<u64>,
}

impl Accounts {
    /// The account for which a token speaks, if it is valid. Notes that it is used.
    ///
    /// # Errors
    /// If it is not valid, or the storage cannot be read.
    pub(crate) async fn of_token(
        &self,
        hash: KeyHash,
        address: IpAddr,
    ) -> Result<TokenHolder, Refusal> {
        let now = self.clock.now();
        let found =
            self.read_pool.read_patiently(move |reader| reader.account_of_token(hash)).await?;
        let valid =
            found.filter(|(account, token)| token.expires_at > now && account.deleted_at.is_none());
        let (account, token) = valid.ok_or_else(|| Refusal::new(Reason::WrongToken))?;
        // A bot does not outlive the account of its owner, which was closed or deleted.
        for answerable in iter::once(&account.member).chain(&account.owner) {
            self.moderation.may_sign_in(answerable)?;
        }
        self.tries.note_use(address, account.name.likeness().as_str());
        let is_stale = |at: u64| now.saturating_sub(at) >= millis(SESSION_SEEN_AGAIN_AFTER);
        if token.used_at.is_none_or(is_stale) {
            let step = AccountStep::Key(KeyStep::NoteToken(hash));
            // If the storage fails, it is noted the next time.
            if let Ok(AccountChanged::Gone) = self.try_change(&account.member, step).await {
                return Err(Refusal::new(Reason::WrongToken));
            }
        }
        Ok(TokenHolder { account, hash, scopes: Scopes(token.scopes) })
    }

    /// Makes a token of the account, or of a bot of theirs. It is shown once, and all sessions of the
    /// account learn of it.
    ///
    /// # Errors
    /// If a key must be shown first, no scope is wanted, there are too many, or the storage fails.
    pub(crate) async fn add_token(
        &self,
        own: &SignedIn,
        bot: Option<&Account>,
        NewToken { label, mut scopes, for_ms }: NewToken,
        device: &Device,
    ) -> Result<Secret, Refusal> {
        self.is_proved(own)?;
        if scopes.is_empty() {
            return Err(Refusal::malformed("a token needs a scope"));
        }
        scopes.sort_unstable();
        scopes.dedup();
        let secret = ids::api_token();
        let now = self.clock.now();
        let kept = for_ms.unwrap_or(millis(TOKEN_KEPT)).min(millis(TOKEN_KEPT_MAX));
        let label = label_of(label, &device.label);
        let token = ApiToken {
            hash: ids::token_hash(secret.as_str()),
            label: label.clone(),
            scopes,
            made_at: now,
            used_at: None,
            expires_at: now + kept,
        };
        let step = AccountStep::Key(KeyStep::AddToken(token));
        let (holder, label) = match bot {
            Some(bot) => (bot, format!("{}: {label}", bot.name)),
            None => (&own.account, label),
        };
        self.change(&holder.member, step, Reason::SignedOut).await?;
        self.tell(&own.account.member, AccountNews::TokenAdded, &label);
        Ok(secret)
    }

    /// Ends a token, and its sockets on all nodes. One that is gone is no error.
    ///
    /// # Errors
    /// If the storage fails.
    pub(crate) async fn end_token(&self, holder: &Account, id: &str) -> Result<(), Refusal> {
        let tokens = self.keys(holder).await?.tokens;
        let found = tokens.into_iter().find(|token| ids::session_id(token.hash) == id);
        let Some(ApiToken { hash, .. }) = found else { return Ok(()) };
        let step = AccountStep::Key(KeyStep::EndToken(hash));
        self.change(&holder.member, step, Reason::SignedOut).await?;
        self.end_sockets(&holder.member, Ended::Sessions(Sessions::One(hash)));
        Ok(())
    }
}
