//! Lists from nodes of another version, without the entries that this version does not know.

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;

/// A list from another node, as JSON.
#[derive(Debug, Deserialize)]
#[serde(transparent, bound = "T: DeserializeOwned")]
pub(super) struct KnownOnly<T>(#[serde(deserialize_with = "known_only")] pub(super) Vec<T>);

/// Reads a list, and skips entries that this version does not know.
pub(super) fn known_only<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let list = Vec::<Value>::deserialize(deserializer)?;
    Ok(list.into_iter().filter_map(|one| serde_json::from_value(one).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_later_version_are_left_out() {
        let read = |text| serde_json::from_str(text).map(|KnownOnly::<u8>(list)| list).ok();
        assert_eq!(read(r#"[1, "two", 3, {"four": 4}, 500]"#), Some(vec![1, 3]));
        assert_eq!(read("[]"), Some(vec![]));
        assert_eq!(read("7"), None);
    }
}
