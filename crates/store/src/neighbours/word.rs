//! What nodes say to each other. A word may be lost and comes at most once: whoever says one does not
//! rely on it.

use sayso_core::control::ControlKind;
use sayso_core::digest::Digest;
use sayso_core::id::{ConversationId, ConversationName, DialectName, PersonName, Seq, TokenId};

use crate::neighbours::NodeId;

/// What one node says to all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeWord {
    /// Who has connections at the node that says this has changed.
    Here,
    /// A piece of what an agent is saying at that node.
    Saying {
        /// Where.
        conversation: ConversationId,
        /// Where in the unfinished message the piece begins, in bytes.
        from: usize,
        /// The piece.
        text: String,
    },
    /// A node lacks the beginning of what is being said: whoever has it says it again, once.
    SayAgain {
        /// Where.
        conversation: ConversationId,
    },
    /// An agent at that node was heard of: its turn runs.
    Heard {
        /// Where.
        conversation: ConversationId,
        /// What that node had taken in by then: a word may come later than an event that was written
        /// after it was said.
        after: Seq,
    },
    /// A person wants something of an agent's program, which may be connected anywhere.
    Control {
        /// The caller's own number of it.
        number: u64,
        /// In which conversation.
        conversation: ConversationId,
        /// What.
        what: ControlKind,
        /// Who.
        by: PersonName,
    },
    /// What became of that.
    Controlled {
        /// Who wanted it.
        node: NodeId,
        /// The number it had there.
        number: u64,
        /// Why it was not done, if it was not.
        refused: Option<String>,
    },
    /// A place that only one connection may have was taken at that node.
    SeatTaken {
        /// Which.
        key: String,
    },
    /// Something changed on a shelf.
    ShelfChanged {
        /// Which.
        shelf: String,
    },
    /// What a call of an agent waits for is decided without us.
    Decided(CallDecided),
}

/// What an agent says is decided without us: calls that wait for it need not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallDecided {
    /// In which language the agent speaks.
    pub dialect: DialectName,
    /// Its token.
    pub token: TokenId,
    /// In which conversation.
    pub conversation: ConversationName,
    /// Which call of a tool; nothing for every one.
    pub about: Option<Digest>,
}

/// What the connections of an agent at one node offer to take.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offers {
    /// In which conversations they take turns.
    pub turns: OfferedIn,
    /// In which conversations they take what people want of the program.
    pub controls: OfferedIn,
}

/// In which conversations something is offered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OfferedIn {
    /// In none.
    #[default]
    Nowhere,
    /// In every one, new ones too.
    Anywhere,
    /// Only in those of these names.
    These(Vec<ConversationName>),
}

impl OfferedIn {
    /// Whether it is offered in the conversation of this name; without one, in new ones.
    pub fn takes(&self, name: Option<&ConversationName>) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Anywhere => true,
            Self::These(names) => name.is_some_and(|name| names.contains(name)),
        }
    }
}
