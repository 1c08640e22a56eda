//! `fivefold seek`

use std::process::ExitCode;

use fivefold_shared::protocol::Wanted;

use super::{
    finding::{self, Beginning},
    output_mode::OutputMode,
    usage::Usage,
    visit::Visit,
};
use crate::{
    cli::SeekArgs,
    lines::{json_output::Json, lobby_lines::LobbyView, plain_output::Plain},
    play::lobby::{Lobby, Search},
    terminal::output,
};

/// Seeks an opponent and plays, or lists what there is.
pub(super) async fn run(args: &SeekArgs) -> anyhow::Result<ExitCode> {
    let beginning = match (&args.pool, &args.accept) {
        (Some(pool), _) => Beginning::Search(Search::Seek(Wanted::Pool(pool.clone()))),
        (None, Some(seek)) => Beginning::Accept(seek.clone()),
        (None, None) if args.offer.is_empty() => Beginning::Choose,
        (None, None) => {
            let settings = args.offer.settings().map_err(|error| Usage(error.to_string()))?;
            Beginning::Search(Search::Seek(Wanted::Settings(settings)))
        }
    };
    if args.list {
        return list(Visit::open(&args.visit, None).await?, args.view.json).await;
    }
    let visit = Visit::to_play(&args.visit, None).await?;
    finding::run(visit, OutputMode::new(&args.view), beginning).await
}

async fn list(visit: Visit, json: bool) -> anyhow::Result<ExitCode> {
    let lobby = Lobby::enter(visit.connection, visit.welcome.you, false).await?;
    if json {
        Json::new(output::stdout()).lists(&lobby)?;
    } else {
        Plain::new(output::stdout(), output::stderr()).lists(&lobby)?;
    }
    lobby.leave().await;
    Ok(ExitCode::SUCCESS)
}
