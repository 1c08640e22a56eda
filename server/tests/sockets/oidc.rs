//! Signing up and in by another site (OpenID Connect), against a provider over real sockets.

use fivefold_server::{
    accounts::oidc::client::OidcSettings,
    config::Config,
    limits::accounts::{OIDC_STARTS_MAX, SIGN_UPS_MAX},
    transport::bus::local::LocalNetwork,
};
use fivefold_shared::protocol::{AccountNews, Message};
use fivefold_storage::Memory;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    accounts::{Answer, PASSWORD, ask, bearer, greet, sign_up, socket, typed, with},
    harness::{LIMITS, TestServer},
    soft_provider::{CLIENT, Lie, SECRET, SoftProvider},
};

const RETURN: &str = "http://localhost:8080/oidc";

fn config(provider: &SoftProvider) -> Config {
    let public_url = "http://localhost:8080".parse().unwrap();
    let settings = OidcSettings {
        issuer: provider.issuer().parse().unwrap(),
        client: CLIENT.to_owned(),
        secret: Some(SECRET.to_owned().into()),
        label: "The club".to_owned(),
        public_url,
    };
    Config { limits: LIMITS, oidc: Some(settings), ..Config::default() }
}

async fn start() -> (SoftProvider, TestServer) {
    let provider = SoftProvider::start().await;
    let server = TestServer::start_with(Box::new(Memory::default()), config(&provider));
    (provider, server)
}

/// A browser at the provider: its cookie here, and what it is to bring back.
struct Visit {
    cookie: String,
    answer: Value,
}

/// Goes to the provider, and signs in there.
async fn visit(server: &TestServer, purpose: &str, head: &[String]) -> Visit {
    let started = ask(server, "POST /api/oidc", head, &json!({"for": purpose})).await;
    assert_eq!(started.status, 200, "{}", started.body);
    assert!(
        started.head.contains("HttpOnly; SameSite=Lax; Path=/; Max-Age=600"),
        "{}",
        started.head
    );
    let url = started.body["url"].as_str().unwrap();
    let (address, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut provider = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    provider.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    provider.read_to_string(&mut answer).await.unwrap();
    let location = answer.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
    let back = location.strip_prefix(RETURN).unwrap().strip_prefix("?code=").unwrap();
    let (code, state) = back.split_once("&state=").unwrap();
    Visit { cookie: started.cookie(), answer: json!({"code": code, "state": state}) }
}

async fn bring(server: &TestServer, cookies: &str, answer: &Value) -> Answer {
    ask(server, "POST /api/oidc/answer", &with(cookies), answer).await
}

/// Goes there and back, in one browser.
async fn sign_in(server: &TestServer) -> (String, Answer) {
    let Visit { cookie, answer } = visit(server, "sign_in", &[]).await;
    let answer = bring(server, &cookie, &answer).await;
    (cookie, answer)
}

/// Makes an account for somebody with one at the provider; returns the cookie.
async fn sign_up_by_oidc(server: &TestServer, name: &str) -> String {
    let (cookie, answer) = sign_in(server).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    let body = json!({"name": name, "oidc": answer.body["ticket"]});
    let made = ask(server, "POST /api/account", &with(&cookie), &body).await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(made.body["recovery_codes"].as_array().unwrap().len(), 8);
    made.cookie()
}

async fn shown(server: &TestServer, cookie: &str) -> Value {
    ask(server, "GET /api/account", &with(cookie), &Value::Null).await.body
}

#[tokio::test]
async fn somebody_whom_the_provider_knows_signs_up_by_a_name_and_then_in() {
    let (provider, server) = start().await;
    let sites = ask(&server, "GET /api/passkeys", &[], &Value::Null).await;
    assert_eq!(sites.body["oidc"], "The club");
    sign_up(&server, "Bob").await;
    let (mut guest, id, identity) = greet(&server, "Ann").await;
    let (cookie, answer) = sign_in(&server).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    let ticket = &answer.body["ticket"];
    let body = |name: &str| json!({"name": name, "oidc": ticket});
    // A name that is taken costs nothing; the ticket is of this browser only.
    let head = [with(&cookie), vec![bearer(&identity)]].concat();
    let path = "POST /api/account";
    ask(&server, path, &head, &body("Bob")).await.assert(409, "name_taken");
    ask(&server, path, &[], &body("Ann")).await.assert(403, "wrong_oidc");
    let made = ask(&server, path, &head, &body("Ann")).await;
    assert_eq!((made.status, &made.body["account"]["id"]), (201, &json!(id)), "{}", made.body);
    guest.ended().await;
    // The same ticket makes no second account.
    ask(&server, path, &with(&cookie), &body("Anna")).await.assert(403, "wrong_oidc");

    let (_, again) = sign_in(&server).await;
    assert_eq!((again.status, &again.body["account"]["name"]), (200, &json!("Ann")));
    let own = shown(&server, &again.cookie()).await;
    assert_eq!((&own["has_password"], &own["passkeys"]), (&json!(false), &json!([])));
    assert_eq!(own["oidc"][0]["label"], "The club");
    assert!(!own.to_string().contains("ann-1"), "{own}");
    // Somebody else there is somebody else here.
    provider.next("eve-2", Lie::Nothing);
    assert_eq!(sign_in(&server).await.1.status, 202);
    // The last key stays.
    let id = own["oidc"][0]["id"].as_str().unwrap();
    let path = format!("DELETE /api/account/passkeys/{id}");
    ask(&server, &path, &with(&again.cookie()), &Value::Null).await.assert(409, "last_key");
    server.stop().await;
}

#[tokio::test]
async fn what_the_provider_did_not_say_opens_nothing() {
    let (provider, server) = start().await;
    sign_up_by_oidc(&server, "Ann").await;
    for lie in
        [Lie::Nonce, Lie::Issuer, Lie::Audience, Lie::Expired, Lie::Key, Lie::Unsigned, Lie::Shared]
    {
        provider.next("ann-1", lie);
        let (_, answer) = sign_in(&server).await;
        assert_eq!((answer.status, &answer.body["reason"]), (403, &json!("wrong_oidc")), "{lie:?}");
        assert!(!answer.head.contains("set-cookie"), "{lie:?}: {}", answer.head);
    }
    provider.next("ann-1", Lie::Nothing);
    assert_eq!(sign_in(&server).await.1.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn an_answer_is_taken_once_and_from_the_browser_that_left() {
    let (provider, server) = start().await;
    sign_up_by_oidc(&server, "Ann").await;
    let one = visit(&server, "sign_in", &[]).await;
    let other = visit(&server, "sign_in", &[]).await;
    let before = provider.exchanges();
    // The answer of one browser in another, and in none: it is used up by that.
    bring(&server, &other.cookie, &one.answer).await.assert(403, "wrong_oidc");
    bring(&server, &one.cookie, &one.answer).await.assert(403, "wrong_oidc");
    ask(&server, "POST /api/oidc/answer", &[], &other.answer).await.assert(403, "wrong_oidc");
    assert_eq!(provider.exchanges(), before, "the provider is not asked for these");
    // Twice, and a code with another state.
    let one = visit(&server, "sign_in", &[]).await;
    assert_eq!(bring(&server, &one.cookie, &one.answer).await.status, 200);
    bring(&server, &one.cookie, &one.answer).await.assert(403, "wrong_oidc");
    let next = visit(&server, "sign_in", &[]).await;
    let replayed = json!({"code": one.answer["code"], "state": next.answer["state"]});
    bring(&server, &next.cookie, &replayed).await.assert(403, "wrong_oidc");
    // A code that was made for another question has another verifier.
    let (one, next) = (visit(&server, "sign_in", &[]).await, visit(&server, "sign_in", &[]).await);
    let injected = json!({"code": one.answer["code"], "state": next.answer["state"]});
    bring(&server, &next.cookie, &injected).await.assert(403, "wrong_oidc");
    // Another page cannot begin it.
    let foreign = ["Origin: https://evil.example".to_owned()];
    let begun = ask(&server, "POST /api/oidc", &foreign, &json!({"for": "sign_in"})).await;
    begun.assert(403, "foreign_page");
    server.stop().await;
}

#[tokio::test]
async fn another_site_is_added_to_an_account_and_removed() {
    let (provider, server) = start().await;
    let (cookie, _) = sign_up(&server, "Ann").await;
    let mut client = socket(&server, &cookie).await;
    let cookies = |browser: &str| format!("{cookie}; {browser}");
    let add = visit(&server, "add", &with(&cookie)).await;
    // Not in another session.
    let (other, _) = sign_up(&server, "Bob").await;
    let stolen = bring(&server, &format!("{other}; {}", add.cookie), &add.answer).await;
    stolen.assert(401, "signed_out");
    let add = visit(&server, "add", &with(&cookie)).await;
    let added = bring(&server, &cookies(&add.cookie), &add.answer).await;
    assert_eq!(added.status, 201, "{}", added.body);
    let news = client.receive().await;
    let Message::AccountChanged { change: AccountNews::OidcAdded, label, .. } = news else {
        panic!("{news:?}")
    };
    assert_eq!(label, "The club");
    // It opens one account only.
    let again = visit(&server, "add", &with(&other)).await;
    let again = bring(&server, &format!("{other}; {}", again.cookie), &again.answer).await;
    again.assert(403, "wrong_oidc");
    assert_eq!(sign_in(&server).await.1.body["account"]["name"], "Ann");
    // It is a key to show where one is asked for, and only one's own is.
    let confirm = visit(&server, "confirm", &with(&cookie)).await;
    let confirmed = bring(&server, &cookies(&confirm.cookie), &confirm.answer).await;
    assert_eq!(confirmed.status, 204, "{}", confirmed.body);
    provider.next("eve-2", Lie::Nothing);
    let confirm = visit(&server, "confirm", &with(&cookie)).await;
    bring(&server, &cookies(&confirm.cookie), &confirm.answer).await.assert(403, "wrong_oidc");
    provider.next("ann-1", Lie::Nothing);

    let own = shown(&server, &cookie).await;
    let path = format!("DELETE /api/account/passkeys/{}", own["oidc"][0]["id"].as_str().unwrap());
    assert_eq!(ask(&server, &path, &with(&cookie), &Value::Null).await.status, 204);
    assert_eq!(sign_in(&server).await.1.status, 202, "it opens nothing any more");
    // A recovery code ends it, as it ends all keys that a thief may have added.
    let add = visit(&server, "add", &with(&cookie)).await;
    assert_eq!(bring(&server, &cookies(&add.cookie), &add.answer).await.status, 201);
    let codes = ask(&server, "POST /api/account/codes", &with(&cookie), &json!({})).await;
    let recovery = json!({
        "name": "Ann", "code": codes.body["recovery_codes"][0], "password": PASSWORD,
    });
    let recovered = ask(&server, "POST /api/recovery", &[], &recovery).await;
    assert_eq!(recovered.status, 200, "{}", recovered.body);
    assert_eq!(sign_in(&server).await.1.status, 202);
    server.stop().await;
}

#[tokio::test]
async fn a_key_is_needed_to_add_another_site() {
    let (provider, server) = start().await;
    let cookie = sign_up_by_oidc(&server, "Ann").await;
    // A device that another one has let in has shown no key.
    let opened = crate::account_keys::linked(&server, &cookie).await;
    let refused = ask(&server, "POST /api/oidc", &with(&opened), &json!({"for": "add"})).await;
    refused.assert(403, "confirm_first");
    let confirm = visit(&server, "confirm", &with(&opened)).await;
    let cookies = format!("{opened}; {}", confirm.cookie);
    assert_eq!(bring(&server, &cookies, &confirm.answer).await.status, 204);
    provider.next("ann-2", Lie::Nothing);
    let add = visit(&server, "add", &with(&opened)).await;
    let cookies = format!("{opened}; {}", add.cookie);
    assert_eq!(bring(&server, &cookies, &add.answer).await.status, 201);
    server.stop().await;
}

#[tokio::test]
async fn one_node_sends_a_browser_there_and_another_takes_it_back() {
    let provider = SoftProvider::start().await;
    let (storage, network) = (Memory::default(), LocalNetwork::new(7));
    let node = || {
        let config = config(&provider);
        TestServer::start_node_on(Box::new(storage.clone()), &storage, &network, config)
    };
    let nodes = vec![node(), node()];
    crate::cluster::until_all_ready(&nodes).await;
    sign_up_by_oidc(&nodes[0], "Ann").await;
    let left = visit(&nodes[0], "sign_in", &[]).await;
    let back = bring(&nodes[1], &left.cookie, &left.answer).await;
    assert_eq!((back.status, &back.body["account"]["name"]), (200, &json!("Ann")), "{}", back.body);
    bring(&nodes[0], &left.cookie, &left.answer).await.assert(403, "wrong_oidc");
    crate::cluster::stop_all(nodes).await;
}

/// A server whose settings for the provider differ from the right ones.
fn start_with(provider: &SoftProvider, change: impl FnOnce(&mut OidcSettings)) -> TestServer {
    let mut config = config(provider);
    change(config.oidc.as_mut().unwrap());
    TestServer::start_with(Box::new(Memory::default()), config)
}

#[tokio::test]
async fn a_fault_of_the_operator_is_named_as_such() {
    let (start, reason) = (json!({"for": "sign_in"}), "oidc_misconfigured");
    let provider = SoftProvider::start().await;
    // The provider does not know the secret, and says so only at the end.
    let server = start_with(&provider, |settings| {
        settings.secret = Some("another".to_owned().into());
    });
    sign_in(&server).await.1.assert(503, reason);
    assert_eq!(server.count(r#"refusals_total{reason="oidc_misconfigured"}"#).await, 1);
    // It sends the browser back without a code.
    for (error, status, reason) in [
        ("unauthorized_client", 503, reason),
        ("invalid_request", 503, reason),
        ("access_denied", 403, "wrong_oidc"),
        ("temporarily_unavailable", 503, "oidc_unavailable"),
    ] {
        let Visit { cookie, answer } = visit(&server, "sign_in", &[]).await;
        let brought = json!({"error": error, "state": answer["state"]});
        // Only for the browser that left.
        bring(&server, &cookie, &json!({"error": error, "state": "b"}))
            .await
            .assert(403, "wrong_oidc");
        bring(&server, &cookie, &brought).await.assert(status, reason);
    }
    server.stop().await;
    // The issuer is not what the provider calls itself, or is another place at its host.
    let base = provider.issuer().to_owned();
    for issuer in [format!("{base}/"), format!("{base}/other")] {
        let server = start_with(&provider, |settings| settings.issuer = issuer.parse().unwrap());
        ask(&server, "POST /api/oidc", &[], &start).await.assert(503, reason);
        server.stop().await;
    }
    provider.accept_pushed_only();
    let server = start_with(&provider, |_| {});
    ask(&server, "POST /api/oidc", &[], &start).await.assert(503, reason);
    server.stop().await;
}

#[tokio::test]
async fn an_evening_of_a_club_signs_up_at_one_address() {
    let (provider, server) = start().await;
    for number in 0..SIGN_UPS_MAX {
        sign_up(&server, &format!("Ann{number}")).await;
    }
    ask(&server, "POST /api/account", &[], &typed("Bob")).await.assert(429, "too_many_tries");
    for number in 0..=SIGN_UPS_MAX {
        provider.next(&format!("member-{number}"), Lie::Nothing);
        sign_up_by_oidc(&server, &format!("Member{number}")).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn without_a_provider_and_with_a_dead_one_nobody_gets_in() {
    let server = TestServer::start(LIMITS);
    let sites = ask(&server, "GET /api/passkeys", &[], &Value::Null).await;
    assert_eq!(sites.body.get("oidc"), None);
    let start = json!({"for": "sign_in"});
    ask(&server, "POST /api/oidc", &[], &start).await.assert(400, "no_oidc");
    let answer = json!({"code": "a", "state": "b"});
    ask(&server, "POST /api/oidc/answer", &[], &answer).await.assert(400, "no_oidc");
    server.stop().await;

    let provider = SoftProvider::start().await;
    let mut dead = config(&provider);
    if let Some(settings) = &mut dead.oidc {
        // Nobody listens there.
        settings.issuer = "http://127.0.0.1:9".parse().unwrap();
    }
    let server = TestServer::start_with(Box::new(Memory::default()), dead);
    for _ in 0..OIDC_STARTS_MAX {
        ask(&server, "POST /api/oidc", &[], &start).await.assert(503, "oidc_unavailable");
    }
    ask(&server, "POST /api/oidc", &[], &start).await.assert(429, "too_many_tries");
    ask(&server, "POST /api/session", &[], &typed("Ann")).await.assert(403, "wrong_password");
    server.stop().await;
}
