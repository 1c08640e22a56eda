//! How the bytes of a text file become letters: which encoding a file is in.
//!
//! The encodings have the names of the WHATWG Encoding Standard (encoding.spec.whatwg.org). Decoding
//! needs tables, which browsers have; the command line takes them from a crate. So this module only
//! chooses, for both.

use std::borrow::Cow;

use super::renlib;

/// Longest value of `CA` that is read, in bytes.
const NAME_BYTES_MAX: usize = 40;
/// How much of a file is looked at for a guess, in bytes.
const GUESS_BYTES: usize = 64 << 10;

/// The encoding of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Its byte order mark or its bytes show it.
    Sure(&'static str),
    /// The file names it, in SGF's property `CA`. The name may be unknown.
    Named(String),
    /// Nothing shows it: see [`likely`].
    Unknown,
    /// The bytes are no text.
    Binary,
}

/// What of a file is text: all of it, or the comments of a library.
pub fn text_of(file: &[u8]) -> Cow<'_, [u8]> {
    if renlib::is_library(file) { renlib::texts(file).into() } else { file.into() }
}

/// The part of a text without a letter at its end that may be incomplete.
pub fn whole_letters(part: &[u8]) -> &[u8] {
    if part.contains(&0) {
        return &part[..part.len() & !1];
    }
    let after_ascii = part.iter().rposition(u8::is_ascii).map_or(part.len(), |last| last + 1);
    &part[..after_ascii]
}

/// The encoding of a text.
pub fn of(bytes: &[u8]) -> Encoding {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => return Encoding::Sure("utf-8"),
        [0xff, 0xfe, ..] => return Encoding::Sure("utf-16le"),
        [0xfe, 0xff, ..] => return Encoding::Sure("utf-16be"),
        _ => {}
    }
    if bytes.contains(&0) {
        return two_bytes_a_letter(bytes).map_or(Encoding::Binary, Encoding::Sure);
    }
    if std::str::from_utf8(bytes).is_ok() {
        return Encoding::Sure("utf-8");
    }
    named(bytes).map_or(Encoding::Unknown, Encoding::Named)
}

/// UTF-16 without a byte order mark: of each pair that is a mark or a digit, one byte is 0, always
/// on the same side.
fn two_bytes_a_letter(bytes: &[u8]) -> Option<&'static str> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let zeros = |side: usize| pairs.iter().filter(|pair| pair[side] == 0).count();
    match (zeros(0), zeros(1)) {
        _ if !rest.is_empty() => None,
        (0, low) if low * 4 >= pairs.len() => Some("utf-16le"),
        (high, 0) if high * 4 >= pairs.len() => Some("utf-16be"),
        _ => None,
    }
}

/// The value of SGF's `CA`.
fn named(bytes: &[u8]) -> Option<String> {
    let mut at = bytes.windows(3).enumerate().filter(|(_, three)| *three == b"CA[");
    let (start, _) = at.find(|&(at, _)| at == 0 || !bytes[at - 1].is_ascii_uppercase())?;
    let value = &bytes[start + 3..];
    let length = value.iter().take(NAME_BYTES_MAX).position(|&byte| byte == b']')?;
    let name = std::str::from_utf8(&value[..length]).ok()?.trim();
    (!name.is_empty()).then(|| name.to_ascii_lowercase())
}

/// Whether a pair of bytes is a frequent letter of an encoding; absent where it is no pair.
type IsFrequent = fn(u8, u8) -> Option<bool>;

/// The encoding that most likely has written these bytes, which are no UTF-8. It looks where the
/// bytes of the most frequent letters lie in each encoding, so it needs no tables; programs that
/// have a better guess take that.
pub fn likely(bytes: &[u8]) -> &'static str {
    let bytes = &bytes[..bytes.len().min(GUESS_BYTES)];
    let runs = || bytes.split(u8::is_ascii).filter(|run| !run.is_empty());
    // In words of Western languages, letters beyond ASCII stand alone or in twos.
    let in_long_runs: usize = runs().map(<[u8]>::len).filter(|&length| length > 2).sum();
    let all: usize = runs().map(<[u8]>::len).sum();
    let candidates: [(&'static str, IsFrequent); 4] = [
        ("shift_jis", frequent_in_shift_jis),
        ("euc-kr", frequent_in_euc_kr),
        ("big5", frequent_in_big5),
        ("gb18030", frequent_in_gb18030),
    ];
    // The first of equal ones counts.
    let scored = candidates.into_iter().rev().map(|(name, is)| (share(bytes, is), name));
    let best = scored.max_by_key(|&(share, _)| share);
    let cyrillic = runs().flatten().filter(|&&byte| byte >= 0xc0).count();
    match best {
        Some((Some(90..), name)) => name,
        _ if in_long_runs * 2 >= all && cyrillic * 10 >= all * 9 => "windows-1251",
        _ => "windows-1252",
    }
}

/// How many of a hundred pairs are frequent letters; none when a byte cannot be read.
fn share(bytes: &[u8], frequent: IsFrequent) -> Option<usize> {
    let (mut pairs, mut counted) = (0, 0);
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = after;
        if first.is_ascii() {
            continue;
        }
        // A pair that was cut at the end does not count.
        let [second, after @ ..] = rest else { break };
        counted += usize::from(frequent(*first, *second)?);
        pairs += 1;
        rest = after;
    }
    (counted * 100).checked_div(pairs)
}

/// Whether a pair is kana or one of the first kanji.
fn frequent_in_shift_jis(first: u8, second: u8) -> Option<bool> {
    let is_pair =
        matches!(first, 0x81..=0x9f | 0xe0..=0xfc) && matches!(second, 0x40..=0x7e | 0x80..=0xfc);
    is_pair.then_some(match first {
        0x82 => matches!(second, 0x4f..=0x9a | 0x9f..=0xf1),
        0x83 => matches!(second, 0x40..=0x96),
        0x81 | 0x88..=0x98 => true,
        _ => false,
    })
}

/// Whether a pair is a syllable of Hangul.
fn frequent_in_euc_kr(first: u8, second: u8) -> Option<bool> {
    let is_pair = matches!(first, 0xa1..=0xfe) && matches!(second, 0xa1..=0xfe);
    is_pair.then_some(matches!(first, 0xb0..=0xc8))
}

/// Whether a pair is one of the frequent characters, which come first.
fn frequent_in_big5(first: u8, second: u8) -> Option<bool> {
    let is_pair = matches!(first, 0xa1..=0xf9) && matches!(second, 0x40..=0x7e | 0xa1..=0xfe);
    is_pair.then_some(matches!(first, 0xa4..=0xc6))
}

/// Whether a pair is one of the frequent characters of GB 2312, which come first.
fn frequent_in_gb18030(first: u8, second: u8) -> Option<bool> {
    let is_pair =
        matches!(first, 0x81..=0xfe) && matches!(second, 0x30..=0x39 | 0x40..=0x7e | 0x80..=0xfe);
    is_pair.then_some(matches!(first, 0xb0..=0xd7) && second >= 0xa1)
}
