//! Bridges: programs that stand next to an agent program and speak its local language.
//!
//! One folder per program. A bridge reads and writes with the dialect of its program and reaches the
//! server through `client` only. It never invents an answer: what it cannot ask it leaves to the
//! program, and it never says yes by itself.

pub mod agui;
pub mod claude;
mod error;
pub mod hook;
pub mod install;
pub mod mcp;
mod private_file;
mod reader;
pub mod run;
mod schemas;
mod server_access;
mod symlinks;
pub mod tie;
mod workspace;

pub use error::BridgeError;
pub use server_access::ServerAccess;
pub use symlinks::links_of;
