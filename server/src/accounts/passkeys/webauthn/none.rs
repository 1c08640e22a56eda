//! Stands for passkeys in a server that was built without them.

use serde_json::Value;

use super::{Ceremony, Holder, WrongAnswer, domain};
use crate::net::public_url::PublicUrl;

/// A relying party, of which there is none.
#[derive(Debug)]
pub(crate) enum RelyingParty {}

impl RelyingParty {
    /// None.
    pub(crate) fn new(url: Option<&PublicUrl>) -> Option<Self> {
        if domain(url).is_some() {
            tracing::debug!("this server was built without passkeys");
        }
        None
    }

    pub(crate) fn domain(&self) -> &str {
        match *self {}
    }

    pub(crate) fn register(&self, _: &Holder<'_>) -> Result<Ceremony, WrongAnswer> {
        match *self {}
    }

    pub(crate) fn registered(&self, _: &str, _: Value) -> Result<(Vec<u8>, String), WrongAnswer> {
        match *self {}
    }

    pub(crate) fn authenticate(&self) -> Result<Ceremony, WrongAnswer> {
        match *self {}
    }

    pub(crate) fn id_in(_: &Value) -> Result<Vec<u8>, WrongAnswer> {
        Err(WrongAnswer)
    }

    pub(crate) fn authenticated(&self, _: &str, _: Value, _: &str) -> Result<String, WrongAnswer> {
        match *self {}
    }
}
