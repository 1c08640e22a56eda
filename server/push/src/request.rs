//! Requests to push services: by TLS, to public addresses, without redirects, and with limits of size and time.

use std::{error::Error, net::IpAddr, sync::Arc, time::Duration};

use reqwest::{
    StatusCode, Url,
    header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, RETRY_AFTER},
    redirect::Policy,
};
use ring::rand::SystemRandom;
use rustls::{
    ClientConfig, RootCertStore, crypto::ring::default_provider, pki_types::CertificateDer,
};

use crate::{Peers, Push, ServerKey, address::NoPublicAddress};

/// Longest endpoint, in bytes. Those of browser makers have up to about 600.
pub const ENDPOINT_MAX: usize = 2_048;
/// Most bytes of an answer that are read.
pub const ANSWER_MAX: usize = 4_096;
/// A push service answers within this time, or is not waited for.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// A connection is there within this time.
const CONNECTED_WITHIN: Duration = Duration::from_secs(3);
/// Shortest and longest time that a push service can have the server wait.
pub const RETRY_MIN: Duration = Duration::from_secs(5);
/// See [`RETRY_MIN`].
pub const RETRY_MAX: Duration = Duration::from_secs(60 * 60);

/// The outcome of a push.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pushed {
    /// The push service has it.
    Accepted,
    /// The subscription is no more.
    Gone,
    /// The push service wants us to come again after this time.
    Later(Duration),
    /// There was no connection: the push service has not seen it.
    Unreached,
    /// The push service did not answer, or not as it should. It may have it.
    Failed,
    /// The endpoint is at an address that may not be connected to, or the message cannot be sent.
    Refused,
}

/// An address that is no endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an endpoint is https://HOST/PATH, at most {ENDPOINT_MAX} bytes long")]
pub struct EndpointError;

/// Sends pushes.
#[derive(Debug)]
pub struct Pusher {
    key: ServerKey,
    subject: String,
    peers: Peers,
    client: reqwest::Client,
    random: SystemRandom,
}

impl Pusher {
    /// Sends pushes with a key. `subject` is an address of the operator, `https:` or `mailto:`.
    ///
    /// # Errors
    /// If no encrypted requests can be made here. The text is for the operator.
    pub fn new(key: ServerKey, subject: String, peers: Peers) -> Result<Self, String> {
        let client = client(&peers).map_err(|error| error.to_string())?;
        Ok(Self { key, subject, peers, client, random: SystemRandom::new() })
    }

    /// The server's public key, for browsers.
    pub fn public_key(&self) -> String {
        self.key.public()
    }

    /// Sends a push. `now` is in seconds since the Unix epoch. Takes at most [`ANSWER_WITHIN`].
    pub async fn push(&self, push: &Push<'_>, now: u64) -> Pushed {
        let Ok(url) = endpoint(push.endpoint) else { return Pushed::Refused };
        // An address in numbers is not looked up, so nothing else checks it.
        if literal(&url).is_some_and(|address| !self.peers.allow(address)) {
            return Pushed::Refused;
        }
        let Ok(body) = push.browser.encrypt(push.message, &self.random) else {
            return Pushed::Refused;
        };
        let origin = url.origin().ascii_serialization();
        let Ok(authorization) = self.key.authorization(&origin, &self.subject, now) else {
            return Pushed::Refused;
        };
        let urgency = if push.is_urgent { "high" } else { "normal" };
        let mut request = self
            .client
            .post(url)
            .header(AUTHORIZATION, authorization)
            .header(CONTENT_ENCODING, "aes128gcm")
            .header(CONTENT_TYPE, "application/octet-stream")
            .header("TTL", push.ttl_s)
            .header("Urgency", urgency)
            .body(body);
        if let Some(topic) = push.topic {
            request = request.header("Topic", topic);
        }
        match tokio::time::timeout(ANSWER_WITHIN, answer(request)).await {
            Ok(Ok((status, headers))) => outcome(status, &headers),
            Ok(Err(fault)) => fault,
            Err(_) => Pushed::Failed,
        }
    }
}

/// Sends a request and reads its answer to the end, but not further than its limit.
async fn answer(request: reqwest::RequestBuilder) -> Result<(StatusCode, HeaderMap), Pushed> {
    let mut answer = request.send().await.map_err(|error| fault(&error))?;
    let mut length = 0;
    while let Some(part) = answer.chunk().await.map_err(|_| Pushed::Failed)? {
        length += part.len();
        if length > ANSWER_MAX {
            return Err(Pushed::Failed);
        }
    }
    Ok((answer.status(), answer.headers().clone()))
}

/// The result of a push that had no answer.
fn fault(error: &reqwest::Error) -> Pushed {
    if !error.is_connect() {
        return Pushed::Failed;
    }
    let mut cause = error.source();
    while let Some(known) = cause {
        if known.is::<NoPublicAddress>() {
            return Pushed::Refused;
        }
        cause = known.source();
    }
    Pushed::Unreached
}

/// The outcome that an answer tells (RFC 8030, sections 5 and 8).
fn outcome(status: StatusCode, headers: &HeaderMap) -> Pushed {
    match status.as_u16() {
        200..=299 => Pushed::Accepted,
        404 | 410 => Pushed::Gone,
        429 => Pushed::Later(retry_after(headers)),
        503 if headers.contains_key(RETRY_AFTER) => Pushed::Later(retry_after(headers)),
        _ => Pushed::Failed,
    }
}

/// How long the push service wants us to wait, within bounds. A date is not understood.
fn retry_after(headers: &HeaderMap) -> Duration {
    let text = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let seconds = text.and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
    seconds.unwrap_or(Duration::from_secs(60)).clamp(RETRY_MIN, RETRY_MAX)
}

/// Whether a client may subscribe this endpoint: an `https:` address without a name, a password or a fragment, whose
/// host is no address in numbers that may not be connected to.
///
/// # Errors
/// If it may not.
pub fn may_be_endpoint(text: &str, peers: &Peers) -> Result<(), EndpointError> {
    let url = endpoint(text)?;
    if literal(&url).is_some_and(|address| !peers.allow(address)) {
        return Err(EndpointError);
    }
    Ok(())
}

/// The host of an endpoint, which may be shown: who knows the whole can push.
pub fn host_of(endpoint: &str) -> Option<String> {
    Url::parse(endpoint).ok()?.host_str().map(str::to_owned)
}

fn endpoint(text: &str) -> Result<Url, EndpointError> {
    if text.len() > ENDPOINT_MAX {
        return Err(EndpointError);
    }
    let url = Url::parse(text).map_err(|_| EndpointError)?;
    let is_plain = url.scheme() == "https"
        && url.host().is_some()
        && url.username().is_empty()
        && url.password().is_none()
        && url.fragment().is_none();
    if is_plain { Ok(url) } else { Err(EndpointError) }
}

/// The address that a URL names in numbers, however it is written.
fn literal(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn client(peers: &Peers) -> Result<reqwest::Client, Box<dyn Error>> {
    let mut trusted = RootCertStore::empty();
    trusted.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in &peers.also_trusted {
        trusted.add(CertificateDer::from(certificate.clone()))?;
    }
    let tls = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    let client = reqwest::Client::builder()
        .use_preconfigured_tls(tls)
        .redirect(Policy::none())
        .no_proxy()
        .https_only(true)
        .dns_resolver(Arc::new(peers.clone()))
        .connect_timeout(CONNECTED_WITHIN)
        .timeout(ANSWER_WITHIN);
    Ok(client.build()?)
}
