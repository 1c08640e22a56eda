//! Compares what the server answers with the documents for programs: every answer to [`ask`], `get` and `post` of
//! these tests with `openapi.json`, and the examples of the guide with `messages.schema.json`.
//!
//! [`ask`]: crate::accounts::ask

use std::sync::LazyLock;

use fivefold_shared::protocol_guide::GUIDE;
use serde_json::{Map, Value};

/// A document whose references lead to places in itself.
type Document = Value;

static OPENAPI: LazyLock<Document> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../docs/protocol/openapi.json")).unwrap()
});
static MESSAGES: LazyLock<Document> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../docs/protocol/messages.schema.json")).unwrap()
});

/// Fails if the answer to a request such as `GET /api/games?own=true` is not as the document says.
#[track_caller]
pub(crate) fn check(what: &str, answer: &str) {
    let (method, address) = what.split_once(' ').unwrap();
    let path = address.split('?').next().unwrap();
    let Some(operation) = operation(&method.to_lowercase(), path) else { return };
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap();
    let Some(response) = operation["responses"].get(status) else {
        panic!("{what}: the document has no status {status}: {body}");
    };
    let response = resolved(&OPENAPI, response);
    let kind = head.lines().find_map(|line| line.strip_prefix("content-type: "));
    let Some(kind) = kind else {
        let is_described = response["content"].is_object() && !body.is_empty();
        assert!(!is_described, "{what}: {status} has a body without a type");
        return;
    };
    let media = kind.split(';').next().unwrap();
    let Some(content) = response["content"].get(media) else {
        panic!("{what}: the document has no {media} for {status}: {body}");
    };
    if let (Some(schema), "application/json") = (content.get("schema"), media) {
        let body: Value = serde_json::from_str(body).unwrap();
        if let Err(fault) = fits(&OPENAPI, schema, &body) {
            panic!("{what}: {status} is not as the document says: {fault} in {body}");
        }
    }
}

/// The operation of a path. A path without parameters comes first.
fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let paths = OPENAPI["paths"].as_object().unwrap();
    let item = paths.get(path).or_else(|| {
        paths.iter().find_map(|(template, item)| is_like(template, path).then_some(item))
    });
    item?.get(method)
}

fn is_like(template: &str, path: &str) -> bool {
    let (templates, parts): (Vec<_>, Vec<_>) =
        (template.split('/').collect(), path.split('/').collect());
    templates.len() == parts.len()
        && templates.iter().zip(parts).all(|(template, part)| match template.split_once('{') {
            Some((before, rest)) => {
                let (_, after) = rest.split_once('}').unwrap();
                part.len() > before.len() + after.len()
                    && part.starts_with(before)
                    && part.ends_with(after)
            }
            None => *template == part,
        })
}

fn resolved<'d>(document: &'d Document, value: &'d Value) -> &'d Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

/// Whether a value fits a schema, as far as our schemas go: another keyword is a fault.
fn fits(document: &Document, schema: &Value, value: &Value) -> Result<(), String> {
    let schema = match schema {
        Value::Bool(true) => return Ok(()),
        Value::Object(schema) => schema,
        other => return Err(format!("{other} is no schema")),
    };
    for (keyword, rule) in schema {
        follows(document, schema, keyword, rule, value)?;
    }
    Ok(())
}

/// Whether a value follows one keyword of a schema.
fn follows(
    document: &Document,
    schema: &Map<String, Value>,
    keyword: &str,
    rule: &Value,
    value: &Value,
) -> Result<(), String> {
    let fit = |schema: &Value, value: &Value| fits(document, schema, value);
    let fault = || Err(format!("{value} is not {keyword} {rule}"));
    let number = |of: &Value| of.as_f64().unwrap_or_default();
    let is_right = match keyword {
        // What a reader needs, or what other tests check.
        "title" | "description" | "default" | "format" | "pattern" | "writeOnly" => true,
        "$ref" => return fit(resolved(document, &Value::Object(schema.clone())), value),
        "type" => match rule {
            Value::Array(types) => types.iter().any(|one| is_of(one, value)),
            one => is_of(one, value),
        },
        "const" => value == rule,
        "enum" => rule.as_array().unwrap().contains(value),
        "allOf" => return rule.as_array().unwrap().iter().try_for_each(|one| fit(one, value)),
        "anyOf" => rule.as_array().unwrap().iter().any(|one| fit(one, value).is_ok()),
        "oneOf" => {
            rule.as_array().unwrap().iter().filter(|one| fit(one, value).is_ok()).count() == 1
        }
        "required" => match value.as_object() {
            Some(fields) => rule
                .as_array()
                .unwrap()
                .iter()
                .all(|name| fields.contains_key(name.as_str().unwrap())),
            None => true,
        },
        "properties" => {
            for (name, schema) in rule.as_object().unwrap() {
                let Some(field) = value.get(name) else { continue };
                fit(schema, field).map_err(|fault| format!("{name}: {fault}"))?;
            }
            true
        }
        "additionalProperties" => {
            let none = Map::new();
            let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
            let fields = value.as_object().into_iter().flatten();
            for (name, field) in fields.filter(|(name, _)| !known.contains_key(*name)) {
                fit(rule, field).map_err(|fault| format!("{name}: {fault}"))?;
            }
            true
        }
        "prefixItems" => {
            let pairs = rule.as_array().unwrap().iter().zip(value.as_array().into_iter().flatten());
            for (schema, item) in pairs {
                fit(schema, item)?;
            }
            true
        }
        "items" => {
            let first = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
            for item in value.as_array().into_iter().flatten().skip(first) {
                fit(rule, item)?;
            }
            true
        }
        "minItems" | "minLength" => size(value).is_none_or(|size| size >= number(rule)),
        "maxItems" | "maxLength" => size(value).is_none_or(|size| size <= number(rule)),
        "minimum" => !value.is_number() || number(value) >= number(rule),
        "maximum" => !value.is_number() || number(value) <= number(rule),
        other => return Err(format!("a schema has {other}, which this test does not know")),
    };
    if is_right { Ok(()) } else { fault() }
}

/// How many items or characters a value has.
fn size(value: &Value) -> Option<f64> {
    match value {
        Value::Array(items) => Some(items.len() as f64),
        Value::String(text) => Some(text.chars().count() as f64),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn is_of(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type {other}"),
    }
}

#[test]
fn every_example_of_the_guide_fits_the_schema_of_the_messages() {
    let mut count = 0;
    for (before, rest) in GUIDE.match_indices("_says(r#\"").map(|(at, _)| GUIDE.split_at(at)) {
        let who = before.rsplit(|c: char| !c.is_ascii_lowercase()).next().unwrap();
        let (_, text) = rest.split_once("r#\"").unwrap();
        let (text, _) = text.split_once("\"#").unwrap();
        let name = match who {
            "client" => "Command",
            "server" => "Message",
            "list" => "GameList",
            "game" => "FinishedGame",
            "profile" => "Profile",
            "history" => "RatingHistory",
            "leaders" => "Leaders",
            "review" => "GameReview",
            "progress" => "ReviewProgress",
            "report" => "Report",
            "refusal" => "Refusal",
            "position" => "Judged",
            other => panic!("{other} says something: which type is it?"),
        };
        let value: Value = serde_json::from_str(text).unwrap();
        if let Err(fault) = fits(&MESSAGES, &MESSAGES["$defs"][name], &value) {
            panic!("{fault}: {text}");
        }
        count += 1;
    }
    assert!(count > 100, "the guide has {count} examples");
}

#[test]
fn what_does_not_fit_is_found() {
    let cases = [
        ("Command", r#"{"type": "ping"}"#),
        ("Command", r#"{"id": "1", "type": "hello"}"#),
        ("Command", r#"{"id": "1", "type": "say", "text": "Hi"}"#),
        ("Message", r#"{"type": "nonsense"}"#),
        ("Message", r#"{"type": "pong", "id": 1}"#),
        ("Rules", r#"{"variant": "draughts", "size": [15, 15]}"#),
        ("Point", "[1]"),
        ("Point", r#"[1, "2"]"#),
        ("Name", r#""""#),
    ];
    for (name, text) in cases {
        let value: Value = serde_json::from_str(text).unwrap();
        assert!(fits(&MESSAGES, &MESSAGES["$defs"][name], &value).is_err(), "{name} {text}");
    }
}
