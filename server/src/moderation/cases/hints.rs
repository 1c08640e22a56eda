//! What rated games show of a person: hints for an operator, who decides. Nothing follows from them by itself.
//!
//! They come from what the server has kept of examined games, and from marks, alone.

use std::{collections::BTreeMap, fmt};

use fivefold_shared::{clock::millis, protocol::MemberId, seat::Seat};
use fivefold_storage::{
    ExaminedGame, GameMark, GameResult, MarkKind, MoveTimes, PlayerFacts, limits::DAY,
};
use serde::Serialize;

use super::{
    agreement::{Agreement, Bands},
    words::number,
};
#[cfg(test)]
use crate::http::Named;
use crate::limits::signals::{
    ABORTS_MIN, ABORTS_PERCENT, EVEN_VARIATION, GIVEN_AWAY_CHANCE, GIVEN_AWAY_PERCENT, LOSSES_MIN,
    MANY_A_DAY, ONE_SIDED_PERCENT, SHARED_GAMES_MIN, SHARED_PERCENT, TIMED_MEAN_MS_MIN,
    TIMED_MOVES_MIN,
};

/// What a person's rated games show.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hints {
    /// Rated games looked at.
    pub games: usize,
    /// What an operator should look at.
    pub kinds: Vec<HintKind>,
    /// Opponents on the person's network.
    pub shared: Vec<Shared>,
    /// Opponents with many rated games in a day that one side won almost all of.
    pub one_sided: Vec<OneSided>,
    /// Losses that the engine has looked at.
    pub losses: usize,
    /// Of these, given up, left or lost on time with the game almost won.
    pub given_away: usize,
    /// Paired games that the person left before they began.
    pub aborted: usize,
    /// The times of the person's moves.
    pub times: Times,
    /// The person's moves beside the engine's.
    pub agreement: Agreement,
}

/// A kind of hint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HintKind {
    /// Two people play from one network.
    Network,
    /// Many games of a day that one side won.
    OneSided,
    /// Games are lost that were almost won.
    GivenAway,
    /// Games are left before they begin.
    Aborts,
    /// All moves take the same time.
    EvenTimes,
    /// The moves are those of the engine.
    Engine,
}

/// An opponent on a person's network.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SharedNetwork"))]
pub struct Shared {
    /// The opponent.
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    pub opponent: MemberId,
    /// Their rated games.
    pub games: usize,
    /// Of these, from one network.
    pub network: usize,
    /// Of these, with the same browser or program, too.
    pub device: usize,
}

/// Many rated games with one opponent in a day.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OneSided {
    /// The opponent.
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    pub opponent: MemberId,
    /// Their games on that day.
    pub games: usize,
    /// Of these, won by the person.
    pub won: usize,
    /// The day, in days since the Unix epoch.
    pub day: u64,
}

/// The times of moves.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MoveTimes"))]
pub struct Times {
    /// How many moves.
    pub moves: u32,
    /// Their mean, in milliseconds.
    pub mean_ms: f64,
    /// Their standard deviation, as a part of the mean.
    pub variation: f64,
}

/// Looks at a person's games and marks.
pub(super) fn hints(
    member: &MemberId,
    games: &[&ExaminedGame],
    marks: &[&GameMark],
    bands: &Bands<'_>,
) -> Hints {
    let own: Vec<_> = games.iter().filter_map(|game| Own::of(member, game)).collect();
    let losses: Vec<_> = own.iter().filter_map(|game| game.lost_with_chance()).collect();
    let is_given_away = |(gave_up, chance): &&(bool, f64)| *gave_up && *chance > GIVEN_AWAY_CHANCE;
    let given_away = losses.iter().filter(is_given_away).count();
    let aborted = marks.iter().filter(|mark| mark.kind == MarkKind::Aborted).count();
    let mut hints = Hints {
        games: own.len(),
        kinds: Vec::new(),
        shared: shared(&own, marks),
        one_sided: one_sided(&own),
        losses: losses.len(),
        given_away,
        aborted,
        times: times(own.iter().map(|game| game.facts.times)),
        agreement: bands.compare(member, own.iter().map(|game| game.facts)),
    };
    hints.kinds = hints.found();
    hints
}

impl Hints {
    fn found(&self) -> Vec<HintKind> {
        let Self { games, losses, given_away, aborted, times, .. } = *self;
        let is_above = |part: usize, whole: usize, percent: usize| part * 100 > whole * percent;
        let found = [
            (HintKind::Network, !self.shared.is_empty()),
            (HintKind::OneSided, !self.one_sided.is_empty()),
            (
                HintKind::GivenAway,
                losses >= LOSSES_MIN && is_above(given_away, losses, GIVEN_AWAY_PERCENT),
            ),
            (
                HintKind::Aborts,
                aborted >= ABORTS_MIN && is_above(aborted, games + aborted, ABORTS_PERCENT),
            ),
            (
                HintKind::EvenTimes,
                times.moves >= TIMED_MOVES_MIN
                    && times.mean_ms >= TIMED_MEAN_MS_MIN
                    && times.variation < EVEN_VARIATION,
            ),
            (HintKind::Engine, self.agreement.is_unusual()),
        ];
        found.into_iter().filter(|(_, is_there)| *is_there).map(|(kind, _)| kind).collect()
    }
}

/// A game from a person's side.
struct Own<'g> {
    game: &'g ExaminedGame,
    facts: &'g PlayerFacts,
    opponent: &'g MemberId,
}

impl<'g> Own<'g> {
    fn of(member: &MemberId, game: &'g ExaminedGame) -> Option<Self> {
        let seat = Seat::BOTH.into_iter().find(|seat| game.facts[*seat].member == *member)?;
        let (facts, opponent) = (&game.facts[seat], &game.facts[seat.other()].member);
        Some(Self { game, facts, opponent })
    }

    /// For a loss that the engine has looked at: whether the player gave up, and the chance of winning
    /// then.
    fn lost_with_chance(&self) -> Option<(bool, f64)> {
        let agreement = self.facts.agreement?;
        let is_lost = self.facts.result == GameResult::Lost;
        is_lost.then_some((self.facts.gave_up, agreement.last_chance))
    }
}

fn shared(own: &[Own<'_>], marks: &[&GameMark]) -> Vec<Shared> {
    let mut pairs: BTreeMap<&MemberId, Shared> = BTreeMap::new();
    for Own { game, opponent, .. } in own {
        let has = |kind| marks.iter().any(|mark| mark.kind == kind && mark.game == game.game);
        let pair = pairs.entry(opponent).or_insert_with(|| Shared {
            opponent: (*opponent).clone(),
            games: 0,
            network: 0,
            device: 0,
        });
        pair.games += 1;
        if has(MarkKind::Network) {
            pair.network += 1;
            pair.device += usize::from(has(MarkKind::Device));
        }
    }
    let is_hint = |pair: &Shared| {
        pair.games >= SHARED_GAMES_MIN && pair.network * 100 > pair.games * SHARED_PERCENT
    };
    pairs.into_values().filter(is_hint).collect()
}

fn one_sided(own: &[Own<'_>]) -> Vec<OneSided> {
    let mut pairs: BTreeMap<(u64, &MemberId), (usize, usize, usize)> = BTreeMap::new();
    for Own { game, facts, opponent } in own {
        let day = game.ended_at / millis(DAY);
        let (games, won, lost) = pairs.entry((day, opponent)).or_default();
        *games += 1;
        *won += usize::from(facts.result == GameResult::Won);
        *lost += usize::from(facts.result == GameResult::Lost);
    }
    let is_hint = |(games, won, lost): &(usize, usize, usize)| {
        *games > MANY_A_DAY && *won.max(lost) * 100 > games * ONE_SIDED_PERCENT
    };
    let many = pairs.into_iter().filter(|(_, counts)| is_hint(counts));
    many.map(|((day, opponent), (games, won, _))| OneSided {
        opponent: opponent.clone(),
        games,
        won,
        day,
    })
    .collect()
}

fn times(games: impl Iterator<Item = MoveTimes>) -> Times {
    let sums = games.fold(MoveTimes::default(), |sums, game| MoveTimes {
        moves: sums.moves + game.moves,
        total_ms: sums.total_ms + game.total_ms,
        squares: sums.squares + game.squares,
    });
    if sums.moves == 0 || sums.total_ms <= 0.0 {
        return Times { moves: sums.moves, ..Times::default() };
    }
    let mean_ms = sums.total_ms / f64::from(sums.moves);
    let variance = sums.squares / f64::from(sums.moves) - mean_ms * mean_ms;
    Times { moves: sums.moves, mean_ms, variation: variance.max(0.0).sqrt() / mean_ms }
}

impl fmt::Display for Hints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, losses, given_away, aborted, times, agreement, .. } = self;
        writeln!(
            f,
            "{} examined, {aborted} left before they began; {given_away} of {} given away",
            number(*games, "rated game", "rated games"),
            number(*losses, "loss", "losses")
        )?;
        let Times { moves, mean_ms, variation } = times;
        let seconds = mean_ms / 1_000.0;
        let timed = if *moves == 1 { "move" } else { "moves" };
        writeln!(f, "{moves} {timed} timed: {seconds:.1} s on average, variation {variation:.2}")?;
        let Agreement { games, choices, firsts, loss, usual } = agreement;
        let percent = firsts * 100.0;
        write!(
            f,
            "the engine's first move in {percent:.0} % of {choices} {} in {}, mean loss {loss:.3}",
            if *choices == 1 { "choice" } else { "choices" },
            number(*games, "game", "games")
        )?;
        match usual {
            Some(usual) => {
                let percent = usual.firsts * 100.0;
                let (loss, firsts_z, loss_z) = (usual.loss, usual.firsts_z, usual.loss_z);
                writeln!(
                    f,
                    "; usual: {percent:.0} % (z {firsts_z:.1}), {loss:.3} (z {loss_z:.1})"
                )?;
            }
            None => writeln!(f, "; too few games to compare")?,
        }
        for Shared { opponent, games, network, device } in &self.shared {
            writeln!(
                f,
                "hint: {network} of {games} games with {opponent} from one network, \
                 {device} with the same program"
            )?;
        }
        for OneSided { opponent, games, won, .. } in &self.one_sided {
            writeln!(f, "hint: {games} games with {opponent} in a day, {won} won")?;
        }
        for kind in &self.kinds {
            writeln!(f, "hint: {kind}")?;
        }
        Ok(())
    }
}

impl fmt::Display for HintKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Network => "plays from the network of an opponent",
            Self::OneSided => "many one-sided games in a day",
            Self::GivenAway => "gives won games away",
            Self::Aborts => "leaves games before they begin",
            Self::EvenTimes => "all moves take the same time",
            Self::Engine => "moves like the engine",
        })
    }
}

#[cfg(test)]
mod tests;
