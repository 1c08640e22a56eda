//! A brain by what it reads and writes.

use std::io::Cursor;

use fivefold_shared::{
    bot::BotKind,
    rules::{Position, Rules, Size, Variant},
};

use super::*;

/// What is answered to these lines, in the time of a few positions.
fn answers(input: &str) -> Vec<Reply> {
    let options = BrainOptions { bot: BotKind::Engine.into(), hash_bytes: 1 << 20, seed: 1 };
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

#[test]
fn moves_are_legal_in_every_rule_and_on_every_board() {
    let cases = [
        ("START 5", 0),
        ("START 64", 0),
        ("RECTSTART 5,64", 1),
        ("START 15", 4),
        ("START 20", 8),
        ("START 19", 9),
    ];
    for (start, rule) in cases {
        let input = format!("{start}\nINFO rule {rule}\nBEGIN\nTURN 0,0\nTURN 1,4");
        let answers = answers(&input);
        let moves: Vec<_> = answers[1..]
            .iter()
            .map(|reply| match reply {
                Reply::Move(point) => *point,
                other => panic!("{other} to {input}"),
            })
            .collect();
        let ours = |index: usize| moves[index];
        let all = [ours(0), (0, 0).into(), ours(1), (1, 4).into(), ours(2)];
        let variant = fivefold_shared::notation::gomocup::variant_of(rule).unwrap();
        let side = |text: &str| text.parse::<u8>().unwrap();
        let size = match start.split_once(' ').unwrap().1.split_once(',') {
            Some((width, height)) => Size::Bounded { width: side(width), height: side(height) },
            None => Size::square(side(&start["START ".len()..])),
        };
        let rules = Rules::new(variant, size).unwrap();
        assert!(Position::from_moves(rules, &all).is_ok(), "{input}: {all:?}");
    }
}

#[test]
fn swap2_is_played_to_its_end() {
    let answers_to = |stones: &str| answers(&format!("START 15\nSWAP2BOARD\n{stones}DONE"));
    let opening = answers_to("");
    let [Reply::Ok, Reply::Stones(stones)] = opening.as_slice() else { panic!("{opening:?}") };
    let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
    assert_eq!(Position::from_moves(rules, stones).unwrap().ply(), 3);
    // Black is three stones ahead of two lonely white ones: nobody wants White.
    let [Reply::Ok, Reply::Swap] = answers_to("7,7\n0,0\n7,8\n0,14\n7,9\n").as_slice() else {
        panic!("Black is better");
    };
    // White has the middle, Black has the corners.
    let [Reply::Ok, Reply::Move(_)] = answers_to("0,0\n7,7\n14,14\n").as_slice() else {
        panic!("White is better");
    };
}

#[test]
fn the_best_moves_are_told() {
    let answers = answers("START 15\nYXBOARD\n7,7,2\nDONE\nYXNBEST 3\nTURN 0,0");
    let [Reply::Ok, first, _, _, Reply::Move(best), Reply::Move(_)] = answers.as_slice() else {
        panic!("{answers:?}");
    };
    let Reply::Message(first) = first else { panic!("{first}") };
    assert!(first.starts_with(&format!("{},{}: ", best.x, best.y)), "{first}");
}
