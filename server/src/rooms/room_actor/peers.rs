//! A room and the sessions on other nodes: what their relays send, and what happens when a node is
//! silent.

use std::sync::Arc;

use fivefold_shared::{
    clock::millis,
    protocol::{CommandId, MemberId, Reason, Refusal},
    room::{Cause, Input},
};
use fivefold_storage::NodeId;

use super::{
    Actor, Handover,
    route::{RelayLink, Route},
};
use crate::{
    cluster::frame::{RemoteGuest, RemoteInput, ToOwner, ToRelay},
    limits::CLOCK_PAUSE_MAX,
};

impl Actor {
    /// Handles a message from a relay. It is rejected if it is of an attempt that has not begun, and
    /// the relay then starts over.
    pub(super) fn receive_from_relay(&mut self, node: NodeId, attempt: u64, message: ToOwner) {
        let Some(cluster) = self.context.cluster.clone() else { return };
        // They are answered from memory, and the room may have another owner.
        let needs_owner = match &message {
            ToOwner::Resume { .. } | ToOwner::Input(RemoteInput::Enter { .. }) => true,
            ToOwner::Input(_) => false,
        };
        if needs_owner && !cluster.node.is_current() {
            return cluster.to_relay(node, self.code(), attempt, ToRelay::Rejected);
        }
        let link = match &message {
            ToOwner::Resume { is_first: true, .. } => Some(self.fan_out.begin(RelayLink::new(
                cluster.clone(),
                node,
                self.code().clone(),
                attempt,
            ))),
            ToOwner::Resume { is_first: false, .. } | ToOwner::Input(_) => {
                self.fan_out.link(node, attempt)
            }
        };
        let Some(link) = link else {
            cluster.to_relay(node, self.code(), attempt, ToRelay::Rejected);
            return;
        };
        match message {
            ToOwner::Resume { guests, after, is_first: _, is_last } => {
                self.resume_guests(guests, after, &link);
                if is_last {
                    for session in self.fan_out.take_stale(node) {
                        self.apply(Input::Leave { session, command: None }, None);
                    }
                    link.send(ToRelay::Seated(self.listed.seated()));
                    link.send(ToRelay::Refused(self.refused.iter().cloned().collect()));
                    link.send(ToRelay::Resumed);
                }
            }
            ToOwner::Input(input) => self.receive_input(input, &link),
        }
    }

    fn resume_guests(
        &mut self,
        guests: Vec<RemoteGuest>,
        after: Option<u64>,
        link: &Arc<RelayLink>,
    ) {
        let (mut sessions, mut refused) = (Vec::new(), Vec::new());
        for guest in guests {
            let (session, member, credentials, commands) = guest.into_parts();
            self.fan_out.enter(session, Route::remote(session, Some(credentials), link));
            refused.extend(commands.into_iter().map(|command| (member.id.clone(), command)));
            sessions.push((session, member));
        }
        self.apply(Input::Resume { sessions, after }, None);
        self.refuse_for_good(refused);
    }

    /// The owner before has refused these commands, so they are not done if they come again.
    fn refuse_for_good(&mut self, refused: Vec<(MemberId, CommandId)>) {
        for (member, command) in refused {
            let cause = Cause { member, command };
            self.room.refuse_for_good(&cause, Refusal::new(Reason::Unavailable));
        }
    }

    fn receive_input(&mut self, input: RemoteInput, link: &Arc<RelayLink>) {
        let (session, command) = input.address();
        let command = command.cloned();
        let Ok((input, credentials)) = input.into_input() else {
            // Only newer nodes know this request.
            self.context.metrics.cluster.undecodable.inc();
            if let Some(command) = command {
                link.send(ToRelay::refusal(session.0, command, Reason::Unavailable));
            }
            return;
        };
        let known = self.fan_out.route(session).filter(|_| credentials.is_none());
        let route = known.cloned().unwrap_or_else(|| Route::remote(session, credentials, link));
        self.receive(input, &route);
    }

    /// Lets the sessions of a silent node go.
    pub(super) fn disconnect(&mut self, node: NodeId) {
        let Some((link, sessions)) = self.fan_out.remove(node) else { return };
        tracing::debug!(room.id = %self.code(), node.id = %node, "a node is silent");
        let pause = millis(CLOCK_PAUSE_MAX);
        let pause_until = self.now().saturating_add(pause);
        self.apply(Input::Disconnected { sessions, pause_until }, None);
        // If the node is there again, its relay starts over.
        link.send(ToRelay::Dropped);
    }

    /// Goes on with the sessions of the relay that this room was.
    pub(super) fn take_over(&mut self, handover: Handover) {
        let Handover { guests, after, refused, unanswered } = handover;
        let sessions = guests.into_iter().map(|(session, member, outbox)| {
            self.fan_out.enter(session, Route::Local(outbox));
            (session, member)
        });
        let sessions = sessions.collect();
        self.apply(Input::Resume { sessions, after }, None);
        self.refuse_for_good(refused);
        for (input, outbox) in unanswered {
            self.receive(input, &Route::Local(outbox));
        }
    }

    /// The room ends here.
    pub(super) fn dismiss_relays(&self) {
        for link in self.fan_out.links() {
            link.send(ToRelay::Over);
        }
    }
}
