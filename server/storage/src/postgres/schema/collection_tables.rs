//! The tables of collections of games.

/// What format 10 adds about collections.
pub(super) const COLLECTIONS: &str = "
    -- Collections of games, which members keep.
    CREATE TABLE fivefold.collection (
        id text COLLATE \"C\" PRIMARY KEY,
        member text COLLATE \"C\" NOT NULL,
        title text NOT NULL,
        -- Whether others may see it.
        shared boolean NOT NULL,
        -- How many games it has, and the greatest number that one has had.
        games bigint NOT NULL,
        last_number bigint NOT NULL,
        changed_at bigint NOT NULL,
        -- Whether it is deleted: nobody sees it, and its games are deleted step by step.
        deleted boolean NOT NULL DEFAULT false
    );
    CREATE INDEX collection_member ON fivefold.collection (member);
    CREATE INDEX collection_deleted ON fivefold.collection (id) WHERE deleted;

    CREATE TABLE fivefold.collected_game (
        collection text COLLATE \"C\" NOT NULL REFERENCES fivefold.collection,
        number bigint NOT NULL,
        -- Games with the same stones at the end have the same.
        layout text COLLATE \"C\" NOT NULL,
        -- The names of both players in small letters, to search for.
        players text NOT NULL,
        -- As JSON.
        content text NOT NULL,
        PRIMARY KEY (collection, number)
    );
    CREATE UNIQUE INDEX collected_game_layout ON fivefold.collected_game (collection, layout);
";
