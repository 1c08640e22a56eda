//! The tables of ratings, puzzles and examinations of rated games, as the formats have added them.

/// What format 4 adds for ratings.
pub(super) const RATINGS: &str = "
    -- What members have in each pool after their last rated game there.
    CREATE TABLE fivefold.rating (
        member text COLLATE \"C\" NOT NULL,
        pool text COLLATE \"C\" NOT NULL,
        value double precision NOT NULL,
        deviation double precision NOT NULL,
        volatility double precision NOT NULL,
        games bigint NOT NULL,
        wins bigint NOT NULL,
        draws bigint NOT NULL,
        last_at bigint NOT NULL,
        -- The number of the last change. A null that is written here makes an append fail.
        changes bigint NOT NULL,
        PRIMARY KEY (member, pool)
    ) WITH (fillfactor = 70);
    CREATE INDEX rating_best ON fivefold.rating (pool, value);

    -- What each rated game changed. The keys make a second change by the same game impossible, and
    -- one that does not follow the last.
    CREATE TABLE fivefold.rating_change (
        member text COLLATE \"C\" NOT NULL,
        pool text COLLATE \"C\" NOT NULL,
        -- Counted from 1.
        number bigint NOT NULL,
        game text COLLATE \"C\" NOT NULL,
        kind text NOT NULL CHECK (kind IN ('game', 'undo')),
        result text NOT NULL CHECK (result IN ('won', 'drawn', 'lost')),
        before double precision NOT NULL,
        deviation_before double precision NOT NULL,
        after double precision NOT NULL,
        deviation_after double precision NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (member, pool, number),
        UNIQUE (game, member, kind)
    );
";

/// What format 5 adds about rated games, for operators.
pub(super) const EXAMINATIONS: &str = "
    -- What is noted about the players of one game. Pruned by `at`.
    CREATE TABLE fivefold.game_mark (
        member text COLLATE \"C\" NOT NULL,
        game text COLLATE \"C\" NOT NULL,
        kind text NOT NULL CHECK (kind IN ('aborted', 'network', 'device')),
        opponent text COLLATE \"C\" NOT NULL,
        -- When the game ended.
        at bigint NOT NULL,
        PRIMARY KEY (member, game, kind)
    );
    CREATE INDEX game_mark_at ON fivefold.game_mark (at);

    -- Rated games that were examined, or that a node examines. Pruned by `at`.
    CREATE TABLE fivefold.examined_game (
        game text COLLATE \"C\" NOT NULL PRIMARY KEY,
        -- When it ended.
        at bigint NOT NULL,
        -- When a node has begun.
        claimed_at bigint NOT NULL,
        -- Whether the engine looks at it.
        engine boolean NOT NULL,
        -- What it shows of both players, as JSON; absent while a node examines it.
        facts text
    );
    CREATE INDEX examined_game_at ON fivefold.examined_game (at);
    CREATE INDEX examined_game_engine ON fivefold.examined_game (claimed_at) WHERE engine;
    CREATE INDEX rating_change_at ON fivefold.rating_change (at) WHERE kind = 'game';
";

/// What format 5 adds for puzzles.
pub(super) const PUZZLE_RATINGS: &str = "
    -- What members have who solve puzzles, and what the puzzles have, after the last try.
    CREATE TABLE fivefold.puzzle_rating (
        side text NOT NULL CHECK (side IN ('member', 'puzzle')),
        id text COLLATE \"C\" NOT NULL,
        value double precision NOT NULL,
        deviation double precision NOT NULL,
        volatility double precision NOT NULL,
        -- The number of the last try.
        tries bigint NOT NULL,
        solved bigint NOT NULL,
        last_at bigint NOT NULL,
        PRIMARY KEY (side, id)
    ) WITH (fillfactor = 70);

    -- What each member's first try at a puzzle changed for both. The keys make a second one
    -- impossible, and one that does not follow the last of either side.
    CREATE TABLE fivefold.puzzle_try (
        member text COLLATE \"C\" NOT NULL,
        -- Counted from 1 among the member's.
        number bigint NOT NULL,
        puzzle text COLLATE \"C\" NOT NULL,
        -- Counted from 1 among those at the puzzle.
        puzzle_number bigint NOT NULL,
        solved boolean NOT NULL,
        before double precision NOT NULL,
        deviation_before double precision NOT NULL,
        after double precision NOT NULL,
        deviation_after double precision NOT NULL,
        puzzle_before double precision NOT NULL,
        puzzle_deviation_before double precision NOT NULL,
        puzzle_after double precision NOT NULL,
        puzzle_deviation_after double precision NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (member, number),
        UNIQUE (member, puzzle),
        UNIQUE (puzzle, puzzle_number)
    );
";
