//! The tables of collections of games.

/// What format 16 adds about collections.
pub(super) const COLLECTIONS: &str = "
    -- Collections of games, which members keep.
    CREATE TABLE collection (
        id TEXT NOT NULL PRIMARY KEY,
        member TEXT NOT NULL,
        title TEXT NOT NULL,
        -- Whether others may see it.
        shared INTEGER NOT NULL,
        -- How many games it has, and the greatest number that one has had.
        games INTEGER NOT NULL,
        last_number INTEGER NOT NULL,
        changed_at INTEGER NOT NULL,
        -- Whether it is deleted: nobody sees it, and its games are deleted step by step.
        deleted INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX collection_member ON collection (member);
    CREATE INDEX collection_deleted ON collection (id) WHERE deleted;

    CREATE TABLE collected_game (
        collection TEXT NOT NULL REFERENCES collection,
        number INTEGER NOT NULL,
        -- Games with the same stones at the end have the same.
        layout TEXT NOT NULL,
        -- The names of both players in small letters, to search for.
        players TEXT NOT NULL,
        -- As JSON.
        content TEXT NOT NULL,
        PRIMARY KEY (collection, number)
    ) STRICT;
    CREATE UNIQUE INDEX collected_game_layout ON collected_game (collection, layout);
";
