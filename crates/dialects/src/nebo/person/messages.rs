//! Which words of people a browser has drawn, and which are news to it.

use std::collections::VecDeque;

use sayso_core::entry::Message;
use sayso_core::id::MessageId;

/// Words of one browser that are on their way, and messages that it was told.
const MESSAGES_MAX: usize = 64;

/// What this browser has said and was told of.
#[derive(Debug, Default)]
pub(super) struct DeviceMessages {
    /// What it sent and drew, until it comes back.
    sent: VecDeque<String>,
    /// What came: a message comes again when its agent has it.
    told: VecDeque<MessageId>,
}

impl DeviceMessages {
    /// The browser sent these words.
    pub(super) fn sent(&mut self, text: &str) {
        self.sent.push_back(text.to_owned());
        if self.sent.len() > MESSAGES_MAX {
            self.sent.pop_front();
        }
    }

    /// Whether the browser of this person has not drawn a message yet.
    pub(super) fn is_news(&mut self, message: &Message, person: &str) -> bool {
        if self.told.contains(&message.id) {
            return false;
        }
        self.told.push_back(message.id);
        if self.told.len() > MESSAGES_MAX {
            self.told.pop_front();
        }
        let own = |text: &String| message.person.as_str() == person && *text == message.text;
        match self.sent.iter().position(own) {
            Some(at) => {
                self.sent.remove(at);
                false
            }
            None => true,
        }
    }
}
