//! Writes the lobby as plain lines for people: lists on standard output, everything else on standard
//! error.

use std::io::{self, Write};

use fivefold_shared::protocol::{OpenSeek, Pool, Wanted};

use crate::{
    lines::{
        lobby_lines::{LOBBY_HELP, LineError, LobbyView},
        plain_output::Plain,
    },
    play::lobby::{Lobby, LobbyEvent, Search},
    terminal::sanitize::sanitize,
    words::lobby_sentences as sentences,
};

impl<O: Write, E: Write> LobbyView for Plain<O, E> {
    fn lists(&mut self, lobby: &Lobby) -> io::Result<()> {
        for line in pool_lines(lobby.state().pools()) {
            writeln!(self.out, "{line}")?;
        }
        for seek in lobby.state().seeks() {
            writeln!(self.out, "{}  {}", seek.seek, offer(seek))?;
        }
        for challenge in lobby.state().challenges().open(lobby.now()) {
            writeln!(self.out, "{}", sentences::challenge(challenge, lobby.now()))?;
        }
        Ok(())
    }

    fn entered(&mut self, lobby: &Lobby, chooses: bool) -> io::Result<()> {
        if chooses {
            self.lists(lobby)?;
            self.choose(lobby)?;
        }
        Ok(())
    }

    fn choose(&mut self, _: &Lobby) -> io::Result<()> {
        writeln!(self.talk, "Which pool? Type its number or its name; `help` lists the commands.")
    }

    fn lobby_event(&mut self, lobby: &Lobby, event: &LobbyEvent) -> io::Result<()> {
        let state = lobby.state();
        match event {
            LobbyEvent::Changed { added, .. } if state.search().is_none() => {
                for seek in added {
                    writeln!(
                        self.talk,
                        "{}: /accept {}",
                        offer(seek),
                        sanitize(seek.name.as_str())
                    )?;
                }
                Ok(())
            }
            LobbyEvent::Listed | LobbyEvent::Changed { .. } => Ok(()),
            LobbyEvent::Seeking { waited_ms, .. } => {
                if let Some(search) = state.search() {
                    writeln!(self.talk, "{}", sentences::search(state, search))?;
                }
                let waited = match waited_ms {
                    0..1_000 => String::new(),
                    ms => format!("You have waited {}. ", sentences::length(*ms)),
                };
                writeln!(self.talk, "{waited}Ctrl-C cancels.")
            }
            LobbyEvent::Paired { is_earlier: true, .. } => Ok(()),
            LobbyEvent::Paired { rated, .. } => {
                writeln!(self.talk, "{}", sentences::begins(*rated))
            }
            LobbyEvent::Over { search, why, .. } => {
                writeln!(self.talk, "{}", sentences::over(search, *why))
            }
            LobbyEvent::Challenged { challenge, .. } => self.challenged(challenge),
            LobbyEvent::ChallengeOver { challenge, why } => {
                writeln!(self.talk, "{}", sentences::challenge_over(challenge, *why))
            }
            LobbyEvent::AccountChanged { change, label } => {
                writeln!(self.talk, "{}", sentences::news(*change, label))
            }
            LobbyEvent::Announced { text, .. } => {
                writeln!(self.talk, "{}", sentences::announcement(text.as_ref()))
            }
            LobbyEvent::Refused { refusal, .. } => {
                writeln!(self.talk, "No: {}.", sanitize(refusal.text.trim_end_matches('.')))
            }
            LobbyEvent::Lost { reason, retry_ms } => {
                let tenths = retry_ms / 100;
                let (seconds, tenths) = (tenths / 10, tenths % 10);
                writeln!(self.talk, "Connection lost ({reason}); next try in {seconds}.{tenths} s.")
            }
            LobbyEvent::Back => writeln!(self.talk, "The connection is back."),
            LobbyEvent::Ended { reason } => writeln!(self.talk, "{reason}"),
        }
    }

    fn waiting(&mut self, lobby: &Lobby) -> io::Result<()> {
        let state = lobby.state();
        let Some(waited) = state.waited_ms(lobby.now()) else { return Ok(()) };
        let waited = sentences::length(waited);
        let pool = match state.search() {
            Some(Search::Seek(Wanted::Pool(name))) => state.pool(name),
            Some(Search::Seek(Wanted::Settings(_)) | Search::Challenge(..)) | None => None,
        };
        let Some(pool) = pool else { return writeln!(self.talk, "Waiting for {waited}.") };
        writeln!(self.talk, "Waiting for {waited}: {}.", sentences::figures(pool))?;
        if pool.waiting < 2 {
            match sentences::elsewhere(state, pool) {
                Some(elsewhere) => writeln!(self.talk, "{elsewhere}")?,
                None => writeln!(self.talk, "A bot is always there: fivefold play --bot engine:5")?,
            }
        }
        Ok(())
    }

    fn misread(&mut self, error: &LineError) -> io::Result<()> {
        writeln!(self.talk, "{error}")
    }

    fn help(&mut self) -> io::Result<()> {
        self.talk.lines(&format!("{LOBBY_HELP}\n"))
    }

    fn seeking_on(&mut self, _: &Lobby, reason: &str) -> io::Result<()> {
        writeln!(self.talk, "{reason}")
    }
}

/// The pools as a table, with numbers to choose by.
fn pool_lines(pools: &[Pool]) -> Vec<String> {
    let rows: Vec<_> = pools
        .iter()
        .map(|pool| {
            let wait = pool.wait_ms.map_or("-".to_owned(), sentences::length);
            (pool.name.to_string(), sentences::settings(&pool.settings), pool, wait)
        })
        .collect();
    let width = |length: fn(&(String, String, &Pool, String)) -> usize, least: usize| {
        rows.iter().map(length).max().unwrap_or(0).max(least)
    };
    let (name_width, game_width) = (width(|row| row.0.len(), 4), width(|row| row.1.len(), 4));
    let heading =
        format!("    {:name_width$}  {:game_width$}  waiting  games  usual wait", "pool", "game");
    let lines = (1..).zip(&rows).map(|(number, (name, game, pool, wait))| {
        format!(
            "{number:>2}  {name:name_width$}  {game:game_width$}  {:>7}  {:>5}  {wait:>10}",
            pool.waiting, pool.games,
        )
    });
    [heading].into_iter().chain(lines).collect()
}

/// A game that somebody offers.
fn offer(seek: &OpenSeek) -> String {
    format!("{} offers {}", sentences::name(seek), sentences::settings(&seek.settings))
}
