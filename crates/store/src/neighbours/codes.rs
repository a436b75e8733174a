//! Codes that are good once and for a while: tickets, log-ins and pairings, taken at any node.

use std::fmt;
use std::time::Duration;

use crate::store::Later;

/// What a code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeKind {
    /// A single entry to one door.
    Ticket,
    /// A device logs in.
    Login,
    /// A program pairs itself.
    Pairing,
}

/// A code about to be given out.
#[derive(Debug, Clone)]
pub struct NewCode {
    /// What it is for.
    pub kind: CodeKind,
    /// A keyed hash of it; the code itself is nowhere kept.
    pub hash: [u8; 32],
    /// What it is good for, in the words of whoever takes it.
    pub good_for: Vec<u8>,
    /// Wrong codes are counted against all open codes of a group.
    pub group: String,
    /// How long it is good.
    pub life: Duration,
    /// How many of its kind may be open at one time.
    pub most: usize,
}

/// What became of a new code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeKept {
    /// It is good from now on.
    Kept,
    /// So many are open that there cannot be another.
    Full,
    /// It is open already, for something else.
    Taken,
}

/// Codes that all nodes know.
pub trait SharedCodes: Send + Sync + fmt::Debug {
    /// The keyed hash under which a code is kept.
    fn hash(&self, kind: CodeKind, code: &str) -> [u8; 32];

    /// Keeps a code until it is used, too old or void.
    fn keep(&self, code: NewCode) -> Later<'_, CodeKept>;

    /// What a code is good for; it is used up with that, wherever it was given out.
    fn take(&self, kind: CodeKind, hash: [u8; 32]) -> Later<'_, Option<Vec<u8>>>;

    /// A wrong code came: it counts against the open codes of its group, and voids those against which
    /// so many have come.
    fn wrong<'a>(&'a self, kind: CodeKind, group: &'a str, most: u32) -> Later<'a, ()>;
}
