//! Nodes that begin and end games of the same paired players at once, in one PostgreSQL database.

use std::{collections::HashMap, ops::Range, sync::Mutex, thread};

use fivefold_shared::protocol::Name;
use fivefold_storage::{
    Append, Conflict, IdentityHash, KnownMember, NodeId, Postgres, Storage, check_postgres,
};

use crate::{
    doubt::wait_until,
    postgres::{Durability, Server},
    rooms::{append, code, end, member, pair, rematch},
};

/// A few numbers in an order that does not change.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A node that begins and ends games of the same few members as others do.
struct Pairer<'a> {
    storage: Postgres,
    node: NodeId,
    numbers: Numbers,
    /// The room of each member in a game, from its acknowledgement until before its end.
    playing: &'a Mutex<HashMap<u64, u64>>,
    begun: u64,
    refused: u64,
}

impl Pairer<'_> {
    const MEMBERS: u64 = 6;

    /// Begins a game, or learns who plays elsewhere.
    fn begin(&mut self, room: u64, players: [u64; 2], append: Append) -> bool {
        let known = |number| KnownMember {
            id: member(number),
            hash: IdentityHash([u8::try_from(number).unwrap(); 32]),
            name: Name::new("Ann").unwrap(),
            seen_at: 1,
        };
        let members = players.map(known).to_vec();
        match &self.storage.append(&[Append { node: self.node, members, ..append }]).unwrap()[..] {
            [Ok(_)] => {
                for player in players {
                    let other = self.playing.lock().unwrap().insert(player, room);
                    assert_eq!(other, None, "member {player} plays in room {room}, too");
                }
                self.begun += 1;
                true
            }
            [Err(Conflict::Playing(playing))] => {
                assert!(
                    players.map(member).contains(&playing.member) && playing.room != code(room)
                );
                self.refused += 1;
                false
            }
            other => panic!("room {room}: {other:?}"),
        }
    }

    /// Ends games in one commit.
    fn end(&mut self, games: &[(u64, [u64; 2])], append: impl Fn(u64, [u64; 2]) -> Append) {
        for player in games.iter().flat_map(|(_, players)| players) {
            self.playing.lock().unwrap().remove(player);
        }
        let end = |&(room, players): &(u64, [u64; 2])| append(room, players);
        let ends: Vec<_> = games.iter().map(end).collect();
        assert_eq!(self.storage.append(&ends).unwrap(), vec![Ok(vec![]); ends.len()]);
    }

    fn run(&mut self, rooms: Range<u64>) {
        let mut games = Vec::new();
        for room in rooms {
            let first = self.numbers.below(Self::MEMBERS);
            let second = (first + 1 + self.numbers.below(Self::MEMBERS - 1)) % Self::MEMBERS;
            let players = [first, second];
            if self.begin(room, players, pair(room, players)) {
                games.push((room, players));
            }
            if self.numbers.below(2) == 0 {
                self.end(&games, end);
                for (room, players) in games.drain(..) {
                    if self.begin(room, players, rematch(room, players)) {
                        let close =
                            |room, _| Append { closes: true, ..append(room, Vec::new(), 0) };
                        self.end(&[(room, players)], close);
                    }
                }
            }
        }
        self.end(&games, end);
    }
}

#[test]
fn nobody_is_in_two_games_when_three_nodes_begin_and_end_them_at_once() {
    const ROOMS: u64 = 120;
    let Some(server) = Server::start(Durability::None) else { return };
    drop(server.open());
    let nodes = [server.join(false), server.join(true), server.join(true)];
    let playing = Mutex::default();
    let counts: Vec<_> = thread::scope(|scope| {
        let pairers: Vec<_> = (1..)
            .zip(nodes)
            .map(|(number, node)| {
                let (storage, numbers, playing) = (server.open(), Numbers(number), &playing);
                let pairer = Pairer { storage, node, numbers, playing, begun: 0, refused: 0 };
                scope.spawn(move || {
                    let mut pairer = pairer;
                    pairer.run(number * ROOMS..(number + 1) * ROOMS);
                    (pairer.begun, pairer.refused)
                })
            })
            .collect();
        pairers.into_iter().map(|pairer| pairer.join().unwrap()).collect()
    });
    assert!(counts.iter().all(|(begun, refused)| *begun > 9 && *refused > 9), "{counts:?}");
    let sessions = "SELECT count(*) FROM pg_stat_activity
        WHERE application_name = 'fivefold-server'";
    wait_until("the sessions have ended", || server.value(sessions) == "0");
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'fivefold'";
    assert_eq!(server.value(deadlocks), "0");
    assert_eq!(server.value("SELECT count(*) FROM fivefold.playing"), "0");
    let findings = check_postgres(&server.url()).unwrap();
    assert!(findings.is_sound(), "{findings}");
}
