//! Sessions that only watch, as boards on other sites do: they are nobody. No list has them, nobody can challenge them,
//! and nothing is read or stored for them.

use fivefold_shared::{
    protocol::{ApiToken, CommandId, Identity, Name, Refusal},
    room::Member,
};

use super::commands::{CommandResult, Commands};
use crate::{
    accounts::{guest_names::guest_name, identities::Authenticated},
    process::ids,
};

impl Commands {
    /// Lets a session in that only watches. It may not say who it is.
    pub(super) fn hello_to_watcher(
        &mut self,
        id: &CommandId,
        identity: Option<&Identity>,
        token: Option<&ApiToken>,
        name: Option<&Name>,
    ) -> CommandResult {
        if identity.is_some() || token.is_some() || name.is_some() {
            let detail = "a socket that only watches takes no identity, no token and no name";
            return Err(Refusal::malformed(detail).into());
        }
        // Nobody gets the key.
        let identity = ids::identity();
        let member = ids::member_id(&identity);
        let name = guest_name(&member);
        let nobody = Authenticated {
            member: Member::watching(member, name),
            hash: ids::identity_hash(&identity),
            account: None,
            owner: None,
            scopes: None,
            guests: Vec::new(),
        };
        let welcome = self.welcome(id, &nobody, None);
        self.identity = Some(nobody);
        Ok(Some(welcome))
    }
}
