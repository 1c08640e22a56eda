//! Fuzzes [`fivefold_fuzz::files`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| fivefold_fuzz::files(text));
