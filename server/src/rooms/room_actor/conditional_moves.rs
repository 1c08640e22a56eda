//! Stores that the room knows what a player has planned, because no event says so.

use fivefold_shared::room::Input;
use fivefold_storage::{AccountChange, AccountStep, ConditionalMovesStep};

use super::actor::Actor;

impl Actor {
    /// If this input brings the room a plan, stores that the room has it. If storing fails, the room gets it again.
    pub(super) fn note_known_moves(&self, input: &Input) {
        let Input::ConditionalMoves { member, number, .. } = input else { return };
        let step = ConditionalMovesStep::Told {
            room: self.code().clone(),
            epoch: self.gate.epoch().0,
            number: *number,
        };
        let change = AccountChange {
            member: member.clone(),
            at: self.context.clock.now(),
            step: AccountStep::ConditionalMoves(step),
        };
        let writer = self.context.log_writer.clone();
        tokio::spawn(async move {
            let noted = writer.settle(|permit| permit.change_account(change.clone())).await;
            if let Err(error) = noted {
                tracing::debug!(%error, "cannot note what a room knows");
            }
        });
    }
}
