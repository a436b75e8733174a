//! Words of an agent whose last connection to this node is gone in the middle of a message. It may go on
//! at another node, which never completes what was said here: so that is written down as it stands. Where
//! there is one node only, the agent goes on with the same message when it is back.

use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::id::AgentId;
use sayso_core::state::op::HalfSaid;

use crate::error::HubError;
use crate::hub::Inner;
use crate::queue::SayTask;

impl Inner {
    /// Writes down what this agent was saying here.
    pub(crate) fn leave_words(self: &Arc<Self>, agent: AgentId) {
        if self.neighbours.is_none() {
            return;
        }
        let left: Vec<Arc<Conversation>> = {
            let memory = self.memory();
            let directory = &memory.state.directory;
            let said_in = memory.live.said_in().into_iter();
            said_in
                .filter_map(|id| directory.conversation(id).cloned())
                .filter(|conversation| conversation.agent == agent)
                .collect()
        };
        for conversation in left {
            let inner = Arc::clone(self);
            tokio::spawn(async move { inner.write_left(conversation).await });
        }
    }

    async fn write_left(self: Arc<Self>, conversation: Arc<Conversation>) {
        let written = match self.random() {
            Ok(random) => {
                let text = self.memory().live.take_saying(conversation.id);
                if text.is_empty() {
                    return;
                }
                let before = text.clone();
                let said = HalfSaid { text, random };
                let words = SayTask {
                    conversation,
                    said,
                    before,
                };
                self.write_words(words).await
            }
            Err(error) => Err(error),
        };
        match written {
            Ok(()) | Err(HubError::Revoked) => {}
            Err(error) => tracing::warn!(%error, "could not record what an agent was saying when \
                                                  it disconnected"),
        }
    }
}
