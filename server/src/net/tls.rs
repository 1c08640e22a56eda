//! The TLS certificate: read from two files, and reloaded while the server runs. And whom the server trusts as a client.

mod validity;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
};
use tokio_rustls::TlsAcceptor;

use super::changeable::Changeable;

/// For connections to servers whose certificates the system trusts.
///
/// # Errors
/// If the versions of TLS cannot be used.
pub(crate) fn client() -> Result<ClientConfig, rustls::Error> {
    let mut trusted = RootCertStore::empty();
    trusted.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Ok(ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(trusted)
        .with_no_client_auth())
}

/// A certificate in use.
#[derive(Debug)]
pub struct Tls(Changeable<Certified>);

/// What was read.
#[derive(Clone, Debug)]
struct Certified {
    config: Arc<ServerConfig>,
    /// The end of the certificate, in seconds since the Unix epoch.
    not_after: Option<i64>,
}

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file with the certificate.
    #[error("cannot read the certificate in {}: {error}", path.display())]
    Certificate {
        /// The file's path.
        path: PathBuf,
        /// The error.
        error: pem::Error,
    },
    /// The file with the key.
    #[error("cannot read the private key in {}: {error}", path.display())]
    Key {
        /// The file's path.
        path: PathBuf,
        /// The error.
        error: pem::Error,
    },
    /// The file contains no certificate.
    #[error("there is no certificate in {}; it should hold the whole chain, in PEM", .0.display())]
    Empty(PathBuf),
    /// Both files can be read, but the certificate or key is not usable.
    #[error("the certificate and its key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

impl Tls {
    /// Reads a certificate chain and its private key, both in PEM.
    ///
    /// # Errors
    /// If a file cannot be read, or the two do not match.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        Ok(Self(read(certificate, key)?.into()))
    }

    /// Reads these files, for new connections.
    ///
    /// # Errors
    /// As [`load`](Self::load); the current certificate then stays in use.
    pub fn reload(&self, certificate: &Path, key: &Path) -> Result<(), TlsError> {
        self.0.set(read(certificate, key)?);
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0.get().config))
    }

    /// The end of the certificate in seconds since the Unix epoch, if it can be read.
    pub(crate) fn not_after(&self) -> Option<i64> {
        self.0.get().not_after
    }
}

fn read(certificate: &Path, key: &Path) -> Result<Certified, TlsError> {
    let unreadable = |error| TlsError::Certificate { path: certificate.into(), error };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(unreadable)?;
    if chain.is_empty() {
        return Err(TlsError::Empty(certificate.into()));
    }
    let not_after = chain.first().and_then(|first| validity::not_after(first));
    let key = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| TlsError::Key { path: key.into(), error })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Certified { config: Arc::new(config), not_after })
}
