//! The commands of sessions for the pairing, and the handle that passes them on.

use std::net::IpAddr;

use fivefold_shared::{
    protocol::{CommandId, GameSettings, MemberId, Reason, Refusal, SeekId, Wanted},
    room::{Member, SessionId},
};
use fivefold_storage::Playing;
use tokio::sync::mpsc::{self, error::TrySendError};

use crate::{
    limits::PAIRING_INPUTS_MAX,
    moderation::dealings::OwnDealings,
    online::outbox::Outbox,
    pairing::{Rating, pools::Pools},
};

/// Gives sessions access to the pairing; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct PairingHandle(mpsc::Sender<Box<PairingCommand>>);

/// A command of a session for the pairing.
#[derive(Debug)]
pub(crate) struct PairingCommand {
    pub(crate) id: CommandId,
    /// Metric label.
    pub(crate) kind: &'static str,
    pub(crate) member: Member,
    pub(crate) session: SessionId,
    pub(crate) address: IpAddr,
    pub(crate) outbox: Outbox,
    pub(crate) request: PairingRequest,
    /// The member's running game, as the storage knows it. Looked up only in a cluster, for requests
    /// that may begin a game.
    pub(crate) playing: Option<Playing>,
    /// Whether the member has an account.
    pub(crate) account: bool,
    /// Whose bot the member is; absent for people.
    pub(crate) owner: Option<MemberId>,
    /// How strong they are in the game that they seek.
    pub(crate) rating: Rating,
    /// What they have done that matters for rated games.
    pub(crate) dealings: OwnDealings,
    /// How many daily games the member has, if they accept a game and may have no more daily ones.
    pub(crate) daily_most: Option<usize>,
}

/// Somebody who was found, to be challenged.
#[derive(Debug)]
pub(crate) struct Challenged {
    pub(crate) member: MemberId,
    /// Whether the challenger is their friend.
    pub(crate) is_friend: bool,
}

/// A request that the pairing answers.
#[derive(Debug)]
pub(crate) enum PairingRequest {
    Seek {
        wanted: Wanted,
        engine: bool,
    },
    Challenge {
        /// The person, if they were found.
        to: Result<Challenged, Refusal>,
        settings: GameSettings,
        engine: bool,
    },
    Accept {
        seek: SeekId,
        engine: bool,
    },
    Decline(SeekId),
    Cancel(SeekId),
    Watch,
    Unwatch,
}

impl PairingRequest {
    /// The game that it seeks, if it names one.
    pub(crate) fn settings(&self, pools: &Pools) -> Option<GameSettings> {
        match self {
            Self::Seek { wanted: Wanted::Pool(name), .. } => {
                let pool = pools.as_slice().iter().find(|pool| pool.name == *name);
                pool.map(|pool| pool.settings)
            }
            Self::Seek { wanted: Wanted::Settings(settings), .. }
            | Self::Challenge { settings, .. } => Some(*settings),
            Self::Accept { .. }
            | Self::Decline(_)
            | Self::Cancel(_)
            | Self::Watch
            | Self::Unwatch => None,
        }
    }

    /// Whether it asks for a rated game, apart from those of pools.
    pub(crate) const fn asks_for_rated(&self) -> bool {
        match self {
            Self::Seek { wanted: Wanted::Settings(settings), .. }
            | Self::Challenge { settings, .. } => settings.rated,
            Self::Seek { wanted: Wanted::Pool(_), .. }
            | Self::Accept { .. }
            | Self::Decline(_)
            | Self::Cancel(_)
            | Self::Watch
            | Self::Unwatch => false,
        }
    }

    /// Whether it may begin a game.
    pub(crate) const fn makes_game(&self) -> bool {
        match self {
            Self::Seek { .. } | Self::Challenge { .. } | Self::Accept { .. } => true,
            Self::Decline(_) | Self::Cancel(_) | Self::Watch | Self::Unwatch => false,
        }
    }
}

impl PairingHandle {
    /// Passes a command on, unless too many wait.
    pub(crate) fn send(&self, command: PairingCommand) -> Result<(), Refusal> {
        self.0.try_send(Box::new(command)).map_err(|error| match error {
            TrySendError::Full(_) => Refusal::new(Reason::Busy),
            TrySendError::Closed(_) => Refusal::new(Reason::Stopping),
        })
    }

    /// A handle, and what comes over it.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Box<PairingCommand>>) {
        let (sender, receiver) = mpsc::channel(PAIRING_INPUTS_MAX);
        (Self(sender), receiver)
    }
}
