//! Seeks that the nodes of their sessions repeat. So they survive the node that pairs, a session that lost its seek to an
//! earlier one gets it back, and nobody is paired by a seek whose node is gone or cut off.

use fivefold_shared::{clock::millis, protocol::SeekEnd, room::SessionId};
use fivefold_storage::NodeId;

use super::{
    Pairing,
    input::{Effect, StandingSeek},
    standing::{Aim, SeekNumber},
};
use crate::limits::SEEK_REPEATED_WITHIN;

impl Pairing {
    /// A node says that a seek stands. If two sessions have the same one, it belongs to the session that
    /// asked last, unless that one has ended.
    pub(super) fn stand(&mut self, now: u64, seek: StandingSeek, effects: &mut Vec<Effect>) {
        let StandingSeek { by, id, aim, asked_at, waited_ms } = seek;
        let (session, command) = (by.session, by.command.clone());
        let known = self.by_command.get(&(by.member.clone(), command.clone())).copied();
        let number = match known {
            Some(number) => {
                let Some(seek) = self.seeks.get_mut(&number) else { return };
                let is_live = seek.gone_at.is_none();
                if is_live && seek.by.session == session {
                    seek.by.blocked = by.blocked;
                    seek.repeated_at = now;
                    return;
                }
                if is_live && seek.asked_at >= asked_at {
                    effects.push(Effect::Moved { session, command });
                    return;
                }
                self.move_to(now, number, &by, asked_at);
                number
            }
            None => {
                // The limits were kept when it began.
                let Ok((aim, settings)) = self.aim(aim) else {
                    // The nodes have different pools.
                    effects.push(Effect::Over { session, seek: id, why: SeekEnd::Cancelled });
                    return;
                };
                if let Aim::Member(to) = &aim
                    && !self.make_place(&by, to, effects)
                {
                    // Others have challenged the member before the nodes could repeat this.
                    effects.push(Effect::Over { session, seek: id, why: SeekEnd::Displaced });
                    return;
                }
                let number = self.add(now, by, id, aim, settings);
                if let Some(seek) = self.seeks.get_mut(&number) {
                    seek.asked_at = asked_at;
                    seek.since = now.saturating_sub(waited_ms);
                }
                self.announce(now, number, effects);
                number
            }
        };
        self.queue(number);
        self.pair_at_once(now, number, effects);
    }

    /// The sessions of a node have ended with it.
    pub(super) fn note_node_gone(&mut self, now: u64, node: NodeId) {
        let of_node = |session| NodeId::of_session(session) == Some(node);
        let mut gone = Vec::new();
        for (number, seek) in &mut self.seeks {
            if of_node(seek.by.session) && seek.gone_at.is_none() {
                seek.gone_at = Some(now);
                gone.push(*number);
            }
        }
        for number in gone {
            self.queue(number);
        }
    }

    /// Drops the seeks of other nodes that have not been repeated. Their nodes repeat them when they
    /// can again, so their sessions are not notified.
    pub(super) fn drop_unrepeated(&mut self, now: u64, effects: &mut Vec<Effect>) {
        let late = self.seeks.iter().filter(|(_, seek)| {
            seek.gone_at.is_none()
                && self.is_remote(seek.by.session)
                && now >= seek.repeated_at + millis(SEEK_REPEATED_WITHIN)
                && !self.is_being_paired(&seek.by.member)
        });
        let late: Vec<(SeekNumber, SessionId)> =
            late.map(|(number, seek)| (*number, seek.by.session)).collect();
        for (number, session) in late {
            self.end(number, SeekEnd::Gone, Some(session), effects);
        }
    }

    fn is_remote(&self, session: SessionId) -> bool {
        NodeId::of_session(session).is_some_and(|node| node != self.node)
    }
}
