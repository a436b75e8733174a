//! What can be set about the embedded store. The defaults are the ones that were measured.

/// Settings of the embedded store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteSettings {
    /// Pages in the write-ahead log before they are moved into the file. A small log that is used
    /// again and again is faster than one that grows, because growing is metadata to be synced.
    pub wal_pages: u32,
    /// Connections kept for reading.
    pub readers: usize,
    /// Most pages the journal may have; for tests of a full disk.
    pub pages_max: Option<u32>,
    /// Whether secrets that the key file does not open are given up instead of refusing to start.
    pub forget_secrets: bool,
}

impl Default for SqliteSettings {
    fn default() -> Self {
        Self {
            wal_pages: 200,
            readers: 3,
            pages_max: None,
            forget_secrets: false,
        }
    }
}
