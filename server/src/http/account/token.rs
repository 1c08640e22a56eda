//! The token in the `Authorization` header of a request.

use axum::http::{HeaderMap, header::AUTHORIZATION};
use fivefold_storage::KeyHash;

use crate::process::ids;

/// The token of a request, which may not be valid. The identity of a guest is none.
pub(in crate::http) fn in_header(headers: &HeaderMap) -> Option<KeyHash> {
    let text = headers.get(AUTHORIZATION)?.to_str().ok()?;
    of_text(text.strip_prefix("Bearer ")?)
}

/// The hash of what looks like a token.
pub(in crate::http) fn of_text(text: &str) -> Option<KeyHash> {
    text.starts_with("ff_").then(|| ids::token_hash(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tokens_are_tokens() {
        let token = ids::token_hash("ff_abc");
        let cases = [
            ("Bearer ff_abc", Some(token)),
            ("Bearer ff_abd", Some(ids::token_hash("ff_abd"))),
            ("Bearer 0123456789abcdef", None),
            ("Basic ff_abc", None),
            ("ff_abc", None),
        ];
        for (text, expected) in cases {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, text.parse().unwrap())]);
            assert_eq!(in_header(&headers), expected, "{text}");
        }
        assert_eq!(in_header(&HeaderMap::new()), None);
    }
}
