//! The parts of the server that know people, as what other nodes say about them is handed out.

use std::sync::Arc;

use crate::{
    moderation::{Moderation, blocks::Blocks},
    online::logins::Logins,
    rooms::rated_positions::RatedPositions,
};

/// Those parts; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct People {
    pub(crate) logins: Arc<Logins>,
    pub(crate) blocks: Arc<Blocks>,
    pub(crate) moderation: Arc<Moderation>,
    pub(crate) rated: Arc<RatedPositions>,
}
