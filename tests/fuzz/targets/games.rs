//! Fuzzes [`fivefold_fuzz::games`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fivefold_fuzz::games(bytes));
