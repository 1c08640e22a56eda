//! Tests e-mail of the real program, through a server with TLS and a password that stands in a file of its own.

use std::{fs, time::Duration};

use fivefold_test_services::{Certificate, MailService, free_port};
use fivefold_tests::Server;
use serde_json::json;
use tokio::time::timeout;

use crate::account::{PASSWORD, ask, run, session_in, sign_up};

#[tokio::test(flavor = "multi_thread")]
async fn mail_is_encrypted_and_signed_in() {
    let certificate = Certificate::make();
    let mut service = MailService::start(Some(&certificate)).await;
    let folder = tempfile::tempdir().unwrap();
    let smtp = folder.path().join("smtp");
    fs::write(&smtp, format!("smtps://me:s3cret%21@localhost:{}\n", service.port())).unwrap();
    let port = free_port();
    let (listen, url) = (format!("127.0.0.1:{port}"), format!("http://localhost:{port}"));
    let settings = [
        ("smtp-file", smtp.to_str().unwrap()),
        ("mail-from", "Fivefold <news@play.example>"),
        ("public-url", &url),
        ("listen", &listen),
    ];
    let server = Server::start_trusting(&certificate.file(), &settings);
    sign_up(&server, "Annika").await;
    let login = run(&server, folder.path(), &["login", "annika"], &format!("{PASSWORD}\n"));
    assert!(login.done, "{}", login.stderr);
    let session = session_in(folder.path(), &server).expect("it is kept");
    let body = json!({"address": "annika@club.example", "password": PASSWORD});
    ask(&server, &session, "/api/email", body).await;
    let got = timeout(Duration::from_secs(10), service.next()).await.expect("a message");
    assert_eq!((&*got.login, &*got.to), ("me:s3cret!", "annika@club.example"));
    assert!(got.body().contains(&format!("\n{url}/#email=")), "{}", got.text);
}
