//! Tests the Rust example in docs/examples. The tests of the page cover the other languages.

use std::process::{Child, Command, Stdio};

use fivefold_shared::{
    protocol::{Create, SeatRequest},
    rules::Rules,
};
use fivefold_tests::{Guest, Server, private, program};

/// Starts the example, in this room or in one of its own.
fn start(server: &Server, room: Option<&str>) -> Child {
    let mut example = Command::new(program("play_example"));
    example.arg(server.url()).args(room).stdout(Stdio::piped());
    example.spawn().expect("the example runs")
}

/// What it prints: the room's address and the result.
fn printed(example: Child) -> (String, String) {
    let output = example.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let (room, result) = text.trim().split_once('\n').expect("two lines");
    (room.to_owned(), result.to_owned())
}

#[tokio::test]
async fn the_example_plays_games_to_their_end() {
    let server = Server::start();
    let (room, result) = printed(start(&server, None));
    assert!(room.starts_with(&format!("{}/r/", server.url())), "{room}");
    assert!(["won five", "lost five", "no winner full_board"].contains(&&*result), "{result}");

    let seats = [SeatRequest::Open, SeatRequest::Open];
    let create = Create { seats, ..private(Rules::TIC_TAC_TOE) };
    let room = Guest::hello(&server, "Ann").await.create(create).await;
    let both = [(); 2].map(|()| start(&server, Some(room.as_str())));
    let mut results = both.map(|example| printed(example).1);
    results.sort();
    let expected = [["lost five", "won five"], ["no winner full_board", "no winner full_board"]];
    assert!(expected.iter().any(|one| results == *one), "{results:?}");
}
