//! What one connection remembers of what was said on it. Never more than it was told.

use std::collections::VecDeque;

use sayso_core::id::{AgentName, ConversationName};

/// Rows of each kind; the oldest goes first. One plugin rarely has more than a few agents.
const ROWS_MAX: usize = 1024;

/// What was said on a connection, as far as it matters later.
#[derive(Debug, Default)]
pub(super) struct Memory {
    told: VecDeque<AgentName>,
    running: VecDeque<ConversationName>,
    typing: VecDeque<ConversationName>,
    owners: VecDeque<(ConversationName, AgentName)>,
    /// Keys as the plugin gives them back, and the conversations they stand for.
    names: VecDeque<(ConversationName, ConversationName)>,
}

impl Memory {
    /// An agent was told how long to wait.
    pub(super) fn told(&mut self, agent: &AgentName) {
        self.told.retain(|have| have != agent);
        keep(&mut self.told, agent.clone());
    }

    /// A turn that we began on an earlier connection runs here.
    pub(super) fn running(&mut self, conversation: &ConversationName) {
        self.running.retain(|have| have != conversation);
        keep(&mut self.running, conversation.clone());
    }

    /// The plugin knows this conversation by this key. Of several with the same key, its next word is
    /// of the one it heard of last.
    pub(super) fn named(&mut self, key: ConversationName, conversation: &ConversationName) {
        self.names.retain(|(have, _)| *have != key);
        keep(&mut self.names, (key, conversation.clone()));
    }

    /// The conversation that goes by this key.
    pub(super) fn conversation(&self, key: ConversationName) -> ConversationName {
        let mut names = self.names.iter();
        names
            .find_map(|(have, name)| (*have == key).then(|| name.clone()))
            .unwrap_or(key)
    }

    /// Whether an agent waits as long as we told it to.
    pub(super) fn was_told(
        &self,
        agent: Option<&AgentName>,
        conversation: Option<&ConversationName>,
    ) -> bool {
        agent.is_some_and(|agent| self.told.contains(agent))
            || conversation.is_some_and(|conversation| self.running.contains(conversation))
    }

    /// An agent works on a turn.
    pub(super) fn typing(&mut self, conversation: &ConversationName) {
        self.idle(conversation);
        keep(&mut self.typing, conversation.clone());
    }

    /// An agent no longer works on a turn.
    pub(super) fn idle(&mut self, conversation: &ConversationName) {
        self.typing.retain(|have| have != conversation);
    }

    /// Whether an agent works on a turn.
    pub(super) fn is_typing(&self, conversation: &ConversationName) -> bool {
        self.typing.contains(conversation)
    }

    /// A conversation is of this agent.
    pub(super) fn owned(&mut self, conversation: &ConversationName, agent: &AgentName) {
        if self.owner(conversation) == Some(agent) {
            return;
        }
        self.owners.retain(|(have, _)| have != conversation);
        keep(&mut self.owners, (conversation.clone(), agent.clone()));
    }

    /// Whose conversation this is.
    pub(super) fn owner(&self, conversation: &ConversationName) -> Option<&AgentName> {
        self.owners
            .iter()
            .find_map(|(have, agent)| (have == conversation).then_some(agent))
    }
}

fn keep<T>(rows: &mut VecDeque<T>, row: T) {
    if rows.len() >= ROWS_MAX {
        rows.pop_front();
    }
    rows.push_back(row);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_stands_for_the_conversation_that_was_named_last() {
        let name = |text: &str| ConversationName::new(text).expect("a name");
        let mut memory = Memory::default();
        assert_eq!(memory.conversation(name("shop-a")), name("shop-a"));
        memory.named(name("shop-a"), &name("Shop-A"));
        assert_eq!(memory.conversation(name("shop-a")), name("Shop-A"));
        memory.named(name("shop-a"), &name("shop-a"));
        assert_eq!(memory.conversation(name("shop-a")), name("shop-a"));
    }

    #[test]
    fn memory_is_bounded_and_forgets_the_oldest() {
        let name = |number: usize| ConversationName::new(number.to_string()).expect("a name");
        let mut memory = Memory::default();
        for number in 0..=ROWS_MAX {
            memory.typing(&name(number));
            memory.running(&name(number));
            memory.named(name(number), &name(number));
            memory.owned(&name(number), &AgentName::new("a").expect("a name"));
        }
        assert_eq!(
            (
                memory.typing.len(),
                memory.running.len(),
                memory.owners.len(),
                memory.names.len()
            ),
            (ROWS_MAX, ROWS_MAX, ROWS_MAX, ROWS_MAX)
        );
        assert!(!memory.is_typing(&name(0)));
        assert!(memory.is_typing(&name(ROWS_MAX)));
    }
}
