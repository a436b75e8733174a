//! The store of many nodes: one journal in PostgreSQL on which they take turns to append.
//!
//! A turn is one transaction: what others wrote is read, the hub decides, and the events go to the next
//! places. The primary key of the place lets one turn have it, so that every turn was decided on exactly
//! the state before it. Nothing here decides who wins, reads a clock of this machine, or elects a leader.
#![warn(missing_docs)]

mod batch;
mod compact;
mod fault;
mod inner;
mod journal;
mod link;
mod listener;
mod open;
mod others;
mod projector;
mod rebuild;
mod settings;
mod setup;
mod snapshot;
mod sql;
mod store;
mod threads;
mod turn;
mod words;
mod write_link;

pub use rebuild::rebuild;
pub use settings::PostgresSettings;
pub use store::PostgresStore;

pub(crate) use sayso_store::faults::point;

#[cfg(test)]
mod tests;
