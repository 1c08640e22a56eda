//! Counts the answers that an attacker gets.

use std::{collections::BTreeMap, fmt};

/// How often the attacker got each answer.
#[derive(Clone, Debug, Default)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    pub(super) fn note(&mut self, answer: impl fmt::Display, count: u64) {
        *self.0.entry(answer.to_string()).or_default() += count;
    }

    pub(super) fn add(&mut self, other: Self) {
        for (what, count) in other.0 {
            self.note(what, count);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = self.0.iter().map(|(what, count)| format!("{what} {count}")).collect();
        f.write_str(&parts.join(", "))
    }
}
