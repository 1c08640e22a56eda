//! The history of two players decides how their next game counts: whether their accounts were used at one
//! place, and how often they have played today.
//!
//! The history is in the storage, so it is the same on all nodes. A member's node reads it before each seek,
//! and a room before a rematch. This file does not know what follows from it: see
//! [`Terms`](fivefold_shared::room::Terms).

mod places;

use std::sync::Arc;

use fivefold_shared::{
    clock::millis,
    protocol::MemberId,
    room::{Dealings, ShortestGame},
    seat::{BySeat, Seat},
};
use fivefold_storage::{Meeting, Reader, StorageError, Trace, limits::DAY};
use serde::{Deserialize, Serialize};

pub(crate) use self::places::Place;
pub use self::places::SharedAddresses;
use crate::{limits::ratings::OPPONENTS_OF_DAY_MAX, process::read_pool::ReadPool};

/// The part of one member's history that matters for their next game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OwnDealings {
    /// Digests of the addresses and devices at which the account was used.
    pub places: Vec<u64>,
    /// The opponents of the day, the last one first.
    pub met: Vec<Met>,
}

/// An opponent of the day, in games that have changed ratings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Met {
    /// Who.
    pub member: MemberId,
    /// How many games.
    pub games: u32,
    /// When the last one ended, in milliseconds since the Unix epoch.
    pub last_at: u64,
    /// Whether the last one was too short for a rated rematch.
    pub is_short: bool,
}

impl OwnDealings {
    /// By what is stored. A game is short if it is shorter than `shortest`.
    pub fn of(traces: &[Trace], meetings: Vec<Meeting>, now: u64, shortest: ShortestGame) -> Self {
        let fresh = traces.iter().filter(|trace| trace.is_fresh(now));
        let mut met: Vec<Met> = Vec::new();
        for Meeting { opponent, at, plies, took_ms } in meetings {
            if let Some(known) = met.iter_mut().find(|known| known.member == opponent) {
                known.games += 1;
            } else if met.len() < OPPONENTS_OF_DAY_MAX {
                let is_short = shortest.is_shorter(plies, took_ms);
                met.push(Met { member: opponent, games: 1, last_at: at, is_short });
            }
        }
        Self { places: fresh.map(|trace| trace.mark).collect(), met }
    }

    /// The dealings of two members.
    pub fn between(
        (one, own): (&MemberId, &Self),
        (other, others): (&MemberId, &Self),
    ) -> Dealings {
        let own_met = own.met.iter().find(|met| met.member == *other);
        let last = own_met.or_else(|| others.met.iter().find(|met| met.member == *one));
        let has_met_others = |since: u64| {
            let strangers = own.met.iter().chain(&others.met);
            let mut strangers = strangers.filter(|met| ![one, other].contains(&&met.member));
            strangers.any(|met| met.last_at > since)
        };
        Dealings {
            one_place: own.places.iter().any(|place| others.places.contains(place)),
            short_game: last.is_some_and(|met| met.is_short && !has_met_others(met.last_at)),
            games_today: last.map_or(0, |met| met.games),
        }
    }
}

/// Reads what a member has done.
pub(crate) fn read(
    reader: &mut Reader,
    member: &MemberId,
    now: u64,
    shortest: ShortestGame,
) -> Result<OwnDealings, StorageError> {
    let day = now - now % millis(DAY);
    let (traces, meetings) = (reader.traces(member)?, reader.meetings(member, day)?);
    Ok(OwnDealings::of(&traces, meetings, now, shortest))
}

/// Reads what two members have had to do with each other.
pub(crate) async fn of_two(
    read_pool: Arc<ReadPool>,
    BySeat { first, second }: BySeat<MemberId>,
    now: u64,
    shortest: ShortestGame,
) -> Result<Dealings, StorageError> {
    let found = read_pool.read(move |reader| {
        let own = BySeat {
            first: read(reader, &first, now, shortest)?,
            second: read(reader, &second, now, shortest)?,
        };
        let of = |seat: Seat| match seat {
            Seat::First => (&first, &own.first),
            Seat::Second => (&second, &own.second),
        };
        Ok(OwnDealings::between(of(Seat::First), of(Seat::Second)))
    });
    found.await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use fivefold_storage::TraceKind;

    const NOW: u64 = 1_000_000_000_000;
    const SHORTEST: ShortestGame = ShortestGame { stones: 12, time: Duration::from_secs(60) };

    fn member(number: u64) -> MemberId {
        MemberId::try_from(format!("{number:016x}")).unwrap()
    }

    fn own(places: &[u64], meetings: &[(u64, u64, usize)]) -> OwnDealings {
        let trace = |mark: &u64| Trace { kind: TraceKind::Address, mark: *mark, at: NOW - 1 };
        let meeting = |&(who, at, plies): &(u64, u64, usize)| Meeting {
            opponent: member(who),
            at,
            plies,
            took_ms: millis(SHORTEST.time),
        };
        let traces: Vec<_> = places.iter().map(trace).collect();
        OwnDealings::of(&traces, meetings.iter().map(meeting).collect(), NOW, SHORTEST)
    }

    #[test]
    fn two_who_were_at_one_place_are_known_and_those_who_were_there_long_ago_are_not() {
        let hour = 60 * 60 * 1_000;
        let trace = |kind, age| Trace { kind, mark: 7, at: NOW - age };
        let cases = [
            (TraceKind::Address, hour - 1, true),
            (TraceKind::Address, hour, false),
            (TraceKind::Device, hour, true),
            (TraceKind::Device, 90 * 24 * hour - 1, true),
            (TraceKind::Device, 90 * 24 * hour, false),
        ];
        for (kind, age, expected) in cases {
            let one = OwnDealings::of(&[trace(kind, age)], Vec::new(), NOW, SHORTEST);
            let between =
                OwnDealings::between((&member(1), &one), (&member(2), &own(&[5, 7], &[])));
            assert_eq!(between.one_place, expected, "{kind:?} {age}");
        }
        let apart =
            OwnDealings::between((&member(1), &own(&[6], &[])), (&member(2), &own(&[5], &[])));
        assert_eq!(apart, Dealings::default());
    }

    #[test]
    fn a_short_game_counts_until_one_of_both_has_met_somebody_else() {
        let between = |one: &OwnDealings, other: &OwnDealings| {
            let dealings = OwnDealings::between((&member(1), one), (&member(2), other));
            assert_eq!(dealings, OwnDealings::between((&member(2), other), (&member(1), one)));
            (dealings.short_game, dealings.games_today)
        };
        let nobody = own(&[], &[]);
        assert_eq!(between(&nobody, &nobody), (false, 0));
        // At the limit, and one below. The newest comes first.
        let after = |plies| [own(&[], &[(2, 50, plies)]), own(&[], &[(1, 50, plies)])];
        let [one, other] = after(12);
        assert_eq!(between(&one, &other), (false, 1));
        let [one, other] = after(11);
        assert_eq!(between(&one, &other), (true, 1));
        let since = own(&[], &[(3, 60, 11), (1, 50, 11)]);
        assert_eq!(between(&one, &since), (false, 1));
        let before = own(&[], &[(1, 50, 11), (3, 40, 11), (1, 30, 99)]);
        assert_eq!(between(&own(&[], &[(2, 50, 11), (2, 30, 99)]), &before), (true, 2));
    }
}
