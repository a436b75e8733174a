//! The key file: read, checked against the journal, and made only where nothing waits for another one.
//!
//! The journal keeps a short text sealed with its key, so that a wrong key is known at once. A key is
//! never replaced while secrets wait that only the right one opens, unless the owner gives them up.

use std::fs::{File, Permissions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use sayso_core::id::Seq;
use sayso_store::StoreError;
use sayso_store_sql::seal::{Gap, KEY_BYTES, Sealer, fill};

use crate::fault::{self, unusable};
use crate::faults::point;
use crate::folder::{owner_only, sync_folder};
use crate::journal;

/// The name of the note with the sealed text.
const CHECK: &str = "key_check";

/// What to do about secrets that the key file does not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unopened {
    /// Refuse to start.
    Refuse,
    /// Give them up.
    GiveUp,
}

/// The sealer of a journal, and how many secrets were given up for it.
pub(crate) fn open(
    folder: &Path,
    journal: &Connection,
    unopened: Unopened,
) -> Result<(Sealer, u64), StoreError> {
    let path = folder.join("key");
    let waiting = waiting(journal).map_err(fault::journal)?;
    let found = match (read(&path), unopened) {
        (Err(StoreError::Damaged { .. }), Unopened::GiveUp) => None,
        (found, _) => found?,
    };
    let fits = match &found {
        Some(key) => fits(&Sealer::with(key), journal, waiting)?,
        None => false,
    };
    if !fits && waiting > 0 && unopened == Unopened::Refuse {
        return Err(refusal(&path, found.is_some(), waiting));
    }
    let key = match found {
        Some(key) => key,
        None => make(folder, &path)?,
    };
    let sealer = Sealer::with(&key);
    if !fits {
        let kept = sealer.check()?;
        // A row that is empty tells a secret that was given up from one that was erased.
        journal
            .execute("UPDATE sealed SET bytes = x''", [])
            .and_then(|_| journal::put(journal, CHECK, &kept))
            .map_err(fault::journal)?;
    } else if journal::note(journal, CHECK)
        .map_err(fault::journal)?
        .is_none()
    {
        journal::put(journal, CHECK, &sealer.check()?).map_err(fault::journal)?;
    }
    let given_up = if fits { 0 } else { waiting };
    if given_up > 0 {
        tracing::warn!(
            given_up,
            "discarded secrets that no agent had received; their agents are told to ask again"
        );
    }
    Ok((sealer, given_up))
}

/// What is wrong with the key file of a folder, if anything. Changes nothing.
pub fn key_trouble(folder: &Path) -> Option<String> {
    let path = folder.join("key");
    let journal = crate::pool::open_reader(&journal::path_in(folder)).ok()?;
    let waiting = waiting(&journal).ok()?;
    let found = match read_only(&path) {
        Ok(found) => found,
        Err(error) => return Some(error.to_string()),
    };
    let is_right = match &found {
        Some(key) => fits(&Sealer::with(key), &journal, waiting).ok()?,
        None => false,
    };
    (!is_right && waiting > 0).then(|| refusal(&path, found.is_some(), waiting).to_string())
}

fn refusal(path: &Path, is_there: bool, waiting: u64) -> StoreError {
    let what = if is_there {
        "is not the key of this journal"
    } else {
        "is missing"
    };
    let secrets = if waiting == 1 {
        "1 secret that an agent has not received yet is".to_owned()
    } else {
        format!("{waiting} secrets that agents have not received yet are")
    };
    StoreError::Unusable {
        what: format!("the key file {} {what}", path.display()),
        detail: format!(
            "{secrets} sealed with it. Put the right key file back, or start once with `sayso \
             serve --forget-secrets` to discard them; their agents are then told to ask again"
        ),
    }
}

/// How many secrets wait that a key must open.
fn waiting(journal: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT count(*) FROM sealed WHERE length(bytes) > 0";
    let count: i64 = journal.query_row(sql, [], |row| row.get(0))?;
    Ok(u64::try_from(count).unwrap_or_default())
}

/// Whether this is the key of the journal.
fn fits(sealer: &Sealer, journal: &Connection, waiting: u64) -> Result<bool, StoreError> {
    // A journal of before has no note; one of its secrets tells as well.
    if let Ok(Some(check)) = journal::note(journal, CHECK) {
        return Ok(sealer.passes(&check));
    }
    if waiting == 0 {
        return Ok(true);
    }
    let sql = "SELECT opened, seq, gap, bytes FROM sealed WHERE length(bytes) > 0 LIMIT 1";
    journal
        .query_row(sql, [], |row| {
            let place = |at| {
                let value: i64 = row.get(at)?;
                Ok::<_, rusqlite::Error>(u64::try_from(value).unwrap_or_default())
            };
            let gap = Gap {
                opened: Seq(place(0)?),
                seq: Seq(place(1)?),
                number: usize::try_from(place(2)?).unwrap_or_default(),
            };
            let bytes: Vec<u8> = row.get(3)?;
            Ok(sealer.open_sealed(gap, &bytes).is_some())
        })
        .map_err(fault::journal)
}

/// Reads a key file that nodes share. It may be a link, cannot always be written to, and may belong to root
/// and be readable for one group: that is how secrets are mounted.
pub fn read_key(path: &Path) -> Result<Option<[u8; KEY_BYTES]>, StoreError> {
    let failed = |e| unusable("cannot open the key", path, e);
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(failed(e)),
    };
    let about = file.metadata().map_err(failed)?;
    let others = if about.uid() == 0 { 0o037 } else { 0o077 };
    if about.mode() & others != 0 {
        return Err(StoreError::Unusable {
            what: format!("other users can read the key file {}", path.display()),
            detail: format!("run `chmod 600 {}`", path.display()),
        });
    }
    // Whether it is the right one, only the journal can tell; this one is none.
    bytes_of(file, path)
        .map(Some)
        .map_err(|_| StoreError::Unusable {
            what: format!("{} is not a key file", path.display()),
            detail: format!("a key has {KEY_BYTES} bytes. Copy it again from another node"),
        })
}

/// Makes a key file where there is none; an existing one is never replaced.
pub fn make_key(path: &Path) -> Result<[u8; KEY_BYTES], StoreError> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let failed = |e| unusable("cannot write the key", path, e);
    let mut key = [0_u8; KEY_BYTES];
    fill(&mut key)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".new-{}", std::process::id()));
    let fresh = folder.join(name);
    let mut file = owner_only().create_new(true).open(&fresh).map_err(failed)?;
    let written = file
        .write_all(&key)
        .and_then(|()| file.sync_all())
        // It appears whole or not at all, and a link never replaces what is there.
        .and_then(|()| std::fs::hard_link(&fresh, path));
    std::fs::remove_file(&fresh).map_err(failed)?;
    match written {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            return Err(StoreError::Unusable {
                what: format!("{} already exists", path.display()),
                detail: "sayso never overwrites a key. Use that one, or choose another file"
                    .to_owned(),
            });
        }
        Err(e) => return Err(failed(e)),
    }
    sync_folder(folder)?;
    Ok(key)
}

/// Reads the key for its owner alone.
fn read(path: &Path) -> Result<Option<[u8; KEY_BYTES]>, StoreError> {
    let failed = |e| unusable("cannot open the key", path, e);
    match owner_only().open(path) {
        Ok(file) => {
            let mode = file.metadata().map_err(failed)?.mode();
            if mode & 0o077 != 0 {
                file.set_permissions(Permissions::from_mode(0o600))
                    .map_err(failed)?;
                tracing::warn!(
                    "other users could read {}; its mode is now 0600, for you only",
                    path.display()
                );
            }
            bytes_of(file, path).map(Some)
        }
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(failed(e)),
    }
}

fn read_only(path: &PathBuf) -> Result<Option<[u8; KEY_BYTES]>, StoreError> {
    match File::open(path) {
        Ok(file) => bytes_of(file, path).map(Some),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(unusable("cannot open the key", path, e)),
    }
}

fn bytes_of(file: File, path: &Path) -> Result<[u8; KEY_BYTES], StoreError> {
    let mut bytes = Vec::with_capacity(KEY_BYTES + 1);
    file.take(KEY_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| unusable("cannot read the key", path, e))?;
    bytes.try_into().map_err(|bytes: Vec<u8>| StoreError::Damaged {
        file: "key".to_owned(),
        detail: format!(
            "it has {} bytes instead of {KEY_BYTES}. Put the right key file back, or start once \
             with `sayso serve --forget-secrets` to discard the secrets that agents have not \
             received yet",
            bytes.len()
        ),
    })
}

/// Makes a new key.
fn make(folder: &Path, path: &Path) -> Result<[u8; KEY_BYTES], StoreError> {
    let mut key = [0_u8; KEY_BYTES];
    fill(&mut key)?;
    write(folder, path, &key)?;
    Ok(key)
}

/// Writes a key file: beside its place first, so that there never is half of one.
pub(crate) fn write(folder: &Path, path: &Path, key: &[u8; KEY_BYTES]) -> Result<(), StoreError> {
    let fresh = folder.join("key.new");
    let failed = |e| unusable("cannot write the key", path, e);
    let mut file = owner_only()
        .create(true)
        .truncate(true)
        .open(&fresh)
        .map_err(failed)?;
    point("key_made");
    file.write_all(key)
        .and_then(|()| file.sync_all())
        .map_err(failed)?;
    std::fs::rename(&fresh, path).map_err(failed)?;
    point("key_synced");
    sync_folder(folder)
}
