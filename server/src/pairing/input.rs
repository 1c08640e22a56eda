//! What goes into the pairing and what comes out of it.

use std::{net::IpAddr, num::NonZeroU32};

use fivefold_shared::{
    protocol::{
        CommandId, GameSettings, MemberId, Name, OpenSeek, Reason, Refusal, RoomCode, SeekEnd,
        SeekId, Wanted, WhyCasual,
    },
    rating_pool::RatingPool,
    room::SessionId,
    seat::{BySeat, Seat},
};
use fivefold_storage::{IdentityHash, NodeId, PoolRating, rating_before};
use serde::{Deserialize, Serialize};

use crate::moderation::dealings::OwnDealings;

/// Somebody who seeks or accepts a game, by one command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Seeker {
    /// Their public id.
    pub member: MemberId,
    /// Their name.
    pub name: Name,
    /// Their identity, which is stored when they have a seat.
    pub identity: Option<IdentityHash>,
    /// Whether a program plays: by its own declaration, and always for bots.
    pub engine: bool,
    /// Whether they have an account. Nodes that do not know ratings leave it out.
    #[serde(default)]
    pub account: bool,
    /// Whose bot they are; absent for people.
    #[serde(default)]
    pub owner: Option<MemberId>,
    /// The session that they sent the command over, the last one if they repeated it.
    pub session: SessionId,
    /// The command.
    pub command: CommandId,
    /// How strong they are in the game that they seek.
    pub rating: Rating,
    /// Whether they challenge a friend.
    #[serde(default)]
    pub friend: bool,
    /// Those that they have blocked.
    #[serde(default)]
    pub blocked: Vec<MemberId>,
    /// What they have done that matters for rated games.
    #[serde(default)]
    pub dealings: OwnDealings,
    /// Where they come from.
    #[serde(default)]
    pub address: Option<IpAddr>,
    /// How many daily games they have, if they may have no more.
    #[serde(default)]
    pub daily_most: Option<usize>,
}

/// Somebody whose challenge was declined.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Challenger {
    /// Their public id.
    pub member: MemberId,
    /// Where they come from.
    pub address: Option<IpAddr>,
}

impl Challenger {
    pub(super) fn of(by: &Seeker) -> Self {
        Self { member: by.member.clone(), address: by.address }
    }
}

impl Seeker {
    /// Whether one of two has blocked the other.
    pub fn is_apart_from(&self, other: &Self) -> bool {
        self.blocked.contains(&other.member) || other.blocked.contains(&self.member)
    }
}

impl Seeker {
    /// Whether their games may be rated: those of people with an account who play in person, and of bots.
    ///
    /// # Errors
    /// If not.
    pub fn may_be_rated(&self) -> Result<(), Refusal> {
        match (self.account, self.engine, &self.owner) {
            (false, _, _) => Err(Refusal::new(Reason::AccountNeeded)),
            (true, true, None) => Err(Refusal::new(Reason::BotAccountNeeded)),
            (true, _, _) => Ok(()),
        }
    }

    /// Whether one of two is the other's bot, or both are bots of one person. Their games are not rated:
    /// one person would decide who wins.
    pub fn is_related_to(&self, other: &Self) -> bool {
        let owns = |owner: &Self, bot: &Self| bot.owner.as_ref() == Some(&owner.member);
        owns(self, other) || owns(other, self) || self.owner.is_some() && self.owner == other.owner
    }
}

/// A playing strength and how sure it is, in points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rating {
    /// The strength; 1500 for a new player.
    pub value: i32,
    /// Its deviation: 350 for a new player, 45 for the surest.
    pub deviation: i32,
}

impl Rating {
    /// The rating of everybody without one.
    pub const UNRATED: Self = Self { value: 1500, deviation: 350 };

    /// A member's rating in a pool at a time, by all of their ratings, as [`rating_before`].
    pub fn of(ratings: &[PoolRating], pool: RatingPool, now: u64) -> Self {
        let rating = rating_before(ratings, pool).at(now);
        Self { value: whole(rating.value), deviation: whole(rating.deviation) }
    }
}

/// A value in points without its fraction.
#[expect(clippy::cast_possible_truncation, reason = "ratings have a few digits")]
fn whole(points: f64) -> i32 {
    points.round() as i32
}

/// A seek or a challenge that stands, as the node of its session keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StandingSeek {
    /// The seeker, with their command.
    pub by: Seeker,
    /// Its id.
    pub id: SeekId,
    /// What the seeker wants.
    pub aim: SeekAim,
    /// When the session asked for it, in milliseconds since the Unix epoch.
    pub asked_at: u64,
    /// How long it has waited, in milliseconds.
    pub waited_ms: u64,
}

/// What somebody seeks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SeekAim {
    /// A game with anybody who wants the same.
    Anybody(Wanted),
    /// A game with this member.
    Member {
        /// The person to challenge.
        to: MemberId,
        /// The game.
        settings: GameSettings,
    },
}

/// Something that happens to the pairing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// Somebody seeks a game.
    Seek {
        /// The seeker, with their command.
        by: Seeker,
        /// The id for a new seek, which nobody can guess.
        id: SeekId,
        /// The game.
        wanted: Wanted,
    },
    /// Somebody challenges another member.
    Challenge {
        /// The seeker, with their command.
        by: Seeker,
        /// The id for a new challenge, which nobody can guess.
        id: SeekId,
        /// The person to challenge.
        to: MemberId,
        /// The game.
        settings: GameSettings,
    },
    /// Somebody accepts a seek or a challenge.
    Accept {
        /// The seeker, with their command.
        by: Seeker,
        /// What they accept.
        seek: SeekId,
    },
    /// Somebody declines a challenge.
    Decline {
        /// Who.
        member: MemberId,
        /// Whether it is a bot that declines.
        is_bot: bool,
        /// Over which session.
        session: SessionId,
        /// The command.
        command: CommandId,
        /// The challenge.
        seek: SeekId,
    },
    /// Somebody ends their own seek or challenge.
    Cancel {
        /// Who.
        member: MemberId,
        /// Over which session.
        session: SessionId,
        /// The command.
        command: CommandId,
        /// The seek or the challenge.
        seek: SeekId,
    },
    /// A node says that a seek of one of its sessions stands. One that is not known goes on with the
    /// time that it has waited.
    Stands(StandingSeek),
    /// A session has ended. Its seeks stay for a while, in case that its member comes back.
    Gone {
        /// The seeker.
        member: MemberId,
        /// The session.
        session: SessionId,
    },
    /// A node is dead. The seeks of its sessions stay for a while, as after [`Input::Gone`].
    NodeGone(NodeId),
    /// A member who may have seeks plays a game of a paired room.
    Playing {
        /// Who.
        member: MemberId,
        /// Where.
        room: RoomCode,
        /// Their seat there.
        seat: Seat,
    },
    /// The room of a pair is stored.
    Made {
        /// The pair.
        pair: PairNumber,
        /// The room.
        room: RoomCode,
    },
    /// The room of a pair cannot be made now.
    NotMade {
        /// The pair.
        pair: PairNumber,
        /// The reason, for the one who waits for an answer.
        refusal: Refusal,
    },
    /// No room is made for a pair, because one or both of its players may not begin the game.
    NotAllowed {
        /// The pair.
        pair: PairNumber,
        /// The reason for each player who may not begin it.
        refusals: BySeat<Option<Refusal>>,
    },
    /// No room is made for a pair, because these of its players are in other running games.
    NotFree {
        /// The pair.
        pair: PairNumber,
        /// The game of each player who has one: the room, and their seat there.
        playing: BySeat<Option<(RoomCode, Seat)>>,
    },
    /// The game of a paired room is over.
    GameOver {
        /// The room.
        room: RoomCode,
        /// The player who left the game before it began.
        aborted_by: Option<MemberId>,
    },
    /// A second has passed.
    Tick,
}

/// The number of a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct PairNumber(pub u64);

/// Two players who need a room.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NewPair {
    /// Its number.
    pub number: PairNumber,
    /// How they play.
    pub settings: GameSettings,
    /// The players by seat. First puts the first stone.
    pub players: BySeat<Seeker>,
    /// How long each has waited, in milliseconds.
    pub waited_ms: BySeat<u64>,
    /// Why the game is casual, though both may play rated games.
    #[serde(default)]
    pub casual: Option<WhyCasual>,
    /// The divisor of a rated game that does not count whole.
    #[serde(default)]
    pub part: Option<NonZeroU32>,
}

/// Something to do for the pairing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Answer a command.
    Answer {
        /// The session that the command came over last.
        session: SessionId,
        /// The command.
        command: CommandId,
        /// The answer.
        answer: Answer,
    },
    /// Make a room for a pair, and report by [`Input::Made`] or [`Input::NotMade`].
    Make(Box<NewPair>),
    /// Send a session the game of its member.
    Paired {
        /// The session.
        session: SessionId,
        /// The seek or the challenge that found it, if that is the session's.
        seek: Option<SeekId>,
        /// The room.
        room: RoomCode,
        /// The member's seat there.
        seat: Seat,
        /// Whether the game is rated, if it was found now.
        rated: Option<bool>,
    },
    /// Tell a session why its seek or challenge does not begin a game. [`Over`](Self::Over) follows.
    Refused {
        /// The session.
        session: SessionId,
        /// The seek or the challenge.
        seek: SeekId,
        /// The reason.
        refusal: Refusal,
    },
    /// Notify a session that its seek or challenge is over without a game.
    Over {
        /// The session.
        session: SessionId,
        /// The seek or the challenge.
        seek: SeekId,
        /// The reason.
        why: SeekEnd,
    },
    /// Notify the node of a session that another session of the member has its seek now.
    Moved {
        /// The session that has it no more.
        session: SessionId,
        /// The command that began it.
        command: CommandId,
    },
    /// Notify all sessions of a member of a challenge.
    Challenged {
        /// The member.
        to: MemberId,
        /// The challenge.
        challenge: OpenSeek,
        /// How long it stands, in milliseconds.
        for_ms: u64,
    },
    /// Notify the other nodes that a member has declined a challenge.
    Declined {
        /// The member.
        to: MemberId,
        /// The challenger.
        by: Challenger,
    },
    /// Notify all sessions of a challenged member, except one, that the challenge is over.
    ChallengeOver {
        /// The member.
        to: MemberId,
        /// The challenge.
        seek: SeekId,
        /// The reason.
        why: SeekEnd,
        /// The session that knows it.
        except: Option<SessionId>,
    },
}

impl Effect {
    pub(super) fn refused(by: &Seeker, refusal: Refusal) -> Self {
        let (session, command) = (by.session, by.command.clone());
        Self::Answer { session, command, answer: Answer::Refused(refusal) }
    }
}

/// The answer to a command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The seek or the challenge stands.
    Seeking {
        /// Its id.
        seek: SeekId,
        /// How long it has waited, in milliseconds.
        waited_ms: u64,
    },
    /// It is done.
    Done,
    /// It is refused.
    Refused(Refusal),
}
