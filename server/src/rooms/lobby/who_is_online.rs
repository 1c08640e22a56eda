//! Which of some members are online, and where everybody may watch them play.

use std::collections::{BTreeMap, BTreeSet};

use fivefold_shared::protocol::{MemberId, Phase, RoomCode, Visibility};
use serde::{Deserialize, Serialize};

use super::Lobby;
use crate::{cluster::frame::Question, online::logins::Logins};

/// Which of some members are online, and where they play.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Presence {
    /// Those who are online.
    pub(crate) online: BTreeSet<MemberId>,
    /// The public rooms in which they play a game.
    pub(crate) rooms: BTreeMap<MemberId, RoomCode>,
}

impl Lobby {
    /// The same from all nodes; a node that does not answer soon is left out.
    pub(crate) async fn presence(&self, logins: &Logins, members: Vec<MemberId>) -> Presence {
        let mut all = self.presence_here(logins, &members);
        if let Some(cluster) = self.context.cluster.as_ref().filter(|_| !members.is_empty()) {
            for other in cluster.ask_all::<Presence>(&Question::Presence { members }).await {
                all.online.extend(other.online);
                all.rooms.extend(other.rooms);
            }
        }
        all
    }

    /// The same from the sessions of this node and the rooms that it owns.
    pub(super) fn presence_here(&self, logins: &Logins, members: &[MemberId]) -> Presence {
        let online = members.iter().filter(|member| logins.is_online(member)).cloned();
        let public_game = |member: &MemberId| {
            let rooms = self.own_rooms_here(member).into_iter();
            let mut games = rooms.filter(|room| {
                room.seat.is_some()
                    && room.visibility == Visibility::Public
                    && room.summary.phase == Phase::Running
            });
            Some((member.clone(), games.next()?.summary.room))
        };
        Presence {
            online: online.collect(),
            rooms: members.iter().filter_map(public_game).collect(),
        }
    }
}
