//! Puzzles over HTTP: who may try them, what counts, and what everybody sees of it.

use fivefold_engine::puzzle_solver::Solver;
use fivefold_shared::{
    puzzle::{PuzzleId, PuzzleKind, PuzzleSet},
    rules::{Point, Position},
};
use serde_json::{Value, json};

use crate::{
    accounts::{Answer, ask, bearer, greet, sign_up, with},
    harness::{LIMITS, TestServer},
};

/// Short puzzles of the page, with their solutions.
fn puzzles(count: usize) -> Vec<(PuzzleId, Vec<Point>)> {
    let set: PuzzleSet = include_str!("../../web/puzzles/renju.txt").parse().unwrap();
    let mut solver = Solver::new(set.rules).unwrap();
    let short = set.puzzles.iter().filter(|one| one.length == 2 && one.kind == PuzzleKind::Fours);
    short
        .take(count)
        .map(|one| {
            let position = Position::from_moves(set.rules, &one.moves).unwrap();
            (set.id_of(one), solver.solution(&position).unwrap().moves)
        })
        .collect()
}

async fn attempt(server: &TestServer, head: &[String], body: Value) -> Answer {
    ask(server, "POST /api/puzzles/tries", head, &body).await
}

async fn get(server: &TestServer, path: &str, head: &[String]) -> Answer {
    ask(server, &format!("GET {path}"), head, &Value::Null).await
}

#[tokio::test]
async fn the_first_try_counts_and_the_server_judges_it() {
    let server = TestServer::start(LIMITS);
    let cookie = with(&sign_up(&server, "Ann").await.0);
    let [(one, win), (other, _), (third, _)] = &puzzles(3)[..] else { panic!("three") };
    let before = get(&server, "/api/puzzles?rules=renju&from=2&to=2&kind=fours", &cookie).await;
    assert_eq!((before.status, before.body.get("rating")), (200, None));
    let near: Vec<PuzzleId> = serde_json::from_value(before.body["near"].clone()).unwrap();
    assert_eq!(near.len(), 20);

    let solved = attempt(&server, &cookie, json!({"puzzle": one, "moves": win})).await;
    assert_eq!((solved.status, solved.body["solved"].as_bool()), (200, Some(true)));
    assert!(solved.body["change"].as_i64().unwrap() > 0, "{}", solved.body);
    assert_eq!(solved.body["provisional"], true);
    assert!(solved.body["puzzle_rating"].as_i64().unwrap() < 1100, "{}", solved.body);
    // A second try, of any kind, changes nothing, and the answer says so.
    let again = attempt(&server, &cookie, json!({"puzzle": one, "moves": [[0, 0]]})).await;
    assert_eq!((&again.body["repeated"], &again.body["solved"]), (&json!(true), &json!(true)));
    assert_eq!(again.body["rating"], solved.body["rating"]);
    let failed = attempt(&server, &cookie, json!({"puzzle": other, "moves": [[0, 0]]})).await;
    assert_eq!(failed.body["solved"], false);
    assert!(failed.body["change"].as_i64().unwrap() < 0, "{}", failed.body);
    let gave_up = json!({"puzzle": third, "moves": [], "gave_up": true});
    assert_eq!(attempt(&server, &cookie, gave_up).await.body["solved"], false);

    let next = get(&server, "/api/puzzles?rules=renju&from=2&to=2&kind=fours", &cookie).await;
    let near: Vec<PuzzleId> = serde_json::from_value(next.body["near"].clone()).unwrap();
    for tried in [one, other, third] {
        assert!(!near.contains(tried), "{tried} was tried");
    }
    let profile = get(&server, "/api/player/Ann", &[]).await.body;
    assert_eq!(
        (&profile["puzzles"]["tries"], &profile["puzzles"]["solved"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(next.body["rating"]["rating"], profile["puzzles"]["rating"]);
    let history = get(&server, "/api/player/ann/puzzles", &[]).await.body;
    assert_eq!(history["points"].as_array().unwrap().len(), 1);
    assert_eq!(history["points"][0]["rating"], profile["puzzles"]["rating"]);
    let export = get(&server, "/api/account/export", &cookie).await.body;
    assert_eq!(export["puzzles"].as_array().unwrap().len(), 3);
    get(&server, "/api/player/Nobody/puzzles", &[]).await.assert(404, "no_such_player");
    server.stop().await;
}

#[tokio::test]
async fn what_is_no_try_is_refused_and_changes_nothing() {
    let server = TestServer::start(LIMITS);
    let cookie = with(&sign_up(&server, "Ann").await.0);
    let (one, win) = puzzles(1).remove(0);
    let (_, _, guest) = greet(&server, "Eve").await;
    let good = json!({"puzzle": one, "moves": win});
    attempt(&server, &[], good.clone()).await.assert(401, "signed_out");
    attempt(&server, &[bearer(&guest)], good.clone()).await.assert(401, "signed_out");
    let foreign = [cookie[0].clone(), "Origin: http://evil.example".to_owned()];
    attempt(&server, &foreign, good).await.assert(403, "foreign_page");
    get(&server, "/api/puzzles?rules=renju", &[]).await.assert(401, "signed_out");
    get(&server, "/api/puzzles", &cookie).await.assert(400, "malformed");
    get(&server, "/api/puzzles?rules=renju&kind=six", &cookie).await.assert(400, "malformed");
    for body in [
        json!({"puzzle": "renju-0", "moves": win}),
        json!({"puzzle": "<b>", "moves": win}),
        json!({"puzzle": one, "moves": win[..1]}),
        json!({"puzzle": one, "moves": [win[0], [0, 0], win[2]]}),
        json!({"puzzle": one, "moves": vec![[0, 0]; 62]}),
        json!({"puzzle": one, "moves": [[99, 0]]}),
        json!({"puzzle": one}),
    ] {
        let refused = attempt(&server, &cookie, body.clone()).await;
        assert_eq!(refused.body["reason"], "malformed", "{body}: {}", refused.body);
    }
    let profile = get(&server, "/api/player/Ann", &[]).await.body;
    assert_eq!(profile.get("puzzles"), None);
    server.stop().await;
}
