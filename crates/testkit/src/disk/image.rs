//! What a power cut could have left of a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use super::record::{DiskOp, Mistake};

/// The smallest part that a disk writes whole.
const SECTOR: usize = 512;

/// What becomes of what was written and not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Nothing of it is there.
    Nothing,
    /// All of it is there.
    Everything,
    /// The first so many of it are there.
    Prefix,
    /// Some of it is there.
    Subset,
    /// Some of it is there, written in another order.
    Reordered,
    /// Some of it is there, and each sector of it or not.
    Torn,
    /// The first so many are there, and the last of them only in part.
    Short,
}

impl Loss {
    /// Every way.
    pub const ALL: [Self; 7] = [
        Self::Nothing,
        Self::Everything,
        Self::Prefix,
        Self::Subset,
        Self::Reordered,
        Self::Torn,
        Self::Short,
    ];
}

/// Random numbers that come again with the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % sides.max(1)
    }
}

/// The files of a folder after a power cut.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Image {
    files: BTreeMap<String, Vec<u8>>,
}

impl Image {
    /// The files that are there before anything is recorded; all of them count as synced.
    pub fn base(folder: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // Shared memory does not outlive a power cut.
            if entry.file_type()?.is_file() && !name.ends_with("-shm") {
                files.insert(name, fs::read(entry.path())?);
            }
        }
        Ok(Self { files })
    }

    /// What a power cut after the first `count` of these could have left.
    #[must_use]
    pub fn after(
        &self,
        ops: &[DiskOp],
        count: usize,
        loss: Loss,
        seed: u64,
        mistake: Option<Mistake>,
    ) -> Self {
        let done = ops.get(..count).unwrap_or(ops);
        let (mut image, pending) = self.certain(done, mistake);
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let cut = dice.roll(pending.len() + 1);
        let chosen: Vec<&DiskOp> = match loss {
            Loss::Nothing => Vec::new(),
            Loss::Everything => pending,
            Loss::Prefix | Loss::Short => pending.into_iter().take(cut).collect(),
            Loss::Subset | Loss::Torn => {
                pending.into_iter().filter(|_| dice.roll(2) == 0).collect()
            }
            Loss::Reordered => {
                let mut some: Vec<&DiskOp> =
                    pending.into_iter().filter(|_| dice.roll(4) > 0).collect();
                for at in (1..some.len()).rev() {
                    some.swap(at, dice.roll(at + 1));
                }
                some
            }
        };
        let last = chosen.len().saturating_sub(1);
        for (at, op) in chosen.into_iter().enumerate() {
            match (loss, op) {
                (
                    Loss::Torn,
                    DiskOp::Write {
                        file,
                        offset,
                        bytes,
                    },
                ) => {
                    for (sector, part) in bytes.chunks(SECTOR).enumerate() {
                        if dice.roll(2) == 0 {
                            image.write(file, offset + (sector * SECTOR) as u64, part);
                        }
                    }
                }
                (
                    Loss::Short,
                    DiskOp::Write {
                        file,
                        offset,
                        bytes,
                    },
                ) if at == last => {
                    let part = bytes.get(..dice.roll(bytes.len())).unwrap_or(bytes);
                    image.write(file, *offset, part);
                }
                (_, op) => image.apply(op),
            }
        }
        image
    }

    /// What is certain after these, and what is not.
    fn certain<'a>(&self, done: &'a [DiskOp], mistake: Option<Mistake>) -> (Self, Vec<&'a DiskOp>) {
        let mut image = self.clone();
        let mut pending: Vec<&DiskOp> = Vec::new();
        for op in done {
            match op {
                DiskOp::Sync { file } => {
                    let keeps_name = mistake == Some(Mistake::NoFolderSync);
                    let mut waits = BTreeSet::new();
                    pending.retain(|op| {
                        let is_name = matches!(op, DiskOp::Create { .. });
                        if file_of(op) != Some(file) {
                            return true;
                        }
                        if keeps_name && is_name {
                            waits.insert(file.clone());
                        }
                        // Without its name a file is not there, whatever was written to it.
                        if waits.contains(file) {
                            return true;
                        }
                        image.apply(op);
                        false
                    });
                }
                DiskOp::Delete { file, synced: true } => {
                    pending.retain(|op| file_of(op) != Some(file));
                    image.apply(op);
                }
                DiskOp::Create { .. }
                | DiskOp::Write { .. }
                | DiskOp::Truncate { .. }
                | DiskOp::Delete { synced: false, .. } => pending.push(op),
                DiskOp::Acknowledged(_) => {}
            }
        }
        (image, pending)
    }

    fn apply(&mut self, op: &DiskOp) {
        match op {
            DiskOp::Create { file } => drop(self.files.entry(file.clone()).or_default()),
            DiskOp::Write {
                file,
                offset,
                bytes,
            } => self.write(file, *offset, bytes),
            DiskOp::Truncate { file, length } => {
                if let Some(content) = self.files.get_mut(file) {
                    content.resize(usize::try_from(*length).unwrap_or(usize::MAX), 0);
                }
            }
            DiskOp::Delete { file, .. } => drop(self.files.remove(file)),
            DiskOp::Sync { .. } | DiskOp::Acknowledged(_) => {}
        }
    }

    /// Writes to a file that has a name.
    fn write(&mut self, file: &str, offset: u64, bytes: &[u8]) {
        let Some(content) = self.files.get_mut(file) else {
            return;
        };
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let to = from.saturating_add(bytes.len());
        if content.len() < to {
            content.resize(to, 0);
        }
        if let Some(part) = content.get_mut(from..to) {
            part.copy_from_slice(bytes);
        }
    }

    /// Puts the files into an empty folder.
    pub fn put(&self, folder: &Path) -> io::Result<()> {
        for (name, bytes) in &self.files {
            fs::write(folder.join(name), bytes)?;
        }
        Ok(())
    }
}

fn file_of(op: &DiskOp) -> Option<&String> {
    match op {
        DiskOp::Create { file }
        | DiskOp::Write { file, .. }
        | DiskOp::Truncate { file, .. }
        | DiskOp::Sync { file }
        | DiskOp::Delete { file, .. } => Some(file),
        DiskOp::Acknowledged(_) => None,
    }
}
