//! A provider by the crate `openidconnect`: the code flow with PKCE and a nonce.
//!
//! What the provider says about itself is kept for a while. All requests to it have a limit of time and size.

use std::{
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use openidconnect::{
    AsyncHttpClient, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointMaybeSet,
    EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IssuerUrl, Nonce, PkceCodeChallenge,
    PkceCodeVerifier, RedirectUrl, TokenResponse,
    core::{CoreAuthenticationFlow, CoreClient, CoreJwsSigningAlgorithm, CoreProviderMetadata},
};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio::sync::Semaphore;

use super::{Begun, Checks, OidcError, OidcSettings, Subject};
use crate::limits::accounts::{
    OIDC_ANSWER_MAX, OIDC_CALL_WITHIN, OIDC_CALLS_MAX, OIDC_METADATA_KEPT, OIDC_SUBJECT_MAX,
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
    metadata: Mutex<Option<(Instant, Arc<CoreProviderMetadata>)>>,
    /// Permits of the people who sign in at this moment.
    calls: Semaphore,
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
                calls: Semaphore::new(OIDC_CALLS_MAX),
            }),
            Err(error) => {
                tracing::error!(%error, "nobody can sign in by the OpenID provider");
                None
            }
        }
    }

    /// What people call the provider.
    pub(crate) fn label(&self) -> &str {
        &self.settings.label
    }

    /// Where a browser goes to sign in.
    ///
    /// # Errors
    /// If the provider does not answer, or too many sign in at once.
    pub(crate) async fn begin(&self) -> Result<Begun, OidcError> {
        let _permit = self.calls.try_acquire().map_err(|_| OidcError::Busy)?;
        let client = self.client(self.metadata(false).await?)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let flow = CoreAuthenticationFlow::AuthorizationCode;
        let asked = client.authorize_url(flow, CsrfToken::new_random, Nonce::new_random);
        let (url, state, nonce) = asked.set_pkce_challenge(challenge).url();
        let checks = Checks { nonce: nonce.secret().clone(), verifier: verifier.secret().clone() };
        Ok(Begun { url: url.into(), state: state.secret().clone(), checks })
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
    ) -> Result<Subject, OidcError> {
        let _permit = self.calls.try_acquire().map_err(|_| OidcError::Busy)?;
        let client = self.client(self.metadata(false).await?)?;
        let exchange = client
            .exchange_code(AuthorizationCode::new(code))
            .map_err(|error| unreachable(&error))?
            .set_pkce_verifier(PkceCodeVerifier::new(verifier));
        let answer = exchange.request_async(&self.http).await;
        let answer = answer.map_err(|error| wrong(&error))?;
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

    fn client(&self, metadata: Arc<CoreProviderMetadata>) -> Result<Client, OidcError> {
        let OidcSettings { client, secret, .. } = &self.settings;
        let secret = secret.as_ref().map(|secret| ClientSecret::new(secret.0.clone()));
        let address = RedirectUrl::new(self.settings.return_address());
        let address = address.map_err(|error| unreachable(&error))?;
        let metadata = Arc::unwrap_or_clone(metadata);
        let client = ClientId::new(client.clone());
        Ok(CoreClient::from_provider_metadata(metadata, client, secret).set_redirect_uri(address))
    }

    /// What the provider says about itself: read again after a while, or if `anew` is set.
    async fn metadata(&self, anew: bool) -> Result<Arc<CoreProviderMetadata>, OidcError> {
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
        let found = CoreProviderMetadata::discover_async(issuer, &self.http).await;
        let found = Arc::new(found.map_err(|error| unreachable(&error))?);
        *lock() = Some((Instant::now(), Arc::clone(&found)));
        Ok(found)
    }
}

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
    let mut trusted = RootCertStore::empty();
    trusted.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    let client = reqwest::Client::builder()
        .use_preconfigured_tls(tls)
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
    tracing::info!(%error, "somebody is not signed in by the OpenID provider");
    OidcError::Wrong
}
