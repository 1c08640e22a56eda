//! Deduplicates commands: remembers how each was answered, so that a repeated one gets the same
//! reply and is done once.

use std::collections::{BTreeMap, VecDeque};

use crate::protocol::{CommandId, MemberId, Message, Reason, Refusal};

use super::effect::{Cause, Entry};
use crate::room::limits::{ANSWERED_MEMBERS_MAX, ANSWERS_MAX};

/// The players and the host, whose replies are never evicted.
const KEPT_MEMBERS: usize = 3;

/// How a command was answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// It was done; holds the number of the last event it caused, if any.
    Done(Option<u64>),
    /// It was not done.
    Refused(Refusal),
}

impl Answer {
    /// The reply as a message.
    pub(super) fn message(self, id: CommandId) -> Message {
        match self {
            Self::Done(seq) => Message::Done { id, seq },
            Self::Refused(refusal) => Message::Refused { id: Some(id), refusal },
        }
    }
}

/// The last [`ANSWERS_MAX`] replies of each of the most recently active members.
#[derive(Clone, Debug, Default)]
pub(super) struct AnsweredCommands {
    members: BTreeMap<MemberId, Answers>,
    count: u64,
}

#[derive(Clone, Debug, Default)]
struct Answers {
    /// The total count of replies at this member's last one.
    latest: u64,
    /// The oldest first.
    ring: VecDeque<(CommandId, Answer)>,
}

impl AnsweredCommands {
    /// Restores the commands in a log that were done and caused events.
    pub(super) fn from_log(log: &[Entry], keep: impl Fn(&MemberId) -> bool) -> Self {
        let mut answered = Self::default();
        let mut causes = log
            .iter()
            .filter_map(|entry| Some((entry.cause.as_ref()?, entry.event.seq)))
            .peekable();
        while let Some((cause, seq)) = causes.next() {
            // A command's events follow each other; the reply carries the last one's number.
            if causes.peek().is_none_or(|(next, _)| *next != cause) {
                answered.remember(cause, Answer::Done(Some(seq)), &keep);
            }
        }
        answered
    }

    /// Rolls back to a log. Commands whose events were not stored are refused, now and whenever
    /// they come again.
    pub(super) fn rollback(&mut self, log: &[Entry], keep: impl Fn(&MemberId) -> bool) {
        let stored = log.last().map_or(0, |entry| entry.event.seq);
        let is_undone = |answer: &Answer| match answer {
            Answer::Done(seq) => seq.is_some_and(|seq| seq > stored),
            Answer::Refused(_) => false,
        };
        let undone: Vec<_> = self
            .members
            .iter()
            .flat_map(|(member, answers)| answers.ring.iter().map(move |own| (member, own)))
            .filter(|(_, (_, answer))| is_undone(answer))
            .map(|(member, (id, _))| Cause { member: member.clone(), command: id.clone() })
            .collect();
        *self = Self::from_log(log, &keep);
        for cause in undone {
            let refusal = Refusal::new(Reason::Unavailable);
            self.remember(&cause, Answer::Refused(refusal), &keep);
        }
    }

    /// The reply to this command, if it is remembered.
    pub(super) fn get(&self, cause: &Cause) -> Option<&Answer> {
        let answers = self.members.get(&cause.member)?;
        answers.ring.iter().find(|(id, _)| *id == cause.command).map(|(_, answer)| answer)
    }

    /// Remembers a reply. Evicts the member's oldest one if needed, or all those of the least
    /// recently active member that `keep` does not protect.
    pub(super) fn remember(
        &mut self,
        cause: &Cause,
        answer: Answer,
        keep: impl Fn(&MemberId) -> bool,
    ) {
        self.count += 1;
        let answers = self.members.entry(cause.member.clone()).or_default();
        answers.latest = self.count;
        if answers.ring.len() == ANSWERS_MAX {
            answers.ring.pop_front();
        }
        answers.ring.push_back((cause.command.clone(), answer));
        if self.members.len() > ANSWERED_MEMBERS_MAX + KEPT_MEMBERS {
            let quiet = self.members.iter().filter(|(member, _)| !keep(member));
            if let Some(member) = quiet.min_by_key(|(_, a)| a.latest).map(|(m, _)| m.clone()) {
                self.members.remove(&member);
            }
        }
    }
}
