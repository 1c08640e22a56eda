//! Fuzzes [`memory::bounded`].
#![no_main]

#[path = "../src/memory.rs"]
mod memory;

libfuzzer_sys::fuzz_target!(|text: &str| memory::bounded(text));
