//! The commands of a session that the pairing answers.

use fivefold_shared::protocol::CommandId;

use super::{
    close_reason::CloseReason,
    commands::{CommandResult, Commands},
};
use crate::{
    identities::Authenticated,
    pairing_task::{PairingCommand, PairingRequest},
};

impl Commands {
    /// Passes a command on to the pairing, which answers it.
    pub(super) fn pass_to_pairing(
        &self,
        Authenticated { member, .. }: Authenticated,
        id: &CommandId,
        kind: &'static str,
        request: PairingRequest,
    ) -> CommandResult {
        let makes_game = match &request {
            PairingRequest::Seek { .. }
            | PairingRequest::Challenge { .. }
            | PairingRequest::Accept { .. } => true,
            PairingRequest::Decline(_)
            | PairingRequest::Cancel(_)
            | PairingRequest::Watch
            | PairingRequest::Unwatch => false,
        };
        if makes_game && self.server.draining.is_cancelled() {
            return Err(CloseReason::RESTART.into());
        }
        self.server.pairing.send(PairingCommand {
            id: id.clone(),
            kind,
            member,
            session: self.id,
            address: self.address,
            outbox: self.outbox.clone(),
            request,
        })?;
        Ok(None)
    }
}
