//! Codes in links as people send them: with capitals, punctuation or `?utm=` behind them, in quotes or
//! brackets, and with characters in them that nobody sees. `server/web/board/not-found.js` has the same rule;
//! `testdata/sent_codes.tsv` tests both.

/// Characters without a picture, which chats and mails put into long words.
const INVISIBLE: [char; 9] = [
    '\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{fe0f}',
    '\u{feff}',
];

/// A text without invisible characters.
pub fn visible(text: &str) -> String {
    text.replace(INVISIBLE, "")
}

/// The code at the beginning of what follows `/r/` or `/game/` in a link, in small letters. What stands
/// before its first letter or digit, and behind its last one, belongs to the message around it. The
/// result may still be no code.
pub fn sent_code(text: &str) -> String {
    let text = visible(text);
    let is_sign = |sign: char| !sign.is_ascii_alphanumeric();
    text.trim_start_matches(is_sign).split(is_sign).next().unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::RoomCode;

    #[test]
    fn codes_are_read_as_people_send_them() {
        let table = include_str!("../../testdata/sent_codes.tsv");
        let rows = table.lines().filter(|row| !row.starts_with('#')).map(|row| {
            let (text, read) = row.split_once('\t').expect("two columns");
            (serde_json::from_str::<String>(text).expect("a JSON string"), read)
        });
        let mut count = 0;
        for (text, read) in rows {
            let code = RoomCode::try_from(sent_code(&text)).ok();
            let expected = if read == "no" { None } else { Some(read) };
            assert_eq!(code.as_ref().map(RoomCode::as_str), expected, "{text:?}");
            count += 1;
        }
        assert!(count > 20, "{count}");
    }
}
