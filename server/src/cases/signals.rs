//! What a person's last games show: hints for an operator, who decides. Nothing follows from them by itself.
//!
//! They come from finished games alone. Which addresses people play from, and what the engine thinks of
//! their moves, is not in them.

use std::{collections::BTreeMap, fmt};

use fivefold_shared::{
    protocol::{MemberId, Player},
    record::ListedGame,
    rules::Outcome,
    seat::Seat,
};
use serde::Serialize;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// More games with one opponent in a day than this are many.
const MANY_A_DAY: usize = 10;
/// One side has won more of them than this, in percent.
const ONE_SIDED_PERCENT: usize = 85;
/// A game that is given up with fewer stones than this is given up early.
const EARLY_STONES: usize = 10;
/// Early losses are counted from so many losses on,
const LOSSES_MIN: usize = 10;
/// and are a hint from so many on, in percent.
const EARLY_PERCENT: usize = 30;

/// What a person's last games show.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Signals {
    /// Games looked at.
    pub games: usize,
    /// Opponents with many games in a day that one side won almost all of.
    pub one_sided: Vec<OneSided>,
    /// Losses, and those of them that were given up early.
    pub losses: usize,
    /// See `losses`.
    pub early_losses: usize,
    /// Whether so many early losses are a hint that games are lost on purpose.
    pub sandbagging: bool,
    /// Wins in which the other side gave up, left or lost on time early.
    pub early_wins: usize,
    /// Games that the person lost by leaving, or on time.
    pub left: usize,
}

/// Many games with one opponent in a day.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OneSided {
    /// The opponent.
    pub opponent: MemberId,
    /// Their games on that day.
    pub games: usize,
    /// Of these, won by the person.
    pub won: usize,
    /// The day, in days since the Unix epoch.
    pub day: u64,
}

/// A game from a person's side.
struct Own<'g> {
    opponent: &'g MemberId,
    is_won: bool,
    is_lost: bool,
    is_early: bool,
    is_left: bool,
    day: u64,
}

/// Looks at a person's games.
pub(super) fn signals(member: &MemberId, games: &[ListedGame]) -> Signals {
    let own: Vec<_> = games.iter().filter_map(|game| own(member, game)).collect();
    let count = |is: fn(&Own<'_>) -> bool| own.iter().filter(|game| is(game)).count();
    let losses = count(|game| game.is_lost);
    let early_losses = count(|game| game.is_lost && game.is_early);
    Signals {
        games: own.len(),
        one_sided: one_sided(&own),
        losses,
        early_losses,
        sandbagging: losses >= LOSSES_MIN && early_losses * 100 > losses * EARLY_PERCENT,
        early_wins: count(|game| game.is_won && game.is_early),
        left: count(|game| game.is_lost && game.is_left),
    }
}

/// A game between people, from the side of one of them.
fn own<'g>(member: &MemberId, game: &'g ListedGame) -> Option<Own<'g>> {
    let summary = &game.summary;
    let seat = Seat::BOTH.into_iter().find(|seat| summary.players[*seat].is_member(member))?;
    let Player::Member { member: opponent, .. } = &summary.players[seat.other()] else {
        return None;
    };
    let winner = summary.outcome.winner();
    let is_left = matches!(summary.outcome, Outcome::Time { .. } | Outcome::Abandonment { .. });
    let is_given_up = is_left || matches!(summary.outcome, Outcome::Resignation { .. });
    Some(Own {
        opponent,
        is_won: winner == Some(seat),
        is_lost: winner == Some(seat.other()),
        is_early: is_given_up && summary.plies < EARLY_STONES,
        is_left,
        day: summary.ended_at / DAY_MS,
    })
}

fn one_sided(own: &[Own<'_>]) -> Vec<OneSided> {
    let mut pairs: BTreeMap<(u64, &MemberId), (usize, usize, usize)> = BTreeMap::new();
    for game in own {
        let (games, won, lost) = pairs.entry((game.day, game.opponent)).or_default();
        *games += 1;
        *won += usize::from(game.is_won);
        *lost += usize::from(game.is_lost);
    }
    let is_many = |(games, won, lost): &(usize, usize, usize)| {
        *games > MANY_A_DAY && *won.max(lost) * 100 > games * ONE_SIDED_PERCENT
    };
    let many = pairs.into_iter().filter(|(_, counts)| is_many(counts));
    many.map(|((day, opponent), (games, won, _))| OneSided {
        opponent: opponent.clone(),
        games,
        won,
        day,
    })
    .collect()
}

impl fmt::Display for Signals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, losses, early_losses, early_wins, left, .. } = self;
        writeln!(
            f,
            "last {games} games with people: {losses} lost, {early_losses} of them early; \
             {left} lost by leaving or on time; {early_wins} won early"
        )?;
        if self.sandbagging {
            writeln!(f, "hint: may lose on purpose")?;
        }
        for OneSided { opponent, games, won, .. } in &self.one_sided {
            writeln!(f, "hint: {games} games with {opponent} in a day, {won} won")?;
        }
        Ok(())
    }
}
