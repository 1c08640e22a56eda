//! Finds turns for which no push is stored. News of a turn is lost if the server stops before it has read the news, if
//! too much news waits, or if the server may not push yet. It is ignored if nothing can reach the member at the time.
//! Also plans again when to tell a member what waits.

use std::{sync::atomic::Ordering, time::Duration};

use fivefold_shared::{clock::millis, protocol::MemberId};
use fivefold_storage::{PushChange, PushGame, PushState, Reader};

use super::{
    NotNow, PushTask,
    due_times::{Plan, at_found_turn, at_turn, next_reminder},
};
use crate::{
    limits::pushes::{PUSH_TURN_LATE, PUSHES_DUE_MAX},
    process::read_pool::ReadError,
};

impl PushTask {
    /// Plans again when to tell a member about their open turns. Turns for which no push is stored began when nothing
    /// could reach the member. Unless they began just now, the member has seen them.
    pub(super) async fn plan_again(&self, member: &MemberId) -> Result<(), NotNow> {
        let (member, known) = self.member(member).await?;
        let now = self.clock.now();
        for game in &known.games {
            let Plan { state, due } = match game.state {
                PushState::Waiting => {
                    let earliest = now + millis(self.seen_within);
                    at_turn(&known, game.since, now, earliest, game.turn.flag_at)
                }
                told @ (PushState::Told | PushState::Seen) => {
                    let due = next_reminder(&known, game.since, now, game.turn.flag_at);
                    Plan { state: told, due }
                }
            };
            if (state, due) != (game.state, game.due) {
                let planned = PushGame { state, due, ..game.clone() };
                // If this fails, a node is already telling the member, or the turn is over.
                self.change(PushChange::Take(planned, game.due)).await?;
            }
        }
        self.plan_news_again(&known).await?;
        if known.can_be_told() {
            let turns = self.untold_turns(Some(member)).await?;
            self.store_turns(turns, self.seen_within).await?;
        }
        Ok(())
    }

    async fn untold_turns(&self, of: Option<MemberId>) -> Result<Vec<PushGame>, ReadError> {
        let read = move |reader: &mut Reader| reader.untold_turns(of.as_ref(), PUSHES_DUE_MAX);
        self.read_pool.try_read(read).await
    }

    /// Stores pushes for turns that have none. If a member should have been told of a turn longer ago than
    /// `late_after`, they get only the digest and reminders for it.
    async fn store_turns(
        &self,
        mut turns: Vec<PushGame>,
        late_after: Duration,
    ) -> Result<(), NotNow> {
        turns.sort_by(|one, other| one.member.cmp(&other.member));
        for turns in turns.chunk_by(|one, other| one.member == other.member) {
            let known = self.known(&turns[0].member).await?;
            let now = self.clock.now();
            let late_before = now.saturating_sub(millis(late_after));
            // The member may be looking.
            let earliest = now + millis(self.seen_within);
            for turn in turns {
                let Plan { state, due } = at_found_turn(
                    &known,
                    turn.since,
                    now,
                    earliest,
                    turn.turn.flag_at,
                    late_before,
                );
                let waits = PushGame { state, due, ..turn.clone() };
                // If this fails, another node was first, or the turn is over.
                self.change(PushChange::Wait(waits)).await?;
            }
        }
        Ok(())
    }

    /// Looks for turns of all members for which no push is stored, and stores pushes for them.
    pub(super) async fn look_for_turns(&self) -> Result<(), NotNow> {
        let turns = self.untold_turns(None).await?;
        if turns.len() >= PUSHES_DUE_MAX {
            // The others come in the next sweep.
            self.pushes.missed.store(true, Ordering::Relaxed);
        }
        self.store_turns(turns, PUSH_TURN_LATE).await
    }
}
