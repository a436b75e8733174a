//! Whether an ask makes sense, and whether an answer fits its ask: every violation with its path.
//!
//! Nothing here stops at the first violation, changes a value, or knows how it came in. Paths are
//! JSON pointers in the words of our own JSON, whatever language the value was written in.

mod answer;
mod chat;
mod decimal;
mod draft;
mod field;
mod form;
mod format;
mod found;

pub use answer::{check_answer, check_note, check_stop, settle_fields, settle_note, settle_notes};
pub use chat::{check_message, check_said, check_tool_note};
pub use draft::{check_draft, check_matter};

use std::fmt;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where: a JSON pointer such as `/questions/0/choices/1/label`; empty for the whole.
    pub path: String,
    /// What is wrong and what would be right.
    pub message: String,
    /// Whether it is wrong as such, or only not on offer.
    pub kind: ViolationKind,
}

impl Violation {
    /// Something that is wrong as such.
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
            kind: ViolationKind::Invalid,
        }
    }
}

/// What sort of wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// It could never be right.
    Invalid,
    /// The verdict reaches further than this ask offers.
    ScopeUnavailable,
}

/// Everything that is wrong with one value: at least one violation, at most
/// [`VIOLATIONS_MAX`](crate::limits::VIOLATIONS_MAX).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// These violations, cut to the limit; nothing when there are none.
    pub fn new(mut list: Vec<Violation>) -> Option<Self> {
        list.truncate(crate::limits::VIOLATIONS_MAX);
        (!list.is_empty()).then_some(Self(list))
    }

    /// Just this one.
    pub fn one(violation: Violation) -> Self {
        Self(vec![violation])
    }

    /// The violations, in the order of the value.
    pub fn list(&self) -> &[Violation] {
        &self.0
    }

    /// The violations, to keep.
    pub fn into_vec(self) -> Vec<Violation> {
        self.0
    }

    /// What they amount to: a scope that is not on offer counts only when nothing else is wrong.
    pub fn kind(&self) -> ViolationKind {
        if self
            .0
            .iter()
            .all(|violation| violation.kind == ViolationKind::ScopeUnavailable)
        {
            ViolationKind::ScopeUnavailable
        } else {
            ViolationKind::Invalid
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            violation.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Violations {}

#[cfg(test)]
mod answer_tests;
#[cfg(test)]
mod draft_tests;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod valid_tests;
