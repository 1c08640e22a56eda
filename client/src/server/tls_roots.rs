//! Loads the trusted TLS certificates: the system's, or those in a file. Says what is wrong with a server's.

use std::{io, path::Path, sync::Arc};

use anyhow::{Context, bail};
use rustls::{
    CertificateError, ClientConfig, Error as TlsError, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio_tungstenite::Connector;

/// A connector that trusts the certificates in this PEM file; without a file, the system's.
///
/// # Errors
/// When there are no certificates, or the file cannot be read.
pub fn connector(file: Option<&Path>) -> anyhow::Result<Connector> {
    let mut roots = RootCertStore::empty();
    match file {
        Some(path) => {
            let unreadable = || format!("cannot read the certificates in {}", path.display());
            for certificate in CertificateDer::pem_file_iter(path).with_context(unreadable)? {
                roots.add(certificate.with_context(unreadable)?).with_context(unreadable)?;
            }
            if roots.is_empty() {
                bail!("there is no certificate in {}; it should be in PEM", path.display());
            }
        }
        None => {
            // Some systems have a few unreadable certificates; use the others.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                bail!("this system knows no certificates to believe; name a file of them by --ca");
            }
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Connector::Rustls(Arc::new(config)))
}

/// Why a connection failed, for people. If that is the server's certificate, it says what to do.
pub fn failure(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<TlsError>());
    let Some(TlsError::InvalidCertificate(wrong)) = inner else { return error.to_string() };
    let (what, todo) = match wrong {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => (
            "is signed by nobody whom this computer trusts",
            "if it is your own, start the client with `--ca FILE`, the file with the certificate",
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            ("has expired", "ask the operator for a new one, and look at this computer's clock")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            ("is not valid yet", "look at this computer's clock")
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            ("is for another name", "use the name in the certificate as the server's address")
        }
        // The library has no case of its own for it.
        CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => (
            "is one of an authority (CA:TRUE), and such a certificate only signs others",
            "make one for the server with `openssl req -x509 -addext \
             basicConstraints=critical,CA:FALSE`, or sign one with it",
        ),
        _ => return error.to_string(),
    };
    format!("the server's certificate {what}; {todo}")
}
