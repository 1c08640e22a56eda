//! Requests by the session of the account that is signed in, which may ask for a key again.

use std::{io::Write, process::ExitCode, time::Duration};

use fivefold_shared::protocol::Reason;
use hyper::Method;
use serde_json::{Value, json};

use super::account_request::{is_signed_out, send, server, signed_out};
use crate::{
    cli::ServerArgs,
    server::{
        backoff::Backoff,
        http_request::{HttpAnswer, HttpRefused, HttpRequest, Key},
        server_list::ServerList,
        session_cookie::SessionCookie,
    },
    settings::Settings,
    terminal::{output, password_prompt},
};

/// How often a request is sent while the server is busy, before it fails: about two minutes in all.
const TRIES_MAX: usize = 20;

/// A session at a server.
pub(super) struct AccountSession<'a> {
    pub(super) server: &'a ServerList,
    args: &'a ServerArgs,
    session: &'a SessionCookie,
}

/// Does something as the account that is signed in, or says that none is.
pub(super) async fn with_session(
    args: &ServerArgs,
    act: impl AsyncFnOnce(&AccountSession<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(args, &settings)?;
    let Some(session) = settings.session(&server) else { return signed_out(&server) };
    match act(&AccountSession { server: &server, args, session }).await {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) if is_signed_out(&error) => signed_out(&server),
        Err(error) => Err(error),
    }
}

impl AccountSession<'_> {
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<HttpAnswer> {
        let request = HttpRequest { method, path, key: Key::Account(self.session), body };
        send(self.server, self.args, request).await
    }

    /// Like `send`, for work that takes many requests: repeats the request while the server is busy
    /// or unreachable.
    pub(super) async fn send_patiently(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<HttpAnswer> {
        let mut backoff = Backoff::default();
        for _ in 1..TRIES_MAX {
            match self.send(method.clone(), path, body.clone()).await {
                Err(error) if may_pass(&error) => {
                    // The server asks to wait a second.
                    let wait = backoff.next(rand::random()).max(Duration::from_secs(1));
                    tokio::time::sleep(wait).await;
                }
                answer => return answer,
            }
        }
        self.send(method, path, body).await
    }

    /// The same for a request that the server may refuse until the password is shown again.
    pub(super) async fn send_with_key(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<HttpAnswer> {
        match self.send(method.clone(), path, body.clone()).await {
            Err(error) if asks_for_key(&error) => {
                self.confirm().await?;
                self.send(method, path, body).await
            }
            answer => answer,
        }
    }

    /// Shows the password again.
    async fn confirm(&self) -> anyhow::Result<()> {
        writeln!(
            output::stderr(),
            "A token opens your account, so the server wants to know that it is you."
        )?;
        let password = password_prompt::password().await?;
        let body = json!({"password": password});
        self.send(Method::POST, "/api/account/confirm", Some(body)).await.map(drop)
    }
}

/// Whether the same request may succeed in a moment.
fn may_pass(error: &anyhow::Error) -> bool {
    match error.downcast_ref::<HttpRefused>() {
        Some(HttpRefused(refusal)) => refusal.reason.class().is_passing(),
        None => true,
    }
}

fn asks_for_key(error: &anyhow::Error) -> bool {
    let refused = error.downcast_ref::<HttpRefused>();
    refused.is_some_and(|HttpRefused(refusal)| refusal.reason == Reason::ConfirmFirst)
}
