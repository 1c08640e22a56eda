//! Finds the modules of a package and their dependencies, by following `mod`, `use` and paths.
//!
//! A path is followed through re-exports to the file that defines the name. So a front file that
//! only declares and re-exports its children depends on nothing, and nothing on it.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Source, line_of};

/// A dependency of one file on another of its package.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Edge {
    /// The dependent file.
    pub(crate) from: String,
    /// The line of the dependency.
    pub(crate) line: usize,
    /// The file it depends on.
    pub(crate) to: String,
}

/// One `use` of one name.
#[derive(Clone, Debug)]
struct Use {
    segments: Vec<String>,
    /// The name in this file.
    name: String,
    is_public: bool,
    is_glob: bool,
    line: usize,
}

/// The names that a file uses.
#[derive(Debug, Default)]
pub(crate) struct Names {
    children: Vec<String>,
    uses: Vec<Use>,
    paths: Vec<(Vec<String>, usize)>,
    /// Every name outside of `use`.
    words: BTreeSet<String>,
}

#[derive(Debug)]
struct Module {
    path: String,
    names: Names,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
}

/// The modules of a package or of one of its tests, the root first.
#[derive(Debug)]
pub(crate) struct Package {
    modules: Vec<Module>,
}

impl Package {
    /// Reads the modules that the root file declares, recursively.
    pub(crate) fn read(root: &str, sources: &BTreeMap<String, Source>) -> Self {
        let mut package = Self { modules: Vec::new() };
        package.add(root, None, sources);
        package
    }

    fn add(
        &mut self,
        path: &str,
        parent: Option<usize>,
        sources: &BTreeMap<String, Source>,
    ) -> usize {
        let index = self.modules.len();
        let names = Names::read(&sources[path].shipped);
        let declared = names.children.clone();
        self.modules.push(Module {
            path: path.to_owned(),
            names,
            parent,
            children: BTreeMap::new(),
        });
        let folder = match parent {
            None => path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned(),
            Some(_) => path.trim_end_matches(".rs").trim_end_matches("/mod").to_owned(),
        };
        for name in declared {
            let files = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")];
            if let Some(file) = files.iter().find(|file| sources.contains_key(*file)) {
                let child = self.add(file, Some(index), sources);
                self.modules[index].children.insert(name, child);
            }
        }
        index
    }

    /// The files of the package.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.modules.iter().map(|module| module.path.as_str())
    }

    /// The dependencies between files, each pair once.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        let mut edges = BTreeMap::new();
        for (index, module) in self.modules.iter().enumerate() {
            let mut add = |target: usize, line| {
                if target != index {
                    edges.entry((index, target)).or_insert(line);
                }
            };
            for used in &module.names.uses {
                let Some((target, is_module)) = self.resolve(index, &used.segments, 0) else {
                    continue;
                };
                let only_passed_on = used.is_public
                    && self.is_inside(target, index)
                    && !module.names.words.contains(&used.name);
                // A module's name alone starts a path, which is followed below.
                if !only_passed_on && (!is_module || used.is_glob) {
                    add(target, used.line);
                }
            }
            for (segments, line) in &module.names.paths {
                if let Some((target, false)) = self.resolve(index, segments, 0) {
                    add(target, *line);
                }
            }
        }
        let path = |index: usize| self.modules[index].path.clone();
        edges.into_iter().map(|((a, b), line)| Edge { from: path(a), line, to: path(b) }).collect()
    }

    fn is_inside(&self, mut module: usize, outer: usize) -> bool {
        while let Some(parent) = self.modules[module].parent {
            if parent == outer {
                return true;
            }
            module = parent;
        }
        false
    }

    /// The module that defines the target of a path, and whether the target is the module itself.
    fn resolve(&self, from: usize, segments: &[String], depth: u8) -> Option<(usize, bool)> {
        let mut module = from;
        let mut rest = segments;
        let mut is_relative = true;
        while let Some((first, others)) = rest.split_first() {
            match first.as_str() {
                "crate" => module = 0,
                "self" => {}
                "super" => module = self.modules[module].parent?,
                _ => break,
            }
            is_relative = false;
            rest = others;
        }
        loop {
            let Some((name, others)) = rest.split_first() else { return Some((module, true)) };
            let here = &self.modules[module];
            if let Some(&child) = here.children.get(name) {
                (module, rest) = (child, others);
                is_relative = false;
                continue;
            }
            let mut uses = here.names.uses.iter();
            if depth < 8
                && let Some(used) =
                    uses.find(|used| used.name == *name && used.segments != segments)
            {
                let path: Vec<_> = used.segments.iter().chain(others).cloned().collect();
                return self.resolve(module, &path, depth + 1);
            }
            return (!is_relative).then_some((module, false));
        }
    }

    /// The paths that a file uses outside its package, in full: `std::fs::read`.
    pub(crate) fn outside(&self) -> Vec<(String, usize, String)> {
        let mut found = Vec::new();
        for module in &self.modules {
            let uses = module.names.uses.iter().map(|used| (used.segments.clone(), used.line));
            let paths = module.names.paths.iter().map(|(segments, line)| {
                let used = module.names.uses.iter().find(|used| used.name == segments[0]);
                let full = used.map_or(segments.clone(), |used| {
                    used.segments.iter().chain(&segments[1..]).cloned().collect()
                });
                (full, *line)
            });
            for (segments, line) in uses.chain(paths) {
                found.push((module.path.clone(), line, segments.join("::")));
            }
        }
        found
    }
}

impl Names {
    fn read(code: &str) -> Self {
        let tokens = tokens(code);
        let mut names = Self::default();
        let mut at = 0;
        while at < tokens.len() {
            let back = |steps| at.checked_sub(steps).map_or("", |at: usize| tokens[at].0);
            // `::std::fs` begins a path as `std::fs` does; `<T>::name` does not.
            let before =
                if back(1) == "::" && !is_word(back(2)) && back(2) != ">" { "" } else { back(1) };
            let next = tokens.get(at + 1).map_or("", |next| next.0);
            let (word, byte) = tokens[at];
            if word == "use" {
                let line = line_of(code, byte);
                let is_public = before == "pub" || before == ")";
                at = names.read_use(&tokens, at + 1, &mut Vec::new(), (is_public, line));
            } else if word == "mod" && tokens.get(at + 2).is_some_and(|end| end.0 == ";") {
                names.children.push(next.to_owned());
                at += 3;
            } else if is_word(word) {
                names.words.insert(word.to_owned());
                let mut segments = vec![word.to_owned()];
                while tokens.get(at + 1).is_some_and(|colons| colons.0 == "::")
                    && tokens.get(at + 2).is_some_and(|word| is_word(word.0))
                {
                    segments.push(tokens[at + 2].0.to_owned());
                    at += 2;
                }
                if segments.len() > 1 && before != "::" && before != "." {
                    names.paths.push((segments, line_of(code, byte)));
                }
                at += 1;
            } else {
                at += 1;
            }
        }
        names
    }

    /// Reads the text after `use`, or between its braces; returns where it ends.
    fn read_use(
        &mut self,
        tokens: &[(&str, usize)],
        mut at: usize,
        prefix: &mut Vec<String>,
        whole: (bool, usize),
    ) -> usize {
        let depth = prefix.len();
        let mut alias = None;
        let mut has_group = false;
        while let Some((token, _)) = tokens.get(at) {
            match *token {
                "{" => {
                    has_group = true;
                    at = self.read_use(tokens, at + 1, prefix, whole);
                }
                "," | ";" | "}" => {
                    if !has_group && prefix.len() > depth {
                        self.add_use(prefix, alias.take(), whole);
                    }
                    prefix.truncate(depth);
                    has_group = false;
                    if *token != "," {
                        return at + 1;
                    }
                    at += 1;
                }
                "as" => {
                    alias = tokens.get(at + 1).map(|name| name.0.to_owned());
                    at += 2;
                }
                "::" => at += 1,
                word => {
                    prefix.push(word.to_owned());
                    at += 1;
                }
            }
        }
        at
    }

    fn add_use(
        &mut self,
        path: &[String],
        alias: Option<String>,
        (is_public, line): (bool, usize),
    ) {
        let mut segments = path.to_vec();
        let is_glob = segments.last().is_some_and(|last| last == "*");
        // `{self, ..}` names the path before the braces.
        if is_glob || (segments.len() > 1 && segments.last().is_some_and(|last| last == "self")) {
            segments.pop();
        }
        let last = if is_glob { "*" } else { segments.last().map_or("", String::as_str) };
        let name = alias.unwrap_or_else(|| last.to_owned());
        self.uses.push(Use { segments, name, is_public, is_glob, line });
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Words, `::` and single characters, with their positions.
fn tokens(code: &str) -> Vec<(&str, usize)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(next) = code[at..].chars().next() {
        let rest = &code[at..];
        let length = if next.is_alphanumeric() || next == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            next.len_utf8()
        };
        if !next.is_whitespace() {
            tokens.push((&rest[..length], at));
        }
        at += length;
    }
    tokens
}

/// A package of planted files, for the tests of rules.
#[cfg(test)]
pub(crate) fn planted(files: &[(&str, &str)]) -> (Package, BTreeMap<String, Source>) {
    let sources: BTreeMap<_, _> =
        files.iter().map(|(path, text)| ((*path).to_owned(), Source::new(path, text))).collect();
    (Package::read(files[0].0, &sources), sources)
}

#[test]
fn paths_are_followed_to_the_file_that_defines_a_name() {
    let (package, _) = planted(&[
        ("src/lib.rs", "mod a;\nmod b;\nmod d;"),
        ("src/a.rs", "mod c;\npub use self::c::{C, Other as Name};\npub const A: u8 = 1;"),
        (
            "src/a/c.rs",
            "pub struct C;\npub struct Other;\n#[cfg(test)]\nmod tests { use crate::b; }",
        ),
        ("src/b.rs", "use crate::a::{self, C};\nfn b() { a::Name::new() }"),
        ("src/d.rs", "use super::{a::A, b::*};"),
    ]);
    let edges: Vec<_> = package.edges().into_iter().map(|edge| (edge.from, edge.to)).collect();
    let edge = |from: &str, to: &str| (format!("src/{from}.rs"), format!("src/{to}.rs"));
    assert_eq!(edges, [edge("b", "a/c"), edge("d", "a"), edge("d", "b")]);
}
