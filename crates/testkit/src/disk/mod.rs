//! A disk that can lose power: what SQLite writes is recorded below it, and images are made of what a
//! power cut could have left.
//!
//! Only what was synced is certain. What was written since may be there, not be there, be there in
//! another order, or be there in part.

mod image;
mod record;
mod vfs;

pub use image::{Image, Loss};
pub use record::{DiskOp, Mistake, Recording, begin, end, note};
