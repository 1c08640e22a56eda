//! Which commands have been answered, and how, so that a command that comes again is answered the
//! same and done once.

use std::collections::{BTreeMap, VecDeque};

use crate::protocol::{CommandId, MemberId, Message, Reason, Refusal};

use super::effect::{Cause, Entry};
use crate::room::limits::{ANSWERED_MEMBERS_MAX, ANSWERS_MAX};

/// The players and the host, whom nobody can push out.
const KEPT_MEMBERS: usize = 3;

/// How a command was answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// It was done, and the last event it caused has this number, if it caused one.
    Done(Option<u64>),
    /// It was not done.
    Refused(Refusal),
}

impl Answer {
    /// The answer as it is sent.
    pub(super) fn message(self, id: CommandId) -> Message {
        match self {
            Self::Done(seq) => Message::Done { id, seq },
            Self::Refused(refusal) => Message::Refused { id: Some(id), refusal },
        }
    }
}

/// The last [`ANSWERS_MAX`] answers of each of the members who had some most recently.
#[derive(Clone, Debug, Default)]
pub(super) struct AnsweredCommands {
    members: BTreeMap<MemberId, Answers>,
    count: u64,
}

#[derive(Clone, Debug, Default)]
struct Answers {
    /// The count of all answers at this member's last one.
    latest: u64,
    /// The oldest first.
    ring: VecDeque<(CommandId, Answer)>,
}

impl AnsweredCommands {
    /// What a log tells: the commands that were done and caused events.
    pub(super) fn from_log(log: &[Entry], keep: impl Fn(&MemberId) -> bool) -> Self {
        let mut answered = Self::default();
        let mut causes = log
            .iter()
            .filter_map(|entry| Some((entry.cause.as_ref()?, entry.event.seq)))
            .peekable();
        while let Some((cause, seq)) = causes.next() {
            // A command's events follow each other; its answer tells the last one's number.
            if causes.peek().is_none_or(|(next, _)| *next != cause) {
                answered.remember(cause, Answer::Done(Some(seq)), &keep);
            }
        }
        answered
    }

    /// Goes back to what a log tells. Commands whose events were not stored are refused from now
    /// on, as their senders are told, also when they come again.
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

    /// How this command was answered, if it was and is not forgotten.
    pub(super) fn get(&self, cause: &Cause) -> Option<&Answer> {
        let answers = self.members.get(&cause.member)?;
        answers.ring.iter().find(|(id, _)| *id == cause.command).map(|(_, answer)| answer)
    }

    /// Remembers an answer. For it the oldest one of the same member is forgotten, or all those
    /// of the member who has been quiet the longest and whom `keep` does not protect.
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
