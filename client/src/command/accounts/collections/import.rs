//! `fivefold collections import`

use std::{io::Write, path::Path, process::ExitCode};

use anyhow::Context;
use fivefold_shared::{
    collection::{
        BATCH_BYTES_MAX, BATCH_GAMES_MAX, CollectAnswer, CollectedGame, Collection,
        CollectionSettings, GamesToCollect, file_batches::FileBatch,
    },
    notation::notes::Note,
    protocol::CollectionName,
    rules::Rules,
};
use hyper::Method;
use serde_json::json;

use super::{
    AccountSession,
    collection_lines::{Counts, Line},
    own_collections::{PATH, own_by_name},
    with_session,
};
use crate::{
    cli::ImportArgs,
    command::usage::{Usage, rules},
    game_files::{GameParts, Source},
    lines::json_output::Json,
    terminal::output::{self, ProgressLine},
};

/// Bytes of a batch around its games.
const BATCH_BYTES_AROUND: usize = 100;

/// Adds the games of files to a collection. Reports faults, and adds the other games.
pub(super) async fn run(args: &ImportArgs) -> anyhow::Result<ExitCode> {
    let rules = rules(&args.game, &[])?;
    let mut counts = Counts::default();
    let code = with_session(&args.server, async |at| {
        let found = own_by_name(at, &args.collection).await?;
        let target = match found {
            Some(collection) => Target::There(collection),
            None => {
                let name = CollectionName::new(&args.collection)
                    .map_err(|error| Usage(error.to_string()))?;
                Target::Missing(CollectionSettings { name, shared: args.shared })
            }
        };
        let report = Report { as_json: args.json, progress: ProgressLine::default() };
        let mut import =
            Import { at, target, report, counts, games: Vec::new(), places: Vec::new(), bytes: 0 };
        let imported = import.files(&args.files, rules).await;
        counts = import.counts;
        imported.with_context(|| {
            format!(
                "the import stopped after {} games. Run it again: games that were already added \
                 are skipped",
                counts.added
            )
        })
    })
    .await?;
    Ok(if counts.faults == 0 { code } else { ExitCode::FAILURE })
}

/// The collection to fill.
enum Target {
    There(Collection),
    /// It is made when the first games are sent.
    Missing(CollectionSettings),
}

/// An import with the games that wait to be sent.
struct Import<'a> {
    at: &'a AccountSession<'a>,
    target: Target,
    report: Report,
    counts: Counts,
    games: Vec<CollectedGame>,
    /// The file and the line of each of them. A batch may have games of several files.
    places: Vec<(String, usize)>,
    /// How long they are as JSON.
    bytes: usize,
}

impl Import<'_> {
    async fn files(&mut self, files: &[impl AsRef<Path>], rules: Rules) -> anyhow::Result<()> {
        for path in files {
            self.file(path.as_ref(), rules).await?;
        }
        self.send().await?;
        let server = self.at.server.at(0);
        let link = match &self.target {
            Target::There(collection) => Some(server.collection_link(&collection.id)),
            Target::Missing(_) => None,
        };
        self.report.imported(link, self.counts)
    }

    /// Reads a file, and sends its games as soon as they fill a batch.
    async fn file(&mut self, path: &Path, rules: Rules) -> anyhow::Result<()> {
        let file = Source::of(path).to_string();
        let mut parts = match GameParts::open(path, rules) {
            Ok(parts) => parts,
            Err(error) => return self.unreadable(&file, &error),
        };
        loop {
            let batch = match parts.next_batch() {
                Ok(Some(batch)) => batch,
                Ok(None) => break,
                Err(error) => return self.unreadable(&file, &error),
            };
            for fault in &batch.faults {
                self.fault(&file, fault.line, &fault.text)?;
            }
            self.take(&file, batch).await?;
            self.report.progress(&file, (parts.read, parts.length), self.counts)?;
        }
        self.report.notes(&file, &parts.take_notes())
    }

    async fn take(&mut self, file: &str, batch: FileBatch) -> anyhow::Result<()> {
        let FileBatch { games, lines, bytes, .. } = batch;
        if self.games.len() + games.len() > BATCH_GAMES_MAX
            || self.bytes + bytes + BATCH_BYTES_AROUND > BATCH_BYTES_MAX
        {
            self.send().await?;
        }
        self.games.extend(games);
        self.places.extend(lines.into_iter().map(|line| (file.to_owned(), line)));
        self.bytes += bytes;
        Ok(())
    }

    /// Sends the games that wait.
    async fn send(&mut self) -> anyhow::Result<()> {
        if self.games.is_empty() {
            return Ok(());
        }
        if let Target::Missing(settings) = &self.target {
            let answer = self.at.send(Method::POST, PATH, Some(json!(settings))).await?;
            self.target = Target::There(answer.json()?);
        }
        let Target::There(Collection { id, .. }) = &self.target else { return Ok(()) };
        let path = format!("{PATH}/{id}/games");
        let body = json!(GamesToCollect { games: std::mem::take(&mut self.games) });
        let places = std::mem::take(&mut self.places);
        self.bytes = 0;
        let answer = self.at.send_patiently(Method::POST, &path, Some(body)).await?;
        let CollectAnswer { added, duplicates, refused } = answer.json()?;
        self.counts.added += added as u64;
        self.counts.duplicates += duplicates.len() as u64;
        for (file, line) in duplicates.iter().filter_map(|&index| places.get(index)) {
            self.report.duplicate(file, *line)?;
        }
        for game in &refused {
            let Some((file, line)) = places.get(game.index) else { continue };
            self.fault(file, *line, &game.text)?;
        }
        Ok(())
    }

    fn fault(&mut self, file: &str, line: usize, text: &str) -> anyhow::Result<()> {
        self.counts.faults += 1;
        self.report.fault(file, line, text)
    }

    fn unreadable(&mut self, file: &str, error: &std::io::Error) -> anyhow::Result<()> {
        self.fault(file, 1, &format!("cannot be read: {error}"))
    }
}

/// What an import prints for a person or a script.
struct Report {
    as_json: bool,
    progress: ProgressLine,
}

impl Report {
    fn fault(&mut self, file: &str, line: usize, text: &str) -> anyhow::Result<()> {
        if self.as_json {
            return print_json(&Line::Fault { file, line, text });
        }
        self.progress.clear()?;
        Ok(writeln!(output::stderr(), "{file}:{line}: {text}")?)
    }

    /// Only for scripts: people just see the number of duplicates.
    fn duplicate(&self, file: &str, line: usize) -> anyhow::Result<()> {
        if self.as_json { print_json(&Line::Duplicate { file, line }) } else { Ok(()) }
    }

    fn notes(&mut self, file: &str, notes: &[Note]) -> anyhow::Result<()> {
        for note in notes {
            if self.as_json {
                print_json(&Line::FileNote { file, note })?;
            } else {
                self.progress.clear()?;
                writeln!(output::stderr(), "{file}: {note}")?;
            }
        }
        Ok(())
    }

    /// How far the import is in a file: the bytes read, and the length if it is known.
    fn progress(
        &mut self,
        file: &str,
        (bytes, of_bytes): (u64, Option<u64>),
        counts: Counts,
    ) -> anyhow::Result<()> {
        if self.as_json {
            return print_json(&Line::Progress { file, bytes, of_bytes, counts });
        }
        let share = of_bytes.and_then(|all| (bytes * 100).checked_div(all));
        let share = share.map(|share| format!(" {share} %")).unwrap_or_default();
        Ok(self.progress.show(&format!("{file}:{share}, {}", told(counts)))?)
    }

    fn imported(&mut self, link: Option<String>, counts: Counts) -> anyhow::Result<()> {
        if self.as_json {
            return print_json(&Line::Imported { link, counts });
        }
        self.progress.clear()?;
        writeln!(output::stdout(), "{}", told(counts))?;
        if let Some(link) = link {
            writeln!(output::stderr(), "{link}")?;
        }
        Ok(())
    }
}

fn print_json(line: &Line<'_>) -> anyhow::Result<()> {
    Ok(Json::new(output::stdout()).write(line)?)
}

fn told(Counts { added, duplicates, faults }: Counts) -> String {
    format!("{added} added, {duplicates} already there, {faults} failed")
}
