//! Which games count for ratings: agreed before they begin, and decided when they end.
//!
//! It does not know who has an account: the server agrees only for those who have.

use super::{
    data::{Moment, Room},
    effect::Effect,
    rated_or_casual::{Dealings, Terms},
    rated_players::RatedPlayers,
    state::{Game, RoomState},
    timeline::Timeline,
};
use crate::{
    protocol::{GameId, GameRatings, GameSettings, MemberId, Message, PlayerRating, WhyCasual},
    rating_pool::{PoolKind, RatingPool},
    rules::Outcome,
    seat::{BySeat, Seat},
};

/// Stones that both sides together put after the opening in a game that counts: two of each.
const STONES_MIN: usize = 4;

/// A game that has ended, as far as it matters for ratings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ending<'a> {
    /// Both knew from the beginning that it is rated.
    agreed: bool,
    settings: GameSettings,
    /// Whether bots may help in the room, or a bot has chosen a move.
    assisted: bool,
    outcome: &'a Outcome<Seat>,
    /// Stones on the board that were put after the opening.
    stones: usize,
    /// Whether the server has failed and come back since the last act.
    resumed: bool,
}

impl Ending<'_> {
    fn counts(&self) -> bool {
        let Self { agreed, settings, assisted, outcome, stones, resumed } = *self;
        let is_decided = match outcome {
            Outcome::Five { .. } => true,
            // The player may have lost their time by the fault of the server.
            Outcome::Time { .. } => stones >= STONES_MIN && !resumed,
            Outcome::Aborted { .. } => false,
            Outcome::Forbidden { .. }
            | Outcome::Resignation { .. }
            | Outcome::Agreement
            | Outcome::Abandonment { .. }
            | Outcome::FullBoard
            | Outcome::LengthLimit => stones >= STONES_MIN,
        };
        agreed && !assisted && settings.rating_pool().is_ok() && is_decided
    }
}

/// The players of a rated game whose ratings the room does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RatingsDue {
    /// The number of the game.
    pub game: u32,
    /// The id of the game.
    pub id: GameId,
    /// The players' pools of ratings.
    pub pools: BySeat<RatingPool>,
    /// The players.
    pub players: BySeat<MemberId>,
    /// Whether it has ended, and has changed the ratings.
    pub ended: bool,
}

impl Room {
    /// The ratings that the room lacks: those of a rated game at its beginning, and again after its end.
    pub fn ratings_due(&self) -> Option<RatingsDue> {
        let game = self.state.game.as_ref().filter(|game| game.rated)?;
        let has_ended = game.outcome().is_some();
        let ended = has_ended && game.timeline.as_ref().is_some_and(|timeline| timeline.rated);
        if self.ratings_asked == Some((game.number, ended)) || has_ended && !ended {
            return None;
        }
        let pool = RatingPool::of(self.state.rules, self.state.time)?;
        let RatedPlayers { members, bots } = self.state.rated_players.clone()?;
        let pool_of = |is_bot| if is_bot { pool.of_kind(PoolKind::Bots) } else { pool };
        Some(RatingsDue {
            game: game.number,
            id: game.id.clone(),
            pools: BySeat { first: pool_of(bots.first), second: pool_of(bots.second) },
            players: members,
            ended,
        })
    }

    /// Notes ratings that were due, and sends them to everybody.
    pub(super) fn rated(
        &mut self,
        game: u32,
        ended: bool,
        ratings: Option<BySeat<PlayerRating>>,
        moment: &mut Moment<'_>,
    ) {
        if self.ratings_due().is_none_or(|due| (due.game, due.ended) != (game, ended)) {
            return;
        }
        self.ratings_asked = Some((game, ended));
        if let Some(players) = ratings {
            let (room, ratings) = (self.code.clone(), GameRatings { game, players });
            self.ratings = Some(ratings);
            moment.effects.push(Effect::Broadcast(Message::Ratings { room, ratings }));
        }
    }

    /// The ratings of the players of the room's game, as far as they are known.
    pub(super) fn known_ratings(&self) -> Option<GameRatings> {
        let game = self.state.game.as_ref()?;
        self.ratings.filter(|ratings| ratings.game == game.number)
    }

    /// The players of the room's last rated game. Another game of theirs, in the same seats, is rated, too,
    /// unless its terms say why not.
    pub fn rated_players(&self) -> Option<&BySeat<MemberId>> {
        self.state.rated_players.as_ref().map(|players| &players.members)
    }

    /// What the server knows of the players of the last rated game, for their next one.
    pub const fn set_dealings(&mut self, dealings: Dealings) {
        self.dealings = Some(dealings);
    }

    /// How the next game counts: the first one as agreed, and another one of the same two by what they have
    /// played.
    pub(super) fn next_terms(&mut self, number: u32) -> Terms {
        let known = self.dealings.take();
        if number == 1 {
            return self.first_terms;
        }
        let players = RatedPlayers::of(&self.state.seats);
        let Some(last) = &self.state.game else { return Terms::CASUAL };
        if players.is_none() || players != self.state.rated_players {
            return Terms::CASUAL;
        }
        let known = known.unwrap_or(Dealings { short_game: true, ..Dealings::default() });
        // They may have played more stones since in a casual game.
        let took_ms = last.timeline.as_ref().map_or(0, Timeline::took_ms);
        let is_short = self.limits.rematch_after.is_shorter(last.position.ply(), took_ms);
        Terms::of(Dealings {
            one_place: known.one_place || last.casual == Some(WhyCasual::OnePlace),
            short_game: known.short_game && is_short,
            ..known
        })
    }

    /// Whether the running game counts if it ends like this.
    pub(super) fn counts(&self, outcome: &Outcome<Seat>) -> bool {
        let RoomState { rules, time, assistance, .. } = self.state;
        let Some(game) = &self.state.game else { return false };
        let settings =
            GameSettings { rules, time, opening: game.opening.kind(), rated: game.rated };
        let assisted = |game: &Game| {
            game.timeline.as_ref().is_none_or(|timeline| timeline.moves.iter().any(|m| m.assisted))
        };
        let ending = Ending {
            agreed: game.rated,
            settings,
            assisted: assistance || assisted(game),
            outcome,
            stones: game.position.ply().saturating_sub(game.opening.stones()),
            resumed: game.timeline.as_ref().is_none_or(|timeline| timeline.resumed),
        };
        ending.counts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        opening::OpeningKind,
        rules::{Point, Rules, Size, Variant},
    };

    fn settings(variant: Variant, side: u8, time: &str, opening: OpeningKind) -> GameSettings {
        let rules = Rules::new(variant, Size::square(side)).unwrap();
        GameSettings { rules, time: time.parse().unwrap(), opening, rated: true }
    }

    #[test]
    fn games_count_that_are_agreed_timed_balanced_and_played() {
        let usual = settings(Variant::Standard, 15, "5+3", OpeningKind::Swap2);
        let winner = Seat::First;
        let (resigned, flagged) = (Outcome::Resignation { winner }, Outcome::Time { winner });
        let five = Outcome::Five { winner, points: vec![Point::new(0, 0)] };
        let (drawn, aborted) = (Outcome::Agreement, Outcome::Aborted { by: Some(winner) });
        let gone = Outcome::Abandonment { winner: Some(winner) };
        let good = Ending {
            agreed: true,
            settings: usual,
            assisted: false,
            outcome: &resigned,
            stones: STONES_MIN,
            resumed: false,
        };
        let of = |variant, side, time, opening| Ending {
            settings: settings(variant, side, time, opening),
            ..good
        };
        let cases = [
            ("resigned", good, true),
            ("with fewer stones", Ending { stones: STONES_MIN - 1, ..good }, false),
            ("five with fewer", Ending { stones: 0, outcome: &five, ..good }, true),
            ("a draw with fewer", Ending { stones: 3, outcome: &drawn, ..good }, false),
            ("a draw", Ending { outcome: &drawn, ..good }, true),
            ("not agreed", Ending { agreed: false, ..good }, false),
            ("with help", Ending { assisted: true, ..good }, false),
            ("aborted", Ending { outcome: &aborted, stones: 9, ..good }, false),
            ("out of time", Ending { outcome: &flagged, ..good }, true),
            ("after a fault", Ending { outcome: &flagged, resumed: true, ..good }, false),
            ("resigned after a fault", Ending { resumed: true, ..good }, true),
            ("left", Ending { outcome: &gone, ..good }, true),
            ("left early", Ending { outcome: &gone, stones: 2, ..good }, false),
            ("renju", of(Variant::Renju, 15, "10+5", OpeningKind::Soosyrv8), true),
            ("no clock", of(Variant::Standard, 15, "none", OpeningKind::Swap2), false),
            ("small", of(Variant::Standard, 13, "5+3", OpeningKind::Swap2), false),
            ("free", of(Variant::Freestyle, 15, "5+3", OpeningKind::Free), false),
            ("four in a row", of(Variant::Mnk { k: 4 }, 15, "5+3", OpeningKind::Swap2), false),
        ];
        for (name, ending, counts) in cases {
            assert_eq!(ending.counts(), counts, "{name}");
        }
    }
}
