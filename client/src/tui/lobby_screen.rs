//! The state of the lobby's screen, and the one function that changes it: [`LobbyScreen::update`].
//!
//! It takes a key or an event of the lobby and returns effects. The lists belong to the lobby; the
//! screen knows what is selected, and what has happened.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use fivefold_shared::protocol::{SeekId, Wanted};

use super::{
    app::{Connection, Kind, Log},
    options::Options,
    theme::Theme,
};
use crate::{
    play::{
        exit_reason::ExitReason,
        lobby::{LobbyEvent, LobbyState, NotAnswered, Search},
    },
    words::lobby_sentences as sentences,
};

/// An input of the screen.
#[derive(Clone, Debug)]
pub(super) enum LobbyInput<'a> {
    /// A sentence for the person.
    Notice(&'a str),
    /// A key was pressed.
    Key(KeyEvent),
    /// An event of the lobby, which the lobby has already applied.
    Lobby(Box<LobbyEvent>),
    /// The person or the system asks to suspend the program.
    Suspend,
}

/// An action for the caller after an event.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum LobbyEffect {
    /// Begin this seek or challenge, instead of an earlier one.
    Begin(Search),
    /// Cancel the seek or the challenge.
    Cancel,
    /// Accept a challenge or a game on offer.
    Accept(SeekId),
    /// Decline a challenge.
    Decline(SeekId),
    /// Ring the bell.
    Bell,
    /// Go to the background.
    Suspend,
    /// Draw every cell again.
    Redraw,
    /// Leave.
    Exit(ExitReason),
}

/// The state of the screen.
#[derive(Clone, Debug)]
pub(super) struct LobbyScreen {
    server: String,
    theme: Theme,
    /// Whether it goes on after a seek without a game.
    stays: bool,
    /// The selected row: first the pools, then the games on offer.
    selected: usize,
    connection: Connection,
    log: Log,
}

impl LobbyScreen {
    /// A screen for the lobby of this server.
    pub(super) fn new(server: String, options: Options, stays: bool) -> Self {
        Self {
            server,
            theme: Theme::new(options.colour, options.glyphs),
            stays,
            selected: 0,
            connection: Connection::Up,
            log: Log::default(),
        }
    }

    /// Applies an input and returns the effects to carry out.
    pub(super) fn update(
        &mut self,
        state: &LobbyState,
        now: u64,
        input: LobbyInput<'_>,
    ) -> Vec<LobbyEffect> {
        match input {
            LobbyInput::Notice(text) => {
                if !text.is_empty() {
                    self.log.say(text);
                }
                Vec::new()
            }
            LobbyInput::Key(key) => {
                self.log.forget(Kind::Mistake);
                self.key(state, now, key).into_iter().collect()
            }
            LobbyInput::Lobby(event) => self.hear(state, now, *event),
            LobbyInput::Suspend => vec![LobbyEffect::Suspend],
        }
    }

    /// The lobby could not do what was asked for.
    pub(super) fn failed(&mut self, error: NotAnswered) {
        self.log.mistake(&error.to_string());
    }

    /// The server's address.
    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// Colours and glyphs.
    pub(super) const fn theme(&self) -> Theme {
        self.theme
    }

    /// The state of the connection.
    pub(super) const fn connection(&self) -> Connection {
        self.connection
    }

    /// Whether the title counts the time to the next try.
    pub(super) const fn is_lost(&self) -> bool {
        matches!(self.connection, Connection::Lost { .. })
    }

    /// The messages.
    pub(super) const fn log(&self) -> &Log {
        &self.log
    }

    /// The selected row: first the pools, then the games on offer.
    pub(super) fn selected(&self, state: &LobbyState) -> usize {
        self.selected.min(rows(state).saturating_sub(1))
    }

    fn key(&mut self, state: &LobbyState, now: u64, key: KeyEvent) -> Option<LobbyEffect> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c' | 'C') => Some(LobbyEffect::Exit(ExitReason::Interrupted)),
                KeyCode::Char('z' | 'Z') => Some(LobbyEffect::Suspend),
                KeyCode::Char('l' | 'L') => Some(LobbyEffect::Redraw),
                _ => None,
            };
        }
        if key.code == KeyCode::Char('q') {
            return Some(LobbyEffect::Exit(ExitReason::Left));
        }
        if matches!(self.connection, Connection::Closed) {
            return None;
        }
        let selected = self.selected(state);
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => self.selected = selected.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.selected = selected + 1,
            KeyCode::Char('c') if state.search().is_some() => return Some(LobbyEffect::Cancel),
            KeyCode::Char(answer @ ('y' | 'n')) => {
                let oldest = state.challenges().open(now).next()?.seek.seek.clone();
                return Some(match answer {
                    'y' => LobbyEffect::Accept(oldest),
                    _ => LobbyEffect::Decline(oldest),
                });
            }
            KeyCode::Char(digit @ '1'..='9') => {
                let index = digit.to_digit(10)?.checked_sub(1)?;
                let index = usize::try_from(index).ok()?;
                if index < state.pools().len() {
                    self.selected = index;
                    return self.choose(state, index);
                }
            }
            KeyCode::Enter | KeyCode::Char(' ') => return self.choose(state, selected),
            _ => {}
        }
        self.selected = self.selected(state);
        None
    }

    /// Seeks in a pool, or accepts a game on offer.
    fn choose(&mut self, state: &LobbyState, row: usize) -> Option<LobbyEffect> {
        if let Some(pool) = state.pools().get(row) {
            let search = Search::Seek(Wanted::Pool(pool.name.clone()));
            if state.search() == Some(&search) {
                self.log.say("you seek there already; c cancels");
                return None;
            }
            return Some(LobbyEffect::Begin(search));
        }
        let offer = state.seeks().get(row - state.pools().len())?;
        Some(LobbyEffect::Accept(offer.seek.clone()))
    }

    fn hear(&mut self, state: &LobbyState, now: u64, event: LobbyEvent) -> Vec<LobbyEffect> {
        match event {
            LobbyEvent::Seeking { .. } => self.log.forget(Kind::Refusal),
            LobbyEvent::Listed | LobbyEvent::Changed { .. } => {}
            LobbyEvent::Paired { room, is_earlier: true, .. } => {
                return vec![LobbyEffect::Exit(ExitReason::Busy(room))];
            }
            LobbyEvent::Paired { room, .. } => {
                return vec![LobbyEffect::Bell, LobbyEffect::Exit(ExitReason::Paired(room))];
            }
            LobbyEvent::Over { search, why, .. } => {
                let sentence = sentences::over(&search, why);
                if !self.stays {
                    return vec![LobbyEffect::Exit(ExitReason::Ended(sentence))];
                }
                self.log.warn(&sentence);
            }
            LobbyEvent::Challenged { .. } => return vec![LobbyEffect::Bell],
            LobbyEvent::ChallengeOver { challenge, why } => {
                self.log.say(&sentences::challenge_over(&challenge, why));
            }
            LobbyEvent::AccountChanged { change, label } => {
                self.log.say(&sentences::news(change, &label));
            }
            LobbyEvent::Announced { text, .. } => {
                self.log.warn(&sentences::announcement(text.as_ref()));
            }
            LobbyEvent::Refused { refusal, .. } => {
                if !self.stays && !state.is_waiting() {
                    return vec![LobbyEffect::Exit(ExitReason::Ended(refusal.text))];
                }
                self.log.refusal(&refusal.text);
            }
            LobbyEvent::Lost { reason, retry_ms } => {
                self.log.warn(&format!("the connection is lost: {reason}"));
                let retry_ms = u64::try_from(retry_ms).unwrap_or(u64::MAX);
                self.connection = Connection::Lost { retry_at: now.saturating_add(retry_ms) };
            }
            LobbyEvent::Back => {
                self.connection = Connection::Up;
                self.log.say("Connected again.");
            }
            LobbyEvent::Ended { reason } => {
                return vec![LobbyEffect::Exit(ExitReason::Ended(reason))];
            }
        }
        Vec::new()
    }
}

/// The number of rows that can be selected.
fn rows(state: &LobbyState) -> usize {
    state.pools().len() + state.seeks().len()
}

#[cfg(test)]
mod tests;
