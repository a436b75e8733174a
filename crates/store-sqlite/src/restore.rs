//! Putting a backup in place of the journal: another life of the state begins.
//!
//! Nothing that happened after the backup is known any more. So whatever was open in it is void:
//! it may have been answered, and an agent may have acted on that. What was taken back since stays
//! taken back, as far as the journal of before can still be read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sayso_core::id::{Epoch, Seq};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closer, Closing, Outcome};
use sayso_core::time::Time;
use sayso_store::{JournalEntry, StoreError};

use crate::backup::copy_to;
use crate::fault::{damaged, unusable};
use crate::faults::point;
use crate::folder::{StateFolder, sync_folder, with_side_files};
use crate::journal::{self, Writer};
use crate::key::Unopened;
use crate::pool::open_reader;
use crate::settings::SqliteSettings;
use crate::standing::JournalStanding;
use crate::store::remove_views;
use crate::verify::verify_file;

/// Events written at one time.
const BATCH: usize = 1000;
const NOTE: &str = "The server was restored from a backup; this ask is void.";

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// Events that the backup had.
    pub events: u64,
    /// Open asks that are void now.
    pub void: u64,
    /// Tokens and rules of the backup that were taken back since, and stay so.
    pub taken_back: u64,
    /// Why nobody knows what was revoked since the backup, if that is so.
    pub unsure: Option<String>,
    /// The tokens that are good now, by name.
    pub tokens: Vec<String>,
    /// The rules that are good now and do not deny, by id.
    pub rules: Vec<String>,
    /// Where the journal of before was put, if there was one.
    pub before: Option<PathBuf>,
}

/// What of a backup is not to come back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Revoke {
    /// Every token.
    pub tokens: bool,
    /// Every rule that does not deny.
    pub rules: bool,
}

/// Puts the backup in `from` in place of the journal in `folder` and begins `epoch`.
pub fn restore(
    folder: &Path,
    from: &Path,
    now: Time,
    epoch: Epoch,
    revoke: Revoke,
) -> Result<Restored, StoreError> {
    let folder = StateFolder::take(folder)?;
    let name = from.display().to_string();
    let verified = verify_file(from).map_err(|error| renamed(error, &name))?;
    if let Some(first) = verified.faults.first() {
        return Err(StoreError::Damaged {
            file: name,
            detail: format!("{first}; nothing was changed, take another backup"),
        });
    }
    let fresh = folder.path().join("journal.db.new");
    copy(from, &fresh).map_err(|e| unusable("cannot copy the backup to", &fresh, e))?;
    point("restore_copied");
    let backup = JournalStanding::read(&fresh)?;
    if backup.events != verified.events {
        let detail = format!(
            "has {} entries, of which {} were copied",
            verified.events, backup.events
        );
        return Err(damaged(&name, &detail));
    }
    let (before, unsure) = standing_before(folder.path(), &fresh, &backup);
    let taken_back = backup.taken_back_in(&before);
    let revoked = backup.revoked(revoke, &taken_back)?;
    let (tokens, rules) = backup.good_without(&revoked);
    begin_epoch(folder.path(), &fresh, now, epoch, &backup, &revoked)?;
    point("restore_appended");
    let before = put_aside(folder.path())?;
    point("restore_aside");
    remove_views(folder.path())?;
    let path = journal::path_in(folder.path());
    std::fs::rename(&fresh, &path).map_err(|e| unusable("cannot name", &path, e))?;
    sync_folder(folder.path())?;
    point("restore_renamed");
    Ok(Restored {
        events: verified.events,
        void: backup.open.len() as u64,
        taken_back: taken_back.len() as u64,
        unsure,
        tokens,
        rules,
        before,
    })
}

fn renamed(error: StoreError, name: &str) -> StoreError {
    match error {
        StoreError::Damaged { detail, .. } => StoreError::Damaged {
            file: name.to_owned(),
            detail,
        },
        StoreError::Newer {
            found, known, by, ..
        } => StoreError::Newer {
            file: name.to_owned(),
            found,
            known,
            by,
        },
        other => other,
    }
}

/// Copies through SQLite: beside a journal that nobody closed lies a log with the rest of it.
fn copy(from: &Path, fresh: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let connection = open_reader(&from.canonicalize()?)?;
    copy_to(&connection, fresh)?.sync_all()?;
    Ok(())
}

/// How things stood in the journal of before, and why that does not tell what was revoked since.
fn standing_before(
    folder: &Path,
    fresh: &Path,
    backup: &JournalStanding,
) -> (JournalStanding, Option<String>) {
    let path = journal::path_in(folder);
    let unsure = |why: &str| Some(why.to_owned());
    if path.symlink_metadata().is_err() {
        let why = "there is no journal in this folder that goes on after the backup";
        return (JournalStanding::default(), unsure(why));
    }
    match JournalStanding::read(&path) {
        Ok(standing) if standing.lost > 0 => {
            let why = format!(
                "{} entries of the previous journal can't be read",
                standing.lost
            );
            (standing, Some(why))
        }
        Ok(standing) if !goes_on(&path, fresh, backup) => {
            let why = "the previous journal doesn't go on after the backup";
            (standing, unsure(why))
        }
        Ok(standing) => (standing, None),
        Err(error) => {
            let why = format!("the previous journal can't be read: {error}");
            (JournalStanding::default(), Some(why))
        }
    }
}

/// Whether a journal has the backup as its beginning.
fn goes_on(before: &Path, fresh: &Path, backup: &JournalStanding) -> bool {
    let end = Seq(backup.events);
    let hash = |path: &Path| {
        let connection = open_reader(path).ok()?;
        let header = journal::header_at(&connection, end).ok()??;
        Some(header.hash())
    };
    backup.events > 0 && hash(before).is_some() && hash(before) == hash(fresh)
}

/// Appends the new epoch, what was taken back since the backup, and the end of what was open.
fn begin_epoch(
    folder: &Path,
    fresh: &Path,
    now: Time,
    epoch: Epoch,
    backup: &JournalStanding,
    taken_back: &[Event],
) -> Result<(), StoreError> {
    let (mut writer, _) = Writer::open(fresh, SqliteSettings::default())?;
    // Nobody is owed the secrets of a backup: what was open or on its way is void.
    let (sealer, _) = writer.unseal_with(folder, Unopened::GiveUp)?;
    let closing = Arc::new(Closing {
        outcome: Outcome::Withdrawn {
            note: Some(NOTE.to_owned()),
        },
        by: Closer::Clock,
        at: now,
    });
    let open = backup.open.iter();
    let closings = open.map(|(opened, ask)| Event::closed(*ask, *opened, Arc::clone(&closing)));
    let mut events = std::iter::once(Event::EpochBegan(epoch))
        .chain(taken_back.iter().cloned())
        .chain(closings)
        .map(|event| JournalEntry { event, at: now });
    loop {
        let batch: Vec<JournalEntry> = events.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        writer.commit(&batch, &sealer)?;
        writer.move_log();
    }
    // Everything must be in the one file that is renamed.
    drop(writer);
    match with_side_files(fresh)
        .iter()
        .skip(1)
        .find(|file| file.exists())
    {
        Some(left) => Err(unusable(
            "cannot finish the journal, as SQLite left",
            left,
            "run the command again",
        )),
        None => Ok(()),
    }
}

/// Moves the journal of before out of the way, with its log: in it may be what nobody else has.
fn put_aside(folder: &Path) -> Result<Option<PathBuf>, StoreError> {
    let path = journal::path_in(folder);
    let free = (1..1000)
        .map(|number| {
            folder.join(if number == 1 {
                "journal.db.before-restore".to_owned()
            } else {
                format!("journal.db.before-restore.{number}")
            })
        })
        .find(|aside| {
            with_side_files(aside)
                .iter()
                .all(|file| file.symlink_metadata().is_err())
        })
        .ok_or_else(|| {
            damaged(
                "journal.db.before-restore",
                "there are a thousand of them; remove some",
            )
        })?;
    let mut moved = None;
    for (file, aside) in with_side_files(&path)
        .into_iter()
        .zip(with_side_files(&free))
    {
        if file.symlink_metadata().is_err() {
            continue;
        }
        std::fs::rename(&file, &aside).map_err(|e| unusable("cannot put aside", &file, e))?;
        moved = Some(free.clone());
    }
    sync_folder(folder)?;
    Ok(moved)
}
