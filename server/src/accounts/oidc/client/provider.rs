//! A provider by the crate `openidconnect`: the code flow with PKCE and a nonce.
//!
//! What the provider says about itself is kept for a while. All requests to it have a limit of time and size.

use std::{
    fmt,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use openidconnect::{
    AdditionalProviderMetadata, AsyncHttpClient, AuthorizationCode, ClientId, ClientSecret,
    CsrfToken, DiscoveryError, EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest,
    HttpResponse, IssuerUrl, Nonce, PkceCodeChallenge, PkceCodeVerifier, ProviderMetadata,
    RedirectUrl, RequestTokenError, StandardErrorResponse, TokenResponse,
    core::{
        CoreAuthDisplay, CoreAuthenticationFlow, CoreClaimName, CoreClaimType, CoreClient,
        CoreClientAuthMethod, CoreErrorResponseType, CoreGrantType, CoreJsonWebKey,
        CoreJweContentEncryptionAlgorithm, CoreJweKeyManagementAlgorithm, CoreJwsSigningAlgorithm,
        CoreResponseMode, CoreResponseType, CoreSubjectIdentifierType,
    },
};
use serde::{Deserialize, Serialize};

use super::{Begun, Checks, OidcError, OidcSettings, Subject};
use crate::{
    limits::accounts::{
        OIDC_ANSWER_MAX, OIDC_CALL_WITHIN, OIDC_CALLS_MAX, OIDC_CALLS_PER_ADDRESS_MAX,
        OIDC_METADATA_KEPT, OIDC_SUBJECT_MAX,
    },
    net::tls,
    process::fair_queue::{FairPlace, FairQueue, NoPlace, Shares},
};

/// How addresses share the calls to the provider.
const CALLS: Shares = Shares {
    running_max: OIDC_CALLS_MAX,
    places_max: OIDC_CALLS_MAX,
    reserved: 0,
    per_address_max: OIDC_CALLS_PER_ADDRESS_MAX,
    pace: None,
};

/// What a provider may sign its statements with: keys of which only it has the secret half.
const SIGNATURES: [CoreJwsSigningAlgorithm; 6] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
];

/// What a provider says about itself (OpenID Connect Discovery 1.0, section 3).
type Metadata = ProviderMetadata<
    Pushed,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;

/// Whether it accepts only requests that are pushed to it first (RFC 9126, section 5).
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Pushed {
    #[serde(default)]
    require_pushed_authorization_requests: bool,
}

impl AdditionalProviderMetadata for Pushed {}

/// The client of one provider, whose token endpoint may be missing.
type Client = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// The provider that the operator has named.
pub(crate) struct Provider {
    settings: OidcSettings,
    http: Http,
    /// What the provider says about itself, and since when. Locked only to read and replace it.
    metadata: Mutex<Option<(Instant, Arc<Metadata>)>>,
    /// Places of the people who sign in at this moment.
    calls: FairQueue,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Why a request to the provider has no answer.
#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error("the request failed: {0}")]
    Failed(#[from] reqwest::Error),
    #[error("the answer is longer than {OIDC_ANSWER_MAX} bytes")]
    TooLong,
}

impl Provider {
    /// The provider of these settings; nothing if encrypted requests cannot be made here, which is logged.
    pub(crate) fn new(settings: &OidcSettings) -> Option<Self> {
        match http() {
            Ok(http) => Some(Self {
                settings: settings.clone(),
                http,
                metadata: Mutex::default(),
                calls: FairQueue::new(CALLS),
            }),
            Err(error) => {
                tracing::error!(%error, "nobody can sign in through the OpenID provider");
                None
            }
        }
    }

    /// What people call the provider.
    pub(crate) fn label(&self) -> &str {
        &self.settings.label
    }

    /// Asks the provider about itself, and logs why nobody could sign in by it.
    pub(crate) async fn check(&self) {
        if let Ok(metadata) = self.metadata(false).await
            && self.is_usable(&metadata).is_ok()
        {
            tracing::info!(issuer = self.settings.issuer.as_str(), "the OpenID provider answers");
        }
    }

    /// Why the provider has sent a browser back with this error and without a code (RFC 6749, section
    /// 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6).
    pub(crate) fn refused(&self, error: &str) -> OidcError {
        match error {
            "access_denied"
            | "login_required"
            | "interaction_required"
            | "consent_required"
            | "account_selection_required" => OidcError::Wrong,
            "server_error" | "temporarily_unavailable" => {
                tracing::warn!(error, "the OpenID provider cannot sign anybody in");
                OidcError::Unreachable
            }
            error => self.misconfigured(&format!("it answers {error:.64?} to the browser")),
        }
    }

    /// Where a browser goes to sign in.
    ///
    /// # Errors
    /// If the provider does not answer or demands more than this server does, or too many sign in at once.
    pub(crate) async fn begin(&self, address: IpAddr) -> Result<Begun, OidcError> {
        let _place = self.place(address)?;
        let metadata = self.metadata(false).await?;
        self.is_usable(&metadata)?;
        let client = self.client(metadata)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let flow = CoreAuthenticationFlow::AuthorizationCode;
        let asked = client.authorize_url(flow, CsrfToken::new_random, Nonce::new_random);
        let (url, state, nonce) = asked.set_pkce_challenge(challenge).url();
        let checks = Checks { nonce: nonce.secret().clone(), verifier: verifier.secret().clone() };
        Ok(Begun { url: url.into(), state: state.secret().clone(), checks })
    }

    fn place(&self, address: IpAddr) -> Result<FairPlace, OidcError> {
        self.calls.place(address, false).map_err(|NoPlace| OidcError::Busy)
    }

    /// Who has signed in, by the code that their browser has brought back.
    ///
    /// # Errors
    /// If the code or the provider's statement is not valid, the provider does not answer, or too many
    /// sign in at once.
    pub(crate) async fn finish(
        &self,
        code: String,
        Checks { nonce, verifier }: Checks,
        address: IpAddr,
    ) -> Result<Subject, OidcError> {
        let _place = self.place(address)?;
        let client = self.client(self.metadata(false).await?)?;
        let exchange = client
            .exchange_code(AuthorizationCode::new(code))
            .map_err(|error| unreachable(&error))?
            .set_pkce_verifier(PkceCodeVerifier::new(verifier));
        let answer = exchange.request_async(&self.http).await;
        let answer = answer.map_err(|error| self.no_tokens(&error))?;
        let statement = answer.id_token().ok_or(OidcError::Wrong)?;
        let nonce = Nonce::new(nonce);
        let checked = |client: &Client| {
            let verifier = client.id_token_verifier().set_allowed_algs(SIGNATURES);
            let claims = statement.claims(&verifier, &nonce).map_err(|error| wrong(&error))?;
            Ok((claims.issuer().to_string(), claims.subject().to_string()))
        };
        let (issuer, subject) = match checked(&client) {
            Ok(found) => found,
            // The provider may sign with a new key.
            Err(_) => checked(&self.client(self.metadata(true).await?)?)?,
        };
        if subject.is_empty() || subject.len() > OIDC_SUBJECT_MAX {
            return Err(OidcError::Wrong);
        }
        Ok(Subject { issuer, subject })
    }

    /// Whether people can sign in by a provider that says this about itself.
    fn is_usable(&self, metadata: &Metadata) -> Result<(), OidcError> {
        if metadata.additional_metadata().require_pushed_authorization_requests {
            return Err(self.misconfigured(
                "it accepts pushed authorization requests only, which this server does not send; \
                 allow others for this client",
            ));
        }
        let signed = metadata.id_token_signing_alg_values_supported();
        if !signed.iter().any(|algorithm| SIGNATURES.contains(algorithm)) {
            let wanted = "it signs by none of RS256, RS384, RS512, PS256, ES256 and ES384";
            return Err(self.misconfigured(wanted));
        }
        Ok(())
    }

    /// Why the provider has given no tokens for a code (RFC 6749, section 5.2).
    fn no_tokens(&self, error: &TokenError) -> OidcError {
        let RequestTokenError::ServerResponse(answer) = error else { return unreachable(error) };
        match answer.error() {
            CoreErrorResponseType::InvalidGrant => wrong(error),
            CoreErrorResponseType::InvalidClient | CoreErrorResponseType::UnauthorizedClient => {
                let why =
                    format!("it answers {answer}; check the settings oidc-client and oidc-secret");
                self.misconfigured(&why)
            }
            CoreErrorResponseType::InvalidRequest
            | CoreErrorResponseType::InvalidScope
            | CoreErrorResponseType::UnsupportedGrantType
            | CoreErrorResponseType::Extension(_) => {
                self.misconfigured(&format!("it answers {answer}"))
            }
        }
    }

    /// Why the provider does not describe itself.
    fn not_found(&self, error: &DiscoveryError<CallError>) -> OidcError {
        match error {
            DiscoveryError::Validation(why) => {
                self.misconfigured(&format!("{why}; the setting oidc-issuer is what it calls itself"))
            }
            DiscoveryError::Response(status, ..) if status.is_client_error() => {
                self.misconfigured(&format!(
                    "it answers {status} to .well-known/openid-configuration; check the setting oidc-issuer"
                ))
            }
            error => unreachable(error),
        }
    }

    /// Logs a fault that only the operator can mend.
    fn misconfigured(&self, why: &str) -> OidcError {
        let issuer = self.settings.issuer.as_str();
        tracing::warn!(issuer, "nobody can sign in through the OpenID provider: {why}");
        OidcError::Misconfigured
    }

    fn client(&self, metadata: Arc<Metadata>) -> Result<Client, OidcError> {
        let OidcSettings { client, secret, .. } = &self.settings;
        let secret = secret.as_ref().map(|secret| ClientSecret::new(secret.0.clone()));
        let address = RedirectUrl::new(self.settings.return_address());
        let address = address.map_err(|error| unreachable(&error))?;
        let metadata = Arc::unwrap_or_clone(metadata);
        let client = ClientId::new(client.clone());
        Ok(CoreClient::from_provider_metadata(metadata, client, secret).set_redirect_uri(address))
    }

    /// What the provider says about itself: read again after a while, or if `anew` is set.
    async fn metadata(&self, anew: bool) -> Result<Arc<Metadata>, OidcError> {
        let lock = || self.metadata.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lock().clone();
        if let Some((since, metadata)) = kept
            && !anew
            && since.elapsed() < OIDC_METADATA_KEPT
        {
            return Ok(metadata);
        }
        let issuer = IssuerUrl::new(self.settings.issuer.as_str().to_owned());
        let issuer = issuer.map_err(|error| unreachable(&error))?;
        let found = Metadata::discover_async(issuer, &self.http).await;
        let found = Arc::new(found.map_err(|error| self.not_found(&error))?);
        *lock() = Some((Instant::now(), Arc::clone(&found)));
        Ok(found)
    }
}

type TokenError = RequestTokenError<CallError, StandardErrorResponse<CoreErrorResponseType>>;

/// Requests to the provider. They follow no redirects.
struct Http(reqwest::Client);

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = CallError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, CallError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let mut answer = self.0.execute(request.try_into()?).await?;
            let mut body = Vec::new();
            while let Some(part) = answer.chunk().await? {
                if body.len() + part.len() > OIDC_ANSWER_MAX {
                    return Err(CallError::TooLong);
                }
                body.extend_from_slice(&part);
            }
            let mut response = HttpResponse::new(body);
            *response.status_mut() = answer.status();
            *response.headers_mut() = answer.headers().clone();
            Ok(response)
        })
    }
}

/// Requests by TLS with the certificates that the system trusts.
fn http() -> anyhow::Result<Http> {
    let client = reqwest::Client::builder()
        .use_preconfigured_tls(tls::client()?)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(OIDC_CALL_WITHIN);
    Ok(Http(client.build()?))
}

fn unreachable(error: &(dyn std::error::Error + 'static)) -> OidcError {
    let causes: Vec<_> = anyhow::Chain::new(error).map(ToString::to_string).collect();
    tracing::warn!(error = causes.join(": "), "the OpenID provider does not answer as it should");
    OidcError::Unreachable
}

fn wrong(error: &dyn std::error::Error) -> OidcError {
    tracing::warn!(%error, "the OpenID provider's statement about somebody is not valid");
    OidcError::Wrong
}
