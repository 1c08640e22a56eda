//! Encrypted connections, by a certificate that is made here, and one that replaces it.

use std::{fs, path::Path, sync::Arc, time::Duration};

use fivefold_server::{
    config::Config,
    limits::Limits,
    net::tls::{Tls, TlsError},
};
use fivefold_storage::Memory;
use futures_util::{SinkExt, StreamExt};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{ClientConfig, RootCertStore, pki_types::CertificateDer},
};
use tokio_tungstenite::{client_async, tungstenite::Message};

use crate::harness::{LIMITS, TestServer, within};

/// Makes a certificate and writes it and its key into the folder.
fn make_certificate(folder: &Path) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(folder.join("cert.pem"), cert.pem()).unwrap();
    fs::write(folder.join("key.pem"), signing_key.serialize_pem()).unwrap();
    cert.der().clone()
}

/// An encrypted connection of a client that believes this certificate alone.
async fn connect(
    server: &TestServer,
    believed: &CertificateDer<'static>,
) -> std::io::Result<TlsStream<tokio::net::TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(believed.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = server.connect_raw().await;
    within(TlsConnector::from(Arc::new(config)).connect("localhost".try_into().unwrap(), stream))
        .await
}

#[tokio::test]
async fn connections_are_encrypted_by_a_certificate_that_can_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (cert_file, key_file) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    let first = make_certificate(folder.path());
    let tls = Arc::new(Tls::load(&cert_file, &key_file).unwrap());
    let config = Config { limits: LIMITS, tls: Some(Arc::clone(&tls)), ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);

    let stream = connect(&server, &first).await.unwrap();
    let (mut socket, _) = client_async("wss://localhost/ws", stream).await.unwrap();
    socket.send(Message::text(r#"{"type":"ping","id":"1"}"#)).await.unwrap();
    let pong = within(socket.next()).await.unwrap().unwrap();
    let pong = pong.to_text().unwrap();
    assert!(pong.starts_with(r#"{"type":"pong","id":"1","now":"#), "{pong}");

    // A file that is no certificate changes nothing.
    fs::write(&cert_file, "nothing").unwrap();
    assert!(matches!(tls.reload(&cert_file, &key_file), Err(TlsError::Empty(_))));
    connect(&server, &first).await.unwrap();

    let second = make_certificate(folder.path());
    tls.reload(&cert_file, &key_file).unwrap();
    connect(&server, &second).await.unwrap();
    assert!(connect(&server, &first).await.is_err());
    // Existing connections stay.
    socket.send(Message::text(r#"{"type":"ping","id":"2"}"#)).await.unwrap();
    let pong = within(socket.next()).await.unwrap().unwrap();
    assert!(pong.to_text().unwrap().starts_with(r#"{"type":"pong","id":"2","now":"#));

    // Clients without TLS get nowhere.
    let mut plain = server.connect_raw().await;
    plain.write_all(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    within(plain.read_to_end(&mut answer)).await.unwrap();
    assert!(!answer.starts_with(b"HTTP"));
    server.stop().await;
}

#[tokio::test]
async fn browsers_are_told_to_come_encrypted_the_next_time_too() {
    let folder = tempfile::tempdir().unwrap();
    let believed = make_certificate(folder.path());
    let file = |name: &str| folder.path().join(name);
    let tls = Tls::load(&file("cert.pem"), &file("key.pem")).unwrap();
    let config = Config { limits: LIMITS, tls: Some(Arc::new(tls)), ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    for path in ["/", "/api/games", "/api/games/none", "/nowhere", "/healthz", "/ws"] {
        let mut stream = connect(&server, &believed).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        within(stream.read_to_end(&mut answer)).await.unwrap();
        let head = String::from_utf8_lossy(&answer).split("\r\n\r\n").next().unwrap().to_owned();
        assert!(head.contains("\r\nstrict-transport-security: max-age="), "{path}: {head}");
    }
    server.stop().await;

    let plain = TestServer::start(LIMITS);
    let answer = plain.get("/healthz").await;
    assert!(!answer.contains("strict-transport-security"), "{answer}");
    plain.stop().await;
}

#[tokio::test]
async fn slow_encryption_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    make_certificate(folder.path());
    let file = |name: &str| folder.path().join(name);
    let tls = Tls::load(&file("cert.pem"), &file("key.pem")).unwrap();
    let limits = Limits { handshake_timeout: Duration::from_millis(50), ..LIMITS };
    let config = Config { limits, tls: Some(Arc::new(tls)), ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let mut silent = server.connect_raw().await;
    let mut nothing = Vec::new();
    within(silent.read_to_end(&mut nothing)).await.unwrap();
    assert_eq!(nothing, b"");
    server.stop().await;
}

#[test]
fn what_is_wrong_with_a_certificate_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    make_certificate(folder.path());
    fs::rename(file("key.pem"), file("other-key.pem")).unwrap();
    make_certificate(folder.path());
    fs::write(file("empty.pem"), "").unwrap();
    let cases = [
        ("missing.pem", "key.pem", "cannot read the certificate in"),
        ("empty.pem", "key.pem", "there is no certificate in"),
        ("cert.pem", "missing.pem", "cannot read the private key in"),
        ("cert.pem", "cert.pem", "cannot read the private key in"),
        ("cert.pem", "other-key.pem", "cannot be used"),
    ];
    for (certificate, key, expected) in cases {
        let error = Tls::load(&file(certificate), &file(key)).unwrap_err().to_string();
        assert!(error.contains(expected), "{certificate}, {key}: {error}");
    }
}
