//! Fuzzes [`fivefold_fuzz::gomocup`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fivefold_fuzz::gomocup(bytes));
