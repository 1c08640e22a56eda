//! Tests of point names: parsing and formatting.

use fivefold_shared::{
    notation::coordinates,
    rules::{Point, SIDE_MAX, SIDE_MIN, Size},
};
use proptest::prelude::*;

#[track_caller]
fn check(size: Size, text: &str, expected: Result<(i32, i32), &str>) {
    let parsed = coordinates::parse(text, size);
    let parsed = parsed.map(<(i32, i32)>::from).map_err(|error| error.to_string());
    assert_eq!(parsed, expected.map_err(str::to_owned), "{text:?} on {size}");
}

#[test]
fn names() {
    let size = Size::square(15);
    check(size, "h8", Ok((7, 7)));
    check(size, "H8", Ok((7, 7)));
    check(size, "  h8\n", Ok((7, 7)));
    check(size, "a1", Ok((0, 14)));
    check(size, "a15", Ok((0, 0)));
    check(size, "o1", Ok((14, 14)));
    check(size, "o15", Ok((14, 0)));

    let oblong = Size::Bounded { width: 30, height: 3 };
    check(oblong, "z3", Ok((25, 0)));
    check(oblong, "aa1", Ok((26, 2)));
    check(oblong, "AD2", Ok((29, 1)));
    check(Size::square(64), "bl64", Ok((63, 0)));
}

#[test]
fn numbers() {
    let size = Size::square(15);
    check(size, "0,0", Ok((0, 0)));
    check(size, " 14 , 3 ", Ok((14, 3)));
    check(Size::Unbounded, "-12,+7", Ok((-12, 7)));
    check(Size::Unbounded, "2147483647, -2147483648", Ok((i32::MAX, i32::MIN)));
}

#[test]
fn what_is_no_point_is_told_with_what_is() {
    let size = Size::square(15);
    let form = "not a point; write a name from a1 to o15, or x,y from 0,0 (top left) to 14,14";
    for text in [
        "", " ", "h", "8", "8h", "8 8", "h 8", "h8 i9", "h-8", "h8x", "ä8", "h８", ",", "7,", ",7",
        "7,7,7", "7;7", "1.5,2", "--1,2", "7,h", "(7,7)",
    ] {
        check(size, text, Err(form));
    }
    let outside =
        "not on the board; write a name from a1 to o15, or x,y from 0,0 (top left) to 14,14";
    for text in [
        "p1",
        "a0",
        "a16",
        "aa1",
        "zz99",
        "15,0",
        "0,15",
        "-1,0",
        "0,-1",
        "h4294967304",
        "h99999999999999999999",
        "zzzzzzzzzzzzzzzzzzzzzz1",
        "99999999999,0",
    ] {
        check(size, text, Err(outside));
    }
    let unbounded = "not a point; write x,y, such as 3,-4";
    for text in ["h8", "8 8", "", "3"] {
        check(Size::Unbounded, text, Err(unbounded));
    }
    let too_large = "not on the board; write x,y, such as 3,-4";
    check(Size::Unbounded, "2147483648,0", Err(too_large));
}

#[test]
fn every_name_of_every_board_is_read_back() {
    for width in SIDE_MIN..=SIDE_MAX {
        for height in SIDE_MIN..=SIDE_MAX {
            let size = Size::Bounded { width, height };
            let columns = (0..i32::from(width)).map(|x| Point::new(x, x % i32::from(height)));
            let rows = (0..i32::from(height)).map(|y| Point::new(y % i32::from(width), y));
            for point in columns.chain(rows) {
                let name = coordinates::format(point, size);
                assert_eq!(coordinates::parse(&name, size), Ok(point), "{name} on {size}");
            }
        }
    }
}

proptest! {
    #[test]
    fn every_point_of_the_unbounded_board_is_read_back(x in any::<i32>(), y in any::<i32>()) {
        let point = Point::new(x, y);
        let text = coordinates::format(point, Size::Unbounded);
        prop_assert_eq!(coordinates::parse(&text, Size::Unbounded), Ok(point));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,12}") {
        for size in [Size::square(15), Size::Unbounded] {
            if let Ok(point) = coordinates::parse(&text, size) {
                let canonical = coordinates::format(point, size);
                prop_assert_eq!(coordinates::parse(&canonical, size), Ok(point));
            }
        }
    }
}
