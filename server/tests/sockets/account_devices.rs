//! Other devices that sign in, by a typed code or by a link.

use fivefold_server::{
    limits::accounts::{DEVICE_CODES_MAX, DEVICE_TRIES_MAX},
    transport::bus::local::LocalNetwork,
};
use fivefold_shared::protocol::{AccountNews, Message};
use fivefold_storage::Memory;
use serde_json::{Value, json};

use crate::{
    accounts::{Answer, ask, sign_up, socket, with},
    harness::{LIMITS, TestServer},
};

async fn begin(server: &TestServer) -> (String, String) {
    let head = ["User-Agent: fivefold 0.1.0".to_owned()];
    let begun = ask(server, "POST /api/device", &head, &Value::Null).await;
    assert_eq!(begun.status, 201, "{}", begun.body);
    let text = |name: &str| begun.body[name].as_str().unwrap().to_owned();
    assert_eq!(
        (&begun.body["expires_ms"], &begun.body["poll_ms"]),
        (&json!(600_000), &json!(5_000))
    );
    (text("device_code"), text("user_code"))
}

async fn poll(server: &TestServer, device_code: &str) -> Answer {
    let body = json!({"device_code": device_code});
    ask(server, "POST /api/device/session", &[], &body).await
}

async fn answer(server: &TestServer, cookie: &str, user_code: &str, allow: bool) -> Answer {
    let body = json!({"user_code": user_code, "allow": allow});
    ask(server, "POST /api/device/answer", &with(cookie), &body).await
}

#[tokio::test]
async fn a_program_signs_in_by_a_code_that_its_member_allows() {
    let server = TestServer::start(LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let mut page = socket(&server, &cookie).await;
    let (device, user) = begin(&server).await;
    assert_eq!((user.len(), device.len()), (8, 16));
    assert_eq!(poll(&server, &device).await.status, 202);
    // People type it as they like, and see who asks.
    let typed = format!(" {}-{}", user[..4].to_uppercase(), &user[4..]);
    let body = json!({"user_code": typed});
    let found = ask(&server, "POST /api/device/find", &with(&cookie), &body).await;
    assert_eq!((found.status, &found.body["label"]), (200, &json!("fivefold 0.1.0")));
    assert_eq!(found.body["address"], "127.0.0.1");
    ask(&server, "POST /api/device/find", &[], &body).await.assert(401, "signed_out");
    assert_eq!(answer(&server, &cookie, &typed, true).await.status, 204);
    let news = page.receive().await;
    let Message::AccountChanged { change: AccountNews::DeviceAdded, label, .. } = &news else {
        panic!("{news:?}")
    };
    assert_eq!(label, "fivefold 0.1.0");
    // The code is used up.
    answer(&server, &cookie, &user, true).await.assert(403, "wrong_device_code");
    let opened = poll(&server, &device).await;
    assert_eq!((opened.status, &opened.body["account"]["name"]), (200, &json!("Ann")));
    socket(&server, &opened.cookie()).await;
    // It signs in once, and asks no faster than it may.
    poll(&server, &device).await.assert(403, "wrong_device_code");
    poll(&server, &device).await.assert(429, "too_many_tries");
    server.stop().await;
}

#[tokio::test]
async fn a_program_that_is_denied_learns_it() {
    let server = TestServer::start(LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let (device, user) = begin(&server).await;
    assert_eq!(answer(&server, &cookie, &user, false).await.status, 204);
    poll(&server, &device).await.assert(403, "device_denied");
    poll(&server, &user).await.assert(403, "wrong_device_code");
    server.stop().await;
}

#[tokio::test]
async fn nobody_guesses_codes_of_devices() {
    let server = TestServer::start(LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let (_, user) = begin(&server).await;
    for _ in 0..DEVICE_TRIES_MAX {
        answer(&server, &cookie, "22222222", true).await.assert(403, "wrong_device_code");
    }
    answer(&server, &cookie, &user, true).await.assert(429, "too_many_tries");
    for _ in 1..DEVICE_CODES_MAX {
        begin(&server).await;
    }
    let refused = ask(&server, "POST /api/device", &[], &Value::Null).await;
    refused.assert(429, "too_many_tries");
    server.stop().await;
}

#[tokio::test]
async fn a_link_signs_in_one_device_if_both_say_yes() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(1));
    let [one, other] = [(); 2].map(|()| TestServer::start_node(&storage, &network, LIMITS));
    let (cookie, _) = sign_up(&one, "Ann").await;
    let (stranger, _) = sign_up(&one, "Bob").await;
    let link = ask(&one, "POST /api/link", &with(&cookie), &Value::Null).await;
    assert_eq!((link.status, &link.body["expires_ms"]), (201, &json!(120_000)));
    let code = link.body["code"].as_str().unwrap().to_owned();
    assert_eq!(code.len(), 16);
    let body = json!({"code": code});
    let state = |cookie: String| {
        let (one, body) = (&one, &body);
        async move { ask(one, "POST /api/link/state", &with(&cookie), body).await }
    };
    assert_eq!(state(cookie.clone()).await.body, json!({}));
    state(stranger.clone()).await.assert(403, "wrong_device_code");
    // It is opened at another node, once.
    let opened = ask(&other, "POST /api/link/open", &[], &body).await;
    assert_eq!((opened.status, &opened.body["name"]), (200, &json!("Ann")));
    ask(&other, "POST /api/link/open", &[], &body).await.assert(403, "wrong_device_code");
    let device = opened.body["device_code"].as_str().unwrap();
    assert_eq!(poll(&one, device).await.status, 202);
    let seen = state(cookie.clone()).await;
    let user = seen.body["user_code"].as_str().unwrap();
    assert_eq!(seen.body["device"]["address"], "127.0.0.1");
    // Only the member who made the link lets it in.
    answer(&one, &stranger, user, true).await.assert(403, "wrong_device_code");
    assert_eq!(answer(&one, &cookie, user, true).await.status, 204);
    let signed_in = poll(&other, device).await;
    assert_eq!((signed_in.status, &signed_in.body["account"]["name"]), (200, &json!("Ann")));
    socket(&one, &signed_in.cookie()).await;
    one.stop().await;
    other.stop().await;
}
