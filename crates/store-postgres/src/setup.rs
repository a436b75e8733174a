//! What happens before a store is used: the server is looked at, tables are made, the key is checked, and
//! this process is entered as a node.

use sayso_store::{Durability, LEVEL, StoreError};
use sayso_store_sql::journal::damaged;
use sayso_store_sql::seal::Sealer;
use sayso_store_sql::views::{INDEXES, TABLES, TEXT_TABLE};
use tokio_postgres::Client;

use crate::fault::{self, JOURNAL};
use crate::link::{PgLink, PgTarget};
use crate::settings::PostgresSettings;
use crate::words;

/// What `application` says in a journal of ours.
const APPLICATION: &str = "sayso";
/// The oldest PostgreSQL that will do, as it numbers itself.
const OLDEST: i32 = 140_000;
/// Every step from an empty schema to the newest form; only ever added to.
const MIGRATIONS: [&str; 1] = [include_str!("../migrations/0001_journal.sql")];

/// A database that is ready.
pub(crate) struct PgReady {
    pub(crate) link: PgLink,
    pub(crate) node: i32,
    pub(crate) durability: Durability,
    pub(crate) level: u32,
}

/// Makes a database ready.
pub(crate) async fn ready(target: &PgTarget, sealer: &Sealer) -> Result<PgReady, StoreError> {
    let link = target.link().await?;
    let row = link
        .client
        .query_one(
            "SELECT current_setting('server_version_num')::int4, pg_is_in_recovery()",
            &[],
        )
        .await
        .map_err(fault::journal)?;
    check_server(
        row.try_get(0).map_err(fault::journal)?,
        row.try_get(1).map_err(fault::journal)?,
    )?;
    let settings = &target.settings;
    // Under a lock of this transaction, so that two nodes that start together make tables once.
    let client = &link.client;
    let begun = format!(
        "BEGIN; SELECT pg_advisory_xact_lock({})",
        settings.schema_lock()
    );
    client.batch_execute(&begun).await.map_err(fault::journal)?;
    migrate(client, settings, sealer).await?;
    let level = check_meta(client, settings, sealer).await?;
    make_views(client, settings).await?;
    client
        .batch_execute("COMMIT")
        .await
        .map_err(fault::journal)?;
    let durability = durability(client, settings.trusted).await?;
    let node = enter(client, &settings.node).await?;
    Ok(PgReady {
        link,
        node,
        durability,
        level,
    })
}

/// Refuses servers that are too old or take no writes.
fn check_server(version: i32, in_recovery: bool) -> Result<(), StoreError> {
    if version < OLDEST {
        return Err(fault::unusable(
            format!("PostgreSQL {} is too old", version / 10_000),
            format_args!("sayso needs PostgreSQL {} or later", OLDEST / 10_000),
        ));
    }
    if in_recovery {
        return Err(fault::unusable(
            "PostgreSQL takes no writes",
            "it is a standby. Name the primary, or all hosts: `host=a,b`",
        ));
    }
    Ok(())
}

async fn exists(client: &Client, schema: &str, table: &str) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = $2";
    let found = client.query_opt(sql, &[&schema, &table]).await;
    Ok(found.map_err(fault::journal)?.is_some())
}

async fn make_schema(client: &Client, schema: &str) -> Result<(), StoreError> {
    let sql = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1";
    let found = client.query_opt(sql, &[&schema]).await;
    if found.map_err(fault::journal)?.is_none() {
        let made = client
            .batch_execute(&format!("CREATE SCHEMA {schema}"))
            .await;
        made.map_err(|error| {
            let detail = format!(
                "{}. Give the user the right to make schemas: GRANT CREATE ON DATABASE ... TO ...",
                fault::told(&error)
            );
            fault::unusable(format!("the schema {schema} cannot be made"), detail)
        })?;
    }
    Ok(())
}

async fn migrate(
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

/// Refuses a journal of others, of a newer version, of another key, or one that lives elsewhere now.
async fn check_meta(
    client: &Client,
    settings: &PostgresSettings,
    sealer: &Sealer,
) -> Result<u32, StoreError> {
    let schema = &settings.schema;
    let row = client
        .query_one(
            "SELECT application, version, level, key_id, moved FROM meta",
            &[],
        )
        .await
        .map_err(fault::journal)?;
    let failed = fault::journal;
    let application: String = row.try_get(0).map_err(failed)?;
    let (version, level): (i32, i32) = (
        row.try_get(1).map_err(failed)?,
        row.try_get(2).map_err(failed)?,
    );
    let key_id: Vec<u8> = row.try_get(3).map_err(failed)?;
    let moved: Option<String> = row.try_get(4).map_err(failed)?;
    if application != APPLICATION {
        return Err(fault::unusable(
            format!("the schema {schema} is not a journal of sayso"),
            "name another schema",
        ));
    }
    let level = u32::try_from(level).unwrap_or_default();
    if level > LEVEL || usize::try_from(version).unwrap_or_default() > MIGRATIONS.len() {
        return Err(StoreError::Newer {
            file: JOURNAL.to_owned(),
            found: level.max(LEVEL + 1),
            known: LEVEL,
            by: None,
        });
    }
    if let Some(place) = moved {
        return Err(fault::unusable(
            format!("the journal in the schema {schema} has moved"),
            format_args!("it lives at {place} now; start the server there"),
        ));
    }
    if !sealer.passes(&key_id) {
        return Err(fault::unusable(
            "the key is not the key of this journal",
            "every node needs the same key file. Copy it from a node that runs",
        ));
    }
    Ok(level)
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
async fn enter(client: &Client, name: &str) -> Result<i32, StoreError> {
    let level = i32::try_from(LEVEL).unwrap_or(i32::MAX);
    client
        .query_one(
            "INSERT INTO node (name, version, level) VALUES ($1, $2, $3) RETURNING node",
            &[&name, &env!("CARGO_PKG_VERSION"), &level],
        )
        .await
        .and_then(|row| row.try_get(0))
        .map_err(fault::journal)
}

/// Writes something small and waits until it is acknowledged. The log of PostgreSQL is one sequence, so
/// that everything before it is as durable: a primary that came back from a crash shows commits that its
/// standby never had, and this waits until it has them.
pub(crate) async fn barrier(client: &Client, node: i32) -> Result<(), StoreError> {
    let sql = "UPDATE node SET seen_at = clock_timestamp() WHERE node = $1";
    let written = client.execute(sql, &[&node]).await;
    if written.map_err(fault::journal)? == 0 {
        let what = "the database went back: it does not know this node any more";
        return Err(damaged(JOURNAL, what));
    }
    Ok(())
}

async fn durability(client: &Client, trusted: bool) -> Result<Durability, StoreError> {
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
        Durability::PowerLossSafe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_and_standbys_are_refused() {
        assert!(check_server(150_018, false).is_ok());
        let old = check_server(130_022, false).unwrap_err().to_string();
        assert!(old.contains("PostgreSQL 13 is too old"), "{old}");
        let standby = check_server(150_018, true).unwrap_err().to_string();
        assert!(standby.contains("standby"), "{standby}");
    }

    #[test]
    fn durability_is_what_the_settings_promise() {
        let say = |fsync, pages, commit, standbys, trusted| {
            judged(fsync, pages, commit, standbys, trusted).to_string()
        };
        assert_eq!(say("on", "on", "on", "*", false), "failover-safe");
        assert_eq!(say("on", "on", "on", "", true), "failover-safe");
        assert_eq!(say("on", "on", "on", "", false), "power-loss-safe");
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
