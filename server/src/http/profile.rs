//! What a profile shows, put together from what is stored.

use std::{cmp::Reverse, collections::BTreeMap};

use fivefold_shared::{
    profile::{
        Opponent, Placement, Profile, ProfileGame, ProfileRating, PuzzleScore, Results,
        ResultsByStone,
    },
    protocol::{MemberId, Player},
    rating_pool::PoolKind,
    record::{GameSummary, ListedGame},
    rules::Stone,
    seat::{BySeat, Seat},
};
use fivefold_storage::{
    Account, ChangeKind, DELETED_NAME, GameQuery, IdentityHash, PoolRating, PuzzleRating, Reader,
    StorageError, limits::PLACEMENT_GAMES,
};

use crate::limits::ratings::{
    AGAINST_GAMES_MAX, PROFILE_BOARD_PLIES_MAX, PROFILE_GAMES_MAX, PROFILE_OPPONENTS_MAX,
    PROFILE_RESULTS_GAMES_MAX,
};

/// The profile of an account, as this member sees it.
pub(super) fn profile_of(
    reader: &mut Reader,
    account: Account,
    you: Option<&MemberId>,
    now: u64,
) -> Result<Profile, StorageError> {
    let Account { member, name, made_at, owner, .. } = account;
    let bot_of = match owner {
        Some(owner) => reader.member(&owner, IdentityHash([0; 32]))?.map(|owner| owner.name),
        None => None,
    };
    let (placed, own): (Vec<_>, Vec<_>) = reader
        .ratings(&member)?
        .into_iter()
        .partition(|rating| rating.pool.kind == PoolKind::Placement);
    let is_own = you == Some(&member);
    let placed = placed.iter().filter(|_| is_own);
    // A rating takes its place.
    let placements =
        placed.map(placement).filter(|placed| own.iter().all(|own| own.pool != placed.pool));
    let placements = placements.collect();
    let mut ratings: Vec<_> = own.iter().map(|rating| shown(rating, now)).collect();
    ratings.sort_by_key(|rating| Reverse(rating.results.games));
    let query = GameQuery {
        member: Some(member.clone()),
        max: PROFILE_RESULTS_GAMES_MAX,
        ..GameQuery::default()
    };
    let last = reader.games(&query)?.games;
    let ids = Ids::of(reader, &member)?;
    let (by_stone, opponents) = tally(&last, &ids);
    let opponents = most_frequent(reader, opponents)?;
    let games = last.into_iter().take(PROFILE_GAMES_MAX);
    let games = games.filter_map(|game| profile_game(reader, game, &ids).transpose());
    let games = games.collect::<Result<_, _>>()?;
    let against_you = match you.filter(|you| **you != member) {
        Some(you) => Some(against(reader, &member, you)?),
        None => None,
    };
    let puzzles = reader.puzzle_rating(&member)?.map(|own| puzzle_score(&own, now));
    Ok(Profile {
        member,
        name,
        made_at,
        bot_of,
        ratings,
        placements,
        puzzles,
        games,
        by_stone,
        opponents,
        against_you,
    })
}

/// A member, and the guests who have become part of their account.
struct Ids(Vec<MemberId>);

impl Ids {
    fn of(reader: &mut Reader, member: &MemberId) -> Result<Self, StorageError> {
        let mut ids = reader.aliases(member)?;
        ids.push(member.clone());
        Ok(Self(ids))
    }

    /// Their seat in a game; none if they did not play.
    fn seat(&self, game: &GameSummary) -> Option<Seat> {
        Seat::BOTH
            .into_iter()
            .find(|&seat| self.0.iter().any(|id| game.players[seat].is_member(id)))
    }
}

/// A game as a profile shows it.
fn profile_game(
    reader: &mut Reader,
    game: ListedGame,
    ids: &Ids,
) -> Result<Option<ProfileGame>, StorageError> {
    let Some(seat) = ids.seat(&game.summary) else { return Ok(None) };
    let ratings = if game.summary.rated { ratings_before(reader, &game)? } else { None };
    let moves = if game.summary.plies <= PROFILE_BOARD_PLIES_MAX {
        let record = reader.game(&game.id)?;
        record.map(|record| record.moves.iter().map(|made| made.point).collect())
    } else {
        None
    };
    Ok(Some(ProfileGame { game, seat, ratings, moves }))
}

/// The points of both before a rated game.
fn ratings_before(
    reader: &mut Reader,
    game: &ListedGame,
) -> Result<Option<BySeat<u32>>, StorageError> {
    let changes = reader.game_ratings(&game.id)?;
    let [first, second] = Seat::BOTH.map(|seat| {
        let own = changes.iter().find(|change| {
            change.kind == ChangeKind::Game && game.summary.players[seat].is_member(&change.member)
        });
        own.map(|change| points(change.before.value))
    });
    Ok(first.zip(second).map(|(first, second)| BySeat { first, second }))
}

/// How games ended, by stone, and with whom most were played.
fn tally(games: &[ListedGame], ids: &Ids) -> (ResultsByStone, BTreeMap<MemberId, Opponent>) {
    let mut by_stone = ResultsByStone::default();
    let mut opponents: BTreeMap<MemberId, Opponent> = BTreeMap::new();
    for ListedGame { summary, .. } in games {
        let Some(seat) = ids.seat(summary) else { continue };
        let results = match seat.stone(summary.black) {
            Stone::Black => &mut by_stone.black,
            Stone::White => &mut by_stone.white,
        };
        count(results, summary, seat);
        match &summary.players[seat.other()] {
            Player::Member { member, name, .. } if name.as_str() != DELETED_NAME => {
                let opponent = opponents.entry(member.clone()).or_insert_with(|| Opponent {
                    member: member.clone(),
                    name: name.clone(),
                    rated: false,
                    results: Results::default(),
                });
                opponent.rated |= summary.rated;
                count(&mut opponent.results, summary, seat);
            }
            Player::Member { .. } | Player::Bot { .. } => {}
        }
    }
    (by_stone, opponents)
}

/// The most frequent ones. Games against a guest belong to the account of which the guest has become part.
fn most_frequent(
    reader: &mut Reader,
    mut opponents: BTreeMap<MemberId, Opponent>,
) -> Result<Vec<Opponent>, StorageError> {
    let met: Vec<_> = opponents.keys().cloned().collect();
    for (guest, account) in reader.guests_around(&met)? {
        if !opponents.contains_key(&account) {
            continue;
        }
        let as_guest = opponents.remove(&guest);
        if let Some((own, as_guest)) = opponents.get_mut(&account).zip(as_guest) {
            add(&mut own.results, as_guest.results);
        }
    }
    let mut opponents: Vec<_> = opponents.into_values().collect();
    opponents.sort_by(|one, other| {
        let by_games = other.results.games.cmp(&one.results.games);
        by_games.then_with(|| one.name.as_str().cmp(other.name.as_str()))
    });
    opponents.truncate(PROFILE_OPPONENTS_MAX);
    Ok(opponents)
}

/// How the last games between two members ended for the second one.
fn against(
    reader: &mut Reader,
    member: &MemberId,
    you: &MemberId,
) -> Result<Results, StorageError> {
    let query = GameQuery {
        member: Some(you.clone()),
        opponent: Some(member.clone()),
        unlisted: true,
        max: AGAINST_GAMES_MAX,
        ..GameQuery::default()
    };
    let ids = Ids::of(reader, you)?;
    let mut results = Results::default();
    for ListedGame { summary, .. } in reader.games(&query)?.games {
        if let Some(seat) = ids.seat(&summary) {
            count(&mut results, &summary, seat);
        }
    }
    Ok(results)
}

/// Adds a game, as it ended for the player in this seat.
fn count(results: &mut Results, game: &GameSummary, seat: Seat) {
    results.games += 1;
    match game.outcome.winner() {
        Some(winner) if winner == seat => results.won += 1,
        Some(_) => results.lost += 1,
        None => results.drawn += 1,
    }
}

fn add(results: &mut Results, more: Results) {
    results.games += more.games;
    results.won += more.won;
    results.drawn += more.drawn;
    results.lost += more.lost;
}

fn shown(rating: &PoolRating, now: u64) -> ProfileRating {
    let PoolRating { pool, rating, games, wins, draws, .. } = *rating;
    let current = rating.at(now);
    ProfileRating {
        pool,
        rating: points(current.value),
        deviation: points(current.deviation),
        provisional: current.is_provisional(),
        results: Results {
            games,
            won: wins,
            drawn: draws,
            lost: games.saturating_sub(wins + draws),
        },
        last_at: rating.last_at,
    }
}

fn placement(PoolRating { pool, rating, games, .. }: &PoolRating) -> Placement {
    let pool = pool.of_kind(PoolKind::People);
    Placement { pool, games: *games, of: PLACEMENT_GAMES, rating: points(rating.value) }
}

/// What everybody sees of a rating in puzzles.
pub(super) fn puzzle_score(own: &PuzzleRating, now: u64) -> PuzzleScore {
    let PuzzleRating { rating, tries, solved } = *own;
    let current = rating.at(now);
    PuzzleScore {
        rating: points(current.value),
        deviation: points(current.deviation),
        provisional: current.is_provisional(),
        tries,
        solved,
        last_at: rating.last_at,
    }
}

/// Whole points. Ratings and deviations are from 0 to a few thousand.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "such numbers fit after rounding, and others become the nearest that do"
)]
pub(super) fn points(value: f64) -> u32 {
    value.round() as u32
}
