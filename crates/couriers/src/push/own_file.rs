//! Small files that only we may read: written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::courier::PushError;

/// Every subscription there may be fits.
const BYTES_MAX: u64 = 8 * 1024 * 1024;

/// The text of a file, if it is there.
pub(super) fn read(path: &Path) -> Result<Option<String>, PushError> {
    let failed = |detail: String| PushError::File {
        file: path.to_owned(),
        detail,
    };
    let about = match fs::symlink_metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
    };
    if !about.is_file() {
        return Err(failed("it is not a regular file".to_owned()));
    }
    if about.mode() & 0o077 != 0 {
        return Err(failed("other users can read or write it".to_owned()));
    }
    if about.uid() != rustix::process::getuid().as_raw() {
        return Err(failed("it belongs to another user".to_owned()));
    }
    if about.len() > BYTES_MAX {
        return Err(failed("it is too large".to_owned()));
    }
    fs::read_to_string(path)
        .map(Some)
        .map_err(|error| failed(error.to_string()))
}

/// Writes a file in the place of the one that is there; it is on the disk when this returns.
pub(super) fn write(path: &Path, text: &str) -> Result<(), PushError> {
    let written = || -> io::Result<()> {
        let new = path.with_extension("new");
        // What a killed process left behind.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)?;
        // The new name is on the disk only once its folder is.
        match path.parent() {
            Some(folder) => File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    };
    written().map_err(|error| PushError::File {
        file: path.to_owned(),
        detail: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_file_is_ours_alone() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.json");
        assert_eq!(read(&path).unwrap(), None);
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(read(&path).unwrap().as_deref(), Some("two"));
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(read(&path).is_err());
        let link = folder.path().join("b.json");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(read(&link).is_err());
    }
}
