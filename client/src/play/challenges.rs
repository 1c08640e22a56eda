//! The challenges that a person has received and not answered yet.

use fivefold_shared::protocol::{Message, OpenSeek, SeekId};

/// Most challenges that are kept; the oldest make way.
const CHALLENGES_MAX: usize = 20;

/// The open challenges, the oldest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Challenges {
    open: Vec<Challenge>,
    over: Option<OpenSeek>,
}

/// A challenge that stands for a while.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Challenge {
    /// The game, and who wants to play it.
    pub seek: OpenSeek,
    /// Until when it stands, in milliseconds by the clock that [`Challenges::take`] was given.
    pub until: u64,
}

/// Why no challenge is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ChallengeError {
    /// There is none.
    #[error("nobody challenges you now")]
    None,
    /// The name or the id is not that of a challenger.
    #[error("nobody of this name challenges you now")]
    Unknown,
    /// There are several, and none was named.
    #[error("several people challenge you: name one of them, such as /accept Ann")]
    Several,
}

impl Challenges {
    /// Takes a message of the server; returns the challenge that it ends.
    pub fn take(&mut self, message: &Message, now: u64) -> Option<OpenSeek> {
        if let Message::Challenged { challenge, for_ms } = message {
            self.remove(&challenge.seek);
            self.open.retain(|known| known.until > now);
            if self.open.len() == CHALLENGES_MAX {
                self.open.remove(0);
            }
            let until = now.saturating_add(*for_ms);
            self.open.push(Challenge { seek: challenge.clone(), until });
        }
        let Message::SeekOver { seek, .. } = message else { return None };
        let over = self.remove(seek)?;
        self.over = Some(over.clone());
        Some(over)
    }

    /// The challenge that was over last, without an answer of this person.
    pub const fn last_over(&self) -> Option<&OpenSeek> {
        self.over.as_ref()
    }

    /// Removes a challenge that is answered or over.
    pub fn remove(&mut self, seek: &SeekId) -> Option<OpenSeek> {
        let index = self.open.iter().position(|known| known.seek.seek == *seek)?;
        Some(self.open.remove(index).seek)
    }

    /// The challenges that stand at this time, the oldest first.
    pub fn open(&self, now: u64) -> impl Iterator<Item = &Challenge> {
        self.open.iter().filter(move |challenge| challenge.until > now)
    }

    /// The challenge by this name or id; without one, the only challenge.
    ///
    /// # Errors
    /// When there is none, or nothing says which one is meant.
    pub fn find(&self, who: Option<&str>, now: u64) -> Result<&OpenSeek, ChallengeError> {
        let mut open = self.open(now).map(|challenge| &challenge.seek);
        match who {
            Some(who) => open.find(|seek| is_by(seek, who)).ok_or(ChallengeError::Unknown),
            None => match (open.next(), open.next()) {
                (None, _) => Err(ChallengeError::None),
                (Some(only), None) => Ok(only),
                (Some(_), Some(_)) => Err(ChallengeError::Several),
            },
        }
    }
}

/// Whether a seek has this id, or its member this name or id; capital letters do not matter.
pub fn is_by(seek: &OpenSeek, who: &str) -> bool {
    let who = who.to_lowercase();
    seek.seek.as_str() == who
        || seek.member.as_str() == who
        || seek.name.as_str().to_lowercase() == who
}

#[cfg(test)]
mod tests {
    use fivefold_shared::{
        clock::TimeControl,
        opening::OpeningKind,
        protocol::{GameSettings, MemberId, Name, SeekEnd},
        rules::Rules,
    };

    use super::*;

    fn challenge(id: char, name: &str) -> OpenSeek {
        OpenSeek {
            seek: SeekId::try_from(id.to_string().repeat(12)).unwrap(),
            member: MemberId::try_from(id.to_string().repeat(16)).unwrap(),
            name: Name::new(name).unwrap(),
            engine: false,
            settings: GameSettings {
                rules: Rules::TIC_TAC_TOE,
                time: TimeControl::None,
                opening: OpeningKind::Free,
                rated: false,
            },
        }
    }

    #[test]
    fn a_challenge_is_found_while_it_stands() {
        let mut challenges = Challenges::default();
        let (bob, eve) = (challenge('b', "Bob"), challenge('e', "Eve"));
        let from = |seek: &OpenSeek| Message::Challenged { challenge: seek.clone(), for_ms: 60 };
        assert_eq!(challenges.find(None, 0), Err(ChallengeError::None));
        challenges.take(&from(&bob), 100);
        assert_eq!(challenges.find(None, 159), Ok(&bob));
        assert_eq!(challenges.find(None, 160), Err(ChallengeError::None), "its time is over");

        challenges.take(&from(&eve), 120);
        assert_eq!(challenges.find(None, 130), Err(ChallengeError::Several));
        for who in ["eve", "EVE", "eeeeeeeeeeee", "eeeeeeeeeeeeeeee"] {
            assert_eq!(challenges.find(Some(who), 130), Ok(&eve), "{who}");
        }
        assert_eq!(challenges.find(Some("ann"), 130), Err(ChallengeError::Unknown));

        let over = Message::SeekOver { seek: eve.seek.clone(), why: SeekEnd::Cancelled };
        assert_eq!(challenges.take(&over, 130), Some(eve));
        assert_eq!(challenges.take(&over, 130), None);
        assert_eq!(challenges.find(None, 130), Ok(&bob));
        challenges.take(&from(&bob), 140);
        assert_eq!(challenges.open(150).count(), 1, "the same challenge again");
    }

    #[test]
    fn only_so_many_challenges_are_kept() {
        let mut challenges = Challenges::default();
        for letter in "23456789abcdefghjkmnpqrst".chars() {
            let challenge = OpenSeek {
                seek: SeekId::try_from(letter.to_string().repeat(12)).unwrap(),
                ..challenge('b', "Bob")
            };
            challenges.take(&Message::Challenged { challenge, for_ms: 60 }, 0);
        }
        assert_eq!(challenges.open(0).count(), CHALLENGES_MAX);
        assert!(challenges.find(Some("222222222222"), 0).is_err());
    }
}
