//! Passkeys (WebAuthn): challenges for devices, and checking what devices answer.
//!
//! A passkey belongs to one domain, the relying party: that of `--public-url`, or `localhost`. This knows no
//! accounts and stores nothing; challenges and keys come in and go out as JSON.

#[cfg(feature = "passkeys")]
pub(crate) mod ceremonies;
#[cfg(not(feature = "passkeys"))]
mod none;

#[cfg(not(feature = "passkeys"))]
pub(crate) use self::none::RelyingParty;
#[cfg(feature = "passkeys")]
pub(crate) use crate::accounts::passkeys::webauthn::ceremonies::RelyingParty;

use std::net::IpAddr;

use fivefold_storage::Passkey;
use serde::Deserialize;
use serde_json::Value;

use crate::net::public_url::PublicUrl;

/// A question for a device, and what checks its answer.
pub(crate) struct Ceremony {
    /// For `navigator.credentials`, with bytes in base64url.
    pub(crate) options: Value,
    /// Kept by the server.
    pub(crate) state: String,
}

/// What a device has answered.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PasskeyAnswer {
    pub(crate) challenge: String,
    pub(crate) credential: Value,
    /// The name of a new passkey.
    #[serde(default)]
    pub(crate) label: Option<String>,
}

/// A member who gets a passkey.
#[derive(Clone, Debug)]
pub(crate) struct Holder<'a> {
    /// What the device calls them.
    pub(crate) user: [u8; 16],
    pub(crate) name: &'a str,
    /// The passkeys that they have already.
    pub(crate) held: &'a [Passkey],
}

/// A device has not answered as it should.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the answer of the device is not valid")]
pub(crate) struct WrongAnswer;

/// The domain of passkeys: no address made of numbers, and encrypted unless it is this machine.
fn domain(url: Option<&PublicUrl>) -> Option<&str> {
    let Some(url) = url else { return Some("localhost") };
    let (host, is_encrypted) = (url.origin().host(), url.origin().is_encrypted());
    let is_number = host.starts_with('[') || host.parse::<IpAddr>().is_ok();
    (!is_number && (is_encrypted || host == "localhost")).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_need_a_domain_that_is_encrypted_or_this_machine() {
        let cases = [
            (None, Some("localhost")),
            (Some("https://play.example:8443"), Some("play.example")),
            (Some("http://localhost:8080"), Some("localhost")),
            (Some("http://play.example"), None),
            (Some("https://192.0.2.1"), None),
            (Some("https://[2001:db8::1]"), None),
        ];
        for (url, expected) in cases {
            let url = url.map(|url| url.parse::<PublicUrl>().unwrap());
            assert_eq!(domain(url.as_ref()), expected, "{url:?}");
        }
    }
}
