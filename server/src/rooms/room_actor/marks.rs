//! The marks of a room's rated games, until they are stored: whether both players came from one network,
//! and who left before the game began. They hold neither an address nor the name of a program.
//!
//! It knows no rooms, and not what an operator makes of it.

use std::net::IpAddr;

use fivefold_shared::{
    protocol::{GameId, MemberId},
    seat::{BySeat, Seat},
};
use fivefold_storage::{GameMark, MarkKind};

use crate::{
    moderation::dealings::{Place, SharedAddresses},
    net::network::neighbourhood,
};

/// The digest of a browser or program that does not say what it is.
const UNKNOWN_AGENT: u64 = 0;

/// The marks of a room.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// From where the players acted last.
    origins: BySeat<Option<Origin>>,
    /// The marks of games whose ends are not stored yet, with the numbers of these events.
    unstored: Vec<(u64, GameMark)>,
    /// The marks that wait for the log writer.
    stored: Vec<GameMark>,
}

/// From where somebody plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Origin {
    /// Absent where people share the address.
    place: Option<Place>,
    network: IpAddr,
    /// A digest of what the browser or program says that it is.
    agent: u64,
}

/// A rated game that ends.
pub(super) struct EndedGame {
    pub(super) game: GameId,
    pub(super) players: BySeat<MemberId>,
    /// When it ends, in milliseconds since the Unix epoch.
    pub(super) at: u64,
    /// The number of the event that ends it.
    pub(super) seq: u64,
}

/// How a rated game ends, as far as it matters here.
pub(super) enum Ending {
    /// It counts.
    Counts,
    /// A player left before it began.
    Aborted(Seat),
    /// Anything else.
    Other,
}

impl Marks {
    /// The player in this seat acts from there.
    pub(super) fn note_origin(
        &mut self,
        seat: Seat,
        address: IpAddr,
        agent: u64,
        shared: &SharedAddresses,
    ) {
        let place = Place::of(address, None, shared);
        self.origins[seat] = Some(Origin { place, network: neighbourhood(address), agent });
    }

    /// Whether both players acted last from one address that people do not share.
    pub(super) fn are_at_one_address(&self) -> bool {
        let place = |seat: Seat| self.origins[seat].and_then(|origin| origin.place);
        place(Seat::First).is_some() && place(Seat::First) == place(Seat::Second)
    }

    /// Notes a game that ends.
    pub(super) fn note_end(&mut self, ended: &EndedGame, end: &Ending) {
        let origins = self.origins;
        let mut add = |seat: Seat, kind| {
            let EndedGame { game, players, at, seq } = ended;
            let (member, opponent) = (players[seat].clone(), players[seat.other()].clone());
            let mark = GameMark { member, game: game.clone(), kind, opponent, at: *at };
            self.unstored.push((*seq, mark));
        };
        match end {
            Ending::Aborted(by) => add(*by, MarkKind::Aborted),
            Ending::Counts => {
                let (Some(one), Some(other)) = (origins.first, origins.second) else { return };
                if one.network != other.network {
                    return;
                }
                let is_same = one.agent == other.agent && one.agent != UNKNOWN_AGENT;
                for seat in Seat::BOTH {
                    add(seat, MarkKind::Network);
                    if is_same {
                        add(seat, MarkKind::Device);
                    }
                }
            }
            Ending::Other => {}
        }
    }

    /// The marks that the log writer can take.
    pub(super) fn take_stored(&mut self) -> Vec<GameMark> {
        std::mem::take(&mut self.stored)
    }

    /// Whether there are any for the log writer.
    pub(super) const fn has_stored(&self) -> bool {
        !self.stored.is_empty()
    }

    /// The event with this number is stored, and all before it.
    pub(super) fn note_stored(&mut self, seq: u64) {
        self.stored
            .extend(self.unstored.extract_if(.., |(end, _)| *end <= seq).map(|(_, mark)| mark));
    }

    /// These ends will not be stored.
    pub(super) fn forget_unstored(&mut self) {
        self.unstored.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(digit: char) -> MemberId {
        MemberId::try_from(digit.to_string().repeat(16)).unwrap()
    }

    /// The marks of a game whose players act from these addresses with these programs.
    fn kinds(first: (&str, u64), second: (&str, u64), end: &Ending) -> Vec<(MemberId, MarkKind)> {
        let mut marks = Marks::default();
        let shared = SharedAddresses::default();
        marks.note_origin(Seat::First, first.0.parse().unwrap(), first.1, &shared);
        marks.note_origin(Seat::Second, second.0.parse().unwrap(), second.1, &shared);
        let players = BySeat { first: member('1'), second: member('2') };
        let game = GameId::try_from("k7m2qpxw9abck7m2".to_owned()).unwrap();
        marks.note_end(&EndedGame { game, players, at: 5, seq: 9 }, end);
        marks.note_stored(8);
        assert!(!marks.has_stored(), "the end is not stored");
        marks.note_stored(9);
        marks.take_stored().into_iter().map(|mark| (mark.member, mark.kind)).collect()
    }

    #[test]
    fn players_from_one_network_are_marked() {
        use MarkKind::{Aborted, Device, Network};
        let both = |kind| vec![(member('1'), kind), (member('2'), kind)];
        let here = ("192.0.2.1", 7);
        assert_eq!(kinds(here, ("192.0.2.200", 8), &Ending::Counts), both(Network));
        assert_eq!(kinds(here, ("192.0.3.1", 7), &Ending::Counts), []);
        let [one, other] = [member('1'), member('2')];
        let same =
            [(one.clone(), Network), (one, Device), (other.clone(), Network), (other, Device)];
        assert_eq!(kinds(here, ("::ffff:192.0.2.9", 7), &Ending::Counts), same);
        assert_eq!(kinds(("192.0.2.1", 0), ("192.0.2.1", 0), &Ending::Counts), both(Network));
        let six = |last: &'static str| (last, 7);
        assert_eq!(
            kinds(six("2001:db8:0:1::1"), ("2001:db8:0:1:ffff::", 8), &Ending::Counts),
            both(Network)
        );
        assert_eq!(kinds(six("2001:db8:0:1::1"), six("2001:db8:0:2::1"), &Ending::Counts), []);
        assert_eq!(kinds(here, here, &Ending::Other), []);
        assert_eq!(kinds(here, here, &Ending::Aborted(Seat::Second)), [(member('2'), Aborted)]);
    }
}
