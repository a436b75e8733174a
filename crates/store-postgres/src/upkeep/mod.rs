//! What commands do with a journal in PostgreSQL beside its nodes, or without any: check it, copy it to a
//! file, put a backup in its place, move it, and begin another life after a loss.
//!
//! A command is no node: it takes no turns, and what it appends it appends with the turn in its hands.

mod append;
mod backup;
mod life;
mod moving;
mod parts;

use sayso_core::id::Seq;
use sayso_store::{Compact, Compacted, Durability, NodeRow, StoreError, Verified};
use sayso_store_sql::journal::{SqlJournal, last_seq};
use sayso_store_sql::seal::Sealer;
use sayso_store_sql::sql::SqlResult;
use sayso_store_sql::verify::walk;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::Client;

pub(crate) use backup::write_backup;
pub use life::{LostEvents, restore};

use crate::compact::compact;
use crate::fault;
use crate::neighbours::read_nodes;
use crate::readers::pool;
use crate::settings::PostgresSettings;
use crate::setup::{self, PgMeta};
use crate::sql::PgSql;
use crate::target::PgTarget;

/// The journal of a database, in the hands of a command.
pub struct PostgresJournal {
    /// The one connection that locks, reads and writes: if it is lost, everything it held is.
    sql: PgSql,
    sealer: Sealer,
    target: PgTarget,
    // It goes last: connections end on it.
    runtime: Runtime,
}

impl std::fmt::Debug for PostgresJournal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.target.fmt(f)
    }
}

/// How a database and the journal in it are.
#[derive(Debug)]
pub struct DatabaseReport {
    /// The version of PostgreSQL.
    pub version: String,
    /// Whether what is written survives.
    pub durability: Durability,
    /// The last event.
    pub end: Seq,
    /// The nodes that were heard of lately.
    pub nodes: Vec<NodeRow>,
    /// Why no server starts on it with this key, if that is so.
    pub refused: Option<String>,
}

impl PostgresJournal {
    /// Connects to a database. There need not be a journal in it.
    fn connect(settings: PostgresSettings) -> Result<Self, StoreError> {
        Self::over(PgTarget::new(settings)?)
    }

    fn over(target: PgTarget) -> Result<Self, StoreError> {
        let built = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("postgres")
            .enable_all()
            .build();
        let runtime = built
            .map_err(|error| fault::unusable("cannot start a runtime for PostgreSQL", error))?;
        let sealer = Sealer::with(&target.settings.key);
        // A connection of the pool says less about why there is none.
        let pool = runtime.block_on(async {
            setup::look_at_server(&target.link().await?.client).await?;
            pool(&target, None)
        })?;
        Ok(Self {
            sql: PgSql::take(runtime.handle(), &pool)?,
            sealer,
            target,
            runtime,
        })
    }

    /// Opens the journal of a database; nothing when there is none.
    pub fn open(settings: PostgresSettings) -> Result<Option<Self>, StoreError> {
        let journal = Self::connect(settings)?;
        Ok(journal.exists()?.then_some(journal))
    }

    /// Walks the whole journal.
    pub fn verify(&self) -> Result<Verified, StoreError> {
        walk(&self.sql, Vec::new()).map(|walked| walked.verified)
    }

    /// Gives free space back.
    pub fn compact(&self) -> Result<Compacted, StoreError> {
        compact(&self.sql, &self.target.settings, Compact::All)
    }

    /// Writes a backup to a new file.
    pub fn backup(&self, to: &std::path::Path) -> Result<(), StoreError> {
        write_backup(&self.sql, self.target.settings.new_backup, to)
    }

    /// Looks at the database, the nodes and the key.
    pub fn report(&self) -> Result<DatabaseReport, StoreError> {
        let trusted = self.target.settings.trusted;
        let (version, durability, nodes, meta) = self.runtime.block_on(async {
            let client: &Client = self.sql.client();
            let row = client.query_one("SELECT current_setting('server_version')", &[]);
            let version = row.await.and_then(|row| row.try_get(0));
            Ok::<_, StoreError>((
                version.map_err(fault::journal)?,
                setup::durability(client, trusted).await?,
                read_nodes(client).await?,
                PgMeta::read(client, &self.target.settings.schema).await?,
            ))
        })?;
        let refused = meta
            .check_lives_here()
            .and_then(|()| meta.check_whole())
            .and_then(|()| meta.check_key(&self.sealer));
        Ok(DatabaseReport {
            version,
            durability,
            end: last_seq(SqlJournal(&self.sql))?,
            nodes,
            refused: refused.err().map(|error| error.to_string()),
        })
    }

    fn exists(&self) -> Result<bool, StoreError> {
        let schema = &self.target.settings.schema;
        self.runtime
            .block_on(setup::exists(self.sql.client(), schema, "meta"))
    }

    fn meta(&self) -> Result<PgMeta, StoreError> {
        let schema = &self.target.settings.schema;
        self.runtime
            .block_on(PgMeta::read(self.sql.client(), schema))
    }

    /// Takes the turn and keeps it as long as this lives: nobody writes meanwhile.
    fn hold_turn(&self) -> Result<(), StoreError> {
        let lock = self.target.settings.turn_lock();
        self.run(&format!("SELECT pg_advisory_lock({lock})"))
    }

    fn run(&self, sql: &str) -> Result<(), StoreError> {
        failing(&self.sql, self.sql.batch(sql))
    }

    /// Tells nodes that there is something to look at.
    fn notify(&self) {
        let schema = &self.target.settings.schema;
        if let Err(error) = self.run(&format!("NOTIFY {schema}")) {
            tracing::debug!(%error, "nodes find out by themselves");
        }
    }
}

/// What the database said about the journal, as a caller is told.
fn failing<T>(sql: &PgSql, done: SqlResult<T>) -> Result<T, StoreError> {
    done.map_err(|error| SqlJournal(sql).error(&error))
}

/// Runs work in a transaction that begins with these words.
fn within<T>(
    sql: &PgSql,
    how: &str,
    work: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    failing(sql, sql.begin(how))?;
    match work() {
        Ok(done) => {
            failing(sql, sql.commit())?;
            Ok(done)
        }
        Err(error) => {
            sql.roll_back();
            Err(error)
        }
    }
}
