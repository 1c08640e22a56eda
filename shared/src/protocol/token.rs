//! Tokens, by which programs speak for an account, and what they allow. It does not know who has which.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a token begins with, so that people and scanners recognize it.
const PREFIX: &str = "ff_";
/// The characters of a token.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Random characters of a token: about 256 bits.
const SECRET_LENGTH: usize = 43;
/// Characters that follow from those before them.
const CHECKSUM_LENGTH: usize = 6;
/// Length of a token.
pub const TOKEN_LENGTH: usize = PREFIX.len() + SECRET_LENGTH + CHECKSUM_LENGTH;

/// A token: `ff_`, 43 random letters and digits, and 6 more that follow from them, so that a program finds
/// leaked ones without asking a server. It is a secret.
///
/// `Debug` hides it, and there is no `Display`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS), ts(type = "string"))]
#[cfg_attr(test, schemars(extend("pattern" = "^ff_[0-9A-Za-z]{49}$")))]
#[serde(try_from = "String", into = "String")]
pub struct ApiToken(String);

/// The text is not a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a token is ff_ and 49 letters and digits, the last 6 of them a checksum")]
pub struct NoApiToken;

impl ApiToken {
    /// A new token of random bytes, which `random` gives.
    pub fn new<const N: usize>(random: impl Fn() -> [u8; N]) -> Self {
        let bytes = std::iter::repeat_with(random).flatten();
        // The other bytes would make some digits more likely.
        let fair = bytes.filter(|byte| usize::from(*byte) < 4 * DIGITS.len());
        let digits = fair.map(|byte| char::from(DIGITS[usize::from(byte) % DIGITS.len()]));
        let secret: String = digits.take(SECRET_LENGTH).collect();
        Self(format!("{PREFIX}{secret}{}", checksum(&secret)))
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ApiToken {
    type Error = NoApiToken;

    fn try_from(text: String) -> Result<Self, NoApiToken> {
        let rest =
            text.strip_prefix(PREFIX).filter(|_| text.len() == TOKEN_LENGTH && text.is_ascii());
        let (secret, sum) = rest.ok_or(NoApiToken)?.split_at(SECRET_LENGTH);
        let is_valid = secret.bytes().all(|byte| DIGITS.contains(&byte)) && sum == checksum(secret);
        if is_valid { Ok(Self(text)) } else { Err(NoApiToken) }
    }
}

impl From<ApiToken> for String {
    fn from(token: ApiToken) -> Self {
        token.0
    }
}

impl fmt::Debug for ApiToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiToken(hidden)")
    }
}

/// CRC-32 (as in PNG, section D) of a text, in digits of base 62.
fn checksum(text: &str) -> String {
    let mut crc = u32::MAX;
    for byte in text.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    let mut rest = !crc;
    let mut digits = [0; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(rest % 62) as usize];
        rest /= 62;
    }
    digits.into_iter().map(char::from).collect()
}

/// What a token allows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub enum Scope {
    /// Make rooms, take seats, play, chat, and seek opponents.
    #[serde(rename = "play")]
    Play,
    /// List rooms, enter them and follow their games.
    #[serde(rename = "watch")]
    Watch,
    /// Challenge people, and answer their challenges.
    #[serde(rename = "challenge")]
    Challenge,
    /// Read the account's own games.
    #[serde(rename = "games:read")]
    ReadGames,
    /// Read the account's name and id.
    #[serde(rename = "account:read")]
    ReadAccount,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Play, Self::Watch, Self::Challenge, Self::ReadGames, Self::ReadAccount];

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Watch => "watch",
            Self::Challenge => "challenge",
            Self::ReadGames => "games:read",
            Self::ReadAccount => "account:read",
        }
    }

    /// The scope of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_knows_a_typing_error() {
        let token = ApiToken::new(|| [7, 61, 62, 250, 99]);
        let text = token.as_str();
        assert_eq!((text.len(), &text[..3]), (TOKEN_LENGTH, "ff_"));
        assert_eq!(ApiToken::try_from(text.to_owned()), Ok(token.clone()));
        assert_eq!(format!("{token:?}"), "ApiToken(hidden)");
        for place in 0..text.len() {
            let mut wrong = text.to_owned().into_bytes();
            wrong[place] = if wrong[place] == b'x' { b'y' } else { b'x' };
            let wrong = String::from_utf8(wrong).unwrap();
            assert_eq!(ApiToken::try_from(wrong.clone()), Err(NoApiToken), "{wrong}");
        }
        for wrong in ["", "ff_", &text[..text.len() - 1], &format!("{text}0"), &"é".repeat(26)] {
            assert_eq!(ApiToken::try_from(wrong.to_owned()), Err(NoApiToken), "{wrong}");
        }
    }

    #[test]
    fn the_checksum_is_that_of_other_programs() {
        // CRC-32 of "123456789" is cbf43926, the check value of the standard.
        let mut rest = 0xCBF4_3926_u32;
        let mut digits = Vec::new();
        for _ in 0..CHECKSUM_LENGTH {
            digits.push(char::from(DIGITS[(rest % 62) as usize]));
            rest /= 62;
        }
        assert_eq!(checksum("123456789"), digits.into_iter().rev().collect::<String>());
    }

    #[test]
    fn scopes_are_named_as_on_the_wire() {
        for scope in Scope::ALL {
            assert_eq!(serde_json::to_string(&scope).unwrap(), format!("\"{scope}\""));
            assert_eq!(Scope::named(scope.name()), Some(scope));
        }
        assert_eq!(Scope::named("everything"), None);
    }
}
