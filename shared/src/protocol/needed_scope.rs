//! Which scopes of a token allow which commands. It does not know who has which token.

use super::{LobbyRequest, Request, RoomRequest, Scope};

/// What a request asks of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needed {
    /// Every token will do.
    Nothing,
    /// A token with one of these scopes; the first one is named to those who lack it.
    OneOf(&'static [Scope]),
    /// No token is enough.
    NoToken,
}

impl Needed {
    /// The scopes of which a token needs one for this request. None are needed for some, and nothing is
    /// enough to change the account itself.
    pub fn by(request: &Request) -> Self {
        match request {
            Request::Lobby(request) => Self::needed_in_lobby(request),
            Request::Room { request, .. } => Self::needed_in_room(request),
        }
    }

    fn needed_in_lobby(request: &LobbyRequest) -> Self {
        match request {
            LobbyRequest::Hello { .. } | LobbyRequest::Ping => Self::Nothing,
            LobbyRequest::SetName { .. } | LobbyRequest::ReplaceIdentity { .. } => Self::NoToken,
            LobbyRequest::Create(_) | LobbyRequest::Close { .. } | LobbyRequest::Seek { .. } => {
                Self::OneOf(&[Scope::Play])
            }
            LobbyRequest::Rooms
            | LobbyRequest::OwnRooms
            | LobbyRequest::Join { .. }
            | LobbyRequest::Leave { .. } => Self::OneOf(&[Scope::Play, Scope::Watch]),
            LobbyRequest::WatchLobby | LobbyRequest::UnwatchLobby => {
                Self::OneOf(&[Scope::Play, Scope::Watch, Scope::Challenge])
            }
            LobbyRequest::Challenge { .. } | LobbyRequest::DeclineChallenge { .. } => {
                Self::OneOf(&[Scope::Challenge])
            }
            // Both seeks of strangers and challenges.
            LobbyRequest::AcceptSeek { .. } | LobbyRequest::CancelSeek { .. } => {
                Self::OneOf(&[Scope::Play, Scope::Challenge])
            }
        }
    }

    fn needed_in_room(request: &RoomRequest) -> Self {
        match request {
            RoomRequest::Chat
            | RoomRequest::Weights { .. }
            | RoomRequest::Analyse { .. }
            | RoomRequest::StopAnalysis => Self::OneOf(&[Scope::Play, Scope::Watch]),
            RoomRequest::Sit { .. }
            | RoomRequest::SitAsEngine { .. }
            | RoomRequest::Stand
            | RoomRequest::SeatBot { .. }
            | RoomRequest::RemoveBot { .. }
            | RoomRequest::Play { .. }
            | RoomRequest::Choose { .. }
            | RoomRequest::Resign
            | RoomRequest::Abort
            | RoomRequest::Nudge
            | RoomRequest::OfferDraw
            | RoomRequest::AcceptDraw
            | RoomRequest::DeclineDraw
            | RoomRequest::AskTakeback
            | RoomRequest::GrantTakeback
            | RoomRequest::RefuseTakeback
            | RoomRequest::DeclineRematch
            | RoomRequest::ClaimWin
            | RoomRequest::ClaimDraw
            | RoomRequest::Rematch
            | RoomRequest::BotMove { .. }
            | RoomRequest::Say { .. }
            | RoomRequest::SetChat { .. } => Self::OneOf(&[Scope::Play]),
        }
    }
}
