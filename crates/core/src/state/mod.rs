//! The state, and the two functions that are all that touches it.
//!
//! [`decide`](Parts::decide) says what an operation means on exactly this state: the events to write
//! and the reply to give. [`apply`](Parts::apply) is the only way the state changes: for our own
//! events once they are written, for those of other nodes, and at start. Nothing here does IO, reads
//! a clock or takes a lock.
//!
//! Each part is owned by one folder. A [`Batch`] is the same parts laid over the state: it holds only
//! what it has changed, and what is decided later in it sees what was decided before.

pub mod asks;
pub mod delivery;
pub mod directory;
mod ids;
mod load;
pub mod op;
mod refusal;
pub mod rules;
pub mod table;
pub mod talk;

pub use asks::{
    Asks, ClosedEntry, OpenEntry, OpenFilter, OpenIndex, Standing, ask_keys, key_hash, keys_of,
};
pub use delivery::{Deliveries, OwedEntry};
pub use directory::{Directory, Emptied};
pub use ids::{Random, asked_at};
pub use load::{RuleEntry, SnapshotPart};
pub use op::{Bounds, Now, Op, OpReply, Plan};
pub use refusal::{Flood, Refusal};
pub use rules::{RuleUses, Rules};
pub use talk::{QueuedEntry, Talk};

use std::sync::Arc;

use table::{Base, Layer, Over};

use crate::agent::Agent;
use crate::entry::Turn;
use crate::id::{AskId, ConversationId, Epoch, Place, Seq, TokenId};
use crate::journal::{DeliveryMark, Event};
use crate::outcome::{Closer, Closing};

/// Everything that must be in memory, by concern.
#[derive(Debug)]
pub struct Parts<L: Layer> {
    /// Open asks, and those closed a moment ago.
    pub asks: Asks<L>,
    /// Messages that wait, and turns.
    pub talk: Talk<L>,
    /// Rules.
    pub rules: Rules<L>,
    /// Tokens, agents and conversations.
    pub directory: Directory<L>,
    /// Outcomes on their way.
    pub delivery: Deliveries<L>,
    /// The last place that was applied.
    pub head: Seq,
    /// Which life of the state this is.
    pub epoch: Option<Epoch>,
}

/// The state.
pub type State = Parts<Base>;

/// What a batch has decided so far, over the state.
pub type Batch<'a> = Parts<Over<'a>>;

/// What an event changed, for whoever waits, listens or keeps time: nothing that the event alone
/// tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// An agent came for the first time.
    pub met: Option<Arc<Agent>>,
    /// An ask ended; this is how it was kept while it was open.
    pub closed: Option<OpenEntry>,
    /// The conversation in which something changed.
    pub conversation: Option<ConversationId>,
}

impl Changes {
    fn of_conversation(conversation: ConversationId) -> Self {
        Self {
            conversation: Some(conversation),
            ..Self::default()
        }
    }
}

impl<L: Layer> Parts<L> {
    /// The place that the event after so many gets.
    fn place_after(&self, events: usize) -> Seq {
        Seq(self.head.0 + events as u64 + 1)
    }

    /// What an operation means on exactly this state. It changes nothing. `by` is the token that it
    /// came with; the server's own come with none.
    pub fn decide(&self, op: Op, by: Option<TokenId>, now: &Now<'_>) -> Result<Plan, Refusal> {
        if by.is_some_and(|token| self.directory.token(token).is_none()) {
            return Err(Refusal::Revoked);
        }
        match op {
            Op::Begin { epoch, again } => Ok(self.decide_begin(epoch, again)),
            Op::Ask(new) => self.decide_ask(*new, now),
            Op::Close(close) => self.decide_close(*close, now),
            Op::Expire(ask) => self.decide_expire(ask, now),
            Op::Mark(marks) => Ok(self.decide_marks(marks, now)),
            Op::Erase { ask, looked } => self.decide_erase(ask, looked),
            Op::Meet(who) => {
                let (agent, met) = self.directory.meet(&who)?;
                Ok(Plan {
                    events: met.into_iter().collect(),
                    reply: OpReply::Agent(agent),
                })
            }
            Op::Converse { meet: who, name } => {
                let (agent, met) = self.directory.meet(&who)?;
                let (conversation, began) = self.directory.converse(&agent, &name, now)?;
                Ok(Plan {
                    events: met.into_iter().chain(began).collect(),
                    reply: OpReply::Conversation(conversation),
                })
            }
            Op::MakeToken(new) => self.directory.decide_token(*new, now),
            Op::RevokeToken(name) => self.directory.decide_revoke(name),
            Op::Message(new) => self.decide_message(*new, now),
            Op::Hand(conversation) => Ok(self.decide_hand(conversation)),
            Op::Return(entry) => Ok(self.talk.decide_return(entry)),
            Op::Remove(remove) => self.talk.decide_remove(*remove),
            Op::Say { conversation, said } => Ok(talk::decide_say(&conversation, said, now)),
            Op::Note(new) => Ok(talk::decide_note(*new, now)),
            Op::EndTurn(over) => Ok(self.decide_end(*over, now)),
            Op::Clear {
                conversation,
                places,
            } => Ok(self.talk.decide_clear(conversation, places)),
            Op::MakeRules(make) => self.decide_make_rules(*make, now),
            Op::ActivateRule(activate) => self.decide_activate(*activate, now),
            Op::RevokeRule { rule, by } => self.rules.decide_revoke(rule, by),
            Op::Sweep(candidates) => Ok(Plan {
                events: self.sweep(self.rules.policy(), &candidates, now),
                reply: OpReply::Done,
            }),
        }
    }

    /// Begins a life of the state; the first one only where none began.
    fn decide_begin(&self, epoch: Epoch, again: bool) -> Plan {
        let begins = again || self.epoch.is_none();
        let began = begins.then_some(Event::EpochBegan(epoch));
        Plan {
            events: began.into_iter().collect(),
            reply: OpReply::Done,
        }
    }

    /// Takes in what happened at a place: the only way anything changes.
    pub fn apply(&mut self, seq: Seq, event: &Event) -> Changes {
        self.head = seq;
        match event {
            Event::EpochBegan(epoch) => {
                self.apply_epoch(*epoch);
                Changes::default()
            }
            Event::TokenMade(token) => {
                self.directory.token_made(Arc::new(token.clone()));
                Changes::default()
            }
            Event::TokenRevoked(token) => {
                self.directory.token_revoked(*token);
                Changes::default()
            }
            Event::AgentMet(agent) => Changes {
                met: Some(self.directory.agent_met(agent)),
                ..Changes::default()
            },
            Event::ConversationBegan(conversation) => {
                self.directory.conversation_began(conversation);
                Changes::default()
            }
            Event::Asked(ask) => {
                let agent = self.directory.agent(ask.agent);
                let entry = asks::open_entry(agent.map(|agent| &**agent), ask, seq);
                self.asks.opened(&entry);
                Changes {
                    conversation: ask.conversation,
                    ..Changes::default()
                }
            }
            Event::Closed { ask, closing, .. } => self.apply_closed(seq, *ask, closing),
            Event::AnsweredLate { ask, .. } => {
                self.asks.kept_late(*ask, seq);
                self.delivery.kept_late(*ask, seq);
                Changes::default()
            }
            Event::Delivered(marks) => {
                self.apply_marks(marks);
                Changes::default()
            }
            Event::Erased { ask, place } => self.apply_erasure(seq, *ask, *place),
            Event::Messaged(message) => {
                self.talk.messaged(QueuedEntry {
                    message: message.id,
                    conversation: message.conversation,
                    seq,
                });
                Changes::of_conversation(message.conversation)
            }
            Event::Handed {
                message,
                conversation,
                ..
            } => {
                self.talk.left_queue(*conversation, *message);
                self.talk.runs(*conversation, true);
                Changes::of_conversation(*conversation)
            }
            Event::Returned {
                message,
                conversation,
                opened,
            } => self.apply_returned(QueuedEntry {
                message: *message,
                conversation: *conversation,
                seq: *opened,
            }),
            Event::Removed {
                message,
                conversation,
                ..
            } => {
                self.talk.left_queue(*conversation, *message);
                Changes::of_conversation(*conversation)
            }
            Event::Said(said) => {
                self.talk.runs(said.conversation, true);
                Changes::of_conversation(said.conversation)
            }
            Event::Noted(note) => Changes::of_conversation(note.conversation),
            Event::TurnEnded { conversation, .. } => {
                self.talk.runs(*conversation, false);
                Changes::of_conversation(*conversation)
            }
            Event::RuleMade(rule) => {
                self.rules.made(Arc::clone(rule));
                Changes::default()
            }
            Event::RuleRevoked { rule, .. } => {
                self.rules.revoked(*rule);
                Changes::default()
            }
            // Neither decides anything.
            Event::Shown(_) | Event::Cleared { .. } => Changes::default(),
        }
    }

    /// Takes in an event of which only the header is left: its text was erased, and with it nothing
    /// that still matters.
    pub fn apply_erased(&mut self, seq: Seq, ask: Option<AskId>) {
        self.head = seq;
        if let Some(ask) = ask {
            self.asks.saw(ask);
        }
    }

    /// The text of an ask is erased: nobody is owed its outcome.
    fn apply_erasure(&mut self, seq: Seq, ask: AskId, place: Place) -> Changes {
        self.delivery.settled(ask);
        Changes {
            closed: self.asks.erased(ask, place, seq),
            ..Changes::default()
        }
    }

    /// A message waits again, and the turn that it began is over.
    fn apply_returned(&mut self, entry: QueuedEntry) -> Changes {
        self.talk.waits_again(entry);
        self.talk.runs(entry.conversation, false);
        Changes::of_conversation(entry.conversation)
    }

    /// A new life: what was open before is void.
    fn apply_epoch(&mut self, epoch: Epoch) {
        self.epoch = Some(epoch);
        self.asks.epoch_began();
        self.talk.epoch_began();
        self.delivery.epoch_began();
    }

    fn apply_marks(&mut self, marks: &[DeliveryMark]) {
        for mark in marks {
            self.asks.delivered(mark.ask, mark.delivery);
            self.delivery.marked(mark.ask, mark.delivery);
        }
    }

    /// The first close of an ask; a later one changes nothing.
    fn apply_closed(&mut self, seq: Seq, ask: AskId, closing: &Closing) -> Changes {
        if let Closer::Rule { rule, also, .. } = &closing.by {
            for rule in std::iter::once(rule).chain(also) {
                self.rules.used(*rule, closing.at);
            }
        }
        let how = closing.outcome.kind();
        let closed = self.asks.closed(ask, seq, how);
        if let Some(open) = &closed {
            self.delivery.closed(open, seq, how, closing.at);
        }
        Changes {
            conversation: closed.and_then(|open| open.conversation),
            closed,
            ..Changes::default()
        }
    }

    /// What the agent of a conversation does in it, as far as it is written down.
    pub fn turn(&self, conversation: ConversationId) -> Turn {
        if self.asks.open_in(conversation) > 0 {
            Turn::Waiting
        } else if self.talk.is_running(conversation) {
            Turn::Running
        } else {
            Turn::Idle
        }
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            asks: Asks::new(),
            talk: Talk::new(),
            rules: Rules::new(),
            directory: Directory::new(),
            delivery: Deliveries::new(),
            head: Seq::ZERO,
            epoch: None,
        }
    }
}

impl State {
    /// A batch over this state that has decided nothing yet.
    pub fn batch(&self) -> Batch<'_> {
        Batch {
            asks: self.asks.over(),
            talk: self.talk.over(),
            rules: self.rules.over(),
            directory: self.directory.over(),
            delivery: self.delivery.over(),
            head: self.head,
            epoch: self.epoch,
        }
    }

    /// Forgets asks that closed up to this place, but for a margin: whoever decides by one of them
    /// looks it up first.
    pub fn forget(&mut self, looked: Seq) {
        self.asks.forget(looked);
    }

    /// In which part two states stand differently, if they do, whatever they remember of closed asks
    /// beside it.
    pub fn differs_from(&self, other: &Self) -> Option<&'static str> {
        let same = [
            ("head", self.head == other.head),
            ("epoch", self.epoch == other.epoch),
            ("asks", self.asks.stands_as(&other.asks)),
            ("talk", self.talk.stands_as(&other.talk)),
            ("rules", self.rules.stands_as(&other.rules)),
            ("directory", self.directory.stands_as(&other.directory)),
            ("delivery", self.delivery.stands_as(&other.delivery)),
        ];
        same.into_iter()
            .find(|(_, same)| !same)
            .map(|(part, _)| part)
    }
}
