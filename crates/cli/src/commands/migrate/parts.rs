//! What belongs to a state beside its journal: devices that want notices, the key they know the server by,
//! and files of agents. In a folder they are files, in a database rows.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::SystemTime;

use sayso_core::id::TokenId;
use sayso_store::{SharedFile, ShelfRow};
use sayso_store_postgres::PostgresJournal;
use serde_json::{Value, json};

use super::ends::MovingEnd;
use crate::failure::Failure;
use crate::server_file::{write_bytes, write_own};

/// The shelf of devices, and the file of them.
const DEVICES: &str = "push";
const DEVICES_FILE: &str = "push/subscriptions.json";
const DEVICES_VERSION: u64 = 1;
/// The shelf of the key for notices, its one record, and its file.
const KEYS: &str = "vapid";
const KEY: &str = "key";
const KEY_FILE: &str = "push/vapid.key";
/// The folder of agents' files, and the ending under which stands what was said about one.
const FILES: &str = "files";
const ABOUT: &str = "about";

/// Brings everything to the other end, in place of what is there.
pub(super) fn copy(from: &MovingEnd, to: &MovingEnd) -> Result<(), Failure> {
    match (from, to) {
        (MovingEnd::Folder(folder), MovingEnd::Database(journal, _)) => {
            devices_in(folder.path(), journal)?;
            files_in(folder.path(), journal)
        }
        (MovingEnd::Database(journal, _), MovingEnd::Folder(folder)) => {
            devices_out(journal, folder.path())?;
            files_out(journal, folder.path())
        }
        (MovingEnd::Database(one, _), MovingEnd::Database(other, _)) => across(one, other),
        (MovingEnd::Folder(one), MovingEnd::Folder(other)) => {
            copy_folders(one.path(), other.path())
        }
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::unexpected(format!("{}: {error}", path.display()))
}

/// The text of a file, if it is there.
fn text_of(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, &error)),
    }
}

/// What a device is kept under: its token, and when that was made.
fn device_key(device: &Value) -> Option<String> {
    let number = |name: &str| device.get(name).and_then(Value::as_u64);
    Some(format!("{}-{}", number("token")?, number("token_made_at")?))
}

fn devices_in(folder: &Path, journal: &PostgresJournal) -> Result<(), Failure> {
    let path = folder.join(DEVICES_FILE);
    let mut rows = Vec::new();
    if let Some(text) = text_of(&path)? {
        let unreadable = |what: &dyn std::fmt::Display| failed(&path, what);
        let file: Value = serde_json::from_str(&text).map_err(|error| unreadable(&error))?;
        if file.get("version").and_then(Value::as_u64) != Some(DEVICES_VERSION) {
            return Err(unreadable(&"it has an unknown format"));
        }
        let devices = file.get("subscriptions").and_then(Value::as_array);
        for device in devices.into_iter().flatten() {
            let key = device_key(device).ok_or_else(|| unreadable(&"a device has no token"))?;
            let bytes = device.to_string().into_bytes();
            rows.push(ShelfRow { key, bytes });
        }
    }
    journal.fill_shelf(DEVICES, &rows)?;
    let key = text_of(&folder.join(KEY_FILE))?.map(|text| ShelfRow {
        key: KEY.to_owned(),
        bytes: text.trim().as_bytes().to_vec(),
    });
    Ok(journal.fill_shelf(KEYS, key.as_slice())?)
}

fn devices_out(journal: &PostgresJournal, folder: &Path) -> Result<(), Failure> {
    let path = folder.join(DEVICES_FILE);
    make_folder(&folder.join("push"))?;
    let devices = journal.shelf(DEVICES)?.into_iter();
    let devices: Result<Vec<Value>, _> = devices
        .map(|row| serde_json::from_slice(&row.bytes))
        .collect();
    let devices = devices.map_err(|error| failed(&path, &error))?;
    let file = json!({"version": DEVICES_VERSION, "subscriptions": devices});
    write_own(&path, &file.to_string())?;
    for row in journal.shelf(KEYS)?.iter().filter(|row| row.key == KEY) {
        let text = String::from_utf8_lossy(&row.bytes);
        write_own(&folder.join(KEY_FILE), &format!("{text}\n"))?;
    }
    Ok(())
}

/// The files in a folder that are whole: their ids and what was said about each, oldest first.
fn files_of(folder: &Path) -> Result<Vec<(String, String)>, Failure> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(folder, &error)),
    };
    let mut found: BTreeMap<(SystemTime, String), String> = BTreeMap::new();
    for entry in entries {
        let path = entry.map_err(|error| failed(folder, &error))?.path();
        let whole = path.with_extension("");
        let Some(id) = whole.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if path.extension().is_none_or(|ending| ending != ABOUT) || !whole.is_file() {
            continue;
        }
        let made = whole.metadata().and_then(|about| about.modified());
        let made = made.map_err(|error| failed(&whole, &error))?;
        let about = fs::read_to_string(&path).map_err(|error| failed(&path, &error))?;
        found.insert((made, id.to_owned()), about);
    }
    Ok(found
        .into_iter()
        .map(|((_, id), about)| (id, about))
        .collect())
}

/// Whose file it is. Files of before owners were noted are nobody's.
fn owner(about: &str) -> TokenId {
    let value: Option<Value> = serde_json::from_str(about).ok();
    let token = value
        .as_ref()
        .and_then(|value| value.get("token")?.as_str());
    token
        .and_then(|token| token.parse().ok())
        .unwrap_or(TokenId(0))
}

fn files_in(folder: &Path, journal: &PostgresJournal) -> Result<(), Failure> {
    let folder = folder.join(FILES);
    journal.clear_files()?;
    for (id, about) in files_of(&folder)? {
        let path = folder.join(&id);
        let content = fs::read(&path).map_err(|error| failed(&path, &error))?;
        journal.put_file(SharedFile {
            id,
            owner: owner(&about),
            about,
            content,
        })?;
    }
    Ok(())
}

fn files_out(journal: &PostgresJournal, folder: &Path) -> Result<(), Failure> {
    let folder = folder.join(FILES);
    make_folder(&folder)?;
    for row in journal.files()? {
        let Some((about, content)) = journal.file(&row.id)? else {
            continue;
        };
        put_file(&folder, &row.id, &about, &content)?;
    }
    Ok(())
}

/// Writes a file and what was said about it, as the server does.
fn put_file(folder: &Path, id: &str, about: &str, content: &[u8]) -> Result<(), Failure> {
    let is_plain = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    // Names in a database are never names on the disk before they were looked at.
    if id.is_empty() || !id.chars().all(is_plain) {
        return Err(Failure::unexpected(
            "a file in the database has an invalid id",
        ));
    }
    write_own(&folder.join(id).with_extension(ABOUT), about)?;
    write_bytes(&folder.join(id), content)
}

fn make_folder(folder: &Path) -> Result<(), Failure> {
    let made = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder);
    made.map_err(|error| failed(folder, &error))
}

fn across(one: &PostgresJournal, other: &PostgresJournal) -> Result<(), Failure> {
    for shelf in [DEVICES, KEYS] {
        other.fill_shelf(shelf, &one.shelf(shelf)?)?;
    }
    other.clear_files()?;
    for row in one.files()? {
        if let Some((about, content)) = one.file(&row.id)? {
            other.put_file(SharedFile {
                id: row.id,
                owner: row.owner.unwrap_or(TokenId(0)),
                about,
                content,
            })?;
        }
    }
    Ok(())
}

fn copy_folders(one: &Path, other: &Path) -> Result<(), Failure> {
    make_folder(&other.join("push"))?;
    for name in [DEVICES_FILE, KEY_FILE] {
        if let Some(text) = text_of(&one.join(name))? {
            write_own(&other.join(name), &text)?;
        }
    }
    let (from, to) = (one.join(FILES), other.join(FILES));
    make_folder(&to)?;
    for (id, about) in files_of(&from)? {
        let path = from.join(&id);
        let content = fs::read(&path).map_err(|error| failed(&path, &error))?;
        put_file(&to, &id, &about, &content)?;
    }
    Ok(())
}
