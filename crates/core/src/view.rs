//! An ask together with everything that is known about it at one moment: what faces show.

use std::sync::Arc;

use crate::agent::{Agent, Conversation};
use crate::answer::Scope;
use crate::ask::Ask;
use crate::id::AskId;
use crate::outcome::{Closer, Closing, Delivery, Late};

/// An ask as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct AskView {
    /// What was asked.
    pub ask: Arc<Ask>,
    /// Who asked.
    pub agent: Arc<Agent>,
    /// Whether a link of that agent is alive now.
    pub connected: bool,
    /// The conversation it belongs to.
    pub conversation: Option<Arc<Conversation>>,
    /// How it ended, if it has.
    pub closing: Option<Arc<Closing>>,
    /// An answer that came too late and was kept.
    pub late: Option<Arc<Late>>,
    /// How far the news has got.
    pub delivery: Delivery,
    /// How far a yes may reach; empty where there is nothing to allow.
    pub scopes: &'static [Scope],
    /// What a person can start from, while the ask is open. Never shown to the asker.
    pub prefill: Option<Arc<Prefill>>,
}

/// A late answer to an equal question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefill {
    /// The expired ask it was given to.
    pub ask: AskId,
    /// What was said, by whom and when.
    pub late: Arc<Late>,
}

impl AskView {
    /// Whether a rule answered it the moment it came, so that it never waited for anybody.
    ///
    /// A rule that is made while an ask waits answers it later than it was asked, if only by the
    /// smallest step there is.
    pub fn was_never_open(&self) -> bool {
        self.closing
            .as_ref()
            .is_some_and(|closing| is_at_once(&self.ask, closing))
    }
}

/// Whether this end of an ask is a rule's, given the moment the ask came.
pub fn is_at_once(ask: &Ask, closing: &Closing) -> bool {
    matches!(closing.by, Closer::Rule { .. }) && closing.at == ask.asked_at
}

/// Who looks. Secrets are for the asker alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// The agent that asked.
    Asker,
    /// A person, an admin, a log: anybody else.
    Anybody,
}
