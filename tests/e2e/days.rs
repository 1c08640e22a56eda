//! A daily game in the terminal, over days that pass in moments: moves, time off, planned replies, a reminder, and a
//! player who runs out of time.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    time::Duration,
};

use fivefold_shared::clock::{DAY_MS, HOUR_MS};
use fivefold_test_services::{MailService, free_port};
use fivefold_tests::{Client, PATIENCE, Server, http_get};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::account::{PASSWORD, ask, run, session_in, sign_up};

/// A player with an account, and the folder of their client.
struct Player<'a> {
    name: &'a str,
    folder: &'a Path,
}

impl Player<'_> {
    async fn sign_up(&self, server: &Server) {
        sign_up(server, self.name).await;
        let login = run(server, self.folder, &["login", self.name], &format!("{PASSWORD}\n"));
        assert!(login.done, "{}", login.stderr);
    }

    /// Opens the room, and returns the client with its first state.
    fn visit(&self, link: &str) -> (Client, Value) {
        let mut client = Client::start_in(self.folder, ["join", link, "--json"]);
        let state = client.event("joined");
        (client, state)
    }

    /// The room, as it is now.
    fn look(&self, link: &str) -> Value {
        let (client, state) = self.visit(link);
        leave(client);
        state
    }

    /// Visits the room for one move.
    fn put(&self, link: &str, point: &str) {
        let (mut client, state) = self.visit(link);
        assert_eq!(state["your_turn"], true, "{}: {state}", self.name);
        client.say(point);
        assert_eq!(client.event("played")["name"], point);
        leave(client);
    }
}

fn leave(mut client: Client) {
    client.say("leave");
    let (status, _, stderr) = client.finish();
    assert!(status.success(), "{stderr}");
}

/// What the clock of the seat on turn shows, in hours.
fn hours_left(state: &Value) -> u64 {
    let clock = &state["clock"][state["to_act"].as_str().expect("a seat is on turn")];
    assert_eq!(clock["running"], true, "{state}");
    clock["left_ms"].as_u64().expect("a time").div_ceil(HOUR_MS)
}

/// Lets hours pass once no room is awake: rooms that are awake use a clock that the test does not set.
async fn pass(server: &mut Server, metrics: SocketAddr, hours: u64) {
    let sleeping = async {
        while !http_get(metrics, "/metrics")
            .await
            .expect("metrics")
            .contains("\nfivefold_rooms 0\n")
        {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, sleeping).await.expect("the rooms fall asleep");
    server.pass(Duration::from_millis(hours * HOUR_MS));
}

/// Names an e-mail address and confirms it, as the page does.
async fn confirm_address(
    server: &Server,
    player: &Player<'_>,
    mail: &mut MailService,
    address: &str,
) {
    let session = session_in(player.folder, server).expect("a session");
    ask(server, &session, "/api/email", json!({"address": address, "password": PASSWORD})).await;
    let message = timeout(PATIENCE, mail.next()).await.expect("a message").body();
    let (_, rest) = message.split_once("/#email=").expect("a link");
    let secret = rest.lines().next();
    ask(server, &session, "/api/email/confirm", json!({"secret": secret})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daily_game_over_simulated_days() {
    let mut mail = MailService::start(None).await;
    let [listen, metrics] = [(); 2].map(|()| SocketAddr::from((Ipv4Addr::LOCALHOST, free_port())));
    let data = tempfile::tempdir().unwrap();
    let mut server = Server::start_at_set_time(
        data.path(),
        &[
            ("listen", &listen.to_string()),
            ("public-url", &format!("http://{listen}")),
            ("metrics-listen", &metrics.to_string()),
            ("smtp", &format!("smtp://127.0.0.1:{}", mail.port())),
            ("mail-from", "news@play.example"),
        ],
    );
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [ann, bori] = [("Ann", &folders[0]), ("Bori", &folders[1])]
        .map(|(name, folder)| Player { name, folder: folder.path() });
    for player in [&ann, &bori] {
        player.sign_up(&server).await;
    }
    confirm_address(&server, &ann, &mut mail, "ann@club.example").await;
    let url = server.url();
    let play = ["play", "--time", "1d", "--as", "black", "--server", &url, "--json"];
    let mut client = Client::start_in(bori.folder, play);
    let link = client.event("joined")["link"].as_str().expect("a link").to_owned();
    let room = link.rsplit('/').next().expect("a code");
    let (mut other, _) = ann.visit(&link);
    for client in [&mut client, &mut other] {
        client.event("started");
    }
    leave(client);
    leave(other);

    // Moves: the player has a day for each.
    pass(&mut server, metrics, 20).await;
    bori.put(&link, "h8");
    pass(&mut server, metrics, 5).await;
    assert_eq!(hours_left(&bori.look(&link)), 19);
    ann.put(&link, "i9");

    // Time off: Ann's day stands still for two days.
    bori.put(&link, "h7");
    let taken = run(&server, ann.folder, &["time-off", "2", "--json"], "");
    let status: Value = serde_json::from_str(&taken.stdout).expect("one line");
    let (from, until) = (status["period"]["from"].as_u64(), status["period"]["until"].as_u64());
    assert_eq!(until, from.map(|from| from + 2 * DAY_MS), "{status}");
    pass(&mut server, metrics, 47).await;
    assert_eq!(hours_left(&bori.look(&link)), 24);
    pass(&mut server, metrics, 20).await;
    assert_eq!(hours_left(&ann.look(&link)), 5, "nineteen of her hours are over");
    ann.put(&link, "i8");

    // Planned replies: one is played at once, the other never.
    let planned = run(&server, ann.folder, &["plan", room, "h6 h5", "a1 b2"], "");
    assert_eq!(planned.stdout, "h6 h5\na1 b2\n", "{}", planned.stderr);
    let (mut client, _) = bori.visit(&link);
    client.say("h6");
    let names = [client.event("played"), client.event("played")].map(|line| line["name"].clone());
    assert_eq!(names, ["h6", "h5"]);
    client.say("i7");
    client.event("played");
    leave(client);
    assert_eq!(ann.look(&link)["plies"], 7, "nobody has planned for i7");

    // Ann is reminded, and then her time is over though nobody is there.
    pass(&mut server, metrics, 17).await;
    let reminder = timeout(PATIENCE, mail.next()).await.expect("a reminder");
    assert_eq!(reminder.to, "ann@club.example");
    assert!(reminder.header("Subject").starts_with("Your time ends: "), "{}", reminder.text);
    for part in ["Your move against Bori", &link] {
        assert!(reminder.body().contains(part), "{part}: {}", reminder.text);
    }
    pass(&mut server, metrics, 8).await;
    let state = ann.look(&link);
    assert_eq!(state["phase"], "finished", "{state}");
    assert_eq!(state["game"]["outcome"]["reason"], "time", "{state}");
}
