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
/// More rated games with one opponent in a day than this are many.
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
    /// Opponents with many rated games in a day that one side won almost all of.
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

/// Many rated games with one opponent in a day.
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
    is_rated: bool,
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
        is_rated: summary.rated,
        day: summary.ended_at / DAY_MS,
    })
}

fn one_sided(own: &[Own<'_>]) -> Vec<OneSided> {
    let mut pairs: BTreeMap<(u64, &MemberId), (usize, usize, usize)> = BTreeMap::new();
    for game in own.iter().filter(|game| game.is_rated) {
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

#[cfg(test)]
mod tests {
    use fivefold_shared::{
        protocol::{Name, Visibility},
        record::GameSummary,
        rules::Rules,
        seat::BySeat,
    };

    use super::*;
    use crate::ids;

    fn member(number: u64) -> MemberId {
        MemberId::try_from(format!("{number:016x}")).unwrap()
    }

    /// A rated game of member 1 against another one, who sits second.
    fn game(opponent: u64, winner: Seat, plies: usize, day: u64) -> ListedGame {
        let player = |number| {
            let name = Name::new("Somebody").unwrap();
            Player::Member { member: member(number), name, engine: false }
        };
        let summary = GameSummary {
            rules: Rules::TIC_TAC_TOE,
            visibility: Visibility::Public,
            players: BySeat { first: player(1), second: player(opponent) },
            black: Seat::First,
            started_at: day * DAY_MS,
            ended_at: day * DAY_MS + 5,
            time: fivefold_shared::clock::TimeControl::None,
            opening: None,
            rated: true,
            plies,
            outcome: Outcome::Resignation { winner },
        };
        let id = ids::room_code().to_string() + "abcd";
        ListedGame { id: id.try_into().unwrap(), summary }
    }

    fn look(games: &[ListedGame]) -> Signals {
        signals(&member(1), games)
    }

    #[test]
    fn many_one_sided_games_of_a_day_are_a_hint() {
        let mut games: Vec<_> = (0..10).map(|_| game(2, Seat::First, 30, 5)).collect();
        games.push(game(2, Seat::First, 30, 6));
        games.push(game(3, Seat::First, 30, 5));
        assert_eq!(look(&games).one_sided, []);
        games.push(game(2, Seat::Second, 30, 5));
        let hint = OneSided { opponent: member(2), games: 11, won: 10, day: 5 };
        assert_eq!(look(&games).one_sided, [hint]);
        // One more that the other side wins: 83 %.
        games.push(game(2, Seat::Second, 30, 5));
        assert_eq!(look(&games).one_sided, []);
    }

    #[test]
    fn many_early_losses_are_a_hint() {
        let mut games: Vec<_> = (0..7).map(|_| game(2, Seat::Second, EARLY_STONES, 5)).collect();
        games.extend((0..3).map(|_| game(3, Seat::Second, EARLY_STONES - 1, 5)));
        let found = look(&games);
        assert_eq!((found.losses, found.early_losses, found.sandbagging), (10, 3, false));
        games.push(game(3, Seat::Second, 0, 5));
        assert!(look(&games).sandbagging);
        games.truncate(9);
        assert!(!look(&games).sandbagging, "too few losses");
        let won = look(&[game(2, Seat::First, 3, 5)]);
        assert_eq!((won.early_wins, won.losses, won.left), (1, 0, 0));
    }
}
