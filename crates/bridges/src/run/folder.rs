//! What is known of a run: one folder with small files, written by the run and by its hooks.
//!
//! `run.json` is how it was started, `deferred` the call that was put off, `asks` what its hooks asked
//! since the program was started, `stopped` that a person wants it to end. A lock says whether somebody drives it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error::BridgeError;
use crate::private_file;

/// Runs that are looked at.
const RUNS_MAX: usize = 1024;

/// The folder of a run; ours as long as this lives.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    session: String,
    /// Held while somebody drives the run; a hook has none.
    _lock: Option<File>,
}

/// How a run was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStart {
    /// What the program was told.
    pub prompt: String,
    /// Where it works.
    pub cwd: PathBuf,
    /// The program.
    pub bin: PathBuf,
    /// Its other words.
    pub words: Vec<String>,
    /// How long its hooks wait before it is let go, in seconds.
    pub hold_s: u64,
}

/// A call that was put off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Deferred {
    /// The program's id of it.
    pub(super) call: String,
    /// Our id of the ask.
    pub(super) ask: String,
}

/// Something that a hook of a run asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunAsk {
    pub(super) id: String,
    /// Whether the program was told how it ended.
    pub(super) told: bool,
}

impl RunFolder {
    /// Makes the folder of a new run.
    pub fn make(state: &Path, session: &str, begun: &RunStart) -> Result<Self, BridgeError> {
        let failed = || BridgeError::system("can't save what is run");
        let path = home(state).join(session);
        private_file::make_folder(&path).map_err(failed())?;
        let lock = lock(&path).map_err(failed())?;
        let text = json!({
            "prompt": begun.prompt, "cwd": begun.cwd, "bin": begun.bin, "words": begun.words,
            "hold_s": begun.hold_s,
        });
        private_file::write(&path.join("run.json"), text.to_string().as_bytes())
            .map_err(failed())?;
        Ok(Self {
            path,
            session: session.to_owned(),
            _lock: lock,
        })
    }

    /// The folder that a hook writes to.
    pub fn of_hook(state: &Path, session: &str) -> Option<Self> {
        // A session of the program is a UUID; nothing else may lead anywhere.
        let plain = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        let path = home(state).join(session);
        (session.bytes().all(plain) && path.join("run.json").is_file()).then(|| Self {
            path,
            session: session.to_owned(),
            _lock: None,
        })
    }

    /// The program's name of the run.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// How it was started.
    pub fn begun(&self) -> Option<RunStart> {
        let text = fs::read_to_string(self.path.join("run.json")).ok()?;
        let read: Value = serde_json::from_str(&text).ok()?;
        let text = |key: &str| read.get(key)?.as_str().map(str::to_owned);
        let words = read.get("words")?.as_array()?.iter();
        Some(RunStart {
            prompt: text("prompt")?,
            cwd: text("cwd")?.into(),
            bin: text("bin")?.into(),
            words: words
                .map(|word| word.as_str().map(str::to_owned))
                .collect::<Option<_>>()?,
            hold_s: read.get("hold_s")?.as_u64()?,
        })
    }

    /// Where it was put off, if it was.
    pub(super) fn deferred(&self) -> Option<Deferred> {
        let text = fs::read_to_string(self.path.join("deferred")).ok()?;
        let (call, ask) = text.trim_end().split_once('\n')?;
        Some(Deferred {
            call: call.to_owned(),
            ask: ask.to_owned(),
        })
    }

    /// Puts the program off at this call; the one that is put off already when there is one.
    pub(super) fn defer(&self, wanted: Deferred) -> Result<Deferred, BridgeError> {
        let failed = || BridgeError::system("can't save what is deferred");
        // Whole or not at all: a file of another name is linked to its place.
        let new = self.path.join(format!("deferred-{}", std::process::id()));
        let text = format!("{}\n{}\n", wanted.call, wanted.ask);
        private_file::write(&new, text.as_bytes()).map_err(failed())?;
        let linked = fs::hard_link(&new, self.path.join("deferred"));
        fs::remove_file(&new).map_err(failed())?;
        match linked {
            Ok(()) => Ok(wanted),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self
                .deferred()
                .ok_or(BridgeError::Input("can't read what is deferred")),
            Err(error) => Err(failed()(error)),
        }
    }

    /// It is gone on with.
    pub(super) fn undefer(&self) -> Result<(), BridgeError> {
        match fs::remove_file(self.path.join("deferred")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(BridgeError::system(
                "can't continue what was deferred",
            )(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// A hook asked this, or told the program how it ended.
    pub(super) fn note_ask(&self, id: &str, told: bool) -> Result<(), BridgeError> {
        let word = if told { "told" } else { "asked" };
        OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(self.path.join("asks"))
            .and_then(|mut file| file.write_all(format!("{word} {id}\n").as_bytes()))
            .map_err(BridgeError::system("can't save what is asked"))
    }

    /// What its hooks asked since the program was started.
    pub(super) fn asks(&self) -> Vec<RunAsk> {
        let text = fs::read_to_string(self.path.join("asks")).unwrap_or_default();
        let mut asks: Vec<RunAsk> = Vec::new();
        for (word, id) in text.lines().filter_map(|line| line.split_once(' ')) {
            match asks.iter_mut().find(|ask| ask.id == id) {
                Some(ask) => ask.told |= word == "told",
                None => asks.push(RunAsk {
                    id: id.to_owned(),
                    told: word == "told",
                }),
            }
        }
        asks
    }

    /// A person wants the run to end.
    pub(super) fn note_stop(&self) -> Result<(), BridgeError> {
        private_file::make(&self.path.join("stopped"))
            .map(drop)
            .map_err(BridgeError::system("can't save the request to stop"))
    }

    /// Whether a person wants the run to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.path.join("stopped").exists()
    }

    pub(super) fn forget_asks(&self) {
        // What stays is said once more, which changes nothing.
        drop(fs::remove_file(self.path.join("asks")));
    }

    /// The run is over.
    pub(super) fn remove(&self) {
        drop(fs::remove_dir_all(&self.path));
    }
}

/// The runs that were begun and that nobody drives.
pub fn all(state: &Path) -> Vec<RunFolder> {
    let Ok(folders) = fs::read_dir(home(state)) else {
        return Vec::new();
    };
    folders
        .take(RUNS_MAX)
        .filter_map(Result::ok)
        .filter_map(|folder| {
            let session = folder.file_name().into_string().ok()?;
            let path = folder.path();
            if !path.join("run.json").is_file() {
                return None;
            }
            let lock = lock(&path).ok()??;
            Some(RunFolder {
                path,
                session,
                _lock: Some(lock),
            })
        })
        .collect()
}

fn home(state: &Path) -> PathBuf {
    state.join("runs")
}

/// The lock of a run; nothing when somebody else drives it.
fn lock(path: &Path) -> io::Result<Option<File>> {
    private_file::lock(&path.join("lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c";

    fn begun() -> RunStart {
        RunStart {
            prompt: "tidy \"up\"".to_owned(),
            cwd: "/w".into(),
            bin: "/b/claude".into(),
            words: vec!["--model".to_owned(), "x".to_owned()],
            hold_s: 60,
        }
    }

    #[test]
    fn a_run_is_found_again_once_nobody_drives_it() {
        let state = tempfile::tempdir().unwrap();
        let folder = RunFolder::make(state.path(), SESSION, &begun()).unwrap();
        assert!(all(state.path()).is_empty(), "it is driven");
        drop(folder);
        let found = all(state.path());
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].session(), found[0].begun()),
            (SESSION, Some(begun()))
        );
        found[0].remove();
        drop(found);
        assert!(all(state.path()).is_empty());
        assert!(RunFolder::of_hook(state.path(), SESSION).is_none());
        assert!(RunFolder::of_hook(state.path(), "../../etc").is_none());
    }

    #[test]
    fn one_call_is_put_off_and_no_other() {
        let state = tempfile::tempdir().unwrap();
        let folder = RunFolder::make(state.path(), SESSION, &begun()).unwrap();
        let hook = RunFolder::of_hook(state.path(), SESSION).unwrap();
        let of = |call: &str| Deferred {
            call: call.to_owned(),
            ask: format!("ask of {call}"),
        };
        assert_eq!(folder.deferred(), None);
        assert_eq!(hook.defer(of("a")).unwrap(), of("a"));
        assert_eq!(hook.defer(of("b")).unwrap(), of("a"));
        assert_eq!(folder.deferred(), Some(of("a")));
        folder.undefer().unwrap();
        folder.undefer().unwrap();
        assert_eq!(hook.defer(of("b")).unwrap(), of("b"));
    }

    #[test]
    fn what_hooks_ask_is_known() {
        let state = tempfile::tempdir().unwrap();
        let folder = RunFolder::make(state.path(), SESSION, &begun()).unwrap();
        let hook = RunFolder::of_hook(state.path(), SESSION).unwrap();
        hook.note_ask("1", false).unwrap();
        hook.note_ask("2", false).unwrap();
        hook.note_ask("1", true).unwrap();
        let of = |id: &str, told| RunAsk {
            id: id.to_owned(),
            told,
        };
        assert_eq!(folder.asks(), [of("1", true), of("2", false)]);
        folder.forget_asks();
        assert_eq!(folder.asks(), []);
    }
}
