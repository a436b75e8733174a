//! The calls about conversations: which there are, what stands in them, and saying something.

use crate::call::HttpCall;
use crate::client::Client;
use crate::error::ClientError;
use crate::query::{QueryText, escaped};
use crate::wire::{ConversationList, Entries, MessageSent, NewMessage};

/// Which conversations a list shows; absent means every one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationFilter {
    /// Of this agent, by id or name.
    pub agent: Option<String>,
    /// How many at once.
    pub limit: Option<usize>,
    /// `next` of the page before.
    pub after: Option<u64>,
}

/// Which part of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryRange {
    /// The first ones after this place; from the beginning after 0.
    After(u64),
    /// The last ones before this place.
    Before(u64),
    /// The latest ones.
    End,
}

/// Where a message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageTarget {
    /// Into this conversation, by id or name; the agent tells conversations of one name apart.
    Conversation {
        conversation: String,
        /// Whose, by id or name.
        agent: Option<String>,
    },
    /// Into a new one, with this agent or with whoever takes turns.
    New {
        /// With whom, by id or name.
        agent: Option<String>,
    },
}

impl Client {
    /// A page of conversations, those of the latest entry first.
    pub async fn conversations(
        &self,
        query: &ConversationFilter,
    ) -> Result<ConversationList, ClientError> {
        let mut text = QueryText::default();
        text.add("agent", query.agent.as_deref());
        text.add("limit", query.limit);
        text.add("after", query.after);
        self.read_at(format!("/v1/conversations{}", text.0)).await
    }

    /// What is in a conversation, named by our id or by its agent's name for it, in order.
    pub async fn entries(
        &self,
        conversation: &str,
        page: EntryRange,
        limit: Option<usize>,
    ) -> Result<Entries, ClientError> {
        let mut text = QueryText::default();
        match page {
            EntryRange::After(place) => text.add("after", Some(place)),
            EntryRange::Before(place) => text.add("before", Some(place)),
            EntryRange::End => text.add("before", Some("end")),
        }
        text.add("limit", limit);
        let conversation = escaped(conversation);
        let route = format!("/v1/conversations/{conversation}/entries{}", text.0);
        self.read_at(route).await
    }

    /// Says something to an agent. A lost reply may leave the message behind: it has no key.
    pub async fn say(&self, to: &MessageTarget, text: &str) -> Result<MessageSent, ClientError> {
        let (conversation, agent) = match to {
            MessageTarget::Conversation {
                conversation,
                agent,
            } => (conversation.as_str(), agent),
            MessageTarget::New { agent } => ("new", agent),
        };
        let said = NewMessage {
            text: text.to_owned(),
            agent: agent.clone(),
        };
        let route = format!("/v1/conversations/{}/messages", escaped(conversation));
        self.post_to(route, &said).await
    }

    /// Stops what the agent does in a conversation, named by our id or by its agent's name for it.
    pub async fn stop(&self, conversation: &str) -> Result<(), ClientError> {
        let route = format!("/v1/conversations/{}/stop", escaped(conversation));
        self.done(HttpCall::post(route)).await
    }

    /// Removes a message that waits for its agent, by our id of it.
    pub async fn remove_message(&self, id: &str) -> Result<(), ClientError> {
        let call = HttpCall::delete(format!("/v1/messages/{}", escaped(id)));
        self.done(call).await
    }
}
