//! Signing in without a password: the program shows a code, and a page that is signed in allows it (as RFC
//! 8628 describes).

use std::{io::Write, time::Duration};

use anyhow::bail;
use fivefold_shared::protocol::Reason;
use hyper::Method;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::account_request::send;
use crate::{
    cli::ServerArgs,
    server::{
        http_request::{HttpAnswer, HttpRefused, HttpRequest, Key},
        server_list::ServerList,
    },
    terminal::{output, sanitize::sanitize},
};

/// Shortest and longest time between two questions, whatever the server says.
const POLL: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];
/// Longest wait for the person.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// The server's answer to a device that wants to sign in.
#[derive(Deserialize)]
struct NewDevice {
    device_code: String,
    user_code: String,
    expires_ms: u64,
    poll_ms: u64,
    url: Option<String>,
}

/// Shows a code, and waits until somebody allows it on a page.
pub(super) async fn sign_in(server: &ServerList, args: &ServerArgs) -> anyhow::Result<HttpAnswer> {
    let request =
        HttpRequest { method: Method::POST, path: "/api/device", key: Key::None, body: None };
    let NewDevice { device_code, user_code, expires_ms, poll_ms, url } =
        send(server, args, request).await?.json()?;
    let url = url.unwrap_or_else(|| format!("{}/#device", server.at(0)));
    let mut talk = output::stderr();
    writeln!(talk, "Open {} where you are signed in,", sanitize(&url))?;
    writeln!(talk, "and type this code: {}", sanitize(&in_two(&user_code)))?;
    let until = Instant::now() + Duration::from_millis(expires_ms).min(PATIENCE);
    let every = Duration::from_millis(poll_ms).clamp(POLL[0], POLL[1]);
    while Instant::now() < until {
        sleep(every).await;
        let request = HttpRequest {
            method: Method::POST,
            path: "/api/device/session",
            key: Key::None,
            body: Some(json!({"device_code": device_code})),
        };
        match send(server, args, request).await {
            Ok(answer) if answer.session.is_some() => return Ok(answer),
            Ok(_) => {}
            Err(error) if is_passing(&error) => {}
            Err(error) => return Err(error),
        }
    }
    bail!("nobody has allowed the code in time. Run this command again")
}

/// The code in two halves, which are easier to type.
fn in_two(code: &str) -> String {
    let letters: Vec<char> = code.to_uppercase().chars().collect();
    let (first, second) = letters.split_at(letters.len() / 2);
    format!("{}-{}", first.iter().collect::<String>(), second.iter().collect::<String>())
}

/// Whether a later question may succeed.
fn is_passing(error: &anyhow::Error) -> bool {
    match error.downcast_ref::<HttpRefused>() {
        Some(HttpRefused(refusal)) => {
            matches!(refusal.reason, Reason::TooManyTries | Reason::TooFast | Reason::Busy)
        }
        None => error.is::<std::io::Error>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_shown_in_two_halves() {
        assert_eq!(in_two("k7m2qpxw"), "K7M2-QPXW");
        assert_eq!(in_two(""), "-");
    }
}
