//! The limits of one room: a server sets [`RoomLimits`], the rest is constant.

use std::time::Duration;

use crate::{
    clock::{DAY_MS, TimeControl},
    protocol,
};

/// Most events that a room keeps in memory for returning members. Members who miss more get a
/// snapshot.
pub const HISTORY_EVENTS_MAX: usize = 256;
/// Most replies that a room remembers for one member, so that a repeated command is done once.
pub const ANSWERS_MAX: usize = protocol::ANSWERS_MAX;
/// Most members whose replies a room remembers. Players and the host do not count: theirs are never
/// evicted for others.
pub const ANSWERED_MEMBERS_MAX: usize = protocol::ANSWERED_MEMBERS_MAX;
/// Most sessions of one member in one room.
pub const MEMBER_SESSIONS_MAX: usize = 16;
/// Most requests for help from bots that one room has under way at once.
pub const ASSIST_JOBS_MAX: usize = 64;
/// Longest time in milliseconds that a room waits for any bot. The bots' own limits are much
/// shorter.
pub const BOT_WAIT_MAX_MS: u64 = 60_000;
/// A bot whose reply has not come moves this long before its flag falls.
pub const BOT_SPARE_MS: u64 = 50;
/// Most events in a room's log. Beyond it members can only leave or resign, and bots finish their
/// game.
pub const ROOM_EVENTS_MAX: u64 = 100_000;
/// After a server outage, the player on turn has this long to come back before their time runs
/// again.
pub const RESUME_GRACE_MS: u64 = 10_000;
/// After a failed commit, a room tries this much later to resume its clock.
pub const RESUME_RETRY_MS: u64 = 1_000;
/// Those who watch a room from other sites are at most the spectators divided by this.
const WATCHERS_PART: usize = 5;
/// Most lines that all spectators of a room together may send within [`SPECTATOR_LINES_WITHIN_MS`].
pub const SPECTATOR_LINES_MAX: usize = 20;
/// See [`SPECTATOR_LINES_MAX`].
pub const SPECTATOR_LINES_WITHIN_MS: u64 = 4_000;
/// Shortest time between two lists of spectators, or of absent players, sent by one room.
pub const SPECTATOR_NEWS_INTERVAL_MS: u64 = 1_000;

/// Most time for the first act of a side in a daily game.
pub const DAILY_FIRST_ACT_MAX_MS: u64 = 3 * DAY_MS;

/// A side's [expected](TimeControl::expected_ms) time from which a game is not fast any more.
pub const NORMAL_FROM_MS: u64 = 3 * 60 * 1_000;
/// The same from which it is slow.
pub const SLOW_FROM_MS: u64 = 10 * 60 * 1_000;

/// The limits of a room that its server sets. An operator may change all but those of rematches, first
/// acts and nudges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoomLimits {
    /// Whether people may chat in rooms.
    pub chat: bool,
    /// Most spectators in one room, without those who watch from other sites.
    pub spectators_max: usize,
    /// Shortest time before a bot replies to a person, however little time it has left.
    pub bot_answer_min: Duration,
    /// Shortest time before a bot replies to another bot, so that people can follow, however little
    /// time it has left.
    pub bot_pace: Duration,
    /// How long a player on turn must be away before the opponent may claim the game.
    pub claim_after: Duration,
    /// How long a player on turn must be away before the game ends by itself.
    pub abandoned_game: Duration,
    /// How long a room stays open with nobody present.
    pub empty_room_close: Duration,
    /// The same where nothing has been played: no game has begun, or it is one against a bot
    /// without a move by the person.
    pub unplayed_room_close: Duration,
    /// The same where the game is over.
    pub finished_room_close: Duration,
    /// The same with bots in both seats, whether their game has ended or not.
    pub bots_room_close: Duration,
    /// The same while a game between two people is running.
    pub abandoned_room_close: Duration,
    /// The shortest game after which a rematch is rated.
    pub rematch_after: ShortestGame,
    /// How long a player of a paired room has for their first act.
    pub first_act: FirstActLimits,
    /// In a game without a clock, how long a present player has had their turn before the opponent
    /// may nudge them.
    pub nudge_after: Duration,
    /// How long they have to act after that, before the opponent may claim the game.
    pub nudge_answer: Duration,
}

impl RoomLimits {
    /// Most who watch one room from other sites: a fifth of the spectators, at least one where there may be any.
    pub const fn watchers_max(&self) -> usize {
        self.spectators_max.div_ceil(WATCHERS_PART)
    }

    /// The defaults.
    pub const DEFAULT: Self = Self {
        chat: true,
        spectators_max: 10_000,
        bot_answer_min: Duration::from_millis(150),
        bot_pace: Duration::from_millis(500),
        claim_after: Duration::from_millis(protocol::CLAIM_AFTER_MS),
        abandoned_game: Duration::from_secs(24 * 60 * 60),
        empty_room_close: Duration::from_secs(60 * 60),
        unplayed_room_close: Duration::from_secs(15 * 60),
        finished_room_close: Duration::from_secs(5 * 60),
        bots_room_close: Duration::from_secs(10),
        abandoned_room_close: Duration::from_secs(24 * 60 * 60),
        rematch_after: ShortestGame { stones: 12, time: Duration::from_secs(60) },
        first_act: FirstActLimits {
            fast: Duration::from_secs(20),
            normal: Duration::from_secs(30),
            slow: Duration::from_secs(35),
            three_stones: Duration::from_secs(20),
        },
        nudge_after: Duration::from_secs(3 * 60),
        nudge_answer: Duration::from_secs(60),
    };
}

/// The least that two have to play before their next game is rated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShortestGame {
    /// So many stones on the board at the end.
    pub stones: usize,
    /// So long from the beginning to the end.
    pub time: Duration,
}

impl ShortestGame {
    /// Whether a game had fewer stones, or took less time.
    pub const fn is_shorter(self, stones: usize, time_ms: u64) -> bool {
        stones < self.stones || (time_ms as u128) < self.time.as_millis()
    }
}

/// How long a player has for the first act in a game with somebody whom the server found for them,
/// by the [expected](TimeControl::expected_ms) time of a side. In a daily game it is the time for a
/// move, or the main time, and at most [`DAILY_FIRST_ACT_MAX_MS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstActLimits {
    /// Where it is less than [`NORMAL_FROM_MS`].
    pub fast: Duration,
    /// Where it is less than [`SLOW_FROM_MS`].
    pub normal: Duration,
    /// Where it is more, or there is no clock.
    pub slow: Duration,
    /// So much more for an act of an opening that puts three stones.
    pub three_stones: Duration,
}

impl FirstActLimits {
    /// The time for an act that puts up to `stones` stones, in a game with this time control.
    pub fn of(&self, time: TimeControl, stones: usize) -> Duration {
        if let Some(side) = time.start().filter(|_| time.is_daily()) {
            return Duration::from_millis(side.left_ms.min(DAILY_FIRST_ACT_MAX_MS));
        }
        let by_speed = match time.expected_ms() {
            Some(..NORMAL_FROM_MS) => self.fast,
            Some(NORMAL_FROM_MS..SLOW_FROM_MS) => self.normal,
            Some(SLOW_FROM_MS..) | None => self.slow,
        };
        if stones >= 3 { by_speed.saturating_add(self.three_stones) } else { by_speed }
    }
}

const _: () = {
    let FirstActLimits { fast, normal, slow, .. } = RoomLimits::DEFAULT.first_act;
    assert!(
        RESUME_GRACE_MS as u128 <= fast.as_millis()
            && fast.as_millis() <= normal.as_millis()
            && normal.as_millis() <= slow.as_millis(),
        "a slower game gives more time, and each at least as much as a player needs to come back"
    );
};

impl Default for RoomLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_act_has_more_time_in_slower_games() {
        let cases = [
            ("179999ms", 0, 20),
            ("3m", 0, 30),
            ("1m+4799ms", 1, 20),
            ("1m+4800ms", 1, 30),
            ("move 23999ms", 1, 30),
            ("move 24s", 1, 35),
            ("599999ms", 0, 30),
            ("10m", 0, 35),
            ("none", 0, 35),
            ("3+2", 2, 30),
            ("3+2", 3, 50),
            ("none", 3, 55),
            ("1d", 1, 24 * 60 * 60),
            ("2d", 3, 2 * 24 * 60 * 60),
            ("3d", 1, 3 * 24 * 60 * 60),
            ("5d", 1, 3 * 24 * 60 * 60),
            ("2d+12h", 1, 2 * 24 * 60 * 60),
            ("7d+12h", 1, 3 * 24 * 60 * 60),
        ];
        for (time, stones, seconds) in cases {
            let limit = RoomLimits::DEFAULT.first_act.of(time.parse().unwrap(), stones);
            assert_eq!(limit, Duration::from_secs(seconds), "{time} {stones}");
        }
    }
}
