//! Tests of the JSON of rules, points and outcomes, and of the errors for invalid ones.

use fivefold_shared::rules::{Forbidden, Outcome, Point, Rules, Size, Stone, Variant};
use serde::{Serialize, de::DeserializeOwned};

#[track_caller]
fn check<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, json: &str) {
    assert_eq!(serde_json::to_string(value).unwrap(), json);
    assert_eq!(&serde_json::from_str::<T>(json).unwrap(), value);
}

#[test]
fn what_is_written_is_read_back() {
    let rules = |variant, size| Rules::new(variant, size).unwrap();
    check(&Rules::TIC_TAC_TOE, r#"{"variant":"mnk","k":3,"size":[3,3]}"#);
    check(&rules(Variant::Renju, Size::square(15)), r#"{"variant":"renju","size":[15,15]}"#);
    check(
        &rules(Variant::CaroOverline, Size::Unbounded),
        r#"{"variant":"caro_overline","size":"unbounded"}"#,
    );
    check(
        &rules(Variant::Freestyle, Size::Bounded { width: 64, height: 3 }),
        r#"{"variant":"freestyle","size":[64,3]}"#,
    );
    check(
        &Outcome::Five { winner: Stone::White, points: vec![Point::new(-7, 8)] },
        r#"{"reason":"five","winner":"white","points":[[-7,8]]}"#,
    );
    check(
        &Outcome::Forbidden {
            winner: Stone::White,
            point: Point::new(0, 14),
            kind: Forbidden::DoubleThree,
        },
        r#"{"reason":"forbidden","winner":"white","point":[0,14],"kind":"double_three"}"#,
    );
    check(
        &Outcome::Resignation { winner: Stone::Black },
        r#"{"reason":"resignation","winner":"black"}"#,
    );
    check(&Outcome::<Stone>::Agreement, r#"{"reason":"agreement"}"#);
    check(&Outcome::Time { winner: Stone::Black }, r#"{"reason":"time","winner":"black"}"#);
    check(&Outcome::Aborted { by: Some(Stone::White) }, r#"{"reason":"aborted","by":"white"}"#);
    check(&Outcome::<Stone>::Aborted { by: None }, r#"{"reason":"aborted"}"#);
    check(&Outcome::<Stone>::FullBoard, r#"{"reason":"full_board"}"#);
    check(&Outcome::<Stone>::LengthLimit, r#"{"reason":"length_limit"}"#);
}

#[test]
fn a_short_form_of_the_size_is_enough() {
    for (json, variant, size) in [
        (r#"{"variant":"standard"}"#, Variant::Standard, Size::square(15)),
        (r#"{"variant":"standard","size":19}"#, Variant::Standard, Size::square(19)),
        (r#"{"variant":"mnk","k":3}"#, Variant::Mnk { k: 3 }, Size::square(3)),
        (r#"{"variant":"mnk","k":4}"#, Variant::Mnk { k: 4 }, Size::square(15)),
    ] {
        let rules = Rules::new(variant, size).unwrap();
        assert_eq!(serde_json::from_str::<Rules>(json).unwrap(), rules, "{json}");
    }
}

#[test]
fn what_cannot_be_played_is_refused_with_a_sentence() {
    let sides = "a board is 3 to 64 points wide and high, or unbounded";
    let form = "a size is a number, [width, height] or \"unbounded\"";
    for (json, sentence) in [
        (r#"{"variant":"standard","size":2}"#, sides),
        (r#"{"variant":"standard","size":[65,15]}"#, sides),
        (r#"{"variant":"standard","size":256}"#, sides),
        (r#"{"variant":"standard","size":[15,-15]}"#, sides),
        (r#"{"variant":"standard","size":"endless"}"#, sides),
        (r#"{"variant":"standard","size":[15,15,15]}"#, form),
        (r#"{"variant":"standard","size":1.5}"#, form),
        (r#"{"variant":"standard","size":[4,4]}"#, "the winning line is longer than"),
        (r#"{"variant":"renju","size":19}"#, "renju is played on 15x15 only"),
        (r#"{"variant":"renju","size":"unbounded"}"#, "renju is played on 15x15 only"),
        (r#"{"variant":"mnk"}"#, "mnk needs k"),
        (r#"{"variant":"mnk","k":2}"#, "k is 3 to 10"),
        (r#"{"variant":"mnk","k":11}"#, "k is 3 to 10"),
        (r#"{"variant":"mnk","k":4,"size":3}"#, "the winning line is longer than"),
        (r#"{"variant":"caro","k":5}"#, "only mnk takes k"),
        (r#"{"variant":"chess"}"#, "unknown variant `chess`"),
    ] {
        let error = serde_json::from_str::<Rules>(json).unwrap_err().to_string();
        assert!(error.starts_with(sentence), "{json} says: {error}");
    }
}
