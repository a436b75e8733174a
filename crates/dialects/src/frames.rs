//! Where a face writes its frames, straight into what goes out or into a list, and values of ours as
//! JSON.

use serde::Serialize;

/// A value of ours as JSON.
pub(crate) fn written(value: &impl Serialize) -> String {
    // Our types have string keys only, so there is nothing that could fail.
    serde_json::to_string(value).unwrap_or_default()
}

/// Frames that are being written, one after the other.
pub trait Frames {
    /// Adds a frame, written where it goes out. What is written must be text.
    fn write(&mut self, write: &mut dyn FnMut(&mut Vec<u8>));
}

impl dyn Frames + '_ {
    /// Adds a frame that is there already.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "as a list of frames takes it"
    )]
    pub fn push(&mut self, frame: String) {
        self.write(&mut |out| out.extend_from_slice(frame.as_bytes()));
    }

    /// Adds frames that are there already.
    pub fn extend(&mut self, frames: impl IntoIterator<Item = String>) {
        for frame in frames {
            self.push(frame);
        }
    }

    /// Adds a value of ours as JSON.
    pub fn json(&mut self, value: &impl Serialize) {
        // Neither a value of ours nor memory can fail to be written.
        self.write(&mut |out| drop(serde_json::to_writer(out, value)));
    }
}

impl Frames for Vec<String> {
    fn write(&mut self, write: &mut dyn FnMut(&mut Vec<u8>)) {
        let mut frame = Vec::new();
        write(&mut frame);
        self.extend(String::from_utf8(frame));
    }
}
