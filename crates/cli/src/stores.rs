//! Which store a server runs on: SQLite in its state folder, or PostgreSQL with other nodes.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sayso_core::escape::escape_block;
use sayso_store::{NodeRow, Store, StoreError};
use sayso_store_postgres::{
    PgEnvironment, PostgresJournal, PostgresSettings, PostgresStore, PostgresUrl, list_nodes,
};
use sayso_store_sqlite::{
    SqliteSettings, SqliteStore, StateFolder, make_key, new_backup, read_key,
};
use uuid::Uuid;

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::server_file::{read_own, write_own};
use crate::settings::{Settings, StoreDurability};

/// How long a database that cannot be reached is tried again at a start.
const TRY_FOR: Duration = Duration::from_secs(30);
const TRY_EVERY: Duration = Duration::from_millis(500);
/// How often that is said.
const SAY_EVERY: Duration = Duration::from_secs(5);

/// A store, and the lock on the folder of whoever uses it.
#[derive(Debug)]
pub(crate) struct OpenedStore {
    pub(crate) store: Arc<dyn Store>,
    /// SQLite holds on to the folder by itself.
    pub(crate) folder: Option<StateFolder>,
}

/// Opens the store of these settings.
pub(crate) async fn open(
    place: &CommandContext,
    forget_secrets: bool,
) -> Result<OpenedStore, Failure> {
    let settings = &place.settings;
    let state = &settings.state.value;
    let Some(url) = &settings.store_url.value else {
        let with = SqliteSettings {
            forget_secrets,
            ..SqliteSettings::default()
        };
        return Ok(OpenedStore {
            store: Arc::new(SqliteStore::open(state, with)?),
            folder: None,
        });
    };
    let folder = StateFolder::take(state)?;
    let key = match key(settings)? {
        Some(key) => key,
        None => make_key(&folder.path().join("key"))?,
    };
    let with = PostgresSettings {
        node: settings.node_name.value.clone(),
        place: state_id(folder.path())?,
        ..postgres(place, url, key)
    };
    Ok(OpenedStore {
        store: connect(with).await?,
        folder: Some(folder),
    })
}

/// The nodes of the journal at this URL, as the database has them.
pub(crate) async fn nodes(
    place: &CommandContext,
    url: &PostgresUrl,
) -> Result<Vec<NodeRow>, Failure> {
    // Looking takes no key.
    let listed = list_nodes(postgres(place, url, [0; 32])).await;
    listed.map_err(unopened)
}

/// What the settings and the environment say about PostgreSQL.
pub(crate) fn postgres(
    place: &CommandContext,
    url: &PostgresUrl,
    key: [u8; 32],
) -> PostgresSettings {
    let settings = &place.settings;
    PostgresSettings {
        environment: PgEnvironment::of(|name| place.environment.get(name)),
        schema: settings.store_schema.value.clone(),
        root_certificates: settings.store_root_cert.value.clone(),
        trusted: settings.store_durability.value == StoreDurability::Trusted,
        poll: settings.store_poll.value,
        readers: settings.store_readers.value,
        known: Some(settings.state.value.join("known")),
        new_backup: Some(new_backup),
        ..PostgresSettings::new(url.as_str(), key)
    }
}

/// The database at this URL, for a command that needs the key of its journal.
pub(crate) fn database(
    place: &CommandContext,
    url: &PostgresUrl,
) -> Result<PostgresSettings, Failure> {
    let missing = || {
        let file = place.settings.state.value.join("key");
        Failure::usage(format!("there is no key file {}", file.display()))
            .hint("set the key file of the nodes with --key-file")
    };
    let key = key(&place.settings)?.ok_or_else(missing)?;
    Ok(postgres(place, url, key))
}

/// The journal at this URL, for a command that can do without the key.
pub(crate) fn journal(
    place: &CommandContext,
    url: &PostgresUrl,
) -> Result<PostgresJournal, Failure> {
    let key = key(&place.settings)?.unwrap_or_default();
    let with = postgres(place, url, key);
    let shown = with.shown_place();
    PostgresJournal::open(with)?.ok_or_else(|| no_journal(&shown))
}

/// There is no journal in a database.
pub(crate) fn no_journal(place: &str) -> Failure {
    Failure::new(Exit::Refused, format!("there is no journal at {place}"))
        .hint("set the database with --store or SAYSO_STORE_URL")
}

/// The key of the nodes: the file that is named, or that of the state folder, if there is one.
fn key(settings: &Settings) -> Result<Option<[u8; 32]>, Failure> {
    if let Some(path) = &settings.store_key_file.value {
        let shown = path.display();
        let missing = || {
            Failure::unexpected(format!("there is no key file {shown}")).hint(format!(
                "copy it from another node, or create the first one with `sayso key new {shown}`"
            ))
        };
        return read_key(path)?.map(Some).ok_or_else(missing);
    }
    Ok(read_key(&settings.state.value.join("key"))?)
}

/// What tells this state folder from every other: random bytes in a file of it.
fn state_id(state: &Path) -> Result<[u8; 16], Failure> {
    let path = state.join("node.id");
    let known = read_own(&path)?.and_then(|text| text.trim().parse::<Uuid>().ok());
    if let Some(id) = known {
        return Ok(*id.as_bytes());
    }
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::unexpected(format!("no random numbers: {error}")))?;
    let id = uuid::Builder::from_random_bytes(bytes).into_uuid();
    write_own(&path, &format!("{id}\n"))?;
    Ok(*id.as_bytes())
}

/// Opens the journal; a database that is away or starting is tried again for a while.
#[expect(
    clippy::disallowed_methods,
    reason = "how long a start is tried is no time that anything is decided by"
)]
async fn connect(with: PostgresSettings) -> Result<Arc<dyn Store>, Failure> {
    let begun = Instant::now();
    let mut said_at = None;
    loop {
        let left = TRY_FOR.saturating_sub(begun.elapsed());
        let opening = PostgresStore::open_aside(with.clone());
        let opened = tokio::time::timeout(left.max(TRY_EVERY), opening).await;
        let detail = match opened.unwrap_or_else(|_| Err(unfinished())) {
            Ok(store) => return Ok(Arc::new(store)),
            Err(StoreError::TryLater { detail }) if begun.elapsed() < TRY_FOR => detail,
            Err(error) => return Err(unopened(error)),
        };
        let waited = begun.elapsed();
        if said_at.is_none_or(|said: Duration| waited >= said + SAY_EVERY) {
            said_at = Some(waited);
            let left = TRY_FOR.saturating_sub(waited).as_secs();
            tracing::warn!("{}; retrying for {left} s", escape_block(&detail));
        }
        tokio::time::sleep(TRY_EVERY).await;
    }
}

/// A server that takes a write and does not finish it.
fn unfinished() -> StoreError {
    StoreError::TryLater {
        detail: "PostgreSQL accepts connections but doesn't finish a write. If it needs a synchronous standby, start the standby first".to_owned(),
    }
}

/// Why a journal could not be opened. Another try is up to whoever asked.
fn unopened(error: StoreError) -> Failure {
    match error {
        StoreError::TryLater { detail } => Failure::unexpected(escape_block(&detail).into_owned())
            .hint("check that PostgreSQL is running and that store.url points to it"),
        error => error.into(),
    }
}
