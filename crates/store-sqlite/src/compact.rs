//! Giving space back that erasing freed.
//!
//! Files are made so that SQLite can move pages from their end into free places, a few at a time, each
//! step a transaction of its own: a kill at any point loses nothing, and commits go on in between. A
//! file that an older version made is written again whole once, in place, while nobody uses it.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use sayso_store::{Compact, Compacted, StoreError};

use crate::faults::point;
use crate::folder::StateFolder;
use crate::journal::{self, Writer};
use crate::settings::SqliteSettings;
use crate::store::StoreInner;

/// Pages moved in one step: what takes a few milliseconds.
const STEP_PAGES: u64 = 256;
/// The rest between two steps, so that whoever writes has its turn.
const REST: Duration = Duration::from_millis(5);
/// How often a file is to shrink before that is left for later.
const SHRINK_TRIES: usize = 20;
/// A file smaller than this is left alone: less than a step is not worth a write.
const WORTH_PAGES: u64 = STEP_PAGES;
/// What `PRAGMA auto_vacuum` says of a file that can give pages back.
const INCREMENTAL: u64 = 2;

/// How full a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Space {
    pages: u64,
    free: u64,
    page_bytes: u64,
    /// Whether pages can be given back while it is in use.
    gives_back: bool,
}

impl Space {
    pub(crate) fn of(connection: &Connection) -> rusqlite::Result<Self> {
        let number = |name: &str| -> rusqlite::Result<u64> {
            connection.query_row(&format!("PRAGMA {name}"), [], |row| {
                row.get::<_, i64>(0)
                    .map(|value| u64::try_from(value).unwrap_or_default())
            })
        };
        Ok(Self {
            pages: number("page_count")?,
            free: number("freelist_count")?,
            page_bytes: number("page_size")?,
            gives_back: number("auto_vacuum")? == INCREMENTAL,
        })
    }

    /// Whether a third of it is free.
    pub(crate) fn is_loose(&self) -> bool {
        self.free >= WORTH_PAGES && self.free * 3 >= self.pages
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.pages * self.page_bytes
    }

    fn stuck(&self) -> u64 {
        if self.gives_back {
            0
        } else {
            self.free * self.page_bytes
        }
    }

    fn is_wanted(&self, when: Compact) -> bool {
        self.gives_back
            && match when {
                Compact::All => self.free > 0,
                Compact::WhenWorthIt => self.is_loose(),
            }
    }
}

/// Moves a few pages from the end of a file into free places. Says whether there is more to do.
pub(crate) fn step(connection: &Connection) -> rusqlite::Result<bool> {
    point("compact_before");
    {
        let mut statement =
            connection.prepare(&format!("PRAGMA incremental_vacuum({STEP_PAGES})"))?;
        let mut rows = statement.query([])?;
        // Each row is a page.
        while rows.next()?.is_some() {}
    }
    point("compact_after");
    Ok(Space::of(connection)?.free > 0)
}

/// Has a file shrink to what it holds, and says whether it did: another program that reads it keeps it
/// from that, for as long as it reads. Whoever writes has its turn between two tries.
fn shrink<E>(mut once: impl FnMut() -> Result<bool, E>) -> Result<bool, E> {
    for _ in 0..SHRINK_TRIES {
        if once()? {
            return Ok(true);
        }
        std::thread::sleep(REST);
    }
    Ok(false)
}

/// The size of a file, and how much of that is left to be given back.
fn bytes_of(path: &Path, space: Space) -> (u64, u64) {
    let bytes = std::fs::metadata(path).map_or(space.bytes(), |about| about.len());
    (bytes, bytes.saturating_sub(space.bytes()))
}

/// Writes a file again whole, without free pages, so that it can give pages back from now on.
fn rewrite(connection: &Connection) -> rusqlite::Result<()> {
    // One transaction, through the log as any other: what is not whole never was.
    connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; VACUUM;")?;
    // What is held back now comes with the next checkpoint.
    shrink(|| Ok(journal::truncate_log(connection))).map(|_| ())
}

impl StoreInner {
    /// Gives space back while commits go on.
    pub(crate) fn compact(&self, when: Compact) -> Result<Compacted, StoreError> {
        let journal = self.with_space(Space::of)?;
        let views = self.views.with_writer(Space::of)?;
        if journal.is_wanted(when) {
            while self.with_space(step)? {
                std::thread::sleep(REST);
            }
            let is_small = shrink(|| self.with_space(|file| Ok(journal::truncate_log(file))))?;
            self.shrinks_later(!is_small);
        }
        if views.is_wanted(when) {
            while self.views.with_writer(step)? {
                std::thread::sleep(REST);
            }
            // What is held here comes back as the lists go on.
            shrink(|| {
                self.views
                    .with_writer(|file| Ok(journal::truncate_log(file)))
            })?;
        }
        let after = self.with_space(Space::of)?;
        let (journal_bytes, journal_held) = bytes_of(self.journal_path(), after);
        let views_path = self.journal_path().with_file_name("views.db");
        let (views_bytes, views_held) = bytes_of(&views_path, self.views.with_writer(Space::of)?);
        Ok(Compacted {
            before: journal.bytes() + views.bytes(),
            after: journal_bytes + views_bytes,
            held: journal_held + views_held,
            stuck: after.stuck(),
        })
    }
}

/// Gives all free space of a state back that no server uses.
pub fn compact(folder: &Path, settings: SqliteSettings) -> Result<Compacted, StoreError> {
    let folder = StateFolder::take(folder)?;
    let path = journal::create(folder.path())?;
    let (mut writer, _) = Writer::open(&path, settings)?;
    let views = rewrite_views(&folder.path().join("views.db"));
    let before = writer.with_space(Space::of)?;
    writer
        .with_space(rewrite)
        .map_err(|error| needs_room(error, before))?;
    let after = writer.with_space(Space::of)?;
    let (bytes, held) = bytes_of(&path, after);
    Ok(Compacted {
        before: before.bytes() + views.0,
        after: bytes + views.1,
        held,
        stuck: after.stuck(),
    })
}

/// Writes the projections again; says how many bytes they had and have. They can be made again, so
/// that what goes wrong here matters little.
fn rewrite_views(path: &Path) -> (u64, u64) {
    let bytes = || std::fs::metadata(path).map_or(0, |about| about.len());
    let before = bytes();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let done = Connection::open_with_flags(path, flags).and_then(|views| rewrite(&views));
    if let Err(error) = done {
        tracing::warn!(%error, "could not compact the lists");
    }
    (before, bytes())
}

/// Writes a journal of an older version again at a start, when a third of it is free.
pub(crate) fn at_start(writer: &mut Writer) -> Result<(), StoreError> {
    let before = writer.with_space(Space::of)?;
    if before.gives_back || !before.is_loose() {
        return Ok(());
    }
    tracing::info!(bytes = before.bytes(), "compacted the journal");
    if let Err(error) = writer.with_space(rewrite) {
        // It is as it was; only the space stays taken.
        tracing::warn!(error = %needs_room(error, before), "could not compact the journal");
    }
    Ok(())
}

/// Says how much room a rewrite needs, which SQLite does not.
fn needs_room(error: StoreError, space: Space) -> StoreError {
    let bytes = (space.pages - space.free.min(space.pages)) * space.page_bytes * 2;
    match error {
        StoreError::TryLater { detail } => StoreError::TryLater {
            detail: format!(
                "{detail}; compacting temporarily needs about {} MB of free space; nothing was \
                 changed",
                bytes.div_ceil(1_000_000)
            ),
        },
        other => other,
    }
}
