//! Compares the rules with files of renju positions, and prints how many lines of each agree.
//!
//! ```text
//! cargo run --release -p fivefold-shared --example renju_vectors -- FILE...
//! ```
//!
//! Ends with status 1 when any line disagrees, and with 2 when a file cannot be read.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program's output")]
#![expect(clippy::disallowed_methods, reason = "the files are handed in here")]

#[path = "../tests/rules/renju_vectors.rs"]
mod renju_vectors;

use std::{env, fs, process::ExitCode};

fn main() -> ExitCode {
    let paths: Vec<String> = env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: renju_vectors FILE...");
        return ExitCode::from(2);
    }
    let mut all_agree = true;
    for path in paths {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::from(2);
            }
        };
        let report = renju_vectors::compare(&text);
        for disagreement in &report.disagreements {
            println!("{path}, {disagreement}");
        }
        println!("{path}: {} of {} agree", report.lines - report.disagreements.len(), report.lines);
        all_agree &= report.disagreements.is_empty();
    }
    if all_agree { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
