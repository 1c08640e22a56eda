//! Accounts over HTTP: signing up, in and out, recovering an account, and its settings.
//!
//! A session is in a cookie. Only pages of this server may change anything: a browser names the page
//! in `Origin` and `Sec-Fetch-Site`, and programs send neither.

pub(super) mod cookie;
mod device;

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
use fivefold_shared::{
    protocol::{Identity, MemberId, Name, Reason, Refusal},
    record::ListedGame,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    caller::Caller,
    questions::read,
    refusals::{Refused, refused},
};
use crate::{
    accounts::{Accounts, Credentials, Device, Opened, RecoveryCodes, SignedIn},
    ids,
    limits::{GAMES_PAGE_MAX, accounts::EXPORTED_GAMES_MAX},
    origin,
    passwords::Password,
    server::Server,
    storage::{Account, AccountSession, GameQuery, KeyHash, Sessions},
};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The paths of accounts.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/account", get(account).post(sign_up).delete(delete_account))
        .route("/api/account/password", post(set_password))
        .route("/api/account/codes", post(set_codes))
        .route("/api/account/name", post(rename))
        .route("/api/account/export", get(export))
        .route("/api/session", post(sign_in).delete(sign_out))
        .route("/api/sessions", delete(end_others))
        .route("/api/sessions/{id}", delete(end_one))
        .route("/api/recovery", post(recover))
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

/// The member whose session is in the cookie; nothing if there is no cookie.
pub(super) async fn signed_in(
    server: &Server,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<Option<MemberId>, AccountRefusal> {
    let session = cookie::session(headers, is_encrypted(server, caller, headers));
    let Some(session) = session else { return Ok(None) };
    let address = server.proxies.client(caller.peer, headers);
    let found = server.accounts.of_session(session, address).await?;
    found.map_or(Err(Reason::SignedOut.into()), |own| Ok(Some(own.account.member)))
}

/// A request, apart from its body.
pub(super) struct Asked {
    pub(super) server: Arc<Server>,
    pub(super) device: Device,
    is_encrypted: bool,
    /// The session in the cookie, which may have ended.
    session: Option<KeyHash>,
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
        let device = Device { address, label: device::label(&headers) };
        Ok(Self { server: Arc::clone(server), device, is_encrypted, session, headers })
    }
}

impl Asked {
    fn accounts(&self) -> &Accounts {
        &self.server.accounts
    }

    /// Parses the body.
    pub(super) fn body<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T, AccountRefusal> {
        Ok(read(&self.headers, body)?)
    }

    /// The member who is signed in, if somebody is.
    async fn find_signed_in(&self) -> Result<Option<SignedIn>, AccountRefusal> {
        match self.session {
            Some(session) => Ok(self.accounts().of_session(session, self.device.address).await?),
            None => Ok(None),
        }
    }

    /// The member who is signed in.
    pub(super) async fn signed_in(&self) -> Result<SignedIn, AccountRefusal> {
        self.find_signed_in().await?.ok_or_else(|| Reason::SignedOut.into())
    }

    /// The member who asks: of the account in the cookie, or the guest with the identity.
    pub(super) async fn member(&self) -> Result<MemberId, AccountRefusal> {
        match self.guest()? {
            Some(guest) if self.session.is_none() => Ok(self.server.identities.find(guest).await?),
            Some(_) => Err(Reason::TwoIdentities.into()),
            None => Ok(self.signed_in().await?.account.member),
        }
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
    if is(&[Reason::SignedOut]) {
        StatusCode::UNAUTHORIZED
    } else if is(&[
        Reason::WrongPassword,
        Reason::WrongCode,
        Reason::IdentityReplaced,
        Reason::ForeignPage,
        Reason::AccountClosed,
        Reason::OperatorsOnly,
    ]) {
        StatusCode::FORBIDDEN
    } else if is(&[Reason::NoSuchCase]) {
        StatusCode::NOT_FOUND
    } else if is(&[Reason::NameTaken, Reason::TwoIdentities, Reason::TooManyBlocks]) {
        StatusCode::CONFLICT
    } else if is(&[Reason::TooManyTries, Reason::NameChangedLately, Reason::TooManyReports]) {
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
    /// Whether the member is an operator.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    operator: bool,
}

impl ShownAccounts {
    fn of(account: Account) -> Self {
        let account = account.into();
        Self {
            account,
            recovery_codes: None,
            recovery_codes_left: None,
            sessions: None,
            operator: false,
        }
    }
}

/// `GET /api/account`
async fn account(asked: Asked) -> Result<Response, AccountRefusal> {
    let SignedIn { account, session } = asked.signed_in().await?;
    let keys = asked.accounts().keys(&account).await?;
    let sessions = keys.sessions.into_iter().map(|own| ShownSession::new(own, session.hash));
    let (sessions, recovery_codes_left) = (Some(sessions.collect()), Some(keys.codes_left));
    let member = account.member.clone();
    let operator = asked.server.moderation.read(move |reader| reader.is_operator(&member)).await?;
    let shown =
        ShownAccounts { sessions, recovery_codes_left, operator, ..ShownAccounts::of(account) };
    Ok(Json(shown).into_response())
}

/// A body with a name and a password.
#[derive(Deserialize)]
struct NameAndPassword {
    name: String,
    password: Password,
}

impl From<NameAndPassword> for Credentials {
    fn from(NameAndPassword { name, password }: NameAndPassword) -> Self {
        Self { name, password }
    }
}

/// `POST /api/account`
async fn sign_up(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let typed: NameAndPassword = asked.body(&body)?;
    let guest = asked.guest()?;
    if asked.find_signed_in().await?.is_some() {
        return Err(Reason::TwoIdentities.into());
    }
    let (opened, codes) = asked.accounts().sign_up(typed.into(), guest, &asked.device).await?;
    let (Opened { account, secret }, RecoveryCodes(codes)) = (opened, codes);
    let shown = ShownAccounts { recovery_codes: Some(codes), ..ShownAccounts::of(account) };
    Ok(asked.begun(StatusCode::CREATED, &secret, shown))
}

/// `POST /api/session`
async fn sign_in(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let typed: NameAndPassword = asked.body(&body)?;
    let before = asked.find_signed_in().await?;
    let Opened { account, secret } = asked.accounts().sign_in(typed.into(), &asked.device).await?;
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
    password: Password,
    new_password: Password,
}

/// `POST /api/account/password`
async fn set_password(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let NewPassword { password, new_password } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.accounts().set_password(&own, password, new_password, &asked.device).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct Confirmation {
    password: Password,
}

#[derive(Serialize)]
struct ShownCodes {
    recovery_codes: Vec<String>,
}

/// `POST /api/account/codes`
async fn set_codes(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let Confirmation { password } = asked.body(&body)?;
    let SignedIn { account, .. } = asked.signed_in().await?;
    let codes = asked.accounts().set_codes(&account, password, &asked.device).await?;
    Ok(Json(ShownCodes { recovery_codes: codes.0 }).into_response())
}

/// `POST /api/account/name`
async fn rename(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let typed: NameAndPassword = asked.body(&body)?;
    let SignedIn { account, .. } = asked.signed_in().await?;
    let renamed = asked.accounts().rename(&account, typed.into(), &asked.device).await?;
    Ok(Json(ShownAccounts::of(renamed)).into_response())
}

/// `DELETE /api/account`
async fn delete_account(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let Confirmation { password } = asked.body(&body)?;
    let SignedIn { account, .. } = asked.signed_in().await?;
    asked.accounts().delete(&account, password, &asked.device).await?;
    let mut answer = StatusCode::NO_CONTENT.into_response();
    take_cookies(&mut answer);
    Ok(answer)
}

/// All that the server knows of a member.
#[derive(Serialize)]
struct Export {
    #[serde(flatten)]
    account: ShownAccounts,
    renamed_at: Option<u64>,
    games: Vec<ListedGame>,
}

/// `GET /api/account/export`
async fn export(asked: Asked) -> Result<Response, AccountRefusal> {
    let SignedIn { account, session } = asked.signed_in().await?;
    let keys = asked.accounts().keys(&account).await?;
    let mut query = GameQuery {
        member: Some(account.member.clone()),
        unlisted: true,
        max: GAMES_PAGE_MAX,
        ..GameQuery::default()
    };
    let mut games = Vec::new();
    while games.len() < EXPORTED_GAMES_MAX {
        let page = query.clone();
        let list = asked.server.read_pool.try_read(move |reader| reader.games(&page)).await;
        let list = list.map_err(|_| Reason::Busy)?;
        games.extend(list.games);
        query.before = list.next;
        if query.before.is_none() {
            break;
        }
    }
    let sessions = keys.sessions.into_iter().map(|own| ShownSession::new(own, session.hash));
    let renamed_at = account.renamed_at;
    let account = ShownAccounts {
        sessions: Some(sessions.collect()),
        recovery_codes_left: Some(keys.codes_left),
        ..ShownAccounts::of(account)
    };
    let file = "attachment; filename=\"fivefold-account.json\"";
    let headers = [(header::CONTENT_DISPOSITION, HeaderValue::from_static(file))];
    Ok((headers, Json(Export { account, renamed_at, games })).into_response())
}
