//! `fivefold collections export`

use std::{
    fs,
    io::{BufWriter, ErrorKind, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::Context;
use fivefold_shared::{
    collection::NumberedGame,
    notation::{sgf, tree::GameTree},
};

use super::{AccountSession, own_collections::Pages, with_session};
use crate::{
    cli::ExportArgs,
    terminal::{
        output::{self, Output, ProgressLine},
        sanitize::sanitize,
    },
};

/// Where the games are written.
enum Target {
    File(BufWriter<fs::File>),
    /// Standard output, which may be a terminal.
    Stdout(Output<std::io::Stdout>),
}

/// Writes all games of a collection.
pub(super) async fn run(args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let mut is_whole = true;
    let code = with_session(&args.server, async |at| {
        is_whole = write_all(at, args).await?;
        Ok(())
    })
    .await?;
    Ok(if is_whole { code } else { ExitCode::FAILURE })
}

/// Whether all games could be written.
async fn write_all(at: &AccountSession<'_>, args: &ExportArgs) -> anyhow::Result<bool> {
    let mut pages = Pages::of(at, &args.collection, args.player.as_deref()).await?;
    // Only create the file once the collection is known to exist.
    let mut page = pages.next(at).await?;
    let file = args.file.as_deref().filter(|path| path.as_os_str() != "-");
    let mut target = match file {
        Some(path) => Target::File(BufWriter::new(
            create(path, args.force).with_context(|| format!("cannot write {}", path.display()))?,
        )),
        None => Target::Stdout(output::stdout()),
    };
    let mut progress = ProgressLine::default();
    let (mut written, mut left_out) = (0_u64, 0_u64);
    while let Some(games) = page {
        for NumberedGame { number, game } in &games.games {
            let file = game.file();
            let text = file.and_then(|file| target.text_of(file.into()));
            match text {
                Ok(text) => {
                    target.write(&text)?;
                    written += 1;
                }
                Err(why) => {
                    progress.clear()?;
                    writeln!(output::stderr(), "fivefold: game {number}: {why}")?;
                    left_out += 1;
                }
            }
        }
        progress.show(&format!("{written} of {} games", games.collection.games))?;
        page = pages.next(at).await?;
    }
    progress.clear()?;
    target.finish()?;
    let s = if written == 1 { "" } else { "s" };
    writeln!(output::stderr(), "Wrote {written} game{s}.")?;
    Ok(left_out == 0)
}

fn create(path: &Path, overwrites: bool) -> anyhow::Result<fs::File> {
    if overwrites {
        return Ok(fs::File::create(path)?);
    }
    fs::File::create_new(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => anyhow::anyhow!("it exists; --force replaces it"),
        _ => error.into(),
    })
}

impl Target {
    fn text_of(&self, mut tree: GameTree) -> Result<String, String> {
        if let Self::Stdout(_) = self {
            let texts = [&mut tree.black, &mut tree.white, &mut tree.date, &mut tree.event];
            for text in texts.into_iter().flatten() {
                *text = sanitize(text).into_owned();
            }
        }
        sgf::write(&tree).map_err(|large| large.to_string())
    }

    fn write(&mut self, text: &str) -> std::io::Result<()> {
        match self {
            Self::File(file) => file.write_all(text.as_bytes()),
            Self::Stdout(out) => out.lines(text),
        }
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            Self::File(mut file) => file.flush(),
            Self::Stdout(mut out) => out.flush(),
        }
    }
}
