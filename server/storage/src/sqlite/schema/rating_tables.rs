//! The tables of ratings, puzzles and examinations of rated games, as the formats have added them.

/// What format 9 adds for ratings.
pub(super) const RATINGS: &str = "
    -- What members have in each pool after their last rated game there.
    CREATE TABLE rating (
        member TEXT NOT NULL,
        pool TEXT NOT NULL,
        value REAL NOT NULL,
        deviation REAL NOT NULL,
        volatility REAL NOT NULL,
        games INTEGER NOT NULL,
        wins INTEGER NOT NULL,
        draws INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        -- The number of the last change.
        changes INTEGER NOT NULL,
        PRIMARY KEY (member, pool)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX rating_best ON rating (pool, value);

    -- What each rated game changed. The keys make a second change by the same game impossible, and
    -- one that does not follow the last. Changes stay where a damaged game is deleted.
    CREATE TABLE rating_change (
        member TEXT NOT NULL,
        pool TEXT NOT NULL,
        -- Counted from 1.
        number INTEGER NOT NULL,
        game TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('game', 'undo')),
        result TEXT NOT NULL CHECK (result IN ('won', 'drawn', 'lost')),
        before REAL NOT NULL,
        deviation_before REAL NOT NULL,
        after REAL NOT NULL,
        deviation_after REAL NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (member, pool, number)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX rating_change_game ON rating_change (game, member, kind);
";

/// What format 10 adds about rated games, for operators.
pub(super) const EXAMINATIONS: &str = "
    -- What is noted about the players of one game. Pruned by `at`.
    CREATE TABLE game_mark (
        member TEXT NOT NULL,
        game TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('aborted', 'network', 'device')),
        opponent TEXT NOT NULL,
        -- When the game ended.
        at INTEGER NOT NULL,
        PRIMARY KEY (member, game, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX game_mark_at ON game_mark (at);

    -- Rated games that were examined, or that a node examines. Pruned by `at`.
    CREATE TABLE examined_game (
        game TEXT NOT NULL PRIMARY KEY,
        -- When it ended.
        at INTEGER NOT NULL,
        -- When a node has begun.
        claimed_at INTEGER NOT NULL,
        -- Whether the engine looks at it.
        engine INTEGER NOT NULL,
        -- What it shows of both players, as JSON; absent while a node examines it.
        facts TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX examined_game_at ON examined_game (at);
    CREATE INDEX examined_game_engine ON examined_game (claimed_at) WHERE engine = 1;
    CREATE INDEX rating_change_at ON rating_change (at) WHERE kind = 'game';
";

/// What format 10 adds for puzzles.
pub(super) const PUZZLE_RATINGS: &str = "
    -- What members have who solve puzzles, and what the puzzles have, after the last try.
    CREATE TABLE puzzle_rating (
        side TEXT NOT NULL CHECK (side IN ('member', 'puzzle')),
        id TEXT NOT NULL,
        value REAL NOT NULL,
        deviation REAL NOT NULL,
        volatility REAL NOT NULL,
        -- The number of the last try.
        tries INTEGER NOT NULL,
        solved INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        PRIMARY KEY (side, id)
    ) STRICT, WITHOUT ROWID;

    -- What each member's first try at a puzzle changed for both. The keys make a second one
    -- impossible, and one that does not follow the last of either side.
    CREATE TABLE puzzle_try (
        member TEXT NOT NULL,
        -- Counted from 1 among the member's.
        number INTEGER NOT NULL,
        puzzle TEXT NOT NULL,
        -- Counted from 1 among those at the puzzle.
        puzzle_number INTEGER NOT NULL,
        solved INTEGER NOT NULL,
        before REAL NOT NULL,
        deviation_before REAL NOT NULL,
        after REAL NOT NULL,
        deviation_after REAL NOT NULL,
        puzzle_before REAL NOT NULL,
        puzzle_deviation_before REAL NOT NULL,
        puzzle_after REAL NOT NULL,
        puzzle_deviation_after REAL NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (member, number)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX puzzle_try_once ON puzzle_try (member, puzzle);
    CREATE UNIQUE INDEX puzzle_try_puzzle ON puzzle_try (puzzle, puzzle_number);
";

/// What format 11 changes, so that a rated game writes to few pages. Changes of ratings are in the order of
/// time, thus new ones at the end, and each leads to the one before it, as events do. By member, pool and
/// number they would be on a page for each player, and by game on another one.
pub(super) const RATINGS_BY_TIME: &str = "
    ALTER TABLE rating ADD COLUMN
        -- When it last changed.
        changed_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE rating ADD COLUMN
        -- The value in steps of 50 points. Few games change it, and with it the index.
        band INTEGER NOT NULL DEFAULT 0;
    UPDATE rating SET band = CAST(value / 50 AS INTEGER), changed_at = coalesce(
        (SELECT at FROM rating_change AS c
         WHERE c.member = rating.member AND c.pool = rating.pool AND c.number = rating.changes),
        last_at);
    DROP INDEX rating_best;
    CREATE INDEX rating_band ON rating (pool, band);

    ALTER TABLE rating_change RENAME TO rating_change_by_member;
    CREATE TABLE rating_change (
        at INTEGER NOT NULL,
        game TEXT NOT NULL,
        member TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('game', 'undo')),
        pool TEXT NOT NULL,
        -- Counted from 1 among those of the member in the pool.
        number INTEGER NOT NULL,
        -- When the one with the number before happened; absent for the first.
        previous_at INTEGER,
        -- For a list of three, SQLite makes a table at each insertion.
        result TEXT NOT NULL CHECK (result = 'won' OR result = 'drawn' OR result = 'lost'),
        before REAL NOT NULL,
        deviation_before REAL NOT NULL,
        after REAL NOT NULL,
        deviation_after REAL NOT NULL,
        -- A game ends once, so it changes each rating once.
        PRIMARY KEY (at, game, member, kind)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO rating_change
        SELECT at, game, member, kind, pool, number,
            lag(at) OVER (PARTITION BY member, pool ORDER BY number),
            result, before, deviation_before, after, deviation_after
        FROM rating_change_by_member;
    DROP TABLE rating_change_by_member;
    CREATE UNIQUE INDEX rating_change_undo ON rating_change (game, member) WHERE kind = 'undo';
";
