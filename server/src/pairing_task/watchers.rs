//! The sessions that watch the lobby. All of them see the same lobby, and the same changes of it.

use std::collections::HashMap;

use fivefold_shared::{
    protocol::{Message, OpenSeek, Pool},
    room::SessionId,
};

use crate::{
    outbox::{Outbox, Posted, encode},
    paired_games::PairedGames,
    pairing::Pairing,
};

/// The sessions that watch, and the lobby that was sent last.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    sessions: HashMap<SessionId, Outbox>,
    pools: Vec<Pool>,
    seeks: Vec<OpenSeek>,
}

impl Watchers {
    /// Adds a session, and returns the lobby that the next change will follow.
    pub(super) fn add(
        &mut self,
        session: SessionId,
        outbox: Outbox,
        now: u64,
        pairing: &Pairing,
        games: &PairedGames,
    ) -> (Vec<Pool>, Vec<OpenSeek>) {
        if self.sessions.is_empty() {
            (self.pools, self.seeks) = (pools(now, pairing, games), pairing.open_seeks());
        }
        self.sessions.insert(session, outbox);
        (self.pools.clone(), self.seeks.clone())
    }

    /// Removes a session that watches no more.
    pub(super) fn remove(&mut self, session: SessionId) {
        self.sessions.remove(&session);
    }

    /// Sends what has changed since the last time.
    pub(super) fn update(&mut self, now: u64, pairing: &Pairing, games: &PairedGames) {
        self.sessions.retain(|_, outbox| !outbox.is_closed());
        if self.sessions.is_empty() {
            return;
        }
        let (pools, seeks) = (pools(now, pairing, games), pairing.open_seeks());
        if let Some(change) = change((&self.pools, &self.seeks), (&pools, &seeks)) {
            let text = encode(&change);
            self.sessions.retain(|_, outbox| outbox.post(text.clone()) == Posted::Queued);
        }
        (self.pools, self.seeks) = (pools, seeks);
    }
}

fn pools(now: u64, pairing: &Pairing, games: &PairedGames) -> Vec<Pool> {
    let (waiting, games) = (pairing.waiting(), games.count());
    let named = pairing.pools().as_slice().iter().zip(waiting).enumerate();
    let pool = named.map(|(index, (pool, waiting))| Pool {
        name: pool.name.clone(),
        settings: pool.settings,
        waiting,
        games: games.get(&pool.settings).copied().unwrap_or(0),
        wait_ms: pairing.median_wait(now, index),
    });
    pool.collect()
}

/// The difference between two lobbies, if there is one. The pools are the same ones in the same order.
fn change(before: (&[Pool], &[OpenSeek]), now: (&[Pool], &[OpenSeek])) -> Option<Message> {
    let pools = now.0.iter().zip(before.0).filter(|(now, before)| now != before);
    let pools: Vec<_> = pools.map(|(pool, _)| pool.clone()).collect();
    let has =
        |seeks: &[OpenSeek], seek: &OpenSeek| seeks.iter().any(|other| other.seek == seek.seek);
    let added: Vec<_> = now.1.iter().filter(|seek| !has(before.1, seek)).cloned().collect();
    let removed = before.1.iter().filter(|seek| !has(now.1, seek));
    let removed: Vec<_> = removed.map(|seek| seek.seek.clone()).collect();
    let is_same = pools.is_empty() && added.is_empty() && removed.is_empty();
    (!is_same).then_some(Message::LobbyChanged { pools, added, removed })
}
