//! Finds somebody to play, and plays: the way of `fivefold seek` and `fivefold challenge`.

use std::process::ExitCode;

use anyhow::bail;
use fivefold_shared::protocol::{SeekId, Wanted};

use super::{
    output_mode::{OutputMode, move_to},
    usage::{INTERRUPTED, Usage},
    visit::Visit,
};
use crate::{
    play::{
        exit_reason::ExitReason,
        lobby::{Lobby, Search},
        table::Table,
    },
    words::room_sentences,
};

/// What a person begins with in the lobby.
#[derive(Debug)]
pub(super) enum Beginning {
    /// They choose from the lists.
    Choose,
    /// They wait for an opponent.
    Search(Search),
    /// They accept a game that somebody offers.
    Accept(SeekId),
}

/// Finds a game and plays it; seeks on as long as opponents do not begin.
pub(super) async fn run(
    visit: Visit,
    mut mode: OutputMode,
    beginning: Beginning,
) -> anyhow::Result<ExitCode> {
    let me = visit.welcome.you.clone();
    mode.connected(visit.connection.server(), &visit.welcome)?;
    visit.report(&mut mode)?;
    let connection = visit.connection;
    let entering = Lobby::enter(connection, me.clone(), false);
    let Some(lobby) = mode.unless_interrupted(entering).await else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let mut lobby = lobby?;
    let stays = matches!(beginning, Beginning::Choose);
    begin(&mut lobby, beginning)?;
    let mut notice = None;
    loop {
        let room = match mode.find(&mut lobby, notice.as_deref(), stays).await? {
            ExitReason::Paired(room) => room,
            reason => return mode.leave_lobby(lobby, &reason).await,
        };
        let Some(game) = mode.unless_interrupted(lobby.go_to(room)).await else {
            return Ok(ExitCode::from(INTERRUPTED));
        };
        let (mut table, own) = game?;
        let reason = loop {
            match mode.show(&mut table).await? {
                ExitReason::Paired(room) => {
                    let Some(moved) = mode.unless_interrupted(move_to(table, room)).await else {
                        return Ok(ExitCode::from(INTERRUPTED));
                    };
                    table = moved?;
                }
                reason => break reason,
            }
        };
        let (ExitReason::Aborted, Some(own)) = (&reason, own) else {
            return mode.leave(table, &reason).await;
        };
        notice = Some(not_begun(&table));
        let again = async {
            let Some(connection) = table.leave_room().await? else { bail!("there is no lobby") };
            Ok(Lobby::enter_again(connection, me.clone(), false, own).await?)
        };
        lobby = match mode.unless_interrupted(again).await {
            Some(lobby) => lobby?,
            None => return Ok(ExitCode::from(INTERRUPTED)),
        };
    }
}

fn begin(lobby: &mut Lobby, beginning: Beginning) -> anyhow::Result<()> {
    match beginning {
        Beginning::Choose => {}
        Beginning::Search(search) => {
            if let Search::Seek(Wanted::Pool(name)) = &search
                && lobby.state().pool(name).is_none()
            {
                let pools = lobby.state().pools().iter();
                let pools: Vec<&str> = pools.map(|pool| pool.name.as_str()).collect();
                let text = format!("no pool {name} at {}: {}", lobby.server(), pools.join(", "));
                return Err(Usage(text).into());
            }
            lobby.begin(search)?;
        }
        Beginning::Accept(seek) => lobby.accept(seek),
    }
    Ok(())
}

/// Says that the opponent did not begin.
fn not_begun(table: &Table) -> String {
    let opponent = table.seat().map(|seat| room_sentences::seat_name(table.room(), seat.other()));
    let opponent = opponent.unwrap_or_else(|| "Your opponent".to_owned());
    format!("{opponent} did not begin the game. You seek again, and keep your place.")
}
