//! Rules for folders: few names at the top of a package, no crowded folder, and folders that use each other in
//! one direction.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    layers::shortest_circle,
    modules::Edge,
    source::{Finding, Source},
};

/// Most names at the top of a package.
const NAMES_MAX: usize = 22;

/// Most source files directly in a folder.
const FILES_MAX: usize = 32;

/// The folders of sources: each of them, and each folder in it, is checked.
const ROOTS: [&str; 6] = [
    "shared/src",
    "shared/engine/src",
    "server/storage/src",
    "server/src",
    "client/src",
    "server/web",
];

/// The names that may stand at the top of a package: `foo.rs`, `foo.css` and `foo/` are one name. A new file belongs
/// into a folder.
const TOPS: [Top; 3] = [
    (
        "client/src",
        &[
            "cli",
            "command",
            "engines",
            "game_files",
            "lib",
            "lines",
            "main",
            "own_clock",
            "play",
            "server",
            "settings",
            "terminal",
            "tui",
            "words",
        ],
    ),
    (
        "server/src",
        &[
            "accounts",
            "cluster",
            "commands",
            "config",
            "http",
            "lib",
            "limits",
            "main",
            "membership",
            "metrics",
            "moderation",
            "net",
            "online",
            "pairing",
            "picture",
            "process",
            "puzzles",
            "rooms",
            "session",
            "shared_state",
            "thinking",
            "transport",
        ],
    ),
    (
        "server/web",
        &[
            "account",
            "analysis",
            "board",
            "browser",
            "client",
            "embed",
            "engine",
            "game",
            "index",
            "language",
            "learn",
            "lobby",
            "local",
            "main",
            "moderation",
            "players",
            "puzzles",
            "replay",
            "room",
            "style",
            "ui",
        ],
    ),
];

/// The top of a package: its folder, and the names in it.
type Top = (&'static str, &'static [&'static str]);

/// Finds names at the top of a package that have no place there. `entries` lists a folder.
pub(crate) fn tops(entries: impl Fn(&str) -> Vec<String>) -> Vec<Finding> {
    TOPS.iter().flat_map(|top| top_names(*top, &entries(top.0))).collect()
}

fn top_names((folder, allowed): Top, entries: &[String]) -> Vec<Finding> {
    let names: BTreeMap<_, _> = entries.iter().map(|entry| (stem(entry), entry)).collect();
    let mut findings = Vec::new();
    for (name, entry) in &names {
        if !allowed.contains(name) {
            let text = "stands at the top; put it into a folder (TOPS of tests/tidy/folders.rs)";
            findings.push(Finding::new(&format!("{folder}/{entry}"), 0, text));
        }
    }
    for name in allowed.iter().filter(|name| !names.contains_key(*name)) {
        let text = format!("`{name}` is gone: remove it from TOPS of tests/tidy/folders.rs");
        findings.push(Finding::new(folder, 0, text));
    }
    if names.len() > NAMES_MAX {
        let text = format!("{} names at the top, at most {NAMES_MAX}", names.len());
        findings.push(Finding::new(folder, 0, text));
    }
    findings
}

/// Finds folders with too many source files directly in them.
pub(crate) fn crowded(sources: &BTreeMap<String, Source>) -> Vec<Finding> {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    let within = |path: &str| ROOTS.iter().any(|root| inside(root, path).is_some());
    let is_counted = |source: &&Source| {
        let is_code = source.ends(".rs") || source.ends(".js");
        let is_test = source.stem().ends_with("tests") || source.path.contains("/tests/");
        is_code && !is_test && within(&source.path)
    };
    for source in sources.values().filter(is_counted) {
        *files.entry(folder(&source.path)).or_default() += 1;
    }
    let many = files.into_iter().filter(|(_, count)| *count > FILES_MAX);
    many.map(|(folder, count)| {
        let text = format!("{count} source files directly in it, at most {FILES_MAX}");
        Finding::new(folder, 0, text)
    })
    .collect()
}

/// Finds folders that use each other in a circle, directly or through others: one finding for each folder.
pub(crate) fn circles(edges: &[Edge]) -> Vec<Finding> {
    ROOTS.iter().flat_map(|root| circles_in(root, edges)).collect()
}

/// Each folder below the root is looked at by itself: which of the names in it use which. A file of another folder
/// counts for the name through which it is reached.
fn circles_in(root: &str, edges: &[Edge]) -> Vec<Finding> {
    let mut folders: BTreeMap<String, BTreeMap<(&str, &str), &Edge>> = BTreeMap::new();
    for edge in edges {
        let (Some(from), Some(to)) = (inside(root, &edge.from), inside(root, &edge.to)) else {
            continue;
        };
        if let Some((depth, names)) = parting(from, to) {
            let parents: Vec<_> = from.split('/').take(depth).collect();
            let folder = [&[root], parents.as_slice()].concat().join("/");
            folders.entry(folder).or_default().entry(names).or_insert(edge);
        }
    }
    let mut findings = Vec::new();
    for (folder, uses) in folders {
        let mut graph: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (from, to) in uses.keys() {
            graph.entry(from).or_default().push(to);
        }
        for &name in graph.keys() {
            let Some(circle) = shortest_circle(name, &graph) else { continue };
            let first = uses[&(circle[0], circle[1])];
            let text = format!("{folder}: in a circle: {}; uses {}", circle.join(" -> "), first.to);
            findings.push(Finding::new(&first.from, first.line, text));
        }
    }
    findings
}

/// Where two paths part: how many folders they share, and the next name of each; `None` if that is one name, such as
/// of `room.rs` and `room/seats.rs`.
fn parting<'a>(from: &'a str, to: &'a str) -> Option<(usize, (&'a str, &'a str))> {
    let pairs = from.split('/').zip(to.split('/'));
    let (depth, (one, other)) = pairs.enumerate().find(|(_, (one, other))| one != other)?;
    let names = (stem(one), stem(other));
    (names.0 != names.1).then_some((depth, names))
}

/// A path from a folder on, if it is in it.
fn inside<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn stem(name: &str) -> &str {
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

#[test]
fn a_name_at_the_top_is_found() {
    let entries = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let found = |names: &[&str]| {
        let findings = top_names(("web", &["board", "main", "style"]), &entries(names));
        findings.into_iter().map(|finding| finding.path).collect::<Vec<_>>()
    };
    assert_eq!(found(&["board", "board.js", "main.js", "style.css"]), [""; 0]);
    assert_eq!(found(&["board", "main.js", "style.css", "new.js"]), ["web/new.js"]);
    assert_eq!(found(&["board", "main.js"]), ["web"]);

    let names: Vec<String> = (0..=NAMES_MAX).map(|at| format!("n{at}.js")).collect();
    let allowed: Vec<&'static str> = names.iter().map(|name| stem(name.clone().leak())).collect();
    let allowed = &*allowed.leak();
    assert_eq!(top_names(("web", &allowed[..NAMES_MAX]), &names[..NAMES_MAX]), []);
    assert_eq!(top_names(("web", allowed), &names).len(), 1);
}

#[test]
fn a_crowded_folder_is_found() {
    let found = |count| {
        let files = (0..count).map(|at| format!("server/src/rooms/r{at}.rs"));
        let others = ["server/src/rooms/tests.rs", "server/src/rooms/deep/x.rs"].map(str::to_owned);
        let sources = files.chain(others).map(|path| (path.clone(), Source::new(&path, "")));
        crowded(&sources.collect()).len()
    };
    assert_eq!((found(FILES_MAX), found(FILES_MAX + 1)), (0, 1));
}

#[test]
fn a_circle_of_folders_is_found() {
    let circle = |more: &[(&str, &str)]| {
        let plain = [
            ("web/board/a.js", "web/ui/dom.js"),
            ("web/room/view.js", "web/board/a.js"),
            ("web/room.js", "web/room/view.js"),
            ("web/room/parts/x.js", "web/room/view.js"),
            ("tests/x.js", "web/ui/dom.js"),
        ];
        let edges = plain.iter().chain(more).map(|&(from, to)| Edge {
            from: from.to_owned(),
            line: 1,
            to: to.to_owned(),
        });
        let findings = circles_in("web", &edges.collect::<Vec<_>>());
        findings.into_iter().map(|finding| finding.path).collect::<BTreeSet<_>>()
    };
    let paths = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect();
    assert_eq!(circle(&[]), BTreeSet::new());
    // Neither the files nor two of the folders have a circle.
    assert_eq!(
        circle(&[("web/ui/dialog.js", "web/room/seats.js")]),
        paths(&["web/board/a.js", "web/room/view.js", "web/ui/dialog.js"])
    );
    // A file at the top is a name of its own, and one that stands beside its folder is not.
    assert_eq!(
        circle(&[("web/ui/dom.js", "web/main.js"), ("web/main.js", "web/ui/dialog.js")]),
        paths(&["web/main.js", "web/ui/dom.js"])
    );
    assert_eq!(circle(&[("web/room/view.js", "web/room.js")]), BTreeSet::new());
    assert_eq!(
        circle(&[("web/room/view.js", "web/room/parts/y.js")]),
        paths(&["web/room/parts/x.js", "web/room/view.js"])
    );
}
