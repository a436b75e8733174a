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
mod stream;
mod upgrade;

pub(crate) use goodbye::Goodbye;
pub(crate) use line::{Gone, Heard, Line};
pub(crate) use upgrade::Upgrade;

/// The text of a value of ours; these cannot fail to be written.
pub(crate) fn json_of(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Appends the text of a value of ours.
pub(crate) fn write_json(value: &impl serde::Serialize, out: &mut Vec<u8>) {
    // Neither a value of ours nor memory can fail to be written.
    let _ = serde_json::to_writer(out, value);
}
