//! The codes with which the server closes a socket. Standard ones (RFC 6455, section 7.4.1) where
//! one fits; from 4000 on our own. The close frame's reason gives the next step.

/// The client left, or the server answers its close.
pub const NORMAL: u16 = 1000;
/// A frame that breaks the WebSocket protocol. Do not reconnect.
pub const PROTOCOL_ERROR: u16 = 1002;
/// Text that is not UTF-8.
pub const INVALID_TEXT: u16 = 1007;
/// Too many commands, even after refusals. Reconnect and send more slowly.
pub const POLICY: u16 = 1008;
/// A message over the limit.
pub const TOO_BIG: u16 = 1009;
/// A fault of the server. Reconnect.
pub const SERVER_ERROR: u16 = 1011;
/// The server stops or restarts. Reconnect after a short random wait.
pub const RESTART: u16 = 1012;
/// The server is full. Reconnect later.
pub const TRY_LATER: u16 = 1013;
/// No `hello` came in time, or something else came before it.
pub const NO_HELLO: u16 = 4000;
/// The client reads too slowly, and its queue is full. Reconnect with the last seq.
pub const TOO_SLOW: u16 = 4001;
/// The client sent nothing for too long. Reconnect with the last seq.
pub const IDLE: u16 = 4002;
/// The protocol versions differ. Do not reconnect.
pub const VERSION: u16 = 4003;
/// The session's identity was replaced, or it was signed out. Reconnect with the new identity, or sign
/// in again.
pub const IDENTITY_REPLACED: u16 = 4004;

/// Whether a client should reconnect by itself after this code (and after no code at all).
pub const fn come_back(code: u16) -> bool {
    !matches!(code, NORMAL | PROTOCOL_ERROR | INVALID_TEXT | TOO_BIG | VERSION | IDENTITY_REPLACED)
}

#[cfg(test)]
mod tests {
    use super::come_back;

    #[test]
    fn the_guide_says_after_which_codes_to_come_back() {
        let guide = crate::protocol_guide::GUIDE;
        let mut seen = 0;
        for line in guide.lines() {
            let cells: Vec<_> = line.split('|').map(str::trim).collect();
            let [_, codes, _, back, _] = cells[..] else { continue };
            for code in codes.split(", ").filter_map(|code| code.parse().ok()) {
                assert_eq!(come_back(code), back.starts_with("yes"), "{code}");
                seen += 1;
            }
        }
        assert!(seen > 10, "{seen} codes in the table");
    }
}
