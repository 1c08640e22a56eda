//! The opening handshake of a WebSocket (RFC 6455, section 4.2).

use axum::{
    body::Body,
    extract::Request,
    http::{
        HeaderMap, HeaderName, Method, Response, StatusCode, Version,
        header::{
            ALLOW, CONNECTION, HOST, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
            SEC_WEBSOCKET_VERSION, UPGRADE,
        },
    },
    response::IntoResponse,
};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::refusals::malformed;
use crate::net::proxy::faults::ProxyFault;

/// The only valid version (RFC 6455, section 4.1, point 9).
const VERSION: &str = "13";

/// Why a request is not a valid handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoHandshake {
    /// The method is not GET.
    Method,
    /// An ordinary HTTP request.
    NoUpgrade,
    /// An unsupported WebSocket version.
    Version,
    /// A handshake with an invalid header.
    Malformed(&'static str),
    /// A handshake that a proxy has changed.
    Proxy(ProxyFault),
}

/// Checks a handshake, and returns the value of `Sec-WebSocket-Accept` for the response.
///
/// # Errors
/// If the request is not a handshake by RFC 6455.
pub(super) fn accept(request: &Request) -> Result<String, NoHandshake> {
    let headers = request.headers();
    if request.method() != Method::GET {
        return Err(NoHandshake::Method);
    }
    if let Some(fault) = ProxyFault::of_handshake(request.version(), headers) {
        return Err(NoHandshake::Proxy(fault));
    }
    if request.version() != Version::HTTP_11 {
        return Err(NoHandshake::Malformed("the handshake needs HTTP/1.1"));
    }
    if headers.get_all(HOST).iter().count() != 1 {
        return Err(NoHandshake::Malformed("the handshake needs one Host header"));
    }
    if !has_token(headers, &UPGRADE, "websocket") {
        return Err(NoHandshake::NoUpgrade);
    }
    if !has_token(headers, &CONNECTION, "upgrade") {
        return Err(NoHandshake::Malformed("the handshake needs \"Connection: Upgrade\""));
    }
    match single(headers, &SEC_WEBSOCKET_VERSION) {
        Some(VERSION) => {}
        Some(_) | None => return Err(NoHandshake::Version),
    }
    match single(headers, &SEC_WEBSOCKET_KEY) {
        Some(key) if is_key(key) => Ok(derive_accept_key(key.as_bytes())),
        Some(_) | None => Err(NoHandshake::Malformed(
            "the handshake needs one Sec-WebSocket-Key: 16 bytes in base64",
        )),
    }
}

/// The response to a valid handshake.
pub(super) fn switching(accept: &str) -> Response<Body> {
    let headers = [(UPGRADE, "websocket"), (CONNECTION, "Upgrade"), (SEC_WEBSOCKET_ACCEPT, accept)];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

impl IntoResponse for NoHandshake {
    fn into_response(self) -> Response<Body> {
        match self {
            Self::Method => {
                let refusal = malformed(StatusCode::METHOD_NOT_ALLOWED, "use GET".to_owned());
                ([(ALLOW, "GET")], refusal).into_response()
            }
            Self::NoUpgrade => {
                let headers = [(UPGRADE, "websocket"), (CONNECTION, "Upgrade")];
                let text = "this is the address of a WebSocket".to_owned();
                (headers, malformed(StatusCode::UPGRADE_REQUIRED, text)).into_response()
            }
            Self::Version => {
                let headers = [
                    (SEC_WEBSOCKET_VERSION, VERSION),
                    (UPGRADE, "websocket"),
                    (CONNECTION, "Upgrade"),
                ];
                let text = "the server speaks only version 13 of WebSocket".to_owned();
                (headers, malformed(StatusCode::UPGRADE_REQUIRED, text)).into_response()
            }
            Self::Malformed(text) => {
                malformed(StatusCode::BAD_REQUEST, text.to_owned()).into_response()
            }
            Self::Proxy(fault) => {
                malformed(StatusCode::BAD_REQUEST, fault.text().to_owned()).into_response()
            }
        }
    }
}

/// Whether this list header, in one or more lines, contains the token in any case.
fn has_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|element| element.trim().eq_ignore_ascii_case(token))
}

/// The value of a header that must occur exactly once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Whether this is base64 of 16 bytes: 21 digits, one digit whose last four bits are zero, and
/// padding.
fn is_key(key: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    match key.as_bytes() {
        [digits @ .., last, b'=', b'='] => {
            digits.len() == 21
                && digits.iter().copied().all(is_digit)
                && matches!(last, b'A' | b'Q' | b'g' | b'w')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sixteen_bytes_in_base64() {
        let cases = [
            ("dGhlIHNhbXBsZSBub25jZQ==", true),
            ("AAAAAAAAAAAAAAAAAAAAAA==", true),
            ("AAAAAAAAAAAAAAAAAAAAAB==", false),
            ("dGhlIHNhbXBsZSBub25jZQ", false),
            ("dGhlIHNhbXBsZSBub25j", false),
            ("dGhlIHNhbXBsZSBub25jZSE=", false),
            ("dGhlIHNhbXBsZSBub2 jZQ==", false),
            ("", false),
        ];
        for (key, expected) in cases {
            assert_eq!(is_key(key), expected, "{key:?}");
        }
    }

    #[test]
    fn lists_of_tokens_are_read_in_any_form() {
        let cases: [(&[&str], bool); 5] = [
            (&["upgrade"], true),
            (&["keep-alive, Upgrade"], true),
            (&["keep-alive", "UPGRADE"], true),
            (&["upgraded"], false),
            (&[], false),
        ];
        for (values, expected) in cases {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(CONNECTION, value.parse().unwrap());
            }
            assert_eq!(has_token(&headers, &CONNECTION, "upgrade"), expected, "{values:?}");
        }
    }
}
