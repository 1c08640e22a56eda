//! The entry point of the program `fivefold`.

use std::process::ExitCode;

fn main() -> ExitCode {
    fivefold::command::main()
}
