//! Challenges: how many wait for one member, whose go first, and who has to wait after the member has
//! declined.

use fivefold_shared::{
    clock::millis,
    protocol::{MemberId, OpenSeek, Reason, Refusal, RefusalValues, SeekEnd, SeekId},
};

use super::{
    Pairing,
    input::{Answer, Challenger, Effect, Seeker},
    standing::{Aim, Seek, SeekNumber},
};
use crate::limits::{CHALLENGE_STANDS, challenges::CHALLENGES_WAITING_MAX};

impl Pairing {
    /// The challenges that stand for a member, and until when.
    pub fn challenges_for(&self, member: &MemberId) -> Vec<(OpenSeek, u64)> {
        let theirs = self.waiting_for(member).iter().map(|number| &self.seeks[number]);
        let open = theirs.filter(|seek| self.is_open(seek));
        open.map(|seek| (seek.to_open(), stands_until(seek))).collect()
    }

    /// The newest challenges that stand, with the members who are challenged, and until when.
    pub(crate) fn newest_challenges(&self, most: usize) -> Vec<(MemberId, OpenSeek, u64)> {
        let open = self.seeks.values().rev().filter(|seek| self.is_open(seek));
        let challenges = open.filter_map(|seek| match &seek.aim {
            Aim::Member(to) => Some((to.clone(), seek.to_open(), stands_until(seek))),
            Aim::Pool(_) | Aim::Anybody => None,
        });
        challenges.take(most).collect()
    }

    /// Notifies the person who is challenged, if it is a challenge.
    pub(super) fn announce(&self, now: u64, number: SeekNumber, effects: &mut Vec<Effect>) {
        let seek = &self.seeks[&number];
        if let Aim::Member(to) = &seek.aim {
            let (to, challenge) = (to.clone(), seek.to_open());
            let for_ms = stands_until(seek).saturating_sub(now);
            effects.push(Effect::Challenged { to, challenge, for_ms });
        }
    }

    /// The challenges to a member, whether they can be accepted now or not.
    fn waiting_for(&self, member: &MemberId) -> &[SeekNumber] {
        self.challenged.get(member).map_or(&[], Vec::as_slice)
    }

    /// Whether somebody may challenge a member now.
    pub(super) fn may_challenge(
        &self,
        now: u64,
        by: &Seeker,
        to: &MemberId,
    ) -> Result<(), Refusal> {
        if *to == by.member {
            return Err(Refusal::new(Reason::OwnSeek));
        }
        let paused_until = self.declines.paused_until(to, by);
        if now < paused_until {
            let wait_ms = Some(paused_until - now);
            let values = RefusalValues { wait_ms, ..RefusalValues::default() };
            return Err(Refusal::with(Reason::DeclinedLately, values));
        }
        let is_own = |seek: &Seek| seek.by.member == by.member && seek.gone_at.is_none();
        if self.waiting_for(to).iter().any(|number| is_own(&self.seeks[number])) {
            return Err(Refusal::new(Reason::AlreadyChallenged));
        }
        self.in_the_way(by, to).map(|_| ())
    }

    /// The challenge that has to end so that this one can wait for a member, if all places are taken: of those
    /// whose turn comes later than this one's, the newest of a guest, or else of an account.
    fn in_the_way(&self, by: &Seeker, to: &MemberId) -> Result<Option<SeekNumber>, Refusal> {
        let waiting = self.waiting_for(to);
        if waiting.len() < CHALLENGES_WAITING_MAX {
            return Ok(None);
        }
        let later = waiting.iter().filter(|number| {
            let other = &self.seeks[number].by;
            turn(other) > turn(by) && !self.is_being_paired(&other.member)
        });
        let last = later.max_by_key(|number| {
            let seek = &self.seeks[number];
            (turn(&seek.by), seek.since, **number)
        });
        last.map(|number| Some(*number)).ok_or_else(|| Refusal::new(Reason::ChallengesFull))
    }

    /// Makes a place for one more challenge to a member, and returns whether there is one.
    pub(super) fn make_place(
        &mut self,
        by: &Seeker,
        to: &MemberId,
        effects: &mut Vec<Effect>,
    ) -> bool {
        match self.in_the_way(by, to) {
            Ok(Some(number)) => {
                self.end(number, SeekEnd::Displaced, None, effects);
                true
            }
            Ok(None) => true,
            Err(_) => false,
        }
    }

    pub(super) fn note_challenge(&mut self, number: SeekNumber, to: &MemberId) {
        self.challenged.entry(to.clone()).or_default().push(number);
    }

    pub(super) fn forget_challenge(&mut self, number: SeekNumber, to: &MemberId) {
        if let Some(waiting) = self.challenged.get_mut(to) {
            waiting.retain(|one| *one != number);
            if waiting.is_empty() {
                self.challenged.remove(to);
            }
        }
    }

    /// A member declines a challenge. It counts against the challenger, unless it is a bot that declines: it
    /// may be busy.
    pub(super) fn decline(
        &mut self,
        now: u64,
        member: &MemberId,
        is_bot: bool,
        seek: &SeekId,
        effects: &mut Vec<Effect>,
    ) -> Answer {
        let Some(&number) = self.by_id.get(seek) else { return Answer::Done };
        let declined = &self.seeks[&number];
        if !matches!(&declined.aim, Aim::Member(to) if to == member) {
            return Answer::Refused(Refusal::new(Reason::NoSuchSeek));
        }
        if self.is_being_paired(&declined.by.member) {
            // It may have been accepted by another session, and cannot be taken back.
            return Answer::Done;
        }
        if !is_bot {
            let by = Challenger::of(&declined.by);
            self.note_declined(now, member, &by);
            effects.push(Effect::Declined { to: member.clone(), by });
        }
        self.end(number, SeekEnd::Declined, None, effects);
        Answer::Done
    }

    /// A member has declined a challenge, maybe while another node paired.
    pub(crate) fn note_declined(&mut self, now: u64, to: &MemberId, by: &Challenger) {
        self.declines.note(now, to, by);
    }
}

/// Friends have the first places, then other people with an account, then guests.
const fn turn(by: &Seeker) -> u8 {
    match (by.friend, by.account) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    }
}

fn stands_until(seek: &Seek) -> u64 {
    seek.since + millis(CHALLENGE_STANDS)
}
