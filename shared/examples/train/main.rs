//! Fits the network over shapes to games of the engine against itself, and writes the file that the
//! engine reads.
//!
//! ```text
//! cargo run --release -p fivefold-shared --example selfplay -- 20000 1 freestyle 15 1200 > games.txt
//! cargo run --release -p fivefold-shared --example train -- 3 shared/src/engine/shape_network/freestyle.bin games.txt
//! ```
//!
//! The first number is that of the passes over all positions. The first fortieth of the positions is
//! not learned from: each pass prints how far the values are from those of the search there, as a mean
//! square, beside the same for the network that the engine was compiled with.
//!
//! The weights for freestyle come from two passes over 2,382,369 positions on 15x15: 2.4 million lines of
//! `selfplay` by seeds 501 and 502 with 3,000 nodes a move, and 601 and 602 with 1,200, by the engine
//! that had only the patterns. Their error was 0.0183, that of the patterns 0.0229. Before, when every
//! shape had numbers of its own while learning and only the frequent ones in the file, the error in the
//! engine was a tenth below that of the patterns instead of a fifth, and that network won nothing.

#![expect(clippy::print_stderr, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that reads and writes files")]

mod board;
mod file;
mod fit;
mod frequent;
mod network;
mod samples;

use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let passes = arguments.next().ok_or("how many passes?")?.parse()?;
    let output = arguments.next().ok_or("which file to write?")?;
    let mut samples = Vec::new();
    for path in arguments {
        samples.append(&mut samples::read(&path)?);
    }
    eprintln!("{} positions", samples.len());
    let first = samples.first().ok_or("no positions")?;
    let (variant, size) = (first.variant, first.size);
    if samples.iter().any(|sample| (sample.variant, sample.size) != (variant, size)) {
        return Err("positions of one variant and size, please".into());
    }
    let is_frequent = frequent::frequent(&samples);
    let network = fit::fit(&samples, &is_frequent, variant, passes);
    fs::write(output, file::write(&network, &is_frequent))?;
    Ok(())
}
