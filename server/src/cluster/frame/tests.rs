//! Stored messages of earlier nodes can still be read, and those of newer nodes as far as possible.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use bytes::Bytes;
use fivefold_storage::Sessions;
use serde::{
    Deserializer,
    de::{DeserializeOwned, Error as _, Visitor, value::Error},
    forward_to_deserialize_any,
};
use serde_json::{Value, json};

use super::*;
use crate::net::network::networks;

/// What nodes have sent since this version of the bus began, each line with the name of its sample below and the bytes
/// in hexadecimal. Lines are only added.
const STORED: &str = include_str!("stored_frames.txt");

/// A message by its name.
enum Sample {
    Frame(Frame),
    News(News),
}

fn member(digit: char) -> MemberId {
    MemberId::try_from(digit.to_string().repeat(16).as_str()).unwrap()
}

fn command() -> CommandId {
    CommandId::try_from("c-1").unwrap()
}

fn room() -> RoomCode {
    RoomCode::try_from("abcdefghjkmn").unwrap()
}

fn guest(identity: Option<[u8; 32]>, owner: IpAddr, refused: Vec<CommandId>) -> RemoteGuest {
    let (bot, watches) = (identity.is_some(), identity.is_none());
    let (member, name) = (member('a'), Name::new("Ann Ω").unwrap());
    RemoteGuest {
        session: 1 << 40,
        member,
        name,
        identity,
        owner,
        agent: u64::MAX,
        refused,
        bot,
        watches,
    }
}

const V4: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const V6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));

fn inputs() -> Vec<(&'static str, RemoteInput)> {
    let session = 7;
    vec![
        (
            "enter",
            RemoteInput::Enter {
                guest: guest(None, V4, vec![]),
                command: command(),
                after: Some(3),
            },
        ),
        ("leave", RemoteInput::Leave { session, command: Some(command()) }),
        ("leave-unasked", RemoteInput::Leave { session, command: None }),
        ("close", RemoteInput::Close { session, member: member('a'), command: command() }),
        (
            "command",
            RemoteInput::Command {
                session,
                command: command(),
                request: r#"{"type":"resign"}"#.to_owned(),
                lag_ms: 20,
            },
        ),
        ("renamed", RemoteInput::Renamed { session, name: Name::new("Bob").unwrap() }),
        (
            "close-by-operator",
            RemoteInput::CloseByOperator {
                session,
                command: command(),
                why: ChatText::new("too loud").unwrap(),
            },
        ),
    ]
}

fn to_owner() -> Vec<(&'static str, ToOwner)> {
    let guests = vec![guest(Some([200; 32]), V6, vec![command()]), guest(None, V4, vec![])];
    let resume = ToOwner::Resume { guests, after: None, is_first: true, is_last: false };
    let inputs = inputs().into_iter().map(|(name, input)| (name, ToOwner::Input(input)));
    [("resume", resume)].into_iter().chain(inputs).collect()
}

fn to_relay() -> Vec<(&'static str, ToRelay)> {
    let answer = |outcome| ToRelay::Answer {
        session: 7,
        command: command(),
        outcome,
        text: "{}".to_owned(),
    };
    let broadcast = |mark| ToRelay::Broadcast { mark, except: vec![7], text: "{}".to_owned() };
    vec![
        ("resumed", ToRelay::Resumed),
        ("rejected", ToRelay::Rejected),
        ("answer-done", answer(Outcome::Done)),
        ("answer-refused", answer(Outcome::Refused)),
        ("answer-joined", answer(Outcome::Joined(9))),
        (
            "tell",
            ToRelay::Tell { sessions: vec![7, 8], ends: Some(command()), text: "{}".to_owned() },
        ),
        ("broadcast", broadcast(Mark::None)),
        ("broadcast-event", broadcast(Mark::Event(300))),
        ("broadcast-snapshot", broadcast(Mark::Snapshot(70_000))),
        ("seated", ToRelay::Seated(vec![member('a'), member('b')])),
        ("refused", ToRelay::Refused(vec![(member('a'), command())])),
        ("dropped", ToRelay::Dropped),
        ("over", ToRelay::Over),
    ]
}

fn questions() -> Vec<(&'static str, Question)> {
    let (key, now) = (KeyHash([7; 32]), 1_000_000);
    let short_lived = |access| Question::ShortLived { key, access, now };
    vec![
        ("own-rooms", Question::OwnRooms { member: member('a') }),
        ("summary", Question::Summary { room: room() }),
        ("named", Question::Named { name: Name::new("Ann").unwrap() }),
        ("is-online", Question::IsOnline { member: member('a') }),
        ("make-place", Question::MakePlace { maker: member('a') }),
        ("short-lived-read", short_lived(Access::Read)),
        ("short-lived-take", short_lived(Access::Take)),
        ("short-lived-replace", short_lived(Access::Replace("{}".to_owned()))),
        ("presence", Question::Presence { members: vec![member('b')] }),
        ("status", Question::Status),
        ("pause", Question::Pause { pauses: true }),
        ("operator-link", Question::OperatorLink { hash: key }),
    ]
}

fn news() -> Vec<(&'static str, News)> {
    let network = |address| networks(address).next().unwrap();
    let usage = AddressUse {
        taken: vec![(V6, [1, 2, 3, 4, 5, 6, 700]), (V4, [0; RATES])],
        rooms_asked: vec![(network(V4), 1)],
        daily_asked: vec![(network(V6), 2)],
        sessions: vec![(network(V6), 30)],
        rooms: vec![(network(V4), 4)],
        bot_rooms: vec![],
    };
    let (one, other) = (member('a'), member('b'));
    let ended = |ended| News::Ended { member: member('a'), ended };
    let blocked =
        |kind, guests| News::Blocked { member: member('a'), other: member('b'), kind, guests };
    let announced = |text: Option<&str>| {
        let text = text.map(|text| ChatText::new(text).unwrap());
        News::Announced(Announcement { at: 5, by: "Olga".to_owned(), text, until: 500 })
    };
    vec![
        ("dead", News::Dead { node: 3 }),
        ("rooms-wanted", News::RoomsWanted),
        ("rooms", News::Rooms { rooms: "[]".to_owned(), total: 2, has_game: true }),
        ("address-use", News::AddressUse(usage)),
        ("ended-guest", ended(Ended::Guest)),
        ("ended-all", ended(Ended::Sessions(Sessions::All))),
        ("ended-one", ended(Ended::Sessions(Sessions::One(KeyHash([1; 32]))))),
        ("ended-others", ended(Ended::Sessions(Sessions::AllBut(KeyHash([255; 32]))))),
        ("ended-changed", ended(Ended::Changed)),
        ("blocked", blocked(Some(BlockKind::Block), vec![(member('c'), member('a'))])),
        ("muted", blocked(Some(BlockKind::Mute), vec![])),
        ("unblocked", blocked(None, vec![])),
        ("moderated", News::Moderated),
        ("rated-positions", News::RatedPositions { positions: vec![0, u64::MAX] }),
        ("for-account", News::ForAccount { member: one.clone(), text: "{}".to_owned() }),
        ("guest-taken", News::GuestTaken { guest: other, account: one }),
        ("daily-games", News::DailyGames),
        ("announced", announced(Some("at noon"))),
        ("announcement-ended", announced(None)),
        ("demo-wanted", News::DemoWanted),
    ]
}

fn samples() -> Vec<(String, Sample)> {
    let text = || "{}".to_owned();
    let frame = |kind: &str, name: &str, frame| (format!("{kind}/{name}"), Sample::Frame(frame));
    let mut all = Vec::new();
    for (name, message) in to_owner() {
        all.push(frame("to-owner", name, Frame::ToOwner { room: room(), attempt: 9, message }));
    }
    for (name, message) in to_relay() {
        all.push(frame("to-relay", name, Frame::ToRelay { room: room(), attempt: 9, message }));
    }
    for (name, question) in questions() {
        all.push(frame("ask", name, Frame::Ask { number: 4, question }));
    }
    all.push(frame("frame", "take", Frame::Take { room: room() }));
    all.push(frame("frame", "reply", Frame::Reply { number: 4, text: text() }));
    all.push(frame("frame", "to-leader", Frame::ToLeader { text: text() }));
    all.push(frame("frame", "to-front", Frame::ToFront { text: text() }));
    all.extend(news().into_iter().map(|(name, news)| (format!("news/{name}"), Sample::News(news))));
    all
}

fn stored() -> Vec<(&'static str, Vec<u8>)> {
    let lines = STORED.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, hex) = line.split_once(' ').unwrap();
            (name, data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap())
        })
        .collect()
}

#[test]
fn what_earlier_nodes_have_sent_is_read() {
    let (samples, stored) = (samples(), stored());
    for (name, bytes) in &stored {
        let sample = samples.iter().find(|(sample, _)| sample == name);
        match &sample.unwrap_or_else(|| panic!("{name} has no sample")).1 {
            Sample::Frame(frame) => assert_eq!(decode(bytes).as_ref(), Ok(frame), "{name}"),
            Sample::News(news) => assert_eq!(decode(bytes).as_ref(), Ok(news), "{name}"),
        }
    }
    for (name, sample) in &samples {
        let bytes = match sample {
            Sample::Frame(frame) => encode(frame),
            Sample::News(news) => encode(news),
        };
        let is_stored = stored.iter().any(|(stored, old)| stored == name && *old == bytes);
        let line = data_encoding::HEXLOWER.encode(&bytes);
        assert!(is_stored, "add this line to stored_frames.txt, and remove none:\n{name} {line}");
    }
}

#[test]
fn each_kind_of_message_is_stored() {
    let stored = stored();
    let has = |name: &str| {
        let name = encode(&name);
        stored.iter().any(|(_, bytes)| bytes.windows(name.len()).any(|part| *part == *name))
    };
    let names = [
        names_of::<Frame>(),
        names_of::<News>(),
        names_of::<Question>(),
        names_of::<ToOwner>(),
        names_of::<ToRelay>(),
        names_of::<RemoteInput>(),
        names_of::<RemoteGuest>(),
        names_of::<AddressUse>(),
        names_of::<Outcome>(),
        names_of::<Mark>(),
        names_of::<Access>(),
        names_of::<Ended>(),
        names_of::<Sessions>(),
        names_of::<BlockKind>(),
        names_of::<Announcement>(),
    ];
    for name in names.concat() {
        assert!(has(name), "no sample has {name}: add one");
    }
}

/// The names of an enum's variants, or of a struct's fields, as they are on the bus.
fn names_of<T: DeserializeOwned>() -> Vec<&'static str> {
    let mut names = Vec::new();
    assert!(T::deserialize(Names(&mut names)).is_err());
    assert!(!names.is_empty());
    names
}

struct Names<'a>(&'a mut Vec<&'static str>);

impl<'de> Deserializer<'de> for Names<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("neither an enum nor a struct"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        self.0.extend(variants);
        Err(Error::custom("no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        self.0.extend(fields);
        Err(Error::custom("no value"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// A message of a newer node: this one, in JSON, as it would be on the bus.
fn newer(message: &Value) -> Bytes {
    encode(message)
}

#[test]
fn fields_of_newer_nodes_are_left_out() {
    let leave = json!({"ToOwner": {
        "room": "abcdefghjkmn",
        "colour": {"red": [1, 2]},
        "attempt": 9,
        "message": {"Input": {"Leave": {"session": 7, "mood": "good", "command": null}}},
    }});
    let message = ToOwner::Input(RemoteInput::Leave { session: 7, command: None });
    let expected = Frame::ToOwner { room: room(), attempt: 9, message };
    assert_eq!(decode(&newer(&leave)), Ok(expected));
}

#[test]
fn who_waits_for_an_answer_is_found_in_what_is_not_known() {
    let input = |input: Value| {
        json!({"ToOwner": {
            "room": "abcdefghjkmn", "attempt": 9, "colour": 1, "message": {"Input": input},
        }})
    };
    let command =
        |session| Some(Unknown::Command { room: room(), attempt: 9, session, command: command() });
    let cases = [
        (
            json!({"Ask": {"number": 4, "question": {"Weather": {"day": 1}}}}),
            Some(Unknown::Question { number: 4 }),
        ),
        (
            json!({"Ask": {"number": 4, "question": "Weather"}}),
            Some(Unknown::Question { number: 4 }),
        ),
        (input(json!({"Dance": {"session": 7, "command": "c-1", "to": [1]}})), command(7)),
        (
            input(json!({"Enter": {"guest": {"session": 8, "wings": 2}, "command": "c-1"}})),
            command(8),
        ),
        (input(json!({"Nod": {"session": 7}})), None),
        (input(json!({"Dance": {"session": 7, "command": "c 1"}})), None),
        (input(json!("Sleep")), None),
        (json!({"ToOwner": {"room": "abcdefghjkmn", "attempt": 9, "message": "Hush"}}), None),
        (json!({"ToRelay": {"room": "abcdefghjkmn", "attempt": 9, "message": "Hush"}}), None),
        (json!({"Sing": {}}), None),
        (json!("Sing"), None),
    ];
    for (message, expected) in cases {
        let bytes = newer(&message);
        assert_eq!(decode::<Frame>(&bytes), Err(Undecodable), "{message}");
        assert_eq!(Unknown::of(&bytes), expected, "{message}");
    }
}

#[test]
fn bytes_that_are_no_message_are_refused() {
    let good = encode(&Frame::Take { room: room() });
    assert!(decode::<Frame>(&good).is_ok());
    // The same as 0.1.0 wrote it.
    let positional = [&[2, 12][..], room().as_str().as_bytes()].concat();
    let longer = [&good[..], &[0]].concat();
    let bad: [&[u8]; 5] = [&good[..good.len() - 1], &longer, &positional, &[], &[0xff]];
    for bytes in bad {
        assert_eq!(decode::<Frame>(bytes), Err(Undecodable), "{bytes:?}");
        assert_eq!(Unknown::of(bytes), None, "{bytes:?}");
    }
}
