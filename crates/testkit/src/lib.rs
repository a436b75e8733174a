//! For tests only: a clock that is set by hand, a store that fails on demand, state that cleans up
//! after itself, drafts of asks, and death at a fail point.
//!
//! Everything here runs the real parts; nothing stands in for one that could run. The Whimmy plugin
//! cannot be had from a registry, so [`whimmy`] does stand in for it. [`faces`] are programs written
//! from the document of each wire language, for tests that hold the server to it.
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot set up its world stops at once and says where"
)]

mod clock;
pub mod disk;
mod drafts;
pub mod faces;
#[cfg(feature = "faults")]
pub mod faults;
mod faulty;
pub mod fuzz;
mod house;
mod late;
pub mod nodes;
mod past;
pub mod pg;
mod pg_proxy;
mod pg_standby;
mod proxy;
pub mod push_service;
pub mod whimmy;
pub mod witness;

pub use clock::HandClock;
pub use drafts::{approval, form_with_secret, question, questions};
pub use faulty::FaultyStore;
pub use house::{Ground, House};
pub use late::Lateness;
pub use past::fill_past;
pub use pg_proxy::PgProxy;
pub use proxy::Proxy;
