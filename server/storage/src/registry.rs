//! What only nodes that share a storage ask it. The registry of the nodes of a cluster: who is in it, and who is
//! dead; it is kept beside the rooms, because a claim takes the rooms of dead nodes only. And where the rooms and
//! games of other nodes are: a node that has a storage for itself knows its rooms.
//!
//! It decides nothing by clocks: a node is dead when another one says so
//! (`node/observer.rs`), or when it retires.

use std::{collections::BTreeMap, fmt};

use fivefold_shared::{
    protocol::{CommandId, MemberId, RoomCode},
    seat::Seat,
};

use crate::{StorageError, node_id::NodeId};

/// The version of the messages between nodes on the bus. Nodes with different versions do not receive each other's
/// messages, and a node does not join while a node with another version is alive. An upgrade to a new version requires
/// all nodes to stop, so raise it only if nodes of the previous version must not receive the new messages
/// (docs/decisions/0027-nodes-of-two-versions.md).
pub const BUS_VERSION: i32 = 2;

/// The version of a server that shares its storage with nobody.
pub(crate) const NO_BUS: i32 = 0;

/// The nodes of a cluster. Calls may block, each for a limited time.
pub trait Registry: Send + fmt::Debug + 'static {
    /// Adds a node that lives, under a number that was never used before.
    ///
    /// # Errors
    /// When it is not stored, or that is in doubt: then a node is listed that never lives. Join
    /// again. Also while a server that shares the storage with nobody uses it.
    fn join(&mut self) -> Result<NodeId, JoinError>;

    /// The registry's time in milliseconds since the Unix epoch; `None` if it has no clock. All nodes
    /// set their clocks by it when they join.
    ///
    /// # Errors
    /// When the registry does not answer.
    fn now(&mut self) -> Result<Option<u64>, StorageError> {
        Ok(None)
    }

    /// The names of the nodes that are listed, for the log.
    ///
    /// # Errors
    /// When the registry does not answer.
    fn names(&mut self) -> Result<BTreeMap<NodeId, String>, StorageError> {
        Ok(BTreeMap::new())
    }

    /// Counts a heartbeat of a node, stores what it reports, and returns the living nodes; all in
    /// one step. A dead node only learns that it is dead.
    ///
    /// # Errors
    /// When the registry does not answer in time. It may have counted the heartbeat.
    fn heartbeat(&mut self, node: NodeId, report: NodeReport) -> Result<Pulse, StorageError>;

    /// Declares a node dead, unless its heartbeat has gone on since it was `seen`. Returns whether
    /// the node is dead now. That is never taken back.
    ///
    /// # Errors
    /// When it is not stored, or in doubt. Asking again does no harm.
    fn declare_dead(&mut self, node: NodeId, seen: u64) -> Result<bool, StorageError>;

    /// Declares the own node dead: others may claim its rooms at once.
    ///
    /// # Errors
    /// When it is not stored, or in doubt. Asking again does no harm.
    fn retire(&mut self, node: NodeId) -> Result<(), StorageError>;
}

/// Why a node cannot join.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JoinError {
    /// A server that shares the storage with nobody uses it.
    #[error(
        "the database is in use by a server without --bus. Stop that one, or choose another \
         --database"
    )]
    InUse,
    /// Nodes that this one does not understand are alive.
    #[error(
        "this server does not understand the messages of the nodes that are running ({nodes}): they are of another \
         version. Stop all nodes, upgrade them, and start them again"
    )]
    OtherVersion {
        /// Their names.
        nodes: String,
    },
    /// The registry does not answer.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// What a node tells the others with its heartbeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeReport {
    /// Whether it receives its own broadcasts on the bus.
    pub sees_bus: bool,
    /// How many rooms it owns.
    pub rooms: u32,
    /// Whether it is about to stop: it takes no more rooms.
    pub draining: bool,
}

/// A living node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LivingNode {
    /// Its number.
    pub id: NodeId,
    /// How many heartbeats it had.
    pub heartbeat: u64,
    /// Its last report.
    pub report: NodeReport,
}

/// The answer to a heartbeat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pulse {
    /// The node lives.
    Alive {
        /// All living nodes by their numbers, itself included.
        living: Vec<LivingNode>,
        /// As [`Registry::now`].
        now: Option<u64>,
    },
    /// The node was declared dead, or has retired.
    Dead,
}

/// The open rooms of all nodes. Calls may block.
pub trait SharedRooms: Send + fmt::Debug + 'static {
    /// Whether there is an open room with this code.
    ///
    /// # Errors
    /// When it cannot be read.
    fn is_open(&mut self, room: &RoomCode) -> Result<bool, StorageError>;

    /// The open rooms that a member has made, in an order that does not change. The storage refuses a second
    /// room of the same command as a [`Conflict::Owner`](crate::Conflict::Owner).
    ///
    /// # Errors
    /// When they cannot be read.
    fn made_by(&mut self, maker: &MemberId) -> Result<Vec<MadeRoom>, StorageError>;

    /// The game of this member in an open room of paired players. The storage lets nobody begin a second one
    /// ([`Conflict::Playing`](crate::Conflict::Playing)).
    ///
    /// # Errors
    /// When it cannot be read.
    fn playing(&mut self, member: &MemberId) -> Result<Option<Playing>, StorageError>;
}

/// An open room of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MadeRoom {
    /// The command that made it.
    pub command: CommandId,
    /// The room.
    pub room: RoomCode,
    /// The node that owns it, or owned it before it died; none of a room that sleeps.
    pub owner: Option<NodeId>,
}

/// The game of a member in a room of paired players.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Playing {
    /// The player.
    pub member: MemberId,
    /// The room.
    pub room: RoomCode,
    /// The player's seat there.
    pub seat: Seat,
}
