//! Rooms, wherever they run: the lobby that finds them, the actor that runs one here, the relay to one elsewhere.

pub(crate) mod daily_news;
pub(crate) mod daily_places;
pub(crate) mod directory;
pub(crate) mod listed_room;
pub(crate) mod lobby;
pub(crate) mod paired_games;
pub mod rated_positions;
pub(crate) mod relay;
pub(crate) mod room_actor;
pub(crate) mod sleeping_chats;
