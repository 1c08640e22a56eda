//! The short texts that name things on the wire. Each is checked when it is parsed, so that the
//! rest of the program never sees a malformed one.

use std::{fmt, marker::PhantomData, str};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use unicode_security::confusable_detection::skeleton;

use crate::bot_spec::BotKind;

/// Longest command id, in bytes.
pub const COMMAND_ID_MAX: usize = 40;
/// Longest name, in characters.
pub const NAME_MAX: usize = 24;
/// Most combining marks in a row in a name (Unicode Technical Standard 39, section 5.4): more of
/// them reach into the lines above and below.
pub const NAME_MARKS_MAX: usize = 4;
/// Length of a room's code. Thirty-one characters to the twelfth power are about 59 bits.
pub const ROOM_CODE_LENGTH: usize = 12;
/// Length of an identity: 32 random bytes in hexadecimal.
pub const IDENTITY_LENGTH: usize = 64;
/// Length of a member's public id.
pub const MEMBER_ID_LENGTH: usize = 16;
/// Length of a finished game's id: about 79 bits.
pub const GAME_ID_LENGTH: usize = 16;
/// Length of a collection's id: about 79 bits.
pub const COLLECTION_ID_LENGTH: usize = 16;
/// Length of a seek's id.
pub const SEEK_ID_LENGTH: usize = 12;
/// Longest name of a pool.
pub const POOL_NAME_MAX: usize = 24;
/// The characters of room codes and of the ids of games, collections and seeks: digits and letters without `0`, `1`, `i`,
/// `l` and `o`, which are easily confused.
pub const ROOM_CODE_ALPHABET: &[u8; 31] = b"23456789abcdefghjkmnpqrstuvwxyz";

/// Why a text is not a valid name, code or id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// See the message.
    #[error("an id is 1 to 40 printable ASCII characters")]
    CommandId,
    /// See the message.
    #[error("a room's code is 12 of the characters 2-9 and a-z without i, l and o")]
    RoomCode,
    /// See the message.
    #[error("an identity is 64 hexadecimal digits in lower case")]
    Identity,
    /// See the message.
    #[error("a member's id is 16 hexadecimal digits in lower case")]
    MemberId,
    /// See the message.
    #[error("a game's id is 16 of the characters 2-9 and a-z without i, l and o")]
    GameId,
    /// See the message.
    #[error("a collection's id is 16 of the characters 2-9 and a-z without i, l and o")]
    CollectionId,
    /// See the message.
    #[error("a seek's id is 12 of the characters 2-9 and a-z without i, l and o")]
    SeekId,
    /// See the message.
    #[error("a pool's name is 1 to 24 of the characters a-z, 0-9 and -")]
    PoolName,
    /// See the message.
    #[error("a name is 1 to 24 characters, none of them for control or text direction")]
    Name,
    /// See the message.
    #[error("a line of chat is 1 to 280 characters")]
    ChatText,
    /// See the message.
    #[error("a collection's name is 1 to 60 characters")]
    CollectionName,
}

/// A short ASCII text stored inline, because it is copied often: a copy allocates nothing.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Ascii<const MAX: usize> {
    /// Zeros follow the text.
    bytes: [u8; MAX],
    length: u8,
}

impl<const MAX: usize> Ascii<MAX> {
    /// `None` if the text is too long or not ASCII.
    fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; MAX];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        let length = u8::try_from(text.len()).ok()?;
        text.is_ascii().then_some(Self { bytes, length })
    }

    fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.length.into()]).expect("it was made of ASCII")
    }
}

/// Reads a checked text from a string.
struct TextVisitor<T>(PhantomData<T>);

impl<T: for<'a> TryFrom<&'a str, Error = NameError>> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        T::try_from(text).map_err(E::custom)
    }
}

macro_rules! checked_text {
    ($(#[$meta:meta])* $name:ident, $max:expr, $check:expr) => {
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS), ts(type = "string"))]
        $(#[$meta])*
        pub struct $name(#[cfg_attr(test, schemars(with = "String"))] Ascii<$max>);

        impl $name {
            /// The text itself.
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl TryFrom<&str> for $name {
            type Error = NameError;

            fn try_from(text: &str) -> Result<Self, NameError> {
                let check: fn(&str) -> bool = $check;
                let ascii = Ascii::new(text).filter(|_| check(text));
                ascii.map(Self).ok_or(NameError::$name)
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, NameError> {
                Self::try_from(text.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(TextVisitor(PhantomData))
            }
        }
    };
}

macro_rules! shown_as_text {
    ($($name:ident),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self.as_str(), f)
            }
        }
    )*};
}

checked_text! {
    /// A command's id, chosen by the client: from 1 to [`COMMAND_ID_MAX`] printable ASCII
    /// characters. One identity must never use it for two different commands.
    #[cfg_attr(test, schemars(extend("pattern" = "^[!-~]{1,40}$")))]
    CommandId,
    COMMAND_ID_MAX,
    |text| (1..=COMMAND_ID_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
}
checked_text! {
    /// A room's code: [`ROOM_CODE_LENGTH`] characters of [`ROOM_CODE_ALPHABET`]. Anyone who knows
    /// it may enter.
    #[cfg_attr(test, schemars(extend("pattern" = "^[2-9a-hjkmnp-z]{12}$")))]
    RoomCode,
    ROOM_CODE_LENGTH,
    |text| text.len() == ROOM_CODE_LENGTH && text.bytes().all(|b| ROOM_CODE_ALPHABET.contains(&b))
}
checked_text! {
    /// The secret that identifies a person to the server: 32 random bytes, in hexadecimal. It is
    /// the key to their seats: keep it private and never put it into an address.
    ///
    /// `Debug` hides it, and there is no `Display`.
    #[cfg_attr(test, schemars(extend("pattern" = "^[0-9a-f]{64}$")))]
    Identity,
    IDENTITY_LENGTH,
    |text| text.len() == IDENTITY_LENGTH && lower_hex(text)
}
checked_text! {
    /// A person's public id: derived from the [`Identity`], which cannot be computed from it.
    #[cfg_attr(test, schemars(extend("pattern" = "^[0-9a-f]{16}$")))]
    MemberId,
    MEMBER_ID_LENGTH,
    |text| text.len() == MEMBER_ID_LENGTH && lower_hex(text)
}
checked_text! {
    /// A finished game's id: [`GAME_ID_LENGTH`] characters of [`ROOM_CODE_ALPHABET`]. Anyone who
    /// knows it may see the game.
    #[cfg_attr(test, schemars(extend("pattern" = "^[2-9a-hjkmnp-z]{16}$")))]
    GameId,
    GAME_ID_LENGTH,
    |text| text.len() == GAME_ID_LENGTH && text.bytes().all(|b| ROOM_CODE_ALPHABET.contains(&b))
}
checked_text! {
    /// A collection's id: [`COLLECTION_ID_LENGTH`] characters of [`ROOM_CODE_ALPHABET`]. Anyone who
    /// knows it may see a shared collection.
    #[cfg_attr(test, schemars(extend("pattern" = "^[2-9a-hjkmnp-z]{16}$")))]
    CollectionId,
    COLLECTION_ID_LENGTH,
    |text| text.len() == COLLECTION_ID_LENGTH
        && text.bytes().all(|b| ROOM_CODE_ALPHABET.contains(&b))
}
checked_text! {
    /// The id of a seek or a challenge: [`SEEK_ID_LENGTH`] characters of [`ROOM_CODE_ALPHABET`].
    #[cfg_attr(test, schemars(extend("pattern" = "^[2-9a-hjkmnp-z]{12}$")))]
    SeekId,
    SEEK_ID_LENGTH,
    |text| text.len() == SEEK_ID_LENGTH && text.bytes().all(|b| ROOM_CODE_ALPHABET.contains(&b))
}
checked_text! {
    /// The name of a pool in commands: 1 to [`POOL_NAME_MAX`] letters in lower case, digits and
    /// hyphens.
    #[cfg_attr(test, schemars(extend("pattern" = "^[a-z0-9-]{1,24}$")))]
    PoolName,
    POOL_NAME_MAX,
    |text| !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}
shown_as_text!(CommandId, RoomCode, MemberId, GameId, CollectionId, SeekId, PoolName, Name);

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(hidden)")
    }
}

/// A person's name: 1 to [`NAME_MAX`] characters in Unicode's form NFKC, without control characters
/// and without the invisible ones that reorder or join text. Spaces are trimmed at both ends and
/// single in between; combining marks belong to a letter, at most [`NAME_MARKS_MAX`] of them.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS), ts(type = "string"))]
#[cfg_attr(test, schemars(extend("minLength" = 1, "maxLength" = NAME_MAX)))]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// Most steps of the folding of a text: see [`Likeness::of`]. A test asks all characters.
const FOLDS_MAX: usize = 8;

/// A key that names share if people may confuse them: `Ann`, `ANN` and `Αnn` with a Greek capital
/// have the same. Not for display.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Likeness(String);

impl Likeness {
    /// The key as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The likeness of a text in any letter case. The folding is repeated until it changes nothing: the
    /// skeleton of a digit may be a capital letter, and letters that come together may look like another.
    pub fn of(text: &str) -> Self {
        let mut shape = text.to_owned();
        for _ in 0..FOLDS_MAX {
            let folded = fold(&shape);
            if folded == shape {
                break;
            }
            shape = folded;
        }
        Self(shape)
    }

    /// The likeness of a text whose capitals stay capitals while its letters are compared: those of two
    /// scripts may look alike where their small letters do not, such as Cyrillic `ВОВ` and Latin `BOB`.
    pub(super) fn as_written(text: &str) -> Self {
        Self::of(&skeleton(text).collect::<String>())
    }
}

/// One step towards a likeness. It begins with the letter case, so that names that differ in nothing else
/// have one likeness in all scripts.
fn fold(text: &str) -> String {
    // Some small letters, such as the two forms of sigma, share a capital.
    let small: String =
        text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    let shape = skeleton(&small).filter(|&c| c != ' ').map(|c| if c == 'i' { 'l' } else { c });
    shape.collect::<String>().replace("vv", "w")
}

impl Name {
    /// Checks and tidies a name.
    ///
    /// # Errors
    /// When nothing is left, too much is left, or a character is not allowed.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let form: String = text.nfkc().collect();
        let words = || form.split(' ').filter(|word| !word.is_empty());
        let tidy = words().collect::<Vec<_>>().join(" ");
        let allowed = tidy.chars().all(|c| !c.is_control() && !is_invisible(c))
            && words().all(|word| !word.starts_with(is_combining_mark))
            && tidy
                .split(|c| !is_combining_mark(c))
                .all(|marks| marks.chars().count() <= NAME_MARKS_MAX);
        if allowed && (1..=NAME_MAX).contains(&tidy.chars().count()) {
            Ok(Self(tidy))
        } else {
            Err(NameError::Name)
        }
    }

    /// A key that confusable names share (Unicode Technical Standard 39, section 4). Ignores letter
    /// case, and does not distinguish i from l, or vv from w.
    pub fn likeness(&self) -> Likeness {
        Likeness::of(&self.0)
    }

    /// Whether people may mistake this for the name of a bot: a word of it looks like `bot`, or it
    /// looks like a kind of bot with or without its level, such as `engine:10`.
    pub fn looks_like_bot(&self) -> bool {
        let plain: String = self.0.nfd().filter(|&c| !is_combining_mark(c)).collect();
        let words: Vec<_> =
            plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let looks_like = |word: &str, other| {
            let likeness = Likeness::of(other);
            Likeness::of(word) == likeness || Likeness::as_written(word) == likeness
        };
        let is_kind = |word| BotKind::ALL.into_iter().any(|kind| looks_like(word, kind.name()));
        let is_level = |word: &str| word.chars().all(char::is_numeric);
        words.iter().any(|word| looks_like(word, "bot"))
            || match words[..] {
                [kind] => is_kind(kind),
                [kind, level] => is_kind(kind) && is_level(level),
                _ => false,
            }
    }

    /// This name with a mark appended, such as `Ann (5d41)`; shortened to make room for it.
    pub fn marked(&self, mark: &str) -> Result<Self, NameError> {
        let room = NAME_MAX.saturating_sub(mark.chars().count() + " ()".len());
        let start: String = self.0.chars().take(room).collect();
        Self::new(&format!("{start} ({mark})"))
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(&text)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

fn lower_hex(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Characters that are invisible but change how their neighbours are displayed: format characters,
/// line separators, every white space other than the plain one, fillers, variation selectors and
/// tags.
pub(super) fn is_invisible(c: char) -> bool {
    (c.is_whitespace() && c != ' ')
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// A random text of [`ROOM_CODE_ALPHABET`]; uniform if the bytes are.
pub fn letters(length: usize, mut bytes: impl FnMut() -> [u8; 32]) -> String {
    let letters = ROOM_CODE_ALPHABET.len();
    // Bytes from the largest multiple of the number of letters up would make some letters likelier.
    let fair = 256 / letters * letters;
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let usable = bytes().into_iter().map(usize::from).filter(|&byte| byte < fair);
        let missing = length - text.len();
        text.extend(
            usable.take(missing).map(|byte| char::from(ROOM_CODE_ALPHABET[byte % letters])),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(Name::new(text).ok().as_ref().map(Name::as_str), expected, "{text:?}");
    }

    #[test]
    fn names_are_tidied_and_limited() {
        check("Ann", Some("Ann"));
        check("  Ann   of Oz ", Some("Ann of Oz"));
        check("Ωμέγα 五目", Some("Ωμέγα 五目"));
        check(&"n".repeat(NAME_MAX), Some(&"n".repeat(NAME_MAX)));
        check(&"n".repeat(NAME_MAX + 1), None);
        check("", None);
        check("   ", None);
        check("a\u{7}b", None);
        check("a\nb", None);
        check("a\u{202e}b", None);
        check("a\u{200b}b", None);
        check("a\u{2028}b", None);
        check("a\u{a0}b", Some("a b"));
        check("Ａｎｎ", Some("Ann"));
        check("A\u{30a}sa", Some("Åsa"));
        check("\u{301}Ann", None);
        check("Ann \u{301}", None);
        check(
            &format!("x{}", "\u{334}".repeat(NAME_MARKS_MAX)),
            Some("x\u{334}\u{334}\u{334}\u{334}"),
        );
        check(&format!("x{}", "\u{334}".repeat(NAME_MARKS_MAX + 1)), None);
        // One character that becomes eighteen in this form.
        check("\u{fdfa}", Some("صلى الله عليه وسلم"));
        check("\u{fdfa}\u{fdfa}", None);
    }

    #[test]
    fn names_that_look_the_same_are_alike() {
        let cases = [
            ("Ann", "Ann", true),
            ("Ann", "ann", true),
            ("Ann", "\u{391}nn", true),
            ("Mary", "MARY", true),
            ("Mary", "rnary", true),
            ("Alice", "AIice", true),
            ("ALICE", "alice", true),
            ("Bob 0", "BobO", true),
            ("Owner", "0wner", true),
            ("Owner", "Ovvner", true),
            ("Owner", "0vvner", true),
            ("Owner", "OVVNER", true),
            ("Ann", "Anna", false),
            ("Ann", "Ana", false),
            ("Ann", "Ann (5d41)", false),
        ];
        for (one, other, expected) in cases {
            let likeness = |name| Name::new(name).expect("it is a name").likeness();
            assert_eq!(likeness(one) == likeness(other), expected, "{one} and {other}");
        }
    }

    #[test]
    fn names_in_any_letter_case_are_alike() {
        for name in [
            "Нина",
            "Вова",
            "Михаил",
            "Татьяна",
            "Иван",
            "Ёлка",
            "Νίκος",
            "Ὀδυσσεύς",
            "Արամ",
            "Եվա",
            "Björn",
            "Straße",
            "Ærø",
            "გიორგი",
            "Łukasz",
            "İbrahim",
        ] {
            let likeness = |text: &str| Name::new(text).expect("it is a name").likeness();
            for other in [name.to_uppercase(), name.to_lowercase()] {
                assert_eq!(likeness(name), likeness(&other), "{name} and {other}");
            }
        }
        for name in ["Нина", "Νίκος", "Արամ", "გიორგი"] {
            let likeness = Name::new(name).expect("it is a name").likeness();
            let other = name.chars().rev().collect::<String>();
            assert_ne!(Name::new(&other).expect("it is a name").likeness(), likeness);
        }
    }

    #[test]
    fn every_character_has_one_likeness_in_both_letter_cases() {
        for c in ('\0'..=char::MAX).filter(|c| c.is_alphanumeric()) {
            let likeness = Likeness::of(&c.to_string());
            assert_eq!(fold(likeness.as_str()), likeness.as_str(), "{c:?}");
            for other in [c.to_uppercase().to_string(), c.to_lowercase().to_string()] {
                assert_eq!(Likeness::of(&other), likeness, "{c:?} and {other:?}");
            }
        }
    }

    #[test]
    fn names_that_look_like_bots_are_told_from_others() {
        let bots = [
            "bot",
            "Bot engine:10",
            "bot engine:10",
            "BOT",
            "[bot] Ann",
            "Ann (bot)",
            "b0t x",
            "b\u{43e}t attack",
            "\u{412}\u{41e}\u{422} attack",
            "B\u{f3}t",
            "b\u{336}ot",
            "engine",
            "Engine:10",
            "engine 10",
            "minimax",
            "MINlMAX",
            "attack-3",
            "pattern",
            "bot-x",
        ];
        let people = [
            "Ann",
            "Botond",
            "Bottas",
            "Abbot",
            "Engine driver",
            "Attack on Titan",
            "engines",
            "Robot",
            "Bo T",
            "minimax 3 Ann",
            "10",
        ];
        for (names, expected) in [(&bots[..], true), (&people[..], false)] {
            for name in names {
                let parsed = Name::new(name).expect("it is a name");
                assert_eq!(parsed.looks_like_bot(), expected, "{name}");
            }
        }
    }

    #[test]
    fn marks_fit_behind_any_name() {
        for (name, expected) in
            [("Ann", "Ann (5d41)"), ("A name of twenty-four ch", "A name of twenty- (5d41)")]
        {
            let marked = Name::new(name).expect("it is a name").marked("5d41");
            assert_eq!(marked.expect("it fits").as_str(), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn a_likeness_is_its_own(text: String) {
            let likeness = Likeness::of(&text);
            proptest::prop_assert_eq!(fold(likeness.as_str()), likeness.as_str());
        }

        #[test]
        fn a_name_is_the_same_when_it_is_read_again(text: String) {
            if let Ok(name) = Name::new(&text) {
                proptest::prop_assert_eq!(Name::new(name.as_str()), Ok(name));
            }
        }
    }

    #[test]
    fn ids_and_codes_are_checked_at_their_limits() {
        let id = |length: usize| CommandId::try_from("x".repeat(length));
        assert!(id(COMMAND_ID_MAX).is_ok());
        assert_eq!(id(COMMAND_ID_MAX + 1), Err(NameError::CommandId));
        assert_eq!(id(0), Err(NameError::CommandId));
        assert_eq!(CommandId::try_from("a b".to_owned()), Err(NameError::CommandId));

        let code = |text: &str| RoomCode::try_from(text.to_owned());
        assert!(code("k7m2qpxw9abc").is_ok());
        assert_eq!(code("k7m2qpxw9ab"), Err(NameError::RoomCode));
        assert_eq!(code("k7m2qpxw9abcd"), Err(NameError::RoomCode));
        assert_eq!(code("k7m2qpxw9abl"), Err(NameError::RoomCode));

        let game = |text: &str| GameId::try_from(text.to_owned());
        assert!(game("k7m2qpxw9abcdefg").is_ok());
        assert_eq!(game("k7m2qpxw9abcdef"), Err(NameError::GameId));
        assert_eq!(game("k7m2qpxw9abcdefgh"), Err(NameError::GameId));
        assert_eq!(game("k7m2qpxw9abcdef0"), Err(NameError::GameId));

        assert!(Identity::try_from("0f".repeat(32)).is_ok());
        assert_eq!(Identity::try_from("0F".repeat(32)), Err(NameError::Identity));
        assert_eq!(Identity::try_from("0".repeat(65)), Err(NameError::Identity));
    }

    #[test]
    fn an_identity_is_not_printed() {
        let identity = Identity::try_from("ab".repeat(32)).expect("well formed");
        assert_eq!(format!("{identity:?}"), "Identity(hidden)");
    }
}
