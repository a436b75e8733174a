//! What the policy says to one ask, and why.

use super::rule::{Level, Rule};
use crate::id::RuleId;

/// What the policy says to one ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl Ruling {
    /// A yes by this rule.
    pub(super) const fn allow(rule: &Rule) -> Self {
        Self::Allow {
            rule: rule.id,
            version: rule.version,
        }
    }

    /// A no by this rule.
    pub(super) const fn deny(rule: &Rule) -> Self {
        Self::Deny {
            rule: rule.id,
            version: rule.version,
        }
    }

    /// The one word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Allow { .. } => "allow",
            Self::Deny { .. } => "deny",
        }
    }
}

/// A ruling that explains itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruled {
    /// What is to be done.
    pub ruling: Ruling,
    /// Why: one entry for each command, rule or level that mattered.
    pub because: Vec<Because>,
}

impl Ruled {
    /// All of it as one line.
    pub fn reason(&self) -> String {
        let whys: Vec<&str> = self.because.iter().map(|one| one.why.as_str()).collect();
        whys.join("; ")
    }

    /// The further rules that a yes to several commands needed, each once.
    pub fn also(&self) -> Vec<RuleId> {
        let Ruling::Allow { rule: first, .. } = self.ruling else {
            return Vec::new();
        };
        // Where a part is covered by none, it was how careful to be that said yes to all of it.
        let uncovered = |one: &Because| one.part.is_some() && one.rule.is_none();
        if self.because.iter().any(uncovered) {
            return Vec::new();
        }
        let mut also = Vec::new();
        for one in self.because.iter().filter(|one| one.part.is_some()) {
            if let Some(rule) = one.rule
                && rule != first
                && !also.contains(&rule)
            {
                also.push(rule);
            }
        }
        also
    }
}

/// One thing that mattered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Because {
    /// Which of the commands it is about, counted from 0.
    pub part: Option<usize>,
    /// Which rule.
    pub rule: Option<RuleId>,
    /// What, as a sentence without its full stop; text of others in it is escaped.
    pub why: String,
}

impl Because {
    /// About a rule.
    pub(super) fn by(rule: RuleId, why: String) -> Self {
        Self {
            rule: Some(rule),
            ..Self::of(why)
        }
    }

    pub(super) fn of(why: impl Into<String>) -> Self {
        Self {
            part: None,
            rule: None,
            why: why.into(),
        }
    }
}

/// How strict a ruling is: the higher wins.
pub(super) const fn strictness(ruling: Ruling) -> u8 {
    match ruling {
        Ruling::Allow { .. } => 0,
        Ruling::Ask => 1,
        Ruling::Deny { .. } => 2,
    }
}

/// What a level is called in a sentence.
pub(super) const fn level_words(level: Level) -> &'static str {
    match level {
        Level::Deny => "everything is denied here",
        Level::Ask => "everything needs an answer from a person here",
        Level::AllowList => "only what a rule allows runs without asking here",
        Level::Full => "everything that no rule denies is allowed here",
    }
}
