//! Tracks who created which open rooms, by identity and by network, and limits how fast.

use std::{collections::HashMap, net::IpAddr};

use fivefold_shared::{
    protocol::{CommandId, MemberId, RoomCode},
    room::Room,
};
use tokio::time::Instant;

use crate::{
    limits::{IDLE_ADDRESSES_MAX, Limits},
    net::{
        network::{Network, networks},
        shrink::shrink,
        token_bucket::SharedBucket,
    },
};

/// One day.
const DAY_SECONDS: f64 = 86_400.0;

/// The creators of all open rooms.
#[derive(Debug, Default)]
pub(super) struct Makers {
    /// The rooms of each member, oldest first, with the command that created each.
    members: HashMap<MemberId, Vec<(CommandId, RoomCode)>>,
    networks: HashMap<Network, FromNetwork>,
    /// The rooms of networks on other nodes.
    elsewhere: HashMap<Network, usize>,
    total: usize,
}

/// Creator of a room, and their address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Maker {
    /// `None` for rooms of players who were paired: nobody is their host, and no list of them is needed.
    pub(super) member: Option<MemberId>,
    /// `None` for rooms found open after a restart and for the server's own: they count for no
    /// address.
    pub(super) address: Option<IpAddr>,
}

impl Maker {
    /// The creator of a room that was read from its log. The storage does not keep their address, so the room
    /// counts for no address.
    pub(super) fn known_from_log(room: &Room, member: MemberId) -> Self {
        Self { member: (!room.state().paired).then_some(member), address: None }
    }
}

/// Rooms created from one network.
#[derive(Debug)]
struct FromNetwork {
    /// Oldest first.
    rooms: Vec<RoomCode>,
    rate: SharedBucket,
    /// The daily games of guests.
    daily: SharedBucket,
}

/// One of the allowances of a network.
type Allowance = fn(&mut FromNetwork) -> &mut SharedBucket;

const ROOMS: Allowance = |from| &mut from.rate;
const DAILY_GAMES: Allowance = |from| &mut from.daily;

impl Makers {
    /// Number of open rooms.
    pub(super) const fn total(&self) -> usize {
        self.total
    }

    /// The room that this command created.
    pub(super) fn made_by(&self, member: &MemberId, command: &CommandId) -> Option<&RoomCode> {
        let own = self.members.get(member)?;
        own.iter().find(|(by, _)| by == command).map(|(_, code)| code)
    }

    /// The rooms of a member, oldest first.
    pub(super) fn rooms_of(&self, member: &MemberId) -> Vec<RoomCode> {
        let own = self.members.get(member).map_or(&[][..], Vec::as_slice);
        own.iter().map(|(_, code)| code.clone()).collect()
    }

    /// The rooms of each network of this address that has reached its limit, oldest first.
    pub(super) fn full_networks(
        &self,
        address: IpAddr,
        rooms_per_address_max: usize,
    ) -> impl Iterator<Item = &[RoomCode]> {
        networks(address).filter_map(move |network| {
            let rooms = self.networks.get(&network).map_or(&[][..], |from| from.rooms.as_slice());
            let elsewhere = self.elsewhere.get(&network).copied().unwrap_or(0);
            (rooms.len() + elsewhere >= network.limit(rooms_per_address_max)).then_some(rooms)
        })
    }

    /// The rooms from the widest network of this address, oldest first.
    pub(super) fn rooms_around(&self, address: IpAddr) -> &[RoomCode] {
        let widest = networks(address).last().and_then(|network| self.networks.get(&network));
        widest.map_or(&[][..], |from| from.rooms.as_slice())
    }

    /// Takes a request for a room from the allowance of the address. Returns `false`, and takes
    /// nothing, if too little is left.
    pub(super) fn may_ask(&mut self, address: IpAddr, now: Instant, limits: &Limits) -> bool {
        self.take(ROOMS, address, now, limits)
    }

    /// Whether a guest may begin a daily game from this address.
    pub(super) fn has_daily(&mut self, address: IpAddr, now: Instant, limits: &Limits) -> bool {
        self.has_one(DAILY_GAMES, address, now, limits)
    }

    /// As [`may_ask`](Self::may_ask), for a daily game of a guest.
    pub(super) fn take_daily(&mut self, address: IpAddr, now: Instant, limits: &Limits) -> bool {
        self.take(DAILY_GAMES, address, now, limits)
    }

    /// Gives back a daily game that was taken from the allowance of the address and has not begun.
    pub(super) fn give_back_daily(&mut self, address: IpAddr, now: Instant) {
        for network in networks(address) {
            if let Some(from) = self.networks.get_mut(&network) {
                from.daily.give_back(now);
            }
        }
    }

    fn has_one(&mut self, of: Allowance, address: IpAddr, now: Instant, limits: &Limits) -> bool {
        self.forget_idle(now, limits);
        networks(address)
            .all(|network| of(self.network_entry(network, now, limits)).bucket.has_one(now))
    }

    fn take(&mut self, of: Allowance, address: IpAddr, now: Instant, limits: &Limits) -> bool {
        let has_one = self.has_one(of, address, now, limits);
        if has_one {
            for network in networks(address) {
                if let Some(from) = self.networks.get_mut(&network) {
                    of(from).take(now);
                }
            }
        }
        has_one
    }

    fn network_entry(
        &mut self,
        network: Network,
        now: Instant,
        limits: &Limits,
    ) -> &mut FromNetwork {
        self.networks.entry(network).or_insert_with(|| FromNetwork::new(network, now, limits))
    }

    /// The networks with more than a quarter of the rooms that they may have.
    pub(super) fn above_quarter(&self, rooms_per_address_max: usize) -> Vec<(Network, usize)> {
        let counts = self.networks.iter().map(|(network, from)| (*network, from.rooms.len()));
        counts.filter(|(network, count)| 4 * count > network.limit(rooms_per_address_max)).collect()
    }

    /// How many rooms were asked for since the last report, by networks that have asked for more than
    /// a quarter of what they may.
    pub(super) fn report(&mut self, now: Instant) -> Vec<(Network, u32)> {
        self.taken(ROOMS, now)
    }

    /// The same for daily games that guests have begun.
    pub(super) fn report_daily(&mut self, now: Instant) -> Vec<(Network, u32)> {
        self.taken(DAILY_GAMES, now)
    }

    fn taken(&mut self, of: Allowance, now: Instant) -> Vec<(Network, u32)> {
        let taken =
            self.networks.iter_mut().map(|(network, from)| (*network, of(from).report(now)));
        taken.filter(|(_, taken)| *taken > 0).collect()
    }

    /// Takes in how many rooms networks have asked other nodes for, and their guests for daily games.
    pub(super) fn take_elsewhere(
        &mut self,
        asked: &[(Network, u32)],
        daily: &[(Network, u32)],
        now: Instant,
        limits: &Limits,
    ) {
        self.forget_idle(now, limits);
        for (counts, of) in [(asked, ROOMS), (daily, DAILY_GAMES)] {
            for (network, count) in counts {
                of(self.network_entry(*network, now, limits)).bucket.drain(now, *count);
            }
        }
    }

    /// Counts in the rooms of networks on other nodes.
    pub(super) fn set_elsewhere(&mut self, counts: HashMap<Network, usize>) {
        self.elsewhere = counts;
    }

    /// Counts a room that was opened.
    pub(super) fn add(&mut self, maker: &Maker, command: CommandId, code: &RoomCode) {
        self.total += 1;
        if let Some(member) = &maker.member {
            self.members.entry(member.clone()).or_default().push((command, code.clone()));
        }
        for network in maker.address.into_iter().flat_map(networks) {
            if let Some(from) = self.networks.get_mut(&network) {
                from.rooms.push(code.clone());
            }
        }
    }

    /// Stops counting a room for its creator: it is closed, or about to be.
    pub(super) fn release(&mut self, maker: &Maker, code: &RoomCode) {
        if let Some(member) = &maker.member
            && let Some(own) = self.members.get_mut(member)
        {
            own.retain(|(_, open)| open != code);
            if own.is_empty() {
                self.members.remove(member);
                shrink(&mut self.members);
            }
        }
        for network in maker.address.into_iter().flat_map(networks) {
            if let Some(from) = self.networks.get_mut(&network) {
                from.rooms.retain(|open| open != code);
            }
        }
    }

    /// Removes a closed room from all counts.
    pub(super) fn remove(&mut self, maker: &Maker, code: &RoomCode) {
        self.release(maker, code);
        self.total -= 1;
    }

    /// Drops networks without rooms that have their full allowance: a new entry would say the same.
    pub(super) fn forget_unused(&mut self, now: Instant) {
        self.networks.retain(|_, from| {
            let is_full = from.rate.bucket.is_full(now) && from.daily.bucket.is_full(now);
            !(from.rooms.is_empty() && is_full)
        });
        shrink(&mut self.networks);
    }

    /// When there are too many networks, drops those without rooms: first only those with a full
    /// allowance.
    fn forget_idle(&mut self, now: Instant, limits: &Limits) {
        let most = IDLE_ADDRESSES_MAX.saturating_add(limits.rooms_max.saturating_mul(3));
        if self.networks.len() >= most {
            self.forget_unused(now);
        }
        if self.networks.len() >= most {
            self.networks.retain(|_, from| !from.rooms.is_empty());
        }
    }
}

impl FromNetwork {
    fn new(network: Network, now: Instant, limits: &Limits) -> Self {
        let per_minute = limits.rooms_per_minute.saturating_mul(network.share());
        let rate = SharedBucket::new(now, f64::from(per_minute) / 60.0, per_minute);
        let daily = limits.daily_games_of_guests.saturating_mul(network.share());
        let daily = SharedBucket::new(now, f64::from(daily) / DAY_SECONDS, daily);
        Self { rooms: Vec::new(), rate, daily }
    }
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, time::Duration};

    use super::*;
    use crate::process::ids;

    const LIMITS: Limits = Limits { rooms_per_minute: 2, rooms_max: 5, ..Limits::DEFAULT };

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn maker(address: IpAddr) -> Maker {
        Maker { member: Some(ids::new_member_id()), address: Some(address) }
    }

    /// Creates rooms from an address, each by another member.
    fn make(makers: &mut Makers, from: IpAddr, count: usize) -> Vec<(Maker, RoomCode)> {
        let mut make = || {
            makers.may_ask(from, Instant::now(), &Limits::DEFAULT);
            let (maker, code) = (maker(from), ids::room_code());
            makers.add(&maker, ids::command_id(), &code);
            (maker, code)
        };
        (0..count).map(|_| make()).collect()
    }

    fn is_full(makers: &Makers, from: &str) -> bool {
        makers.full_networks(address(from), 2).next().is_some()
    }

    #[test]
    fn rooms_count_for_each_network_of_their_maker() {
        let mut makers = Makers::default();
        let first = make(&mut makers, address("2001:db8:0:1::1"), 2);
        assert!(is_full(&makers, "2001:db8:0:1::2") && !is_full(&makers, "2001:db8:0:2::1"));
        // Eight from a /56 network.
        for net in 2..5 {
            assert!(!is_full(&makers, "2001:db8:0:9::1"));
            make(&mut makers, address(&format!("2001:db8:0:{net}::1")), 2);
        }
        assert!(is_full(&makers, "2001:db8:0:9::1") && !is_full(&makers, "2001:db8:0:f00::1"));
        for site in 1..13 {
            assert!(!is_full(&makers, "2001:db8:0:f00::1"));
            make(&mut makers, address(&format!("2001:db8:0:{site}00::1")), 2);
        }
        assert!(is_full(&makers, "2001:db8:0:f00::1"), "32 from a network of 48 bits");
        assert!(!is_full(&makers, "192.0.2.1"));
        assert_eq!(makers.total(), 32);

        // A room about to close counts for nobody, but still exists.
        let (maker, code) = &first[0];
        makers.release(maker, code);
        assert!(!is_full(&makers, "2001:db8:0:f00::1") && !is_full(&makers, "2001:db8:0:1::1"));
        assert_eq!((makers.total(), makers.rooms_of(maker.member.as_ref().unwrap())), (32, vec![]));
        makers.remove(maker, code);
        assert_eq!(makers.total(), 31);
    }

    #[test]
    fn rooms_of_paired_players_count_for_the_network_and_are_in_no_list() {
        let mut makers = Makers::default();
        let from = address("192.0.2.1");
        let maker = Maker { member: None, address: Some(from) };
        makers.may_ask(from, Instant::now(), &LIMITS);
        let rooms = [ids::room_code(), ids::room_code()];
        rooms.iter().for_each(|code| makers.add(&maker, ids::command_id(), code));
        assert!(is_full(&makers, "192.0.2.1"));
        assert!(makers.members.is_empty());
        rooms.iter().for_each(|code| makers.remove(&maker, code));
        assert!(!is_full(&makers, "192.0.2.1"));
        assert_eq!(makers.total(), 0);
    }

    #[test]
    fn the_rate_of_new_rooms_from_a_network_is_limited() {
        let mut makers = Makers::default();
        let start = Instant::now();
        let mut count = |from: &str, at: Duration| {
            let mut may_ask = || makers.may_ask(address(from), start + at, &LIMITS);
            (0..100).filter(|_| may_ask()).count()
        };
        let (now, later) = (Duration::ZERO, Duration::from_secs(31));
        assert_eq!(count("192.0.2.1", now), 2);
        assert_eq!(count("192.0.2.2", now), 2);
        assert_eq!(count("192.0.2.1", later), 1);
        let mut networks = (0..).map(|net| format!("2001:db8:0:{net:x}::1"));
        let from_site: usize = networks.by_ref().take(9).map(|from| count(&from, now)).sum();
        assert_eq!(from_site, 8, "four times as many from 56 bits");
        assert_eq!(count("2001:db8:0:100::1", now), 2);
    }

    #[test]
    fn rooms_on_other_nodes_count_for_their_network() {
        let mut makers = Makers::default();
        let from = address("192.0.2.1");
        let network = networks(from).next().unwrap();
        assert!(!is_full(&makers, "192.0.2.1"));
        makers.set_elsewhere(HashMap::from([(network, 1)]));
        assert!(!is_full(&makers, "192.0.2.1"));
        make(&mut makers, from, 1);
        assert!(is_full(&makers, "192.0.2.1"), "one here, and one on another node");
        assert_eq!(makers.above_quarter(4), []);
        assert_eq!(makers.above_quarter(3), [(network, 1)]);
        makers.set_elsewhere(HashMap::new());
        assert!(!is_full(&makers, "192.0.2.1"));
    }

    #[test]
    fn requests_on_other_nodes_count_for_the_rate() {
        let (mut makers, now) = (Makers::default(), Instant::now());
        let from = address("192.0.2.1");
        assert!(makers.may_ask(from, now, &LIMITS));
        let asked = makers.report(now);
        assert_eq!(asked.len(), 1, "one of two is above a quarter");
        let mut other = Makers::default();
        other.take_elsewhere(&asked, &[], now, &LIMITS);
        assert!(other.may_ask(from, now, &LIMITS));
        assert!(!other.may_ask(from, now, &LIMITS));
        assert_eq!(makers.report(now), [], "it is reported once");
    }

    #[test]
    fn networks_with_their_full_allowance_are_forgotten() {
        let (mut makers, now) = (Makers::default(), Instant::now());
        let [asked, empty, open] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(address);
        for from in [asked, empty, open] {
            assert!(makers.may_ask(from, now, &LIMITS));
        }
        let (maker, code) = make(&mut makers, open, 1).remove(0);
        let later = now + Duration::from_secs(29);
        makers.may_ask(asked, later, &LIMITS);
        let mut known = |at: Duration| {
            makers.forget_unused(now + at);
            [asked, empty, open]
                .map(|from| networks(from).any(|network| makers.networks.contains_key(&network)))
        };
        assert_eq!(known(Duration::from_secs(29)), [true, true, true]);
        assert_eq!(known(Duration::from_secs(31)), [true, false, true]);
        assert_eq!(known(Duration::from_secs(120)), [false, false, true], "it has a room");
        makers.remove(&maker, &code);
        makers.forget_unused(now + Duration::from_secs(120));
        assert!(makers.networks.is_empty());
    }

    #[test]
    fn networks_without_rooms_are_forgotten_in_time() {
        let mut makers = Makers::default();
        let kept = Ipv4Addr::new(192, 0, 2, 1).into();
        make(&mut makers, kept, 1);
        let now = Instant::now();
        for n in 0..u32::try_from(2 * IDLE_ADDRESSES_MAX).expect("a small number") {
            makers.may_ask(Ipv4Addr::from(n).into(), now, &LIMITS);
            assert!(makers.networks.len() <= IDLE_ADDRESSES_MAX + 3 * LIMITS.rooms_max);
        }
        assert_eq!(makers.full_networks(kept, 1).count(), 1);
    }
}
