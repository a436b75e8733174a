//! Where the repository is.

use std::path::PathBuf;

/// The folder that holds the workspace `Cargo.toml`. Cargo always runs xtask from its own
/// checkout, so the place it was built is the place it works on.
pub(crate) fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or(here.clone(), PathBuf::from)
}
