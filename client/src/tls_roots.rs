//! Loads the trusted TLS certificates: the system's, or those in a file.

use std::{path::Path, sync::Arc};

use anyhow::{Context, bail};
use rustls::{
    ClientConfig, RootCertStore,
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
