//! Properties that hold for any text from outside: the bodies of the fuzz targets, which `test.rs`
//! also runs on the seeds and on random texts. Each panics when its property is broken.

use fivefold_shared::{
    notation::{
        Source, coordinates, encoding,
        file::{FileError, GameFile},
        games::{FileFormat, FoundGame, GamesReader},
        gomocup::{self, LINE_BYTES_MAX, Reader, Reply},
        moves, psq, renlib, sgf,
        tree::GameTree,
    },
    protocol::{CatchUp, Command, Message},
    room::RoomState,
    rules::{Rules, Size, Variant},
};

/// A command is refused with words, or survives writing and reading unchanged.
pub fn command(text: &str) {
    match Command::from_json(text) {
        Ok(command) => {
            let again = Command::from_json(&command.to_json());
            assert_eq!(again.as_ref(), Ok(&command));
        }
        Err((_, refusal)) => assert!(!refusal.text.is_empty()),
    }
}

/// A message is an error, or survives writing and reading unchanged; and no room from a server
/// makes a client panic.
pub fn message(text: &str) {
    let Ok(message) = Message::from_json(text) else { return };
    let again = Message::from_json(&message.to_json()).expect("what was written can be read");
    match message {
        // A weight or a chance may lose its last bit in JSON.
        Message::Weights { .. } => assert!(matches!(again, Message::Weights { .. })),
        Message::Analysis { .. } => assert!(matches!(again, Message::Analysis { .. })),
        Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. }
        | Message::Snapshot { snapshot, .. } => {
            if let Ok(room) = RoomState::from_snapshot(*snapshot) {
                let told =
                    RoomState::from_snapshot(room.snapshot()).expect("a room's own snapshot");
                assert_eq!(told.snapshot(), room.snapshot());
            }
        }
        Message::Joined { catch_up: CatchUp::Events(events), .. } => {
            if let (Ok(room), Some(last)) = (RoomState::from_log(&events), events.last()) {
                assert_eq!(room.seq, last.seq);
            }
        }
        Message::Welcome { .. }
        | Message::Done { .. }
        | Message::Refused { .. }
        | Message::Rooms { .. }
        | Message::OwnRooms { .. }
        | Message::Pong { .. }
        | Message::Event { .. }
        | Message::Chat { .. }
        | Message::PlayerSaid { .. }
        | Message::SpectatorSaid { .. }
        | Message::AnalysisOver { .. }
        | Message::AccountChanged { .. }
        | Message::Seeking { .. }
        | Message::Paired { .. }
        | Message::SeekOver { .. }
        | Message::Challenged { .. }
        | Message::Lobby { .. }
        | Message::LobbyChanged { .. }
        | Message::Sanction { .. }
        | Message::Announcement { .. }
        | Message::Spectators { .. }
        | Message::Presence { .. }
        | Message::Ratings { .. }
        | Message::Closed { .. } => assert_eq!(again, message),
    }
}

/// A point that was read is on the board, and its name reads as the same point.
pub fn coordinates(text: &str) {
    let rectangle = Size::Bounded { width: 64, height: 3 };
    for size in [Size::square(3), Size::square(15), rectangle, Size::Unbounded] {
        match coordinates::parse(text, size) {
            Ok(point) => {
                let name = coordinates::format(point, size);
                assert_eq!(coordinates::parse(&name, size), Ok(point), "{text:?} {name:?} {size}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Any text from a manager or a brain parses or is an error; a parsed one survives writing and
/// reading unchanged, unless it is too long for a line.
pub fn gomocup(bytes: &[u8]) {
    let mut reader = Reader::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        match reader.line(line) {
            Some(Ok(command)) => {
                let written = command.to_string();
                if written.lines().all(|line| line.len() <= LINE_BYTES_MAX) {
                    let mut again = Reader::default();
                    let read: Vec<_> = written
                        .split('\n')
                        .filter_map(|line| again.line(line.as_bytes()))
                        .collect();
                    assert_eq!(read, [Ok(command)], "{written:?}");
                }
            }
            Some(Err(error)) => assert!(!error.to_string().is_empty()),
            None => {}
        }
        let reply = Reply::read(line);
        let written = reply.to_string();
        if written.len() <= LINE_BYTES_MAX {
            assert_eq!(Reply::read(written.as_bytes()), reply, "{written:?}");
        }
        if let Reply::Other(text) = &reply {
            assert_ne!(gomocup::about_name(text), Some(""));
        }
    }
}

/// A file is refused with the reason, or the game survives writing and reading unchanged in each
/// format that can express it.
pub fn files(text: &str) {
    let rules = Rules::TIC_TAC_TOE;
    let read = [
        sgf::read(text, Variant::Freestyle, 1).map(|read| read.main_line().content),
        psq::read(text, Variant::Freestyle).map(|read| read.content),
        moves::read(text, rules),
    ];
    for read in read {
        match read {
            Ok(game) => rewritten(&game),
            Err(error) => assert!(error.line >= 1 && !error.text.is_empty()),
        }
    }
}

/// A file with a tree is refused with the reason, or the tree survives writing and reading unchanged,
/// and so does its playable part.
pub fn trees(bytes: &[u8]) {
    let rules = Rules::new(Variant::Renju, Size::square(15)).expect("on offer");
    let latin = |text: &[u8]| text.iter().copied().map(char::from).collect();
    let library = renlib::read(bytes, rules.variant(), &latin);
    let text: String = latin(bytes);
    let read = Source::first(&text, rules).read();
    let _encoding = (encoding::of(bytes), encoding::likely(bytes));
    let second = sgf::read(&text, rules.variant(), 2);
    for read in [library, read, second] {
        match read.map(|read| read.content) {
            Ok(tree) => {
                let (playable, unplayable) = tree.clone().playable();
                let left_out = unplayable.map_or(0, |first| first.moves);
                assert_eq!(playable.nodes().len() + left_out, tree.nodes().len());
                assert_eq!(playable.clone().playable(), (playable.clone(), None));
                if let Ok(text) = sgf::write(&tree) {
                    let again = sgf::read(&text, rules.variant(), 1);
                    let again = again.expect("what was written can be read").content;
                    assert_eq!(sgf::write(&again).as_ref(), Ok(&text));
                    assert_eq!(again.nodes().len(), tree.nodes().len());
                }
            }
            Err(error) => assert!(error.line >= 1 && !error.text.is_empty()),
        }
    }
}

/// The games of a file can be played, and it makes no difference in which parts it is fed.
pub fn games(bytes: &[u8]) {
    for name in ["", "a.sgf", "a.psq", "a.json", "a.txt"] {
        let format = FileFormat::of_name(name);
        let whole = found(format, bytes.len().max(1), bytes, feed_text);
        for game in &whole {
            match game {
                Ok(FoundGame { line, game }) => {
                    assert!(*line >= 1 && !game.moves.is_empty() && game.position().is_ok());
                }
                Err(error) => assert!(error.line >= 1 && !error.text.is_empty()),
            }
        }
        assert_eq!(found(format, 1, bytes, feed_text), whole);
        assert_eq!(found(format, 7, bytes, feed_text), whole);
    }
    let whole = found(None, bytes.len().max(1), bytes, GamesReader::feed_library);
    assert_eq!(found(None, 1, bytes, GamesReader::feed_library), whole);
}

/// Feeds a part of a text in which each byte is a letter.
fn feed_text(reader: &mut GamesReader, part: &[u8]) {
    reader.feed(&part.iter().copied().map(char::from).collect::<String>());
}

/// What is found in a file that is fed in parts of so many bytes.
fn found(
    format: Option<FileFormat>,
    part: usize,
    bytes: &[u8],
    feed: fn(&mut GamesReader, &[u8]),
) -> Vec<Result<FoundGame, FileError>> {
    let rules = Rules::new(Variant::Freestyle, Size::square(15)).expect("on offer");
    let mut reader = GamesReader::new(format, rules);
    let mut found = Vec::new();
    for part in bytes.chunks(part) {
        feed(&mut reader, part);
        found.extend(&mut reader);
    }
    reader.end();
    found.extend(&mut reader);
    found
}

fn rewritten(game: &GameFile) {
    let variant = game.rules.variant();
    if let Ok(text) = sgf::write(&GameTree::from(game.clone())) {
        let again = sgf::read(&text, variant, 1).expect("what was written can be read").content;
        assert_eq!(sgf::write(&again).as_ref(), Ok(&text));
        let again = again.main_line();
        assert_eq!((again.rules, again.points()), (game.rules, game.points()), "{text}");
    }
    let again = moves::read(&moves::write(game), game.rules).expect("what was written can be read");
    assert_eq!((again.rules, again.points()), (game.rules, game.points()));
    if let Size::Bounded { .. } = game.rules.size() {
        let again = psq::read(&psq::write(game), variant);
        let again = again.expect("what was written can be read").content;
        assert_eq!((again.rules, &again.moves), (game.rules, &game.moves));
    }
}
