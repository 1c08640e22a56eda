//! The nodes that share a storage in memory, and how they find each other's rooms.

use fivefold_shared::protocol::{MemberId, RoomCode};

use super::{Memory, Node};
use crate::{
    Call, MadeRoom, Playing, SharedRooms, StorageError,
    node_id::NodeId,
    registry::{JoinError, LivingNode, NodeReport, Pulse, Registry},
};

impl Registry for Memory {
    fn join(&mut self) -> Result<NodeId, JoinError> {
        let mut tables = self.tables();
        let last = tables.nodes.last_key_value().map_or(0, |(last, _)| last.get());
        let full = || StorageError::Failed("there were too many nodes".to_owned());
        let node = NodeId::new(last + 1).ok_or_else(full)?;
        tables.nodes.insert(node, Node::default());
        Ok(node)
    }

    fn heartbeat(&mut self, node: NodeId, report: NodeReport) -> Result<Pulse, StorageError> {
        let mut tables = self.tables();
        match tables.nodes.get_mut(&node).filter(|node| !node.is_dead) {
            Some(own) => (own.heartbeat, own.report) = (own.heartbeat + 1, report),
            None => return Ok(Pulse::Dead),
        }
        let living = tables.nodes.iter().filter(|(_, node)| !node.is_dead);
        let row = |(&id, node): (&NodeId, &Node)| LivingNode {
            id,
            heartbeat: node.heartbeat,
            report: node.report,
        };
        Ok(Pulse::Alive { living: living.map(row).collect(), now: None })
    }

    fn declare_dead(&mut self, node: NodeId, seen: u64) -> Result<bool, StorageError> {
        let mut tables = self.tables();
        Ok(tables.nodes.get_mut(&node).is_none_or(|node| {
            node.is_dead |= node.heartbeat == seen;
            node.is_dead
        }))
    }

    fn retire(&mut self, node: NodeId) -> Result<(), StorageError> {
        if let Some(node) = self.tables().nodes.get_mut(&node) {
            node.is_dead = true;
        }
        Ok(())
    }
}

impl SharedRooms for Memory {
    fn is_open(&mut self, room: &RoomCode) -> Result<bool, StorageError> {
        Ok(self.tables_for(Call::Browse)?.rooms.contains_key(room))
    }

    fn made_by(&mut self, maker: &MemberId) -> Result<Vec<MadeRoom>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let own = tables.made.iter().filter(|(cause, _)| cause.member == *maker);
        let made = own.filter_map(|(cause, room)| {
            let open = tables.rooms.get(room)?;
            let owner = open.sleep.is_none().then_some(open.node);
            Some(MadeRoom { command: cause.command.clone(), room: room.clone(), owner })
        });
        let mut made: Vec<_> = made.collect();
        made.sort_by(|one, other| one.command.as_str().cmp(other.command.as_str()));
        Ok(made)
    }

    fn playing(&mut self, member: &MemberId) -> Result<Option<Playing>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.playing(member))
    }
}
