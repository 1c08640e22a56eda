//! Bytes between the nodes of a cluster: the bus, and the links that it carries.

pub mod bus;
pub(crate) mod link;
