//! Runs the bodies of the fuzz targets in the normal test run, on their seeds and on random texts.
//! `tests/run slow` searches deeper.

#[path = "src/lib.rs"]
#[expect(unreachable_pub, reason = "a crate of its own to the fuzz targets")]
mod bodies;

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use fivefold_shared::protocol_guide::GUIDE;
use proptest::prelude::*;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name)
}

/// The files in a folder, by name.
fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).expect("a folder of seeds");
    let file = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read(path).expect("a file"))
    };
    files.map(|entry| file(entry.expect("an entry").path())).collect()
}

/// Runs a body on each of its seeds.
fn check_seeds(name: &str, body: fn(&[u8])) {
    let seeds = files_in(&folder(name));
    assert!(!seeds.is_empty(), "{name} has seeds");
    seeds.values().for_each(|seed| body(seed));
}

/// The guide's examples that are given to a function, as files: each one's number and type, and its
/// text on one line.
fn examples(function: &str) -> BTreeMap<String, Vec<u8>> {
    let begin = format!("{function}(r#\"");
    let texts = GUIDE.split(&begin).skip(1).map(|rest| rest.split("\"#").next().unwrap_or(rest));
    let file = |(number, text): (usize, &str)| {
        let line = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        let json: serde_json::Value = serde_json::from_str(&line).expect("an example is JSON");
        let types = [&json["type"], &json["event"]["type"]];
        let types: Vec<_> = types.into_iter().filter_map(serde_json::Value::as_str).collect();
        (format!("{number:02}_{}.json", types.join("_")), line.into_bytes())
    };
    (1..).zip(texts).map(file).collect()
}

/// `UPDATE_SEEDS=1 cargo test -p fivefold-tests --test fuzz` writes them.
#[test]
fn the_seeds_of_commands_and_messages_are_the_guides_examples() {
    for (name, function) in [("command", "client_says"), ("message", "server_says")] {
        let (folder, examples) = (folder(name), examples(function));
        if env::var_os("UPDATE_SEEDS").is_some() {
            fs::remove_dir_all(&folder).expect("old seeds are removed");
            fs::create_dir(&folder).expect("a folder");
            for (file, text) in &examples {
                fs::write(folder.join(file), text).expect("a seed is written");
            }
        }
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        let seeds = files_in(&folder);
        assert_eq!(names(&seeds), names(&examples), "write them by UPDATE_SEEDS=1");
        assert_eq!(seeds, examples, "write them by UPDATE_SEEDS=1");
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

#[test]
fn trees_from_the_seeds() {
    check_seeds("trees", bodies::trees);
    check_seeds("files", bodies::trees);
}

#[test]
fn games_from_the_seeds() {
    check_seeds("games", bodies::games);
    check_seeds("files", bodies::games);
    check_seeds("trees", bodies::games);
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
            bodies::games(text.as_bytes());
        }
    }

    #[test]
    fn any_tree_is_read_or_refused(
        sgf in "\\((;|;[BW]\\[[a-d]{2}\\]|C\\[[a\\\\\n]{0,3}\\]|AB\\[aa\\]|\\(;B\\[aa\\]|\\(|\\)){0,30}\\)?",
        nodes in prop::collection::vec(any::<u8>(), 0..80),
        flags in prop::collection::vec((0..16_u8, 0..16_u8, prop::sample::select(vec![0, 0x40, 0x80, 0xc0, 0x48, 0x01])), 0..40),
    ) {
        bodies::trees(sgf.as_bytes());
        let head = b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
        bodies::trees(&[head.as_slice(), &nodes].concat());
        let nodes: Vec<u8> = flags.into_iter().flat_map(|(column, row, flags)| [column + 16 * row, flags]).collect();
        bodies::trees(&[head.as_slice(), &nodes].concat());
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
