//! What a device calls itself, so that members recognize their sessions.

use axum::http::{HeaderMap, header::USER_AGENT};
use sha2::{Digest, Sha256};

use crate::limits::accounts::SESSION_LABEL_MAX;

/// Browsers, by a word in `User-Agent`. Several browsers name those below them.
const BROWSERS: [(&str, &str); 6] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// The same for systems.
const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// A digest of what the browser or program says that it is; 0 if it says nothing.
pub(in crate::http) fn agent(headers: &HeaderMap) -> u64 {
    let Some(agent) = headers.get(USER_AGENT) else { return 0 };
    let digest = Sha256::new().chain_update("fivefold agent").chain_update(agent.as_bytes());
    let digest: [u8; 32] = digest.finalize().into();
    digest[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A short name of the device, such as `Firefox on Linux`.
pub(super) fn label(headers: &HeaderMap) -> String {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let named = |names: &[(&str, &'static str)]| {
        names.iter().find(|(word, _)| agent.contains(word)).map(|(_, name)| *name)
    };
    match (named(&BROWSERS), named(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(name), None) | (None, Some(name)) => name.to_owned(),
        (None, None) => agent.chars().take(SESSION_LABEL_MAX).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named_in_a_few_words() {
        let most = "x".repeat(SESSION_LABEL_MAX);
        let cases = [
            ("", ""),
            ("fivefold 0.1.0", "fivefold 0.1.0"),
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                "Firefox on Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 \
                 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            (&most, &most),
            (&format!("{most}y"), &most),
        ];
        for (agent, expected) in cases {
            let headers = HeaderMap::from_iter([(USER_AGENT, agent.parse().unwrap())]);
            assert_eq!(label(&headers), expected);
        }
        assert_eq!(label(&HeaderMap::new()), "");
    }
}
