//! Fills a collection of games from files on the command line, and exports it again.

use std::{fs, path::Path};

use fivefold_tests::Server;
use serde_json::Value;

use crate::account::{PASSWORD, Run, run, sign_up};

/// A folder in which somebody is signed in.
async fn signed_in(server: &Server, name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    sign_up(server, name).await;
    let login = run(server, folder.path(), &["login", name], &format!("{PASSWORD}\n"));
    assert!(login.done, "{}", login.stderr);
    folder
}

/// Runs `fivefold collections ARGUMENTS`.
fn collections(server: &Server, settings: &Path, arguments: &[&str]) -> Run {
    run(server, settings, &[&["collections"], arguments].concat(), "")
}

/// Writes a file, and returns its path.
fn written(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, content).expect("a file");
    path.to_str().expect("a plain path").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collection_is_filled_from_files_and_comes_back() {
    let server = Server::start();
    let home = signed_in(&server, "Annika").await;
    let at = home.path();
    let none = collections(&server, at, &[]);
    assert!(none.done && none.stderr.contains("You have no collections"), "{}", none.stderr);

    let sgf = "(;GM[4]SZ[15]PB[Ann]PW[Bob]EV[Cup]DT[2026-11-21]RE[B+];B[hh];W[ig];B[jf])\n\
        (;GM[4]SZ[15]PB[Cecil];B[hh];W[gg];B[ff])\n\
        (;GM[4]SZ[15]\n;B[zz])\n\
        (;GM[4]SZ[15]PB[Dora];B[aa];W[bb])\n";
    let cup = written(at, "cup.sgf", sgf);
    let lists = written(at, "lists.txt", "h8 i8 j8\nh8 h8\ntic-tac-toe\nb2, a1,\n c3\n");
    let library =
        b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\x78\0\x79\xc0\x69\x40";
    let library = written(at, "book.lib", library);
    let missing = at.join("missing.sgf");
    let missing = missing.to_str().expect("a plain path");

    let all = ["import", "World cup", &cup, &lists, missing, &library];
    let first = collections(&server, at, &all);
    // The second game is the first one, mirrored.
    assert_eq!(first.stdout, "6 added, 1 already there, 3 failed\n", "{}", first.stderr);
    assert!(!first.done, "there were faults");
    for fault in [
        format!("{cup}:4: `zz` is no point of a board of 15x15"),
        format!("{lists}:2: move 2, h8: this point has a stone already (freestyle 15x15)"),
        format!("{missing}:1: cannot be read: "),
    ] {
        assert!(first.stderr.contains(&fault), "{fault}: {}", first.stderr);
    }
    let again = collections(&server, at, &["import", "World cup", &library]);
    assert!(again.done, "{}", again.stderr);
    assert_eq!(again.stdout, "0 added, 2 already there, 0 failed\n");
    let json = collections(&server, at, &["import", "World cup", &lists, "--json"]);
    let lines: Vec<Value> =
        json.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).collect::<Vec<_>>();
    assert_eq!((of("fault").len(), &of("fault")[0]["line"]), (1, &2.into()), "{}", json.stdout);
    assert_eq!((of("duplicate").len(), of("imported").len()), (2, 1), "{}", json.stdout);

    let list = collections(&server, at, &[]);
    assert!(list.done && list.stdout.contains("6 games  World cup\n"), "{}", list.stdout);
    let ann = collections(&server, at, &["show", "World cup", "--player", "ann"]);
    let expected = "Ann - Bob  2026-11-21  1-0  freestyle 15x15: h8 i9 j10\n";
    assert!(ann.stdout.ends_with(expected) && ann.stdout.lines().count() == 1, "{}", ann.stdout);

    let copy = at.join("copy.sgf");
    let copy = copy.to_str().expect("a plain path");
    let exported = collections(&server, at, &["export", "World cup", copy]);
    assert!(exported.done && exported.stderr.contains("Wrote 6 games."), "{}", exported.stderr);
    assert!(fs::read_to_string(copy).expect("a file").contains("EV[Cup]"));
    let twice = collections(&server, at, &["export", "World cup", copy]);
    assert!(!twice.done && twice.stderr.contains("--force"), "{}", twice.stderr);
    let copied = collections(&server, at, &["import", "Copy", copy]);
    assert_eq!(copied.stdout, "6 added, 0 already there, 0 failed\n", "{}", copied.stderr);

    let number = ann.stdout.split_whitespace().next().expect("a number");
    let deleted = collections(&server, at, &["delete", "Copy", number]);
    assert!(deleted.done, "{}", deleted.stderr);
    let left = collections(&server, at, &["show", "Copy", "--player", "ann"]);
    assert!(left.stdout.is_empty() && left.stderr.contains("no games"), "{}", left.stdout);
    let kept = run(&server, at, &["collections", "delete", "Copy"], "no\n");
    assert!(!kept.done && kept.stderr.contains("Nothing is deleted"), "{}", kept.stderr);
    let deleted = run(&server, at, &["collections", "delete", "Copy"], "delete\n");
    assert!(deleted.done, "{}", deleted.stderr);
    assert!(!collections(&server, at, &["show", "Copy"]).done);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_collection_is_read_by_its_link_and_changed_by_its_owner() {
    let server = Server::start();
    let (annika, bertil) = (signed_in(&server, "Annika").await, signed_in(&server, "Bertil").await);
    let (annika, bertil) = (annika.path(), bertil.path());
    let file = written(annika, "game.txt", "h8 i9");
    let made = collections(&server, annika, &["import", "Cup", &file]);
    let link = made.stderr.lines().last().expect("a link").to_owned();
    let theirs = collections(&server, bertil, &["show", &link]);
    assert!(!theirs.done, "it is not shared: {}", theirs.stdout);
    let shared = collections(&server, annika, &["change", "Cup", "--shared", "--name", "Club cup"]);
    assert!(shared.done && shared.stdout.trim() == link, "{}", shared.stderr);
    let theirs = collections(&server, bertil, &["show", &link]);
    assert!(theirs.done && theirs.stdout.ends_with(": h8 i9\n"), "{}", theirs.stderr);
    let refused = collections(&server, bertil, &["delete", &link, "--yes"]);
    assert!(!refused.done && refused.stderr.contains("no such collection"), "{}", refused.stderr);
    let private = collections(&server, annika, &["change", "Club cup", "--private"]);
    assert!(private.done, "{}", private.stderr);
    assert!(!collections(&server, bertil, &["show", &link]).done);
    let nothing = collections(&server, annika, &["change", "Club cup"]);
    assert!(!nothing.done && nothing.stderr.contains("--private"), "{}", nothing.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_games_take_several_batches_and_damaged_ones_cost_no_other() {
    let server = Server::start();
    let home = signed_in(&server, "Annika").await;
    let letter = |n: u32| char::from(b'a' + u8::try_from(n % 15).expect("less than 15"));
    let game = |n: u32| {
        let [a, b, c, d] = [n, n / 15, n + 1, n / 30].map(letter);
        format!("(;FF[4]GM[4]SZ[15]PB[Player {n}];B[{a}{b}];W[{c}{d}])\n")
    };
    let half = |from: u32| (from..from + 500).map(game).collect::<String>();
    let damaged = "(;FF[4]GM[4]SZ[15];B[aa]C[no end\n";
    let file = written(home.path(), "many.sgf", [&half(0), damaged, &half(500)].concat());
    let first = collections(&server, home.path(), &["import", "Many", &file, "--json"]);
    let of = |run: &Run, field: &str| {
        let last: Value = serde_json::from_str(run.stdout.lines().last().expect("lines")).unwrap();
        last[field].as_u64().expect("a number")
    };
    let (added, duplicates) = (of(&first, "added"), of(&first, "duplicates"));
    assert!(!first.done && first.stdout.contains("\"line\":501,"), "{}", first.stdout);
    // At most eight games look alike.
    assert!(added >= 125 && added + duplicates == 1_000, "{added} and {duplicates}");
    assert_eq!(of(&first, "faults"), 1, "{}", first.stdout);
    let again = collections(&server, home.path(), &["import", "Many", &file, "--json"]);
    assert_eq!((of(&again, "added"), of(&again, "duplicates")), (0, 1_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn games_that_do_not_fit_are_named() {
    let server = Server::start_with(&[("collected-games", "2")]);
    let home = signed_in(&server, "Annika").await;
    let file = written(home.path(), "lists.txt", "h8 i9\nh8 i10\nh8 i11\n");
    let first = collections(&server, home.path(), &["import", "Cup", &file]);
    assert_eq!(first.stdout, "2 added, 0 already there, 1 failed\n", "{}", first.stderr);
    let left_out = format!("{file}:3: your collections can hold 2 games in all\n");
    assert!(!first.done && first.stderr.contains(&left_out), "{}", first.stderr);
    let again = collections(&server, home.path(), &["import", "Cup", &file]);
    let is_full = again.stderr.contains("Your collections can hold 2 games in all.");
    assert!(!again.done && is_full, "{}", again.stderr);
}
