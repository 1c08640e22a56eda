//! The statement of a group commit: it writes what many rooms append, and returns the rooms that
//! took it.
//!
//! One statement, because a client that is frozen or cut off between two would keep rows locked.
//! It gets columns as arrays, so its text and its plan are the same for every group. A row of the
//! room's table matches only the owner's epoch and the number of the last event; everything else
//! follows from the rows that matched.
//!
//! Ratings are read before the statement and written by it, as they were counted from what was read. If
//! another node has counted a game of one of the players in between, the number of a change is taken, the
//! whole statement fails, and everything is read again (`ratings.rs`).
//!
//! A game of paired players that begins is alone in its group: if one of them plays elsewhere, the
//! whole statement fails. It writes players in the order of their ids, and deletes others after them,
//! so that two statements never wait for each other.

use std::collections::BTreeSet;

use fivefold_shared::{
    protocol::{NumberedEvent, Player, Visibility},
    record::{FinishedGame, Record},
    room::Entry,
    seat::Seat,
};
use tokio_postgres::{Error, types::ToSql};

use super::{
    connection::Session,
    playing,
    ratings::{self, Counted, RatingColumns},
    schema::EVENT_FORMAT,
    values::{signed, unsigned},
};
use crate::{
    Append, Appended, Conflict, DailySeat, DailySeats, NowPlaying, PoolRating, RatingChange,
    StorageError,
    ratings::{known_ratings::KnownRatings, rated_members},
    values::to_json,
};

/// For groups in which nothing but events is appended to rooms that stay open: nearly all.
const APPEND_EVENTS: &str = "
    WITH moved AS (
        UPDATE room SET seq = a.last, format = greatest(room.format, $12)
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::int[], $6::int[])
            WITH ORDINALITY AS a (code, epoch, follows, last, first, stop, place)
        WHERE room.code = a.code AND room.epoch = a.epoch AND room.seq = a.follows
            AND room.closed_at IS NULL
        RETURNING room.id, a.place, a.first, a.stop
    ), stored AS (
        INSERT INTO event (room, seq, at, member, command, event)
        SELECT moved.id, e.* FROM moved CROSS JOIN LATERAL unnest(
            ($7::bigint[])[first:stop], ($8::bigint[])[first:stop], ($9::text[])[first:stop],
            ($10::text[])[first:stop], ($11::text[])[first:stop]
        ) AS e (seq, at, member, command, event)
    )
    SELECT place FROM moved";

/// For all other groups.
const APPEND: &str = "
    WITH a AS MATERIALIZED (
        SELECT * FROM unnest(
            $1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::int[], $6::int[],
            $12::boolean[], $13::bigint[], $14::boolean[], $15::int[], $16::text[], $17::text[]
        ) WITH ORDINALITY AS a (code, epoch, follows, last, first, stop, closes, at, begins, owner,
            maker, command, place)
    ), moved AS (
        UPDATE room SET seq = coalesce(a.last, room.seq), format = greatest(room.format, $18),
            closed_at = CASE WHEN a.closes THEN
            coalesce(a.at, (SELECT e.at FROM event e WHERE e.room = room.id AND e.seq = room.seq), 0)
            END
        FROM a
        WHERE NOT a.begins AND room.code = a.code AND room.epoch = a.epoch
            AND room.seq = coalesce(a.follows, room.seq) AND room.closed_at IS NULL
        RETURNING room.id, a.place, a.first, a.stop
    ), made AS (
        INSERT INTO room (code, owner, epoch, seq, format, maker, command, closed_at)
        SELECT code, owner, epoch, last, $18, maker, command, CASE WHEN closes THEN at END
        FROM a WHERE begins
        ON CONFLICT DO NOTHING
        RETURNING id, code
    ), won AS MATERIALIZED (
        SELECT id, place, first, stop FROM moved
        UNION ALL
        SELECT made.id, a.place, a.first, a.stop FROM made JOIN a ON a.code = made.code AND a.begins
    ), stored AS (
        INSERT INTO event (room, seq, at, member, command, event)
        SELECT won.id, e.* FROM won CROSS JOIN LATERAL unnest(
            ($7::bigint[])[first:stop], ($8::bigint[])[first:stop], ($9::text[])[first:stop],
            ($10::text[])[first:stop], ($11::text[])[first:stop]
        ) AS e (seq, at, member, command, event)
    ), ended AS (
        INSERT INTO game (code, room, listed, summary, moves)
        SELECT g.code, won.id, g.listed, g.summary, g.moves
        FROM unnest($19::bigint[], $20::text[], $21::boolean[], $22::text[], $23::text[])
            WITH ORDINALITY AS g (place, code, listed, summary, moves, number)
        JOIN won ON won.place = g.place
        ORDER BY g.number
        RETURNING id, code, listed
    ), played AS (
        INSERT INTO player (member, game, listed)
        SELECT p.member, ended.id, ended.listed FROM unnest($24::text[], $25::text[]) AS p (game, member)
        JOIN ended ON ended.code = p.game
        RETURNING member
    ), seated AS MATERIALIZED (
        SELECT DISTINCT ON (s.id) s.id, s.hash, s.name, s.seen_at
        FROM unnest($26::bigint[], $27::text[], $28::bytea[], $29::text[], $30::bigint[])
            WITH ORDINALITY AS s (place, id, hash, name, seen_at, number)
        JOIN won ON won.place = s.place
        WHERE NOT EXISTS (SELECT FROM member o WHERE o.hash = s.hash AND o.id <> s.id)
        ORDER BY s.id, s.number DESC
    ), saved AS (
        INSERT INTO member (id, hash, name, seen_at, has_game)
        SELECT id, hash, name, seen_at, EXISTS (SELECT FROM played WHERE played.member = seated.id)
        FROM seated
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at,
            name = CASE WHEN member.hash = excluded.hash THEN excluded.name ELSE member.name END,
            has_game = member.has_game OR excluded.has_game
    ), flagged AS (
        UPDATE member SET has_game = true
        WHERE NOT has_game AND id IN (SELECT member FROM played)
            AND id NOT IN (SELECT id FROM seated)
    ), begun AS (
        INSERT INTO playing (member, room, seat)
        SELECT p.member, p.room, p.seat
        FROM unnest($33::bigint[], $34::text[], $35::text[], $36::text[])
            AS p (place, member, room, seat)
        JOIN won ON won.place = p.place
        ORDER BY p.member
        ON CONFLICT (member) DO UPDATE SET seat = excluded.seat,
            room = CASE WHEN playing.room = excluded.room THEN excluded.room END
        RETURNING member
    ), gone AS (
        DELETE FROM playing
        WHERE room = ANY (ARRAY(
            SELECT c.room FROM unnest($31::bigint[], $32::text[]) AS c (place, room)
            JOIN won ON won.place = c.place
        )) AND member NOT IN (SELECT member FROM begun)
    ), r AS MATERIALIZED (
        SELECT r.* FROM unnest($37::bigint[], $38::text[], $39::text[], $40::bigint[],
            $41::text[], $42::text[], $43::float8[], $44::float8[], $45::float8[], $46::float8[],
            $47::float8[], $48::bigint[], $49::bigint[], $50::bigint[], $51::bigint[],
            $52::boolean[], $53::bigint[]) AS r (place, member, pool, number, game, result, before,
            deviation_before, after, deviation_after, volatility, games, wins, draws, last_at,
            is_last, at)
        JOIN won ON won.place = r.place
        ORDER BY r.member, r.pool
    ), counted AS (
        INSERT INTO rating (member, pool, value, deviation, volatility, games, wins, draws, last_at,
            changes)
        SELECT member, pool, after, deviation_after, volatility, games, wins, draws, last_at, number
        FROM r WHERE is_last
        ON CONFLICT (member, pool) DO UPDATE SET value = excluded.value,
            deviation = excluded.deviation, volatility = excluded.volatility,
            games = excluded.games, wins = excluded.wins, draws = excluded.draws,
            last_at = excluded.last_at, changes = excluded.changes
    ), changed AS (
        INSERT INTO rating_change (member, pool, number, game, kind, result, before,
            deviation_before, after, deviation_after, at)
        SELECT member, pool, number, game, 'game', result, before, deviation_before, after,
            deviation_after, at
        FROM r
    ), d AS MATERIALIZED (
        SELECT won.id AS room, d.member, d.command, d.digest, d.stones, d.turn, d.flag_at, d.at, d.off_from,
            d.off_until
        FROM unnest($55::bigint[], $56::text[], $57::text[], $58::bigint[], $59::bigint[],
            $60::bigint[], $61::bigint[], $62::bigint[], $63::bigint[], $64::bigint[])
            AS d (place, member, command, digest, stones, turn, flag_at, at, off_from, off_until)
        JOIN won ON won.place = d.place
    ), daily AS (
        INSERT INTO daily_seat (member, room, command, digest, stones, turn, flag_at, turn_at, leaves,
            off_from, off_until, told_from, told_until)
        SELECT d.member, room, command, digest, stones, turn, flag_at, d.at, EXISTS (
                SELECT FROM account WHERE account.member = d.member AND deleted_at IS NOT NULL),
            coalesce(off.starts, 0), coalesce(off.ends, 0), d.off_from, d.off_until
        FROM d LEFT JOIN LATERAL (
            SELECT starts, ends FROM time_off WHERE ends > d.at AND time_off.member
                = coalesce((SELECT account FROM alias WHERE alias.member = d.member), d.member)
            ORDER BY starts DESC LIMIT 1) AS off ON true
        ORDER BY room, d.member
        ON CONFLICT (member, room) DO UPDATE SET digest = excluded.digest, stones = excluded.stones,
            turn_at = CASE WHEN daily_seat.turn IS NOT DISTINCT FROM excluded.turn
                THEN daily_seat.turn_at ELSE excluded.turn_at END,
            turn = excluded.turn, flag_at = excluded.flag_at, leaves = daily_seat.leaves OR excluded.leaves,
            told_from = excluded.told_from, told_until = excluded.told_until
    ), vacated AS (
        DELETE FROM daily_seat
        WHERE room = ANY (ARRAY(
            SELECT won.id FROM unnest($54::bigint[]) AS c (place) JOIN won ON won.place = c.place
        )) AND NOT EXISTS (
            SELECT FROM d WHERE d.room = daily_seat.room AND d.member = daily_seat.member)
    )
    SELECT place FROM won";

/// How the rooms that did not take an append look now.
const SELECT_TAILS: &str = "
    SELECT code, epoch, seq FROM room WHERE code = ANY($1::text[]) AND closed_at IS NULL";

/// A game that is refused is tried again if the other one ended at that moment, and an end if a rating
/// has changed. Each time means that one of the players began or ended another game.
const TRIES_MAX: usize = 16;

/// A group as columns.
#[derive(Debug, Default)]
pub(super) struct Group<'a> {
    rooms: RoomColumns<'a>,
    events: EventColumns<'a>,
    games: GameColumns<'a>,
    players: PlayerColumns<'a>,
    members: MemberColumns<'a>,
    changes: ChangeColumns<'a>,
    playing: PlayingColumns<'a>,
    daily: DailyColumns,
}

/// One row for each append.
#[derive(Debug, Default)]
struct RoomColumns<'a> {
    code: Vec<&'a str>,
    epoch: Vec<i64>,
    /// The number that the log must end with; none if nothing follows.
    follows: Vec<Option<i64>>,
    last: Vec<Option<i64>>,
    /// Where its events begin and end among all, from 1.
    first: Vec<i32>,
    stop: Vec<i32>,
    closes: Vec<bool>,
    at: Vec<Option<i64>>,
    begins: Vec<bool>,
    owner: Vec<i32>,
    maker: Vec<Option<&'a str>>,
    command: Vec<Option<&'a str>>,
}

#[derive(Debug, Default)]
struct EventColumns<'a> {
    seq: Vec<i64>,
    at: Vec<i64>,
    member: Vec<Option<&'a str>>,
    command: Vec<Option<&'a str>>,
    event: Vec<String>,
}

#[derive(Debug, Default)]
struct GameColumns<'a> {
    place: Vec<i64>,
    code: Vec<&'a str>,
    listed: Vec<bool>,
    summary: Vec<String>,
    moves: Vec<String>,
}

#[derive(Debug, Default)]
struct PlayerColumns<'a> {
    game: Vec<&'a str>,
    member: Vec<&'a str>,
}

#[derive(Debug, Default)]
struct MemberColumns<'a> {
    place: Vec<i64>,
    id: Vec<&'a str>,
    hash: Vec<&'a [u8]>,
    name: Vec<&'a str>,
    seen_at: Vec<i64>,
}

/// Rooms in which others play than before, or nobody.
#[derive(Debug, Default)]
struct ChangeColumns<'a> {
    place: Vec<i64>,
    room: Vec<&'a str>,
}

/// The players in rooms of paired players.
#[derive(Debug, Default)]
struct PlayingColumns<'a> {
    place: Vec<i64>,
    member: Vec<&'a str>,
    room: Vec<&'a str>,
    seat: Vec<String>,
}

/// The rooms whose places in daily games change, and the places there.
#[derive(Debug, Default)]
struct DailyColumns {
    changed: Vec<i64>,
    place: Vec<i64>,
    member: Vec<String>,
    command: Vec<Option<String>>,
    digest: Vec<Option<i64>>,
    stones: Vec<Option<i64>>,
    turn: Vec<Option<i64>>,
    flag_at: Vec<Option<i64>>,
    at: Vec<i64>,
    off_from: Vec<Option<i64>>,
    off_until: Vec<Option<i64>>,
}

impl<'a> Group<'a> {
    /// # Errors
    /// If an event cannot be encoded.
    pub(super) fn of(batch: &'a [Append]) -> Result<Self, StorageError> {
        let mut group = Self::default();
        for (append, place) in batch.iter().zip(1..) {
            group.add(append, place)?;
        }
        Ok(group)
    }

    fn add(&mut self, append: &'a Append, place: i64) -> Result<(), StorageError> {
        let first = length(&self.events.seq) + 1;
        for Entry { event: NumberedEvent { seq, at, event }, cause } in &append.entries {
            self.events.seq.push(signed(*seq));
            self.events.at.push(signed(*at));
            self.events.member.push(cause.as_ref().map(|cause| cause.member.as_str()));
            self.events.command.push(cause.as_ref().map(|cause| cause.command.as_str()));
            self.events.event.push(to_json(event)?);
        }
        let rooms = &mut self.rooms;
        let (begin, end) = (append.entries.first(), append.entries.last());
        let cause = begin.and_then(|entry| entry.cause.as_ref());
        rooms.code.push(append.room.as_str());
        rooms.epoch.push(signed(append.epoch.0));
        rooms.follows.push(begin.map(|entry| signed(entry.event.seq) - 1));
        rooms.last.push(end.map(|entry| signed(entry.event.seq)));
        rooms.first.push(first);
        rooms.stop.push(length(&self.events.seq));
        rooms.closes.push(append.closes);
        rooms.at.push(end.map(|entry| signed(entry.event.at)));
        rooms.begins.push(begins(append));
        rooms.owner.push(append.node.get().cast_signed());
        rooms.maker.push(cause.map(|cause| cause.member.as_str()));
        rooms.command.push(cause.map(|cause| cause.command.as_str()));
        for FinishedGame { id, record } in &append.games {
            self.add_game(id.as_str(), record, place)?;
        }
        for member in &append.members {
            self.members.place.push(place);
            self.members.id.push(member.id.as_str());
            self.members.hash.push(&member.hash.0);
            self.members.name.push(member.name.as_str());
            self.members.seen_at.push(signed(member.seen_at));
        }
        self.add_playing(append, place);
        self.daily.add(append, place);
        Ok(())
    }

    fn add_playing(&mut self, append: &'a Append, place: i64) {
        let players = match append.now_playing() {
            NowPlaying::Unchanged => return,
            NowPlaying::Nobody => None,
            NowPlaying::These(players) => Some(players),
        };
        self.changes.place.push(place);
        self.changes.room.push(append.room.as_str());
        let Some(players) = players else { return };
        for seat in Seat::BOTH {
            self.playing.place.push(place);
            self.playing.member.push(players[seat].as_str());
            self.playing.room.push(append.room.as_str());
            self.playing.seat.push(seat.to_string());
        }
    }

    fn add_game(
        &mut self,
        id: &'a str,
        record: &'a Record,
        place: i64,
    ) -> Result<(), StorageError> {
        let Record { summary, moves } = record;
        self.games.place.push(place);
        self.games.code.push(id);
        self.games.listed.push(match summary.visibility {
            Visibility::Public => true,
            Visibility::Private => false,
        });
        self.games.summary.push(to_json(summary)?);
        self.games.moves.push(to_json(moves)?);
        let players = [&summary.players.first, &summary.players.second];
        let members: BTreeSet<_> = players
            .into_iter()
            .filter_map(|player| match player {
                Player::Member { member, .. } => Some(member.as_str()),
                Player::Bot { .. } => None,
            })
            .collect();
        for member in members {
            self.players.game.push(id);
            self.players.member.push(member);
        }
        Ok(())
    }

    /// Whether it only adds events to rooms.
    fn is_plain(&self) -> bool {
        let Self { rooms, games, members, changes, daily, .. } = self;
        let is_plain = |place: usize| {
            !rooms.begins[place] && !rooms.closes[place] && rooms.last[place].is_some()
        };
        let more = [games.code.len(), members.id.len(), changes.room.len(), daily.changed.len()];
        more == [0; 4] && (0..rooms.code.len()).all(is_plain)
    }

    /// Writes the group. Returns the places of the rooms that took it, from 1.
    ///
    /// # Errors
    /// As the database; nothing is written if a player plays elsewhere, or if a rating has changed.
    async fn write(&self, session: &Session, ratings: &RatingColumns) -> Result<Vec<i64>, Error> {
        let Self { rooms, events, games, players, members, changes, playing, daily } = self;
        let mut values: Vec<&(dyn ToSql + Sync)> = vec![
            &rooms.code,
            &rooms.epoch,
            &rooms.follows,
            &rooms.last,
            &rooms.first,
            &rooms.stop,
            &events.seq,
            &events.at,
            &events.member,
            &events.command,
            &events.event,
        ];
        let won = if self.is_plain() {
            values.push(&EVENT_FORMAT);
            session.query(APPEND_EVENTS, &values).await?
        } else {
            values.extend_from_slice(&[
                &rooms.closes as &(dyn ToSql + Sync),
                &rooms.at,
                &rooms.begins,
                &rooms.owner,
                &rooms.maker,
                &rooms.command,
                &EVENT_FORMAT,
                &games.place,
                &games.code,
                &games.listed,
                &games.summary,
                &games.moves,
                &players.game,
                &players.member,
                &members.place,
                &members.id,
                &members.hash,
                &members.name,
                &members.seen_at,
                &changes.place,
                &changes.room,
                &playing.place,
                &playing.member,
                &playing.room,
                &playing.seat,
                &ratings.place,
            ]);
            values.extend(ratings.values());
            values.extend_from_slice(&[
                &daily.changed as &(dyn ToSql + Sync),
                &daily.place,
                &daily.member,
                &daily.command,
                &daily.digest,
                &daily.stones,
                &daily.turn,
                &daily.flag_at,
                &daily.at,
                &daily.off_from,
                &daily.off_until,
            ]);
            session.query(APPEND, &values).await?
        };
        won.iter().map(|row| row.try_get(0)).collect()
    }
}

impl DailyColumns {
    fn add(&mut self, append: &Append, place: i64) {
        let Some(daily) = append.now_daily() else { return };
        let DailySeats { seats, position, at } = &*daily;
        self.changed.push(place);
        for DailySeat { member, command, turn, off } in seats {
            self.place.push(place);
            self.member.push(member.as_str().to_owned());
            self.command.push(command.as_ref().map(|command| command.as_str().to_owned()));
            self.digest.push(position.map(|position| signed(position.digest)));
            self.stones.push(position.map(|position| signed(position.stones as u64)));
            self.turn.push(turn.map(|turn| signed(turn.number)));
            self.flag_at.push(turn.map(|turn| signed(turn.flag_at)));
            self.at.push(signed(*at));
            self.off_from.push(off.map(|off| signed(off.from)));
            self.off_until.push(off.map(|off| signed(off.until)));
        }
    }
}

/// Writes a group, and returns the answers to its appends. The inner error means that a row of the
/// database is damaged.
///
/// # Errors
/// As the database.
pub(super) async fn append(
    session: &Session,
    batch: &[Append],
    group: &Group<'_>,
    known: &KnownRatings<PoolRating>,
) -> Result<Result<Vec<Appended>, StorageError>, Error> {
    let members = rated_members(batch.iter().flat_map(|append| &append.games));
    let mut tries = 0;
    loop {
        tries += 1;
        let counted = ratings::count(session, batch, &members, known).await?;
        let Counted { columns, changes, ratings } = match counted {
            Ok(counted) => counted,
            Err(error) => return Ok(Err(error)),
        };
        let written = group.write(session, &columns).await;
        match &written {
            Ok(won) if won.len() == batch.len() => {
                for member in &members {
                    known.remember(member, ratings.of_member(member).to_vec());
                }
            }
            Ok(_) | Err(_) => known.forget(&members),
        }
        match (written, batch) {
            (Ok(won), _) => return answers(session, batch, &won, changes).await.map(Ok),
            (Err(error), [append]) if playing::is_refused(&error) && tries < TRIES_MAX => {
                if let Some(playing) = playing::elsewhere(session, append).await? {
                    return Ok(playing.map(|playing| vec![Err(Conflict::Playing(playing))]));
                }
                // That game has ended since.
            }
            (Err(error), _) if ratings::is_outdated(&error) && tries < TRIES_MAX => {}
            (Err(error), _) => return Err(error),
        }
    }
}

/// Whether a game of paired players begins, which may be refused.
pub(super) fn begins_game(append: &Append) -> bool {
    match append.now_playing() {
        NowPlaying::These(_) => true,
        NowPlaying::Unchanged | NowPlaying::Nobody => false,
    }
}

/// The answers to a batch, with what each would change in ratings. `won` are the places of the stored appends, counted from 1; the rooms of
/// the others are looked up to tell why.
async fn answers(
    session: &Session,
    batch: &[Append],
    won: &[i64],
    changes: Vec<Vec<RatingChange>>,
) -> Result<Vec<Appended>, Error> {
    if won.len() == batch.len() {
        return Ok(changes.into_iter().map(Ok).collect());
    }
    let won: BTreeSet<_> = won.iter().copied().collect();
    let has_won = |place: i64| won.contains(&place);
    let lost: Vec<_> = batch
        .iter()
        .zip(1..)
        .filter(|(_, place)| !has_won(*place))
        .map(|(append, _)| append.room.as_str())
        .collect();
    let tails = session.query(SELECT_TAILS, &[&lost]).await?;
    let conflict = |append: &Append| -> Result<Conflict, Error> {
        for tail in &tails {
            let (code, epoch, last): (&str, i64, i64) =
                (tail.try_get(0)?, tail.try_get(1)?, tail.try_get(2)?);
            if code == append.room.as_str() && epoch == signed(append.epoch.0) && !begins(append) {
                return Ok(Conflict::Seq { last: unsigned(last) });
            }
        }
        Ok(Conflict::Owner)
    };
    let answer = |((append, place), changes)| {
        if has_won(place) { Ok(Ok(changes)) } else { conflict(append).map(Err) }
    };
    batch.iter().zip(1..).zip(changes).map(answer).collect()
}

fn begins(append: &Append) -> bool {
    append.entries.first().is_some_and(|entry| entry.event.seq == 1)
}

fn length<T>(column: &[T]) -> i32 {
    i32::try_from(column.len()).unwrap_or(i32::MAX)
}
