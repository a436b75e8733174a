//! Two hubs on one database: the whole suite once more with agents at one of them and people at the other,
//! and what is only there when there are two.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use sayso_testkit::Ground;

mod nodes;
mod suite;

/// What every test of the suite runs on here.
const GROUND: Ground = Ground::TwoHubs;
