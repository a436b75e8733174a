//! Feeds `sayso_testkit::fuzz::envelope`: `cargo +nightly fuzz run envelope`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sayso_testkit::fuzz::envelope(bytes));
