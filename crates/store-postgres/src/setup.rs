//! What happens before a store is used: the server is looked at, tables are made, the key is checked, and
//! this process is entered as a node.

use std::sync::atomic::Ordering;

use sayso_core::id::Seq;
use sayso_store::{Durability, LEVEL, NodeId, StoreError};
use sayso_store_sql::journal::damaged;
use sayso_store_sql::seal::Sealer;
use sayso_store_sql::views::{INDEXES, TABLES, TEXT_TABLE};
use tokio_postgres::{Client, Error};

use crate::fault::{self, JOURNAL};
use crate::faults::point;
use crate::journal::value;
use crate::known;
use crate::link::{LinkNews, PgLink};
use crate::old_views::build;
use crate::settings::PostgresSettings;
use crate::target::PgTarget;
use crate::words;

/// What `application` says in a journal of ours.
const APPLICATION: &str = "sayso";
/// The oldest PostgreSQL that will do, as it numbers itself.
const OLDEST: i32 = 140_000;
/// How the database must keep text, as it says so itself.
const ENCODING: &str = "UTF8";
/// Every step from an empty schema to the newest form; only ever added to.
const MIGRATIONS: [&str; 1] = [include_str!("../migrations/0001_journal.sql")];

/// A database that is ready.
pub(crate) struct PgReady {
    pub(crate) link: PgLink,
    pub(crate) node: NodeId,
    pub(crate) durability: Durability,
    pub(crate) meta: PgMeta,
}

/// Makes a database ready.
pub(crate) async fn ready(target: &PgTarget, sealer: &Sealer) -> Result<PgReady, StoreError> {
    let link = target.first_link().await?;
    look_at_server(&link.client).await?;
    let settings = &target.settings;
    // Under a lock of this transaction, so that two nodes that start together make tables once.
    let client = &link.client;
    let begun = format!(
        "BEGIN; SELECT pg_advisory_xact_lock({})",
        settings.schema_lock()
    );
    client.batch_execute(&begun).await.map_err(fault::journal)?;
    migrate(client, settings, sealer).await?;
    let meta = PgMeta::read(client, &settings.schema).await?;
    meta.check_lives_here()?;
    meta.check_key(sealer)?;
    let node = enter(client, settings).await?;
    make_views(client, settings).await?;
    client
        .batch_execute("COMMIT")
        .await
        .map_err(fault::journal)?;
    let durability = durability(client, settings.trusted).await?;
    Ok(PgReady {
        link,
        node,
        durability,
        meta,
    })
}

/// Refuses servers that will not do.
pub(crate) async fn look_at_server(client: &Client) -> Result<(), StoreError> {
    let sql = "SELECT current_setting('server_version_num')::int4, pg_is_in_recovery(),
                      current_setting('server_encoding')";
    let row = client.query_one(sql, &[]).await.map_err(fault::journal)?;
    let encoding: String = row.try_get(2).map_err(fault::journal)?;
    check_server(
        row.try_get(0).map_err(fault::journal)?,
        row.try_get(1).map_err(fault::journal)?,
        &encoding,
    )
}

/// Refuses servers that are too old or take no writes, and databases that cannot hold every text.
fn check_server(version: i32, in_recovery: bool, encoding: &str) -> Result<(), StoreError> {
    if version < OLDEST {
        return Err(fault::unusable(
            format!("PostgreSQL {} is too old", version / 10_000),
            format_args!("sayso needs PostgreSQL {} or later", OLDEST / 10_000),
        ));
    }
    if in_recovery {
        return Err(fault::unusable(
            "PostgreSQL accepts no writes",
            "it is a standby. Name the primary in store.url, or all servers: postgres://USER@HOST,HOST2/DATABASE",
        ));
    }
    if encoding != ENCODING {
        return Err(fault::unusable(
            format!("the database has the encoding {encoding}"),
            "sayso needs one that keeps it as UTF8: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0",
        ));
    }
    Ok(())
}

/// Whether there is such a table.
pub(crate) async fn exists(client: &Client, schema: &str, table: &str) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = $2";
    let found = client.query_opt(sql, &[&schema, &table]).await;
    if found.map_err(fault::journal)?.is_none() {
        return Ok(false);
    }
    // Without this right, PostgreSQL says that there is no such table.
    let sql = "SELECT has_schema_privilege($1, 'USAGE'), current_user::text";
    let row = client
        .query_one(sql, &[&schema])
        .await
        .map_err(fault::journal)?;
    if row.try_get(0).map_err(fault::journal)? {
        return Ok(true);
    }
    let user: String = row.try_get(1).map_err(fault::journal)?;
    Err(fault::unusable(
        format!("the user {user} has no permission to use the schema {schema}"),
        "connect as the user that created it, or choose another schema with store.schema",
    ))
}

/// Refuses a database without a journal, for whoever only wants to look at one.
pub(crate) async fn check_is_made(
    client: &Client,
    settings: &PostgresSettings,
) -> Result<(), StoreError> {
    if exists(client, &settings.schema, "meta").await? {
        return Ok(());
    }
    Err(fault::unusable(
        format!(
            "there is no journal in the schema {} of this database",
            settings.schema
        ),
        "`sayso serve --store URL` creates one; store.schema selects another schema",
    ))
}

/// Makes a schema where there is none.
pub(crate) async fn make_schema(client: &Client, schema: &str) -> Result<(), StoreError> {
    let sql = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1";
    let found = client.query_opt(sql, &[&schema]).await;
    if found.map_err(fault::journal)?.is_none() {
        let made = client
            .batch_execute(&format!("CREATE SCHEMA {schema}"))
            .await;
        made.map_err(|error| {
            let detail = format!(
                "{}. Give the user the right to create schemas: GRANT CREATE ON DATABASE ... TO ...",
                fault::told(&error)
            );
            fault::unusable(format!("the schema {schema} can't be created"), detail)
        })?;
    }
    Ok(())
}

/// Makes the tables of the journal, as far as they are missing.
pub(crate) async fn migrate(
    client: &Client,
    settings: &PostgresSettings,
    sealer: &Sealer,
) -> Result<(), StoreError> {
    let newest = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
    let mut version = 0;
    if exists(client, &settings.schema, "meta").await? {
        let row = client.query_one("SELECT version FROM meta", &[]).await;
        version = row.and_then(|row| row.try_get(0)).map_err(fault::journal)?;
    } else {
        make_schema(client, &settings.schema).await?;
    }
    if version >= newest {
        return Ok(());
    }
    for step in MIGRATIONS
        .iter()
        .skip(usize::try_from(version).unwrap_or(0))
    {
        client.batch_execute(step).await.map_err(fault::journal)?;
    }
    let sql = "INSERT INTO meta (application, version, level, key_id) VALUES ($1, $2, 1, $3)
         ON CONFLICT (one) DO UPDATE SET version = excluded.version";
    let check = sealer.check()?;
    let written = client.execute(sql, &[&APPLICATION, &newest, &check]).await;
    written.map(|_| ()).map_err(fault::journal)
}

/// What a journal says about itself.
#[derive(Debug, Clone)]
pub(crate) struct PgMeta {
    pub(crate) level: u32,
    key_id: Vec<u8>,
    /// Where the state lives now, if it has left.
    pub(crate) moved: Option<String>,
    /// Whether a migration into it is not finished.
    pub(crate) arriving: bool,
    /// Which life of the database this is.
    pub(crate) life: String,
    /// An event that a node knew and that is not there.
    pub(crate) lost: Option<Seq>,
}

impl PgMeta {
    /// Reads it. Refuses what is not ours and what a newer version wrote.
    pub(crate) async fn read(client: &Client, schema: &str) -> Result<Self, StoreError> {
        let sql = "SELECT application, version, level, key_id, moved, arriving, life::text, lost FROM meta";
        let failed = fault::journal;
        let row = client.query_one(sql, &[]).await.map_err(failed)?;
        let application: String = row.try_get(0).map_err(failed)?;
        if application != APPLICATION {
            return Err(fault::unusable(
                format!("the schema {schema} is not a sayso journal"),
                "choose another one with store.schema",
            ));
        }
        let version: i32 = row.try_get(1).map_err(failed)?;
        let level: i32 = row.try_get(2).map_err(failed)?;
        let level = u32::try_from(level).unwrap_or_default();
        if level > LEVEL || usize::try_from(version).unwrap_or_default() > MIGRATIONS.len() {
            return Err(newer(level.max(LEVEL + 1)));
        }
        Ok(Self {
            level,
            key_id: row.try_get(3).map_err(failed)?,
            moved: row.try_get(4).map_err(failed)?,
            arriving: row.try_get(5).map_err(failed)?,
            life: row.try_get(6).map_err(failed)?,
            lost: value::<Option<u64>>(&row, 7)?.map(Seq),
        })
    }

    /// Refuses a journal that lives elsewhere or is not whole yet.
    pub(crate) fn check_lives_here(&self) -> Result<(), StoreError> {
        if let Some(place) = &self.moved {
            return Err(moved(place));
        }
        if self.arriving {
            return Err(fault::unusable(
                "a migration into this database is not finished",
                "run the same `sayso migrate` command again",
            ));
        }
        Ok(())
    }

    /// Refuses a journal that has not got an event which a node knew.
    pub(crate) fn check_whole(&self) -> Result<(), StoreError> {
        match self.lost {
            Some(seq) => Err(damaged(JOURNAL, known::went_back(seq))),
            None => Ok(()),
        }
    }

    /// Refuses another key than that of the journal.
    pub(crate) fn check_key(&self, sealer: &Sealer) -> Result<(), StoreError> {
        if sealer.passes(&self.key_id) {
            return Ok(());
        }
        Err(fault::unusable(
            "the key is not the key of this journal",
            "every node needs the same key file. Copy it from a running node and set it with \
             `--key-file FILE`",
        ))
    }
}

/// Only a newer version reads the journal.
pub(crate) fn newer(found: u32) -> StoreError {
    StoreError::Newer {
        file: JOURNAL.to_owned(),
        found,
        known: LEVEL,
        by: None,
    }
}

/// The state lives elsewhere.
pub(crate) fn moved(place: &str) -> StoreError {
    StoreError::moved(place)
}

/// The tables of the projections in PostgreSQL's words. Text is bytes here, because it may have zeros.
fn tables() -> String {
    let shared = TABLES.split(TEXT_TABLE).next().unwrap_or_default();
    shared
        .replace(") STRICT, WITHOUT ROWID;", ");")
        .replace(") STRICT;", ");")
        .replace(" INTEGER", " int8")
        .replace(" BLOB", " bytea")
        .replace(" TEXT", " bytea")
}

async fn make_views(client: &Client, settings: &PostgresSettings) -> Result<(), StoreError> {
    let schema = settings.views_schema();
    if exists(client, &schema, "asks_text").await? {
        return Ok(());
    }
    make_schema(client, &schema).await?;
    let made = format!(
        "SET LOCAL search_path = {schema}; {} {INDEXES} {};",
        tables(),
        words::TABLE
    );
    client.batch_execute(&made).await.map_err(fault::journal)
}

/// Enters this process as a node. The entry is a synchronous write, and so a barrier.
async fn enter(client: &Client, settings: &PostgresSettings) -> Result<NodeId, StoreError> {
    let (name, place) = (&settings.node, &settings.place[..]);
    // Under the lock of this transaction, so that two that start together do not both find the name free.
    let found = client
        .query_opt(
            "SELECT url FROM node WHERE name = $1 AND place <> $2
             AND seen_at > clock_timestamp() - interval '3 s' LIMIT 1",
            &[name, &place],
        )
        .await
        .map_err(fault::journal)?;
    if let Some(row) = found {
        let url: Option<String> = row.try_get(0).map_err(fault::journal)?;
        let where_it_is = url.map_or_else(String::new, |url| format!(" at {url}"));
        return Err(fault::unusable(
            format!("a node called {name} is running{where_it_is} with another state folder"),
            "give this node another name with `--node NAME`, or stop that one and wait 3 s",
        ));
    }
    let old = "DELETE FROM node WHERE seen_at < clock_timestamp() - interval '30 days'";
    client.execute(old, &[]).await.map_err(fault::journal)?;
    // A node that lives writes its own again now and then.
    let here = "DELETE FROM here h WHERE NOT EXISTS (SELECT 1 FROM node n
                WHERE n.node = h.node AND n.seen_at > clock_timestamp() - interval '1 minute')";
    client.execute(here, &[]).await.map_err(fault::journal)?;
    let level = i32::try_from(LEVEL).unwrap_or(i32::MAX);
    let node: i32 = client
        .query_one(
            "INSERT INTO node (name, place, version, level) VALUES ($1, $2, $3, $4) RETURNING node",
            &[name, &place, &build(), &level],
        )
        .await
        .and_then(|row| row.try_get(0))
        .map_err(fault::journal)?;
    Ok(NodeId(u32::try_from(node).unwrap_or_default()))
}

/// How the database numbers a node.
pub(crate) fn number_of(node: NodeId) -> i32 {
    i32::try_from(node.0).unwrap_or(i32::MAX)
}

/// How the small write of a barrier went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarrierWord {
    /// It was acknowledged.
    Stands,
    /// It is written, but the server was told not to wait for its standby.
    Doubted,
    /// The database does not know the node.
    UnknownNode,
}

impl BarrierWord {
    /// What is wrong, if it does not stand.
    pub(crate) fn check(self) -> Result<(), StoreError> {
        match self {
            Self::Stands => Ok(()),
            Self::Doubted => Err(fault::later(
                "PostgreSQL was told not to wait for its standby, which may lack what is shown",
            )),
            Self::UnknownNode => Err(damaged(
                JOURNAL,
                "the database went back in time: it no longer knows this node",
            )),
        }
    }
}

/// Writes something small and waits until it is acknowledged. The log of PostgreSQL is one sequence, so
/// that everything before it is as durable: a primary that came back from a crash shows commits that its
/// standby never had, and this waits until it has them.
pub(crate) async fn small_write(
    client: &Client,
    news: &LinkNews,
    node: NodeId,
) -> Result<BarrierWord, Error> {
    news.warned.store(false, Ordering::SeqCst);
    let sql = "UPDATE node SET seen_at = clock_timestamp() WHERE node = $1";
    let written = client.execute(sql, &[&number_of(node)]).await;
    point("barrier");
    Ok(if written? == 0 {
        BarrierWord::UnknownNode
    } else if news.warned.load(Ordering::SeqCst) {
        BarrierWord::Doubted
    } else {
        BarrierWord::Stands
    })
}

/// The same on a link, on which nothing is believed without it.
pub(crate) async fn barrier(link: &PgLink, node: NodeId) -> Result<(), StoreError> {
    let written = small_write(&link.client, &link.news, node).await;
    written.map_err(fault::journal)?.check()
}

/// Whether what is written survives.
pub(crate) async fn durability(client: &Client, trusted: bool) -> Result<Durability, StoreError> {
    let row = client
        .query_one(
            "SELECT current_setting('fsync'), current_setting('full_page_writes'),
                    current_setting('synchronous_commit'), current_setting('synchronous_standby_names')",
            &[],
        )
        .await
        .map_err(fault::journal)?;
    let text = |at: usize| row.try_get::<_, String>(at).map_err(fault::journal);
    Ok(judged(&text(0)?, &text(1)?, &text(2)?, &text(3)?, trusted))
}

/// What the settings of a server promise.
fn judged(
    fsync: &str,
    full_pages: &str,
    commit: &str,
    standbys: &str,
    trusted: bool,
) -> Durability {
    if fsync != "on" {
        return Durability::Unsafe("fsync is off in PostgreSQL".to_owned());
    }
    if full_pages != "on" {
        return Durability::Unsafe("full_page_writes is off in PostgreSQL".to_owned());
    }
    if !matches!(commit, "on" | "remote_apply") {
        return Durability::Unsafe(format!("synchronous_commit is {commit} in PostgreSQL"));
    }
    if trusted || !standbys.is_empty() {
        Durability::FailoverSafe
    } else {
        Durability::OneServer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_and_standbys_are_refused() {
        assert!(check_server(150_018, false, ENCODING).is_ok());
        let old = check_server(130_022, false, ENCODING)
            .unwrap_err()
            .to_string();
        assert!(old.contains("PostgreSQL 13 is too old"), "{old}");
        let standby = check_server(150_018, true, ENCODING)
            .unwrap_err()
            .to_string();
        assert!(standby.contains("standby"), "{standby}");
    }

    #[test]
    fn durability_is_what_the_settings_promise() {
        let say = |fsync, pages, commit, standbys, trusted| {
            judged(fsync, pages, commit, standbys, trusted).to_string()
        };
        assert_eq!(say("on", "on", "on", "*", false), "failover-safe");
        assert_eq!(say("on", "on", "on", "", true), "failover-safe");
        assert_eq!(
            say("on", "on", "on", "", false),
            "power-loss-safe (a failover may lose the last moment)"
        );
        assert!(say("off", "on", "on", "*", true).starts_with("UNSAFE"));
        assert!(say("on", "off", "on", "*", true).starts_with("UNSAFE"));
        assert!(say("on", "on", "local", "*", true).starts_with("UNSAFE"));
    }

    #[test]
    fn no_word_of_sqlite_is_left_in_the_tables() {
        let made = tables();
        for word in ["STRICT", "ROWID", "INTEGER", "BLOB", "TEXT", "fts5"] {
            assert!(!made.contains(word), "{word}");
        }
    }
}
