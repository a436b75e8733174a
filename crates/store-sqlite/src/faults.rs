//! Named points at which a test build can be killed.
//!
//! Without the feature `faults` a point compiles to nothing. With it, every point calls the one
//! function that the test binary installed; what that does is the test's business.

/// Every point there is, in the order in which a life of the store meets them.
pub const POINTS: [&str; 46] = [
    "create_begin",
    "create_migrated",
    "create_synced",
    "create_renamed",
    "migration_begin",
    "migration_ran",
    "migration_versioned",
    "migration_committed",
    "key_made",
    "key_synced",
    "views_created",
    "views_indexed",
    "recover_begin",
    "recover_tail",
    "recover_rows",
    "recover_end",
    "commit_begin",
    "commit_header",
    "commit_body",
    "commit_sealed",
    "commit_erased",
    "commit_before",
    "commit_after",
    "commit_failed",
    "seal_before",
    "seal_after",
    "checkpoint_before",
    "checkpoint_after",
    "truncate_before",
    "truncate_after",
    "reopen_before",
    "reopen_after",
    "rows_begin",
    "rows_before_commit",
    "rows_after_commit",
    "text_begin",
    "text_before_commit",
    "text_after_commit",
    "backup_begin",
    "backup_copied",
    "backup_synced",
    "backup_renamed",
    "restore_copied",
    "restore_appended",
    "restore_aside",
    "restore_renamed",
];

#[cfg(feature = "faults")]
mod hook {
    use std::sync::OnceLock;

    static HOOK: OnceLock<fn(&'static str)> = OnceLock::new();

    /// Installs what happens at every point; the first call counts.
    pub fn install(hook: fn(&'static str)) {
        let _ = HOOK.set(hook);
    }

    /// Passes a point.
    pub fn point(name: &'static str) {
        if let Some(hook) = HOOK.get() {
            hook(name);
        }
    }
}

#[cfg(feature = "faults")]
pub use hook::{install, point};

/// Passes a point: nothing happens in this build.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub fn point(_name: &'static str) {}
