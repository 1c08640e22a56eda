//! How the text of a setting becomes a value, and how a value is shown. No error repeats the text of a secret.

use std::{fmt::Display, ops::RangeInclusive, path::PathBuf, str::FromStr, time::Duration};

use clap::ValueEnum;

/// Reads and shows the values of one type.
pub(super) trait Kind<T> {
    /// Whether a value is never shown, and may also stand in a file of its own.
    const IS_SECRET: bool = false;

    /// The value of a text. The error says what is allowed.
    fn read(&self, text: &str) -> Result<T, String>;

    /// The value for help and for the table of settings.
    fn show(&self, value: &T) -> String;
}

/// What its type reads and writes.
pub(super) struct Text;
/// A file or a folder.
pub(super) struct Path;
/// A text that is never shown.
pub(super) struct Secret;
/// One of a few words.
pub(super) struct Choice;
/// Several values with commas between them, and how to read one.
pub(super) struct List<T>(pub(super) fn(&str) -> Result<T, String>);
/// A value that may be absent, and what applies then.
pub(super) struct Maybe<K>(pub(super) &'static str, pub(super) K);
/// A number of units, each of which is so many of the field's.
pub(super) struct Number(pub(super) RangeInclusive<u32>, pub(super) u64);
/// A time in such units.
pub(super) struct Time(pub(super) RangeInclusive<u32>, pub(super) Duration);

/// Any number.
pub(super) const ANY: RangeInclusive<u32> = 0..=u32::MAX;
/// Numbers of which 0 would shut everybody out.
pub(super) const POSITIVE: RangeInclusive<u32> = 1..=u32::MAX;

/// Reads what a type can read itself.
pub(super) fn parse<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

impl<T: FromStr<Err: Display> + Display> Kind<T> for Text {
    fn read(&self, text: &str) -> Result<T, String> {
        parse(text)
    }

    fn show(&self, value: &T) -> String {
        value.to_string()
    }
}

impl Kind<PathBuf> for Path {
    fn read(&self, text: &str) -> Result<PathBuf, String> {
        Ok(text.into())
    }

    fn show(&self, value: &PathBuf) -> String {
        value.display().to_string()
    }
}

impl<T: TryFrom<String, Error: Display>> Kind<T> for Secret {
    const IS_SECRET: bool = true;

    fn read(&self, text: &str) -> Result<T, String> {
        text.to_owned().try_into().map_err(|error: T::Error| error.to_string())
    }

    fn show(&self, _: &T) -> String {
        "(hidden)".to_owned()
    }
}

impl<T: ValueEnum> Kind<T> for Choice {
    fn read(&self, text: &str) -> Result<T, String> {
        T::from_str(text, false).map_err(|_| {
            let words: Vec<_> = T::value_variants().iter().map(|word| self.show(word)).collect();
            format!("give one of {}", words.join(", "))
        })
    }

    fn show(&self, value: &T) -> String {
        value.to_possible_value().map_or_else(String::new, |word| word.get_name().to_owned())
    }
}

impl<T: Display> Kind<Vec<T>> for List<T> {
    fn read(&self, text: &str) -> Result<Vec<T>, String> {
        text.split(',').map(self.0).collect()
    }

    fn show(&self, values: &Vec<T>) -> String {
        let texts: Vec<_> = values.iter().map(T::to_string).collect();
        if texts.is_empty() { "none".to_owned() } else { texts.join(",") }
    }
}

impl<T, K: Kind<T>> Kind<Option<T>> for Maybe<K> {
    const IS_SECRET: bool = K::IS_SECRET;

    fn read(&self, text: &str) -> Result<Option<T>, String> {
        self.1.read(text).map(Some)
    }

    fn show(&self, value: &Option<T>) -> String {
        value.as_ref().map_or_else(|| self.0.to_owned(), |value| self.1.show(value))
    }
}

fn number(text: &str, range: &RangeInclusive<u32>) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number: &u32| range.contains(number));
    number.ok_or_else(|| format!("give a number from {} to {}", range.start(), range.end()))
}

impl<T: TryFrom<u64> + TryInto<u64> + Copy> Kind<T> for Number {
    fn read(&self, text: &str) -> Result<T, String> {
        let number = u64::from(number(text, &self.0)?) * self.1;
        number.try_into().map_err(|_| "give a smaller number".to_owned())
    }

    fn show(&self, value: &T) -> String {
        (*value).try_into().map_or_else(|_| String::new(), |number| (number / self.1).to_string())
    }
}

impl Kind<Duration> for Time {
    fn read(&self, text: &str) -> Result<Duration, String> {
        Ok(self.1 * number(text, &self.0)?)
    }

    fn show(&self, value: &Duration) -> String {
        (value.as_millis() / self.1.as_millis()).to_string()
    }
}
