//! The addresses of one server: a single one, or those of the nodes of a cluster. It does not know
//! which of them answers.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::server::room_link::{LinkError, ServerAddress};

/// Most addresses in a list.
pub const ADDRESSES_MAX: usize = 32;

/// Addresses that lead to the same rooms and people: at least one, each once, in the order in which
/// they are tried.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ServerList(Vec<ServerAddress>);

/// Why addresses are no list.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ListError {
    /// One of them is no address.
    #[error(transparent)]
    Address(#[from] LinkError),
    /// Without this rule, somebody who blocks the encrypted addresses could read the identity.
    #[error("either all addresses of a server begin with https, or none")]
    Mixed,
    /// Too many.
    #[error("at most {ADDRESSES_MAX} addresses")]
    TooMany,
}

impl ServerList {
    /// Makes a list; `None` of no address.
    ///
    /// # Errors
    /// When only some of the addresses are encrypted, or there are more than [`ADDRESSES_MAX`].
    pub fn new(addresses: &[ServerAddress]) -> Result<Option<Self>, ListError> {
        let mut list: Vec<ServerAddress> = Vec::new();
        for address in addresses {
            if !list.contains(address) {
                list.push(address.clone());
            }
        }
        let encrypted = list.iter().filter(|address| address.is_encrypted()).count();
        if encrypted != 0 && encrypted != list.len() {
            return Err(ListError::Mixed);
        }
        if list.len() > ADDRESSES_MAX {
            return Err(ListError::TooMany);
        }
        Ok(if list.is_empty() { None } else { Some(Self(list)) })
    }

    /// The addresses.
    pub fn iter(&self) -> impl Iterator<Item = &ServerAddress> {
        self.0.iter()
    }

    /// The number of addresses, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "a list is never empty")]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// The address with this index; after the last one follows the first.
    pub fn at(&self, index: usize) -> &ServerAddress {
        &self.0[index % self.0.len()]
    }

    /// Whether the connections are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.at(0).is_encrypted()
    }

    /// The same list beginning with this address; `None` if it is not in the list.
    #[must_use]
    pub fn beginning_with(&self, address: &ServerAddress) -> Option<Self> {
        let first = self.0.iter().position(|each| each == address)?;
        let mut list = self.0.clone();
        list.rotate_left(first);
        Some(Self(list))
    }
}

impl Default for ServerList {
    /// The address on which a server listens by default.
    fn default() -> Self {
        ServerAddress::default().into()
    }
}

impl From<ServerAddress> for ServerList {
    fn from(address: ServerAddress) -> Self {
        Self(vec![address])
    }
}

impl fmt::Display for ServerList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let addresses: Vec<_> = self.iter().map(ToString::to_string).collect();
        f.write_str(&addresses.join(", "))
    }
}

impl FromStr for ServerList {
    type Err = ListError;

    /// Reads addresses separated by commas.
    fn from_str(text: &str) -> Result<Self, ListError> {
        let addresses = text.split(',').map(str::parse).collect::<Result<Vec<_>, _>>()?;
        Self::new(&addresses)?.ok_or(ListError::Address(LinkError::Server))
    }
}

impl TryFrom<String> for ServerList {
    type Error = ListError;

    fn try_from(text: String) -> Result<Self, ListError> {
        text.parse()
    }
}

impl From<ServerList> for String {
    fn from(list: ServerList) -> Self {
        list.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let cases = [
            ("http://a", Ok("http://a")),
            ("http://a,http://b", Ok("http://a, http://b")),
            ("a:1, b:2/ws ,a:1/", Ok("http://a:1, http://b:2")),
            ("https://a,https://b/five", Ok("https://a, https://b/five")),
            ("https://a,http://b", Err(ListError::Mixed)),
            ("a,https://b", Err(ListError::Mixed)),
            ("a,", Err(ListError::Address(LinkError::Server))),
            ("", Err(ListError::Address(LinkError::Server))),
        ];
        for (text, expected) in cases {
            let read = text.parse::<ServerList>().map(String::from);
            assert_eq!(read, expected.map(str::to_owned), "{text:?}");
        }
    }

    #[test]
    fn a_list_has_a_greatest_length() {
        let list = |count: usize| {
            let text: Vec<_> = (0..count).map(|index| format!("h{index}")).collect();
            text.join(",").parse::<ServerList>().map(|list| list.len())
        };
        assert_eq!(list(ADDRESSES_MAX), Ok(ADDRESSES_MAX));
        assert_eq!(list(ADDRESSES_MAX + 1), Err(ListError::TooMany));
    }

    #[test]
    fn a_list_begins_with_any_of_its_addresses() {
        let list: ServerList = "a,b,c".parse().unwrap();
        let from = |text: &str| list.beginning_with(&text.parse().unwrap()).map(String::from);
        assert_eq!(from("b").as_deref(), Some("http://b, http://c, http://a"));
        assert_eq!(from("d"), None);
        assert_eq!((list.at(2).to_string(), list.at(3)), ("http://c".into(), list.at(0)));
    }
}
