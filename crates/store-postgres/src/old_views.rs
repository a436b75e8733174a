//! Projections of older versions, which hold text that may be erased meanwhile in those of this one.

use sayso_store_sql::sql::{Sql, SqlResult};
use sayso_store_sql::values;
use sayso_store_sql::views;

use crate::settings::PostgresSettings;
use crate::sql::PgSql;

/// Drops them, once every node that lives is of this version.
pub(crate) fn drop_old_views(sql: &PgSql, settings: &PostgresSettings) -> SqlResult<()> {
    sql.within("", |sql| {
        // A node that starts makes its own under this lock, after it is entered.
        let lock = settings.schema_lock();
        sql.batch(&format!("SELECT pg_advisory_xact_lock({lock})"))?;
        let others = "SELECT 1 FROM node WHERE version <> ?1
                      AND seen_at > clock_timestamp() - interval '10 minutes' LIMIT 1";
        let version = env!("CARGO_PKG_VERSION");
        let sql_of = sql as &dyn Sql;
        if sql_of
            .first(others, values![version], |_| Ok(()))?
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
                tracing::info!(schema, "projections of an older version are dropped");
                sql.batch(&format!("DROP SCHEMA {schema} CASCADE"))?;
            }
        }
        Ok(())
    })
}
