//! Judges which other nodes are dead, by their heartbeats as this node sees them.
//!
//! Pure, and without clocks of others: a node is dead when its heartbeat has not changed for so
//! long by this node's own time. Only time in which the own heartbeats are answered counts, so a
//! registry that stalls kills nobody, and neither does a pause of this process.

use std::{collections::BTreeMap, time::Duration};

use fivefold_storage::NodeId;
use fivefold_storage::{LivingNode, NodeReport};

use crate::limits::{
    BLIND_BEATS_MAX, CLOCK_DRIFT_MAX, HEARTBEAT_ANSWERED_WITHIN, HEARTBEAT_INTERVAL,
    NODE_DEAD_AFTER, WRONG_CLOCKS_MAX,
};

/// The other nodes, as the answers to the own heartbeats show them.
#[derive(Debug, Default)]
pub(super) struct Observer {
    others: BTreeMap<NodeId, Observed>,
    /// Whether the last own heartbeat was answered in time.
    was_answered: bool,
    /// In how many heartbeats running the clock here was wrong.
    wrong_clocks: u32,
    /// Whether this node has ever seen the bus.
    has_seen_bus: bool,
    /// In how many heartbeats running this node did not see the bus, and another did.
    blind_beats: u32,
}

#[derive(Debug)]
struct Observed {
    heartbeat: u64,
    unchanged_for: Duration,
}

/// A node to declare dead, with the last heartbeat that was seen of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Suspect {
    pub(super) node: NodeId,
    pub(super) seen: u64,
}

impl Observer {
    /// An own heartbeat was answered after `took`, and `since` the answer before it. Returns who is
    /// to be declared dead.
    pub(super) fn note_answer(
        &mut self,
        me: NodeId,
        took: Duration,
        since: Duration,
        living: &[LivingNode],
    ) -> Vec<Suspect> {
        let is_answered = took <= HEARTBEAT_ANSWERED_WITHIN;
        // After a pause of this process its peers have had only a moment to be seen.
        let counted = if is_answered && self.was_answered {
            since.min(2 * HEARTBEAT_INTERVAL)
        } else {
            Duration::ZERO
        };
        self.was_answered = is_answered;
        let others = living.iter().filter(|node| node.id != me);
        let before = std::mem::take(&mut self.others);
        self.others = others
            .map(|node| {
                let same = before.get(&node.id).filter(|seen| seen.heartbeat == node.heartbeat);
                let unchanged_for =
                    same.map_or(Duration::ZERO, |seen| seen.unchanged_for + counted);
                (node.id, Observed { heartbeat: node.heartbeat, unchanged_for })
            })
            .collect();
        let is_dead = |observed: &Observed| observed.unchanged_for >= NODE_DEAD_AFTER;
        let dead = self.others.iter().filter(|(_, observed)| is_dead(observed));
        dead.map(|(&node, observed)| Suspect { node, seen: observed.heartbeat }).collect()
    }

    /// Whether this node alone is cut off from the bus. When the bus is down for all, they notice
    /// within a few heartbeats of each other. A node that has never seen the bus and has no rooms waits
    /// for it: nobody needs it to end.
    pub(super) fn is_cut_off(
        &mut self,
        me: NodeId,
        report: NodeReport,
        living: &[LivingNode],
    ) -> bool {
        let others_see = living.iter().any(|node| node.id != me && node.report.sees_bus);
        self.has_seen_bus |= report.sees_bus;
        let waits = !self.has_seen_bus && report.rooms == 0;
        let is_blind = !report.sees_bus && others_see && !waits;
        self.blind_beats = if is_blind { self.blind_beats + 1 } else { 0 };
        self.blind_beats >= BLIND_BEATS_MAX
    }

    /// Whether the clock here is too wrong, and not by one bad measurement.
    pub(super) fn is_clock_wrong(&mut self, drift: Duration) -> bool {
        self.wrong_clocks = if drift > CLOCK_DRIFT_MAX { self.wrong_clocks + 1 } else { 0 };
        self.wrong_clocks >= WRONG_CLOCKS_MAX
    }

    /// An own heartbeat was not answered.
    pub(super) const fn note_silence(&mut self) {
        self.was_answered = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Duration = Duration::from_millis(5);

    fn node(number: u32) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn living(heartbeats: &[(u32, u64)]) -> Vec<LivingNode> {
        let row = |&(id, heartbeat)| LivingNode {
            id: node(id),
            heartbeat,
            report: NodeReport::default(),
        };
        heartbeats.iter().map(row).collect()
    }

    /// How many answers it takes, a heartbeat's interval apart, until the node that stands still
    /// is dead.
    fn answers_until_dead(observer: &mut Observer, took: Duration) -> Option<u32> {
        (1..100).find(|&beat| {
            let rows = living(&[(1, u64::from(beat)), (2, 7), (3, u64::from(beat))]);
            let dead = observer.note_answer(node(1), took, HEARTBEAT_INTERVAL, &rows);
            assert!(
                dead.iter().all(|dead| *dead == Suspect { node: node(2), seen: 7 }),
                "{dead:?}"
            );
            !dead.is_empty()
        })
    }

    #[test]
    fn a_node_whose_heartbeat_stands_still_is_dead() {
        let after = NODE_DEAD_AFTER.as_millis() / HEARTBEAT_INTERVAL.as_millis();
        let answers = answers_until_dead(&mut Observer::default(), QUICK);
        assert_eq!(answers.map(u128::from), Some(after + 1));
    }

    #[test]
    fn a_registry_that_stalls_kills_nobody() {
        let mut observer = Observer::default();
        let slow = HEARTBEAT_ANSWERED_WITHIN + Duration::from_millis(1);
        assert_eq!(answers_until_dead(&mut observer, slow), None);
        assert!(answers_until_dead(&mut observer, HEARTBEAT_ANSWERED_WITHIN).is_some());

        let mut observer = Observer::default();
        for beat in 0..100 {
            let rows = living(&[(1, beat), (2, 7)]);
            assert!(observer.note_answer(node(1), QUICK, HEARTBEAT_INTERVAL, &rows).is_empty());
            observer.note_silence();
        }
    }

    #[test]
    fn only_a_node_that_alone_misses_the_bus_is_cut_off() {
        let blind = NodeReport { sees_bus: false, ..NodeReport::default() };
        let seeing = NodeReport { sees_bus: true, ..blind };
        let rows = |sees_bus| {
            let report = NodeReport { sees_bus, ..blind };
            vec![LivingNode { id: node(2), heartbeat: 1, report }]
        };
        let mut observer = Observer::default();
        let mut beat = |report, others_see| observer.is_cut_off(node(1), report, &rows(others_see));
        assert!((0..100).all(|_| !beat(blind, true)), "it waits for the bus");
        assert!(!beat(seeing, true));
        assert!((1..BLIND_BEATS_MAX).all(|_| !beat(blind, true)));
        assert!(!beat(blind, false), "the bus is down for all");
        assert!((1..BLIND_BEATS_MAX).all(|_| !beat(blind, true)));
        assert!(beat(blind, true));
        assert!(!beat(seeing, true));
    }

    #[test]
    fn a_node_that_waits_for_the_bus_ends_if_it_has_rooms_that_others_cannot_reach() {
        let blind = NodeReport { sees_bus: false, rooms: 1, ..NodeReport::default() };
        let seeing = LivingNode {
            id: node(2),
            heartbeat: 1,
            report: NodeReport { sees_bus: true, ..NodeReport::default() },
        };
        let mut observer = Observer::default();
        assert!((1..BLIND_BEATS_MAX).all(|_| !observer.is_cut_off(node(1), blind, &[seeing])));
        assert!(observer.is_cut_off(node(1), blind, &[seeing]));
    }

    #[test]
    fn a_clock_is_wrong_after_some_bad_measurements_running() {
        let mut observer = Observer::default();
        let past = CLOCK_DRIFT_MAX + Duration::from_millis(1);
        assert!((1..WRONG_CLOCKS_MAX).all(|_| !observer.is_clock_wrong(past)));
        assert!(!observer.is_clock_wrong(CLOCK_DRIFT_MAX));
        assert!((1..WRONG_CLOCKS_MAX).all(|_| !observer.is_clock_wrong(past)));
        assert!(observer.is_clock_wrong(past));
    }

    #[test]
    fn a_pause_of_this_process_kills_nobody() {
        let mut observer = Observer::default();
        for beat in 0..3 {
            // The other nodes paused as well, as on a laptop that was closed.
            let rows = living(&[(1, beat), (2, 7)]);
            let since = Duration::from_secs(if beat == 2 { 3_600 } else { 0 });
            assert!(observer.note_answer(node(1), QUICK, since, &rows).is_empty());
        }
    }
}
