//! What may be answered without a person.
//!
//! A [`Ruling`] is made for every ask before it is committed. There are no rules yet, so every
//! ruling is "ask a person"; the type is here because the driver acts on it.

use crate::answer::Scope;
use crate::ask::{Ask, MatterKind};
use crate::id::RuleId;

/// What the policy says to one ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// A person must decide.
    Ask,
    /// A rule says yes.
    Allow {
        /// Which rule.
        rule: RuleId,
        /// Which version of it.
        version: u32,
    },
    /// A rule says no.
    Deny {
        /// Which rule.
        rule: RuleId,
        /// Which version of it.
        version: u32,
    },
}

/// The rules a person made.
#[derive(Debug, Clone, Default)]
pub struct Policy {}

impl Policy {
    /// What to do with this ask.
    #[must_use]
    pub fn rule_on(&self, _ask: &Ask) -> Ruling {
        Ruling::Ask
    }

    /// How far a yes to an ask of this matter may reach.
    #[must_use]
    pub fn scopes(&self, matter: MatterKind) -> &'static [Scope] {
        match matter {
            MatterKind::Approval => &[Scope::Once],
            MatterKind::Questions | MatterKind::Form => &[],
        }
    }
}
