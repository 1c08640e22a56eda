//! What PostgreSQL forgets about a member who is deleted, as a part of statements.

/// The new values of what [`Sanction::forget_texts`](crate::Sanction) changes, at a time, with a name.
macro_rules! forget_texts {
    ($now:literal, $name:literal) => {
        concat!(
            "name = ",
            $name,
            ", reason = '', appeal = CASE WHEN appeal IS NULL THEN NULL ELSE '' END,
            answered_at = CASE WHEN appeal IS NULL THEN answered_at
                ELSE coalesce(answered_at, ",
            $now,
            "::bigint) END,
            until_at = CASE WHEN kind = 'note' OR undone_at IS NOT NULL OR until_at <= ",
            $now,
            " THEN until_at ELSE greatest(",
            $now,
            "::bigint, from_at + 1) END,
            changes = changes + 1"
        )
    };
}
pub(super) use forget_texts;
