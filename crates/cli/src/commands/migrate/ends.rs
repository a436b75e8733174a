//! The two ends of a migration: a state folder, or a database with the folder of one of its nodes.

use std::path::{Path, PathBuf};

use sayso_store::{StoreError, Verified};
use sayso_store_postgres::{PostgresJournal, PostgresSettings, PostgresUrl};
use sayso_store_sql::sql::Sql;
use sayso_store_sql::transfer::JournalTarget;
use sayso_store_sqlite::MovingFolder;

use crate::argv::shell_line;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::settings::SettingSource;
use crate::stores;

/// A place of a state, as it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StatePlace {
    /// This folder.
    Folder(PathBuf),
    /// The database at this URL.
    Database(PostgresUrl),
}

impl StatePlace {
    /// Reads what `--to` says.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        if let Some(folder) = text.strip_prefix("sqlite:") {
            let folder = std::path::absolute(folder)
                .map_err(|error| Failure::usage(format!("--to {text}: {error}")))?;
            return Ok(Self::Folder(folder));
        }
        let url: PostgresUrl = text.parse().map_err(|why| {
            Failure::usage(format!(
                "--to takes postgres://USER@HOST/DB or sqlite:FOLDER: {why}"
            ))
            .hint("for example `sayso migrate --to postgres://sayso@db.example/sayso`")
        })?;
        if url.has_password() {
            return Err(Failure::usage(
                "a password on the command line can be read by every user of this machine",
            )
            .hint("remove it from --to, and set PGPASSWORD or put it in ~/.pgpass"));
        }
        Ok(Self::Database(url))
    }

    /// Where the state of this command is: in the folder that the command line names, in the database of
    /// the settings, or in the folder of the settings.
    pub(super) fn of(place: &CommandContext, to: &Self) -> Self {
        let settings = &place.settings;
        let folder = || Self::Folder(settings.state.value.clone());
        let is_folder_named = matches!(settings.state.source, SettingSource::Flag(_));
        match &settings.store_url.value {
            Some(url) if place.is_database_named() => Self::Database(url.clone()),
            Some(_) if is_folder_named => folder(),
            // The settings may name the new place already.
            Some(url) if !same(&Self::Database(url.clone()), to, place) => {
                Self::Database(url.clone())
            }
            Some(_) | None => folder(),
        }
    }
}

/// Whether two names are of the same place, as far as the names tell.
pub(super) fn same(one: &StatePlace, other: &StatePlace, place: &CommandContext) -> bool {
    let real = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
    match (one, other) {
        (StatePlace::Folder(one), StatePlace::Folder(other)) => real(one) == real(other),
        (StatePlace::Database(one), StatePlace::Database(other)) => {
            // Comparing takes no key.
            let settings = |url| stores::postgres(place, url, [0; 32]);
            settings(one).is_same_place(&settings(other))
        }
        (StatePlace::Folder(_), StatePlace::Database(_))
        | (StatePlace::Database(_), StatePlace::Folder(_)) => false,
    }
}

/// One end of a migration, with its lock.
#[derive(Debug)]
pub(super) enum MovingEnd {
    /// A state folder.
    Folder(Box<MovingFolder>),
    /// A database.
    Database(Box<PostgresJournal>, Box<PostgresSettings>),
}

impl MovingEnd {
    /// Opens the end that is left.
    pub(super) fn leaving(at: &StatePlace, place: &CommandContext) -> Result<Self, Failure> {
        Ok(match at {
            StatePlace::Folder(folder) => Self::Folder(Box::new(MovingFolder::leaving(folder)?)),
            StatePlace::Database(url) => {
                let with = stores::database(place, url)?;
                let journal = PostgresJournal::leaving(with.clone())?;
                Self::Database(Box::new(journal), Box::new(with))
            }
        })
    }

    /// Opens the end that is moved to, for a journal with this key.
    pub(super) fn arriving(
        at: &StatePlace,
        key: [u8; 32],
        place: &CommandContext,
    ) -> Result<Self, Failure> {
        Ok(match at {
            StatePlace::Folder(folder) => {
                Self::Folder(Box::new(MovingFolder::arriving(folder, &key)?))
            }
            StatePlace::Database(url) => {
                let with = stores::postgres(place, url, key);
                let journal = PostgresJournal::arriving(with.clone())?;
                Self::Database(Box::new(journal), Box::new(with))
            }
        })
    }

    /// The key of its secrets.
    pub(super) fn key(&self) -> Result<[u8; 32], StoreError> {
        match self {
            Self::Folder(folder) => folder.key(),
            Self::Database(_, settings) => Ok(settings.key),
        }
    }

    /// What it is called in sentences. It tells no password.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Folder(folder) => folder.path().display().to_string(),
            Self::Database(_, settings) => settings.shown_place(),
        }
    }

    /// The words that start a node or a server here.
    pub(super) fn start_line(&self) -> String {
        let serve = ["sayso", "serve"].map(str::to_owned);
        match self {
            Self::Folder(folder) => {
                let state = folder.path().display().to_string();
                shell_line(&[&serve[..], &["--state".to_owned(), state]].concat())
            }
            Self::Database(_, settings) => {
                let store = ["--store".to_owned(), settings.shown_url()];
                let line = shell_line(&[&serve[..], &store].concat());
                let default = PostgresSettings::new("", [0; 32]).schema;
                if settings.schema == default {
                    line
                } else {
                    format!("SAYSO_STORE_SCHEMA={} {line}", settings.schema)
                }
            }
        }
    }

    /// The folder, if it is one.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder.path()),
            Self::Database(..) => None,
        }
    }

    pub(super) fn journal(&self) -> &dyn JournalTarget {
        match self {
            Self::Folder(folder) => &**folder,
            Self::Database(journal, _) => &**journal,
        }
    }

    pub(super) fn sql(&self) -> &dyn Sql {
        self.journal().sql()
    }

    pub(super) fn verify(&self) -> Result<Verified, StoreError> {
        match self {
            Self::Folder(folder) => folder.verify(),
            Self::Database(journal, _) => journal.verify(),
        }
    }

    pub(super) fn level(&self) -> Result<u32, StoreError> {
        match self {
            Self::Folder(folder) => folder.level(),
            Self::Database(journal, _) => journal.level(),
        }
    }

    pub(super) fn moved(&self) -> Result<Option<String>, StoreError> {
        match self {
            Self::Folder(folder) => folder.moved(),
            Self::Database(journal, _) => journal.moved(),
        }
    }

    pub(super) fn is_living(&self) -> Result<bool, StoreError> {
        match self {
            Self::Folder(folder) => folder.is_living(),
            Self::Database(journal, _) => journal.is_living(),
        }
    }

    pub(super) fn begin(&self, level: u32) -> Result<(), StoreError> {
        match self {
            Self::Folder(folder) => folder.begin(level),
            Self::Database(journal, _) => journal.begin(level),
        }
    }

    pub(super) fn leave(&self, place: &str) -> Result<(), StoreError> {
        match self {
            Self::Folder(folder) => folder.leave(place),
            Self::Database(journal, _) => journal.leave(place),
        }
    }

    pub(super) fn settle(&self) -> Result<(), StoreError> {
        match self {
            Self::Folder(folder) => folder.settle(),
            Self::Database(journal, _) => journal.settle(),
        }
    }
}
