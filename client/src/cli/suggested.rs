//! Values that completions suggest, beside others that are also read.

use std::{ffi::OsStr, fmt::Display, str::FromStr};

use clap::{
    Arg, Command, Error,
    builder::{PossibleValue, StringValueParser, TypedValueParser},
};
use fivefold_shared::{bot_spec::BotSpec, opening::OpeningKind, protocol::PoolName};

/// Reads a value, and knows usual ones.
#[derive(Clone, Debug)]
pub(super) struct Suggested<T> {
    names: &'static [&'static str],
    read: fn(&str) -> Result<T, String>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Suggested<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let read = self.read;
        StringValueParser::new().try_map(move |text| read(&text)).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(|name| PossibleValue::new(*name))))
    }
}

fn read<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// The bot for a person who names none: one that a newcomer can beat, the first choice of the page, too.
pub(super) const GENTLE: &str = "engine:3";

/// A bot.
pub(super) const fn bot() -> Suggested<BotSpec> {
    const NAMES: &[&str] = &[
        "engine",
        "engine:1",
        "engine:2",
        "engine:3",
        "engine:4",
        "engine:5",
        "engine:6",
        "engine:7",
        "engine:8",
        "engine:9",
        "engine:10",
        "minimax",
        "attack",
        "pattern",
    ];
    Suggested { names: NAMES, read: read::<BotSpec> }
}

/// An opening.
pub(super) const fn opening() -> Suggested<OpeningKind> {
    const NAMES: &[&str] = &[
        "free",
        "swap1",
        "swap",
        "swap2",
        "pro",
        "long-pro",
        "rif",
        "yamaguchi",
        "soosyrv-8",
        "taraguchi-10",
    ];
    Suggested { names: NAMES, read: read::<OpeningKind> }
}

/// A pool. A server may have others than these, which it has unless its operator sets some.
pub(super) fn pool() -> Suggested<PoolName> {
    const NAMES: &[&str] = &[
        "gomoku-3-2",
        "gomoku-5-3",
        "gomoku-10-5",
        "freestyle-5-3",
        "renju-10-5",
        "caro-5-3",
        "free",
    ];
    Suggested {
        names: NAMES,
        read: |text| PoolName::try_from(text).map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_suggested_exists() {
        for name in bot().names {
            assert!(name.parse::<BotSpec>().is_ok(), "{name}");
        }
        let openings: Vec<OpeningKind> =
            opening().names.iter().map(|name| name.parse().unwrap()).collect();
        assert_eq!(openings, OpeningKind::ALL);
    }
}
