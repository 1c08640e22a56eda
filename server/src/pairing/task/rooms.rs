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
use tokio::sync::oneshot;

use super::messages::ToLeader;
use crate::{
    limits::PAIR_MADE_WITHIN,
    metrics::Metrics,
    pairing::{NewPair, PairNumber, Seeker},
    process::{clock::Clock, ids::command_id},
    rooms::{
        lobby::{DailyStart, Lobby, NotPaired, PairedRoom},
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
        if pair.settings.time.is_daily() {
            return self.make_daily(pair, address);
        }
        let (number, ids, waited_ms) = (pair.number, members(&pair), pair.waited_ms);
        let (room, stored) = match self.lobby.pair(self.room(pair, address)) {
            Ok(made) => made,
            Err(not_paired) => {
                self.metrics.pairing.not_made.inc();
                return self.not_made(number, ids, not_paired);
            }
        };
        note_waits(&self.metrics, waited_ms);
        self.unstored.insert(room.clone());
        let (metrics, lobby) = (Arc::clone(&self.metrics), Arc::clone(&self.lobby));
        Box::pin(async move { until_stored(&lobby, &metrics, number, ids, room, stored).await })
    }

    /// The same for a daily game, if both players may begin one now. Its room is not added to `unstored`: a daily game
    /// does not keep its players from other games, so nobody is sent to it.
    fn make_daily(&self, pair: NewPair, address: IpAddr) -> Making {
        let (number, ids, waited_ms) = (pair.number, members(&pair), pair.waited_ms);
        let from = |seat: Seat| (pair.players[seat].member.clone(), pair.players[seat].address);
        let players = BySeat { first: from(Seat::First), second: from(Seat::Second) };
        let room = self.room(pair, address);
        let (metrics, lobby) = (Arc::clone(&self.metrics), Arc::clone(&self.lobby));
        Box::pin(async move {
            let not_made = |message| {
                metrics.pairing.not_made.inc();
                Made { room: None, message }
            };
            let taken = match lobby.begin_daily(players).await {
                Ok(DailyStart::May(taken)) => taken,
                Ok(DailyStart::MayNot(refusals)) => {
                    return not_made(ToLeader::NotAllowed { pair: number, refusals });
                }
                Err(refusal) => return not_made(refused(number, refusal)),
            };
            let made = match lobby.pair(room) {
                Ok((room, stored)) => {
                    note_waits(&metrics, waited_ms);
                    until_stored(&lobby, &metrics, number, ids, room, stored).await
                }
                Err(NotPaired::Refused(refusal)) => not_made(refused(number, refusal)),
                Err(NotPaired::Playing(_)) => {
                    not_made(refused(number, Refusal::new(Reason::Unavailable)))
                }
            };
            if !matches!(made.message, ToLeader::Made { .. }) {
                // The two are paired again in a moment.
                lobby.give_back_daily(&taken);
            }
            made
        })
    }

    fn room(&self, pair: NewPair, address: IpAddr) -> PairedRoom {
        let ids = members(&pair);
        let NewPair { settings, players, casual, part, .. } = pair;
        let known = |seat: Seat| {
            let Seeker { member, name, identity, .. } = players[seat].clone();
            let (hash, seen_at) = (identity?, self.clock.now());
            Some(KnownMember { id: member, hash, name, seen_at })
        };
        let members = Seat::BOTH.into_iter().filter_map(known).collect();
        PairedRoom {
            game: PairedGame { settings, players: ids },
            terms: Terms { rated: settings.rated, casual, part },
            players: BySeat { first: player(players.first), second: player(players.second) },
            members,
            address,
            command: command_id(),
        }
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

/// Waits until a room is stored, or cannot be.
async fn until_stored(
    lobby: &Lobby,
    metrics: &Metrics,
    number: PairNumber,
    ids: BySeat<MemberId>,
    room: RoomCode,
    stored: oneshot::Receiver<Result<(), Playing>>,
) -> Made {
    let message = match stored.await {
        Ok(Ok(())) => {
            metrics.pairing.paired.inc();
            ToLeader::Made { pair: number, room: room.clone(), players: ids }
        }
        Ok(Err(playing)) => {
            metrics.pairing.not_made.inc();
            not_free(lobby, number, &ids, &playing).await
        }
        Err(_) => {
            metrics.pairing.not_made.inc();
            refused(number, Refusal::new(Reason::Unavailable))
        }
    };
    Made { room: Some(room), message }
}

fn note_waits(metrics: &Metrics, waited_ms: BySeat<u64>) {
    for seat in Seat::BOTH {
        let waited = Duration::from_millis(waited_ms[seat]);
        metrics.pairing.wait.observe(waited.as_secs_f64());
    }
}

fn members(NewPair { players, .. }: &NewPair) -> BySeat<MemberId> {
    BySeat { first: players.first.member.clone(), second: players.second.member.clone() }
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
