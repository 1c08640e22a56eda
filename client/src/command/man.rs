//! `fivefold man`

use std::{io::Write, process::ExitCode};

use clap::CommandFactory;
use fivefold_command_line::manual_page;

use crate::{cli::Cli, terminal::output};

/// Prints the manual page, for `man -l -` or a folder `man1`.
pub(super) fn run() -> anyhow::Result<ExitCode> {
    output::stdout().write_all(manual_page(Cli::command()).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    #[test]
    fn the_page_has_every_command_and_option() {
        let page = manual_page(Cli::command());
        let shown = |text: &str| page.contains(&text.replace('-', "\\-"));
        for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = command.get_name();
            assert!(shown(&format!(".SS fivefold {name}")), "{name}");
            for option in command.get_arguments().filter_map(Arg::get_long) {
                assert!(shown(&format!("\n.B --{option}")), "{name} --{option}");
            }
        }
        for option in ["--bot [KIND[:LEVEL]]", "--retry [N]", "--time TIME"] {
            assert!(shown(&format!("\n.B {option}\n")), "{option}");
        }
    }
}
