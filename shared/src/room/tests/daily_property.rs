//! Property tests of daily games: time off and conditional moves, mixed with everything else that can happen.

use proptest::prelude::*;

use super::{
    harness::{Table, member},
    property::{Act, Watched, act_or_hours, check_log},
};
use crate::{
    clock::{DAY_MS, HOUR_MS, TimeOff},
    conditional_moves::{ConditionalMoves, GameConditionalMoves},
    protocol::{Event, NumberedEvent},
    room::{Entry, Input},
    rules::{Outcome, Point, Position, Stone},
    seat::BySeat,
};

const NAMES: [&str; 2] = ["Ann", "Bob"];

/// One random action.
#[derive(Clone, Debug)]
enum DailyAct {
    Any(Act),
    /// A player takes some days off, beginning this many hours from now, or earlier if negative. If the player is off
    /// already, that time off ends instead.
    TimeOff {
        player: usize,
        hours: i64,
        days: u64,
    },
    /// A player who is not on turn plans a reply to every move of the opponent.
    Plan {
        player: usize,
        replies: usize,
    },
    /// A player withdraws their plan.
    Unplan(usize),
}

fn daily_act() -> impl Strategy<Value = DailyAct> {
    let player = || 0..NAMES.len();
    prop_oneof![
        20 => act_or_hours().prop_map(DailyAct::Any),
        6 => (0..4, 0..3).prop_map(|point| DailyAct::Any(Act::Move(point.into()))),
        2 => (1..30_u64).prop_map(|hours| DailyAct::Any(Act::Wait(hours * HOUR_MS))),
        2 => (player(), -12..36_i64, 1..4_u64)
            .prop_map(|(player, hours, days)| DailyAct::TimeOff { player, hours, days }),
        3 => (player(), 0..9_usize)
            .prop_map(|(player, replies)| DailyAct::Plan { player, replies }),
        1 => player().prop_map(DailyAct::Unplan),
    ]
}

/// A table, and what is stored for its players' accounts.
struct Daily {
    watched: Watched,
    off: [TimeOff; 2],
    plans: [Option<GameConditionalMoves>; 2],
    /// How many plans there were.
    number: u64,
}

impl Daily {
    fn act(&mut self, act: DailyAct) {
        let known = self.table().log.len();
        let is_new = match act {
            DailyAct::Any(act) => {
                let is_new = matches!(act, Act::Rebuild | Act::Restart);
                self.watched.act(act);
                is_new
            }
            DailyAct::TimeOff { player, hours, days } => {
                self.take_time_off(player, hours, days);
                false
            }
            DailyAct::Plan { player, replies } => {
                self.plan(player, replies);
                false
            }
            DailyAct::Unplan(player) => {
                self.tell_plan(player, None);
                false
            }
        };
        self.check_replies(known);
        if is_new {
            // A room that is rebuilt asks again for what was planned.
            for (player, plan) in self.plans.clone().into_iter().enumerate() {
                self.tell_plan(player, plan);
            }
        }
        assert_eq!(self.due(), None, "a planned reply is played at once");
    }

    const fn table(&self) -> &Table {
        &self.watched.table
    }

    fn take_time_off(&mut self, player: usize, hours: i64, days: u64) {
        let now = self.table().now;
        let off = &mut self.off[player];
        *off = if off.is_open(now) {
            off.ended(now)
        } else {
            let from = now.saturating_add_signed(hours * HOUR_MS.cast_signed());
            TimeOff::of_days(from.max(off.until), days)
        };
        let off = *off;
        self.watched.table.apply(Input::TimeOff { member: member(NAMES[player]).id, off });
    }

    fn plan(&mut self, player: usize, replies: usize) {
        let state = &self.table().room.state;
        let seat = state.seats.of_member(&member(NAMES[player]).id);
        let Some(game) = state.running().filter(|game| game.to_act() != seat) else { return };
        if seat.is_none() {
            return;
        }
        let legal = |position: &Position| {
            let points = (0..9).map(|at| Point::new(at / 3, at % 3));
            points.filter(|point| position.legality(*point).is_ok()).collect::<Vec<_>>()
        };
        let mut lines = Vec::new();
        for expected in legal(&game.position) {
            let (mut line, mut ahead) = (Vec::new(), game.position.clone());
            for step in [Some(expected), None] {
                let after = legal(&ahead);
                let Some(expected) =
                    step.or_else(|| after.get(replies % after.len().max(1)).copied())
                else {
                    break;
                };
                ahead.play(expected).unwrap();
                let answers = legal(&ahead);
                let Some(reply) = answers.get(replies % answers.len().max(1)) else { break };
                ahead.play(*reply).unwrap();
                line.extend([expected, *reply]);
            }
            if !line.is_empty() {
                lines.push(line);
            }
        }
        let moves = ConditionalMoves { ply: game.position.ply(), lines };
        assert_eq!(moves.check(&game.position), Ok(()));
        let plan = game.planned(moves);
        self.tell_plan(player, Some(plan));
    }

    fn tell_plan(&mut self, player: usize, plan: Option<GameConditionalMoves>) {
        self.plans[player].clone_from(&plan);
        self.number += 1;
        self.watched.table.apply(Input::ConditionalMoves {
            member: member(NAMES[player]).id,
            number: self.number,
            moves: plan.map(Box::new),
        });
    }

    /// What the player on turn has planned as the answer to the last of these moves.
    fn planned(&self, moves: &[Point]) -> Option<Point> {
        let state = &self.table().room.state;
        let game = state.game.as_ref()?;
        let stone = if moves.len().is_multiple_of(2) { Stone::Black } else { Stone::White };
        let on_turn = Some(game.seat_of(stone));
        let is_on_turn = |name: &&str| state.seats.of_member(&member(name).id) == on_turn;
        let plan = self.plans[NAMES.iter().position(is_on_turn)?].as_ref()?;
        if (plan.game, plan.takebacks) != (game.number, game.takebacks) {
            return None;
        }
        let since = moves.get(plan.moves.ply..).filter(|since| since.len() % 2 == 1)?;
        let line = plan.moves.lines.iter().find(|line| line.starts_with(since))?;
        line.get(since.len()).copied()
    }

    /// The planned reply that the room should have played.
    fn due(&self) -> Option<Point> {
        let room = &self.table().room;
        let game =
            room.state.running().filter(|_| room.resume_at.is_none() && !room.is_closed())?;
        let is_asked = game.takeback_ask.is_some()
            || game.draw_offer.is_some_and(|by| Some(by) != game.to_act());
        let due = self.planned(game.position.moves()).filter(|_| !is_asked)?;
        game.position.legality(due).is_ok().then_some(due)
    }

    /// If one input has led to several moves, all but the first were planned.
    fn check_replies(&self, known: usize) {
        let Table { room, log, .. } = self.table();
        let played = log[known..].iter().filter_map(|entry| match entry.event.event {
            Event::Played { ply, point, .. } => Some((ply, point)),
            _ => None,
        });
        for (ply, point) in played.skip(1) {
            let game = room.state.game.as_ref().expect("a game");
            assert_eq!(self.planned(&game.position.moves()[..ply]), Some(point));
        }
    }
}

/// Nobody loses on time before the time is up, and no time passes during time off.
fn check_flags(log: &[Entry], move_ms: u64) {
    let mut since = 0;
    let mut periods = BySeat::<Vec<TimeOff>>::default();
    for NumberedEvent { event, at, .. } in log.iter().map(|entry| &entry.event) {
        match event {
            Event::Started { .. } => (since, periods) = (*at, BySeat::default()),
            Event::Played { .. } | Event::TakenBack { .. } => since = *at,
            Event::TimeOff { seat, off } => {
                periods[*seat].retain(|known| known.from != off.from);
                periods[*seat].push(*off);
            }
            Event::Ended { outcome: Outcome::Time { winner }, .. } => {
                let periods = &periods[winner.other()];
                let off: u64 = periods.iter().map(|period| period.overlap(since, *at)).sum();
                assert!(at - since - off >= move_ms, "{since} to {at}: {periods:?}");
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn time_off_and_planned_replies_hold_whatever_comes(
        paired in any::<bool>(),
        acts in prop::collection::vec(daily_act(), 1..200),
    ) {
        let paired = if paired { "paired " } else { "" };
        let create = format!("{paired}mnk:3 3x3 me open black assistance in 1d");
        let (table, _) = Table::create(&create).unwrap();
        let mut watched = Watched::of(table);
        watched.seat_bob();
        let mut daily = Daily { watched, off: [TimeOff::NONE; 2], plans: [None, None], number: 0 };
        for act in acts {
            daily.act(act);
        }
        let log = &daily.table().log;
        check_log(log.iter().map(|entry| &entry.event));
        check_flags(log, DAY_MS);
    }
}
