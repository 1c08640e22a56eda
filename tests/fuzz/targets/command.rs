//! Fuzzes [`fivefold_fuzz::command`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fivefold_fuzz::command(text));
