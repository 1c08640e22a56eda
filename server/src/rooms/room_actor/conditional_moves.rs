//! Notes that the room knows what a player has planned: no event says so.

use fivefold_shared::room::Input;
use fivefold_storage::{AccountChange, AccountStep, ConditionalMovesStep};

use super::actor::Actor;

impl Actor {
    /// Notes it if the room learns it by this input. If that fails, the room is told again.
    pub(super) fn note_known_moves(&self, input: &Input) {
        let Input::ConditionalMoves { member, moves } = input else { return };
        let moves = moves.as_deref();
        let step = ConditionalMovesStep::Told {
            room: self.code().clone(),
            epoch: self.gate.epoch().0,
            moves: moves.map(|moves| serde_json::to_string(moves).expect("moves are plain data")),
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
