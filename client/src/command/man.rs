//! `fivefold man`

use std::{fmt::Write as _, io::Write, process::ExitCode};

use clap::{Arg, Command, CommandFactory};

use crate::{cli::Cli, terminal::output};

/// Prints the manual page, for `man -l -` or a folder `man1`.
pub(super) fn run() -> anyhow::Result<ExitCode> {
    output::stdout().write_all(page().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The page, made from the same definitions as the help.
fn page() -> String {
    let mut program = Cli::command();
    program.build();
    let version = program.get_version().unwrap_or_default().to_owned();
    let about = about(&program);
    let mut page = format!(
        ".TH FIVEFOLD 1 \"\" \"Fivefold {version}\" \"User Commands\"\n.SH NAME\nfivefold \\- {}\n\
         .SH SYNOPSIS\n.B fivefold\n.I COMMAND\n[\\fIOPTION\\fR]...\n.SH COMMANDS\n",
        escaped(about.trim_end_matches('.'))
    );
    for command in program.get_subcommands().filter(|command| is_shown(command)) {
        add_command(&mut page, "fivefold", command);
    }
    if let Some(more) = program.get_after_help() {
        page.push_str(".SH NOTES\n.nf\n");
        page.push_str(&escaped(&more.to_string()));
        page.push_str("\n.fi\n");
    }
    page
}

fn add_command(page: &mut String, parent: &str, command: &Command) {
    let name = format!("{parent} {}", command.get_name());
    let commands: Vec<_> = command.get_subcommands().filter(|own| is_shown(own)).collect();
    if !commands.is_empty() {
        for own in commands {
            add_command(page, &name, own);
        }
        return;
    }
    let places = command.get_positionals().map(|place| match place.is_required_set() {
        true => values(place),
        false => format!("[{}]", values(place)),
    });
    let usage: Vec<String> = [name].into_iter().chain(places).collect();
    // Writing to a string cannot fail.
    let _written =
        writeln!(page, ".SS {}\n{}", escaped(&usage.join(" ")), escaped(&about(command)));
    let is_own =
        |arg: &&Arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str());
    for arg in command.get_arguments().filter(is_own) {
        let names = match (arg.get_long(), arg.get_num_args().is_some_and(|n| n.takes_values())) {
            (None, _) => values(arg),
            (Some(long), true) if is_optional(arg) => format!("--{long} [{}]", values(arg)),
            (Some(long), true) => format!("--{long} {}", values(arg)),
            (Some(long), false) => format!("--{long}"),
        };
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let _written = writeln!(page, ".TP\n.B {}\n{}", escaped(&names), escaped(&help));
    }
}

/// Whether the option can be given without a value.
fn is_optional(arg: &Arg) -> bool {
    arg.get_num_args().is_some_and(|values| values.min_values() == 0)
}

fn is_shown(command: &Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

fn values(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// A text as `troff` shows it: no line is a request, and a hyphen stays one.
fn escaped(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_command_and_option() {
        let page = page();
        let mut program = Cli::command();
        program.build();
        for command in program.get_subcommands().filter(|command| is_shown(command)) {
            let heading = escaped(&format!(".SS fivefold {}", command.get_name()));
            assert!(page.contains(&heading[2..]), "{heading}");
            for option in command.get_arguments().filter_map(Arg::get_long) {
                let named = format!(".B {}", escaped(&format!("--{option}")));
                assert!(["help", "version"].contains(&option) || page.contains(&named), "{named}");
            }
        }
        for option in [r"\-\-bot [KIND[:LEVEL]]", r"\-\-retry [N]", r"\-\-time TIME"] {
            assert!(page.contains(&format!("\n.B {option}\n")), "{option}");
        }
        assert_eq!(escaped(".x\\y\n'a-b"), "\\&.x\\ey\n\\&'a\\-b");
    }
}
