//! The server that the client plays on: how it is found, spoken to, and reached again.

pub mod backoff;
pub mod connection;
pub mod http_request;
pub mod room_link;
pub mod server_list;
pub mod session_cookie;
pub mod tls_roots;
