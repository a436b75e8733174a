//! Feeds `sayso_testkit::fuzz::escaper`: `cargo +nightly fuzz run escaper`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sayso_testkit::fuzz::escaper(bytes));
