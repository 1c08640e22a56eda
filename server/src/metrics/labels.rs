//! The values of labels, all of them: a counter that appears with its first event hides it, because what
//! did not exist has not grown.

use std::fmt;

use fivefold_shared::protocol::{LobbyRequest, Reason, RoomRequest, close};
use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor, value},
    forward_to_deserialize_any,
};
use strum::VariantNames;

/// The codes with which sessions end; 0 where no close frame was sent.
pub(super) const CLOSE_CODES: [u16; 14] = [
    0,
    close::NORMAL,
    close::PROTOCOL_ERROR,
    close::INVALID_TEXT,
    close::POLICY,
    close::TOO_BIG,
    close::SERVER_ERROR,
    close::RESTART,
    close::TRY_LATER,
    close::NO_HELLO,
    close::TOO_SLOW,
    close::IDLE,
    close::VERSION,
    close::IDENTITY_REPLACED,
];

/// The commands, and what else is answered.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    let commands = LobbyRequest::VARIANTS.iter().chain(RoomRequest::VARIANTS).copied();
    commands.chain(["help", "unknown"])
}

/// All reasons of refusals.
pub(super) fn reasons() -> Vec<Reason> {
    let mut names: &[&str] = &[];
    // It fails as soon as it has the names.
    Reason::deserialize(NamesOf(&mut names)).ok();
    let parse =
        |name: &&str| Reason::deserialize(value::StrDeserializer::<value::Error>::new(name));
    names.iter().filter_map(|name| parse(name).ok()).collect()
}

/// Takes the names of an enum's variants from its own code that reads them.
struct NamesOf<'n>(&'n mut &'static [&'static str]);

impl<'de> Deserializer<'de> for NamesOf<'_> {
    type Error = value::Error;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, value::Error> {
        *self.0 = variants;
        Err(value::Error::custom("only the names"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, value::Error> {
        Err(value::Error::custom("no enum"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl fmt::Debug for NamesOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NamesOf")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_and_every_command_is_listed() {
        let reasons = reasons();
        assert!(reasons.len() > 100, "{}", reasons.len());
        for reason in [Reason::Malformed, Reason::TooFast, Reason::OperatorsOnly] {
            assert!(reasons.contains(&reason), "{reason:?}");
        }
        let kinds: Vec<_> = kinds().collect();
        for kind in ["hello", "create", "play", "set_name", "help", "unknown"] {
            assert!(kinds.contains(&kind), "{kind}");
        }
    }
}
