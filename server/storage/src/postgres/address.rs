//! Where a PostgreSQL database is, and how to connect to it: the URL that the operator gives.

use std::{env, fmt, net::IpAddr, path::PathBuf, sync::Arc, time::Duration};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    OpenError,
    limits::{DATABASE_ANSWER_WITHIN, DATABASE_CONNECT_WITHIN},
};

/// The URL of a PostgreSQL database. It may contain a password, so nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

impl From<String> for DatabaseUrl {
    fn from(url: String) -> Self {
        Self(url)
    }
}

impl DatabaseUrl {
    /// Reads the URL and the file of certificates that it names. Nothing is connected.
    ///
    /// # Errors
    /// If it names no database that can be reached. The error contains no password.
    pub fn check(&self) -> Result<(), OpenError> {
        Address::parse(self).map(drop)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl(..)")
    }
}

/// A database to connect to.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    /// Checks the server's certificate; `None` without TLS.
    pub(super) tls: Option<MakeRustlsConnect>,
    /// Hosts and database, for messages: no password.
    pub(super) name: String,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Address").field(&self.name).finish()
    }
}

const EXAMPLE: &str = "postgres://user:password@host:5432/database";

/// The choices of `sslmode`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TlsMode {
    /// No encryption.
    Disable,
    /// Encryption, and the certificate must be valid for the host.
    VerifyFull,
}

impl Address {
    /// Reads a URL. Nothing is connected.
    ///
    /// # Errors
    /// [`OpenError::Address`], which never contains a part of the URL that could be a password.
    pub(super) fn parse(url: &DatabaseUrl) -> Result<Self, OpenError> {
        let url = url.0.trim();
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(invalid(format_args!("it should begin as in {EXAMPLE}")));
        }
        // A password may contain a question mark.
        let host = url.find('@').unwrap_or(0);
        let end = url[host..].find('?').map_or(url.len(), |mark| host + mark);
        let (base, query) = (&url[..end], url[end..].trim_start_matches('?'));
        let (mut mode, mut roots, mut rest) = (None, None, Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", value)) => mode = Some(tls_mode(value)?),
                Some(("sslrootcert", value)) => roots = Some(PathBuf::from(value)),
                Some(_) | None => rest.push(pair),
            }
        }
        let config = format!("{base}?{}", rest.join("&")).parse::<Config>();
        let unreadable = || {
            invalid(format_args!(
                "it should look like {EXAMPLE}; in a password, write characters such as @ : / ? # % \
                 as %40 %3A %2F %3F %23 %25"
            ))
        };
        // The reason may quote a part of the URL.
        let mut config = config.map_err(|_| unreadable())?;
        let hosts: Vec<_> = config.get_hosts().iter().map(host_name).collect();
        if hosts.iter().any(|host| host.contains('@')) {
            return Err(unreadable());
        }
        if hosts.is_empty() {
            return Err(invalid(format_args!("it names no host: {EXAMPLE}")));
        }
        let mode = match mode {
            Some(mode) => mode,
            None if config.get_hosts().iter().all(is_local) => TlsMode::Disable,
            None => {
                return Err(invalid(format_args!(
                    "{} is on another machine; add ?sslmode=verify-full (TLS) or ?sslmode=disable",
                    hosts.join(", ")
                )));
            }
        };
        let tls = match mode {
            TlsMode::Disable => None,
            TlsMode::VerifyFull => Some(MakeRustlsConnect::new(tls_config(roots)?)),
        };
        config.ssl_mode(if tls.is_some() { SslMode::Require } else { SslMode::Disable });
        set_defaults(&mut config);
        let name = format!("{}/{}", hosts.join(","), database_name(&config));
        Ok(Self { config, tls, name })
    }
}

/// Settings that the URL may override.
fn set_defaults(config: &mut Config) {
    if config.get_application_name().is_none() {
        config.application_name("fivefold-server");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(DATABASE_CONNECT_WITHIN);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(DATABASE_ANSWER_WITHIN);
    }
    if config.get_user().is_none()
        && let Ok(user) = env::var("USER")
    {
        config.user(user);
    }
    config.keepalives_idle(Duration::from_secs(5));
    config.keepalives_interval(Duration::from_secs(5));
    config.keepalives_retries(2);
}

fn database_name(config: &Config) -> &str {
    config.get_dbname().or_else(|| config.get_user()).unwrap_or_default()
}

fn tls_mode(value: &str) -> Result<TlsMode, OpenError> {
    match value {
        "disable" => Ok(TlsMode::Disable),
        "require" | "verify-full" => Ok(TlsMode::VerifyFull),
        _ => Err(invalid(format_args!(
            "sslmode should be disable, or verify-full (require means the same): the certificate \
             is always checked"
        ))),
    }
}

/// Trusts the certificates in this file, or those of the system.
fn tls_config(roots: Option<PathBuf>) -> Result<ClientConfig, OpenError> {
    let mut trusted = RootCertStore::empty();
    match roots {
        Some(file) => {
            let unusable = |reason: &dyn fmt::Display| {
                invalid(format_args!("sslrootcert: cannot use {}: {reason}", file.display()))
            };
            let certificates =
                CertificateDer::pem_file_iter(&file).map_err(|error| unusable(&error))?;
            for certificate in certificates {
                let certificate = certificate.map_err(|error| unusable(&error))?;
                trusted.add(certificate).map_err(|error| unusable(&error))?;
            }
        }
        None => {
            // Some systems have a few unreadable certificates; use the others.
            trusted.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if trusted.is_empty() {
        return Err(invalid(format_args!(
            "there is no certificate to trust; add &sslrootcert=FILE"
        )));
    }
    Ok(ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| invalid(format_args!("{error}")))?
        .with_root_certificates(trusted)
        .with_no_client_auth())
}

fn host_name(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(folder) => folder.display().to_string(),
    }
}

/// Whether what is sent to the host stays on this machine.
fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        Host::Unix(_) => true,
    }
}

fn invalid(reason: fmt::Arguments<'_>) -> OpenError {
    OpenError::Address { reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> Result<Address, OpenError> {
        Address::parse(&DatabaseUrl(url.to_owned()))
    }

    #[test]
    fn a_url_names_the_hosts_and_the_database() {
        let cases = [
            ("postgres://ann:secret@localhost/five", "localhost/five", false),
            ("postgresql://ann@127.0.0.1:6543/five?sslmode=disable", "127.0.0.1/five", false),
            ("postgres://ann:secret@%2Frun%2Fpostgresql/five", "/run/postgresql/five", false),
            ("postgres://ann:secret?@db/five?sslmode=disable", "db/five", false),
            (
                "postgres://ann@a.example,b.example/five?sslmode=disable",
                "a.example,b.example/five",
                false,
            ),
        ];
        for (url, name, is_encrypted) in cases {
            let address = parse(url).unwrap();
            assert_eq!(
                (address.name.as_str(), address.tls.is_some()),
                (name, is_encrypted),
                "{url}"
            );
            assert!(!format!("{address:?}").contains("secret"), "{address:?}");
        }
    }

    #[test]
    fn a_wrong_url_is_refused_without_its_password() {
        let cases = [
            ("mysql://ann:secret@localhost/five", "it should begin"),
            ("", "it should begin"),
            ("postgres://ann:se@secret@localhost/five", "characters such as"),
            ("postgres://ann:secret@localhost:port/five", "characters such as"),
            ("postgres://ann:secret@db.example/five", "sslmode=verify-full"),
            ("postgres://ann:secret@localhost/five?sslmode=prefer", "always checked"),
            ("postgres://ann:secret@localhost/five?colour=red", "characters such as"),
            (
                "postgres://ann:secret@db.example/five?sslmode=require&sslrootcert=/no/file",
                "/no/file",
            ),
            ("postgres:///five", "no host"),
        ];
        for (url, reason) in cases {
            let error = parse(url).unwrap_err().to_string();
            assert!(error.contains(reason) && !error.contains("secret"), "{url}: {error}");
        }
    }
}
