//! What other nodes say, and what this one says to them: turns that run, words that are being said, and
//! what people want of an agent's program.

use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::id::ConversationId;
use sayso_core::text::beginning;
use sayso_store::{Neighbours, NodeId, NodeWord};

use super::TRY_AGAIN_AFTER;
use crate::feed::News;
use crate::hub::Inner;
use crate::live::Overheard;

/// Bytes of text in one word: whatever they are, as JSON they stay below 4 KB.
const PIECE_BYTES_MAX: usize = 640;

/// Hears what other nodes say, until the hub stops.
pub(crate) async fn listen(inner: Arc<Inner>, neighbours: Arc<dyn Neighbours>) {
    loop {
        let heard = tokio::select! {
            heard = neighbours.heard() => heard,
            () = inner.stopped() => return,
        };
        match heard {
            Ok(words) => {
                for (node, word) in words {
                    inner.hear(&neighbours, node, word);
                }
            }
            Err(error) => {
                tracing::debug!(%error, "could not receive from other nodes");
                inner.clock.sleep(TRY_AGAIN_AFTER).await;
            }
        }
    }
}

impl Inner {
    fn hear(self: &Arc<Self>, neighbours: &Arc<dyn Neighbours>, node: NodeId, word: NodeWord) {
        match word {
            NodeWord::Here => self.remote.presence.notify_one(),
            NodeWord::Heard {
                conversation,
                after,
            } => {
                let is_over = self.memory().live.has_ended_after(conversation, after);
                if !is_over {
                    self.heard_elsewhere(conversation, Some(node));
                }
            }
            NodeWord::Saying {
                conversation,
                from,
                text,
            } => self.overhear(&**neighbours, conversation, from, &text),
            NodeWord::SayAgain { conversation } => self.say_again(conversation),
            NodeWord::Control {
                number,
                conversation,
                what,
                by,
            } => {
                if let Some(conversation) = self.conversation(conversation) {
                    self.control_for(neighbours, (node, number), conversation, what, by);
                }
            }
            NodeWord::Controlled {
                node,
                number,
                refused,
            } => {
                if node == neighbours.node() {
                    self.remote.answered(number, refused);
                }
            }
            // Nobody need listen.
            NodeWord::SeatTaken { key } => drop(self.remote.seats.send(key)),
            NodeWord::ShelfChanged { shelf } => drop(self.remote.shelves.send(shelf)),
            NodeWord::Decided(decided) => drop(self.remote.decided.send(decided)),
        }
    }

    fn conversation(&self, id: ConversationId) -> Option<Arc<Conversation>> {
        self.memory().state.directory.conversation(id).cloned()
    }

    /// An agent was heard of at another node: its turn runs.
    pub(crate) fn heard_elsewhere(&self, conversation: ConversationId, node: Option<NodeId>) {
        let Some(conversation) = self.conversation(conversation) else {
            return;
        };
        let now = self.now().hub;
        let sooner = self
            .memory()
            .live
            .heard_elsewhere(conversation.id, now, node);
        if sooner {
            self.bell.notify_one();
        }
        self.publish_turn(&conversation);
    }

    /// A piece of what an agent says at another node.
    fn overhear(
        &self,
        neighbours: &dyn Neighbours,
        conversation: ConversationId,
        from: usize,
        text: &str,
    ) {
        let Some(conversation) = self.conversation(conversation) else {
            return;
        };
        let now = self.now().hub;
        let mut memory = self.memory();
        let overheard = memory.live.overhear(conversation.id, from, text, now);
        drop(memory);
        match overheard {
            Overheard::New { from, text } => self.tell(News::Saying {
                conversation,
                from,
                text: text.into(),
            }),
            Overheard::Known => {}
            Overheard::Missed => neighbours.say(NodeWord::SayAgain {
                conversation: conversation.id,
            }),
        }
    }

    /// Says to other nodes that a turn runs here, now and then.
    pub(crate) fn tell_heard(&self, conversation: ConversationId) {
        let Some(neighbours) = &self.neighbours else {
            return;
        };
        let now = self.now().hub;
        let after = {
            let mut memory = self.memory();
            let is_due = memory.live.tell_heard(conversation, now);
            is_due.then_some(memory.state.head)
        };
        if let Some(after) = after {
            neighbours.say(NodeWord::Heard {
                conversation,
                after,
            });
        }
    }

    /// Says a piece of what an agent says here to other nodes.
    pub(crate) fn say_elsewhere(&self, conversation: ConversationId, from: usize, text: &str) {
        let Some(neighbours) = &self.neighbours else {
            return;
        };
        let (mut from, mut rest) = (from, text);
        while !rest.is_empty() {
            let piece = beginning(rest, PIECE_BYTES_MAX);
            let (_, behind) = rest.split_at(piece.len());
            neighbours.say(NodeWord::Saying {
                conversation,
                from,
                text: piece.to_owned(),
            });
            from += piece.len();
            rest = behind;
        }
    }

    /// Says everything again that an agent is saying here.
    fn say_again(&self, conversation: ConversationId) {
        let now = self.now().hub;
        let said = self.memory().live.say_again(conversation, now);
        if let Some(text) = said {
            self.say_elsewhere(conversation, 0, &text);
        }
    }
}
