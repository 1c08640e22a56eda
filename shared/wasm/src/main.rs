//! Answers requests natively: one per line of the input, each with one line. For tests and
//! measurements that compare the WebAssembly module with this program.

#![expect(clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that hands in the time")]

use std::{
    io::{self, BufRead},
    time::Instant,
};

fn main() -> io::Result<()> {
    let mut module = fivefold_wasm::Module::default();
    for request in io::stdin().lock().lines() {
        let begun = Instant::now();
        println!("{}", module.answer(&request?, &|| begun.elapsed(), &mut |_| {}));
    }
    Ok(())
}
