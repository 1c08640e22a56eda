//! The tables of rooms that sleep, daily games and pushes, as the formats have added them.

/// What format 13 adds about rooms that sleep.
pub(super) const SLEEPING_ROOMS: &str = "
    -- Open rooms that nobody needs for a while. Their owner is -1.
    CREATE TABLE sleeping_room (
        room INTEGER PRIMARY KEY REFERENCES room,
        -- Since when nobody has been there.
        empty_since INTEGER,
        -- When somebody has to open it; absent if it may sleep forever.
        due INTEGER,
        -- Its place among public rooms; absent for a private one.
        public_rank INTEGER,
        -- What lists show of it, as JSON.
        listing TEXT NOT NULL
    ) STRICT;
    CREATE INDEX sleeping_room_due ON sleeping_room (due) WHERE due IS NOT NULL;
    CREATE INDEX sleeping_room_public ON sleeping_room (public_rank, room)
        WHERE public_rank IS NOT NULL;

    -- The members who have them in their lists.
    CREATE TABLE sleeping_member (
        member TEXT NOT NULL,
        room INTEGER NOT NULL REFERENCES sleeping_room,
        PRIMARY KEY (member, room)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sleeping_member_room ON sleeping_member (room);

    DROP INDEX room_open;
    CREATE INDEX room_open ON room (id) WHERE state = 0 AND owner <> -1;
";

/// What format 14 adds about daily games.
pub(super) const DAILY_SEATS: &str = "
    -- The places in daily games that are open or running: those of players, and of the host before the game.
    CREATE TABLE daily_seat (
        member TEXT NOT NULL,
        room INTEGER NOT NULL REFERENCES room,
        -- The command with which the member made the room.
        command TEXT,
        -- What stands for the position of a rated game, and how many stones it has.
        digest INTEGER,
        stones INTEGER,
        -- The number of the member's turn, and when their time ends; absent if it is not their turn.
        turn INTEGER,
        flag_at INTEGER,
        -- Since when that is so; absent in a room that has slept since before format 14.
        turn_at INTEGER,
        -- Whether the member is gone, so that the room has to end the game.
        leaves INTEGER NOT NULL DEFAULT 0,
        -- What the member replies to moves that they expect. Each change has a number, and the room's owner knows one.
        conditional_moves TEXT,
        moves_number INTEGER NOT NULL DEFAULT 0,
        moves_told INTEGER NOT NULL DEFAULT 0,
        -- The member's time off; 0 if there is none.
        off_from INTEGER NOT NULL DEFAULT 0,
        off_until INTEGER NOT NULL DEFAULT 0,
        -- The same as the game that is running knows it; absent if none is.
        told_from INTEGER,
        told_until INTEGER,
        PRIMARY KEY (member, room)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX daily_seat_room ON daily_seat (room);
    CREATE INDEX daily_seat_news ON daily_seat (room)
        WHERE leaves OR off_from <> told_from OR off_until <> told_until
            OR moves_number <> moves_told;
    INSERT INTO daily_seat (member, room, told_from, told_until)
        SELECT member, room, 0, 0 FROM sleeping_member WHERE room IN (
            SELECT room FROM sleeping_room WHERE listing NOT LIKE '%\"phase\":\"finished\"%');
";

/// What format 14 adds about pushes.
pub(super) const PUSHES: &str = "
    -- What the server pushes with: one row.
    CREATE TABLE push_server (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        -- The secret key that signs pushes.
        key BLOB NOT NULL,
        -- The database in which they are allowed: a copy of it is another one. Empty in a backup.
        place TEXT NOT NULL,
        -- Reporters have been told of the reports that were decided up to this time.
        reports_told INTEGER NOT NULL
    ) STRICT;

    -- The browsers that accounts have subscribed.
    CREATE TABLE push_subscription (
        endpoint TEXT NOT NULL PRIMARY KEY,
        member TEXT NOT NULL,
        session BLOB NOT NULL REFERENCES session ON DELETE CASCADE,
        -- The browser's public key and its secret.
        p256dh BLOB NOT NULL,
        auth BLOB NOT NULL,
        language TEXT NOT NULL,
        made_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX push_subscription_member ON push_subscription (member);
    CREATE INDEX push_subscription_session ON push_subscription (session);

    -- What members want to be told, as JSON.
    CREATE TABLE push_setting (
        member TEXT NOT NULL PRIMARY KEY,
        settings TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- Turns in daily games that wait for members who have subscribed.
    CREATE TABLE push_game (
        member TEXT NOT NULL,
        room INTEGER NOT NULL,
        -- The opponent's name; absent for a bot of the server.
        opponent_name TEXT,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'told', 'seen')),
        -- Since when it waits.
        since INTEGER NOT NULL,
        -- The turn: the row counts while the member's place in the game has the same one.
        turn INTEGER NOT NULL,
        -- When the member is told next.
        due INTEGER,
        PRIMARY KEY (member, room)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX push_game_due ON push_game (due) WHERE due IS NOT NULL;
    CREATE INDEX push_game_since ON push_game (since);

    -- Other news that waits until the quiet hours of members are over.
    CREATE TABLE push_news (
        member TEXT NOT NULL,
        -- What it is about: newer news about the same takes its place.
        subject TEXT NOT NULL,
        -- As JSON.
        news TEXT NOT NULL,
        -- When the member is told, and until when it is of use.
        due INTEGER NOT NULL,
        until_at INTEGER NOT NULL,
        PRIMARY KEY (member, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX push_news_due ON push_news (due);
";
