//! Runs the bodies of the fuzz targets in the normal test run, on their seeds and on random texts.
//! `tests/run` searches deeper.

#[path = "src/lib.rs"]
#[expect(unreachable_pub, reason = "a read_pool of its own to the fuzz targets")]
mod bodies;

use std::{fs, path::Path};

use proptest::prelude::*;

/// Runs a body on each of its seeds.
fn check_seeds(name: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
    let seeds: Vec<_> = fs::read_dir(folder).expect("a folder of seeds").collect();
    assert!(!seeds.is_empty(), "{name} has seeds");
    for seed in seeds {
        let path = seed.expect("a seed").path();
        body(&fs::read(path).expect("a file"));
    }
}

fn text(seed: &[u8]) -> &str {
    std::str::from_utf8(seed).expect("a text")
}

#[test]
fn commands_from_the_seeds() {
    check_seeds("command", |seed| bodies::command(text(seed)));
}

#[test]
fn messages_from_the_seeds() {
    check_seeds("message", |seed| bodies::message(text(seed)));
}

#[test]
fn coordinates_from_the_seeds() {
    check_seeds("coordinates", |seed| bodies::coordinates(text(seed)));
}

#[test]
fn gomocup_from_the_seeds() {
    check_seeds("gomocup", bodies::gomocup);
}

#[test]
fn files_from_the_seeds() {
    check_seeds("files", |seed| bodies::files(text(seed)));
}

proptest! {
    #[test]
    fn any_bytes_of_gomocup_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        line in "(?i)(START|TURN|BOARD|INFO|INFO rule|YXNBEST|SUGGEST|FORBID|SWAP2BOARD)\\PC{0,12}\n?",
        stones in "(BOARD|YXBOARD|SWAP2BOARD)\n([0-9]{1,2},[0-9]{1,2}(,[0-4])?\n){0,6}DONE",
    ) {
        bodies::gomocup(&bytes);
        bodies::gomocup(line.as_bytes());
        bodies::gomocup(stones.as_bytes());
    }

    #[test]
    fn any_file_is_read_or_refused(
        sgf in "\\(?(;|[BW]\\[[a-z]{2}\\]|AB\\[aa\\]|SZ\\[[0-9]{1,2}\\]|[()\\[\\]\\\\A-Z:,-]){0,30}",
        psq in "Piskvorky [0-9]{1,2}x[0-9]{1,2}, 1:1, 0\n([0-9]{1,2},[0-9]{1,2}(,[0-9]{1,3})?\n){0,9}\\PC{0,9}",
        list in "(mnk 4 7x6\n)?([a-o][0-9]{1,2}[ ,.;]?|[0-9],[0-9] |[0-9]\\. ){0,20}",
    ) {
        for text in [sgf, psq, list] {
            bodies::files(&text);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}|[\\[\\]{}:,\"a-z0-9 .-]{0,80}") {
        bodies::command(&text);
        bodies::message(&text);
        bodies::coordinates(&text);
        bodies::files(&text);
    }

    #[test]
    fn any_play_is_read_or_refused(ply in any::<i64>(), x in any::<i64>(), y in any::<i64>()) {
        let room = "k7m2qpxw9abc";
        bodies::command(&format!(
            r#"{{"type":"play","id":"1","room":"{room}","ply":{ply},"point":[{x},{y}]}}"#
        ));
        bodies::message(&format!(
            r#"{{"type":"event","room":"{room}","seq":{ply},"at":0,"event":
                {{"type":"played","ply":{ply},"point":[{x},{y}]}}}}"#
        ));
        bodies::coordinates(&format!("{x},{y}"));
    }

    #[test]
    fn any_name_of_a_point_is_read_or_refused(text in "[a-zA-Z]{1,8}[0-9]{1,12}") {
        bodies::coordinates(&text);
    }
}
