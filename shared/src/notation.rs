//! How games and points are written for people and for other programs.

pub mod coordinates;
pub mod file;
pub mod gomocup;
pub mod moves;
pub mod psq;
mod rules_text;
pub mod sgf;
