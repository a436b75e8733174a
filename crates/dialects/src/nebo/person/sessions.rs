//! What a browser calls conversations.
//!
//! A browser drops frames of a conversation that it does not know by the name it has on the
//! screen. It may have it from us, as our id, or have sent a name of its own: what it used last
//! is what it gets.

use std::collections::VecDeque;

/// Names of one browser that are remembered; it has one conversation on the screen.
const NAMES_MAX: usize = 64;

/// What this browser has called conversations so far.
#[derive(Debug, Default)]
pub(super) struct Sessions(VecDeque<String>);

impl Sessions {
    /// The browser used this name.
    pub(super) fn used(&mut self, name: &str) {
        if name.is_empty() {
            return;
        }
        self.0.retain(|have| have != name);
        self.0.push_front(name.to_owned());
        self.0.truncate(NAMES_MAX);
    }

    /// The name it used last, whatever that was.
    pub(super) fn last(&self) -> &str {
        self.0.front().map_or("", String::as_str)
    }

    /// Whether the browser has a name for this conversation.
    pub(super) fn knows(&self, id: &str, name: &str) -> bool {
        self.0.iter().any(|have| have == id || have == name)
    }

    /// What the browser calls the conversation with this id and name of ours.
    pub(super) fn call(&self, id: String, name: &str) -> String {
        let used = self.0.iter().find(|have| **have == id || *have == name);
        used.cloned().unwrap_or(id)
    }
}
