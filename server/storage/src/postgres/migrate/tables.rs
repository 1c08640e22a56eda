//! The tables that are copied between a database file and PostgreSQL, and the statements that copy
//! them. Both sides have the same columns; what only the file has is derived from them.

/// A table, and what both databases have of it.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// The format of files that has added it.
    pub(super) since: u32,
    /// The first columns order the rows; so many do.
    keys: usize,
    columns: &'static [Column],
    /// A column that only files have, and the expression that derives it from the row.
    derived: Option<(&'static str, &'static str)>,
}

/// A column that both databases have.
pub(super) struct Column {
    name: &'static str,
    kind: Kind,
    /// The format of files that has added it, and what stands for it in older ones.
    since: Option<(u32, &'static str)>,
}

/// What a column holds.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Integer,
    Real,
    /// A boolean in PostgreSQL, and 0 or 1 in a file.
    Flag,
    /// Copied as hexadecimal digits.
    Bytes,
}

const fn table(name: &'static str, since: u32, keys: usize, columns: &'static [Column]) -> Table {
    Table { name, since, keys, columns, derived: None }
}

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, since: None }
}

const fn text(name: &'static str) -> Column {
    column(name, Kind::Text)
}

const fn integer(name: &'static str) -> Column {
    column(name, Kind::Integer)
}

const fn real(name: &'static str) -> Column {
    column(name, Kind::Real)
}

const fn flag(name: &'static str) -> Column {
    column(name, Kind::Flag)
}

const fn bytes(name: &'static str) -> Column {
    column(name, Kind::Bytes)
}

impl Column {
    /// The column is added to the table by a format of files.
    const fn since(mut self, format: u32, before: &'static str) -> Self {
        self.since = Some((format, before));
        self
    }
}

/// All tables but `room`, in an order in which their references hold.
pub(super) const TABLES: [Table; 34] = [
    Table {
        // A log is copied in its order.
        derived: Some(("previous", "CASE WHEN ?2 = '1' THEN 0 ELSE last_insert_rowid() END")),
        ..table(
            "event",
            7,
            2,
            &[
                integer("room"),
                integer("seq"),
                integer("at"),
                text("member"),
                text("command"),
                text("event"),
            ],
        )
    },
    table(
        "game",
        7,
        1,
        &[
            integer("id"),
            text("code"),
            integer("room"),
            flag("listed"),
            text("summary"),
            text("moves"),
        ],
    ),
    Table {
        derived: Some(("listed", "(SELECT listed FROM game WHERE id = ?2)")),
        ..table("player", 7, 2, &[text("member"), integer("game")])
    },
    table(
        "member",
        7,
        1,
        &[
            text("id"),
            bytes("hash"),
            text("name"),
            integer("seen_at"),
            flag("has_game"),
            flag("renewed"),
            text("challenges_from").since(12, "'everybody'"),
        ],
    ),
    table(
        "account",
        8,
        1,
        &[
            text("member"),
            text("likeness"),
            integer("made_at"),
            integer("renamed_at"),
            integer("deleted_at"),
            text("owner").since(9, "NULL"),
            text("online_to").since(13, "'friends'"),
        ],
    ),
    table(
        "key",
        8,
        1,
        &[
            integer("id"),
            text("member"),
            text("kind"),
            bytes("lookup"),
            text("secret"),
            integer("made_at"),
            integer("used_at"),
        ],
    ),
    table(
        "session",
        8,
        1,
        &[
            bytes("hash"),
            text("member"),
            text("label"),
            integer("made_at"),
            integer("seen_at"),
            integer("expires_at"),
            integer("proved_at").since(9, "0"),
        ],
    ),
    table(
        "friend",
        13,
        2,
        &[
            text("member"),
            text("other"),
            text("state"),
            integer("at"),
            text("challenger"),
            text("challenge"),
            integer("challenged_at"),
        ],
    ),
    table(
        "email",
        14,
        1,
        &[
            text("member"),
            text("confirmed"),
            text("named"),
            bytes("named_hash"),
            integer("named_at"),
            text("language"),
            bytes("code"),
            integer("code_until"),
        ],
    ),
    table("time_off", 14, 2, &[text("member"), integer("starts"), integer("ends")]),
    table("note", 14, 2, &[text("member"), text("room"), text("text"), integer("at")]),
    table(
        "collection",
        16,
        1,
        &[
            text("id"),
            text("member"),
            text("title"),
            flag("shared"),
            integer("games"),
            integer("last_number"),
            integer("changed_at"),
            flag("deleted"),
        ],
    ),
    table(
        "collected_game",
        16,
        2,
        &[text("collection"), integer("number"), text("layout"), text("players"), text("content")],
    ),
    table(
        "push_server",
        14,
        1,
        &[integer("id"), bytes("key"), text("place"), integer("reports_told")],
    ),
    table(
        "push_subscription",
        14,
        1,
        &[
            text("endpoint"),
            text("member"),
            bytes("session"),
            bytes("p256dh"),
            bytes("auth"),
            text("language"),
            integer("made_at"),
        ],
    ),
    table("push_setting", 14, 1, &[text("member"), text("settings")]),
    table(
        "push_game",
        14,
        2,
        &[
            text("member"),
            integer("room"),
            text("opponent_name"),
            text("state"),
            integer("since"),
            integer("turn"),
            integer("due"),
        ],
    ),
    table(
        "push_news",
        14,
        2,
        &[text("member"), text("subject"), text("news"), integer("due"), integer("until_at")],
    ),
    table(
        "daily_seat",
        14,
        2,
        &[
            text("member"),
            integer("room"),
            text("command"),
            integer("digest"),
            integer("stones"),
            integer("turn"),
            integer("flag_at"),
            integer("turn_at"),
            flag("leaves"),
            text("conditional_moves"),
            integer("moves_number"),
            integer("moves_told"),
            integer("off_from"),
            integer("off_until"),
            integer("told_from"),
            integer("told_until"),
        ],
    ),
    table(
        "block",
        9,
        2,
        &[text("member"), text("other"), text("name"), text("kind"), integer("at")],
    ),
    table(
        "report",
        9,
        1,
        &[
            text("id"),
            text("reporter"),
            text("about"),
            text("about_name"),
            text("kind"),
            text("game"),
            text("line"),
            text("text"),
            integer("at"),
            text("state"),
            integer("closed_at"),
            text("closed_by").since(12, "NULL"),
        ],
    ),
    table(
        "sanction",
        9,
        1,
        &[
            text("id"),
            text("member"),
            text("name"),
            text("kind"),
            integer("from_at"),
            integer("until_at"),
            text("reason"),
            text("operator"),
            integer("seen_at"),
            text("appeal"),
            integer("answered_at"),
            integer("undone_at"),
            integer("changes"),
            integer("appealed_at").since(12, "NULL"),
            text("answered_by").since(12, "NULL"),
            text("undone_by").since(12, "NULL"),
        ],
    ),
    table("operator", 9, 1, &[text("member"), integer("since")]),
    table(
        "passkey",
        9,
        1,
        &[
            bytes("id"),
            text("member"),
            text("label"),
            text("credential"),
            integer("made_at"),
            integer("used_at"),
        ],
    ),
    table(
        "token",
        9,
        1,
        &[
            bytes("hash"),
            text("member"),
            text("label"),
            text("scopes"),
            integer("made_at"),
            integer("used_at"),
            integer("expires_at"),
        ],
    ),
    table("alias", 9, 1, &[text("member"), text("account"), integer("made_at")]),
    table("old_name", 10, 1, &[text("likeness"), text("member"), text("name"), integer("at")]),
    table(
        "rating",
        9,
        2,
        &[
            text("member"),
            text("pool"),
            real("value"),
            real("deviation"),
            real("volatility"),
            integer("games"),
            integer("wins"),
            integer("draws"),
            integer("last_at"),
            integer("changes"),
        ],
    ),
    table(
        "rating_change",
        9,
        3,
        &[
            text("member"),
            text("pool"),
            integer("number"),
            text("game"),
            text("kind"),
            text("result"),
            real("before"),
            real("deviation_before"),
            real("after"),
            real("deviation_after"),
            integer("at"),
        ],
    ),
    table(
        "game_mark",
        10,
        3,
        &[text("member"), text("game"), text("kind"), text("opponent"), integer("at")],
    ),
    table("trace", 12, 3, &[text("member"), text("kind"), integer("mark"), integer("at")]),
    table(
        "examined_game",
        10,
        1,
        &[text("game"), integer("at"), integer("claimed_at"), flag("engine"), text("facts")],
    ),
    table(
        "puzzle_rating",
        10,
        2,
        &[
            text("side"),
            text("id"),
            real("value"),
            real("deviation"),
            real("volatility"),
            integer("tries"),
            integer("solved"),
            integer("last_at"),
        ],
    ),
    table(
        "puzzle_try",
        10,
        2,
        &[
            text("member"),
            integer("number"),
            text("puzzle"),
            integer("puzzle_number"),
            flag("solved"),
            real("before"),
            real("deviation_before"),
            real("after"),
            real("deviation_after"),
            real("puzzle_before"),
            real("puzzle_deviation_before"),
            real("puzzle_after"),
            real("puzzle_deviation_after"),
            integer("at"),
        ],
    ),
];

/// The statements that copy a table in one direction.
pub(super) struct Copying {
    pub(super) name: &'static str,
    /// The rows in the source, in an order that both databases can keep.
    pub(super) select: String,
    /// Into PostgreSQL: takes a JSON array of rows, which are arrays of texts and nulls. Into a file:
    /// takes the values of one row as texts and nulls.
    pub(super) insert: String,
    /// The same rows in the target.
    pub(super) select_copied: String,
}

/// A room in a file belongs to node 0 in PostgreSQL, which never lives, so the next server claims it.
/// There it has what its log begins and ends with, and the format of its events.
pub(super) fn rooms_into_postgres(event_format: i32) -> Copying {
    Copying {
        name: "room",
        select: "
            SELECT room.id, code, epoch, room.seq, first.member, first.command,
                CASE state WHEN 0 THEN NULL WHEN 1 THEN last.at ELSE 0 END, state = 2
            FROM room LEFT JOIN event AS last ON last.id = room.last
            LEFT JOIN event AS first ON first.room = room.id AND first.previous = 0
                AND room.seq > 0
            ORDER BY room.id"
            .to_owned(),
        insert: format!(
            "INSERT INTO room (id, code, owner, epoch, seq, format, maker, command, closed_at,
                forgotten) OVERRIDING SYSTEM VALUE
            SELECT (r->>0)::bigint, r->>1, 0, (r->>2)::bigint, (r->>3)::bigint, {event_format},
                r->>4, r->>5, (r->>6)::bigint, (r->>7) = '1'
            FROM json_array_elements($1::text::json) AS r"
        ),
        select_copied: "
            SELECT id::text, code, epoch::text, seq::text, maker, command, closed_at::text,
                forgotten::int::text
            FROM room ORDER BY room.id"
            .to_owned(),
    }
}

/// The way back: the log that is copied after it says what a room begins and ends with.
pub(super) fn rooms_into_file() -> Copying {
    Copying {
        name: "room",
        select: "
            SELECT id::text, code, epoch::text, seq::text,
                CASE WHEN closed_at IS NULL THEN '0' WHEN forgotten THEN '2' ELSE '1' END
            FROM room ORDER BY room.id"
            .to_owned(),
        insert: "
            INSERT INTO room (id, code, owner, epoch, seq, last, state)
            VALUES (?1, ?2, 0, ?3, ?4, 0, ?5)"
            .to_owned(),
        select_copied: "SELECT id, code, epoch, seq, state FROM room ORDER BY id".to_owned(),
    }
}

impl Table {
    /// From a file of this format.
    pub(super) fn copying_into_postgres(&self, format: u32) -> Copying {
        Copying {
            name: self.name,
            select: self.select_of_file(format),
            insert: self.insert_into_postgres(),
            select_copied: self.select_of_postgres(),
        }
    }

    /// Into a file of the current format.
    pub(super) fn copying_into_file(&self) -> Copying {
        Copying {
            name: self.name,
            select: self.select_of_postgres(),
            insert: self.insert_into_file(),
            select_copied: self.select_of_file(u32::MAX),
        }
    }

    fn select_of_file(&self, format: u32) -> String {
        let columns = join(self.columns, |_, column| match column.since {
            Some((since, before)) if format < since => before.to_owned(),
            Some(_) | None => column.name.to_owned(),
        });
        let keys = join(&self.columns[..self.keys], |_, column| column.name.to_owned());
        format!("SELECT {columns} FROM {} ORDER BY {keys}", self.name)
    }

    fn select_of_postgres(&self) -> String {
        let columns = join(self.columns, |_, Column { name, kind, .. }| match kind {
            Kind::Text => (*name).to_owned(),
            Kind::Integer | Kind::Real => format!("{name}::text"),
            Kind::Flag => format!("{name}::int::text"),
            Kind::Bytes => format!("encode({name}, 'hex')"),
        });
        // A bare name would be that of a column of the result, which is a text.
        let table = self.name;
        let keys = join(&self.columns[..self.keys], |_, Column { name, kind, .. }| match kind {
            Kind::Text => format!("{table}.{name} COLLATE \"C\""),
            Kind::Integer | Kind::Real | Kind::Flag | Kind::Bytes => format!("{table}.{name}"),
        });
        format!("SELECT {columns} FROM {table} ORDER BY {keys}")
    }

    fn insert_into_postgres(&self) -> String {
        let names = join(self.columns, |_, column| column.name.to_owned());
        let values = join(self.columns, |place, column| match column.kind {
            Kind::Text => format!("r->>{place}"),
            Kind::Integer => format!("(r->>{place})::bigint"),
            Kind::Real => format!("(r->>{place})::float8"),
            Kind::Flag => format!("(r->>{place}) = '1'"),
            Kind::Bytes => format!("decode(r->>{place}, 'hex')"),
        });
        format!(
            "INSERT INTO {} ({names}) OVERRIDING SYSTEM VALUE SELECT {values} \
             FROM json_array_elements($1::text::json) AS r",
            self.name
        )
    }

    fn insert_into_file(&self) -> String {
        let mut names = join(self.columns, |_, column| column.name.to_owned());
        // Tables of files are strict: they turn a text into the number that the column wants.
        let mut values = join(self.columns, |place, column| match column.kind {
            Kind::Text | Kind::Integer | Kind::Real | Kind::Flag => format!("?{}", place + 1),
            Kind::Bytes => format!("unhex(?{})", place + 1),
        });
        if let Some((name, value)) = self.derived {
            names = format!("{names}, {name}");
            values = format!("{values}, {value}");
        }
        format!("INSERT INTO {} ({names}) VALUES ({values})", self.name)
    }
}

/// The texts of columns, with commas between them.
fn join(columns: &[Column], text: impl Fn(usize, &Column) -> String) -> String {
    let texts: Vec<_> =
        columns.iter().enumerate().map(|(place, column)| text(place, column)).collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::sqlite::schema;

    /// What follows from the columns that are copied, and the tables that are not.
    const DERIVED: [(&str, &str); 6] = [
        ("event", "id"),
        ("event", "previous"),
        ("player", "listed"),
        ("rating", "band"),
        ("rating", "changed_at"),
        ("rating_change", "previous_at"),
    ];
    /// The next server opens all rooms, and they fall asleep again.
    const NOT_COPIED: [&str; 4] =
        ["process", "sqlite_sequence", "sleeping_room", "sleeping_member"];

    #[test]
    fn every_column_of_a_file_is_copied_or_derived() {
        let mut file = rusqlite::Connection::open_in_memory().unwrap();
        schema::create(&mut file).unwrap();
        let mut columns = file
            .prepare(
                "SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
                 WHERE t.type = 'table'",
            )
            .unwrap();
        let columns = columns.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let found: BTreeSet<(String, String)> = columns.map(Result::unwrap).collect();
        let copied = TABLES
            .iter()
            .flat_map(|table| table.columns.iter().map(|column| (table.name, column.name)));
        let known: BTreeSet<_> = copied
            .chain(DERIVED)
            .map(|(table, column)| (table.to_owned(), column.to_owned()))
            .collect();
        let others = found
            .into_iter()
            .filter(|(table, _)| table != "room" && !NOT_COPIED.contains(&table.as_str()));
        assert_eq!(others.collect::<BTreeSet<_>>(), known);
    }
}
