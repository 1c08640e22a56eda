//! Tests openings at the screen: the menu, stones that wait, and the question before they are sent.

use super::*;
use crate::{
    tui::app::{Mode, Question},
    words::opening_choices::Choice,
};

fn renju() -> Rules {
    rules(Variant::Renju, Size::square(15))
}

/// The one act since the last call, and its ply.
fn chosen(sitting: &mut Sitting) -> Option<(usize, Act)> {
    match sitting.requests().as_slice() {
        [RoomRequest::Choose { ply, act }] => Some((*ply, act.clone())),
        _ => None,
    }
}

#[test]
fn stones_of_swap2_wait_to_be_confirmed() {
    let mut ann = Sitting::opened(freestyle(15), OpeningKind::Swap2, Viewer::Black);
    let three = Act::put(ann.named("h8 h9 j10"));
    ann.keys(":h8<Enter>:a1<Enter>u:h9<Enter>:h9<Enter>");
    assert_eq!(ann.last_message(), "You have placed a stone there.");
    assert_eq!(chosen(&mut ann), None);
    ann.keys(":j10<Enter>");
    assert_eq!(*ann.app.mode(), Mode::Ask(Question::Opening(Choice::Put)));
    // A no takes the last stone back.
    ann.keys("n:k5<Enter>n:j10<Enter>y");
    assert_eq!(chosen(&mut ann), Some((0, three)));
}

#[test]
fn a_menu_offers_the_choices_of_swap2() {
    let cases = [
        ("1y", Some(Act::Take(Stone::White))),
        ("2y", Some(Act::Take(Stone::Black))),
        ("2n1y", Some(Act::Take(Stone::White))),
        ("4<Esc>", None),
        // Esc leaves the menu, and Enter opens it.
        ("<Esc><Enter>2y", Some(Act::Take(Stone::Black))),
        ("3:i9<Enter>:g7<Enter>y", Some(Act::put([(8, 6), (6, 8)].map(Point::from).to_vec()))),
        // With nothing placed, u leads back to the menu.
        ("3u<Enter>1y", Some(Act::Take(Stone::White))),
    ];
    for (keys, expected) in cases {
        let mut bob = Sitting::opened(freestyle(15), OpeningKind::Swap2, Viewer::White);
        assert_eq!(*bob.app.mode(), Mode::Board);
        bob.puts("h8 h9 j10");
        assert_eq!(*bob.app.mode(), Mode::Choose, "{keys}");
        bob.keys(keys);
        assert_eq!(chosen(&mut bob), expected.map(|act| (3, act)), "{keys}");
    }
}

#[test]
fn the_bell_rings_when_the_opening_asks() {
    let mut bob = Sitting::opened(freestyle(15), OpeningKind::Swap2, Viewer::White);
    bob.puts("h8 h9 j10");
    assert_eq!(bob.effects, [Effect::Bell]);
    bob.effects.clear();
    bob.acts(&Act::Take(Stone::White));
    assert_eq!(bob.effects, [], "the same seat goes on");
    assert_eq!(bob.last_message(), "The opening is over. Ann plays Black.");
    bob.keys(":i9<Enter>");
    assert_eq!(bob.played(), Some((3, "i9".into())));
}

#[test]
fn zones_and_equal_offers_are_refused_at_once() {
    let mut ann = Sitting::opened(renju(), OpeningKind::Rif, Viewer::Black);
    ann.keys(":h9<Enter>");
    assert_eq!(ann.last_message(), "The opening does not allow a stone there now.");
    ann.puts("h8 h9 h7").acts(&Act::Take(Stone::White)).puts("h6");
    ann.keys(":g8<Enter>:i7<Enter>");
    assert_eq!(ann.last_message(), "Same as number 1, turned or mirrored.");
    ann.keys(":g9<Enter>y");
    let offer = Act::Offer(ann.named("g8 g9"));
    assert_eq!(chosen(&mut ann), Some((4, offer.clone())));

    let mut bob = Sitting::opened(renju(), OpeningKind::Rif, Viewer::White);
    bob.puts("h8 h9 h7").acts(&Act::Take(Stone::White)).puts("h6").acts(&offer);
    bob.keys(":a1<Enter>");
    assert_eq!(bob.last_message(), "Pick one of the numbers.");
    bob.keys(":g9<Enter>");
    assert_eq!(chosen(&mut bob), Some((4, Act::Select(Point::new(6, 6)))));
}

#[test]
fn a_number_is_declared_with_the_stones() {
    let mut bob = Sitting::opened(renju(), OpeningKind::Soosyrv8, Viewer::White);
    bob.puts("h8 h9 h7").acts(&Act::Take(Stone::White));
    bob.keys(":h6<Enter>9<Enter>");
    assert_eq!(bob.last_message(), "A number from 1 to 8.");
    bob.keys("<Backspace>3<Enter>y");
    let act = Act::Put { points: bob.named("h6"), declare: Some(3) };
    assert_eq!(chosen(&mut bob), Some((3, act)));
}

#[test]
fn screens_of_openings() {
    let mut bob = Sitting::opened(freestyle(15), OpeningKind::Swap2, Viewer::White);
    bob.puts("h8 h9 j10");
    insta::assert_snapshot!("opening_choice", bob.drawn(80, 24));
    insta::assert_snapshot!("opening_choice_narrow", bob.drawn(40, 12));
    let stones = bob.keys("3:i9<Enter>").drawn(40, 12);
    assert!(stones.contains("Stone 2 of 2: Black"), "{stones}");
    bob.keys("uu");
    let mut ann = Sitting::opened(renju(), OpeningKind::Rif, Viewer::Black);
    ann.keys(":h8<Enter>:h9<Enter>");
    insta::assert_snapshot!("opening_zone", ann.drawn(80, 24));
    let mut eve = Sitting::opened(renju(), OpeningKind::Rif, Viewer::Spectator);
    eve.puts("h8 h9 h7").acts(&Act::Take(Stone::Black)).puts("h6");
    let offer = Act::Offer(eve.named("g8 g9"));
    eve.acts(&offer);
    insta::assert_snapshot!("opening_offered", eve.drawn(80, 24));
}
