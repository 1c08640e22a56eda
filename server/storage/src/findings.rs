//! What a check of a database has found.

use std::fmt;

/// Most problems that are reported.
const PROBLEMS_MAX: usize = 100;

/// Results of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Findings {
    /// Rooms, open or closed.
    pub rooms: u64,
    /// Events in their logs.
    pub events: u64,
    /// Finished games.
    pub games: u64,
    /// The first problems found, as sentences.
    pub problems: Vec<String>,
    /// What an operator may want to know, and no damage.
    pub notes: Vec<String>,
    /// Whether [`repair`](crate::repair()) can fix it: only rooms are damaged.
    pub is_repairable: bool,
}

impl Default for Findings {
    fn default() -> Self {
        Self {
            rooms: 0,
            events: 0,
            games: 0,
            problems: Vec::new(),
            notes: Vec::new(),
            is_repairable: true,
        }
    }
}

impl Findings {
    /// Whether there are no problems.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn note(&mut self, note: impl fmt::Display) {
        if self.notes.len() < PROBLEMS_MAX {
            self.notes.push(note.to_string());
        }
    }

    pub(super) fn add(&mut self, problem: impl fmt::Display) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem.to_string());
        }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.problems.iter().chain(&self.notes) {
            writeln!(f, "{line}")?;
        }
        let Self { rooms, events, games, .. } = self;
        write!(f, "{rooms} rooms, {events} events, {games} finished games: ")?;
        match self.problems.len() {
            0 => writeln!(f, "all is well."),
            _ if self.is_repairable => writeln!(
                f,
                "damaged. Stop the server and run `fivefold-server check --repair`, which exports \
                 the damaged rooms and closes them; or restore a backup with `fivefold-server restore`."
            ),
            _ => writeln!(
                f,
                "damaged. Stop the server, and restore a backup with `fivefold-server restore`."
            ),
        }
    }
}
