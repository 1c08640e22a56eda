//! Repairs the ratings in a file: changes follow each other again and lead to the ratings, and each game that counts
//! has changed two. What one damaged cell says is taken from what is beside it.

use std::collections::{BTreeMap, BTreeSet};

use fivefold_shared::{
    protocol::{GameId, MemberId},
    rating_pool::{PoolKind, RatingPool},
    record::{FinishedGame, Record},
};
use rusqlite::{Connection, OptionalExtension};

use super::{ratings, sql::row};
use crate::{
    Findings, PoolRating, RatingChange, StorageError,
    glicko::{Estimate, Rating},
    limits::PLACEMENT_GAMES,
    ratings::{ChangeKind, GameResult, Ratings},
    sql::ratings::{CHANGE, ENDED_AT, RATING, band, change, rating},
    sqlite::cells::{self, Mended},
    values::{from_json, name},
};

/// The changes of a member, by pool.
type Chains = BTreeMap<RatingPool, Vec<Link>>;

/// A change, as far as it is known.
#[derive(Clone, Debug)]
struct Link {
    change: RatingChange,
    /// Whether the file has it. Otherwise its game says that it happened, and its neighbours what it was.
    is_stored: bool,
}

/// Repairs the ratings, unless they are sound.
pub(crate) fn mend(connection: &Connection, mended: &mut Mended) -> Result<(), StorageError> {
    let mut findings = Findings::default();
    match ratings::check(connection, &mut findings) {
        Ok(()) if findings.is_sound() => return Ok(()),
        Ok(()) | Err(StorageError::Damaged(_)) => {}
        Err(error) => return Err(error),
    }
    let mut stored = stored_ratings(connection, mended)?;
    let mut members = stored_changes(connection, mended)?;
    add_lost(connection, &mut members)?;
    for (member, chains) in &mut members {
        mended.cells += mend_member(connection, member, chains, &mut stored)?;
    }
    for (member, pool) in stored.into_keys() {
        let of = (member.as_str(), pool.to_string());
        cells::take_out(connection, "rating", "member = ? AND pool = ?", of, mended)?;
    }
    Ok(())
}

/// The ratings by member and pool. Those that nobody can read are taken out.
fn stored_ratings(
    connection: &Connection,
    mended: &mut Mended,
) -> Result<BTreeMap<(MemberId, RatingPool), PoolRating>, StorageError> {
    let mut select = connection.prepare(&format!("SELECT {RATING}, member FROM rating"))?;
    let mut rows = select.query(())?;
    let (mut found, mut unreadable) = (BTreeMap::new(), Vec::new());
    while let Some(found_row) = rows.next()? {
        let (member, pool): (String, String) = (found_row.get(9)?, found_row.get(0)?);
        match (name::<MemberId>(member.clone()), rating(&mut row(found_row)?)) {
            (Ok(member), Ok(rating)) => {
                found.insert((member, rating.pool), rating);
            }
            _ => unreadable.push((member, pool)),
        }
    }
    for row in unreadable {
        cells::take_out(connection, "rating", "member = ? AND pool = ?", row, mended)?;
    }
    Ok(found)
}

/// The changes by member. Those that nobody can read are taken out.
fn stored_changes(
    connection: &Connection,
    mended: &mut Mended,
) -> Result<BTreeMap<MemberId, Chains>, StorageError> {
    let mut select = connection.prepare(&format!("SELECT {CHANGE} FROM rating_change"))?;
    let mut rows = select.query(())?;
    let (mut members, mut unreadable) = (BTreeMap::<MemberId, Chains>::new(), Vec::new());
    while let Some(found) = rows.next()? {
        match change(&mut row(found)?) {
            Ok(change) => {
                let chains = members.entry(change.member.clone()).or_default();
                chains.entry(change.pool).or_default().push(Link { change, is_stored: true });
            }
            Err(_) => unreadable.push((
                found.get::<_, String>(0)?,
                found.get::<_, String>(3)?,
                found.get::<_, String>(4)?,
                found.get::<_, i64>(10)?,
            )),
        }
    }
    for row in unreadable {
        let which = "member = ? AND game = ? AND kind = ? AND at = ?";
        cells::take_out(connection, "rating_change", which, row, mended)?;
    }
    Ok(members)
}

/// Adds the changes of games that count and have none, and sets the times of all to those of their games.
fn add_lost(
    connection: &Connection,
    members: &mut BTreeMap<MemberId, Chains>,
) -> Result<(), StorageError> {
    let mut ended = connection
        .prepare(&format!("SELECT {ENDED_AT} FROM game WHERE code = ? AND {ENDED_AT} >= 0"))?;
    let mut known = BTreeSet::new();
    for link in members.values_mut().flat_map(BTreeMap::values_mut).flatten() {
        let RatingChange { member, game, kind, at, .. } = &mut link.change;
        if *kind == ChangeKind::Game {
            known.insert((game.clone(), member.clone()));
            let of_game = ended.query_row((game.as_str(),), |row| row.get(0)).optional()?;
            *at = of_game.unwrap_or(*at);
        }
    }
    let mut select = connection.prepare(
        "SELECT code, summary, moves FROM game WHERE instr(summary, '\"rated\":true') > 0",
    )?;
    let mut rows = select.query(())?;
    while let Some(row) = rows.next()? {
        let (code, summary, moves): (String, String, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        let record = from_json(&summary)
            .and_then(|summary| Ok(Record { summary, moves: from_json(&moves)? }));
        let (Ok(id), Ok(record)) = (name::<GameId>(code), record) else { continue };
        for change in Ratings::default().count_all(&[FinishedGame { id, record }]) {
            if !known.contains(&(change.game.clone(), change.member.clone())) {
                let chains = members.entry(change.member.clone()).or_default();
                chains.entry(change.pool).or_default().push(Link { change, is_stored: false });
            }
        }
    }
    Ok(())
}

/// Repairs the ratings of a member, and takes them from `stored`. Returns how many rows were not as they are now.
fn mend_member(
    connection: &Connection,
    member: &MemberId,
    chains: &mut Chains,
    stored: &mut BTreeMap<(MemberId, RatingPool), PoolRating>,
) -> Result<usize, StorageError> {
    let mut mended = 0;
    let mut starts = BTreeMap::new();
    // Where a placement ended, the rating of the pool begins.
    let placements_first = |pool: &RatingPool| pool.kind != PoolKind::Placement;
    let mut pools: Vec<_> = chains.keys().copied().collect();
    pools.sort_by_key(placements_first);
    for pool in pools {
        let Some(chain) = chains.get_mut(&pool) else { continue };
        let own = stored.remove(&(member.clone(), pool));
        let before = chain.clone();
        let rating = join(chain, own, starts.get(&pool).copied());
        if pool.kind == PoolKind::Placement && rating.games >= PLACEMENT_GAMES {
            let start = rating.rating.after_placement().estimate();
            starts.insert(pool.of_kind(PoolKind::People), start);
        }
        mended += write(connection, &before, chain)?;
        mended += write_rating(connection, member, chain, &rating)?;
    }
    Ok(mended)
}

/// Makes changes follow each other, and returns the rating to which they lead.
fn join(chain: &mut [Link], own: Option<PoolRating>, start: Option<Estimate>) -> PoolRating {
    in_order(chain, |link| (link.change.at, link.change.number));
    let stored = |link: &Link| link.is_stored.then_some((link.change.before, link.change.after));
    let known: Vec<_> = chain.iter().map(stored).collect();
    let followed = follow(&known, start, own.map(|own| own.rating.estimate()));
    let (mut games, mut wins, mut draws) = (0_u64, 0_u64, 0_u64);
    for (place, (Link { change, .. }, (before, after))) in
        chain.iter_mut().zip(&followed).enumerate()
    {
        (change.number, change.before, change.after) = (place as u64 + 1, *before, *after);
        let won = u64::from(change.result == GameResult::Won);
        let drawn = u64::from(change.result == GameResult::Drawn);
        (games, wins, draws) = match change.kind {
            ChangeKind::Game => (games + 1, wins + won, draws + drawn),
            ChangeKind::Undo => {
                (games.saturating_sub(1), wins.saturating_sub(won), draws.saturating_sub(drawn))
            }
        };
    }
    let last_at = chain.iter().rev().find(|link| link.change.kind == ChangeKind::Game);
    let last_at = last_at.map(|link| link.change.at);
    let end = followed.last().map_or(Rating::NEW.estimate(), |(_, after)| *after);
    PoolRating {
        pool: chain[0].change.pool,
        rating: ended(end, own.map(|own| own.rating), last_at),
        games,
        wins,
        draws,
        changes: chain.len() as u64,
    }
}

/// Sorts changes by their numbers, if they have all from 1 on; otherwise by their times, which a clock that was set
/// back may have in another order.
pub(super) fn in_order<T>(chain: &mut [T], key: impl Fn(&T) -> (u64, u64)) {
    let mut numbers: Vec<_> = chain.iter().map(|change| key(change).1).collect();
    numbers.sort_unstable();
    let is_whole = numbers.into_iter().eq(1..=chain.len() as u64);
    chain.sort_by_key(|change| {
        let (at, number) = key(change);
        (if is_whole { 0 } else { at }, number)
    });
}

/// A rating after its last change, as certain as it was.
pub(super) fn ended(end: Estimate, own: Option<Rating>, last_at: Option<u64>) -> Rating {
    let Estimate { value, deviation } = end;
    let volatility = own.map(|own| own.volatility).filter(|own| (0.0..1.0).contains(own));
    let volatility = volatility.unwrap_or(Rating::NEW.volatility);
    Rating { value, deviation, volatility, last_at }
}

/// What was before and after each of some changes: each begins where the one before ended, and the last one leads to
/// the rating. Changes whose row is lost are unknown.
pub(super) fn follow(
    changes: &[Option<(Estimate, Estimate)>],
    start: Option<Estimate>,
    end: Option<Estimate>,
) -> Vec<(Estimate, Estimate)> {
    let first = changes.first().copied().flatten().map(|(before, _)| before);
    let mut before = start.or(first).unwrap_or_else(|| Rating::NEW.estimate());
    let mut followed = Vec::with_capacity(changes.len());
    for (place, own) in changes.iter().enumerate() {
        let after = own.map(|(_, after)| after);
        let next = match changes.get(place + 1) {
            Some(next) => next.map(|(before, _)| before),
            None => end,
        };
        let after = match (after, next) {
            (Some(after), Some(next)) => nearest(before, after, next),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => before,
        };
        followed.push((before, after));
        before = after;
    }
    followed
}

/// Of what two say, that which is less far away: a game changes little.
fn nearest(from: Estimate, one: Estimate, other: Estimate) -> Estimate {
    let choose = |from: f64, one: f64, other: f64| {
        if (other - from).abs() < (one - from).abs() { other } else { one }
    };
    Estimate {
        value: choose(from.value, one.value, other.value),
        deviation: choose(from.deviation, one.deviation, other.deviation),
    }
}

/// Replaces the stored changes of one rating by what they are now, where something differs.
fn write(connection: &Connection, before: &[Link], chain: &[Link]) -> Result<usize, StorageError> {
    let mut previous_at = None;
    let mut due = Vec::new();
    for Link { change, .. } in chain {
        due.push((change, previous_at.replace(change.at)));
    }
    let mut is_there = connection.prepare_cached(
        "SELECT 1 FROM rating_change WHERE at = ? AND game = ? AND member = ? AND kind = ?
             AND pool = ? AND number = ? AND before = ? AND deviation_before = ? AND after = ?
             AND deviation_after = ? AND previous_at IS ?",
    )?;
    let mut wrong = before.iter().filter(|link| link.is_stored).count().abs_diff(chain.len());
    for (change, previous_at) in &due {
        let RatingChange { game, member, pool, kind, before, after, number, at, .. } = change;
        let kind: &str = kind.into();
        let is_right = is_there.exists(rusqlite::params![
            at,
            game.as_str(),
            member.as_str(),
            kind,
            pool.to_string(),
            number,
            before.value,
            before.deviation,
            after.value,
            after.deviation,
            previous_at
        ])?;
        wrong += usize::from(!is_right);
    }
    if wrong == 0 {
        return Ok(0);
    }
    let Some(RatingChange { member, pool, .. }) = chain.first().map(|link| &link.change) else {
        return Ok(0);
    };
    connection.execute(
        "DELETE FROM rating_change WHERE member = ? AND pool = ?",
        (member.as_str(), pool.to_string()),
    )?;
    for (change, previous_at) in due {
        ratings::insert_change(connection, change, previous_at)?;
    }
    Ok(wrong)
}

/// Writes a rating, if it is not as stored.
fn write_rating(
    connection: &Connection,
    member: &MemberId,
    chain: &[Link],
    own: &PoolRating,
) -> Result<usize, StorageError> {
    let Some(last) = chain.last() else { return Ok(0) };
    let Rating { value, deviation, volatility, last_at } = own.rating;
    let at = last.change.at;
    let row = rusqlite::params![
        member.as_str(),
        own.pool.to_string(),
        value,
        deviation,
        volatility,
        own.games,
        own.wins,
        own.draws,
        last_at.unwrap_or(at),
        own.changes,
        at,
        band(value)
    ];
    let is_there = connection
        .prepare_cached(
            "SELECT 1 FROM rating WHERE member = ? AND pool = ? AND value = ? AND deviation = ?
                 AND volatility = ? AND games = ? AND wins = ? AND draws = ? AND last_at = ?
                 AND changes = ? AND changed_at = ? AND band = ?",
        )?
        .exists(row)?;
    if is_there {
        return Ok(0);
    }
    Ok(connection.prepare_cached(ratings::REPLACE_RATING)?.execute(row)?)
}
