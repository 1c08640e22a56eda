//! The name of a server for its operators: its host's, or one that they choose. Its number says which life
//! of a node it is, and the name says which machine.

use std::{fmt, str::FromStr, sync::Arc};

/// Longest name.
const NODE_NAME_MAX: usize = 64;

/// Name of a server.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeName(Arc<str>);

/// Why a text is no name of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a name has 1 to {NODE_NAME_MAX} of the characters A-Z, a-z, 0-9, dot, _ and -")]
pub struct NodeNameError;

impl NodeName {
    /// The host's name.
    pub fn of_host() -> Self {
        let system = rustix::system::uname();
        let host = system.nodename().to_string_lossy();
        host.parse().unwrap_or_else(|NodeNameError| Self("unnamed".into()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for NodeName {
    type Err = NodeNameError;

    fn from_str(text: &str) -> Result<Self, NodeNameError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let is_name = (1..=NODE_NAME_MAX).contains(&text.len()) && text.bytes().all(is_plain);
        if is_name { Ok(Self(text.into())) } else { Err(NodeNameError) }
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        let longest = "n".repeat(NODE_NAME_MAX);
        for name in ["node-1.example.org", "a", &longest] {
            assert_eq!(name.parse::<NodeName>().unwrap().as_str(), name);
        }
        for text in ["", "two words", "a\nb", "\u{1b}[1m", &format!("{longest}n")] {
            assert_eq!(text.parse::<NodeName>(), Err(NodeNameError), "{text:?}");
        }
        assert!(!NodeName::of_host().as_str().is_empty());
    }
}
