//! Tests a brain through its input and output.

use std::{
    collections::{HashMap, HashSet},
    io::{Cursor, Lines, PipeReader, PipeWriter},
    thread::JoinHandle,
    time::Duration,
};

use fivefold_engine::book;
use fivefold_shared::{
    bot_spec::BotKind,
    notation::{gomocup::variant_of, moves},
    rules::{Point, Position, Rules, Size, Variant},
};

use super::{commands::memory_min, *};

fn options(ponder: bool) -> BrainOptions {
    BrainOptions { bot: BotKind::Engine.into(), hash_bytes: 1 << 20, seed: 1, ponder }
}

/// The replies to these lines, with a search of a few positions.
fn answers(input: &str) -> Vec<Reply> {
    answers_of(BotKind::Engine, 1, input)
}

fn answers_of(bot: BotKind, seed: u64, input: &str) -> Vec<Reply> {
    let options = BrainOptions { bot: bot.into(), seed, ..options(false) };
    let mut output = Vec::new();
    let input = Cursor::new(format!("INFO max_node 3000\n{input}"));
    run(options, input, &mut output).unwrap();
    output
        .split(|byte| *byte == b'\n')
        .map(Reply::read)
        .filter(|reply| *reply != Reply::Other(String::new()))
        .collect()
}

#[test]
fn commands_are_answered() {
    let error = |text: &str| Reply::Error(text.into());
    let knows = "this brain knows 0, 1, 4, 8 and 9";
    let cases: [(&str, Vec<Reply>); 17] = [
        ("START 15", vec![Reply::Ok]),
        ("START 15\nRESTART\nEND\nSTART 15", vec![Reply::Ok, Reply::Ok]),
        ("RECTSTART 64,5", vec![Reply::Ok]),
        ("START 65", vec![error("START n: sides are 5 to 64")]),
        ("BEGIN", vec![error("there is no board: START n comes first")]),
        ("RESTART", vec![error("there is no board: START n comes first")]),
        ("HELLO", vec![Reply::Unknown("HELLO".into())]),
        ("START 15\nINFO rule 5\nBEGIN", vec![Reply::Ok, error(&format!("rule 5: {knows}"))]),
        ("START 15\nINFO rule x\nBEGIN", vec![Reply::Ok, error(&format!("rule x: {knows}"))]),
        ("START 20\nINFO rule 4\nBEGIN", vec![Reply::Ok, error("renju is played on 15x15 only")]),
        ("START 15\nTURN 15,0", vec![Reply::Ok, error("15,0: this point is not on the board")]),
        (
            "START 15\nBOARD\n7,7,1\n7,8,1\nDONE",
            vec![Reply::Ok, error("2 stones against 0: no game comes to that")],
        ),
        // . X X X X .   and  O O O O beside the border
        (
            "START 15\nBOARD\n5,7,2\n0,0,1\n6,7,2\n0,1,1\n7,7,2\n0,2,1\n8,7,2\n0,3,1\n9,9,2\nDONE",
            vec![Reply::Ok, Reply::Move((0, 4).into())],
        ),
        ("START 15\nTAKEBACK 1,1", vec![Reply::Ok, error("no stone at 1,1")]),
        ("START 15\nYXBOARD\n1,1,2\nDONE\nTAKEBACK 1,1", vec![Reply::Ok, Reply::Ok]),
        // Black at 3,3 would make a double-three.
        (
            "START 15\nINFO rule 4\nYXBOARD\n3,1,1\n14,0,2\n3,2,1\n14,2,2\n1,3,1\n14,4,2\n2,3,1\n\
             14,6,2\nDONE\nYXSHOWFORBID",
            vec![Reply::Ok, Reply::Forbidden(vec![(3, 3).into()])],
        ),
        ("PLAY 7,7", vec![error("nothing was suggested")]),
    ];
    for (input, expected) in cases {
        assert_eq!(answers(input), expected, "{input}");
    }
}

/// The kinds of replies: o for `OK`, m for a move, f for `FORBID`, a for what answers `ABOUT`, u for
/// `UNKNOWN`, - for an error and the rest.
fn kinds(replies: &[Reply]) -> String {
    let kind = |reply: &Reply| match reply {
        Reply::Ok => Some('o'),
        Reply::Move(_) => Some('m'),
        Reply::Forbidden(_) => Some('f'),
        Reply::Other(_) => Some('a'),
        Reply::Unknown(_) => Some('u'),
        Reply::Message(_) | Reply::Debug(_) => None,
        Reply::Stones(_) | Reply::Swap | Reply::Suggest(_) | Reply::Error(_) => Some('-'),
    };
    replies.iter().filter_map(kind).collect()
}

fn check_session(steps: &[(&str, &str)]) {
    let session: String = steps.iter().map(|(lines, _)| *lines).collect();
    let expected: String = steps.iter().map(|(_, replies)| *replies).collect();
    let replies = answers(&session);
    assert_eq!(kinds(&replies), expected, "{replies:?}");
}

/// What Piskvork 8.9 sends (`Tplayer::move` and `sendInfo` of its `protocol.cpp`): all of `INFO` after
/// `START` and `RESTART`, then `BEGIN`, `TURN` for one stone, or `BOARD` for more.
#[test]
fn a_session_of_piskvork_is_played() {
    let info = "INFO max_memory 83886080\r\nINFO timeout_match 1000000\r\nINFO timeout_turn 200\r\n\
        INFO game_type 1\r\nINFO rule 1\r\nINFO time_left 1000000\r\n\
        INFO folder C:\\Users\\Ann\\AppData\r\n";
    check_session(&[
        ("START 20\r\n", "o"),
        (info, ""),
        ("TURN 10,10\r\n", "m"),
        ("INFO time_left 999000\r\nTURN 0,19\r\n", "m"),
        // Somebody has changed the time for a move.
        ("INFO timeout_turn 100\r\nINFO time_left 998000\r\nTURN 19,19\r\n", "m"),
        ("RESTART\r\n", "o"),
        (info, ""),
        ("BEGIN\r\n", "m"),
        ("RESTART\r\n", "o"),
        (info, ""),
        ("BOARD\r\n10,10,2\r\n9,9,1\r\n11,11,2\r\nDONE\r\n", "m"),
        ("END\r\n", ""),
    ]);
    check_session(&[("RECTSTART 15,20\r\n", "o"), (info, ""), ("TURN 14,19\r\n", "m")]);
}

/// The same program takes moves back, the last one first, and goes on with `TURN`.
#[test]
fn piskvork_takes_moves_back() {
    let mut talk = Talk::new(false);
    assert_eq!(talk.ask("START 20"), Reply::Ok);
    let own = talk.ask_for_move("INFO max_node 3000\nTURN 10,10");
    assert_eq!(talk.ask(&format!("TAKEBACK {},{}", own.x, own.y)), Reply::Ok);
    assert_eq!(talk.ask("TAKEBACK 10,10"), Reply::Ok);
    talk.ask_for_move("INFO time_left 999000\nTURN 9,9");
    talk.end();
}

/// What c-gomoku-cli sends (`Game::play` of its `game.cpp`, `Engine::start` of its `engine.cpp`, 2021 to
/// 2023): `ABOUT` once, and `START` before each game.
#[test]
fn a_session_of_c_gomoku_cli_is_played() {
    let info = "INFO rule 4\nINFO timeout_turn 200\nINFO timeout_match 0\nINFO max_node 3000\n\
        INFO max_memory 367001600\nINFO thread_num 1\n";
    check_session(&[
        ("ABOUT\n", "a"),
        ("START 15\n", "o"),
        (info, ""),
        // The stones of an opening; the last one is always the opponent's.
        ("INFO time_left 2147483647\nBOARD\n7,7,1\n7,6,2\n8,8,1\n6,6,2\nDONE\n", "m"),
        ("INFO time_left 2147483647\nTURN 0,14\n", "m"),
        ("START 15\n", "o"),
        (info, ""),
        ("INFO time_left 2147483647\nBEGIN\n", "m"),
        // The time for the turn was over.
        ("YXSTOP\nEND\n", ""),
    ]);
}

/// What Yixin's board 3.0 sends (`init_engine`, `set_level`, `send_board`, `show_database`, `change_piece` and
/// `execute_command` of its `main.c`, 2025): `start` before each position, and no `begin`.
#[test]
fn a_session_of_yixins_board_is_played() {
    let level = "INFO timeout_turn 100\nINFO timeout_match 2000000\nINFO time_left 2000000\n\
        INFO max_node 1000000000\nINFO max_depth 225\nINFO time_increment 0\nINFO caution_factor 1\n\
        INFO thread_num 1\nINFO hash_size 524288\nINFO pondering 0\nINFO vcthread 0\n";
    check_session(&[
        ("info show_detail 3\nyxshowinfo\n", ""),
        ("START 15\n", "o"),
        (level, ""),
        ("INFO rule 2\nstart 15\nyxboard\ndone\nyxshowforbid\n", "of"),
        // It asks for what a database knows of the position; this brain has none.
        ("yxquerydatabaseallt\ndone\n", "uu"),
        ("INFO time_left 2000000\nyxhashclear\nstart 15\nboard\n7,7,2\ndone\n", "uom"),
        ("INFO time_left 2000000\n", ""),
        ("yxquerydatabaseallt\n7,7\ndone\n", "uuu"),
        ("yxshowforbid\n", "f"),
        ("INFO time_left 1999900\nturn 0,14\n", "m"),
        ("yxshowforbid\n", "f"),
        // Two moves are taken back.
        ("yxstop\nstart 15\nyxboard\n7,7,1\n8,8,2\ndone\nyxshowforbid\nyxstop\n", "of"),
        // The person types "nbest 2", "block h8" and "balance1".
        ("INFO time_left 1999900\nstart 15\nyxboard\n7,7,2\n8,8,1\n6,8,2\ndone\nyxnbest 2\n", "om"),
        ("yxblock\n7,7\ndone\nyxblockreset\n", "uuuu"),
        ("start 15\nyxboard\n7,7,1\n8,8,2\ndone\nyxbalanceone 0\n", "ou"),
        ("end\n", ""),
    ]);
}

/// The same program before that (2016): `start` has both sides, first the number of columns, and
/// a point has its row first. This board has 15 columns and 20 rows.
#[test]
fn yixins_board_plays_on_boards_with_two_sides() {
    check_session(&[
        ("info show_detail 1\nyxshowinfo\nSTART 15 20\n", "o"),
        ("INFO timeout_turn 100\nINFO timeout_match 2000000\nINFO time_left 2000000\n", ""),
        ("INFO max_node 3000\nINFO max_depth 300\nINFO caution_factor 1\nINFO thread_num 1\n", ""),
        ("INFO hash_size 524288\nINFO pondering 0\nINFO checkmate 0\n", ""),
        ("INFO rule 0\nstart 15 20\nyxboard\ndone\nyxshowforbid\n", "of"),
        ("INFO time_left 2000000\nstart 15 20\nboard\ndone\n", "om"),
        ("INFO time_left 1999900\nturn 19,14\n", "m"),
        ("end\n", ""),
    ]);
}

/// Yixin's board at its level without limits: the person stops the search.
#[test]
fn yixins_board_stops_a_search_without_limits() {
    let level = "INFO max_node -1\nINFO timeout_match 1000000000\nINFO time_left 1000000000\n\
        INFO timeout_turn 2000000\nINFO max_depth 225\nINFO time_left 1000000000";
    let mut talk = Talk::new(false);
    assert!(matches!(talk.ask("info show_detail 1\nyxshowinfo"), Reply::Message(_)));
    assert_eq!(talk.ask("START 15 15"), Reply::Ok);
    assert_eq!(talk.ask(&format!("{level}\nstart 15 15")), Reply::Ok);
    talk.ask_for_move("board\n7,7,2\n8,8,1\n6,6,2\ndone\nyxstop");
    talk.end();
}

#[test]
fn rule_2_of_yixins_board_is_renju() {
    // Black at 3,3 would make a double-three.
    let position = "START 15 15\nINFO rule 2\nYXBOARD\n3,1,1\n14,0,2\n3,2,1\n14,2,2\n1,3,1\n14,4,2\n\
        2,3,1\n14,6,2\nDONE\nYXSHOWFORBID";
    let forbidden = |points| vec![Reply::Ok, Reply::Forbidden(points)];
    assert_eq!(answers(position), forbidden(Vec::new()), "others play a continuous game by it");
    let mut of_board = answers(&format!("yxshowinfo\n{position}"));
    assert!(matches!(of_board.remove(0), Reply::Message(text) if text.starts_with("INFO MAX_")));
    assert_eq!(of_board, forbidden(vec![(3, 3).into()]));
}

#[test]
fn after_the_brains_move_forbidden_points_are_those_of_its_opponent() {
    // White has to close the four of Black, who may not play 3,3 then.
    let position = "START 15\nINFO rule 4\nBOARD\n3,1,2\n14,0,1\n3,2,2\n14,2,1\n1,3,2\n14,4,1\n2,3,2\n\
        14,6,1\n5,10,2\n4,10,1\n6,10,2\n14,8,1\n7,10,2\n14,10,1\n8,10,2\nDONE\nYXSHOWFORBID";
    let expected = [Reply::Ok, Reply::Move((9, 10).into()), Reply::Forbidden(vec![(3, 3).into()])];
    assert_eq!(answers(position), expected);
}

/// A brain that gets each command after the reply to the one before.
struct Talk {
    said: PipeWriter,
    replies: Lines<BufReader<PipeReader>>,
    playing: JoinHandle<io::Result<()>>,
}

impl Talk {
    fn new(ponder: bool) -> Self {
        let (input, said) = io::pipe().unwrap();
        let (replies, output) = io::pipe().unwrap();
        let playing = thread::spawn(move || run(options(ponder), input, output));
        Self { said, replies: BufReader::new(replies).lines(), playing }
    }

    fn ask(&mut self, text: &str) -> Reply {
        writeln!(self.said, "{text}").unwrap();
        Reply::read(self.replies.next().unwrap().unwrap().as_bytes())
    }

    fn ask_for_move(&mut self, text: &str) -> Point {
        match self.ask(text) {
            Reply::Move(point) => point,
            other => panic!("{other} to {text}"),
        }
    }

    /// Closes its input and waits for its end.
    fn end(self) {
        drop(self.said);
        self.playing.join().unwrap().unwrap();
    }
}

#[test]
fn moves_are_legal_in_every_rule_and_on_every_board() {
    let cases = [
        ("START 5", (5, 5), 0),
        ("START 64", (64, 64), 0),
        ("RECTSTART 5,64", (5, 64), 1),
        ("START 15", (15, 15), 4),
        ("START 20", (20, 20), 8),
        ("START 19", (19, 19), 9),
    ];
    for (start, (width, height), rule) in cases {
        let size = Size::Bounded { width, height };
        let mut position = Position::new(Rules::new(variant_of(rule).unwrap(), size).unwrap());
        let mut talk = Talk::new(false);
        assert_eq!(talk.ask(start), Reply::Ok);
        let mut text = format!("INFO rule {rule}\nINFO max_node 3000\nBEGIN");
        for _ in 0..3 {
            position.play(talk.ask_for_move(&text)).unwrap();
            let mut row = (0..i32::from(width)).map(|x| Point::new(x, 0));
            let free = row.find(|point| position.legality(*point).is_ok()).unwrap();
            position.play(free).unwrap();
            text = format!("TURN {},{}", free.x, free.y);
        }
        talk.end();
    }
}

/// A game of renju: after it, the point that is left, f14, is forbidden to Black.
const NOTHING_BUT_A_FORBIDDEN_POINT: &str = "renju 15x15
    j7 m9 l7 i6 i8 j9 o9 k6 k7 m7 j6 i7 j8 l6 i5 h4 h8 g8 j4 j5 h7 h10 k9 h6 f6 e5 e6 f4 d6 c6
    e4 m6 k8 l8 m8 k11 d7 f5 d5 d8 g7 j10 l10 e3 g5 f7 l12 j11 i10 j12 j13 i11 m11 n12 k13 n10
    h11 l13 g12 e8 c8 g9 f8 n6 o6 n11 n13 k14 m12 n9 n8 h2 h3 e9 f11 d9 b9 a10 g10 h9 f9 i12 c10
    d11 e14 f13 j14 i15 f10 f12 g13 i13 i14 g15 h14 h13 g14 g11 e13 k10 l9 g3 i1 e11 e7 c5 c11
    d10 d12 c9 b8 h5 g6 b10 b6 h15 j15 e12 e10 l3 k4 e15 f15 k3 m14 m13 l4 m4 m3 c4 c3 f2 d4 d3
    e2 f1 f3 g2 j1 i2 j2 k1 c12 d13 n5 b5 a7 o5 a5 n3 a14 c13 l5 a6 c7 b7 e1 d14 b12 k15 o11 o13
    b4 d2 o10 l2 a9 k5 o8 o12 k2 c15 l11 a15 k12 m10 d15 a1 o1 b13 n15 b11 o15 n1 m15 h1 m1 d1
    n4 b1 l15 l1 o2 g1 i4 b15 o14 b14 b2 n14 a11 c1 n2 m2 a12 a2 i9 o3 a8 j3 n7 i3 o4 c2 l14 a3
    m5 o7 c14 b3 a13 h12 g4 a4";

#[test]
fn the_last_point_is_played_even_if_it_is_forbidden() {
    let game = moves::read(NOTHING_BUT_A_FORBIDDEN_POINT, freestyle(15)).unwrap();
    let stones: String = (0..)
        .zip(&game.moves)
        .map(|(ply, made)| format!("{},{},{}\n", made.point.x, made.point.y, 1 + ply % 2))
        .collect();
    let left = Reply::Move((5, 1).into());
    let input = format!("START 15\nINFO rule 4\nYXBOARD\n{stones}DONE\nYXNBEST 2");
    let told = answers(&input);
    let input = format!("START 15\nINFO rule 4\nBOARD\n{stones}DONE");
    assert_eq!(answers(&input), [Reply::Ok, left.clone()]);
    assert_eq!(told, [Reply::Ok, left]);
}

/// The reply to an opening's stones, in freestyle on a board of this side.
fn swap2(bot: BotKind, seed: u64, side: u8, stones: &[Point]) -> Reply {
    let stones = stones.iter().map(|point| format!("{},{}\n", point.x, point.y));
    let input = format!("START {side}\nSWAP2BOARD\n{}DONE", stones.collect::<String>());
    let mut answers = answers_of(bot, seed, &input);
    assert_eq!((answers.len(), &answers[0]), (2, &Reply::Ok), "{answers:?}");
    answers.remove(1)
}

fn freestyle(side: u8) -> Rules {
    Rules::new(Variant::Freestyle, Size::square(side)).unwrap()
}

#[test]
fn swap2_proposes_three_stones_that_are_even_and_not_always_the_same() {
    let known: HashSet<_> =
        book::lines(Variant::Freestyle).iter().map(|line| book::canonical(line)).collect();
    // The smaller board has no book. Whichever bot plays on, the engine proposes.
    for (bot, side) in [(BotKind::Engine, 15), (BotKind::Attack, 20), (BotKind::Engine, 9)] {
        let mut proposed = HashSet::new();
        for seed in 0..6 {
            let Reply::Stones(stones) = swap2(bot, seed, side, &[]) else {
                panic!("stones are proposed");
            };
            let position = Position::from_moves(freestyle(side), &stones).unwrap();
            assert_eq!((position.ply(), position.outcome()), (3, None));
            proposed.insert(book::canonical(&stones));
        }
        assert!(proposed.len() >= 3, "{proposed:?}");
        assert_eq!(proposed.is_subset(&known), side >= 15, "{proposed:?}");
    }
}

#[test]
fn swap2_takes_the_better_colour() {
    let points = |stones: &[(i32, i32)]| stones.iter().copied().map(Point::from).collect();
    // Black has three in a row, with no White stone near.
    let black: Vec<Point> = points(&[(7, 7), (0, 0), (7, 8), (0, 14), (7, 9)]);
    // White is in the middle, Black in the corners.
    let white: Vec<Point> = points(&[(0, 0), (7, 7), (14, 14), (8, 8), (0, 14)]);
    for stones in [3, 5] {
        for bot in [BotKind::Engine, BotKind::Attack] {
            let reply = swap2(bot, 1, 15, &black[..stones]);
            assert_eq!(reply, Reply::Swap, "{bot} {stones}");
            let reply = swap2(bot, 1, 15, &white[..stones]);
            let Reply::Move(point) = reply else { panic!("{bot} {stones}: {reply}") };
            let all = [&white[..stones], &[point]].concat();
            assert!(Position::from_moves(freestyle(15), &all).is_ok(), "{all:?}");
        }
    }
}

#[test]
fn swap2_sets_two_more_stones_where_it_is_not_known_who_is_better() {
    let mut kinds = HashMap::new();
    for stones in fivefold_engine::bot::opening::random(freestyle(15), 2, 3).take(30) {
        let reply = swap2(BotKind::Engine, 1, 15, &stones);
        let (kind, next) = match reply {
            Reply::Swap => ("swap", Vec::new()),
            Reply::Move(point) => ("stay", vec![point]),
            Reply::Stones(more) => {
                assert_eq!(more.len(), 2);
                ("more", more)
            }
            other => panic!("{other} to {stones:?}"),
        };
        let all = [stones, next].concat();
        assert!(Position::from_moves(freestyle(15), &all).is_ok(), "{all:?}");
        *kinds.entry(kind).or_insert(0) += 1;
    }
    assert_eq!(kinds.len(), 3, "every answer is given: {kinds:?}");
}

/// A quiet game with nothing decided, the brain to move.
const QUIET: &str = "BOARD\n7,7,2\n8,8,1\n6,6,2\n5,5,1\n8,6,2\n6,8,1\n9,5,2\nDONE";

/// A brain that has just answered a move, after this `INFO pondering`.
fn answered(ponder: bool, info: &str) -> Game {
    let mut game = Game::new(options(ponder));
    let text = format!("START 15\nINFO max_node 300\nINFO pondering {info}\n{QUIET}");
    let mut reader = Reader::default();
    for command in text.lines().filter_map(|line| reader.line(line.as_bytes())) {
        game.run_command(command.unwrap(), Instant::now(), &AtomicBool::new(false));
    }
    game
}

#[test]
fn it_ponders_only_on_request() {
    // These return without being cancelled.
    for (ponder, info) in [(false, "?"), (false, "0"), (true, "0")] {
        answered(ponder, info).ponder(&AtomicBool::new(false));
    }
    for (ponder, info) in [(true, "?"), (true, "1"), (false, "1")] {
        let mut game = answered(ponder, info);
        let called = AtomicBool::new(false);
        thread::scope(|scope| {
            let thinking = scope.spawn(|| game.ponder(&called));
            thread::sleep(Duration::from_millis(50));
            assert!(!thinking.is_finished(), "it thinks on until it is called");
            called.store(true, Ordering::Relaxed);
        });
        // Once for each move.
        game.ponder(&AtomicBool::new(false));
    }
}

#[test]
fn any_command_ends_its_pondering() {
    let mut talk = Talk::new(true);
    assert_eq!(talk.ask("START 15"), Reply::Ok);
    for _ in 0..50 {
        talk.ask_for_move(&format!("INFO max_node 300\n{QUIET}"));
    }
    talk.end();
}

#[test]
fn the_best_moves_are_reported() {
    let answers = answers("START 15\nYXBOARD\n7,7,2\nDONE\nYXNBEST 3\nTURN 0,0");
    let [Reply::Ok, first, _, _, Reply::Move(best), Reply::Move(_)] = answers.as_slice() else {
        panic!("{answers:?}");
    };
    let Reply::Message(first) = first else { panic!("{first}") };
    assert!(first.starts_with(&format!("{},{}: ", best.x, best.y)), "{first}");
}

#[test]
fn a_refused_command_leaves_the_board_as_it_was() {
    // The brain has moved once; the commands below concern its stone.
    let refused = [
        "TURN 15,0",
        "TURN -1,3",
        "TURN 99999999999,3",
        "TURN 7,7",
        "TURN",
        "BOARD\n1,1,1\n1,1,2\nDONE",
        "BOARD\n1,1,1\n2,1,1\nDONE",
        "BOARD\n1,1,3\nDONE",
        "BOARD\n1,1,4\nDONE",
        "BOARD\n99,1,2\nDONE",
        "YXBOARD\n1,1,1\n1,1,2\nDONE",
        "YXBOARD\n15,1,1\nDONE",
        "TAKEBACK 3,3",
        "PLAY 3,3",
        "SWAP2BOARD\n1,1\n1,1\n2,2\nDONE",
        "SWAP2BOARD\n1,1\nDONE",
        "START 4",
        "START 65",
        "RECTSTART 15",
        "YXNBEST 0",
        "HELLO",
    ];
    for command in refused {
        let mut talk = Talk::new(false);
        assert_eq!(talk.ask("START 15"), Reply::Ok);
        let own = talk.ask_for_move("INFO max_node 300\nTURN 7,7");
        let reply = talk.ask(command);
        assert!(matches!(reply, Reply::Error(_) | Reply::Unknown(_)), "{command}: {reply}");
        // Both stones are there, and no others.
        assert_eq!(talk.ask("TAKEBACK 1,1"), Reply::Error("no stone at 1,1".into()), "{command}");
        let next = talk.ask_for_move("TURN 0,14");
        assert_ne!(next, own, "{command}");
        for (x, y) in [(next.x, next.y), (0, 14), (own.x, own.y), (7, 7)] {
            assert_eq!(talk.ask(&format!("TAKEBACK {x},{y}")), Reply::Ok, "{command}");
        }
        talk.ask_for_move("BEGIN");
        talk.end();
    }
}

#[test]
fn after_a_restart_it_plays_as_one_that_was_just_started() {
    // The second game of each has the same number, and so the same random choices.
    let game = format!("INFO max_node 2000\nTURN 0,14\nTURN 1,14\n{QUIET}\nTURN 14,14");
    let fresh = answers(&format!("START 15\nRESTART\n{game}"));
    let renewed = answers(&format!("START 15\n{QUIET}\nTURN 14,0\nRESTART\n{game}"));
    assert_eq!(fresh[1..], renewed[3..], "the same replies from RESTART on");
    assert!(fresh[1..].iter().skip(1).all(|reply| matches!(reply, Reply::Move(_))), "{fresh:?}");
}

#[test]
fn it_reports_a_memory_limit_that_is_too_low() {
    for threads in [1, 9] {
        let least = memory_min(threads);
        let told = |bytes: u64| {
            let infos = format!("INFO thread_num {threads}\nINFO max_memory {bytes}");
            answers(&format!("{infos}\nSTART 15\nBEGIN"))
        };
        assert!(matches!(told(least)[..], [Reply::Ok, Reply::Move(_)]), "{threads} {least}");
        assert!(matches!(told(0)[..], [Reply::Ok, Reply::Move(_)]), "0 is no limit");
        let replies = told(least - 1);
        let [Reply::Message(text), Reply::Ok, Reply::Move(_)] = &replies[..] else {
            panic!("{threads} {least}: {replies:?}");
        };
        assert!(text.contains("max_memory"), "{text}");
    }
    // More threads need more memory, in either order of the commands.
    let least = memory_min(1);
    let replies = answers(&format!("INFO max_memory {least}\nINFO thread_num 9\nSTART 15"));
    assert!(matches!(replies[..], [Reply::Message(_), Reply::Ok]), "{replies:?}");
}
