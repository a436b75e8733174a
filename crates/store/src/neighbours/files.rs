//! Files that agents show to people, kept where every node finds them.

use std::fmt;

use sayso_core::id::TokenId;

use crate::store::Later;

/// A file that is kept, without what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFileRow {
    /// Its id.
    pub id: String,
    /// How long it is.
    pub bytes: u64,
    /// Whose it is.
    pub owner: Option<TokenId>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFile {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub owner: TokenId,
    /// What was said about it, in the words of whoever reads it.
    pub about: String,
    /// What is in it.
    pub content: Vec<u8>,
}

/// Told which files there are, oldest first, says which make room for the new one; nothing when there is
/// no room to be had.
pub type MakeRoom = Box<dyn FnOnce(Vec<SharedFileRow>) -> Option<Vec<String>> + Send>;

/// Files that all nodes know.
pub trait SharedFiles: Send + Sync + fmt::Debug {
    /// Keeps a file, and removes those that make room for it. Says whether there was room.
    fn keep(&self, file: SharedFile, room: MakeRoom) -> Later<'_, bool>;

    /// What was said about a file, and what is in it.
    fn read<'a>(&'a self, id: &'a str) -> Later<'a, Option<(String, Vec<u8>)>>;
}
