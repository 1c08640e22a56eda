//! The commands that clients send.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

use super::{
    Addressee, ApiToken, ChatText, CommandId, GameSettings, Identity, Name, Reason, Refusal,
    RoomCode, SeekId, Wanted, is_false, is_true, yes,
};
use crate::{
    bot_spec::{BotKind, BotSpec},
    clock::TimeControl,
    opening::{Act, OpeningKind},
    rules::{Point, Rules},
    seat::Seat,
};

/// One message from a client: a request and the id that its reply carries.
#[derive(Clone, PartialEq, Debug)]
pub struct Command {
    /// Chosen by the client. The same id means the same command: it gets the same reply and is done
    /// once.
    pub id: CommandId,
    /// The request.
    pub request: Request,
}

/// A request, by who answers it.
#[derive(Clone, PartialEq, Debug)]
pub enum Request {
    /// Answered by the session and the lobby.
    Lobby(LobbyRequest),
    /// Answered by a room, and only to its members.
    Room {
        /// The room.
        room: RoomCode,
        /// The request to it.
        request: RoomRequest,
    },
}

/// Requests that the lobby or the session answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum LobbyRequest {
    /// The first message of every session; answered by `welcome`.
    Hello {
        /// The protocol version that the client speaks.
        protocol: u32,
        /// The client's identity; without it the server makes a new one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        identity: Option<Identity>,
        /// The member's name; without it they are a guest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<Name>,
        /// A token of an account, which speaks instead of an identity.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<ApiToken>,
    },
    /// Change one's own name; answered by `done`.
    SetName {
        /// The new name.
        name: Name,
    },
    /// Replace the secret that `hello` sent, which is the key to the member's seats and games;
    /// answered by `done`.
    ReplaceIdentity {
        /// The new secret, which the client makes: 32 random bytes.
        identity: Identity,
    },
    /// Make a room and enter it; answered by `joined`.
    Create(Create),
    /// List the public rooms; answered by `rooms`.
    Rooms,
    /// List the open rooms that the sender made or has a seat in; answered by `own_rooms`.
    OwnRooms,
    /// Enter a room, or catch up with it; answered by `joined`.
    Join {
        /// The room.
        room: RoomCode,
        /// The last event that the client has; without it the reply is a snapshot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<u64>,
    },
    /// Leave a room; answered by `done`. The member's seat becomes free unless its game is running.
    Leave {
        /// The room.
        room: RoomCode,
    },
    /// Close a room that the sender made, from inside or outside; answered by `done`. Refused while
    /// somebody else is playing there.
    Close {
        /// The room.
        room: RoomCode,
    },
    /// Seek an opponent; answered by `seeking`, and by `paired` as soon as somebody is found. The same
    /// id again means the same seek, with the time that it has waited.
    Seek {
        /// The game.
        #[serde(flatten)]
        wanted: Wanted,
        /// Whether a program plays.
        #[serde(default, skip_serializing_if = "is_false")]
        engine: bool,
    },
    /// Offer a game to one person, who is online; answered by `seeking`.
    Challenge {
        /// The person.
        #[serde(flatten)]
        to: Addressee,
        /// The game.
        settings: GameSettings,
        /// Whether a program plays.
        #[serde(default, skip_serializing_if = "is_false")]
        engine: bool,
    },
    /// Play the game of somebody's seek, or accept their challenge; answered by `done`, and both get
    /// `paired`.
    AcceptSeek {
        /// The seek or the challenge.
        seek: SeekId,
        /// Whether a program plays.
        #[serde(default, skip_serializing_if = "is_false")]
        engine: bool,
    },
    /// Decline a challenge; answered by `done`.
    DeclineChallenge {
        /// The challenge.
        seek: SeekId,
    },
    /// End one's own seek or challenge; answered by `done`, also if it has ended already.
    CancelSeek {
        /// The seek or the challenge.
        seek: SeekId,
    },
    /// Get the pools and the open seeks; answered by `lobby`, and from then on `lobby_changed` follows
    /// each change.
    WatchLobby,
    /// End these messages; answered by `done`.
    UnwatchLobby,
    /// Test the connection; answered by `pong`.
    Ping,
}

/// The kind of room to make.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Create {
    /// The variant and the board.
    pub rules: Rules,
    /// Whether the room is listed.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub visibility: Visibility,
    /// Whether players may get help from a bot against people.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub assistance: bool,
    /// The requests for the first seat and the second.
    #[serde(default = "me_and_a_friend")]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub seats: [SeatRequest; 2],
    /// The colour with which the first seat starts.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub colour: Colour,
    /// How much time the players have in each game.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// How each game opens.
    #[serde(default, skip_serializing_if = "OpeningKind::is_free")]
    pub opening: OpeningKind,
    /// Whether people may chat in it.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub chat: bool,
}

fn me_and_a_friend() -> [SeatRequest; 2] {
    [SeatRequest::Me, SeatRequest::Open]
}

/// The people who can find a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Everybody: the room is listed.
    Public,
    /// Anyone who has its code.
    #[default]
    Private,
}

/// A request for a seat of a new room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SeatRequest {
    /// The creator; at most one seat.
    Me,
    /// Anyone who comes.
    Open,
    /// A bot.
    Bot(BotSpec),
}

/// A colour, or a random one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Colour {
    /// Black, who moves first.
    Black,
    /// White.
    White,
    /// The server chooses at random.
    #[default]
    Random,
}

/// Requests that a room answers: by `done`, unless documented otherwise.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RoomRequest {
    /// Take an open seat.
    Sit {
        /// The seat; without it, any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seat: Option<Seat>,
    },
    /// Take an open seat for a program that plays, so that everybody knows what they play against.
    SitAsEngine {
        /// The seat; without it, any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seat: Option<Seat>,
    },
    /// Give up one's own seat; refused while the game is running.
    Stand,
    /// Put a bot into an open seat.
    SeatBot {
        /// The seat.
        seat: Seat,
        /// The bot.
        bot: BotSpec,
    },
    /// Remove a bot from its seat; refused while the game is running.
    RemoveBot {
        /// The bot's seat.
        seat: Seat,
    },
    /// Put a stone on the board.
    Play {
        /// The number of moves made before this one, so that a late command cannot count as another
        /// move.
        ply: usize,
        /// The point.
        point: Point,
    },
    /// Answer what the opening asks.
    Choose {
        /// As in `play`.
        ply: usize,
        /// The act.
        act: Act,
    },
    /// Give up the game.
    Resign,
    /// End a daily game, or the first game of a paired room, without a result; refused once both
    /// players have acted.
    Abort,
    /// Ask an opponent who is present, and does not act in a game without a clock, whether they are
    /// still there. If they do not act within a minute, the game can be claimed.
    Nudge,
    /// Offer a draw. The offer stands until the opponent answers it or moves.
    OfferDraw,
    /// Take the opponent's offer: the game is drawn.
    AcceptDraw,
    /// Turn down the opponent's offer.
    DeclineDraw,
    /// Ask to take back one's own last move (and the opponent's reply to it).
    AskTakeback,
    /// Let the opponent take back.
    GrantTakeback,
    /// Refuse the opponent's takeback.
    RefuseTakeback,
    /// Claim the win, because the opponent has been away on their turn for too long, or has not
    /// acted after a nudge.
    ClaimWin,
    /// Claim a draw for the same reason.
    ClaimDraw,
    /// Ask for another game with colours swapped, or agree to the opponent's request. Everybody
    /// keeps their seat.
    Rematch,
    /// Decline the opponent's request for a rematch, or withdraw your own.
    DeclineRematch,
    /// Get the weights that a bot gives to the points, where assistance is allowed; answered by
    /// `weights`.
    Weights {
        /// The bot; without it, the opponent if that is a bot, else `attack`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bot: Option<BotKind>,
        /// The number of moves on the board to weigh; without it, all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ply: Option<usize>,
    },
    /// Have a bot move for the sender, where assistance is allowed.
    BotMove {
        /// As in `play`.
        ply: usize,
        /// The bot; as in `weights`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bot: Option<BotKind>,
    },
    /// Have the engine search a position ever deeper, where assistance is allowed; answered by a
    /// series of `analysis`. Ends the analysis that the session has under way in the room.
    Analyse {
        /// As in `weights`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ply: Option<usize>,
        /// How many moves to report.
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<_>"))]
        lines: LineCount,
    },
    /// End the session's analysis in the room.
    StopAnalysis,
    /// Send a line of chat: a player's goes to everybody, a spectator's to everybody who is not
    /// playing.
    Say {
        /// The line.
        text: ChatText,
    },
    /// Get the last chat lines that the sender may see; answered by `chat`.
    Chat,
    /// Turn chat in the room on or off; only for the host.
    SetChat {
        /// Whether people may chat.
        on: bool,
    },
}

/// Most moves that an analysis reports.
pub const ANALYSIS_LINES_MAX: u8 = 10;

/// How many moves an analysis reports: from 1 to [`ANALYSIS_LINES_MAX`], 3 by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS), ts(type = "number"))]
#[cfg_attr(test, schemars(extend("minimum" = 1, "maximum" = ANALYSIS_LINES_MAX)))]
#[serde(try_from = "u8", into = "u8")]
pub struct LineCount(u8);

impl Default for LineCount {
    fn default() -> Self {
        Self(3)
    }
}

impl TryFrom<u8> for LineCount {
    type Error = String;

    fn try_from(count: u8) -> Result<Self, String> {
        if (1..=ANALYSIS_LINES_MAX).contains(&count) {
            Ok(Self(count))
        } else {
            Err(format!("an analysis has 1 to {ANALYSIS_LINES_MAX} lines"))
        }
    }
}

impl From<LineCount> for u8 {
    fn from(count: LineCount) -> Self {
        count.0
    }
}

impl RoomRequest {
    /// Whether this is part of playing a game: a move, an act of an opening, a resignation, an offer, a request or a
    /// claim. The clock keeps running until it is handled.
    pub const fn is_play(&self) -> bool {
        match self {
            Self::Play { .. }
            | Self::Choose { .. }
            | Self::Resign
            | Self::Abort
            | Self::Nudge
            | Self::OfferDraw
            | Self::AcceptDraw
            | Self::DeclineDraw
            | Self::AskTakeback
            | Self::GrantTakeback
            | Self::RefuseTakeback
            | Self::ClaimWin
            | Self::ClaimDraw => true,
            Self::Sit { .. }
            | Self::SitAsEngine { .. }
            | Self::Stand
            | Self::SeatBot { .. }
            | Self::RemoveBot { .. }
            | Self::Rematch
            | Self::DeclineRematch
            | Self::Weights { .. }
            | Self::BotMove { .. }
            | Self::Analyse { .. }
            | Self::StopAnalysis
            | Self::Say { .. }
            | Self::Chat
            | Self::SetChat { .. } => false,
        }
    }

    /// The `type` of the command on the wire.
    pub fn kind(&self) -> &'static str {
        self.into()
    }
}

/// The fields of every command.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(default)]
    id: Option<CommandId>,
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    room: Option<RoomCode>,
}

impl Command {
    /// Reads a command.
    ///
    /// # Errors
    /// When the text is not a command of this protocol. The refusal names the problem; the id
    /// comes with it if one could be read.
    pub fn from_json(text: &str) -> Result<Self, (Option<CommandId>, Refusal)> {
        // Serde would also read a struct from a JSON array of its fields.
        if !text.trim_start().starts_with('{') {
            return Err((None, Refusal::malformed("a command is a JSON object")));
        }
        let head: Head<'_> = serde_json::from_str(text)
            .map_err(|error| (id_alone(text), Refusal::malformed(error)))?;
        let Some(id) = head.id else {
            return Err((None, Refusal::malformed("a command needs an id")));
        };
        match Request::from_json(&head.kind, head.room, text) {
            Ok(request) => Ok(Self { id, request }),
            Err(refusal) => Err((Some(id), refusal)),
        }
    }

    /// Writes a command.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Wire<'a, R> {
            id: &'a CommandId,
            #[serde(skip_serializing_if = "Option::is_none")]
            room: Option<&'a RoomCode>,
            #[serde(flatten)]
            request: &'a R,
        }
        let json = match &self.request {
            Request::Lobby(request) => {
                serde_json::to_string(&Wire { id: &self.id, room: None, request })
            }
            Request::Room { room, request } => {
                serde_json::to_string(&Wire { id: &self.id, room: Some(room), request })
            }
        };
        json.expect("every request has string keys and finite numbers")
    }
}

impl Request {
    /// The `type` of the command on the wire.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Lobby(request) => request.into(),
            Self::Room { request, .. } => request.kind(),
        }
    }

    fn from_json(kind: &str, room: Option<RoomCode>, text: &str) -> Result<Self, Refusal> {
        if LobbyRequest::VARIANTS.contains(&kind) {
            return serde_json::from_str(text).map(Self::Lobby).map_err(Refusal::malformed);
        }
        if !RoomRequest::VARIANTS.contains(&kind) {
            return Err(Refusal::new(Reason::UnknownCommand));
        }
        let request = serde_json::from_str(text).map_err(Refusal::malformed)?;
        let room = room.ok_or_else(|| Refusal::malformed(format!("{kind} needs a room")))?;
        Ok(Self::Room { room, request })
    }
}

/// The id of an otherwise unreadable command, so that the client can match the refusal to it.
fn id_alone(text: &str) -> Option<CommandId> {
    #[derive(Deserialize)]
    struct IdAlone {
        id: CommandId,
    }
    serde_json::from_str::<IdAlone>(text).ok().map(|alone| alone.id)
}
