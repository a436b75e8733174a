//! What is wrong with a store that goes on working, in words for its owner.

use std::fmt;

use sayso_core::id::{AskId, Seq};

/// Something that needs the owner's attention. Everything else works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// An entry of the journal cannot be read.
    Unreadable {
        /// Where it stands.
        seq: Seq,
        /// The ask it is about, if that is known.
        ask: Option<AskId>,
        /// What was found.
        what: String,
    },
    /// Nothing can be written, for this reason.
    Refusing(String),
    /// Lists and search are being rebuilt.
    Rebuilding(String),
    /// Erased text is still in a file, for this reason.
    Erasing(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable {
                seq,
                ask: Some(ask),
                what,
            } => write!(f, "entry {seq} (ask {ask}) can't be read: {what}"),
            Self::Unreadable {
                seq,
                ask: None,
                what,
            } => write!(f, "entry {seq} can't be read: {what}"),
            Self::Refusing(why) | Self::Rebuilding(why) | Self::Erasing(why) => f.write_str(why),
        }
    }
}
