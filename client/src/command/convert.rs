//! `fivefold convert`

use std::{
    fs,
    io::{ErrorKind, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::Context;
use fivefold_shared::notation::tree::GameTree;

use super::{
    finished_game,
    usage::{Usage, rules},
};
use crate::{
    cli::ConvertArgs,
    game_files::{self, Format, Reading},
    terminal::{output, sanitize::sanitize},
};

/// Reads a game in one format and writes it in another.
pub(super) async fn run(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    let rules = rules(&args.game, &[])?;
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let Some(format) = args.to.or_else(|| Format::of_path(output?)) else {
        let text = "into which format? Name it by --to, or by the end of the second file's name";
        return Err(Usage(text.into()).into());
    };
    let input = args.input.as_deref().unwrap_or(Path::new("-"));
    let reading = Reading { format: args.from, rules, game: args.number };
    let tree = game_files::playable(finished_game::read(reading, input, &args.server).await?)?;
    match output {
        Some(path) => {
            let text = game_files::write(tree, format)?;
            write_file(path, &text, args.force)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        None => print(tree, format)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write_file(path: &Path, text: &str, overwrites: bool) -> anyhow::Result<()> {
    if overwrites {
        return Ok(fs::write(path, text)?);
    }
    let mut file = fs::File::create_new(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => anyhow::anyhow!("it exists; --force replaces it"),
        _ => error.into(),
    })?;
    Ok(file.write_all(text.as_bytes())?)
}

/// Prints a game. In line-based formats each name takes one line.
fn print(mut tree: GameTree, format: Format) -> anyhow::Result<()> {
    let mut out = output::stdout();
    if format == Format::Json {
        out.json(&game_files::write(tree, format)?)?;
    } else {
        let texts = [&mut tree.black, &mut tree.white, &mut tree.date, &mut tree.event];
        for name in texts.into_iter().flatten() {
            *name = sanitize(name).into_owned();
        }
        out.lines(&game_files::write(tree, format)?)?;
    }
    Ok(out.flush()?)
}
