//! Writes the lobby as JSON lines for scripts. `docs/clients/json.md` documents them: change both together.

use std::io::{self, Write};

use crate::{
    lines::{
        json_lobby_line::LobbyLine,
        json_output::Json,
        lobby_lines::{LOBBY_HELP, LineError, LobbyView},
    },
    play::lobby::{Lobby, LobbyEvent},
};

impl<W: Write> Json<W> {
    /// Writes the last line.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn left(&mut self) -> io::Result<()> {
        self.write(&LobbyLine::Left)
    }
}

impl<W: Write> LobbyView for Json<W> {
    fn lists(&mut self, lobby: &Lobby) -> io::Result<()> {
        let state = lobby.state();
        state.pools().iter().try_for_each(|pool| self.write(&LobbyLine::Pool(pool)))?;
        state.seeks().iter().try_for_each(|seek| self.write(&LobbyLine::OpenSeek(seek)))
    }

    fn entered(&mut self, lobby: &Lobby, _: bool) -> io::Result<()> {
        self.lists(lobby)
    }

    fn choose(&mut self, _: &Lobby) -> io::Result<()> {
        Ok(())
    }

    fn lobby_event(&mut self, lobby: &Lobby, event: &LobbyEvent) -> io::Result<()> {
        match event {
            LobbyEvent::Listed => self.lists(lobby),
            LobbyEvent::Changed { pools, added, removed } => {
                pools.iter().try_for_each(|pool| self.write(&LobbyLine::Pool(pool)))?;
                added.iter().try_for_each(|seek| self.write(&LobbyLine::OpenSeek(seek)))?;
                removed.iter().try_for_each(|seek| self.write(&LobbyLine::OpenSeekOver { seek }))
            }
            LobbyEvent::Seeking { seek, waited_ms } => {
                self.write(&LobbyLine::Seeking { seek, waited_ms: *waited_ms })
            }
            LobbyEvent::Paired { room, rated, is_earlier } => {
                let link = lobby.server().room_link(room);
                self.write(&LobbyLine::Paired { room, link, rated: *rated, earlier: *is_earlier })
            }
            LobbyEvent::Over { seek, why, .. } => {
                self.write(&LobbyLine::SeekOver { seek, why: *why })
            }
            LobbyEvent::Challenged { challenge, for_ms } => {
                self.write(&LobbyLine::Challenged { challenge, for_ms: *for_ms })
            }
            LobbyEvent::ChallengeOver { challenge, why } => {
                self.write(&LobbyLine::SeekOver { seek: &challenge.seek, why: *why })
            }
            LobbyEvent::AccountChanged { change, label } => {
                self.write(&LobbyLine::AccountChanged { change: *change, label })
            }
            LobbyEvent::Announced { text, until } => {
                self.write(&LobbyLine::Announcement { text: text.as_ref(), until: *until })
            }
            LobbyEvent::Refused { refusal, .. } => self.write(&LobbyLine::Refused(refusal)),
            LobbyEvent::Lost { reason, retry_ms } => {
                self.write(&LobbyLine::Lost { text: reason, retry_ms: *retry_ms })
            }
            LobbyEvent::Back => self.write(&LobbyLine::Back),
            LobbyEvent::Ended { reason } => self.write(&LobbyLine::Closed { text: reason }),
        }
    }

    fn waiting(&mut self, _: &Lobby) -> io::Result<()> {
        Ok(())
    }

    fn misread(&mut self, error: &LineError) -> io::Result<()> {
        self.write(&LobbyLine::Unreadable { text: error.to_string() })
    }

    fn help(&mut self) -> io::Result<()> {
        self.write(&LobbyLine::Commands { lines: LOBBY_HELP.lines().collect() })
    }

    fn seeking_on(&mut self, _: &Lobby, reason: &str) -> io::Result<()> {
        self.write(&LobbyLine::SeekingOn { text: reason })
    }
}
