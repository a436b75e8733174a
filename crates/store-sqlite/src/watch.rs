//! Whether the files of the state are still the ones that were opened.
//!
//! A file that was deleted or replaced can be written to as long as it is open, and is gone afterwards:
//! nothing more may be acknowledged then. Looking costs a few calls to the system, so it is done at most
//! every quarter of a second, and every half second by a thread when nothing is written.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sayso_store::StoreError;

use crate::folder::with_side_files;

/// How long a look is good for.
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(250);

/// The device and the number of a file on it.
pub(crate) type Identity = (u64, u64);

/// The files that must stay what they are.
#[derive(Debug)]
pub(crate) struct Watch(Mutex<Watched>);

#[derive(Debug, Default)]
struct Watched {
    files: Vec<(PathBuf, Identity)>,
    looked: Option<Instant>,
    gone: Option<String>,
}

/// Which file this is, if there is one.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    let about = path.symlink_metadata().ok()?;
    Some((about.dev(), about.ino()))
}

impl Watch {
    /// Takes down which files these are: the folder, the journal, and what SQLite has put beside it.
    pub(crate) fn begin(folder: &Path, journal: &Path) -> Self {
        let watch = Self(Mutex::default());
        watch.again(folder, journal);
        watch
    }

    /// The same again, after the journal was closed and opened, when SQLite may have made the files
    /// beside it anew.
    pub(crate) fn again(&self, folder: &Path, journal: &Path) {
        let [main, log, index, _] = with_side_files(journal);
        let files = [folder.to_owned(), main, log, index];
        let files = files.into_iter().filter_map(|path| {
            let identity = identity(&path)?;
            Some((path, identity))
        });
        self.watched().files = files.collect();
    }

    /// Takes the files down again after a failure, if the folder and the journal are still the same: then
    /// only what SQLite keeps beside the journal can have been made anew.
    pub(crate) fn again_if_same(&self, folder: &Path, journal: &Path) {
        let same = {
            let watched = self.watched();
            let kept = watched.files.iter();
            kept.filter(|(path, _)| path == folder || path == journal)
                .all(|(path, was)| identity(path) == Some(*was))
        };
        if same {
            self.again(folder, journal);
        }
    }

    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses to go on once a file is gone or another. Looks again if the last look is old.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        match self.look(LOOK_AGAIN_AFTER) {
            None => Ok(()),
            Some(detail) => Err(StoreError::TryLater { detail }),
        }
    }

    /// Looks now, and says what is wrong.
    pub(crate) fn look_now(&self) -> Option<String> {
        self.look(Duration::ZERO)
    }

    /// What the last look found.
    pub(crate) fn found(&self) -> Option<String> {
        self.watched().gone.clone()
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "how old a look is; nothing that is kept depends on it"
    )]
    fn look(&self, max_age: Duration) -> Option<String> {
        let now = Instant::now();
        let mut watched = self.watched();
        let is_fresh = |looked: Instant| now.duration_since(looked) < max_age;
        if !watched.looked.is_some_and(is_fresh) {
            watched.looked = Some(now);
            let gone = watched.gone();
            if let Some(gone) = gone.as_ref().filter(|_| watched.gone.is_none()) {
                tracing::error!("{gone}");
            }
            watched.gone = gone;
        }
        watched.gone.clone()
    }
}

impl Watched {
    fn gone(&self) -> Option<String> {
        self.files.iter().find_map(|(path, was)| {
            let what = match identity(path) {
                Some(is) if is == *was => return None,
                Some(_) => "was replaced",
                None => "was deleted or moved",
            };
            Some(format!(
                "{} {what} while the server was running, so nothing is saved any more. Stop the \
                 server, put the file back or run `sayso restore` with a backup, and restart it",
                path.display()
            ))
        })
    }
}
