//! Variants and rules as words: those that Fivefold writes, and those found in others' files.

use super::gomocup;
use crate::rules::{Rules, Size, Variant};

/// The variant that a text names, in any letter case and among other words, or by Gomocup's number.
pub(super) fn variant(text: &str) -> Option<Variant> {
    if let Ok(number) = text.trim().parse() {
        return gomocup::variant_of(number);
    }
    let text = text.to_lowercase().replace(['-', '_'], " ");
    let has = |word: &str| text.contains(word);
    if let Some((_, k)) = text.split_once("mnk") {
        let k = k.split_whitespace().next()?.parse().ok()?;
        return Rules::new(Variant::Mnk { k }, Size::square(15)).ok().map(Rules::variant);
    }
    // Names that are part of others come later.
    let names = [
        ("tic tac toe", Variant::Mnk { k: 3 }),
        ("caro overline", Variant::CaroOverline),
        ("caro", Variant::Caro),
        ("renju", Variant::Renju),
        ("standard", Variant::Standard),
        ("exactly five", Variant::Standard),
        ("free", Variant::Freestyle),
        ("gomoku", Variant::Freestyle),
    ];
    names.into_iter().find(|(name, _)| has(name)).map(|(_, variant)| variant)
}

/// The rules that a text names as Fivefold writes them: `renju 15x15`, `mnk 4 7x6`, `tic-tac-toe`.
pub(super) fn rules(text: &str) -> Option<Rules> {
    let variant = variant(text)?;
    let size = text.split_whitespace().next_back()?.parse::<Size>();
    let is_plain = matches!(variant, Variant::Mnk { .. }) || size.is_ok();
    let rules = Rules::new(variant, size.unwrap_or(variant.default_size())).ok()?;
    (is_plain && rules.to_string().eq_ignore_ascii_case(text.trim())).then_some(rules)
}
