//! Sending, to a server over a real socket.

use fivefold_mail::{Mail, Mailed, Mailer};
use fivefold_test_services::MailService;

fn mail() -> Mail {
    Mail {
        id: "abc1".to_owned(),
        subject: "3 games wait".to_owned(),
        body: "One.\n.\nTwo.\n".to_owned(),
    }
}

fn mailer(port: u16) -> Mailer {
    let server = format!("smtp://me:s%20ecret@127.0.0.1:{port}").try_into().expect("a server");
    let sender = "Fivefold <news@play.example>".parse().expect("a sender");
    Mailer::new(&server, &sender, "play.example").expect("it can encrypt")
}

#[tokio::test]
async fn a_message_arrives_whole() {
    let mut service = MailService::start(None).await;
    let mailer = mailer(service.port());
    assert_eq!(mailer.check().await, Ok(()));
    assert_eq!(mailer.send("ann@club.example", mail()).await, Mailed::Accepted);
    let got = service.next().await;
    assert_eq!((&*got.login, &*got.from), ("me:s ecret", "news@play.example"));
    assert_eq!(got.to, "ann@club.example");
    assert_eq!(got.header("From"), "Fivefold <news@play.example>");
    assert_eq!(got.header("Subject"), "3 games wait");
    assert_eq!(got.header("Auto-Submitted"), "auto-generated");
    assert_eq!(got.header("Message-ID"), "<abc1@play.example>");
    assert_eq!(got.body().trim_end(), "One.\n.\nTwo.");
}

#[tokio::test]
async fn what_a_server_does_not_take_now_is_sent_again() {
    let service = MailService::start(None).await;
    let mailer = mailer(service.port());
    service.answer("451 later");
    assert!(matches!(mailer.send("ann@club.example", mail()).await, Mailed::Later(_)));
    service.answer("550 <ann@club.example>: no such mailbox");
    let refused = mailer.send("ann@club.example", mail()).await;
    assert!(
        matches!(&refused, Mailed::Refused(why) if why.contains("no such mailbox")),
        "{refused:?}"
    );
    // Nothing listens there.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mailer = self::mailer(nobody.port());
    assert!(matches!(mailer.send("ann@club.example", mail()).await, Mailed::Later(_)));
    assert!(mailer.check().await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_is_not_waited_for() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mailer = mailer(silent.local_addr().unwrap().port());
    assert!(matches!(mailer.send("ann@club.example", mail()).await, Mailed::Later(_)));
}
