//! A sheet to draw on: shapes, gradients and text in pixels. It knows no games.

use tiny_skia::{
    Color, FillRule, FilterQuality, GradientStop, LineCap, LinearGradient, Mask, Paint, Path,
    PathBuilder, Pattern, Pixmap, Point, RadialGradient, Rect, Shader, SpreadMode, Stroke,
    Transform,
};

use super::font::Font;

/// Red, green, blue and opacity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8, pub(super) f32);

impl Colour {
    /// An opaque colour, such as `0xdeb172`.
    pub(super) const fn solid(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Self(red, green, blue, 1.0)
    }

    /// The same colour, this opaque.
    pub(super) const fn at(self, opacity: f32) -> Self {
        Self(self.0, self.1, self.2, opacity)
    }

    pub(super) fn into_skia(self) -> Color {
        let Self(red, green, blue, opacity) = self;
        let part = |part: u8| f32::from(part) / 255.0;
        let parts = (part(red), part(green), part(blue), opacity.clamp(0.0, 1.0));
        Color::from_rgba(parts.0, parts.1, parts.2, parts.3).expect("all are from 0 to 1")
    }
}

/// Colours at places of a gradient, from 0 to 1.
pub(super) type Stops<'a> = &'a [(f32, Colour)];

/// A circle: its middle and its radius.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circle(pub(super) f32, pub(super) f32, pub(super) f32);

/// A rectangle: left, top, width and height.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area(pub(super) f32, pub(super) f32, pub(super) f32, pub(super) f32);

/// A sheet of pixels.
#[derive(Debug)]
pub(super) struct Canvas {
    pixels: Pixmap,
    font: Font,
}

impl Canvas {
    /// A sheet of one colour.
    pub(super) fn new(width: u16, height: u16, ground: Colour) -> Self {
        let pixels = Pixmap::new(width.into(), height.into());
        let mut pixels = pixels.expect("the sheet's size is a constant");
        pixels.fill(ground.into_skia());
        Self { pixels, font: Font::new() }
    }

    /// The font of all texts.
    pub(super) const fn font(&self) -> &Font {
        &self.font
    }

    /// The sheet as a PNG file.
    ///
    /// # Panics
    /// If there is no memory.
    pub(super) fn png(&self) -> Vec<u8> {
        self.pixels.encode_png().expect("writing to memory does not fail")
    }

    /// Fills a rectangle, without softening its edges.
    pub(super) fn fill(&mut self, Area(x, y, width, height): Area, colour: Colour) {
        let Some(area) = Rect::from_xywh(x, y, width, height) else { return };
        let paint = Paint { anti_alias: false, ..plain(colour) };
        self.pixels.fill_rect(area, &paint, Transform::identity(), None);
    }

    /// Fills a rectangle with round corners.
    pub(super) fn fill_rounded(&mut self, area: Area, radius: f32, colour: Colour) {
        self.fill_path(rounded(area, radius), &plain(colour));
    }

    /// Fills a rectangle with round corners by a gradient from its upper left to its lower right
    /// corner.
    pub(super) fn fill_lit(&mut self, area: Area, radius: f32, stops: Stops<'_>) {
        let Area(x, y, width, height) = area;
        let (from, to) = (Point::from_xy(x, y), Point::from_xy(x + width, y + height));
        let mode = SpreadMode::Pad;
        let light = LinearGradient::new(from, to, gradient(stops), mode, Transform::identity());
        self.fill_path(rounded(area, radius), &shaded(light));
    }

    /// Fills a circle.
    pub(super) fn disc(&mut self, circle: Circle, colour: Colour) {
        self.fill_path(round(circle), &plain(colour));
    }

    /// Fills a circle by a gradient between two others.
    pub(super) fn ball(&mut self, circle: Circle, from: Circle, to: Circle, stops: Stops<'_>) {
        let (Circle(x, y, inner), Circle(to_x, to_y, outer)) = (from, to);
        let (from, to) = (Point::from_xy(x, y), Point::from_xy(to_x, to_y));
        let mode = SpreadMode::Pad;
        let light = RadialGradient::new(
            from,
            inner,
            to,
            outer,
            gradient(stops),
            mode,
            Transform::identity(),
        );
        self.fill_path(round(circle), &shaded(light));
    }

    /// Draws a circle's rim.
    pub(super) fn ring(&mut self, circle: Circle, width: f32, colour: Colour) {
        self.stroke(round(circle), width, colour);
    }

    /// Draws a line with round ends.
    pub(super) fn line(&mut self, from: (f32, f32), to: (f32, f32), width: f32, colour: Colour) {
        let mut path = PathBuilder::new();
        path.move_to(from.0, from.1);
        path.line_to(to.0, to.1);
        self.stroke(path.finish(), width, colour);
    }

    /// Writes a line of text from here to the right; `y` is the line that letters stand on.
    pub(super) fn write(&mut self, text: &str, (x, y): (f32, f32), size: f32, colour: Colour) {
        let path = self.font.outline(text, x, y, size);
        self.fill_path(path, &plain(colour));
    }

    /// Writes a text around a point.
    pub(super) fn write_at(&mut self, text: &str, (x, y): (f32, f32), size: f32, colour: Colour) {
        let left = x - self.font.width(text, size) / 2.0;
        self.write(text, (left, y + Font::MIDDLE * size), size, colour);
    }

    /// Covers an area with rows of a line of colours that repeats. `shift` moves each row.
    pub(super) fn cover(
        &mut self,
        area: Area,
        radius: f32,
        (line, row_height): (&[Colour], f32),
        shift: impl Fn(f32) -> f32,
    ) {
        let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
        let Some(mut texture) = Pixmap::new(length, 1) else { return };
        for (pixel, colour) in texture.pixels_mut().iter_mut().zip(line) {
            *pixel = colour.into_skia().premultiply().to_color_u8();
        }
        let (width, height) = (self.pixels.width(), self.pixels.height());
        let (Some(mut mask), Some(shape)) = (Mask::new(width, height), rounded(area, radius))
        else {
            return;
        };
        mask.fill_path(&shape, FillRule::Winding, true, Transform::identity());
        let Area(left, top, width, height) = area;
        let mut at = 0.0;
        while at < height {
            let place = Transform::from_translate(left + shift(at).round(), top + at);
            let (mode, quality) = (SpreadMode::Repeat, FilterQuality::Nearest);
            let shader = Pattern::new(texture.as_ref(), mode, quality, 1.0, place);
            let paint = Paint { shader, anti_alias: false, ..Paint::default() };
            if let Some(row) = Rect::from_xywh(left, top + at, width, row_height) {
                self.pixels.fill_rect(row, &paint, Transform::identity(), Some(&mask));
            }
            at += row_height;
        }
    }

    fn fill_path(&mut self, path: Option<Path>, paint: &Paint<'_>) {
        let Some(path) = path else { return };
        self.pixels.fill_path(&path, paint, FillRule::Winding, Transform::identity(), None);
    }

    fn stroke(&mut self, path: Option<Path>, width: f32, colour: Colour) {
        let Some(path) = path else { return };
        let stroke = Stroke { width, line_cap: LineCap::Round, ..Stroke::default() };
        self.pixels.stroke_path(&path, &plain(colour), &stroke, Transform::identity(), None);
    }

    /// The colour of a pixel.
    #[cfg(test)]
    pub(super) fn pixel(&self, x: f32, y: f32) -> [u8; 3] {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "on the sheet")]
        let (x, y) = (x as u32, y as u32);
        let pixel = self.pixels.pixel(x, y).expect("on the sheet").demultiply();
        [pixel.red(), pixel.green(), pixel.blue()]
    }
}

fn plain(colour: Colour) -> Paint<'static> {
    shaded(Some(Shader::SolidColor(colour.into_skia())))
}

/// A gradient that cannot be has no colour.
fn shaded(shader: Option<Shader<'static>>) -> Paint<'static> {
    let shader = shader.unwrap_or(Shader::SolidColor(Color::TRANSPARENT));
    Paint { shader, anti_alias: true, ..Paint::default() }
}

fn gradient(stops: Stops<'_>) -> Vec<GradientStop> {
    stops.iter().map(|(at, colour)| GradientStop::new(*at, colour.into_skia())).collect()
}

fn round(Circle(x, y, radius): Circle) -> Option<Path> {
    PathBuilder::from_circle(x, y, radius)
}

fn rounded(Area(x, y, width, height): Area, radius: f32) -> Option<Path> {
    let (right, bottom) = (x + width, y + height);
    let mut path = PathBuilder::new();
    path.move_to(x + radius, y);
    path.line_to(right - radius, y);
    path.quad_to(right, y, right, y + radius);
    path.line_to(right, bottom - radius);
    path.quad_to(right, bottom, right - radius, bottom);
    path.line_to(x + radius, bottom);
    path.quad_to(x, bottom, x, bottom - radius);
    path.line_to(x, y + radius);
    path.quad_to(x, y, x + radius, y);
    path.close();
    path.finish()
}
