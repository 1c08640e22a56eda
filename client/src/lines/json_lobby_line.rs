//! The JSON lines of the lobby; those about challenges and the account are also written in rooms.

use fivefold_shared::protocol::{
    AccountNews, ChatText, OpenSeek, Pool, Refusal, RoomCode, SeekEnd, SeekId,
};
use serde::Serialize;

/// A line of the lobby.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum LobbyLine<'a> {
    Pool(&'a Pool),
    OpenSeek(&'a OpenSeek),
    OpenSeekOver {
        seek: &'a SeekId,
    },
    Seeking {
        seek: &'a SeekId,
        waited_ms: u64,
    },
    Paired {
        room: &'a RoomCode,
        link: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        rated: Option<bool>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        earlier: bool,
    },
    SeekOver {
        seek: &'a SeekId,
        why: SeekEnd,
    },
    Challenged {
        #[serde(flatten)]
        challenge: &'a OpenSeek,
        for_ms: u64,
    },
    AccountChanged {
        change: AccountNews,
        label: &'a str,
    },
    Announcement {
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<&'a ChatText>,
        #[serde(skip_serializing_if = "Option::is_none")]
        until: Option<u64>,
    },
    SeekingOn {
        text: &'a str,
    },
    Refused(&'a Refusal),
    Unreadable {
        text: String,
    },
    Lost {
        text: &'a str,
        retry_ms: u128,
    },
    Back,
    Closed {
        text: &'a str,
    },
    Commands {
        lines: Vec<&'static str>,
    },
    Left,
}
