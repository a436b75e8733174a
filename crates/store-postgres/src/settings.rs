//! What can be set about the store.

use std::path::PathBuf;
use std::time::Duration;

use sayso_store::StoreError;
use sayso_store_sql::seal::KEY_BYTES;
use sayso_store_sql::transfer::NewBackupFile;
use sha2::{Digest as _, Sha256};
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::environment::PgEnvironment;

/// The longest name of a schema: PostgreSQL cuts names after 63 bytes, and the longest name that is made of
/// it, that of the projections of a journal that is being restored, has 19 more.
const SCHEMA_BYTES_MAX: usize = 40;

/// The length of what tells one state folder from another.
const PLACE_BYTES: usize = 16;

/// Settings of a store in PostgreSQL.
#[derive(Clone)]
pub struct PostgresSettings {
    /// Where it is: `postgres://user:password@host,host2/database`. Hosts are tried until one takes writes.
    pub url: String,
    /// What holds where the URL says nothing.
    pub environment: PgEnvironment,
    /// The schema that holds the journal.
    pub schema: String,
    /// The key that seals secrets, the same on every node.
    pub key: [u8; KEY_BYTES],
    /// What this node is called.
    pub node: String,
    /// What tells this node's state folder from every other: two live nodes of one name are refused.
    pub place: [u8; PLACE_BYTES],
    /// Connections kept for reading.
    pub readers: usize,
    /// Certificates (PEM) that vouch for the server; without them, those of the public authorities do.
    pub root_certificates: Option<PathBuf>,
    /// Whether the operator vouches that replication outside PostgreSQL keeps what was acknowledged.
    pub trusted: bool,
    /// How often the journal is looked at when no notification comes.
    pub poll: Duration,
    /// The file in which this node keeps the last event it knew: a database without it went back.
    pub known: Option<PathBuf>,
    /// How a backup file is begun; this store writes rows and knows no file format.
    pub new_backup: Option<NewBackupFile>,
    /// For how long an acknowledged write lets this node believe what it knows; tests on a busy machine
    /// give it longer.
    pub fresh_for: Duration,
    /// Which lock turns are taken with; tests set it to show what holds without one.
    #[cfg(test)]
    pub(crate) lock: Option<i64>,
}

impl std::fmt::Debug for PostgresSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The URL may hold a password.
        f.debug_struct("PostgresSettings")
            .field("schema", &self.schema)
            .field("node", &self.node)
            .finish_non_exhaustive()
    }
}

impl PostgresSettings {
    /// Settings for the journal at this URL, sealed with this key.
    pub fn new(url: impl Into<String>, key: [u8; KEY_BYTES]) -> Self {
        Self {
            url: url.into(),
            environment: PgEnvironment::default(),
            schema: "sayso".to_owned(),
            key,
            node: "node".to_owned(),
            place: [0; PLACE_BYTES],
            readers: 4,
            root_certificates: None,
            trusted: false,
            poll: Duration::from_millis(250),
            known: None,
            new_backup: None,
            fresh_for: Duration::from_secs(1),
            #[cfg(test)]
            lock: None,
        }
    }

    /// The number of the lock that turns are taken with. It is one for each journal of a database.
    pub(crate) fn turn_lock(&self) -> i64 {
        #[cfg(test)]
        if let Some(lock) = self.lock {
            return lock;
        }
        lock_number("turn", &self.schema)
    }

    /// The number of the lock under which tables are made.
    pub(crate) fn schema_lock(&self) -> i64 {
        lock_number("schema", &self.schema)
    }

    /// The channel on which nodes say things to each other.
    pub(crate) fn bus(&self) -> String {
        format!("{}_bus", self.schema)
    }

    /// The number of the lock of a job that one node at a time does.
    pub(crate) fn seat_lock(&self, job: &str) -> i64 {
        lock_number(&format!("seat {job}"), &self.schema)
    }

    /// The schema that holds the projections of this version.
    pub(crate) fn views_schema(&self) -> String {
        self.views_schema_of(sayso_store_sql::views::VERSION)
    }

    /// The schema that holds those of another version.
    pub(crate) fn views_schema_of(&self, version: u32) -> String {
        format!("{}_views_{version}", self.schema)
    }

    /// Where the journal is, in words that tell no password.
    pub fn shown_place(&self) -> String {
        let Ok(config) = self.url.parse::<Config>() else {
            return "postgres://".to_owned();
        };
        let hosts: Vec<String> = config.get_hosts().iter().map(shown_host).collect();
        let database = config
            .get_dbname()
            .or(config.get_user())
            .unwrap_or_default();
        format!("postgres://{}/{database}", hosts.join(","))
    }

    /// Refuses a name that would have to be quoted.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let begins = self.schema.starts_with(|c: char| c.is_ascii_lowercase());
        if begins && self.schema.len() <= SCHEMA_BYTES_MAX && self.schema.chars().all(is_plain) {
            return Ok(());
        }
        Err(StoreError::Unusable {
            what: format!("{:?} cannot be the name of a schema", self.schema),
            detail: format!(
                "use lower-case letters, digits and `_`, a letter first, at most {SCHEMA_BYTES_MAX} of them"
            ),
        })
    }
}

fn shown_host(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    }
}

fn lock_number(purpose: &str, schema: &str) -> i64 {
    let hash = Sha256::digest(format!("sayso {purpose} {schema}"));
    let bytes = hash.first_chunk::<8>().copied().unwrap_or_default();
    i64::from_le_bytes(bytes)
}
