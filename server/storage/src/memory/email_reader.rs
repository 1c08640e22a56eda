//! Reading e-mail addresses in memory.

use fivefold_shared::protocol::MemberId;

use super::Memory;
use crate::{Call, Email, EmailReader, KeyHash, StorageError};

impl EmailReader for Memory {
    fn email(&mut self, member: &MemberId) -> Result<Option<Email>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.accounts.email(member).cloned())
    }

    fn email_named_with(&mut self, token: &KeyHash) -> Result<Option<MemberId>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.accounts.named_with(token))
    }
}
