//! `fivefold-server health`: asks a running server over HTTP how it is, as a monitor or a container engine does.
//!
//! It reads only words that it knows from the answer, and sends nothing that is secret.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, anyhow, bail};
use axum::{
    body::{Body, to_bytes},
    http::{Request, StatusCode, header::HOST},
};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, DigitallySignedStruct, Error as TlsError, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;

use crate::{
    config::{HealthOptions, Settings},
    net::{public_url::PublicUrl, tls},
    process::health::{Condition, Health, Warning},
};

/// How the command ends if nobody answers, or somebody who is no Fivefold server.
const NO_ANSWER: u8 = 3;
/// How it ends if the server is not ready for a reason that this version does not know.
const NOT_READY: u8 = 1;
/// The server itself gives its storage two seconds.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);
/// The longest answer in bytes.
const ANSWER_MAX: usize = 16 * 1024;

/// A server, and how to connect to it.
struct Target {
    /// Host and port.
    address: String,
    tls: Option<Tls>,
}

struct Tls {
    connector: TlsConnector,
    name: ServerName<'static>,
}

/// Asks the server at the given address, or the one with these settings. Returns a line for people, and the exit code.
///
/// # Errors
/// If the settings do not tell where the server is.
#[tokio::main(flavor = "current_thread")]
pub async fn health(settings: &Settings, options: &HealthOptions) -> anyhow::Result<(String, u8)> {
    let target = match &options.url {
        Some(url) => Target::at(url)?,
        None => Target::of(settings)?,
    };
    let asked = timeout(ANSWERS_WITHIN, target.ask()).await;
    let asked =
        asked.unwrap_or_else(|_| Err(anyhow!("it did not answer within {ANSWERS_WITHIN:?}")));
    let (line, code) = match asked {
        Ok(Some(mut health)) => {
            let line = health.to_string();
            if options.ignore_warnings {
                health.warnings.clear();
            }
            (line, exit_code(&health))
        }
        Ok(None) => ("not ready, for a reason that this version does not know".into(), NOT_READY),
        Err(error) => {
            return Ok((format!("no answer from {}: {error:#}", target.address), NO_ANSWER));
        }
    };
    Ok((line, if options.alive { 0 } else { code }))
}

impl Target {
    /// The server at an address. Its certificate must be one that the system trusts.
    fn at(url: &PublicUrl) -> anyhow::Result<Self> {
        let origin = url.origin();
        let address = origin.address();
        if !origin.is_encrypted() {
            return Ok(Self { address, tls: None });
        }
        Ok(Self { tls: Some(Tls::new(tls::client()?, &address)?), address })
    }

    /// The server with these settings, on this machine: on the port for the operator, which has no TLS, or else on the
    /// public one.
    fn of(settings: &Settings) -> anyhow::Result<Self> {
        if let Some(address) = settings.metrics_listen.as_ref().and_then(|listen| listen.own()) {
            return Ok(Self { address, tls: None });
        }
        let Some(address) = settings.listen.own() else {
            bail!(
                "the port in listen is 0, so the real one is not known: give the server's address with --url"
            );
        };
        if settings.tls_cert.is_none() {
            return Ok(Self { address, tls: None });
        }
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(OwnMachine(provider)))
            .with_no_client_auth();
        Ok(Self { tls: Some(Tls::new(config, &address)?), address })
    }

    /// How the server is; nothing if it is not ready for a reason that is not known here.
    async fn ask(&self) -> anyhow::Result<Option<Health>> {
        let stream = TcpStream::connect(&self.address).await?;
        let (status, body) = match &self.tls {
            None => self.request(stream).await?,
            Some(Tls { connector, name }) => {
                self.request(connector.connect(name.clone(), stream).await?).await?
            }
        };
        read(status, &serde_json::from_slice(&body).unwrap_or_default())
    }

    async fn request(
        &self,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) -> anyhow::Result<(StatusCode, Vec<u8>)> {
        let (mut requests, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // The request fails, too, if the connection does.
        tokio::spawn(async move { drop(connection.await) });
        let request = Request::get("/readyz").header(HOST, &self.address).body(Body::empty())?;
        let answer = requests.send_request(request).await?;
        let status = answer.status();
        let body = to_bytes(Body::new(answer.into_body()), ANSWER_MAX).await?;
        Ok((status, body.to_vec()))
    }
}

impl Tls {
    fn new(config: ClientConfig, address: &str) -> anyhow::Result<Self> {
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())
            .with_context(|| format!("{host} is not a valid name in a certificate"))?;
        Ok(Self { connector: TlsConnector::from(Arc::new(config)), name })
    }
}

/// What a server has answered; nothing if it is not ready for a reason that is not known here. A server of an older
/// version has no `state`.
fn read(status: StatusCode, answer: &Value) -> anyhow::Result<Option<Health>> {
    if !answer["status"].is_string() || !answer["version"].is_string() {
        bail!("HTTP {status}, which did not come from a Fivefold server");
    }
    let condition = match answer["state"].as_str().and_then(|word| word.parse().ok()) {
        Some(condition) => condition,
        None if status.is_success() => Condition::Ready,
        None => return Ok(None),
    };
    let warnings = answer["warnings"].as_array().into_iter().flatten();
    let warnings = warnings.filter_map(|word| word.as_str()?.parse::<Warning>().ok()).collect();
    Ok(Some(Health { condition, warnings }))
}

/// Trusts any certificate, for a connection that does not leave this machine and carries no secret. The certificate is
/// for the name that people use, not for this address. The one in the file may be newer, as the server shows the old
/// one until SIGHUP. A metric tells when it ends.
#[derive(Debug)]
struct OwnMachine(Arc<CryptoProvider>);

impl ServerCertVerifier for OwnMachine {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// How the command ends: by the state, or by the first warning about a server that is ready.
fn exit_code(health: &Health) -> u8 {
    match (health.condition, health.warnings.first()) {
        (Condition::Ready, Some(warning)) => warning_code(*warning),
        (condition, _) => state_code(condition),
    }
}

/// 1 is [`NOT_READY`], 2 a wrong setting or option, and 3 [`NO_ANSWER`].
const fn state_code(condition: Condition) -> u8 {
    match condition {
        Condition::Ready => 0,
        Condition::Draining => 4,
        Condition::NoDisk => 5,
        Condition::NoDatabase => 6,
        Condition::NoBus => 7,
        Condition::CutOff => 8,
        Condition::NoHeartbeat => 9,
        Condition::Paused => 12,
    }
}

const fn warning_code(warning: Warning) -> u8 {
    match warning {
        Warning::LowDisk => 10,
        Warning::OldBackup => 11,
        Warning::Paused => state_code(Condition::Paused),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn each_state_and_warning_has_the_exit_code_of_the_guide() {
        let states = Condition::iter().map(|state| (state_code(state), state.word()));
        let warnings = Warning::iter().map(|warning| (warning_code(warning), warning.word()));
        // A word may be a state and a warning.
        let codes: BTreeSet<_> = states.chain(warnings).collect();
        let expected = [
            (0, "ready"),
            (4, "draining"),
            (5, "no_disk"),
            (6, "no_database"),
            (7, "no_bus"),
            (8, "cut_off"),
            (9, "no_heartbeat"),
            (10, "low_disk"),
            (11, "old_backup"),
            (12, "paused"),
        ];
        assert_eq!(codes, BTreeSet::from(expected));
    }

    #[test]
    fn a_state_that_keeps_clients_away_comes_before_warnings() {
        let mut health =
            Health { condition: Condition::Draining, warnings: vec![Warning::LowDisk] };
        assert_eq!(exit_code(&health), 4);
        health = Health {
            condition: Condition::Ready,
            warnings: vec![Warning::LowDisk, Warning::OldBackup],
        };
        assert_eq!(exit_code(&health), 10);
    }

    #[test]
    fn answers_of_older_newer_and_other_servers_are_read() {
        let ok = StatusCode::OK;
        let busy = StatusCode::SERVICE_UNAVAILABLE;
        let cases = [
            (ok, json!({"status": "ready", "version": "1", "state": "ready"}), Some(Some(0))),
            (
                ok,
                json!({"status": "x", "version": "1", "state": "ready", "warnings": ["low_disk"]}),
                Some(Some(10)),
            ),
            (busy, json!({"status": "x", "version": "1", "state": "no_bus"}), Some(Some(7))),
            // Older.
            (ok, json!({"status": "ready", "version": "1"}), Some(Some(0))),
            (busy, json!({"status": "stopping", "version": "1"}), Some(None)),
            // Newer.
            (
                ok,
                json!({"status": "x", "version": "1", "state": "ready", "warnings": ["tired", 1]}),
                Some(Some(0)),
            ),
            (busy, json!({"status": "x", "version": "1", "state": "asleep"}), Some(None)),
            // Others.
            (ok, json!({"status": "UP"}), None),
            (ok, json!("ready"), None),
            (busy, json!(null), None),
        ];
        for (status, answer, expected) in cases {
            let code =
                read(status, &answer).ok().map(|known| known.map(|health| exit_code(&health)));
            assert_eq!(code, expected, "{answer}");
        }
    }
}
