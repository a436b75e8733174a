//! Building the state from a snapshot: what a store tells about the time before.

use std::sync::Arc;

use super::State;
use super::asks::OpenEntry;
use super::delivery::OwedEntry;
use super::talk::QueuedEntry;
use crate::agent::{Agent, Conversation};
use crate::id::{AskId, ConversationId, Epoch, Place, RuleId, Seq, TokenId};
use crate::policy::Rule;
use crate::role::Token;
use crate::time::Time;

/// A part of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub enum SnapshotPart {
    /// A token that is good.
    Token(Token),
    /// Tokens have been given ids up to this one.
    LastToken(TokenId),
    /// An agent, in rising order of ids.
    Agent(Agent),
    /// A conversation, in rising order of ids.
    Conversation(Conversation),
    /// An ask that waits, in rising order of ids.
    Open(OpenEntry),
    /// An outcome whose agent has yet to confirm it.
    Owed(OwedEntry),
    /// A message that waits for its agent, in the order of the journal.
    Queued(QueuedEntry),
    /// A conversation in which a turn of its agent runs.
    Running(ConversationId),
    /// A rule that was not revoked, in rising order of ids.
    Rule(RuleEntry),
    /// Rules have been given ids up to this one.
    LastRule(RuleId),
    /// Where a question with a late answer is, the newest ones, in the order of the answers.
    Late(Place),
    /// When a token that is good was last used.
    Used(TokenId, Time),
}

/// A rule, and what it has done so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleEntry {
    /// The rule.
    pub rule: Arc<Rule>,
    /// How many asks it has answered.
    pub hits: u64,
    /// When it last did.
    pub last_used: Option<Time>,
}

impl State {
    /// Takes over a part of a snapshot.
    pub fn load(&mut self, part: SnapshotPart) {
        match part {
            SnapshotPart::Token(token) => self.directory.token_made(Arc::new(token)),
            SnapshotPart::LastToken(id) => self.directory.saw_token(id),
            SnapshotPart::Agent(agent) => drop(self.directory.agent_met(&agent)),
            SnapshotPart::Conversation(conversation) => {
                self.directory.conversation_began(&conversation);
            }
            SnapshotPart::Open(entry) => self.asks.opened(&entry),
            SnapshotPart::Owed(entry) => self.delivery.owe(entry),
            SnapshotPart::Queued(entry) => self.talk.messaged(entry),
            SnapshotPart::Running(conversation) => self.talk.runs(conversation, true),
            SnapshotPart::Rule(entry) => self.rules.load(entry),
            SnapshotPart::LastRule(id) => self.rules.saw(id),
            // Nothing is decided by these; whoever asked for the snapshot keeps them.
            SnapshotPart::Late(_) | SnapshotPart::Used(..) => {}
        }
    }

    /// The snapshot is complete, as of this place.
    pub fn loaded(&mut self, head: Seq, epoch: Option<Epoch>, last_ask: Option<AskId>) {
        self.head = head;
        self.epoch = epoch;
        self.asks.forgotten_to(head);
        if let Some(ask) = last_ask {
            self.asks.saw(ask);
        }
    }
}
