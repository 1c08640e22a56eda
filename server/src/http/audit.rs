//! The audit lines of requests: who tried to open an account, and what an operator did. Handlers note whose
//! account it is; the rest is in the request and the answer.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    extract::{FromRequestParts, Request},
    http::{Method, request::Parts},
    response::Response,
};
use fivefold_shared::protocol::{Name, Reason};

use super::caller::Caller;
use crate::{metrics::ReasonLabel, process::audit::Audited, shared_state::Server};

/// What a handler knows for the line about its request. A clone is the same.
#[derive(Clone, Debug, Default)]
pub(super) struct AuditNote(Arc<Mutex<Note>>);

#[derive(Debug, Default)]
struct Note {
    account: Option<Name>,
    /// What an operator does.
    what: Option<String>,
    /// What an operator tells people.
    why: Option<String>,
}

impl AuditNote {
    /// The account is this one.
    pub(super) fn account(&self, name: &Name) {
        self.lock().account = Some(name.clone());
    }

    /// The operator does this.
    pub(super) fn what(&self, what: impl Into<String>) {
        self.lock().what = Some(what.into());
    }

    /// The operator tells people this.
    pub(super) fn why(&self, why: impl Into<String>) {
        self.lock().why = Some(why.into());
    }

    fn lock(&self) -> MutexGuard<'_, Note> {
        // Nothing panics between two changes that belong together.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Sync> FromRequestParts<S> for AuditNote {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}

/// A request whose answer may be worth a line.
#[derive(Debug)]
pub(super) struct Auditing {
    act: Option<&'static str>,
    path: String,
    address: Option<String>,
    note: AuditNote,
}

/// Acts that are logged whatever comes of them. Operators' acts are those below [`OPERATORS`].
const ACTS: [(&str, &str); 7] = [
    ("/api/account", "sign_up"),
    ("/api/session", "sign_in"),
    ("/api/oidc/answer", "sign_in"),
    ("/api/recovery", "recovery"),
    ("/api/email", "email"),
    ("/api/email/confirm", "email"),
    ("/api/first-operator", "first_operator"),
];

const OPERATORS: [&str; 2] = ["/api/moderation/", "/api/admin/"];

impl Auditing {
    /// Begins with a request, and hands its handler a note.
    pub(super) fn begin(server: &Server, caller: &Caller, request: &mut Request) -> Self {
        let path = request.uri().path().to_owned();
        let act = match *request.method() {
            Method::GET | Method::HEAD | Method::DELETE => None,
            _ if about(&path).is_some() => Some("operator"),
            _ => ACTS.into_iter().find(|(known, _)| *known == path).map(|(_, act)| act),
        };
        let note = AuditNote::default();
        request.extensions_mut().insert(note.clone());
        Self { act, path, address: server.addresses.shown(caller.address), note }
    }

    /// Logs the line, if the answer is worth one.
    pub(super) fn end(self, answer: &Response) {
        let Self { act, path, address, note } = self;
        let reason = answer.extensions().get::<Reason>().copied();
        let Note { account, what, why } = &*note.lock();
        let act = match (act, reason) {
            (Some(act), Some(_)) => act,
            // Some requests of these only ask.
            (Some(act), None) if answer.status().is_success() && account.is_some() => act,
            // A key that is shown again, for example to delete the account.
            (None, Some(reason)) if is_wrong_key(reason) => "confirm",
            (Some(_) | None, _) => return,
        };
        let result = reason.map_or_else(|| "done".to_owned(), |it| ReasonLabel(it).to_string());
        let about = about(&path).map(|about| match what {
            Some(what) => format!("{what} {about}"),
            None => about.to_owned(),
        });
        let account = account.as_ref().map(Name::as_str);
        let (what, why) = (about.as_deref(), why.as_deref());
        Audited { act, result, account, what, why, address }.log();
    }
}

/// What a path of operators is about.
fn about(path: &str) -> Option<&str> {
    OPERATORS.into_iter().find_map(|prefix| path.strip_prefix(prefix))
}

/// Whether somebody has shown a key that opens nothing, or too many of them.
const fn is_wrong_key(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::WrongPassword
            | Reason::WrongCode
            | Reason::WrongPasskey
            | Reason::WrongOidc
            | Reason::WrongToken
            | Reason::WrongDeviceCode
            | Reason::TooManyTries
    )
}
