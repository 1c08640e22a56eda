//! The keys by which accounts are found by their names: the likeness of the name. Of accounts from before
//! format 12 several may have names that are alike by today's rule. The oldest of them has the likeness as its
//! key; each other one has its name behind that, and is found by exactly this name.

use std::collections::HashSet;

use fivefold_shared::protocol::{Likeness, Name};

use super::accounts::DELETED_NAME;

/// Separates the likeness from the name; no likeness contains it.
const SEPARATOR: char = ' ';

/// What to look for an account with: finds the one with exactly this name, or else the one with its likeness.
pub fn name_key(name: &Name) -> String {
    format!("{}{SEPARATOR}{}", name.likeness().as_str(), name.as_str())
}

/// The likeness in a key.
pub(super) fn likeness_in(key: &str) -> &str {
    key.split(SEPARATOR).next().unwrap_or(key)
}

/// Whether a stored key is that of a name of this likeness. The databases ask it by a statement.
#[cfg(any(test, feature = "testing"))]
pub(super) fn has_likeness(key: &str, likeness: &str) -> bool {
    likeness_in(key) == likeness
}

/// The key of a name as an older server has stored it.
#[derive(Clone, Debug)]
pub(super) struct OldKey {
    pub(super) member: String,
    pub(super) name: String,
    pub(super) key: String,
}

/// The keys of these names by today's rule, in their order. Those that come first keep the likeness alone.
pub(super) fn made_again(stored: &[OldKey]) -> Vec<String> {
    let mut used = HashSet::new();
    let keys = stored.iter().map(|OldKey { member, name, key }| {
        // Of an account that is deleted for good, only the key is left.
        let shown = if name == DELETED_NAME { key } else { name };
        let likeness = Likeness::of(shown);
        let mut made = likeness.as_str().to_owned();
        for more in [name, member] {
            if !used.contains(&made) {
                break;
            }
            made = format!("{made}{SEPARATOR}{more}");
        }
        used.insert(made.clone());
        made
    });
    keys.collect()
}

/// The keys and names of accounts that are kept apart.
pub(super) const KEPT_APART: &str = "
    SELECT likeness, member.name FROM account JOIN member ON member.id = account.member
    WHERE likeness LIKE '% %' ORDER BY likeness";

/// The name of the account with a key.
pub(super) const NAME_OF_KEY: &str = "
    SELECT member.name FROM account JOIN member ON member.id = account.member WHERE likeness = $1";

/// The line of a check about an account whose name is like that of an older one.
pub(super) fn kept_apart(name: &str, older: Option<&str>) -> String {
    let older = older.unwrap_or("an account that is gone");
    format!(
        "the account {name} has a name like {older}: it is found by exactly this name only. Ask its member to \
         choose another name"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_clash_by_todays_rule_are_kept_apart() {
        let stored = [
            ("1", "Нина", "hинa"),
            ("2", "нина", "ʜинa"),
            ("3", "Ann", "ann"),
            ("4", DELETED_NAME, "bob"),
            ("5", "BOB", "b0b"),
            ("6", "BOB", "8ob"),
        ];
        let old = stored.map(|(member, name, key)| OldKey {
            member: member.to_owned(),
            name: name.to_owned(),
            key: key.to_owned(),
        });
        let keys = made_again(&old);
        let nina = Name::new("НИНА").unwrap().likeness();
        let nina = nina.as_str();
        let expected = [nina, &format!("{nina} нина"), "ann", "bob", "bob BOB", "bob BOB 6"];
        assert_eq!(keys, expected);
        assert_eq!(name_key(&Name::new("нина").unwrap()), keys[1]);
        for key in &keys[..2] {
            assert!(has_likeness(key, nina) && !has_likeness(key, "ann"), "{key}");
        }
    }
}
