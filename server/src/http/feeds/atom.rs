//! The feed: an entry for each turn of the games that are running.

use std::fmt::Write as _;

use fivefold_shared::clock::utc;

use super::turn::Turn;
use crate::{http::preview::escape, online::language::Language};

/// The feed of these games, at a time in milliseconds since the Unix epoch; `site` is this server's address.
pub(super) fn write(turns: &[Turn], language: Language, site: Option<&str>, now: u64) -> String {
    let site = site.map(escape).unwrap_or_default();
    let title = escape(language.title());
    let began = |turn: &Turn| turn.since.unwrap_or(now);
    let updated = utc(turns.iter().map(began).max().unwrap_or(now));
    let code = language.code();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{code}\">\n\
         <title>{title}</title><id>urn:fivefold:games</id><updated>{updated}</updated>\n\
         <author><name>Fivefold</name></author><link href=\"{site}\"/>\n"
    );
    for turn in turns {
        let title = escape(&language.turn(turn));
        let link = turn.link.as_deref().map(escape).unwrap_or_default();
        let (updated, ends) = (utc(began(turn)), escape(&language.ends(turn.due)));
        writeln!(
            text,
            "<entry><title>{title}</title><id>urn:fivefold:{}:{}</id><updated>{updated}</updated>\
             <link href=\"{link}\"/><summary>{ends}</summary></entry>",
            turn.room, turn.number
        )
        .expect("a string takes everything");
    }
    text.push_str("</feed>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::{super::turn::tests::turns, *};

    #[test]
    fn each_turn_is_an_entry() {
        let site = Some("https://five.example/");
        let text = write(&turns(), Language::English, site, 1_795_920_000_000);
        let expected = r#"<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<title>Fivefold: daily games</title><id>urn:fivefold:games</id><updated>2026-11-29T02:40:00Z</updated>
<author><name>Fivefold</name></author><link href="https://five.example/"/>
<entry><title>Your move against Zoë; &lt;b&gt;, \o/</title><id>urn:fivefold:22223333bcde:2199023255558</id><updated>2026-11-29T00:00:00Z</updated><link href="https://five.example/r/22223333bcde"/><summary>The time ends 2026-11-30 00:00 UTC.</summary></entry>
<entry><title>Your opponent’s move</title><id>urn:fivefold:22223333bcdf:2199023255558</id><updated>2026-11-29T02:40:00Z</updated><link href="https://five.example/r/22223333bcde"/><summary>The time ends 2026-11-30 00:00 UTC.</summary></entry>
</feed>
"#;
        assert_eq!(text, expected);
    }
}
