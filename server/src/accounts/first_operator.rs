//! How a member becomes the first operator, by the token of a link that a start without any operator prints.

use std::net::IpAddr;

use fivefold_shared::protocol::{Reason, Refusal};
use fivefold_storage::{Account, KeyHash, ModerationChange};
use tokio::time::Instant;

use super::Accounts;
use crate::{cluster::frame::Question, process::ids};

impl Accounts {
    /// Makes a member the first operator, by the token of a link. The node that has printed the link knows the token,
    /// so the others are asked, too.
    ///
    /// # Errors
    /// If the token is wrong or too old, somebody is an operator, the address has tried too often, or it cannot be
    /// stored.
    pub(crate) async fn become_first_operator(
        &self,
        account: &Account,
        token: &str,
        address: IpAddr,
    ) -> Result<(), Refusal> {
        self.tries.first_operator(address, Instant::now())?;
        if !self.opens_link(ids::operator_hash(token)).await {
            return Err(Refusal::new(Reason::WrongOperatorLink));
        }
        let (member, since) = (account.member.clone(), self.clock.now());
        let change = ModerationChange::FirstOperator { member, since };
        match self.moderation.change(change, Reason::ServerFull).await {
            Err(refusal) if refusal.reason == Reason::NoSuchCase => {
                // There is an operator already, of whom this node has not learned.
                self.moderation.refresh().await;
                Err(Refusal::new(Reason::WrongOperatorLink))
            }
            made => made,
        }
    }

    /// Whether a link with a token of this hash is valid at any node.
    async fn opens_link(&self, hash: KeyHash) -> bool {
        if self.moderation.operation().link.opens(hash) {
            return true;
        }
        let Some(cluster) = &self.cluster else { return false };
        cluster.ask_all::<bool>(&Question::OperatorLink { hash }).await.contains(&true)
    }
}
