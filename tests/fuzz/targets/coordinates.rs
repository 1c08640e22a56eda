//! Fuzzes [`fivefold_fuzz::coordinates`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fivefold_fuzz::coordinates(text));
