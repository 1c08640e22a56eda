//! Writes the protocol's types as a JSON Schema (2020-12), for programs in other languages. It lists no
//! type by hand: `schemars` derives them, under `cfg(test)` only, from the types that the server sends and
//! takes. The description of the requests over HTTP refers to the same definitions.
//!
//! The test fails if the checked-in file is out of date. This command updates it:
//! `UPDATE_PROTOCOL=1 cargo test -p fivefold-shared --lib json_schema`.

use std::{env, fs, path::Path};

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    analysis::Report,
    collection::{
        CollectAnswer, Collection, CollectionList, CollectionPage, CollectionSettings,
        GamesToCollect,
    },
    conditional_moves::{ConditionalMoves, ConditionalMovesStatus, GameConditionalMoves},
    friends::FriendList,
    note::{NoteList, NoteText},
    profile::{Leaders, Profile, PuzzleHistory, PuzzleScore, RatingHistory},
    protocol::{
        ChallengesFrom, CommandId, GameSettings, Judged, LobbyRequest, Message, Refusal, RoomCode,
        RoomRequest, Scope, VERSION,
    },
    puzzle::PuzzleId,
    questions::{AnalysisQuestion, PositionQuestion},
    record::{FinishedGame, GameList},
    review::{GameReview, ReviewProgress},
    time_off_status::{TimeOffStatus, TimeOffWish},
};

const UPDATE: &str = "UPDATE_PROTOCOL=1 cargo test -p fivefold-shared --lib json_schema";

#[test]
fn the_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/protocol/messages.schema.json");
    let text = format!("{:#}\n", schema());
    if env::var_os("UPDATE_PROTOCOL").is_some() {
        write(&path, &text);
    }
    assert!(
        read(&path) == text,
        "docs/protocol/messages.schema.json is out of date; run: {UPDATE}"
    );
}

#[expect(clippy::disallowed_methods, reason = "a test may read the file that it checks")]
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "on request this test writes what it checks")]
fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("the folder of the protocol can be written");
}

/// The messages in both directions, and every type that crosses the wire.
fn schema() -> Value {
    let mut taken = Definitions::new(SchemaSettings::draft2020_12().for_deserialize());
    taken.add::<LobbyRequest>();
    taken.add::<RoomRequest>();
    taken.add::<CommandId>();
    taken.add::<RoomCode>();
    taken.add::<PositionQuestion>();
    taken.add::<AnalysisQuestion>();
    taken.add::<ConditionalMoves>();
    taken.add::<NoteText>();
    taken.add::<CollectionSettings>();
    taken.add::<GamesToCollect>();
    taken.add::<TimeOffWish>();
    taken.add::<GameSettings>();
    taken.add::<PuzzleId>();
    taken.add::<Scope>();
    let mut sent = Definitions::new(SchemaSettings::draft2020_12().for_serialize());
    sent.add::<Message>();
    sent.add::<Refusal>();
    sent.add::<FinishedGame>();
    sent.add::<GameList>();
    sent.add::<GameReview>();
    sent.add::<ReviewProgress>();
    sent.add::<Judged>();
    sent.add::<Report>();
    sent.add::<Profile>();
    sent.add::<PuzzleHistory>();
    sent.add::<PuzzleScore>();
    sent.add::<RatingHistory>();
    sent.add::<Leaders>();
    sent.add::<FriendList>();
    sent.add::<NoteList>();
    sent.add::<Collection>();
    sent.add::<CollectionList>();
    sent.add::<CollectionPage>();
    sent.add::<CollectAnswer>();
    sent.add::<ConditionalMovesStatus>();
    sent.add::<GameConditionalMoves>();
    sent.add::<TimeOffStatus>();
    sent.add::<ChallengesFrom>();
    let mut all = taken.all();
    for (name, definition) in sent.all() {
        let known = all.entry(name).or_insert_with(|| definition.clone());
        loosen(known, &definition);
    }
    all.insert("Command".to_owned(), command());
    for definition in all.values_mut() {
        tidy(definition);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The protocol of Fivefold",
        "description": format!(
            "One frame on the socket /ws, version {VERSION}: a Command from a client, or a Message from \
             the server. Readers ignore fields that they do not know."
        ),
        "anyOf": [{"$ref": "#/$defs/Command"}, {"$ref": "#/$defs/Message"}],
        "$defs": all,
    })
}

/// One message from a client. `Command::from_json` assembles it by hand, too.
fn command() -> Value {
    json!({
        "description": "One message from a client: a request and the id that its answer carries.",
        "type": "object",
        "properties": {"id": {"$ref": "#/$defs/CommandId"}},
        "required": ["id"],
        "anyOf": [
            {"$ref": "#/$defs/LobbyRequest"},
            {
                "properties": {"room": {"$ref": "#/$defs/RoomCode"}},
                "required": ["room"],
                "allOf": [{"$ref": "#/$defs/RoomRequest"}],
            },
        ],
    })
}

/// Definitions of types and of all types that they use, by name.
struct Definitions {
    generator: SchemaGenerator,
}

impl Definitions {
    fn new(settings: SchemaSettings) -> Self {
        Self { generator: settings.into_generator() }
    }

    fn add<T: JsonSchema>(&mut self) {
        self.generator.subschema_for::<T>();
    }

    fn all(mut self) -> Map<String, Value> {
        self.generator.take_definitions(true)
    }
}

/// What is sent may have a field that need not be there in what is taken. A type that goes both ways has one
/// definition: only what both need is required.
fn loosen(known: &mut Value, other: &Value) {
    match (known, other) {
        (Value::Object(known), Value::Object(other)) => {
            if let Some(Value::Array(required)) = known.get_mut("required") {
                let needed = other.get("required").and_then(Value::as_array);
                required.retain(|name| needed.is_some_and(|needed| needed.contains(name)));
            }
            for (key, value) in known.iter_mut().filter(|(key, _)| *key != "required") {
                let other = other.get(key).unwrap_or_else(|| panic!("{key} is taken only"));
                loosen(value, other);
            }
        }
        (Value::Array(known), Value::Array(other)) => {
            assert_eq!(known.len(), other.len(), "{known:?} is taken, {other:?} is sent");
            known.iter_mut().zip(other).for_each(|(known, other)| loosen(known, other));
        }
        (known, other) => assert_eq!(known, other, "one is taken, the other is sent"),
    }
}

/// Comments of the code become descriptions: their first paragraph, without links.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // Where a default follows from the rest.
            if fields.get("default").is_some_and(Value::is_null) {
                fields.remove("default");
            }
            if let Some(Value::String(text)) = fields.get_mut("description") {
                let first = text.split("\n\n").next().unwrap_or_default();
                *text = without_links(&first.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            fields.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Links such as ``[`Name`]`` or ``[`Name`](path)`` as plain text, and reasons as on the wire.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, linked)) = rest.split_once("[`") {
        plain.push_str(before);
        let Some((name, after)) = linked.split_once("`]") else {
            plain.push_str("[`");
            rest = linked;
            continue;
        };
        match name.strip_prefix("Reason::") {
            Some(reason) => plain.push_str(&format!("`{}`", code(reason))),
            None => plain.push_str(&format!("`{name}`")),
        }
        let target = after.strip_prefix('(').and_then(|target| target.split_once(')'));
        rest = target.map_or(after, |(_, after)| after);
    }
    plain + rest
}

/// The word on the wire for a variant such as `StalePly`.
fn code(variant: &str) -> String {
    let mut code = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !code.is_empty() {
            code.push('_');
        }
        code.extend(letter.to_lowercase());
    }
    code
}

#[test]
fn links_become_plain_text() {
    let cases = [
        ("as in [`Name`], or [`Name::new`](crate::Name::new).", "as in `Name`, or `Name::new`."),
        ("[`Reason::StalePly`]: the ply", "`stale_ply`: the ply"),
        ("[x, y]", "[x, y]"),
        ("an open [`end", "an open [`end"),
    ];
    for (text, expected) in cases {
        assert_eq!(without_links(text), expected);
    }
}
