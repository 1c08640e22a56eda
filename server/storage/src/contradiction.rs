//! Rows that contradict themselves or others, as a check finds them and a repair of a file mends them.

/// A kind of such rows. The statements are for all databases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contradiction {
    /// The table or index that a file of an older format lacks.
    pub(super) since: &'static str,
    pub(super) table: &'static str,
    /// The condition that these rows fulfil.
    pub(super) rows: &'static str,
    /// Follows their number in a sentence.
    pub(super) problem: &'static str,
    /// What a repair sets in the rows; without it they are taken out.
    pub(super) sets: Option<&'static str>,
}

impl Contradiction {
    /// Counts the rows.
    pub(super) fn count(&self) -> String {
        format!("SELECT count(*) FROM {} WHERE {}", self.table, self.rows)
    }
}
