//! Pictures, pixel by pixel where it matters.

use fivefold_shared::notation;

use super::*;

/// The card of a position, in which `text` are the moves.
fn position(rules: Rules, text: &str) -> Card {
    let read = notation::Source::first(text, rules).read().unwrap();
    Card::of_position(&read.content.main_line())
}

fn freestyle(size: Size) -> Rules {
    Rules::new(Variant::Freestyle, size).unwrap()
}

/// How bright the pixel beside the middle of a point is, from 0 to 255: beside, because numbers are in
/// the middle. `right` and `down` are in points.
fn light(card: &Card, canvas: &Canvas, point: (i32, i32), (right, down): (f32, f32)) -> u32 {
    let board = card.board();
    let (x, y) = board.place(point.into());
    let (next, _) = board.place((point.0 + 1, point.1).into());
    let step = next - x;
    let [red, green, blue] = canvas.pixel(x + right * step, y + down * step);
    (u32::from(red) + u32::from(green) + u32::from(blue)) / 3
}

#[test]
fn stones_are_where_they_were_played() {
    let size = Size::square(15);
    let card = position(freestyle(size), "h8 i9 a1 o15");
    let canvas = card.draw();
    let beside = (0.3, 0.2);
    for (point, dark) in [((7, 7), true), ((8, 6), false), ((0, 14), true), ((14, 0), false)] {
        let light = light(&card, &canvas, point, beside);
        assert!(if dark { light < 70 } else { light > 215 }, "{point:?} {light}");
    }
    // A free point is wood.
    let wood = light(&card, &canvas, (4, 9), beside);
    assert!((120..200).contains(&wood), "{wood}");
    // Around the board is the page.
    assert_eq!(canvas.pixel(640.0, 620.0), [0xed, 0xeb, 0xe3]);
}

#[test]
fn the_winning_line_and_the_last_move_are_marked() {
    let card = position(freestyle(Size::square(15)), "h8 a1 i8 a2 j8 a3 k8 a4 l8");
    assert_eq!(card.standing(), "Black won: five in a row");
    let canvas = card.draw();
    let reddish = |point: (i32, i32), right: f32, down: f32| {
        let board = card.board();
        let ((x, y), (next, _)) =
            (board.place(point.into()), board.place((point.0 + 1, point.1).into()));
        let [red, green, _] = canvas.pixel(x + right * (next - x), y + down * (next - x));
        red > 150 && green < 90
    };
    for x in 7..=11 {
        assert!(reddish((x, 7), 0.0, -0.55), "{x}: the edge of the capsule is above the line");
    }
    assert!(!reddish((5, 7), 0.0, -0.55));
    // The ring around the last stone.
    assert!(reddish((11, 7), 0.45, 0.02) && !reddish((10, 7), 0.45, 0.02));
}

#[test]
fn every_board_fits_and_words_stay_in_their_place() {
    let (width, height) = PICTURE_SIZE;
    let mnk = |k, width, height| Rules::new(Variant::Mnk { k }, Size::Bounded { width, height });
    let mut cards = vec![
        position(Rules::TIC_TAC_TOE, "a1 b2 c3"),
        position(mnk(3, 3, 64).unwrap(), "a1 c64"),
        position(mnk(3, 64, 3).unwrap(), "a1 bl3"),
        position(freestyle(Size::square(64)), "a1 bl64"),
        position(freestyle(Size::Unbounded), ""),
        position(freestyle(Size::Unbounded), "0,0 1000000,-1000000 1,1"),
    ];
    let game = |black: &str, white: &str| {
        let game = CardGame { black: black.into(), white: white.into(), day: "2026-11-22".into() };
        Card { game: Some(game), ..position(freestyle(Size::square(19)), "k10 l11") }
    };
    cards.push(game("Ann", "bot engine:5"));
    cards.push(game(&"W".repeat(24), &"\u{fdfd}".repeat(24)));
    cards.push(game("<svg onload=alert(1)>", &"e\u{301}\u{302}".repeat(12)));
    for card in cards {
        let canvas = card.draw();
        // The page's colour all around: nothing is cut off at the picture's edges.
        for x in 0..width {
            for y in [0.0, f32::from(height) - 1.0] {
                assert_eq!(canvas.pixel(x.into(), y), [0xed, 0xeb, 0xe3], "{card:?} {x}");
            }
        }
        for y in 0..height {
            // Between the board and the words, and beside them.
            for x in [0.0, 640.0, f32::from(width) - 30.0] {
                assert_eq!(canvas.pixel(x, y.into()), [0xed, 0xeb, 0xe3], "{card:?} {x},{y}");
            }
        }
    }
}

#[test]
fn a_full_board_is_a_small_file() {
    let moves = (0..19 * 19).map(|at| Point::new(at % 19, at / 19)).collect();
    let rules = freestyle(Size::square(19));
    let card = Card { rules, moves, outcome: Some(Outcome::FullBoard), game: None };
    assert_eq!(card.standing(), "Draw: the board is full");
    let png = card.png();
    assert!(png.starts_with(b"\x89PNG"));
    assert!(png.len() < 600_000, "{} bytes", png.len());
}

#[test]
fn words_say_how_it_stands() {
    let renju = Rules::new(Variant::Renju, Size::square(15)).unwrap();
    let cases = [
        (position(renju, ""), "Black to play. Renju 15x15, 0 moves."),
        (position(renju, "h8"), "White to play. Renju 15x15, 1 move."),
        (
            position(Rules::TIC_TAC_TOE, "a1 b1 a2 b2 a3"),
            "Black won: three in a row. Tic-tac-toe, 5 moves.",
        ),
        // Illegal moves end the position.
        (position(renju, "h8 h8 i9"), "White to play. Renju 15x15, 1 move."),
        (
            position(freestyle(Size::Unbounded), "0,0 1,1"),
            "Black to play. Freestyle without borders, 2 moves.",
        ),
    ];
    for (card, expected) in cases {
        assert_eq!(card.about(), expected);
    }
}
