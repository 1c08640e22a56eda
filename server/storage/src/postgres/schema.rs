//! The tables in PostgreSQL, and how a database gets them: created, brought to this server's
//! format, or refused.
//!
//! They are in a schema of their own, so that nothing else in the database is touched.

use tokio_postgres::Error;

use super::{
    connection::Session,
    format::{VERSIONS, format, number, version},
    name_keys, playing,
};
use crate::{
    limits::{EVENT_PARTITION_ROOMS, EVENT_PARTITIONS_AHEAD},
    open_error::VERSION,
};

/// The current format. A migration only adds; what it makes useless goes a release later, so that
/// nodes of two versions can share a database.
pub(super) const FORMAT: i32 = 9;

/// The format of events: a node claims no room whose events it may not know.
pub(super) const EVENT_FORMAT: i32 = 1;

/// The oldest PostgreSQL, as `server_version_num`.
pub(super) const VERSION_MIN: i32 = 150_000;

/// Number of the advisory lock under which tables are created: "5FLD".
const LOCK: i64 = 0x3546_4C44;

/// The tables of format 1. No index mentions a column that changes with each move, so that a move's
/// new row version stays in its page and touches no index (HOT); the fill factor leaves space for it.
const SCHEMA: &str = "
    CREATE SCHEMA fivefold;

    CREATE TABLE fivefold.format (number int NOT NULL);

    -- One row for each server that has joined; numbers are never used twice. A row that is missing
    -- is that of a dead node.
    CREATE TABLE fivefold.node (
        id int GENERATED ALWAYS AS IDENTITY (MINVALUE 1 MAXVALUE 16777215 CACHE 1) PRIMARY KEY,
        name text NOT NULL,
        heartbeat bigint NOT NULL DEFAULT 0,
        -- Never taken back.
        dead boolean NOT NULL DEFAULT false,
        draining boolean NOT NULL DEFAULT false,
        sees_bus boolean NOT NULL DEFAULT true,
        -- The newest format of events that it knows, and the versions of the bus; 0 for a server that
        -- has the database for itself.
        format int NOT NULL,
        bus_min int NOT NULL,
        bus_max int NOT NULL,
        rooms bigint NOT NULL DEFAULT 0,
        sessions bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50);

    CREATE TABLE fivefold.room (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        code text COLLATE \"C\" NOT NULL UNIQUE,
        -- The node that owns it, and how many owners it has had.
        owner int NOT NULL,
        epoch bigint NOT NULL,
        -- The number of the last event; 0 without a log.
        seq bigint NOT NULL,
        -- The newest format of events in its log.
        format int NOT NULL,
        -- The command that created it, and the member who sent that.
        maker text,
        command text,
        -- Time of the last event of a closed room.
        closed_at bigint,
        -- The log was deleted, or the room was never stored.
        forgotten boolean NOT NULL DEFAULT false
    ) WITH (fillfactor = 70);
    CREATE UNIQUE INDEX room_made ON fivefold.room (maker, command) WHERE closed_at IS NULL;
    CREATE INDEX room_open ON fivefold.room (owner) WHERE closed_at IS NULL;
    CREATE INDEX room_closed ON fivefold.room (closed_at)
        WHERE closed_at IS NOT NULL AND NOT forgotten;
    CREATE INDEX room_kept ON fivefold.room (id) WHERE NOT forgotten;

    CREATE TABLE fivefold.event (
        room bigint NOT NULL,
        seq bigint NOT NULL,
        at bigint NOT NULL,
        -- The command that caused it, and the member who sent that.
        member text,
        command text,
        event text NOT NULL,
        PRIMARY KEY (room, seq)
    ) PARTITION BY RANGE (room);

    CREATE TABLE fivefold.game (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        code text COLLATE \"C\" NOT NULL UNIQUE,
        room bigint NOT NULL,
        -- Whether the room is public.
        listed boolean NOT NULL,
        summary text NOT NULL,
        moves text NOT NULL
    );
    CREATE INDEX game_room ON fivefold.game (room);
    CREATE INDEX game_listed ON fivefold.game (id) WHERE listed;

    -- Who played in which game.
    CREATE TABLE fivefold.player (
        member text COLLATE \"C\" NOT NULL,
        game bigint NOT NULL,
        PRIMARY KEY (member, game)
    );

    -- Those who have taken a seat.
    CREATE TABLE fivefold.member (
        -- Derived from the first identity.
        id text COLLATE \"C\" PRIMARY KEY,
        -- Of the current identity; the identity itself is stored nowhere.
        hash bytea NOT NULL UNIQUE,
        name text NOT NULL,
        seen_at bigint NOT NULL,
        -- Members with a finished game are kept.
        has_game boolean NOT NULL DEFAULT false,
        -- Whether the identity was replaced. These members are kept, so that the row refuses the
        -- old identity.
        renewed boolean NOT NULL DEFAULT false
    );
    CREATE INDEX member_without_game ON fivefold.member (seen_at)
        WHERE NOT has_game AND NOT renewed;
";

/// What format 2 adds.
const PLAYING: &str = "
    -- The players in running games of rooms of paired players. A member is in one such game.
    CREATE TABLE fivefold.playing (
        member text COLLATE \"C\" PRIMARY KEY,
        -- A null that is written here makes an append fail.
        room text COLLATE \"C\" NOT NULL,
        seat text NOT NULL
    );
    CREATE INDEX playing_room ON fivefold.playing (room);
";

/// What format 3 adds.
const ACCOUNTS: &str = "
    -- The members who have signed up. Their name is that of the member.
    CREATE TABLE fivefold.account (
        member text COLLATE \"C\" PRIMARY KEY REFERENCES fivefold.member,
        -- Names that people may confuse have the same.
        likeness text COLLATE \"C\" NOT NULL UNIQUE,
        made_at bigint NOT NULL,
        renamed_at bigint,
        -- When the member asked for the deletion.
        deleted_at bigint
    );
    CREATE INDEX account_deleted ON fivefold.account (deleted_at) WHERE deleted_at IS NOT NULL;

    -- What opens an account.
    CREATE TABLE fivefold.key (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        member text COLLATE \"C\" NOT NULL REFERENCES fivefold.account,
        kind text NOT NULL CHECK (kind IN ('password', 'recovery')),
        -- The member's id for a password, the hash of a recovery code.
        lookup bytea NOT NULL,
        -- The hash of a password.
        secret text,
        made_at bigint NOT NULL,
        used_at bigint,
        UNIQUE (kind, lookup)
    );
    CREATE INDEX key_member ON fivefold.key (member);

    CREATE TABLE fivefold.session (
        -- Of the secret in the cookie.
        hash bytea PRIMARY KEY,
        member text COLLATE \"C\" NOT NULL REFERENCES fivefold.account,
        label text NOT NULL,
        made_at bigint NOT NULL,
        seen_at bigint NOT NULL,
        expires_at bigint NOT NULL
    );
    CREATE INDEX session_member ON fivefold.session (member);
    CREATE INDEX session_expires ON fivefold.session (expires_at);
";

/// What format 4 adds about people who spoil it for others.
const MODERATION: &str = "
    -- Whom members have blocked or muted. Members and others need not be stored.
    CREATE TABLE fivefold.block (
        member text COLLATE \"C\" NOT NULL,
        other text COLLATE \"C\" NOT NULL,
        -- The name of the other one then.
        name text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('block', 'mute')),
        at bigint NOT NULL,
        PRIMARY KEY (member, other)
    );
    CREATE INDEX block_other ON fivefold.block (other, at) WHERE kind = 'block';
    CREATE INDEX block_at ON fivefold.block (at);

    CREATE TABLE fivefold.report (
        id text COLLATE \"C\" PRIMARY KEY,
        reporter text COLLATE \"C\" NOT NULL,
        about text COLLATE \"C\" NOT NULL,
        about_name text NOT NULL,
        kind text NOT NULL,
        game text COLLATE \"C\",
        -- The line of chat, as JSON.
        line text,
        text text NOT NULL,
        at bigint NOT NULL,
        state text NOT NULL CHECK (state IN ('open', 'acted', 'dismissed')),
        closed_at bigint
    );
    CREATE INDEX report_open ON fivefold.report (at) WHERE state = 'open';
    CREATE INDEX report_about ON fivefold.report (about, at);
    CREATE INDEX report_reporter ON fivefold.report (reporter, at);
    CREATE INDEX report_closed ON fivefold.report (closed_at) WHERE closed_at IS NOT NULL;

    -- What operators did about members. Rows stay.
    CREATE TABLE fivefold.sanction (
        id text COLLATE \"C\" PRIMARY KEY,
        member text COLLATE \"C\" NOT NULL,
        name text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('note', 'warn', 'mute', 'unrated', 'close')),
        from_at bigint NOT NULL,
        until_at bigint,
        reason text NOT NULL,
        operator text NOT NULL,
        seen_at bigint,
        appeal text,
        answered_at bigint,
        undone_at bigint,
        -- Grows with each change, so that the sum of all tells whether something has changed.
        changes bigint NOT NULL DEFAULT 1
    );
    CREATE INDEX sanction_member ON fivefold.sanction (member, from_at);
    CREATE INDEX sanction_appeal ON fivefold.sanction (from_at)
        WHERE appeal IS NOT NULL AND answered_at IS NULL;

    -- The members with an account who are operators.
    CREATE TABLE fivefold.operator (
        member text COLLATE \"C\" PRIMARY KEY,
        since bigint NOT NULL
    );
";

/// What format 4 adds for accounts: more kinds of keys to them.
const KEYS: &str = "
    ALTER TABLE fivefold.session
        -- When a key to the account was last used in it.
        ADD COLUMN proved_at bigint NOT NULL DEFAULT 0;
    ALTER TABLE fivefold.account
        -- Whose bot it is; absent for people.
        ADD COLUMN owner text COLLATE \"C\";

    CREATE TABLE fivefold.passkey (
        -- What the device calls it.
        id bytea PRIMARY KEY,
        member text COLLATE \"C\" NOT NULL REFERENCES fivefold.account,
        label text NOT NULL,
        -- The public key and its counter.
        credential text NOT NULL,
        made_at bigint NOT NULL,
        used_at bigint
    );
    CREATE INDEX passkey_member ON fivefold.passkey (member);

    -- For programs.
    CREATE TABLE fivefold.token (
        hash bytea PRIMARY KEY,
        member text COLLATE \"C\" NOT NULL REFERENCES fivefold.account,
        label text NOT NULL,
        -- Names with spaces between them.
        scopes text NOT NULL,
        made_at bigint NOT NULL,
        used_at bigint,
        expires_at bigint NOT NULL
    );
    CREATE INDEX token_member ON fivefold.token (member);
    CREATE INDEX token_expires ON fivefold.token (expires_at);

    -- Guests that belong to an account.
    CREATE TABLE fivefold.alias (
        member text COLLATE \"C\" PRIMARY KEY,
        account text COLLATE \"C\" NOT NULL REFERENCES fivefold.account,
        made_at bigint NOT NULL
    );
    CREATE INDEX alias_account ON fivefold.alias (account);
";

/// What format 4 adds for ratings.
const RATINGS: &str = "
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

/// What format 5 adds for bots.
const BOTS: &str = "
    CREATE INDEX account_owner ON fivefold.account (owner) WHERE owner IS NOT NULL;
";

/// What format 5 adds about rated games, for operators.
const EXAMINATIONS: &str = "
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
const PUZZLE_RATINGS: &str = "
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

/// What format 5 adds for accounts that have changed their names.
const OLD_NAMES: &str = "
    -- Lead to the account, and are nobody else's for as long as the row is there.
    CREATE TABLE fivefold.old_name (
        likeness text COLLATE \"C\" PRIMARY KEY,
        member text COLLATE \"C\" NOT NULL,
        name text NOT NULL,
        -- When the account got another name.
        at bigint NOT NULL
    );
    CREATE INDEX old_name_member ON fivefold.old_name (member);
    CREATE INDEX old_name_at ON fivefold.old_name (at);
";

/// What format 6 adds about what operators do: who did it, and when somebody has appealed.
const WHO_DECIDED: &str = "
    ALTER TABLE fivefold.report
        -- The name of an account, or the one given on the command line.
        ADD COLUMN closed_by text;
    ALTER TABLE fivefold.sanction
        ADD COLUMN appealed_at bigint,
        ADD COLUMN answered_by text,
        ADD COLUMN undone_by text;
";

/// What format 6 adds about who played in which game: the newest public games of a member are found among any
/// number of others.
const PLAYER_LISTED: &str = "
    ALTER TABLE fivefold.player
        -- That of the game. Of an older server's games it is true: the game itself decides.
        ADD COLUMN listed boolean NOT NULL DEFAULT true;
    CREATE INDEX player_listed ON fivefold.player (member, game) WHERE listed;
";

/// Fills it: private games are fewer.
pub(super) const FILL_PLAYER_LISTED: &str = "
    UPDATE fivefold.player SET listed = false FROM fivefold.game
    WHERE game.id = player.game AND NOT game.listed";

/// What format 6 adds about the use of accounts.
const TRACES: &str = "
    -- Where accounts were used, as digests. Pruned by `at`.
    CREATE TABLE fivefold.trace (
        member text COLLATE \"C\" NOT NULL,
        kind text COLLATE \"C\" NOT NULL CHECK (kind IN ('address', 'device')),
        mark bigint NOT NULL,
        -- When last.
        at bigint NOT NULL,
        PRIMARY KEY (member, kind, mark)
    );
    CREATE INDEX trace_at ON fivefold.trace (kind, at);
";

/// What format 6 adds about challenges.
const CHALLENGES_FROM: &str = "
    ALTER TABLE fivefold.member
        -- From whom the member takes challenges.
        ADD COLUMN challenges_from text NOT NULL DEFAULT 'everybody'
        CHECK (challenges_from IN ('everybody', 'accounts', 'nobody'));
";

/// What format 7 adds about friends.
const FRIENDS: &str = "
    -- Requests of accounts to be friends with others, and those who are. A pair has one row.
    CREATE TABLE fivefold.friend (
        -- Who has asked.
        member text COLLATE \"C\" NOT NULL,
        other text COLLATE \"C\" NOT NULL,
        state text NOT NULL CHECK (state IN ('asked', 'friends', 'declined')),
        -- When it came to this.
        at bigint NOT NULL,
        -- Which of the two friends has challenged the other, to which game, as JSON, and when.
        challenger text COLLATE \"C\",
        challenge text,
        challenged_at bigint,
        PRIMARY KEY (member, other)
    );
    CREATE INDEX friend_challenged ON fivefold.friend (challenged_at)
        WHERE challenged_at IS NOT NULL;
    CREATE INDEX friend_other ON fivefold.friend (other);
    CREATE INDEX friend_declined ON fivefold.friend (at) WHERE state = 'declined';
    ALTER TABLE fivefold.account
        -- Who may see that the member is online.
        ADD COLUMN online_to text NOT NULL DEFAULT 'friends'
        CHECK (online_to IN ('friends', 'nobody'));
";

/// What format 7 adds about rooms that sleep.
const SLEEPING_ROOMS: &str = "
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

/// What format 8 adds about notes.
const NOTES: &str = "
    -- Notes of members about the games of a room, which only they see.
    CREATE TABLE fivefold.note (
        member text COLLATE \"C\" NOT NULL,
        -- Its code.
        room text COLLATE \"C\" NOT NULL,
        text text NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (member, room)
    );
";

/// What format 8 adds about daily games.
const DAILY_SEATS: &str = "
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
const PUSHES: &str = "
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

/// What format 8 adds about time off.
const TIMES_OFF: &str = "
    -- Periods in which all daily clocks of an account stand still.
    CREATE TABLE fivefold.time_off (
        member text COLLATE \"C\" NOT NULL,
        starts bigint NOT NULL,
        ends bigint NOT NULL,
        PRIMARY KEY (member, starts)
    );
";

/// What format 8 adds about e-mail.
const EMAILS: &str = "
    -- Where accounts get e-mail.
    CREATE TABLE fivefold.email (
        member text COLLATE \"C\" NOT NULL PRIMARY KEY,
        -- Absent until an address is confirmed.
        confirmed text,
        -- The address named last, the hash of the secret that confirms it, and when it was named.
        named text NOT NULL,
        named_hash bytea NOT NULL UNIQUE,
        named_at bigint NOT NULL,
        language text NOT NULL,
        -- The hash of a code that recovers the account, and until when.
        code bytea,
        code_until bigint
    );
";

/// What the formats after 2 add, in their order.
const ADDED: [(i32, &[&str]); 7] = [
    (3, &[ACCOUNTS]),
    (4, &[KEYS, RATINGS, MODERATION]),
    (5, &[BOTS, OLD_NAMES, PUZZLE_RATINGS, EXAMINATIONS]),
    (6, &[WHO_DECIDED, PLAYER_LISTED, FILL_PLAYER_LISTED, TRACES, CHALLENGES_FROM]),
    (7, &[FRIENDS, SLEEPING_ROOMS]),
    (8, &[NOTES, DAILY_SEATS, PUSHES, TIMES_OFF, EMAILS]),
    (9, &[VERSIONS]),
];

/// What a server found in its database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Database {
    /// The tables of this server's format.
    Ready,
    /// An older PostgreSQL, by its `server_version_num`.
    OldServer(i32),
    /// Tables of a newer server, and its version, if they name it.
    Newer(i32, Option<String>),
}

/// Creates the tables, or brings them to this server's format.
///
/// # Errors
/// If the database refuses; nothing has changed then.
pub(super) async fn prepare(session: &Session) -> Result<Database, Error> {
    let version = session.query("SELECT current_setting('server_version_num')::int", &[]).await?;
    let version = number(&version);
    if version < VERSION_MIN {
        return Ok(Database::OldServer(version));
    }
    session.transaction(&lock(), migrate(session)).await
}

async fn migrate(session: &Session) -> Result<Database, Error> {
    let mut format = format(session).await?;
    if format == 0 {
        session.batch(SCHEMA).await?;
        session.batch("INSERT INTO fivefold.format (number) VALUES (1)").await?;
        format = 1;
    }
    if format > FORMAT {
        return Ok(Database::Newer(format, version(session).await?));
    }
    make_partitions(session).await?;
    if format < 2 {
        session.batch(PLAYING).await?;
        playing::fill(session).await?;
    }
    for (_, tables) in ADDED.iter().filter(|(since, _)| *since > format) {
        for table in *tables {
            session.batch(table).await?;
        }
    }
    if format < 6 {
        name_keys::make_again(session).await?;
    }
    if format < FORMAT {
        let update = format!("UPDATE fivefold.format SET number = {FORMAT}, version = '{VERSION}'");
        session.batch(&update).await?;
    }
    Ok(Database::Ready)
}

/// The numbers of the first partition to make, and of the one for the next room.
const SELECT_PARTITIONS: &str = "
    WITH next AS (SELECT coalesce(max(id), 0) / $1 AS room FROM fivefold.room)
    SELECT coalesce((
        SELECT max(substring(c.relname FROM '^event_([0-9]+)$')::bigint) + 1
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'fivefold.event'::regclass
    ), room), room FROM next";

/// Makes the next partitions of `event`, unless they are there: each beside the table, and then
/// attached to it, which delays no append.
pub(super) async fn make_partitions(session: &Session) -> Result<(), Error> {
    for row in session.query(SELECT_PARTITIONS, &[&EVENT_PARTITION_ROOMS]).await? {
        let (first, current): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        for partition in first..=current + EVENT_PARTITIONS_AHEAD {
            let name = format!("fivefold.event_{partition}");
            let (from, to) =
                (partition * EVENT_PARTITION_ROOMS, (partition + 1) * EVENT_PARTITION_ROOMS);
            session
                .batch(&format!(
                    "CREATE TABLE {name} (LIKE fivefold.event INCLUDING DEFAULTS, \
                     CHECK (room >= {from} AND room < {to})); \
                     ALTER TABLE fivefold.event ATTACH PARTITION {name} \
                     FOR VALUES FROM ({from}) TO ({to})"
                ))
                .await?;
        }
    }
    Ok(())
}

/// [`make_partitions`], unless another node does it now.
pub(super) async fn make_partitions_ahead(session: &Session) -> Result<(), Error> {
    session.transaction(&lock(), make_partitions(session)).await
}

/// Waits for other servers that change tables: longer than for a lock of a table.
fn lock() -> String {
    format!(
        "SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock({LOCK}); \
         SET LOCAL lock_timeout = '500ms'"
    )
}
