//! The program `fivefold`.

use std::process::ExitCode;

fn main() -> ExitCode {
    fivefold::command::main()
}
