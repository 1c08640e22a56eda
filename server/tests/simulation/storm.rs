//! The storm: everything that breaks, and is mended after a while.

use std::time::Duration;

use fivefold_server::transport::bus::local::{Faults, LocalNetwork};
use rand::{RngExt, rngs::StdRng};
use turmoil::Sim;

use crate::{
    day::{SharedDay, member_name, print_at},
    disk::Disk,
    server::{Life, server_name},
};

/// The mean time between two mishaps.
const BETWEEN_MISHAPS: Duration = Duration::from_millis(400);
/// The longest that one lasts.
const MISHAP_MAX: Duration = Duration::from_secs(4);

/// The part of messages that a bad bus loses, doubles, lets overtake others, and refuses.
const BAD_BUS: f64 = 0.05;

/// Everything that breaks.
pub(crate) struct Storm {
    random: StdRng,
    disk: Disk,
    bus: LocalNetwork,
    /// The servers' processes.
    lives: Vec<Life>,
    members: usize,
    /// When the next mishap happens.
    next: Duration,
    /// When which is over.
    mended: Vec<(Duration, Mishap)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mishap {
    /// A server's process dies.
    Crash(usize),
    /// Nothing passes between a server and a member.
    Cut { server: usize, member: usize },
    /// Data passes in one direction only.
    CutOneWay { server: usize, member: usize, to_server: bool },
    /// All data between a server and a member arrives much later, and at once.
    Hold { server: usize, member: usize },
    /// Nothing can be stored.
    FullDisk,
    /// A server's process stands still: nothing comes from it, and what waits for it comes later.
    Freeze(usize),
    /// A server is stopped in order, and started again.
    Stop(usize),
    /// A server does not reach the disk and the registry.
    NoDisk(usize),
    /// The heartbeats of a server are lost, and nothing else.
    NoHeartbeats(usize),
    /// Nothing passes from one node to another. A server that is cut off from itself misses its own
    /// broadcasts.
    NodesCut { from: usize, to: usize },
    /// The bus is down for all.
    NoBus,
    /// The bus loses, doubles and delays messages.
    BadBus,
}

impl Storm {
    pub(crate) fn new(
        random: StdRng,
        disk: Disk,
        bus: LocalNetwork,
        lives: Vec<Life>,
        members: usize,
    ) -> Self {
        Self { random, disk, bus, lives, members, next: Duration::ZERO, mended: Vec::new() }
    }

    pub(crate) fn rage(&mut self, sim: &mut Sim<'_>, day: &SharedDay) {
        let now = sim.elapsed();
        let due: Vec<_> = self.mended.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, mishap) in due {
            print_at(now, &format!("{mishap:?} is over"));
            self.mend(sim, mishap);
        }
        if self.next > now {
            return;
        }
        self.next =
            now + BETWEEN_MISHAPS.mul_f64(-self.random.random_range(f64::EPSILON..1.0).ln());
        let mishap = self.draw();
        if self.mended.iter().any(|(_, other)| clash(*other, mishap)) {
            return;
        }
        let lasts = match mishap {
            Mishap::Crash(_) => MISHAP_MAX / 10,
            _ => MISHAP_MAX,
        };
        let until = now + lasts.mul_f64(self.random.random());
        self.mended.push((until, mishap));
        print_at(now, &format!("{mishap:?}"));
        self.begin(sim, mishap, until);
        day.count(|day| match mishap {
            Mishap::Crash(_) => day.crashes += 1,
            Mishap::Cut { .. } | Mishap::CutOneWay { .. } | Mishap::Hold { .. } => day.cuts += 1,
            Mishap::FullDisk => day.full_disks += 1,
            Mishap::Freeze(_) => day.freezes += 1,
            Mishap::Stop(_) => day.stops += 1,
            Mishap::NoDisk(_) | Mishap::NoHeartbeats(_) => day.cut_disks += 1,
            Mishap::NodesCut { .. } | Mishap::NoBus | Mishap::BadBus => day.bad_buses += 1,
        });
    }

    fn draw(&mut self) -> Mishap {
        let servers = self.lives.len();
        let server = self.random.random_range(0..servers);
        let member = self.random.random_range(0..self.members);
        match self.random.random_range(0..if servers == 1 { 7 } else { 16 }) {
            0 | 1 => Mishap::Crash(server),
            2 => Mishap::Cut { server, member },
            3 => Mishap::CutOneWay { server, member, to_server: self.random.random() },
            4 => Mishap::FullDisk,
            5 | 6 => Mishap::Hold { server, member },
            7 | 8 => Mishap::Freeze(server),
            9 => Mishap::Stop(server),
            10 | 11 => Mishap::NoDisk(server),
            12 => Mishap::NoHeartbeats(server),
            13 => Mishap::NodesCut { from: server, to: self.random.random_range(0..servers) },
            14 => Mishap::NoBus,
            _ => Mishap::BadBus,
        }
    }

    pub(crate) fn end(&mut self, sim: &mut Sim<'_>) {
        for (_, mishap) in std::mem::take(&mut self.mended) {
            self.mend(sim, mishap);
        }
    }

    fn begin(&self, sim: &mut Sim<'_>, mishap: Mishap, until: Duration) {
        match mishap {
            Mishap::Crash(server) => sim.crash(server_name(server)),
            Mishap::Cut { server, member } => {
                sim.partition(server_name(server), member_name(member));
            }
            Mishap::CutOneWay { server, member, to_server: true } => {
                sim.partition_oneway(member_name(member), server_name(server));
            }
            Mishap::CutOneWay { server, member, to_server: false } => {
                sim.partition_oneway(server_name(server), member_name(member));
            }
            Mishap::Hold { server, member } => {
                sim.hold(server_name(server), member_name(member));
            }
            Mishap::FullDisk => self.disk.fill(true),
            Mishap::Freeze(server) => {
                for member in 0..self.members {
                    sim.hold(server_name(server), member_name(member));
                }
                self.lives[server].freeze(until);
                self.cut_off(server, true);
            }
            Mishap::Stop(server) => self.lives[server].stop(),
            Mishap::NoDisk(server) => self.disk.cut(server, true),
            Mishap::NoHeartbeats(server) => self.disk.lose_heartbeats(server, true),
            Mishap::NodesCut { from, to } => self.cut(from, to, true),
            Mishap::NoBus => self.bus.set_all_up(false),
            Mishap::BadBus => self.bus.set_faults(Faults {
                delay: Duration::from_millis(1)..=Duration::from_millis(60),
                lost: BAD_BUS,
                doubled: BAD_BUS,
                strayed: BAD_BUS,
                refused: BAD_BUS,
            }),
        }
    }

    fn mend(&self, sim: &mut Sim<'_>, mishap: Mishap) {
        match mishap {
            Mishap::Crash(server) => sim.bounce(server_name(server)),
            Mishap::Cut { server, member } => {
                sim.repair(server_name(server), member_name(member));
            }
            Mishap::CutOneWay { server, member, to_server: true } => {
                sim.repair_oneway(member_name(member), server_name(server));
            }
            Mishap::CutOneWay { server, member, to_server: false } => {
                sim.repair_oneway(server_name(server), member_name(member));
            }
            Mishap::Hold { server, member } => {
                sim.release(server_name(server), member_name(member));
            }
            Mishap::FullDisk => self.disk.fill(false),
            Mishap::Freeze(server) => {
                for member in 0..self.members {
                    sim.release(server_name(server), member_name(member));
                }
                self.lives[server].freeze(Duration::ZERO);
                self.cut_off(server, false);
            }
            Mishap::Stop(_) => {}
            Mishap::NoDisk(server) => self.disk.cut(server, false),
            Mishap::NoHeartbeats(server) => self.disk.lose_heartbeats(server, false),
            Mishap::NodesCut { from, to } => self.cut(from, to, false),
            Mishap::NoBus => self.bus.set_all_up(true),
            Mishap::BadBus => self.bus.set_faults(Faults::NONE),
        }
    }

    /// Cuts a server off from the bus, or connects it again.
    fn cut_off(&self, server: usize, is_cut: bool) {
        for other in 0..self.lives.len() {
            self.cut(server, other, is_cut);
            self.cut(other, server, is_cut);
        }
    }

    fn cut(&self, from: usize, to: usize, is_cut: bool) {
        for from in self.lives[from].nodes() {
            for to in self.lives[to].nodes() {
                if is_cut {
                    self.bus.cut(from, to);
                } else {
                    self.bus.heal(from, to);
                }
            }
        }
    }
}

/// Whether two mishaps are of the same thing.
fn clash(one: Mishap, other: Mishap) -> bool {
    match (path(one), path(other)) {
        (Some((server, member)), Some((other_server, other_member))) => {
            server == other_server
                && (member.is_none() || other_member.is_none() || member == other_member)
        }
        (None, None) => bus(one) && bus(other) || one == other,
        (None, Some(_)) | (Some(_), None) => {
            // A frozen server is off the bus.
            matches!((one, other), (Mishap::Freeze(_), other) | (other, Mishap::Freeze(_)) if bus(other))
        }
    }
}

/// The server and the member whose connection it is about; all members where it is a process.
fn path(mishap: Mishap) -> Option<(usize, Option<usize>)> {
    match mishap {
        Mishap::Cut { server, member }
        | Mishap::CutOneWay { server, member, .. }
        | Mishap::Hold { server, member } => Some((server, Some(member))),
        Mishap::Freeze(server) => Some((server, None)),
        Mishap::Crash(_)
        | Mishap::FullDisk
        | Mishap::Stop(_)
        | Mishap::NoDisk(_)
        | Mishap::NoHeartbeats(_)
        | Mishap::NodesCut { .. }
        | Mishap::NoBus
        | Mishap::BadBus => None,
    }
}

fn bus(mishap: Mishap) -> bool {
    matches!(mishap, Mishap::NodesCut { .. } | Mishap::NoBus | Mishap::BadBus)
}
