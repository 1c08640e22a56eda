//! Fits the network over shapes to games of the engine against itself, and writes the file that the
//! engine reads.
//!
//! ```text
//! cargo run --release -p fivefold-engine --example selfplay -- 20000 1 freestyle 15 1200 > freestyle.txt
//! cargo run --release -p fivefold-engine --example selfplay -- 20000 2 renju 15 1200 > renju.txt
//! cargo run --release -p fivefold-engine --example train -- 2 shared/engine/src/search/shape_network/weights.bin freestyle.txt renju.txt
//! ```
//!
//! The first number is that of the passes over all positions. Each file has games by the same rules on
//! the same board. Where the file of weights is there, fitting goes on from it, and so with a fifth of
//! the rate. The first fortieth of each file is not learned from: each pass prints how far the values are from
//! those of the search there, as a mean square, beside the same for the engine as compiled.
//!
//! The weights began as those of freestyle: two passes over 2,382,369 positions on 15x15 by the engine
//! that had only the patterns. Two more passes, with all variants together, went over 2,235,347
//! positions of 2026-11-26: games with 1,200 nodes a move, freestyle on 15x15 (38 % of the positions before those
//! that the engine would not evaluate were left out) and on 20x20 (11), standard (20), renju (18), caro (10) and
//! caro with overlines (4). A pass over twice as many won nothing (`docs/measurements/engine.md`).

#![expect(clippy::print_stderr, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that reads and writes files")]

mod board;
mod file;
mod fit;
mod frequent;
mod network;
mod samples;

use std::{env, fs};

use samples::Samples;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let passes = arguments.next().ok_or("how many passes?")?.parse()?;
    let path = arguments.next().ok_or("which file?")?;
    let mut samples = Samples::default();
    for path in arguments {
        samples.read(&path)?;
    }
    eprintln!("{} positions", samples.fitted.len());
    let before = match fs::read(&path) {
        Ok(file) => Some(file::read(&file).ok_or("the file is not one of this program")?),
        Err(_) => None,
    };
    let is_frequent = match &before {
        Some(file) => file.rows[0].iter().map(Option::is_some).collect(),
        None => frequent::frequent(&samples),
    };
    let network = fit::fit(&samples, &is_frequent, before.as_ref(), passes);
    fs::write(path, file::write(&network, &is_frequent))?;
    Ok(())
}
