//! The sentences and names that all views share.

pub mod bot_names;
pub mod lobby_sentences;
pub mod opening_choices;
pub mod room_sentences;
