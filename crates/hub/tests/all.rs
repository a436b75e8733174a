//! The hub over a real store, driven through its passes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use sayso_testkit::Ground;

mod alone;
mod suite;

/// What every test of the suite runs on here.
const GROUND: Ground = Ground::OneHub;
