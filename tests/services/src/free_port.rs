//! A port for a program that must know its port before it starts.

use std::net::{Ipv4Addr, TcpListener};

/// A port of 127.0.0.1 at which nobody listens now.
///
/// # Panics
/// When there is none.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("it is bound").port()
}
