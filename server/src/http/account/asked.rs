//! A request about accounts: who sends it, by which key, and how it is refused.

use std::{convert::Infallible, sync::Arc};

use axum::{
    Json,
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::{AppendHeaders, IntoResponse, Response},
};
use fivefold_shared::protocol::{Identity, MemberId, Reason, Refusal};
use fivefold_storage::{Account, KeyHash};
use serde::{Serialize, de::DeserializeOwned};

use super::{cookie, device, token};
use crate::{
    accounts::{Accounts, Device, Opened, SignedIn, device_key::DeviceKey, tokens::TokenHolder},
    http::{
        audit::AuditNote,
        caller::Caller,
        questions::read,
        refusals::{Refused, malformed, refused},
    },
    shared_state::Server,
};

/// A request, apart from its body.
pub(in crate::http) struct Asked {
    pub(in crate::http) server: Arc<Server>,
    pub(in crate::http) device: Device,
    pub(super) is_encrypted: bool,
    /// The session in the cookie, which may have ended.
    pub(super) session: Option<KeyHash>,
    /// The token in the header, which may not be valid.
    pub(super) token: Option<KeyHash>,
    pub(super) headers: HeaderMap,
    /// For the line in the audit log.
    pub(in crate::http) audit: AuditNote,
}

impl FromRequestParts<Arc<Server>> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        server: &Arc<Server>,
    ) -> Result<Self, Infallible> {
        let Ok(audit) = AuditNote::from_request_parts(parts, server).await;
        let caller = parts.extensions.get::<Caller>().expect("every connection adds it");
        let headers = parts.headers.clone();
        let address = caller.address;
        let is_encrypted = server.is_encrypted(caller.peer, &headers);
        let session = cookie::session(&headers, is_encrypted);
        let token = token::in_header(&headers);
        let key = cookie::device(&headers, is_encrypted);
        let device = Device { address, label: device::label(&headers), key };
        let server = Arc::clone(server);
        Ok(Self { server, device, is_encrypted, session, token, headers, audit })
    }
}

impl Asked {
    pub(super) fn accounts(&self) -> &Accounts {
        &self.server.accounts
    }

    /// Parses the body.
    pub(in crate::http) fn body<T: DeserializeOwned>(
        &self,
        body: &[u8],
    ) -> Result<T, AccountRefusal> {
        Ok(read(&self.headers, body)?)
    }

    /// The member who is signed in, if somebody is. A token is not enough.
    pub(super) async fn find_signed_in(&self) -> Result<Option<SignedIn>, AccountRefusal> {
        if self.token.is_some() {
            let both = self.session.is_some();
            let reason = if both { Reason::TwoIdentities } else { Reason::TokenScope };
            return Err(reason.into());
        }
        match self.session {
            Some(session) => Ok(self.accounts().of_session(session, self.device.address).await?),
            None => Ok(None),
        }
    }

    /// The member who is signed in.
    pub(in crate::http) async fn signed_in(&self) -> Result<SignedIn, AccountRefusal> {
        let own = self.find_signed_in().await?.ok_or(Reason::SignedOut)?;
        self.audit.account(&own.account.name);
        Ok(own)
    }

    /// Notes whose account a wrong key was for. What somebody typed is no name if there is none: it may
    /// be a password.
    pub(super) async fn note_wrong<T>(
        &self,
        typed: &str,
        opened: Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if let Err(refusal) = &opened
            && matches!(refusal.reason, Reason::WrongPassword | Reason::WrongCode)
            && let Some(name) = self.accounts().name_like(typed).await
        {
            self.audit.account(&name);
        }
        opened
    }

    /// The member who asks: of the account in the cookie, or the guest with the identity.
    pub(in crate::http) async fn member(&self) -> Result<MemberId, AccountRefusal> {
        if self.token.is_some() {
            return Ok(self.signed_in().await?.account.member);
        }
        match self.guest()? {
            Some(guest) if self.session.is_none() => Ok(self.server.identities.find(guest).await?),
            Some(_) => Err(Reason::TwoIdentities.into()),
            None => Ok(self.signed_in().await?.account.member),
        }
    }

    /// Counts a change by this [`member`](Self::member), who sent the request.
    ///
    /// # Errors
    /// If there were too many.
    pub(in crate::http) fn take_change(&self, member: &MemberId) -> Result<(), Refusal> {
        // Guests send no session.
        let account = self.session.is_some().then_some(member);
        self.server.moderation.take_change(account, self.device.address)
    }

    /// The account for which the token in the header speaks.
    pub(super) async fn token_holder(&self, token: KeyHash) -> Result<TokenHolder, AccountRefusal> {
        if self.session.is_some() {
            return Err(Reason::TwoIdentities.into());
        }
        Ok(self.accounts().of_token(token, self.device.address).await?)
    }

    /// The guest's identity, if the request carries one.
    pub(super) fn guest(&self) -> Result<Option<Identity>, AccountRefusal> {
        let Some(value) = self.headers.get(header::AUTHORIZATION) else { return Ok(None) };
        let secret = value.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
        let identity = secret.and_then(|secret| Identity::try_from(secret).ok());
        match identity {
            Some(identity) => Ok(Some(identity)),
            None => Err(Refusal::malformed("Authorization holds no identity").into()),
        }
    }

    /// Adds the cookie of encrypted connections to an answer, if the browser has only the other one.
    pub(super) fn replace_cookie(&self, answer: &mut Response) {
        let Some(secret) = cookie::to_replace(&self.headers, self.is_encrypted) else { return };
        for cookie in [cookie::given(secret, true), cookie::plain_taken()] {
            answer.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }

    /// An answer that begins a session.
    pub(super) fn begun<S: Serialize>(
        &self,
        status: StatusCode,
        Opened { account, secret }: Opened,
        show: impl FnOnce(Account) -> S,
    ) -> Response {
        self.audit.account(&account.name);
        let device = DeviceKey::after(self.device.key.as_ref(), &account);
        let cookies = AppendHeaders([
            (header::SET_COOKIE, cookie::given(&secret, self.is_encrypted)),
            (header::SET_COOKIE, cookie::of_device(&device, self.is_encrypted)),
        ]);
        (status, cookies, Json(show(account))).into_response()
    }
}

/// Why a request is not done.
pub(in crate::http) enum AccountRefusal {
    Refused(Refusal),
    Malformed(Refused),
}

impl From<Refusal> for AccountRefusal {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Reason> for AccountRefusal {
    fn from(reason: Reason) -> Self {
        Self::Refused(reason.into())
    }
}

impl From<Refused> for AccountRefusal {
    fn from(refused: Refused) -> Self {
        Self::Malformed(refused)
    }
}

impl IntoResponse for AccountRefusal {
    fn into_response(self) -> Response {
        let refusal = match self {
            Self::Refused(refusal) => refusal,
            Self::Malformed(refused) => return refused.into_response(),
        };
        let (reason, wait_ms) = (refusal.reason, refusal.values.wait_ms);
        let mut answer = refused(refusal).into_response();
        if let Some(wait_ms) = wait_ms {
            let seconds = HeaderValue::from(wait_ms.div_ceil(1_000));
            answer.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        if reason == Reason::SignedOut {
            take_cookies(&mut answer);
        }
        answer.extensions_mut().insert(reason);
        answer
    }
}

pub(super) fn take_cookies(answer: &mut Response) {
    for cookie in cookie::taken() {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

/// The refusal of a body that needs one key.
pub(super) fn one_key() -> AccountRefusal {
    let text = "the body needs one key: a password, a passkey or a ticket".to_owned();
    AccountRefusal::Malformed(malformed(StatusCode::UNPROCESSABLE_ENTITY, text))
}
