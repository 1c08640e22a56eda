//! Stands for the provider in a server that was built without signing in by other sites.

use super::{Begun, Checks, OidcError, OidcSettings, Subject};

/// A provider, of which there is none.
#[derive(Debug)]
pub(crate) enum Provider {}

impl Provider {
    /// None.
    pub(crate) fn new(settings: &OidcSettings) -> Option<Self> {
        tracing::warn!(
            issuer = settings.issuer.as_str(),
            "this server was built without the feature oidc"
        );
        None
    }

    pub(crate) fn label(&self) -> &str {
        match *self {}
    }

    pub(crate) async fn check(&self) {
        match *self {}
    }

    pub(crate) fn refused(&self, _: &str) -> OidcError {
        match *self {}
    }

    pub(crate) async fn begin(&self) -> Result<Begun, OidcError> {
        match *self {}
    }

    pub(crate) async fn finish(&self, _: String, _: Checks) -> Result<Subject, OidcError> {
        match *self {}
    }
}
