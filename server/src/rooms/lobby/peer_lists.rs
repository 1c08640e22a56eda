//! The public rooms of other nodes, as each of them lists its own. They do so only while somebody
//! asks for a list on any node.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::protocol::{RoomCode, RoomSummary};
use fivefold_storage::NodeId;
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

use super::room_list::RoomList;
use crate::{
    cluster::{Cluster, frame::News},
    limits::{LISTS_WANTED_FOR, PEER_ANSWERS_WITHIN, PEER_LIST_INTERVAL, PEER_LIST_KEPT},
};

/// The lists of other nodes.
#[derive(Debug, Default)]
pub(super) struct PeerLists {
    /// Locked to look up or change.
    state: Mutex<State>,
    /// Somebody wants lists.
    wanted: Notify,
    /// A list has arrived.
    arrived: Notify,
}

#[derive(Debug, Default)]
struct State {
    lists: BTreeMap<NodeId, PeerList>,
    /// The wish for lists.
    rooms: Wish,
    /// The wish of those who may begin a demo game.
    demo: Wish,
}

#[derive(Debug, Default)]
struct Wish {
    /// When somebody asked last, on any node.
    at: Option<Instant>,
    /// When the other nodes learned last that somebody here asks.
    spread_at: Option<Instant>,
}

#[derive(Debug)]
struct PeerList {
    list: RoomList,
    at: Instant,
}

impl PeerLists {
    /// Asks the other nodes for their lists, and waits for those that are not known. A node that
    /// does not answer soon is left out. With `wants_demo`, a demo game may begin where no game is running.
    pub(super) async fn request(&self, cluster: &Cluster, wants_demo: bool) {
        if wants_demo {
            self.note_demo_wanted();
        }
        self.note_wanted();
        self.spread_wishes(cluster, wants_demo);
        let others = cluster.others();
        let complete = async {
            loop {
                let arrived = self.arrived.notified();
                if self.are_complete(&others) {
                    return;
                }
                arrived.await;
            }
        };
        // What has not come by then is missing.
        drop(timeout(PEER_ANSWERS_WITHIN, complete).await);
    }

    /// Tells the other nodes what somebody here asks for, unless they have just learned it.
    fn spread_wishes(&self, cluster: &Cluster, wants_demo: bool) {
        let now = Instant::now();
        let mut state = self.lock();
        let is_demo_due = wants_demo && state.demo.is_due(now);
        let are_rooms_due = state.rooms.is_due(now);
        drop(state);
        if is_demo_due {
            cluster.broadcast(&News::DemoWanted);
        }
        if are_rooms_due {
            cluster.broadcast(&News::RoomsWanted);
        }
    }

    /// Somebody asks, here or on another node, who may begin a demo game.
    pub(super) fn note_demo_wanted(&self) {
        self.lock().demo.at = Some(Instant::now());
    }

    /// Whether such a one has asked lately.
    pub(super) fn is_demo_wanted(&self) -> bool {
        self.lock().demo.is_current()
    }

    /// Somebody asks, here or on another node.
    pub(super) fn note_wanted(&self) {
        self.lock().rooms.at = Some(Instant::now());
        self.wanted.notify_one();
    }

    /// Waits until somebody has asked lately.
    pub(super) async fn until_wanted(&self) {
        while !self.lock().rooms.is_current() {
            self.wanted.notified().await;
        }
    }

    /// Takes in the list of a node.
    pub(super) fn note_list(&self, node: NodeId, list: RoomList) {
        let at = Instant::now();
        let mut state = self.lock();
        state.lists.retain(|_, list| list.is_current());
        state.lists.insert(node, PeerList { list, at });
        drop(state);
        self.arrived.notify_waiters();
    }

    /// Whether the lists of all these nodes are known.
    pub(super) fn are_complete(&self, nodes: &[NodeId]) -> bool {
        let state = self.lock();
        nodes.iter().all(|node| state.lists.get(node).is_some_and(PeerList::is_current))
    }

    /// Adds the other lists to that of this node. A room that goes from one node to another may be
    /// in the lists of both.
    pub(super) fn merge(&self, own: RoomList, owns: impl Fn(&RoomCode) -> bool) -> RoomList {
        let RoomList { mut rooms, mut total, mut has_game } = own;
        let mut seen = HashSet::new();
        let state = self.lock();
        for PeerList { list, .. } in state.lists.values().filter(|list| list.is_current()) {
            has_game |= list.has_game;
            total += list.total;
            let is_new = |room: &&RoomSummary| !owns(&room.room) && seen.insert(room.room.clone());
            let before = rooms.len();
            rooms.extend(list.rooms.iter().filter(is_new).cloned());
            total -= list.rooms.len() - (rooms.len() - before);
        }
        RoomList::of(rooms, total, has_game)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wish {
    /// Whether somebody has asked lately.
    fn is_current(&self) -> bool {
        self.at.is_some_and(|at| at.elapsed() < LISTS_WANTED_FOR)
    }

    /// Whether the other nodes should learn now that somebody here asks; then they do.
    fn is_due(&mut self, now: Instant) -> bool {
        let is_known = self.spread_at.is_some_and(|at| now - at < PEER_LIST_INTERVAL);
        if !is_known {
            self.spread_at = Some(now);
        }
        !is_known
    }
}

impl PeerList {
    fn is_current(&self) -> bool {
        self.at.elapsed() < PEER_LIST_KEPT
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fivefold_shared::protocol::Phase;
    use serde_json::json;
    use tokio::time::advance;

    use super::*;

    fn node(number: u32) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn room(code: &str, phase: Phase) -> RoomSummary {
        serde_json::from_value(json!({
            "room": code, "rules": {"variant": "freestyle", "size": [15, 15]}, "assistance": false,
            "seats": {"first": null, "second": null}, "black": "first", "phase": phase, "ply": 0,
            "spectators": 0,
        }))
        .unwrap()
    }

    fn list(codes: &[(&str, Phase)], total: usize) -> RoomList {
        let rooms = codes.iter().map(|(code, phase)| room(code, *phase)).collect();
        let has_game = codes.iter().any(|(_, phase)| *phase == Phase::Running);
        RoomList { rooms, total, has_game }
    }

    fn codes(list: &RoomList) -> Vec<&str> {
        list.rooms.iter().map(|room| room.room.as_str()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn lists_are_merged_and_each_room_is_in_once() {
        let lists = PeerLists::default();
        let own = list(&[("aaaaaaaaaaaa", Phase::Finished)], 1);
        lists.note_list(node(2), list(&[("bbbbbbbbbbbb", Phase::Running)], 7));
        // One room has come here in the meantime, and one is in the list before, too.
        let third = [("aaaaaaaaaaaa", Phase::Running), ("bbbbbbbbbbbb", Phase::Running)];
        lists.note_list(node(3), list(&[third[0], third[1], ("cccccccccccc", Phase::Waiting)], 3));
        let merged = lists.merge(own, |room| room.as_str() == "aaaaaaaaaaaa");
        assert_eq!(codes(&merged), ["cccccccccccc", "bbbbbbbbbbbb", "aaaaaaaaaaaa"]);
        assert_eq!((merged.total, merged.has_game), (9, true));
    }

    #[tokio::test(start_paused = true)]
    async fn the_rooms_of_a_silent_node_go_after_three_seconds() {
        let lists = PeerLists::default();
        lists.note_list(node(2), list(&[("bbbbbbbbbbbb", Phase::Running)], 1));
        assert!(lists.are_complete(&[node(2)]) && !lists.are_complete(&[node(2), node(3)]));
        advance(PEER_LIST_KEPT - Duration::from_millis(1)).await;
        assert_eq!(lists.merge(RoomList::default(), |_| false).total, 1);
        advance(Duration::from_millis(1)).await;
        assert_eq!(lists.merge(RoomList::default(), |_| false), RoomList::default());
        assert!(!lists.are_complete(&[node(2)]));
    }

    #[tokio::test(start_paused = true)]
    async fn lists_are_wanted_for_a_while_after_somebody_asked() {
        let lists = PeerLists::default();
        let is_wanted = async || timeout(Duration::ZERO, lists.until_wanted()).await.is_ok();
        assert!(!is_wanted().await);
        lists.note_wanted();
        assert!(is_wanted().await);
        advance(LISTS_WANTED_FOR - Duration::from_millis(1)).await;
        assert!(is_wanted().await);
        advance(Duration::from_millis(1)).await;
        assert!(!is_wanted().await);
        // The others learn once a second that somebody asks.
        let now = Instant::now();
        let is_due = |now| lists.lock().rooms.is_due(now);
        assert!(is_due(now));
        assert!(!is_due(now + PEER_LIST_INTERVAL - Duration::from_millis(1)));
        assert!(is_due(now + PEER_LIST_INTERVAL));
        // A demo game begins only for those who may begin one.
        assert!(!lists.is_demo_wanted());
        lists.note_demo_wanted();
        advance(LISTS_WANTED_FOR - Duration::from_millis(1)).await;
        assert!(lists.is_demo_wanted());
        advance(Duration::from_millis(1)).await;
        assert!(!lists.is_demo_wanted());
    }
}
