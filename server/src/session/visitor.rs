//! Who opens a socket, before they say hello.

use std::net::IpAddr;

use crate::storage::KeyHash;

/// Who opened a socket, as the handshake has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visitor {
    pub(crate) address: IpAddr,
    /// The session of an account in the cookie, which may have ended.
    pub(crate) account: Option<KeyHash>,
    /// The token in the `Authorization` header, which may not be valid.
    pub(crate) token: Option<KeyHash>,
}
