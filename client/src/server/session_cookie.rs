//! The cookie that speaks for an account: a secret, which a server gives at sign-in and reads again.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Most bytes of a cookie.
const BYTES_MAX: usize = 256;
/// How the server names its cookie; with `__Host-` before it where the connection is encrypted.
const NAME: &str = "fivefold";

/// A session's cookie, `name=value`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionCookie(String);

/// A text that is no session's cookie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it is no session's cookie")]
pub struct NoSessionCookie;

impl SessionCookie {
    /// The cookie that a `Set-Cookie` header sets. `None` for other cookies and for one that ends.
    pub fn set_by(header: &str) -> Option<Self> {
        let pair = header.split(';').next().unwrap_or_default().trim();
        Self::try_from(pair.to_owned()).ok()
    }

    /// What the `Cookie` header says.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SessionCookie {
    type Error = NoSessionCookie;

    fn try_from(text: String) -> Result<Self, NoSessionCookie> {
        let (name, value) = text.split_once('=').ok_or(NoSessionCookie)?;
        let named = name.strip_prefix("__Host-").unwrap_or(name) == NAME;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let valued = !value.is_empty() && value.bytes().all(plain);
        if named && valued && text.len() <= BYTES_MAX {
            Ok(Self(text))
        } else {
            Err(NoSessionCookie)
        }
    }
}

impl From<SessionCookie> for String {
    fn from(cookie: SessionCookie) -> Self {
        cookie.0
    }
}

impl fmt::Debug for SessionCookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionCookie(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_servers_cookie_is_kept() {
        let long = format!("fivefold={}; Path=/", "a".repeat(BYTES_MAX));
        let longest = format!("fivefold={}", "a".repeat(BYTES_MAX - 9));
        for (header, expected) in [
            ("fivefold=ab12; HttpOnly; Path=/", Some("fivefold=ab12")),
            ("__Host-fivefold=ab12; Secure", Some("__Host-fivefold=ab12")),
            (longest.as_str(), Some(longest.as_str())),
            (&long, None),
            ("fivefold=; Max-Age=0", None),
            ("other=ab12", None),
            ("fivefold=a\r\nb", None),
            ("fivefold", None),
            ("", None),
        ] {
            let cookie = SessionCookie::set_by(header);
            assert_eq!(cookie.as_ref().map(SessionCookie::as_str), expected, "{header}");
        }
    }

    #[test]
    fn it_is_not_printed() {
        let cookie = SessionCookie::set_by("fivefold=ab12").expect("a cookie");
        assert!(!format!("{cookie:?}").contains("ab12"));
    }
}
