//! Somebody who seeks opponents and plays them, one game after the other, while their servers are
//! killed again and again: comes back each time, resends what is unanswered, and remembers every
//! answer.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use fivefold_shared::{
    opening::any_act,
    protocol::{
        CommandId, GameId, LobbyRequest, MemberId, Message, PoolName, Reason, Request, RoomCode,
        RoomRequest, Wanted,
    },
    rules::Outcome,
    seat::Seat,
};
use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use tokio::{
    sync::watch,
    time::{sleep, sleep_until},
};

use super::member::ANSWERED_WITHIN;
use crate::{
    Guest,
    guest::{RETURN_AGAIN, is_busy},
    random_games::random_move,
};

/// The pool that guests seek in.
const POOL: &str = "free";
/// The pool that people with accounts seek in, whose games are rated.
const RATED_POOL: &str = "gomoku-3-2";
/// A player on turn resigns after so many moves.
const MOVES_MAX: usize = 8;
/// The longest that a player waits before a move.
const WAIT_MAX: Duration = Duration::from_millis(100);
/// How long nothing may come to somebody who waits, until they try another connection.
const QUIET_MAX: Duration = Duration::from_secs(10);
/// The share of games that a player leaves before they begin, and how many at most: after three,
/// the server would let them wait.
const ABORTS: f64 = 0.05;
const ABORTS_MAX: usize = 2;

/// What a seeker is about.
#[derive(Clone, Debug)]
enum Phase {
    /// They wait for the game of this command.
    Seeks { command: CommandId, since: Instant },
    Plays {
        room: RoomCode,
        seat: Seat,
        /// That of the seek.
        command: CommandId,
        /// The unanswered command, and when it was sent last.
        pending: Option<(CommandId, RoomRequest, Instant)>,
    },
}

/// A game that was found.
#[derive(Clone, Debug)]
pub(super) struct FoundGame {
    /// The command of the seek.
    pub(super) command: CommandId,
    pub(super) room: RoomCode,
    pub(super) seat: Seat,
    /// Since the command was sent, or repeated after a game that the opponent left.
    pub(super) waited: Duration,
}

/// An act that was acknowledged.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) room: RoomCode,
    pub(super) command: CommandId,
    /// The number of the last event that it caused, from the server's answer.
    pub(super) seq: u64,
}

/// Somebody who seeks and plays, with the answers that they received.
#[derive(Debug)]
pub(super) struct Seeker {
    pub(super) me: MemberId,
    /// The pool in which they seek.
    pool: &'static str,
    /// The changes by games that they read: the room, the game's id, and the points.
    pub(super) changes: Vec<(RoomCode, GameId, i32)>,
    /// Whether there are several servers. A room that moves may then be busy; one server may not.
    is_in_cluster: bool,
    phase: Phase,
    /// When a message came last, or the connection began.
    heard_at: Instant,
    /// The games that were found, in order.
    pub(super) found: Vec<FoundGame>,
    pub(super) made: Vec<Made>,
    /// Acts that were refused because they could not be stored.
    pub(super) refused: Vec<(RoomCode, CommandId)>,
    /// Returns to a running game in which their seat was not theirs.
    pub(super) seats_lost: usize,
    pub(super) aborts: usize,
    pub(super) repeated: usize,
    pub(super) lost_connections: usize,
    /// Answers that are wrong, each with what it answers.
    pub(super) wrong_answers: Vec<(String, Message)>,
}

impl Seeker {
    pub(super) fn new(guest: &mut Guest, is_in_cluster: bool, is_rated: bool) -> Self {
        let now = Instant::now();
        Self {
            me: guest.me.clone(),
            pool: if is_rated { RATED_POOL } else { POOL },
            changes: Vec::new(),
            is_in_cluster,
            phase: Phase::Seeks { command: guest.new_id(), since: now },
            heard_at: now,
            found: Vec::new(),
            made: Vec::new(),
            refused: Vec::new(),
            seats_lost: 0,
            aborts: 0,
            repeated: 0,
            lost_connections: 0,
            wrong_answers: Vec::new(),
        }
    }

    /// Whether they wait for a game.
    pub(super) const fn seeks(&self) -> bool {
        matches!(self.phase, Phase::Seeks { .. })
    }

    /// Seeks and plays until it is time to stop, across restarts of the servers: each time on any of
    /// them.
    pub(super) async fn attend(
        mut self,
        mut guest: Guest,
        servers: watch::Receiver<Vec<SocketAddr>>,
        mut stopped: watch::Receiver<bool>,
        mut random: StdRng,
    ) -> Self {
        while self.visit(&mut guest, &mut stopped, &mut random).await.is_none() {
            self.lost_connections += 1;
            let mut away = guest.lost();
            guest = loop {
                let server = servers.borrow().choose(&mut random).copied();
                match away.try_back(server.expect("there are servers")).await {
                    Ok(guest) => break guest,
                    Err(still_away) => away = still_away,
                }
                sleep(RETURN_AGAIN).await;
            };
            self.repeated += usize::from(self.seeks());
        }
        self
    }

    /// Stays on one connection until it is lost, or it is time to stop.
    async fn visit(
        &mut self,
        guest: &mut Guest,
        stopped: &mut watch::Receiver<bool>,
        random: &mut StdRng,
    ) -> Option<()> {
        match self.phase.clone() {
            Phase::Seeks { command, .. } => seek(guest, self.pool, command).await,
            Phase::Plays { room, seat, .. } => {
                self.enter(guest, &room, seat).await?;
                self.send_pending(guest).await;
            }
        }
        self.heard_at = Instant::now();
        loop {
            let sent_at = self.sent_at();
            if sent_at.is_none() {
                if *stopped.borrow() {
                    return Some(());
                }
                self.act(guest, random).await;
            }
            let sent_at = self.sent_at();
            let patience =
                sent_at.map_or(self.heard_at + QUIET_MAX, |sent_at| sent_at + ANSWERED_WITHIN);
            tokio::select! {
                message = guest.try_next() => {
                    let message = message.ok()?;
                    self.heard_at = Instant::now();
                    self.hear(guest, message).await?;
                }
                // The loop checks it.
                _ = stopped.changed() => {}
                () = sleep_until(patience.into()) => return None,
            }
        }
    }

    /// When the unanswered act was sent last, if there is one.
    const fn sent_at(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Plays { pending: Some((_, _, sent_at)), .. } => Some(*sent_at),
            Phase::Plays { pending: None, .. } | Phase::Seeks { .. } => None,
        }
    }

    /// Joins the room of their game, in which they must still have their seat.
    async fn enter(&mut self, guest: &mut Guest, room: &RoomCode, seat: Seat) -> Option<()> {
        guest.try_join(room).await.then_some(())?;
        let state = &guest.seen(room).room;
        let is_lost = state.running().is_some() && state.seats.of_member(&self.me) != Some(seat);
        self.seats_lost += usize::from(is_lost);
        Some(())
    }

    async fn send_pending(&mut self, guest: &mut Guest) {
        if let Phase::Plays { room, pending: Some((id, request, sent_at)), .. } = &mut self.phase {
            *sent_at = Instant::now();
            let request = Request::Room { room: room.clone(), request: request.clone() };
            guest.send_as(id.clone(), request).await;
        }
    }

    /// Acts on their turn, and seeks again after a game: goes on with the seek if the opponent left
    /// before the game began.
    async fn act(&mut self, guest: &mut Guest, random: &mut StdRng) {
        let Phase::Plays { room, seat, command, pending } = &mut self.phase else { return };
        let state = &guest.seen(room).room;
        let Some(game) = &state.game else { return };
        let Some(to_act) = game.to_act() else {
            let goes_on =
                matches!(game.outcome(), Some(Outcome::Aborted { by: Some(by) }) if by != *seat);
            let leave = LobbyRequest::Leave { room: room.clone() };
            let command = if goes_on { command.clone() } else { guest.new_id() };
            guest.send(Request::Lobby(leave)).await;
            seek(guest, self.pool, command.clone()).await;
            self.phase = Phase::Seeks { command, since: Instant::now() };
            return;
        };
        if to_act != *seat {
            return;
        }
        let ply = game.position.ply();
        let may_abort = state.is_abortable() && !game.has_acted(*seat) && self.aborts < ABORTS_MAX;
        let request = if may_abort && random.random_bool(ABORTS) {
            self.aborts += 1;
            RoomRequest::Abort
        } else if ply >= MOVES_MAX {
            RoomRequest::Resign
        } else if let Some(act) =
            any_act(&game.opening, &game.position, &mut |count| random.random_range(0..count))
        {
            RoomRequest::Choose { ply, act }
        } else {
            RoomRequest::Play { ply, point: random_move(&game.position, random) }
        };
        sleep(WAIT_MAX.mul_f64(random.random())).await;
        *pending = Some((guest.new_id(), request, Instant::now()));
        self.send_pending(guest).await;
    }

    /// Takes in a message; `None` if the connection is lost at that.
    async fn hear(&mut self, guest: &mut Guest, message: Message) -> Option<()> {
        if let Message::Ratings { room, ratings } = &message
            && let state = &guest.seen(room).room
            && let Some(seat) = state.seats.of_member(&self.me)
            && let Some(points) = ratings.players[seat].change
            && let Some(game) = &state.game
        {
            self.changes.push((room.clone(), game.id.clone(), points));
        }
        match &self.phase {
            Phase::Seeks { command, since } => {
                let (command, since) = (command.clone(), *since);
                match &message {
                    Message::Paired { room, seat, .. } => {
                        let (room, seat, waited) = (room.clone(), *seat, since.elapsed());
                        self.found.push(FoundGame {
                            command: command.clone(),
                            room: room.clone(),
                            seat,
                            waited,
                        });
                        self.phase =
                            Phase::Plays { room: room.clone(), seat, command, pending: None };
                        return self.enter(guest, &room, seat).await;
                    }
                    Message::Refused { id: Some(id), .. } if *id == command => {
                        if !is_passing(&message, &[Reason::Unavailable, Reason::Busy]) {
                            self.wrong_answers.push((format!("seek {command}"), message));
                        }
                        let command = guest.new_id();
                        self.phase = Phase::Seeks { command: command.clone(), since };
                        sleep(RETURN_AGAIN).await;
                        seek(guest, self.pool, command).await;
                    }
                    _ => {}
                }
            }
            Phase::Plays { .. } => self.hear_answer(guest, message).await,
        }
        Some(())
    }

    /// Takes in the answer to an act, if it is one.
    async fn hear_answer(&mut self, guest: &mut Guest, message: Message) {
        let Phase::Plays { room, pending, .. } = &mut self.phase else { return };
        if self.is_in_cluster
            && is_busy(&message)
            && pending.as_ref().is_some_and(|(id, ..)| message.answers() == Some(id))
        {
            // Nobody has looked at the act: it may come again.
            sleep(RETURN_AGAIN).await;
            return self.send_pending(guest).await;
        }
        let Some((command, request, _)) = pending.take_if(|(id, ..)| message.answers() == Some(id))
        else {
            return;
        };
        let room = room.clone();
        if let Message::Done { seq: Some(seq), .. } = message {
            self.made.push(Made { room, command, seq });
        } else if is_passing(&message, &[Reason::Unavailable]) {
            self.refused.push((room, command));
        } else if !is_passing(&message, &[Reason::NoGame]) {
            // The game may have been aborted.
            self.wrong_answers.push((format!("{request:?} in {room}"), message));
        }
    }
}

/// Whether this is a refusal for one of these reasons.
fn is_passing(message: &Message, reasons: &[Reason]) -> bool {
    matches!(message, Message::Refused { refusal, .. } if reasons.contains(&refusal.reason))
}

async fn seek(guest: &mut Guest, pool: &str, command: CommandId) {
    let wanted = Wanted::Pool(PoolName::try_from(pool).expect("a pool's name"));
    guest.send_as(command, Request::Lobby(LobbyRequest::Seek { wanted, engine: false })).await;
}
