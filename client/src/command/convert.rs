//! `fivefold convert`

use std::{fs, io::Write, path::Path, process::ExitCode};

use anyhow::Context;
use fivefold_shared::notation::file::GameFile;

use super::usage::{Usage, rules};
use crate::{
    cli::ConvertArgs,
    game_files::{self, Format, Source},
    output,
    sanitize::sanitize,
};

/// Reads a game in one format and writes it in another.
pub(super) fn run(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    let rules = rules(&args.game, &[])?;
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let Some(format) = args.to.or_else(|| Format::of_path(output?)) else {
        let text = "into which format? Name it by --to, or by the end of the second file's name";
        return Err(Usage(text.into()).into());
    };
    let source = Source::of(args.input.as_deref().unwrap_or(Path::new("-")));
    let game = game_files::read(source, args.from, rules)?;
    if let Err(error) = game_files::position(&game) {
        writeln!(output::stderr(), "fivefold: {error}")?;
    }
    match output {
        Some(path) => {
            let text = game_files::write(&game, format)?;
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        None => print(game, format)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a game. In line-based formats each name takes one line.
fn print(mut game: GameFile, format: Format) -> anyhow::Result<()> {
    let mut out = output::stdout();
    if format == Format::Json {
        out.json(&game_files::write(&game, format)?)?;
    } else {
        for name in [&mut game.black, &mut game.white, &mut game.date].into_iter().flatten() {
            *name = sanitize(name).into_owned();
        }
        out.lines(&game_files::write(&game, format)?)?;
    }
    Ok(out.flush()?)
}
