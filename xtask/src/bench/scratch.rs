//! The folder the bench works in, on the disk that holds the build. It is removed at the end,
//! however the bench ends.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

#[derive(Debug)]
pub(super) struct Scratch {
    folder: PathBuf,
    made: Cell<u32>,
}

/// Where the build lies: this program lies two folders below.
pub(super) fn target() -> Result<PathBuf> {
    let here = std::env::current_exe()?;
    here.ancestors()
        .nth(2)
        .map(Path::to_owned)
        .with_context(|| format!("{} lies in no target folder", here.display()))
}

/// Where what the bench writes is kept.
pub(super) fn kept() -> Result<PathBuf> {
    Ok(target()?.join("bench"))
}

impl Scratch {
    pub(super) fn new() -> Result<Self> {
        let folder = kept()?.join(format!("work-{}", std::process::id()));
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("could not make {}", folder.display()))?;
        Ok(Self {
            folder,
            made: Cell::new(0),
        })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A path in it that was not used before.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.made.set(self.made.get() + 1);
        self.folder.join(format!("{}-{name}", self.made.get()))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Removes a folder; what cannot be removed is named, since there is nothing else to be done.
pub(super) fn remove(folder: &Path) {
    if let Err(error) = std::fs::remove_dir_all(folder)
        && folder.exists()
    {
        eprintln!("bench: could not remove {}: {error}", folder.display());
    }
}
