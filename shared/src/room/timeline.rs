//! When things happened in a game: what its record needs and no player has to know.

/// The times of a game, in milliseconds since the Unix epoch.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    pub(super) started_at: u64,
    /// One for each move on the board.
    pub(super) moves: Vec<MoveMark>,
    pub(super) ended_at: Option<u64>,
    /// Whether the game has ended and counts for ratings.
    pub(super) rated: bool,
    /// Whether the server has failed and come back in the turn that runs.
    pub(super) resumed: bool,
}

/// What a record keeps of a move beside its point.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveMark {
    pub(super) at: u64,
    pub(super) assisted: bool,
}

impl Timeline {
    pub(super) const fn new(started_at: u64) -> Self {
        Self { started_at, moves: Vec::new(), ended_at: None, rated: false, resumed: false }
    }

    pub(super) fn play(&mut self, at: u64, assisted: bool) {
        self.moves.push(MoveMark { at, assisted });
    }

    pub(super) fn take_back(&mut self, ply: usize) {
        self.moves.truncate(ply);
    }

    /// How long the game took, in milliseconds; 0 while it is running.
    pub(super) fn took_ms(&self) -> u64 {
        self.ended_at.map_or(0, |ended_at| ended_at.saturating_sub(self.started_at))
    }

    /// Notes the end.
    ///
    /// # Errors
    /// When the game has ended before.
    pub(super) fn end(&mut self, rated: bool, at: u64) -> Result<(), String> {
        if self.ended_at.is_some() {
            return Err("the game has ended before".into());
        }
        (self.ended_at, self.rated) = (Some(at), rated);
        Ok(())
    }
}
