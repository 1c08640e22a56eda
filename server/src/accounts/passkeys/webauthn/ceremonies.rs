//! Passkeys by the crate `webauthn-rs`.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use webauthn_rs::prelude::{
    DiscoverableAuthentication, Passkey, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, Url, Uuid, Webauthn, WebauthnBuilder,
};

use super::{Ceremony, Holder, WrongAnswer, domain};
use crate::{
    limits::accounts::{CHALLENGE_KEPT, PASSKEY_ID_MAX},
    net::public_url::PublicUrl,
};

/// Asks devices for passkeys of one domain, and checks their answers.
#[derive(Debug)]
pub(crate) struct RelyingParty {
    webauthn: Webauthn,
    domain: String,
}

impl RelyingParty {
    /// The relying party of a server; none if passkeys do not work at its address.
    pub(crate) fn new(url: Option<&PublicUrl>) -> Option<Self> {
        let domain = domain(url)?.to_owned();
        let origin = url.map_or_else(|| "http://localhost".to_owned(), ToString::to_string);
        let origin = Url::parse(&origin).ok()?;
        let builder = WebauthnBuilder::new(&domain, &origin).ok()?;
        // Without `--public-url` the port of the pages is unknown.
        let builder = builder.rp_name("Fivefold").allow_any_port(url.is_none());
        let webauthn = builder.timeout(CHALLENGE_KEPT).build().ok()?;
        Some(Self { webauthn, domain })
    }

    pub(crate) fn domain(&self) -> &str {
        &self.domain
    }

    /// Asks for a new passkey, which the device finds by itself at the next sign-in.
    ///
    /// # Errors
    /// If the holder has no name.
    pub(crate) fn register(&self, holder: &Holder<'_>) -> Result<Ceremony, WrongAnswer> {
        let user = Uuid::from_bytes(holder.user);
        let held = holder.held.iter().map(|passkey| passkey.id.clone()).collect();
        let started =
            self.webauthn.start_passkey_registration(user, holder.name, holder.name, Some(held));
        let (options, state) = started.map_err(wrong)?;
        let mut options = json(&options)?;
        let selection = &mut options["publicKey"]["authenticatorSelection"];
        selection["residentKey"] = "required".into();
        selection["requireResidentKey"] = true.into();
        Ok(Ceremony { options, state: text(&state)? })
    }

    /// The id and the public key of a new passkey.
    ///
    /// # Errors
    /// If the answer does not fit the question.
    pub(crate) fn registered(
        &self,
        state: &str,
        answer: Value,
    ) -> Result<(Vec<u8>, String), WrongAnswer> {
        let state: PasskeyRegistration = parse(state)?;
        let answer: RegisterPublicKeyCredential = serde_json::from_value(answer).map_err(wrong)?;
        let passkey = self.webauthn.finish_passkey_registration(&answer, &state).map_err(wrong)?;
        let id = passkey.cred_id().clone();
        if id.is_empty() || id.len() > PASSKEY_ID_MAX {
            return Err(WrongAnswer);
        }
        Ok((id, text(&passkey)?))
    }

    /// Asks for any passkey of this domain.
    ///
    /// # Errors
    /// If no challenge can be made.
    pub(crate) fn authenticate(&self) -> Result<Ceremony, WrongAnswer> {
        let (options, state) = self.webauthn.start_discoverable_authentication().map_err(wrong)?;
        Ok(Ceremony { options: json(&options)?, state: text(&state)? })
    }

    /// The id of the passkey that answers.
    ///
    /// # Errors
    /// If it is no answer.
    pub(crate) fn id_in(answer: &Value) -> Result<Vec<u8>, WrongAnswer> {
        let answer: PublicKeyCredential = serde_json::from_value(answer.clone()).map_err(wrong)?;
        Ok(answer.get_credential_id().to_vec())
    }

    /// Checks the answer of a passkey; returns the public key with its new counter.
    ///
    /// # Errors
    /// If the answer does not fit the question or the key.
    pub(crate) fn authenticated(
        &self,
        state: &str,
        answer: Value,
        credential: &str,
    ) -> Result<String, WrongAnswer> {
        let state: DiscoverableAuthentication = parse(state)?;
        let answer: PublicKeyCredential = serde_json::from_value(answer).map_err(wrong)?;
        let mut passkey: Passkey = parse(credential)?;
        let checked = self.webauthn.finish_discoverable_authentication_v2(&answer, state, &passkey);
        passkey.update_credential(&checked.map_err(wrong)?);
        text(&passkey)
    }
}

fn wrong(error: impl std::error::Error) -> WrongAnswer {
    tracing::debug!(%error, "a passkey is refused");
    WrongAnswer
}

fn json(value: &impl Serialize) -> Result<Value, WrongAnswer> {
    serde_json::to_value(value).map_err(wrong)
}

fn text(value: &impl Serialize) -> Result<String, WrongAnswer> {
    serde_json::to_string(value).map_err(wrong)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, WrongAnswer> {
    serde_json::from_str(text).map_err(wrong)
}
