//! House rules that enforce themselves: files, folders, dependencies and links, checked in the sources.
//!
//! Each rule turns sources into findings, and has a test with a planted fault. The sources must give
//! no findings.

mod folders;
mod layers;
mod links;
mod modules;
mod sizes_and_headers;
mod source;

use std::collections::BTreeMap;

use modules::{Edge, Package};
use source::{Finding, Source, entries, is_there, tree};

const RULES: [&str; 10] = [
    "size",
    "header",
    "packages",
    "order",
    "circles",
    "purity",
    "tops",
    "crowded",
    "circles of folders",
    "links",
];

/// The packages that use nothing from outside.
const PURE: [&str; 2] = ["shared/src/lib.rs", "shared/engine/src/lib.rs"];

#[test]
fn the_house_rules_hold() {
    let sources = tree();
    assert!(sources.len() > 200, "{} sources: was the tree found?", sources.len());
    let sizes = sizes_and_headers::sizes(sources.values());
    println!("files: median {} lines, largest {:?}", sizes.median, sizes.largest);

    let mut broken = Vec::new();
    for rule in RULES {
        let findings = check(rule, &sources);
        let line =
            |Finding { path, line, text }: &Finding| format!("{rule}: {path}:{line}: {text}");
        broken.extend(findings.iter().map(line));
    }
    assert!(broken.is_empty(), "{} findings:\n{}", broken.len(), broken.join("\n"));
}

fn check(rule: &str, sources: &BTreeMap<String, Source>) -> Vec<Finding> {
    let each = |rule: fn(&Source) -> Vec<Finding>| sources.values().flat_map(rule).collect();
    let pure = || PURE.iter().map(|root| Package::read(root, sources));
    match rule {
        "size" => each(sizes_and_headers::size),
        "header" => each(sizes_and_headers::header),
        "packages" => each(layers::packages),
        "order" => pure().flat_map(|package| layers::order(&package)).collect(),
        "circles" => layers::circles(&edges(sources)),
        "purity" => pure().flat_map(|package| layers::purity(&package)).collect(),
        "tops" => folders::tops(entries),
        "crowded" => folders::crowded(sources),
        "circles of folders" => folders::circles(&edges(sources)),
        "links" => links::broken(sources, is_there),
        _ => panic!("no rule is called {rule}"),
    }
}

/// The dependencies between the files of every package, and between the page's modules.
fn edges(sources: &BTreeMap<String, Source>) -> Vec<Edge> {
    let is_root = |path: &&String| path.ends_with("/lib.rs") || path.ends_with("/main.rs");
    let packages = sources.keys().filter(is_root).map(|root| Package::read(root, sources).edges());
    let scripts = sources.values().filter(|source| source.ends(".js") || source.ends(".mjs"));
    let mut edges: Vec<_> = packages.flatten().collect();
    edges.extend(scripts.flat_map(layers::script_edges));
    edges
}

#[test]
fn the_packages_are_read_whole() {
    let sources = tree();
    for root in
        ["shared/src/lib.rs", "shared/engine/src/lib.rs", "server/src/lib.rs", "client/src/lib.rs"]
    {
        let package = Package::read(root, &sources);
        let files = package.files().count();
        let edges = package.edges().len();
        assert!(files > 40 && edges > files, "{root}: {files} files, {edges} edges");
    }
}
