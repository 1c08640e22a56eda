//! Engines that speak Gomocup's protocol: how they are run and confined, and matches between them.

pub mod arena;
pub mod engine_player;
pub mod engine_process;
pub mod engine_sandbox;
pub mod gomocup_brain;
pub mod gomocup_engine;
pub mod match_openings;
pub mod search_threads;
