//! Feeds `sayso_testkit::fuzz::rules`: `cargo +nightly fuzz run rules`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sayso_testkit::fuzz::rules(bytes));
