//! The rules and the engine for the page: answers requests in JSON on the visitor's machine.
//!
//! `requests` answers them by `searches`, `puzzles`, `game_files` and `local_rooms`, and knows no JavaScript. `exports`
//! passes the bytes, and exists only in WebAssembly. The program `fivefold-answers` answers the same requests natively.
//!
//! `tests/build-wasm` builds the module into `server/web/engine`; `tests/page/engine-module.test.mjs`
//! proves that it behaves as this source does.

mod answer;
mod bot_question;
#[cfg(target_family = "wasm")]
mod exports;
mod game_files;
mod local_rooms;
mod puzzles;
mod requests;
mod searches;

pub use requests::Module;
