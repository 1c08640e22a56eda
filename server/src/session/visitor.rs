//! Who opens a socket, before they say hello.

use std::net::IpAddr;

use fivefold_storage::KeyHash;

/// Who opened a socket, as the handshake has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visitor {
    pub(crate) address: IpAddr,
    /// A digest of its browser or program; 0 if it does not say what it is.
    pub(crate) agent: u64,
    /// The session of an account in the cookie, which may have ended.
    pub(crate) account: Option<KeyHash>,
    /// The token in the `Authorization` header, which may not be valid.
    pub(crate) token: Option<KeyHash>,
    /// A digest of the device's cookie.
    pub(crate) device: Option<u64>,
    /// Whether it only watches, as boards on other sites do: it is nobody, and may be any page's.
    pub(crate) watches: bool,
}

impl Visitor {
    /// One who only watches.
    pub(crate) const fn watching(address: IpAddr) -> Self {
        Self { address, agent: 0, account: None, token: None, device: None, watches: true }
    }
}
