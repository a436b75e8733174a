//! Projections of older versions, which hold text that may be erased meanwhile in those of this one.

use sayso_store_sql::sql::{Sql, SqlResult};
use sayso_store_sql::values;
use sayso_store_sql::views;

use crate::settings::PostgresSettings;
use crate::sql::PgSql;

/// Divides the version of a node from that of the projections it reads.
const AND_VIEWS: &str = "+views.";

/// What a node says of its version: also which projections it reads, which another build of the same
/// version may have given another form.
pub(crate) fn build() -> String {
    format!("{}{AND_VIEWS}{}", env!("CARGO_PKG_VERSION"), views::VERSION)
}

/// The version alone, for people.
pub(crate) fn version_of(build: &str) -> &str {
    build
        .split_once(AND_VIEWS)
        .map_or(build, |(version, _)| version)
}

/// Drops them, once every node that lives reads those of this version.
pub(crate) fn drop_old_views(sql: &PgSql, settings: &PostgresSettings) -> SqlResult<()> {
    sql.within("", |sql| {
        // A node that starts makes its own under this lock, after it is entered.
        let lock = settings.schema_lock();
        sql.batch(&format!("SELECT pg_advisory_xact_lock({lock})"))?;
        let others = "SELECT 1 FROM node WHERE version <> ?1
                      AND seen_at > clock_timestamp() - interval '10 minutes' LIMIT 1";
        let version = build();
        let sql_of = sql as &dyn Sql;
        if sql_of
            .first(others, values![version.as_str()], |_| Ok(()))?
            .is_some()
        {
            return Ok(());
        }
        let there = sql_of.all(
            "SELECT CAST(nspname AS text) FROM pg_catalog.pg_namespace",
            values![],
            |row| row.get::<String>(0),
        )?;
        for old in 1..views::VERSION {
            let schema = settings.views_schema_of(old);
            if there.contains(&schema) {
                tracing::info!(schema, "dropped the lists and search of an older version");
                sql.batch(&format!("DROP SCHEMA {schema} CASCADE"))?;
            }
        }
        Ok(())
    })
}
