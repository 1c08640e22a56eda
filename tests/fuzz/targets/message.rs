//! Fuzzes [`fivefold_fuzz::message`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fivefold_fuzz::message(text));
