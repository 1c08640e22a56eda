//! Each hint at its limit and one past it.

use fivefold_shared::{
    protocol::{GameId, ROOM_CODE_ALPHABET},
    review::Agreement,
    seat::BySeat,
};

use super::*;
use crate::limits::signals::{AGREEMENT_GAMES_MIN, BAND_GAMES_MIN, BAND_PLAYERS_MIN};

fn member(number: u64) -> MemberId {
    MemberId::try_from(format!("{number:016x}")).unwrap()
}

fn game_id(number: usize) -> GameId {
    let letter = |place: u32| {
        let letters = ROOM_CODE_ALPHABET;
        char::from(letters[number / letters.len().pow(place) % letters.len()])
    };
    GameId::try_from((0..16).map(|place| letter(place % 3)).collect::<String>()).unwrap()
}

fn facts(number: u64, result: GameResult) -> PlayerFacts {
    PlayerFacts {
        member: member(number),
        rating: 1_550.0,
        result,
        gave_up: false,
        times: MoveTimes::default(),
        agreement: None,
    }
}

/// Games of member 1 against another one.
struct Played(Vec<ExaminedGame>);

impl Played {
    const NONE: Self = Self(Vec::new());

    /// Adds games on a day.
    fn with(mut self, games: usize, opponent: u64, result: GameResult, day: u64) -> Self {
        let other = match result {
            GameResult::Won => GameResult::Lost,
            GameResult::Drawn => GameResult::Drawn,
            GameResult::Lost => GameResult::Won,
        };
        for _ in 0..games {
            let game = game_id(self.0.len());
            let facts = BySeat { first: facts(1, result), second: facts(opponent, other) };
            self.0.push(ExaminedGame { game, ended_at: day * millis(DAY), facts });
        }
        self
    }

    /// Changes what the last games show of member 1.
    fn last(mut self, games: usize, change: impl Fn(&mut PlayerFacts)) -> Self {
        let first = self.0.len() - games;
        self.0[first..].iter_mut().for_each(|game| change(&mut game.facts.first));
        self
    }

    fn hints(&self, marks: &[GameMark]) -> Hints {
        let games: Vec<_> = self.0.iter().collect();
        let marks: Vec<_> = marks.iter().collect();
        hints(&member(1), &games, &marks, &Bands::of(&self.0))
    }

    fn kinds(&self) -> Vec<HintKind> {
        self.hints(&[]).kinds
    }
}

fn mark(game: usize, kind: MarkKind) -> GameMark {
    GameMark { member: member(1), game: game_id(game), kind, opponent: member(2), at: 0 }
}

use GameResult::{Drawn, Lost, Won};

#[test]
fn many_one_sided_games_of_a_day() {
    let ten = Played::NONE.with(MANY_A_DAY, 2, Won, 5).with(1, 2, Won, 6).with(1, 3, Won, 5);
    assert_eq!(ten.kinds(), []);
    let eleven = ten.with(1, 2, Lost, 5);
    assert_eq!(eleven.kinds(), [HintKind::OneSided]);
    let hint = OneSided { opponent: member(2), games: 11, won: 10, day: 5 };
    assert_eq!(eleven.hints(&[]).one_sided, [hint]);
    // 17 of 20 are 85 %, and 18 of 21 are more.
    let many = Played::NONE.with(17, 2, Lost, 5).with(3, 2, Drawn, 5);
    assert_eq!(many.kinds(), []);
    assert_eq!(many.with(1, 2, Lost, 5).kinds(), [HintKind::OneSided], "lost is one-sided, too");
}

#[test]
fn one_network_in_more_than_half_of_the_games_of_two() {
    let few = Played::NONE.with(SHARED_GAMES_MIN - 1, 2, Won, 1);
    let network =
        |games: usize| -> Vec<_> { (0..games).map(|game| mark(game, MarkKind::Network)).collect() };
    assert_eq!(few.hints(&network(2)).kinds, []);
    let four = Played::NONE.with(4, 2, Won, 1).with(9, 3, Won, 1);
    assert_eq!(four.hints(&network(2)).kinds, [], "half");
    let mut marks = network(3);
    marks.push(mark(1, MarkKind::Device));
    let found = four.hints(&marks);
    assert_eq!(found.kinds, [HintKind::Network]);
    let pair = Shared { opponent: member(2), games: 4, network: 3, device: 1 };
    assert_eq!(found.shared, [pair]);
}

#[test]
fn losses_given_away_with_the_game_almost_won() {
    let lost = |games: usize, gave_up: bool, last_chance: f64| {
        move |played: Played| {
            played.with(games, 2, Lost, 1).last(games, move |facts| {
                facts.gave_up = gave_up;
                facts.agreement = Some(Agreement { last_chance, ..Agreement::default() });
            })
        }
    };
    let of = |parts: &[(usize, bool, f64)]| {
        parts.iter().fold(Played::NONE, |played, (games, gave_up, chance)| {
            lost(*games, *gave_up, *chance)(played)
        })
    };
    // Given away, other losses, and whether it is a hint.
    let above = GIVEN_AWAY_CHANCE + 0.01;
    let cases = [
        (vec![(3, true, above), (7, true, 0.2)], false),
        (vec![(4, true, above), (6, true, 0.2)], true),
        (vec![(4, true, above), (5, true, 0.2)], false),
        (vec![(4, true, GIVEN_AWAY_CHANCE), (6, true, 0.2)], false),
        // Five in a row is an honest loss, whatever the engine thinks.
        (vec![(10, false, above)], false),
    ];
    for (parts, expected) in cases {
        let played = of(&parts);
        assert_eq!(played.kinds() == [HintKind::GivenAway], expected, "{parts:?}");
    }
    let unseen = Played::NONE.with(10, 2, Lost, 1).last(10, |facts| facts.gave_up = true);
    assert_eq!(unseen.hints(&[]).losses, 0, "the engine has not looked");
}

#[test]
fn games_left_before_they_begin() {
    let aborts = |number: usize| -> Vec<_> {
        (100..100 + number).map(|game| mark(game, MarkKind::Aborted)).collect()
    };
    let kinds = |games: usize, aborted: usize| {
        Played::NONE.with(games, 2, Drawn, 1).hints(&aborts(aborted)).kinds
    };
    assert_eq!(kinds(0, ABORTS_MIN - 1), []);
    assert_eq!(kinds(0, ABORTS_MIN), [HintKind::Aborts]);
    // 5 of 25 are 20 %.
    assert_eq!(kinds(20, 5), []);
    assert_eq!(kinds(19, 5), [HintKind::Aborts]);
}

#[test]
fn moves_that_all_take_the_same_time() {
    let timed = |moves: &[f64]| {
        let times = MoveTimes {
            moves: u32::try_from(moves.len()).unwrap(),
            total_ms: moves.iter().sum(),
            squares: moves.iter().map(|ms| ms * ms).sum(),
        };
        let played = Played::NONE.with(2, 2, Drawn, 1).last(1, |facts| facts.times = times);
        played.kinds()
    };
    let alternating = |moves: u32, mean: f64, deviation: f64| -> Vec<f64> {
        let of = |number| if number % 2 == 0 { mean - deviation } else { mean + deviation };
        (0..moves).map(of).collect()
    };
    let even = [HintKind::EvenTimes];
    assert_eq!(timed(&alternating(TIMED_MOVES_MIN, 2_000.0, 499.0)), even);
    assert_eq!(timed(&alternating(TIMED_MOVES_MIN, 2_000.0, 501.0)), []);
    assert_eq!(timed(&alternating(TIMED_MOVES_MIN - 1, 2_000.0, 0.0)), []);
    assert_eq!(timed(&alternating(TIMED_MOVES_MIN, TIMED_MEAN_MS_MIN, 0.0)), even);
    assert_eq!(timed(&alternating(TIMED_MOVES_MIN, TIMED_MEAN_MS_MIN - 1.0, 0.0)), []);
}

/// Games of so many others who choose the engine's move in 4 of 10 choices, more or less, and of member 1.
fn among_others(people: u64, games_each: usize, own: usize, firsts: u32, loss: f64) -> Played {
    let agreement = |firsts, loss| Agreement { choices: 10, firsts, loss, last_chance: 0.5 };
    let mut played = Played::NONE;
    for person in 0..people {
        played = played.with(games_each, 2, Drawn, 1).last(games_each, |facts| {
            facts.member = member(100 + person);
        });
    }
    for (number, game) in played.0.iter_mut().enumerate() {
        let usual = if number % 2 == 0 { agreement(3, 0.9) } else { agreement(5, 1.1) };
        game.facts.first.agreement = Some(usual);
    }
    played.with(own, 2, Drawn, 1).last(own, |facts| facts.agreement = Some(agreement(firsts, loss)))
}

#[test]
fn agreement_is_compared_with_enough_games_of_enough_others() {
    let each = BAND_GAMES_MIN / BAND_PLAYERS_MIN;
    let people = BAND_PLAYERS_MIN as u64;
    let usual = |played: Played| played.hints(&[]).agreement.usual;
    let own = AGREEMENT_GAMES_MIN;
    assert!(usual(among_others(people, each, own, 4, 1.0)).is_some());
    assert!(usual(among_others(people, each, own - 1, 10, 0.0)).is_none());
    assert!(usual(among_others(people - 1, 2 * each, own, 10, 0.0)).is_none());
    assert!(usual(among_others(people, each - 1, own, 10, 0.0)).is_none());
}

#[test]
fn agreement_is_a_hint_above_three_standard_deviations() {
    let of = |firsts, loss| among_others(10, 10, 6, firsts, loss).hints(&[]);
    // Usual are 0.4, and 0.24 a choice: 60 choices have a standard deviation of 3.8.
    let close = of(5, 1.0);
    let usual = close.agreement.usual.unwrap();
    assert!((usual.firsts - 0.4).abs() < 1e-9 && (usual.loss - 0.1).abs() < 1e-9, "{usual:?}");
    assert!((usual.firsts_z - 6.0 / 14.4_f64.sqrt()).abs() < 1e-9, "{usual:?}");
    assert_eq!(close.kinds, []);
    assert_eq!(of(6, 1.0).kinds, [HintKind::Engine], "12 more than usual: z 3.16");
    // Others differ by 0.1 in a game of 10 choices: 60 have a standard deviation of 0.245.
    assert_eq!(of(4, 0.88).kinds, [], "0.72 less than usual: z 2.94");
    assert_eq!(of(4, 0.87).kinds, [HintKind::Engine], "0.78 less: z 3.18");
}
