//! The subscribed browsers of accounts, and the settings of their pushes.

use fivefold_shared::protocol::{MemberId, Reason, Refusal, RoomCode};
use fivefold_storage::{
    PushChange, PushChanged, PushGame, PushMember, PushSettings, PushState, PushSubscription,
    Reader,
};

use super::{Accounts, SignedIn};
use crate::{
    limits::pushes::PUSHES_DUE_MAX,
    online::pushes::{PushNews, next_reminder},
};

/// How often a seen turn is stored again, if a node changed the row at the same moment.
const SEEN_TRIES: usize = 3;

impl Accounts {
    /// The key for which browsers subscribe; absent while this server does not push.
    pub(crate) fn push_key(&self) -> Option<String> {
        self.pushes.public_key()
    }

    /// The browsers of an account, and what its member wants to be told.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) async fn push_member(&self, member: &MemberId) -> Result<PushMember, Refusal> {
        let member = member.clone();
        self.read(move |reader| reader.push_member(&member)).await
    }

    /// Subscribes a browser for a member. Beyond the limit it takes the place of the oldest one.
    ///
    /// # Errors
    /// If this server does not push, the session has ended, or the storage fails.
    pub(crate) async fn subscribe(
        &self,
        member: MemberId,
        subscription: PushSubscription,
    ) -> Result<(), Refusal> {
        if self.push_key().is_none() {
            return Err(Refusal::new(Reason::Unavailable));
        }
        let change = PushChange::Subscribe(member.clone(), subscription);
        match self.change_pushes(change).await? {
            PushChanged::Done => {
                // Some of their turns may be waiting already.
                self.pushes.note(PushNews::Times { member });
                Ok(())
            }
            PushChanged::Gone => Err(Refusal::new(Reason::SignedOut)),
        }
    }

    /// Ends the subscription of a browser. Nothing happens if there is none.
    ///
    /// # Errors
    /// If the storage fails.
    pub(crate) async fn unsubscribe(
        &self,
        own: &SignedIn,
        endpoint: String,
    ) -> Result<(), Refusal> {
        let change = PushChange::Unsubscribe(own.account.member.clone(), endpoint);
        self.change_pushes(change).await.map(drop)
    }

    /// Sets what a member wants to be told.
    ///
    /// # Errors
    /// If the account is gone, or the storage fails.
    pub(crate) async fn set_pushes(
        &self,
        own: &SignedIn,
        settings: PushSettings,
    ) -> Result<(), Refusal> {
        let change = PushChange::Set(own.account.member.clone(), settings);
        match self.change_pushes(change).await? {
            PushChanged::Done => {
                self.pushes.note(PushNews::Times { member: own.account.member.clone() });
                Ok(())
            }
            PushChanged::Gone => Err(Refusal::new(Reason::SignedOut)),
        }
    }

    /// Notes that a member sees their turn in this room. They then get reminders, but no push for the turn, even if the
    /// news of it comes late or is lost. Does nothing if it is not their turn there, or nothing can reach them.
    ///
    /// # Errors
    /// If the storage fails.
    pub(crate) async fn see_turn(&self, own: &SignedIn, room: &RoomCode) -> Result<(), Refusal> {
        for _ in 0..SEEN_TRIES {
            let known = self.push_member(&own.account.member).await?;
            let seen = |game: &PushGame| {
                let due = next_reminder(&known, game.since, self.clock.now(), game.turn.flag_at);
                PushGame { state: PushState::Seen, due, ..game.clone() }
            };
            let change = match known.games.iter().find(|game| game.room == *room) {
                Some(game) if game.state == PushState::Seen => break,
                Some(game) => PushChange::Take(seen(game), game.due),
                None => match self.untold_turn(&own.account.member, room).await? {
                    Some(game) => PushChange::Wait(seen(&game)),
                    None => break,
                },
            };
            if self.change_pushes(change).await? == PushChanged::Done {
                break;
            }
        }
        Ok(())
    }

    /// A turn of a member in this room of which nothing is stored.
    async fn untold_turn(
        &self,
        member: &MemberId,
        room: &RoomCode,
    ) -> Result<Option<PushGame>, Refusal> {
        let member = member.clone();
        let read = move |reader: &mut Reader| reader.untold_turns(Some(&member), PUSHES_DUE_MAX);
        Ok(self.read(read).await?.into_iter().find(|game| game.room == *room))
    }

    async fn change_pushes(&self, change: PushChange) -> Result<PushChanged, Refusal> {
        let changed = self.log_writer.settle(|permit| permit.change_pushes(change.clone()));
        changed.await.map_err(|error| {
            tracing::warn!(%error, "a subscription for pushes is not changed");
            Refusal::new(Reason::Unavailable)
        })
    }
}
