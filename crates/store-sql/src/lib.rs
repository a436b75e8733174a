//! What every store on an SQL database shares: rows of the journal and how far each can be believed,
//! projections, secrets at rest, and the walk that verifies it all.
//!
//! The statements are those that SQLite and PostgreSQL both understand; what differs between them is in
//! [`sql::Sql`]. Nothing here opens a connection, begins a transaction or commits one.
#![warn(missing_docs)]

pub mod damage;
pub mod journal;
pub mod life;
pub mod seal;
pub mod sql;
pub mod standing;
pub mod transfer;
pub mod verify;
pub mod views;

pub(crate) use sayso_store::faults::point;
