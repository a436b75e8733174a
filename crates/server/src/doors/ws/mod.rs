//! One WebSocket as every kind of socket uses it: whole texts in and out, signs of life, limits.
//!
//! The heads of frames are read by tungstenite, whose rules they follow; the buffers are ours, so
//! that a socket has none while it is quiet. Nothing here knows what the frames say.

mod goodbye;
mod inbox;
mod line;
mod outbox;
mod pace;
mod spare;
mod upgrade;

pub(crate) use goodbye::Goodbye;
pub(crate) use line::{Gone, SocketHeard, SocketLine};
pub(crate) use upgrade::Upgrade;
