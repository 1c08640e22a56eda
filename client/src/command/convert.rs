//! `fivefold convert`

use std::{
    fs,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::Context;

use super::{Usage, rules};
use crate::{
    cli::ConvertArgs,
    files::{self, Format, Source},
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
    let game = files::read(source, args.from, rules)?;
    if let Err(error) = files::position(&game) {
        writeln!(io::stderr(), "fivefold: {error}")?;
    }
    let text = files::write(&game, format)?;
    match output {
        Some(path) => {
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        None => io::stdout().write_all(text.as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}
