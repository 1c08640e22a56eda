//! Encrypts messages so that only the browser can read them, and its push service cannot (RFC 8291, which uses the
//! encoding of RFC 8188).

use std::fmt;

use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral},
    error::Unspecified,
    hkdf::{HKDF_SHA256, KeyType, Salt},
    rand::{SecureRandom, SystemRandom},
};

/// Longest message, in bytes. Push services take at least 4,096 bytes (RFC 8030, section 7.2), encrypted and with the
/// head of 86 bytes.
pub const MESSAGE_MAX: usize = 4_096 - HEAD - 1 - 16;

/// Salt, record size, and the server's key with its length.
const HEAD: usize = 16 + 4 + 1 + POINT;
/// An uncompressed point of P-256.
const POINT: usize = 65;
const AUTH: usize = 16;
/// The size of a record. Each message is one, which may be shorter.
const RECORD: u32 = 4_096;
/// Ends the last record.
const LAST_RECORD: u8 = 2;

/// The keys of a browser that has subscribed.
#[derive(Clone, PartialEq, Eq)]
pub struct Browser {
    public_key: [u8; POINT],
    auth: [u8; AUTH],
}

impl fmt::Debug for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Browser(hidden)")
    }
}

/// Keys that no browser has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a browser has a public key of {POINT} bytes, a point of P-256, and a secret of {AUTH}")]
pub struct BrowserError;

impl Browser {
    /// A browser with this public key and this shared secret.
    ///
    /// # Errors
    /// If the key is no point of the curve, or a length is wrong.
    pub fn new(public_key: &[u8], auth: &[u8]) -> Result<Self, BrowserError> {
        let public_key = public_key.try_into().map_err(|_| BrowserError)?;
        let auth = auth.try_into().map_err(|_| BrowserError)?;
        let browser = Self { public_key, auth };
        // Only an agreement checks the point.
        browser.encrypt(b"", &SystemRandom::new()).map_err(|Unspecified| BrowserError)?;
        Ok(browser)
    }

    /// Encrypts a message of at most [`MESSAGE_MAX`] bytes.
    pub(crate) fn encrypt(
        &self,
        message: &[u8],
        random: &SystemRandom,
    ) -> Result<Vec<u8>, Unspecified> {
        if message.len() > MESSAGE_MAX {
            return Err(Unspecified);
        }
        let own = EphemeralPrivateKey::generate(&ECDH_P256, random)?;
        let own_public = own.compute_public_key()?;
        let mut salt = [0; 16];
        random.fill(&mut salt)?;
        let theirs = UnparsedPublicKey::new(&ECDH_P256, self.public_key);
        // RFC 8291, section 3.4.
        let info: [&[u8]; 3] = [b"WebPush: info\0", &self.public_key, own_public.as_ref()];
        let secret =
            agree_ephemeral(own, &theirs, |shared| derive::<32>(&self.auth, shared, &info))??;
        let key = derive::<16>(&salt, &secret, &[&b"Content-Encoding: aes128gcm\0"[..]])?;
        let nonce = derive::<NONCE_LEN>(&salt, &secret, &[&b"Content-Encoding: nonce\0"[..]])?;

        let mut record = message.to_vec();
        record.push(LAST_RECORD);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
        let nonce = Nonce::assume_unique_for_key(nonce);
        key.seal_in_place_append_tag(nonce, Aad::empty(), &mut record)?;

        let mut encrypted = Vec::with_capacity(HEAD + record.len());
        encrypted.extend(salt);
        encrypted.extend(RECORD.to_be_bytes());
        encrypted.push(u8::try_from(own_public.as_ref().len()).map_err(|_| Unspecified)?);
        encrypted.extend(own_public.as_ref());
        encrypted.extend(record);
        Ok(encrypted)
    }
}

/// So many bytes of HKDF with SHA-256 (RFC 5869).
fn derive<const LENGTH: usize>(
    salt: &[u8],
    secret: &[u8],
    info: &[&[u8]],
) -> Result<[u8; LENGTH], Unspecified> {
    struct Length(usize);
    impl KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }
    let mut derived = [0; LENGTH];
    let extracted = Salt::new(HKDF_SHA256, salt).extract(secret);
    extracted.expand(info, Length(LENGTH))?.fill(&mut derived)?;
    Ok(derived)
}
