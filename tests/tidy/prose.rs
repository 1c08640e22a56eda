//! Rules for words: plain English in comments, documents and texts; the field's words for names.

use crate::source::{Finding, Prose, Source, line_of};

/// Forbidden beginnings of sentences.
const OPENERS: [&str; 6] = ["whoever", "what is", "that no", "by which", "of which", "as what"];

/// Forbidden phrases.
const PHRASES: [&str; 11] = [
    "told",
    "said",
    "heard",
    "anew",
    "meanwhile",
    "called off",
    "is seen to",
    "he",
    "his",
    "him",
    "himself",
];

/// Allowed uses of a phrase: the end of the path, the phrase, the reason.
const PHRASES_ALLOWED: [(&str, &str, &str); 3] = [
    ("tests/tidy/prose.rs", "", "the lists themselves"),
    ("CHANGELOG.md", "", "says what was renamed"),
    ("server/web/protocol.d.ts", "", "generated; the Rust types are checked"),
];

/// Forbidden home-made names, with the field's word.
const NAMES: [(&str, &str); 20] = [
    ("Letter", "Envelope"),
    ("Surroundings", "RoomContext"),
    ("surroundings", "context"),
    ("Happening", "Wakeup"),
    ("showman", "demo"),
    ("Showman", "Demo"),
    ("luck", "RoomSeeds"),
    ("Luck", "RoomSeeds"),
    ("Greeted", "Authenticated"),
    ("upkeep", "retention"),
    ("go_back", "rollback"),
    ("live_on", "recover"),
    ("drop_held", "commit gate"),
    ("fours_ahead", "vcf"),
    ("Studying", "analysis"),
    ("overlooks", "blunder rate"),
    ("careless", "blunder rate"),
    ("shelves", "ReadPool"),
    ("strength", "level"),
    ("STRENGTH_MAX", "LEVEL_MAX"),
];

/// Words allowed for a local variable, but not for a type, a function or a module.
const DEFINED_NAMES: [(&str, &str); 23] = [
    ("Held", "pending effect"),
    ("Told", "BotReply"),
    ("Thought", "BotReply"),
    ("thought", "analysis"),
    ("study", "analysis"),
    ("Found", "analysis"),
    ("read_back", "reload, recover"),
    ("door", "membership"),
    ("Wish", "assist"),
    ("End", "CloseReason"),
    ("No", "CommandError, Refusal"),
    ("Library", "Storage"),
    ("Archive", "Storage"),
    ("Known", "transposition entry"),
    ("Said", "accumulator"),
    ("Traits", "features"),
    ("Part", "delta"),
    ("Share", "delta"),
    ("Kept", "VCF, VCT"),
    ("Meaning", "action"),
    ("Finish", "ExitReason"),
    ("Parting", "ExitReason"),
    ("Left", "ExitReason"),
];

/// File names that mean too little.
const FILE_NAMES: [(&str, &str); 10] = [
    ("chance", "ids"),
    ("answered", "dedup"),
    ("help", "assist"),
    ("who", "identity"),
    ("members", "identities"),
    ("rates", "address_limits"),
    ("bucket", "token_bucket"),
    ("admission", "connection_limit"),
    ("show", "demo"),
    ("forget", "retention"),
];

/// Allowed uses of a name: the end of the path, the name, the reason.
const NAMES_ALLOWED: [(&str, &str, &str); 4] = [
    ("tests/tidy/prose.rs", "", "the lists themselves"),
    ("server/web/board/board-marks.js", "strength", "how dark a mark is"),
    ("server/web/board/heat-map.js", "strength", "how dark a mark is"),
    ("tests/page/heat-map.test.mjs", "strength", "how dark a mark is"),
];

/// Finds forbidden phrases.
pub(crate) fn phrases(source: &Source) -> Vec<Finding> {
    if allowed(&PHRASES_ALLOWED, source, "") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut ended = true;
    for prose in &source.prose {
        let text = without_code(&prose.text).to_lowercase();
        let starts = !prose.continues || ended;
        ended = text.trim_end().ends_with(['.', ':', '!', '?']) || text.trim().is_empty();
        let opener = OPENERS.iter().filter(|opener| opens(&text, opener, starts));
        let phrase = PHRASES.iter().filter(|phrase| holds(&text, phrase));
        for phrase in opener.chain(phrase) {
            if !allowed(&PHRASES_ALLOWED, source, phrase) {
                findings.push(finding(source, prose, phrase));
            }
        }
    }
    findings
}

fn finding(source: &Source, prose: &Prose, phrase: &str) -> Finding {
    Finding::new(&source.path, prose.line, format!("`{phrase}` in: {}", prose.text))
}

fn allowed(list: &[(&str, &str, &str)], source: &Source, what: &str) -> bool {
    list.iter().any(|(end, allowed, _)| source.ends(end) && *allowed == what)
}

/// A text without its parts in backticks.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("_")
}

/// Whether a sentence of the text begins with `opener`. Questions may.
fn opens(text: &str, opener: &str, starts: bool) -> bool {
    words_at(text, opener).any(|at| {
        let before = text[..at].trim_end();
        let begins = if before.is_empty() { starts } else { before.ends_with(['.', '!', '?']) };
        begins && !text[at..].contains('?')
    })
}

fn holds(text: &str, phrase: &str) -> bool {
    words_at(text, phrase).next().is_some()
}

/// The positions of words in a text, as whole words.
fn words_at(text: &str, words: &str) -> impl Iterator<Item = usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(words).map(|(at, _)| at).filter(move |&at| {
        !text[..at].ends_with(is_word) && !text[at + words.len()..].starts_with(is_word)
    })
}

/// Finds home-made words in names of types, functions, fields and files.
pub(crate) fn names(source: &Source) -> Vec<Finding> {
    if allowed(&NAMES_ALLOWED, source, "") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut add = |line, name: &str, word: &str| {
        if !allowed(&NAMES_ALLOWED, source, name) {
            findings.push(Finding::new(&source.path, line, format!("`{name}`: say {word}")));
        }
    };
    for (name, word) in NAMES.iter().chain(&DEFINED_NAMES).chain(&FILE_NAMES) {
        if source.stem() == *name {
            add(0, name, word);
        }
    }
    for (name, word) in NAMES {
        for at in words_at(&source.code, name) {
            add(line_of(&source.code, at), name, word);
        }
    }
    for (name, word) in DEFINED_NAMES {
        for at in words_at(&source.code, name) {
            if is_defined(&source.code[..at]) {
                add(line_of(&source.code, at), name, word);
            }
        }
    }
    findings
}

/// Whether the keyword of a definition precedes a name.
fn is_defined(before: &str) -> bool {
    let keywords =
        ["struct", "enum", "trait", "type", "mod", "fn", "const", "static", "function", "class"];
    let last = before.split_whitespace().next_back().unwrap_or_default();
    before.ends_with(' ') && keywords.contains(&last)
}

#[test]
fn a_banned_phrase_is_found() {
    let planted = [
        ("x.rs", "/// Whoever makes a room enters it.\nfn a() {}", 1),
        ("x.rs", "// The room.\n// Of which one is left.\n", 1),
        ("x.rs", "fn a() { log(\"the player is told so\"); }", 1),
        ("x.js", "// One line,\n// and he waits for his turn.\n", 2),
        ("x.md", "# Title\n\nIt is called off. As what it counts.\n", 2),
        ("run", "# What is installed.\nx\n", 1),
    ];
    for (path, text, expected) in planted {
        let found = phrases(&Source::new(path, text));
        assert_eq!(found.len(), expected, "{text}: {found:?}");
    }
    let fine = [
        ("x.rs", "// The message `said`, one of\n// which is for all. This, there, behold.\n"),
        ("x.rs", "const TYPE: &str = \"said\";"),
        ("x.md", "What is a room?\n\n```\nhe said\n```\n"),
    ];
    for (path, text) in fine {
        assert_eq!(phrases(&Source::new(path, text)), [], "{text}");
    }
}

#[test]
fn a_home_made_name_is_found() {
    let planted = [
        ("server/src/door.rs", "//! Joining.\n"),
        ("x.rs", "pub(crate) struct Held(u8);"),
        ("x.rs", "fn a(letter: Letter) {}"),
        ("x.js", "function door() {}"),
    ];
    for (path, text) in planted {
        let found = names(&Source::new(path, text));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
    }
    assert_eq!(names(&Source::new("x.rs", "let held = Held; // Luck\n")), []);
}
