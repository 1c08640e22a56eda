//! Rules for dependencies: packages and modules depend in one direction, files form no cycle, and
//! `shared` and the engine use no clock, file, socket or thread.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    modules::{Edge, Package},
    source::{Finding, Source, line_of},
};

/// Our packages that each package may use.
const PACKAGES: [(&str, &[&str]); 12] = [
    ("shared/Cargo.toml", &[]),
    ("shared/command-line/Cargo.toml", &[]),
    ("shared/engine/Cargo.toml", &["fivefold-shared"]),
    ("shared/wasm/Cargo.toml", &["fivefold-engine", "fivefold-shared"]),
    ("tests/services/Cargo.toml", &[]),
    ("server/mail/Cargo.toml", &["fivefold-test-services"]),
    ("server/page/Cargo.toml", &[]),
    ("server/push/Cargo.toml", &["fivefold-test-services"]),
    ("server/storage/Cargo.toml", &["fivefold-shared", "fivefold-test-services"]),
    (
        "server/Cargo.toml",
        &[
            "fivefold-command-line",
            "fivefold-engine",
            "fivefold-mail",
            "fivefold-page",
            "fivefold-push",
            "fivefold-shared",
            "fivefold-storage",
            "fivefold-test-services",
        ],
    ),
    ("client/Cargo.toml", &["fivefold-command-line", "fivefold-engine", "fivefold-shared"]),
    (
        "tests/Cargo.toml",
        &[
            "fivefold-engine",
            "fivefold-shared",
            "fivefold-storage",
            "fivefold-server",
            "fivefold",
            "fivefold-test-services",
        ],
    ),
];

/// External packages that `shared` and the engine may use: none knows a clock, a file, a socket or a thread.
const PURE: [&str; 11] = [
    "prefetch-index",
    "pulp",
    "rand",
    "rustc-hash",
    "serde",
    "serde_json",
    "sha2",
    "strum",
    "thiserror",
    "unicode-normalization",
    "unicode-security",
];

/// The modules of `shared`, and then those of the engine: each may use those before it, and none after it. So
/// the rules know no rooms, and the search no bots.
const ORDER: [&str; 35] = [
    "rules",
    "seat",
    "symmetry",
    "opening",
    "clock",
    "rating_pool",
    "search_budget",
    "bot_spec",
    "analysis",
    "protocol",
    "conditional_moves",
    "record",
    "profile",
    "friends",
    "note",
    "time_off_status",
    "notation",
    "collection",
    "puzzle",
    "questions",
    "room",
    "local_room",
    "review",
    "protocol_guide",
    "json_schema",
    "typescript",
    "search",
    "calibration",
    "book",
    "puzzle_solver",
    "balance",
    "bot",
    "bot_job",
    "reviewer",
    "agreement",
];

/// Names that `shared` and the engine never use, with the reason.
const IMPURE: [(&str, &str); 20] = [
    ("std::fs", "files"),
    ("std::path", "files"),
    ("std::net", "sockets"),
    ("std::os", "the system"),
    ("std::env", "the system"),
    ("std::process", "the system"),
    ("std::io::stdin", "files"),
    ("std::io::stdout", "files"),
    ("std::io::stderr", "files"),
    ("std::thread", "threads"),
    ("std::sync::mpsc", "threads"),
    ("std::time::Instant", "the clock"),
    ("std::time::SystemTime", "the clock"),
    ("std::collections::HashMap", "a random order; use FxHashMap or BTreeMap"),
    ("std::collections::HashSet", "a random order; use FxHashSet or BTreeSet"),
    ("std::hash::RandomState", "randomness"),
    ("rand::rng", "randomness"),
    ("rand::random", "randomness"),
    ("rand::rngs::SysRng", "randomness"),
    ("rand::rngs::ThreadRng", "randomness"),
];

/// Finds packages with forbidden dependencies.
pub(crate) fn packages(manifest: &Source) -> Vec<Finding> {
    let Some((_, ours)) = PACKAGES.iter().find(|(path, _)| manifest.path == *path) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let mut section = "";
    for (line, text) in (1..).zip(manifest.text.lines()) {
        if text.starts_with('[') {
            section = text.trim_matches(['[', ']']);
        }
        let name = text.split(['.', ' ', '=']).next().unwrap_or_default();
        if !section.ends_with("dependencies") || name.is_empty() || text.starts_with(['#', '[']) {
            continue;
        }
        let is_ours = name.starts_with("fivefold");
        let only_tests = section.ends_with("dev-dependencies");
        let is_pure =
            ["shared/Cargo.toml", "shared/engine/Cargo.toml"].contains(&manifest.path.as_str());
        let may = PURE.contains(&name) || only_tests;
        if is_ours && !ours.contains(&name) {
            findings.push(Finding::new(&manifest.path, line, format!("may not use {name}")));
        } else if !is_ours && is_pure && !may {
            findings.push(Finding::new(
                &manifest.path,
                line,
                format!("{name} is not known as pure"),
            ));
        }
    }
    findings
}

/// Finds modules of `shared` or of the engine that use a later one in the order.
pub(crate) fn order(package: &Package) -> Vec<Finding> {
    let mut findings = BTreeSet::new();
    for Edge { from, line, to } in package.edges() {
        let (Some(user), Some(used)) = (top_module(&from), top_module(&to)) else { continue };
        let place = |name| ORDER.iter().position(|module| *module == name);
        let text = match (place(user), place(used)) {
            (None, _) => format!("`{user}` has no place in ORDER of tests/tidy/layers.rs"),
            (_, None) => format!("`{used}` has no place in ORDER of tests/tidy/layers.rs"),
            (Some(user_at), Some(used_at)) if used_at > user_at => {
                format!("`{user}` may not use `{used}` ({to})")
            }
            (Some(_), Some(_)) => continue,
        };
        findings.insert(Finding::new(&from, line, text));
    }
    findings.into_iter().collect()
}

/// `clock` for `shared/src/clock.rs`; `None` for the root.
fn top_module(path: &str) -> Option<&str> {
    let inside = path.split_once("/src/")?.1;
    let name = inside.split(['/', '.']).next()?;
    (name != "lib").then_some(name)
}

/// Finds files that use each other in a cycle: one finding per file.
pub(crate) fn circles(edges: &[Edge]) -> Vec<Finding> {
    let mut uses: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in edges {
        uses.entry(&edge.from).or_default().push(&edge.to);
    }
    let mut findings = Vec::new();
    for &file in uses.keys() {
        if let Some(circle) = shortest_circle(file, &uses) {
            let line = edges.iter().find(|edge| edge.from == file && edge.to == circle[1]);
            let text = format!("in a circle: {}", circle.join(" -> "));
            findings.push(Finding::new(file, line.map_or(0, |edge| edge.line), text));
        }
    }
    findings
}

/// The shortest way from a file or a folder back to itself.
pub(crate) fn shortest_circle<'a>(
    file: &'a str,
    uses: &BTreeMap<&'a str, Vec<&'a str>>,
) -> Option<Vec<&'a str>> {
    let mut seen = BTreeSet::new();
    let mut paths = vec![vec![file]];
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            for &next in uses.get(path[path.len() - 1]).into_iter().flatten() {
                let path: Vec<_> = path.iter().copied().chain([next]).collect();
                if next == file {
                    return Some(path);
                }
                if seen.insert(next) {
                    longer.push(path);
                }
            }
        }
        paths = longer;
    }
    None
}

/// The imports between the page's modules, those that come later, too.
pub(crate) fn script_edges(script: &Source) -> Vec<Edge> {
    let folder = script.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut edges = Vec::new();
    let starts = ["from ", "import ", "import("].into_iter();
    for (at, start) in starts.flat_map(|start| script.code.match_indices(start)) {
        let rest = &script.text[at + start.len()..];
        let Some(name) =
            rest.strip_prefix(['\'', '"']).and_then(|rest| rest.split(['\'', '"']).next())
        else {
            continue;
        };
        let mut path: Vec<&str> = folder.split('/').collect();
        for part in name.split('/') {
            match part {
                "." => {}
                ".." => drop(path.pop()),
                part => path.push(part),
            }
        }
        let line = line_of(&script.text, at);
        edges.push(Edge { from: script.path.clone(), line, to: path.join("/") });
    }
    edges
}

/// Finds places where `shared` or the engine uses a clock, files, sockets, threads or randomness.
pub(crate) fn purity(package: &Package) -> Vec<Finding> {
    let mut findings = BTreeSet::new();
    for (path, line, name) in package.outside() {
        for (impure, why) in IMPURE {
            let rest = name.strip_prefix(impure);
            if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::")) {
                findings.insert(Finding::new(&path, line, format!("`{impure}`: {why}")));
            }
        }
    }
    findings.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::planted;

    #[test]
    fn a_package_that_points_back_is_found() {
        let shared = "[dependencies]\nserde.workspace = true\ntokio = \"1\"\nfivefold-server.workspace = true\n\
                      [dev-dependencies]\nproptest.workspace = true\n";
        let found = packages(&Source::new("shared/Cargo.toml", shared));
        assert_eq!(
            found.iter().map(|finding| finding.line).collect::<Vec<_>>(),
            [3, 4],
            "{found:?}"
        );
        let client = "[target.'cfg(unix)'.dependencies]\nfivefold-server.workspace = true\n";
        assert_eq!(packages(&Source::new("client/Cargo.toml", client)).len(), 1);
    }

    #[test]
    fn a_module_that_points_back_is_found() {
        let found = |text| {
            let (package, _) = planted(&[
                (
                    "shared/src/lib.rs",
                    "pub mod bot;\npub mod search;\npub mod rules;\npub mod attic;",
                ),
                ("shared/src/bot.rs", "use crate::{search::Engine, rules::Point};"),
                ("shared/src/search.rs", text),
                ("shared/src/rules.rs", "pub struct Point;"),
                ("shared/src/attic.rs", "use crate::rules::Point;"),
            ]);
            order(&package).iter().map(|finding| finding.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(found("use crate::rules::Point;"), ["shared/src/attic.rs"]);
        let planted = "fn search() { super::bot::Bot::new() }";
        assert_eq!(found(planted), ["shared/src/attic.rs", "shared/src/search.rs"]);
    }

    #[test]
    fn a_circle_of_files_is_found() {
        let circle = |last| {
            let (package, _) = planted(&[
                ("src/lib.rs", "mod a;\nmod b;\nmod c;\nmod front;"),
                ("src/a.rs", "use crate::b::B;"),
                ("src/b.rs", "fn b(c: crate::c::C) {}"),
                ("src/c.rs", last),
                ("src/front.rs", "mod x;\nmod y;\npub use self::{x::X, y::Y};"),
                ("src/front/x.rs", "use super::Y;"),
                ("src/front/y.rs", "pub struct Y;"),
            ]);
            circles(&package.edges())
        };
        assert_eq!(circle("pub struct C;\n#[cfg(test)]\nuse crate::a::A;"), []);
        let found = circle("use crate::a::A;");
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            found[0].text.contains("src/a.rs -> src/b.rs -> src/c.rs -> src/a.rs"),
            "{found:?}"
        );
    }

    #[test]
    fn a_circle_of_scripts_is_found() {
        let script = |path, text| script_edges(&Source::new(path, text));
        let mut edges = script("web/a.js", "import { b } from './b.js';\nimport './c/d.js';\n");
        edges.extend(script("web/c/d.js", "// import '../a.js';\n"));
        assert_eq!(circles(&edges), []);
        for import in ["import a from \"../a.js\";\n", "f(await import('../a.js'));\n"] {
            let mut edges = edges.clone();
            edges.extend(script("web/c/d.js", import));
            assert_eq!(circles(&edges).len(), 2, "{edges:?}");
        }
    }

    #[test]
    fn a_call_to_the_outside_is_found() {
        let planted_in = |text| {
            let (package, _) = planted(&[("shared/src/lib.rs", text)]);
            purity(&package).len()
        };
        assert_eq!(planted_in("use std::{fmt, time::Duration};\nuse rand::rngs::SmallRng;"), 0);
        assert_eq!(planted_in("use std::{fmt, time::{Duration, Instant}};"), 1);
        assert_eq!(planted_in("fn a() { std::fs::read(b); }"), 1);
        assert_eq!(planted_in("fn a() { ::std::thread::scope(b); }"), 1);
        assert_eq!(planted_in("use std::thread;\nfn a() { thread::scope(b); }"), 2);
        assert_eq!(planted_in("fn a() { rand::rng(); }"), 1);
        assert_eq!(planted_in("#[cfg(test)]\nmod tests { use std::fs; }"), 0);
    }
}
