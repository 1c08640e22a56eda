//! What the nodes send each other: CBOR around the JSON text that clients send and receive.
//!
//! Messages carry the names of fields and variants, because nodes of two neighbouring versions work together. A new
//! field has `#[serde(default)]`, and nothing is renamed or removed while the version of the bus stays the same
//! (docs/decisions/0027-nodes-of-two-versions.md). Each input of a session has its `session`, and a `command` if
//! somebody waits for the answer, so that a node can refuse an input that it does not know (`encoding.rs`).
//!
//! A relay begins each attempt with `Resume`. The owner accepts inputs of a node only in the attempt
//! that it has begun, and the relay ignores messages of other attempts. So whatever is lost between
//! them, a new attempt repairs it.

mod encoding;
#[cfg(test)]
mod tests;

use std::{cmp::Reverse, net::IpAddr};

use fivefold_shared::{
    protocol::{
        ChatText, CommandId, MemberId, Message, Name, Reason, Refusal, RoomCode, RoomRequest,
    },
    room::{Input, Member, SessionId},
};
use fivefold_storage::{BlockKind, IdentityHash, KeyHash};
use serde::{Deserialize, Serialize};

use self::encoding::Undecodable;
pub(crate) use self::encoding::{Unknown, decode, encode};
use crate::{
    limits::ADDRESSES_REPORTED_MAX,
    net::{address_limits::RATES, network::Network},
    online::{announcements::Announcement, logins::Ended, outbox::Outbox, short_lived::Access},
    thinking::Owner,
};

/// A frame between two nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Frame {
    /// To the owner of a room.
    ToOwner { room: RoomCode, attempt: u64, message: ToOwner },
    /// To the relay of a room.
    ToRelay { room: RoomCode, attempt: u64, message: ToRelay },
    /// The receiver should claim this room, whose owner is dead: it has fewer rooms.
    Take { room: RoomCode },
    /// A question, with a number of the sender's.
    Ask { number: u64, question: Question },
    /// The answer, as JSON; an empty text if the question is unknown.
    Reply { number: u64, text: String },
    /// To the leader of the pairing, as JSON.
    ToLeader { text: String },
    /// From the leader of the pairing, as JSON.
    ToFront { text: String },
}

/// A question that each node answers for the rooms that it owns, and for the members at it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Question {
    /// The rooms in which a member has a place: a list of `OwnRoom`.
    OwnRooms { member: MemberId },
    /// A room as the preview of its link shows it: a `ListedRoom`; null if the node does not own it.
    Summary { room: RoomCode },
    /// The members of this name who are online: a list, which may leave out some after the second.
    Named { name: Name },
    /// Whether a member is online.
    IsOnline { member: MemberId },
    /// Closes the room of this member that can be spared most easily: whether there is one.
    MakePlace { maker: MemberId },
    /// Something that is valid for a few minutes: its JSON as a text; null if it is not at the node, or
    /// not valid any more.
    ShortLived { key: KeyHash, access: Access, now: u64 },
    /// Which of these members are online, and where they play: a `Presence`.
    Presence { members: Vec<MemberId> },
    /// How the node is, for operators: a `NodeStatus`.
    Status,
    /// Pauses new rooms at the node, or ends that: true.
    Pause { pauses: bool },
    /// Whether a token with this hash makes the first operator: a bool.
    OperatorLink { hash: KeyHash },
}

/// A message to all nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum News {
    /// This node is dead: it retired, or was declared dead.
    Dead { node: u32 },
    /// Somebody asks for the list of rooms.
    RoomsWanted,
    /// The public rooms of the sender: the first ones as JSON, their total number, and whether a game
    /// is running in any of them.
    Rooms { rooms: String, total: u64, has_game: bool },
    /// The addresses that use much at the sender.
    AddressUse(AddressUse),
    /// Sessions of a member have ended.
    Ended { member: MemberId, ended: Ended },
    /// A member has put another one on their list, or taken them from it.
    Blocked {
        member: MemberId,
        other: MemberId,
        kind: Option<BlockKind>,
        /// The guests of both, with their accounts.
        guests: Vec<(MemberId, MemberId)>,
    },
    /// An operator did something about somebody: look at the storage.
    Moderated,
    /// The positions of all rated games at the sender that nobody gets help with.
    RatedPositions { positions: Vec<u64> },
    /// A message for all sessions of an account, as JSON.
    ForAccount { member: MemberId, text: String },
    /// A guest belongs to an account from now on.
    GuestTaken { guest: MemberId, account: MemberId },
    /// Rooms may have to learn something about the players of their daily games: look at the storage.
    DailyGames,
    /// An operator tells everybody something, or takes it back.
    Announced(Announcement),
    /// People want to see a game: a demo game may begin.
    DemoWanted,
}

/// The addresses and networks that use more than a quarter of what they are allowed at one node, the
/// busiest ones. Lists of pairs have no names: what a later version has to add is a list of its own.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct AddressUse {
    /// What addresses have taken of their rates in the last second.
    pub(crate) taken: Vec<(IpAddr, [u32; RATES])>,
    /// How many rooms have been asked for in the last second.
    pub(crate) rooms_asked: Vec<(Network, u32)>,
    /// How many daily games guests have begun in the last second.
    pub(crate) daily_asked: Vec<(Network, u32)>,
    /// The sessions that are open.
    pub(crate) sessions: Vec<(Network, usize)>,
    /// The rooms that are open.
    pub(crate) rooms: Vec<(Network, usize)>,
    /// Those of them in which bots have both seats.
    pub(crate) bot_rooms: Vec<(Network, usize)>,
}

impl AddressUse {
    /// Keeps the busiest [`ADDRESSES_REPORTED_MAX`] of each kind.
    pub(crate) fn limit(&mut self) {
        keep_busiest(&mut self.taken, |taken| taken.iter().max().copied());
        keep_busiest(&mut self.rooms_asked, |count| *count);
        keep_busiest(&mut self.daily_asked, |count| *count);
        for counts in [&mut self.sessions, &mut self.rooms, &mut self.bot_rooms] {
            keep_busiest(counts, |count| *count);
        }
    }
}

fn keep_busiest<K, T, U: Ord>(counts: &mut Vec<(K, T)>, usage: impl Fn(&T) -> U) {
    if counts.len() > ADDRESSES_REPORTED_MAX {
        counts.sort_by_key(|(_, count)| Reverse(usage(count)));
        counts.truncate(ADDRESSES_REPORTED_MAX);
    }
}

/// What a relay sends to the owner of its room.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum ToOwner {
    /// Begins an attempt: these sessions of the node are in the room, and no others. Several frames
    /// if there are many.
    Resume {
        guests: Vec<RemoteGuest>,
        /// The last event that the sessions have.
        after: Option<u64>,
        is_first: bool,
        is_last: bool,
    },
    /// An input of one session.
    Input(RemoteInput),
}

/// What the owner of a room sends to a relay.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum ToRelay {
    /// The attempt has begun.
    Resumed,
    /// The receiver of a frame does not own the room, or does not know the attempt.
    Rejected,
    /// The reply to a command.
    Answer { session: u64, command: CommandId, outcome: Outcome, text: String },
    /// A message for these sessions.
    Tell {
        sessions: Vec<u64>,
        /// The analysis that ends with it.
        ends: Option<CommandId>,
        text: String,
    },
    /// A message for all sessions of the room on this node.
    Broadcast { mark: Mark, except: Vec<u64>, text: String },
    /// The members who have a seat.
    Seated(Vec<MemberId>),
    /// These commands of members were refused. A relay does not send them to another owner.
    Refused(Vec<(MemberId, CommandId)>),
    /// The sessions of the relay have left the room, as their node was silent.
    Dropped,
    /// The room has ended on the sender's node.
    Over,
}

/// What a reply means for the relay.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Outcome {
    Done,
    Refused,
    /// The session is in the room now, and has all events up to this one.
    Joined(u64),
}

/// What a broadcast means for the number of the last event that a relay has passed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Mark {
    /// Nothing.
    None,
    /// It is this event. Only the next one is passed on.
    Event(u64),
    /// It is the room after this event.
    Snapshot(u64),
}

/// A session on another node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct RemoteGuest {
    session: u64,
    member: MemberId,
    name: Name,
    identity: Option<[u8; 32]>,
    /// Whose jobs the session's are in the bots' queue.
    owner: IpAddr,
    /// A digest of its browser or program.
    agent: u64,
    /// Its last commands that were refused. A new owner refuses them as well, if they come again.
    refused: Vec<CommandId>,
    /// Whether it is the account of a bot.
    bot: bool,
    /// Whether it only watches from another site.
    watches: bool,
}

/// An input of a session on another node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum RemoteInput {
    Enter {
        guest: RemoteGuest,
        command: CommandId,
        after: Option<u64>,
    },
    Leave {
        session: u64,
        command: Option<CommandId>,
    },
    Close {
        session: u64,
        member: MemberId,
        command: CommandId,
    },
    Command {
        session: u64,
        command: CommandId,
        /// As JSON.
        request: String,
        lag_ms: u64,
    },
    Renamed {
        session: u64,
        name: Name,
    },
    CloseByOperator {
        session: u64,
        command: CommandId,
        why: ChatText,
    },
}

/// Who a session on another node is to the storage and to the bots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Credentials {
    pub(crate) identity: Option<IdentityHash>,
    pub(crate) owner: Owner,
    pub(crate) agent: u64,
}

impl ToRelay {
    /// The refusal of a command.
    pub(crate) fn refusal(session: u64, command: CommandId, reason: Reason) -> Self {
        let (id, refusal) = (Some(command.clone()), Refusal::new(reason));
        let text = Message::Refused { id, refusal }.to_json();
        Self::Answer { session, command, outcome: Outcome::Refused, text }
    }
}

impl RemoteGuest {
    pub(crate) fn new(
        session: SessionId,
        member: &Member,
        outbox: &Outbox,
        refused: Vec<CommandId>,
    ) -> Self {
        Self {
            session: session.0,
            member: member.id.clone(),
            name: member.name.clone(),
            identity: outbox.identity().map(|identity| identity.0),
            owner: outbox.owner().address(),
            agent: outbox.agent(),
            refused,
            bot: member.bot,
            watches: member.watches,
        }
    }

    pub(crate) fn into_parts(self) -> (SessionId, Member, Credentials, Vec<CommandId>) {
        let Self { session, member: id, name, identity, owner, agent, refused, bot, watches } =
            self;
        let identity = identity.map(IdentityHash);
        let credentials = Credentials { identity, owner: Owner::of(owner), agent };
        (SessionId(session), Member { id, name, bot, watches }, credentials, refused)
    }
}

impl RemoteInput {
    /// The input of a session here, for a room on another node. `None` for inputs that sessions do
    /// not send.
    pub(crate) fn new(input: &Input, outbox: &Outbox) -> Option<Self> {
        match input.clone() {
            Input::Enter { session, member, command, after } => Some(Self::Enter {
                guest: RemoteGuest::new(session, &member, outbox, Vec::new()),
                command,
                after,
            }),
            Input::Leave { session, command } => Some(Self::Leave { session: session.0, command }),
            Input::Close { session, member, command } => {
                Some(Self::Close { session: session.0, member, command })
            }
            Input::Command { session, id, request, lag_ms } => {
                let request = serde_json::to_string(&request).expect("a request is plain data");
                Some(Self::Command { session: session.0, command: id, request, lag_ms })
            }
            Input::Renamed { session, name } => Some(Self::Renamed { session: session.0, name }),
            Input::CloseByOperator { session, command, why } => {
                Some(Self::CloseByOperator { session: session.0, command, why })
            }
            Input::Resume { .. }
            | Input::Disconnected { .. }
            | Input::Evict
            | Input::AccountGone { .. }
            | Input::TimeOff { .. }
            | Input::ConditionalMoves { .. }
            | Input::BotReplied { .. }
            | Input::Analysed { .. }
            | Input::Rated { .. }
            | Input::Wake => None,
        }
    }

    /// The input for the room, and the credentials of a session that enters.
    ///
    /// # Errors
    /// When it has a request of another version.
    pub(crate) fn into_input(self) -> Result<(Input, Option<Credentials>), Undecodable> {
        Ok(match self {
            Self::Enter { guest, command, after } => {
                let (session, member, credentials, _) = guest.into_parts();
                (Input::Enter { session, member, command, after }, Some(credentials))
            }
            Self::Leave { session, command } => {
                (Input::Leave { session: SessionId(session), command }, None)
            }
            Self::Close { session, member, command } => {
                (Input::Close { session: SessionId(session), member, command }, None)
            }
            Self::Command { session, command: id, request, lag_ms } => {
                let request: RoomRequest =
                    serde_json::from_str(&request).map_err(|_| Undecodable)?;
                (Input::Command { session: SessionId(session), id, request, lag_ms }, None)
            }
            Self::Renamed { session, name } => {
                (Input::Renamed { session: SessionId(session), name }, None)
            }
            Self::CloseByOperator { session, command, why } => {
                (Input::CloseByOperator { session: SessionId(session), command, why }, None)
            }
        })
    }

    /// The session, and the id of the command, if it is one.
    pub(crate) const fn address(&self) -> (SessionId, Option<&CommandId>) {
        match self {
            Self::Enter { guest, command, .. } => (SessionId(guest.session), Some(command)),
            Self::Leave { session, command } => (SessionId(*session), command.as_ref()),
            Self::Close { session, command, .. }
            | Self::Command { session, command, .. }
            | Self::CloseByOperator { session, command, .. } => {
                (SessionId(*session), Some(command))
            }
            Self::Renamed { session, .. } => (SessionId(*session), None),
        }
    }
}
