//! Named points at which a test build can be killed.
//!
//! Without the feature `faults` a point compiles to nothing. With it, every point calls the one
//! function that the test build installed; what that does is its business. The names are listed
//! by the crates that pass them.

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
