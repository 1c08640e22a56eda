//! A certificate for services on this machine, and its key, as files.

use std::{fs, path::PathBuf, sync::Arc};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{
    ServerConfig,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;

/// A new certificate for `localhost`, signed by itself.
#[derive(Debug)]
pub struct Certificate {
    folder: TempDir,
}

impl Certificate {
    /// Makes a certificate. Its files are deleted with this value.
    ///
    /// # Panics
    /// When the files cannot be written.
    pub fn make() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).expect("a name that DNS allows");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let made = Self { folder };
        fs::write(made.file(), cert.pem()).expect("a file in our folder");
        fs::write(made.key(), signing_key.serialize_pem()).expect("a file in our folder");
        made
    }

    /// The flags by which `nats-server` encrypts with it.
    pub fn flags(&self) -> [String; 3] {
        let (file, key) = (self.file(), self.key());
        let of = |flag, file: PathBuf| format!("{flag}={}", file.display());
        ["--tls".to_owned(), of("--tlscert", file), of("--tlskey", key)]
    }

    /// The certificate, as DER.
    ///
    /// # Panics
    /// When its file is gone.
    pub fn der(&self) -> CertificateDer<'static> {
        CertificateDer::from_pem_file(self.file()).expect("our file")
    }

    /// Encrypts connections with it.
    ///
    /// # Panics
    /// When its files are gone.
    pub fn acceptor(&self) -> TlsAcceptor {
        let key = PrivateKeyDer::from_pem_file(self.key()).expect("our file");
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring has them")
            .with_no_client_auth()
            .with_single_cert(vec![self.der()], key)
            .expect("they belong together");
        TlsAcceptor::from(Arc::new(config))
    }

    /// The certificate's file, in PEM.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("certificate.pem")
    }

    /// The file of its key, in PEM.
    pub fn key(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }
}
