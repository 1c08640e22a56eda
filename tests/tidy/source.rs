//! Reads the source tree as text, and blanks comments and strings out.
//!
//! Not a parser of Rust or JavaScript: a lexer for comments, strings and `#[cfg(test)]` items is
//! enough for the rules.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Folders without our own sources.
const SKIPPED: [&str; 8] =
    ["target", "node_modules", "snapshots", "testdata", "seeds", "corpus", "artifacts", "pictures"];

/// A file with its path from the root of the repository.
#[derive(Debug)]
pub(crate) struct Source {
    /// Such as `shared/src/clock.rs`.
    pub(crate) path: String,
    /// The whole text.
    pub(crate) text: String,
    /// The text with comments and strings blanked out, line by line.
    pub(crate) code: String,
    /// The same without `#[cfg(test)]` items.
    pub(crate) shipped: String,
    /// The lines of a Markdown file outside of code blocks, with their numbers from 1.
    pub(crate) prose: Vec<(usize, String)>,
}

/// A violation of a rule.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Finding {
    /// The file.
    pub(crate) path: String,
    /// The line, from 1; 0 for the file as a whole.
    pub(crate) line: usize,
    /// The problem.
    pub(crate) text: String,
}

impl Finding {
    /// A finding in a line of a file.
    pub(crate) fn new(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, text: text.into() }
    }
}

impl Source {
    /// Splits a text.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let (code, prose) = match Path::new(path).extension().and_then(|end| end.to_str()) {
            Some("rs") => (Lexer::new(text, Language::Rust).run(), Vec::new()),
            Some("js" | "mjs" | "ts") => (Lexer::new(text, Language::JavaScript).run(), Vec::new()),
            Some("md") => (String::new(), markdown(text)),
            _ => (String::new(), Vec::new()),
        };
        let shipped = without_tests(&code);
        Self { path: path.to_owned(), text: text.to_owned(), code, shipped, prose }
    }

    /// Whether the path ends with `end`.
    pub(crate) fn ends(&self, end: &str) -> bool {
        self.path.ends_with(end)
    }

    /// The file's name without folder and extension.
    pub(crate) fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default()
    }
}

/// Every source of the repository by path.
pub(crate) fn tree() -> BTreeMap<String, Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("names are ASCII");
            let path = folder.join(&name);
            if entry.file_type().expect("a type").is_dir() {
                if !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if is_source(&name) {
                let text = fs::read_to_string(root.join(&path)).expect("UTF-8");
                let path = path.to_str().expect("names are ASCII").to_owned();
                sources.insert(path.clone(), Source::new(&path, &text));
            }
        }
    }
    sources
}

/// The names in a folder of the repository, without hidden ones.
pub(crate) fn entries(folder: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let names = fs::read_dir(path)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("names are ASCII"));
    names.filter(|name| !name.starts_with('.') && !SKIPPED.contains(&name.as_str())).collect()
}

/// Whether the repository has a file or folder at this path.
pub(crate) fn is_there(path: &str) -> bool {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path).exists()
}

fn is_source(name: &str) -> bool {
    let ends = [".rs", ".js", ".mjs", ".md", ".toml"];
    ends.iter().any(|end| name.ends_with(end)) || name.ends_with(".d.ts") || name == "run"
}

/// The number of the line of a byte, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|&byte| byte == b'\n').count() + 1
}

fn markdown(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut prose = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            prose.push((line, text.trim_start_matches([' ', '#', '-', '*', '>', '|']).to_owned()));
        }
    }
    prose
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Rust,
    JavaScript,
}

/// Blanks comments and strings out.
struct Lexer<'a> {
    text: &'a str,
    language: Language,
    at: usize,
    code: String,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, language: Language) -> Self {
        Self { text, language, at: 0, code: String::with_capacity(text.len()) }
    }

    fn run(mut self) -> String {
        while let Some(next) = self.rest().chars().next() {
            let rest = self.rest();
            if rest.starts_with("//") {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.blank(length);
            } else if rest.starts_with("/*") {
                let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
                self.blank(length);
            } else if let Some(length) = self.string() {
                self.blank(length);
            } else if next == '/' && self.language == Language::JavaScript && self.before_regex() {
                self.blank(regex_length(rest));
            } else {
                self.code.push(next);
                self.at += next.len_utf8();
            }
        }
        self.code
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Blanks this many bytes in the code, but keeps line breaks.
    fn blank(&mut self, length: usize) {
        let taken = &self.rest()[..length];
        self.code.push_str(&blanked(taken));
        self.at += length;
    }

    /// The length of a string that begins here.
    fn string(&self) -> Option<usize> {
        let rest = self.rest();
        if self.language == Language::JavaScript {
            let quote = rest.chars().next().filter(|c| "'\"`".contains(*c))?;
            return Some(quoted_length(rest, quote));
        }
        if rest.starts_with('"') {
            return Some(quoted_length(rest, '"'));
        }
        let in_word = self.code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if !in_word && let Some(raw) = rest.trim_start_matches('b').strip_prefix('r') {
            let hashes = raw.len() - raw.trim_start_matches('#').len();
            if raw[hashes..].starts_with('"') {
                let open = rest.len() - raw.len() + hashes + 1;
                let close = format!("\"{}", "#".repeat(hashes));
                let end = rest[open..].find(&close);
                return Some(end.map_or(rest.len(), |end| open + end + close.len()));
            }
        }
        // A character, not a lifetime.
        let after = rest.strip_prefix('\'')?;
        let is_character = after.starts_with('\\') || after.chars().nth(1) == Some('\'');
        is_character.then(|| quoted_length(rest, '\''))
    }

    /// Whether a slash here begins a regular expression and not a division.
    fn before_regex(&self) -> bool {
        let before = self.code.trim_end();
        before.is_empty()
            || before.ends_with(['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', '}', ';', '>'])
            || before.ends_with("return")
    }
}

/// Equally many lines of spaces, and as many bytes.
fn blanked(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

/// The length of a string with escapes, including its quotes.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

fn regex_length(text: &str) -> usize {
    let (mut escaped, mut in_class) = (false, false);
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Code with its `#[cfg(test)]` items blanked out.
fn without_tests(code: &str) -> String {
    let mut shipped = code.to_owned();
    let mut from = 0;
    while let Some(start) = shipped[from..].find("#[cfg(").map(|at| from + at) {
        let condition_end = shipped[start..].find(']').map_or(shipped.len(), |at| start + at + 1);
        let condition = &shipped[start..condition_end];
        let is_test =
            ["(test)", "(test,", " test,", " test)"].iter().any(|part| condition.contains(part));
        if !is_test || condition.contains("not(test") {
            from = condition_end;
            continue;
        }
        let end = item_end(&shipped, condition_end);
        let blank = blanked(&shipped[start..end]);
        shipped.replace_range(start..end, &blank);
        from = start + blank.len();
    }
    shipped
}

/// The end of the item that begins here: at its `;`, or with its last brace.
fn item_end(code: &str, from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code[from..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return from + at + 1;
                }
            }
            ';' if depth == 0 => return from + at + 1,
            _ => {}
        }
    }
    code.len()
}

#[test]
fn comments_and_strings_are_blanked_out() {
    let text = "//! Head.\nfn a<'a>(c: char) { b('\"', \"two words\"); } // end\n\
                #[cfg(test)]\nmod tests { use crate::b::C; }\nconst R: &str = r#\"a \" b\"#;\n";
    let source = Source::new("x.rs", text);
    assert!(
        !source.code.contains("Head")
            && !source.code.contains("two")
            && !source.code.contains("end")
    );
    assert!(source.code.contains("crate::b::C") && !source.shipped.contains("crate::b"));
    assert_eq!(source.shipped.lines().count(), text.lines().count());
    let script =
        Source::new("x.js", "// Head.\nconst a = b.split(/['\"]/), c = `one two`; d / e;\n");
    assert!(!script.code.contains("Head") && !script.code.contains("two"));
    assert!(script.code.contains("d / e"));
}
