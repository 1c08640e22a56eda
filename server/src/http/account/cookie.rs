//! The cookie of a session of an account. Over an encrypted connection its name has the prefix with
//! which browsers take it from no other host and over no other connection.

use axum::http::{HeaderMap, HeaderValue, header::COOKIE};
use fivefold_storage::KeyHash;

use crate::{
    accounts::device_key::DeviceKey,
    limits::accounts::{CHALLENGE_KEPT, SESSION_AGE_MAX},
    process::ids,
};

const PLAIN: &str = "fivefold";
const ENCRYPTED: &str = "__Host-fivefold";

/// The secret of a browser that signs in by another site.
const PLAIN_OIDC: &str = "fivefold-oidc";
const ENCRYPTED_OIDC: &str = "__Host-fivefold-oidc";

/// What a browser keeps when its session of an account ends.
const PLAIN_DEVICE: &str = "fivefold-device";
const ENCRYPTED_DEVICE: &str = "__Host-fivefold-device";

/// The session in the cookie of a request, which may have ended.
pub(in crate::http) fn session(headers: &HeaderMap, is_encrypted: bool) -> Option<KeyHash> {
    let encrypted = if is_encrypted { named(headers, ENCRYPTED) } else { None };
    Some(ids::session_hash(encrypted.or_else(|| named(headers, PLAIN))?))
}

/// The secret of a session that began before the connection was known to be encrypted. The browser gets
/// it again in the cookie of encrypted connections.
pub(super) fn to_replace(headers: &HeaderMap, is_encrypted: bool) -> Option<&str> {
    if !is_encrypted || named(headers, ENCRYPTED).is_some() {
        return None;
    }
    named(headers, PLAIN).filter(|secret| secret.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// The secret of a browser that was sent to another site.
pub(super) fn oidc_browser(headers: &HeaderMap, is_encrypted: bool) -> Option<&str> {
    named(headers, if is_encrypted { ENCRYPTED_OIDC } else { PLAIN_OIDC })
}

/// The key of a browser in which somebody has signed in before.
pub(in crate::http) fn device(headers: &HeaderMap, is_encrypted: bool) -> Option<DeviceKey> {
    named(headers, if is_encrypted { ENCRYPTED_DEVICE } else { PLAIN_DEVICE })
        .and_then(DeviceKey::of)
}

fn named<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    let (_, secret) = pairs.find(|(key, _)| key.trim() == name)?;
    Some(secret.trim())
}

/// The header by which a browser is known when it comes back from another site. The site's page leads back,
/// and `Lax` cookies come with that.
pub(super) fn of_oidc(secret: &str, is_encrypted: bool) -> HeaderValue {
    let (name, secure) = if is_encrypted { (ENCRYPTED_OIDC, "; Secure") } else { (PLAIN_OIDC, "") };
    let age = 2 * CHALLENGE_KEPT.as_secs();
    let text = format!("{name}={secret}; HttpOnly; SameSite=Lax; Path=/; Max-Age={age}{secure}");
    let mut header = HeaderValue::try_from(text).expect("ASCII letters and digits");
    header.set_sensitive(true);
    header
}

/// The header that gives a browser its key, so that the server recognises it at the next sign-in.
pub(super) fn of_device(key: &DeviceKey, is_encrypted: bool) -> HeaderValue {
    let (name, secure) =
        if is_encrypted { (ENCRYPTED_DEVICE, "; Secure") } else { (PLAIN_DEVICE, "") };
    let age = SESSION_AGE_MAX.as_secs();
    let key = key.cookie();
    let text = format!("{name}={key}; HttpOnly; SameSite=Strict; Path=/; Max-Age={age}{secure}");
    let mut header = HeaderValue::try_from(text).expect("ASCII letters, digits and a dot");
    header.set_sensitive(true);
    header
}

/// The header that gives a browser the cookie.
pub(super) fn given(secret: &str, is_encrypted: bool) -> HeaderValue {
    let (name, secure) = if is_encrypted { (ENCRYPTED, "; Secure") } else { (PLAIN, "") };
    let age = SESSION_AGE_MAX.as_secs();
    let text = format!("{name}={secret}; HttpOnly; SameSite=Lax; Path=/; Max-Age={age}{secure}");
    let mut header = HeaderValue::try_from(text).expect("ASCII letters and digits");
    header.set_sensitive(true);
    header
}

/// The headers that take both cookies from a browser.
pub(super) fn taken() -> [HeaderValue; 2] {
    let encrypted = "__Host-fivefold=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0; Secure";
    [plain_taken(), HeaderValue::from_static(encrypted)]
}

/// The header that takes the cookie of unencrypted connections from a browser.
pub(super) fn plain_taken() -> HeaderValue {
    HeaderValue::from_static("fivefold=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_found_among_others_by_the_name_of_its_connection() {
        let secret = "ab".repeat(32);
        let own = Some(ids::session_hash(&secret));
        let cases: [(&[&str], bool, Option<KeyHash>); 9] = [
            (&[], false, None),
            (&["fivefold=SECRET"], false, own),
            // From before the server was behind a proxy that encrypts.
            (&["fivefold=SECRET"], true, own),
            (&["fivefold=other", "__Host-fivefold=SECRET"], true, own),
            (&["__Host-fivefold=SECRET"], true, own),
            (&["__Host-fivefold=SECRET"], false, None),
            (&["a=b; fivefold=SECRET; c=d"], false, own),
            (&["a=b", "fivefold=SECRET"], false, own),
            (&["notfivefold=SECRET; fivefold"], false, None),
        ];
        for (lines, is_encrypted, expected) in cases {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(COOKIE, line.replace("SECRET", &secret).parse().unwrap());
            }
            assert_eq!(session(&headers, is_encrypted), expected, "{lines:?} {is_encrypted}");
        }
        assert_ne!(own, Some(ids::session_hash("")));
    }

    #[test]
    fn scripts_and_other_sites_do_not_get_the_cookie() {
        let given = |is_encrypted| given("5ec7e7", is_encrypted).to_str().unwrap().to_owned();
        assert_eq!(
            given(false),
            "fivefold=5ec7e7; HttpOnly; SameSite=Lax; Path=/; Max-Age=31536000"
        );
        assert_eq!(
            given(true),
            "__Host-fivefold=5ec7e7; HttpOnly; SameSite=Lax; Path=/; Max-Age=31536000; Secure"
        );
    }
}
