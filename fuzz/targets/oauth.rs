//! See `fuzz::targets::oauth`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::oauth(data));
