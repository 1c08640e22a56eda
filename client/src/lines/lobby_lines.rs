//! Finds a game by lines: reads typed commands and writes lines. A [`LobbyView`] formats them.

use std::{future::Future, io, pin::pin, time::Duration};

use fivefold_shared::protocol::{PoolName, Wanted};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use crate::{
    play::{
        challenges::ChallengeError,
        exit_reason::ExitReason,
        lobby::{Lobby, LobbyEvent, NotAnswered, Search},
    },
    words::lobby_sentences as sentences,
};

/// The help text, one command a line.
pub const LOBBY_HELP: &str = "\
NUMBER or POOL     seek in this pool
/accept NAME       play the game that they offer, or accept their challenge
/decline [NAME]    decline a challenge
cancel             end your seek or your challenge
list               the pools and the games on offer
help               this list
leave              leave";

/// How the lobby is shown line by line.
pub trait LobbyView {
    /// Show the lists: all pools and games on offer.
    ///
    /// # Errors
    /// When the output cannot be written, as for all methods here.
    fn lists(&mut self, lobby: &Lobby) -> io::Result<()>;
    /// The person has entered the lobby, perhaps to choose what they seek.
    fn entered(&mut self, lobby: &Lobby, chooses: bool) -> io::Result<()>;
    /// Ask which pool; the lists have been shown.
    fn choose(&mut self, lobby: &Lobby) -> io::Result<()>;
    /// An event, which the lobby has already applied.
    fn lobby_event(&mut self, lobby: &Lobby, event: &LobbyEvent) -> io::Result<()>;
    /// The person still waits: show the figures from time to time.
    fn waiting(&mut self, lobby: &Lobby) -> io::Result<()>;
    /// A line of input was not understood.
    fn misread(&mut self, error: &LineError) -> io::Result<()>;
    /// Show the commands.
    fn help(&mut self) -> io::Result<()>;
    /// The opponent did not begin the game, so the seek goes on.
    fn seeking_on(&mut self, lobby: &Lobby, reason: &str) -> io::Result<()>;
}

/// Why a line is no command of the lobby.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineError {
    /// Neither a command nor a pool.
    #[error("there is no such pool; `list` shows them, `help` lists the commands")]
    Unknown,
    /// Nobody of this name offers a game.
    #[error(transparent)]
    Offer(#[from] ChallengeError),
    /// The server has not taken the last seek yet.
    #[error(transparent)]
    NotAnswered(#[from] NotAnswered),
    /// There is nothing to cancel.
    #[error("you seek nothing")]
    NothingSought,
}

/// A parsed line.
#[derive(Clone, PartialEq, Eq, Debug)]
enum TypedLine {
    Accept(Option<String>),
    Decline(Option<String>),
    Cancel,
    List,
    Help,
    Leave,
    /// The name of a pool, or its number in the list.
    Pool(String),
}

impl TypedLine {
    /// Reads a line; `None` if it is empty.
    fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = Some(rest.trim()).filter(|rest| !rest.is_empty()).map(ToOwned::to_owned);
        Some(match word.to_ascii_lowercase().as_str() {
            "" => return None,
            "/accept" => Self::Accept(rest),
            "/decline" => Self::Decline(rest),
            "cancel" => Self::Cancel,
            "list" => Self::List,
            "help" => Self::Help,
            "leave" => Self::Leave,
            _ => Self::Pool(line.to_ascii_lowercase()),
        })
    }
}

/// When the figures are shown to somebody who waits: after these times, and then every minute.
const REPORTS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(30)];
const REPORT_EVERY: Duration = Duration::from_secs(60);

/// The next report to somebody who waits.
struct Reports {
    since: Instant,
    count: usize,
}

impl Reports {
    fn new() -> Self {
        Self { since: Instant::now(), count: 0 }
    }

    fn next(&self) -> Instant {
        let minutes = u32::try_from((self.count + 1).saturating_sub(REPORTS.len())).unwrap_or(1);
        self.since + REPORTS.get(self.count).copied().unwrap_or(REPORT_EVERY * minutes)
    }
}

/// Runs the lobby until a game begins or the person leaves. At the end of the input it stays as long
/// as a game can begin without it. With `stays` it goes on after a seek or a challenge without a
/// game.
///
/// # Errors
/// When the output cannot be written.
pub async fn run(
    lobby: &mut Lobby,
    view: &mut dyn LobbyView,
    input: &mut mpsc::Receiver<String>,
    interrupt: impl Future<Output = ()>,
    stays: bool,
) -> io::Result<ExitReason> {
    let mut interrupt = pin!(interrupt);
    let mut has_input = true;
    let mut reports = Reports::new();
    loop {
        if !has_input && !lobby.state().is_waiting() {
            return Ok(ExitReason::Left);
        }
        let is_seeking = lobby.state().search().is_some();
        tokio::select! {
            biased;
            () = &mut interrupt => return Ok(ExitReason::Interrupted),
            event = lobby.next() => {
                view.lobby_event(lobby, &event)?;
                match event {
                    LobbyEvent::Seeking { .. } => reports = Reports::new(),
                    LobbyEvent::Paired { room, is_earlier: true, .. } => {
                        return Ok(ExitReason::Busy(room));
                    }
                    LobbyEvent::Paired { room, .. } => return Ok(ExitReason::Paired(room)),
                    LobbyEvent::Over { search, why, .. } if !stays => {
                        return Ok(ExitReason::Ended(sentences::over(&search, why)));
                    }
                    LobbyEvent::Refused { refusal, .. } if !stays && !lobby.state().is_waiting() => {
                        return Ok(ExitReason::Ended(refusal.text));
                    }
                    LobbyEvent::Ended { reason } => return Ok(ExitReason::Ended(reason)),
                    LobbyEvent::Over { .. } | LobbyEvent::Refused { is_own: true, .. } => {
                        view.choose(lobby)?;
                    }
                    LobbyEvent::Listed
                    | LobbyEvent::Changed { .. }
                    | LobbyEvent::Challenged { .. }
                    | LobbyEvent::ChallengeOver { .. }
                    | LobbyEvent::AccountChanged { .. }
                    | LobbyEvent::Announced { .. }
                    | LobbyEvent::Refused { is_own: false, .. }
                    | LobbyEvent::Lost { .. }
                    | LobbyEvent::Back => {}
                }
            }
            () = sleep_until(reports.next()), if is_seeking => {
                reports.count += 1;
                view.waiting(lobby)?;
            }
            line = input.recv(), if has_input => match line {
                None => has_input = false,
                Some(line) => match run_line(lobby, &line) {
                    Ok(LineOutcome::Done) => {}
                    Ok(LineOutcome::Cancelled(over)) => {
                        view.lobby_event(lobby, &over)?;
                        if !stays {
                            return Ok(ExitReason::Left);
                        }
                        view.choose(lobby)?;
                    }
                    Ok(LineOutcome::Leave) => return Ok(ExitReason::Left),
                    Ok(LineOutcome::Lists) => view.lists(lobby)?,
                    Ok(LineOutcome::Help) => view.help()?,
                    Err(error) => view.misread(&error)?,
                },
            },
        }
    }
}

/// The rest to do after a line.
enum LineOutcome {
    Done,
    Cancelled(LobbyEvent),
    Lists,
    Help,
    Leave,
}

fn run_line(lobby: &mut Lobby, line: &str) -> Result<LineOutcome, LineError> {
    let Some(typed) = TypedLine::parse(line) else { return Ok(LineOutcome::Done) };
    match typed {
        TypedLine::Accept(who) => {
            let seek = lobby.state().on_offer(who.as_deref(), lobby.now())?.seek.clone();
            lobby.accept(seek);
        }
        TypedLine::Decline(who) => {
            let challenges = lobby.state().challenges();
            let seek = challenges.find(who.as_deref(), lobby.now())?.seek.clone();
            lobby.decline(seek);
        }
        TypedLine::Cancel => {
            let over = lobby.cancel()?.ok_or(LineError::NothingSought)?;
            return Ok(LineOutcome::Cancelled(over));
        }
        TypedLine::List => return Ok(LineOutcome::Lists),
        TypedLine::Help => return Ok(LineOutcome::Help),
        TypedLine::Leave => return Ok(LineOutcome::Leave),
        TypedLine::Pool(name) => {
            let pool = pool(lobby, &name).ok_or(LineError::Unknown)?;
            lobby.begin(Search::Seek(Wanted::Pool(pool)))?;
        }
    }
    Ok(LineOutcome::Done)
}

/// A pool by its name, or by its number in the list.
fn pool(lobby: &Lobby, name: &str) -> Option<PoolName> {
    let pools = lobby.state().pools();
    let named = pools.iter().find(|pool| pool.name.as_str() == name);
    let numbered = || name.parse::<usize>().ok()?.checked_sub(1).and_then(|index| pools.get(index));
    named.or_else(numbered).map(|pool| pool.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let ann = || Some("Ann B".to_owned());
        let cases = [
            ("", None),
            (" \r", None),
            ("/accept Ann B ", Some(TypedLine::Accept(ann()))),
            ("/Accept", Some(TypedLine::Accept(None))),
            ("/decline Ann B", Some(TypedLine::Decline(ann()))),
            ("cancel", Some(TypedLine::Cancel)),
            ("LIST", Some(TypedLine::List)),
            ("help", Some(TypedLine::Help)),
            ("leave", Some(TypedLine::Leave)),
            ("Gomoku-5-3", Some(TypedLine::Pool("gomoku-5-3".to_owned()))),
            ("2", Some(TypedLine::Pool("2".to_owned()))),
        ];
        for (line, expected) in cases {
            assert_eq!(TypedLine::parse(line), expected, "{line:?}");
        }
    }

    #[test]
    fn every_command_is_in_the_help() {
        for name in ["/accept", "/decline", "cancel", "list", "help", "leave"] {
            let is_listed = LOBBY_HELP.lines().any(|line| line.starts_with(name));
            assert!(is_listed, "{name}");
            assert!(!matches!(TypedLine::parse(name), None | Some(TypedLine::Pool(_))), "{name}");
        }
    }

    #[test]
    fn figures_are_shown_early_and_then_every_minute() {
        let mut reports = Reports::new();
        let mut times = Vec::new();
        for _ in 0..5 {
            times.push((reports.next() - reports.since).as_secs());
            reports.count += 1;
        }
        assert_eq!(times, [2, 30, 60, 120, 180]);
    }
}
