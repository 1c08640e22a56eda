//! Sends web pushes (RFC 8030) to the push services of browser makers.
//!
//! It does not know accounts or games: [`Pusher::push`] takes a browser's subscription and the bytes for its service
//! worker. Endpoints come from clients, so every request is one to a foreign address: see [`Peers`].

mod address;
mod encryption;
mod request;
mod signature;

pub use self::{
    address::{Peers, is_public},
    encryption::{Browser, BrowserError, MESSAGE_MAX},
    request::{
        ANSWER_MAX, ANSWER_WITHIN, ENDPOINT_MAX, EndpointError, Pushed, Pusher, RETRY_MAX,
        RETRY_MIN, host_of, may_be_endpoint,
    },
    signature::{KeyError, ServerKey},
};

/// A message for one browser.
#[derive(Clone, Debug)]
pub struct Push<'p> {
    /// Where it goes.
    pub endpoint: &'p str,
    /// For whom it is encrypted.
    pub browser: &'p Browser,
    /// The payload for the service worker.
    pub message: &'p [u8],
    /// How long the push service keeps it for a browser that is off, in seconds.
    pub ttl_s: u32,
    /// A message of the same topic that waits at the push service is replaced: at most 32 letters of base64url.
    pub topic: Option<&'p str>,
    /// Whether it may wake a phone that saves power.
    pub is_urgent: bool,
}
