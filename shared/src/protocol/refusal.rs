//! Why a command was refused: a code, the values that its sentence needs, and the sentence.
//!
//! Clients translate refusals by code and values. The English sentence is for programs that have no
//! text of their own for a code.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Reason, RoomCode, Scope, Unrated};
use crate::{
    bot_spec::BotError,
    clock::{DAY_MS, MINUTE_MS, day},
    opening::{OpeningError, Refused},
    rules::{Forbidden, Illegal, Point},
};

/// The reason why a command was refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Refusal {
    /// The code.
    pub reason: Reason,
    /// The values that the sentence needs.
    #[serde(flatten)]
    pub values: Box<RefusalValues>,
    /// The sentence in English.
    pub text: String,
}

/// The values of a refusal; each field names its codes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct RefusalValues {
    /// [`Reason::StalePly`], [`Reason::NoSuchPly`]: the command's ply. In a reply over HTTP: the
    /// ply of the move that cannot be played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// [`Reason::StalePly`]: the ply to play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<usize>,
    /// [`Reason::Version`]: the server's protocol version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// [`Reason::TooManyRooms`]: some of the member's rooms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rooms: Vec<RoomCode>,
    /// [`Reason::UnreadableGame`]: the line of the text, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// [`Reason::NotInZone`], [`Reason::SameAsOffered`]: the refused point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Point>,
    /// [`Reason::SameAsOffered`]: the earlier offer, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// [`Reason::WrongCount`]: the least number that the opening asks for. [`Reason::PasswordLength`]:
    /// the least number of characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<usize>,
    /// [`Reason::WrongCount`], [`Reason::PasswordLength`]: the largest one. [`Reason::TooManyBots`],
    /// [`Reason::TooManyFriends`], [`Reason::TooManyFriendRequests`],
    /// [`Reason::TooManyDailyGames`], [`Reason::TooManyCollections`], [`Reason::CollectionFull`]: how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
    /// [`Reason::TooManyAborts`], [`Reason::TooManyTries`], [`Reason::NameChangedLately`],
    /// [`Reason::DeclinedLately`], [`Reason::FriendDeclined`]: how long to wait, in milliseconds. Over HTTP also
    /// [`Reason::Busy`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// [`Reason::Muted`], [`Reason::NoRatedGames`], [`Reason::AccountClosed`]: until when, in
    /// milliseconds since the Unix epoch; absent if there is no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
    /// [`Reason::Muted`], [`Reason::NoRatedGames`], [`Reason::AccountClosed`]: what the operator says
    /// about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// [`Reason::TokenScope`]: the scope that the token lacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// [`Reason::Malformed`], [`Reason::BotNotOffered`], [`Reason::OpeningNotOffered`], [`Reason::NotRateable`],
    /// [`Reason::UnreadableGame`], [`Reason::NotInFormat`]: what is wrong, in English, for the client's author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Refusal {
    /// Refuses for a reason that needs no values.
    pub fn new(reason: Reason) -> Self {
        Self::with(reason, RefusalValues::default())
    }

    /// Refuses for a reason with its values.
    pub fn with(reason: Reason, values: RefusalValues) -> Self {
        let text = reason.sentence(&values);
        Self { reason, values: Box::new(values), text }
    }

    /// Refuses what exceeds a limit.
    pub fn at_most(reason: Reason, most: usize) -> Self {
        Self::with(reason, RefusalValues { most: Some(most), ..RefusalValues::default() })
    }

    /// Refuses what is for another ply than the next one.
    pub fn stale_ply(ply: usize, due: usize) -> Self {
        let values = RefusalValues { ply: Some(ply), due: Some(due), ..RefusalValues::default() };
        Self::with(Reason::StalePly, values)
    }

    /// Refuses a bot that does not play by these rules.
    pub fn bot_not_offered(error: &BotError) -> Self {
        let detail = Some(error.to_string());
        Self::with(Reason::BotNotOffered, RefusalValues { detail, ..RefusalValues::default() })
    }

    /// Refuses an opening that is not played by these rules.
    pub fn opening_not_offered(error: &OpeningError) -> Self {
        let detail = Some(error.to_string());
        Self::with(Reason::OpeningNotOffered, RefusalValues { detail, ..RefusalValues::default() })
    }

    /// Refuses a message that is not a command.
    pub fn malformed(detail: impl fmt::Display) -> Self {
        let detail = Some(detail.to_string());
        Self::with(Reason::Malformed, RefusalValues { detail, ..RefusalValues::default() })
    }
}

impl From<Unrated> for Refusal {
    fn from(unrated: Unrated) -> Self {
        let detail = Some(unrated.to_string());
        Self::with(Reason::NotRateable, RefusalValues { detail, ..RefusalValues::default() })
    }
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Self::new(reason)
    }
}

impl From<Illegal> for Refusal {
    fn from(illegal: Illegal) -> Self {
        Self::new(match illegal {
            Illegal::GameOver => Reason::GameOver,
            Illegal::Outside => Reason::Outside,
            Illegal::TooFar => Reason::TooFar,
            Illegal::Occupied => Reason::Occupied,
            Illegal::Forbidden(Forbidden::DoubleThree) => Reason::DoubleThree,
            Illegal::Forbidden(Forbidden::DoubleFour) => Reason::DoubleFour,
            Illegal::Forbidden(Forbidden::Overline) => Reason::Overline,
        })
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        let none = RefusalValues::default();
        match refused {
            Refused::NotNow => Self::new(Reason::NotNow),
            Refused::WrongCount { least, most } => {
                let values = RefusalValues { least: Some(least), most: Some(most), ..none };
                Self::with(Reason::WrongCount, values)
            }
            Refused::NotInZone(point) => {
                Self::with(Reason::NotInZone, RefusalValues { point: Some(point), ..none })
            }
            Refused::SameAsOffered { point, number } => {
                let values = RefusalValues { point: Some(point), number: Some(number), ..none };
                Self::with(Reason::SameAsOffered, values)
            }
            Refused::Illegal(illegal) => illegal.into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Refusal {}

impl Reason {
    /// The English sentence: what happened and what to do next.
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn sentence(self, values: &RefusalValues) -> String {
        let number = |ply: Option<usize>| ply.map_or(0, |ply| ply + 1);
        let text = match self {
            Self::Malformed => {
                let detail = values.detail.as_deref().unwrap_or("not a command");
                return format!("The client broke the protocol: {detail}.");
            }
            Self::BotNotOffered => {
                let detail = values.detail.as_deref();
                return detail.unwrap_or("this bot does not play these rules").to_owned();
            }
            Self::NotRateable => {
                let detail = values.detail.as_deref().unwrap_or("rated games have a clock");
                return format!("This game cannot be rated: {detail}.");
            }
            Self::OpeningNotOffered => {
                let detail = values.detail.as_deref().unwrap_or("it needs other rules");
                return format!("This opening is not possible here: {detail}.");
            }
            Self::WrongCount => {
                let (least, most) =
                    (values.least.unwrap_or_default(), values.most.unwrap_or_default());
                return if least == most {
                    format!("The opening asks for exactly {most}.")
                } else {
                    format!("The opening asks for a number from {least} to {most}.")
                };
            }
            Self::SameAsOffered => {
                let number = values.number.unwrap_or_default();
                return format!(
                    "This is the same as offer {number}, turned, mirrored or moved. Choose another point."
                );
            }
            Self::UnreadableGame => {
                let (line, detail) = (values.line.unwrap_or_default(), values.detail.as_deref());
                return format!("Line {line}: {}.", detail.unwrap_or("not a game"));
            }
            Self::NotInFormat => {
                let detail = values.detail.as_deref().unwrap_or("the board is too large");
                return format!("The game cannot be written in this format: {detail}.");
            }
            Self::Version => {
                let version = values.version.unwrap_or_default();
                return format!("The server speaks version {version} of the protocol.");
            }
            Self::StalePly => {
                let (meant, due) = (number(values.ply), number(values.due));
                return format!(
                    "The game has moved on: this is move {meant}, and move {due} is due."
                );
            }
            Self::NoSuchPly => {
                let ply = values.ply.unwrap_or_default();
                return format!("There is no move to make after {ply} moves of this game.");
            }
            Self::TooManyRooms => {
                let codes: Vec<_> = values.rooms.iter().map(RoomCode::as_str).collect();
                return format!(
                    "You have too many open rooms. Close one first: {}.",
                    codes.join(", ")
                );
            }
            Self::TooManyDailyGames => {
                let most = values.most.unwrap_or_default();
                return format!("You are in {most} daily games already. End one first.");
            }
            Self::OpponentTooManyGames => {
                "This player is in too many daily games already. Play somebody else."
            }
            Self::TooManyAborts => {
                let wait = minutes(values.wait_ms);
                return format!(
                    "You left too many games before they began. You can look for opponents again in {wait}."
                );
            }
            Self::DeclinedLately => {
                let wait = minutes(values.wait_ms);
                return format!(
                    "This person has declined several of your challenges. You can challenge them again in {wait}."
                );
            }
            Self::TooManyTries => {
                let wait = minutes(values.wait_ms);
                return format!("Too many tries. You can try again in {wait}.");
            }
            Self::NameChangedLately => {
                let days = values.wait_ms.unwrap_or_default().div_ceil(DAY_MS);
                return format!(
                    "You changed your name lately. You can change it again in {days} days."
                );
            }
            Self::PasswordLength => {
                let (least, most) =
                    (values.least.unwrap_or_default(), values.most.unwrap_or_default());
                return format!("A password has {least} to {most} characters.");
            }
            Self::TooManyFriends => {
                let most = values.most.unwrap_or_default();
                return format!("You have {most} friends. Remove one of them first.");
            }
            Self::TooManyFriendRequests => {
                let most = values.most.unwrap_or_default();
                return format!("{most} of your requests wait. Take one of them back first.");
            }
            Self::FriendDeclined => {
                let wait = minutes(values.wait_ms);
                return format!(
                    "This person has declined your request. You can ask again in {wait}."
                );
            }
            Self::TooManyBlocks => {
                let most = values.most.unwrap_or_default();
                return format!("Your list has {most} people. Remove one of them first.");
            }
            Self::Muted => return sanctioned("You may not chat", values),
            Self::NoRatedGames => return sanctioned("You may not play rated games", values),
            Self::OpponentNotRated => {
                "This opponent plays no rated games now. Look for a new opponent, or play a casual game."
            }
            Self::AccountClosed => return sanctioned("This account is closed", values),
            Self::TokenScope => {
                return match values.scope {
                    Some(scope) => {
                        format!("This token does not allow this. Make one with the scope {scope}.")
                    }
                    None => "No token allows this. Sign in instead.".to_owned(),
                };
            }
            Self::UnknownCommand => {
                "There is no such command. The client may be newer than the server."
            }
            Self::HelloFirst => "Say hello first.",
            Self::AlreadyGreeted => "This session has already sent hello.",
            Self::IdentityReplaced => "This identity was replaced by another one. Use that one.",
            Self::NothingToKeep => {
                "You never took a seat, so there is nothing to keep. Say hello without an identity to get a new one."
            }
            Self::SeatFirst => "This is kept for people who have played. Take a seat first.",
            Self::NameLooksLikeBot => "This name looks like a bot's. Choose another one.",
            Self::NoSuchRoom => "There is no room with this code, or it has closed.",
            Self::RoomDamaged => {
                "This room is damaged and cannot be opened. Only the operator of this server can repair it."
            }
            Self::NotAMember => "Join the room first.",
            Self::NotSeated => "Only players can do this. You are watching.",
            Self::NotAllowed => "Only the host and the players can do this.",
            Self::HostOnly => "Only the host of this room can do this.",
            Self::AlreadySeated => "You have a seat already.",
            Self::SeatTaken => "This seat is taken.",
            Self::NoOpenSeat => "Both seats are taken. You can watch.",
            Self::NoBot => "No bot sits there.",
            Self::GameRunning => "This is not possible while a game is running. Finish it first.",
            Self::NoGame => "No game is running.",
            Self::NotYourTurn => "It is your opponent's turn.",
            Self::Outside => "This point is not on the board.",
            Self::TooFar => "This point is too far from the first stone.",
            Self::Occupied => "There is a stone on this point.",
            Self::DoubleThree => "Forbidden for Black: a double-three.",
            Self::DoubleFour => "Forbidden for Black: a double-four.",
            Self::Overline => "Forbidden for Black: an overline.",
            Self::OpeningRunning => "This is not possible before the opening is over.",
            Self::NotNow => "The opening does not ask for this now.",
            Self::NotInZone => "The opening does not allow a stone on this point now.",
            Self::NoOffer => "There is nothing to answer: your opponent has not asked.",
            Self::AlreadyAsked => "You have asked already. Wait for the answer.",
            Self::AnswerFirst => "Your opponent asks the same of you. Answer that first.",
            Self::OpponentHere => "Your opponent is here.",
            Self::YourTurn => "It is your turn. Make your move.",
            Self::TooEarly => "It is too early for this. Give your opponent more time.",
            Self::NoClaim => {
                "In a daily game players may be away. Only the clock ends it: wait for your opponent."
            }
            Self::NotAbortable => {
                "Only a daily game, or one between players who were paired here, can be aborted, and only until both have acted. You can resign."
            }
            Self::NoNudge => {
                "Nobody is asked to move in this game. Its clock decides, or a bot plays."
            }
            Self::OpponentAway => "Your opponent is away. You can claim the game after a while.",
            Self::NothingToTakeBack => "You have no move to take back.",
            Self::NoAssistance => {
                "This room has no help from bots against people while a game is running."
            }
            Self::PlayersOnly => "While a game is running, only its players get help from bots.",
            Self::NoSuchPool => "There is no pool of this name.",
            Self::NoSuchSeek => "This game is no longer on offer.",
            Self::AccountNeeded => {
                "Rated games are for people with an account. Sign up, or play a casual game."
            }
            Self::BotAccountNeeded => {
                "Programs play rated games as bots. Make a bot in your account, and give its token to the program."
            }
            Self::OwnBot => "A bot plays no rated games against its owner or their other bots.",
            Self::OwnSeek => "You cannot play against yourself.",
            Self::TooManySeeks => "You seek too many games already. Cancel one first.",
            Self::TooManyChallenges => "Too many challenges in a short time. Try again later.",
            Self::AlreadyChallenged => "You challenge this person already. Wait for the answer.",
            Self::ChallengesFull => "Too many people challenge this person. Try again in a minute.",
            Self::AccountsOnly => "This person takes challenges only from people with an account.",
            Self::NoChallenges => "This person takes no challenges.",
            Self::NobodyOnline => "Nobody of this name is online.",
            Self::SeveralOnline => {
                "Several people of this name are online. Challenge one of them by their id."
            }
            Self::ChatOff => "Chat is off here.",
            Self::TooManyTalking => "Too many people are talking. Try again in a moment.",
            Self::TooManyRoomsFromAddress => {
                "Too many rooms are open from your network. Close one of yours, or wait until one closes."
            }
            Self::TooManyRoomsMade => {
                "Too many rooms were created from your network just now. Wait a minute, or use a room that you have."
            }
            Self::TooManyBotRooms => {
                "Bots play each other in too many rooms already. Watch one of their games, or play against a bot yourself."
            }
            Self::TooManyJoined => "You are in too many rooms. Leave one.",
            Self::TooManySessions => "You have this room open too many times. Close one of them.",
            Self::ServerFull => "The server is full. Try again later.",
            Self::DiskFull => {
                "The server's disk is almost full. Running games continue; everything new has to wait for the operator."
            }
            Self::RoomFull => "This room has no place for more spectators.",
            Self::RoomWornOut => {
                "This room has reached its limit of 100,000 events. Start a new one."
            }
            Self::TooFast => "Too fast. Wait a moment.",
            Self::TooManyUnknownCodes => {
                "Too many wrong room codes. Check yours, and wait a moment."
            }
            Self::Busy => "Too busy right now. Try again in a moment.",
            Self::Unavailable => "That could not be stored. Try again in a moment.",
            Self::Stopping => "The server is restarting. Come back in a moment.",
            Self::Paused => "An operator has paused new games on this server. Try again later.",
            Self::TooLong => "This is too long. Shorten it and try again.",
            Self::TooSlow => "The request did not arrive in time. Send it again.",
            Self::NoSuchGame => "There is no finished game with this id.",
            Self::NoSuchPlayer => "Nobody has an account with this name.",
            Self::NoSuchCollection => {
                "There is no such collection, or its owner does not share it. Check the link."
            }
            Self::NoEngine => "The engine does not play by these rules.",
            Self::GameOver => "The game is over in this position.",
            Self::TooManyAnalyses => {
                "Too many analyses are running from your network. Stop one, or wait for its end."
            }
            Self::TooManyConnections => {
                "Too many connections are open from your network. Close some of them."
            }
            Self::TooManyNewConnections => {
                "Too many connections were opened from your network just now. Come back in a minute."
            }
            Self::ForeignPage => {
                "Pages of other hosts may not play here. The operator of this server can allow them with the setting allow-origin."
            }
            Self::SignedOut => "You are signed out. Sign in again, or go on as a guest.",
            Self::TwoIdentities => {
                "This device is signed in. Sign out first, or send no identity of a guest."
            }
            Self::AccountSetting => {
                "Change the name and the keys of an account in its settings: POST /api/account/name."
            }
            Self::WrongPassword => "The name or the password is wrong.",
            Self::WrongCode => "The name or the recovery code is wrong.",
            Self::NameTaken => {
                "Somebody has this name, or one that looks the same. Choose another one."
            }
            Self::AccountName => {
                "A name has 2 to 20 letters of one alphabet, digits, hyphens and underscores. Choose another one."
            }
            Self::NameReserved => "Nobody can have this name. Choose another one.",
            Self::CommonPassword => "Too many people have this password. Choose another one.",
            Self::NoFriendRequests => "This person takes no requests for friends now.",
            Self::Blocked => "You have blocked this person. Remove them from your list first.",
            Self::TooManyReports => "You reported a lot today. Try again tomorrow.",
            Self::AlreadyReported => {
                "You have reported this person already. Wait until an operator has looked at it."
            }
            Self::ReportsFull => {
                "Your report was not taken: too many reports wait for the operators. Try again tomorrow."
            }
            Self::RatedGame => {
                "This position is on the board of a rated game that is running. Ask again after the game."
            }
            Self::OperatorsOnly => "Only operators of this server can do this.",
            Self::WrongOperatorLink => {
                "This link is not valid, or no longer valid. Restart the server to get another one."
            }
            Self::NoSuchCase => "There is nothing like this to decide any more. Reload the list.",
            Self::WrongPasskey => {
                "This passkey opens no account here. Use another one, or a password."
            }
            Self::NoPasskeys => {
                "Passkeys do not work at this address. The operator of this server can set --public-url."
            }
            Self::WrongOidc => {
                "The other site has not signed you in, or it opens another account. Try again."
            }
            Self::NoOidc => "Nobody signs in by another site here. Use a password or a passkey.",
            Self::OidcUnavailable => "The other site does not answer. Try again later.",
            Self::OidcMisconfigured => {
                "Signing in by the other site does not work: this server is not set up there as it should be. That is not your fault. Please write to the operator of this server."
            }
            Self::WrongDeviceCode => {
                "This code is not valid, or not any more. Get a new one on the other device."
            }
            Self::DeviceDenied => "Your other device has not let this one sign in.",
            Self::ConfirmFirst => {
                "Confirm this by your password or a passkey first: POST /api/account/confirm."
            }
            Self::LastKey => {
                "This is the last key to the account. Set a password or add a passkey first."
            }
            Self::TooManyKeys => "The account has too many of these. Remove one first.",
            Self::TimeOffOpen => "You have time off now, or it is planned. End it first.",
            Self::TooFewDaysOff => {
                let left = values.most.unwrap_or_default();
                return format!("You have {left} days of time off left in that year.");
            }
            Self::TooManyCollections => {
                let most = values.most.unwrap_or_default();
                return format!(
                    "You can have {most} collections. Delete one first. Deleted collections may still count for up to an hour."
                );
            }
            Self::CollectionFull => {
                let most = values.most.unwrap_or_default();
                return format!(
                    "Your collections can hold {most} games in all. Delete some. Games of deleted collections still count for up to an hour."
                );
            }
            Self::TooManyBots => "You have as many bots as you may have. Delete one first.",
            Self::WrongToken => "This token is not valid, or not any more. Make a new one.",
            Self::Broken => "The server failed at this request. Please report it.",
        };
        text.to_owned()
    }
}

/// A sanction with its end, as a date in UTC, and its reason.
fn sanctioned(what: &str, values: &RefusalValues) -> String {
    let end = values.until.map(|until| format!(" until {} UTC", day(until))).unwrap_or_default();
    let why = values.why.as_deref().map(|why| format!(" The operator says: {why}"));
    format!("{what}{end}.{}", why.unwrap_or_default())
}

/// A time as a number of minutes, rounded up.
fn minutes(wait_ms: Option<u64>) -> String {
    match wait_ms.unwrap_or_default().div_ceil(MINUTE_MS) {
        0 | 1 => "a minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sanctions_are_told_with_their_end_and_reason() {
        let values =
            RefusalValues { until: Some(0), why: Some("Spam".to_owned()), ..Default::default() };
        let refusal = Refusal::with(Reason::Muted, values);
        assert_eq!(refusal.text, "You may not chat until 1970-01-01 UTC. The operator says: Spam");
        assert_eq!(Refusal::new(Reason::AccountClosed).text, "This account is closed.");
    }
}
