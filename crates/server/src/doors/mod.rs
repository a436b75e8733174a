//! The doors that stay open: the feed's socket, the feed as a stream, and those of
//! the dialects.

pub(crate) mod dialect;
pub(crate) mod feed_socket;
pub(crate) mod feed_start;
pub(crate) mod render;
pub(crate) mod sse;
pub(crate) mod ws;
