//! The doors: HTTP, WebSocket and SSE over the hub, with auth and limits.
//!
//! A call passes the gate (Host, Origin), brings a token, and leaves as a pass of its role; what
//! the pass has no method for cannot be done. Nothing here decides about asks and nothing but the
//! files of agents is stored: that is the hub's. No credential is ever written to the log.

mod admission;
mod agent_files;
mod answering;
mod aside;
mod auth;
mod body;
mod call_end;
mod doors;
mod error;
mod files;
mod fresh;
mod gate;
mod halves;
mod head;
mod listener;
mod metrics;
mod notices;
mod page;
mod problem;
mod push_nodes;
mod qr;
mod query;
mod routes;
mod samples;
mod settings;
mod shared;
mod stream;
mod tls;
mod wire;

pub use auth::secret::new_secret;
pub use error::ServerError;
pub use listener::{Bound, bind};
pub use routes::listed_node;
pub use settings::{BadUrl, PublicUrl, PushPlace, ServerSettings, TlsFiles};
