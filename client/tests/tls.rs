//! Tests encrypted connections: which servers the client trusts.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::{fs, path::Path, sync::Arc};

use fivefold::server::{
    connection::{Connection, ConnectionError, Visitor},
    tls_roots::connector,
};
use fivefold_shared::protocol::{Command, MemberId, Message, Name, VERSION};
use futures_util::{SinkExt, StreamExt};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use tokio::net::TcpListener;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};
use tokio_tungstenite::{accept_async, tungstenite::Message as Frame};

/// Makes a self-signed certificate and writes it to the file.
fn make_certificate(file: &Path, is_ca: IsCa) -> TlsAcceptor {
    let signing_key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.is_ca = is_ca;
    let cert = params.self_signed(&signing_key).unwrap();
    fs::write(file, cert.pem()).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

#[tokio::test]
async fn only_a_server_that_is_believed_is_spoken_to() {
    let folder = tempfile::tempdir().unwrap();
    let (own, other) = (folder.path().join("own.pem"), folder.path().join("other.pem"));
    let authority = folder.path().join("authority.pem");
    let acceptor = make_certificate(&own, IsCa::NoCa);
    make_certificate(&other, IsCa::NoCa);
    // As `openssl req -x509` makes it.
    let of_authority = make_certificate(&authority, IsCa::Ca(BasicConstraints::Unconstrained));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = format!("https://localhost:{}", listener.local_addr().unwrap().port());

    for (file, acceptor, refused) in [
        (&own, &acceptor, None),
        (&other, &acceptor, Some("nobody whom this computer trusts; if it is your own, start")),
        (
            &authority,
            &of_authority,
            Some("(CA:TRUE), and such a certificate only signs others; make"),
        ),
    ] {
        let visitor =
            Visitor { connector: Some(connector(Some(file)).unwrap()), ..Visitor::default() };
        let serve = async {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that does not trust the certificate disconnects.
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let mut socket = accept_async(stream).await.unwrap();
            let Frame::Text(hello) = socket.next().await.unwrap().unwrap() else { panic!("text") };
            let welcome = Message::Welcome {
                id: Command::from_json(&hello).unwrap().id,
                protocol: VERSION,
                server: "test".into(),
                you: MemberId::try_from("0123456789abcdef".to_owned()).unwrap(),
                name: Name::new("Ann").unwrap(),
                identity: None,
                account: false,
                bot: false,
                chat: true,
            };
            socket.send(Frame::text(welcome.to_json())).await.unwrap();
        };
        let (opened, ()) = tokio::join!(Connection::open(server.parse().unwrap(), visitor), serve);
        match opened {
            Ok(_) => assert_eq!(refused, None),
            Err(ConnectionError::Unreachable { why, .. }) => {
                assert!(refused.is_some_and(|part| why.contains(part)), "{why}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn what_is_wrong_with_the_file_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    fs::write(&empty, "").unwrap();
    let missing = folder.path().join("missing.pem");
    for (file, expected) in [(&empty, "there is no certificate in"), (&missing, "cannot read")] {
        let error = connector(Some(file)).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
