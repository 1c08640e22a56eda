//! Fuzzes [`fivefold_fuzz::trees`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fivefold_fuzz::trees(bytes));
