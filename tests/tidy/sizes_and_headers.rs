//! Rules for files: the greatest length, and a first line with the file's purpose.

use crate::source::{Finding, Source};

/// Most lines of a file.
const LINES_MAX: usize = 800;

/// Files that may be longer, with the reason.
const LONG: [(&str, &str); 0] = [];

/// Files with another first line, with the reason.
const BARE: [(&str, &str); 1] = [("shared/src/protocol_guide.rs", "its text is docs/protocol")];

/// The lengths of the files.
#[derive(Debug)]
pub(crate) struct Sizes {
    /// The median length in lines.
    pub(crate) median: usize,
    /// The longest files, the longest first.
    pub(crate) largest: Vec<(usize, String)>,
}

/// Whether a file is code, to which these rules apply.
fn is_code(source: &Source) -> bool {
    source.ends(".rs") || is_script(source)
}

fn is_script(source: &Source) -> bool {
    source.ends(".js") || source.ends(".mjs")
}

/// Finds files that are too long.
pub(crate) fn size(source: &Source) -> Vec<Finding> {
    let lines = source.text.lines().count();
    let allowed = LONG.iter().any(|(path, _)| source.path == *path);
    if lines <= LINES_MAX || allowed || !is_code(source) {
        return Vec::new();
    }
    vec![Finding::new(&source.path, 0, format!("{lines} lines, at most {LINES_MAX}"))]
}

/// Finds files whose first line does not state their purpose.
pub(crate) fn header(source: &Source) -> Vec<Finding> {
    let mark = if source.ends(".rs") { "//!" } else { "//" };
    // An executable script may begin with its interpreter.
    let mut lines = source.text.lines().skip_while(|line| line.starts_with("#!/"));
    let header = lines.next().and_then(|line| line.strip_prefix(mark)).map(str::trim);
    let says = header.is_some_and(|text| text.contains(' '));
    let allowed = BARE.iter().any(|(path, _)| source.path == *path);
    if says || allowed || !is_code(source) {
        return Vec::new();
    }
    vec![Finding::new(&source.path, 1, format!("does not begin with `{mark}` and what it is for"))]
}

/// The lengths of the files of a language.
pub(crate) fn sizes<'a>(sources: impl Iterator<Item = &'a Source>) -> Sizes {
    let mut sizes: Vec<_> = sources
        .filter(|source| is_code(source))
        .map(|source| (source.text.lines().count(), source.path.clone()))
        .collect();
    sizes.sort_by(|one, other| other.cmp(one));
    let median = sizes.get(sizes.len() / 2).map_or(0, |(lines, _)| *lines);
    sizes.truncate(5);
    Sizes { median, largest: sizes }
}

#[test]
fn a_long_file_is_found() {
    let long = |path| Source::new(path, &"//! A file.\n".repeat(LINES_MAX + 1));
    assert_eq!(size(&long("x.rs")).len(), 1);
    assert_eq!(size(&long("x.js")).len(), 1);
    assert_eq!(size(&long("x.md")), []);
    assert_eq!(size(&Source::new("x.rs", &"//! A file.\n".repeat(LINES_MAX))), []);
    let sizes = sizes([long("x.rs"), Source::new("y.rs", "//! A file.\n")].iter());
    assert_eq!((sizes.median, sizes.largest[0].0), (1, LINES_MAX + 1));
}

#[test]
fn a_missing_header_is_found() {
    for (path, text, expected) in [
        ("x.rs", "use a;\n", 1),
        ("x.rs", "// Not for the index.\n", 1),
        ("x.rs", "//! Clocks of both players.\n", 0),
        ("x.js", "import a from './a.js';\n", 1),
        ("x.js", "// Draws the board.\n", 0),
        ("x.mjs", "#!/usr/bin/env node\n// Draws the board.\n", 0),
        ("x.md", "Text\n", 0),
    ] {
        assert_eq!(header(&Source::new(path, text)).len(), expected, "{path}: {text}");
    }
}
