//! The points of this store at which a test build can be killed.
//!
//! What passing a point does is told in [`sayso_store::faults`]: nothing, in the product.

pub(crate) use sayso_store::faults::point;

/// Every point there is: those of a turn, in its order, and the write by which a connection begins.
pub const POINTS: [&str; 4] = ["turn_taken", "turn_written", "turn_committed", "barrier"];
