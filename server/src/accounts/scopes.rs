//! What the token of a session allows. It does not know tokens.

use fivefold_shared::protocol::{Needed, Reason, Refusal, RefusalValues, Request, Scope};

/// What a token allows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Scopes(pub(super) Vec<Scope>);

impl Scopes {
    /// Whether they allow this.
    ///
    /// # Errors
    /// If the scope is missing.
    pub(crate) fn check(&self, scope: Scope) -> Result<(), Refusal> {
        if self.0.contains(&scope) { Ok(()) } else { Err(out_of_scope(Some(scope))) }
    }

    /// Whether they allow this and nothing else: such a token may be in an address.
    ///
    /// # Errors
    /// If the scope is missing, or there is another.
    pub(crate) fn check_only(&self, scope: Scope) -> Result<(), Refusal> {
        if self.0 == [scope] { Ok(()) } else { Err(out_of_scope(Some(scope))) }
    }

    /// Whether they allow a request.
    ///
    /// # Errors
    /// If no scope allows it, or the one that does is missing.
    pub(crate) fn check_request(&self, request: &Request) -> Result<(), Refusal> {
        match Needed::by(request) {
            Needed::Nothing => Ok(()),
            Needed::OneOf(scopes) if scopes.iter().any(|scope| self.0.contains(scope)) => Ok(()),
            Needed::OneOf(scopes) => Err(out_of_scope(scopes.first().copied())),
            Needed::NoToken => Err(out_of_scope(None)),
        }
    }
}

/// The refusal for want of a scope, or because no scope is enough.
fn out_of_scope(scope: Option<Scope>) -> Refusal {
    Refusal::with(Reason::TokenScope, RefusalValues { scope, ..RefusalValues::default() })
}
