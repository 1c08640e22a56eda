//! Operators on the command line beside a running server, what waits for them, and how a flood of reports
//! hides nothing from them.

use std::time::Duration;

use fivefold_server::{
    commands::moderation::{CommandError, moderate, set_operator},
    config::{Closed, Moderate},
};
use fivefold_shared::protocol::{MemberId, Name, Reason};
use fivefold_storage::{
    CaseId, DataFolder, Database, Memory, ModerationChange, ModerationChanged, OperatorError,
    Report, ReportKind, ReportState, Sqlite, Storage, limits::QUEUE_MAX,
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    accounts::{PASSWORD, ask, sign_up, socket},
    harness::{LIMITS, TestServer},
    moderation::{about, get, guest, make_operator, post, sanctioned, until_may_say},
};

#[tokio::test]
async fn the_command_line_decides_beside_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let server = TestServer::start_on(Box::new(storage), LIMITS);
    let run = |task: Moderate| moderate(Database::Folder(folder.path()), &task, None);
    let (cookie, _) = sign_up(&server, "Rude").await;
    let mut rude = socket(&server, &cookie).await;
    let room = rude.create(json!(["me", "open"])).await;
    assert_eq!(run(Moderate::List).unwrap(), "Nobody waits for a decision.\n");
    let member = get(&server, "/api/account", &cookie).await.body["account"]["id"].clone();
    let eve = guest(&server, "Eve").await;
    let mut report = about(member.as_str().unwrap());
    report["line"] = json!({"room": room, "number": 3, "text": "Go away"});
    assert_eq!(ask(&server, "POST /api/reports", &eve.head, &report).await.status, 204);
    let listed = run(Moderate::List).unwrap();
    assert!(listed.contains("Rude: 1 report (chat, 1 by a guest); waits since 20"), "{listed}");
    assert!(listed.ends_with(" UTC (0 minutes)\n"), "{listed}");

    let (who, reason) = ("rude".to_owned(), "Insults".to_owned());
    let mute = Moderate::Mute { who: who.clone(), reason: reason.clone(), days: Some(1) };
    let done = run(mute).unwrap();
    assert!(done.starts_with("Rude may not chat until 20"), "{done}");
    assert!(done.contains("Decided by command line.") && done.contains("In force now: no chat"));
    let id = sanctioned(&mut rude).await.3;
    assert!(done.contains(&format!("moderate undo {id}\n")), "{done}");
    let say = json!({"type": "say", "room": room, "text": "hi"});
    assert_eq!(rude.refused(say.clone()).await, Reason::Muted);
    let shown = run(Moderate::Show { who: who.clone() }).unwrap();
    for part in [
        "Rude (account since 20",
        "as the reporter quotes it, wrote in room",
        "in force: Insults",
        "open for 0 minutes: insults",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let undone = run(Moderate::Undo { sanction: id.clone() }).unwrap();
    assert!(undone.starts_with("Taken back for Rude: no chat until "), "{undone}");
    assert!(undone.ends_with("In force now: nothing.\n"), "{undone}");
    until_may_say(&mut rude, &say).await;
    let nothing = run(Moderate::Undo { sanction: id }).unwrap_err().to_string();
    assert!(nothing.contains("UTC by command line"), "{nothing}");
    let unknown = run(Moderate::Undo { sanction: "0".repeat(12) }).unwrap_err();
    assert!(matches!(unknown, CommandError::NoSuchSanction(_)), "{unknown}");
    let reports = || Moderate::Reports { who: who.clone(), outcome: Closed::Acted };
    let closed = run(reports()).unwrap();
    assert_eq!(closed, "1 report about Rude is closed as acted; the reporter sees that.\n");
    assert!(matches!(run(reports()).unwrap_err(), CommandError::NoReports(_)));
    let own = ask(&server, "GET /api/reports", &eve.head, &Value::Null).await;
    assert_eq!(own.body["reports"][0]["state"], "acted");
    let warn = Moderate::Warn { who: "nobody at all".to_owned(), reason: reason.clone() };
    assert!(matches!(run(warn).unwrap_err(), CommandError::Database(OperatorError::Nobody)));
    let empty = Moderate::Note { who, reason: " ".to_owned() };
    assert!(matches!(run(empty).unwrap_err(), CommandError::Reason));

    // Operators are made on the command line.
    let set = |name: &str, remove| set_operator(Database::Folder(folder.path()), name, remove);
    get(&server, "/api/moderation", &cookie).await.assert(403, "operators_only");
    set("Rude", false).unwrap();
    assert_eq!(get(&server, "/api/moderation", &cookie).await.status, 200);
    set("Rude", true).unwrap();
    get(&server, "/api/moderation", &cookie).await.assert(403, "operators_only");
    assert!(set(&eve.id, false).is_err(), "a guest is no operator");
    server.stop().await;
}

#[tokio::test]
async fn the_command_line_says_who_decided_and_what_still_holds() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let server = TestServer::start_on(Box::new(storage), LIMITS);
    let ann = Name::new("Ann").unwrap();
    let run = |task: Moderate| moderate(Database::Folder(folder.path()), &task, Some(&ann));
    sign_up(&server, "Cheater").await;
    let close = |reason: &str, days| {
        let (who, reason) = ("Cheater".to_owned(), reason.to_owned());
        run(Moderate::Close { who, reason, days }).unwrap()
    };
    let id = |done: &str| done.split("moderate undo ").nth(1).unwrap()[..12].to_owned();
    let one = close("Cheating", Some(30));
    assert!(one.starts_with("The account of Cheater is closed until 20"), "{one}");
    let other = close("Cheated again", None);
    assert!(
        other.starts_with("The account of Cheater is closed, without an end.\nDecided by Ann.")
    );
    let (one, other) = (id(&one), id(&other));

    // One of two is taken back; the other still holds.
    let undone = run(Moderate::Undo { sanction: one.clone() }).unwrap();
    let held = format!("In force now: account closed without an end (id {other}).\n");
    assert!(undone.ends_with(&held), "{undone}");
    let appeal = json!({"name": "Cheater", "password": PASSWORD, "text": "I did not"});
    let mut appealed = ask(&server, "POST /api/appeals", &[], &appeal).await;
    while appealed.status != 204 {
        // The server sees what the command line does within a second, and an address has ten tries a minute.
        sleep(Duration::from_millis(250)).await;
        appealed = ask(&server, "POST /api/appeals", &[], &appeal).await;
    }
    let listed = run(Moderate::List).unwrap();
    assert!(listed.contains("Cheater: 1 appeal; waits since 20"), "{listed}");
    let answered = run(Moderate::Answer { sanction: other.clone() }).unwrap();
    assert!(answered.ends_with(&held), "{answered}");
    let again = run(Moderate::Answer { sanction: other.clone() }).unwrap_err().to_string();
    assert!(again.contains("UTC by Ann"), "{again}");
    let shown = run(Moderate::Show { who: "Cheater".to_owned() }).unwrap();
    for part in [
        held.as_str(),
        &format!("{one}  20"),
        " by Ann: account closed until 20",
        ", taken back 20",
        " by Ann: account closed without an end, in force: Cheated again\n    appeal 20",
        ", answered 20",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let unknown = run(Moderate::Show { who: "0".repeat(16) }).unwrap_err();
    assert!(matches!(unknown, CommandError::Database(OperatorError::Nobody)), "{unknown}");
    server.stop().await;
}

#[tokio::test]
async fn a_flood_of_guests_hides_no_report_of_an_account() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.clone()), LIMITS);
    let (operator, _) = sign_up(&server, "Olga").await;
    make_operator(&memory, &server, &operator).await;
    // What came from other addresses.
    for number in 0..QUEUE_MAX {
        let report = flooding(number);
        let done = memory.clone().moderate(&ModerationChange::Report(Box::new(report)));
        assert_eq!(done, Ok(ModerationChanged::Done));
    }
    let eve = guest(&server, "Eve").await;
    let refused = ask(&server, "POST /api/reports", &eve.head, &about("0123456789abcdef")).await;
    refused.assert(429, "reports_full");
    let own = ask(&server, "GET /api/reports", &eve.head, &Value::Null).await;
    assert_eq!(own.body["reports"], json!([]), "and is not stored");
    let honest = about("0123456789abcdef");
    assert_eq!(post(&server, "/api/reports", &operator, &honest).await.status, 204);
    let queue = get(&server, "/api/moderation", &operator).await;
    let first = &queue.body["cases"][0];
    assert_eq!((&first["member"], &first["guests"]), (&honest["about"], &json!(0)));
    assert_eq!(queue.body["cases"].as_array().unwrap().len(), QUEUE_MAX + 1);
    server.stop().await;
}

/// A report by a guest who was made up.
fn flooding(number: usize) -> Report {
    let member = |prefix: char| MemberId::try_from(format!("{prefix}{number:015x}")).unwrap();
    Report {
        id: CaseId::try_from(format!("{number:012}")).unwrap(),
        reporter: member('a'),
        about: member('b'),
        about_name: Name::new("Somebody").unwrap(),
        kind: ReportKind::Other,
        game: None,
        line: None,
        text: "nonsense".to_owned(),
        at: 1 + u64::try_from(number).unwrap(),
        state: ReportState::Open,
        closed_at: None,
        closed_by: None,
    }
}

#[tokio::test]
async fn what_waits_for_operators_is_in_the_metrics_from_the_start() {
    let server = TestServer::start(LIMITS);
    let metrics = |text: &str| {
        let names = ["open_reports{", "open_appeals ", "oldest_report_seconds ", "oldest_appeal_"];
        let is_ours =
            |line: &&str| names.iter().any(|name| line.starts_with(&format!("fivefold_{name}")));
        text.lines().filter(is_ours).map(str::to_owned).collect::<Vec<_>>()
    };
    let zero = [
        "fivefold_open_reports{by=\"accounts\"} 0",
        "fivefold_open_reports{by=\"guests\"} 0",
        "fivefold_open_appeals 0",
        "fivefold_oldest_report_seconds 0",
        "fivefold_oldest_appeal_seconds 0",
    ];
    let sorted = |mut lines: Vec<String>| {
        lines.sort_unstable();
        lines
    };
    let mut expected = sorted(zero.map(str::to_owned).into());
    assert_eq!(sorted(metrics(&server.monitor("/metrics").await)), expected);
    let eve = guest(&server, "Eve").await;
    let reported = ask(&server, "POST /api/reports", &eve.head, &about("0123456789abcdef")).await;
    assert_eq!(reported.status, 204);
    for line in &mut expected {
        if line.contains("guests") {
            *line = line.replace(" 0", " 1");
        }
    }
    let found = sorted(metrics(&server.monitor("/metrics").await));
    let without_age = |lines: &[String]| {
        let stays = |line: &&String| !line.contains("oldest_report");
        lines.iter().filter(stays).cloned().collect::<Vec<_>>()
    };
    assert_eq!(without_age(&found), without_age(&expected));
    server.stop().await;
}
