//! Where a check stands and what it has found. A path is only written out when something is wrong.

use std::collections::HashSet;
use std::fmt;

use super::{Violation, ViolationKind, Violations};
use crate::limits;

/// A place in the value that is being checked.
#[derive(Debug, Clone, Copy)]
pub(super) enum At<'a> {
    Root,
    Key(&'a At<'a>, &'a str),
    Index(&'a At<'a>, usize),
}

impl<'a> At<'a> {
    pub(super) const fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    pub(super) const fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(parent, key) => {
                write!(f, "{parent}/{}", key.replace('~', "~0").replace('/', "~1"))
            }
            Self::Index(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

/// What a check has found so far.
#[derive(Debug, Default)]
pub(super) struct Checker(Vec<Violation>);

impl Checker {
    pub(super) fn add(&mut self, at: At<'_>, message: impl Into<String>) {
        self.add_kind(at, message, ViolationKind::Invalid);
    }

    pub(super) fn add_kind(&mut self, at: At<'_>, message: impl Into<String>, kind: ViolationKind) {
        if self.0.len() < limits::VIOLATIONS_MAX {
            self.0.push(Violation {
                path: at.to_string(),
                message: message.into(),
                kind,
            });
        }
    }

    /// Text within its length; it may be empty.
    pub(super) fn length(&mut self, at: At<'_>, text: &str, bytes_max: usize) {
        if text.len() > bytes_max {
            self.add(
                at,
                format!(
                    "is {} bytes long; at most {bytes_max} are allowed",
                    text.len()
                ),
            );
        }
    }

    /// Text that may be absent, within its length.
    pub(super) fn length_if(
        &mut self,
        at: At<'_>,
        text: impl IntoIterator<Item = impl AsRef<str>>,
        bytes_max: usize,
    ) {
        for text in text {
            self.length(at, text.as_ref(), bytes_max);
        }
    }

    /// Text within its length that says something.
    pub(super) fn filled(&mut self, at: At<'_>, text: &str, bytes_max: usize) {
        if text.trim().is_empty() {
            self.add(at, "is empty");
        }
        self.length(at, text, bytes_max);
    }

    /// A list within its length.
    pub(super) fn count(&mut self, at: At<'_>, count: usize, max: usize) {
        if count > max {
            self.add(at, format!("has {count} items; at most {max} are allowed"));
        }
    }

    /// Each item that stood in the list before.
    pub(super) fn repeats<'a>(
        &mut self,
        at: At<'_>,
        items: impl ExactSizeIterator<Item = &'a str>,
        key: Option<&str>,
    ) {
        if items.len() < 2 {
            return;
        }
        let mut seen = HashSet::with_capacity(items.len());
        for (index, item) in items.enumerate() {
            if !seen.insert(item) {
                let at = at.index(index);
                let message = "is a duplicate";
                match key {
                    Some(key) => self.add(at.key(key), message),
                    None => self.add(at, message),
                }
            }
        }
    }

    pub(super) fn finish(self) -> Result<(), Violations> {
        Violations::new(self.0).map_or(Ok(()), Err)
    }
}
