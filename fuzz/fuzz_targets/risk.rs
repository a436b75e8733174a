//! Feeds `sayso_testkit::fuzz::risk`: `cargo +nightly fuzz run risk`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sayso_testkit::fuzz::risk(bytes));
