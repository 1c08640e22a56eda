//! Sends one push to one browser. What it says, and whether it is wanted, is decided at this moment: it may have waited.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use fivefold_push::{Browser, Push, Pushed, Pusher};
use fivefold_shared::protocol::{MemberId, Name, RoomCode};
use fivefold_storage::{
    MovePushes, PushGame, PushMember, PushState, PushSubscription, Reader, StorageError,
};

use super::{
    texts::Text,
    times::{after_quiet_hours, is_wanted},
};
use crate::{
    limits::pushes::PUSH_KEPT_MAX,
    online::language::Language,
    process::{
        clock::Clock,
        read_pool::{ReadError, ReadPool},
    },
};

/// A push for one browser.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) endpoint: String,
    pub(super) about: About,
    /// When it is of no use any more, in milliseconds since the Unix epoch.
    pub(super) until: u64,
    pub(super) tries: u8,
}

/// What a push is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum About {
    /// It is the member's turn of this number.
    Turn { room: RoomCode, number: u64 },
    /// The member's time ends; the reminder was due at this time.
    Reminder { room: RoomCode, due: u64 },
    /// A game has ended by time.
    TimeUp { room: RoomCode, opponent: Option<Name>, won: bool },
    /// A friend challenges them.
    Challenge { from: MemberId, by: Name },
}

/// What became of a delivery.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) member: MemberId,
    pub(super) delivery: Delivery,
    pub(super) outcome: Outcome,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// It went to the push service, which said this.
    Pushed(Pushed),
    /// It was not sent: there is nothing to tell any more, or the member does not want it.
    Outdated,
    /// It was not sent: the member wants it after this time.
    Quiet(Duration),
    /// It was not sent: the member has time off.
    TimeOff,
}

/// What a push says.
struct Message<'m> {
    text: Text<'m>,
    path: String,
    /// The notification takes the place of one with the same tag, at the push service and on the screen.
    tag: String,
    ends_at: Option<u64>,
}

/// What a push to one browser depends on.
struct Known {
    member: PushMember,
    /// Whether the challenge that it is about still waits.
    has_challenge: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Sender {
    pub(super) pusher: Arc<OnceLock<Pusher>>,
    pub(super) read_pool: Arc<ReadPool>,
    pub(super) clock: Clock,
}

impl Sender {
    /// Sends a delivery if it is still wanted.
    pub(super) async fn send(self, member: MemberId, delivery: Delivery) -> Sent {
        let outcome = match self.known(&member, &delivery.about).await {
            Ok(known) => self.push(&known, &delivery).await,
            // Retry later, as if the push service could not be reached.
            Err(error) => {
                tracing::debug!(%error, "cannot read whether a push is wanted");
                Outcome::Pushed(Pushed::Unreached)
            }
        };
        Sent { member, delivery, outcome }
    }

    async fn known(&self, member: &MemberId, about: &About) -> Result<Known, ReadError> {
        let (member, now) = (member.clone(), self.clock.now());
        let challenger = match about {
            About::Challenge { from, .. } => Some(from.clone()),
            About::Turn { .. } | About::Reminder { .. } | About::TimeUp { .. } => None,
        };
        let read = move |reader: &mut Reader| -> Result<Known, StorageError> {
            let friends = match &challenger {
                Some(_) => reader.friends(&member)?,
                None => Vec::new(),
            };
            let mut challenges = friends.iter().filter_map(|friend| friend.challenge.as_ref());
            let has_challenge =
                challenges.any(|one| Some(&one.by) == challenger.as_ref() && one.stands(now));
            Ok(Known { member: reader.push_member(&member)?, has_challenge })
        };
        self.read_pool.try_read(read).await
    }

    async fn push(&self, known: &Known, delivery: &Delivery) -> Outcome {
        let Delivery { endpoint, about, until, .. } = delivery;
        let now = self.clock.now();
        let own = known.member.subscriptions.iter().find(|own| own.endpoint == *endpoint);
        let browser =
            own.and_then(|PushSubscription { p256dh, auth, .. }| Browser::new(p256dh, auth).ok());
        let (Some(own), Some(browser), Some(pusher)) = (own, browser, self.pusher.get()) else {
            return Outcome::Outdated;
        };
        let Some(message) = message(about, known).filter(|_| *until > now) else {
            return Outcome::Outdated;
        };
        match about {
            About::Turn { .. } | About::Reminder { .. } => {
                if known.member.off.is_at(now) {
                    return Outcome::TimeOff;
                }
                let quiet_until = after_quiet_hours(&known.member.settings, now);
                if quiet_until > now {
                    return Outcome::Quiet(Duration::from_millis(quiet_until - now));
                }
            }
            About::TimeUp { .. } | About::Challenge { .. } => {
                if after_quiet_hours(&known.member.settings, now) > now {
                    return Outcome::Outdated;
                }
            }
        }
        let Message { text, path, tag, ends_at } = message;
        let shown = text.notification(Language::of(&own.language), path, tag.clone(), ends_at);
        let left_s = (until - now) / 1_000;
        let push = Push {
            endpoint,
            browser: &browser,
            message: &serde_json::to_vec(&shown).expect("it is plain data"),
            ttl_s: u32::try_from(left_s.min(PUSH_KEPT_MAX.as_secs())).unwrap_or(u32::MAX),
            topic: Some(&tag),
            is_urgent: true,
        };
        Outcome::Pushed(pusher.push(&push, now / 1_000).await)
    }
}

/// What a push says now; nothing if it is not wanted any more.
fn message<'m>(about: &'m About, known: &'m Known) -> Option<Message<'m>> {
    let PushMember { settings, games, .. } = &known.member;
    let waiting = |room: &RoomCode| games.iter().find(|game| game.room == *room);
    let opponent = |game: &'m PushGame| game.opponent.as_ref().map(Name::as_str);
    match about {
        About::Turn { room, number } => {
            let told = || games.iter().filter(|game| game.state == PushState::Told);
            let game = told().find(|game| (&game.room, game.turn.number) == (room, *number))?;
            if settings.moves == MovePushes::Never {
                return None;
            }
            let count = told().count();
            let (text, path, ends_at) = if count > 1 {
                (Text::Games(count), "/games".to_owned(), None)
            } else {
                (
                    Text::Turn { opponent: opponent(game) },
                    format!("/r/{room}"),
                    Some(game.turn.flag_at),
                )
            };
            Some(Message { text, path, tag: "turns".to_owned(), ends_at })
        }
        About::Reminder { room, due } => {
            let game = waiting(room)?;
            is_wanted(&known.member, game.since, *due, game.turn.flag_at).then(|| Message {
                text: Text::Reminder { opponent: opponent(game) },
                path: format!("/r/{room}"),
                tag: format!("time-{room}"),
                ends_at: Some(game.turn.flag_at),
            })
        }
        About::TimeUp { room, opponent, won } => settings.ends.then(|| Message {
            text: Text::TimeUp { opponent: opponent.as_ref().map(Name::as_str), won: *won },
            path: format!("/r/{room}"),
            tag: format!("end-{room}"),
            ends_at: None,
        }),
        About::Challenge { by, .. } => {
            (settings.challenges && known.has_challenge).then(|| Message {
                text: Text::Challenge { by: by.as_str() },
                path: "/".to_owned(),
                tag: "challenge".to_owned(),
                ends_at: None,
            })
        }
    }
}
