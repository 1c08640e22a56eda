//! A device with passkeys, in a few lines: ES256 and the attestation `none` (WebAuthn, sections 6.1 and 8.7).

use ring::{
    digest::{SHA256, digest},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::{Value, json};

/// Somebody is there, and was verified.
const VERIFIED: u8 = 0b0000_0101;
/// The data has a new key.
const HAS_KEY: u8 = 0b0100_0000;

/// A passkey in a device.
pub(crate) struct SoftPasskey {
    id: Vec<u8>,
    user: String,
    keys: EcdsaKeyPair,
    counter: u32,
}

impl SoftPasskey {
    /// Makes a passkey for these options; returns it with the device's answer.
    pub(crate) fn create(options: &Value, origin: &str) -> (Self, Value) {
        let random = SystemRandom::new();
        let signing = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(signing, &random).unwrap();
        let keys = EcdsaKeyPair::from_pkcs8(signing, pkcs8.as_ref(), &random).unwrap();
        let options = &options["publicKey"];
        assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
        let id = digest(&SHA256, pkcs8.as_ref()).as_ref()[..20].to_vec();
        let user = options["user"]["id"].as_str().unwrap().to_owned();
        let passkey = Self { id, user, keys, counter: 1 };
        let mut data = passkey.data(options["rp"]["id"].as_str().unwrap(), VERIFIED | HAS_KEY);
        data.extend([0; 16]);
        data.extend([0, 20]);
        data.extend(&passkey.id);
        // The public key as COSE has it: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
        let (x, y) = passkey.keys.public_key().as_ref()[1..].split_at(32);
        data.extend([0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32]);
        data.extend(x);
        data.extend([0x22, 0x58, 32]);
        data.extend(y);
        // {"fmt": "none", "attStmt": {}, "authData": data}
        let mut attestation = vec![0xA3];
        for (name, value) in [("fmt", &b"\x64none"[..]), ("attStmt", b"\xA0"), ("authData", b"")] {
            attestation.push(0x60 | u8::try_from(name.len()).unwrap());
            attestation.extend(name.as_bytes());
            attestation.extend(value);
        }
        attestation.extend([0x58, u8::try_from(data.len()).unwrap()]);
        attestation.extend(data);
        let client = client_data("webauthn.create", options, origin);
        let response = json!({
            "attestationObject": base64(&attestation),
            "clientDataJSON": base64(client.as_bytes()),
        });
        let answer = passkey.answer(&response);
        (passkey, answer)
    }

    /// Answers a challenge.
    pub(crate) fn sign(&mut self, options: &Value, origin: &str) -> Value {
        self.counter += 1;
        let options = &options["publicKey"];
        let data = self.data(options["rpId"].as_str().unwrap(), VERIFIED);
        let client = client_data("webauthn.get", options, origin);
        let mut signed = data.clone();
        signed.extend(digest(&SHA256, client.as_bytes()).as_ref());
        let signature = self.keys.sign(&SystemRandom::new(), &signed).unwrap();
        self.answer(&json!({
            "authenticatorData": base64(&data),
            "clientDataJSON": base64(client.as_bytes()),
            "signature": base64(signature.as_ref()),
            "userHandle": self.user,
        }))
    }

    fn data(&self, domain: &str, flags: u8) -> Vec<u8> {
        let mut data = digest(&SHA256, domain.as_bytes()).as_ref().to_vec();
        data.push(flags);
        data.extend(self.counter.to_be_bytes());
        data
    }

    fn answer(&self, response: &Value) -> Value {
        let id = base64(&self.id);
        json!({
            "id": id, "rawId": id, "type": "public-key", "response": response, "extensions": {},
        })
    }
}

fn client_data(kind: &str, options: &Value, origin: &str) -> String {
    let challenge = &options["challenge"];
    json!({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false})
        .to_string()
}

/// Base64url without padding (RFC 4648, section 5).
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let all = part.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
        let all = all << (8 * (3 - part.len()));
        for place in 0..=part.len() {
            text.push(char::from(DIGITS[(all >> (18 - 6 * place)) as usize & 63]));
        }
    }
    text
}
