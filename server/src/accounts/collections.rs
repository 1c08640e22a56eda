//! The accounts' collections of games.
//!
//! It does not read files: clients read them and send the games.

use std::{net::IpAddr, sync::Arc};

use fivefold_shared::{
    collection::{
        BATCH_GAMES_MAX, COLLECTION_PAGE_GAMES, CollectAnswer, Collection, CollectionPage,
        CollectionSettings, GamesToCollect, RefusedGame,
    },
    protocol::{CollectionId, MemberId, Reason, Refusal},
};
use fivefold_storage::{
    Account, CollectedGamesQuery, CollectionChange, CollectionChanged, CollectionStep,
    KnownCollection, Reader, StorageError, limits::COLLECTIONS_MAX,
};

use super::{Accounts, collected_batches::CheckedBatch};
use crate::{limits::accounts::SEARCHED_PLAYER_MAX, moderation::Moderation, process::ids};

impl Accounts {
    /// A member's collections, the most recently changed first.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) async fn collections(&self, own: MemberId) -> Result<Vec<Collection>, Refusal> {
        self.read(move |reader| reader.collections(&own)).await
    }

    /// Makes a collection.
    ///
    /// # Errors
    /// If the account has too many, collections are turned off, or the storage fails.
    pub(crate) async fn make_collection(
        &self,
        own: &Account,
        settings: CollectionSettings,
    ) -> Result<Collection, Refusal> {
        self.check_collections_are_on()?;
        let (id, at) = (ids::collection_id(), self.clock.now());
        let step = CollectionStep::Make(settings.clone());
        let change = CollectionChange { member: own.member.clone(), at, id: id.clone(), step };
        match self.change_collection(change).await? {
            CollectionChanged::Done => {
                let CollectionSettings { name, shared } = settings;
                Ok(Collection { id, name, shared, games: 0, changed_at: at, owner: None })
            }
            CollectionChanged::Full => {
                Err(Refusal::at_most(Reason::TooManyCollections, COLLECTIONS_MAX))
            }
            CollectionChanged::Gone
            | CollectionChanged::NoGame
            | CollectionChanged::Added { .. } => Err(Reason::SignedOut.into()),
        }
    }

    /// Changes the name of a collection, and whether it is shared.
    ///
    /// # Errors
    /// If the member has no such collection, or the storage fails.
    pub(crate) async fn set_collection(
        &self,
        own: &Account,
        id: CollectionId,
        settings: CollectionSettings,
    ) -> Result<(), Refusal> {
        self.change_own(own, id, CollectionStep::Set(settings)).await
    }

    /// Deletes a collection.
    ///
    /// # Errors
    /// If the member has no such collection, or the storage fails.
    pub(crate) async fn delete_collection(
        &self,
        own: &Account,
        id: CollectionId,
    ) -> Result<(), Refusal> {
        self.change_own(own, id, CollectionStep::Delete).await
    }

    /// Deletes a game of a collection.
    ///
    /// # Errors
    /// If the member has no such collection, it has no such game, or the storage fails.
    pub(crate) async fn remove_collected_game(
        &self,
        own: &Account,
        id: CollectionId,
        number: u64,
    ) -> Result<(), Refusal> {
        self.change_own(own, id, CollectionStep::Remove(number)).await
    }

    /// Adds games to a collection, for somebody at this address. Batches are stored one at a time, so that a move waits
    /// for at most one of them.
    ///
    /// # Errors
    /// If the batch has no games or too many, too many batches wait, the member has no such collection or no room for
    /// any of the new games, or the storage fails.
    pub(crate) async fn collect(
        &self,
        own: &Account,
        address: IpAddr,
        id: CollectionId,
        GamesToCollect { games }: GamesToCollect,
    ) -> Result<CollectAnswer, Refusal> {
        if !(1..=BATCH_GAMES_MAX).contains(&games.len()) {
            return Err(Refusal::malformed(format!("a batch has 1 to {BATCH_GAMES_MAX} games")));
        }
        self.check_collections_are_on()?;
        let _turn = self.batches.turn(address).await?;
        let CheckedBatch { games, indexes, mut refused } = self.batches.checked(games).await?;
        let step = CollectionStep::Add { games, games_max: self.batches.games_max };
        let (member, at) = (own.member.clone(), self.clock.now());
        match self.change_collection(CollectionChange { member, at, id, step }).await? {
            CollectionChanged::Added { duplicates, left_out } => {
                let most = self.batches.games_max;
                refused.extend(left_out.iter().map(|&place| RefusedGame {
                    index: indexes[place],
                    text: format!("your collections can hold {most} games in all"),
                }));
                refused.sort_by_key(|game| game.index);
                Ok(CollectAnswer {
                    added: indexes.len() - duplicates.len() - left_out.len(),
                    duplicates: duplicates.into_iter().map(|place| indexes[place]).collect(),
                    refused,
                })
            }
            CollectionChanged::Full => Err(self.collections_are_full()),
            CollectionChanged::Gone | CollectionChanged::NoGame | CollectionChanged::Done => {
                Err(Reason::NoSuchCollection.into())
            }
        }
    }

    /// Games of a collection that this member may see: their own, or a shared one. While its owner is muted or their
    /// account is closed, nobody else sees it, because the owner chose its name and the names in its games.
    ///
    /// # Errors
    /// If they can see no such collection, the name to search for is too long, or the storage fails.
    pub(crate) async fn collection_page(
        &self,
        asker: Option<MemberId>,
        id: CollectionId,
        after: u64,
        player: Option<String>,
    ) -> Result<CollectionPage, Refusal> {
        if player.as_ref().is_some_and(|text| text.chars().count() > SEARCHED_PLAYER_MAX) {
            let problem = format!("`player` may have at most {SEARCHED_PLAYER_MAX} characters");
            return Err(Refusal::malformed(problem));
        }
        let player = player.filter(|text| !text.trim().is_empty());
        let moderation = Arc::clone(&self.moderation);
        let page = self.read(move |reader| {
            let Some(collection) = visible(reader, &moderation, asker.as_ref(), &id)? else {
                return Ok(None);
            };
            let query = CollectedGamesQuery { id, after, player, max: COLLECTION_PAGE_GAMES };
            let found = reader.collected_games(&query)?;
            Ok(Some(CollectionPage { collection, games: found.games, next: found.next }))
        });
        page.await?.ok_or_else(|| Reason::NoSuchCollection.into())
    }

    /// A collection as people without an account see it.
    ///
    /// # Errors
    /// If they can see no such collection, or the storage fails.
    pub(crate) async fn shared_collection(&self, id: CollectionId) -> Result<Collection, Refusal> {
        let moderation = Arc::clone(&self.moderation);
        let found = self.read(move |reader| visible(reader, &moderation, None, &id)).await?;
        found.ok_or_else(|| Reason::NoSuchCollection.into())
    }

    async fn change_own(
        &self,
        own: &Account,
        id: CollectionId,
        step: CollectionStep,
    ) -> Result<(), Refusal> {
        let (member, at) = (own.member.clone(), self.clock.now());
        match self.change_collection(CollectionChange { member, at, id, step }).await? {
            CollectionChanged::Done | CollectionChanged::Added { .. } => Ok(()),
            CollectionChanged::NoGame => Err(Reason::NoSuchGame.into()),
            CollectionChanged::Gone | CollectionChanged::Full => {
                Err(Reason::NoSuchCollection.into())
            }
        }
    }

    async fn change_collection(
        &self,
        change: CollectionChange,
    ) -> Result<CollectionChanged, Refusal> {
        // A change may be requested twice. Share it, because a batch is long.
        let change = Arc::new(change);
        let changed =
            self.log_writer.settle(|permit| permit.change_collection(Arc::clone(&change)));
        changed.await.map_err(|error| {
            tracing::warn!(%error, "cannot change a collection");
            Refusal::new(Reason::Unavailable)
        })
    }

    /// # Errors
    /// If the operator has turned collections off.
    fn check_collections_are_on(&self) -> Result<(), Refusal> {
        if self.batches.games_max == 0 { Err(self.collections_are_full()) } else { Ok(()) }
    }

    fn collections_are_full(&self) -> Refusal {
        let most = usize::try_from(self.batches.games_max).unwrap_or(usize::MAX);
        Refusal::at_most(Reason::CollectionFull, most)
    }
}

/// A collection that this member may see; others than the owner see the owner's name.
fn visible(
    reader: &mut Reader,
    moderation: &Moderation,
    asker: Option<&MemberId>,
    id: &CollectionId,
) -> Result<Option<Collection>, StorageError> {
    let Some(KnownCollection { member, owner, mut collection }) = reader.collection(id)? else {
        return Ok(None);
    };
    if asker != Some(&member) {
        let may_show =
            moderation.may_chat(&member).is_ok() && moderation.may_sign_in(&member).is_ok();
        if !collection.shared || !may_show {
            return Ok(None);
        }
        collection.owner = Some(owner);
    }
    Ok(Some(collection))
}
