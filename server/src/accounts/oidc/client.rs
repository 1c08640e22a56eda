//! Signing in by another site (OpenID Connect): sending browsers there, and checking what they bring back.
//!
//! It knows one provider, which the operator names, and no accounts. A person is the provider's issuer and
//! subject together; no e-mail address and no name is asked for or kept.

#[cfg(not(feature = "oidc"))]
mod none;
#[cfg(feature = "oidc")]
mod provider;

#[cfg(not(feature = "oidc"))]
pub(crate) use self::none::Provider;
#[cfg(feature = "oidc")]
pub(crate) use self::provider::Provider;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::net::{origin::Origin, public_url::PublicUrl};

/// The provider that the operator has named, and how this server is known there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OidcSettings {
    /// The provider.
    pub issuer: Issuer,
    /// The id that the provider has given this server.
    pub client: String,
    /// The secret that the provider has given this server, if it has.
    pub secret: Option<OidcSecret>,
    /// What the button on the page calls the provider.
    pub label: String,
    /// Where people find this server.
    pub public_url: PublicUrl,
}

impl OidcSettings {
    /// Where the provider sends browsers back to.
    pub fn return_address(&self) -> String {
        format!("{}/oidc", self.public_url)
    }
}

/// The address of a provider, as it names itself: `https://login.example/realm`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issuer {
    text: String,
    host: String,
}

/// The text is not such an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an issuer is https://HOST, with a path or not; http:// only at this machine")]
pub struct NoIssuer;

impl Issuer {
    /// The address, exactly as it was given: providers compare it letter by letter.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host's name.
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl fmt::Display for Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Issuer {
    type Err = NoIssuer;

    fn from_str(text: &str) -> Result<Self, NoIssuer> {
        let (scheme, rest) = text.split_once("://").ok_or(NoIssuer)?;
        let authority = rest.split('/').next().unwrap_or_default();
        let has_more = text.contains(['?', '#']) || text.chars().any(char::is_whitespace);
        let origin: Origin = format!("{scheme}://{authority}").parse().map_err(|_| NoIssuer)?;
        let is_here = matches!(origin.host(), "localhost" | "127.0.0.1" | "[::1]");
        if has_more || !(origin.is_encrypted() || is_here) {
            return Err(NoIssuer);
        }
        Ok(Self { text: text.to_owned(), host: origin.host().to_owned() })
    }
}

/// The secret of this server at the provider. `Debug` hides it, and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct OidcSecret(String);

impl From<String> for OidcSecret {
    fn from(text: String) -> Self {
        Self(text.trim().to_owned())
    }
}

impl fmt::Debug for OidcSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OidcSecret(hidden)")
    }
}

/// Where a browser goes to sign in, and what checks its answer. It holds secrets, so it has no `Debug`.
pub(crate) struct Begun {
    /// The provider's address, with the question.
    pub(crate) url: String,
    /// Comes back with the answer.
    pub(crate) state: String,
    pub(crate) checks: Checks,
}

/// What checks the answer. It has no `Debug`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Checks {
    /// Comes back in the provider's statement.
    nonce: String,
    /// Shows that the browser's code was asked for here (PKCE).
    verifier: String,
}

/// A person as a provider knows them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Subject {
    pub(crate) issuer: String,
    pub(crate) subject: String,
}

/// Why somebody is not signed in by the provider.
#[cfg_attr(not(feature = "oidc"), expect(dead_code, reason = "without a provider nothing fails"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum OidcError {
    #[error("the provider does not answer, or not as a provider does")]
    Unreachable,
    #[error("what the browser has brought back is not valid")]
    Wrong,
    #[error("the provider does not know this server as it is set up here")]
    Misconfigured,
    #[error("too many people sign in by the provider at this moment")]
    Busy,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issuers_are_encrypted_or_this_machine() {
        for (text, host) in [
            ("https://login.example", Some("login.example")),
            ("https://login.example/realms/club", Some("login.example")),
            ("https://login.example:8443/", Some("login.example")),
            ("http://127.0.0.1:9000/x", Some("127.0.0.1")),
            ("http://localhost", Some("localhost")),
            ("http://login.example", None),
            ("https://login.example/?a=b", None),
            ("https://login.example/#a", None),
            ("https://", None),
            ("login.example", None),
            ("ftp://login.example", None),
            ("https://login.example/a b", None),
        ] {
            let issuer = text.parse::<Issuer>().ok();
            assert_eq!(issuer.as_ref().map(Issuer::host), host, "{text}");
            assert!(issuer.is_none_or(|issuer| issuer.as_str() == text));
        }
    }

    #[test]
    fn the_secret_is_not_shown() {
        let secret: OidcSecret = "s3cret\n".to_owned().into();
        assert_eq!(
            (secret.0.as_str(), format!("{secret:?}")),
            ("s3cret", "OidcSecret(hidden)".to_owned())
        );
    }
}
