//! What people receive: the queue of each connection, how their messages become their own, and pushes to those who are
//! away.

pub(crate) mod announcements;
pub(crate) mod heard_lines;
pub(crate) mod language;
pub(crate) mod logins;
pub(crate) mod outbox;
pub(crate) mod own_blocks;
pub(crate) mod own_ids;
pub(crate) mod pushes;
pub(crate) mod short_lived;
