//! A member of a room whose servers are killed again and again: returns each time, resends unanswered
//! commands, and remembers every answer.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use fivefold_shared::{
    protocol::{CommandId, MemberId, Message, Request, RoomCode, RoomRequest},
    rules::Point,
};
use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use tokio::{
    sync::watch,
    time::{sleep, sleep_until},
};

use crate::{
    Away, Guest,
    guest::{RETURN_AGAIN, is_busy, is_unavailable},
    random_games::random_move,
};

/// The longest that a player waits before a move.
const WAIT_MAX: Duration = Duration::from_millis(200);
/// The longest time for which the slow spectator leaves a message unread.
const SLOWNESS_MAX: Duration = Duration::from_millis(50);

/// How long a command to a cluster may have no answer, until the member tries another connection.
pub(super) const ANSWERED_WITHIN: Duration = Duration::from_secs(5);

/// The age of a repeated old command, in commands: the server remembers 64 answers.
const AGAIN_FROM: usize = 20;

/// A member's role in the room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conduct {
    Plays,
    Watches,
    WatchesSlowly,
}

/// A move that was acknowledged.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) command: CommandId,
    pub(super) ply: usize,
    pub(super) point: Point,
    /// The number of the last event that it caused, from the server's answer.
    pub(super) seq: u64,
    pub(super) answered_at: Instant,
    /// When the connection began on which the answer came, and to which server.
    pub(super) connected_at: Instant,
    pub(super) server: SocketAddr,
}

/// A member of one room, with the answers they received.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) room: RoomCode,
    pub(super) me: MemberId,
    pub(super) conduct: Conduct,
    /// Whether there are several servers. A room that moves may then be busy, forget an old answer
    /// that it cannot look up at the moment, or leave a command to the next connection. One server
    /// may not.
    is_in_cluster: bool,
    /// The longest that they wait before a move.
    wait_max: Duration,
    pub(super) made: Vec<Made>,
    /// Commands that the server refused because it could not store them.
    pub(super) refused: Vec<CommandId>,
    /// Answers that are wrong, each with what it answers.
    pub(super) wrong_answers: Vec<(String, Message)>,
    pub(super) repeated: usize,
    pub(super) lost_connections: usize,
    /// The unanswered command.
    pending: Option<(CommandId, RoomRequest)>,
    /// When it was sent last.
    sent_at: Instant,
    connected_at: Instant,
}

impl Member {
    pub(super) fn new(
        guest: &Guest,
        room: &RoomCode,
        conduct: Conduct,
        is_in_cluster: bool,
    ) -> Self {
        Self {
            room: room.clone(),
            me: guest.me.clone(),
            conduct,
            is_in_cluster,
            wait_max: WAIT_MAX,
            made: Vec::new(),
            refused: Vec::new(),
            wrong_answers: Vec::new(),
            repeated: 0,
            lost_connections: 0,
            pending: None,
            sent_at: Instant::now(),
            connected_at: Instant::now(),
        }
    }

    /// The same member with another longest wait before a move.
    pub(super) fn who_waits(self, wait_max: Duration) -> Self {
        Self { wait_max, ..self }
    }

    /// Plays or watches until it is time to stop and no command is unanswered, across restarts of
    /// the servers: each time on another one of them.
    pub(super) async fn attend(
        mut self,
        mut guest: Guest,
        servers: watch::Receiver<Vec<SocketAddr>>,
        mut stopped: watch::Receiver<bool>,
        mut random: StdRng,
    ) -> (Self, Away) {
        let mut is_back = false;
        while self.visit(&mut guest, is_back, &mut stopped, &mut random).await.is_none() {
            self.lost_connections += 1;
            is_back = true;
            let mut away = guest.lost();
            guest = loop {
                let server = servers.borrow().choose(&mut random).copied();
                match away.try_back(server.expect("there are servers")).await {
                    Ok(guest) => break guest,
                    Err(still_away) => away = still_away,
                }
                sleep(RETURN_AGAIN).await;
            };
            self.connected_at = Instant::now();
        }
        (self, guest.lost())
    }

    /// Connects once more to receive the remaining events.
    pub(super) async fn catch_up(&self, away: Away, servers: &[SocketAddr]) -> Guest {
        away.back_in(&self.room, servers).await
    }

    /// Stays in the room on one connection until it is lost, which is no failure, or the member is
    /// done.
    async fn visit(
        &mut self,
        guest: &mut Guest,
        is_back: bool,
        stopped: &mut watch::Receiver<bool>,
        random: &mut StdRng,
    ) -> Option<()> {
        if is_back {
            // If a full disk has discarded the event of the answer, start again on another socket,
            // as this one has joined the room already and would get the next events twice.
            guest.try_join(&self.room).await.then_some(())?;
        }
        if let Some((id, request)) = self.pending.clone() {
            self.repeated += 1;
            self.sent_at = Instant::now();
            self.send(guest, id, request).await;
        }
        loop {
            if self.pending.is_none() {
                if *stopped.borrow() {
                    return Some(());
                }
                if self.conduct == Conduct::Plays {
                    self.act(guest, random).await;
                }
            }
            let gives_up = self.is_in_cluster && self.pending.is_some();
            tokio::select! {
                message = guest.try_next() => self.hear(guest, message.ok()?).await,
                // The loop checks it.
                _ = stopped.changed() => {}
                () = sleep_until((self.sent_at + ANSWERED_WITHIN).into()), if gives_up => {
                    return None;
                }
            }
            if self.conduct == Conduct::WatchesSlowly {
                sleep(SLOWNESS_MAX.mul_f64(random.random())).await;
            }
        }
    }

    /// Moves when it is the member's turn, and asks for another game after one, with a delay and
    /// sometimes twice. Now and then repeats an old command, too.
    async fn act(&mut self, guest: &mut Guest, random: &mut StdRng) {
        let seen = &guest.seen(&self.room).room;
        let Some(game) = &seen.game else { return };
        let Some(seat) = seen.seats.of_member(&self.me) else { return };
        let request = match game.to_act() {
            None if game.rematch_ask == Some(seat) => return,
            None => RoomRequest::Rematch,
            Some(to_act) if to_act == seat => {
                let point = random_move(&game.position, random);
                RoomRequest::Play { ply: game.position.ply(), point }
            }
            Some(_) => return,
        };
        sleep(self.wait_max.mul_f64(random.random())).await;
        if random.random_bool(0.1)
            && let Some(made) = self.made.iter().nth_back(AGAIN_FROM).cloned()
        {
            self.repeated += 1;
            let old = RoomRequest::Play { ply: made.ply, point: made.point };
            self.send(guest, made.command, old).await;
        }
        let id = guest.new_id();
        if random.random_bool(0.2) {
            self.repeated += 1;
            self.send(guest, id.clone(), request.clone()).await;
        }
        self.send(guest, id.clone(), request.clone()).await;
        self.pending = Some((id, request));
        self.sent_at = Instant::now();
    }

    async fn send(&self, guest: &mut Guest, id: CommandId, request: RoomRequest) {
        guest.send_as(id, Request::Room { room: self.room.clone(), request }).await;
    }

    async fn hear(&mut self, guest: &mut Guest, message: Message) {
        let Some(id) = message.answers() else { return };
        if self.is_in_cluster && is_busy(&message) {
            // Nobody has looked at the command: it may come again.
            if let Some((command, request)) = self.pending.clone()
                && command == *id
            {
                sleep(RETURN_AGAIN).await;
                self.sent_at = Instant::now();
                self.send(guest, command, request).await;
            }
            return;
        }
        let seq = if let Message::Done { seq, .. } = &message { *seq } else { None };
        if let Some((command, request)) = self.pending.take_if(|(pending, _)| pending == id) {
            if is_unavailable(&message) {
                return self.refused.push(command);
            }
            let Some(seq) = seq else {
                return self.wrong_answers.push((format!("{command} {request:?}"), message));
            };
            if let RoomRequest::Play { ply, point } = request {
                let (answered_at, connected_at) = (Instant::now(), self.connected_at);
                let server = guest.address();
                let made = Made { command, ply, point, seq, answered_at, connected_at, server };
                self.made.push(made);
            }
        } else if let Some(made) = self.made.iter().rev().find(|made| made.command == *id)
            && seq != Some(made.seq)
            && !(self.is_in_cluster && is_unavailable(&message))
        {
            self.wrong_answers.push((format!("again {made:?}"), message));
        }
    }
}
