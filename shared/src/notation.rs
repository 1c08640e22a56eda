//! How games and points are written for people and for other programs.

pub mod coordinates;
pub mod gomocup;
