//! The key with which the server says who it is to push services (RFC 8292, "VAPID"), and its signed tokens.

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::json;

/// How long a token is valid, in seconds. Push services accept at most a day.
const TOKEN_VALID_S: u64 = 12 * 60 * 60;

/// The server's key.
pub struct ServerKey {
    pair: EcdsaKeyPair,
    random: SystemRandom,
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerKey(hidden)")
    }
}

/// The key cannot be made or read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the key for pushes is damaged")]
pub struct KeyError;

impl ServerKey {
    /// Makes a key, as PKCS #8, to be kept.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn make() -> Result<Vec<u8>, KeyError> {
        let made =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        Ok(made.map_err(|_| KeyError)?.as_ref().to_vec())
    }

    /// Reads a key that [`make`](Self::make) has made.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(key: &[u8]) -> Result<Self, KeyError> {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key, &random);
        Ok(Self { pair: pair.map_err(|_| KeyError)?, random })
    }

    /// The public half in base64url, as `applicationServerKey` of a browser takes it.
    pub fn public(&self) -> String {
        BASE64URL_NOPAD.encode(self.pair.public_key().as_ref())
    }

    /// The header `Authorization` of a push to a service, by its origin. `subject` is where its operator can reach
    /// ours: an `https:` or `mailto:` address. `now` is in seconds since the Unix epoch.
    pub(crate) fn authorization(
        &self,
        origin: &str,
        subject: &str,
        now: u64,
    ) -> Result<String, KeyError> {
        let head = json!({"typ": "JWT", "alg": "ES256"});
        let claims = json!({"aud": origin, "exp": now + TOKEN_VALID_S, "sub": subject});
        let part = |value: serde_json::Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
        let text = format!("{}.{}", part(head), part(claims));
        let signature = self.pair.sign(&self.random, text.as_bytes()).map_err(|_| KeyError)?;
        let signature = BASE64URL_NOPAD.encode(signature.as_ref());
        Ok(format!("vapid t={text}.{signature}, k={}", self.public()))
    }
}
