//! The services of a cluster for tests that are not written in Rust: starts PostgreSQL and NATS,
//! writes their addresses as one line of JSON, and runs until its input ends. Where one is not
//! installed, a sentence that begins with `SKIPPED` comes instead.

use std::io::{self, Write};

use fivefold_test_services::{Durability, NatsServer, PostgresServer};
use serde_json::json;

fn main() -> io::Result<()> {
    let Some(postgres) = PostgresServer::start(Durability::None) else { return Ok(()) };
    let Some(nats) = NatsServer::start() else { return Ok(()) };
    let addresses = json!({
        "database": postgres.url(),
        "bus": nats.url(),
    });
    writeln!(io::stdout(), "{addresses}")?;
    io::copy(&mut io::stdin(), &mut io::sink()).map(drop)
}
