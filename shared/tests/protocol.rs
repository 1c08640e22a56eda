//! Tests of the wire protocol: what is read, what is refused and why, and that the guide shows
//! every message. The guide's own examples are doctests.

use fivefold_shared::{
    protocol::{
        ANSWERED_MEMBERS_MAX, ANSWERS_MAX, COMMAND_ID_MAX, Command, LobbyRequest, Message, Reason,
        Refusal, Request, RoomRequest,
    },
    protocol_guide::GUIDE,
    rules::{Point, Rules, Size, Variant},
};
use strum::VariantNames;

fn refused(json: &str) -> (Option<String>, Refusal) {
    let (id, refusal) = Command::from_json(json).expect_err("must be refused");
    (id.map(|id| id.to_string()), refusal)
}

/// A refused text, the id that could still be read, the reason and a part of the sentence.
fn check_refused(json: &str, id: Option<&str>, reason: Reason, text: &str) {
    let (found, refusal) = refused(json);
    assert_eq!(found.as_deref(), id, "{json}");
    assert_eq!(refusal.reason, reason, "{json}: {}", refusal.text);
    assert!(refusal.text.contains(text), "{json}: {}", refusal.text);
}

#[test]
fn what_is_not_a_command_is_refused_with_what_is_wrong() {
    let malformed = Reason::Malformed;
    let id = Some("7");
    check_refused("", None, malformed, "JSON object");
    check_refused("ping", None, malformed, "JSON object");
    check_refused(r#"["1","ping",null]"#, None, malformed, "JSON object");
    check_refused("{", None, malformed, "EOF");
    check_refused(r#"{"id":"7"}"#, id, malformed, "missing field `type`");
    check_refused(r#"{"type":"ping"}"#, None, malformed, "needs an id");
    check_refused(r#"{"type":"ping","id":7}"#, None, malformed, "expected a string");
    check_refused(r#"{"type":"ping","id":""}"#, None, malformed, "1 to 40 printable");
    check_refused(r#"{"type":"ping","id":"a b"}"#, None, malformed, "1 to 40 printable");
    check_refused(r#"{"type":"fly","id":"7"}"#, id, Reason::UnknownCommand, "no such command");
    check_refused(r#"{"type":"resign","id":"7"}"#, id, malformed, "resign needs a room");
    check_refused(r#"{"type":"resign","id":"7","room":"abc"}"#, id, malformed, "12 of the");
    check_refused(r#"{"type":"hello","id":"7"}"#, id, malformed, "missing field `protocol`");
    let play = r#"{"type":"play","id":"7","room":"k7m2qpxw9abc","#;
    check_refused(&format!(r#"{play}"ply":0}}"#), id, malformed, "missing field `point`");
    check_refused(&format!(r#"{play}"ply":-1,"point":[0,0]}}"#), id, malformed, "-1");
    check_refused(&format!(r#"{play}"ply":0,"point":[0]}}"#), id, malformed, "length 1");
    check_refused(&format!(r#"{play}"ply":0,"point":[0,2147483648]}}"#), id, malformed, "i32");
    let identity = r#"{"type":"hello","id":"7","protocol":1,"identity":"abc"}"#;
    check_refused(identity, id, malformed, "64 hexadecimal");
}

#[test]
fn commands_are_nested_as_deep_as_the_json_library_reads() {
    let deep = |head: &str, levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(r#"{{{head},"id":"7","x":{open}{close}}}"#)
    };
    let play = r#""type":"play","room":"k7m2qpxw9abc","ply":0,"point":[0,0]"#;
    let create = r#""type":"create","rules":{"variant":"renju"}"#;
    // The command itself is the first level.
    for head in [r#""type":"ping""#, play, create] {
        Command::from_json(&deep(head, 126)).expect("127 levels");
        check_refused(&deep(head, 127), Some("7"), Reason::Malformed, "recursion limit");
        check_refused(&deep(head, 2_000), Some("7"), Reason::Malformed, "recursion limit");
    }
}

#[test]
fn every_name_of_a_command_is_read_as_one() {
    for name in LobbyRequest::VARIANTS.iter().chain(RoomRequest::VARIANTS) {
        let json = format!(r#"{{"type":"{name}","id":"7","room":"k7m2qpxw9abc"}}"#);
        match Command::from_json(&json) {
            Ok(command) => assert_eq!(command.request.kind(), *name),
            Err((_, refusal)) => {
                let is_incomplete = ["missing field", "no variant of enum"]
                    .iter()
                    .any(|problem| refusal.text.contains(problem));
                assert!(is_incomplete, "{name}: {refusal}");
            }
        }
    }
}

#[test]
fn rooms_that_cannot_be_are_refused() {
    let create = |rules: &str| format!(r#"{{"type":"create","id":"7","rules":{rules}}}"#);
    let check = |rules: &str, text| {
        check_refused(&create(rules), Some("7"), Reason::Malformed, text);
    };
    check(r#"{"variant":"go"}"#, "unknown variant");
    check(r#"{"variant":"mnk"}"#, "mnk needs k");
    check(r#"{"variant":"mnk","k":2}"#, "k is 3 to 10");
    check(r#"{"variant":"mnk","k":11}"#, "k is 3 to 10");
    check(r#"{"variant":"freestyle","k":5}"#, "only mnk takes k");
    check(r#"{"variant":"freestyle","size":2}"#, "3 to 64");
    check(r#"{"variant":"freestyle","size":[15,65]}"#, "3 to 64");
    check(r#"{"variant":"freestyle","size":"endless"}"#, "3 to 64");
    check(r#"{"variant":"freestyle","size":4}"#, "longer than");
    check(r#"{"variant":"renju","size":19}"#, "15x15 only");
    check(r#"{"variant":"renju","size":"unbounded"}"#, "15x15 only");
}

#[test]
fn time_controls_that_cannot_be_are_refused() {
    let create = |time: &str| {
        format!(r#"{{"type":"create","id":"7","rules":{{"variant":"renju"}},"time":{time}}}"#)
    };
    let check = |time: &str, text| {
        check_refused(&create(time), Some("7"), Reason::Malformed, text);
    };
    check(r#"{"type":"hourglass"}"#, "unknown variant");
    check(r#"{"type":"sudden_death"}"#, "missing field `main_ms`");
    check(r#"{"type":"sudden_death","main_ms":999}"#, "1 second to 24 hours");
    check(r#"{"type":"fischer","main_ms":86400001,"increment_ms":0}"#, "1 second to 24 hours");
    check(r#"{"type":"byo_yomi","main_ms":0,"period_ms":0,"periods":1}"#, "1 second");
    check(r#"{"type":"byo_yomi","main_ms":0,"period_ms":1000,"periods":256}"#, "256");
    let fine = r#"{"type":"byo_yomi","main_ms":0,"period_ms":1000,"periods":25}"#;
    assert!(Command::from_json(&create(fine)).is_ok());
}

#[test]
fn defaults_are_filled_in() {
    let rules = |json: &str| {
        let json = format!(r#"{{"type":"create","id":"7","rules":{json}}}"#);
        match Command::from_json(&json).expect("a command").request {
            Request::Lobby(LobbyRequest::Create(create)) => create.rules,
            other => panic!("{other:?}"),
        }
    };
    let expected = |variant, size| Rules::new(variant, size).expect("on offer");
    let fifteen = Size::square(15);
    assert_eq!(rules(r#"{"variant":"freestyle"}"#), expected(Variant::Freestyle, fifteen));
    assert_eq!(rules(r#"{"variant":"mnk","k":3}"#), Rules::TIC_TAC_TOE);
    assert_eq!(
        rules(r#"{"variant":"caro","size":"unbounded"}"#),
        expected(Variant::Caro, Size::Unbounded)
    );
    assert_eq!(
        rules(r#"{"variant":"standard","size":[20,7]}"#),
        expected(Variant::Standard, Size::Bounded { width: 20, height: 7 })
    );
}

#[test]
fn unknown_fields_are_ignored() {
    let json = r#"{"type":"play","id":"7","room":"k7m2qpxw9abc","ply":3,"point":[-1,2],"mood":1}"#;
    let command = Command::from_json(json).expect("a command");
    let Request::Room { room, request } = command.request else { panic!("{command:?}") };
    assert_eq!(room.as_str(), "k7m2qpxw9abc");
    assert_eq!(request, RoomRequest::Play { ply: 3, point: Point::new(-1, 2) });
    assert!(Message::from_json(r#"{"type":"pong","id":"1","sent":5}"#).is_ok());
}

#[test]
fn the_longest_id_is_accepted() {
    let json = |length| format!(r#"{{"type":"ping","id":"{}"}}"#, "x".repeat(length));
    assert!(Command::from_json(&json(COMMAND_ID_MAX)).is_ok());
    check_refused(&json(COMMAND_ID_MAX + 1), None, Reason::Malformed, "1 to 40");
}

/// The names of all variants of the enums in a source file that are tagged by `type`, in snake
/// case: read from the source, so that a new one cannot be forgotten.
fn tagged_variants(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for block in source.split(r#"#[serde(tag = "type", rename_all = "snake_case")]"#).skip(1) {
        let body = block.split("\n}").next().unwrap_or_default();
        for line in
            body.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     "))
        {
            let name: String =
                line.trim().chars().take_while(char::is_ascii_alphanumeric).collect();
            if name.starts_with(|c: char| c.is_ascii_uppercase()) {
                found.push(snake_case(&name));
            }
        }
    }
    found
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[test]
fn the_guide_shows_every_message_and_names_every_reason() {
    let sources = [
        (include_str!("../src/protocol/command.rs"), "set_chat"),
        (include_str!("../src/protocol/event.rs"), "chat_set"),
        (include_str!("../src/protocol/message.rs"), "announcement"),
    ];
    for (source, last) in sources {
        let variants = tagged_variants(source);
        assert_eq!(variants.last().map(String::as_str), Some(last), "read to the end");
        for variant in variants {
            let example = format!(r#""type": "{variant}""#);
            assert!(GUIDE.contains(&example), "the guide has no example of {variant}");
        }
    }
    let reasons = include_str!("../src/protocol/reason.rs")
        .split("pub enum Reason {")
        .nth(1)
        .and_then(|rest| rest.split("\n}").next())
        .expect("the reasons");
    let names: Vec<_> = reasons
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//") && !line.is_empty())
        .map(|line| snake_case(line.trim_end_matches(',')))
        .collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        assert!(GUIDE.contains(&format!("`{name}`")), "the guide does not name {name}");
    }
}

#[test]
fn the_guide_says_for_how_long_commands_are_remembered() {
    for promise in [
        format!("the last {ANSWERS_MAX} commands"),
        format!("fewer than {ANSWERS_MAX} commands unanswered"),
        format!("the {ANSWERED_MEMBERS_MAX} others"),
    ] {
        assert!(GUIDE.contains(&promise), "the guide does not say: {promise}");
    }
}
