//! What the journal remembers: every event there is, as a value.
//!
//! The bytes on disk are the store's; an event here carries exactly what is needed to know
//! everything again after a restart.

use std::sync::Arc;

use crate::agent::{Agent, Conversation};
use crate::ask::Ask;
use crate::entry::{Message, Note, Said, TurnEnd};
use crate::id::{AskId, ConversationId, Epoch, MessageId, Place, RuleId, Seq, TokenId};
use crate::outcome::{Closing, Delivery, Late};
use crate::policy::{Maker, Rule};
use crate::role::Token;
use crate::time::Time;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A state began, or began again from a backup: asks opened before are void.
    EpochBegan(Epoch),
    /// A token was made.
    TokenMade(Token),
    /// A token was taken back.
    TokenRevoked(TokenId),
    /// An agent came for the first time.
    AgentMet(Agent),
    /// A conversation was named for the first time.
    ConversationBegan(Conversation),
    /// An agent asked.
    Asked(Arc<Ask>),
    /// An ask ended.
    Closed {
        /// Which ask.
        ask: AskId,
        /// Where it was opened, so that it can be read without a search. [`Seq::ZERO`] stands for
        /// the place of the ask in the same commit, which only the store knows.
        opened: Seq,
        /// How, by whom, when.
        closing: Arc<Closing>,
    },
    /// An answer came after the deadline and was kept.
    AnsweredLate {
        /// Which ask.
        ask: AskId,
        /// Where it was opened.
        opened: Seq,
        /// What was said.
        late: Arc<Late>,
    },
    /// How far the news of some outcomes has got.
    Delivered(Vec<DeliveryMark>),
    /// Which devices of people had some asks on screen, and since when. It decides nothing.
    Shown(Vec<ShownMark>),
    /// The text of an ask and its outcome was erased; that it was there remains.
    Erased {
        /// Which ask.
        ask: AskId,
        /// Everything that was written about it.
        place: Place,
    },
    /// What was said at these places of a conversation was erased; that something was there
    /// remains.
    Cleared {
        /// In which conversation.
        conversation: ConversationId,
        /// Where the messages, words and notes stood.
        places: Vec<Seq>,
    },
    /// A person said something to an agent; it waits until it is handed over.
    Messaged(Arc<Message>),
    /// A message is about to be written to a live link of its agent, whose turn begins. From here
    /// on it counts as sent, whatever happens to the link.
    Handed {
        /// Which message.
        message: MessageId,
        /// In which conversation.
        conversation: ConversationId,
        /// Where it was said.
        opened: Seq,
    },
    /// A message that waited was removed: its agent is never given it.
    Removed {
        /// Which message.
        message: MessageId,
        /// In which conversation.
        conversation: ConversationId,
        /// Where it was said.
        opened: Seq,
        /// By whom.
        by: Maker,
    },
    /// An agent finished saying something.
    Said(Arc<Said>),
    /// A tool of an agent did something.
    Noted(Arc<Note>),
    /// A turn of an agent ended.
    TurnEnded {
        /// In which conversation.
        conversation: ConversationId,
        /// How.
        end: TurnEnd,
    },
    /// A rule was made, or made anew as another version.
    RuleMade(Arc<Rule>),
    /// A rule was taken back.
    RuleRevoked {
        /// Which rule.
        rule: RuleId,
        /// By whom.
        by: Maker,
    },
}

/// How far the news of one outcome has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryMark {
    /// Which ask.
    pub ask: AskId,
    /// Where it was opened.
    pub opened: Seq,
    /// How far.
    pub delivery: Delivery,
    /// When it got there.
    pub at: Time,
}

/// That one device had one ask on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownMark {
    /// Which ask.
    pub ask: AskId,
    /// Where it was opened.
    pub opened: Seq,
    /// The token of the device.
    pub device: TokenId,
    /// When the device first said so.
    pub at: Time,
}

impl Event {
    /// The ask this is about, when it is about one.
    pub fn ask(&self) -> Option<AskId> {
        match self {
            Self::Asked(ask) => Some(ask.id),
            Self::Closed { ask, .. }
            | Self::AnsweredLate { ask, .. }
            | Self::Erased { ask, .. } => Some(*ask),
            Self::EpochBegan(_)
            | Self::TokenMade(_)
            | Self::TokenRevoked(_)
            | Self::AgentMet(_)
            | Self::ConversationBegan(_)
            | Self::Delivered(_)
            | Self::Shown(_)
            | Self::Cleared { .. }
            | Self::Messaged(_)
            | Self::Handed { .. }
            | Self::Removed { .. }
            | Self::Said(_)
            | Self::Noted(_)
            | Self::TurnEnded { .. }
            | Self::RuleMade(_)
            | Self::RuleRevoked { .. } => None,
        }
    }
}
