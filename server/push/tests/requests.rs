//! Pushes over real sockets: what a push service gets, and the hostile table of endpoints.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use data_encoding::BASE64URL_NOPAD;
use fivefold_push::{
    ANSWER_MAX, ANSWER_WITHIN, Browser, ENDPOINT_MAX, MESSAGE_MAX, Peers, Push, Pushed, Pusher,
    RETRY_MAX, RETRY_MIN, ServerKey, may_be_endpoint,
};
use fivefold_test_services::{PushAnswer, PushService, SoftBrowser};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use tokio::net::TcpListener;

const NOW: u64 = 1_800_000_000;
const SUBJECT: &str = "https://play.example";

fn decode(text: &str) -> Vec<u8> {
    BASE64URL_NOPAD.decode(text.as_bytes()).unwrap()
}

fn keys(browser: &SoftBrowser) -> Browser {
    Browser::new(&decode(&browser.p256dh()), &decode(&browser.auth())).unwrap()
}

/// Peers that may be on this machine, and trust the service.
fn loopback(service: &PushService) -> Peers {
    Peers {
        also_allowed: vec!["127.0.0.0/8".parse().unwrap()],
        also_trusted: vec![service.certificate()],
        lookup: None,
    }
}

fn pusher(peers: Peers) -> Pusher {
    let key = ServerKey::read(&ServerKey::make().unwrap()).unwrap();
    Pusher::new(key, SUBJECT.to_owned(), peers).unwrap()
}

async fn send(pusher: &Pusher, endpoint: &str, message: &[u8]) -> Pushed {
    let browser = keys(&SoftBrowser::numbered(7));
    let push = Push {
        endpoint,
        browser: &browser,
        message,
        ttl_s: 60,
        topic: Some("turns"),
        is_urgent: true,
    };
    pusher.push(&push, NOW).await
}

#[tokio::test]
async fn a_push_service_gets_what_only_the_browser_reads() {
    let mut service = PushService::start().await;
    let pusher = pusher(loopback(&service));
    for message in [&b"Your move"[..], &[b'x'; MESSAGE_MAX], b""] {
        let endpoint = service.endpoint("ann?with=query");
        assert_eq!(send(&pusher, &endpoint, message).await, Pushed::Accepted);
        let got = service.next().await;
        assert_eq!(SoftBrowser::numbered(7).decrypt(&got.body), message);
        assert_eq!(got.path, "/push/ann?with=query");
        for (name, value) in [
            ("content-encoding", "aes128gcm"),
            ("ttl", "60"),
            ("topic", "turns"),
            ("urgency", "high"),
        ] {
            assert_eq!(got.headers[name], value, "{name}");
        }
        // RFC 8292, sections 2 and 3.
        let authorization = got.headers["authorization"].strip_prefix("vapid t=").unwrap();
        let (token, key) = authorization.split_once(", k=").unwrap();
        assert_eq!(key, pusher.public_key());
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decode(key));
        public.verify(signed.as_bytes(), &decode(signature)).unwrap();
        let (head, claims) = signed.split_once('.').unwrap();
        let head: serde_json::Value = serde_json::from_slice(&decode(head)).unwrap();
        assert_eq!(head, serde_json::json!({"typ": "JWT", "alg": "ES256"}));
        let claims: serde_json::Value = serde_json::from_slice(&decode(claims)).unwrap();
        assert_eq!(claims["aud"], format!("https://localhost:{}", service.port()));
        assert_eq!(claims["sub"], SUBJECT);
        let valid = claims["exp"].as_u64().unwrap() - NOW;
        assert!((3_600..=86_400).contains(&valid), "{valid}");
    }
    assert_eq!(
        send(&pusher, &service.endpoint("ann"), &[b'x'; MESSAGE_MAX + 1]).await,
        Pushed::Refused
    );
    assert_eq!(service.try_next(), None);
}

#[tokio::test]
async fn the_answer_decides_what_becomes_of_a_subscription() {
    let service = PushService::start().await;
    let pusher = pusher(loopback(&service));
    let later = |seconds: u64| Pushed::Later(Duration::from_secs(seconds));
    let cases = [
        (200, "", Pushed::Accepted),
        (202, "", Pushed::Accepted),
        (404, "", Pushed::Gone),
        (410, "", Pushed::Gone),
        (429, "", later(60)),
        (429, "retry-after: 120\r\n", later(120)),
        (429, "retry-after: 0\r\n", Pushed::Later(RETRY_MIN)),
        (429, "retry-after: 99999999\r\n", Pushed::Later(RETRY_MAX)),
        (429, "retry-after: soon\r\n", later(60)),
        (503, "retry-after: 7\r\n", later(7)),
        (400, "", Pushed::Failed),
        (403, "", Pushed::Failed),
        (413, "", Pushed::Failed),
        (500, "", Pushed::Failed),
        (502, "", Pushed::Failed),
        (503, "", Pushed::Failed),
        (301, "location: https://localhost/elsewhere\r\n", Pushed::Failed),
        (307, "location: http://127.0.0.1/\r\n", Pushed::Failed),
    ];
    for (status, lines, expected) in cases {
        service.answer(PushAnswer::Status(status, lines.to_owned()));
        let pushed = send(&pusher, &service.endpoint("ann"), b"x").await;
        assert_eq!(pushed, expected, "{status} {lines}");
    }
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let mut service = PushService::start().await;
    let mut other = PushService::start().await;
    let peers = Peers {
        also_trusted: vec![service.certificate(), other.certificate()],
        ..loopback(&service)
    };
    let pusher = pusher(peers);
    for status in [301, 302, 303, 307, 308] {
        let location = format!("location: {}\r\n", other.endpoint("inside"));
        service.answer(PushAnswer::Status(status, location));
        assert_eq!(send(&pusher, &service.endpoint("ann"), b"x").await, Pushed::Failed);
        service.next().await;
        assert_eq!((service.try_next(), other.try_next()), (None, None));
    }
}

#[tokio::test]
async fn huge_and_slow_answers_end() {
    let service = PushService::start().await;
    let pusher = pusher(loopback(&service));
    let pushed = async |answer: PushAnswer| {
        service.answer(answer);
        let begun = Instant::now();
        (send(&pusher, &service.endpoint("ann"), b"x").await, begun.elapsed())
    };
    assert_eq!(pushed(PushAnswer::Body(ANSWER_MAX)).await.0, Pushed::Accepted);
    for huge in [PushAnswer::Body(ANSWER_MAX + 1), PushAnswer::Endless] {
        let (outcome, took) = pushed(huge.clone()).await;
        assert_eq!(outcome, Pushed::Failed, "{huge:?}");
        assert!(took < ANSWER_WITHIN, "{huge:?} is read for {took:?}");
    }
    for slow in [PushAnswer::Silent, PushAnswer::Dripping] {
        let (outcome, took) = pushed(slow.clone()).await;
        assert_eq!(outcome, Pushed::Failed, "{slow:?}");
        let patience = ANSWER_WITHIN..ANSWER_WITHIN + Duration::from_secs(2);
        assert!(patience.contains(&took), "{slow:?} is waited for {took:?}");
    }
}

/// Where a server must not connect to, by an address in numbers or by a name that leads there.
#[tokio::test]
async fn no_connection_goes_to_a_private_network() {
    let inside = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = inside.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while inside.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let literals = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "017700000001",
        "0",
        "10.0.0.1",
        "169.254.169.254",
        "192.168.1.1",
        "100.64.0.1",
        "[::1]",
        "[::]",
        "[::127.0.0.1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]",
        "[2002:7f00:1::]",
        "[fd00::1]",
        "[fe80::1]",
        "[fec0::1]",
        "[ff02::1]",
    ];
    let closed = pusher(Peers::default());
    for host in literals {
        let endpoint = format!("https://{host}:{port}/push");
        assert!(may_be_endpoint(&endpoint, &Peers::default()).is_err(), "{host}");
        assert_eq!(send(&closed, &endpoint, b"x").await, Pushed::Refused, "{host}");
    }
    let resolved =
        ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1"];
    for address in resolved {
        let address: IpAddr = address.parse().unwrap();
        let lookup = Arc::new(move |_: &str| vec![address]);
        let pusher = pusher(Peers { lookup: Some(lookup), ..Peers::default() });
        let endpoint = format!("https://push.example:{port}/push");
        assert!(may_be_endpoint(&endpoint, &Peers::default()).is_ok());
        assert_eq!(send(&pusher, &endpoint, b"x").await, Pushed::Refused, "{address}");
    }
    // The system's own names lead here, too.
    assert_eq!(send(&closed, &format!("https://localhost:{port}/"), b"x").await, Pushed::Refused);
    assert_eq!(connections.load(Ordering::Relaxed), 0);
}

/// Only what no push service has seen may be sent again.
#[tokio::test]
async fn a_push_without_a_connection_is_told_from_one_without_an_answer() {
    let service = PushService::start().await;
    let pusher = pusher(loopback(&service));
    // Nobody listens; somebody listens who does not speak TLS, or says nothing at all.
    let closed = TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap();
    let silent = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let plain = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let ports =
        [closed.port(), silent.local_addr().unwrap().port(), plain.local_addr().unwrap().port()];
    tokio::spawn(async move { while plain.accept().await.is_ok() {} });
    for port in ports {
        let endpoint = format!("https://localhost:{port}/push");
        assert_eq!(send(&pusher, &endpoint, b"x").await, Pushed::Unreached, "{port}");
    }
    service.answer(PushAnswer::Silent);
    assert_eq!(send(&pusher, &service.endpoint("ann"), b"x").await, Pushed::Failed);
}

/// A name is looked up once, and the connection goes to what was checked, whatever the name leads to a moment later.
#[tokio::test]
async fn the_address_that_was_checked_is_the_one_connected_to() {
    let mut service = PushService::start().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let lookup = Arc::new(move |_: &str| {
        let is_first = counted.fetch_add(1, Ordering::Relaxed) == 0;
        // The second answer would be a network that is not allowed.
        vec![if is_first { "127.0.0.1" } else { "10.0.0.1" }.parse().unwrap()]
    });
    let pusher = pusher(Peers { lookup: Some(lookup), ..loopback(&service) });
    assert_eq!(send(&pusher, &service.endpoint("ann"), b"x").await, Pushed::Accepted);
    service.next().await;
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[test]
fn an_endpoint_is_an_encrypted_address() {
    let long = |length: usize| {
        let start = "https://push.example/";
        format!("{start}{}", "x".repeat(length - start.len()))
    };
    let cases = [
        ("https://fcm.googleapis.com/fcm/send/abc:def".to_owned(), true),
        ("https://web.push.apple.com/QAbc_-".to_owned(), true),
        ("https://93.184.216.34/push".to_owned(), true),
        (long(ENDPOINT_MAX), true),
        (long(ENDPOINT_MAX + 1), false),
        ("http://push.example/x".to_owned(), false),
        ("wss://push.example/x".to_owned(), false),
        ("file:///etc/passwd".to_owned(), false),
        ("https://ann@push.example/x".to_owned(), false),
        ("https://ann:secret@push.example/x".to_owned(), false),
        ("https://push.example/x#here".to_owned(), false),
        ("https:///x".to_owned(), true),
        ("https://".to_owned(), false),
        ("push.example".to_owned(), false),
        (String::new(), false),
    ];
    for (endpoint, expected) in cases {
        let is_one = may_be_endpoint(&endpoint, &Peers::default()).is_ok();
        assert_eq!(is_one, expected, "{endpoint:.60}");
    }
}

#[test]
fn keys_that_no_browser_has_are_refused() {
    let browser = SoftBrowser::numbered(1);
    let (key, auth) = (decode(&browser.p256dh()), decode(&browser.auth()));
    assert!(Browser::new(&key, &auth).is_ok());
    let off_curve = [&key[..64], &[key[64] ^ 1]].concat();
    let cases = [
        (key[..64].to_vec(), auth.clone()),
        (vec![], auth.clone()),
        (off_curve, auth.clone()),
        (vec![0; 65], auth.clone()),
        (key.clone(), auth[..15].to_vec()),
        (key.clone(), vec![]),
        (key, vec![0; 17]),
    ];
    for (key, auth) in cases {
        assert!(Browser::new(&key, &auth).is_err(), "{} and {} bytes", key.len(), auth.len());
    }
    assert!(ServerKey::read(b"no key").is_err());
}
