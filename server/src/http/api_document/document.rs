//! Writes `docs/protocol/openapi.json`. The tests fail if it is out of date, if a route is missing in it, or
//! if it describes a path that the server does not have. This command updates it:
//! `UPDATE_PROTOCOL=1 cargo test -p fivefold-server --lib api_document`.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
};

use axum::Router;
use fivefold_shared::collection::BATCH_BYTES_MAX;
use serde_json::{Map, Value, json};
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApiBuilder, Paths,
    security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
};

use super::{
    MESSAGES, OPENAPI,
    operation::{Components, Guard, Operation},
    operations,
    registered::registered,
};
use crate::{
    http::{
        Routes, account, admin, analyse, challenges, collections, conditional_moves, embed, feeds,
        friends, games,
        moderation::{self, operators},
        monitor, notes, oembed, picture, players, position, pushes, puzzles, routes, time_off,
    },
    limits::{
        HTTP_BODY_MAX,
        accounts::{ACCOUNT_BODY_MAX, CONDITIONAL_MOVES_BODY_MAX},
    },
};

const UPDATE: &str = "UPDATE_PROTOCOL=1 cargo test -p fivefold-server --lib api_document";

/// Paths that the document leaves out, because no other program needs them.
const LEFT_OUT: [(&str, &[&str]); 3] = [
    (
        "they are the page, for people",
        &[
            "/",
            "/games",
            "/lobby",
            "/analyse",
            "/analysis",
            "/analyze",
            "/local",
            "/leaderboard",
            "/learn",
            "/player/{name}",
            "/oidc",
            "/puzzles",
            "/collections",
            "/collection/{id}",
            "/moderation",
            "/admin",
            "/tv",
            "/embed/r/{code}",
            "/embed/game/{id}",
            "/embed/position",
            "/embed/tv",
            "/r/{*sent}",
            "/R/{*sent}",
        ],
    ),
    ("they are files of the page", &["/web/{digest}/{*name}", "/service-worker.js"]),
    ("it is the socket: see messages.schema.json", &["/ws"]),
];

/// What holds for every operation.
fn about() -> String {
    let kib = |bytes: usize| bytes / 1024;
    format!(
        "Five in a row, for programs. Refusals have a `reason`, which does not change, and a `text` in English. \
         Each request costs some of the allowance of its address. Bodies have at most {} KiB; those of \
         `/api/position` and `/api/analyse` {} KiB, those of conditional moves {} KiB, those of games for collections \
         {} KiB. Times are in \
         milliseconds since the Unix epoch. Readers ignore fields that they do not know. The games themselves \
         are played on the WebSocket `/ws`: see `/api/messages.schema.json`.",
        kib(ACCOUNT_BODY_MAX),
        kib(HTTP_BODY_MAX),
        kib(CONDITIONAL_MOVES_BODY_MAX),
        kib(BATCH_BYTES_MAX),
    )
}

/// Every operation, by what stands before it and by subject.
fn sections() -> Vec<(Guard, &'static str, Vec<Operation>)> {
    let (open, questions, accounts) = (Guard::Open, Guard::Questions, Guard::Accounts);
    vec![
        (questions, "Games", games::operations()),
        (questions, "Positions", position::operations()),
        (questions, "Positions", analyse::operations()),
        (questions, "Players", players::operations()),
        (accounts, "Accounts", account::operations()),
        (accounts, "Friends", friends::operations()),
        (accounts, "Friends", challenges::operations()),
        (accounts, "Collections", collections::operations()),
        (accounts, "Daily games", conditional_moves::operations()),
        (accounts, "Daily games", notes::operations()),
        (accounts, "Daily games", time_off::operations()),
        (questions, "Daily games", feeds::operations()),
        (accounts, "Pushes", pushes::operations()),
        (accounts, "Puzzles", puzzles::operations()),
        (accounts, "Blocks and reports", moderation::operations()),
        (questions, "Pictures", picture::operations()),
        (questions, "Boards for other sites", embed::operations()),
        (questions, "Boards for other sites", oembed::operations()),
        (questions, "Documents", operations()),
        (accounts, "Operators", operators::operations()),
        (accounts, "Operators", admin::operations()),
        (open, "Health", monitor::operations()),
    ]
}

#[test]
fn the_document_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/protocol/openapi.json");
    let text = format!("{:#}\n", document());
    if env::var_os("UPDATE_PROTOCOL").is_some() {
        fs::write(&path, text).expect("the folder of the protocol can be written");
        return;
    }
    assert!(OPENAPI == text, "docs/protocol/openapi.json is out of date; run: {UPDATE}");
}

#[test]
fn every_route_is_in_the_document_or_left_out_on_purpose() {
    let Routes { open, questions, shared, boards, oembed, accounts, plans, batches, players } =
        routes();
    let all = [open, questions, shared, boards, oembed, accounts, plans, batches, players];
    let registered = registered(&all.into_iter().fold(Router::new(), |all, one| all.merge(one)));
    assert!(registered.len() > 90, "a router shows its routes in another form: {registered:?}");
    let left_out: BTreeSet<&str> = LEFT_OUT.iter().flat_map(|(_, paths)| *paths).copied().collect();
    let mut described = BTreeSet::new();
    for operation in sections().into_iter().flat_map(|(_, _, operations)| operations) {
        let key = (operation.method_name().to_owned(), operation.route.to_owned());
        assert!(described.insert(key), "{} is described twice", operation.id());
    }
    for (method, path) in &registered {
        let is_left_out = left_out.contains(path.as_str());
        let is_described = described.contains(&(method.clone(), path.clone()));
        assert!(is_described != is_left_out, "{method} {path}: describe it, or add it to LEFT_OUT");
    }
    for (method, path) in &described {
        assert!(
            registered.contains(&(method.clone(), path.clone())),
            "the server has no {method} {path}"
        );
    }
    for path in left_out {
        assert!(registered.iter().any(|(_, other)| other == path), "the server has no {path}");
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_id_is_used_once() {
    let document = document();
    let mut references = BTreeSet::new();
    find_references(&document, &mut references);
    for reference in &references {
        let place = reference.strip_prefix('#').expect("a reference within the document");
        assert!(document.pointer(place).is_some(), "{reference} leads nowhere");
    }
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    for name in schemas.keys() {
        let used = format!("#/components/schemas/{name}");
        assert!(references.contains(&used), "nothing refers to {name}");
    }
    let mut ids = BTreeSet::new();
    for operation in sections().into_iter().flat_map(|(_, _, operations)| operations) {
        assert!(ids.insert(operation.id()), "{} is the id of two operations", operation.id());
    }
}

fn document() -> Value {
    let mut components = Components::new();
    let mut paths = Paths::new();
    for (guard, tag, operations) in sections() {
        for operation in operations {
            let written = operation.write(tag, guard, &mut components);
            paths.add_path_operation(operation.path, vec![operation.method.clone()], written);
        }
    }
    let Components { taken, sent, refusals } = components;
    let refusals = refusals
        .into_iter()
        .fold(ComponentsBuilder::new(), |all, (name, refusal)| all.response(name, refusal));
    let license = LicenseBuilder::new().name("MIT OR Apache-2.0");
    let info = InfoBuilder::new()
        .title("Fivefold")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(about()))
        .license(Some(license.identifier(Some("MIT OR Apache-2.0")).build()));
    let document = OpenApiBuilder::new()
        .info(info)
        .paths(paths)
        .components(Some(secured(refusals).build()))
        .build();
    let mut document = serde_json::to_value(document).expect("a document is JSON");
    let schemas = schemas(&document, taken, sent);
    document["components"]["schemas"] = Value::Object(schemas);
    document
}

/// The ways to show who sends a request.
fn secured(components: ComponentsBuilder) -> ComponentsBuilder {
    let cookie = ApiKeyValue::with_description(
        "fivefold",
        "The session of an account. Over https its name is `__Host-fivefold`.",
    );
    let bearer = |description: &'static str| {
        HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(description))
    };
    let identity = bearer("The identity of a guest: 64 hexadecimal digits.").build();
    let token = bearer("A token of an account, within its scopes.").bearer_format("ff_…").build();
    components
        .security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)))
        .security_scheme("identity", SecurityScheme::Http(identity))
        .security_scheme("token", SecurityScheme::Http(token))
}

/// The schemas to which the document refers: those of the server's types, and those of the protocol.
fn schemas(
    document: &Value,
    mut taken: schemars::SchemaGenerator,
    mut sent: schemars::SchemaGenerator,
) -> Map<String, Value> {
    let protocol: Value = serde_json::from_str(MESSAGES).expect("a schema is JSON");
    let protocol = protocol["$defs"].as_object().expect("definitions");
    let mut own: BTreeMap<String, Value> = taken.take_definitions(true).into_iter().collect();
    for (name, schema) in sent.take_definitions(true) {
        let known = own.entry(name.clone()).or_insert_with(|| schema.clone());
        // What is sent may have a field that need not be there in what is taken.
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        if let Some(Value::Array(both)) = known.get_mut("required") {
            both.retain(|field| required.contains(field));
        }
    }
    let mut found = Map::new();
    let mut wanted = BTreeSet::new();
    find_references(document, &mut wanted);
    while let Some(reference) = wanted.pop_first() {
        let Some(name) = reference.strip_prefix("#/components/schemas/") else { continue };
        if found.contains_key(name) {
            continue;
        }
        let schema = match (own.get(name), protocol.get(name)) {
            (Some(schema), None) => schema.clone(),
            (None, Some(schema)) => moved(schema),
            (Some(_), Some(_)) => panic!("{name} is a type of the server and one of the protocol"),
            (None, None) => panic!("{name} is missing in docs/protocol/messages.schema.json"),
        };
        find_references(&schema, &mut wanted);
        found.insert(name.to_owned(), schema);
    }
    found.sort_keys();
    found
}

/// A schema of the protocol with references to where the document has them.
fn moved(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), moved_field(key, value))).collect()
        }
        Value::Array(items) => items.iter().map(moved).collect(),
        other => other.clone(),
    }
}

fn moved_field(key: &str, value: &Value) -> Value {
    match value.as_str().and_then(|text| text.strip_prefix("#/$defs/")) {
        Some(name) if key == "$ref" => json!(format!("#/components/schemas/{name}")),
        Some(_) | None => moved(value),
    }
}

fn find_references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                found.insert(reference.clone());
            }
            fields.values().for_each(|value| find_references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| find_references(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
