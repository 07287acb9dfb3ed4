//! See `fuzz::targets::wages`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::wages(data));
