//! What stands in for an entry of the journal that cannot be read.
//!
//! Damage stays with the ask it hit: the ask is still listed, can be dismissed or withdrawn, and can be
//! erased, but never answered. Nothing of what was asked or answered is made up.

use std::sync::Arc;

use crate::agent::Agent;
use crate::ask::{Ask, Matter, Question};
use crate::digest::Digest;
use crate::id::{AgentId, AgentName, AskId, ConversationId, DialectName, Seq, TokenId};
use crate::outcome::{Closer, Closing, Outcome};
use crate::time::Time;
use crate::view::AskView;

/// The digest of an ask that cannot be read. No text has it.
const DIGEST: Digest = Digest([0; 32]);

/// What is said instead of an outcome that cannot be read.
pub const LOST_OUTCOME: &str = "This ask was closed, but its outcome can't be read: the entry in the journal is damaged. Ask again.";

/// What is said instead of an outcome whose secret cannot be opened any more.
pub const LOST_SECRET: &str = "This form was answered, but the secret in the answer is lost: the server's key file was lost or replaced before the agent received it. Ask again.";

/// What is still known of an ask whose text cannot be read.
#[derive(Debug, Clone, Copy)]
pub struct Remains {
    /// Which ask.
    pub ask: AskId,
    /// Where it was asked.
    pub opened: Seq,
    /// Who asked, if that is known.
    pub agent: Option<AgentId>,
    /// In which conversation, if that is known.
    pub conversation: Option<ConversationId>,
    /// When it was asked.
    pub asked_at: Time,
    /// When it expires, if that is known.
    pub deadline: Option<Time>,
}

/// An ask in place of one that cannot be read.
pub fn ask(remains: &Remains) -> Ask {
    let text = format!(
        "This ask can't be read: entry {} of the server's journal is damaged. Dismiss it; the agent can ask again.",
        remains.opened
    );
    Ask {
        id: remains.ask,
        agent: remains.agent.unwrap_or(AgentId(0)),
        conversation: remains.conversation,
        workspace: None,
        wire_id: None,
        key: None,
        title: None,
        matter: Matter::Questions(vec![Question {
            required: true,
            ..Question::open(text)
        }]),
        digest: DIGEST,
        shape: DIGEST,
        asked_at: remains.asked_at,
        deadline: remains.deadline,
        stops: false,
    }
}

/// A close in place of one that cannot be given to its asker.
pub fn closing(why: &str, at: Time) -> Closing {
    Closing {
        outcome: Outcome::Withdrawn {
            note: Some(why.to_owned()),
        },
        by: Closer::Clock,
        at,
    }
}

/// The agent of an ask of which nobody knows who asked it.
pub fn agent() -> Option<Arc<Agent>> {
    Some(Arc::new(Agent {
        beside: None,
        id: AgentId(0),
        token: TokenId(0),
        name: AgentName::new("unknown").ok()?,
        dialect: DialectName::new("native").ok()?,
    }))
}

impl Ask {
    /// Whether this stands in for an ask that cannot be read.
    pub fn is_unreadable(&self) -> bool {
        self.digest == DIGEST
    }
}

impl AskView {
    /// Whether the ask or its outcome cannot be read.
    pub fn is_unreadable(&self) -> bool {
        self.ask.is_unreadable()
            || self.closing.as_ref().is_some_and(|closing| {
                closing.by == Closer::Clock
                    && matches!(&closing.outcome, Outcome::Withdrawn { note: Some(note) }
                        if note == LOST_OUTCOME || note == LOST_SECRET)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stand_in_is_known_as_one_and_names_its_entry() {
        let remains = Remains {
            ask: AskId::from_bytes([1; 16]),
            opened: Seq(12),
            agent: None,
            conversation: None,
            asked_at: Time::from_millis(5),
            deadline: None,
        };
        let ask = ask(&remains);
        assert!(ask.is_unreadable());
        assert!(ask.text().contains("entry 12"));
        let view = |ask: Ask, closing: Option<Closing>| AskView {
            ask: Arc::new(ask),
            agent: agent().unwrap(),
            connected: false,
            conversation: None,
            closing: closing.map(Arc::new),
            late: None,
            delivery: crate::outcome::Delivery::Owed,
            prefill: None,
            scopes: &[],
        };
        assert!(view(ask.clone(), None).is_unreadable());
        let sound = Ask {
            digest: Digest::of(b"x"),
            ..ask
        };
        assert!(!view(sound.clone(), None).is_unreadable());
        for why in [LOST_OUTCOME, LOST_SECRET] {
            let lost = closing(why, Time::from_millis(6));
            assert!(view(sound.clone(), Some(lost)).is_unreadable());
        }
        // An agent's own note never counts.
        let own = Closing {
            by: Closer::Agent,
            ..closing(LOST_OUTCOME, Time::from_millis(6))
        };
        assert!(!view(sound, Some(own)).is_unreadable());
    }
}
