//! Tests replacing a certificate while the server runs, by a signal, as operators do it.

use std::{fs, io, path::Path, sync::Arc};

use fivefold_tests::{PATIENCE, Server};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout},
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::CertificateDer},
};

/// Makes a self-signed certificate, and writes it and its key to these files.
fn make_certificate(certificate: &Path, key: &Path) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    fs::write(certificate, cert.pem()).expect("the file can be written");
    fs::write(key, signing_key.serialize_pem()).expect("the file can be written");
    cert.der().clone()
}

/// Connects as a client that trusts only this certificate.
async fn connect(server: &Server, believed: &CertificateDer<'static>) -> io::Result<()> {
    let mut roots = RootCertStore::empty();
    roots.add(believed.clone()).expect("it is a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the versions are known")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(server.address()).await?;
    let name = "localhost".try_into().expect("a name");
    let connecting = TlsConnector::from(Arc::new(config)).connect(name, stream);
    timeout(PATIENCE, connecting).await.expect("the server answers").map(drop)
}

#[tokio::test]
async fn a_hangup_has_the_certificate_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let [certificate, key, log] =
        ["cert.pem", "key.pem", "log"].map(|name| folder.path().join(name));
    let first = make_certificate(&certificate, &key);
    let [cert_file, key_file] = [&certificate, &key].map(|path| path.to_str().expect("plain"));
    let server = Server::start_with_log(&log, &[("tls-cert", cert_file), ("tls-key", key_file)]);
    connect(&server, &first).await.expect("it shows the first certificate");

    // An invalid file: the server logs that and keeps the old certificate.
    fs::write(&certificate, "nothing").expect("the file can be written");
    server.hang_up();
    let begin = Instant::now();
    loop {
        connect(&server, &first).await.expect("it still shows the first certificate");
        let logged = fs::read_to_string(&log).expect("a log");
        if let Some(line) = logged.lines().find(|line| line.contains("stay in effect")) {
            assert!(line.contains("ERROR") && line.contains(cert_file), "{line}");
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "nothing is logged: {logged}");
    }

    let second = make_certificate(&certificate, &key);
    server.hang_up();
    let begin = Instant::now();
    while let Err(error) = connect(&server, &second).await {
        assert!(begin.elapsed() < PATIENCE, "the second certificate is not shown: {error}");
    }
    connect(&server, &first).await.expect_err("the first certificate is shown no more");
}
