//! What one stream was told of what the agent says, so that nothing is said to it twice.

use std::mem;

use sayso_core::entry::Turn;

use super::wire::Event;
use crate::Frames;

/// How much was told of the message that the agent is saying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    /// It may have begun before the stream did: it is told whole once it is finished.
    Unsure,
    /// This many bytes.
    Bytes(usize),
}

/// The text messages of one stream.
#[derive(Debug)]
pub(crate) struct TextStream {
    /// What ids of messages begin with.
    random: String,
    count: usize,
    /// The message that has begun and not ended.
    open: Option<String>,
    heard: Heard,
}

impl TextStream {
    /// Nothing yet.
    pub(crate) fn nothing(random: &str) -> Self {
        Self {
            random: random.to_owned(),
            count: 0,
            open: None,
            heard: Heard::Bytes(0),
        }
    }

    /// An id that no other message has.
    pub(crate) fn fresh_id(&mut self) -> String {
        self.count += 1;
        format!("{}-{}", self.random, self.count)
    }

    /// What the agent does at first: it may be in the middle of saying something.
    pub(crate) fn go_live(&mut self, turn: Turn) {
        self.heard = match turn {
            Turn::Idle => Heard::Bytes(0),
            Turn::Running | Turn::Waiting => Heard::Unsure,
        };
    }

    /// What the agent has said so far of a message.
    pub(crate) fn saying(&mut self, saying: &str) {
        if saying.is_empty() && self.heard == Heard::Unsure {
            self.heard = Heard::Bytes(0);
        }
    }

    /// A piece of what the agent is saying.
    pub(crate) fn piece(&mut self, text: &str, frames: &mut dyn Frames) {
        if let Heard::Bytes(count) = &mut self.heard {
            *count += text.len();
            self.write(text, frames);
        }
    }

    /// A message is complete.
    pub(crate) fn said(&mut self, text: &str, frames: &mut dyn Frames) {
        let rest = match mem::replace(&mut self.heard, Heard::Bytes(0)) {
            Heard::Unsure => Some(text),
            Heard::Bytes(count) => text.get(count..),
        };
        self.write(rest.unwrap_or_default(), frames);
        self.end(frames);
    }

    /// A message that was complete before the stream began.
    pub(crate) fn missed(&mut self, text: &str, frames: &mut dyn Frames) {
        self.write(text, frames);
        self.end(frames);
    }

    fn write(&mut self, text: &str, frames: &mut dyn Frames) {
        if text.is_empty() {
            return;
        }
        if self.open.is_none() {
            let id = self.fresh_id();
            let start = Event::TextMessageStart {
                message_id: &id,
                role: "assistant",
            };
            frames.push(start.written());
            self.open = Some(id);
        }
        if let Some(id) = &self.open {
            let content = Event::TextMessageContent {
                message_id: id,
                delta: text,
            };
            frames.push(content.written());
        }
    }

    /// Ends what has begun.
    pub(crate) fn end(&mut self, frames: &mut dyn Frames) {
        if let Some(id) = self.open.take() {
            frames.push(Event::TextMessageEnd { message_id: &id }.written());
        }
    }
}
