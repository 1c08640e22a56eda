//! The file that the engine reads.

use fivefold_shared::{
    engine::{EvalTrace, Shapes},
    rules::Stone,
};
use sha2::{Digest, Sha256};

use crate::network::{Network, REACHES};

/// Writes what the engine's `shape_network` reads.
pub(crate) fn write(network: &Network, is_frequent: &[bool]) -> Vec<u8> {
    let mut content = Vec::new();
    for bias in network.bias() {
        content.extend(word(bias * Shapes::SCALE).to_le_bytes());
    }
    let units: Vec<Vec<f32>> =
        (0..Shapes::HIDDEN).map(|unit| network.unit(unit).collect()).collect();
    let mut floats = Vec::new();
    for input in 0..2 * Shapes::CHANNELS {
        floats.extend(units.iter().map(|unit| unit[input] / Shapes::SCALE));
    }
    floats.extend(network.outputs());
    for class in 0..EvalTrace::THREAT_CLASSES {
        let (hidden, output) = network.threats(class);
        floats.extend(hidden);
        floats.push(output);
    }
    content.extend(floats.into_iter().flat_map(f32::to_le_bytes));
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
                let rows = network.rows_of(shape, 0);
                let sum: f32 = rows.map(|row| network.rows[row as usize][channel]).sum();
                byte(sum * Shapes::SCALE).cast_unsigned()
            }));
        }
    }
    [&Shapes::FORMAT[..], &Sha256::digest(&content)[..], &content].concat()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a number out of range becomes the nearest one"
)]
fn byte(number: f32) -> i8 {
    number.round() as i8
}

#[expect(clippy::cast_possible_truncation, reason = "as above")]
fn word(number: f32) -> i16 {
    number.round() as i16
}
