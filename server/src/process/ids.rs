//! Ids, hashes and seeds that nobody may guess, from the operating system's random source.

use std::net::IpAddr;

use fivefold_shared::{
    protocol::{
        ApiToken, COLLECTION_ID_LENGTH, CollectionId, CommandId, IDENTITY_LENGTH, Identity,
        MEMBER_ID_LENGTH, MemberId, ROOM_CODE_LENGTH, RoomCode, SEEK_ID_LENGTH, SeekId, letters,
    },
    room::RoomSeeds,
};
use fivefold_storage::{CASE_ID_LENGTH, CaseId, IdentityHash, KeyHash, OIDC_KEY_PREFIX};
use rand::{TryRng, rngs::SysRng};
use sha2::{Digest, Sha256};

use crate::limits::accounts::{DEVICE_CODE_LENGTH, RECOVERY_CODE_LENGTH};

/// Creates a new identity.
pub(crate) fn identity() -> Identity {
    let secret = hex(&bytes::<{ IDENTITY_LENGTH / 2 }>());
    Identity::try_from(secret).expect("hexadecimal digits, as many as it takes")
}

/// The public id of an identity. It does not reveal the identity, and needs no storage.
pub(crate) fn member_id(identity: &Identity) -> MemberId {
    let digest =
        Sha256::new().chain_update("fivefold member").chain_update(identity.as_str()).finalize();
    let id = hex(&digest[..MEMBER_ID_LENGTH / 2]);
    MemberId::try_from(id).expect("hexadecimal digits, as many as it takes")
}

/// The stored hash of an identity: longer than the public id, and not derived from it.
pub(crate) fn identity_hash(identity: &Identity) -> IdentityHash {
    let hash = Sha256::new().chain_update("fivefold identity").chain_update(identity.as_str());
    IdentityHash(hash.finalize().into())
}

/// A new id for a member who was no guest. It belongs to an identity that nobody has.
pub(crate) fn new_member_id() -> MemberId {
    member_id(&identity())
}

/// The hash in the row of a member who has an account. It belongs to no identity.
pub(crate) fn locked_hash() -> IdentityHash {
    IdentityHash(bytes())
}

/// The secret of a new session of an account.
pub(crate) fn session_secret() -> String {
    hex(&bytes::<32>())
}

/// The stored hash of such a secret.
pub(crate) fn session_hash(secret: &str) -> KeyHash {
    key_hash("fivefold session", secret)
}

/// Proves that an account, by the secret hash of its row, was opened on the device with this secret.
pub(crate) fn account_on_device(account: IdentityHash, device: &str) -> String {
    let proof = Sha256::new().chain_update("fivefold device").chain_update(account.0);
    hex(&proof.chain_update(device).finalize())
}

/// A digest of a device by its secret.
pub(crate) fn device_mark(secret: &str) -> u64 {
    mark("fivefold device mark", secret.as_bytes())
}

/// A digest of an address.
pub(crate) fn address_mark(address: IpAddr) -> u64 {
    mark("fivefold address mark", address.to_string().as_bytes())
}

/// Of 63 bits: databases have no greater numbers.
fn mark(purpose: &str, bytes: &[u8]) -> u64 {
    let digest: [u8; 32] =
        Sha256::new().chain_update(purpose).chain_update(bytes).finalize().into();
    digest[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte)) >> 1
}

/// A new recovery code of an account.
pub(crate) fn recovery_code() -> String {
    letters(RECOVERY_CODE_LENGTH, bytes)
}

/// The stored hash of a recovery code. Spaces, hyphens and letter case do not matter.
pub(crate) fn recovery_hash(code: &str) -> KeyHash {
    key_hash("fivefold recovery", &plain(code))
}

/// A new id of an e-mail.
pub(crate) fn mail_id() -> String {
    recovery_code()
}

/// A new secret that confirms an e-mail address.
pub(crate) fn email_secret() -> String {
    recovery_code()
}

/// The stored hash of such a secret.
pub(crate) fn email_hash(secret: &str) -> KeyHash {
    key_hash("fivefold email", secret)
}

/// A new secret for the link that makes the first operator.
pub(crate) fn operator_token() -> String {
    hex(&bytes::<16>())
}

/// The key of such a secret.
pub(crate) fn operator_hash(token: &str) -> KeyHash {
    key_hash("fivefold operator", token)
}

/// A new code for another device, which nobody can guess: of a link, or of a device itself.
pub(crate) fn device_code() -> String {
    recovery_code()
}

/// The key of a device that waits for leave to sign in.
pub(crate) fn device_hash(code: &str) -> KeyHash {
    key_hash("fivefold device", code)
}

/// A new code that somebody types to let a device sign in.
pub(crate) fn user_code() -> String {
    letters(DEVICE_CODE_LENGTH, bytes)
}

/// The key of such a code. Spaces, hyphens and letter case do not matter.
pub(crate) fn user_code_hash(code: &str) -> KeyHash {
    key_hash("fivefold user code", &plain(code))
}

/// The key of a link that lets another device sign in.
pub(crate) fn link_hash(code: &str) -> KeyHash {
    key_hash("fivefold link", code)
}

/// A new id of a challenge for a passkey.
pub(crate) fn challenge_id() -> String {
    hex(&bytes::<16>())
}

/// The key of such a challenge.
pub(crate) fn challenge_hash(id: &str) -> KeyHash {
    key_hash("fivefold challenge", id)
}

/// The key of what is kept for a browser that signs in by another site, by a secret.
pub(crate) fn oidc_hash(secret: &str) -> KeyHash {
    key_hash("fivefold oidc", secret)
}

/// The id of the key that a person's account at a provider is. No device may have such an id.
pub(crate) fn oidc_key(issuer: &str, subject: &str) -> Vec<u8> {
    // An issuer has no spaces.
    let hash = key_hash("fivefold oidc key", &format!("{issuer} {subject}"));
    [OIDC_KEY_PREFIX, &hash.0[..]].concat()
}

/// A new token.
pub(crate) fn api_token() -> ApiToken {
    ApiToken::new(bytes::<32>)
}

/// The stored hash of a token.
pub(crate) fn token_hash(token: &str) -> KeyHash {
    key_hash("fivefold token", token)
}

/// What a device with a passkey calls the member. It does not reveal the public id.
pub(crate) fn passkey_user(member: &MemberId) -> [u8; 16] {
    let digest = Sha256::new().chain_update("fivefold passkey").chain_update(member.as_str());
    let mut user = [0; 16];
    user.copy_from_slice(&digest.finalize()[..16]);
    user
}

/// The public id of a passkey: the beginning of the hash of what its device calls it.
pub(crate) fn passkey_id(id: &[u8]) -> String {
    hex(&Sha256::new().chain_update("fivefold passkey id").chain_update(id).finalize()[..8])
}

/// A code as it was made, without what people add when they type it.
fn plain(code: &str) -> String {
    let letters = code.chars().filter(|c| !c.is_whitespace() && *c != '-');
    letters.flat_map(char::to_lowercase).collect()
}

fn key_hash(purpose: &str, secret: &str) -> KeyHash {
    KeyHash(Sha256::new().chain_update(purpose).chain_update(secret).finalize().into())
}

/// The public id of a session: the beginning of its hash. Its member names it by this id.
pub(crate) fn session_id(hash: KeyHash) -> String {
    hex(&hash.0[..8])
}

/// Makes equal passwords have different hashes.
pub(crate) fn salt() -> [u8; 16] {
    bytes()
}

/// A code for a new room.
pub(crate) fn room_code() -> RoomCode {
    RoomCode::try_from(letters(ROOM_CODE_LENGTH, bytes)).expect("letters of the alphabet, so many")
}

/// An id for a new seek, which nobody can guess.
pub(crate) fn seek_id() -> SeekId {
    SeekId::try_from(letters(SEEK_ID_LENGTH, bytes)).expect("letters of the alphabet, so many")
}

/// An id for a new collection. Nobody can guess it.
pub(crate) fn collection_id() -> CollectionId {
    CollectionId::try_from(letters(COLLECTION_ID_LENGTH, bytes))
        .expect("letters of the alphabet, so many")
}

/// An id for a new report or sanction, which nobody can guess.
pub(crate) fn case_id() -> CaseId {
    CaseId::try_from(letters(CASE_ID_LENGTH, bytes)).expect("letters of the alphabet, so many")
}

/// An id for a command that the server itself issues.
pub(crate) fn command_id() -> CommandId {
    CommandId::try_from(letters(ROOM_CODE_LENGTH, bytes)).expect("a few printable characters")
}

/// Random seeds for a room.
pub(crate) fn seeds() -> RoomSeeds {
    RoomSeeds { seed: u64::from_le_bytes(bytes()), secret: bytes() }
}

/// A fair coin flip.
pub(crate) fn coin() -> bool {
    bytes::<1>()[0] & 1 == 1
}

fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SysRng
        .try_fill_bytes(&mut bytes)
        .expect("without the system's randomness no secret can be made");
    bytes
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use fivefold_shared::protocol::ROOM_CODE_ALPHABET;

    use super::*;

    #[test]
    fn members_are_known_by_the_same_id_every_time() {
        let secret = Identity::try_from("0f".repeat(32)).unwrap();
        let member = member_id(&secret);
        assert_eq!(member, member_id(&secret));
        assert_ne!(member, member_id(&identity()));
        assert!(!secret.as_str().contains(member.as_str()));
    }

    #[test]
    fn codes_use_the_whole_alphabet() {
        let codes: Vec<_> = (0..500).map(|_| room_code()).collect();
        for &letter in ROOM_CODE_ALPHABET {
            let letter = char::from(letter);
            assert!(codes.iter().any(|code| code.as_str().contains(letter)), "{letter}");
        }
    }
}
