//! The tables of the database, and how to tell a database of Fivefold from other files.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::process::add_version;
use crate::name_keys::{OldKey, made_again};

/// Marks a database of Fivefold: "5FLD".
pub(crate) const APPLICATION_ID: i32 = 0x3546_4C44;

/// The current format. Formats 1 to 6 were written before the first release; no server reads them.
pub(crate) const FORMAT: u32 = 15;

/// The oldest format that a server brings to the current one. A server that raises it names in
/// [`OpenError`](crate::OpenError) the last version that upgrades older ones.
pub(crate) const OLDEST_FORMAT: u32 = 7;

/// The room is open.
pub(crate) const OPEN: u8 = 0;
/// The room is closed, and its log is there.
pub(crate) const CLOSED: u8 = 1;
/// The room is closed and has no log: it was deleted, or the room was never stored.
pub(crate) const CLOSED_WITHOUT_LOG: u8 = 2;

/// `room.last` leads to a room's last event, and `event.previous` from there to the first. A commit
/// thus appends to the end of `event` and changes a few pages of `room`: the moves of a hundred
/// rooms take a dozen pages. An index by room and number would take a page for each room, and a
/// commit two to three times as long. `append` guarantees unique numbers per room: it compares
/// `room.seq` in the transaction that writes it.
///
/// `room.seq` and `room.last` change with each move, so no index mentions them.
///
/// These are the tables of format 7.
const SCHEMA: &str = "
    -- One row for each start of a server; ids are never used twice.
    CREATE TABLE process (id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;

    CREATE TABLE room (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL UNIQUE,
        -- The process that created or claimed it, and how many owners it has had.
        owner INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        -- The number and the id of the last event; 0 without a log.
        seq INTEGER NOT NULL,
        last INTEGER NOT NULL,
        -- 0 open, 1 closed, 2 closed and without a log.
        state INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX room_open ON room (id) WHERE state = 0;
    CREATE INDEX room_closed ON room (id) WHERE state = 1;

    CREATE TABLE event (
        id INTEGER PRIMARY KEY,
        room INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,
        -- The command that caused it, and the member who sent that.
        member TEXT,
        command TEXT,
        event TEXT NOT NULL,
        -- The id of the event before it in the room; 0 for the first.
        previous INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE game (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL UNIQUE,
        room INTEGER NOT NULL REFERENCES room,
        -- Whether the room is public.
        listed INTEGER NOT NULL,
        summary TEXT NOT NULL,
        moves TEXT NOT NULL
    ) STRICT;
    CREATE INDEX game_room ON game (room);
    CREATE INDEX game_listed ON game (id) WHERE listed = 1;

    -- Who played in which game.
    CREATE TABLE player (
        member TEXT NOT NULL,
        game INTEGER NOT NULL REFERENCES game,
        PRIMARY KEY (member, game)
    ) STRICT, WITHOUT ROWID;

    -- Those who have taken a seat.
    CREATE TABLE member (
        -- Derived from the first identity.
        id TEXT NOT NULL PRIMARY KEY,
        -- Of the current identity; the identity itself is stored nowhere.
        hash BLOB NOT NULL UNIQUE,
        name TEXT NOT NULL,
        seen_at INTEGER NOT NULL,
        -- Members with a finished game are kept.
        has_game INTEGER NOT NULL DEFAULT 0,
        -- Whether the identity was replaced. These members are kept, so that the row refuses the
        -- old identity.
        renewed INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX member_without_game ON member (seen_at) WHERE has_game = 0 AND renewed = 0;
";

/// What format 8 adds.
const ACCOUNTS: &str = "
    -- The members who have signed up. Their name is that of the member.
    CREATE TABLE account (
        member TEXT NOT NULL PRIMARY KEY REFERENCES member,
        -- Names that people may confuse have the same.
        likeness TEXT NOT NULL UNIQUE,
        made_at INTEGER NOT NULL,
        renamed_at INTEGER,
        -- When the member asked for the deletion.
        deleted_at INTEGER
    ) STRICT;
    CREATE INDEX account_deleted ON account (deleted_at) WHERE deleted_at IS NOT NULL;

    -- What opens an account.
    CREATE TABLE key (
        id INTEGER PRIMARY KEY,
        member TEXT NOT NULL REFERENCES account,
        kind TEXT NOT NULL CHECK (kind IN ('password', 'recovery')),
        -- The member's id for a password, the hash of a recovery code.
        lookup BLOB NOT NULL,
        -- The hash of a password.
        secret TEXT,
        made_at INTEGER NOT NULL,
        used_at INTEGER,
        UNIQUE (kind, lookup)
    ) STRICT;
    CREATE INDEX key_member ON key (member);

    CREATE TABLE session (
        -- Of the secret in the cookie.
        hash BLOB NOT NULL PRIMARY KEY,
        member TEXT NOT NULL REFERENCES account,
        label TEXT NOT NULL,
        made_at INTEGER NOT NULL,
        seen_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX session_member ON session (member);
    CREATE INDEX session_expires ON session (expires_at);
";

/// What format 9 adds about people who spoil it for others.
const MODERATION: &str = "
    -- Whom members have blocked or muted. Members and others need not be stored.
    CREATE TABLE block (
        member TEXT NOT NULL,
        other TEXT NOT NULL,
        -- The name of the other one then.
        name TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('block', 'mute')),
        at INTEGER NOT NULL,
        PRIMARY KEY (member, other)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX block_other ON block (other, at) WHERE kind = 'block';
    CREATE INDEX block_at ON block (at);

    CREATE TABLE report (
        id TEXT NOT NULL PRIMARY KEY,
        reporter TEXT NOT NULL,
        about TEXT NOT NULL,
        about_name TEXT NOT NULL,
        kind TEXT NOT NULL,
        game TEXT,
        -- The line of chat, as JSON.
        line TEXT,
        text TEXT NOT NULL,
        at INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'acted', 'dismissed')),
        closed_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX report_open ON report (at) WHERE state = 'open';
    CREATE INDEX report_about ON report (about, at);
    CREATE INDEX report_reporter ON report (reporter, at);
    CREATE INDEX report_closed ON report (closed_at) WHERE closed_at IS NOT NULL;

    -- What operators did about members. Rows stay.
    CREATE TABLE sanction (
        id TEXT NOT NULL PRIMARY KEY,
        member TEXT NOT NULL,
        name TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('note', 'warn', 'mute', 'unrated', 'close')),
        from_at INTEGER NOT NULL,
        until_at INTEGER,
        reason TEXT NOT NULL,
        operator TEXT NOT NULL,
        seen_at INTEGER,
        appeal TEXT,
        answered_at INTEGER,
        undone_at INTEGER,
        -- Grows with each change, so that the sum of all tells whether something has changed.
        changes INTEGER NOT NULL DEFAULT 1
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sanction_member ON sanction (member, from_at);
    CREATE INDEX sanction_appeal ON sanction (from_at)
        WHERE appeal IS NOT NULL AND answered_at IS NULL;

    -- The members with an account who are operators.
    CREATE TABLE operator (
        member TEXT NOT NULL PRIMARY KEY,
        since INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// What format 9 adds for accounts: more kinds of keys to them.
const KEYS: &str = "
    ALTER TABLE session ADD COLUMN
        -- When a key to the account was last used in it.
        proved_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN
        -- Whose bot it is; absent for people.
        owner TEXT;

    CREATE TABLE passkey (
        -- What the device calls it.
        id BLOB NOT NULL PRIMARY KEY,
        member TEXT NOT NULL REFERENCES account,
        label TEXT NOT NULL,
        -- The public key and its counter.
        credential TEXT NOT NULL,
        made_at INTEGER NOT NULL,
        used_at INTEGER
    ) STRICT;
    CREATE INDEX passkey_member ON passkey (member);

    -- For programs.
    CREATE TABLE token (
        hash BLOB NOT NULL PRIMARY KEY,
        member TEXT NOT NULL REFERENCES account,
        label TEXT NOT NULL,
        -- Names with spaces between them.
        scopes TEXT NOT NULL,
        made_at INTEGER NOT NULL,
        used_at INTEGER,
        expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX token_member ON token (member);
    CREATE INDEX token_expires ON token (expires_at);

    -- Guests that belong to an account.
    CREATE TABLE alias (
        member TEXT NOT NULL PRIMARY KEY,
        account TEXT NOT NULL REFERENCES account,
        made_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX alias_account ON alias (account);
";

/// What format 9 adds for ratings.
const RATINGS: &str = "
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

/// What format 10 adds for bots.
const BOTS: &str = "
    CREATE INDEX account_owner ON account (owner) WHERE owner IS NOT NULL;
";

/// What format 10 adds about rated games, for operators.
const EXAMINATIONS: &str = "
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
const PUZZLE_RATINGS: &str = "
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

/// What format 10 adds for accounts that have changed their names.
const OLD_NAMES: &str = "
    -- Lead to the account, and are nobody else's for as long as the row is there.
    CREATE TABLE old_name (
        likeness TEXT NOT NULL PRIMARY KEY,
        member TEXT NOT NULL,
        name TEXT NOT NULL,
        -- When the account got another name.
        at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX old_name_member ON old_name (member);
    CREATE INDEX old_name_at ON old_name (at);
";

/// What format 11 changes, so that a rated game writes to few pages. Changes of ratings are in the order of
/// time, thus new ones at the end, and each leads to the one before it, as events do. By member, pool and
/// number they would be on a page for each player, and by game on another one.
const RATINGS_BY_TIME: &str = "
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

/// What format 12 adds about what operators do: who did it, and when somebody has appealed.
const WHO_DECIDED: &str = "
    ALTER TABLE report ADD COLUMN
        -- The name of an account, or the one given on the command line.
        closed_by TEXT;
    ALTER TABLE sanction ADD COLUMN appealed_at INTEGER;
    ALTER TABLE sanction ADD COLUMN answered_by TEXT;
    ALTER TABLE sanction ADD COLUMN undone_by TEXT;
";

/// What format 12 changes about who played in which game: a member's public games are beside each other, so that
/// the newest of them are found among any number of others.
const PLAYER_LISTED: &str = "
    ALTER TABLE player RENAME TO player_by_game;
    CREATE TABLE player (
        member TEXT NOT NULL,
        -- That of the game.
        listed INTEGER NOT NULL,
        game INTEGER NOT NULL REFERENCES game,
        PRIMARY KEY (member, listed, game)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO player
        SELECT member, listed IS 1, game FROM player_by_game JOIN game ON game.id = game
        ORDER BY 1, 2, 3;
    DROP TABLE player_by_game;
";

/// What format 12 adds about the use of accounts.
const TRACES: &str = "
    -- Where accounts were used, as digests. Pruned by `at`.
    CREATE TABLE trace (
        member TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('address', 'device')),
        mark INTEGER NOT NULL,
        -- When last.
        at INTEGER NOT NULL,
        PRIMARY KEY (member, kind, mark)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX trace_at ON trace (kind, at);
";

/// What format 12 adds about challenges.
const CHALLENGES_FROM: &str = "
    ALTER TABLE member ADD COLUMN
        -- From whom the member takes challenges.
        challenges_from TEXT NOT NULL DEFAULT 'everybody'
        CHECK (challenges_from IN ('everybody', 'accounts', 'nobody'));
";

/// What format 13 adds about friends.
const FRIENDS: &str = "
    -- Requests of accounts to be friends with others, and those who are. A pair has one row.
    CREATE TABLE friend (
        -- Who has asked.
        member TEXT NOT NULL,
        other TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('asked', 'friends', 'declined')),
        -- When it came to this.
        at INTEGER NOT NULL,
        -- Which of the two friends has challenged the other, to which game, as JSON, and when.
        challenger TEXT,
        challenge TEXT,
        challenged_at INTEGER,
        PRIMARY KEY (member, other)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX friend_other ON friend (other);
    CREATE INDEX friend_challenged ON friend (challenged_at) WHERE challenged_at IS NOT NULL;
    CREATE INDEX friend_declined ON friend (at) WHERE state = 'declined';
    ALTER TABLE account ADD COLUMN
        -- Who may see that the member is online.
        online_to TEXT NOT NULL DEFAULT 'friends' CHECK (online_to IN ('friends', 'nobody'));
";

/// What format 13 adds about rooms that sleep.
const SLEEPING_ROOMS: &str = "
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

/// What format 14 adds about notes.
const NOTES: &str = "
    -- Notes of members about the games of a room, which only they see.
    CREATE TABLE note (
        member TEXT NOT NULL,
        -- Its code.
        room TEXT NOT NULL,
        text TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (member, room)
    ) STRICT, WITHOUT ROWID;
";

/// What format 14 adds about daily games.
const DAILY_SEATS: &str = "
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
const PUSHES: &str = "
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

/// What format 14 adds about time off.
const TIMES_OFF: &str = "
    -- Periods in which all daily clocks of an account stand still.
    CREATE TABLE time_off (
        member TEXT NOT NULL,
        starts INTEGER NOT NULL,
        ends INTEGER NOT NULL,
        PRIMARY KEY (member, starts)
    ) STRICT, WITHOUT ROWID;
";

/// What format 14 adds about e-mail.
const EMAILS: &str = "
    -- Where accounts get e-mail.
    CREATE TABLE email (
        member TEXT NOT NULL PRIMARY KEY,
        -- Absent until an address is confirmed.
        confirmed TEXT,
        -- The address named last, the hash of the secret that confirms it, and when it was named.
        named TEXT NOT NULL,
        named_hash BLOB NOT NULL UNIQUE,
        named_at INTEGER NOT NULL,
        language TEXT NOT NULL,
        -- The hash of a code that recovers the account, and until when.
        code BLOB,
        code_until INTEGER
    ) STRICT, WITHOUT ROWID;
";

/// What the formats after 7 add, in their order.
const ADDED: [(u32, &[&str]); 7] = [
    (8, &[ACCOUNTS]),
    (9, &[KEYS, RATINGS, MODERATION]),
    (10, &[BOTS, OLD_NAMES, PUZZLE_RATINGS, EXAMINATIONS]),
    (11, &[RATINGS_BY_TIME]),
    (12, &[WHO_DECIDED, PLAYER_LISTED, TRACES, CHALLENGES_FROM]),
    (13, &[FRIENDS, SLEEPING_ROOMS]),
    (14, &[NOTES, DAILY_SEATS, PUSHES, TIMES_OFF, EMAILS]),
];

/// Kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A file without tables.
    Empty,
    /// A database of Fivefold in this format.
    Ours(u32),
    /// A database of another program.
    Foreign,
}

/// Determines the kind of a file, without writing.
///
/// # Errors
/// If it cannot be read, or is not a database.
pub(crate) fn kind(connection: &Connection) -> rusqlite::Result<Kind> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let format: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: u64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    Ok(match (id, format, tables) {
        (APPLICATION_ID, _, _) => Kind::Ours(format),
        (0, 0, 0) => Kind::Empty,
        _ => Kind::Foreign,
    })
}

/// Creates the tables in an empty file: all of them, or none.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    create_in_format(connection, FORMAT)
}

/// The same in a format from [`OLDEST_FORMAT`] on.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn create_in_format(connection: &mut Connection, format: u32) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(SCHEMA)?;
    add_between(&transaction, OLDEST_FORMAT, format)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", format)?;
    transaction.commit()
}

/// Brings a file of an older format, from [`OLDEST_FORMAT`] on, to the current one: completely, or not
/// at all.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn upgrade(connection: &mut Connection, format: u32) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    add_between(&transaction, format, FORMAT)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()
}

/// Adds what the formats after the first and up to the second have.
fn add_between(transaction: &Transaction<'_>, first: u32, last: u32) -> rusqlite::Result<()> {
    for (_, tables) in ADDED.iter().filter(|(since, _)| (first + 1..=last).contains(since)) {
        for table in *tables {
            transaction.execute_batch(table)?;
        }
    }
    if first < 12 && last >= 12 {
        make_name_keys_again(transaction)?;
    }
    if first < 15 && last >= 15 { add_version(transaction) } else { Ok(()) }
}

/// What format 12 changes: the keys of names, by another rule.
fn make_name_keys_again(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut stored = old_keys(
        transaction,
        "SELECT account.member, member.name, likeness
         FROM account JOIN member ON member.id = account.member
         ORDER BY deleted_at IS NOT NULL, account.made_at, account.member",
    )?;
    stored.extend(old_keys(
        transaction,
        "SELECT member, name, likeness FROM old_name ORDER BY at DESC, likeness",
    )?);
    let keys = made_again(&stored);
    for table in ["account", "old_name"] {
        let change =
            format!("UPDATE {table} SET likeness = ?3 WHERE member = ?1 AND likeness = ?2");
        let mut change = transaction.prepare(&change)?;
        for (OldKey { member, key, .. }, new) in stored.iter().zip(&keys) {
            if key != new {
                // A key that no name has: the new one may be another name's until that has its own.
                change.execute((member, key, format!(" {new}")))?;
            }
        }
        let end =
            format!("UPDATE {table} SET likeness = substr(likeness, 2) WHERE likeness LIKE ' %'");
        transaction.execute(&end, ())?;
    }
    Ok(())
}

fn old_keys(transaction: &Transaction<'_>, select: &str) -> rusqlite::Result<Vec<OldKey>> {
    let mut select = transaction.prepare(select)?;
    let rows = select.query_map((), |row| {
        Ok(OldKey { member: row.get(0)?, name: row.get(1)?, key: row.get(2)? })
    })?;
    rows.collect()
}
