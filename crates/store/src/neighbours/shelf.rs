//! Small records that all nodes share, such as the devices that want notices. They are sealed with the
//! key of the nodes: the database does not learn what is in them.

use std::fmt;

use crate::store::Later;

/// A record: its key, and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShelfRow {
    /// Which record of its shelf.
    pub key: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Records that all nodes know. A shelf is named by whoever uses it.
pub trait SharedShelf: Send + Sync + fmt::Debug {
    /// Everything on a shelf, by its keys.
    fn rows<'a>(&'a self, shelf: &'a str) -> Later<'a, Vec<ShelfRow>>;

    /// Puts a record in the place of an older one.
    fn put<'a>(&'a self, shelf: &'a str, row: ShelfRow) -> Later<'a, ()>;

    /// Puts a record where there is none, and gives what is there then: the first one wins.
    fn put_first<'a>(&'a self, shelf: &'a str, row: ShelfRow) -> Later<'a, Vec<u8>>;

    /// Takes records away.
    fn remove<'a>(&'a self, shelf: &'a str, keys: Vec<String>) -> Later<'a, ()>;
}
