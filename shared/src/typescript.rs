//! Writes the protocol's types and limits in TypeScript, for the page. It lists no type by hand:
//! `ts-rs` derives them, under `cfg(test)` only, from the types that the server sends.
//!
//! The test fails if the checked-in files are out of date. This command updates them:
//! `UPDATE_PROTOCOL=1 cargo test -p fivefold-shared --lib typescript`.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};

use ts_rs::{Config, TS, TypeVisitor};

use crate::{
    analysis::Report,
    bot_spec::{BotKind, BotSpec, LEVEL_MAX},
    clock::{TimeControl, millis},
    profile::{Leaders, Profile, PuzzleHistory, RatingHistory},
    protocol::{
        ANALYSIS_LINES_MAX, CHAT_LINES_MAX, CHAT_TEXT_MAX, COMMAND_ID_MAX, GAME_ID_LENGTH,
        IDENTITY_LENGTH, Judged, LobbyRequest, Message, NAME_MAX, ROOM_CODE_ALPHABET,
        ROOM_CODE_LENGTH, ROOMS_MAX, RoomRequest, SPECTATOR_NAMES_MAX, VERSION, WEIGHTS_MAX, close,
    },
    record::{FinishedGame, GameList, GameSummary},
    review::{GameReview, ReviewProgress},
    room::RoomLimits,
    rules::{K_MAX, K_MIN, Outcome, SIDE_MAX, SIDE_MIN, Stone},
};

const UPDATE: &str = "UPDATE_PROTOCOL=1 cargo test -p fivefold-shared --lib typescript";

const HEAD: &str = "// The protocol's types and limits, as docs/protocol describes them.\n\
                    // Generated from the Rust types by shared/src/typescript.rs; do not edit.\n\n";

/// Lets the page read `outcome.winner` without checking the kind of outcome first.
const ANY_FIELD: &str = "type KeysOfAny<Union> = Union extends unknown ? keyof Union : never;\n\
                         /** Variants in which the fields of the others are absent, not unknown. */\n\
                         type AnyField<Union, Keys extends PropertyKey = KeysOfAny<Union>> =\n  \
                         Union extends unknown ? Union & { [Key in Exclude<Keys, keyof Union>]?: \
                         undefined } : never;\n\n";

/// Commands are also assembled by hand in Rust: see `Command::from_json`.
const COMMAND: &str = "/** One message from a client: a request and the id that its answer \
                       carries. */\nexport type Command = { id: CommandId } & (LobbyRequest | \
                       ({ room: RoomCode } & RoomRequest));\n\n";

#[test]
fn the_types_of_the_page_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/web/client");
    for (name, text) in [("protocol.d.ts", declarations()), ("protocol.js", constants())] {
        let path = folder.join(name);
        if env::var_os("UPDATE_PROTOCOL").is_some() {
            write(&path, &text);
        }
        assert!(read(&path) == text, "server/web/client/{name} is out of date; run: {UPDATE}");
    }
}

#[expect(clippy::disallowed_methods, reason = "a test may read the files that it checks")]
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "on request this test writes what it checks")]
fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("the page's folder can be written");
}

/// Every type that crosses the wire, sorted by name.
fn declarations() -> String {
    let mut types =
        Types { config: Config::new().with_large_int("number"), found: BTreeMap::new() };
    types.visit::<LobbyRequest>();
    types.visit::<RoomRequest>();
    types.visit::<Message>();
    types.visit::<FinishedGame>();
    types.visit::<GameList>();
    types.visit::<GameReview>();
    types.visit::<ReviewProgress>();
    types.visit::<Judged>();
    types.visit::<Report>();
    types.visit::<GameSummary>();
    types.visit::<TimeControl>();
    types.visit::<Profile>();
    types.visit::<PuzzleHistory>();
    types.visit::<RatingHistory>();
    types.visit::<Leaders>();
    let mut text = format!("{HEAD}{ANY_FIELD}{COMMAND}");
    text.extend(types.found.into_values());
    for (name, doc, value) in limits() {
        writeln!(text, "/** {doc} */\nexport declare const {name}: {};", type_of(&value))
            .expect("a string takes everything");
    }
    text
}

/// The limits as a module, so that the page need not repeat them.
fn constants() -> String {
    let mut text = HEAD.to_owned();
    for (name, doc, value) in limits() {
        writeln!(text, "/** {doc} */\nexport const {name} = {value};")
            .expect("a string takes everything");
    }
    text
}

/// Name, meaning and value of each constant that a client needs.
fn limits() -> Vec<(&'static str, &'static str, String)> {
    let alphabet = str::from_utf8(ROOM_CODE_ALPHABET).expect("it is ASCII");
    let for_good: Vec<_> = (1000..5000).filter(|&code| !close::come_back(code)).collect();
    vec![
        ("PROTOCOL_VERSION", "The version of the protocol.", VERSION.to_string()),
        ("COMMAND_ID_MAX", "Longest id of a command, in characters.", COMMAND_ID_MAX.to_string()),
        ("NAME_MAX", "Longest name, in characters.", NAME_MAX.to_string()),
        ("IDENTITY_LENGTH", "Digits of an identity.", IDENTITY_LENGTH.to_string()),
        ("ROOM_CODE_LENGTH", "Characters of a room's code.", ROOM_CODE_LENGTH.to_string()),
        ("GAME_ID_LENGTH", "Characters of a game's id.", GAME_ID_LENGTH.to_string()),
        ("ROOM_CODE_ALPHABET", "What codes and ids of games consist of.", format!("'{alphabet}'")),
        ("CHAT_TEXT_MAX", "Longest line of chat, in characters.", CHAT_TEXT_MAX.to_string()),
        ("CHAT_LINES_MAX", "Most lines of a channel in `chat`.", CHAT_LINES_MAX.to_string()),
        ("ROOMS_MAX", "Most rooms in a list.", ROOMS_MAX.to_string()),
        ("SPECTATOR_NAMES_MAX", "Most names of spectators.", SPECTATOR_NAMES_MAX.to_string()),
        ("WEIGHTS_MAX", "Most candidates in `weights`.", WEIGHTS_MAX.to_string()),
        ("ANALYSIS_LINES_MAX", "Most lines of an analysis.", ANALYSIS_LINES_MAX.to_string()),
        (
            "NUDGE_AFTER_MS",
            "How long an opponent has had their turn before `nudge` is accepted.",
            millis(RoomLimits::DEFAULT.nudge_after).to_string(),
        ),
        ("LEVEL_MAX", "The engine's highest level.", LEVEL_MAX.to_string()),
        ("LEVEL_RATINGS", "The ratings of the engine's levels, the lowest first.", level_ratings()),
        ("SIDE_MIN", "Shortest side of a board.", SIDE_MIN.to_string()),
        ("SIDE_MAX", "Longest side of a board.", SIDE_MAX.to_string()),
        ("K_MIN", "Fewest stones in a row that win in mnk.", K_MIN.to_string()),
        ("K_MAX", "Most stones in a row that win in mnk.", K_MAX.to_string()),
        ("CLOSE_POLICY", "Too many commands: reconnect, but slower.", close::POLICY.to_string()),
        (
            "CLOSE_IDENTITY_REPLACED",
            "The session's identity was replaced.",
            close::IDENTITY_REPLACED.to_string(),
        ),
        (
            "CLOSE_FOR_GOOD",
            "After these codes a client does not reconnect.",
            format!("{for_good:?}"),
        ),
    ]
}

fn level_ratings() -> String {
    let rating = |level| BotSpec { kind: BotKind::Engine, level: Some(level) }.rating();
    let ratings: Vec<_> = (1..=LEVEL_MAX).filter_map(rating).collect();
    format!("{ratings:?}")
}

fn type_of(value: &str) -> &'static str {
    match value.as_bytes()[0] {
        b'\'' => "string",
        b'[' => "readonly number[]",
        _ => "number",
    }
}

/// Declarations of types and of all types that they use, by name.
struct Types {
    config: Config,
    found: BTreeMap<String, String>,
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        let name = T::ident(&self.config);
        if T::output_path().is_none() || self.found.contains_key(&name) {
            return;
        }
        let mut declaration = T::decl(&self.config);
        if name == Outcome::<Stone>::ident(&self.config) {
            let open = declaration.replacen("> = ", "> = AnyField<", 1);
            declaration = format!("{}>;", open.trim_end_matches(';'));
        }
        let raw = format!("{}export {declaration}\n", T::docs().unwrap_or_default());
        self.found.insert(name, pretty(&raw));
        T::visit_dependencies(self);
    }
}

/// Lays out a declaration: comments on one line, a field or a variant on each.
fn pretty(raw: &str) -> String {
    let raw = never_null(raw).replace("} | {", "}\n| {").replace("} & ({", "} &\n({");
    let mut text = String::new();
    let mut comment: Option<String> = None;
    for line in raw.lines().map(str::trim) {
        let indent = if line.starts_with("export ") || text.is_empty() { "" } else { "  " };
        match (&mut comment, line) {
            (None, "/**") => comment = Some(String::new()),
            (Some(doc), "*/") => {
                let indent = if text.is_empty() { "" } else { "    " };
                writeln!(text, "{indent}/**{} */", plain(doc)).expect("a string takes everything");
                comment = None;
            }
            // The rest of the comment, after an empty line, is for readers of the Rust code.
            (Some(doc), "*") if !doc.ends_with('\n') => doc.push('\n'),
            (Some(doc), line) if !doc.ends_with('\n') => {
                doc.push(' ');
                doc.push_str(line.trim_start_matches('*').trim());
            }
            (Some(_), _) => {}
            (None, line) => {
                let indent =
                    if indent.is_empty() || line.starts_with(['|', '(']) { indent } else { "    " };
                writeln!(text, "{indent}{line}").expect("a string takes everything");
            }
        }
    }
    text.push('\n');
    text
}

/// Makes optional fields absent, never null, as on the wire.
fn never_null(raw: &str) -> String {
    let mut fields = raw.split("?: ");
    let first = fields.next().unwrap_or_default().to_owned();
    fields.fold(first, |mut text, field| {
        let (kind, rest) = field.split_at(field.find(',').unwrap_or(field.len()));
        text.push_str("?: ");
        text.push_str(kind.trim_end_matches(" | null"));
        text.push_str(rest);
        text
    })
}

/// A doc comment without the links of rustdoc.
fn plain(doc: &str) -> String {
    let mut text = String::new();
    let mut parts = doc.split("](");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.push_str(part.split_once(')').map_or("", |(_, rest)| rest));
    }
    text.replace("[`", "`").replace("`]", "`").trim_end().replace("*/", "")
}
