//! The daily games of one member, as the storage knows them: whether their rooms are awake or sleep, on whichever
//! node. How many there may be, and the positions with which the member gets no help.

use fivefold_shared::protocol::{MemberId, Reason, Refusal, RoomCode};
use fivefold_storage::RatedPosition;

use crate::{
    limits::{DAILY_GAMES_MAX, DAILY_GAMES_OF_GUEST_MAX},
    process::read_pool::{ReadError, ReadPool},
};

/// Whether a member may take a place in one more daily game; one that they have in `except` does not count. Places that
/// they ask for at the same moment can exceed the limit together: the storage does not refuse them. Returns whether the
/// member has an account.
///
/// # Errors
/// If they have too many, or that cannot be read.
pub(crate) async fn may_take_place(
    read_pool: &ReadPool,
    member: MemberId,
    except: Option<RoomCode>,
) -> Result<bool, Refusal> {
    let own = read_pool.read(move |reader| reader.daily_games(&member, except.as_ref())).await;
    let own = own.map_err(ReadError::from)?;
    let most = if own.has_account { DAILY_GAMES_MAX } else { DAILY_GAMES_OF_GUEST_MAX };
    if own.count < most {
        return Ok(own.has_account);
    }
    Err(Refusal::at_most(Reason::TooManyDailyGames, most))
}

/// The positions of the rated daily games that a member plays: they get no help with these.
///
/// # Errors
/// If they cannot be read.
pub(crate) async fn own_positions(
    read_pool: &ReadPool,
    member: MemberId,
) -> Result<Vec<RatedPosition>, Refusal> {
    let own = read_pool.read(move |reader| reader.daily_games(&member, None)).await;
    Ok(own.map_err(ReadError::from)?.positions)
}
