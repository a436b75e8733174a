//! What can go wrong in a store, told apart by what a caller can do about it.

/// A store could not do what was asked. Nothing was stored unless the call says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No room, or the device failed; the store is intact and will recover by itself.
    #[error("the state cannot be written now: {detail}; asks and answers are refused until it can")]
    TryLater {
        /// What the system said.
        detail: String,
    },
    /// What is on disk is not what was written.
    #[error("{file} is damaged: {detail}")]
    Damaged {
        /// Which file.
        file: String,
        /// What was found.
        detail: String,
    },
    /// The state was written by a newer version.
    #[error(
        "{file} was written by a newer version of sayso ({}level {found}, this version reads up to level {known}); upgrade sayso and start it again, nothing was changed",
        by.as_ref().map(|by| format!("{by}, ")).unwrap_or_default()
    )]
    Newer {
        /// Which file.
        file: String,
        /// The level found.
        found: u32,
        /// The highest level this version knows.
        known: u32,
        /// The version that wrote it, if it says so.
        by: Option<String>,
    },
    /// Another server uses this state.
    #[error(
        "the state in {folder} is in use by another sayso server; stop it, or start this one with another --state"
    )]
    InUse {
        /// Which folder.
        folder: String,
    },
    /// The folder or a file in it cannot be used at all.
    #[error("{what}: {detail}")]
    Unusable {
        /// What was tried.
        what: String,
        /// What the system said.
        detail: String,
    },
}
