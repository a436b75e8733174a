//! Wire languages: text to core values and back, without IO.
//!
//! One folder per dialect; a dialect never sees another, and none of them sees the hub, a store or
//! a socket. What they share is here: reading JSON strictly with the path of what is wrong, the
//! two-stage reading of frames, and times.
#![warn(missing_docs)]

pub mod envelope;
mod path;
pub mod read;
mod strict;
pub mod time;

pub mod native;

use std::time::Duration;

pub use read::ReadError;

/// A wire language, as data: what the server opens and shows for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The one name, in lists, journals and settings.
    pub name: &'static str,
    /// When an ask lapses that says nothing about it; never when absent.
    pub default_deadline: Option<Duration>,
    /// The endpoints it wants.
    pub doors: &'static [Door],
}

/// An endpoint that speaks a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Door {
    /// How it is spoken.
    pub kind: DoorKind,
    /// Where it is.
    pub path: &'static str,
    /// Who comes in by it.
    pub face: Face,
}

/// How a door is spoken through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DoorKind {
    /// Single calls.
    Http,
    /// A WebSocket.
    WebSocket,
    /// Server-sent events.
    Sse,
}

/// Which side of a dialect a door is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Face {
    /// Agents, who ask.
    Agent,
    /// People, who answer.
    Person,
    /// Both, told apart by their tokens.
    Both,
}

/// Every dialect there is.
pub const DIALECTS: &[Dialect] = &[native::DIALECT];

/// The dialect with this name.
pub fn dialect(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_folder_has_a_row_and_every_row_a_folder() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let folders: BTreeSet<String> = std::fs::read_dir(source)
            .expect("the source folder is readable")
            .map(|entry| entry.expect("an entry is readable"))
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().into_string().expect("a UTF-8 name"))
            .collect();
        let rows: BTreeSet<String> = DIALECTS
            .iter()
            .map(|row| row.name.replace('-', "_"))
            .collect();
        assert_eq!(folders, rows);
        assert_eq!(DIALECTS.len(), rows.len(), "two rows share a name");
    }

    #[test]
    fn every_folder_has_a_page_and_vectors() {
        for row in DIALECTS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("src")
                .join(row.name.replace('-', "_"));
            assert!(
                folder.join("README.md").is_file(),
                "{} has no README.md",
                row.name
            );
            assert!(
                folder.join("vectors").is_dir(),
                "{} has no vectors",
                row.name
            );
            assert_eq!(dialect(row.name), Some(row));
        }
    }
}
