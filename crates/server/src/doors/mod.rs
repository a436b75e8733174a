//! The doors that stay open: the agent's socket, the feed's socket, and the feed as a stream.

pub(crate) mod agent_socket;
mod agent_work;
pub(crate) mod feed_socket;
pub(crate) mod feed_start;
pub(crate) mod render;
pub(crate) mod sse;
pub(crate) mod ws;
