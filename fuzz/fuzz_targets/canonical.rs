//! Feeds `sayso_testkit::fuzz::canonical`: `cargo +nightly fuzz run canonical`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sayso_testkit::fuzz::canonical(bytes));
