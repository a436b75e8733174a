//! `server.json` and the three local tokens beside it: how commands find the server.
//!
//! A local token is only ever sent to the address in `server.json`. Files are 0600, made anew
//! under another name and moved into place, so that a reader never sees half of one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use sayso_client::TokenSecret;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

const NAME: &str = "server.json";
/// Neither file is ever longer than a line or two.
const BYTES_MAX: u64 = 64 * 1024;

/// What a running server tells the commands of its own user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServerFile {
    pub(crate) url: String,
    pub(crate) pid: u32,
    pub(crate) version: String,
    /// SHA-256 of the certificate it shows, in hex, when it serves TLS itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) certificate: Option<String>,
}

impl ServerFile {
    /// The file of a state folder, if there is one.
    pub(crate) fn read(state: &Path) -> Result<Option<Self>, Failure> {
        let path = state.join(NAME);
        let Some(text) = read_own(&path)? else {
            return Ok(None);
        };
        serde_json::from_str(&text).map(Some).map_err(|error| {
            Failure::unexpected(format!("{} cannot be read: {error}", path.display()))
                .hint("restart the server; it writes a new file")
        })
    }

    pub(crate) fn write(&self, state: &Path) -> Result<(), Failure> {
        let text =
            serde_json::to_string(self).map_err(|error| Failure::unexpected(error.to_string()))?;
        write_own(&state.join(NAME), &format!("{text}\n"))
    }

    /// Removes the file, unless a later server has already written its own.
    pub(crate) fn remove(&self, state: &Path) {
        if let Ok(Some(there)) = Self::read(state)
            && there == *self
        {
            drop(fs::remove_file(state.join(NAME)));
        }
    }

    /// The bytes of the certificate's hash.
    pub(crate) fn certificate_hash(&self) -> Option<[u8; 32]> {
        let text = self.certificate.as_deref()?;
        let mut hash = [0u8; 32];
        if text.len() != 64 {
            return None;
        }
        for (byte, pair) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(hash)
    }
}

/// Which of the local tokens a command comes in with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocalRole {
    /// `ask`, `approve`.
    Agent,
    /// `inbox`, `answer`, `history`, `show`.
    Person,
    /// `token`, `pair`, `backup`, `forget`, `open`.
    Admin,
}

impl LocalRole {
    pub(crate) const ALL: [Self; 3] = [Self::Agent, Self::Person, Self::Admin];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Person => "person",
            Self::Admin => "admin",
        }
    }

    fn path(self, state: &Path) -> PathBuf {
        state.join(format!("{}.token", self.word()))
    }

    /// The local token of this role.
    pub(crate) fn read(self, state: &Path) -> Result<Option<TokenSecret>, Failure> {
        Ok(self.read_text(state)?.map(|text| TokenSecret::new(&text)))
    }

    /// The same as its text, for the server that must know it.
    pub(crate) fn read_text(self, state: &Path) -> Result<Option<String>, Failure> {
        let text = read_own(&self.path(state))?;
        // An empty file is what a crash at the wrong moment leaves; nobody gets in with nothing.
        Ok(text
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty()))
    }

    pub(crate) fn write(self, state: &Path, token: &str) -> Result<(), Failure> {
        write_own(&self.path(state), &format!("{token}\n"))
    }
}

/// Reads a small file that only we may have written and only we may read.
pub(crate) fn read_own(path: &Path) -> Result<Option<String>, Failure> {
    let shown = path.display();
    let failed = |error: io::Error| Failure::unexpected(format!("cannot read {shown}: {error}"));
    let about = match fs::symlink_metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if !about.is_file() {
        return Err(Failure::unexpected(format!("{shown} is not a plain file")));
    }
    if about.mode() & 0o077 != 0 {
        return Err(
            Failure::unexpected(format!("other users can read or write {shown}")).hint(format!(
                "run `chmod 600 {shown}`; if other users have access to this machine, create new \
                 tokens"
            )),
        );
    }
    if about.uid() != rustix::process::getuid().as_raw() {
        return Err(Failure::unexpected(format!(
            "{shown} belongs to another user"
        )));
    }
    if about.len() > BYTES_MAX {
        return Err(Failure::unexpected(format!("{shown} is too large")));
    }
    fs::read_to_string(path).map(Some).map_err(failed)
}

/// Writes a small file for ourselves alone, whole or not at all.
pub(crate) fn write_own(path: &Path, text: &str) -> Result<(), Failure> {
    write_bytes(path, text.as_bytes())
}

/// The same with what is not text.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed =
        |error: io::Error| Failure::unexpected(format!("cannot write {}: {error}", path.display()));
    let new = path.with_extension(format!("new-{}", std::process::id()));
    // What a killed process of the same number left behind.
    drop(fs::remove_file(&new));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)
        .map_err(failed)?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(failed)?;
    fs::rename(&new, path).map_err(failed)?;
    // A name outlives a power cut only once its folder is synced.
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sayso-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn the_file_reads_back_and_goes_only_when_it_is_ours() {
        let state = folder("server-file");
        assert_eq!(ServerFile::read(&state).unwrap(), None);
        let mine = ServerFile {
            url: "http://127.0.0.1:1".into(),
            pid: 1,
            version: "0.1.0".into(),
            certificate: None,
        };
        mine.write(&state).unwrap();
        assert_eq!(
            fs::metadata(state.join(NAME)).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let later = ServerFile {
            pid: 2,
            certificate: Some("0f".repeat(32)),
            ..mine.clone()
        };
        later.write(&state).unwrap();
        mine.remove(&state);
        assert_eq!(ServerFile::read(&state).unwrap(), Some(later.clone()));
        assert_eq!(later.certificate_hash(), Some([15; 32]));
        later.remove(&state);
        assert_eq!(ServerFile::read(&state).unwrap(), None);
        fs::remove_dir_all(&state).unwrap();
    }

    #[test]
    fn a_token_that_others_could_read_or_plant_is_refused() {
        let state = folder("token-file");
        assert_eq!(LocalRole::Agent.read(&state).unwrap(), None);
        LocalRole::Agent.write(&state, "secret").unwrap();
        assert_eq!(
            LocalRole::Agent.read(&state).unwrap(),
            Some(TokenSecret::new("secret"))
        );
        let path = LocalRole::Agent.path(&state);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(LocalRole::Agent.read(&state).is_err());
        symlink(&path, LocalRole::Admin.path(&state)).unwrap();
        assert!(LocalRole::Admin.read(&state).is_err());
        fs::remove_dir_all(&state).unwrap();
    }
}
