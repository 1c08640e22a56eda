//! Makes the rooms of pairs whose first player is at this node.

use std::{
    collections::{BTreeSet, VecDeque},
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use fivefold_shared::{
    clock::millis,
    protocol::{MemberId, Player, Reason, Refusal, RoomCode},
    room::Terms,
    seat::{BySeat, Seat},
};
use fivefold_storage::{KnownMember, Playing};

use super::messages::ToLeader;
use crate::{
    limits::PAIR_MADE_WITHIN,
    metrics::Metrics,
    pairing::{NewPair, PairNumber, Seeker},
    process::clock::Clock,
    rooms::{
        lobby::{Lobby, NotPaired, PairedRoom},
        paired_games::PairedGame,
    },
};

/// Makes rooms for pairs.
#[derive(Debug)]
pub(super) struct RoomMaker {
    lobby: Arc<Lobby>,
    metrics: Arc<Metrics>,
    clock: Clock,
    /// The rooms that are not stored yet.
    unstored: BTreeSet<RoomCode>,
    /// The rooms that were stored last, with the times. The leader's news of them may be lost.
    recent: VecDeque<(u64, RoomCode, BySeat<MemberId>)>,
}

/// Waits until a room is stored, or cannot be.
pub(super) type Making = Pin<Box<dyn Future<Output = Made> + Send>>;

/// What became of a pair.
#[derive(Debug)]
pub(super) struct Made {
    /// The room that was to be stored.
    pub(super) room: Option<RoomCode>,
    /// For the leader.
    pub(super) message: ToLeader,
}

impl RoomMaker {
    pub(super) const fn new(lobby: Arc<Lobby>, metrics: Arc<Metrics>, clock: Clock) -> Self {
        Self { lobby, metrics, clock, unstored: BTreeSet::new(), recent: VecDeque::new() }
    }

    /// Whether this room is not stored yet, so that nobody may be sent there.
    pub(super) fn is_unstored(&self, room: &RoomCode) -> bool {
        self.unstored.contains(room)
    }

    /// The room is stored, or it will not be.
    pub(super) fn note_end(&mut self, made: &Made) {
        let Some(room) = &made.room else { return };
        self.unstored.remove(room);
        if let ToLeader::Made { players, .. } = &made.message {
            self.recent.push_back((self.clock.now(), room.clone(), players.clone()));
        }
        self.forget_old();
    }

    fn forget_old(&mut self) {
        let since = self.clock.now().saturating_sub(millis(PAIR_MADE_WITHIN));
        while self.recent.front().is_some_and(|(at, ..)| *at < since) {
            self.recent.pop_front();
        }
    }

    /// Those who play in the rooms that were stored last.
    pub(super) fn recent_players(&mut self) -> Vec<Playing> {
        self.forget_old();
        let games = self.lobby.paired_games();
        let members = self
            .recent
            .iter()
            .flat_map(|(_, room, players)| Seat::BOTH.map(|seat| (room, &players[seat])));
        let playing = members
            .filter_map(|(room, member)| games.of(member).filter(|playing| playing.room == *room));
        playing.collect()
    }

    /// Makes the room of a pair, which counts for this address.
    pub(super) fn make(&mut self, pair: NewPair, address: IpAddr) -> Making {
        let NewPair { number, settings, players, waited_ms, casual, part } = pair;
        let ids =
            BySeat { first: players.first.member.clone(), second: players.second.member.clone() };
        let known = |seat: Seat| {
            let Seeker { member, name, identity, .. } = players[seat].clone();
            let (hash, seen_at) = (identity?, self.clock.now());
            Some(KnownMember { id: member, hash, name, seen_at })
        };
        let members = Seat::BOTH.into_iter().filter_map(known).collect();
        let room = PairedRoom {
            game: PairedGame { settings, players: ids.clone() },
            terms: Terms { rated: settings.rated, casual, part },
            players: BySeat { first: player(players.first), second: player(players.second) },
            members,
            address,
        };
        let (metrics, lobby) = (Arc::clone(&self.metrics), Arc::clone(&self.lobby));
        let (room, stored) = match self.lobby.pair(room) {
            Ok(made) => made,
            Err(not_paired) => {
                metrics.pairing.not_made.inc();
                return self.not_made(number, ids, not_paired);
            }
        };
        for seat in Seat::BOTH {
            let waited = Duration::from_millis(waited_ms[seat]);
            metrics.pairing.wait.observe(waited.as_secs_f64());
        }
        self.unstored.insert(room.clone());
        Box::pin(async move {
            let message = match stored.await {
                Ok(Ok(())) => {
                    metrics.pairing.paired.inc();
                    ToLeader::Made { pair: number, room: room.clone(), players: ids }
                }
                Ok(Err(playing)) => {
                    metrics.pairing.not_made.inc();
                    not_free(&lobby, number, &ids, &playing).await
                }
                Err(_) => {
                    metrics.pairing.not_made.inc();
                    refused(number, Refusal::new(Reason::Unavailable))
                }
            };
            Made { room: Some(room), message }
        })
    }

    fn not_made(&self, pair: PairNumber, ids: BySeat<MemberId>, not_paired: NotPaired) -> Making {
        let playing = match not_paired {
            // An earlier attempt of a leader that has given it up.
            NotPaired::Playing(playing) if self.is_unstored(&playing.room) => {
                return ready(refused(pair, Refusal::new(Reason::Busy)));
            }
            NotPaired::Playing(playing) => playing,
            NotPaired::Refused(refusal) => return ready(refused(pair, refusal)),
        };
        let lobby = Arc::clone(&self.lobby);
        Box::pin(async move {
            Made { room: None, message: not_free(&lobby, pair, &ids, &playing).await }
        })
    }
}

/// The players who are in other games. One is known, and the other may be in one, too.
async fn not_free(
    lobby: &Lobby,
    pair: PairNumber,
    ids: &BySeat<MemberId>,
    known: &Playing,
) -> ToLeader {
    let mut playing = BySeat { first: None, second: None };
    for seat in Seat::BOTH {
        let found = match lobby.playing(&ids[seat]).await {
            Ok(found) => found,
            // They learn so by the next attempt.
            Err(_) => (known.member == ids[seat]).then(|| known.clone()),
        };
        playing[seat] = found.map(|Playing { room, seat, .. }| (room, seat));
    }
    ToLeader::NotFree { pair, playing }
}

const fn refused(pair: PairNumber, refusal: Refusal) -> ToLeader {
    ToLeader::NotMade { pair, refusal }
}

fn ready(message: ToLeader) -> Making {
    Box::pin(std::future::ready(Made { room: None, message }))
}

fn player(Seeker { member, name, engine, .. }: Seeker) -> Player {
    Player::Member { member, name, engine }
}
