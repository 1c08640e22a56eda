//! The tables of rooms that sleep, daily games and pushes, as the formats have added them.

/// What format 7 adds about rooms that sleep.
pub(super) const SLEEPING_ROOMS: &str = "
    -- Open rooms that nobody needs for a while. Their owner is -1.
    CREATE TABLE fivefold.sleeping_room (
        room bigint PRIMARY KEY,
        -- Since when nobody has been there.
        empty_since bigint,
        -- When somebody has to open it; absent if it may sleep forever.
        due bigint,
        -- Its place among public rooms; absent for a private one.
        public_rank bigint,
        -- What lists show of it, as JSON.
        listing text NOT NULL
    );
    CREATE INDEX sleeping_room_due ON fivefold.sleeping_room (due) WHERE due IS NOT NULL;
    CREATE INDEX sleeping_room_public ON fivefold.sleeping_room (public_rank, room)
        WHERE public_rank IS NOT NULL;

    -- The members who have them in their lists.
    CREATE TABLE fivefold.sleeping_member (
        member text COLLATE \"C\" NOT NULL,
        room bigint NOT NULL,
        PRIMARY KEY (member, room)
    );
    CREATE INDEX sleeping_member_room ON fivefold.sleeping_member (room);
";

/// What format 8 adds about daily games.
pub(super) const DAILY_SEATS: &str = "
    -- The places in daily games that are open or running: those of players, and of the host before the game.
    CREATE TABLE fivefold.daily_seat (
        member text COLLATE \"C\" NOT NULL,
        room bigint NOT NULL,
        -- The command with which the member made the room.
        command text COLLATE \"C\",
        -- What stands for the position of a rated game, and how many stones it has.
        digest bigint,
        stones bigint,
        -- The number of the member's turn, and when their time ends; absent if it is not their turn.
        turn bigint,
        flag_at bigint,
        -- Since when that is so; absent in a room that has slept since before format 8.
        turn_at bigint,
        -- Whether the member is gone, so that the room has to end the game.
        leaves boolean NOT NULL DEFAULT false,
        -- What the member replies to moves that they expect. Each change has a number, and the room's owner knows one.
        conditional_moves text,
        moves_number bigint NOT NULL DEFAULT 0,
        moves_told bigint NOT NULL DEFAULT 0,
        -- The member's time off; 0 if there is none.
        off_from bigint NOT NULL DEFAULT 0,
        off_until bigint NOT NULL DEFAULT 0,
        -- The same as the game that is running knows it; absent if none is.
        told_from bigint,
        told_until bigint,
        PRIMARY KEY (member, room)
    );
    CREATE INDEX daily_seat_room ON fivefold.daily_seat (room);
    CREATE INDEX daily_seat_news ON fivefold.daily_seat (room)
        WHERE leaves OR off_from <> told_from OR off_until <> told_until
            OR moves_number <> moves_told;
    INSERT INTO fivefold.daily_seat (member, room, told_from, told_until)
        SELECT member, room, 0, 0 FROM fivefold.sleeping_member WHERE room IN (
            SELECT room FROM fivefold.sleeping_room WHERE listing NOT LIKE '%\"phase\":\"finished\"%');
";

/// What format 8 adds about pushes.
pub(super) const PUSHES: &str = "
    -- What the server pushes with: one row.
    CREATE TABLE fivefold.push_server (
        id bigint PRIMARY KEY CHECK (id = 1),
        -- The secret key that signs pushes.
        key bytea NOT NULL,
        -- The database in which they are allowed: a copy of it is another one. Empty in a backup.
        place text NOT NULL,
        -- Reporters have been told of the reports that were decided up to this time.
        reports_told bigint NOT NULL
    );

    -- The browsers that accounts have subscribed.
    CREATE TABLE fivefold.push_subscription (
        endpoint text COLLATE \"C\" NOT NULL PRIMARY KEY,
        member text COLLATE \"C\" NOT NULL,
        session bytea NOT NULL REFERENCES fivefold.session ON DELETE CASCADE,
        -- The browser's public key and its secret.
        p256dh bytea NOT NULL,
        auth bytea NOT NULL,
        language text NOT NULL,
        made_at bigint NOT NULL
    );
    CREATE INDEX push_subscription_member ON fivefold.push_subscription (member);
    CREATE INDEX push_subscription_session ON fivefold.push_subscription (session);

    -- What members want to be told, as JSON.
    CREATE TABLE fivefold.push_setting (
        member text COLLATE \"C\" NOT NULL PRIMARY KEY,
        settings text NOT NULL
    );

    -- Turns in daily games that wait for members who have subscribed.
    CREATE TABLE fivefold.push_game (
        member text COLLATE \"C\" NOT NULL,
        room bigint NOT NULL,
        -- The opponent's name; absent for a bot of the server.
        opponent_name text,
        state text NOT NULL CHECK (state IN ('waiting', 'told', 'seen')),
        -- Since when it waits.
        since bigint NOT NULL,
        -- The turn: the row counts while the member's place in the game has the same one.
        turn bigint NOT NULL,
        -- When the member is told next.
        due bigint,
        PRIMARY KEY (member, room)
    );
    CREATE INDEX push_game_due ON fivefold.push_game (due) WHERE due IS NOT NULL;
    CREATE INDEX push_game_since ON fivefold.push_game (since);

    -- Other news that waits until the quiet hours of members are over.
    CREATE TABLE fivefold.push_news (
        member text COLLATE \"C\" NOT NULL,
        -- What it is about: newer news about the same takes its place.
        subject text COLLATE \"C\" NOT NULL,
        -- As JSON.
        news text NOT NULL,
        -- When the member is told, and until when it is of use.
        due bigint NOT NULL,
        until_at bigint NOT NULL,
        PRIMARY KEY (member, subject)
    );
    CREATE INDEX push_news_due ON fivefold.push_news (due);
";
