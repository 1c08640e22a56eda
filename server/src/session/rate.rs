//! Rate limits of one session: commands, chat, bot requests and room codes. Some allowances are
//! shared with the other sessions from its address.

use std::{net::IpAddr, sync::Arc};

use fivefold_shared::protocol::{Reason, Refusal, RoomRequest};
use tokio::time::Instant;

use super::{close_reason::CloseReason, error::CommandError};
use crate::{
    limits::{CODE_REFUSALS_MAX, FRAMES_PER_COMMAND, Limits, TOO_FAST_REFUSALS_MAX},
    net::{address_limits::AddressLimit, token_bucket::TokenBucket},
    shared_state::Server,
};

/// The remaining allowances of a session.
#[derive(Debug)]
pub(super) struct Rates {
    commands: TokenBucket,
    chat_lines: TokenBucket,
    /// Bot and engine requests.
    help: TokenBucket,
    /// Shared with the other sessions from the same address.
    address: Arc<AddressLimit>,
    /// Consecutive commands refused as too fast.
    too_fast: u32,
    /// Room codes not looked up because the address had too many failed lookups.
    codes_refused: u32,
}

impl Rates {
    /// Full allowances for the session, and the shared ones of its address: those who only watch share others.
    pub(super) fn new(server: &Server, address: IpAddr, watches: bool, now: Instant) -> Self {
        let limits = &server.limits;
        let shared = if watches { &server.watcher_limits } else { &*server.address_limits };
        let per_minute = |count, burst| TokenBucket::new(now, f64::from(count) / 60.0, burst);
        Self {
            commands: TokenBucket::new(
                now,
                limits.commands_per_second.into(),
                limits.commands_burst,
            ),
            chat_lines: per_minute(limits.lines_per_minute, limits.lines_burst),
            help: per_minute(limits.help_per_minute, limits.help_burst),
            address: shared.of(address, now),
            too_fast: 0,
            codes_refused: 0,
        }
    }

    /// Takes one command from the allowance. Other sessions from the same address cannot delay a
    /// move in the session's own game.
    pub(super) fn take_command(
        &mut self,
        now: Instant,
        is_own_play: impl FnOnce() -> bool,
    ) -> Result<(), CommandError> {
        if self.commands.take(now) && (self.address.take_command(now) || is_own_play()) {
            self.too_fast = 0;
            return Ok(());
        }
        self.too_fast += 1;
        if self.too_fast >= TOO_FAST_REFUSALS_MAX {
            return Err(CloseReason::TOO_FAST.into());
        }
        Err(Refusal::new(Reason::TooFast).into())
    }

    /// Takes a request from the allowance of its kind, if it has one.
    pub(super) fn take_request(
        &mut self,
        request: &RoomRequest,
        now: Instant,
    ) -> Result<(), Refusal> {
        let is_allowed = if let RoomRequest::Say { .. } = request {
            self.chat_lines.take(now) && self.address.take_line(now)
        } else if let RoomRequest::Weights { .. } | RoomRequest::Analyse { .. } = request {
            self.help.take(now) && self.address.take_help(now)
        } else {
            true
        };
        if is_allowed { Ok(()) } else { Err(Refusal::new(Reason::TooFast)) }
    }

    /// Checks that the session may look up a room code, which may be a guess. Only a few failed
    /// lookups per minute are allowed.
    pub(super) fn may_look_up(&mut self, now: Instant) -> Result<(), CommandError> {
        if self.address.may_try_code(now) {
            return Ok(());
        }
        self.codes_refused += 1;
        if self.codes_refused >= CODE_REFUSALS_MAX {
            return Err(CloseReason::TOO_FAST.into());
        }
        Err(Refusal::new(Reason::TooManyUnknownCodes).into())
    }

    /// Counts a lookup that failed, unless the room could not be looked up.
    pub(super) fn note_look_up<T>(
        &mut self,
        now: Instant,
        found: Result<T, Refusal>,
    ) -> Result<T, CommandError> {
        if let Err(refusal) = &found
            && !matches!(refusal.reason, Reason::Busy | Reason::Unavailable)
        {
            self.address.note_unknown_code(now);
        }
        Ok(found?)
    }
}

/// Number of frames that a session may send. Commands that come too fast are refused for a while
/// before the session ends; this limit does not end it earlier.
pub(super) fn frames_allowed(limits: &Limits) -> TokenBucket {
    let per_second = f64::from(limits.commands_per_second) * f64::from(FRAMES_PER_COMMAND);
    let burst = limits.commands_burst.saturating_add(TOO_FAST_REFUSALS_MAX);
    TokenBucket::new(Instant::now(), per_second, burst.saturating_mul(FRAMES_PER_COMMAND))
}
