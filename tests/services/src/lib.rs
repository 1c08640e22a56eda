//! Services for tests: real ones, started from temporary folders on free ports, and a relay that
//! breaks the connections to them.
//!
//! It knows nothing of the server, so that the tests of every package can use it. Tests skip what
//! needs a program that is not installed; `tests/run` installs them.

mod certificate;
mod free_port;
mod mail_service;
mod nats;
mod nats_credentials;
mod pgbouncer;
mod postgres;
mod push_service;
mod relay;

pub use self::{
    certificate::Certificate,
    free_port::free_port,
    mail_service::{MailService, ReceivedMail},
    nats::NatsServer,
    nats_credentials::NatsCredentials,
    pgbouncer::PgBouncer,
    postgres::{Durability, PostgresServer},
    push_service::{PushAnswer, PushRequest, PushService, SoftBrowser},
    relay::{Passage, Relay, Service},
};
