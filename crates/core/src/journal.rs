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
        /// Where it was opened, so that it can be read without a search.
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
    /// on it counts as sent, unless the link is known to have gone before it was written.
    Handed {
        /// Which message.
        message: MessageId,
        /// In which conversation.
        conversation: ConversationId,
        /// Where it was said.
        opened: Seq,
    },
    /// A message was handed to a link that went before it was written: it waits again, and the turn
    /// that it began is over.
    Returned {
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

/// Gives every event its kind. An event does not compile until it has one.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal,)+) => {
        /// What kind of event a row holds. The numbers are on disk; they are only ever added to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Kind {
            $($(#[$doc])* $kind = $number,)+
        }

        impl Kind {
            /// Every kind.
            pub const ALL: [Self; [$($number),+].len()] = [$(Self::$kind),+];
        }

        impl Event {
            /// Which kind this is.
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind { .. } => Kind::$kind,)+
                }
            }
        }
    };
}

kinds! {
    /// A state began, or began again from a backup.
    EpochBegan = 1,
    /// A token was made.
    TokenMade = 2,
    /// A token was taken back.
    TokenRevoked = 3,
    /// An agent came for the first time.
    AgentMet = 4,
    /// A conversation was named for the first time.
    ConversationBegan = 5,
    /// An agent asked.
    Asked = 6,
    /// An ask ended.
    Closed = 7,
    /// An answer came after the deadline and was kept.
    AnsweredLate = 8,
    /// How far the news of some outcomes has got.
    Delivered = 9,
    /// The text of an ask was erased.
    Erased = 10,
    /// A person said something to an agent.
    Messaged = 11,
    /// A message was handed to its agent.
    Handed = 12,
    /// An agent finished saying something.
    Said = 13,
    /// A tool of an agent did something.
    Noted = 14,
    /// A turn of an agent ended.
    TurnEnded = 15,
    /// A rule was made.
    RuleMade = 16,
    /// A rule was taken back.
    RuleRevoked = 17,
    /// Which devices had some asks on screen.
    Shown = 18,
    /// A message that waited was removed.
    Removed = 19,
    /// What was said at some places of a conversation was erased.
    Cleared = 20,
    /// A message that was handed over waits again.
    Returned = 21,
}

impl Kind {
    /// The number on disk.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The kind with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }
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

impl From<Arc<Ask>> for Event {
    fn from(ask: Arc<Ask>) -> Self {
        Self::Asked(ask)
    }
}

impl Event {
    /// An ask ends, which was opened there.
    pub const fn closed(ask: AskId, opened: Seq, closing: Arc<Closing>) -> Self {
        Self::Closed {
            ask,
            opened,
            closing,
        }
    }

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
            | Self::Returned { .. }
            | Self::Removed { .. }
            | Self::Said(_)
            | Self::Noted(_)
            | Self::TurnEnded { .. }
            | Self::RuleMade(_)
            | Self::RuleRevoked { .. } => None,
        }
    }

    /// Where the ask stands that an outcome or a late answer belongs to: secrets in it are kept under
    /// that place.
    pub fn outcome_of(&self) -> Option<Seq> {
        if let Self::Closed { opened, .. } | Self::AnsweredLate { opened, .. } = self {
            return Some(*opened);
        }
        None
    }

    /// The message that is handed over or removed.
    pub fn message_of(&self) -> Option<Seq> {
        if let Self::Handed { opened, .. } | Self::Removed { opened, .. } = self {
            return Some(*opened);
        }
        None
    }

    /// Where text is erased: everything about an ask, or what was said at some places.
    pub fn erases(&self) -> Option<Erases<'_>> {
        if let Self::Erased { place, .. } = self {
            return Some(Erases::Ask(*place));
        }
        if let Self::Cleared { places, .. } = self {
            return Some(Erases::Said(places));
        }
        None
    }

    /// The rule that is made.
    pub fn rule(&self) -> Option<&Arc<Rule>> {
        if let Self::RuleMade(rule) = self {
            return Some(rule);
        }
        None
    }

    /// The ask that is taken in.
    pub fn asked(&self) -> Option<&Arc<Ask>> {
        if let Self::Asked(ask) = self {
            return Some(ask);
        }
        None
    }

    /// How an ask ends.
    pub fn closing(&self) -> Option<&Arc<Closing>> {
        if let Self::Closed { closing, .. } = self {
            return Some(closing);
        }
        None
    }

    /// What came too late and is kept.
    pub fn late(&self) -> Option<&Arc<Late>> {
        if let Self::AnsweredLate { late, .. } = self {
            return Some(late);
        }
        None
    }

    /// What an agent said.
    pub fn said(&self) -> Option<&Arc<Said>> {
        if let Self::Said(said) = self {
            return Some(said);
        }
        None
    }

    /// The message that waits again.
    pub fn returns(&self) -> Option<Seq> {
        if let Self::Returned { opened, .. } = self {
            return Some(*opened);
        }
        None
    }

    /// The ends of asks that nobody needs to be told of again, by where they were opened.
    pub fn confirms(&self) -> impl Iterator<Item = Seq> + '_ {
        let marks = if let Self::Delivered(marks) = self {
            marks.as_slice()
        } else {
            &[]
        };
        let confirmed = marks
            .iter()
            .filter(|mark| mark.delivery == Delivery::Confirmed);
        confirmed.map(|mark| mark.opened)
    }

    /// In which conversation an agent showed that it is at work, or its turn ended.
    pub fn shows_turn_in(&self) -> Option<ConversationId> {
        if let Self::Handed { conversation, .. }
        | Self::Returned { conversation, .. }
        | Self::TurnEnded { conversation, .. } = self
        {
            return Some(*conversation);
        }
        if let Self::Noted(note) = self {
            return Some(note.conversation);
        }
        self.said().map(|said| said.conversation)
    }

    /// The token that is good from now on.
    pub fn makes(&self) -> Option<&Token> {
        if let Self::TokenMade(token) = self {
            return Some(token);
        }
        None
    }

    /// The token that is revoked.
    pub fn revokes(&self) -> Option<TokenId> {
        if let Self::TokenRevoked(token) = self {
            return Some(*token);
        }
        None
    }
}

/// Where an event erases text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erases<'a> {
    /// Everything that was written about an ask.
    Ask(Place),
    /// What was said at these places.
    Said(&'a [Seq]),
}

impl Erases<'_> {
    /// The places.
    pub fn places(&self) -> impl Iterator<Item = Seq> + '_ {
        let (ask, said) = match self {
            Self::Ask(place) => ([Some(place.opened), place.closed, place.late], &[][..]),
            Self::Said(places) => ([None; 3], *places),
        };
        ask.into_iter().flatten().chain(said.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_read_back_their_numbers() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_number(kind.number()), Some(kind));
        }
        assert_eq!(Kind::from_number(0), None);
    }
}
