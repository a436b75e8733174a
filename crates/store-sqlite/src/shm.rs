//! Room for the index of the write-ahead log, reserved before SQLite writes to it.
//!
//! SQLite maps that file into memory. On a disk with small blocks it leaves holes in it, and writing to a
//! hole of a full disk ends the process. With the room reserved, a full disk is an error like any other.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{FallocateFlags, fallocate};
use sayso_store::StoreError;

use crate::fault::unusable;
use crate::folder::{owner_only, with_side_files};

/// Bytes of the index for each part of the log, and pages of the log in such a part.
const PART_BYTES: u64 = 32 * 1024;
const PART_PAGES: u64 = 4000;
/// Parts reserved beyond those in use.
const PARTS_AHEAD: u64 = 2;

/// The reserved file. Closing it would let go of SQLite's locks on it, so it stays open as long as
/// SQLite has it open.
#[derive(Debug)]
pub(crate) struct Reserved {
    file: File,
    parts: u64,
}

impl Reserved {
    /// Reserves room beside a database that is open; `before` is what was reserved for it before.
    pub(crate) fn beside(
        database: &Path,
        before: Option<Self>,
    ) -> Result<Option<Self>, StoreError> {
        let [_, _, path, _] = with_side_files(database);
        let failed = |e: io::Error| unusable("cannot reserve space for", &path, e);
        let about = match path.symlink_metadata() {
            Ok(about) => about,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(failed(e)),
        };
        if let Some(before) = before {
            let was = before.file.metadata().map_err(failed)?;
            if (was.dev(), was.ino()) == (about.dev(), about.ino()) {
                return Ok(Some(before));
            }
        }
        let file = owner_only().open(&path).map_err(failed)?;
        let mut reserved = Self { file, parts: 0 };
        reserved.grow(0).map_err(failed)?;
        Ok(Some(reserved))
    }

    /// Makes sure that there is room for a log of this many pages and the next ones.
    pub(crate) fn grow(&mut self, pages: u32) -> io::Result<()> {
        let parts = u64::from(pages) / PART_PAGES + PARTS_AHEAD;
        if parts <= self.parts {
            return Ok(());
        }
        match fallocate(&self.file, FallocateFlags::empty(), 0, parts * PART_BYTES) {
            // Where the system cannot reserve, a full disk is what it was.
            Ok(()) | Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {
                self.parts = parts;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}
