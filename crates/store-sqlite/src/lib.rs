//! The embedded store: an append-only journal on SQLite, and projections in a second file.
//!
//! The journal is the truth and is written by one connection, durably, before anybody is told.
//! The projections are made from it in the background and can be deleted at any time. Nothing
//! here decides who wins, reads a clock or needs an async runtime: a call takes as long as the
//! disk takes.
#![warn(missing_docs)]

#[cfg(not(unix))]
compile_error!("sayso keeps its state on Linux and macOS; there is no port for this system yet");

mod backup;
mod backup_file;
mod committer;
mod compact;
mod disk;
mod fault;
pub mod faults;
mod folder;
mod journal;
mod keeper;
mod key;
mod moving;
mod pool;
mod projector;
mod reading;
mod restore;
mod settings;
mod shm;
mod sql;
mod store;
mod verify;
mod views;
mod watch;

pub use backup_file::new_backup;
pub use compact::compact;
pub use folder::StateFolder;
pub use key::{key_trouble, make_key, read_key};
pub use moving::MovingFolder;
pub use restore::{BackupToRestore, restore};
pub use settings::SqliteSettings;
pub use store::{SqliteStore, rebuild};
pub use verify::{verify_file, verify_folder};

#[cfg(test)]
mod tests;
