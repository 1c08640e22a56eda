//! Connections and addresses: where the server listens, TLS, proxies, origins, and what one address may ask.

pub(crate) mod address_limits;
pub mod changeable;
pub(crate) mod connection_limit;
pub(crate) mod listen;
pub(crate) mod logged_addresses;
pub(crate) mod network;
pub mod origin;
pub mod proxy;
pub mod public_url;
pub(crate) mod shrink;
pub mod tls;
pub(crate) mod token_bucket;
pub(crate) mod token_buckets;
pub(crate) mod write_deadline;
