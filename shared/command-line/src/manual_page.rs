//! The manual page of a program, made from the same definitions as its help.

use std::fmt::Write as _;

use clap::{Arg, Command, Id};

/// The longest line that is shown as it is, in characters. Longer ones are filled as paragraphs.
const LINE_MAX: usize = 100;

/// The page, for `man -l -` or a folder `man1`.
pub fn manual_page(mut program: Command) -> String {
    program.build();
    let name = program.get_name();
    let about = about(&program);
    let mut page = format!(
        ".TH {} 1 \"\" \"Fivefold {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n",
        escaped(&name.to_uppercase()),
        env!("CARGO_PKG_VERSION"),
        escaped(name),
        escaped(about.trim_end_matches('.')),
        escaped(name),
    );
    page.push_str(match program.is_subcommand_required_set() {
        true => ".I COMMAND\n[\\fIOPTION\\fR]...\n",
        false => "[\\fIOPTION\\fR]... [\\fICOMMAND\\fR]\n",
    });
    if program.get_arguments().any(is_own) {
        page.push_str(".SH OPTIONS\n");
        add_options(&mut page, &program, &[]);
    }
    page.push_str(".SH COMMANDS\n");
    let everywhere: Vec<_> =
        program.get_arguments().filter(|arg| arg.is_global_set()).map(Arg::get_id).collect();
    for command in program.get_subcommands().filter(|command| is_shown(command)) {
        add_command(&mut page, name, command, &everywhere);
    }
    if let Some(more) = program.get_after_long_help().or_else(|| program.get_after_help()) {
        page.push_str(".SH NOTES\n.nf\n");
        for line in more.to_string().lines() {
            let text = line.trim_start();
            let indent = line.len() - text.len();
            let _written = match line.chars().count() > LINE_MAX {
                true => writeln!(page, ".fi\n.RS {indent}n\n{}\n.RE\n.nf", escaped(text)),
                false => writeln!(page, "{}", escaped(line)),
            };
        }
        page.push_str(".fi\n");
    }
    page
}

/// A command, or the commands below it. Options that every command takes are not repeated.
fn add_command(page: &mut String, parent: &str, command: &Command, everywhere: &[&Id]) {
    let name = format!("{parent} {}", command.get_name());
    let commands: Vec<_> = command.get_subcommands().filter(|own| is_shown(own)).collect();
    if !commands.is_empty() {
        for own in commands {
            add_command(page, &name, own, everywhere);
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
    add_options(page, command, everywhere);
}

fn add_options(page: &mut String, command: &Command, without: &[&Id]) {
    let args =
        command.get_arguments().filter(|arg| is_own(arg) && !without.contains(&arg.get_id()));
    for arg in args {
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

fn is_own(arg: &Arg) -> bool {
    !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str())
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
    use clap::ArgAction;

    use super::*;

    #[test]
    fn a_page_has_each_option_where_it_is_taken() {
        let data = Arg::new("data").long("data").value_name("FOLDER").global(true);
        let repair = Arg::new("repair").long("repair").action(ArgAction::SetTrue);
        let check = Command::new("check").about("Check all.").arg(repair);
        let hidden = Command::new("hidden").hide(true);
        let long = "word ".repeat(20);
        let program = Command::new("five-server").about("Serves.").arg(data);
        let program =
            program.subcommands([check, hidden]).after_long_help(format!("  short\n  {long}"));
        let page = manual_page(program);
        let (_, body) = page.split_once(".SH NAME\n").unwrap();
        assert_eq!(
            body,
            format!(
                "five\\-server \\- Serves\n.SH SYNOPSIS\n.B five\\-server\n[\\fIOPTION\\fR]... [\\fICOMMAND\\fR]\n\
                 .SH OPTIONS\n.TP\n.B \\-\\-data FOLDER\n\n.SH COMMANDS\n.SS five\\-server check\nCheck all.\n\
                 .TP\n.B \\-\\-repair\n\n.SH NOTES\n.nf\n  short\n.fi\n.RS 2n\n{long}\n.RE\n.nf\n.fi\n"
            )
        );
    }

    #[test]
    fn no_line_is_a_request() {
        assert_eq!(escaped(".x\\y\n'a-b"), "\\&.x\\ey\n\\&'a\\-b");
    }
}
