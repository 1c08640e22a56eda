//! Lists of finished games. The newest of a member are found by their numbers: what a list costs does not depend on
//! how many games there are. A file is asked for one game after another, PostgreSQL once.

use std::{collections::BTreeSet, sync::LazyLock};

use fivefold_shared::{
    protocol::MemberId,
    record::{GameList, ListedGame},
};

use super::{Dialect, Row, Sql, keys, values};
use crate::{
    GameQuery, StorageError,
    limits::AGAINST_LOOKED_AT_MAX,
    values::{from_json, readable},
};

/// The newest games that everybody may see, in a file. 1 is as in the index.
pub(crate) const NEWEST: &str =
    "SELECT id FROM game WHERE listed = 1 AND id < $1 ORDER BY id DESC LIMIT $2";

/// The newest games of one id, public or private, in a file.
pub(crate) const NEWEST_OF: &str = "SELECT game FROM player
    WHERE member = $1 AND listed = $2 AND game < $3 ORDER BY game DESC LIMIT $4";

pub(crate) const SELECT: &str =
    "SELECT code, summary FROM game WHERE id = $1 AND (listed = 1 OR $2)";

/// In PostgreSQL.
pub(crate) const SELECT_LISTED: &str = "
    SELECT id, code, summary FROM game WHERE listed AND id < $1 ORDER BY id DESC LIMIT $2";

/// Games of a member, and of two. What everybody may see has an index of its own, so its condition is part of the
/// text.
pub(crate) static SELECT_OF: LazyLock<Statements> =
    LazyLock::new(|| Statements::of(|listed| with_games(&newest_in("$3", "$2", listed), listed)));
pub(crate) static SELECT_BETWEEN: LazyLock<Statements> = LazyLock::new(|| {
    Statements::of(|listed| {
        let max = AGAINST_LOOKED_AT_MAX.to_string();
        let (own, theirs) = (newest_in("$3", &max, listed), newest_in("$4", &max, listed));
        let both = format!(
            "SELECT game FROM ({own}) AS own JOIN ({theirs}) AS theirs USING (game)
             ORDER BY game DESC LIMIT $2"
        );
        with_games(&both, listed)
    })
});

/// One statement for public games, and one for all.
pub(crate) struct Statements {
    listed: String,
    all: String,
}

impl Statements {
    fn of(text: impl Fn(&str) -> String) -> Self {
        Self { listed: text("AND listed"), all: text("") }
    }

    pub(crate) const fn get(&'static self, unlisted: bool) -> &'static str {
        if unlisted { self.all.as_str() } else { self.listed.as_str() }
    }
}

/// Selects the numbers of a member's newest games, with those of the guests who have become part of the account.
fn newest_in(member: &str, max: &str, listed: &str) -> String {
    format!(
        "SELECT DISTINCT game FROM (
             SELECT {member}::text COLLATE \"C\" AS member
             UNION ALL SELECT member FROM alias WHERE account = {member}
         ) AS id CROSS JOIN LATERAL (
             SELECT game FROM player WHERE player.member = id.member AND game < $1 {listed}
             ORDER BY game DESC LIMIT {max}
         ) AS newest ORDER BY game DESC LIMIT {max}"
    )
}

/// Selects the games of these numbers, each by itself: of a list of unknown length PostgreSQL might rather read the
/// whole table. A game is missing if it is private.
fn with_games(numbers: &str, listed: &str) -> String {
    format!(
        "SELECT found.game, own.code, own.summary FROM ({numbers}) AS found
         LEFT JOIN LATERAL (
             SELECT code, summary FROM game WHERE id = found.game {listed} OFFSET 0
         ) AS own ON true ORDER BY found.game DESC"
    )
}

/// The games that a query asks for. One that is damaged is left out.
pub(super) fn list(sql: &dyn Sql, query: &GameQuery) -> Result<GameList, StorageError> {
    match sql.dialect() {
        Dialect::Sqlite => list_one_by_one(sql, query),
        Dialect::Postgres => list_at_once(sql, query),
    }
}

fn list_at_once(sql: &dyn Sql, query: &GameQuery) -> Result<GameList, StorageError> {
    let before = query.before.unwrap_or(u64::MAX);
    let max = query.max.saturating_add(1);
    let unlisted = query.unlisted;
    let mut rows = match (&query.member, &query.opponent) {
        (Some(member), None) => sql.query(SELECT_OF.get(unlisted), values![before, max, member])?,
        (Some(member), Some(opponent)) => {
            sql.query(SELECT_BETWEEN.get(unlisted), values![before, max, member, opponent])?
        }
        (None, None) if !unlisted => sql.query(SELECT_LISTED, values![before, max])?,
        // As nobody's games are asked for, there are no private ones among them.
        (None, _) => Vec::new(),
    };
    let goes_on = rows.len() > query.max;
    rows.truncate(query.max);
    let mut list = GameList::default();
    for mut row in rows {
        let number = row.get()?;
        list.next = goes_on.then_some(number);
        // It is missing if it is private.
        list.games.extend(readable(listed(&mut row))?.flatten());
    }
    Ok(list)
}

fn list_one_by_one(sql: &dyn Sql, query: &GameQuery) -> Result<GameList, StorageError> {
    let mut numbers = newest(sql, query)?;
    let goes_on = numbers.len() > query.max;
    numbers.truncate(query.max);
    let mut list = GameList::default();
    for number in numbers {
        list.next = goes_on.then_some(number.unsigned_abs());
        let game = sql.row(SELECT, values![number, query.unlisted], listed);
        list.games.extend(readable(game)?.flatten().flatten());
    }
    Ok(list)
}

/// The game in a row of code and summary, if it is there.
fn listed(row: &mut Row) -> Result<Option<ListedGame>, StorageError> {
    let (id, summary): (Option<_>, Option<String>) = (row.get()?, row.get()?);
    let game = id.zip(summary);
    game.map(|(id, summary)| Ok(ListedGame { id, summary: from_json(&summary)? })).transpose()
}

/// The numbers of the games, the newest first: one more than asked for, to see whether the list continues.
pub(crate) fn newest(sql: &dyn Sql, query: &GameQuery) -> Result<Vec<i64>, StorageError> {
    let before = query.before.unwrap_or(u64::MAX);
    let max = query.max.saturating_add(1);
    let of = |member, max| newest_of(sql, member, (before, query.unlisted), max);
    let mut newest = match (&query.member, &query.opponent) {
        (Some(member), None) => of(member, max)?,
        (Some(member), Some(opponent)) => {
            let mut own = of(member, AGAINST_LOOKED_AT_MAX)?;
            let theirs = BTreeSet::from_iter(of(opponent, AGAINST_LOOKED_AT_MAX)?);
            own.retain(|game| theirs.contains(game));
            own
        }
        (None, None) if !query.unlisted => numbers(sql.query(NEWEST, values![before, max])?)?,
        (None, _) => Vec::new(),
    };
    newest.truncate(max);
    Ok(newest)
}

/// The numbers of a member's newest games, with those of the guests who have become part of the account.
fn newest_of(
    sql: &dyn Sql,
    member: &MemberId,
    (before, unlisted): (u64, bool),
    max: usize,
) -> Result<Vec<i64>, StorageError> {
    let mut ids = keys::aliases(sql, member)?;
    ids.push(member.clone());
    let mut games = BTreeSet::new();
    for id in &ids {
        for listed in [true, false].into_iter().take(1 + usize::from(unlisted)) {
            games.extend(numbers(sql.query(NEWEST_OF, values![id, listed, before, max])?)?);
        }
    }
    Ok(games.into_iter().rev().take(max).collect())
}

fn numbers(rows: Vec<Row>) -> Result<Vec<i64>, StorageError> {
    rows.into_iter().map(|mut row| row.get()).collect()
}
