//! The file that the engine reads, and from which fitting goes on.

use fivefold_engine::search::Shapes;
use fivefold_shared::rules::Stone;
use sha2::{Digest, Sha256};

use crate::network::{HEAD, Network, REACHES, Row, file_scale, head_range};

/// The weights of a file.
pub(crate) struct Content {
    pub(crate) bias: Row,
    /// The weights of the head, and the rows of patterns.
    pub(crate) perspectives: Vec<(Vec<f32>, Vec<Row>)>,
    /// By reach and folded shape: its row.
    pub(crate) rows: [Vec<Option<Row>>; 2],
}

/// Writes what the engine's `shape_network` reads.
pub(crate) fn write(network: &Network, is_frequent: &[bool]) -> Vec<u8> {
    let mut content = Vec::new();
    for bias in network.bias() {
        content.extend(word(bias * Shapes::SCALE).to_le_bytes());
    }
    for perspective in 0..Shapes::PERSPECTIVES {
        content.extend(network.head(perspective).map(short).flat_map(f32::to_le_bytes));
        let patterns = network.pattern_rows(perspective).iter().flatten();
        content.extend(patterns.map(|number| byte(*number)));
    }
    let shapes = Shapes::default();
    for (part, reach) in REACHES.into_iter().enumerate().take(2) {
        // By folded shape: a shape that has that number.
        let mut shape_of = vec![None; shapes.folded_count(reach)];
        for shape in 0..Shapes::COUNT {
            let long = shapes.folded(shape, Stone::Black, REACHES[0]);
            if is_frequent[long as usize] == (part == 0) {
                shape_of[shapes.folded(shape, Stone::Black, reach) as usize] = Some(shape);
            }
        }
        for bits in shape_of.chunks(8) {
            let bit = |(index, shape): (usize, &Option<u32>)| u8::from(shape.is_some()) << index;
            content.push(bits.iter().enumerate().map(bit).sum());
        }
        for shape in shape_of.into_iter().flatten() {
            content.extend((0..Shapes::CHANNELS).map(|channel| {
                let rows = network.shared_rows(shape, 0);
                byte(rows.map(|row| network.rows[row as usize][channel]).sum())
            }));
        }
    }
    [&Shapes::FORMAT[..], &Sha256::digest(&content)[..], &content].concat()
}

/// Reads what [`write`] wrote. `None` for anything else.
pub(crate) fn read(file: &[u8]) -> Option<Content> {
    let (hash, content) = file.strip_prefix(&Shapes::FORMAT)?.split_at_checked(32)?;
    if Sha256::digest(content)[..] != *hash {
        return None;
    }
    let mut rest = content;
    let mut bytes = |count: usize| {
        let (first, others) = rest.split_at_checked(count)?;
        rest = others;
        Some(first)
    };
    let row = |bytes: &[u8]| -> Row {
        std::array::from_fn(|channel| f32::from(bytes[channel].cast_signed()) / Shapes::SCALE)
    };
    let words = bytes(2 * Shapes::CHANNELS)?.as_chunks().0;
    let bias = std::array::from_fn(|channel| {
        f32::from(i16::from_le_bytes(words[channel])) / Shapes::SCALE
    });
    let mut perspectives = Vec::new();
    for _ in 0..Shapes::PERSPECTIVES {
        let head = bytes(4 * HEAD)?.as_chunks().0.iter().copied().map(f32::from_le_bytes);
        let patterns = bytes(Shapes::PATTERNS * Shapes::CHANNELS)?;
        perspectives.push((head.collect(), patterns.chunks(Shapes::CHANNELS).map(row).collect()));
    }
    let shapes = Shapes::default();
    let mut rows =
        [vec![None; shapes.folded_count(REACHES[0])], vec![None; shapes.folded_count(REACHES[1])]];
    for rows in &mut rows {
        let bits = bytes(rows.len().div_ceil(8))?;
        for (number, own) in rows.iter_mut().enumerate() {
            if bits[number / 8] >> (number % 8) & 1 == 1 {
                *own = Some(row(bytes(Shapes::CHANNELS)?));
            }
        }
    }
    Some(Content { bias, perspectives, rows })
}

/// Gives a network the weights of a file.
pub(crate) fn begin(network: &mut Network, file: &Content) {
    network.dense[..Shapes::CHANNELS].copy_from_slice(&file.bias);
    network.rows.fill(Row::default());
    for (perspective, (head, patterns)) in file.perspectives.iter().enumerate() {
        let own = network.dense[head_range(perspective)].iter_mut().zip(head).enumerate();
        own.for_each(|(index, (own, weight))| *own = weight / file_scale(index));
        let begin = network.patterns_begin + perspective * Shapes::PATTERNS;
        network.rows[begin..begin + Shapes::PATTERNS].copy_from_slice(patterns);
    }
    // The rows of a shape are added, so what the shorter one has comes off the longer one's.
    let shapes = Shapes::default();
    for shape in 0..Shapes::COUNT {
        let [long, short, _] = network.parts[shape as usize][0];
        let [of_long, of_short] = [0, 1].map(|part| {
            file.rows[part][shapes.folded(shape, Stone::Black, REACHES[part]) as usize]
        });
        let of_short = of_short.unwrap_or_default();
        network.rows[short as usize] = of_short;
        if let Some(row) = of_long {
            network.rows[long as usize] =
                std::array::from_fn(|channel| row[channel] - of_short[channel]);
        }
    }
}

/// A weight by the upper half of its bits: precise enough, and the file compresses better.
fn short(weight: f32) -> f32 {
    f32::from_bits((weight.to_bits() + 0x8000) & 0xffff_0000)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a number out of range becomes the nearest one"
)]
fn byte(number: f32) -> u8 {
    ((number * Shapes::SCALE).round() as i8).cast_unsigned()
}

#[expect(clippy::cast_possible_truncation, reason = "as above")]
fn word(number: f32) -> i16 {
    number.round() as i16
}
