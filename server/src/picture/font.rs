//! The font of the pictures: Inter, with the letters of Latin, Greek and Cyrillic scripts. Letters that
//! it lacks are drawn as empty boxes.

use std::fmt;

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The font file; `fonts/LICENSE` is its licence.
const FILE: &[u8] = include_bytes!("../../fonts/inter-600.ttf");

/// The font of the pictures. Sizes are in pixels.
pub(super) struct Font {
    face: Face<'static>,
    /// The font's own units in a size of 1.
    units: f32,
}

/// A letter as it is drawn.
enum Glyph {
    Known(GlyphId),
    /// A box stands for it.
    Unknown,
    /// Marks above and below letters are left out.
    Mark,
}

impl Font {
    /// Half the height of digits: how far below its middle a text stands, for a size of 1.
    pub(super) const MIDDLE: f32 = 0.364;
    /// The space of a box, for a size of 1.
    const BOX: f32 = 0.7;

    pub(super) fn new() -> Self {
        let face = Face::parse(FILE, 0).expect("the font is part of the program");
        let units = f32::from(face.units_per_em());
        Self { face, units }
    }

    /// The width of a text.
    pub(super) fn width(&self, text: &str, size: f32) -> f32 {
        text.chars().map(|letter| self.advance(&self.letter(letter))).sum::<f32>() * size
    }

    /// The text, or its beginning and an ellipsis, so that it is at most this wide.
    pub(super) fn cut(&self, text: &str, size: f32, width: f32) -> String {
        if self.width(text, size) <= width {
            return text.to_owned();
        }
        let mut cut = String::new();
        for letter in text.chars() {
            if self.width(&format!("{cut}{letter}…"), size) > width {
                break;
            }
            cut.push(letter);
        }
        format!("{}…", cut.trim_end())
    }

    /// The text in lines that are at most this wide, broken at spaces. A longer word is cut.
    pub(super) fn lines(&self, text: &str, size: f32, width: f32) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ') {
            match lines.last_mut() {
                Some(line) if self.width(&format!("{line} {word}"), size) <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                Some(_) | None => lines.push(self.cut(word, size, width)),
            }
        }
        lines
    }

    /// The outline of a text from here to the right; `y` is the line that letters stand on.
    pub(super) fn outline(&self, text: &str, x: f32, y: f32, size: f32) -> Option<Path> {
        let mut pen = Pen { path: PathBuilder::new(), x, y, scale: size / self.units };
        for letter in text.chars() {
            let letter = self.letter(letter);
            match letter {
                Glyph::Known(glyph) => {
                    // A space has no outline.
                    let _no_box = self.face.outline_glyph(glyph, &mut pen);
                }
                Glyph::Unknown => pen.empty_box(Self::BOX * self.units),
                Glyph::Mark => {}
            }
            pen.x += self.advance(&letter) * size;
        }
        pen.path.finish()
    }

    fn letter(&self, letter: char) -> Glyph {
        match self.face.glyph_index(letter) {
            Some(glyph) => Glyph::Known(glyph),
            None if is_mark(letter) => Glyph::Mark,
            None => Glyph::Unknown,
        }
    }

    /// How far the next letter is, for a size of 1.
    fn advance(&self, letter: &Glyph) -> f32 {
        match letter {
            Glyph::Known(glyph) => {
                f32::from(self.face.glyph_hor_advance(*glyph).unwrap_or(0)) / self.units
            }
            Glyph::Unknown => Self::BOX,
            Glyph::Mark => 0.0,
        }
    }
}

impl fmt::Debug for Font {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Font(Inter)")
    }
}

/// Whether this is a mark on the letter before it, or chooses how that letter looks.
const fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}')
}

/// Draws letters at a place. Fonts count upward, pictures downward.
struct Pen {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }

    /// Two boxes, one in the other. The inner one turns the other way, so that it is empty.
    fn empty_box(&mut self, width: f32) {
        let edge = width / 9.0;
        for (near, far, turned) in
            [(edge, width - edge, false), (2.0 * edge, width - 2.0 * edge, true)]
        {
            let mut corners = [(near, near), (far, near), (far, far), (near, far)];
            if turned {
                corners.reverse();
            }
            self.move_to(corners[0].0, corners[0].1);
            for (x, y) in &corners[1..] {
                self.line_to(*x, *y);
            }
            self.close();
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2)) = (self.place(x1, y1), self.place(x2, y2));
        let (x, y) = self.place(x, y);
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_broken_to_their_width() {
        let font = Font::new();
        for text in [
            "Ann",
            "Жанна Ωmega",
            "井井井井井井井井井井井井井井",
            "W".repeat(500).as_str(),
            "e\u{301}\u{301}",
            "",
        ] {
            for width in [60.0, 300.0] {
                let cut = font.cut(text, 40.0, width);
                assert!(font.width(&cut, 40.0) <= width, "{text} {width}: {cut}");
                assert_eq!(cut == text, font.width(text, 40.0) <= width, "{text} {width}: {cut}");
                for line in font.lines(text, 40.0, width) {
                    assert!(font.width(&line, 40.0) <= width, "{text} {width}: {line}");
                }
            }
        }
        assert_eq!(font.lines("five in a row", 40.0, 160.0).join(" "), "five in a row");
        assert_eq!(font.lines("five in a row", 40.0, 160.0).len(), 2);
    }

    #[test]
    fn every_letter_is_drawn_and_marks_are_not() {
        let font = Font::new();
        for letter in ["A", "é", "ž", "Ж", "я", "Ω", "7", "…", "–", "井", "\u{1f600}", "م"]
        {
            let drawn = font.outline(letter, 0.0, 40.0, 40.0).map(|path| path.bounds());
            assert!(drawn.is_some_and(|bounds| bounds.width() > 3.0), "{letter}");
        }
        assert!(font.outline("\u{301}\u{fe0f}", 0.0, 40.0, 40.0).is_none());
    }
}
