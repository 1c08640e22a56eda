//! What the fronts of the nodes and the node that leads the pairing send each other: by function calls
//! on one node, and as JSON between nodes, over links that keep the order and notice what is lost.
//!
//! A new field has `#[serde(default)]`, so that nodes of two neighbouring versions work together.
//!
//! Everything may be sent twice. After a loss a front repeats what stands and what is not answered.

use std::collections::BTreeMap;

use fivefold_shared::{
    protocol::{
        CommandId, GameSettings, MemberId, OpenSeek, Pool, Reason, Refusal, RoomCode, SeekEnd,
        SeekId,
    },
    room::SessionId,
    seat::{BySeat, Seat},
};
use fivefold_storage::NodeId;
use serde::{Deserialize, Serialize};

use crate::pairing::{Answer, Challenger, NewPair, PairNumber, SeekAim, Seeker, StandingSeek};

/// A message on its way to a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mail {
    ToLeader(NodeId, ToLeader),
    ToFront(NodeId, ToFront),
}

/// What a front sends to its leader.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum ToLeader {
    /// Somebody seeks, or challenges another member.
    Seek { by: Seeker, id: SeekId, aim: SeekAim },
    /// Somebody accepts a seek or a challenge.
    Accept { by: Seeker, seek: SeekId },
    /// Somebody declines a challenge.
    Decline {
        member: MemberId,
        #[serde(default)]
        is_bot: bool,
        session: SessionId,
        command: CommandId,
        seek: SeekId,
    },
    /// Somebody ends a seek or a challenge of their own.
    Cancel { member: MemberId, session: SessionId, command: CommandId, seek: SeekId },
    /// These seeks stand. Several messages if there are many.
    Standing(Vec<StandingSeek>),
    /// A session has ended.
    Gone { member: MemberId, session: SessionId },
    /// A member plays in a paired room.
    Playing { member: MemberId, room: RoomCode, seat: Seat },
    /// The game of a paired room is over.
    GameOver { room: RoomCode, aborted_by: Option<MemberId> },
    /// The node lives. How many games of paired players run in its rooms, and whether anybody watches
    /// the lobby there.
    Here { games: RunningGames, watches: bool },
    /// A session watches the lobby from now on. With `wants_lobby` the front has none.
    Watch { member: MemberId, session: SessionId, wants_lobby: bool },
    /// The room of a pair is stored.
    Made { pair: PairNumber, room: RoomCode, players: BySeat<MemberId> },
    /// The room of a pair cannot be made now.
    NotMade { pair: PairNumber, refusal: Refusal },
    /// The room of a pair is not made: these players are in other games.
    NotFree { pair: PairNumber, playing: BySeat<Option<(RoomCode, Seat)>> },
    /// The room of a pair is not made: these players may not begin the game.
    NotAllowed { pair: PairNumber, refusals: BySeat<Option<Refusal>> },
}

/// What the leader sends to a front.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum ToFront {
    /// The answer to a command.
    Answer { session: SessionId, command: CommandId, answer: Answer },
    /// A game is found for the member of a session. It is stored.
    Paired {
        session: SessionId,
        seek: Option<SeekId>,
        room: RoomCode,
        seat: Seat,
        rated: Option<bool>,
    },
    /// A seek or a challenge is over without a game.
    Over { session: SessionId, seek: SeekId, why: SeekEnd },
    /// Another session of the member has the seek of this command.
    Moved { session: SessionId, command: CommandId },
    /// A member is challenged. With `only` this session alone has missed it.
    Challenged { to: MemberId, only: Option<SessionId>, challenge: OpenSeek, for_ms: u64 },
    /// A member has declined a challenge: for the leader at the node of this front, who may pair later.
    Declined { to: MemberId, by: Challenger },
    /// A challenge is over. The session `except` knows it.
    ChallengeOver { to: MemberId, seek: SeekId, why: SeekEnd, except: Option<SessionId> },
    /// Make the room of this pair, whose first player is here.
    Make(Box<NewPair>),
    /// The lobby, as everybody sees it now.
    Lobby(LobbyView),
    /// Why a seek or a challenge does not begin a game. [`Over`](Self::Over) follows.
    Refused { session: SessionId, seek: SeekId, refusal: Refusal },
}

/// How many games of paired players run, by how they are played.
pub(super) type RunningGames = Vec<(GameSettings, usize)>;

/// What those see who watch the lobby.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct LobbyView {
    pub(super) pools: Vec<Pool>,
    /// The oldest first.
    pub(super) seeks: Vec<OpenSeek>,
}

/// The part of each command that is the same in all versions, in the message itself or in its `by`.
#[derive(Deserialize)]
struct HeadOfCommand {
    session: Option<SessionId>,
    command: Option<CommandId>,
    by: Option<Box<Self>>,
}

impl ToFront {
    /// The answer to a command of a newer front that this leader does not know. `None` if the message is not a command.
    pub(super) fn refusal_of_unknown(text: &str) -> Option<Self> {
        let message: BTreeMap<String, HeadOfCommand> = serde_json::from_str(text).ok()?;
        let mut head = message.into_values().next()?;
        if let Some(by) = head.by.take() {
            head = *by;
        }
        let HeadOfCommand { session, command, .. } = head;
        let answer = Answer::Refused(Refusal::new(Reason::Unavailable));
        Some(Self::Answer { session: session?, command: command?, answer })
    }
}

impl ToLeader {
    /// The seek that a command names, with the session and the command.
    pub(super) const fn names(&self) -> Option<(&SeekId, SessionId, &CommandId)> {
        match self {
            Self::Accept { by, seek } => Some((seek, by.session, &by.command)),
            Self::Decline { session, command, seek, .. }
            | Self::Cancel { session, command, seek, .. } => Some((seek, *session, command)),
            Self::Seek { .. }
            | Self::Standing(_)
            | Self::Gone { .. }
            | Self::Playing { .. }
            | Self::GameOver { .. }
            | Self::Here { .. }
            | Self::Watch { .. }
            | Self::Made { .. }
            | Self::NotMade { .. }
            | Self::NotAllowed { .. }
            | Self::NotFree { .. } => None,
        }
    }

    /// Whether it may begin a game.
    pub(super) const fn makes_game(&self) -> bool {
        match self {
            Self::Seek { .. } | Self::Accept { .. } | Self::Standing(_) => true,
            Self::Decline { .. }
            | Self::Cancel { .. }
            | Self::Gone { .. }
            | Self::Playing { .. }
            | Self::GameOver { .. }
            | Self::Here { .. }
            | Self::Watch { .. }
            | Self::Made { .. }
            | Self::NotMade { .. }
            | Self::NotAllowed { .. }
            | Self::NotFree { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_a_newer_front_is_refused() {
        let id = CommandId::try_from("c-1").unwrap();
        let cases = [
            (r#"{"Wink":{"session":7,"command":"c-1","at":[1]}}"#, true),
            (r#"{"Wink":{"by":{"session":7,"command":"c-1","hat":"red"},"at":1}}"#, true),
            (r#"{"Wink":{"session":7}}"#, false),
            (r#"{"Wink":{"session":7,"command":"c 1"}}"#, false),
            (r#"{"Wink":[1]}"#, false),
            (r#""Wink""#, false),
            ("{", false),
        ];
        for (text, is_command) in cases {
            assert!(serde_json::from_str::<ToLeader>(text).is_err(), "{text}");
            let answer = Answer::Refused(Refusal::new(Reason::Unavailable));
            let refusal = ToFront::Answer { session: SessionId(7), command: id.clone(), answer };
            let expected = is_command.then_some(refusal);
            assert_eq!(ToFront::refusal_of_unknown(text), expected, "{text}");
        }
    }
}
