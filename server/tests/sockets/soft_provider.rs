//! An OpenID Connect provider over a real socket, in a few lines: discovery, the question, tokens and keys
//! (OpenID Connect Core 1.0, section 3.1). It signs by ES256, and lies where a test wants it.

use std::{
    collections::HashMap,
    net::Ipv4Addr,
    sync::{Arc, Mutex},
    time::SystemTime,
};

use axum::{
    Json, Router,
    extract::{Query, State},
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use ring::{
    digest::{SHA256, digest},
    rand::{SecureRandom, SystemRandom},
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::soft_passkey::base64;

pub(crate) const CLIENT: &str = "five fold";
pub(crate) const SECRET: &str = "s3cret";

/// How the next statements lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lie {
    Nothing,
    Nonce,
    Issuer,
    Audience,
    Expired,
    /// Signed by a key that the provider has not published.
    Key,
    /// Not signed.
    Unsigned,
    /// Signed with the client's secret.
    Shared,
}

#[derive(Clone)]
pub(crate) struct SoftProvider(Arc<Shared>);

struct Shared {
    issuer: String,
    keys: EcdsaKeyPair,
    others: EcdsaKeyPair,
    state: Mutex<Now>,
}

struct Now {
    /// Who sits before the browser.
    subject: String,
    lie: Lie,
    codes: HashMap<String, Grant>,
    /// How often it was asked for tokens.
    exchanges: usize,
    /// Whether it accepts pushed requests only.
    is_pushed_only: bool,
}

struct Grant {
    subject: String,
    nonce: String,
    challenge: String,
    redirect: String,
}

type Fields = HashMap<String, String>;

fn keys() -> EcdsaKeyPair {
    let (random, signing) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(signing, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(signing, pkcs8.as_ref(), &random).unwrap()
}

fn random() -> String {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).unwrap();
    base64(&bytes)
}

impl SoftProvider {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let issuer = format!("http://{}/club", listener.local_addr().unwrap());
        let subject = "ann-1".to_owned();
        let now = Now {
            subject,
            lie: Lie::Nothing,
            codes: HashMap::new(),
            exchanges: 0,
            is_pushed_only: false,
        };
        let (keys, others, state) = (keys(), keys(), Mutex::new(now));
        let provider = Self(Arc::new(Shared { issuer, keys, others, state }));
        let router = Router::new()
            .route("/club/.well-known/openid-configuration", get(discovery))
            .route("/club/keys", get(published))
            .route("/club/authorize", get(authorize))
            .route("/club/token", post(token))
            .with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        provider
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.0.issuer
    }

    /// Who signs in next, and how the provider lies about it.
    pub(crate) fn next(&self, subject: &str, lie: Lie) {
        let mut now = self.0.state.lock().unwrap();
        (now.subject, now.lie) = (subject.to_owned(), lie);
    }

    /// Says from now on that it accepts pushed requests only (RFC 9126).
    pub(crate) fn accept_pushed_only(&self) {
        self.0.state.lock().unwrap().is_pushed_only = true;
    }

    pub(crate) fn exchanges(&self) -> usize {
        self.0.state.lock().unwrap().exchanges
    }

    fn statement(&self, grant: &Grant, lie: Lie) -> String {
        let wrong = |is_wrong: bool, right: &str| {
            if is_wrong { "https://evil.example".to_owned() } else { right.to_owned() }
        };
        let at = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
        let expires = if lie == Lie::Expired { at - 1_000 } else { at + 300 };
        let algorithm = match lie {
            Lie::Unsigned => "none",
            Lie::Shared => "HS256",
            _ => "ES256",
        };
        let head = json!({"alg": algorithm, "typ": "JWT", "kid": "one"});
        let claims = json!({
            "iss": wrong(lie == Lie::Issuer, &self.0.issuer), "sub": grant.subject,
            "aud": wrong(lie == Lie::Audience, CLIENT), "iat": at, "exp": expires,
            "nonce": wrong(lie == Lie::Nonce, &grant.nonce),
        });
        let part = |value: &Value| base64(value.to_string().as_bytes());
        let signed = format!("{}.{}", part(&head), part(&claims));
        let signature = match lie {
            Lie::Unsigned => String::new(),
            Lie::Shared => {
                let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, SECRET.as_bytes());
                base64(ring::hmac::sign(&key, signed.as_bytes()).as_ref())
            }
            _ => {
                let keys = if lie == Lie::Key { &self.0.others } else { &self.0.keys };
                base64(keys.sign(&SystemRandom::new(), signed.as_bytes()).unwrap().as_ref())
            }
        };
        format!("{signed}.{signature}")
    }
}

async fn discovery(State(SoftProvider(shared)): State<SoftProvider>) -> Json<Value> {
    let issuer = &shared.issuer;
    let is_pushed_only = shared.state.lock().unwrap().is_pushed_only;
    Json(json!({
        "require_pushed_authorization_requests": is_pushed_only,
        "issuer": issuer, "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"), "jwks_uri": format!("{issuer}/keys"),
        "response_types_supported": ["code"], "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    }))
}

async fn published(State(SoftProvider(shared)): State<SoftProvider>) -> Json<Value> {
    let (x, y) = shared.keys.public_key().as_ref()[1..].split_at(32);
    Json(json!({"keys": [{
        "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": "one",
        "x": base64(x), "y": base64(y),
    }]}))
}

async fn authorize(
    State(SoftProvider(shared)): State<SoftProvider>,
    Query(asked): Query<Fields>,
) -> Response {
    assert_eq!((asked["client_id"].as_str(), asked["response_type"].as_str()), (CLIENT, "code"));
    assert_eq!(
        (asked["scope"].as_str(), asked["code_challenge_method"].as_str()),
        ("openid", "S256")
    );
    let (code, redirect) = (random(), asked["redirect_uri"].clone());
    let mut now = shared.state.lock().unwrap();
    let grant = Grant {
        subject: now.subject.clone(),
        nonce: asked["nonce"].clone(),
        challenge: asked["code_challenge"].clone(),
        redirect: redirect.clone(),
    };
    now.codes.insert(code.clone(), grant);
    let back = format!("{redirect}?code={code}&state={}", asked["state"]);
    (StatusCode::FOUND, [(header::LOCATION, back)]).into_response()
}

async fn token(State(provider): State<SoftProvider>, headers: HeaderMap, body: String) -> Response {
    let form: Uri = format!("/?{body}").parse().unwrap();
    let Query(form) = Query::<Fields>::try_from_uri(&form).unwrap();
    let (grant, lie) = {
        let mut now = provider.0.state.lock().unwrap();
        now.exchanges += 1;
        (now.codes.remove(&form["code"]), now.lie)
    };
    let refused = |error: &str| (StatusCode::BAD_REQUEST, Json(json!({"error": error})));
    let Some(grant) = grant else { return refused("invalid_grant").into_response() };
    let challenge = base64(digest(&SHA256, form["code_verifier"].as_bytes()).as_ref());
    if challenge != grant.challenge || form["redirect_uri"] != grant.redirect {
        return refused("invalid_grant").into_response();
    }
    // The id and the secret are encoded, and then joined (RFC 6749, section 2.3.1).
    let basic = plain_base64(&format!("{}:{SECRET}", CLIENT.replace(' ', "+")));
    if headers[header::AUTHORIZATION] != format!("Basic {basic}") {
        return refused("invalid_client").into_response();
    }
    Json(json!({
        "access_token": random(), "token_type": "Bearer", "expires_in": 300,
        "id_token": provider.statement(&grant, lie),
    }))
    .into_response()
}

fn plain_base64(text: &str) -> String {
    let digits = base64(text.as_bytes()).replace('-', "+").replace('_', "/");
    let padding = (4 - digits.len() % 4) % 4;
    digits + &"=".repeat(padding)
}
