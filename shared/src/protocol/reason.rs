//! The codes of refusals by subject, and what a sender can do about each.

use serde::{Deserialize, Serialize};

/// The code of a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    // The protocol and the session.
    /// The message is not a command of this protocol; `detail` names the problem.
    Malformed,
    /// There is no command of this type.
    UnknownCommand,
    /// The first command must be `hello`.
    HelloFirst,
    /// `hello` comes once.
    AlreadyGreeted,
    /// The server's protocol version is `version`.
    Version,
    /// The request is longer than the server takes.
    TooLong,
    /// The request did not arrive in time.
    TooSlow,
    /// Too many commands in a short time.
    TooFast,
    /// Pages of other hosts may not connect.
    ForeignPage,

    // Who somebody is: guests, accounts, keys and tokens.
    /// The identity was replaced and is no longer valid.
    IdentityReplaced,
    /// The member never took a seat, so there is nothing to keep for a new identity.
    NothingToKeep,
    /// The member never took a seat, so no setting of theirs is stored.
    SeatFirst,
    /// This device is not signed in, or not any more.
    SignedOut,
    /// Somebody tries to be a guest and a member who is signed in at once.
    TwoIdentities,
    /// The name and settings of an account are changed over HTTP: `POST /api/account/name`.
    AccountSetting,
    /// The name could be taken for a bot's.
    NameLooksLikeBot,
    /// An account has this name, or one that looks the same.
    NameTaken,
    /// An account's name has 2 to 20 letters of one script, digits, `-` and `_`.
    AccountName,
    /// No account has a name like this.
    NameReserved,
    /// The name of the account was changed a short time ago, and may change again after `wait_ms`.
    NameChangedLately,
    /// A password has from `least` to `most` characters.
    PasswordLength,
    /// Too many people have this password.
    CommonPassword,
    /// The name or the password is wrong.
    WrongPassword,
    /// The name or the recovery code is wrong.
    WrongCode,
    /// No account has this passkey, or its answer is wrong.
    WrongPasskey,
    /// Passkeys do not work at this address of the server.
    NoPasskeys,
    /// The other site has not signed the sender in, or not for this account.
    WrongOidc,
    /// Nobody signs in by another site here.
    NoOidc,
    /// The other site does not answer.
    OidcUnavailable,
    /// This server is not set up at the other site as it should be.
    OidcMisconfigured,
    /// The code of the device or the link is not valid, or not any more.
    WrongDeviceCode,
    /// The member has not let the device sign in.
    DeviceDenied,
    /// This needs a key to the account that was used a short time ago.
    ConfirmFirst,
    /// An account keeps at least one key.
    LastKey,
    /// The account has as many of these as it may have.
    TooManyKeys,
    /// The account has time off already, or will have it.
    TimeOffOpen,
    /// The account has `most` days of time off left in a year of the period.
    TooFewDaysOff,
    /// The account has `most` bots.
    TooManyBots,
    /// The account has `most` collections, or twice as many with the deleted ones that are not yet
    /// removed.
    TooManyCollections,
    /// The account has `most` games in all its collections, or twice as many with those in deleted
    /// collections that are not yet removed.
    CollectionFull,
    /// Too many tries to sign up, sign in or recover an account. The next one may come after `wait_ms`.
    TooManyTries,
    /// The token is not valid, or not any more.
    WrongToken,
    /// The token does not allow this: it lacks `scope`.
    TokenScope,

    // Rooms: finding, making, entering.
    /// No open room has this code.
    NoSuchRoom,
    /// The stored room is damaged.
    RoomDamaged,
    /// The session is not in the room.
    NotAMember,
    /// Only the host can do this.
    HostOnly,
    /// Only the host and the players can do this.
    NotAllowed,
    /// The identity has reached its limit of open rooms; `rooms` names some of them.
    TooManyRooms,
    /// The member has a place in as many daily games as they may: `most`.
    TooManyDailyGames,
    /// The other player has a place in as many daily games as they may.
    OpponentTooManyGames,
    /// This address has reached its limit of open rooms.
    TooManyRoomsFromAddress,
    /// Too many rooms were created from this address in a short time.
    TooManyRoomsMade,
    /// The server has reached its limit of rooms where bots play each other.
    TooManyBotRooms,
    /// The session has reached its limit of rooms.
    TooManyJoined,
    /// The member has reached the limit of sessions in this room.
    TooManySessions,
    /// Too many room codes from this address were wrong.
    TooManyUnknownCodes,
    /// The room has reached its limit of spectators.
    RoomFull,
    /// The room's log has reached its limit.
    RoomWornOut,

    // Seats and how a game is set up.
    /// Only players can do this.
    NotSeated,
    /// The member has a seat already.
    AlreadySeated,
    /// The seat is taken.
    SeatTaken,
    /// Both seats are taken.
    NoOpenSeat,
    /// No bot sits there.
    NoBot,
    /// The bot does not play these rules on this board, or has no such level.
    BotNotOffered,
    /// The opening is not played by these rules on this board; `detail` says what it needs.
    OpeningNotOffered,
    /// Games of these settings cannot be rated; `detail` says what rated games need.
    NotRateable,
    /// Only somebody with an account can do this.
    AccountNeeded,
    /// A program plays rated games by the account of a bot only, and a person without a program.
    BotAccountNeeded,
    /// A bot plays no rated games against its owner, nor against another bot of theirs.
    OwnBot,
    /// This is not possible during a game.
    GameRunning,

    // Moves and openings.
    /// No game is running.
    NoGame,
    /// It is the opponent's turn.
    NotYourTurn,
    /// The command is for the ply `ply`, but the next one is `due`.
    StalePly,
    /// The game is over in this position.
    GameOver,
    /// The point is not on the board.
    Outside,
    /// The point is too far from the first stone.
    TooFar,
    /// There is a stone on the point.
    Occupied,
    /// Renju forbids it: a double-three.
    DoubleThree,
    /// Renju forbids it: a double-four.
    DoubleFour,
    /// Renju forbids it: an overline.
    Overline,
    /// This is not possible before the opening is over.
    OpeningRunning,
    /// The opening does not ask for this now.
    NotNow,
    /// The opening asks for another number of stones, or declared: from `least` to `most`.
    WrongCount,
    /// The opening does not allow a stone on the point `point` now.
    NotInZone,
    /// Turned, mirrored or moved, the offered stone `point` is the same as the offer `number`.
    SameAsOffered,

    // Offers, claims and nudges.
    /// There is no such offer or request to answer.
    NoOffer,
    /// The same offer or request is already open.
    AlreadyAsked,
    /// The opponent has already made the same request; answer that.
    AnswerFirst,
    /// The player has no move to take back.
    NothingToTakeBack,
    /// The opponent is present, so nothing can be claimed.
    OpponentHere,
    /// The opponent is away, so a nudge would not reach them.
    OpponentAway,
    /// It is the claimer's own turn.
    YourTurn,
    /// The opponent has not been away long enough, or has not had enough time to act.
    TooEarly,
    /// Nothing can be claimed in a daily game: only the clock ends it.
    NoClaim,
    /// The game cannot be aborted: both players have acted, or the server has not paired them and the
    /// game is not daily.
    NotAbortable,
    /// Nobody is nudged in this game: it has a clock, or the opponent is a bot.
    NoNudge,

    // Help from bots, and analyses.
    /// The room has no assistance against people.
    NoAssistance,
    /// During a game, help from bots is for its players.
    PlayersOnly,
    /// The game has no position to play from after `ply` moves.
    NoSuchPly,
    /// The engine does not play these rules.
    NoEngine,
    /// A rated game with this position is running, and its players get no help.
    RatedGame,
    /// This address has reached its limit of analyses and reviews.
    TooManyAnalyses,

    // Finding an opponent.
    /// There is no pool of this name.
    NoSuchPool,
    /// The seek or the challenge is over.
    NoSuchSeek,
    /// One cannot play against oneself.
    OwnSeek,
    /// The member has reached their limit of seeks and challenges.
    TooManySeeks,
    /// Too many challenges came from this member or this address in a short time.
    TooManyChallenges,
    /// The member's last challenge to this person waits for an answer.
    AlreadyChallenged,
    /// The most challenges that may wait for one person do so already.
    ChallengesFull,
    /// This person takes challenges from people with an account only.
    AccountsOnly,
    /// This person takes no challenges.
    NoChallenges,
    /// This person declined several challenges from here; the next one may come after `wait_ms`.
    DeclinedLately,
    /// The member has left too many games before they began, and is paired again after `wait_ms`.
    TooManyAborts,
    /// Nobody who is online has this name or id.
    NobodyOnline,
    /// Several people who are online have this name; challenge one of them by their id.
    SeveralOnline,

    // Friends.
    /// The member has `most` friends.
    TooManyFriends,
    /// So many requests of the member wait for an answer: `most`.
    TooManyFriendRequests,
    /// This person takes no requests from the member now.
    NoFriendRequests,
    /// This person has declined a request; the next one may come after `wait_ms`.
    FriendDeclined,

    // Chat, blocks, reports and sanctions.
    /// Chat is off in this room or on this server.
    ChatOff,
    /// The spectators of this room chat too much.
    TooManyTalking,
    /// The list of blocked and muted people has `most` entries.
    TooManyBlocks,
    /// The member has blocked this person.
    Blocked,
    /// Too many reports by this member or from this address in a day.
    TooManyReports,
    /// The member's last report about this person waits for a decision.
    AlreadyReported,
    /// So many reports wait for the operators that no more are taken.
    ReportsFull,
    /// An operator has muted the member, until `until`: `why` says the reason.
    Muted,
    /// An operator lets the member play no rated games, until `until`: `why` says the reason.
    NoRatedGames,
    /// The opponent plays no rated games now, so there is no rated rematch.
    OpponentNotRated,
    /// An operator has closed the account, until `until`: `why` says the reason.
    AccountClosed,
    /// Only operators can do this.
    OperatorsOnly,
    /// The link that makes the first operator is not valid: it was used, the server has started again since, or there
    /// is an operator.
    WrongOperatorLink,
    /// There is no such report, sanction or person, or it is decided already.
    NoSuchCase,

    // Finished games and players.
    /// No finished game has this id.
    NoSuchGame,
    /// Nobody has an account with this name.
    NoSuchPlayer,
    /// There is no collection with this id, or it is not shared with the sender.
    NoSuchCollection,
    /// The text is not a game in a format that the server reads: `line` and `detail` name the
    /// problem.
    UnreadableGame,
    /// The game cannot be written in this format; `detail` names the problem.
    NotInFormat,

    // The server.
    /// The server has reached its limit of rooms.
    ServerFull,
    /// The server's disk is almost full, so no rooms are created.
    DiskFull,
    /// The server, the room or the bots are busy.
    Busy,
    /// The command could not be stored, and nothing has changed.
    Unavailable,
    /// The server is about to stop.
    Stopping,
    /// An operator has paused new games on the server. Games that run go on.
    Paused,
    /// This address has reached its limit of connections.
    TooManyConnections,
    /// Too many connections were opened from this address in a short time.
    TooManyNewConnections,
    /// The server failed at this request.
    Broken,
}

/// What the sender of a refused command can do about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReasonClass {
    /// Change the command: it can never be done as it is.
    Invalid,
    /// Sign in again.
    SignedOut,
    /// Nothing: the sender may not do this, or has not shown that they may.
    Forbidden,
    /// Name something else: what the command names is not there.
    Missing,
    /// Do something else first, or wait for the opponent: the state of things does not allow it.
    Conflict,
    /// Wait: a limit has been reached that minutes or days lift.
    Later,
    /// Send the command again in a moment: too much came in a short time.
    TooFast,
    /// Send the command again in a moment: the server or the room cannot take it now.
    Unavailable,
    /// Tell the operator: something failed in the server.
    Broken,
}

impl ReasonClass {
    /// Whether the same command may be done when it is sent again in a moment.
    pub const fn is_passing(self) -> bool {
        matches!(self, Self::TooFast | Self::Unavailable)
    }
}

impl Reason {
    /// What the sender can do about it.
    #[expect(clippy::too_many_lines, reason = "a table")]
    pub const fn class(self) -> ReasonClass {
        match self {
            Self::Malformed
            | Self::UnknownCommand
            | Self::HelloFirst
            | Self::AlreadyGreeted
            | Self::Version
            | Self::TooLong
            | Self::AccountSetting
            | Self::NameLooksLikeBot
            | Self::AccountName
            | Self::NameReserved
            | Self::PasswordLength
            | Self::CommonPassword
            | Self::NoPasskeys
            | Self::NoOidc
            | Self::BotNotOffered
            | Self::OpeningNotOffered
            | Self::NotRateable
            | Self::GameOver
            | Self::Outside
            | Self::TooFar
            | Self::Occupied
            | Self::DoubleThree
            | Self::DoubleFour
            | Self::Overline
            | Self::WrongCount
            | Self::NotInZone
            | Self::SameAsOffered
            | Self::NoSuchPly
            | Self::OwnSeek
            | Self::UnreadableGame
            | Self::NotInFormat
            | Self::NoEngine => ReasonClass::Invalid,
            Self::SignedOut | Self::WrongToken => ReasonClass::SignedOut,
            Self::ForeignPage
            | Self::IdentityReplaced
            | Self::NothingToKeep
            | Self::SeatFirst
            | Self::WrongPassword
            | Self::WrongCode
            | Self::WrongPasskey
            | Self::WrongOidc
            | Self::WrongDeviceCode
            | Self::DeviceDenied
            | Self::ConfirmFirst
            | Self::TokenScope
            | Self::NotAMember
            | Self::HostOnly
            | Self::NotAllowed
            | Self::NotSeated
            | Self::AccountNeeded
            | Self::BotAccountNeeded
            | Self::OwnBot
            | Self::NoAssistance
            | Self::PlayersOnly
            | Self::RatedGame
            | Self::AccountsOnly
            | Self::NoChallenges
            | Self::NoFriendRequests
            | Self::ChatOff
            | Self::Blocked
            | Self::Muted
            | Self::NoRatedGames
            | Self::OpponentNotRated
            | Self::AccountClosed
            | Self::OperatorsOnly
            | Self::WrongOperatorLink => ReasonClass::Forbidden,
            Self::NoSuchRoom
            | Self::NoBot
            | Self::NoGame
            | Self::NoOffer
            | Self::NoSuchPool
            | Self::NoSuchSeek
            | Self::NobodyOnline
            | Self::NoSuchCase
            | Self::NoSuchGame
            | Self::NoSuchPlayer
            | Self::NoSuchCollection => ReasonClass::Missing,
            Self::TwoIdentities
            | Self::NameTaken
            | Self::LastKey
            | Self::TooManyKeys
            | Self::TimeOffOpen
            | Self::TooFewDaysOff
            | Self::TooManyBots
            | Self::TooManyCollections
            | Self::CollectionFull
            | Self::TooManyRooms
            | Self::TooManyDailyGames
            | Self::OpponentTooManyGames
            | Self::RoomWornOut
            | Self::AlreadySeated
            | Self::SeatTaken
            | Self::NoOpenSeat
            | Self::GameRunning
            | Self::NotYourTurn
            | Self::StalePly
            | Self::OpeningRunning
            | Self::NotNow
            | Self::AlreadyAsked
            | Self::AnswerFirst
            | Self::NothingToTakeBack
            | Self::OpponentHere
            | Self::OpponentAway
            | Self::YourTurn
            | Self::TooEarly
            | Self::NoClaim
            | Self::NotAbortable
            | Self::NoNudge
            | Self::TooManySeeks
            | Self::AlreadyChallenged
            | Self::SeveralOnline
            | Self::TooManyFriends
            | Self::TooManyFriendRequests
            | Self::TooManyBlocks
            | Self::AlreadyReported => ReasonClass::Conflict,
            Self::NameChangedLately
            | Self::TooManyTries
            | Self::TooManyRoomsFromAddress
            | Self::TooManyBotRooms
            | Self::TooManyAnalyses
            | Self::TooManyChallenges
            | Self::ChallengesFull
            | Self::DeclinedLately
            | Self::FriendDeclined
            | Self::TooManyAborts
            | Self::TooManyTalking
            | Self::TooManyReports
            | Self::ReportsFull => ReasonClass::Later,
            Self::TooFast
            | Self::TooManyRoomsMade
            | Self::TooManyJoined
            | Self::TooManySessions
            | Self::TooManyUnknownCodes
            | Self::TooManyConnections
            | Self::TooManyNewConnections => ReasonClass::TooFast,
            Self::TooSlow
            | Self::OidcUnavailable
            | Self::OidcMisconfigured
            | Self::RoomFull
            | Self::ServerFull
            | Self::DiskFull
            | Self::Busy
            | Self::Unavailable
            | Self::Stopping
            | Self::Paused => ReasonClass::Unavailable,
            Self::RoomDamaged | Self::Broken => ReasonClass::Broken,
        }
    }
}
