//! What AG-UI leaves to its front end: the history of each conversation, and a pause that waits.
//!
//! One file for each conversation, replaced as a whole: a crash leaves the old one or the new one. It
//! is written before anything is asked, so that a pause is found again by whoever comes next.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::bridge::short;
use super::wire::KeptConversation;
use crate::error::BridgeError;
use crate::private_file;

/// Messages that are kept of one conversation; older ones are forgotten.
const MESSAGES_MAX: usize = 1000;
/// The largest file that is read.
const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Files that are looked at.
const FILES_MAX: usize = 10_000;

/// The files of one address. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ConversationBook {
    folder: PathBuf,
}

impl ConversationBook {
    /// The files for this address, in this folder.
    pub(super) fn open(folder: &Path, url: &str) -> Result<Self, BridgeError> {
        let folder = folder.join(short(url));
        private_file::make_folder(&folder).map_err(failed)?;
        Ok(Self { folder })
    }

    fn path(&self, conversation: &str) -> PathBuf {
        self.folder.join(format!("{}.json", short(conversation)))
    }

    /// What is kept of a conversation. A file that cannot be read counts as none, because a person
    /// waits for the agent and nothing but the history is lost.
    pub(super) fn read(&self, conversation: &str) -> KeptConversation {
        let kept = read(&self.path(conversation));
        kept.filter(|kept| kept.conversation == conversation)
            .unwrap_or_else(|| KeptConversation {
                conversation: conversation.to_owned(),
                state: serde_json::json!({}),
                ..KeptConversation::default()
            })
    }

    /// Keeps this instead.
    pub(super) fn write(&self, kept: &mut KeptConversation) -> Result<(), BridgeError> {
        let over = kept.messages.len().saturating_sub(MESSAGES_MAX);
        kept.messages.drain(..over);
        let bytes = serde_json::to_vec(kept).map_err(|error| failed(io::Error::other(error)))?;
        private_file::replace(&self.path(&kept.conversation), &bytes).map_err(failed)
    }

    /// The conversations with a pause that waits.
    pub(super) fn paused(&self) -> Vec<String> {
        let Ok(files) = fs::read_dir(&self.folder) else {
            return Vec::new();
        };
        files
            .take(FILES_MAX)
            .flatten()
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .filter_map(|path| read(&path))
            .filter(|kept| kept.pause.is_some())
            .map(|kept| kept.conversation)
            .collect()
    }
}

fn read(path: &Path) -> Option<KeptConversation> {
    if fs::metadata(path).ok()?.len() > BYTES_MAX {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn failed(error: io::Error) -> BridgeError {
    BridgeError::system("can't save what a conversation is waiting for")(error)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::wire::{KeptPause, OpenCall};
    use super::*;

    #[test]
    fn a_pause_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let book = ConversationBook::open(folder.path(), "http://a/agui").unwrap();
        let mut kept = book.read("../c");
        assert_eq!(kept.messages, Vec::<serde_json::Value>::new());
        kept.messages = (0..=MESSAGES_MAX).map(|id| json!({ "id": id })).collect();
        kept.pause = Some(KeptPause {
            run: "r".to_owned(),
            calls: vec![OpenCall {
                id: "1".to_owned(),
                name: "deploy".to_owned(),
                arguments: "{}".to_owned(),
            }],
            interrupts: Vec::new(),
            continues: true,
            said: String::new(),
        });
        book.write(&mut kept).unwrap();
        let again = ConversationBook::open(folder.path(), "http://a/agui").unwrap();
        assert_eq!(again.read("../c"), kept);
        assert_eq!(kept.messages.first(), Some(&json!({"id": 1})));
        assert_eq!(again.paused(), ["../c"]);
        kept.pause = None;
        again.write(&mut kept).unwrap();
        assert_eq!(book.paused(), Vec::<String>::new());
        let other = ConversationBook::open(folder.path(), "http://b/agui").unwrap();
        assert_eq!(other.paused(), Vec::<String>::new());
    }

    #[test]
    fn a_file_that_is_none_is_no_reason_to_stop() {
        let folder = tempfile::tempdir().unwrap();
        let book = ConversationBook::open(folder.path(), "http://a/agui").unwrap();
        fs::write(book.path("c"), b"{\"half").unwrap();
        fs::write(book.path("c").with_extension("new"), b"{").unwrap();
        assert_eq!(book.paused(), Vec::<String>::new());
        let mut kept = book.read("c");
        assert_eq!(kept.conversation, "c");
        book.write(&mut kept).unwrap();
        assert_eq!(book.read("c"), kept);
    }
}
