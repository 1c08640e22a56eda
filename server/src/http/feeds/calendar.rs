//! The calendar: for each game in which it is the account's move, an event when the time for the move ends.

use std::fmt::Write as _;

use fivefold_shared::clock::utc;

use super::turn::Turn;
use crate::online::language::Language;

/// Longest line in bytes, without its end (RFC 5545, section 3.1).
const LINE_MAX: usize = 75;

/// The calendar of these games, at a time in milliseconds since the Unix epoch.
pub(super) fn write(turns: &[Turn], language: Language, now: u64) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| fold(&mut text, &format!("{name}:{value}"));
    line("BEGIN", "VCALENDAR");
    line("VERSION", "2.0");
    line("PRODID", "-//Fivefold//Daily games//EN");
    line("X-WR-CALNAME", &escape(language.title()));
    line("REFRESH-INTERVAL;VALUE=DURATION", "PT30M");
    for turn in turns.iter().filter(|turn| turn.is_own) {
        line("BEGIN", "VEVENT");
        line("UID", &format!("{}-{}@fivefold", turn.room, turn.number));
        line("DTSTAMP", &stamp(turn.since.unwrap_or(now)));
        line("DTSTART", &stamp(turn.due));
        line("SUMMARY", &escape(&language.turn(turn)));
        // It takes none of the owner's day.
        line("TRANSP", "TRANSPARENT");
        if let Some(link) = &turn.link {
            line("URL", link);
        }
        line("END", "VEVENT");
    }
    line("END", "VCALENDAR");
    text
}

/// A time in UTC as calendars write it, such as `20261129T214621Z`.
fn stamp(at: u64) -> String {
    utc(at).replace(['-', ':'], "")
}

/// A text as a value.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,").replace('\n', "\\n")
}

/// Appends a line. One that is too long goes on in the next, which begins with a space.
fn fold(text: &mut String, line: &str) {
    let mut free = LINE_MAX;
    for letter in line.chars() {
        if free < letter.len_utf8() {
            text.push_str("\r\n ");
            free = LINE_MAX - 1;
        }
        text.push(letter);
        free -= letter.len_utf8();
    }
    write!(text, "\r\n").expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::{super::turn::tests::turns, *};

    #[test]
    fn own_moves_are_events() {
        let text = write(&turns(), Language::Spanish, 1_795_920_000_000);
        let expected = [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "PRODID:-//Fivefold//Daily games//EN",
            "X-WR-CALNAME:Fivefold: partidas diarias",
            "REFRESH-INTERVAL;VALUE=DURATION:PT30M",
            "BEGIN:VEVENT",
            "UID:22223333bcde-2199023255558@fivefold",
            "DTSTAMP:20261129T000000Z",
            "DTSTART:20261130T000000Z",
            "SUMMARY:Te toca contra Zoë\\; <b>\\, \\\\o/",
            "TRANSP:TRANSPARENT",
            "URL:https://five.example/r/22223333bcde",
            "END:VEVENT",
            "END:VCALENDAR",
            "",
        ];
        assert_eq!(text, expected.join("\r\n"));
    }

    #[test]
    fn long_lines_are_folded_between_letters() {
        let cases =
            [(75, vec![75]), (76, vec![75, 2]), (75 + 74, vec![75, 75]), (150, vec![75, 75, 2])];
        for (length, expected) in cases {
            let mut text = String::new();
            fold(&mut text, &"a".repeat(length));
            let lengths: Vec<_> = text.trim_end().split("\r\n").map(str::len).collect();
            assert_eq!(lengths, expected, "{length}");
        }
        let mut text = String::new();
        fold(&mut text, &format!("{}é", "a".repeat(74)));
        assert_eq!(text, format!("{}\r\n é\r\n", "a".repeat(74)));
    }
}
