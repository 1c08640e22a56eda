//! The ids of one person: their account's, and those of the guests that belong to it.
//!
//! A game that a guest has begun keeps the guest's id in its log. To the account, that id is its own: it
//! replaces it in all messages that the account's sessions receive: in their fields, not in their text, so that
//! no chat line changes that looks like an id. This file knows no sessions and no rooms.

use std::iter;

use fivefold_shared::{
    protocol::{CatchUp, Event, MemberId, Message, Player, RoomSummary, Seats},
    seat::{BySeat, Seat},
};
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// The ids of a person who has an account with guests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OwnIds {
    account: MemberId,
    guests: Vec<MemberId>,
}

impl OwnIds {
    /// Nothing for an account without guests.
    pub(crate) fn new(account: MemberId, guests: Vec<MemberId>) -> Option<Self> {
        (!guests.is_empty()).then_some(Self { account, guests })
    }

    /// All of them, the account's first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &MemberId> {
        iter::once(&self.account).chain(&self.guests)
    }

    /// Replaces the guests' ids in an encoded message.
    pub(crate) fn translate_text(&self, text: Utf8Bytes) -> Utf8Bytes {
        // Few messages name a guest. The text may also be something else, such as a line of chat.
        if !self.guests.iter().any(|guest| text.contains(guest.as_str())) {
            return text;
        }
        match Message::from_json(&text) {
            Ok(mut message) => {
                self.translate(&mut message);
                message.to_json().into()
            }
            Err(error) => {
                tracing::error!(%error, "a message of this server cannot be read");
                text
            }
        }
    }

    /// Puts the account's id in the place of those of its guests.
    pub(crate) fn translate(&self, message: &mut Message) {
        for_each_id(message, &mut |id| {
            if self.guests.contains(id) {
                *id = self.account.clone();
            }
        });
    }
}

/// Calls a function with all ids of members in a message.
fn for_each_id(message: &mut Message, change: &mut impl FnMut(&mut MemberId)) {
    match message {
        Message::Welcome { you, .. } => change(you),
        Message::Rooms { rooms, .. } => {
            rooms.iter_mut().for_each(|room| in_summary(room, change));
        }
        Message::OwnRooms { rooms, .. } => {
            rooms.iter_mut().for_each(|room| in_summary(&mut room.summary, change));
        }
        Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. }
        | Message::Snapshot { snapshot, .. } => {
            change(&mut snapshot.host);
            in_seats(&mut snapshot.seats, change);
            if let Some(game) = &mut snapshot.game {
                in_players(&mut game.players, change);
            }
        }
        Message::Joined { catch_up: CatchUp::Events(events), .. } => {
            events.iter_mut().for_each(|event| in_event(&mut event.event, change));
        }
        Message::Event { event, .. } => in_event(&mut event.event, change),
        Message::Chat { players, spectators, .. } => {
            let lines = players.iter_mut().chain(spectators.iter_mut().flatten());
            lines.for_each(|line| change(&mut line.member));
        }
        Message::PlayerSaid { line, .. } | Message::SpectatorSaid { line, .. } => {
            change(&mut line.member);
        }
        Message::Challenged { challenge, .. } => change(&mut challenge.member),
        Message::Lobby { seeks, .. } | Message::LobbyChanged { added: seeks, .. } => {
            seeks.iter_mut().for_each(|seek| change(&mut seek.member));
        }
        Message::Done { .. }
        | Message::Refused { .. }
        | Message::Weights { .. }
        | Message::Pong { .. }
        | Message::Spectators { .. }
        | Message::Presence { .. }
        | Message::Ratings { .. }
        | Message::Analysis { .. }
        | Message::AnalysisOver { .. }
        | Message::Closed { .. }
        | Message::Seeking { .. }
        | Message::Paired { .. }
        | Message::SeekOver { .. }
        | Message::AccountChanged { .. }
        | Message::Sanction { .. }
        | Message::Announcement { .. } => {}
    }
}

fn in_event(event: &mut Event, change: &mut impl FnMut(&mut MemberId)) {
    match event {
        Event::Created { host, .. } => change(host),
        Event::Sat { player, .. } => in_player(player, change),
        Event::Stood { .. }
        | Event::Renamed { .. }
        | Event::Started { .. }
        | Event::Asked { .. }
        | Event::Played { .. }
        | Event::Stayed { .. }
        | Event::Swapped { .. }
        | Event::Declared { .. }
        | Event::Offered { .. }
        | Event::OpeningOver { .. }
        | Event::DrawOffered { .. }
        | Event::DrawDeclined { .. }
        | Event::TakebackAsked { .. }
        | Event::TakebackRefused { .. }
        | Event::TakenBack { .. }
        | Event::Resumed { .. }
        | Event::FirstActDue { .. }
        | Event::TimeOff { .. }
        | Event::Nudged { .. }
        | Event::Ended { .. }
        | Event::RematchAsked { .. }
        | Event::RematchDeclined { .. }
        | Event::ChatSet { .. } => {}
    }
}

fn in_summary(room: &mut RoomSummary, change: &mut impl FnMut(&mut MemberId)) {
    in_seats(&mut room.seats, change);
    if let Some(players) = &mut room.players {
        in_players(players, change);
    }
}

fn in_players(players: &mut BySeat<Player>, change: &mut impl FnMut(&mut MemberId)) {
    for seat in Seat::BOTH {
        in_player(&mut players[seat], change);
    }
}

fn in_seats(seats: &mut Seats, change: &mut impl FnMut(&mut MemberId)) {
    for seat in Seat::BOTH {
        if let Some(player) = &mut seats[seat] {
            in_player(player, change);
        }
    }
}

fn in_player(player: &mut Player, change: &mut impl FnMut(&mut MemberId)) {
    match player {
        Player::Member { member, .. } => change(member),
        Player::Bot { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: &str) -> MemberId {
        digit.repeat(16).try_into().unwrap()
    }

    #[test]
    fn the_ids_of_guests_are_the_accounts_own_to_it() {
        assert_eq!(OwnIds::new(id("a"), vec![]), None);
        let own = OwnIds::new(id("a"), vec![id("1"), id("2")]).unwrap();
        assert_eq!(own.all().collect::<Vec<_>>(), [&id("a"), &id("1"), &id("2")]);
        let [guest, other, account] = ["1", "2", "a"].map(|digit| digit.repeat(16));
        let line = |member: &str, name: &str| {
            format!(r#"{{"number":1,"at":5,"member":"{member}","name":"{name}","text":"{guest}"}}"#)
        };
        let players = |first: &str, second: &str| {
            format!(
                r#"{{"first":{{"member":"{first}","name":"{guest}"}},"second":{{"member":"{second}","name":"Bob"}}}}"#
            )
        };
        let summary = |first: &str, second: &str| {
            format!(
                r#""rules":{{"variant":"freestyle","size":[15,15]}},"seats":{},"black":"first""#,
                players(first, second)
            )
        };
        let messages = |one: &str, another: &str| {
            let room = r#""room":"k7m2qpxw9abc""#;
            let sat = format!(
                r#"{{"seq":2,"at":5,"event":{{"type":"sat","seat":"first","player":{{"member":"{one}","name":"Ann"}}}}}}"#
            );
            let list = format!(
                r#"{{{room},{},"assistance":false,"phase":"waiting","ply":0,"spectators":0,"players":{}}}"#,
                summary(one, another),
                players(one, another)
            );
            let snapshot = format!(
                r#"{{"seq":2,"visibility":"private","assistance":false,"host":"{another}",{},"game":{{"number":1,"id":"k7m2qpxw9abcdefg","black":"first","moves":[],"players":{}}}}}"#,
                summary(one, another),
                players(one, another)
            );
            let seek = format!(
                r#"{{"seek":"k7m2qpxw9abc","member":"{one}","name":"{guest}","rules":{{"variant":"freestyle","size":[15,15]}}}}"#
            );
            [
                format!(r#"{{"type":"player_said",{room},"line":{}}}"#, line(one, &guest)),
                format!(
                    r#"{{"type":"chat","id":"c","room":"k7m2qpxw9abc","players":[{}],"spectators":[{}]}}"#,
                    line(one, "Ann"),
                    line(another, "Bob")
                ),
                format!(r#"{{"type":"event",{room},{}"#, &sat[1..]),
                format!(
                    r#"{{"type":"joined","id":"c",{room},"now":5,"spectators":{{"count":0,"names":[]}},"events":[{sat}]}}"#
                ),
                format!(
                    r#"{{"type":"joined","id":"{guest}",{room},"now":5,"spectators":{{"count":1,"names":["{guest}"]}},"snapshot":{snapshot}}}"#
                ),
                format!(r#"{{"type":"snapshot",{room},"snapshot":{snapshot}}}"#),
                format!(r#"{{"type":"rooms","id":"c","rooms":[{list}],"total":1}}"#),
                format!(r#"{{"type":"lobby","id":"c","pools":[],"seeks":[{seek}]}}"#),
                format!(r#"{{"type":"challenged",{},"for_ms":5}}"#, &seek[1..seek.len() - 1]),
            ]
        };
        let read =
            |text: &str| Message::from_json(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        for (given, expected) in [
            (["3", "b"].map(|digit| digit.repeat(16)), ["3", "b"].map(|digit| digit.repeat(16))),
            ([guest.clone(), "3".repeat(16)], [account.clone(), "3".repeat(16)]),
            ([guest.clone(), other], [account.clone(), account]),
        ] {
            let given = messages(&given[0], &given[1]);
            let expected = messages(&expected[0], &expected[1]);
            for (given, expected) in given.into_iter().zip(expected) {
                let translated = own.translate_text(given.into());
                assert_eq!(read(&translated), read(&expected));
            }
        }
    }
}
