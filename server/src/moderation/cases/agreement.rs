//! Compares how far a person's moves agree with the engine's with what is usual among players of the same
//! rating. It does not know what an operator makes of it.

use std::collections::{BTreeMap, HashSet};

use fivefold_shared::{protocol::MemberId, review::Agreement as OneGame, seat::Seat};
use fivefold_storage::{ExaminedGame, PlayerFacts, limits::BAND_POINTS};
use serde::Serialize;

use crate::limits::signals::{AGREEMENT_GAMES_MIN, AGREEMENT_Z, BAND_GAMES_MIN, BAND_PLAYERS_MIN};

/// How far a person's moves agree with the engine's.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Agreement {
    /// Games with at least one choice that can be compared.
    pub games: usize,
    /// Choices in them.
    pub choices: u32,
    /// The part of the choices in which the person played the engine's first move, from 0 to 1.
    pub firsts: f64,
    /// The mean chance of winning that a choice lost, from 0 to 1.
    pub loss: f64,
    /// The usual numbers; absent while the person, or the others of the rating, have too few games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usual: Option<Usual>,
}

/// The usual numbers of players of the same rating, and how far somebody is from them.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "UsualAgreement"))]
pub struct Usual {
    /// The part of the choices in which they play the engine's first move.
    pub firsts: f64,
    /// The mean chance of winning that a choice loses.
    pub loss: f64,
    /// How many standard deviations more first moves the person has.
    pub firsts_z: f64,
    /// How many standard deviations less the person loses.
    pub loss_z: f64,
}

impl Agreement {
    /// Whether it is so far from what is usual that an operator should look.
    pub(super) fn is_unusual(&self) -> bool {
        self.usual.is_some_and(|usual| usual.firsts_z.max(usual.loss_z) > AGREEMENT_Z)
    }
}

/// The games of everybody with a choice, by bands of ratings.
#[derive(Debug, Default)]
pub(super) struct Bands<'g>(BTreeMap<i64, Vec<Sample<'g>>>);

/// One side of a game.
#[derive(Debug)]
struct Sample<'g> {
    member: &'g MemberId,
    choices: f64,
    firsts: f64,
    loss: f64,
}

/// The usual numbers of one band, for one choice.
struct Band {
    firsts: f64,
    /// How many times more games differ than if all choices were independent; at least 1.
    spread: f64,
    loss: f64,
    loss_variance: f64,
}

impl<'g> Bands<'g> {
    pub(super) fn of(games: &'g [ExaminedGame]) -> Self {
        let mut bands: BTreeMap<i64, Vec<Sample<'g>>> = BTreeMap::new();
        for game in games {
            for facts in Seat::BOTH.map(|seat| &game.facts[seat]) {
                if let Some(OneGame { choices, firsts, loss, .. }) = with_choices(facts) {
                    let (choices, firsts) = (f64::from(choices), f64::from(firsts));
                    let sample = Sample { member: &facts.member, choices, firsts, loss };
                    bands.entry(band(facts.rating)).or_default().push(sample);
                }
            }
        }
        Self(bands)
    }

    /// Compares a person's games with those of others.
    pub(super) fn compare<'p>(
        &self,
        member: &MemberId,
        own: impl Iterator<Item = &'p PlayerFacts>,
    ) -> Agreement {
        let own: Vec<_> =
            own.filter_map(|facts| Some((band(facts.rating), with_choices(facts)?))).collect();
        let (mut all, mut compared) = (Totals::default(), Totals::default());
        own.iter().for_each(|(_, game)| all.add(*game));
        if all.games < AGREEMENT_GAMES_MIN {
            return all.agreement(None);
        }
        let mut bands = BTreeMap::new();
        let (mut expected, mut variance) = ([0.0; 2], [0.0; 2]);
        for (number, game) in own {
            let usual = bands.entry(number).or_insert_with(|| self.usual(number, member));
            let Some(usual) = usual else { continue };
            compared.add(game);
            let choices = f64::from(game.choices);
            expected[0] += choices * usual.firsts;
            variance[0] += choices * usual.firsts * (1.0 - usual.firsts) * usual.spread;
            expected[1] += choices * usual.loss;
            variance[1] += choices * usual.loss_variance;
        }
        if compared.games < AGREEMENT_GAMES_MIN {
            return all.agreement(None);
        }
        let choices = f64::from(compared.choices);
        let z =
            |more: f64, variance: f64| if variance > 0.0 { more / variance.sqrt() } else { 0.0 };
        compared.agreement(Some(Usual {
            firsts: expected[0] / choices,
            loss: expected[1] / choices,
            firsts_z: z(f64::from(compared.firsts) - expected[0], variance[0]),
            loss_z: z(expected[1] - compared.loss, variance[1]),
        }))
    }

    /// The usual numbers of the others of a band; nothing if they have too few games.
    fn usual(&self, band: i64, member: &MemberId) -> Option<Band> {
        let others = || {
            let samples = self.0.get(&band).into_iter().flatten();
            samples.filter(|sample| sample.member != member)
        };
        let people: HashSet<_> = others().map(|sample| sample.member).collect();
        if others().count() < BAND_GAMES_MIN || people.len() < BAND_PLAYERS_MIN {
            return None;
        }
        let choices: f64 = others().map(|sample| sample.choices).sum();
        let firsts = others().map(|sample| sample.firsts).sum::<f64>() / choices;
        let loss = others().map(|sample| sample.loss).sum::<f64>() / choices;
        let squares = |differs: &dyn Fn(&Sample<'_>) -> f64| -> f64 {
            others().map(|sample| differs(sample).powi(2)).sum()
        };
        let independent = choices * firsts * (1.0 - firsts);
        let differs = squares(&|sample| sample.firsts - sample.choices * firsts);
        let spread = if independent > 0.0 { (differs / independent).max(1.0) } else { 1.0 };
        let differs = squares(&|sample| sample.loss - sample.choices * loss);
        Some(Band { firsts, spread, loss, loss_variance: differs / choices })
    }
}

/// Sums over games.
#[derive(Default)]
struct Totals {
    games: usize,
    choices: u32,
    firsts: u32,
    loss: f64,
}

impl Totals {
    fn add(&mut self, game: OneGame) {
        self.games += 1;
        self.choices += game.choices;
        self.firsts += game.firsts;
        self.loss += game.loss;
    }

    fn agreement(&self, usual: Option<Usual>) -> Agreement {
        let Self { games, choices, firsts, loss } = *self;
        let each = |sum: f64| if choices > 0 { sum / f64::from(choices) } else { 0.0 };
        Agreement { games, choices, firsts: each(f64::from(firsts)), loss: each(loss), usual }
    }
}

/// What the engine has found in a game in which the player had a choice.
fn with_choices(facts: &PlayerFacts) -> Option<OneGame> {
    facts.agreement.filter(|game| game.choices > 0)
}

/// The band of a rating.
#[expect(clippy::cast_possible_truncation, reason = "ratings have a few digits")]
fn band(rating: f64) -> i64 {
    (rating / BAND_POINTS).floor() as i64
}
