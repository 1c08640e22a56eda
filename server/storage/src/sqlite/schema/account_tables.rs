//! The tables of accounts, and of what members keep, as the formats have added them.

/// What format 8 adds.
pub(super) const ACCOUNTS: &str = "
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

/// What format 9 adds for accounts: more kinds of keys to them.
pub(super) const KEYS: &str = "
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

/// What format 10 adds for bots.
pub(super) const BOTS: &str = "
    CREATE INDEX account_owner ON account (owner) WHERE owner IS NOT NULL;
";

/// What format 10 adds for accounts that have changed their names.
pub(super) const OLD_NAMES: &str = "
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

/// What format 12 adds about the use of accounts.
pub(super) const TRACES: &str = "
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
pub(super) const CHALLENGES_FROM: &str = "
    ALTER TABLE member ADD COLUMN
        -- From whom the member takes challenges.
        challenges_from TEXT NOT NULL DEFAULT 'everybody'
        CHECK (challenges_from IN ('everybody', 'accounts', 'nobody'));
";

/// What format 13 adds about friends.
pub(super) const FRIENDS: &str = "
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

/// What format 14 adds about notes.
pub(super) const NOTES: &str = "
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

/// What format 14 adds about time off.
pub(super) const TIMES_OFF: &str = "
    -- Periods in which all daily clocks of an account stand still.
    CREATE TABLE time_off (
        member TEXT NOT NULL,
        starts INTEGER NOT NULL,
        ends INTEGER NOT NULL,
        PRIMARY KEY (member, starts)
    ) STRICT, WITHOUT ROWID;
";

/// What format 14 adds about e-mail.
pub(super) const EMAILS: &str = "
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
