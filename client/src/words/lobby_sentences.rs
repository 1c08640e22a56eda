//! Describes pools, seeks and challenges in plain English, shared by all views.

use fivefold_shared::{
    clock::{MINUTE_MS, SECOND_MS, TimeControl},
    protocol::{AccountNews, Addressee, ChatText, GameSettings, OpenSeek, Pool, SeekEnd, Wanted},
};

use crate::{
    play::{
        challenges::Challenge,
        lobby::{LobbyState, Search},
    },
    terminal::sanitize::sanitize,
    words::{bot_names, room_sentences},
};

/// How a game is played, in short: `renju 15x15, 5+3, swap2`.
pub fn settings(settings: &GameSettings) -> String {
    let GameSettings { rules, time, opening, rated } = settings;
    let opening = if opening.is_free() { String::new() } else { format!(", {opening}") };
    let rated = if *rated { ", rated" } else { "" };
    format!("{rules}, {}{opening}{rated}", short_time(*time))
}

/// A time control in short, as people type it: minutes and seconds, as in `5+3` and `byo 10+3x30`, or
/// days.
pub fn short_time(time: TimeControl) -> String {
    let are_whole = |main_ms: u64, more_ms: u64| {
        main_ms.is_multiple_of(MINUTE_MS) && more_ms.is_multiple_of(SECOND_MS) && !time.is_daily()
    };
    match time {
        TimeControl::None => "no clock".to_owned(),
        TimeControl::Fischer { main_ms, increment_ms } if are_whole(main_ms, increment_ms) => {
            format!("{}+{}", main_ms / MINUTE_MS, increment_ms / SECOND_MS)
        }
        TimeControl::ByoYomi { main_ms, period_ms, periods } if are_whole(main_ms, period_ms) => {
            format!("byo {}+{periods}x{}", main_ms / MINUTE_MS, period_ms / SECOND_MS)
        }
        TimeControl::SuddenDeath { .. }
        | TimeControl::Fischer { .. }
        | TimeControl::ByoYomi { .. }
        | TimeControl::PerMove { .. }
        | TimeControl::Daily { .. } => time.to_string(),
    }
}

/// The same with the time in words.
fn settings_in_words(settings: &GameSettings) -> String {
    let GameSettings { rules, time, opening, rated } = settings;
    let opening = if opening.is_free() { String::new() } else { format!(", {opening}") };
    let rated = if *rated { ", rated" } else { "" };
    format!("{rules}, {}{opening}{rated}", room_sentences::time(*time))
}

/// A game is found, and the person goes there.
pub const fn begins(rated: Option<bool>) -> &'static str {
    match rated {
        Some(true) => "Your game begins. It is rated.",
        Some(false) => "Your game begins. It is casual.",
        None => "Your game begins.",
    }
}

/// An operator's announcement to everybody, or that it is over.
pub fn announcement(text: Option<&ChatText>) -> String {
    match text {
        Some(text) => format!("An operator announces: {}", sanitize(text.as_str())),
        None => "The operator's announcement is over.".to_owned(),
    }
}

/// A length of time such as `0:07`, `12:30` or `1:05:00`.
pub fn length(ms: u64) -> String {
    let seconds = ms / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

/// The name of somebody who offers a game; says if a program plays.
pub fn name(seek: &OpenSeek) -> String {
    let name = seek.name.as_str();
    if seek.engine { bot_names::program(name) } else { sanitize(name).into_owned() }
}

/// The person who is challenged.
pub fn addressee(to: &Addressee) -> String {
    match to {
        Addressee::Member(id) => id.to_string(),
        Addressee::Name(name) => sanitize(name.as_str()).into_owned(),
    }
}

/// What the person waits for, and how the game will be played.
pub fn search(state: &LobbyState, search: &Search) -> String {
    search_with(state, search, settings_in_words)
}

/// The same in short.
pub fn short_search(state: &LobbyState, search: &Search) -> String {
    search_with(state, search, settings)
}

fn search_with(
    state: &LobbyState,
    search: &Search,
    settings: fn(&GameSettings) -> String,
) -> String {
    match search {
        Search::Seek(Wanted::Pool(name)) => match state.pool(name) {
            Some(pool) => format!("You seek in {name}: {}.", settings(&pool.settings)),
            None => format!("You seek in {name}."),
        },
        Search::Seek(Wanted::Settings(wanted)) => {
            format!("You offer a game to everybody: {}.", settings(wanted))
        }
        Search::Challenge(to, wanted) => {
            format!("You challenge {}: {}.", addressee(to), settings(wanted))
        }
    }
}

/// The figures of a pool, for somebody who waits there.
pub fn figures(pool: &Pool) -> String {
    let waiting = match pool.waiting {
        0 | 1 => "nobody else waits here now".to_owned(),
        2 => "one other person waits here".to_owned(),
        count => format!("{} others wait here", count - 1),
    };
    let games = match pool.games {
        0 => "no game is running".to_owned(),
        1 => "1 game is running".to_owned(),
        count => format!("{count} games are running"),
    };
    let wait = match pool.wait_ms {
        Some(ms) => format!("the usual wait of the last hour was {}", length(ms)),
        None => "no game has begun here in the last hour".to_owned(),
    };
    format!("{waiting}, {games}, {wait}")
}

/// Where else somebody waits, if anybody does.
pub fn elsewhere(state: &LobbyState, here: &Pool) -> Option<String> {
    let others = state.pools().iter().filter(|pool| pool.waiting > 0 && pool.name != here.name);
    let others: Vec<String> =
        others.map(|pool| format!("{} ({})", pool.name, pool.waiting)).collect();
    (!others.is_empty()).then(|| format!("People wait in {}.", others.join(", ")))
}

/// How a person's own seek or challenge was over.
pub fn over(search: &Search, why: SeekEnd) -> String {
    match (search, why) {
        (Search::Challenge(to, _), SeekEnd::Declined) => format!("{} declines.", addressee(to)),
        (Search::Challenge(to, _), SeekEnd::Expired) => {
            format!("{} has not answered.", addressee(to))
        }
        (Search::Challenge(to, _), SeekEnd::Gone) => format!("{} has left.", addressee(to)),
        (Search::Challenge(to, _), SeekEnd::Displaced) => {
            format!(
                "Too many people challenge {} now; those with an account go first.",
                addressee(to)
            )
        }
        (Search::Challenge(..), SeekEnd::Cancelled) => "The challenge is cancelled.".to_owned(),
        (Search::Challenge(..), SeekEnd::Refused) => "The challenge is over.".to_owned(),
        (Search::Seek(_), SeekEnd::Cancelled) => "The seek is cancelled.".to_owned(),
        (
            Search::Seek(_),
            SeekEnd::Declined
            | SeekEnd::Expired
            | SeekEnd::Gone
            | SeekEnd::Displaced
            | SeekEnd::Refused,
        ) => "The seek is over.".to_owned(),
    }
}

/// A challenge to this person.
pub fn challenged(challenge: &OpenSeek) -> String {
    format!("{} challenges you: {}.", name(challenge), settings_in_words(&challenge.settings))
}

/// A challenge in a list, with the time that is left to answer it.
pub fn challenge(challenge: &Challenge, now: u64) -> String {
    let left = length(challenge.until.saturating_sub(now));
    let seek = &challenge.seek;
    format!("{} challenges you: {} ({left} left)", name(seek), settings(&seek.settings))
}

/// How a challenge to this person was over.
pub fn challenge_over(challenge: &OpenSeek, why: SeekEnd) -> String {
    let name = name(challenge);
    match why {
        SeekEnd::Cancelled | SeekEnd::Displaced | SeekEnd::Refused => {
            format!("{name} no longer challenges you.")
        }
        SeekEnd::Declined => format!("You have declined the challenge of {name}."),
        SeekEnd::Expired => format!("The time to answer the challenge of {name} is over."),
        SeekEnd::Gone => format!("{name} has left; the challenge is over."),
    }
}

/// What has changed in this person's account, and what they can do about it.
pub fn news(change: AccountNews, label: &str) -> String {
    let label = sanitize(label);
    match change {
        AccountNews::PasskeyAdded => format!("A passkey was added to your account: {label}."),
        AccountNews::PasskeyRemoved => format!("A passkey was removed from your account: {label}."),
        AccountNews::TokenAdded => format!("A token was made for your account: {label}."),
        AccountNews::DeviceAdded => format!("A device was signed in to your account: {label}."),
        AccountNews::GuestAdded => "A guest's games now belong to your account.".to_owned(),
        AccountNews::OidcAdded => format!("You can now sign in with another site: {label}."),
        AccountNews::OidcRemoved => format!("You can no longer sign in with {label}."),
        AccountNews::FriendAsks => {
            format!("{label} wants to be your friend. To accept: `fivefold friend {label}`")
        }
        AccountNews::FriendAdded => format!("{label} is your friend now."),
        AccountNews::FriendChallenges => {
            format!("{label} challenges you to a daily game. To accept: `fivefold answer {label}`")
        }
        AccountNews::ChallengeAccepted => {
            format!("{label} has accepted your challenge. `fivefold games` lists the game.")
        }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::protocol::PoolName;

    use super::*;

    #[test]
    fn lengths_of_time_are_short() {
        let cases = [(0, "0:00"), (7_900, "0:07"), (750_000, "12:30"), (3_900_000, "1:05:00")];
        for (ms, expected) in cases {
            assert_eq!(length(ms), expected);
        }
    }

    #[test]
    fn times_are_short_and_can_be_typed() {
        let cases = [
            ("5m+3s", "5+3"),
            ("90s+3", "90s+3s"),
            ("5+1500ms", "5m+1500ms"),
            ("byo 10m+3x30s", "byo 10+3x30"),
            ("byo 0+1x1m", "byo 0+1x60"),
            ("byo 90s+3x30", "byo 90s+3x30s"),
            ("3", "3m"),
            ("move 30", "move 30s"),
        ];
        for (text, expected) in cases {
            let time: TimeControl = text.parse().unwrap();
            assert_eq!(short_time(time), expected);
            assert_eq!(expected.parse(), Ok(time), "{expected}");
        }
    }

    #[test]
    fn figures_count_the_others() {
        let pool = |waiting, games, wait_ms| Pool {
            name: PoolName::try_from("free").unwrap(),
            settings: GameSettings {
                rules: fivefold_shared::rules::Rules::TIC_TAC_TOE,
                time: fivefold_shared::clock::TimeControl::None,
                opening: fivefold_shared::opening::OpeningKind::Free,
                rated: false,
            },
            waiting,
            games,
            wait_ms,
        };
        let cases = [
            (
                pool(1, 0, None),
                "nobody else waits here now, no game is running, no game has begun here in the \
                 last hour",
            ),
            (
                pool(2, 1, Some(12_000)),
                "one other person waits here, 1 game is running, the usual wait of the last hour \
                 was 0:12",
            ),
            (
                pool(4, 3, Some(12_000)),
                "3 others wait here, 3 games are running, the usual wait of the last hour was 0:12",
            ),
        ];
        for (pool, expected) in cases {
            assert_eq!(figures(&pool), expected);
        }
    }
}
