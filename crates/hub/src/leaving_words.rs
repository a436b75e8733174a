//! Words of an agent whose last connection to this node is gone in the middle of a message. It may go on
//! at another node, which never completes what was said here: so that is written down as it stands. Where
//! there is one node only, the agent goes on with the same message when it is back.

use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::id::{AgentId, TokenId};
use sayso_core::state::Op;
use sayso_core::state::op::HalfSaid;

use crate::error::HubError;
use crate::hub::Inner;

impl Inner {
    /// Writes down what this agent was saying here.
    pub(crate) fn leave_words(self: &Arc<Self>, agent: AgentId) {
        if self.neighbours.is_none() {
            return;
        }
        let (speaker, left) = {
            let memory = self.memory();
            let directory = &memory.state.directory;
            let said_in = memory.live.said_in().into_iter();
            let left: Vec<Arc<Conversation>> = said_in
                .filter_map(|id| directory.conversation(id).cloned())
                .filter(|conversation| conversation.agent == agent)
                .collect();
            (directory.agent(agent).map(|agent| agent.token), left)
        };
        let Some(speaker) = speaker else { return };
        for conversation in left {
            let inner = Arc::clone(self);
            tokio::spawn(async move { inner.write_left(speaker, conversation).await });
        }
    }

    async fn write_left(self: Arc<Self>, speaker: TokenId, conversation: Arc<Conversation>) {
        let text = self.memory().live.take_saying(conversation.id);
        if text.is_empty() {
            return;
        }
        let written = match self.random() {
            Ok(random) => {
                let said = HalfSaid {
                    text: text.clone(),
                    random,
                };
                let conversation = Arc::clone(&conversation);
                self.decide::<()>(Op::Say { conversation, said }).await
            }
            Err(error) => Err(error),
        };
        match written {
            Ok(()) | Err(HubError::Revoked) => {}
            Err(error) => {
                tracing::warn!(%error, "could not record what an agent was saying when it \
                                        disconnected");
                let mut memory = self.memory();
                memory.live.put_before(speaker, conversation.id, text);
            }
        }
    }
}
