//! Who moves like the engine: simulated players of one rating, as an operator's queue lists them.

use fivefold_engine::{
    agreement::{self, LINES},
    reviewer::Reviewer,
    search::{Engine, EngineOptions},
};
use fivefold_server::moderation::cases::{HintKind, case_file, queue};
use fivefold_shared::{
    protocol::{MemberId, Name},
    review::Agreement,
    rules::{Point, Position, Rules, Size, Stone, Variant},
    search_budget::{Budget, Thinking},
    seat::BySeat,
};
use fivefold_storage::{
    ExaminationClaim, GameResult, Memory, ModerationChange, MoveTimes, PlayerFacts, Storage,
};

use crate::rooms::{game_id, member};

/// The one who plays what the engine says.
const CHEAT: u64 = 1;
/// One of those who do not.
const USUAL: u64 = 2;
/// How many they are.
const PEOPLE: u64 = 8;
/// Stones of each game.
const STONES: usize = 22;
/// Stones that each game begins with.
const OPENING: usize = 4;
/// Positions that players and the review search for each move.
const NODES: u64 = 500;

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// One game: what both sides have in common with the engine.
fn play([black, white]: [u64; 2], numbers: &mut Numbers) -> [Agreement; 2] {
    let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
    let mut position = Position::new(rules);
    while position.ply() < OPENING {
        let [x, y] = [(); 2].map(|()| 5 + i32::try_from(numbers.below(5)).unwrap());
        // A point that is taken is left out.
        position.play(Point::new(x, y)).ok();
    }
    let mut engine = Engine::new(rules, EngineOptions::default()).unwrap();
    let budget = Budget { nodes: Some(NODES), ..Budget::UNLIMITED };
    let thinking = Thinking { budget, ..Thinking::unlimited() };
    while position.outcome().is_none() && position.ply() < STONES {
        let player = if position.turn() == Stone::Black { black } else { white };
        // The cheat asks as the review does.
        let lines = if player == CHEAT { LINES } else { 4 };
        let analysis = engine.search(&position, &thinking, lines, &mut |_| {}).unwrap();
        let is_forced = (analysis.lines[0].value.chance() - 0.5).abs() > 0.45;
        let choice = if player == CHEAT || is_forced { 0 } else { numbers.below(4) };
        position.play(analysis.lines[choice.min(analysis.lines.len() - 1)].moves[0]).unwrap();
    }
    let moves = position.moves().to_vec();
    let mut reviewer =
        Reviewer::searching(rules, &moves, None, LINES, NODES * STONES as u64).unwrap().unwrap();
    while reviewer.go_on(&Thinking::unlimited()).unwrap() {}
    [Stone::Black, Stone::White].map(|side| agreement::of(&reviewer, OPENING, side).unwrap())
}

fn facts(who: u64, agreement: Agreement) -> PlayerFacts {
    PlayerFacts {
        member: member(who),
        rating: 1_500.0 + 10.0 * who as f64,
        result: GameResult::Drawn,
        gave_up: false,
        times: MoveTimes::default(),
        agreement: Some(agreement),
    }
}

/// Stores games of these players, as a node would that examines them.
fn store(memory: &mut Memory, games: &[[u64; 2]]) {
    let mut numbers = Numbers(7);
    for (number, players) in (1..).zip(games) {
        let [black, white] = play(*players, &mut numbers);
        let (game, at) = (game_id(number), 1_000 + number);
        let claim =
            ExaminationClaim { game: game.clone(), ended_at: at, at, stale: 0, engine: true };
        memory.moderate(&ModerationChange::ClaimExamination(claim)).unwrap();
        let facts = BySeat { first: facts(players[0], black), second: facts(players[1], white) };
        let facts = Some(Box::new(facts));
        memory.moderate(&ModerationChange::Examined { game, facts }).unwrap();
    }
    for who in 1..=PEOPLE {
        let name = Name::new(&format!("Player {who}")).unwrap();
        let guest = crate::accounts::sign_up(who, None, name.as_str());
        memory.change_account(&guest).unwrap();
    }
}

fn listed(memory: &Memory) -> Vec<(MemberId, Vec<HintKind>)> {
    let cases = queue(&mut *memory.reader().unwrap(), 1_000_000_000_000).unwrap();
    cases.into_iter().map(|case| (case.member, case.hints)).collect()
}

#[test]
fn who_plays_the_engines_moves_is_listed_and_others_of_the_rating_are_not() {
    let mut memory = Memory::default();
    // Each of the others plays each of them, and the cheat all of them.
    let others = (USUAL..=PEOPLE).flat_map(|one| {
        (USUAL..=PEOPLE).filter(move |other| *other != one).map(move |other| [one, other])
    });
    let cheats =
        (USUAL..=PEOPLE).map(|other| if other % 2 == 0 { [CHEAT, other] } else { [other, CHEAT] });
    let games: Vec<_> = others.chain(cheats).collect();
    store(&mut memory, &games);
    let shown = |who| {
        let file = case_file(&mut *memory.reader().unwrap(), &member(who), 2_000).unwrap();
        file.hints.agreement
    };
    let (cheat, usual) = (shown(CHEAT), shown(USUAL));
    assert!(cheat.usual.is_some_and(|far| far.firsts_z > 3.0), "{cheat:?}, {usual:?}");
    assert_eq!(listed(&memory), [(member(CHEAT), vec![HintKind::Engine])], "{cheat:?}, {usual:?}");
}

#[test]
fn nobody_is_listed_where_too_few_play() {
    let mut memory = Memory::default();
    let games: Vec<_> = (USUAL..=PEOPLE).map(|other| [CHEAT, other]).collect();
    store(&mut memory, &games);
    let file = case_file(&mut *memory.reader().unwrap(), &member(CHEAT), 2_000).unwrap();
    assert_eq!((file.hints.agreement.games, file.hints.agreement.usual), (7, None));
    assert!(file.hints.to_string().contains("too few games to compare"), "{}", file.hints);
    assert_eq!(listed(&memory), []);
}
