//! What operators see and do about the rooms and people of this node, and what they ask the other nodes for.

use std::{net::IpAddr, sync::Arc};

use fivefold_command_line::COMMIT;
use fivefold_shared::{
    protocol::{ChatText, Message, Phase, ROOMS_MAX, Reason, Refusal, RoomCode, RoomSummary},
    room::{Input, SessionId},
};
use fivefold_storage::NodeId;
use serde::{Deserialize, Serialize};
use tokio::{sync::mpsc::error::TrySendError, time::timeout};

use super::{Lobby, lists_of_other_versions::known_only, no_such_room};
#[cfg(test)]
use crate::http::Named;
use crate::{
    cluster::frame::{News, Question},
    limits::operators::ROOM_CLOSES_WITHIN,
    metrics::Totals,
    online::{
        announcements::Announcement,
        logins::{Logins, OnlineCounts, OnlineMember},
        outbox::Outbox,
    },
    process::{ids, operation::Act},
    rooms::room_actor::Envelope,
    thinking::Owner,
};

/// How a node is, for operators. A node of another version may leave out a field, or list what is not known here.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct NodeStatus {
    pub(crate) node: u32,
    /// Absent on a server without other nodes.
    pub(crate) name: Option<String>,
    pub(crate) version: String,
    pub(crate) commit: String,
    /// In milliseconds since the Unix epoch.
    pub(crate) started_at: u64,
    /// Whether an operator has paused new rooms there.
    pub(crate) paused: bool,
    pub(crate) rooms: usize,
    /// Running games in these rooms.
    pub(crate) games: usize,
    pub(crate) online: OnlineCounts,
    pub(crate) totals: Totals,
    #[serde(deserialize_with = "known_only")]
    pub(crate) people: Vec<OnlineMember>,
    /// Games that run in public rooms.
    #[serde(deserialize_with = "known_only")]
    #[cfg_attr(test, schemars(with = "Vec<Named<RoomSummary>>"))]
    pub(crate) running: Vec<RoomSummary>,
    #[serde(deserialize_with = "known_only")]
    pub(crate) acts: Vec<Act>,
}

impl Lobby {
    /// How this node is.
    pub(crate) fn status_here(&self, logins: &Logins) -> NodeStatus {
        let context = &self.context;
        let (online, people) = logins.who_is_online();
        let name = context.cluster.as_ref().map(|cluster| cluster.node.name_of(context.node));
        NodeStatus {
            node: context.node.get(),
            name,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: COMMIT.to_owned(),
            started_at: context.operation.started_at(context.clock.now()),
            paused: self.is_paused(),
            rooms: self.count(),
            games: self.count_games(),
            online,
            totals: context.metrics.totals(),
            people,
            running: self.public_games(),
            acts: context.operation.latest(),
        }
    }

    /// The games that run in public rooms of this node, in the order of the rooms' codes.
    fn public_games(&self) -> Vec<RoomSummary> {
        let mut running: Vec<_> = self
            .rooms
            .iter()
            .filter_map(|room| {
                let listed = room.listed().filter(|listed| listed.is_public())?;
                Some(listed.standing().summary).filter(|room| room.phase == Phase::Running)
            })
            .collect();
        running.sort_unstable_by(|one, other| one.room.cmp(&other.room));
        running.truncate(ROOMS_MAX);
        running
    }

    /// How the other nodes are, and the numbers of those that do not answer soon.
    pub(crate) async fn status_elsewhere(&self) -> (Vec<NodeStatus>, Vec<u32>) {
        let Some(cluster) = &self.context.cluster else { return (Vec::new(), Vec::new()) };
        let nodes = cluster.ask_all::<NodeStatus>(&Question::Status).await;
        let is_known = |node: &u32| nodes.iter().any(|known| known.node == *node);
        let others = cluster.node.others().into_iter().map(NodeId::get);
        let unanswered = others.filter(|node| !is_known(node)).collect();
        (nodes, unanswered)
    }

    /// Pauses new rooms at a node, or ends that.
    ///
    /// # Errors
    /// If there is no such node, or it does not answer.
    pub(crate) async fn pause(&self, node: u32, pauses: bool) -> Result<(), Refusal> {
        if node == self.context.node.get() {
            self.context.operation.pause(pauses);
            return Ok(());
        }
        let cluster = self.context.cluster.as_ref();
        let known = NodeId::new(node).and_then(|node| {
            cluster.filter(|cluster| cluster.node.is_living(node)).map(|it| (it, node))
        });
        let (cluster, node) = known.ok_or_else(|| Refusal::new(Reason::NoSuchCase))?;
        match cluster.ask::<bool>(node, Question::Pause { pauses }).await {
            Some(true) => Ok(()),
            Some(false) | None => Err(Refusal::new(Reason::Unavailable)),
        }
    }

    /// Tells everybody something, at all nodes.
    pub(crate) fn announce(&self, logins: &Logins, announcement: Announcement) {
        let new = logins.announcements().publish(announcement, |new| logins.announce(new));
        self.tell_others(new);
    }

    /// Takes back what everybody reads, at all nodes. Returns what it was.
    ///
    /// # Errors
    /// If there is nothing.
    pub(crate) fn end_announcement(
        &self,
        logins: &Logins,
        by: String,
    ) -> Result<ChatText, Refusal> {
        let now = self.context.clock.now();
        let taken = logins.announcements().take_back(now, by, |end| logins.announce(end));
        let (text, end) = taken.ok_or_else(|| Refusal::new(Reason::NoSuchCase))?;
        self.tell_others(end);
        Ok(text)
    }

    fn tell_others(&self, announcement: Announcement) {
        if let Some(cluster) = &self.context.cluster {
            cluster.broadcast(&News::Announced(announcement));
        }
    }

    /// Closes a room on whatever node, whoever plays there. A game that runs has no result. The session is one that
    /// nobody else has, of an operator at this address. Returns when the end is stored.
    ///
    /// # Errors
    /// If there is no such room, or it is busy; `Unavailable` if the end is not stored in time. The room may still
    /// close then.
    pub(crate) async fn close_by_operator(
        self: &Arc<Self>,
        code: &RoomCode,
        session: SessionId,
        address: IpAddr,
        why: ChatText,
    ) -> Result<(), Refusal> {
        let room = self.find(code).await?;
        let (outbox, mut answers, ending) = Outbox::new(&self.context.stop, Owner::of(address));
        let input = Input::CloseByOperator { session, command: ids::command_id(), why };
        let envelope = Box::new(Envelope::Session { input, outbox: Arc::new(outbox) });
        let unavailable = || Refusal::new(Reason::Unavailable);
        room.mailbox().try_send(envelope).map_err(|error| match error {
            TrySendError::Closed(_) if room.is_closed() => no_such_room(),
            TrySendError::Closed(_) | TrySendError::Full(_) => Refusal::new(Reason::Busy),
        })?;
        let answer = timeout(ROOM_CLOSES_WITHIN, async {
            tokio::select! {
                answer = answers.recv() => Some(answer),
                // The room cannot answer it.
                () = ending.cancelled() => None,
            }
        });
        let answer = answer.await.ok().flatten().ok_or_else(unavailable)?;
        match Message::from_json(&answer) {
            Ok(Message::Done { .. }) => Ok(()),
            Ok(Message::Refused { refusal, .. }) => Err(refusal),
            Ok(_) | Err(_) => Err(unavailable()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_node_of_another_version_is_shown_as_far_as_it_is_understood() {
        let act =
            |kind: &str| json!({"at": 7, "operator": "Ann", "kind": kind, "about": "3", "more": 1});
        let text = json!({
            "node": 3, "version": "9.0.0", "colour": "blue",
            "online": {"guests": 2, "robots": 1},
            "people": [{"member": "5d41402abc4b2a76", "name": "Bob", "kind": "robot", "sessions": 1}],
            "acts": [act("pause"), act("dance")],
        });
        let status: NodeStatus = serde_json::from_str(&text.to_string()).unwrap();
        assert_eq!((status.node, status.online.guests, status.people.len()), (3, 2, 0));
        assert_eq!(status.acts.len(), 1, "{:?}", status.acts);
    }
}
