//! Which files are kept, whose they are, and who makes room for a new one.
//!
//! A token makes room among its own files only. Files that are nobody's, from before owners were
//! noted, make room for everyone. Nothing here touches the disk.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::id::TokenId;
use sayso_core::limits;

use super::FileId;

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileBounds {
    pub(super) files: usize,
    pub(super) bytes: u64,
    pub(super) files_per_token: usize,
    pub(super) bytes_per_token: u64,
}

impl FileBounds {
    pub(super) const BUILT_IN: Self = Self {
        files: limits::FILES_MAX,
        bytes: limits::FILES_BYTES_MAX,
        files_per_token: limits::FILES_PER_TOKEN_MAX,
        bytes_per_token: limits::FILES_PER_TOKEN_BYTES_MAX,
    };
}

#[derive(Debug, Clone)]
pub(super) struct KeptFile {
    pub(super) id: FileId,
    pub(super) bytes: u64,
    pub(super) owner: Option<TokenId>,
}

/// The files that are there, oldest first.
#[derive(Debug, Default)]
pub(super) struct KeptFiles(VecDeque<KeptFile>);

impl KeptFiles {
    pub(super) fn new(files: Vec<KeptFile>) -> Self {
        Self(files.into())
    }

    /// Adds a file; gives the ones that make room for it, or nothing when there is none to be had.
    pub(super) fn add(&mut self, file: KeptFile, bounds: FileBounds) -> Option<Vec<FileId>> {
        let mut gone = Vec::new();
        loop {
            let (count, bytes) = self.sum(|other| other.owner == file.owner);
            let over =
                count >= bounds.files_per_token || bytes + file.bytes > bounds.bytes_per_token;
            if !over || !self.drop_oldest(file.owner, &mut gone) {
                break;
            }
        }
        loop {
            let (count, bytes) = self.sum(|_| true);
            if count < bounds.files && bytes + file.bytes <= bounds.bytes {
                break;
            }
            if !self.drop_oldest(None, &mut gone) && !self.drop_oldest(file.owner, &mut gone) {
                // Those of this token that went already were over its own bounds.
                return None;
            }
        }
        self.0.push_back(file);
        Some(gone)
    }

    fn sum(&self, wanted: impl Fn(&KeptFile) -> bool) -> (usize, u64) {
        let files = self.0.iter().filter(|file| wanted(file));
        files.fold((0, 0), |(count, bytes), file| {
            (count + 1, bytes + file.bytes)
        })
    }

    fn drop_oldest(&mut self, owner: Option<TokenId>, gone: &mut Vec<FileId>) -> bool {
        let oldest = self.0.iter().position(|file| file.owner == owner);
        let oldest = oldest.and_then(|at| self.0.remove(at));
        let found = oldest.is_some();
        gone.extend(oldest.map(|file| file.id));
        found
    }
}

/// Files that are coming in, by whose they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Uploads(Arc<Mutex<HashMap<TokenId, usize>>>);

/// The right to send one file.
#[derive(Debug)]
pub(super) struct Upload {
    all: Uploads,
    owner: TokenId,
}

impl Uploads {
    /// Begins one; nothing when too many are coming in already.
    pub(super) fn begin(&self, owner: TokenId) -> Option<Upload> {
        let mut by_token = self.lock();
        let all: usize = by_token.values().sum();
        let own = by_token.entry(owner).or_default();
        if all >= limits::UPLOADS_MAX || *own >= limits::UPLOADS_PER_TOKEN_MAX {
            return None;
        }
        *own += 1;
        Some(Upload {
            all: self.clone(),
            owner,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TokenId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let mut by_token = self.all.lock();
        if let Some(own) = by_token.get_mut(&self.owner) {
            *own -= 1;
            if *own == 0 {
                by_token.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: FileBounds = FileBounds {
        files: 5,
        bytes: 100,
        files_per_token: 3,
        bytes_per_token: 60,
    };

    fn file(name: &str, bytes: u64, owner: Option<u32>) -> KeptFile {
        KeptFile {
            id: FileId(name.to_owned()),
            bytes,
            owner: owner.map(TokenId),
        }
    }

    fn add(kept: &mut KeptFiles, name: &str, bytes: u64, owner: u32) -> Option<Vec<String>> {
        let gone = kept.add(file(name, bytes, Some(owner)), BOUNDS)?;
        Some(gone.into_iter().map(|id| id.0).collect())
    }

    #[test]
    fn a_token_makes_room_among_its_own_files_only() {
        let mut kept = KeptFiles::default();
        assert_eq!(add(&mut kept, "a1", 10, 1), Some(vec![]));
        assert_eq!(add(&mut kept, "b1", 10, 2), Some(vec![]));
        for name in ["a2", "a3"] {
            assert_eq!(add(&mut kept, name, 10, 1), Some(vec![]));
        }
        assert_eq!(add(&mut kept, "a4", 10, 1), Some(vec!["a1".to_owned()]));
        // By size as well, and the other one is still there.
        let gone = vec!["a2".to_owned(), "a3".to_owned()];
        assert_eq!(add(&mut kept, "a5", 50, 1), Some(gone));
        assert!(kept.0.iter().any(|file| file.id.0 == "b1"));
    }

    #[test]
    fn a_full_folder_takes_from_nobody_else() {
        let mut kept = KeptFiles::new(vec![file("old", 5, None)]);
        for (name, owner) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
            assert_eq!(add(&mut kept, name, 5, owner), Some(vec![]));
        }
        assert_eq!(add(&mut kept, "e", 5, 5), Some(vec!["old".to_owned()]));
        assert_eq!(add(&mut kept, "f", 5, 6), None);
        assert_eq!(add(&mut kept, "a'", 5, 1), Some(vec!["a".to_owned()]));
    }

    #[test]
    fn stalled_uploads_of_one_token_leave_room_for_others() {
        let uploads = Uploads::default();
        let held: Vec<_> = (0..limits::UPLOADS_PER_TOKEN_MAX)
            .map(|_| uploads.begin(TokenId(1)).unwrap())
            .collect();
        assert!(uploads.begin(TokenId(1)).is_none());
        assert!(uploads.begin(TokenId(2)).is_some());
        drop(held);
        assert!(uploads.begin(TokenId(1)).is_some());
        assert!(uploads.lock().is_empty());
    }
}
