//! The terminal itself: what is written to it safely, and what ends a program in it.

pub(crate) mod end_signals;
pub mod output;
pub mod password_prompt;
pub mod sanitize;
