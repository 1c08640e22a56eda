//! Reads collections in memory, and connects them with accounts.

use fivefold_shared::{
    collection::Collection,
    protocol::{CollectionId, MemberId},
};

use super::{Memory, Tables};
use crate::{
    Call, CollectedGames, CollectedGamesQuery, CollectionChange, CollectionChanged,
    CollectionsReader, KnownCollection, StorageError,
};

impl Tables {
    /// Changes a collection.
    pub(super) fn change_collection(&mut self, change: &CollectionChange) -> CollectionChanged {
        if !self.accounts.has_row(&change.member) {
            return CollectionChanged::Gone;
        }
        self.collections.change(change)
    }
}

impl CollectionsReader for Memory {
    fn collections(&mut self, member: &MemberId) -> Result<Vec<Collection>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.collections.of(member))
    }

    fn collection(&mut self, id: &CollectionId) -> Result<Option<KnownCollection>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let known = tables.collections.get(id);
        Ok(known.filter(|(member, _)| tables.accounts.is_there(member)).and_then(
            |(member, collection)| {
                let owner = tables.members.get(member)?.name.clone();
                Some(KnownCollection { member: member.clone(), owner, collection })
            },
        ))
    }

    fn collected_games(
        &mut self,
        query: &CollectedGamesQuery,
    ) -> Result<CollectedGames, StorageError> {
        Ok(self.tables_for(Call::Browse)?.collections.games(query))
    }
}
