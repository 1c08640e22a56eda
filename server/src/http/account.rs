//! Accounts over HTTP: signing up, in and out, recovering an account, and its settings.
//!
//! A session is in a cookie. Only pages of this server may change anything: a browser names the page
//! in `Origin` and `Sec-Fetch-Site`, and programs send neither.

pub(super) mod asked;
mod bots;
pub(super) mod cookie;
pub(super) mod device;
mod devices;
mod email;
pub(super) mod export;
mod keys;
mod oidc;
mod shown;
pub(super) mod token;

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{Path, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
    routing::{delete, get, post},
};
use fivefold_shared::protocol::{MemberId, Reason, Refusal, Scope};
use fivefold_storage::{RatedPosition, Sessions};
use serde::{Deserialize, Serialize};

use self::{
    asked::{AccountRefusal, Asked, one_key, take_cookies},
    shown::{ShownAccounts, shown},
};
use super::{audit::Auditing, caller::Caller};
#[cfg(test)]
use crate::http::api_document::{Key, Operation};
use crate::{
    accounts::{
        Credentials, NewKey, RecoveryCodes, SignedIn, passkeys::webauthn::PasskeyAnswer,
        passwords::Password, tokens::TokenHolder,
    },
    net::{
        origin,
        proxy::faults::{ProxyFault, SEC_FETCH_SITE},
    },
    process::ids,
    rooms::daily_places,
    shared_state::Server,
};

/// The paths of accounts.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/account", get(account).post(sign_up).delete(delete_account))
        .route("/api/guest", delete(delete_guest))
        .route("/api/account/password", post(set_password))
        .route("/api/account/codes", post(set_codes))
        .route("/api/account/name", post(rename))
        .route("/api/account/export", get(export::export))
        .route("/api/session", post(sign_in).delete(sign_out))
        .route("/api/sessions", delete(end_others))
        .route("/api/sessions/{id}", delete(end_one))
        .route("/api/recovery", post(recover))
        .merge(keys::routes())
        .merge(oidc::routes())
        .merge(bots::routes())
        .merge(devices::routes())
        .merge(email::routes())
}

/// Refuses requests of other sites that would change something. No answer is kept by anybody.
pub(super) async fn guard(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    mut request: Request,
    next: Next,
) -> Response {
    let auditing = Auditing::begin(&server, &caller, &mut request);
    let mut answer = if may_change(&server, &caller, &request) {
        next.run(request).await
    } else {
        AccountRefusal::from(Reason::ForeignPage).into_response()
    };
    if let Some(reason) = answer.extensions().get::<Reason>() {
        server.metrics.refused(*reason);
    }
    auditing.end(&answer);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

fn may_change(server: &Server, caller: &Caller, request: &Request) -> bool {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return true;
    }
    let headers = request.headers();
    let host = server.proxies.get().host(caller.peer, headers);
    if !origin::is_allowed(headers, host, &server.origins.get()) {
        if let Some(fault) = ProxyFault::of_origin(headers) {
            server.proxy_faults.log(caller.peer, fault);
        }
        return false;
    }
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter().map(HeaderValue::as_bytes);
    sites.all(|site| matches!(site, b"same-origin" | b"none"))
}

/// The member who may read their own games: by the session in the cookie, or by a token. Nothing if there
/// is neither.
pub(super) async fn reader_of_games(
    server: &Server,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<Option<MemberId>, AccountRefusal> {
    let session = cookie::session(headers, server.is_encrypted(caller.peer, headers));
    let address = caller.address;
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

/// The positions of the caller's rated daily games; none without a session or a token.
///
/// # Errors
/// If that cannot be read.
pub(super) async fn own_positions(
    server: &Server,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<Vec<RatedPosition>, Refusal> {
    let session = cookie::session(headers, server.is_encrypted(caller.peer, headers));
    let member = match (token::in_header(headers), session) {
        (Some(token), _) => match server.accounts.of_token(token, caller.address).await {
            Ok(holder) => Some(holder.account.member),
            Err(refusal) if refusal.reason == Reason::WrongToken => None,
            Err(refusal) => return Err(refusal),
        },
        (None, Some(session)) => {
            let own = server.accounts.of_session(session, caller.address).await?;
            own.map(|own| own.account.member)
        }
        (None, None) => None,
    };
    match member {
        Some(member) => daily_places::own_positions(&server.read_pool, member).await,
        None => Ok(Vec::new()),
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
    let mut answer = Json(shown(&asked, own).await?).into_response();
    asked.replace_cookie(&mut answer);
    Ok(answer)
}

/// A body with the name and the first key of a new account.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NameAndKey {
    name: String,
    password: Option<Password>,
    passkey: Option<PasskeyAnswer>,
    /// The ticket of somebody who comes from another site.
    oidc: Option<String>,
}

/// `POST /api/account`
async fn sign_up(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let NameAndKey { name, password, passkey, oidc } = asked.body(&body)?;
    let key = match (password, passkey, oidc) {
        (Some(password), None, None) => NewKey::Password(password),
        (None, Some(answer), None) => NewKey::Passkey(answer),
        (None, None, Some(ticket)) => {
            let browser = cookie::oidc_browser(&asked.headers, asked.is_encrypted);
            NewKey::Oidc(ticket, browser.map(str::to_owned))
        }
        _ => return Err(one_key()),
    };
    if asked.find_signed_in().await?.is_some() {
        return Err(Reason::TwoIdentities.into());
    }
    let guest = asked.guest()?;
    let (opened, codes) = asked.accounts().sign_up(&name, key, guest, &asked.device).await?;
    let RecoveryCodes(codes) = codes;
    let show =
        |account| ShownAccounts { recovery_codes: Some(codes), ..ShownAccounts::of(account) };
    Ok(asked.begun(StatusCode::CREATED, opened, show))
}

/// A body that signs in: a name and a password, or a passkey.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    let opened = match (name, password, passkey) {
        (Some(name), Some(password), None) => {
            let typed = Credentials { name: name.clone(), password };
            asked.note_wrong(&name, accounts.sign_in(typed, device).await).await?
        }
        (_, None, Some(answer)) => accounts.sign_in_by_passkey(answer, device).await?,
        _ => return Err(one_key()),
    };
    // Nobody has its cookie any more.
    if let Some(SignedIn { account, session }) = before {
        asked.accounts().end(&account, Sessions::One(session.hash)).await?;
    }
    Ok(asked.begun(StatusCode::OK, opened, ShownAccounts::of))
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Recovery {
    name: String,
    code: String,
    password: Password,
}

/// `POST /api/recovery`
async fn recover(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let Recovery { name, code, password } = asked.body(&body)?;
    let typed = Credentials { name: name.clone(), password };
    let recovered = asked.accounts().recover(typed, &code, &asked.device).await;
    let (opened, codes_left) = asked.note_wrong(&name, recovered).await?;
    let show = |account| ShownAccounts {
        recovery_codes_left: Some(codes_left),
        ..ShownAccounts::of(account)
    };
    Ok(asked.begun(StatusCode::OK, opened, show))
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Confirmation {
    password: Option<Password>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewName {
    name: String,
    password: Option<Password>,
}

/// `POST /api/account/name`
async fn rename(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let NewName { name, password } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let renamed = asked.accounts().rename(&own, &name, password, &asked.device).await?;
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

/// `DELETE /api/guest`
async fn delete_guest(asked: Asked) -> Result<StatusCode, AccountRefusal> {
    let guest = asked.guest()?.ok_or(Reason::SignedOut)?;
    if asked.session.is_some() {
        return Err(Reason::TwoIdentities.into());
    }
    asked.accounts().delete_guest(guest).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the API's document says of these paths.
#[cfg(test)]
#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    let mut all = vec![
        Operation::get("/api/account", "The own account, its sessions and its keys.")
            .details("To a token with the scope `account:read` only `account`.")
            .by(Key::Token("account:read"))
            .answers::<ShownAccounts>(200),
        Operation::post("/api/account", "Signs up.")
            .details(
                "With `name` and one of `password`, `passkey` and `oidc`. A guest whose identity is sent \
                 stays the same member. The answer sets the cookie of the session.",
            )
            .by(Key::Maybe("account:read"))
            .takes::<NameAndKey>()
            .answers::<ShownAccounts>(201)
            .refuses([No::AccountName, No::NameLooksLikeBot, No::NameReserved, No::NameTaken])
            .refuses([No::PasswordLength, No::CommonPassword, No::NoPasskeys, No::NoOidc])
            .refuses([No::WrongPasskey, No::WrongOidc, No::IdentityReplaced, No::TwoIdentities])
            .refuses([No::TokenScope, No::TooManyTries]),
        Operation::delete("/api/account", "Deletes the account.")
            .details("Signing in within 14 days takes it back.")
            .by(Key::Account)
            .takes::<Confirmation>()
            .empty(204)
            .refuses([No::ConfirmFirst, No::WrongPassword, No::TooManyTries]),
        Operation::delete("/api/guest", "Deletes a guest at once and for good.")
            .by(Key::Guest)
            .empty(204),
        Operation::post("/api/account/password", "Sets a password.")
            .details("All other sessions end.")
            .by(Key::Account)
            .takes::<NewPassword>()
            .empty(204)
            .refuses([No::PasswordLength, No::CommonPassword, No::ConfirmFirst, No::WrongPassword])
            .refuses([No::TooManyTries]),
        Operation::post("/api/account/codes", "Makes new recovery codes.")
            .details("The old ones end.")
            .by(Key::Account)
            .takes::<Confirmation>()
            .answers::<ShownCodes>(200)
            .refuses([No::ConfirmFirst, No::WrongPassword, No::TooManyTries]),
        Operation::post("/api/account/name", "Changes the name, once in 30 days.")
            .by(Key::Account)
            .takes::<NewName>()
            .answers::<ShownAccounts>(200)
            .refuses([No::AccountName, No::NameLooksLikeBot, No::NameReserved, No::NameTaken])
            .refuses([No::NameChangedLately, No::ConfirmFirst, No::WrongPassword])
            .refuses([No::TooManyTries]),
        Operation::get("/api/account/export", "Everything that the server keeps of the member.")
            .by(Key::Account)
            .answers::<export::Export>(200),
        Operation::post("/api/session", "Signs in.")
            .details(
                "With `name` and `password`, or with `passkey`. The answer sets the cookie of the session.",
            )
            .takes::<SignInBody>()
            .answers::<ShownAccounts>(200)
            .refuses([No::WrongPassword, No::WrongPasskey, No::NoPasskeys, No::AccountClosed])
            .refuses([No::TokenScope, No::TwoIdentities, No::TooManyTries]),
        Operation::delete("/api/session", "Signs out.")
            .empty(204)
            .refuses([No::TokenScope, No::TwoIdentities]),
        Operation::delete("/api/sessions", "Signs out all other sessions.")
            .by(Key::Account)
            .empty(204),
        Operation::delete("/api/sessions/{id}", "Signs out one session.")
            .by(Key::Account)
            .empty(204),
        Operation::post("/api/recovery", "Signs in with a recovery code, and sets a new password.")
            .details("All other sessions, passkeys and tokens end.")
            .takes::<Recovery>()
            .answers::<ShownAccounts>(200)
            .refuses([No::WrongCode, No::PasswordLength, No::CommonPassword, No::AccountClosed])
            .refuses([No::TooManyTries]),
    ];
    all.extend(keys::operations());
    all.extend(oidc::operations());
    all.extend(bots::operations());
    all.extend(devices::operations());
    all.extend(email::operations());
    all
}
