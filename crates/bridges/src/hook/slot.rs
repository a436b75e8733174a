//! What runs of the hook know of each other: one small file for each call that is asked about.
//!
//! A hook gets no id of the call it is about. So a run writes down under which key it asked, and
//! holds a lock on that file while it lives. A run that finds the file of a dead one goes on with
//! its ask; one that finds it locked is the same hook run twice, and waits for the same ask. The file
//! outlives the run until the program shows that it heard the answer.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sayso_core::digest::Digest;
use sayso_core::id::ConversationName;

use crate::error::BridgeError;
use crate::private_file;

/// Files of one conversation that are looked at; a turn has a handful.
const FILES_MAX: usize = 1024;
/// A file is three short lines.
const BYTES_MAX: u64 = 4096;
/// Tries to get hold of a file that others remove, or have not written to yet.
const TRIES: usize = 100;
/// The pause between them.
const TRY_AFTER: Duration = Duration::from_millis(10);

/// The files of one conversation.
#[derive(Debug)]
pub(super) struct Slots {
    folder: PathBuf,
}

/// How far the run that wrote a file had come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SlotStage {
    /// Nothing is known to have been asked.
    New,
    /// This ask was open.
    Asked(String),
    /// The program was told how this ask ended.
    Told(String),
}

/// The file of a call. It is ours as long as this lives, or another run's that is about the same call.
#[derive(Debug)]
pub(super) struct CallSlot {
    path: PathBuf,
    /// Absent where another run has it: then that one looks after it.
    file: Option<File>,
    key: String,
    /// What a run before us had told the program, not yet confirmed.
    before: Option<String>,
}

/// A file that a run left, or still holds.
#[derive(Debug)]
pub(super) struct LeftSlot {
    path: PathBuf,
    pub(super) stage: SlotStage,
    /// Whether the run that wrote it lives: then it removes the file itself.
    held: bool,
}

impl Slots {
    /// The files of this conversation.
    pub(super) fn of(folder: &Path, conversation: &ConversationName) -> Self {
        let name = short(Digest::of(conversation.as_str().as_bytes()));
        Self {
            folder: folder.join(name),
        }
    }

    /// Takes the file of a call: that of a dead run, or a new one. Where a living run has it, its
    /// ask is shared.
    pub(super) async fn take(&self, about: Digest) -> Result<CallSlot, BridgeError> {
        let failed = || BridgeError::system("can't save what is asked");
        private_file::make_folder(&self.folder).map_err(failed())?;
        let path = self.folder.join(format!("{}-0", short(about)));
        for _ in 0..TRIES {
            if let Some(file) = lock(&path).map_err(failed())? {
                return CallSlot::begin(path, file);
            }
            if let Some(slot) = CallSlot::shared(&path) {
                return Ok(slot);
            }
            tokio::time::sleep(TRY_AFTER).await;
        }
        Err(BridgeError::Held(path.display().to_string()))
    }

    /// Every file of this conversation.
    pub(super) fn all(&self) -> Vec<LeftSlot> {
        self.list(|_| true)
    }

    /// The one file of a call that has run: one whose answer was heard comes first.
    pub(super) fn of_call(&self, about: Digest) -> Vec<LeftSlot> {
        let start = format!("{}-", short(about));
        let mut left = self.list(|name| name.starts_with(&start));
        left.sort_by_key(|one| match (&one.stage, one.held) {
            (SlotStage::Told(_), _) => 0,
            (SlotStage::Asked(_) | SlotStage::New, false) => 1,
            (SlotStage::Asked(_) | SlotStage::New, true) => 2,
        });
        left.truncate(1);
        left
    }

    fn list(&self, wanted: impl Fn(&str) -> bool) -> Vec<LeftSlot> {
        // A conversation in which nothing was asked has no folder.
        let Ok(files) = fs::read_dir(&self.folder) else {
            return Vec::new();
        };
        files
            .take(FILES_MAX)
            .filter_map(Result::ok)
            .filter(|file| file.file_name().to_str().is_some_and(&wanted))
            .filter_map(|file| LeftSlot::read(file.path()))
            .collect()
    }
}

/// The file under this name with a lock on it; nothing when a living run has it or removed it.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let Some(file) = private_file::lock(path)? else {
        return Ok(None);
    };
    // Between opening and locking, its owner may have removed it.
    let still_there = fs::metadata(path)
        .ok()
        .zip(file.metadata().ok())
        .is_some_and(|(there, ours)| there.ino() == ours.ino());
    Ok(still_there.then_some(file))
}

impl CallSlot {
    fn begin(path: PathBuf, mut file: File) -> Result<Self, BridgeError> {
        let failed = BridgeError::system("can't read what was asked before");
        let (key, before) = match read(&mut file).map_err(failed)? {
            Some((key, SlotStage::New | SlotStage::Asked(_))) => (key, None),
            Some((_, SlotStage::Told(id))) => (random()?, Some(id)),
            None => (random()?, None),
        };
        let slot = Self {
            path,
            file: Some(file),
            key,
            before,
        };
        slot.write(&SlotStage::New)
            .map_err(BridgeError::system("can't save what is asked"))?;
        Ok(slot)
    }

    /// The file of a living run that is about the same call, once it says under which key it asks
    /// and has not told its answer yet.
    fn shared(path: &Path) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        match read(&mut file).ok()?? {
            (key, SlotStage::New | SlotStage::Asked(_)) => Some(Self {
                path: path.to_owned(),
                file: None,
                key,
                before: None,
            }),
            (_, SlotStage::Told(_)) => None,
        }
    }

    /// The key under which this call is asked about.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// The ask before this one, whose answer the program must have heard.
    pub(super) fn take_told(&mut self) -> Option<String> {
        self.before.take()
    }

    /// The ask is there.
    pub(super) fn asked(&self, id: &str) {
        // Without it a stale ask is closed by the next run of the same call only.
        drop(self.write(&SlotStage::Asked(id.to_owned())));
    }

    /// The program was told.
    pub(super) fn told(self) {
        let Some(mut file) = self.file.as_ref() else {
            return;
        };
        if let Ok(Some((_, SlotStage::Asked(id)))) = read(&mut file) {
            drop(self.write(&SlotStage::Told(id)));
        }
    }

    /// Nothing more is to be known of this call.
    pub(super) fn remove(self) {
        if self.file.is_some() {
            drop(fs::remove_file(&self.path));
        }
    }

    fn write(&self, stage: &SlotStage) -> io::Result<()> {
        let line = match stage {
            SlotStage::New => String::new(),
            SlotStage::Asked(id) => format!("asked {id}\n"),
            SlotStage::Told(id) => format!("told {id}\n"),
        };
        let Some(mut file) = self.file.as_ref() else {
            return Ok(());
        };
        file.seek(SeekFrom::Start(0))?;
        file.set_len(0)?;
        file.write_all(format!("{}\n{line}", self.key).as_bytes())
    }
}

impl LeftSlot {
    fn read(path: PathBuf) -> Option<Self> {
        let mut file = File::open(&path).ok()?;
        let held = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        let stage = read(&mut file)
            .ok()?
            .map_or(SlotStage::New, |(_, stage)| stage);
        // A living run that has not asked yet looks after itself.
        (!held || stage != SlotStage::New).then_some(Self { path, stage, held })
    }

    /// Nothing more is to be known of it.
    pub(super) fn remove(self) {
        if !self.held {
            drop(fs::remove_file(&self.path));
        }
    }
}

fn read<F: Read + Seek>(file: &mut F) -> io::Result<Option<(String, SlotStage)>> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0))?;
    file.by_ref().take(BYTES_MAX).read_to_string(&mut text)?;
    let mut lines = text.lines();
    let Some(key) = lines.next().filter(|key| !key.is_empty()) else {
        return Ok(None);
    };
    let stage = match lines.next().and_then(|line| line.split_once(' ')) {
        Some(("asked", id)) => SlotStage::Asked(id.to_owned()),
        Some(("told", id)) => SlotStage::Told(id.to_owned()),
        Some(_) | None => SlotStage::New,
    };
    Ok(Some((key.to_owned(), stage)))
}

/// A name for a file: half of a digest is plenty.
fn short(digest: Digest) -> String {
    let text = digest.to_string();
    let hex = text.strip_prefix("sha256:").unwrap_or(&text);
    hex.chars().take(32).collect()
}

fn random() -> Result<String, BridgeError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(BridgeError::NoRandom)?;
    Ok(format!("claude-hook-{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
#[path = "slot_tests.rs"]
mod tests;
