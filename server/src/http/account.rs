//! Accounts over HTTP: signing up, in and out, recovering an account, and its settings.
//!
//! A session is in a cookie. Only pages of this server may change anything: a browser names the page
//! in `Origin` and `Sec-Fetch-Site`, and programs send neither.

pub(super) mod cookie;
mod device;
mod devices;
mod export;
mod keys;
pub(super) mod token;

use std::{convert::Infallible, sync::Arc};

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{FromRequestParts, Path, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
    routing::{delete, get, post},
};
use fivefold_shared::protocol::{Identity, MemberId, Name, Reason, Refusal, Scope};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use self::keys::ShownKeys;
use super::{
    caller::Caller,
    questions::read,
    refusals::{Refused, malformed, refused},
};
use crate::{
    accounts::{
        Accounts, Credentials, Device, NewKey, Opened, PasskeyAnswer, RecoveryCodes, SignedIn,
        TokenHolder,
    },
    ids, origin,
    passwords::Password,
    server::Server,
    storage::{Account, AccountSession, KeyHash, Sessions},
};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The paths of accounts.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/account", get(account).post(sign_up).delete(delete_account))
        .route("/api/account/password", post(set_password))
        .route("/api/account/codes", post(set_codes))
        .route("/api/account/name", post(rename))
        .route("/api/account/export", get(export::export))
        .route("/api/session", post(sign_in).delete(sign_out))
        .route("/api/sessions", delete(end_others))
        .route("/api/sessions/{id}", delete(end_one))
        .route("/api/recovery", post(recover))
        .merge(keys::routes())
        .merge(devices::routes())
}

/// Refuses requests of other sites that would change something. No answer is kept by anybody.
pub(super) async fn guard(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    request: Request,
    next: Next,
) -> Response {
    let mut answer = if may_change(&server, &caller, &request) {
        next.run(request).await
    } else {
        AccountRefusal::from(Reason::ForeignPage).into_response()
    };
    if let Some(reason) = answer.extensions().get::<Reason>() {
        server.metrics.refused(*reason);
    }
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

fn may_change(server: &Server, caller: &Caller, request: &Request) -> bool {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return true;
    }
    let headers = request.headers();
    let host = server.proxies.host(caller.peer, headers);
    let sites = headers.get_all(SEC_FETCH_SITE).iter();
    let mut sites = sites.map(HeaderValue::as_bytes);
    origin::is_allowed(headers, host, &server.origins)
        && sites.all(|site| matches!(site, b"same-origin" | b"none"))
}

/// Whether the browser encrypts the connection.
pub(super) fn is_encrypted(server: &Server, caller: &Caller, headers: &HeaderMap) -> bool {
    server.tls.is_some() || server.proxies.is_encrypted(caller.peer, headers)
}

/// The member who may read their own games: by the session in the cookie, or by a token. Nothing if there
/// is neither.
pub(super) async fn reader_of_games(
    server: &Server,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<Option<MemberId>, AccountRefusal> {
    let session = cookie::session(headers, is_encrypted(server, caller, headers));
    let address = server.proxies.client(caller.peer, headers);
    match (session, token::in_header(headers)) {
        (Some(_), Some(_)) => Err(Reason::TwoIdentities.into()),
        (None, None) => Ok(None),
        (Some(session), None) => {
            let found = server.accounts.of_session(session, address).await?;
            found.map_or(Err(Reason::SignedOut.into()), |own| Ok(Some(own.account.member)))
        }
        (None, Some(token)) => {
            let holder = server.accounts.of_token(token, address).await?;
            holder.scopes.check(Scope::ReadGames)?;
            Ok(Some(holder.account.member))
        }
    }
}

/// A request, apart from its body.
struct Asked {
    server: Arc<Server>,
    device: Device,
    is_encrypted: bool,
    /// The session in the cookie, which may have ended.
    session: Option<KeyHash>,
    /// The token in the header, which may not be valid.
    token: Option<KeyHash>,
    headers: HeaderMap,
}

impl FromRequestParts<Arc<Server>> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        server: &Arc<Server>,
    ) -> Result<Self, Infallible> {
        let caller = parts.extensions.get::<Caller>().expect("every connection adds it");
        let headers = parts.headers.clone();
        let address = server.proxies.client(caller.peer, &headers);
        let is_encrypted = is_encrypted(server, caller, &headers);
        let session = cookie::session(&headers, is_encrypted);
        let token = token::in_header(&headers);
        let device = Device { address, label: device::label(&headers) };
        Ok(Self { server: Arc::clone(server), device, is_encrypted, session, token, headers })
    }
}

impl Asked {
    fn accounts(&self) -> &Accounts {
        &self.server.accounts
    }

    /// Parses the body.
    fn body<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T, AccountRefusal> {
        Ok(read(&self.headers, body)?)
    }

    /// The member who is signed in, if somebody is. A token is not enough.
    async fn find_signed_in(&self) -> Result<Option<SignedIn>, AccountRefusal> {
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
    async fn signed_in(&self) -> Result<SignedIn, AccountRefusal> {
        self.find_signed_in().await?.ok_or_else(|| Reason::SignedOut.into())
    }

    /// The account for which the token in the header speaks.
    async fn token_holder(&self, token: KeyHash) -> Result<TokenHolder, AccountRefusal> {
        if self.session.is_some() {
            return Err(Reason::TwoIdentities.into());
        }
        Ok(self.accounts().of_token(token, self.device.address).await?)
    }

    /// The guest's identity, if the request carries one.
    fn guest(&self) -> Result<Option<Identity>, AccountRefusal> {
        let Some(value) = self.headers.get(header::AUTHORIZATION) else { return Ok(None) };
        let secret = value.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
        let identity = secret.and_then(|secret| Identity::try_from(secret).ok());
        match identity {
            Some(identity) => Ok(Some(identity)),
            None => Err(Refusal::malformed("Authorization holds no identity").into()),
        }
    }

    /// An answer that begins a session.
    fn begun(&self, status: StatusCode, secret: &str, answer: impl Serialize) -> Response {
        let cookie = (header::SET_COOKIE, cookie::given(secret, self.is_encrypted));
        (status, [cookie], Json(answer)).into_response()
    }
}

/// Why a request is not done.
pub(super) enum AccountRefusal {
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
        let mut answer = refused(status(reason), refusal).into_response();
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

fn status(reason: Reason) -> StatusCode {
    let is = |reasons: &[Reason]| reasons.contains(&reason);
    if is(&[Reason::SignedOut, Reason::WrongToken]) {
        StatusCode::UNAUTHORIZED
    } else if is(&[
        Reason::WrongPassword,
        Reason::WrongCode,
        Reason::WrongPasskey,
        Reason::WrongDeviceCode,
        Reason::DeviceDenied,
        Reason::ConfirmFirst,
        Reason::TokenScope,
        Reason::IdentityReplaced,
        Reason::NothingToKeep,
        Reason::ForeignPage,
    ]) {
        StatusCode::FORBIDDEN
    } else if is(&[
        Reason::NameTaken,
        Reason::TwoIdentities,
        Reason::LastKey,
        Reason::TooManyKeys,
        Reason::GameRunning,
    ]) {
        StatusCode::CONFLICT
    } else if is(&[Reason::TooManyTries, Reason::NameChangedLately]) {
        StatusCode::TOO_MANY_REQUESTS
    } else if is(&[Reason::Busy, Reason::Unavailable]) {
        StatusCode::SERVICE_UNAVAILABLE
    } else if is(&[Reason::Broken]) {
        StatusCode::INTERNAL_SERVER_ERROR
    } else {
        StatusCode::BAD_REQUEST
    }
}

fn take_cookies(answer: &mut Response) {
    for cookie in cookie::taken() {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

/// An account as its member sees it.
#[derive(Serialize)]
struct ShownAccount {
    id: MemberId,
    name: Name,
    made_at: u64,
}

impl From<Account> for ShownAccount {
    fn from(Account { member, name, made_at, .. }: Account) -> Self {
        Self { id: member, name, made_at }
    }
}

/// A session as its member sees it.
#[derive(Serialize)]
struct ShownSession {
    id: String,
    label: String,
    made_at: u64,
    seen_at: u64,
    /// Whether it is the one that asks.
    current: bool,
}

impl ShownSession {
    fn new(session: AccountSession, current: KeyHash) -> Self {
        let AccountSession { hash, label, made_at, seen_at, .. } = session;
        Self { id: ids::session_id(hash), label, made_at, seen_at, current: hash == current }
    }
}

#[derive(Serialize)]
struct ShownAccounts {
    account: ShownAccount,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_codes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_codes_left: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<Vec<ShownSession>>,
    #[serde(flatten)]
    keys: Option<ShownKeys>,
}

impl ShownAccounts {
    fn of(account: Account) -> Self {
        let account = account.into();
        Self {
            account,
            recovery_codes: None,
            recovery_codes_left: None,
            sessions: None,
            keys: None,
        }
    }
}

/// `GET /api/account`
async fn account(asked: Asked) -> Result<Response, AccountRefusal> {
    if let Some(token) = asked.token {
        let TokenHolder { account, scopes, .. } = asked.token_holder(token).await?;
        scopes.check(Scope::ReadAccount)?;
        return Ok(Json(ShownAccounts::of(account)).into_response());
    }
    let own = asked.signed_in().await?;
    Ok(Json(shown(&asked, own).await?).into_response())
}

/// All that a member sees of their account.
async fn shown(asked: &Asked, own: SignedIn) -> Result<ShownAccounts, AccountRefusal> {
    let keys = asked.accounts().keys(&own.account).await?;
    let shown_keys = ShownKeys::new(&keys, &own.session, asked);
    let SignedIn { account, session } = own;
    let sessions = keys.sessions.into_iter().map(|own| ShownSession::new(own, session.hash));
    Ok(ShownAccounts {
        sessions: Some(sessions.collect()),
        recovery_codes_left: Some(keys.codes_left),
        keys: Some(shown_keys),
        ..ShownAccounts::of(account)
    })
}

/// A body with the name and the first key of a new account.
#[derive(Deserialize)]
struct NameAndKey {
    name: String,
    password: Option<Password>,
    passkey: Option<PasskeyAnswer>,
}

/// `POST /api/account`
async fn sign_up(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let NameAndKey { name, password, passkey } = asked.body(&body)?;
    let key = match (password, passkey) {
        (Some(password), None) => NewKey::Password(password),
        (None, Some(answer)) => NewKey::Passkey(answer),
        (Some(_), Some(_)) | (None, None) => return Err(one_key()),
    };
    if asked.find_signed_in().await?.is_some() {
        return Err(Reason::TwoIdentities.into());
    }
    let guest = asked.guest()?;
    let (opened, codes) = asked.accounts().sign_up(&name, key, guest, &asked.device).await?;
    let (Opened { account, secret }, RecoveryCodes(codes)) = (opened, codes);
    let shown = ShownAccounts { recovery_codes: Some(codes), ..ShownAccounts::of(account) };
    Ok(asked.begun(StatusCode::CREATED, &secret, shown))
}

fn one_key() -> AccountRefusal {
    let text = "the body needs a password or a passkey".to_owned();
    AccountRefusal::Malformed(malformed(StatusCode::UNPROCESSABLE_ENTITY, text))
}

/// A body that signs in: a name and a password, or a passkey.
#[derive(Deserialize)]
struct SignInBody {
    name: Option<String>,
    password: Option<Password>,
    passkey: Option<PasskeyAnswer>,
}

/// `POST /api/session`
async fn sign_in(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let SignInBody { name, password, passkey } = asked.body(&body)?;
    let before = asked.find_signed_in().await?;
    let (accounts, device) = (asked.accounts(), &asked.device);
    let Opened { account, secret } = match (name, password, passkey) {
        (Some(name), Some(password), None) => {
            accounts.sign_in(Credentials { name, password }, device).await?
        }
        (_, None, Some(answer)) => accounts.sign_in_by_passkey(answer, device).await?,
        _ => return Err(one_key()),
    };
    // Nobody has its cookie any more.
    if let Some(SignedIn { account, session }) = before {
        asked.accounts().end(&account, Sessions::One(session.hash)).await?;
    }
    Ok(asked.begun(StatusCode::OK, &secret, ShownAccounts::of(account)))
}

#[derive(Deserialize)]
struct Recovery {
    name: String,
    code: String,
    password: Password,
}

/// `POST /api/recovery`
async fn recover(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let Recovery { name, code, password } = asked.body(&body)?;
    let typed = Credentials { name, password };
    let (opened, codes_left) = asked.accounts().recover(typed, &code, &asked.device).await?;
    let Opened { account, secret } = opened;
    let shown =
        ShownAccounts { recovery_codes_left: Some(codes_left), ..ShownAccounts::of(account) };
    Ok(asked.begun(StatusCode::OK, &secret, shown))
}

/// `DELETE /api/session`
async fn sign_out(asked: Asked) -> Result<Response, AccountRefusal> {
    if let Some(SignedIn { account, session }) = asked.find_signed_in().await? {
        asked.accounts().end(&account, Sessions::One(session.hash)).await?;
    }
    let mut answer = StatusCode::NO_CONTENT.into_response();
    take_cookies(&mut answer);
    Ok(answer)
}

/// `DELETE /api/sessions`
async fn end_others(asked: Asked) -> Result<StatusCode, AccountRefusal> {
    let SignedIn { account, session } = asked.signed_in().await?;
    asked.accounts().end(&account, Sessions::AllBut(session.hash)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /api/sessions/{id}`
async fn end_one(asked: Asked, Path(id): Path<String>) -> Result<StatusCode, AccountRefusal> {
    let SignedIn { account, .. } = asked.signed_in().await?;
    let sessions = asked.accounts().keys(&account).await?.sessions;
    // It may have ended already.
    if let Some(one) = sessions.into_iter().find(|session| ids::session_id(session.hash) == id) {
        asked.accounts().end(&account, Sessions::One(one.hash)).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct NewPassword {
    password: Option<Password>,
    new_password: Password,
}

/// `POST /api/account/password`
async fn set_password(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let NewPassword { password, new_password } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.accounts().set_password(&own, password, new_password, &asked.device).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A body of a request that asks for a key: the password, unless one was used a short time ago.
#[derive(Deserialize)]
struct Confirmation {
    password: Option<Password>,
}

#[derive(Serialize)]
struct ShownCodes {
    recovery_codes: Vec<String>,
}

/// `POST /api/account/codes`
async fn set_codes(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let Confirmation { password } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let codes = asked.accounts().set_codes(&own, password, &asked.device).await?;
    Ok(Json(ShownCodes { recovery_codes: codes.0 }).into_response())
}

#[derive(Deserialize)]
struct NewName {
    name: String,
    password: Option<Password>,
}

/// `POST /api/account/name`
async fn rename(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let NewName { name, password } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let renamed = asked.accounts().rename(&own, (name, password), &asked.device).await?;
    Ok(Json(ShownAccounts::of(renamed)).into_response())
}

/// `DELETE /api/account`
async fn delete_account(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let Confirmation { password } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.accounts().delete(&own, password, &asked.device).await?;
    let mut answer = StatusCode::NO_CONTENT.into_response();
    take_cookies(&mut answer);
    Ok(answer)
}
