//! The doors that stay open: the sockets of the dialects, and the feed as a stream.

pub(crate) mod dialect;
pub(crate) mod feed_start;
pub(crate) mod news;
pub(crate) mod sse;
pub(crate) mod ws;
