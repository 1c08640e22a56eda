//! What people who are connected receive: the queue of each connection, and how their messages become their own.

pub(crate) mod heard_lines;
pub(crate) mod logins;
pub(crate) mod outbox;
pub(crate) mod own_blocks;
pub(crate) mod own_ids;
pub(crate) mod short_lived;
