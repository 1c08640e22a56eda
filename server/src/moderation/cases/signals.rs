//! How a person's last games with people ended, rated or not. From the list of finished games alone; what
//! examined games show is in `hints.rs`.

use std::{collections::BTreeMap, fmt};

use fivefold_shared::{
    clock::DAY_MS,
    protocol::{MemberId, Player},
    record::ListedGame,
    rules::Outcome,
};
use serde::Serialize;

use super::words::number;

/// A game that is given up with fewer stones than this is given up early.
const EARLY_STONES: usize = 10;

/// A person who falls ill loses all their daily games on time at once. If they lose more than this on one day (UTC),
/// these games say nothing about the person.
const LAPSES_A_DAY_MAX: usize = 10;

/// What a person's last games show.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Signals {
    /// Games looked at.
    pub games: usize,
    /// Losses.
    pub losses: usize,
    /// Of these, given up early.
    pub early_losses: usize,
    /// Wins in which the other side gave up, left or lost on time early.
    pub early_wins: usize,
    /// Games that the person lost by leaving, or on time.
    pub left: usize,
}

/// A game from a person's side.
struct Own {
    is_won: bool,
    is_lost: bool,
    is_early: bool,
    is_left: bool,
    /// The day on which they lost the game on time, if it is a daily game.
    lapsed_on: Option<u64>,
}

/// Looks at a person's games.
pub(super) fn signals(member: &MemberId, games: &[ListedGame]) -> Signals {
    let mut own: Vec<_> = games.iter().filter_map(|game| own(member, game)).collect();
    let mut lapses = BTreeMap::<u64, usize>::new();
    for day in own.iter().filter_map(|game| game.lapsed_on) {
        *lapses.entry(day).or_default() += 1;
    }
    for game in &mut own {
        if game.lapsed_on.is_some_and(|day| lapses[&day] > LAPSES_A_DAY_MAX) {
            (game.is_early, game.is_left) = (false, false);
        }
    }
    let count = |is: fn(&Own) -> bool| own.iter().filter(|game| is(game)).count();
    let losses = count(|game| game.is_lost);
    let early_losses = count(|game| game.is_lost && game.is_early);
    Signals {
        games: own.len(),
        losses,
        early_losses,
        early_wins: count(|game| game.is_won && game.is_early),
        left: count(|game| game.is_lost && game.is_left),
    }
}

/// A game between people, from the side of one of them.
fn own(member: &MemberId, game: &ListedGame) -> Option<Own> {
    let summary = &game.summary;
    let seat = summary.seat_of(member)?;
    let Player::Member { .. } = &summary.players[seat.other()] else { return None };
    let winner = summary.outcome.winner();
    let is_left = matches!(summary.outcome, Outcome::Time { .. } | Outcome::Abandonment { .. });
    let is_lapse = winner == Some(seat.other())
        && summary.time.is_daily()
        && matches!(summary.outcome, Outcome::Time { .. });
    let is_given_up = is_left || matches!(summary.outcome, Outcome::Resignation { .. });
    Some(Own {
        is_won: winner == Some(seat),
        is_lost: winner == Some(seat.other()),
        is_early: is_given_up && summary.plies < EARLY_STONES,
        is_left,
        lapsed_on: is_lapse.then_some(summary.ended_at / DAY_MS),
    })
}

impl fmt::Display for Signals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, losses, early_losses, early_wins, left } = self;
        writeln!(
            f,
            "last {} with people: {losses} lost, {early_losses} of them early; \
             {left} lost by leaving or on time; {early_wins} won early",
            number(*games, "game", "games")
        )
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::{
        clock::TimeControl,
        protocol::{Name, Visibility},
        record::GameSummary,
        rules::Rules,
        seat::{BySeat, Seat},
    };

    use super::*;
    use crate::process::ids;

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
            started_at: day,
            ended_at: day + 5,
            time: TimeControl::None,
            opening: None,
            rated: true,
            part: None,
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
    fn early_ends_are_counted() {
        let mut games: Vec<_> = (0..7).map(|_| game(2, Seat::Second, EARLY_STONES, 5)).collect();
        games.extend((0..3).map(|_| game(3, Seat::Second, EARLY_STONES - 1, 5)));
        let found = look(&games);
        assert_eq!((found.losses, found.early_losses), (10, 3));
        let won = look(&[game(2, Seat::First, 3, 5)]);
        assert_eq!((won.early_wins, won.losses, won.left), (1, 0, 0));
    }

    #[test]
    fn a_day_on_which_many_daily_games_end_on_time_says_nothing() {
        let lapse = |day: u64| {
            let mut game = game(2, Seat::Second, 3, day * DAY_MS);
            game.summary.time = TimeControl::Daily { move_ms: DAY_MS };
            game.summary.outcome = Outcome::Time { winner: Seat::Second };
            game
        };
        let left = |games: usize| {
            let day = (0..games).map(|_| lapse(7));
            let found = look(&day.chain([lapse(8)]).collect::<Vec<_>>());
            (found.losses, found.early_losses, found.left)
        };
        assert_eq!(left(LAPSES_A_DAY_MAX), (11, 11, 11));
        assert_eq!(left(LAPSES_A_DAY_MAX + 1), (12, 1, 1));
        // Games that are not daily count, however many there are.
        let lost = |_| {
            let mut game = lapse(7);
            game.summary.time = TimeControl::SuddenDeath { main_ms: 60_000 };
            game
        };
        assert_eq!(look(&(0..20).map(lost).collect::<Vec<_>>()).left, 20);
    }
}
