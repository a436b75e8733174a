//! What can be set about the store.

use std::path::PathBuf;
use std::time::Duration;

use sayso_store::StoreError;
use sayso_store_sql::seal::KEY_BYTES;
use sayso_store_sql::transfer::NewBackupFile;
use sha2::{Digest as _, Sha256};

use crate::environment::PgEnvironment;
use crate::url::{PostgresUrl, UrlHost, listed, quoted};

/// The longest name of a schema: PostgreSQL cuts names after 63 bytes, and the longest name that is made of
/// it, that of the projections of a journal that is being restored, has 19 more.
const SCHEMA_BYTES_MAX: usize = 40;

/// The schema when none is set.
const DEFAULT_SCHEMA: &str = "sayso";
/// The port of PostgreSQL.
const DEFAULT_PORT: u16 = 5432;

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
            schema: DEFAULT_SCHEMA.to_owned(),
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

    /// Where the journal is: a URL for `--store` that tells no password, and the schema if it is not the
    /// default one.
    pub fn shown_place(&self) -> String {
        let Ok(place) = self.place() else {
            return "postgres://".to_owned();
        };
        let schema = match place.schema.as_str() {
            DEFAULT_SCHEMA => String::new(),
            schema => format!(" (schema {schema})"),
        };
        format!("{}{schema}", place.url())
    }

    /// Where the journal is, as a URL for `--store` that tells no password.
    pub fn shown_url(&self) -> String {
        let place = self.place();
        place.map_or_else(|_| "postgres://".to_owned(), |place| place.url())
    }

    /// Whether both name the same journal, as far as names tell.
    pub fn is_same_place(&self, other: &Self) -> bool {
        match (self.place(), other.place()) {
            (Ok(one), Ok(other)) => one.is_same(&other),
            _ => self.url == other.url,
        }
    }

    /// What the URL says, completed by the environment as it is for connecting.
    fn place(&self) -> Result<JournalPlace, String> {
        let parts = self.url.parse::<PostgresUrl>()?.parts()?;
        let usual = &self.environment;
        let usual_port = usual.port.as_deref();
        let mut hosts = if parts.hosts.is_empty() {
            listed(usual.host.as_deref().unwrap_or_default(), usual_port)?
        } else {
            let names: Vec<&str> = parts.hosts.iter().map(|host| host.name.as_str()).collect();
            let usual = listed(&names.join(","), usual_port)?;
            let said = parts.hosts.into_iter().zip(usual);
            said.map(|(host, usual)| UrlHost {
                port: host.port.or(usual.port),
                ..host
            })
            .collect()
        };
        for host in &mut hosts {
            host.port.get_or_insert(DEFAULT_PORT);
        }
        let user = parts.config.get_user().or(usual.user.as_deref());
        let database = parts.config.get_dbname().or(usual.database.as_deref());
        let tls = [
            ("sslmode", parts.ssl_mode),
            ("sslrootcert", parts.root_cert),
        ];
        Ok(JournalPlace {
            hosts,
            user: user.map(str::to_owned),
            database: database.or(user).map(str::to_owned),
            schema: self.schema.clone(),
            tls: tls
                .into_iter()
                .filter_map(|(key, value)| Some((key, value?)))
                .collect(),
        })
    }

    /// Refuses a name that would have to be quoted.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let begins = self.schema.starts_with(|c: char| c.is_ascii_lowercase());
        if begins && self.schema.len() <= SCHEMA_BYTES_MAX && self.schema.chars().all(is_plain) {
            return Ok(());
        }
        Err(StoreError::Unusable {
            what: format!("{:?} is not a valid schema name", self.schema),
            detail: format!(
                "use at most {SCHEMA_BYTES_MAX} lower-case letters, digits and `_`, starting \
                 with a letter"
            ),
        })
    }
}

/// Where a journal is.
struct JournalPlace {
    /// Each with its port. None means the usual socket of this machine.
    hosts: Vec<UrlHost>,
    user: Option<String>,
    database: Option<String>,
    schema: String,
    /// What the URL says about TLS: without it a connection could be less safe.
    tls: Vec<(&'static str, String)>,
}

impl JournalPlace {
    fn url(&self) -> String {
        let mut query = Vec::new();
        let whole = |host: &UrlHost| match host.port {
            Some(port) if host.name.contains(':') => format!("[{}]:{port}", host.name),
            Some(port) => format!("{}:{port}", quoted(&host.name)),
            None => quoted(&host.name),
        };
        let all = |one: &dyn Fn(&UrlHost) -> String, between: &str| {
            let all: Vec<String> = self.hosts.iter().map(one).collect();
            all.join(between)
        };
        let hosts = if self.hosts.iter().any(|host| host.name.starts_with('/')) {
            let names = all(&|host| quoted(&host.name).replace("%2F", "/"), ",");
            let port = |host: &UrlHost| host.port.unwrap_or(DEFAULT_PORT).to_string();
            query.push(format!("host={names}"));
            query.push(format!("port={}", all(&port, ",")));
            String::new()
        } else {
            all(&whole, ",")
        };
        let user = self
            .user
            .as_deref()
            .map(|user| format!("{}@", quoted(user)));
        let database = quoted(self.database.as_deref().unwrap_or_default());
        let tls = self.tls.iter();
        query
            .extend(tls.map(|(key, value)| format!("{key}={}", quoted(value).replace("%2F", "/"))));
        let before = if query.is_empty() { "" } else { "?" };
        format!(
            "postgres://{}{hosts}/{database}{before}{}",
            user.unwrap_or_default(),
            query.join("&")
        )
    }

    /// A host that both name is enough: a standby can be named by one of them alone.
    fn is_same(&self, other: &Self) -> bool {
        let is_host_shared = self.hosts.iter().any(|host| other.hosts.contains(host));
        let is_here = self.hosts.is_empty() && other.hosts.is_empty();
        (is_host_shared || is_here)
            && self.database == other.database
            && self.schema == other.schema
    }
}

fn lock_number(purpose: &str, schema: &str) -> i64 {
    let hash = Sha256::digest(format!("sayso {purpose} {schema}"));
    let bytes = hash.first_chunk::<8>().copied().unwrap_or_default();
    i64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str, names: &[(&str, &str)]) -> PostgresSettings {
        let find = |name: &str| names.iter().find(|(one, _)| *one == name);
        PostgresSettings {
            environment: PgEnvironment::of(|name| find(name).map(|(_, value)| *value)),
            ..PostgresSettings::new(url, [7; 32])
        }
    }

    const USUAL: [(&str, &str); 5] = [
        ("PGHOST", "x,y"),
        ("PGPORT", "6000"),
        ("PGUSER", "ann"),
        ("PGDATABASE", "db"),
        ("PGPASSWORD", "canary"),
    ];

    #[test]
    fn a_place_is_shown_as_a_url_that_names_it_everywhere() {
        for (url, names, shown) in [
            (
                "postgres://node:canary@a,b:5433/c?sslmode=verify-full&sslrootcert=/etc/ca.pem&passfile=/canary",
                &[][..],
                "postgres://node@a:5432,b:5433/c?sslmode=verify-full&sslrootcert=/etc/ca.pem",
            ),
            (
                "postgres://n%40de@[::1]/say%20so?password=canary",
                &[],
                "postgres://n%40de@[::1]:5432/say%20so",
            ),
            (
                "postgres:///?host=/run/my%20pg&user=node&dbname=c",
                &[],
                "postgres://node@/c?host=/run/my%20pg&port=5432",
            ),
            ("postgres://", &USUAL, "postgres://ann@x:6000,y:6000/db"),
            ("postgres://node@a/", &USUAL, "postgres://node@a:6000/db"),
            ("postgres://node@a:1", &[], "postgres://node@a:1/node"),
            ("postgres://", &[], "postgres:///"),
            ("nonsense", &[], "postgres://"),
        ] {
            let place = settings(url, names);
            assert_eq!(place.shown_place(), shown, "{url}");
            assert_eq!(place.shown_url(), shown, "{url}");
            if url == "nonsense" {
                continue;
            }
            // Elsewhere, where nothing completes it, the same place is found by it.
            let again = settings(&place.shown_url(), &[]);
            assert!(again.is_same_place(&place), "{url}");
            assert_eq!(again.shown_url(), shown, "{url}");
        }
    }

    #[test]
    fn another_schema_is_shown_beside_the_url() {
        let mut place = settings("postgres://a/b", &[]);
        place.schema = "team".to_owned();
        assert_eq!(place.shown_place(), "postgres://a:5432/b (schema team)");
        assert_eq!(place.shown_url(), "postgres://a:5432/b");
        assert!(!place.is_same_place(&settings("postgres://a/b", &[])));
    }

    #[test]
    fn places_are_the_same_when_host_port_and_database_are() {
        let is_same = |one: &str, other: &str| {
            settings(one, &[("PGHOST", "a")]).is_same_place(&settings(other, &[]))
        };
        assert!(is_same(
            "postgres://u@a/c",
            "postgres://v@a:5432/c?sslmode=verify-full"
        ));
        assert!(is_same("postgres:///c", "postgres://v@b,a/c"));
        assert!(is_same(
            "postgres:///c?host=/run/pg",
            "postgres://%2Frun%2Fpg/c"
        ));
        for (one, other) in [
            ("postgres://a/c", "postgres://a:5433/c"),
            ("postgres://a/c", "postgres://b/c"),
            ("postgres://a/c", "postgres://a/d"),
            (
                "postgres://a/c?sslmode=verify-full",
                "postgres://a/d?sslmode=verify-full",
            ),
            (
                "postgres:///c?host=/run/pg",
                "postgres:///c?host=/run/other",
            ),
        ] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }
}
