//! Rule for documents: every link leads to a file or folder of the repository, and to a heading that is in it.
//!
//! Addresses on other servers are not opened.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path},
};

use crate::source::{Finding, Source};

/// Finds links to nothing. `exists` says whether a path from the root of the repository is there.
pub(crate) fn broken(
    sources: &BTreeMap<String, Source>,
    exists: impl Fn(&str) -> bool,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for document in sources.values().filter(|source| source.ends(".md")) {
        for (line, target) in links(document) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let Some(path) = resolved(&document.path, path) else {
                let text = format!("`{target}` leads out of the repository");
                findings.push(Finding::new(&document.path, line, text));
                continue;
            };
            if !exists(&path) {
                let text = format!("`{target}` leads to nothing");
                findings.push(Finding::new(&document.path, line, text));
            } else if !heading.is_empty() && !has_heading(sources.get(&path), heading) {
                let text = format!("`{target}`: no such heading in {path}");
                findings.push(Finding::new(&document.path, line, text));
            }
        }
    }
    findings
}

/// The links to files, with their lines. Prose has neither code blocks nor a mark at the beginning of a line.
fn links(document: &Source) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    for (line, text) in &document.prose {
        let rests = text.split("](").skip(1);
        let targets = rests.filter_map(|rest| rest.split([')', ' ']).next());
        let own =
            targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
        links.extend(own.map(|target| (*line, target)));
    }
    links
}

/// A path as it stands in a document, from the root of the repository; `None` above that.
fn resolved(document: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(document.to_owned());
    }
    let folder = Path::new(document).parent().unwrap_or(Path::new(""));
    let joined = folder.join(path);
    let mut parts: Vec<&str> = Vec::new();
    for component in joined.components() {
        match component {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

fn has_heading(document: Option<&Source>, heading: &str) -> bool {
    document.is_some_and(|document| headings(&document.text).contains(heading))
}

/// The anchors of a document's headings, as the programs that show Markdown make them.
fn headings(text: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let mut headings = BTreeSet::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && line.starts_with('#') {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            headings.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
    }
    headings
}

#[test]
fn a_link_to_nothing_is_found() {
    let guide = "# Guide\n\n## Who plays, and where\n\n```\n# not a heading\n```\n";
    let found = |text: &str| {
        let documents = [("docs/a/README.md", text), ("docs/guide.md", guide)];
        let sources = documents.map(|(path, text)| (path.to_owned(), Source::new(path, text)));
        let exists = |path: &str| ["docs/a/README.md", "docs/guide.md", "docs/a"].contains(&path);
        let sources = BTreeMap::from(sources);
        broken(&sources, exists).into_iter().map(|one| one.line).collect::<Vec<_>>()
    };
    let fine = [
        "[a](../guide.md), [b](../guide.md#who-plays-and-where)\n[c](../../docs/a) [d](#one)\n\n# One\n",
        "[a](https://example.org/x.md) [b](mailto:ann@example.org)\n\n```\n[c](none.md)\n```\n",
    ];
    assert_eq!(found(fine[0]), [0_usize; 0]);
    assert_eq!(found(fine[1]), [0_usize; 0]);
    let planted = [
        "\n[a](guide.md)\n",
        "\n| x | [a](../guide.md#not-a-heading) |\n",
        "\n- ![a](../picture.webp)\n",
        "\n[a](#nowhere)\n",
        "\n[a](../../../guide.md)\n",
        "\n[a](/docs/guide.md)\n",
    ];
    for text in planted {
        assert_eq!(found(text), [2], "{text}");
    }
}
