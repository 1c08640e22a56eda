//! The tables of accounts, and of what members keep, as the formats have added them.

/// What format 3 adds.
pub(super) const ACCOUNTS: &str = "
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

/// What format 4 adds for accounts: more kinds of keys to them.
pub(super) const KEYS: &str = "
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

/// What format 5 adds for bots.
pub(super) const BOTS: &str = "
    CREATE INDEX account_owner ON fivefold.account (owner) WHERE owner IS NOT NULL;
";

/// What format 5 adds for accounts that have changed their names.
pub(super) const OLD_NAMES: &str = "
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

/// What format 6 adds about the use of accounts.
pub(super) const TRACES: &str = "
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
pub(super) const CHALLENGES_FROM: &str = "
    ALTER TABLE fivefold.member
        -- From whom the member takes challenges.
        ADD COLUMN challenges_from text NOT NULL DEFAULT 'everybody'
        CHECK (challenges_from IN ('everybody', 'accounts', 'nobody'));
";

/// What format 7 adds about friends.
pub(super) const FRIENDS: &str = "
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

/// What format 8 adds about notes.
pub(super) const NOTES: &str = "
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

/// What format 8 adds about time off.
pub(super) const TIMES_OFF: &str = "
    -- Periods in which all daily clocks of an account stand still.
    CREATE TABLE fivefold.time_off (
        member text COLLATE \"C\" NOT NULL,
        starts bigint NOT NULL,
        ends bigint NOT NULL,
        PRIMARY KEY (member, starts)
    );
";

/// What format 8 adds about e-mail.
pub(super) const EMAILS: &str = "
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
