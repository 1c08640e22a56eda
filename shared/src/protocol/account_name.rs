//! The names of accounts. They are stricter than those of guests, because nobody may be taken for the
//! member who has one.

use unicode_normalization::char::is_combining_mark;
use unicode_security::{GeneralSecurityProfile, MixedScript};

use super::{Likeness, Name};

/// Shortest name of an account, in characters.
pub const ACCOUNT_NAME_MIN: usize = 2;
/// Longest name of an account, in characters.
pub const ACCOUNT_NAME_MAX: usize = 20;

/// Names that no account has.
const RESERVED: [&str; 10] = [
    "admin",
    "administrator",
    "black",
    "fivefold",
    "me",
    "moderator",
    "operator",
    "server",
    "system",
    "white",
];

/// No account's name begins like these.
const RESERVED_BEGINNINGS: [&str; 2] = ["guest", "deleted"];

/// The name of an account: [`ACCOUNT_NAME_MIN`] to [`ACCOUNT_NAME_MAX`] letters of one script, digits,
/// `-` and `_`, the first of them a letter or a digit. It looks like no bot's, and like no reserved
/// name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccountName {
    name: Name,
    likeness: Likeness,
    as_written: Likeness,
}

/// Why a name is not one for an account.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AccountNameError {
    /// It is too short or too long, or has other characters, or letters of several scripts.
    #[error("it is 2 to 20 letters of one script, digits, - and _")]
    Characters,
    /// It looks like a reserved name.
    #[error("it is reserved")]
    Reserved,
    /// It looks like a bot's.
    #[error("it looks like a bot's")]
    Bot,
}

impl AccountName {
    /// Checks a name.
    ///
    /// # Errors
    /// If an account cannot have it.
    pub fn new(text: &str) -> Result<Self, AccountNameError> {
        let name = Name::new(text).map_err(|_| AccountNameError::Characters)?;
        let text = name.as_str();
        let length = (ACCOUNT_NAME_MIN..=ACCOUNT_NAME_MAX).contains(&text.chars().count());
        let is_allowed = |c: char| {
            (c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '-' | '_'))
                && c.identifier_allowed()
        };
        if !length
            || !text.starts_with(char::is_alphanumeric)
            || !text.chars().all(is_allowed)
            || !text.is_single_script()
        {
            return Err(AccountNameError::Characters);
        }
        if name.looks_like_bot() {
            return Err(AccountNameError::Bot);
        }
        let likeness = name.likeness();
        let as_written = Likeness::as_written(text);
        let is_reserved = |shape: &Likeness| {
            let begins =
                |beginning: &str| shape.as_str().starts_with(Likeness::of(beginning).as_str());
            RESERVED.iter().any(|reserved| *shape == Likeness::of(reserved))
                || RESERVED_BEGINNINGS.into_iter().any(begins)
        };
        if is_reserved(&likeness) || is_reserved(&as_written) {
            return Err(AccountNameError::Reserved);
        }
        Ok(Self { name, likeness, as_written })
    }

    /// The name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// What names that people may confuse with it share.
    pub fn likeness(&self) -> &Likeness {
        &self.likeness
    }

    /// The likeness of the name whose capitals are compared as they are written: that of another account
    /// means that this name looks like that one.
    pub fn as_written(&self) -> &Likeness {
        &self.as_written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(), AccountNameError>) {
        assert_eq!(AccountName::new(text).map(drop), expected, "{text:?}");
    }

    #[test]
    fn names_of_accounts_are_short_and_of_one_script() {
        let wrong = Err(AccountNameError::Characters);
        for name in ["Ann", "Ann-2", "a_b", "42", "五目", "Ωμέγα", "Ёж", "नमस्ते", " Ann ", "Ａｎｎ"]
        {
            check(name, Ok(()));
        }
        check("A", wrong);
        check("五", wrong);
        check(&"n".repeat(ACCOUNT_NAME_MIN), Ok(()));
        check(&"n".repeat(ACCOUNT_NAME_MAX), Ok(()));
        check(&"n".repeat(ACCOUNT_NAME_MAX + 1), wrong);
        for name in
            ["", "Ann B", "Ann!", "-Ann", "_a", "A\u{391}nn", "Аnn", "Ann\u{1f600}", "a\nb", "a/b"]
        {
            check(name, wrong);
        }
    }

    #[test]
    fn nobody_has_a_reserved_name_or_a_bots() {
        for name in [
            "admin",
            "ADMlN",
            "Admin",
            "me",
            "ME",
            "Guest",
            "guest_42",
            "Gue5t",
            "deleted-1",
            "B1ack",
            "\u{41c}\u{415}",
        ] {
            let expected =
                if matches!(name, "Gue5t") { Ok(()) } else { Err(AccountNameError::Reserved) };
            check(name, expected);
        }
        for name in ["engine", "bot-ann", "Engine-10"] {
            check(name, Err(AccountNameError::Bot));
        }
        for name in ["administer", "blackbird", "Megan", "metoo", "Ingue"] {
            check(name, Ok(()));
        }
    }

    #[test]
    fn names_that_look_the_same_are_one() {
        let likeness = |text| AccountName::new(text).map(|name| name.likeness().clone());
        for (one, other) in [
            ("Ann", "ANN"),
            ("Mary", "rnary"),
            ("Alice", "AIice"),
            ("Bob0", "BobO"),
            ("Owner", "0vvner"),
        ] {
            assert_eq!(likeness(one), likeness(other), "{one} and {other}");
        }
        assert_ne!(likeness("Ann"), likeness("Anna"));
        let cyrillic = AccountName::new("\u{412}\u{41e}\u{412}").unwrap();
        let latin = AccountName::new("bob").unwrap();
        assert_eq!(cyrillic.as_written(), latin.likeness());
        assert_ne!(cyrillic.likeness(), latin.likeness());
    }
}
