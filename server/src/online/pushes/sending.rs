//! Sends one push to one browser, or one message by e-mail. What it says, and whether it is wanted, is decided at this
//! moment: it may have waited.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use fivefold_mail::{Mail, Mailed};
use fivefold_push::{Browser, Push, Pushed};
use fivefold_shared::protocol::{MemberId, Name, RoomCode};
use fivefold_storage::{MovePushes, PushGame, PushMember, PushSubscription, Reader, StorageError};

use super::{
    delivery::{About, Delivery, LastingNews, Recipient},
    due_times::{after_quiet_hours, is_wanted},
    email_texts::{Letter, NewsMail, told},
    push_texts::Text,
    ways::{MailWay, Ways},
};
use crate::{
    limits::pushes::PUSH_KEPT_MAX,
    net::public_url::PublicUrl,
    online::language::Language,
    process::{
        clock::Clock,
        read_pool::{ReadError, ReadPool},
    },
};

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

/// What a push or an e-mail depends on.
struct Known {
    member: PushMember,
    /// Whether the challenge that it is about still waits.
    has_challenge: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Sender {
    pub(super) ways: Arc<OnceLock<Ways>>,
    pub(super) read_pool: Arc<ReadPool>,
    pub(super) clock: Clock,
}

impl Sender {
    /// Sends a delivery if it is still wanted.
    pub(super) async fn send(self, member: MemberId, delivery: Delivery) -> Sent {
        let outcome = match self.known(&member, &delivery.about).await {
            Ok(known) => match &delivery.to {
                Recipient::Browser(endpoint) => self.push(&known, endpoint, &delivery).await,
                Recipient::Email(id) => self.mail(&known, id, &delivery).await,
            },
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
            About::Lasting(LastingNews::Challenge { from, .. }) => Some(from.clone()),
            About::Lasting(
                LastingNews::TimeUp { .. }
                | LastingNews::Closed { .. }
                | LastingNews::Report { .. },
            )
            | About::Turn { .. }
            | About::Reminder { .. }
            | About::Found { .. }
            | About::Letter { .. } => None,
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

    async fn push(&self, known: &Known, endpoint: &str, delivery: &Delivery) -> Outcome {
        let Delivery { about, until, .. } = delivery;
        let now = self.clock.now();
        let own = known.member.subscriptions.iter().find(|own| own.endpoint == endpoint);
        let browser =
            own.and_then(|PushSubscription { p256dh, auth, .. }| Browser::new(p256dh, auth).ok());
        let pusher = self.ways.get().and_then(|ways| ways.pusher.as_ref());
        let (Some(own), Some(browser), Some(pusher)) = (own, browser, pusher) else {
            return Outcome::Outdated;
        };
        let Some(message) = message(about, known).filter(|_| *until > now) else {
            return Outcome::Outdated;
        };
        if let Some(outcome) = held(about, &known.member, now) {
            return outcome;
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

    async fn mail(&self, known: &Known, id: &str, delivery: &Delivery) -> Outcome {
        let Delivery { about, until, .. } = delivery;
        let now = self.clock.now();
        let mail = self.ways.get().and_then(|ways| ways.mail.as_ref());
        let email = known.member.email.as_ref();
        let language = email.map_or(Language::English, |email| Language::of(&email.language));
        let to = match about {
            About::Letter { letter: Letter::Confirm { address, .. }, .. } => {
                let waiting = email.and_then(|email| email.waiting(now));
                waiting.filter(|waiting| *waiting == address).map(|waiting| (waiting, language))
            }
            About::Letter { letter: Letter::Replaced { address, language }, .. } => {
                Some((address, *language))
            }
            _ => known.member.address().map(|address| (address, language)),
        };
        let (Some((to, language)), Some(MailWay { mailer, site })) = (to, mail) else {
            return Outcome::Outdated;
        };
        if *until <= now {
            return Outcome::Outdated;
        }
        if let Some(outcome) = held(about, &known.member, now) {
            return outcome;
        }
        let Some((subject, body)) = mail_text(about, known, language, site) else {
            return Outcome::Outdated;
        };
        let mail = Mail { id: id.to_owned(), subject, body };
        Outcome::Pushed(match mailer.send(to, mail).await {
            Mailed::Accepted => Pushed::Accepted,
            Mailed::Later(error) => {
                tracing::warn!(error, "cannot send an e-mail now");
                Pushed::Unreached
            }
            Mailed::Unknown(error) => {
                tracing::warn!(error, "an e-mail may be lost");
                Pushed::Failed
            }
            Mailed::Refused(error) => {
                tracing::warn!(error, "the SMTP server refuses an e-mail");
                Pushed::Refused
            }
        })
    }
}

/// The subject and the text of an e-mail; nothing if it is not wanted any more.
fn mail_text(
    about: &About,
    known: &Known,
    language: Language,
    site: &PublicUrl,
) -> Option<(String, String)> {
    let PushMember { settings, games, .. } = &known.member;
    if let About::Letter { name, letter } = about {
        return Some(letter.text(name, language, site));
    }
    let Message { text, ends_at, .. } = message(about, known)?;
    if !about.is_mailed(settings) {
        return None;
    }
    let games = match about {
        About::Turn { .. } => told(games).collect(),
        About::Reminder { room, .. } => games.iter().filter(|game| game.room == *room).collect(),
        _ => Vec::new(),
    };
    let news = NewsMail { text: text.in_language(language), ends_at, games };
    Some(news.text(language, settings, site))
}

/// Why news is not sent now: the member does not want it at this time.
fn held(about: &About, known: &PushMember, now: u64) -> Option<Outcome> {
    let quiet_until = after_quiet_hours(&known.settings, now);
    match about {
        About::Turn { .. } | About::Reminder { .. } if known.off.is_at(now) => {
            Some(Outcome::TimeOff)
        }
        About::Turn { .. } | About::Reminder { .. } | About::Lasting(_) => {
            (quiet_until > now).then(|| Outcome::Quiet(Duration::from_millis(quiet_until - now)))
        }
        About::Found { .. } => (quiet_until > now).then_some(Outcome::Outdated),
        About::Letter { .. } => None,
    }
}

/// What a push says now; nothing if it is not wanted any more.
fn message<'m>(about: &'m About, known: &'m Known) -> Option<Message<'m>> {
    let PushMember { settings, games, .. } = &known.member;
    let waiting = |room: &RoomCode| games.iter().find(|game| game.room == *room);
    let opponent = |game: &'m PushGame| game.opponent.as_ref().map(Name::as_str);
    match about {
        About::Turn { room, number } => {
            let game =
                told(games).find(|game| (&game.room, game.turn.number) == (room, *number))?;
            if settings.moves == MovePushes::Never {
                return None;
            }
            let count = told(games).count();
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
        About::Lasting(news) => lasting_message(news, known),
        About::Letter { .. } => None,
        // If they move first and are told of each turn, they get that push instead.
        About::Found { room, opponent, is_turn } => {
            let is_told = *is_turn && settings.moves == MovePushes::Each;
            (settings.found && !is_told).then(|| Message {
                text: Text::Found { opponent: opponent.as_str() },
                path: format!("/r/{room}"),
                tag: format!("found-{room}"),
                ends_at: None,
            })
        }
    }
}

/// As [`message`], for lasting news.
fn lasting_message<'m>(news: &'m LastingNews, known: &Known) -> Option<Message<'m>> {
    let settings = &known.member.settings;
    match news {
        LastingNews::TimeUp { room, opponent, won } => settings.ends.then(|| Message {
            text: Text::TimeUp { opponent: opponent.as_ref().map(Name::as_str), won: *won },
            path: format!("/r/{room}"),
            tag: news.subject(),
            ends_at: None,
        }),
        // The room is gone.
        LastingNews::Closed { opponent, why, .. } => settings.ends.then(|| Message {
            text: Text::Closed { opponent: opponent.as_ref().map(Name::as_str), why: why.as_str() },
            path: "/games".to_owned(),
            tag: news.subject(),
            ends_at: None,
        }),
        LastingNews::Report { about, acted, .. } => settings.reports.then(|| Message {
            text: Text::Report { about: about.as_str(), acted: *acted },
            path: "/".to_owned(),
            tag: news.subject(),
            ends_at: None,
        }),
        LastingNews::Challenge { by, .. } => {
            (settings.challenges && known.has_challenge).then(|| Message {
                text: Text::Challenge { by: by.as_str() },
                path: "/".to_owned(),
                tag: "challenge".to_owned(),
                ends_at: None,
            })
        }
    }
}
