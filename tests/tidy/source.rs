//! Reads the source tree as text and splits each file into code and prose (comments and strings).
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
    /// Comments and strings, or all of a Markdown file.
    pub(crate) prose: Vec<Prose>,
}

/// A line of a comment, or a string.
#[derive(Debug)]
pub(crate) struct Prose {
    /// The line in the file, from 1.
    pub(crate) line: usize,
    /// The text without its marks.
    pub(crate) text: String,
    /// Whether it continues the previous prose.
    pub(crate) continues: bool,
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
            Some("rs") => Lexer::new(text, Language::Rust).run(),
            Some("js" | "mjs" | "ts") => Lexer::new(text, Language::JavaScript).run(),
            Some("md") => (String::new(), markdown(text)),
            _ => (String::new(), hash_comments(text)),
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

/// Splits Markdown into prose, without code blocks.
fn markdown(text: &str) -> Vec<Prose> {
    let mut fenced = false;
    let mut prose = Vec::new();
    let mut continues = false;
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
            continues = false;
        } else if !fenced {
            let text = text.trim_start_matches([' ', '#', '-', '*', '>', '|']);
            prose.push(Prose { line, text: text.to_owned(), continues });
            continues = !text.is_empty() && !text.ends_with('|');
        }
    }
    prose
}

fn hash_comments(text: &str) -> Vec<Prose> {
    let lines = (1..).zip(text.lines());
    let comments =
        lines.filter_map(|(line, text)| Some((line, text.trim_start().strip_prefix('#')?)));
    let mut last = 0;
    comments
        .map(|(line, text)| {
            let continues = line == last + 1;
            last = line;
            Prose { line, text: text.trim().to_owned(), continues }
        })
        .collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Rust,
    JavaScript,
}

/// Splits code from prose.
struct Lexer<'a> {
    text: &'a str,
    language: Language,
    at: usize,
    line: usize,
    code: String,
    prose: Vec<Prose>,
    /// The last line of a line comment, to recognise a continuation.
    comment_line: usize,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, language: Language) -> Self {
        let code = String::with_capacity(text.len());
        Self { text, language, at: 0, line: 1, code, prose: Vec::new(), comment_line: 0 }
    }

    fn run(mut self) -> (String, Vec<Prose>) {
        while let Some(next) = self.rest().chars().next() {
            let rest = self.rest();
            if rest.starts_with("//") {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.comment(length);
            } else if rest.starts_with("/*") {
                let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
                self.comment(length);
            } else if let Some((open, length, close)) = self.string() {
                self.prose_string(open, length, close);
            } else if next == '/' && self.language == Language::JavaScript && self.before_regex() {
                self.blank(regex_length(rest));
            } else {
                self.code.push(next);
                self.at += next.len_utf8();
                self.line += usize::from(next == '\n');
            }
        }
        (self.code, self.prose)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Blanks this many bytes in the code, but keeps line breaks.
    fn blank(&mut self, length: usize) {
        let taken = &self.rest()[..length];
        self.code.push_str(&blanked(taken));
        self.at += length;
        self.line += taken.matches('\n').count();
    }

    fn comment(&mut self, length: usize) {
        let first = self.line;
        for (line, text) in (first..).zip(self.rest()[..length].lines()) {
            let text = text.trim().trim_start_matches(['/', '*', '!']).trim_end_matches(['*', '/']);
            let continues = self.comment_line + 1 == line;
            self.prose.push(Prose { line, text: text.trim().to_owned(), continues });
            self.comment_line = line;
        }
        self.blank(length);
    }

    /// The lengths of a string that begins here: its opening, its whole, its closing.
    fn string(&self) -> Option<(usize, usize, usize)> {
        let rest = self.rest();
        if self.language == Language::JavaScript {
            let quote = rest.chars().next().filter(|c| "'\"`".contains(*c))?;
            return Some((1, quoted_length(rest, quote), 1));
        }
        if rest.starts_with('"') {
            return Some((1, quoted_length(rest, '"'), 1));
        }
        let in_word = self.code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if !in_word && let Some(raw) = rest.trim_start_matches('b').strip_prefix('r') {
            let hashes = raw.len() - raw.trim_start_matches('#').len();
            if raw[hashes..].starts_with('"') {
                let open = rest.len() - raw.len() + hashes + 1;
                let close = format!("\"{}", "#".repeat(hashes));
                let end =
                    rest[open..].find(&close).map_or(rest.len(), |end| open + end + close.len());
                return Some((open, end, close.len()));
            }
        }
        // A character, not a lifetime.
        let after = rest.strip_prefix('\'')?;
        let is_character = after.starts_with('\\') || after.chars().nth(1) == Some('\'');
        is_character.then(|| (1, quoted_length(rest, '\''), 1))
    }

    fn prose_string(&mut self, open: usize, length: usize, close: usize) {
        let first = self.line;
        let inside = self.rest()[open..].get(..length.saturating_sub(open + close)).unwrap_or("");
        // A string without a space is a name, not prose.
        if inside.trim().contains(char::is_whitespace) {
            let lines = (first..).zip(inside.lines());
            let prose = lines.map(|(line, text)| Prose {
                line,
                text: text.trim().to_owned(),
                continues: line > first,
            });
            self.prose.extend(prose);
        }
        self.blank(length);
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
fn a_file_is_split_into_code_and_prose() {
    let text = "//! Head.\nfn a<'a>(c: char) { b('\"', \"two words\"); } // end\n\
                #[cfg(test)]\nmod tests { use crate::b::C; }\nconst R: &str = r#\"a \" b\"#;\n";
    let source = Source::new("x.rs", text);
    let prose: Vec<_> =
        source.prose.iter().map(|prose| (prose.line, prose.text.as_str())).collect();
    assert_eq!(prose, [(1, "Head."), (2, "two words"), (2, "end"), (5, "a \" b")]);
    assert!(source.code.contains("crate::b::C") && !source.shipped.contains("crate::b"));
    assert_eq!(source.shipped.lines().count(), text.lines().count());
    let script =
        Source::new("x.js", "// Head.\nconst a = b.split(/['\"]/), c = `one two`; d / e;\n");
    assert_eq!(script.prose.len(), 2, "{:?}", script.prose);
    assert!(script.code.contains("d / e"));
}
