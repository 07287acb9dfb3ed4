//! See `fuzz::targets::signature`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::targets::signature(data));
