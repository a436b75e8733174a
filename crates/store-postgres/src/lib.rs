//! The store of many nodes: one journal in PostgreSQL on which they take turns to append.
//!
//! A turn is one transaction: what others wrote is read, the hub decides, and the events go to the next
//! places. The primary key of the place lets one turn have it, so that every turn was decided on exactly
//! the state before it. Nothing here decides who wins, reads a clock of this machine, or elects a leader.
#![warn(missing_docs)]

mod batch;
mod compact;
mod environment;
mod fault;
pub mod faults;
mod inner;
mod journal;
mod known;
mod link;
mod listener;
mod neighbours;
mod old_views;
mod open;
mod others;
mod others_read;
mod pass_file;
mod projector;
mod readers;
mod rebuild;
mod refusal;
mod settings;
mod setup;
mod snapshot;
mod sql;
mod store;
mod target;
mod threads;
mod tls;
mod turn;
mod upkeep;
mod url;
mod verify;
mod words;
mod write_link;

pub use environment::PgEnvironment;
pub use neighbours::list_nodes;
pub use rebuild::rebuild;
pub use settings::PostgresSettings;
pub use store::PostgresStore;
pub use upkeep::{DatabaseReport, LostEvents, PostgresJournal, restore};
pub use url::PostgresUrl;

#[cfg(test)]
mod tests;
